//! Pages: well-formed, complete in themselves, and safe with whatever users call their functions.

#[allow(dead_code)]
mod sample;

use std::collections::BTreeSet;

use actforge_reference::Format;
use actforge_reports::diff::{diff_reports, diff_sets};
use actforge_reports::page::{PageError, SetPart, report_diff_page, report_page, set_diff_page};
use actforge_reports::{Course, ReplayOptions, Report, course, replay};
use actforge_tables::{
    Bucket, Datapath, DefinitionNotes, FunctionNotes, FunctionSet, FunctionTable, Side,
    SpecialResults, Symmetry, Target,
};
use roxmltree::{Document, Node, ParsingOptions};

const HOSTILE: &str = "\"><script>alert('x')</script>&amp;<!--";

/// max(x, 0) by any name: one cubic on each side.
fn relu(name: &str) -> FunctionTable {
    FunctionTable {
        name: name.to_owned(),
        func_id: 210,
        symmetry: Symmetry::NONE,
        specials: SpecialResults {
            zero: 0.0,
            nan: f32::NAN,
            pos_inf: f32::INFINITY,
            neg_inf: 0.0,
        },
        positive: Side::without_table(Bucket::linear(0.0, 1.0)),
        negative: Side::without_table(Bucket::constant(0.0)),
        notes: FunctionNotes {
            definition: Some(DefinitionNotes {
                expr: "max(x, 0)".to_owned(),
                ..DefinitionNotes::default()
            }),
            ..FunctionNotes::default()
        },
    }
}

fn set(set: &str, function: &str) -> FunctionSet {
    FunctionSet::assemble(set, Target::Cayman, Datapath::Fma, &[relu(function)]).unwrap()
}

/// A replay over a narrow type.
fn measured(set: &FunctionSet) -> Report {
    let options = ReplayOptions {
        input: Format::Bf16,
        ..ReplayOptions::default()
    };
    replay(set, &options, &|_| {}).unwrap()
}

fn page(set: &FunctionSet, report: &Report) -> Result<String, PageError> {
    let options = ReplayOptions::default();
    let functions = set.functions.iter();
    let courses: Vec<_> = functions
        .map(|entry| course(set, &entry.name, &options).unwrap())
        .collect();
    report_page(&[SetPart {
        set,
        report,
        courses: &courses,
        budgets: &[("act".to_owned(), 1.0)],
    }])
}

fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.has_tag_name(name) || node.has_tag_name(("http://www.w3.org/2000/svg", name))
}

/// What holds for every page. Pages are written so that they are XML as well: every element closes, every attribute is
/// quoted.
fn check(page: &str) {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(page, options).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("lang"), Some("en"));
    let mut ids = BTreeSet::new();
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id), "the id {id} is there twice");
        }
    }
    let count = |name: &str| document.descendants().filter(|node| is(node, name)).count();
    assert_eq!(
        (count("script"), count("style"), count("h1"), count("main")),
        (1, 1, 1, 1)
    );
    assert_eq!(count("table"), count("caption"));
    for node in document.descendants() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(
                !name.starts_with("on") && name != "src" && name != "style",
                "{name}={value}"
            );
            match name {
                "href" => {
                    let target = value.strip_prefix('#');
                    let leads = target.is_some_and(|id| ids.contains(id));
                    assert!(leads || value == "data:,", "href={value}");
                }
                "aria-labelledby" => assert!(ids.contains(value), "{value}"),
                "data-rows" | "data-tip" => assert!(ids.contains(value), "{value}"),
                _ => assert!(name == "xmlns" || !value.contains("://"), "{name}={value}"),
            }
        }
        if is(&node, "th") {
            assert!(matches!(node.attribute("scope"), Some("col" | "row")));
        }
        if is(&node, "table") {
            let rows = |part: &str| {
                let part = node.children().find(|child| is(child, part)).unwrap();
                let rows = part.children().filter(|child| is(child, "tr"));
                rows.map(|row| row.children().filter(Node::is_element).count())
                    .collect::<Vec<_>>()
            };
            let columns = rows("thead");
            assert!(
                rows("tbody").iter().all(|cells| *cells == columns[0]),
                "{:?}",
                rows("tbody")
            );
        }
    }
}

