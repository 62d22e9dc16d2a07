//! One graph with its values indexed: who makes them, who uses them, which are constants, and an order to run in.

use std::collections::{HashMap, HashSet};

use super::attributes::{Attributes, Bindings};
use super::interval::{Interval, Types};
use super::messages::{GraphProto, NodeProto, TensorProto, ValueInfoProto};
use super::order::{Circle, order};
use super::ranges;
use super::shapes::{self, Integers, Shape};

/// The nodes of a graph or function body, indexed by the names of their values. `'a` is the model's lifetime, `'s`
/// that of the graphs around.
pub(super) struct Graph<'s, 'a> {
    pub(super) nodes: &'a [NodeProto],
    /// The nodes' indices, each after those it depends on.
    pub(super) order: Vec<usize>,
    outer: Option<&'s Graph<'s, 'a>>,
    producers: HashMap<&'a str, usize>,
    users: HashMap<&'a str, Users>,
    constants: HashMap<&'a str, f64>,
    /// Values that do not depend on the data: weights, constants, shapes, and what is computed from them alone.
    fixed: HashSet<&'a str>,
    /// What the graph is given: of a loop's body, what it carries. No value of the graphs around has these names here.
    inputs: HashSet<&'a str>,
    /// What is known of the values that are not every number.
    ranges: HashMap<&'a str, Interval>,
    /// How long the axes of values are, where something is known of it.
    shapes: HashMap<&'a str, Shape>,
    /// The elements of short lists of integers, which shapes are made of.
    integers: HashMap<&'a str, Integers>,
    types: Types,
}

/// Who uses a value.
#[derive(Default)]
struct Users {
    /// Nodes of the graph itself, each once.
    nodes: Vec<usize>,
    /// Whether something else does: a branch or loop body, or whoever takes the graph's outputs.
    outside: bool,
}

/// An input of a function that the caller gives a value that does not depend on the data.
#[derive(Clone, Copy)]
pub(super) struct FixedInput<'a> {
    pub(super) name: &'a str,
    /// Its value, if that is a number we know.
    pub(super) constant: Option<f64>,
}

/// What surrounds the nodes of a graph.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'s, 'a> {
    /// The graph around a branch or loop.
    pub(super) outer: Option<&'s Graph<'s, 'a>>,
    /// The values that the graph is given.
    pub(super) inputs: &'a [ValueInfoProto],
    /// The types that the model computes in.
    pub(super) types: Types,
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

    /// The values it takes, without those left out.
    pub(super) fn given_inputs(&self) -> impl Iterator<Item = &str> {
        self.input
            .iter()
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    }
}

impl<'s, 'a> Graph<'s, 'a> {
    /// Indexes a graph; `outer` is the graph around a branch or loop.
    pub(super) fn of_graph(
        graph: &'a GraphProto,
        bindings: &Bindings,
        outer: Option<&'s Graph<'s, 'a>>,
        types: Types,
    ) -> Result<Self, Circle> {
        let outputs = graph.output.iter().map(|output| output.name.as_str());
        Self::new(
            &graph.node,
            &graph.initializer,
            &[],
            outputs,
            bindings,
            Surroundings {
                outer,
                inputs: &graph.input,
                types,
            },
        )
    }

