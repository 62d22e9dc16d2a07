use super::*;
use actforge_reference::Format;
use jiff::civil::date;

fn parse(text: &str) -> Budgets {
    Budgets::parse("budgets.toml", text).unwrap()
}

fn refused(text: &str) -> String {
    Budgets::parse("budgets.toml", text)
        .unwrap_err()
        .to_string()
}

const EVERY_KEY: &str = r#"
[gate]
unlisted = "allow"

[set.core]
target = "cayman"
datapath = "fma"
functions = ["tanh", "exp"]

[baseline]
slack = { max_ulp = 0.25, max_buckets = 2 }

[[rule]]
function = "tanh"
set = "core"
dtype = "bf16"
special = { "+0" = 0.0, "-inf" = "-1", nan = nan }
max_ulp = 1
max_steps = 1
mean_ulp = 0.25
min_correctly_rounded = 0.9
max_abs = 1e-7
max_rel = 1e-6
max_non_monotone = 0
symmetry = "odd"
bounds = [-1, "0x1p0"]
exact = [{ input = 0.5, result = "0x3eec9a9f" }, { input = 0.0 }]
saturated_above = 9.02
saturated_below = -9.02
max_buckets = 256
max_control_words = 16

[[rule]]
function = "*"
input = "fp16"
range = [-inf, 1.0]
bounds = "function"

[[waiver]]
id = "T-1"
function = "tanh"
set = "core"
dtype = "bf16"
input = "fp32"
range = [0, 1]
limit = "max_ulp"
ceiling = 1.5
reason = "measured on the old layout"
owner = "tables team"
expires = 2030-02-28
"#;

#[test]
fn every_key_is_read() {
    let budgets = parse(EVERY_KEY);
    assert!(budgets.allows_unlisted);
    let core = &budgets.sets["core"];
    assert_eq!(core.target.map(|target| target.as_str()), Some("cayman"));
    assert_eq!(
        core.functions.as_deref(),
        Some(["tanh".to_owned(), "exp".to_owned()].as_slice())
    );
    assert_eq!(budgets.slack[&Limit::MaxUlp], 0.25);
    let [tanh, all] = budgets.rules.as_slice() else {
        panic!("{:?}", budgets.rules)
    };
    assert_eq!((tanh.dtype, tanh.inputs), (Some(Format::Bf16), Inputs::ALL));
    let limits: Vec<Limit> = tanh.given.iter().map(|given| given.limit).collect();
    // Every limit that can be given is there, in the order of all.
    assert_eq!(limits, Limit::ALL[1..]);
    let exact = tanh
        .given
        .iter()
        .find(|given| given.limit == Limit::Exact)
        .unwrap();
    let points = [
        Point {
            input: 0.5,
            result: Some(f32::from_bits(0x3eec_9a9f)),
        },
        Point {
            input: 0.0,
            result: None,
        },
    ];
    assert_eq!(exact.demand, Demand::Exact(points.to_vec()));
    assert_eq!((exact.line, exact.column), (27, 9));
    assert_eq!(all.function, None);
    assert_eq!(all.inputs.range, Some([f32::MIN, 1.0]));
    assert_eq!(all.given[0].demand, Demand::Bounds(Bounds::Function));
    let waiver = &budgets.waivers[0];
    assert_eq!(waiver.expires, date(2030, 2, 28));
    // It holds on its last day.
    assert!(!waiver.is_expired(date(2030, 2, 28)) && waiver.is_expired(date(2030, 3, 1)));
}

#[test]
fn a_named_function_wins_over_a_named_set_and_that_over_a_type() {
    let rule = |text: &str| {
        parse(&format!("[[rule]]\n{text}\nmax_ulp = 1"))
            .rules
            .remove(0)
    };
    let mut rules = [
        rule("function = \"*\""),
        rule("function = \"*\"\ndtype = \"bf16\""),
        rule("function = \"*\"\nset = \"core\""),
        rule("function = \"*\"\nset = \"core\"\ndtype = \"bf16\""),
        rule("function = \"tanh\""),
        rule("function = \"tanh\"\nset = \"core\""),
    ];
    let ascending = rules.clone();
    rules.reverse();
    rules.sort_by_key(Rule::specificity);
    assert_eq!(rules, ascending);
    assert!(rules[1].covers("any", "exp", Format::Bf16, &Inputs::ALL));
    assert!(!rules[1].covers("any", "exp", Format::Fp32, &Inputs::ALL));
    assert!(!rules[5].covers("other", "tanh", Format::Fp32, &Inputs::ALL));
}

