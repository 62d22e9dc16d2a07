//! The way through a model: its graph, the bodies of branches and loops, and the functions that are called.

use std::collections::{BTreeMap, HashSet, VecDeque};

use prost::Message;

use super::super::needs::Collector;
use super::attributes::{Attributes, Bindings};
use super::composites;
use super::graph::Graph;
use super::messages::{FunctionProto, GraphProto, ModelProto, NodeProto};
use super::operators::{Finding, findings, is_known_domain};
use crate::shown::quoted;

/// The most pairs of a function and its attributes that are looked at. Exporters define some hundred functions;
/// a model could be made in which the number of pairs explodes.
const MOST_CALLS: usize = 20_000;

/// A model whose functions call each other with too many different attributes.
#[derive(Debug, thiserror::Error)]
#[error("expected at most {MOST_CALLS} different calls of its functions, found more")]
pub(super) struct TooManyCalls;

/// A function by domain, name and overload.
type FunctionKey<'a> = (&'a str, &'a str, &'a str);

/// A function that is still to be looked at, with the attributes it is called with.
struct Call<'a> {
    function: &'a FunctionProto,
    bindings: Bindings,
}

struct Walk<'a> {
    collector: Collector,
    functions: BTreeMap<FunctionKey<'a>, &'a FunctionProto>,
    calls: VecDeque<Call<'a>>,
    /// Encoded calls that are queued or done.
    known_calls: HashSet<Vec<u8>>,
}

/// Collects the needs of a whole model.
pub(super) fn walk(model: &ModelProto) -> Result<Collector, TooManyCalls> {
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
        functions: functions.collect(),
        calls: VecDeque::new(),
        known_calls: HashSet::new(),
    };
    if let Some(graph) = &model.graph {
        walk.graph(graph, &Bindings::new(), None, "")?;
    }
    while let Some(Call { function, bindings }) = walk.calls.pop_front() {
        let outputs = function.output.iter().map(String::as_str);
        let graph = Graph::new(&function.node, &[], outputs, &bindings, None);
        walk.nodes(
            &graph,
            &bindings,
            &format!(" in function {}", quoted(&function.name)),
        )?;
    }
    Ok(walk.collector)
}

/// The two spellings of ONNX's own domain are one.
fn plain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

impl<'a> Walk<'a> {
    /// `place` follows the operator's name in reasons.
    fn graph(
        &mut self,
        graph: &'a GraphProto,
        bindings: &Bindings,
        outer: Option<&Graph<'_, 'a>>,
        place: &str,
    ) -> Result<(), TooManyCalls> {
        let outputs = graph.output.iter().map(|output| output.name.as_str());
        let graph = Graph::new(&graph.node, &graph.initializer, outputs, bindings, outer);
        self.nodes(&graph, bindings, place)
    }

    fn nodes(
        &mut self,
        graph: &Graph<'_, 'a>,
        bindings: &Bindings,
        place: &str,
    ) -> Result<(), TooManyCalls> {
        let composites = composites::find(graph, bindings);
        for composite in &composites.found {
            let node = graph.nodes.get(composite.node).map(NodeProto::place);
            self.collector.need(
                composite.function,
                &format!("{}{place}", composite.spelling),
                node,
            );
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            for inner in node.graphs() {
                // Reasons of a deep body would grow with its depth: name the innermost only.
                let place = format!(" in a body of {}", quoted(node.place()));
                self.graph(inner, bindings, Some(graph), &place)?;
            }
            let is_fixed = node
                .output
                .first()
                .is_some_and(|output| graph.is_fixed(output));
            if !composites.absorbed.contains(&index) && !is_fixed {
                self.node(node, graph, bindings, place)?;
            }
        }
        Ok(())
    }

    fn node(
        &mut self,
        node: &'a NodeProto,
        graph: &Graph<'_, 'a>,
        bindings: &Bindings,
        place: &str,
    ) -> Result<(), TooManyCalls> {
        let attributes = Attributes::new(node, bindings);
        let key = (
            plain(&node.domain),
            node.op_type.as_str(),
            node.overload.as_str(),
        );
        if let Some(function) = self.functions.get(&key).copied() {
            return self.call(function, attributes.bind(&function.attribute_proto));
        }
        if !is_known_domain(&node.domain) {
            let name = format!("{}.{}", node.domain, node.op_type);
            let reason = format!("operator of a domain we do not know{place}");
            self.collector.unknown(&name, &reason, Some(node.place()));
            return Ok(());
        }
        for finding in findings(node, attributes, graph) {
            match finding {
                Finding::Need(function, reason) => {
                    self.collector
                        .need(function, &format!("{reason}{place}"), Some(node.place()));
                }
                Finding::Unknown(name) => {
                    let reason = format!("operator{place}");
                    self.collector.unknown(&name, &reason, Some(node.place()));
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        function: &'a FunctionProto,
        bindings: Bindings,
    ) -> Result<(), TooManyCalls> {
        let mut key = Vec::new();
        for text in [&function.domain, &function.name, &function.overload] {
            key.extend_from_slice(text.as_bytes());
            key.push(0xff); // in no UTF-8 text
        }
        for attribute in bindings.values() {
            key.extend(attribute.encode_length_delimited_to_vec());
        }
        if self.known_calls.insert(key) {
            if self.known_calls.len() > MOST_CALLS {
                return Err(TooManyCalls);
            }
            self.calls.push_back(Call { function, bindings });
        }
        Ok(())
    }
}
