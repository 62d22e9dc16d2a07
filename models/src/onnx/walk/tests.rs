//! The order in which activations run.

use super::super::messages::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto};
use super::super::tests::{graph, node};
use crate::needs::ModelNeeds;
use crate::program::{Program, Step};
use prost::Message;

const CONSTANTS: &[(&str, f32)] = &[("seven", 7.0), ("half", 0.5), ("two", 2.0)];

fn body(name: &str, nodes: Vec<NodeProto>) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        g: Some(graph(nodes, &[])),
        ..AttributeProto::default()
    }
}

fn with(operator: &str, inputs: &[&str], bodies: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        attribute: bodies,
        ..node(operator, inputs, "y")
    }
}

fn read(graph: GraphProto, functions: Vec<FunctionProto>) -> ModelNeeds {
    let model = ModelProto {
        graph: Some(graph),
        functions,
        ..ModelProto::default()
    };
    crate::parse("m", model.encode_to_vec()).unwrap()
}

/// Steps in one line: loops as `7[..]` and `?[..]`, choices as `(.. | ..)`.
fn shown(program: &Program, steps: &[Step]) -> String {
    let of = |step: &Step| match step {
        Step::Use(place) => program.function_of(*place).unwrap().to_owned(),
        Step::Loop {
            iterations, body, ..
        } => {
            let count = iterations.map_or("?".to_owned(), |count| count.to_string());
            format!("{count}[{}]", shown(program, body))
        }
        Step::Choice { branches, .. } => {
            let branches: Vec<String> = branches
                .iter()
                .map(|branch| shown(program, branch))
                .collect();
            format!("({})", branches.join(" | "))
        }
    };
    let steps: Vec<String> = steps.iter().map(of).collect();
    steps.join(" ")
}

fn order(nodes: Vec<NodeProto>) -> String {
    let found = read(graph(nodes, CONSTANTS), Vec::new());
    shown(&found.program, &found.program.steps)
}

#[test]
fn a_loop_repeats_as_often_as_its_constant_says() {
    let inner = || vec![body("body", vec![node("Tanh", &["x"], "t")])];
    let of = |inputs: &[&str]| order(vec![with("Loop", inputs, inner())]);
    assert_eq!(of(&["seven", ""]), "7[tanh]");
    assert_eq!(of(&["seven"]), "7[tanh]");
    assert_eq!(of(&["seven", "condition"]), "?[tanh]");
    assert_eq!(of(&["", "condition"]), "?[tanh]");
    assert_eq!(of(&["computed", ""]), "?[tanh]");
    assert_eq!(order(vec![with("Scan", &["x"], inner())]), "?[tanh]");
}

#[test]
fn branches_stand_side_by_side_also_empty_ones() {
    let nodes = vec![
        node("Exp", &["x"], "e"),
        with(
            "If",
            &["c"],
            vec![
                body(
                    "then_branch",
                    vec![node("Relu", &["e"], "r"), node("Erf", &["r"], "z")],
                ),
                body("else_branch", vec![node("Add", &["e", "e"], "z")]),
            ],
        ),
        node("Tanh", &["y"], "t"),
    ];
    assert_eq!(order(nodes), "exp (relu erf | ) tanh");
    let nothing = with(
        "If",
        &["c"],
        vec![body("then_branch", vec![node("Add", &["x", "x"], "z")])],
    );
    assert_eq!(order(vec![nothing]), "");
}

#[test]
fn recurrent_operators_are_loops() {
    assert_eq!(order(vec![node("LSTM", &["x"], "y")]), "?[sigmoid tanh]");
    let softmax = vec![node("RNN", &["x"], "y"), node("Softmax", &["y"], "z")];
    assert_eq!(order(softmax), "?[tanh] exp reciprocal");
}

#[test]
fn calls_are_written_out_with_the_constants_they_are_given() {
    let power = FunctionProto {
        name: "power".to_owned(),
        domain: "d".to_owned(),
        input: vec!["x".to_owned(), "exponent".to_owned()],
        output: vec!["y".to_owned()],
        node: vec![node("Pow", &["x", "exponent"], "y")],
        ..FunctionProto::default()
    };
    let call = |exponent: &str, output: &str| NodeProto {
        domain: "d".to_owned(),
        ..node("power", &["x", exponent], output)
    };
    let nodes = vec![
        call("half", "a"),
        call("two", "b"),
        call("half", "c"),
        call("computed", "d"),
    ];
    let found = read(graph(nodes, CONSTANTS), vec![power]);
    assert_eq!(
        shown(&found.program, &found.program.steps),
        "sqrt square sqrt ln exp"
    );
    // The body was looked at once for each different call.
    assert_eq!(found.program.uses.len(), 4);
}
