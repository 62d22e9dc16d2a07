//! The curves that spellings are built around.

use super::super::attributes::{Attributes, Bindings};
use super::super::graph::Graph;
use super::super::messages::NodeProto;
use super::super::operators::clip_bounds;
use super::exponential;
use super::has_slope_of_a_sixth;
use super::spellings::{CLIP_TO_ONE, CLIP_TO_SIX, HARD_SIGMOID, TANH_OF_SOFTPLUS};

/// One operator that is no arithmetic, or a few nodes that stand for one.
pub(super) struct Curve<'g> {
    /// What spellings call it.
    pub(super) name: &'static str,
    /// The node where it is evaluated.
    pub(super) node: usize,
    pub(super) argument: &'g str,
    /// 1, or -1 where the argument's negative is meant.
    pub(super) sign: f64,
    pub(super) value: &'g str,
    /// Its other nodes.
    pub(super) nodes: Vec<usize>,
    /// The function that it is where no spelling matches, and how that is spelt; `None` for an operator.
    pub(super) alone: Option<(&'static str, &'static str)>,
}

/// An operator that spellings know.
pub(super) fn plain_curve<'g>(
    bindings: &Bindings,
    index: usize,
    node: &'g NodeProto,
) -> Option<Curve<'g>> {
    let name = match node.onnx_operator()? {
        "Erf" => "Erf",
        "Tanh" => "Tanh",
        "Sigmoid" => "Sigmoid",
        "Relu" => "Relu",
        "HardSigmoid" if has_slope_of_a_sixth(Attributes::new(node, bindings)) => HARD_SIGMOID,
        _ => return None,
    };
    Some(Curve {
        name,
        node: index,
        argument: node.input.first()?,
        sign: 1.0,
        value: node.output.first()?,
        nodes: Vec::new(),
        alone: None,
    })
}

/// A curve of several nodes, of which the node is the last.
pub(super) fn enclosing_curve<'g>(
    graph: &Graph<'_, 'g>,
    bindings: &Bindings,
    index: usize,
    node: &'g NodeProto,
) -> Option<Curve<'g>> {
    match node.onnx_operator()? {
        "Tanh" => tanh_of_softplus(graph, index, node),
        "Log" => log_of_sigmoid(graph, index, node),
        "Clip" | "Min" | "Max" => clip(graph, bindings, index, node),
        _ => None,
    }
}

fn tanh_of_softplus<'g>(
    graph: &Graph<'_, 'g>,
    index: usize,
    node: &'g NodeProto,
) -> Option<Curve<'g>> {
    let between = node.input.first()?;
    graph.only_user(between)?;
    let (inner, softplus) = graph.producer(between)?;
    let (argument, nodes) = match softplus.onnx_operator()? {
        "Softplus" => (softplus.input.first()?.as_str(), vec![inner]),
        "Log" => {
            let (exp, mut nodes) = exponential::softplus_before(graph, softplus)?;
            nodes.push(inner);
            (exp, nodes)
        }
        _ => return None,
    };
    // Softplus alone is told from the rest of it only if mish follows: tanh is then a function of its own.
    let curve = Curve {
        name: TANH_OF_SOFTPLUS,
        node: index,
        argument,
        sign: 1.0,
        value: node.output.first()?,
        nodes,
        alone: None,
    };
    Some(curve)
}

fn log_of_sigmoid<'g>(
    graph: &Graph<'_, 'g>,
    index: usize,
    node: &'g NodeProto,
) -> Option<Curve<'g>> {
    let between = node.input.first()?;
    graph.only_user(between)?;
    let (inner, sigmoid) = graph.producer(between)?;
    (sigmoid.onnx_operator()? == "Sigmoid").then_some(())?;
    Some(Curve {
        name: "Log(Sigmoid)",
        node: index,
        argument: sigmoid.input.first()?,
        sign: 1.0,
        value: node.output.first()?,
        nodes: vec![inner],
        alone: Some(("logsigmoid", "Log(Sigmoid(x))")),
    })
}

/// `Clip` with both bounds; or `Min`, `Max`, `Relu` and `Clip`s with one bound, one after the other.
fn clip<'g>(
    graph: &Graph<'_, 'g>,
    bindings: &Bindings,
    index: usize,
    node: &'g NodeProto,
) -> Option<Curve<'g>> {
    let value = node.output.first()?;
    let bounds = (node.onnx_operator()? == "Clip")
        .then(|| clip_bounds(node, Attributes::new(node, bindings), graph));
    let (argument, bounds, nodes) = if let Some((Some(low), Some(high))) = bounds {
        (node.input.first()?.as_str(), (low, high), Vec::new())
    } else {
        let (between, outer) = bound(graph, bindings, node)?;
        graph.only_user(between)?;
        let (inner_index, inner) = graph.producer(between)?;
        let (argument, inner) = bound(graph, bindings, inner)?;
        let bounds = match (outer, inner) {
            (Bound::Upper(high), Bound::Lower(low)) | (Bound::Lower(low), Bound::Upper(high)) => {
                (low, high)
            }
            _ => return None,
        };
        (argument, bounds, vec![inner_index])
    };
    let name = match bounds {
        (0.0, 6.0) => CLIP_TO_SIX,
        (0.0, 1.0) => CLIP_TO_ONE,
        _ => return None,
    };
    let is_pair = !nodes.is_empty();
    Some(Curve {
        name,
        node: index,
        argument,
        sign: 1.0,
        value,
        alone: (is_pair && name == CLIP_TO_SIX).then_some(("relu6", "Min and Max of 0 and 6")),
        nodes,
    })
}

enum Bound {
    Lower(f64),
    Upper(f64),
}

/// The value and the constant of a node that bounds a value from one side.
fn bound<'g>(
    graph: &Graph<'_, 'g>,
    bindings: &Bindings,
    node: &'g NodeProto,
) -> Option<(&'g str, Bound)> {
    let operator = node.onnx_operator()?;
    if operator == "Clip" {
        let has = |index: usize| node.input.get(index).is_some_and(|name| !name.is_empty());
        let bound = match clip_bounds(node, Attributes::new(node, bindings), graph) {
            (Some(low), None) if !has(2) => Bound::Lower(low),
            (None, Some(high)) if !has(1) => Bound::Upper(high),
            _ => return None,
        };
        return Some((node.input.first()?, bound));
    }
    let (value, constant) = match node.input.as_slice() {
        [value] if operator == "Relu" => return Some((value, Bound::Lower(0.0))),
        [left, right] => match (graph.constant(left), graph.constant(right)) {
            (None, Some(constant)) => (left, constant),
            (Some(constant), None) => (right, constant),
            _ => return None,
        },
        _ => return None,
    };
    match operator {
        "Min" => Some((value, Bound::Upper(constant))),
        "Max" => Some((value, Bound::Lower(constant))),
        _ => None,
    }
}
