//! The reader of release archives: no bytes make it panic, what it accepts is packed to the very same bytes, and what
//! it is satisfied with holds valid sets.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actforge_cli::archive::{
    ArchiveError, MOST_KEPT, Member, Release, ReleasedSet, pack, read_archive, read_tar, tar_bytes,
};
use actforge_tables::Target;
use libfuzzer_sys::fuzz_target;

#[path = "../../tables/tests/support/mod.rs"]
mod support;

type Files = BTreeMap<String, Vec<u8>>;

static GOOD: LazyLock<Files> = LazyLock::new(|| {
    let mut set = support::set_for(Target::Cayman);
    set.record_spec("[set]\nname = \"sample\"\n".to_owned());
    let released = ReleasedSet {
        set,
        rebuilt: true,
        report: "{}\n".to_owned(),
    };
    Release::files(vec![released], "<html>\n".to_owned(), None).expect("a release")
});
static TAR: LazyLock<Vec<u8>> = LazyLock::new(|| tar_bytes(&GOOD).expect("a tar file"));
static PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| pack(&GOOD).expect("an archive"));

/// The bytes with patches of three bytes, an offset and a value.
fn patched(bytes: &[u8], patches: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for patch in patches.chunks_exact(3) {
        let offset = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
        let length = bytes.len();
        bytes[offset % length] = patch[2];
    }
    bytes
}

fn check(members: Vec<Member>) {
    match Release::check(members) {
        Ok(release) => {
            for set in &release.sets {
                assert_eq!(set.validate(), Ok(()));
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

fn read(tar: &[u8]) {
    let all = |_: &str| Some(MOST_KEPT);
    match read_tar(tar, all) {
        Ok(members) => {
            let content = |member: &Member| member.content.clone().expect("kept");
            let files: Files = members
                .iter()
                .map(|m| (m.path.clone(), content(m)))
                .collect();
            // Not assert_eq: nobody wants to see the bytes.
            assert!(tar_bytes(&files).expect("read before") == tar);
            check(members);
        }
        Err(ArchiveError::Read(_)) => {}
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
}

// The first byte says what the others are: a tar file, patches of one, a file in place of one of the release's, a
// compressed archive, or patches of one.
fuzz_target!(|input: &[u8]| {
    let Some((&how, rest)) = input.split_first() else {
        return;
    };
    match how % 5 {
        0 => read(rest),
        1 => read(&patched(&TAR, rest)),
        2 => {
            let mut files = GOOD.clone();
            let place = usize::from(how / 5) % files.len();
            if let Some(file) = files.values_mut().nth(place) {
                *file = rest.to_vec();
            }
            read(&tar_bytes(&files).expect("paths of a release"));
        }
        compressed => {
            let bytes = match compressed {
                3 => rest.to_vec(),
                _ => patched(&PACKED, rest),
            };
            if let Ok(members) = read_archive(bytes.as_slice(), Release::longest) {
                check(members);
            }
        }
    }
});
