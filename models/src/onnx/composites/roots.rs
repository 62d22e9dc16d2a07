//! One over a root, and the normalisations that are spelt with it.

use super::super::graph::Graph;
use super::super::messages::NodeProto;
use super::Composites;

/// Adds the root of a node if all that is made of it is one over it: `1 / Sqrt(x)`, `y / Sqrt(x)`, `Sqrt(1 / x)`.
pub(super) fn find(
    graph: &Graph<'_, '_>,
    index: usize,
    node: &NodeProto,
    composites: &mut Composites,
) -> bool {
    let Some((spelling, others)) = is_root(graph, node)
        .then(|| inverse_before(graph, node).or_else(|| inverses_behind(graph, node)))
        .flatten()
    else {
        return false;
    };
    let spelling = node
        .input
        .first()
        .and_then(|argument| normalisation(graph, argument))
        .unwrap_or(spelling);
    composites.add("reciprocal_sqrt", spelling, index);
    composites.absorbed.extend(others);
    true
}

fn is_root(graph: &Graph<'_, '_>, node: &NodeProto) -> bool {
    match (node.onnx_operator(), node.input.as_slice()) {
        (Some("Sqrt"), _) => true,
        (Some("Pow"), [_, exponent]) => graph.constant(exponent) == Some(0.5),
        _ => false,
    }
}

/// The inverse that the root is taken of.
fn inverse_before(graph: &Graph<'_, '_>, root: &NodeProto) -> Option<(&'static str, Vec<usize>)> {
    let argument = root.input.first()?;
    graph.only_user(argument)?;
    let (index, inverse) = graph.producer(argument)?;
    let is_inverse = match (inverse.onnx_operator()?, inverse.input.as_slice()) {
        ("Reciprocal", _) => true,
        ("Div", [dividend, _]) => graph.constant(dividend) == Some(1.0),
        _ => false,
    };
    is_inverse.then_some(("Sqrt of Reciprocal", vec![index]))
}

/// The value whose inverse a root is taken of, where that makes the two one function.
pub(in super::super) fn inverse_below_root<'g>(
    graph: &Graph<'_, 'g>,
    root: &NodeProto,
) -> Option<&'g str> {
    inverse_before(graph, root)?;
    let (_, inverse) = graph.producer(root.input.first()?)?;
    inverse.input.last().map(String::as_str)
}

/// The inverses that are made of the root, if nothing else is. Divisions stay: their dividend may be anything.
fn inverses_behind(graph: &Graph<'_, '_>, root: &NodeProto) -> Option<(&'static str, Vec<usize>)> {
    let value = root.output.first()?;
    let mut spelling = None;
    let mut inverses = Vec::new();
    for (index, user) in graph.users(value)? {
        spelling = match (user.onnx_operator()?, user.input.as_slice()) {
            ("Reciprocal", _) => {
                inverses.push(index);
                Some("Reciprocal of Sqrt")
            }
            ("Div", [dividend, divisor]) if divisor == value && dividend != value => {
                inverses.push(index);
                Some("Div by Sqrt")
            }
            _ => return None,
        };
    }
    Some((spelling?, inverses))
}

/// The normalisation whose root has this argument: the mean of squares, of what the mean was taken from or not.
fn normalisation(graph: &Graph<'_, '_>, argument: &str) -> Option<&'static str> {
    const LAYER: &str = "layer normalisation, by Sqrt";
    let mut value = argument;
    // The mean of squares less the square of the mean is the variance as well.
    let mut of_difference = false;
    // Past what is added for safety, a scale, a cast, a broadcast.
    for _ in 0..8 {
        let (_, node) = graph.producer(value)?;
        match node.onnx_operator()? {
            "ReduceMean" | "ReduceSum" => {
                let squares = graph.producer(node.input.first()?);
                return Some(match squares.and_then(|(_, node)| squared(graph, node)) {
                    Some(squared) if of_difference || comes_of_sub(graph, squared) => LAYER,
                    Some(_) => "RMS normalisation, by Sqrt",
                    None => "normalisation, by Sqrt",
                });
            }
            "Add" | "Sub" | "Mul" | "Div" | "Max" | "Clip" | "Cast" | "Reshape" | "Unsqueeze"
            | "Squeeze" | "Expand" | "Identity" => {
                of_difference |= node.onnx_operator() == Some("Sub");
                let mut data = node.given_inputs().filter(|name| !graph.is_fixed(name));
                value = data.next()?;
            }
            _ => return None,
        }
    }
    None
}

/// The value that a node squares.
fn squared<'g>(graph: &Graph<'_, 'g>, node: &'g NodeProto) -> Option<&'g str> {
    match (node.onnx_operator()?, node.input.as_slice()) {
        ("Pow", [value, exponent]) if graph.constant(exponent) == Some(2.0) => Some(value),
        ("Mul", [left, right]) if left == right => Some(left),
        _ => None,
    }
}

fn comes_of_sub(graph: &Graph<'_, '_>, value: &str) -> bool {
    let (_, mut node) = match graph.producer(value) {
        Some(made) => made,
        None => return false,
    };
    if let ("Cast", Some(input)) = (node.op_type.as_str(), node.input.first()) {
        node = graph.producer(input).map_or(node, |(_, node)| node);
    }
    node.onnx_operator() == Some("Sub")
}
