//! The way through a model: its graph, the bodies of branches and loops, and the functions that are called.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use prost::Message;

use super::super::needs::Collector;
use super::super::program::{InputRange, MOST_ACTIVATIONS, Program, ProgramBuilder, Step};
use super::attributes::{Attributes, Bindings};
use super::composites;
use super::graph::{FixedInput, Graph, Surroundings};
use super::interval::Types;
use super::messages::{FunctionProto, GraphProto, ModelProto, NodeProto};
use super::operators::{Finding, findings, is_known_domain, is_recurrent};
use super::order::Circle;
use super::ranges::{of_use, types_of};
use crate::shown::quoted;

/// The most pairs of a function and its attributes that are looked at. Exporters define some hundred functions;
/// a model could be made in which the number of pairs explodes.
const MOST_CALLS: usize = 20_000;

/// The most nodes that are looked at; those of a function count for each of its different calls.
const MOST_NODES: usize = 1 << 22;

/// The most bodies and calls within each other.
const MOST_LEVELS: usize = 96;

/// Why a model that could be decoded has no program.
#[derive(Debug, thiserror::Error)]
pub(super) enum WalkError {
    #[error("expected at most {MOST_CALLS} different calls of its functions, found more")]
    TooManyCalls,
    #[error("function {function} calls itself, which no function of a model may")]
    Recursion { function: String },
    #[error("expected at most {MOST_LEVELS} bodies and calls within each other, found more")]
    TooDeep,
    #[error(
        "expected at most {MOST_ACTIVATIONS} activations with all calls written out, found more"
    )]
    TooLong,
    #[error(
        "expected at most {MOST_NODES} nodes, those of a function counted for each different call, found more"
    )]
    TooManyNodes,
    #[error(transparent)]
    Circle(#[from] Circle),
}

/// A function by domain, name and overload.
type FunctionKey<'a> = (&'a str, &'a str, &'a str);

/// The steps of a function for one set of attributes; `None` while they are being collected.
type Body = Option<Rc<[Step]>>;

struct Walk<'a> {
    collector: Collector,
    builder: ProgramBuilder,
    functions: BTreeMap<FunctionKey<'a>, &'a FunctionProto>,
    /// By encoded call.
    bodies: HashMap<Vec<u8>, Body>,
    types: Types,
    /// Bodies and calls around the current node.
    levels: usize,
    /// Nodes looked at.
    nodes: usize,
    /// Activations in all bodies, each call written out.
    activations: usize,
}

/// The surroundings of a node.
struct Scope<'w> {
    bindings: &'w Bindings,
    /// Follows the operator's name in reasons.
    place: &'w str,
}

/// Collects the needs and the program of a whole model.
pub(super) fn walk(model: &ModelProto) -> Result<(Collector, Program), WalkError> {
    let functions = model.functions.iter().map(|function| {
        (
            (
                plain(&function.domain),
                function.name.as_str(),
                function.overload.as_str(),
            ),
            function,
        )
    });
    let mut walk = Walk {
        collector: Collector::new(),
        builder: ProgramBuilder::default(),
        functions: functions.collect(),
        bodies: HashMap::new(),
        types: types_of(model),
        levels: 0,
        nodes: 0,
        activations: 0,
    };
    let mut steps = Vec::new();
    if let Some(graph) = &model.graph {
        let scope = Scope {
            bindings: &Bindings::new(),
            place: "",
        };
        steps = walk.graph(graph, None, &scope)?;
    }
    Ok((walk.collector, walk.builder.finish(steps)))
}

/// The two spellings of ONNX's own domain are one.
fn plain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

