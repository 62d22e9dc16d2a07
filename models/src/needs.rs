//! What was found in a model: functions with the reasons for them.

use std::collections::BTreeMap;

use crate::program::Program;
use crate::shown::{one_line, quoted};

/// What kind of file the needs were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFormat {
    /// An ONNX model.
    Onnx,
    /// A Hugging Face `config.json`.
    HuggingFaceConfig,
    /// A list of functions, in the order in which they run.
    FunctionList,
}

/// A function the model needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Our name of the function. It need not be in the catalogue (`elu`, `cos`).
    pub function: String,
    /// Why, one line each: which operator or key, how many nodes and the first of them.
    pub reasons: Vec<String>,
}

/// Something that is or may be an activation, for which we have no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownActivation {
    /// What the model calls it.
    pub name: String,
    /// Where it stands, one line each.
    pub reasons: Vec<String>,
}

/// Everything read from one model. The order of needs is that of the names, so it does not depend on that of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelNeeds {
    /// What was read.
    pub format: ModelFormat,
    /// The functions it needs.
    pub needs: Vec<Need>,
    /// The activations we have no name for.
    pub unknown: Vec<UnknownActivation>,
    /// The order in which the functions run.
    pub program: Program,
}

/// Gathers needs; reasons stay in the order in which they came up first.
pub(super) struct Collector {
    functions: BTreeMap<String, Vec<Reason>>,
    unknown: BTreeMap<String, Vec<Reason>>,
}

struct Reason {
    text: String,
    /// For operators: how many nodes, and the first of them.
    nodes: Option<(u64, String)>,
}

impl Collector {
    pub(super) fn new() -> Self {
        Self {
            functions: BTreeMap::new(),
            unknown: BTreeMap::new(),
        }
    }

    /// `function` is needed because of `text`; for an operator `node` is the node's name.
    pub(super) fn need(&mut self, function: &str, text: &str, node: Option<&str>) {
        add(&mut self.functions, function, text, node);
    }

    /// `name` may be an activation, but nothing of ours.
    pub(super) fn unknown(&mut self, name: &str, text: &str, node: Option<&str>) {
        add(&mut self.unknown, name, text, node);
    }

    pub(super) fn finish(self, format: ModelFormat, program: Program) -> ModelNeeds {
        let needs = self.functions.into_iter().map(|(function, reasons)| Need {
            function,
            reasons: lines(reasons),
        });
        let unknown = self
            .unknown
            .into_iter()
            .map(|(name, reasons)| UnknownActivation {
                name: one_line(&name, LONGEST_NAME),
                reasons: lines(reasons),
            });
        ModelNeeds {
            format,
            needs: needs.collect(),
            unknown: unknown.collect(),
            program,
        }
    }
}

/// Reasons kept apart for one name; a model with a hundred branches should not fill the screen.
const MOST_REASONS: usize = 12;
const FURTHER: &str = "further places";

fn add(map: &mut BTreeMap<String, Vec<Reason>>, name: &str, text: &str, node: Option<&str>) {
    let reasons = map.entry(name.to_owned()).or_default();
    let is_kept = reasons.len() < MOST_REASONS || reasons.iter().any(|reason| reason.text == text);
    let text = if is_kept { text } else { FURTHER };
    match reasons.iter_mut().find(|reason| reason.text == text) {
        Some(Reason {
            nodes: Some((count, _)),
            ..
        }) => *count += 1,
        Some(_) => {}
        None => reasons.push(Reason {
            text: text.to_owned(),
            nodes: node.map(|node| (1, node.to_owned())),
        }),
    }
}

fn lines(reasons: Vec<Reason>) -> Vec<String> {
    let line = |Reason { text, nodes }| {
        let text = one_line(&text, LONGEST_REASON);
        match nodes {
            None => text,
            Some((1, node)) => format!("{text}: 1 node, {}", quoted(&node)),
            Some((count, first)) => format!("{text}: {count} nodes, first {}", quoted(&first)),
        }
    };
    reasons.into_iter().map(line).collect()
}

/// Names and reasons hold words of the file; these are the most characters of them that are shown.
const LONGEST_NAME: usize = 80;
const LONGEST_REASON: usize = 300;
