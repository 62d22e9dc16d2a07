//! One graph with its values indexed: who makes them, who uses them, which are constants.

use std::collections::{HashMap, HashSet};

use super::attributes::{Attributes, Bindings};
use super::messages::{GraphProto, NodeProto, TensorProto};

/// The nodes of a graph or function body, indexed by the names of their values. `'a` is the model's lifetime, `'s`
/// that of the graphs around.
pub(super) struct Graph<'s, 'a> {
    pub(super) nodes: &'a [NodeProto],
    outer: Option<&'s Graph<'s, 'a>>,
    producers: HashMap<&'a str, usize>,
    /// The node that uses a value, or `None` when it is not a single one (or the value leaves the graph).
    users: HashMap<&'a str, Option<usize>>,
    constants: HashMap<&'a str, f64>,
    /// Values that do not depend on the data: weights, constants, shapes, and what is computed from them alone.
    fixed: HashSet<&'a str>,
}

/// Whether a domain is that of ONNX's own operators.
pub(super) fn is_onnx_domain(domain: &str) -> bool {
    domain.is_empty() || domain == "ai.onnx"
}

impl NodeProto {
    /// The operator, if it is one of ONNX itself.
    pub(super) fn onnx_operator(&self) -> Option<&str> {
        is_onnx_domain(&self.domain).then_some(self.op_type.as_str())
    }

    /// What the node's values are, in words.
    pub(super) fn place(&self) -> &str {
        match (self.name.as_str(), self.output.first()) {
            ("", Some(output)) => output,
            (name, _) => name,
        }
    }

    /// The graphs in its attributes.
    pub(super) fn graphs(&self) -> impl Iterator<Item = &GraphProto> {
        self.attribute
            .iter()
            .flat_map(|attribute| attribute.g.iter().chain(&attribute.graphs))
    }
}

impl<'s, 'a> Graph<'s, 'a> {
    /// Indexes nodes. `outputs` are the values that leave the graph, `outer` is the graph around a branch or loop.
    pub(super) fn new(
        nodes: &'a [NodeProto],
        initializers: &'a [TensorProto],
        outputs: impl Iterator<Item = &'a str>,
        bindings: &Bindings,
        outer: Option<&'s Graph<'s, 'a>>,
    ) -> Self {
        let mut graph = Self {
            nodes,
            outer,
            producers: HashMap::new(),
            users: HashMap::new(),
            constants: HashMap::new(),
            fixed: HashSet::new(),
        };
        for tensor in initializers {
            graph.fixed.insert(&tensor.name);
            graph
                .constants
                .extend(tensor.scalar().map(|value| (tensor.name.as_str(), value)));
        }
        for (index, node) in nodes.iter().enumerate() {
            graph.add(index, node, bindings);
        }
        for output in outputs {
            graph.users.insert(output, None);
        }
        graph
    }

    fn add(&mut self, index: usize, node: &'a NodeProto, bindings: &Bindings) {
        let inputs = || {
            node.input
                .iter()
                .map(String::as_str)
                .filter(|name| !name.is_empty())
        };
        for name in inputs() {
            let user = self.users.entry(name).or_insert(Some(index));
            if *user != Some(index) {
                *user = None;
            }
        }
        let mut inner = Vec::new();
        node.graphs()
            .for_each(|graph| values_used(graph, &mut inner));
        let has_graphs = node.graphs().next().is_some();
        self.users
            .extend(inner.into_iter().map(|name| (name, None)));

        let from_shape = matches!(node.onnx_operator(), Some("Constant" | "Shape" | "Size"));
        let from_fixed =
            !has_graphs && inputs().next().is_some() && inputs().all(|name| self.is_fixed(name));
        for output in &node.output {
            self.producers.insert(output, index);
            if from_shape || from_fixed {
                self.fixed.insert(output);
            }
        }
        let Some(output) = node.output.first() else {
            return;
        };
        let value = match node.onnx_operator() {
            Some("Constant") => constant(Attributes::new(node, bindings)),
            Some("Cast" | "CastLike" | "Identity") => {
                inputs().next().and_then(|name| self.constant(name))
            }
            _ => None,
        };
        self.constants
            .extend(value.map(|value| (output.as_str(), value)));
    }

    /// The value of a scalar constant.
    pub(super) fn constant(&self, name: &str) -> Option<f64> {
        self.scopes()
            .find_map(|graph| graph.constants.get(name))
            .copied()
    }

    /// Whether a value does not depend on the data.
    pub(super) fn is_fixed(&self, name: &str) -> bool {
        self.scopes().any(|graph| graph.fixed.contains(name))
    }

    /// The node of this graph that makes a value.
    pub(super) fn producer(&self, name: &str) -> Option<(usize, &'a NodeProto)> {
        let index = *self.producers.get(name)?;
        Some((index, self.nodes.get(index)?))
    }

    /// The node that uses a value, if it is one alone and the value does not leave the graph.
    pub(super) fn only_user(&self, name: &str) -> Option<(usize, &'a NodeProto)> {
        let index = (*self.users.get(name)?)?;
        Some((index, self.nodes.get(index)?))
    }

    fn scopes(&self) -> impl Iterator<Item = &Graph<'s, 'a>> {
        std::iter::successors(Some(self), |graph| graph.outer)
    }
}

/// Names used anywhere in a branch or loop body. Its own values are among them, which does no harm.
fn values_used<'a>(graph: &'a GraphProto, names: &mut Vec<&'a str>) {
    names.extend(graph.output.iter().map(|output| output.name.as_str()));
    for node in &graph.node {
        names.extend(node.input.iter().map(String::as_str));
        node.graphs().for_each(|inner| values_used(inner, names));
    }
}

/// The scalar that a Constant node holds.
fn constant(attributes: Attributes<'_>) -> Option<f64> {
    if let Some(tensor) = attributes.get("value") {
        return tensor.t.as_ref()?.scalar();
    }
    if let Some(float) = attributes.get("value_float") {
        return Some(float.f.unwrap_or_default().into());
    }
    attributes
        .get("value_int")
        .map(|integer| integer.i.unwrap_or_default() as f64)
}
