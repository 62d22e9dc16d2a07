use super::*;
use proptest::prelude::*;

const CATALOGUE: [&str; 8] = [
    "relu",
    "gelu",
    "gelu_apprx_sigmoid",
    "sigmoid",
    "tanh",
    "exp",
    "silu",
    "reciprocal_sqrt",
];

fn parse(text: &str) -> Spec {
    Spec::parse("core.toml", text, &CATALOGUE).unwrap()
}

fn refused(text: &str) -> String {
    Spec::parse("core.toml", text, &CATALOGUE)
        .unwrap_err()
        .to_string()
}

const SET: &str = "[set]\nname = \"core\"\n";

/// The message for a function `tanh` with one further line, which is line 5.
fn refused_line(line: &str) -> String {
    refused(&format!("{SET}[[function]]\nname = \"tanh\"\n{line}\n"))
}

#[test]
fn everything_that_can_be_said_is_read() {
    let spec = parse(
        "[set]\nname = \"core\"\ntarget = \"sunda\"\ndatapath = \"estrin\"\n\
         [[function]]\nname = \"gelu\"\ndtype = \"bf16\"\nmax_ulp = 2\nbuckets = 400\nrange = [-10, \"0x1.4p3\"]\ninputs = [-100, inf]\nmethod = \"taylor\"\n\
         [[function]]\nname = \"tanh\"\n",
    );
    assert_eq!(
        spec.set,
        SetSpec {
            name: "core".to_owned(),
            target: Target::Sunda,
            datapath: Datapath::Estrin
        }
    );
    let gelu = FunctionSpec {
        name: "gelu".to_owned(),
        definition: None,
        dtype: Format::Bf16,
        max_ulp: Some(2.0),
        buckets: Some(400),
        range: Some([-10.0, 10.0]),
        inputs: Some([-100.0, f32::INFINITY]),
        method: Method::Taylor,
    };
    assert_eq!(spec.functions, [gelu, FunctionSpec::new("tanh")]);
}

#[test]
fn what_is_not_said_has_a_default() {
    let spec = parse(&format!("{SET}[[function]]\nname = \"tanh\""));
    assert_eq!(
        spec.set,
        SetSpec {
            name: "core".to_owned(),
            target: Target::Cayman,
            datapath: Datapath::Fma
        }
    );
    let FunctionSpec {
        dtype,
        max_ulp,
        buckets,
        range,
        method,
        ..
    } = spec.functions[0].clone();
    assert_eq!(
        (dtype, max_ulp, buckets, range, method),
        (Format::Fp32, None, None, None, Method::Accurate)
    );
}

#[test]
fn ranges_are_exact_and_may_be_open() {
    let range = |text: &str| {
        parse(&format!(
            "{SET}[[function]]\nname = \"tanh\"\nrange = {text}"
        ))
        .functions[0]
            .range
            .unwrap()
    };
    assert_eq!(range("[\"0xc1200000\", \"0x41200000\"]"), [-10.0, 10.0]);
    assert_eq!(range("[-inf, 0.1]"), [f32::NEG_INFINITY, 0.1]);
    assert_eq!(range("[1_000, 1_000.5]"), [1000.0, 1000.5]);
}

#[test]
fn a_misspelt_key_or_word_is_met_with_the_right_one() {
    assert_eq!(
        refused_line("max_upl = 1.0"),
        "core.toml:5:1: function[tanh].max_upl: unknown key, expected one of name, expr, params, limits, dtype, \
         max_ulp, buckets, range, inputs, method (did you mean max_ulp?)"
    );
    assert_eq!(
        refused_line("dtype = \"fp23\""),
        "core.toml:5:9: function[tanh].dtype: expected one of fp32, bf16, fp16, found \"fp23\" (did you mean fp32?)"
    );
    assert_eq!(
        refused(&format!("{SET}[[function]]\nname = \"tahn\"")),
        "core.toml:4:8: function[tahn].name: expected a function of the catalogue, found \"tahn\" (did you mean tanh?)"
    );
    for (text, hint) in [
        (
            format!("{SET}[[function]]\nname = \"swish\""),
            "did you mean silu?",
        ),
        (
            format!("{SET}[[function]]\nname = \"rsqrt\""),
            "did you mean reciprocal_sqrt?",
        ),
        (
            format!("{SET}[[function]]\nname = \"quick_gelu\""),
            "did you mean gelu_apprx_sigmoid?",
        ),
        (format!("{SET}traget = \"cayman\""), "did you mean target?"),
        (format!("{SET}target = \"caiman\""), "did you mean cayman?"),
        (
            format!("{SET}datapath = \"mul-add\""),
            "did you mean muladd?",
        ),
        ("[sett]\nname = \"core\"".to_owned(), "did you mean set?"),
        (
            format!("{SET}[[functions]]\nname = \"tanh\""),
            "did you mean function?",
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains(hint), "{message}");
    }
}