impl<'a> Walk<'a> {
    fn graph(
        &mut self,
        graph: &'a GraphProto,
        outer: Option<&Graph<'_, 'a>>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Step>, WalkError> {
        let graph = Graph::of_graph(graph, scope.bindings, outer, self.types)?;
        self.nodes(&graph, scope)
    }

    fn nodes(&mut self, graph: &Graph<'_, 'a>, scope: &Scope<'_>) -> Result<Vec<Step>, WalkError> {
        if self.levels >= MOST_LEVELS {
            return Err(WalkError::TooDeep);
        }
        self.levels += 1;
        self.nodes = self.nodes.saturating_add(graph.nodes.len());
        if self.nodes > MOST_NODES {
            return Err(WalkError::TooManyNodes);
        }
        let composites = composites::find(graph, scope.bindings);
        let mut steps = Vec::new();
        for index in &graph.order {
            let Some(node) = graph.nodes.get(*index) else {
                continue;
            };
            let found = &composites.found;
            let first = found.partition_point(|composite| composite.node < *index);
            for composite in found.iter().skip(first) {
                if composite.node != *index {
                    break;
                }
                let reason = format!("{}{}", composite.spelling, scope.place);
                let attributes = Attributes::new(node, scope.bindings);
                let range = of_use(graph, node, composite.function, attributes);
                steps.push(self.activation(composite.function, &reason, node, range)?);
            }
            self.bodies_of(node, graph, scope, &mut steps)?;
            let is_fixed = node
                .output
                .first()
                .is_some_and(|output| graph.is_fixed(output));
            if !composites.absorbed.contains(index) && !is_fixed {
                self.node(node, graph, scope, &mut steps)?;
            }
        }
        self.levels -= 1;
        Ok(steps)
    }

    /// One place where a function is used.
    fn activation(
        &mut self,
        function: &str,
        reason: &str,
        node: &NodeProto,
        range: Option<InputRange>,
    ) -> Result<Step, WalkError> {
        self.count(1)?;
        self.collector.need(function, reason, Some(node.place()));
        Ok(self
            .builder
            .place_within(function, reason, node.place(), range))
    }

    fn count(&mut self, activations: usize) -> Result<(), WalkError> {
        self.activations += activations;
        if self.activations > MOST_ACTIVATIONS {
            return Err(WalkError::TooLong);
        }
        Ok(())
    }

    /// The steps in the graphs of a node's attributes.
    fn bodies_of(
        &mut self,
        node: &'a NodeProto,
        graph: &Graph<'_, 'a>,
        scope: &Scope<'_>,
        steps: &mut Vec<Step>,
    ) -> Result<(), WalkError> {
        let mut bodies = Vec::new();
        for inner in node.graphs() {
            // Reasons of a deep body would grow with its depth: name the innermost only.
            let inner_scope = Scope {
                bindings: scope.bindings,
                place: &format!(" in a body of {}", quoted(node.place())),
            };
            bodies.push(self.graph(inner, Some(graph), &inner_scope)?);
        }
        if bodies.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let place: Box<str> = crate::shown::one_line(node.place(), 77).into();
        if node.onnx_operator() == Some("If") {
            steps.push(Step::Choice {
                place,
                branches: bodies,
            });
            return Ok(());
        }
        // A Loop says how often at most, unless it also has a condition. Lengths of sequences are not in the graph.
        let iterations = match (node.onnx_operator(), node.input.as_slice()) {
            (Some("Loop"), [count, rest @ ..])
                if rest.first().is_none_or(|condition| condition.is_empty()) =>
            {
                let count = graph.constant(count).filter(|count| *count >= 0.0);
                count.map(|count| count as u64)
            }
            _ => None,
        };
        for body in bodies {
            steps.push(Step::Loop {
                place: place.clone(),
                iterations,
                body,
            });
        }
        Ok(())
    }

    fn node(
        &mut self,
        node: &'a NodeProto,
        graph: &Graph<'_, 'a>,
        scope: &Scope<'_>,
        steps: &mut Vec<Step>,
    ) -> Result<(), WalkError> {
        let attributes = Attributes::new(node, scope.bindings);
        let key = (
            plain(&node.domain),
            node.op_type.as_str(),
            node.overload.as_str(),
        );
        if let Some(function) = self.functions.get(&key).copied() {
            let bindings = attributes.bind(&function.attribute_proto);
            let body = self.call(function, node, graph, &bindings)?;
            steps.extend(body.iter().cloned());
            return Ok(());
        }
        if !is_known_domain(&node.domain) {
            let name = format!("{}.{}", node.domain, node.op_type);
            let reason = format!("operator of a domain we do not know{}", scope.place);
            self.collector.unknown(&name, &reason, Some(node.place()));
            return Ok(());
        }
        let mut own = Vec::new();
        for finding in findings(node, attributes, graph) {
            match finding {
                Finding::Need(function, reason) => {
                    let reason = format!("{reason}{}", scope.place);
                    let range = of_use(graph, node, function, attributes);
                    own.push(self.activation(function, &reason, node, range)?);
                }
                Finding::Unknown(name) => {
                    let reason = format!("operator{}", scope.place);
                    self.collector.unknown(&name, &reason, Some(node.place()));
                }
            }
        }
        if is_recurrent(&node.op_type) && !own.is_empty() {
            let place = crate::shown::one_line(node.place(), 77).into();
            own = vec![Step::Loop {
                place,
                iterations: None,
                body: own,
            }];
        }
        steps.extend(own);
        Ok(())
    }

    /// The steps of a function as a node calls it.
    fn call(
        &mut self,
        function: &'a FunctionProto,
        node: &'a NodeProto,
        graph: &Graph<'_, 'a>,
        bindings: &Bindings,
    ) -> Result<Rc<[Step]>, WalkError> {
        let pairs = function.input.iter().zip(&node.input);
        let inputs: Vec<FixedInput<'a>> = pairs
            .filter(|(_, given)| graph.is_fixed(given))
            .map(|(name, given)| FixedInput {
                name,
                constant: graph.constant(given),
            })
            .collect();
        let key = encoded(function, &inputs, bindings);
        match self.bodies.get(&key) {
            Some(Some(body)) => {
                let body = Rc::clone(body);
                self.count(activations(&body))?;
                return Ok(body);
            }
            Some(None) => {
                return Err(WalkError::Recursion {
                    function: quoted(&function.name),
                });
            }
            None => {}
        }
        if self.bodies.len() >= MOST_CALLS {
            return Err(WalkError::TooManyCalls);
        }
        self.bodies.insert(key.clone(), None);
        let outputs = function.output.iter().map(String::as_str);
        let graph = Graph::new(
            &function.node,
            &[],
            &inputs,
            outputs,
            bindings,
            Surroundings {
                outer: None,
                inputs: &[],
                types: self.types,
            },
        )?;
        let place = format!(" in function {}", quoted(&function.name));
        let scope = Scope {
            bindings,
            place: &place,
        };
        let body: Rc<[Step]> = self.nodes(&graph, &scope)?.into();
        self.bodies.insert(key, Some(Rc::clone(&body)));
        Ok(body)
    }
}

/// What tells a call from others of the same function.
fn encoded(function: &FunctionProto, inputs: &[FixedInput<'_>], bindings: &Bindings) -> Vec<u8> {
    let mut key = Vec::new();
    for text in [&function.domain, &function.name, &function.overload] {
        key.extend_from_slice(text.as_bytes());
        key.push(0xff); // in no UTF-8 text
    }
    for input in inputs {
        key.extend_from_slice(input.name.as_bytes());
        key.push(0xff);
        key.push(u8::from(input.constant.is_some()));
        key.extend(input.constant.unwrap_or_default().to_bits().to_le_bytes());
    }
    key.push(0xfe);
    for attribute in bindings.values() {
        key.extend(attribute.encode_length_delimited_to_vec());
    }
    key
}

/// The activations in some steps, each place counted once.
fn activations(steps: &[Step]) -> usize {
    let of = |step: &Step| match step {
        Step::Use(_) => 1,
        Step::Loop { body, .. } => activations(body),
        Step::Choice { branches, .. } => branches.iter().map(|branch| activations(branch)).sum(),
    };
    steps.iter().map(of).sum()
}

#[cfg(test)]
mod tests;
