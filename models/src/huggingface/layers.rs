//! The order in which a configuration's functions run.
//!
//! A configuration does not say it. What is assumed, here alone: each object of the configuration is a stack of equal
//! layers, one after the other in the order of their numbers; a layer is a norm, the attention (soft capping before the
//! exponential, then the inverse of the sum), a norm and the feed-forward part; the head runs once behind all layers.

use serde_json::{Map, Value};

use super::keys::Place;
use crate::program::Step;

/// Keys that say how many layers there are. Of a model with an encoder and a decoder both are read.
const COUNTS: &[&str] = &[
    "num_hidden_layers",
    "n_layer",
    "n_layers",
    "num_layers",
    "encoder_layers",
    "decoder_layers",
    "num_decoder_layers",
];

/// What was found in one object of a configuration.
pub(super) struct Layers {
    place: Box<str>,
    counts: Vec<u64>,
    norm: Option<Step>,
    capping: Vec<Step>,
    attention: Vec<Step>,
    layer: Vec<Step>,
    head: Vec<Step>,
}

impl Layers {
    pub(super) fn new(path: &str, object: &Map<String, Value>) -> Self {
        let count = |key: &&str| object.get(*key).and_then(Value::as_u64);
        let mut counts: Vec<u64> = COUNTS.iter().filter_map(count).collect();
        // The number of all layers is often there beside those of the parts.
        let whole = object.contains_key("encoder_layers") && object.contains_key("decoder_layers");
        if whole && counts.len() > 2 {
            counts = counts.split_off(counts.len() - 2);
        }
        let place = if path.is_empty() { "layers" } else { path };
        Self {
            place: crate::shown::one_line(place, 77).into(),
            counts,
            norm: None,
            capping: Vec::new(),
            attention: Vec::new(),
            layer: Vec::new(),
            head: Vec::new(),
        }
    }

    /// Adds a function of the object.
    pub(super) fn add(&mut self, place: Place, step: Step, function: &str) {
        match place {
            Place::Norm => self.norm = Some(step),
            Place::Attention if function == "tanh" => self.capping.push(step),
            Place::Attention => self.attention.push(step),
            Place::Layer => self.layer.push(step),
            Place::Head => self.head.push(step),
        }
    }

    /// The steps of the object.
    pub(super) fn steps(self) -> Vec<Step> {
        let norm = || self.norm.iter().cloned();
        let attends = !self.attention.is_empty();
        let mut body: Vec<Step> = Vec::new();
        if attends {
            body.extend(norm());
            body.extend(self.capping.iter().chain(&self.attention).cloned());
        }
        if !self.layer.is_empty() || !attends {
            body.extend(norm());
            body.extend(self.layer.iter().cloned());
        }
        let mut steps = Vec::new();
        if !body.is_empty() {
            let known = self.counts.iter().copied().map(Some);
            let counts: Vec<Option<u64>> = match self.counts.is_empty() {
                true => vec![None],
                false => known.collect(),
            };
            for iterations in counts {
                steps.push(Step::Loop {
                    place: self.place.clone(),
                    iterations,
                    body: body.clone(),
                });
            }
            steps.extend(norm());
        }
        steps.extend(self.head);
        steps
    }
}
