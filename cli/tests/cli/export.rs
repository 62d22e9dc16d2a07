//! `actforge export`: the files, and what is refused.

use std::fs;
use std::io::Write;
use std::process::Command;

use crate::support::{contents, line, set};

#[test]
fn a_stock_set_becomes_stock_files() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    line(
        "build --functions tanh,relu --max-ulp 8 --target stock-trainium --set-name small -o {}/set",
        here,
    )
    .succeeded();
    line("export --format stock {}/set -o {}/stock", here).succeeded();
    let names: Vec<String> = contents_below(here)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "act_info.json",
            "pwp_jsons/relu_1p.json",
            "pwp_jsons/tanh_4p.json",
            "small.json",
            "small_bkt.bin",
            "small_ctrl.bin",
        ]
    );
    // Once there, files are replaced on request only.
    let before = contents_below(here);
    line("export --format stock {}/set -o {}/stock", here)
        .failed(3, &["is there already", "--force"]);
    line("export --format stock {}/set -o {}/stock --force", here).succeeded();
    assert_eq!(contents_below(here), before);
}

fn contents_below(here: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let stock = here.join("stock");
    let below = stock.join("pwp_jsons");
    let mut files: Vec<(String, Vec<u8>)> = contents(&below)
        .into_iter()
        .map(|(name, bytes)| (format!("pwp_jsons/{name}"), bytes))
        .collect();
    for entry in fs::read_dir(&stock).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            let name = entry.file_name().into_string().unwrap();
            files.push((name, fs::read(entry.path()).unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn only_stock_sets_become_stock_files() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("stock");
    let text = format!("export --format stock {} -o {{}}", set().display());
    line(&text, &out).failed(1, &["target", "cayman", "--target stock-trainium"]);
    assert!(!out.exists());
}

/// The files of one form of the set that all tests read.
fn exported(form: &str) -> (tempfile::TempDir, Vec<(String, Vec<u8>)>) {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("export --format {form} {} -o {{}}/out", set().display());
    let run = line(&text, directory.path()).succeeded();
    let files = contents(&directory.path().join("out"));
    assert!(
        run.stdout.starts_with(&format!("{} file", files.len())),
        "{}",
        run.stdout
    );
    (directory, files)
}

fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn c_compiles_and_evaluates() {
    let (directory, files) = exported("c");
    assert_eq!(
        names(&files),
        ["actforge.c", "actforge.h", "set_small.c", "set_small.h"]
    );
    let out = directory.path().join("out");
    let main = "#include \"set_small.h\"\n#include <stdio.h>\nint main(void)\n{\n    \
                printf(\"%a\", (double)actforge_eval(&set_small, actforge_find(&set_small, \"tanh\"), -0.5f));\n    \
                return 0;\n}\n";
    fs::write(out.join("main.c"), main).unwrap();
    let compiler = Command::new("cc")
        .current_dir(&out)
        .args(
            "-std=c11 -Wall -Wextra -Werror -pedantic -o main main.c actforge.c set_small.c -lm"
                .split(' '),
        )
        .output()
        .unwrap();
    assert!(compiler.status.success(), "{}", text_of(compiler.stderr));
    let result = Command::new(out.join("main")).output().unwrap();
    let result: f32 = parse_hex_float(&text_of(result.stdout));
    let engine = line("eval {} tanh -0.5 --json", set()).succeeded().json();
    assert_eq!(
        engine["results"][0]["result_bits"],
        format!("{:#010x}", result.to_bits())
    );
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// `-0x1.d9p-2`, as C's `%a` prints it.
fn parse_hex_float(text: &str) -> f32 {
    let (sign, rest) = text
        .strip_prefix('-')
        .map_or((1.0, text), |rest| (-1.0, rest));
    let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = i64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
    (sign * digits as f64 * 2.0_f64.powi(exponent)) as f32
}

#[test]
fn npy_arrays_hold_the_tables() {
    let (_directory, files) = exported("npy");
    assert_eq!(
        names(&files),
        [
            "small_bucket.npy",
            "small_cam.npy",
            "small_control.npy",
            "small_profile.npy"
        ]
    );
    let json = line("inspect {} --json", set()).succeeded().json();
    let entries = |table: &str| json["tables"][table]["entries"].as_u64().unwrap();
    for ((name, bytes), (table, stride)) in files.iter().zip([
        ("bucket", 20),
        ("cam", 32),
        ("control", 4),
        ("profile", 128),
    ]) {
        assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00", "{name}");
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(header % 64, 0);
        let image = fs::read(set().join(format!("{table}.bin"))).unwrap();
        let in_image = if table == "profile" { 128 } else { 32 };
        let (data, count) = (&bytes[header..], entries(table) as usize);
        assert_eq!(data.len(), count * stride, "{name}");
        for (entry, stored) in data.chunks_exact(stride).zip(image.chunks_exact(in_image)) {
            assert_eq!(*entry, stored[..stride], "{name}");
        }
    }
}

#[test]
fn json_holds_every_entry_with_bits_and_decimals() {
    let (_directory, files) = exported("json");
    assert_eq!(names(&files), ["small.json"]);
    let json: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
    let inspected = line("inspect {} --json", set()).succeeded().json();
    assert_eq!(json["schema_version"], 1);
    for key in ["name", "target", "datapath", "tool_version", "spec_sha256"] {
        assert_eq!(json[key], inspected[key], "{key}");
    }
    let buckets = json["buckets"].as_array().unwrap();
    assert_eq!(
        buckets.len() as u64,
        inspected["tables"]["bucket"]["entries"].as_u64().unwrap()
    );
    for (function, seen) in json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .zip(inspected["functions"].as_array().unwrap())
    {
        assert_eq!(function["name"], seen["name"]);
        let first = function["buckets"]["first"].as_u64().unwrap() as usize;
        for (place, bucket) in seen["buckets"].as_array().unwrap().iter().enumerate() {
            let exported = &buckets[first + place];
            assert_eq!(exported["x0"]["bits"], bucket["x0_bits"]);
            for (coefficient, bits) in exported["d"]
                .as_array()
                .unwrap()
                .iter()
                .zip(bucket["d_bits"].as_array().unwrap())
            {
                assert_eq!(coefficient["bits"], *bits);
                let value: f32 = coefficient["decimal"].as_str().unwrap().parse().unwrap();
                assert_eq!(format!("{:#010x}", value.to_bits()), bits.as_str().unwrap());
            }
        }
        for field in seen["profile"].as_array().unwrap() {
            let exported = &function["profile"][field["name"].as_str().unwrap()];
            match field["value"].as_u64() {
                Some(value) => assert_eq!(*exported, value),
                None if field["value"].get("bits").is_some() => {
                    assert_eq!(exported["bits"], field["value"]["bits"]);
                }
                None => assert_eq!(
                    exported["mantissa_threshold"],
                    field["value"]["mantissa_threshold"]
                ),
            }
        }
    }
}

#[test]
fn vectors_are_of_the_datapath_asked_for() {
    let (directory, files) = exported("vectors");
    assert_eq!(names(&files), ["small_vectors.csv"]);
    let text = text_of(files[0].1.clone());
    assert!(text.starts_with(
        "# actforge vectors, version 1, set small, target cayman, datapath fma\nfunction,func_id,"
    ));
    let arguments = format!(
        "export --format vectors {} --datapath mixed -o {{}}/mixed",
        set().display()
    );
    line(&arguments, directory.path()).succeeded();
    let mixed = fs::read_to_string(directory.path().join("mixed/small_vectors.csv")).unwrap();
    assert!(mixed.contains("datapath mixed\n"));
    assert_eq!(mixed.lines().count(), text.lines().count());
    let arguments = format!(
        "export --format npy {} --datapath mixed -o {{}}/npy",
        set().display()
    );
    line(&arguments, directory.path()).failed(2, &["--datapath", "vectors"]);
}

/// Loads the files in a simulator and lets it write them out again.
#[test]
fn memh_files_read_back_in_a_simulator() {
    let (directory, files) = exported("memh");
    assert_eq!(
        names(&files),
        [
            "small.vh",
            "small_bucket.memh",
            "small_cam.memh",
            "small_control.memh",
            "small_profile.memh"
        ]
    );
    if Command::new("iverilog").arg("-V").output().is_err() {
        // Not by a macro: those are heard only when a test fails.
        let note = b"skipped: memh_files_read_back_in_a_simulator, iverilog is not installed\n";
        std::io::stderr().write_all(note).unwrap();
        return;
    }
    let out = directory.path().join("out");
    let mut bench = String::from("module bench;\n");
    bench += "`include \"small.vh\"\n";
    for table in ["BUCKET", "CAM", "CONTROL", "PROFILE"] {
        let name = table.to_lowercase();
        bench += &format!(
            "reg [SET_SMALL_{table}_WIDTH-1:0] {name} [0:SET_SMALL_{table}_DEPTH-1];\n\
             initial begin $readmemh(\"small_{name}.memh\", {name}); $writememh(\"{name}.out\", {name}); end\n"
        );
    }
    bench += "endmodule\n";
    fs::write(out.join("bench.v"), bench).unwrap();
    for command in ["iverilog -g2005 -Wall -o bench bench.v", "vvp -n bench"] {
        let mut words = command.split(' ');
        let run = Command::new(words.next().unwrap())
            .args(words)
            .current_dir(&out)
            .output()
            .unwrap();
        assert!(
            run.status.success() && run.stderr.is_empty() && run.stdout.is_empty(),
            "{}{}",
            text_of(run.stderr),
            text_of(run.stdout)
        );
    }
    for (table, entry, used) in [
        ("bucket", 32, 32),
        ("cam", 32, 32),
        ("control", 32, 4),
        ("profile", 128, 128),
    ] {
        let text = fs::read_to_string(out.join(format!("{table}.out"))).unwrap();
        let words: Vec<Vec<u8>> = text
            .lines()
            .filter(|line| !line.starts_with("//"))
            .map(|line| {
                let digits: Vec<u8> = line.trim().bytes().collect();
                let bytes = digits.chunks_exact(2).rev();
                bytes
                    .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                    .collect()
            })
            .collect();
        let image = fs::read(set().join(format!("{table}.bin"))).unwrap();
        assert!(!words.is_empty());
        for (index, word) in words.iter().enumerate() {
            assert_eq!(
                *word,
                image[index * entry..index * entry + used],
                "{table} {index}"
            );
        }
        // What follows in the image is its padding.
        assert!(image[words.len() * entry..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn several_sets_share_the_evaluator() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for name in ["a-b", "a_b", "c"] {
        line(
            &format!("build --functions relu --set-name {name} -o {{}}/{name}"),
            here,
        )
        .succeeded();
    }
    line("export --format c {}/a-b {}/c -o {}/c-files", here).succeeded();
    let files = contents(&here.join("c-files"));
    assert_eq!(
        names(&files),
        [
            "actforge.c",
            "actforge.h",
            "set_a_b.c",
            "set_a_b.h",
            "set_c.c",
            "set_c.h"
        ]
    );
    line("export --format c {}/a-b {}/a_b -o {}/clash", here)
        .failed(2, &["set_a_b.h", "--set-name"]);
    assert!(!here.join("clash").exists());
}
