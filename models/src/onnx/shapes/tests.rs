use super::super::attributes::Bindings;
use super::super::interval::Types;
use super::super::messages::{
    AttributeProto, DimensionProto, GraphProto, NodeProto, TensorProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto,
};
use super::super::tests::{graph, node, read, with};
use super::*;

/// An input with these lengths; -1 where they are not known.
fn given(name: &str, lengths: &[i64]) -> ValueInfoProto {
    let axis = |length: &i64| DimensionProto {
        dim_value: Some(*length),
    };
    let encoded = TypeProto {
        tensor_type: Some(TensorTypeProto {
            elem_type: Some(1),
            shape: Some(TensorShapeProto {
                dim: lengths.iter().map(axis).collect(),
            }),
        }),
    };
    ValueInfoProto {
        name: name.to_owned(),
        r#type: Some(encoded.encode_to_vec().into()),
    }
}

fn list(name: &str, values: &[i64]) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        data_type: 7,
        dims: vec![values.len() as i64],
        int64_data: values.to_vec(),
        ..TensorProto::default()
    }
}

fn integer(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        i: Some(value),
        ..AttributeProto::default()
    }
}

fn integers(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: name.to_owned(),
        ints: values.to_vec(),
        ..AttributeProto::default()
    }
}

/// A graph of these nodes with an input `x` and weights of their own.
fn with_input(nodes: Vec<NodeProto>, lengths: &[i64]) -> GraphProto {
    let mut graph = graph(nodes, &[("least", f32::NEG_INFINITY)]);
    graph.input = vec![given("x", lengths)];
    let weight = |name: &str, dims: &[i64]| TensorProto {
        name: name.to_owned(),
        dims: dims.to_vec(),
        ..TensorProto::default()
    };
    graph.initializer.extend([
        weight("matrix", &[4, 7]),
        weight("kernel", &[8, 3, 5, 5]),
        list("one", &[1]),
        list("zero", &[0]),
        list("two", &[2]),
        list("far", &[i64::from(i32::MAX)]),
        list("pair", &[0, -1]),
        list("last", &[-1]),
        list("wide", &[2, 1, 4]),
    ]);
    graph
}

/// The shape of `y`, as `3 ? 4`; nothing where not even the number of axes is known.
fn shape_of(nodes: Vec<NodeProto>, lengths: &[i64]) -> String {
    let graph = with_input(nodes, lengths);
    let graph = Graph::of_graph(&graph, &Bindings::new(), None, Types::Wide).unwrap();
    let Some(shape) = graph.shape("y") else {
        return "nothing".to_owned();
    };
    let length = |length: &Option<u64>| length.map_or("?".to_owned(), |length| length.to_string());
    shape.iter().map(length).collect::<Vec<_>>().join(" ")
}