#[test]
fn a_page_is_well_formed_and_loads_nothing() {
    let set = set("small", "act");
    let page = page(&set, &measured(&set)).unwrap();
    check(&page);
    for said in [
        "Set small",
        "max(x, 0)",
        "actforge replay DIR --function act --input bf16 --json -",
        "symmetry_opt_en",
        "bucket.bin, SHA-256",
        "data-series=\"maximum\"",
        "data-series=\"result\"",
        "data-series=\"cells\"",
        "What the words mean",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert_eq!(page, self::page(&set, &measured(&set)).unwrap());
}

/// A set cannot hold such a name, but a report that was read can.
#[test]
fn names_of_users_are_text_and_nothing_else() {
    let set = set("set", "act");
    let mut report = measured(&set);
    let before = report.clone();
    report.set = HOSTILE.to_owned();
    report.datapath = HOSTILE.to_owned();
    let function = &mut report.functions[0];
    function.input_dtype = HOSTILE.to_owned();
    for text in [
        &mut function.octaves[3].group.max_ulp_at.as_mut().unwrap().value,
        &mut function.special[0].input,
    ] {
        *text = HOSTILE.to_owned();
    }
    let courses = [Course {
        function: "act".to_owned(),
        definition: HOSTILE.to_owned(),
        points: Vec::new(),
    }];
    let part = SetPart {
        set: &set,
        report: &report,
        courses: &courses,
        budgets: &[],
    };
    let page = report_page(&[part, part]).unwrap();
    check(&page);
    assert!(!page.contains("<script>alert") && page.contains("&#60;script&#62;alert"));

    report.functions[0].name = HOSTILE.to_owned();
    for pair in [[&report, &before], [&before, &report], [&report, &report]] {
        let diff = diff_reports(pair[0], pair[1]).unwrap();
        check(&report_diff_page(&diff, pair).unwrap());
    }
    let mut other = report.clone();
    other.functions[0].max_ulp = Some(3.0);
    let diff = diff_reports(&other, &report).unwrap();
    let page = report_diff_page(&diff, [&other, &report]).unwrap();
    check(&page);
    assert!(page.contains("data-series=\"new\""));
}

#[test]
fn sets_differ_field_by_field() {
    let old = set("one", "act");
    let mut new = set("other", "act");
    new.profiles[0].func_rslt_for_nan = 1.25;
    let page = set_diff_page(&diff_sets(&old, &new, &|_| {}).unwrap()).unwrap();
    check(&page);
    for said in [
        "Different: 1 of 1 functions.",
        "one \u{2192} other",
        "func_rslt_for_nan",
        "0x3fa00000 = 1.25",
        "16\u{a0}777\u{a0}214 of 4\u{a0}294\u{a0}967\u{a0}296",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let page = set_diff_page(&diff_sets(&old, &old, &|_| {}).unwrap()).unwrap();
    check(&page);
    assert!(page.contains("Equal: every entry"));
}

#[test]
fn equal_reports_say_so_and_moved_figures_are_shown() {
    let old = sample::report(&[sample::TANH, sample::RELU]);
    let page = report_diff_page(&diff_reports(&old, &old).unwrap(), [&old, &old]).unwrap();
    check(&page);
    assert!(page.contains("Equal: every figure.") && !page.contains("data-series"));

    let mut new = old.clone();
    new.functions[0].max_ulp = Some(0.75);
    new.functions[0].bucket_rows[3].group.max_ulp = Some(0.75);
    let page = report_diff_page(&diff_reports(&old, &new).unwrap(), [&old, &new]).unwrap();
    check(&page);
    assert!(page.contains("Different: 1 of 2 functions."));
    for said in [
        "data-series=\"old\"",
        "data-series=\"new\"",
        "<td class=\"n bad\">+0.1",
        "1 rows of bucket_rows",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn a_report_of_another_set_is_refused() {
    let (one, other) = (set("one", "act"), set("other", "another"));
    let report = measured(&other);
    let error = page(&one, &report).unwrap_err();
    assert_eq!(
        error.to_string(),
        "function another: expected one of set one, which does not hold it"
    );
    let mut report = measured(&one);
    report.functions[0].histogram.pop();
    let error = page(&one, &report).unwrap_err().to_string();
    assert!(
        error.contains("expected ascending edges and one bin more"),
        "{error}"
    );
}
