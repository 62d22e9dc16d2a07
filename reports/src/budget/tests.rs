use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Budgets {
    Budgets::parse("budgets.toml", text).unwrap()
}

fn refused(text: &str) -> String {
    Budgets::parse("budgets.toml", text)
        .unwrap_err()
        .to_string()
}

const GOOD: Measured = Measured {
    max_ulp: Some(0.9),
    mean_ulp: Some(0.25),
    buckets: 200,
    correctly_rounded: 0.9,
};

#[test]
fn a_functions_own_limits_replace_the_default() {
    let budgets = parse(
        "[default]\nmax_ulp = 1\nmean_ulp = 0.3\n[function.tanh]\nmax_ulp = 0.6\nmax_buckets = 256\n\
         min_correctly_rounded = 0.8\n",
    );
    let tanh = Limits {
        max_ulp: Some(0.6),
        max_buckets: Some(256),
        min_correctly_rounded: Some(0.8),
        ..Limits::default()
    };
    assert_eq!(budgets.limits("tanh"), Some(&tanh));
    let default = Limits {
        max_ulp: Some(1.0),
        mean_ulp: Some(0.3),
        ..Limits::default()
    };
    assert_eq!(budgets.limits("exp"), Some(&default));
}

#[test]
fn budgets_without_a_function_and_functions_without_a_budget_are_reported() {
    let budgets = parse(
        "[function.tahn]\nmax_ulp = 1\n[function.exp]\nmax_ulp = 2\n[function.cosh]\nmax_ulp = 2",
    );
    let unused = budgets.unused(&["tanh", "exp"]);
    assert_eq!(
        unused,
        [
            UnusedBudget {
                function: "tahn".to_owned(),
                line: 1
            },
            UnusedBudget {
                function: "cosh".to_owned(),
                line: 5
            }
        ]
    );
    assert_eq!(
        budgets.without_limits(&["tanh", "exp", "relu"]),
        ["tanh", "relu"]
    );
    assert!(
        parse("[default]\nmax_ulp = 1")
            .without_limits(&["tanh"])
            .is_empty()
    );
}

#[test]
fn a_limit_is_kept_up_to_and_including_its_value() {
    let limits = Limits {
        max_ulp: Some(0.9),
        mean_ulp: Some(0.25),
        max_buckets: Some(200),
        min_correctly_rounded: Some(0.9),
    };
    assert!(limits.check(&GOOD).is_empty());
    let worse = Measured {
        max_ulp: Some(0.91),
        mean_ulp: Some(0.26),
        buckets: 201,
        correctly_rounded: 0.89,
    };
    let lines: Vec<String> = limits.check(&worse).iter().map(Breach::to_string).collect();
    assert_eq!(
        lines,
        [
            "max_ulp: budget at most 0.9, measured 0.91",
            "mean_ulp: budget at most 0.25, measured 0.26",
            "max_buckets: budget at most 200, measured 201",
            "min_correctly_rounded: budget at least 0.9, measured 0.89",
        ]
    );
    assert!(Limits::default().check(&worse).is_empty());
}

#[test]
fn an_error_that_is_not_a_number_keeps_no_limit() {
    let limits = Limits {
        max_ulp: Some(1e300),
        mean_ulp: Some(1e300),
        min_correctly_rounded: Some(0.0),
        ..Limits::default()
    };
    for missing in [None, Some(f64::NAN)] {
        let measured = Measured {
            max_ulp: missing,
            mean_ulp: missing,
            correctly_rounded: f64::NAN,
            ..GOOD
        };
        let breaches = limits.check(&measured);
        assert_eq!(breaches.len(), 3);
        assert!(breaches.iter().all(|breach| breach.measured.is_none()));
        assert!(breaches[0].to_string().contains("no finite error"));
    }
    let infinite = Measured {
        max_ulp: Some(f64::INFINITY),
        ..GOOD
    };
    assert_eq!(limits.check(&infinite).len(), 1);
}

#[test]
fn every_mistake_is_refused_at_its_line() {
    assert_eq!(
        refused("[function.tanh]\nmax_upl = 1"),
        "budgets.toml:2:1: function.tanh.max_upl: unknown key, expected one of max_ulp, mean_ulp, max_buckets, \
         min_correctly_rounded (did you mean max_ulp?)"
    );
    assert_eq!(
        refused("[functions.tanh]\nmax_ulp = 1"),
        "budgets.toml:1:2: functions: unknown key, expected one of default, function (did you mean function?)"
    );
    for (text, expected) in [
        (
            "[default]\nmax_ulp = -1",
            "budgets.toml:2:11: default.max_ulp: expected a finite number that is not negative, found -1",
        ),
        ("[default]\nmax_ulp = nan", "found nan"),
        ("[default]\nmean_ulp = inf", "found inf"),
        ("[default]\nmax_ulp = \"1\"", "found \"1\""),
        (
            "[default]\nmax_buckets = 1.5",
            "expected a whole number from 0 to 4294967295, found 1.5",
        ),
        ("[default]\nmax_buckets = 4294967296", "found 4294967296"),
        (
            "[default]\nmin_correctly_rounded = 1.01",
            "expected a share from 0 to 1, found 1.01",
        ),
        ("[default]", "default: expected at least one limit"),
        (
            "[function.tanh]",
            "function.tanh: expected at least one limit",
        ),
        (
            "function = 3",
            "expected tables named [function.NAME], found 3",
        ),
        (
            "[[function]]\nname = \"tanh\"",
            "expected tables named [function.NAME], found an array of 1",
        ),
        ("", "a gate needs something to check"),
        ("[function]", "a gate needs something to check"),
        ("[default\n", "not valid TOML"),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{text:?}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*") {
        let _ = Budgets::parse("f", &text);
    }

    #[test]
    fn no_table_of_values_makes_the_parser_panic(key in "[a-z_.\\[\\]\"]{0,12}", value in "[-0-9a-z.\\[\\]{}\"=]{0,12}") {
        let _ = Budgets::parse("f", &format!("[function.tanh]\n{key} = {value}"));
    }
}
