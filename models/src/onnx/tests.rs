use super::messages::{
    AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, ValueInfoProto,
};
use super::*;

pub(super) fn node(op_type: &str, input: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op_type.to_owned(),
        input: input.iter().map(|name| (*name).to_owned()).collect(),
        output: vec![output.to_owned()],
        name: format!("/{output}"),
        ..NodeProto::default()
    }
}

pub(super) fn with(mut node: NodeProto, attribute: AttributeProto) -> NodeProto {
    node.attribute.push(attribute);
    node
}

pub(super) fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        f: Some(value),
        ..AttributeProto::default()
    }
}

fn text(name: &str, value: &str) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        s: Some(value.to_owned().into()),
        ..AttributeProto::default()
    }
}

pub(super) fn body(name: &str, graph: GraphProto) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        g: Some(graph),
        ..AttributeProto::default()
    }
}

fn reference(name: &str, referred: &str) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        ref_attr_name: referred.to_owned(),
        ..AttributeProto::default()
    }
}

fn scalar(name: &str, value: f32) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        data_type: 1,
        float_data: vec![value],
        ..TensorProto::default()
    }
}

pub(super) fn graph(node: Vec<NodeProto>, constants: &[(&str, f32)]) -> GraphProto {
    let outputs = node.last().map(|last| ValueInfoProto {
        name: last.output[0].clone(),
        r#type: None,
    });
    GraphProto {
        node,
        initializer: constants
            .iter()
            .map(|(name, value)| scalar(name, *value))
            .collect(),
        output: outputs.into_iter().collect(),
        ..GraphProto::default()
    }
}

fn encode(graph: GraphProto, functions: Vec<FunctionProto>) -> Vec<u8> {
    let model = ModelProto {
        ir_version: Some(10),
        graph: Some(graph),
        functions,
        ..ModelProto::default()
    };
    model.encode_to_vec()
}

pub(super) fn read(graph: GraphProto) -> ModelNeeds {
    needs("m.onnx", encode(graph, Vec::new())).unwrap()
}

/// Functions needed, and the unknown ones with a question mark.
pub(super) fn names(found: &ModelNeeds) -> Vec<String> {
    let needs = found.needs.iter().map(|need| need.function.clone());
    needs
        .chain(
            found
                .unknown
                .iter()
                .map(|activation| format!("?{}", activation.name)),
        )
        .collect()
}

pub(super) fn of_nodes(nodes: Vec<NodeProto>, constants: &[(&str, f32)]) -> Vec<String> {
    names(&read(graph(nodes, constants)))
}

#[test]
fn operators_need_their_functions() {
    for (operator, functions) in [
        ("Relu", &["relu"][..]),
        ("PRelu", &["parametric_relu"]),
        ("LeakyRelu", &["leaky_relu"]),
        ("Log", &["ln"]),
        ("Atan", &["arctan"]),
        ("Softmax", &["exp", "reciprocal"]),
        ("LogSoftmax", &["exp", "ln"]),
        ("LayerNormalization", &["reciprocal_sqrt"]),
        ("LSTM", &["sigmoid", "tanh"]),
        ("RNN", &["tanh"]),
        ("Gelu", &["gelu"]),
        ("Elu", &["elu"]),
        ("Selu", &["selu"]),
        ("Swish", &["silu"]),
        ("QuickGelu", &["gelu_apprx_sigmoid"]),
        ("Attention", &["exp", "reciprocal"]),
        ("HardSigmoid", &["hard_sigmoid"]),
        ("ThresholdedRelu", &["?ThresholdedRelu (alpha 1)"]),
        ("MatMul", &[]),
        ("Reshape", &[]),
        ("Conv", &[]),
        ("TopK", &[]),
    ] {
        assert_eq!(
            of_nodes(vec![node(operator, &["x"], "y")], &[]),
            functions,
            "{operator}"
        );
    }
}

