//! Dump.
use std::path::Path;
#[test]
fn dump() {
    let mut pending = vec![std::path::PathBuf::from(std::env::var("DUMP").unwrap())];
    while let Some(p) = pending.pop() {
        if p.is_dir() {
            pending.extend(std::fs::read_dir(&p).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        if p.extension().is_none_or(|e| e != "onnx") {
            continue;
        }
        show(&p);
    }
}
fn show(p: &Path) {
    println!("== {}", p.display());
    match actforge_models::read(p) {
        Err(e) => println!("  ERROR {e}"),
        Ok(m) => {
            println!("  {:?}", m.program.counts());
            for n in &m.needs {
                println!("  {} {:?}", n.function, n.reasons);
            }
            for n in &m.unknown {
                println!("  UNKNOWN {} {:?}", n.name, n.reasons);
            }
        }
    }
}
