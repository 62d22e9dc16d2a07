//! `actforge import`, `lint` and `export --format stock`: the vendor's files, both ways.

use std::fs;
use std::path::Path;

use crate::support::{copy_of_set, line, set};

/// Two stock sets, and their files.
fn stock_files(here: &Path) {
    line(
        "build --functions tanh,relu --max-ulp 8 --target stock-with-ln --set-name small -o {}/a",
        here,
    )
    .succeeded();
    line(
        "build --functions abs,square --target stock-with-ln --set-name residents -o {}/b",
        here,
    )
    .succeeded();
    line("export --format stock {}/a {}/b -o {}/stock", here).succeeded();
}

#[test]
fn stock_files_become_sets_and_the_same_files_again() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    stock_files(here);
    let imported = line("import {}/stock -o {}/sets", here).succeeded().stdout;
    assert!(imported.contains("2 sets written"), "{imported}");
    line(
        "export --format stock {}/sets/00-small {}/sets/01-residents -o {}/again",
        here,
    )
    .succeeded();
    for below in ["", "pwp_jsons"] {
        let files = |name: &str| files_of(&here.join(name).join(below));
        assert_eq!(files("again"), files("stock"));
    }
    let clean = line("lint {}/stock {}/sets/00-small {}/a", here).succeeded();
    assert!(
        clean.stdout.contains("stock: 2 sets, 0 findings"),
        "{}",
        clean.stdout
    );
    // What came from the files is measured as what was built.
    let measured = |name: &str| {
        let text = format!("replay {{}}/{name} --input bf16 --json -");
        line(&text, here).succeeded().json()["functions"].clone()
    };
    let (built, read) = (measured("a"), measured("sets/00-small"));
    assert_eq!(built[0]["max_ulp"], read[0]["max_ulp"]);
    line("import {}/stock -o {}/sets", here).failed(3, &["is there already"]);
}

fn files_of(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap());
    let mut files: Vec<_> = names
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn damaged_stock_files_are_refused_and_explained() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    stock_files(here);
    let file = here.join("stock/small.json");
    let text = fs::read_to_string(&file).unwrap();
    let damaged = text.replacen("\"exp_offset\": -127", "\"exp_offset\": -126", 1);
    fs::write(&file, damaged.replacen('{', "{\"surplus\": 1,", 1)).unwrap();
    line("import {}/stock -o {}/sets", here).failed(3, &["small.json", "actforge lint"]);
    assert!(!here.join("sets").exists());
    let found = line("lint {}/stock", here);
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    for part in ["[unknown-key]", "surplus", "exp_offset", "small.json"] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    let json = line("lint {}/stock --json", here);
    assert_eq!(json.code, Some(1));
    let json = json.json();
    assert_eq!(json["directories"][0]["kind"], "stock");
    assert!(json["directories"][0]["findings"].as_array().unwrap().len() > 1);
    // Lint has nothing to say about what are no stock files.
    line("import {} -o {}/sets", here).failed(3, &["hint: expected a directory of stock files"]);
}

#[test]
fn lint_looks_at_sets_and_lists_its_invariants() {
    let clean = line("lint {}", set()).succeeded().stdout;
    assert!(clean.contains("1 set, 0 findings"), "{clean}");
    let list = line("lint --list", set()).succeeded().stdout;
    assert!(list.contains("extract-top-bits") && list.contains("octave-index"));
    let directory = tempfile::tempdir().unwrap();
    line("lint {}", directory.path()).failed(3, &["neither set.json nor act_info.json"]);
    let copy = copy_of_set(directory.path());
    fs::write(copy.join("bucket.bin"), [0; 64]).unwrap();
    let found = line("lint {}", &copy);
    assert_eq!(found.code, Some(1));
    let finding = "bucket.bin: length: expected ";
    assert!(found.stdout.contains(finding), "{}", found.stdout);
    assert!(found.stdout.contains("[image-length]"), "{}", found.stdout);
}

#[test]
fn a_place_that_is_taken_is_found_before_anything_is_fitted() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::create_dir_all(here.join("sets/20-derivative_gelu_apprx_sigmoid_and_others")).unwrap();
    // All 21 sets take a minute.
    line("stock --target stock-trainium -o {}/sets", here).failed(
        3,
        &["20-derivative_gelu_apprx_sigmoid_and_others: is there already"],
    );
}
