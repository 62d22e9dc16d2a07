//! The crate builds without `std`: no allocator, no C library, no panic machinery of its own.

use std::path::Path;
use std::process::Command;

#[test]
fn builds_without_default_features() {
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--offline",
            "--no-default-features",
            "--manifest-path",
        ])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_std"))
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
