//! The commands of docs/release.md that sign an archive and check it, where their tools are installed.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::archive::sample;

/// A directory with an archive, `release.tar.zst`.
fn archive() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::copy(&sample().archive, directory.path().join("release.tar.zst")).unwrap();
    directory
}

fn shell(directory: &TempDir, script: &str) -> Output {
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", script])
        .current_dir(directory.path())
        .output()
        .unwrap()
}

/// Signs with one script, and checks with another: an archive that was changed must not pass.
fn signed_and_checked(sign: &str, verify: &str) {
    let directory = archive();
    for script in [sign, verify] {
        let done = shell(&directory, script);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{script}: {said}");
    }
    shell(&directory, "printf x >> release.tar.zst");
    assert!(!shell(&directory, verify).status.success());
}

#[test]
fn an_archive_is_signed_with_ssh_keygen() {
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        eprintln!("skipped: there is no ssh-keygen");
        return;
    }
    let verify = "ssh-keygen -Y verify -f allowed_signers -I release@example.org -n actforge-release \
                  -s release.tar.zst.sig < release.tar.zst";
    signed_and_checked(
        "ssh-keygen -q -t ed25519 -N '' -C release@example.org -f key
         ssh-keygen -q -Y sign -f key -n actforge-release release.tar.zst
         echo \"release@example.org $(cat key.pub)\" > allowed_signers",
        verify,
    );
    // A key that is nobody's, and a signature for another purpose.
    for sign in [
        "ssh-keygen -q -t ed25519 -N '' -C release@example.org -f other
         ssh-keygen -q -Y sign -f other -n actforge-release release.tar.zst",
        "ssh-keygen -q -Y sign -f key -n file release.tar.zst",
    ] {
        let directory = archive();
        let keys = "ssh-keygen -q -t ed25519 -N '' -C release@example.org -f key
                    echo \"release@example.org $(cat key.pub)\" > allowed_signers";
        assert!(shell(&directory, keys).status.success());
        assert!(shell(&directory, sign).status.success());
        assert!(!shell(&directory, verify).status.success(), "{sign}");
    }
}

#[test]
fn an_archive_is_signed_with_minisign() {
    if Command::new("minisign").arg("-v").output().is_err() {
        eprintln!("skipped: there is no minisign");
        return;
    }
    signed_and_checked(
        "minisign -G -W -p actforge.pub -s actforge.key
         minisign -S -s actforge.key -m release.tar.zst",
        "minisign -V -p actforge.pub -m release.tar.zst",
    );
}