#[test]
fn attributes_decide_which_function_it_is() {
    let one = |operator: &str, attribute| {
        of_nodes(vec![with(node(operator, &["x"], "y"), attribute)], &[])
    };
    assert_eq!(
        one("Gelu", text("approximate", "tanh")),
        ["gelu_apprx_tanh"]
    );
    assert_eq!(one("Gelu", text("approximate", "none")), ["gelu"]);
    assert_eq!(
        one("Gelu", text("approximate", "x")),
        ["?Gelu (approximate x)"]
    );
    assert_eq!(one("LeakyRelu", float("alpha", 0.2)), ["parametric_relu"]);
    assert_eq!(one("Elu", float("alpha", 0.5)), ["?Elu (alpha 0.5)"]);
    assert_eq!(
        one("HardSigmoid", float("alpha", 1.0 / 6.0)),
        ["hard_sigmoid"]
    );
    assert_eq!(one("Swish", float("alpha", 1.702)), ["gelu_apprx_sigmoid"]);
    assert_eq!(one("FusedConv", text("activation", "Relu")), ["relu"]);
    assert_eq!(
        one("TreeEnsembleClassifier", text("post_transform", "LOGISTIC")),
        ["sigmoid"]
    );
    let strings = ["Sigmoid", "Softsign", "sigmoid", "Softsign"].map(|name| name.to_owned().into());
    let gates = AttributeProto {
        name: "activations".to_owned(),
        strings: strings.into(),
        ..AttributeProto::default()
    };
    assert_eq!(one("GRU", gates), ["sigmoid", "softsign"]);
}

#[test]
fn reasons_name_the_operator_the_count_and_the_first_node() {
    let tanh = |output: &str| with(node("Gelu", &["x"], output), text("approximate", "tanh"));
    let mut unnamed = node("Relu", &["x"], "only_output");
    unnamed.name.clear();
    let found = read(graph(vec![tanh("a"), unnamed, tanh("b")], &[]));
    assert_eq!(
        found.needs[0].reasons,
        ["Gelu (approximate tanh): 2 nodes, first \"/a\""]
    );
    assert_eq!(found.needs[1].reasons, ["Relu: 1 node, \"only_output\""]);
}

#[test]
fn powers_and_clips_are_judged_by_their_constants() {
    let power = |exponent: f32| of_nodes(vec![node("Pow", &["x", "e"], "y")], &[("e", exponent)]);
    assert_eq!(power(2.0), ["square"]);
    assert_eq!(power(0.5), ["sqrt"]);
    assert_eq!(power(-0.5), ["reciprocal_sqrt"]);
    assert_eq!(power(-1.0), ["reciprocal"]);
    assert_eq!(power(3.0), [""; 0]);
    assert_eq!(power(0.75), ["exp", "ln"]);
    let clip = |lowest: f32, highest: f32| {
        of_nodes(
            vec![node("Clip", &["x", "l", "h"], "y")],
            &[("l", lowest), ("h", highest)],
        )
    };
    assert_eq!(clip(0.0, 6.0), ["relu6"]);
    assert_eq!(clip(0.0, f32::MAX), ["relu"]);
    assert_eq!(clip(-1.0, 1.0), [""; 0]);
    assert_eq!(
        of_nodes(vec![node("Clip", &["x", "l"], "y")], &[("l", 0.0)]),
        ["relu"]
    );
    assert_eq!(
        of_nodes(
            vec![with(node("Clip", &["x"], "y"), float("max", 6.0))],
            &[]
        ),
        [""; 0]
    );
}

#[test]
fn sigmoid_times_its_input_is_silu() {
    let silu = |left: &str, right: &str| {
        vec![
            node("Sigmoid", &["x"], "s"),
            node("Mul", &[left, right], "y"),
        ]
    };
    assert_eq!(of_nodes(silu("x", "s"), &[]), ["silu"]);
    assert_eq!(of_nodes(silu("s", "x"), &[]), ["silu"]);
    assert_eq!(of_nodes(silu("s", "other"), &[]), ["sigmoid"]);
    let mut twice = silu("x", "s");
    twice.push(node("Add", &["s", "y"], "z"));
    assert_eq!(
        of_nodes(twice, &[]),
        ["sigmoid"],
        "the sigmoid is used on its own as well"
    );
    let mut output_too = graph(silu("x", "s"), &[]);
    output_too.output.push(ValueInfoProto {
        name: "s".to_owned(),
        r#type: None,
    });
    assert_eq!(names(&read(output_too)), ["sigmoid"]);
    let scaled = vec![
        node("Mul", &["x", "c"], "a"),
        node("Sigmoid", &["a"], "s"),
        node("Mul", &["x", "s"], "y"),
    ];
    assert_eq!(
        of_nodes(scaled.clone(), &[("c", 1.702)]),
        ["gelu_apprx_sigmoid"]
    );
    assert_eq!(of_nodes(scaled, &[("c", 1.5)]), ["sigmoid"]);
}