#[test]
fn operators_say_the_shape_of_what_comes_out_of_them() {
    let one = |node: NodeProto, lengths: &[i64]| shape_of(vec![node], lengths);
    for (node, lengths, expected) in [
        (node("Relu", &["x"], "y"), &[-1, 3][..], "? 3"),
        (node("Add", &["x", "matrix"], "y"), &[5, 1, 7], "5 4 7"),
        (node("Add", &["x", "matrix"], "y"), &[-1], "4 7"),
        (node("MatMul", &["x", "matrix"], "y"), &[-1, 9, 4], "? 9 7"),
        (node("MatMul", &["x", "matrix"], "y"), &[4], "nothing"),
        (node("Gemm", &["x", "matrix"], "y"), &[-1, 4], "? 7"),
        (
            with(node("Gemm", &["x", "matrix"], "y"), integer("transB", 1)),
            &[2, 7],
            "2 4",
        ),
        (
            node("Conv", &["x", "kernel"], "y"),
            &[1, 3, 64, 64],
            "1 8 ? ?",
        ),
        (
            node("GlobalMaxPool", &["x"], "y"),
            &[-1, 8, -1, -1],
            "? 8 1 1",
        ),
        (node("Flatten", &["x"], "y"), &[-1, 8, 2, 2], "? 32"),
        (node("Reshape", &["x", "pair"], "y"), &[2, 3, 5], "2 15"),
        (node("Reshape", &["x", "pair"], "y"), &[-1, 3], "? ?"),
        (node("Reshape", &["x", "unknown"], "y"), &[2, 3], "nothing"),
        (node("Expand", &["x", "wide"], "y"), &[3, 1], "2 3 4"),
        (node("ConstantOfShape", &["wide"], "y"), &[], "2 1 4"),
        (node("ConstantOfShape", &["unknown"], "y"), &[], "nothing"),
        (node("Transpose", &["x"], "y"), &[1, 2, 3], "3 2 1"),
        (
            with(node("Transpose", &["x"], "y"), integers("perm", &[1, 0, 2])),
            &[1, 2, 3],
            "2 1 3",
        ),
        (node("Squeeze", &["x", "one"], "y"), &[5, 1, 6], "5 6"),
        (node("Unsqueeze", &["x", "last"], "y"), &[5, 6], "5 6 1"),
        (
            with(node("Concat", &["x", "x"], "y"), integer("axis", -1)),
            &[5, 6],
            "5 12",
        ),
        (node("Split", &["x"], "y"), &[5, 6], "? 6"),
        (
            node("Slice", &["x", "zero", "far", "one"], "y"),
            &[5, 6],
            "5 6",
        ),
        (
            node("Slice", &["x", "one", "far", "one"], "y"),
            &[5, 6],
            "5 ?",
        ),
        (
            node("Slice", &["x", "zero", "two", "one"], "y"),
            &[5, 6],
            "5 ?",
        ),
        (node("Gather", &["x", "one"], "y"), &[5, 6], "1 6"),
        (node("ReduceMax", &["x", "one"], "y"), &[5, 6], "5 1"),
        (
            with(
                node("ReduceSum", &["x", "last"], "y"),
                integer("keepdims", 0),
            ),
            &[5, 6],
            "5",
        ),
        (node("ReduceSum", &["x"], "y"), &[5, 6], "nothing"),
        (node("Shape", &["x"], "y"), &[5, 6], "2"),
        (node("NonZero", &["x"], "y"), &[5, 6], "nothing"),
    ] {
        let operator = node.op_type.clone();
        assert_eq!(one(node, lengths), expected, "{operator} of {lengths:?}");
    }
    // Operators of others have any name they like.
    let mut foreign = node("Relu", &["x"], "y");
    foreign.domain = "com.example".to_owned();
    assert_eq!(one(foreign, &[2]), "nothing");
    // More axes than are followed, and lengths whose product is none.
    assert_eq!(one(node("Relu", &["x"], "y"), &[1; 17]), "nothing");
    assert_eq!(
        one(node("Unsqueeze", &["x", "last"], "y"), &[1; 16]),
        "nothing"
    );
    assert_eq!(one(node("Flatten", &["x"], "y"), &[2, i64::MAX, 4]), "2 ?");
}

#[test]
fn shapes_that_are_computed_are_followed() {
    let nodes = vec![
        node("Shape", &["x"], "shape"),
        node("Slice", &["shape", "zero", "one"], "first"),
        with(
            node("Concat", &["first", "two", "last"], "wanted"),
            integer("axis", 0),
        ),
        with(node("Cast", &["wanted"], "cast"), integer("to", 7)),
        node("Reshape", &["x", "cast"], "y"),
    ];
    assert_eq!(shape_of(nodes.clone(), &[3, 4]), "3 2 2");
    assert_eq!(shape_of(nodes, &[-1, 4]), "? 2 ?");
    let nodes = vec![
        node("Shape", &["x"], "shape"),
        node("Gather", &["shape", "one"], "second"),
        node("Expand", &["x", "second"], "y"),
    ];
    assert_eq!(shape_of(nodes, &[5, 1]), "5 1");
}

/// The inputs of the reciprocal.
fn of_reciprocal(graph: GraphProto) -> (f32, f32, String) {
    let inputs = read(graph).program.inputs_of("reciprocal").unwrap();
    (inputs.low, inputs.high, inputs.why.into())
}

