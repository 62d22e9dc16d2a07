//! Releases that break one promise each: the gate says which, and ends with the right code.

mod damage;
mod last_release;
mod matching;
mod metrics;
mod waivers;

use crate::release::Release;

/// One way to break the release.
struct Break {
    /// What is broken.
    name: &'static str,
    /// How.
    edit: fn(&Release),
    /// Further arguments of the gate.
    arguments: &'static [&'static str],
    /// The exit code.
    code: i32,
    /// What the gate has to say.
    says: &'static [&'static str],
}

/// Breaks that need no further arguments and end with this exit code.
fn ending(code: i32) -> impl Fn(&'static str, fn(&Release), &'static [&'static str]) -> Break {
    move |name, edit, says| Break {
        name,
        edit,
        arguments: NOTHING,
        code,
        says,
    }
}

/// Breaks each of these, and gates by stored reports.
fn check(breaks: &[Break]) {
    for one in breaks {
        let release = Release::new();
        (one.edit)(&release);
        let run = release.gate(one.arguments);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(one.code), "{}: {said}", one.name);
        for part in one.says {
            assert!(
                said.contains(part),
                "{}: expected {part:?} in: {said}",
                one.name
            );
        }
        match one.code {
            // A gate that fails is a result.
            0 | 1 => assert_eq!(run.stderr, "", "{}", one.name),
            code => {
                run.failed(code, &[]);
            }
        }
    }
}

const NOTHING: &[&str] = &[];
const BASELINE: &[&str] = &["--baseline", "last"];

#[test]
fn a_sound_release_passes() {
    let says = &["PASS: 4 checks of small, wide"];
    check(&[
        Break {
            name: "nothing",
            edit: |_| (),
            arguments: NOTHING,
            code: 0,
            says,
        },
        Break {
            name: "nothing, with a baseline",
            edit: |_| (),
            arguments: BASELINE,
            code: 0,
            says,
        },
    ]);
    // By replays as well, to the same result.
    let release = Release::new();
    let replayed = release.replayed(&["--json", "-"]);
    assert_eq!(replayed.code, Some(0));
    assert_eq!(replayed.stdout, release.gate(&["--json", "-"]).stdout);
}
