//! Activations that a model spells out in several nodes.
//!
//! A spelling is a **curve** (one operator that is no arithmetic, or a few nodes that stand for one) with arithmetic before
//! and after it. The arithmetic is compared as polynomials ([`formula`](super::formula)), so that order, grouping and folded
//! constants do not matter.

mod curves;
mod exponential;
mod roots;
mod spellings;

use std::collections::HashSet;

use super::attributes::{Attributes, Bindings};
use super::formula::{Reader, about};
use super::graph::Graph;
use super::messages::NodeProto;
use curves::{Curve, enclosing_curve, plain_curve};
pub(super) use roots::inverse_below_root;
use spellings::{SPELLINGS, Spelling, polynomial};

/// A function found in several nodes.
pub(super) struct Composite {
    /// Our name of it.
    pub(super) function: &'static str,
    /// How it is spelt.
    pub(super) spelling: &'static str,
    /// The node where it is evaluated.
    pub(super) node: usize,
}

/// All composites of a graph, and the nodes that are accounted for by them.
#[derive(Default)]
pub(super) struct Composites {
    pub(super) found: Vec<Composite>,
    pub(super) absorbed: HashSet<usize>,
}

impl Composites {
    fn add(&mut self, function: &'static str, spelling: &'static str, node: usize) {
        self.absorbed.insert(node);
        self.found.push(Composite {
            function,
            spelling,
            node,
        });
    }
}

/// Whether a `HardSigmoid` is the one of the hard swish (and of PyTorch): slope 1/6.
pub(super) fn has_slope_of_a_sixth(attributes: Attributes<'_>) -> bool {
    let slope = f64::from(attributes.float("alpha", 0.2));
    let middle = f64::from(attributes.float("beta", 0.5));
    about(slope, 1.0 / 6.0) && about(middle, 0.5)
}

/// Finds the composites of a graph.
pub(super) fn find(graph: &Graph<'_, '_>, bindings: &Bindings) -> Composites {
    let mut composites = Composites::default();
    // Curves that enclose others come first, so that no part of them is taken for a function of its own.
    for (index, node) in data_nodes(graph) {
        if let Some(curve) = enclosing_curve(graph, bindings, index, node) {
            add_curve(graph, curve, &mut composites);
        }
    }
    for (index, node) in data_nodes(graph) {
        if composites.absorbed.contains(&index) {
            continue;
        }
        let is_special = roots::find(graph, index, node, &mut composites)
            || exponential::find(graph, index, node, &mut composites);
        if !is_special && let Some(curve) = plain_curve(bindings, index, node) {
            add_curve(graph, curve, &mut composites);
        }
    }
    composites.found.sort_by_key(|composite| composite.node);
    composites
}

/// The nodes whose values depend on the data, in the order of the file.
fn data_nodes<'g, 'a>(
    graph: &'g Graph<'_, 'a>,
) -> impl Iterator<Item = (usize, &'a NodeProto)> + use<'g, 'a> {
    graph.nodes.iter().enumerate().filter(|(_, node)| {
        node.output
            .first()
            .is_some_and(|output| !graph.is_fixed(output))
    })
}

/// Adds what a curve is a part of; or the curve itself where it is a function that no single operator names.
fn add_curve(graph: &Graph<'_, '_>, curve: Curve<'_>, composites: &mut Composites) -> bool {
    let spellings = SPELLINGS
        .iter()
        .filter(|spelling| spelling.curve == curve.name);
    let matching = spellings
        .clone()
        .find_map(|spelling| Some((spelling, nodes_of(graph, &curve, spelling)?)));
    let (function, shown) = match (&matching, curve.alone) {
        (Some((spelling, _)), _) => (spelling.function, spelling.shown),
        (None, Some(alone)) => alone,
        (None, None) => return false,
    };
    composites.add(function, shown, curve.node);
    composites.absorbed.extend(curve.nodes);
    composites
        .absorbed
        .extend(matching.into_iter().flat_map(|(_, nodes)| nodes));
    true
}

/// Operators that a spelling may have between the curve and its result.
fn is_arithmetic(node: &NodeProto) -> bool {
    matches!(
        node.onnx_operator(),
        Some("Add" | "Sub" | "Mul" | "Div" | "Pow" | "Neg" | "Cast" | "CastLike" | "Identity")
    )
}

/// The nodes of a spelling around its curve, if the graph has it. The curve must serve nothing else.
fn nodes_of(graph: &Graph<'_, '_>, curve: &Curve<'_>, spelling: &Spelling) -> Option<Vec<usize>> {
    let wanted_argument = polynomial(spelling.argument).scaled(curve.sign);
    let wanted_result = polynomial(spelling.result);
    for x in values_behind(graph, curve.argument) {
        let mut reader = Reader::new(graph, x, None);
        if !reader
            .read(curve.argument)
            .is_some_and(|found| found.is_about(&wanted_argument))
        {
            continue;
        }
        let read_for_argument = reader.visited;
        for result in values_after(graph, curve.value) {
            let mut reader = Reader::new(graph, x, Some(curve.value));
            if reader
                .read(result)
                .is_some_and(|found| found.is_about(&wanted_result))
            {
                let read = read_for_argument.iter().chain(&reader.visited).copied();
                let own = read.filter(|index| serves_only_this(graph, *index, result));
                return Some(own.collect());
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

/// The values that the result may be: the curve's own, and those of a chain of arithmetic behind it in which every value
/// has one user.
fn values_after<'g>(graph: &'g Graph<'_, '_>, curve: &'g str) -> Vec<&'g str> {
    const MOST: usize = 9;
    let mut values = vec![curve];
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

#[cfg(test)]
mod tests;
