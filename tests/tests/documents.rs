//! Documents point at things that are there.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Markdown files that belong to the repository, as paths from its root.
fn documents(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a readable directory") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // What was built, and what is hidden, is nobody's document.
            let skipped = name.starts_with('.') || name == "target" || name == "out";
            if path.is_dir() && !skipped {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The targets of links and images: what stands between `](` and `)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let documents = documents(&root);
    assert!(documents.len() > 3, "{documents:?}");
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in documents {
        let text = std::fs::read_to_string(&document).expect("documents are text");
        let directory = document.parent().expect("a file is in a directory");
        for link in links(&text).filter(|link| !link.contains("://")) {
            followed += 1;
            let file = link.split('#').next().unwrap_or_default();
            if !file.is_empty() && !directory.join(file).exists() {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(followed > 0);
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn make_lists_every_target_that_the_readme_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let list = Command::new("make").current_dir(&root).output();
    let list = String::from_utf8(list.expect("make runs").stdout).expect("a list");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let named = readme
        .split(['`', '\n'])
        .filter_map(|text| text.strip_prefix("make "))
        .filter(|name| !name.contains(' '));
    for name in named {
        assert!(
            list.contains(&format!("make {name} ")),
            "make does not list {name}:\n{list}"
        );
    }
}