#[test]
fn gelu_by_erf_is_found_in_every_order() {
    let root = std::f32::consts::SQRT_2;
    let constants = [("r", root), ("i", 1.0 / root), ("one", 1.0), ("h", 0.5)];
    let divided = || {
        vec![
            node("Div", &["x", "r"], "a"),
            node("Erf", &["a"], "e"),
            node("Add", &["e", "one"], "s"),
        ]
    };
    let multiplied = || {
        vec![
            node("Mul", &["i", "x"], "a"),
            node("Erf", &["a"], "e"),
            node("Add", &["one", "e"], "s"),
        ]
    };
    let ends = [
        vec![node("Mul", &["x", "s"], "p"), node("Mul", &["p", "h"], "y")],
        vec![node("Mul", &["x", "h"], "p"), node("Mul", &["p", "s"], "y")],
        vec![node("Mul", &["h", "s"], "p"), node("Mul", &["p", "x"], "y")],
    ];
    for begin in [divided(), multiplied()] {
        for end in &ends {
            let nodes: Vec<_> = begin.iter().chain(end).cloned().collect();
            let found = read(graph(nodes, &constants));
            assert_eq!(names(&found), ["gelu"]);
            assert_eq!(
                found.needs[0].reasons,
                ["0.5 * x * (1 + Erf(x / sqrt(2))): 1 node, \"/e\""]
            );
        }
    }
    // With another factor it is not that function: erf is what is needed.
    let nodes: Vec<_> = divided().into_iter().chain(ends[0].clone()).collect();
    assert_eq!(
        of_nodes(nodes, &[("r", root), ("one", 1.0), ("h", 0.25)]),
        ["erf"]
    );
}

#[test]
fn gelu_by_tanh_is_found_with_powers_and_with_products() {
    let constants = [
        ("k", 0.044715),
        ("c", 0.797_884_6),
        ("one", 1.0),
        ("h", 0.5),
        ("three", 3.0),
        ("two", 2.0),
    ];
    let end = || {
        vec![
            node("Tanh", &["a"], "t"),
            node("Add", &["t", "one"], "s"),
            node("Mul", &["x", "h"], "q"),
            node("Mul", &["q", "s"], "y"),
        ]
    };
    let by_power = vec![
        node("Pow", &["x", "three"], "x3"),
        node("Mul", &["x3", "k"], "kx3"),
        node("Add", &["x", "kx3"], "inner"),
        node("Mul", &["inner", "c"], "a"),
    ];
    let by_product = vec![
        node("Mul", &["x", "c"], "cx"),
        node("Pow", &["x", "two"], "x2"),
        node("Mul", &["x2", "k"], "kx2"),
        node("Add", &["kx2", "one"], "inner"),
        node("Mul", &["cx", "inner"], "a"),
    ];
    for begin in [by_power, by_product] {
        let nodes = begin.into_iter().chain(end()).collect();
        assert_eq!(of_nodes(nodes, &constants), ["gelu_apprx_tanh"]);
    }
}

