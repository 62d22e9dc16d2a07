//! The order in which a configuration's functions run.
//!
//! A configuration does not say it. What is assumed, here alone: each object of the configuration is a stack of equal
//! layers, one after the other in the order of their numbers; a layer is a norm, the attention (soft capping before the
//! exponential, then the inverse of the sum), a norm and the feed-forward part; the head runs once behind all layers.

use serde_json::{Map, Value};

use super::keys::Place;
use crate::program::Step;

/// Keys that say how many layers there are: spellings of one number, of which the first that is given counts.
const WHOLE: &[&str] = &["num_hidden_layers", "n_layer", "n_layers", "num_layers"];

/// The numbers of a model's two parts, where it has two. The number of all layers is often there beside them.
const PARTS: &[&str] = &["encoder_layers", "decoder_layers"];

/// The number of a second part behind those of [`WHOLE`].
const FURTHER: &[&str] = &["num_decoder_layers"];

/// The most layers; as often as the command counts a loop at most.
const MOST_LAYERS: u64 = 1_000_000_000;

/// A number of layers that is none.
#[derive(Clone, Debug)]
pub(super) struct WrongCount {
    /// The key in its object.
    pub(super) key: &'static str,
    /// What stands there.
    pub(super) found: String,
}

/// The numbers of layers that an object names, one for each stack.
fn counts(object: &Map<String, Value>) -> Result<Vec<u64>, WrongCount> {
    let given = |key: &'static str| Some((key, object.get(key).filter(|value| !value.is_null())?));
    let mut stacks: Vec<_> = PARTS.iter().filter_map(|key| given(key)).collect();
    if stacks.is_empty() {
        stacks.extend(WHOLE.iter().find_map(|key| given(key)));
        stacks.extend(FURTHER.iter().find_map(|key| given(key)));
    }
    let wrong = |key, value: &Value| WrongCount {
        key,
        found: crate::shown::one_line(&value.to_string(), 40),
    };
    let counts = stacks.iter().map(|(key, value)| {
        let count = value.as_u64().filter(|count| *count <= MOST_LAYERS);
        count.ok_or_else(|| wrong(key, value))
    });
    let counts: Vec<u64> = counts.collect::<Result<_, _>>()?;
    // One of two parts may be switched off, but a stack without any layer is a mistake.
    match stacks.first() {
        Some((key, value)) if counts.iter().all(|count| *count == 0) => Err(wrong(key, value)),
        _ => Ok(counts),
    }
}

/// What was found in one object of a configuration.
pub(super) struct Layers {
    place: Box<str>,
    counts: Result<Vec<u64>, WrongCount>,
    norm: Option<Step>,
    capping: Vec<Step>,
    attention: Vec<Step>,
    layer: Vec<Step>,
    head: Vec<Step>,
}

impl Layers {
    pub(super) fn new(path: &str, object: &Map<String, Value>) -> Self {
        let place = if path.is_empty() { "layers" } else { path };
        Self {
            place: crate::shown::one_line(place, 77).into(),
            counts: counts(object),
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

    /// The steps of the object. How many layers there are matters only if something runs in them.
    pub(super) fn steps(self) -> Result<Vec<Step>, WrongCount> {
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
            let known = self.counts?;
            let counts: Vec<Option<u64>> = match known.is_empty() {
                true => vec![None],
                false => known
                    .into_iter()
                    .filter(|count| *count > 0)
                    .map(Some)
                    .collect(),
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
        Ok(steps)
    }
}
