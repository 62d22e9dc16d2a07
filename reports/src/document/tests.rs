use super::*;

fn error(result: Result<impl Sized, DocumentError>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_place_counts_characters_and_lines_from_one() {
    let text = "a = \"é\" \nbb = ü";
    let found = place("f", text, text.find('ü').unwrap()..text.len());
    assert_eq!((found.line, found.column), (2, 6));
    assert_eq!(place("f", text, 0..0).to_string(), "f:1:1");
    // A span beyond the text or inside a character must not panic.
    assert_eq!(place("f", text, 1000..1001).line, 2);
    assert_eq!(place("f", "é", 1..2).line, 1);
}

#[test]
fn syntax_errors_are_one_line_with_a_place() {
    for text in [
        "a = ",
        "a = 1\na = 2",
        "[x",
        "a = [1,\n2",
        "\u{feff}a = \u{0}",
        "a = 'x\n'",
    ] {
        let message = error(Document::parse("core.toml", text));
        assert!(message.starts_with("core.toml:"), "{message}");
        assert!(message.contains("not valid TOML: "), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn the_first_unknown_key_of_the_file_is_named() {
    let document = Document::parse("f", "\nzeta = 1\nbucket = 2\n").unwrap();
    let known = ["buckets", "range"];
    assert_eq!(
        error(document.root().allow_only(&known)),
        "f:2:1: zeta: unknown key, expected one of buckets, range"
    );
    let document = Document::parse("f", "bucket = 2").unwrap();
    assert_eq!(
        error(document.root().allow_only(&known)),
        "f:1:1: bucket: unknown key, expected one of buckets, range (did you mean buckets?)"
    );
}

#[test]
fn values_of_the_wrong_type_say_what_was_found() {
    let text = "s = \"x\"\ni = -3\nf = 2.5\nb = true\na = [1, \"two\"]\nt = {}\nd = 2020-01-02\nh = 0x41200000\n";
    let document = Document::parse("f", text).unwrap();
    let root = document.root();
    let item = |key: &str| root.get(key).unwrap();
    assert_eq!(
        error(item("s").number("a number")),
        "f:1:5: s: expected a number, found \"x\""
    );
    assert_eq!(
        error(item("i").count("a count")),
        "f:2:5: i: expected a count, found -3"
    );
    assert_eq!(
        error(item("f").count("a count")),
        "f:3:5: f: expected a count, found 2.5"
    );
    assert_eq!(
        error(item("b").string("a string")),
        "f:4:5: b: expected a string, found true"
    );
    assert_eq!(
        error(item("a").table("a table")),
        "f:5:5: a: expected a table, found an array of 2"
    );
    assert_eq!(
        error(item("t").elements("an array")),
        "f:6:5: t: expected an array, found a table"
    );
    assert_eq!(
        error(item("d").number("a number")),
        "f:7:5: d: expected a number, found the date 2020-01-02"
    );
    assert!(error(item("h").number_text("a decimal")).contains("found 0x41200000"));
    let elements = item("a").elements("an array").unwrap();
    assert_eq!(
        error(elements[1].number("a number")),
        "f:5:9: a[1]: expected a number, found \"two\""
    );
    assert_eq!(
        error(root.require("missing", "a thing")),
        "f:1:1: missing: missing, expected a thing"
    );
    assert_eq!(item("i").number("").unwrap(), -3.0);
    assert_eq!(item("h").count("").unwrap(), 0x4120_0000);
}

#[test]
fn keys_that_could_break_a_message_are_quoted() {
    let document = Document::parse("f", "\"a\\nb\" = 1").unwrap();
    assert!(error(document.root().allow_only(&["x"])).starts_with("f:1:1: \"a\\nb\": unknown key"));
}

#[test]
fn entries_keep_the_order_of_the_file() {
    let document = Document::parse("f", "b = 1\na = 2\n").unwrap();
    let keys: Vec<_> = document
        .root()
        .entries()
        .into_iter()
        .map(|(key, item)| (key, item.line()))
        .collect();
    assert_eq!(keys, [("b", 1), ("a", 2)]);
}

#[test]
fn files_that_are_no_text_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("spec.toml");
    assert!(matches!(
        read_text(&path),
        Err(ReadError::Unreadable { .. })
    ));
    assert!(matches!(
        read_text(directory.path()),
        Err(ReadError::Unreadable { .. })
    ));
    std::fs::write(&path, b"a = \xff").unwrap();
    assert!(matches!(
        read_text(&path),
        Err(ReadError::NotText { offset: 4, .. })
    ));
    std::fs::write(&path, vec![b' '; (MAX_DOCUMENT_BYTES + 1) as usize]).unwrap();
    assert!(matches!(read_text(&path), Err(ReadError::TooLarge { .. })));
}
