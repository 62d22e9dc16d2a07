use super::super::messages::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto,
};
use super::super::tests::{float, graph, node, read, with};
use crate::ModelNeeds;

/// The inputs of a function, as they are shown.
fn inputs(found: &ModelNeeds, function: &str) -> Option<(f32, f32)> {
    found
        .program
        .inputs_of(function)
        .map(|inputs| (inputs.low, inputs.high))
}

fn of(nodes: Vec<NodeProto>, constants: &[(&str, f32)], function: &str) -> Option<(f32, f32)> {
    inputs(&read(graph(nodes, constants)), function)
}

fn integers(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        ints: values.to_vec(),
        ..AttributeProto::default()
    }
}

fn integer(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        i: Some(value),
        ..AttributeProto::default()
    }
}

const INFINITY: f32 = f32::INFINITY;

#[test]
fn what_is_not_known_is_nothing() {
    assert_eq!(of(vec![node("Log", &["x"], "y")], &[], "ln"), None);
    assert_eq!(
        of(
            vec![node("MatMul", &["x", "x"], "a"), node("Log", &["a"], "y")],
            &[],
            "ln"
        ),
        None
    );
    // One place of two.
    let two = vec![
        node("Exp", &["x"], "a"),
        node("Log", &["a"], "y"),
        node("Log", &["x"], "z"),
    ];
    assert_eq!(of(two, &[], "ln"), None);
    // An operator of another domain has any name it likes.
    let mut foreign = node("Relu", &["x"], "a");
    foreign.domain = "com.example".to_owned();
    assert_eq!(of(vec![foreign, node("Log", &["a"], "y")], &[], "ln"), None);
    // Zeros have signs, so the inverse of what may be zero is anything.
    let inverse = vec![
        node("Relu", &["x"], "a"),
        node("Reciprocal", &["a"], "b"),
        node("Tanh", &["b"], "y"),
    ];
    assert_eq!(of(inverse, &[], "tanh"), None);
}

#[test]
fn operators_bound_what_comes_out_of_them() {
    let behind = |nodes: Vec<NodeProto>| {
        let mut nodes = nodes;
        nodes.push(node("Sqrt", &["a"], "y"));
        of(
            nodes,
            &[
                ("one", 1.0),
                ("two", 2.0),
                ("half", 0.5),
                ("minus", -3.0),
                ("eps", 1e-5),
            ],
            "sqrt",
        )
    };
    let one = |operator: &str, input: &[&str]| {
        behind(vec![
            node("Relu", &["x"], "r"),
            node("Tanh", &["x"], "t"),
            node(operator, input, "a"),
        ])
    };
    assert_eq!(one("Relu", &["x"]), Some((0.0, INFINITY)));
    assert_eq!(one("Add", &["r", "one"]), Some((1.0, INFINITY)));
    assert_eq!(one("Sub", &["one", "r"]), Some((-INFINITY, 1.0)));
    assert_eq!(one("Mul", &["r", "minus"]), Some((-INFINITY, 0.0)));
    assert_eq!(one("Mul", &["x", "x"]), Some((0.0, INFINITY)));
    assert_eq!(one("Mul", &["x", "r"]), None);
    assert_eq!(one("Pow", &["x", "two"]), Some((0.0, INFINITY)));
    assert_eq!(one("Abs", &["x"]), Some((0.0, INFINITY)));
    assert_eq!(one("Max", &["x", "half"]), Some((0.5, INFINITY)));
    assert_eq!(one("Min", &["r", "half"]), Some((0.0, 0.5)));
    assert_eq!(one("Clip", &["x", "half", "two"]), Some((0.5, 2.0)));
    assert_eq!(one("Clip", &["x", "half"]), Some((0.5, INFINITY)));
    assert_eq!(one("Clip", &["x", "", "two"]), Some((-INFINITY, 2.0)));
    assert_eq!(one("Concat", &["r", "one"]), Some((0.0, INFINITY)));
    assert_eq!(one("Div", &["r", "two"]), Some((0.0, INFINITY)));
    assert_eq!(one("Div", &["r", "t"]), None);
    assert_eq!(one("Softplus", &["x"]), Some((0.0, INFINITY)));
    // Approximations may be off, on the same side of zero.
    assert_eq!(one("Exp", &["x"]), Some((0.0, INFINITY)));
    assert_eq!(one("Sigmoid", &["x"]), Some((0.0, 1.015_625)));
    assert_eq!(one("Identity", &["t"]), Some((-1.015_625, 1.015_625)));
    // A mean of numbers above one may be computed a little below; a sum of none is zero.
    let mean = |operator: &str| {
        behind(vec![
            node("Max", &["x", "two"], "m"),
            node(operator, &["m"], "a"),
        ])
    };
    assert_eq!(mean("ReduceMean"), Some((0.0, INFINITY)));
    assert_eq!(mean("ReduceSum"), Some((0.0, INFINITY)));
    assert_eq!(mean("ReduceMax"), None);
    assert_eq!(mean("ReduceMin"), Some((2.0, INFINITY)));
    // Constants that bf16 does not hold are moved outwards.
    let (low, high) = one("Add", &["r", "eps"]).unwrap();
    assert!(low < 1e-5 && low > 0.99e-5 && high == INFINITY);
}

