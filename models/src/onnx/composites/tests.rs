use super::super::messages::NodeProto;
use super::super::tests::{float, graph, node, of_nodes, read, with};

const CONSTANTS: &[(&str, f32)] = &[
    ("zero", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("six", 6.0),
    ("half", 0.5),
    ("sixth", 1.0 / 6.0),
    ("fifth", 0.2),
    ("minus_one", -1.0),
    ("eps", 1e-5),
];

fn of(nodes: Vec<NodeProto>) -> Vec<String> {
    of_nodes(nodes, CONSTANTS)
}

/// How a function is said to be spelt.
fn spelling(nodes: Vec<NodeProto>, function: &str) -> String {
    let found = read(graph(nodes, CONSTANTS));
    let need = found.needs.iter().find(|need| need.function == function);
    let reason = &need.unwrap().reasons[0];
    reason.split(": 1 node").next().unwrap().to_owned()
}

fn clipped(low: &str, high: &str) -> Vec<NodeProto> {
    vec![
        node("Add", &["x", "three"], "a"),
        node("Clip", &["a", low, high], "c"),
    ]
}

#[test]
fn hard_swish_is_found_by_its_clip() {
    let ends = [
        vec![
            node("Mul", &["x", "c"], "p"),
            node("Div", &["p", "six"], "y"),
        ],
        vec![
            node("Div", &["c", "six"], "p"),
            node("Mul", &["p", "x"], "y"),
        ],
        vec![
            node("Mul", &["sixth", "x"], "p"),
            node("Mul", &["p", "c"], "y"),
        ],
    ];
    for end in ends {
        let nodes = clipped("zero", "six").into_iter().chain(end).collect();
        assert_eq!(of(nodes), ["hard_swish"]);
    }
    let by_one = vec![
        node("Mul", &["x", "sixth"], "s"),
        node("Add", &["s", "half"], "a"),
        node("Clip", &["a", "zero", "one"], "c"),
        node("Mul", &["x", "c"], "y"),
    ];
    assert_eq!(of(by_one), ["hard_swish"]);
    let by_pair = vec![
        node("Add", &["three", "x"], "a"),
        node("Relu", &["a"], "r"),
        node("Min", &["six", "r"], "c"),
        node("Mul", &["x", "c"], "p"),
        node("Div", &["p", "six"], "y"),
    ];
    assert_eq!(of(by_pair), ["hard_swish"]);
    // The product with another value leaves a hard sigmoid, another shift only a clip.
    let mut other = clipped("zero", "six");
    other.extend([
        node("Div", &["c", "six"], "p"),
        node("Mul", &["p", "other"], "y"),
    ]);
    assert_eq!(of(other), ["hard_sigmoid"]);
    let nodes = vec![
        node("Add", &["x", "two"], "a"),
        node("Clip", &["a", "zero", "six"], "c"),
        node("Mul", &["x", "c"], "p"),
        node("Div", &["p", "six"], "y"),
    ];
    assert_eq!(of(nodes), ["relu6"]);
}

#[test]
fn hard_sigmoid_is_found_with_either_slope() {
    for slope in ["sixth", "fifth"] {
        let nodes = vec![
            node("Mul", &["x", slope], "s"),
            node("Add", &["s", "half"], "a"),
            node("Clip", &["a", "zero", "one"], "y"),
        ];
        assert_eq!(of(nodes), ["hard_sigmoid"], "{slope}");
    }
    let plain = vec![node("Clip", &["x", "zero", "one"], "y")];
    assert_eq!(of(plain), [""; 0], "a clip of its own is no activation");
    let operator = with(node("HardSigmoid", &["x"], "y"), float("alpha", 0.25));
    assert_eq!(
        spelling(vec![operator], "hard_sigmoid"),
        "HardSigmoid (alpha 0.25, beta 0.5: scaled and shifted)"
    );
}

#[test]
fn relu6_is_found_by_min_and_max() {
    let either = [
        vec![
            node("Max", &["x", "zero"], "m"),
            node("Min", &["m", "six"], "y"),
        ],
        vec![
            node("Min", &["six", "x"], "m"),
            node("Max", &["zero", "m"], "y"),
        ],
        vec![node("Relu", &["x"], "m"), node("Min", &["m", "six"], "y")],
        vec![
            node("Relu", &["x"], "m"),
            node("Clip", &["m", "", "six"], "y"),
        ],
        vec![
            node("Clip", &["x", "zero"], "m"),
            node("Min", &["m", "six"], "y"),
        ],
    ];
    for nodes in either {
        assert_eq!(of(nodes), ["relu6"]);
    }
    let used = vec![
        node("Relu", &["x"], "m"),
        node("Min", &["m", "six"], "a"),
        node("Add", &["m", "a"], "y"),
    ];
    assert_eq!(of(used), ["relu"], "the relu serves something else as well");
    let open = vec![
        node("Relu", &["x"], "m"),
        node("Clip", &["m", "given", "six"], "y"),
    ];
    assert_eq!(of(open), ["relu"], "a bound that is no constant");
}

#[test]
fn softmax_and_log_softmax_are_found_spelt_out() {
    let shifted = || {
        vec![
            node("ReduceMax", &["x"], "max"),
            node("Sub", &["x", "max"], "s"),
            node("Exp", &["s"], "e"),
            node("ReduceSum", &["e"], "sum"),
        ]
    };
    let ends = [
        vec![node("Div", &["e", "sum"], "y")],
        vec![
            node("Reciprocal", &["sum"], "r"),
            node("Mul", &["e", "r"], "y"),
        ],
        vec![
            node("Reshape", &["sum", "shape"], "again"),
            node("Expand", &["again", "shape"], "wide"),
            node("Div", &["e", "wide"], "y"),
        ],
    ];
    for end in ends {
        let nodes: Vec<_> = shifted().into_iter().chain(end).collect();
        assert_eq!(of(nodes.clone()), ["exp", "reciprocal"]);
        assert_eq!(
            spelling(nodes, "reciprocal"),
            "Softmax: Exp over its ReduceSum"
        );
    }
    let mut log = shifted();
    log.extend([node("Log", &["sum"], "l"), node("Sub", &["s", "l"], "y")]);
    assert_eq!(of(log.clone()), ["exp", "ln"]);
    assert!(spelling(log, "ln").starts_with("LogSoftmax"));
    let mut other = shifted();
    other.push(node("Div", &["sum", "e"], "y"));
    assert_eq!(of(other), ["exp"], "the sum over the exponential is none");
}

#[test]
fn sigmoid_silu_and_softplus_are_found_by_exp() {
    let one_more = || {
        vec![
            node("Neg", &["x"], "n"),
            node("Exp", &["n"], "e"),
            node("Add", &["one", "e"], "s"),
        ]
    };
    let then = |end: Vec<NodeProto>| of(one_more().into_iter().chain(end).collect());
    assert_eq!(then(vec![node("Reciprocal", &["s"], "y")]), ["sigmoid"]);
    assert_eq!(then(vec![node("Div", &["one", "s"], "y")]), ["sigmoid"]);
    assert_eq!(then(vec![node("Div", &["x", "s"], "y")]), ["silu"]);
    assert_eq!(then(vec![node("Div", &["z", "s"], "y")]), ["sigmoid"]);
    let product = vec![
        node("Reciprocal", &["s"], "r"),
        node("Mul", &["r", "x"], "y"),
    ];
    assert_eq!(then(product), ["silu"]);
    assert_eq!(then(vec![node("Log", &["s"], "y")]), ["softplus"]);
    assert_eq!(then(vec![node("Div", &["two", "s"], "y")]), ["sigmoid"]);
    let mish = vec![
        node("Exp", &["x"], "e"),
        node("Add", &["e", "one"], "s"),
        node("Log", &["s"], "l"),
        node("Tanh", &["l"], "t"),
        node("Mul", &["t", "x"], "y"),
    ];
    assert_eq!(of(mish), ["mish"]);
    let two_more = vec![
        node("Exp", &["x"], "e"),
        node("Add", &["e", "two"], "s"),
        node("Log", &["s"], "y"),
    ];
    assert_eq!(of(two_more), ["exp", "ln"]);
}

#[test]
fn other_spellings_of_the_same() {
    let by_one = vec![
        node("Mul", &["x", "one"], "a"),
        node("Sigmoid", &["a"], "s"),
        node("Mul", &["x", "s"], "y"),
    ];
    assert_eq!(of(by_one), ["silu"]);
    let by_tanh = vec![
        node("Mul", &["x", "half"], "a"),
        node("Tanh", &["a"], "t"),
        node("Add", &["t", "one"], "s"),
        node("Mul", &["a", "s"], "y"),
    ];
    assert_eq!(of(by_tanh), ["silu"]);
    let log_sigmoid = vec![node("Sigmoid", &["x"], "s"), node("Log", &["s"], "y")];
    assert_eq!(of(log_sigmoid), ["logsigmoid"]);
    // The root of two from constants alone.
    let gelu = vec![
        node("Sqrt", &["two"], "r"),
        node("Div", &["x", "r"], "a"),
        node("Erf", &["a"], "e"),
        node("Add", &["e", "one"], "s"),
        node("Mul", &["x", "s"], "p"),
        node("Div", &["p", "two"], "y"),
    ];
    assert_eq!(of(gelu), ["gelu"]);
}

#[test]
fn normalisations_are_told_by_what_their_root_is_taken_of() {
    let ending = |square: NodeProto| {
        vec![
            square,
            node("ReduceMean", &["q"], "m"),
            node("Add", &["m", "eps"], "v"),
            node("Sqrt", &["v"], "r"),
            node("Div", &["x", "r"], "y"),
        ]
    };
    let rms = ending(node("Mul", &["x", "x"], "q"));
    assert_eq!(
        spelling(rms, "reciprocal_sqrt"),
        "RMS normalisation, by Sqrt"
    );
    let mut layer = vec![
        node("ReduceMean", &["z"], "mean"),
        node("Sub", &["z", "mean"], "x"),
    ];
    layer.extend(ending(node("Pow", &["x", "two"], "q")));
    assert_eq!(
        spelling(layer, "reciprocal_sqrt"),
        "layer normalisation, by Sqrt"
    );
    let inverse_first = vec![node("Reciprocal", &["x"], "i"), node("Sqrt", &["i"], "y")];
    assert_eq!(of(inverse_first), ["reciprocal_sqrt"]);
    let twice = vec![
        node("Sqrt", &["v"], "r"),
        node("Div", &["x", "r"], "a"),
        node("Div", &["z", "r"], "b"),
        node("Add", &["a", "b"], "y"),
    ];
    assert_eq!(of(twice), ["reciprocal_sqrt"]);
    let other = vec![
        node("Sqrt", &["v"], "r"),
        node("Div", &["x", "r"], "a"),
        node("Add", &["a", "r"], "y"),
    ];
    assert_eq!(of(other), ["sqrt"]);
}

#[test]
fn weights_need_nothing() {
    let batch = |variance: &str| {
        vec![node(
            "BatchNormalization",
            &["x", "one", "zero", "zero", variance],
            "y",
        )]
    };
    assert_eq!(of(batch("one")), [""; 0]);
    assert_eq!(of(batch("computed")), ["reciprocal_sqrt"]);
    for (slope, expected) in [
        ("fifth", "PRelu (alpha 0.2)"),
        ("s", "PRelu (slopes computed from the data)"),
    ] {
        let nodes = vec![node("PRelu", &["x", slope], "y")];
        assert_eq!(spelling(nodes, "parametric_relu"), expected);
    }
    assert_eq!(of(vec![node("Div", &["two", "x"], "y")]), ["reciprocal"]);
    assert_eq!(of(vec![node("Div", &["z", "x"], "y")]), [""; 0]);
    assert_eq!(of(vec![node("Pow", &["two", "x"], "y")]), ["exp"]);
}
