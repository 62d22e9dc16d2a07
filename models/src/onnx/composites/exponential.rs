//! What models spell out around `Exp`: softmax, log-softmax, sigmoid, silu and softplus.

use super::super::graph::Graph;
use super::super::messages::NodeProto;
use super::curves::Curve;
use super::{Composites, add_curve};

/// Adds what the `Exp` of a node is a part of; false where it is none, or on its own.
pub(super) fn find(
    graph: &Graph<'_, '_>,
    index: usize,
    node: &NodeProto,
    composites: &mut Composites,
) -> bool {
    node.onnx_operator() == Some("Exp")
        && (softmax(graph, index, node, composites)
            || log_softmax(graph, index, node, composites)
            || one_plus(graph, index, node, composites).is_some())
}

fn is(node: &NodeProto, operator: &str) -> bool {
    node.onnx_operator() == Some(operator)
}

/// `e / ReduceSum(e)`, also by a `Reciprocal`.
fn softmax(
    graph: &Graph<'_, '_>,
    index: usize,
    exp: &NodeProto,
    composites: &mut Composites,
) -> bool {
    const SPELT: &str = "Softmax: Exp over its ReduceSum";
    let found = || {
        let value = exp.output.first()?;
        let users: Vec<_> = graph.users(value)?.take(3).collect();
        let [(_, one), (_, other)] = users.as_slice() else {
            return None;
        };
        let (sum, quotient) = if is(one, "ReduceSum") {
            (one, other)
        } else {
            (other, one)
        };
        let sum = is(sum, "ReduceSum").then_some(sum)?.output.first()?;
        let (sum, user, divisor) = past_shapes(graph, sum)?;
        if is(divisor, "Reciprocal") {
            let inverse = divisor.output.first()?;
            let is_product = is(quotient, "Mul")
                && past_shapes(graph, inverse)
                    .is_some_and(|(_, _, user)| std::ptr::eq(*quotient, user));
            return is_product.then_some(user);
        }
        let is_quotient = is(divisor, "Div")
            && std::ptr::eq(*quotient, divisor)
            && divisor.input.as_slice() == [value.as_str(), sum];
        is_quotient.then_some(user)
    };
    let Some(divisor) = found() else {
        return false;
    };
    composites.add("exp", SPELT, index);
    composites.add("reciprocal", SPELT, divisor);
    true
}

/// The only user of a value that does more than give it another shape; with what it uses and its index.
fn past_shapes<'g>(
    graph: &Graph<'_, 'g>,
    value: &'g str,
) -> Option<(&'g str, usize, &'g NodeProto)> {
    const MOST: usize = 4;
    let mut value = value;
    for _ in 0..=MOST {
        let (index, user) = graph.only_user(value)?;
        match user.onnx_operator()? {
            "Reshape" | "Unsqueeze" | "Squeeze" | "Expand" | "Cast" | "Identity" => {
                value = user.output.first()?;
            }
            _ => return Some((value, index, user)),
        }
    }
    None
}

/// `x - Log(ReduceSum(Exp(x)))`
fn log_softmax(
    graph: &Graph<'_, '_>,
    index: usize,
    exp: &NodeProto,
    composites: &mut Composites,
) -> bool {
    const SPELT: &str = "LogSoftmax: x - Log(ReduceSum(Exp(x)))";
    let found = || {
        let (_, sum) = graph
            .only_user(exp.output.first()?)
            .filter(|(_, sum)| is(sum, "ReduceSum"))?;
        let (_, at, log) =
            past_shapes(graph, sum.output.first()?).filter(|(_, _, log)| is(log, "Log"))?;
        let (log, _, difference) = past_shapes(graph, log.output.first()?)?;
        let wanted = [exp.input.first()?.as_str(), log];
        (is(difference, "Sub") && difference.input.as_slice() == wanted).then_some(at)
    };
    let Some(log) = found() else {
        return false;
    };
    composites.add("exp", SPELT, index);
    composites.add("ln", SPELT, log);
    true
}

/// What follows `1 + Exp(a)`: a `Log` makes it softplus, a division sigmoid or silu.
fn one_plus(
    graph: &Graph<'_, '_>,
    index: usize,
    exp: &NodeProto,
    composites: &mut Composites,
) -> Option<()> {
    let argument = exp.input.first()?;
    let (plus, sum) = one_more(graph, exp.output.first()?)?;
    let (last, user) = graph.only_user(sum)?;
    let curve = |name, sign, alone| {
        Some(Curve {
            name,
            node: index,
            argument: argument.as_str(),
            sign,
            value: user.output.first()?,
            nodes: vec![plus, last],
            alone: Some(alone),
        })
    };
    let curve = match (user.onnx_operator()?, user.input.as_slice()) {
        ("Log", _) => curve("Softplus", 1.0, ("softplus", "Log(1 + Exp(x))"))?,
        ("Reciprocal", _) => curve("Sigmoid", -1.0, SIGMOID)?,
        ("Div", [dividend, divisor]) if divisor == sum && dividend != sum => {
            if graph.constant(dividend) == Some(1.0) {
                curve("Sigmoid", -1.0, SIGMOID)?
            } else if is_negative(graph, argument, dividend) {
                curve("", -1.0, ("silu", "x / (1 + Exp(-x))"))?
            } else {
                curve("", -1.0, ("sigmoid", "y / (1 + Exp(-x))"))?
            }
        }
        _ => return None,
    };
    add_curve(graph, curve, composites).then_some(())
}

const SIGMOID: (&str, &str) = ("sigmoid", "1 / (1 + Exp(-x))");

/// The node that adds one to a value that serves nothing else, and its sum.
fn one_more<'g>(graph: &Graph<'_, 'g>, value: &str) -> Option<(usize, &'g str)> {
    let (index, add) = graph.only_user(value)?;
    let [left, right] = add.input.as_slice() else {
        return None;
    };
    let other = if left == value { right } else { left };
    let is_one_more = is(add, "Add") && graph.constant(other) == Some(1.0);
    is_one_more.then_some((index, add.output.first()?.as_str()))
}

fn is_negative(graph: &Graph<'_, '_>, value: &str, of: &str) -> bool {
    let Some((_, node)) = graph.producer(value) else {
        return false;
    };
    match (node.onnx_operator(), node.input.as_slice()) {
        (Some("Neg"), [input]) => input == of,
        (Some("Mul"), [left, right]) => {
            (left == of && graph.constant(right) == Some(-1.0))
                || (right == of && graph.constant(left) == Some(-1.0))
        }
        _ => false,
    }
}

/// The argument and the nodes of `Log(1 + Exp(x))`, seen from the `Log`, if they serve it alone.
pub(super) fn softplus_before<'g>(
    graph: &Graph<'_, 'g>,
    log: &'g NodeProto,
) -> Option<(&'g str, Vec<usize>)> {
    let sum = log.input.first()?;
    graph.only_user(sum)?;
    let (plus, add) = graph.producer(sum)?;
    let exponential = add.input.iter().find(|name| {
        graph
            .producer(name)
            .is_some_and(|(_, node)| is(node, "Exp"))
    })?;
    let (index, exp) = graph.producer(exponential)?;
    one_more(graph, exponential).filter(|(_, value)| *value == sum.as_str())?;
    Some((exp.input.first()?, vec![plus, index]))
}