#[test]
fn normalisations_do_not_go_below_what_they_add() {
    let nodes = vec![
        node("ReduceMean", &["x"], "mean"),
        node("Sub", &["x", "mean"], "d"),
        node("Mul", &["d", "d"], "squares"),
        node("ReduceMean", &["squares"], "variance"),
        node("Add", &["variance", "eps"], "sum"),
        node("Sqrt", &["sum"], "root"),
        node("Div", &["d", "root"], "y"),
    ];
    let found = read(graph(nodes, &[("eps", 0.001)]));
    let inputs = found.program.inputs_of("reciprocal_sqrt").unwrap();
    assert!(inputs.low <= 0.001 && inputs.low > 0.00099 && inputs.high == INFINITY);
    assert_eq!(&*inputs.why, "its input is Add(ReduceMean(Mul), 0.001)");
    let layer = with(
        node("LayerNormalization", &["x", "scale"], "y"),
        float("epsilon", 0.25),
    );
    assert_eq!(
        of(vec![layer], &[], "reciprocal_sqrt"),
        Some((0.25, INFINITY))
    );
    let local = |attributes: &[(&str, f32)]| {
        let node = node("LRN", &["x"], "y");
        let with_all = attributes
            .iter()
            .fold(node, |node, (name, value)| with(node, float(name, *value)));
        of(vec![with_all], &[], "ln")
    };
    assert_eq!(local(&[]), Some((1.0, INFINITY)));
    assert_eq!(local(&[("bias", 2.0)]), Some((2.0, INFINITY)));
    assert_eq!(local(&[("bias", -2.0)]), Some((0.0, INFINITY)));
    assert_eq!(
        local(&[("alpha", -1.0)]),
        None,
        "what is added may be less than nothing"
    );
    // The inverse under the root belongs to it: what counts is what the inverse is taken of.
    let nodes = vec![
        node("Abs", &["x"], "a"),
        node("Add", &["a", "four"], "b"),
        node("Reciprocal", &["b"], "i"),
        node("Sqrt", &["i"], "y"),
    ];
    assert_eq!(
        of(nodes, &[("four", 4.0)], "reciprocal_sqrt"),
        Some((4.0, INFINITY))
    );
}

/// A softmax in five nodes; the reductions with these attributes.
fn softmax(maximum: Vec<AttributeProto>, sum: Vec<AttributeProto>) -> GraphProto {
    let reduce = |operator: &str, input: &str, output: &str, attributes: Vec<AttributeProto>| {
        attributes
            .into_iter()
            .fold(node(operator, &[input], output), with)
    };
    let nodes = vec![
        reduce("ReduceMax", "x", "max", maximum),
        node("Sub", &["x", "max"], "d"),
        node("Exp", &["d"], "e"),
        reduce("ReduceSum", "e", "s", sum),
        node("Div", &["e", "s"], "y"),
    ];
    graph(nodes, &[])
}