#[test]
fn mistakes_are_refused_at_their_place() {
    let rule = |text: &str| format!("[[rule]]\nfunction = \"tanh\"\n{text}\n");
    for (text, expected) in [
        (
            rule("max_upl = 1"),
            "budgets.toml:3:1: rule[0].max_upl: unknown key",
        ),
        (rule("max_upl = 1"), "(did you mean max_ulp?)"),
        (
            rule("max_ulp = -1"),
            "budgets.toml:3:11: rule[0].max_ulp: expected a finite number that is not negative, found -1",
        ),
        (rule("max_ulp = nan"), "found nan"),
        (rule("mean_ulp = inf"), "found inf"),
        (rule("max_ulp = \"1\""), "found \"1\""),
        (
            rule("max_steps = 1.5"),
            "expected a whole number from 0 to 4294967296, found 1.5",
        ),
        (rule("max_buckets = 4294967297"), "found 4294967297"),
        (
            rule("min_correctly_rounded = 1.1"),
            "expected a share from 0 to 1, found 1.1",
        ),
        (
            rule("symmetry = \"add\""),
            "expected one of odd, even, found \"add\" (did you mean odd?)",
        ),
        (
            rule("bounds = [1, -1]"),
            "budgets.toml:3:10: rule[0].bounds: expected two numbers, the smaller one first",
        ),
        (
            rule("bounds = \"own\""),
            "or \"function\" for its own bounds, found \"own\"",
        ),
        (rule("exact = []"), "expected an array of points"),
        (rule("exact = [{ result = 1 }]"), "exact[0].input: missing"),
        (
            rule("special = {}"),
            "expected a table of special inputs and their results, { nan = nan }, found an empty one",
        ),
        (
            rule("special = { zero = 1 }"),
            "special.zero: unknown key, expected one of +0, -0, +inf, -inf, nan",
        ),
        (
            rule("saturated_above = 9\nrange = [0, 1]"),
            "expected a rule over all inputs, found a range",
        ),
        (
            rule("symmetry = \"odd\"\ninput = \"bf16\""),
            "expected a rule over fp32 inputs, found input = \"bf16\"",
        ),
        (
            "[[rule]]\nfunction = \"a\\nb\"\nmax_ulp = 1".to_owned(),
            "or \"*\" for all, found \"a\\nb\"",
        ),
        (
            rule("saturated_above = \"inf\""),
            "expected a finite input, found \"inf\"",
        ),
        (
            rule("symmetry = \"odd\"\nrange = [0.5, 1]"),
            "expected a range on both sides of zero",
        ),
        (
            rule("max_non_monotone = 0\ninput = \"fp16\""),
            "expected a rule over fp32 inputs",
        ),
        (
            rule("max_ulp = 1\ndtype = \"fp23\""),
            "(did you mean fp32?)",
        ),
        (
            rule("max_ulp = 1\nrange = [1, 0x41200000]"),
            "a string for a hexadecimal one",
        ),
        (
            rule(""),
            "budgets.toml:1:1: rule[0]: expected at least one limit, such as max_ulp, found none",
        ),
        (
            "[[rule]]\nmax_ulp = 1".to_owned(),
            "rule[0].function: missing, expected the name of a function, or \"*\" for all",
        ),
        (
            rule("max_ulp = 1").repeat(2),
            "budgets.toml:4:1: rule[1]: stands twice, first on line 1",
        ),
        (String::new(), "a gate needs something to check"),
        ("rule = []".to_owned(), "a gate needs something to check"),
        (
            "[gate]\nunlisted = \"ignore\"".to_owned(),
            "expected one of fail, allow",
        ),
        (
            "[set.core]\ntarget = \"caymen\"".to_owned(),
            "(did you mean cayman?)",
        ),
        (
            "[baseline]\nslack = { max_ulp = -1 }".to_owned(),
            "baseline.slack.max_ulp",
        ),
        ("[rules]".to_owned(), "(did you mean rule?)"),
    ] {
        let message = refused(&text);
        assert!(
            message.contains(expected),
            "expected {expected:?} in {message:?}"
        );
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn a_waiver_says_what_it_is_for_and_until_when() {
    let good = "[[waiver]]\nid = \"T-1\"\nfunction = \"tanh\"\nlimit = \"max_ulp\"\nceiling = 2\nreason = \"why\"\nowner = \"who\"\nexpires = 2030-12-31\n";
    let rule = "[[rule]]\nfunction = \"*\"\nmax_ulp = 1\n";
    for (from, to, expected) in [
        ("id = \"T-1\"\n", "", "waiver[0].id: missing"),
        (
            "\"why\"",
            "\" \"",
            "waiver[0].reason: expected why the limit is lifted",
        ),
        (
            "owner = \"who\"\n",
            "",
            "waiver[0].owner: missing, expected who answers for it",
        ),
        (
            "2030-12-31",
            "\"2030-12-31\"",
            "expected a date without quotes, like 2030-12-31, found \"2030-12-31\"",
        ),
        (
            "2030-12-31",
            "2030-12-31T10:00:00",
            "found the date 2030-12-31T10:00:00",
        ),
        ("2030-12-31", "2030-02-30", "not valid TOML"),
        ("expires = 2030-12-31\n", "", "waiver[0].expires: missing"),
        (
            "ceiling = 2\n",
            "",
            "waiver[0].ceiling: missing, expected the limit that holds instead",
        ),
        (
            "ceiling = 2",
            "ceiling = -2",
            "waiver[0].ceiling: expected a finite number",
        ),
        ("max_ulp", "max_upl", "(did you mean max_ulp?)"),
        (
            "\"tanh\"",
            "\"*\"",
            "expected the name of one function, found \"*\"",
        ),
        ("id =", "skip = true\nid =", "waiver[0].skip: unknown key"),
    ] {
        assert!(good.contains(from), "{from}");
        let message = refused(&format!("{rule}{}", good.replacen(from, to, 1)));
        assert!(
            message.contains(expected),
            "expected {expected:?} in {message:?}"
        );
    }
    let message = refused(&format!("{rule}{good}{good}"));
    assert!(message.contains("budgets.toml:12:1: waiver[1]: expected an id of its own, found the id of budgets.toml:4"), "{message}");
    let mut budgets = parse(rule);
    budgets.add_waivers("waivers.toml", good).unwrap();
    assert_eq!(budgets.waivers[0].file, "waivers.toml");
    let twice = budgets
        .add_waivers("more.toml", good)
        .unwrap_err()
        .to_string();
    assert!(twice.contains("found the id of waivers.toml:1"), "{twice}");
    let other = budgets
        .add_waivers("more.toml", rule)
        .unwrap_err()
        .to_string();
    assert!(
        other.contains("unknown key, expected one of waiver"),
        "{other}"
    );
}

#[test]
fn an_integer_of_more_than_64_bits_is_refused() {
    // Found by fuzzing: such a file could be read, but not tightened.
    let text = |number: &str| format!("[[rule]]\nfunction = \"*\"\nmean_ulp = {number}\n");
    let read = Budgets::parse("b", &text("9223372036854775807"));
    assert_eq!(read.unwrap().rules.len(), 1);
    for number in ["9223372036854775808", "0x8000000000000000", &"1".repeat(41)] {
        let error = Budgets::parse("b", &text(number)).unwrap_err().to_string();
        assert!(error.starts_with("b:3:12: "), "{error}");
    }
}

#[test]
fn tightening_changes_numbers_and_nothing_else() {
    let text = "# header\n[[rule]] # one\nfunction = \"*\"\nmax_ulp = 26.0   # ulp, generous\n\n[[rule]]\nfunction = \"tanh\"\nmax_buckets=128 # of 2048\nmin_correctly_rounded = 0.5\n# end\n";
    let change = |rule, limit, to| Tightening {
        rule,
        limit,
        from: 0.0,
        to,
    };
    let changes = [
        change(0, Limit::MaxUlp, 19.464139),
        change(1, Limit::MaxBuckets, 100.0),
        change(1, Limit::MinCorrectlyRounded, 1.0),
    ];
    let expected = text
        .replace("26.0 ", "19.464139 ")
        .replace("=128", "=100")
        .replace("0.5\n", "1.0\n");
    assert_eq!(tighten(text, &changes).unwrap(), expected);
    let input = [change(1, Limit::SaturatedAbove, f64::from(8.7_f32))];
    let saturated = text.replace("min_correctly_rounded = 0.5", "saturated_above = \"0x1p4\"");
    let expected = saturated.replace("\"0x1p4\"", "8.7");
    assert_eq!(tighten(&saturated, &input).unwrap(), expected);
    let inline = "rule = [ { function = \"*\", max_ulp = 2 } ] # all\n";
    assert_eq!(
        tighten(inline, &[change(0, Limit::MaxUlp, 1.5)]).unwrap(),
        "rule = [ { function = \"*\", max_ulp = 1.5 } ] # all\n"
    );
    let missing = tighten(text, &[change(2, Limit::MaxUlp, 1.0)]).unwrap_err();
    assert!(
        missing.to_string().contains("rule 3 has no max_ulp"),
        "{missing}"
    );
}

#[test]
fn figures_are_shown_with_the_digits_that_they_have() {
    assert_eq!(Limit::MaxUlp.shown(0.5), "0.500000");
    assert_eq!(Limit::MaxBuckets.shown(100.0), "100");
    assert_eq!(Limit::MaxRel.shown(1.25e-7), "1.25e-7");
    assert_eq!(Limit::SaturatedBelow.shown(f64::from(-9.1_f32)), "-9.1");
    assert!(
        Limit::MinCorrectlyRounded.keeps(0.9, 0.9) && !Limit::MinCorrectlyRounded.keeps(0.8, 0.9)
    );
    assert!(
        !Limit::MaxUlp.keeps(f64::NAN, 1.0) && !Limit::MinCorrectlyRounded.keeps(f64::NAN, 0.0)
    );
}
