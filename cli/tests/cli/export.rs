//! `actforge export`: the files, and what is refused.

use std::fs;

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