#[test]
fn a_softmax_has_one_in_its_sum() {
    let axis = |axis| integers("axes", &[axis]);
    let found = read(softmax(vec![axis(-1)], vec![axis(-1)]));
    assert_eq!(inputs(&found, "exp"), Some((-INFINITY, 0.0)));
    assert_eq!(inputs(&found, "reciprocal"), Some((1.0, INFINITY)));
    // Along another axis there need not be one.
    let found = read(softmax(vec![axis(-1)], vec![axis(1)]));
    assert_eq!(inputs(&found, "exp"), Some((-INFINITY, 0.0)));
    assert_eq!(inputs(&found, "reciprocal"), Some((0.0, INFINITY)));
    // Without its axis, the maximum may be that of another row.
    let found = read(softmax(
        vec![axis(-1), integer("keepdims", 0)],
        vec![axis(-1)],
    ));
    assert_eq!(inputs(&found, "exp"), None);
    assert_eq!(inputs(&found, "reciprocal"), Some((0.0, INFINITY)));
    // The operator is defined so.
    let found = read(graph(vec![node("Softmax", &["x"], "y")], &[]));
    assert_eq!(inputs(&found, "exp"), Some((-INFINITY, 0.0)));
    assert_eq!(inputs(&found, "reciprocal"), Some((1.0, INFINITY)));
    assert_eq!(
        &*found.program.inputs_of("reciprocal").unwrap().why,
        "a softmax has exp(0) in its sum"
    );
}

#[test]
fn bodies_know_what_comes_from_outside_and_not_what_a_loop_carries() {
    let body = |input: &str| AttributeProto {
        name: "body".to_owned(),
        g: Some(graph(vec![node("Log", &[input], "inner")], &[])),
        ..AttributeProto::default()
    };
    let nodes = |input: &str| {
        vec![
            node("Exp", &["x"], "a"),
            with(node("Loop", &["", "", "a"], "y"), body(input)),
        ]
    };
    assert_eq!(of(nodes("a"), &[], "ln"), Some((0.0, INFINITY)));
    assert_eq!(of(nodes("carried"), &[], "ln"), None);
    // Also where the body calls what it carries as a value outside is called.
    let mut carrying = graph(vec![node("Log", &["a"], "inner")], &[]);
    carrying.input = vec![ValueInfoProto {
        name: "a".to_owned(),
        r#type: None,
    }];
    let attribute = AttributeProto {
        name: "body".to_owned(),
        g: Some(carrying),
        ..AttributeProto::default()
    };
    let nodes = vec![
        node("Exp", &["x"], "a"),
        with(node("Loop", &["", "", "x"], "y"), attribute),
    ];
    assert_eq!(of(nodes, &[], "ln"), None);
}

#[test]
fn a_function_of_the_model_knows_nothing_of_its_callers() {
    let function = FunctionProto {
        name: "Own".to_owned(),
        input: vec!["v".to_owned()],
        output: vec!["w".to_owned()],
        node: vec![node("Log", &["v"], "w")],
        ..FunctionProto::default()
    };
    let model = ModelProto {
        graph: Some(graph(
            vec![node("Exp", &["x"], "a"), node("Own", &["a"], "y")],
            &[],
        )),
        functions: vec![function],
        ..ModelProto::default()
    };
    let found = crate::onnx::needs("m.onnx", prost::Message::encode_to_vec(&model)).unwrap();
    assert_eq!(inputs(&found, "ln"), None);
}

#[test]
fn models_in_half_precision_may_lose_small_numbers() {
    let nodes = || {
        vec![
            node("Abs", &["x"], "a"),
            node("Add", &["a", "eps"], "b"),
            node("Log", &["b"], "y"),
        ]
    };
    let mut half = graph(nodes(), &[("eps", 1e-6)]);
    assert!(inputs(&read(half.clone()), "ln").unwrap().0 > 0.9e-6);
    half.initializer.push(TensorProto {
        name: "weight".to_owned(),
        data_type: 10,
        dims: vec![1],
        int32_data: vec![0],
        ..TensorProto::default()
    });
    assert_eq!(inputs(&read(half), "ln"), Some((0.0, INFINITY)));
}
