//! The direction of the data flow, kept: no crate knows one that stands after it (`docs/architecture.md`).

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Every crate, and which of ours it may use. `tables` is the vocabulary in which a fit hands on its result, so `fit`
/// may use it although it stands earlier in the flow; what the engine does with a table reaches the fit through its
/// trait `Judge` alone.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("reference", &[]),
    ("tables", &[]),
    ("fit", &["reference", "tables"]),
    ("engine", &["tables"]),
    ("reports", &["reference", "fit", "tables", "engine"]),
    ("models", &["tables"]),
    (
        "cli",
        &["reference", "fit", "tables", "engine", "reports", "models"],
    ),
    (
        "tests",
        &[
            "reference",
            "fit",
            "tables",
            "engine",
            "reports",
            "models",
            "cli",
        ],
    ),
];

/// What each crate uses of ours, for building, testing or as a build script, as cargo sees it.
fn uses() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata failed");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let own = |value: &Value| {
        let name = value["name"].as_str().expect("packages have names");
        name.strip_prefix("actforge-").map(str::to_owned)
    };
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .map(|package| {
            let name = own(package).expect("every crate is called actforge-something");
            let dependencies = package["dependencies"].as_array().expect("a list");
            (name, dependencies.iter().filter_map(own).collect())
        })
        .collect()
}

#[test]
fn no_crate_reaches_backwards() {
    let uses = uses();
    let named: Vec<&String> = uses.keys().collect();
    let mut known = MAY_USE.map(|(name, _)| name.to_owned());
    known.sort();
    assert_eq!(
        named,
        known.iter().collect::<Vec<_>>(),
        "a new crate needs its place in the data flow: here and in docs/architecture.md"
    );
    for (name, allowed) in MAY_USE {
        for used in &uses[name] {
            assert!(
                allowed.contains(&used.as_str()),
                "{name} uses {used}, but may only use {allowed:?}"
            );
        }
    }
}

#[test]
fn the_rule_has_no_circle() {
    for (place, (name, allowed)) in MAY_USE.iter().enumerate() {
        let earlier: Vec<&str> = MAY_USE[..place].iter().map(|(name, _)| *name).collect();
        for used in *allowed {
            assert!(
                earlier.contains(used),
                "{name} may use {used}, which stands after it"
            );
        }
    }
}
