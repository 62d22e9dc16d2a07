//! The order in which the nodes of a graph run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::graph::values_from_outside;
use super::messages::NodeProto;

/// Nodes that depend on each other, so that none can be the first.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("nodes depend on each other in a circle, among them {node}")]
pub(super) struct Circle {
    /// The first of them, in quotes.
    pub(super) node: String,
}

/// The nodes' indices so that each stands after those it depends on: the order of the file wherever that allows it,
/// as it has to by the ONNX specification.
pub(super) fn order(
    nodes: &[NodeProto],
    producers: &HashMap<&str, usize>,
) -> Result<Vec<usize>, Circle> {
    let needed = |node: &NodeProto| {
        let mut needed: Vec<usize> = node
            .given_inputs()
            .filter_map(|name| producers.get(name).copied())
            .collect();
        for graph in node.graphs() {
            let outside = values_from_outside(graph);
            needed.extend(
                outside
                    .into_iter()
                    .filter_map(|name| producers.get(name).copied()),
            );
        }
        needed
    };
    let sorted = nodes
        .iter()
        .enumerate()
        .all(|(index, node)| needed(node).into_iter().all(|earlier| earlier < index));
    if sorted {
        return Ok((0..nodes.len()).collect());
    }
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut missing: Vec<usize> = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let needed = needed(node);
        if let Some(missing) = missing.get_mut(index) {
            *missing = needed.len();
        }
        for earlier in needed {
            if let Some(followers) = followers.get_mut(earlier) {
                followers.push(index);
            }
        }
    }
    let ready = missing
        .iter()
        .enumerate()
        .filter(|(_, missing)| **missing == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.map(|(index, _)| Reverse(index)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        for follower in followers.get(index).into_iter().flatten() {
            let Some(missing) = missing.get_mut(*follower) else {
                continue;
            };
            *missing -= 1;
            if *missing == 0 {
                ready.push(Reverse(*follower));
            }
        }
    }
    if order.len() == nodes.len() {
        return Ok(order);
    }
    let stuck = missing.iter().position(|missing| *missing > 0);
    let node = stuck.and_then(|index| nodes.get(index));
    Err(Circle {
        node: crate::shown::quoted(node.map_or("", NodeProto::place)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(nodes: &[(&str, &str)]) -> Result<Vec<usize>, Circle> {
        let nodes: Vec<NodeProto> = nodes
            .iter()
            .map(|(input, output)| NodeProto {
                input: vec![(*input).to_owned()],
                output: vec![(*output).to_owned()],
                ..NodeProto::default()
            })
            .collect();
        let producers = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (node.output[0].as_str(), index))
            .collect();
        order(&nodes, &producers)
    }

    #[test]
    fn nodes_stand_after_what_they_need() {
        assert_eq!(sorted(&[("x", "a"), ("a", "b")]), Ok(vec![0, 1]));
        assert_eq!(
            sorted(&[("b", "c"), ("x", "a"), ("a", "b"), ("x", "d")]),
            Ok(vec![1, 2, 0, 3])
        );
    }

    #[test]
    fn a_circle_is_refused() {
        let circle = sorted(&[("x", "a"), ("c", "b"), ("b", "c")]).unwrap_err();
        assert_eq!(circle.node, "\"b\"");
        assert!(sorted(&[("a", "a")]).is_err());
    }
}
