//! Activations that a model spells out in several nodes.

use std::collections::HashSet;

use super::attributes::{Attributes, Bindings};
use super::formula::{Polynomial, Reader, about};
use super::graph::Graph;
use super::messages::NodeProto;

/// A function found in several nodes.
pub(super) struct Composite {
    /// Our name of it.
    pub(super) function: &'static str,
    /// How it is spelt.
    pub(super) spelling: &'static str,
    /// The node of the curve.
    pub(super) node: usize,
}

/// All composites of a graph, and the nodes that are accounted for by them.
pub(super) struct Composites {
    pub(super) found: Vec<Composite>,
    pub(super) absorbed: HashSet<usize>,
}

/// How a function is spelt: a curve of an argument in `x`, and a result in `x` and the curve.
struct Spelling {
    function: &'static str,
    shown: &'static str,
    curve: &'static str,
    /// The operator between argument and curve, for the curve of a curve.
    through: Option<&'static str>,
    /// Terms `(degree of x, 0, coefficient)`.
    argument: &'static [(usize, usize, f64)],
    /// Terms `(degree of x, degree of the curve, coefficient)`.
    result: &'static [(usize, usize, f64)],
}

const X: &[(usize, usize, f64)] = &[(1, 0, 1.0)];
const X_TIMES_CURVE: &[(usize, usize, f64)] = &[(1, 1, 1.0)];
/// `0.5 * x * (1 + curve)`
const HALF_X_TIMES_ONE_PLUS_CURVE: &[(usize, usize, f64)] = &[(1, 0, 0.5), (1, 1, 0.5)];
const ROOT_2_OVER_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;

const SPELLINGS: &[Spelling] = &[
    Spelling {
        function: "gelu",
        shown: "0.5 * x * (1 + Erf(x / sqrt(2)))",
        curve: "Erf",
        through: None,
        argument: &[(1, 0, std::f64::consts::FRAC_1_SQRT_2)],
        result: HALF_X_TIMES_ONE_PLUS_CURVE,
    },
    Spelling {
        function: "gelu_apprx_tanh",
        shown: "0.5 * x * (1 + Tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
        curve: "Tanh",
        through: None,
        argument: &[(1, 0, ROOT_2_OVER_PI), (3, 0, ROOT_2_OVER_PI * 0.044715)],
        result: HALF_X_TIMES_ONE_PLUS_CURVE,
    },
    Spelling {
        function: "gelu_apprx_sigmoid",
        shown: "x * Sigmoid(1.702 * x)",
        curve: "Sigmoid",
        through: None,
        argument: &[(1, 0, 1.702)],
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "silu",
        shown: "x * Sigmoid(x)",
        curve: "Sigmoid",
        through: None,
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "mish",
        shown: "x * Tanh(Softplus(x))",
        curve: "Tanh",
        through: Some("Softplus"),
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "hard_swish",
        shown: "x * HardSigmoid(x) with slope 1/6",
        curve: "HardSigmoid",
        through: None,
        argument: X,
        result: X_TIMES_CURVE,
    },
    Spelling {
        function: "squared_relu",
        shown: "Relu(x)^2",
        curve: "Relu",
        through: None,
        argument: X,
        result: &[(0, 2, 1.0)],
    },
];

fn polynomial(terms: &[(usize, usize, f64)]) -> Polynomial {
    let terms = terms
        .iter()
        .map(|(i, j, coefficient)| Polynomial::term(*i, *j, *coefficient));
    terms.fold(Polynomial::default(), Polynomial::plus)
}

/// Whether a `HardSigmoid` is the one of the hard swish (and of PyTorch): slope 1/6.
pub(super) fn has_slope_of_a_sixth(attributes: Attributes<'_>) -> bool {
    let slope = f64::from(attributes.float("alpha", 0.2));
    let middle = f64::from(attributes.float("beta", 0.5));
    about(slope, 1.0 / 6.0) && about(middle, 0.5)
}

/// Finds the composites of a graph.
pub(super) fn find(graph: &Graph<'_, '_>, bindings: &Bindings) -> Composites {
    let mut composites = Composites {
        found: Vec::new(),
        absorbed: HashSet::new(),
    };
    for (index, node) in graph.nodes.iter().enumerate() {
        if node
            .output
            .first()
            .is_none_or(|output| graph.is_fixed(output))
        {
            continue;
        }
        if let Some((function, spelling)) = root_of_a_divisor(graph, node, &mut composites.absorbed)
        {
            composites.absorbed.insert(index);
            composites.found.push(Composite {
                function,
                spelling,
                node: index,
            });
            continue;
        }
        let operator = node.onnx_operator();
        let spellings = SPELLINGS
            .iter()
            .filter(|spelling| Some(spelling.curve) == operator);
        let matching = spellings
            .filter(|spelling| {
                spelling.curve != "HardSigmoid"
                    || has_slope_of_a_sixth(Attributes::new(node, bindings))
            })
            .find_map(|spelling| Some((spelling, nodes_of(graph, node, spelling)?)));
        if let Some((spelling, nodes)) = matching {
            composites.absorbed.insert(index);
            composites.absorbed.extend(nodes);
            composites.found.push(Composite {
                function: spelling.function,
                spelling: spelling.shown,
                node: index,
            });
        }
    }
    composites
}