#[test]
fn every_value_out_of_range_is_refused_at_its_place() {
    for (line, expected) in [
        (
            "max_ulp = 0",
            "core.toml:5:11: function[tanh].max_ulp: expected a finite number of ulp, at least a millionth, found 0",
        ),
        ("max_ulp = -1.5", "found -1.5"),
        ("max_ulp = inf", "found inf"),
        ("max_ulp = nan", "found nan"),
        ("max_ulp = 1e400", "found 1e400"),
        ("max_ulp = \"1\"", "found \"1\""),
        (
            "buckets = 3",
            "expected a whole number of buckets from 4 to 2048, found 3",
        ),
        ("buckets = 2049", "found 2049"),
        ("buckets = -4", "found -4"),
        ("buckets = 4.0", "found 4.0"),
        ("buckets = 9223372036854775807", "found 9223372036854775807"),
        (
            "range = [1, 1]",
            "core.toml:5:9: function[tanh].range: expected an array [lowest, highest] with lowest < highest, found [1.0, 1.0]",
        ),
        ("range = [2, 1]", "found [2.0, 1.0]"),
        ("range = [nan, 1]", "found [NaN, 1.0]"),
        ("range = [1]", "found an array of 1"),
        ("range = [1, 2, 3]", "found an array of 3"),
        ("range = 3", "found 3"),
        (
            "range = [0, 1e39]",
            "core.toml:5:13: function[tanh].range[1]: expected a number within the range of fp32",
        ),
        ("range = [0, \"ten\"]", "found \"ten\""),
        (
            "range = [0, 0x41200000]",
            "or a string for a hexadecimal one",
        ),
        ("range = [0, true]", "found true"),
        (
            "method = \"remez\"",
            "expected one of accurate, minimax, taylor, found \"remez\"",
        ),
        (
            "method = 1",
            "expected one of accurate, minimax, taylor, found 1",
        ),
        (
            "name = \"exp\"",
            "core.toml:5:1: not valid TOML: duplicate key",
        ),
        ("dtype = \"fp8e4m3\"", "expected one of fp32, bf16, fp16"),
    ] {
        let message = refused_line(line);
        assert!(message.contains(expected), "{line}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn sets_and_functions_must_be_there_and_named() {
    let long = "a".repeat(32);
    for (text, expected) in [
        (
            "".to_owned(),
            "core.toml:1:1: set: missing, expected a [set]",
        ),
        (
            "[set]".to_owned(),
            "core.toml:1:1: set.name: missing, expected a name",
        ),
        (
            "\nset = 1".to_owned(),
            "core.toml:2:7: set: expected a table [set], found 1",
        ),
        (
            SET.to_owned(),
            "function: missing, expected at least one [[function]]",
        ),
        (
            format!("function = []\n{SET}"),
            "function: missing, expected at least one [[function]]",
        ),
        (
            format!("{SET}[function]\nname = \"tanh\""),
            "expected an array of tables, each headed [[function]], found a table",
        ),
        (
            format!("function = [1]\n{SET}"),
            "function[0]: expected a table headed [[function]], found 1",
        ),
        (
            format!("{SET}[[function]]\ndtype = \"fp32\""),
            "core.toml:3:1: function[0].name: missing",
        ),
        (
            format!("{SET}[[function]]\nname = 3"),
            "function[0].name: expected the name of a function",
        ),
        (
            format!(
                "{SET}[[function]]\nname = \"tanh\"\n[[function]]\nname = \"exp\"\n[[function]]\nname = \"tanh\""
            ),
            "core.toml:8:8: function[tanh].name: stands twice, first on line 4",
        ),
        (
            format!("[set]\nname = \"{long}\""),
            "core.toml:2:8: set.name: expected a name of 1 to 31 characters",
        ),
        ("[set]\nname = \"\"".to_owned(), "found \"\""),
        ("[set]\nname = \"Core\"".to_owned(), "found \"Core\""),
        ("[set]\nname = \"-x\"".to_owned(), "found \"-x\""),
        ("[set]\nname = \"../x\"".to_owned(), "found \"../x\""),
        ("[set]\nname = 7".to_owned(), "found 7"),
        (format!("{SET}[[function]\nname = \"tanh\""), "core.toml:3:"),
    ] {
        let message = refused(&text);
        assert!(message.contains(expected), "{text:?}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn flags_are_judged_by_the_same_rules() {
    let good = Spec {
        set: SetSpec::new("core"),
        functions: vec![FunctionSpec::new("tanh")],
    };
    good.check(&CATALOGUE).unwrap();
    let refused = |change: fn(&mut Spec)| {
        let mut spec = good.clone();
        change(&mut spec);
        spec.check(&CATALOGUE).unwrap_err().to_string()
    };
    assert!(
        refused(|spec| spec.set.name = "a b".to_owned()).starts_with("set.name: expected a name")
    );
    assert_eq!(
        refused(|spec| spec.functions.clear()),
        "function: expected at least one [[function]], found none"
    );
    assert_eq!(
        refused(|spec| spec.functions[0].name = "tahn".to_owned()),
        "function[tahn].name: expected a function of the catalogue, found \"tahn\" (did you mean tanh?)"
    );
    assert!(
        refused(|spec| spec.functions.push(FunctionSpec::new("tanh"))).contains("\"tanh\" again")
    );
    assert!(
        refused(|spec| spec.functions[0].max_ulp = Some(f64::NAN))
            .contains("function[tanh].max_ulp: expected")
    );
    assert!(
        refused(|spec| spec.functions[0].buckets = Some(3))
            .contains("function[tanh].buckets: expected")
    );
    assert!(
        refused(|spec| spec.functions[0].range = Some([1.0, -1.0]))
            .contains("function[tanh].range: expected")
    );
    assert!(
        refused(|spec| spec.functions[0].dtype = Format::Fp8E4M3)
            .contains("function[tanh].dtype: expected")
    );
}

#[test]
fn the_canonical_text_depends_on_the_meaning_alone() {
    let one = parse(
        "[set]\nname = \"core\"\n[[function]]\nname = \"tanh\"\nmax_ulp = 1\nrange = [-10, 10.0]\n",
    );
    let other = parse(
        "# a comment\nfunction = [{ range = ['0xc1200000', '0x1.4p3'], max_ulp = 1.0, method = 'accurate', name = 'tanh' }]\n\
         [set]\ndatapath = 'fma' # the default\nname = 'core'\n",
    );
    assert_eq!(one, other);
    assert_eq!(one.canonical(), other.canonical());
    assert_eq!(
        one.canonical(),
        "[set]\nname = \"core\"\ntarget = \"cayman\"\ndatapath = \"fma\"\n\n[[function]]\nname = \"tanh\"\ndtype = \"fp32\"\n\
         max_ulp = 1.0\nrange = [\"0xc1200000\", \"0x41200000\"]\nmethod = \"accurate\"\n"
    );
}

const MINE: &str = "[set]\nname = \"core\"\n[[function]]\nname = \"my_act\"\n";

#[test]
fn a_function_can_be_given_by_its_expression() {
    let spec = parse(&format!(
        "{MINE}expr = \"\"\"x *\n  tanh(a*x)\"\"\"\nparams = {{ a = 1.50 }}\nlimits = {{ pos_inf = inf, zero = \"0x0p0\" }}\n"
    ));
    let definition = spec.functions[0].definition.clone().unwrap();
    assert_eq!(definition.expression, "x * tanh(a*x)");
    assert_eq!(definition.params["a"], "1.50");
    assert_eq!(definition.limits.pos_inf, Some(f32::INFINITY));
    assert_eq!(definition.limits.neg_inf, None);
    assert_eq!(parse(&spec.canonical()), spec);
    // What the hash is taken over tells one expression from another.
    let other = parse(&format!("{MINE}expr = \"x * tanh(x)\"\n"));
    assert_ne!(other.canonical(), spec.canonical());
}

#[test]
fn wrong_expressions_are_refused_at_their_key() {
    for (lines, text) in [
        (
            "expr = \"x *\"",
            "core.toml:5:8: function[my_act].expr: expected a number",
        ),
        ("expr = \"b*x\"", "found `b` in column 1"),
        (
            "expr = \"x\"\nparams = { b = 1 }",
            "core.toml:6:10: function[my_act].params: expected for \"b\"",
        ),
        ("expr = \"x\"\nlimits = { inf = 1 }", "unknown key"),
        ("params = { b = 1 }", "an `expr` beside it"),
        ("expr = 3", "an expression in x"),
    ] {
        let message = refused(&format!("{MINE}{lines}\n"));
        assert!(message.contains(text), "{message}");
    }
    let message = refused(&format!(
        "{SET}[[function]]\nname = \"tanh\"\nexpr = \"x\"\n"
    ));
    assert!(
        message.contains("a name that the catalogue does not have"),
        "{message}"
    );
    let message = refused(&format!(
        "{SET}[[function]]\nname = \"My act\"\nexpr = \"x\"\n"
    ));
    assert!(message.contains("begins with a letter"), "{message}");
    let error = Spec::parse(
        "core.toml",
        &format!("{MINE}expr = \"1 + sinx\"\n"),
        &CATALOGUE,
    )
    .unwrap_err();
    assert_eq!(error.drawing(), ["1 + sinx", "    ^"]);
}

fn any_function() -> impl Strategy<Value = FunctionSpec> {
    let range = (any::<f32>(), any::<f32>()).prop_map(|(a, b)| [a.min(b), a.max(b)]);
    let interval = range.prop_filter("an interval", |[lowest, highest]| lowest < highest);
    (
        proptest::sample::select(&DTYPES[..]),
        proptest::option::of(1e-300..1e300),
        proptest::option::of(BUCKETS),
        [(); 2].map(|()| proptest::option::of(interval.clone())),
        proptest::sample::select(&Method::ALL[..]),
    )
        .prop_map(
            |(dtype, max_ulp, buckets, [range, inputs], method)| FunctionSpec {
                name: String::new(),
                definition: None,
                dtype,
                max_ulp,
                buckets,
                range,
                inputs,
                method,
            },
        )
}

proptest! {
    #[test]
    fn the_canonical_text_is_the_specification_again(
        name in "[a-z0-9_][a-z0-9_-]{0,30}",
        target in proptest::sample::select(&Target::ALL[..]),
        datapath in proptest::sample::select(&Datapath::ALL[..]),
        functions in proptest::collection::vec(any_function(), 1..8),
    ) {
        let named = functions.into_iter().zip(CATALOGUE);
        let functions = named.map(|(function, name)| FunctionSpec { name: name.to_owned(), ..function }).collect();
        let spec = Spec { set: SetSpec { name, target, datapath }, functions };
        spec.check(&CATALOGUE).unwrap();
        prop_assert_eq!(parse(&spec.canonical()), spec);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*") {
        let _ = Spec::parse("f", &text, &CATALOGUE);
    }

    #[test]
    fn no_line_makes_the_parser_panic(key in "(name|expr|params|limits|dtype|max_ulp|buckets|range|inputs|method|[a-z.]{0,5})", value in "[-0-9a-zA-Z.,\\[\\]{}\"'=+]{0,24}") {
        let _ = Spec::parse("f", &format!("{SET}[[function]]\nname = \"tanh\"\n{key} = {value}"), &CATALOGUE);
    }
}
