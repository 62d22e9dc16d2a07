//! Models that nobody means well with: an answer or an error, in time and memory that are bounded.

use std::time::Instant;

use actforge_models::onnx_messages::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto,
};
use actforge_models::plan::{Counting, Roster, fewest, greedy};
use actforge_models::{ModelError, ModelNeeds, parse};
use actforge_tables::Target;
use actforge_tables::stock::stock_sets;
use prost::Message;

fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: operator.to_owned(),
        input: inputs.iter().map(|name| (*name).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn call(name: &str, output: &str) -> NodeProto {
    NodeProto {
        domain: "d".to_owned(),
        ..node(name, &["x"], output)
    }
}

fn function(name: &str, node: Vec<NodeProto>) -> FunctionProto {
    FunctionProto {
        name: name.to_owned(),
        domain: "d".to_owned(),
        input: vec!["x".to_owned()],
        output: vec!["y".to_owned()],
        node,
        ..FunctionProto::default()
    }
}

fn with_functions(node: Vec<NodeProto>, functions: Vec<FunctionProto>) -> Vec<u8> {
    let graph = GraphProto {
        node,
        ..GraphProto::default()
    };
    let model = ModelProto {
        graph: Some(graph),
        functions,
        ..ModelProto::default()
    };
    model.encode_to_vec()
}

fn of(node: Vec<NodeProto>) -> Result<ModelNeeds, ModelError> {
    parse("m", with_functions(node, Vec::new()))
}

fn refused(bytes: Vec<u8>) -> String {
    let error = parse("m", bytes).unwrap_err();
    assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_hundred_thousand_nodes_are_read_and_planned() {
    long_model(25_000);
}

/// `cargo test --release -p actforge-models --test hostile -- --ignored`
#[test]
#[ignore = "some seconds"]
fn a_million_nodes_are_read_and_planned() {
    let start = Instant::now();
    long_model(250_000);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

/// Reads and plans four nodes so many times.
fn long_model(times: u64) {
    let mut nodes = Vec::new();
    let mut before = "x".to_owned();
    for index in 0..times {
        let name = |kind: &str| format!("{kind}{index}");
        nodes.push(node("Sigmoid", &[&before], &name("s")));
        nodes.push(node("Mul", &[&before, &name("s")], &name("m")));
        nodes.push(node("Exp", &[&name("m")], &name("e")));
        nodes.push(node("Relu", &[&name("e")], &name("r")));
        before = name("r");
    }
    let found = of(nodes).unwrap();
    let counts = [("silu", times), ("exp", times), ("relu", times)];
    assert_eq!(found.program.counts(), counts);
    let roster = Roster::of_stock(stock_sets(Target::StockTrainium)).unwrap();
    let best = fewest(&found.program, &roster, Counting::default()).unwrap();
    let cost = best.cost(&roster, Counting::default());
    assert_eq!(cost.loads, 2 * times);
    assert_eq!(
        greedy(&found.program, &roster).cost(&roster, Counting::default()),
        cost
    );
}

#[test]
fn nodes_out_of_order_are_sorted_and_circles_refused() {
    let found = of(vec![
        node("Tanh", &["e"], "t"),
        node("Exp", &["x"], "e"),
        node("Mul", &["s", "t"], "y"),
        node("Sigmoid", &["t"], "s"),
    ])
    .unwrap();
    let order: Vec<&str> = found.program.functions.iter().map(String::as_str).collect();
    assert_eq!(order, ["exp", "tanh", "silu"]);
    let circle = vec![node("Tanh", &["b"], "a"), node("Exp", &["a"], "b")];
    assert!(refused(with_functions(circle, Vec::new())).contains("in a circle, among them \"a\""));
    let own = vec![node("Tanh", &["a"], "a")];
    assert!(refused(with_functions(own, Vec::new())).contains("in a circle"));
}

#[test]
fn functions_that_call_themselves_are_refused() {
    let one = vec![function("f", vec![call("f", "y")])];
    let error = refused(with_functions(vec![call("f", "y")], one));
    assert!(error.contains("function \"f\" calls itself"), "{error}");
    let two = vec![
        function("f", vec![call("g", "y")]),
        function("g", vec![node("Tanh", &["x"], "t"), call("f", "y")]),
    ];
    refused(with_functions(vec![call("f", "y")], two));
}

#[test]
fn calls_within_calls_end_somewhere() {
    let mut functions: Vec<_> = (0..10_000)
        .map(|level| {
            function(
                &format!("f{level}"),
                vec![call(&format!("f{}", level + 1), "y")],
            )
        })
        .collect();
    functions.push(function("f10000", vec![node("Tanh", &["x"], "y")]));
    let error = refused(with_functions(vec![call("f0", "y")], functions));
    assert!(
        error.contains("96 bodies and calls within each other"),
        "{error}"
    );
}

#[test]
fn functions_that_double_are_refused_before_they_fill_the_memory() {
    let start = Instant::now();
    let mut functions: Vec<_> = (0..60)
        .map(|level| {
            let next = format!("f{}", level + 1);
            function(
                &format!("f{level}"),
                vec![call(&next, "a"), call(&next, "y")],
            )
        })
        .collect();
    let nothing = functions.clone();
    functions.push(function("f60", vec![node("Tanh", &["x"], "y")]));
    let error = refused(with_functions(vec![call("f0", "y")], functions));
    assert!(
        error.contains("activations with all calls written out"),
        "{error}"
    );
    // Without an activation there is nothing to write out.
    let empty = [
        nothing,
        vec![function("f60", vec![node("Add", &["x", "x"], "y")])],
    ]
    .concat();
    let found = parse("m", with_functions(vec![call("f0", "y")], empty)).unwrap();
    assert_eq!(found.program.steps, []);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn large_functions_with_many_different_calls_are_refused() {
    let start = Instant::now();
    let body: Vec<_> = (0..20_000)
        .map(|n| node("Add", &["x", "x"], &n.to_string()))
        .collect();
    let calls = (0..5000).map(|value| {
        let attribute = AttributeProto {
            name: "a".to_owned(),
            i: Some(value),
            ..AttributeProto::default()
        };
        NodeProto {
            attribute: vec![attribute],
            ..call("f", &format!("o{value}"))
        }
    });
    let bytes = with_functions(calls.collect(), vec![function("f", body)]);
    assert!(refused(bytes).contains("nodes, those of a function counted"));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn absurd_shapes_are_no_constants() {
    for dims in [vec![i64::MAX; 8], vec![-1], vec![0], vec![i64::MIN, 2]] {
        let tensor = TensorProto {
            name: "c".to_owned(),
            dims,
            data_type: 1,
            float_data: vec![2.0],
            ..TensorProto::default()
        };
        let graph = GraphProto {
            node: vec![node("Pow", &["x", "c"], "y")],
            initializer: vec![tensor],
            ..GraphProto::default()
        };
        let model = ModelProto {
            graph: Some(graph),
            ..ModelProto::default()
        };
        let found = parse("m", model.encode_to_vec()).unwrap();
        assert_eq!(found.program.counts(), [("ln", 1), ("exp", 1)]);
    }
}

#[test]
fn one_value_with_a_million_users_takes_no_longer() {
    let start = Instant::now();
    let mut nodes = vec![node("Sqrt", &["x"], "r"), node("Exp", &["x"], "e")];
    for index in 0..200_000 {
        nodes.push(node("Div", &["x", "r"], &format!("d{index}")));
        nodes.push(node("Mul", &["e", "x"], &format!("m{index}")));
    }
    let found = of(nodes).unwrap();
    assert_eq!(found.program.counts(), [("reciprocal_sqrt", 1), ("exp", 1)]);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// Arithmetic around each curve that is as long as a spelling is looked for.
#[test]
fn curves_in_long_arithmetic_take_bounded_time() {
    let start = Instant::now();
    let mut nodes = Vec::new();
    let mut before = "x".to_owned();
    for index in 0..100_000 {
        let name = format!("v{index}");
        let operator = ["Add", "Mul", "Add", "Sigmoid"][index % 4];
        let inputs = [before.as_str(), before.as_str()];
        let inputs = if operator == "Sigmoid" {
            &inputs[..1]
        } else {
            &inputs[..]
        };
        nodes.push(node(operator, inputs, &name));
        before = name;
    }
    let found = of(nodes).unwrap();
    assert_eq!(found.program.counts(), [("sigmoid", 25_000)]);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
