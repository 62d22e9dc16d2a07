use super::super::messages::{AttributeProto, GraphProto, ValueInfoProto};
use super::super::tests::{body, graph, names, node, read, with};

#[test]
fn what_a_body_carries_is_not_the_weight_of_that_name_around_it() {
    let mut inner = graph(
        vec![node("Tanh", &["w"], "t"), node("Mul", &["x", "w"], "y")],
        &[],
    );
    let outer = |inner: GraphProto| {
        graph(
            vec![with(node("Loop", &["", "", "x"], "l"), body("body", inner))],
            &[("w", 0.5)],
        )
    };
    // The weight itself: nothing of it depends on the data.
    assert_eq!(names(&read(outer(inner.clone()))), Vec::<String>::new());
    inner.input.push(ValueInfoProto {
        name: "w".to_owned(),
        r#type: None,
    });
    assert_eq!(names(&read(outer(inner))), ["tanh"]);
}

#[test]
fn constants_may_be_lists_of_one_number() {
    let constant = |attribute: AttributeProto| with(node("Constant", &[], "c"), attribute);
    let floats = |values: &[f32]| AttributeProto {
        name: "value_floats".to_owned(),
        floats: values.to_vec(),
        ..AttributeProto::default()
    };
    let integers = AttributeProto {
        name: "value_ints".to_owned(),
        ints: vec![1, 1],
        ..AttributeProto::default()
    };
    let silu = |one: AttributeProto| {
        let nodes = vec![
            constant(one),
            node("Mul", &["x", "c"], "a"),
            node("Sigmoid", &["a"], "s"),
            node("Mul", &["s", "x"], "y"),
        ];
        names(&read(graph(nodes, &[])))
    };
    assert_eq!(silu(floats(&[1.0])), ["silu"]);
    assert_eq!(silu(integers), ["silu"]);
    assert_eq!(silu(floats(&[1.0, 2.0])), ["sigmoid"]);
}