#[test]
fn other_composites_are_found() {
    let mish = vec![
        node("Softplus", &["x"], "p"),
        node("Tanh", &["p"], "t"),
        node("Mul", &["x", "t"], "y"),
    ];
    assert_eq!(of_nodes(mish, &[]), ["mish"]);
    let mut softplus_used = vec![
        node("Softplus", &["x"], "p"),
        node("Tanh", &["p"], "t"),
        node("Mul", &["x", "t"], "m"),
    ];
    softplus_used.push(node("Add", &["m", "p"], "y"));
    assert_eq!(of_nodes(softplus_used, &[]), ["softplus", "tanh"]);
    let hard = with(node("HardSigmoid", &["x"], "s"), float("alpha", 1.0 / 6.0));
    assert_eq!(
        of_nodes(vec![hard, node("Mul", &["x", "s"], "y")], &[]),
        ["hard_swish"]
    );
    let square = vec![node("Relu", &["x"], "r"), node("Mul", &["r", "r"], "y")];
    assert_eq!(of_nodes(square, &[]), ["squared_relu"]);
    let power = vec![node("Relu", &["x"], "r"), node("Pow", &["r", "two"], "y")];
    assert_eq!(of_nodes(power, &[("two", 2.0)]), ["squared_relu"]);
    let norm = vec![node("Sqrt", &["v"], "r"), node("Div", &["x", "r"], "y")];
    assert_eq!(of_nodes(norm, &[]), ["reciprocal_sqrt"]);
    let norm = vec![node("Sqrt", &["v"], "r"), node("Reciprocal", &["r"], "y")];
    assert_eq!(of_nodes(norm, &[]), ["reciprocal_sqrt"]);
    let other = vec![node("Sqrt", &["v"], "r"), node("Div", &["r", "x"], "y")];
    assert_eq!(of_nodes(other, &[]), ["sqrt"]);
}

#[test]
fn what_does_not_depend_on_the_data_is_no_need() {
    // The scale of attention, as PyTorch exports it: the root of a dimension.
    let nodes = vec![
        node("Shape", &["x"], "shape"),
        node("Gather", &["shape", "last"], "size"),
        node("Sqrt", &["size"], "root"),
        node("Exp", &["weight"], "w"),
        node("Relu", &["x"], "y"),
    ];
    assert_eq!(of_nodes(nodes, &[("last", 3.0), ("weight", 1.0)]), ["relu"]);
}

#[test]
fn branches_and_loops_are_read_with_the_constants_around_them() {
    let root = std::f32::consts::SQRT_2;
    let inner = graph(
        vec![
            node("Div", &["x", "r"], "a"),
            node("Erf", &["a"], "e"),
            node("Add", &["e", "one"], "s"),
            node("Mul", &["x", "s"], "p"),
            node("Mul", &["p", "h"], "y2"),
        ],
        &[],
    );
    let deep = graph(
        vec![with(node("Loop", &["x"], "l"), body("body", inner))],
        &[],
    );
    let choice = with(node("If", &["c"], "y"), body("then_branch", deep));
    let choice = with(
        choice,
        body("else_branch", graph(vec![node("Relu", &["x"], "z")], &[])),
    );
    let found = read(graph(
        vec![choice],
        &[("r", root), ("one", 1.0), ("h", 0.5)],
    ));
    assert_eq!(names(&found), ["gelu", "relu"]);
    assert!(
        found.needs[0].reasons[0].contains("in a body of \"/l\""),
        "{:?}",
        found.needs
    );
}

#[test]
fn a_value_used_inside_a_branch_is_used() {
    let inner = graph(vec![node("Identity", &["s"], "i")], &[]);
    let nodes = vec![
        node("Sigmoid", &["x"], "s"),
        node("Mul", &["x", "s"], "y"),
        with(node("If", &["c"], "z"), body("then_branch", inner)),
    ];
    assert_eq!(of_nodes(nodes, &[]), ["sigmoid"]);
}

fn function(name: &str, nodes: Vec<NodeProto>) -> FunctionProto {
    FunctionProto {
        name: name.to_owned(),
        domain: "my.domain".to_owned(),
        output: vec!["y".to_owned()],
        node: nodes,
        ..FunctionProto::default()
    }
}

fn call(name: &str, output: &str) -> NodeProto {
    NodeProto {
        domain: "my.domain".to_owned(),
        ..node(name, &["x"], output)
    }
}

