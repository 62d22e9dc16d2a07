//! Which numbers the values of a graph can be, node by node: what is not known is every number.
//!
//! Each node is looked at once, after those it depends on. What a loop carries from one round to the next, and what a
//! function of the model is called with, is not known.

use super::attributes::Attributes;
use super::composites::inverse_below_root;
use super::graph::{Graph, is_onnx_domain};
use super::interval::{Interval, Types};
use super::messages::{GraphProto, ModelProto, NodeProto, TensorProto};
use super::operators::clip_bounds;
use super::softmax::{Sum, is_below_maximum, sum_behind, sum_of_exponentials, sum_of_operator};
use crate::program::InputRange;

/// `FLOAT16` among ONNX's element types.
const HALF: i64 = 10;

/// The types that a model computes in, by its weights, constants, casts and inputs.
pub(super) fn types_of(model: &ModelProto) -> Types {
    let functions = model.functions.iter().flat_map(|function| &function.node);
    let has_half =
        functions.clone().any(node_has_half) || model.graph.as_ref().is_some_and(graph_has_half);
    if has_half {
        Types::WithHalf
    } else {
        Types::Wide
    }
}

fn graph_has_half(graph: &GraphProto) -> bool {
    // TypeProto { tensor_type: Tensor { elem_type: FLOAT16, .. } }, as it is written: 0a LENGTH 08 0a.
    let is_half_input = |bytes: &[u8]| matches!(bytes, [0x0a, _, 0x08, 0x0a, ..]);
    graph.initializer.iter().any(is_half)
        || graph
            .input
            .iter()
            .any(|input| input.r#type.as_deref().is_some_and(is_half_input))
        || graph.node.iter().any(node_has_half)
}

fn node_has_half(node: &NodeProto) -> bool {
    node.attribute.iter().any(|attribute| {
        attribute.t.as_ref().is_some_and(is_half)
            || attribute.name == "to" && attribute.i == Some(HALF)
            || attribute.name == "dtype" && attribute.i == Some(HALF)
    }) || node.graphs().any(graph_has_half)
}

fn is_half(tensor: &TensorProto) -> bool {
    i64::from(tensor.data_type) == HALF
}

/// What the outputs of a node can be: `None` where that is not known. All outputs of a node are alike here.
pub(super) fn of_node(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
) -> Option<Interval> {
    if !is_onnx_domain(&node.domain) {
        return None;
    }
    let input = |index: usize| {
        node.input
            .get(index)
            .map_or(Interval::ALL, |name| graph.range(name))
    };
    let all = || node.given_inputs().map(|name| graph.range(name));
    let unit = |low: f64| Interval::new(low, 1.0).loose();
    let range = match node.op_type.as_str() {
        // Values as they are.
        "Identity" | "Reshape" | "Transpose" | "Squeeze" | "Unsqueeze" | "Flatten" | "Slice"
        | "Gather" | "GatherElements" | "GatherND" | "Expand" | "Split" | "Tile"
        | "DepthToSpace" | "SpaceToDepth" => input(0),
        "Cast" if matches!(attributes.integer("to", 0), 1 | 10 | 11 | 16) => input(0),
        "Concat" => all().reduce(Interval::union)?,
        "Where" => input(1).union(input(2)),
        // Arithmetic.
        "Add" => input(0).plus(input(1)),
        "Sub" if is_below_maximum(graph, node) => Interval::NOT_POSITIVE,
        "Sub" => input(0).plus(input(1).negated()),
        "Mul" if node.input.first() == node.input.get(1) => input(0).square(),
        "Mul" => input(0).times(input(1)),
        // Hardware multiplies with a reciprocal that is approximated.
        "Div" => input(0).times(input(1).inverse()).loose(),
        "Neg" => input(0).negated(),
        "Abs" => input(0).magnitude(),
        "Reciprocal" => input(0).inverse().loose(),
        "Sqrt" => input(0).through(|x| x.max(0.0).sqrt()).loose(),
        "Pow" => power(input(0), graph.constant(node.input.get(1)?)?)?,
        "Max" => all().reduce(Interval::larger)?,
        "Min" => all().reduce(Interval::smaller)?,
        "Clip" => {
            let bounds = clip_bounds(node, attributes, graph);
            // A bound that is given and no constant may be anything.
            let has = |index: usize| node.input.get(index).is_some_and(|name| !name.is_empty());
            let low = bounds.0.map_or(Interval::ALL, Interval::point);
            let high = bounds.1.map_or(Interval::ALL, Interval::point);
            let clipped = match (bounds.0, has(1)) {
                (None, false) => input(0),
                _ => input(0).larger(low),
            };
            match (bounds.1, has(2)) {
                (None, false) => clipped,
                _ => clipped.smaller(high),
            }
        }
        // Reductions. One over no elements is zero or an infinity, and a mean is computed with errors.
        "ReduceSum" => sum_of_exponentials(graph, node).map_or_else(|| input(0).sign(), Sum::range),
        "ReduceMean" | "Sum" | "Mean" | "AveragePool" | "GlobalAveragePool"
            if node.input.len() == 1 =>
        {
            input(0).sign()
        }
        "ReduceMean" => input(0).sign(),
        "ReduceMax" => Interval::new(f64::NEG_INFINITY, input(0).high),
        "ReduceMin" => Interval::new(input(0).low, f64::INFINITY),
        "ReduceSumSquare" | "ReduceL1" | "ReduceL2" => Interval::NOT_NEGATIVE,
        // Functions.
        "Relu" => input(0).larger(Interval::point(0.0)),
        "Exp" => input(0).through(f64::exp).loose(),
        "Sigmoid" | "HardSigmoid" | "Softmax" => unit(0.0),
        "Tanh" | "Erf" | "Sin" | "Cos" => unit(-1.0),
        "Softplus" => Interval::NOT_NEGATIVE,
        _ => return None,
    };
    (!range.is_all()).then(|| range.rounded(graph.types()))
}

/// Powers with exponents that say something.
fn power(base: Interval, exponent: f64) -> Option<Interval> {
    match exponent {
        2.0 => Some(base.square().loose()),
        0.5 => Some(base.through(|x| x.max(0.0).sqrt()).loose()),
        _ if exponent.rem_euclid(2.0) == 0.0 => Some(Interval::NOT_NEGATIVE),
        _ => None,
    }
}

/// The inputs that a function can get at a node that runs it, where the graph says more than nothing.
pub(super) fn of_use(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    function: &str,
    attributes: Attributes<'_>,
) -> Option<InputRange> {
    if !is_onnx_domain(&node.domain) {
        return None;
    }
    let stated = |low: f64, high: f64, why: &str| {
        let range = Interval::new(low, high).rounded(graph.types());
        Some(InputRange::new(range.low, range.high, why))
    };
    // What is added to a sum of squares, whatever the file says that it is.
    let least = |added: f32| match added > 0.0 {
        true => f64::from(added.min(f32::MAX)),
        false => 0.0,
    };
    const LARGEST: &str = "a softmax takes its largest input off first";
    match (node.op_type.as_str(), function) {
        ("Softmax" | "LogSoftmax", "exp") => return stated(f64::NEG_INFINITY, 0.0, LARGEST),
        ("Softmax", "reciprocal") | ("LogSoftmax", "ln") => {
            let sum = sum_of_operator(graph, node, attributes);
            return stated(sum.range().low, sum.range().high, &sum.reason());
        }
        (
            "LayerNormalization"
            | "RMSNormalization"
            | "GroupNormalization"
            | "InstanceNormalization",
            "reciprocal_sqrt",
        ) => {
            let epsilon = attributes.float("epsilon", 1e-5);
            let why = format!("a normalisation adds {epsilon:?} to a mean of squares");
            return stated(least(epsilon), f64::INFINITY, &why);
        }
        ("LRN", "ln") if attributes.float("alpha", 1e-4) >= 0.0 => {
            let bias = attributes.float("bias", 1.0);
            let why = format!("a local response normalisation adds {bias:?} to a sum of squares");
            return stated(least(bias), f64::INFINITY, &why);
        }
        _ => {}
    }
    let argument = argument(graph, node, function)?;
    let range = graph.range(argument);
    if range.is_all() {
        return None;
    }
    let why = match sum_behind(graph, argument) {
        Some(sum) => sum.reason(),
        None => format!("its input is {}", described(graph, argument, 2)),
    };
    Some(InputRange::new(range.low, range.high, &why))
}

/// The value that a function is taken of.
fn argument<'g>(graph: &Graph<'_, 'g>, node: &'g NodeProto, function: &str) -> Option<&'g str> {
    let first = node.input.first()?.as_str();
    let is_plain = matches!(
        (node.op_type.as_str(), function),
        ("Exp", "exp")
            | ("Log", "ln")
            | ("Sqrt", "sqrt")
            | ("Reciprocal", "reciprocal")
            | ("Sigmoid", "sigmoid")
            | ("Tanh", "tanh")
            | ("Erf", "erf")
            | ("Softplus", "softplus")
            | ("Sin", "sin")
            | ("Cos", "cos")
            | ("Abs", "abs")
            | ("Relu", "relu")
            | ("Pow", "square" | "sqrt" | "reciprocal" | "ln")
    );
    match (node.op_type.as_str(), function) {
        _ if is_plain => Some(first),
        ("Div", "reciprocal") => node.input.get(1).map(String::as_str),
        ("Sqrt" | "Pow", "reciprocal_sqrt") => {
            Some(inverse_below_root(graph, node).unwrap_or(first))
        }
        _ => None,
    }
}

/// How a value is made, in words: the operators, down to a depth.
fn described(graph: &Graph<'_, '_>, value: &str, depth: usize) -> String {
    if let Some(number) = graph.constant(value) {
        return format!("{:?}", number as f32);
    }
    let Some((_, node)) = graph.producer(value) else {
        return "an input".to_owned();
    };
    let operator = crate::shown::one_line(&node.op_type, 24);
    if depth == 0 {
        return operator;
    }
    let data = node.given_inputs().take(4);
    let parts: Vec<String> = data
        .map(|input| described(graph, input, depth - 1))
        .collect();
    format!("{operator}({})", parts.join(", "))
}

#[cfg(test)]
mod tests;