    /// Indexes nodes. `outputs` are the values that leave the graph.
    pub(super) fn new(
        nodes: &'a [NodeProto],
        initializers: &'a [TensorProto],
        inputs: &[FixedInput<'a>],
        outputs: impl Iterator<Item = &'a str>,
        bindings: &Bindings,
        around: Surroundings<'s, 'a>,
    ) -> Result<Self, Circle> {
        let mut graph = Self {
            nodes,
            order: Vec::new(),
            outer: around.outer,
            producers: HashMap::new(),
            users: HashMap::new(),
            constants: HashMap::new(),
            fixed: HashSet::new(),
            inputs: around
                .inputs
                .iter()
                .map(|input| input.name.as_str())
                .collect(),
            ranges: HashMap::new(),
            shapes: HashMap::new(),
            integers: HashMap::new(),
            types: around.types,
        };
        for input in around.inputs {
            let shape = shapes::declared(input);
            graph
                .shapes
                .extend(shape.map(|shape| (input.name.as_str(), shape)));
        }
        for tensor in initializers {
            let name = tensor.name.as_str();
            graph.fixed.insert(name);
            graph
                .shapes
                .extend(shapes::of_tensor(tensor).map(|shape| (name, shape)));
            let integers = shapes::integers_of_tensor(tensor);
            graph
                .integers
                .extend(integers.map(|integers| (name, integers)));
            graph
                .constants
                .extend(tensor.uniform().map(|value| (tensor.name.as_str(), value)));
        }
        for input in inputs {
            graph.fixed.insert(input.name);
            graph
                .constants
                .extend(input.constant.map(|value| (input.name, value)));
        }
        for (index, node) in nodes.iter().enumerate() {
            graph.link(index, node);
        }
        graph.order = order(nodes, &graph.producers)?;
        for index in 0..graph.order.len() {
            let node = graph.order.get(index).and_then(|index| nodes.get(*index));
            if let Some(node) = node {
                graph.evaluate(node, bindings);
                graph.note_shape(node, bindings);
                graph.note_range(node, bindings);
            }
        }
        for output in outputs {
            graph.users.entry(output).or_default().outside = true;
        }
        Ok(graph)
    }

    /// Notes what a node makes and uses.
    fn link(&mut self, index: usize, node: &'a NodeProto) {
        for name in node.given_inputs() {
            let users = self.users.entry(name).or_default();
            if users.nodes.last() != Some(&index) {
                users.nodes.push(index);
            }
        }
        for graph in node.graphs() {
            for name in values_from_outside(graph) {
                self.users.entry(name).or_default().outside = true;
            }
        }
        for output in &node.output {
            self.producers.insert(output, index);
        }
    }

    /// Notes what is known of a node's values once its inputs are.
    fn evaluate(&mut self, node: &'a NodeProto, bindings: &Bindings) {
        let has_graphs = node.graphs().next().is_some();
        let from_shape = matches!(node.onnx_operator(), Some("Constant" | "Shape" | "Size"));
        let from_fixed = !has_graphs
            && node.given_inputs().next().is_some()
            && node.given_inputs().all(|name| self.is_fixed(name));
        if !from_shape && !from_fixed {
            return;
        }
        self.fixed.extend(node.output.iter().map(String::as_str));
        let value = self.folded(node, Attributes::new(node, bindings));
        let output = node.output.first().map(String::as_str);
        self.constants.extend(output.zip(value));
    }

    /// Notes what is known of the shapes of a node's values.
    fn note_shape(&mut self, node: &'a NodeProto, bindings: &Bindings) {
        let attributes = Attributes::new(node, bindings);
        // Nodes with more than one output that says something have equal ones.
        let outputs = match node.onnx_operator() {
            Some("Split") => node.output.as_slice(),
            _ => node.output.get(..1).unwrap_or_default(),
        };
        if let Some(shape) = shapes::of_node(self, node, attributes) {
            let outputs = outputs.iter().map(String::as_str);
            self.shapes
                .extend(outputs.map(|output| (output, shape.clone())));
        }
        if let Some(integers) = shapes::integers_of_node(self, node, attributes) {
            let output = node.output.first().map(String::as_str);
            self.integers
                .extend(output.map(|output| (output, integers)));
        }
    }

    /// Notes which numbers a node's values can be.
    fn note_range(&mut self, node: &'a NodeProto, bindings: &Bindings) {
        let is_fixed = node
            .output
            .first()
            .is_none_or(|output| self.is_fixed(output));
        if is_fixed {
            return;
        }
        if let Some(range) = ranges::of_node(self, node, Attributes::new(node, bindings)) {
            let outputs = node.output.iter().map(String::as_str);
            self.ranges.extend(outputs.map(|output| (output, range)));
        }
    }

    /// Which numbers a value can be.
    pub(super) fn range(&self, name: &str) -> Interval {
        if let Some(value) = self.constant(name) {
            return Interval::point(value).rounded(self.types);
        }
        let known = self.owner(name).and_then(|graph| graph.ranges.get(name));
        known.copied().unwrap_or(Interval::ALL)
    }

    /// How long a value's axes are; `None` if not even their number is known.
    pub(super) fn shape(&self, name: &str) -> Option<&[Option<u64>]> {
        self.owner(name)?.shapes.get(name).map(|shape| &**shape)
    }

    /// The elements of a short list of integers, `None` for those that are not known.
    pub(super) fn integers(&self, name: &str) -> Option<&[Option<i64>]> {
        self.owner(name)?.integers.get(name).map(|list| &**list)
    }

    /// The graph that a name is of, of this one and those around: a value of a scope hides those of the same name around it.
    fn owner(&self, name: &str) -> Option<&Graph<'s, 'a>> {
        self.scopes().find(|graph| {
            graph.producers.contains_key(name)
                || graph.fixed.contains(name)
                || graph.inputs.contains(name)
        })
    }

    /// The types that the model computes in.
    pub(super) fn types(&self) -> Types {
        self.types
    }

    /// The number that a node makes of constants.
    fn folded(&self, node: &NodeProto, attributes: Attributes<'_>) -> Option<f64> {
        let operator = node.onnx_operator()?;
        let input = |index: usize| self.constant(node.input.get(index)?);
        let value = match operator {
            "Constant" => return constant(attributes),
            "ConstantOfShape" => match attributes.get("value") {
                Some(value) => return value.t.as_ref()?.uniform(),
                None => 0.0,
            },
            "Cast" | "CastLike" | "Identity" | "Unsqueeze" | "Squeeze" | "Reshape" | "Flatten"
            | "Expand" => input(0)?,
            "Neg" => -input(0)?,
            "Sqrt" => input(0)?.sqrt(),
            "Reciprocal" => input(0)?.recip(),
            "Add" => input(0)? + input(1)?,
            "Sub" => input(0)? - input(1)?,
            "Mul" => input(0)? * input(1)?,
            "Div" => input(0)? / input(1)?,
            "Pow" => input(0)?.powf(input(1)?),
            _ => return None,
        };
        Some(value)
    }

    /// The value of a constant whose elements are all the same.
    pub(super) fn constant(&self, name: &str) -> Option<f64> {
        self.owner(name)?.constants.get(name).copied()
    }

    /// Whether a value does not depend on the data.
    pub(super) fn is_fixed(&self, name: &str) -> bool {
        self.owner(name)
            .is_some_and(|graph| graph.fixed.contains(name))
    }

    /// The node of this graph that makes a value.
    pub(super) fn producer(&self, name: &str) -> Option<(usize, &'a NodeProto)> {
        let index = *self.producers.get(name)?;
        Some((index, self.nodes.get(index)?))
    }

    /// The nodes that use a value; `None` when something else does as well.
    pub(super) fn users(
        &self,
        name: &str,
    ) -> Option<impl Iterator<Item = (usize, &'a NodeProto)> + Clone> {
        let users = self.users.get(name).filter(|users| !users.outside)?;
        let nodes = self.nodes;
        let node = move |index: &usize| Some((*index, nodes.get(*index)?));
        Some(users.nodes.iter().filter_map(node))
    }

    /// The node that uses a value, if it is one alone and the value does not leave the graph.
    pub(super) fn only_user(&self, name: &str) -> Option<(usize, &'a NodeProto)> {
        let mut users = self.users(name)?;
        let user = users.next()?;
        users.next().is_none().then_some(user)
    }

    fn scopes(&self) -> impl Iterator<Item = &Graph<'s, 'a>> {
        std::iter::successors(Some(self), |graph| graph.outer)
    }
}

/// The values that a branch or loop body takes from the graphs around it.
pub(super) fn values_from_outside(graph: &GraphProto) -> Vec<&str> {
    let mut used: Vec<&str> = graph
        .output
        .iter()
        .map(|output| output.name.as_str())
        .collect();
    let mut own: HashSet<&str> = graph
        .input
        .iter()
        .map(|input| input.name.as_str())
        .collect();
    own.extend(graph.initializer.iter().map(|tensor| tensor.name.as_str()));
    for node in &graph.node {
        used.extend(node.given_inputs());
        node.graphs()
            .for_each(|inner| used.extend(values_from_outside(inner)));
        own.extend(node.output.iter().map(String::as_str));
    }
    used.retain(|name| !own.contains(name));
    used
}

/// The number that a Constant node holds.
fn constant(attributes: Attributes<'_>) -> Option<f64> {
    if let Some(tensor) = attributes.get("value") {
        return tensor.t.as_ref()?.uniform();
    }
    if let Some(float) = attributes.get("value_float") {
        return Some(float.f.unwrap_or_default().into());
    }
    if let Some(integer) = attributes.get("value_int") {
        return Some(integer.i.unwrap_or_default() as f64);
    }
    let list: Vec<f64> = match attributes.get("value_floats") {
        Some(floats) => floats.floats.iter().copied().map(f64::from).collect(),
        None => {
            let integers = &attributes.get("value_ints")?.ints;
            integers.iter().map(|value| *value as f64).collect()
        }
    };
    let first = *list.first()?;
    list.iter()
        .all(|value| value.to_bits() == first.to_bits())
        .then_some(first)
}

#[cfg(test)]
mod tests;