#[test]
fn the_sum_of_a_softmax_is_no_larger_than_it_has_elements() {
    let operator = |name: &str, axis: Option<i64>, lengths: &[i64]| {
        let node = node(name, &["x"], "y");
        let node = match axis {
            Some(axis) => with(node, integer("axis", axis)),
            None => node,
        };
        of_reciprocal(with_input(vec![node], lengths)).1
    };
    // Twice as many and a 64th, to eight bits: room for rounding and for the approximation.
    assert_eq!(operator("Softmax", Some(-1), &[-1, -1, 1000]), 2032.0);
    assert_eq!(operator("Softmax", None, &[-1, 64]), 130.0);
    assert_eq!(operator("Softmax", None, &[64]), 130.0);
    // Before opset 13 the axes behind belong to it.
    assert_eq!(operator("Softmax", None, &[-1, 8, 8]), 130.0);
    assert_eq!(operator("Softmax", Some(1), &[-1, 8, 8]), 130.0);
    for lengths in [&[-1, -1][..], &[2, i64::MAX, i64::MAX]] {
        assert_eq!(operator("Softmax", Some(1), lengths), f32::INFINITY);
    }
    let (_, _, why) = of_reciprocal(with_input(vec![node("Softmax", &["x"], "y")], &[1, 64]));
    assert_eq!(
        why,
        "a softmax has exp(0) in its sum, and at most 64 numbers"
    );
}

/// A softmax whose maximum and sum are brought beside the rows again by a shape: `[rows, 1]`, or what `shape` makes of it.
fn spelt(lengths: &[i64], axis: i64, shape: &[&str]) -> (f32, f32) {
    let flat = |operator: &str, input: &str, output: &str| {
        let node = with(node(operator, &[input], output), integers("axes", &[axis]));
        with(node, integer("keepdims", 0))
    };
    let nodes = vec![
        node("Shape", &["x"], "shape"),
        node("Slice", &["shape", "zero", "one"], "rows"),
        with(node("Concat", shape, "wanted"), integer("axis", 0)),
        flat("ReduceMax", "x", "max"),
        node("Max", &["least", "max"], "larger"),
        node("Reshape", &["larger", "wanted"], "column"),
        node("Expand", &["column", "wanted"], "spread"),
        node("Sub", &["x", "spread"], "d"),
        node("Exp", &["d"], "e"),
        flat("ReduceSum", "e", "s"),
        node("Reshape", &["s", "wanted"], "sums"),
        node("Expand", &["sums", "wanted"], "divisor"),
        node("Div", &["e", "divisor"], "y"),
    ];
    let (low, high, _) = of_reciprocal(with_input(nodes, lengths));
    (low, high)
}

#[test]
fn a_maximum_is_found_beside_its_row_behind_another_shape() {
    assert_eq!(spelt(&[-1, 64], 1, &["rows", "one"]), (1.0, 130.0));
    assert_eq!(spelt(&[-1, 64], -1, &["rows", "one"]), (1.0, 130.0));
    assert_eq!(spelt(&[-1, -1], 1, &["rows", "one"]), (1.0, f32::INFINITY));
    // Beside the rows of another axis, or of more than there are.
    let anything = (0.0, f32::INFINITY);
    assert_eq!(spelt(&[-1, 64], 0, &["rows", "one"]), anything);
    assert_eq!(spelt(&[-1, 64], 1, &["one", "rows"]), anything);
    assert_eq!(spelt(&[-1, 64], 1, &["two", "rows", "one"]), anything);
    assert_eq!(spelt(&[-1, 3, 64], 2, &["rows", "one"]), anything);
    // Two lengths that are not known could have changed places.
    let three = |lengths: &[i64]| spelt(lengths, 2, &["rows", "last", "one"]);
    assert_eq!(three(&[-1, -1, 64]), anything);
    assert_eq!(three(&[3, -1, 64]), (1.0, 130.0));
    // A maximum with another number need not be one of the row.
    let mut graph = with_input(
        vec![
            with(node("ReduceMax", &["x"], "max"), integers("axes", &[1])),
            node("Max", &["zero", "max"], "larger"),
            node("Sub", &["x", "larger"], "d"),
            node("Exp", &["d"], "e"),
            with(node("ReduceSum", &["e"], "s"), integers("axes", &[1])),
            node("Div", &["e", "s"], "y"),
        ],
        &[-1, 64],
    );
    assert_eq!(of_reciprocal(graph.clone()).0, 0.0);
    graph.node[1].input[0] = "least".to_owned();
    assert_eq!(of_reciprocal(graph.clone()).0, 1.0);
    // The difference may be taken to another type before.
    graph.node[3].input[0] = "cast".to_owned();
    let cast = with(node("Cast", &["d"], "cast"), integer("to", 1));
    graph.node.insert(3, cast);
    assert_eq!(of_reciprocal(graph).1, 130.0);
}