/// `1 / Sqrt(x)` and `y / Sqrt(x)`: one over the root is all that is needed, and what a normalisation is spelt with.
fn root_of_a_divisor(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    absorbed: &mut HashSet<usize>,
) -> Option<(&'static str, &'static str)> {
    if node.onnx_operator() != Some("Sqrt") {
        return None;
    }
    let root = node.output.first()?;
    let (index, user) = graph.only_user(root)?;
    match (user.onnx_operator()?, user.input.as_slice()) {
        ("Reciprocal", _) => {
            absorbed.insert(index);
            Some(("reciprocal_sqrt", "Reciprocal of Sqrt"))
        }
        ("Div", [dividend, divisor]) if divisor == root && dividend != root => {
            Some(("reciprocal_sqrt", "Div by Sqrt"))
        }
        _ => None,
    }
}

/// Operators that a spelling may have between the curve and its result.
fn is_arithmetic(node: &NodeProto) -> bool {
    matches!(
        node.onnx_operator(),
        Some("Add" | "Sub" | "Mul" | "Div" | "Pow" | "Neg" | "Cast" | "CastLike" | "Identity")
    )
}

/// The nodes of a spelling around its curve, if the graph has it. The curve must serve nothing else.
fn nodes_of(graph: &Graph<'_, '_>, curve: &NodeProto, spelling: &Spelling) -> Option<Vec<usize>> {
    let curve_value = curve.output.first()?;
    let mut argument = curve.input.first()?;
    let mut nodes = Vec::new();
    if let Some(operator) = spelling.through {
        let (index, between) = graph.producer(argument)?;
        if between.onnx_operator() != Some(operator) || graph.only_user(argument).is_none() {
            return None;
        }
        nodes.push(index);
        argument = between.input.first()?;
    }
    let wanted_argument = polynomial(spelling.argument);
    let wanted_result = polynomial(spelling.result);
    for x in values_behind(graph, argument) {
        let mut reader = Reader::new(graph, x, None);
        if !reader
            .read(argument)
            .is_some_and(|found| found.is_about(&wanted_argument))
        {
            continue;
        }
        let read_for_argument = reader.visited;
        for result in values_after(graph, curve_value) {
            let mut reader = Reader::new(graph, x, Some(curve_value));
            if reader
                .read(result)
                .is_some_and(|found| found.is_about(&wanted_result))
            {
                let read = read_for_argument.iter().chain(&reader.visited);
                nodes.extend(read.filter(|index| serves_only_this(graph, **index, result)));
                return Some(nodes);
            }
        }
    }
    None
}

/// Whether a node's value is the result itself or goes to one place only. Another user would need it on its own.
fn serves_only_this(graph: &Graph<'_, '_>, index: usize, result: &str) -> bool {
    let value = graph.nodes.get(index).and_then(|node| node.output.first());
    value.is_some_and(|value| value == result || graph.only_user(value).is_some())
}

/// The values that `x` may be, seen from the curve's argument: the argument, what it is computed from, and so on.
fn values_behind<'g>(graph: &'g Graph<'_, '_>, argument: &'g str) -> Vec<&'g str> {
    const MOST: usize = 16;
    let mut values = vec![argument];
    let mut next = 0;
    while let Some(value) = values.get(next).copied() {
        next += 1;
        let Some((_, node)) = graph
            .producer(value)
            .filter(|(_, node)| is_arithmetic(node))
        else {
            continue;
        };
        for input in &node.input {
            let known = graph.constant(input).is_some() || values.contains(&input.as_str());
            if !known && values.len() < MOST {
                values.push(input);
            }
        }
    }
    values
}

/// The values that the result may be, seen from the curve: a chain of arithmetic in which every value has one user.
fn values_after<'g>(graph: &'g Graph<'_, '_>, curve: &'g str) -> Vec<&'g str> {
    const MOST: usize = 8;
    let mut values: Vec<&str> = Vec::new();
    let mut value = curve;
    while values.len() < MOST {
        let Some((_, user)) = graph
            .only_user(value)
            .filter(|(_, user)| is_arithmetic(user))
        else {
            break;
        };
        let Some(output) = user.output.first() else {
            break;
        };
        values.push(output);
        value = output;
    }
    values
}