fn with_functions(nodes: Vec<NodeProto>, functions: Vec<FunctionProto>) -> ModelNeeds {
    needs("m.onnx", encode(graph(nodes, &[]), functions)).unwrap()
}

#[test]
fn functions_are_read_when_they_are_called() {
    let functions = || {
        vec![
            function("outer", vec![call("inner", "y")]),
            function("inner", vec![node("Tanh", &["x"], "y")]),
            function("unused", vec![node("Relu", &["x"], "y")]),
        ]
    };
    let found = with_functions(vec![call("outer", "a"), call("outer", "b")], functions());
    assert_eq!(found.program.counts(), [("tanh", 2)]);
    assert_eq!(names(&found), ["tanh"]);
    assert_eq!(
        found.needs[0].reasons,
        ["Tanh in function \"inner\": 1 node, \"/y\""]
    );
}

#[test]
fn attributes_are_handed_to_functions() {
    let mut act = function(
        "act",
        vec![with(
            node("Gelu", &["x"], "y"),
            reference("approximate", "form"),
        )],
    );
    let pass = function(
        "pass",
        vec![with(call("act", "y"), reference("form", "kind"))],
    );
    act.attribute_proto.push(text("form", "tanh"));
    let named = |name: &str, attribute| with(call(name, "y"), attribute);
    let of = |nodes| names(&with_functions(nodes, vec![act.clone(), pass.clone()]));
    assert_eq!(
        of(vec![call("act", "y")]),
        ["gelu_apprx_tanh"],
        "the function's default"
    );
    assert_eq!(of(vec![named("act", text("form", "none"))]), ["gelu"]);
    assert_eq!(of(vec![named("pass", text("kind", "none"))]), ["gelu"]);
    assert_eq!(
        of(vec![named("pass", text("kind", "none")), call("act", "y")]),
        ["gelu", "gelu_apprx_tanh"]
    );
}

#[test]
fn operators_of_unknown_domains_are_said() {
    let found = with_functions(vec![call("Wiggle", "y")], Vec::new());
    assert_eq!(names(&found), ["?my.domain.Wiggle"]);
    assert_eq!(
        found.unknown[0].reasons,
        ["operator of a domain we do not know: 1 node, \"/y\""]
    );
}

#[test]
fn names_from_the_file_cannot_break_the_lines() {
    let mut odd = node("Relu", &["x"], "y");
    odd.name = format!("a\nb\u{1b}[2J{}", "c".repeat(10_000));
    let mut foreign = node("Wig\ngle", &["x"], "z");
    foreign.domain = "evil\n".to_owned();
    // Found by fuzzing: an attribute's text in the reason.
    let form = with(node("Gelu", &["x"], "g"), text("approximate", "tan\u{1}"));
    let found = read(graph(vec![odd, foreign, form], &[]));
    let lines = found
        .needs
        .iter()
        .flat_map(|need| &need.reasons)
        .chain(found.unknown.iter().map(|unknown| &unknown.name));
    for line in lines {
        assert!(
            line.len() < 200 && !line.contains(char::is_control),
            "{line:?}"
        );
    }
}

#[test]
fn calls_that_explode_are_refused() {
    // Each level calls the next with both values of its own attribute, so level n has 2^n different calls.
    let levels = 20;
    let flag = |name: &str, value: &str| text(name, value);
    let mut functions = Vec::new();
    for level in 0..levels {
        let mut nodes = Vec::new();
        for value in ["a", "b"] {
            let mut next = call(&format!("f{}", level + 1), "y");
            next.attribute = (0..level)
                .map(|k| reference(&format!("k{k}"), &format!("k{k}")))
                .collect();
            nodes.push(with(next, flag(&format!("k{level}"), value)));
        }
        functions.push(function(&format!("f{level}"), nodes));
    }
    functions.push(function(
        &format!("f{levels}"),
        vec![node("Relu", &["x"], "y")],
    ));
    let error = needs(
        "m.onnx",
        encode(graph(vec![call("f0", "y")], &[]), functions),
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected at most 20000 different calls"),
        "{error}"
    );
}
