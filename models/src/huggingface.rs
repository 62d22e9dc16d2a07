//! Hugging Face configurations: the activations that a `config.json` names, and what a transformer implies.

mod keys;
mod layers;

use serde_json::{Map, Value};

use super::error::ModelError;
use super::needs::{Collector, ModelFormat, ModelNeeds};
use super::program::ProgramBuilder;
use crate::framework_names::by_framework_name;
use crate::shown::quoted;
use keys::{
    CODE, FOREIGN_OBJECTS, IMPLICATIONS, Implication, MARKS, Place, SOFTMAX, is_activation,
};
use layers::{Layers, WrongCount};

/// The functions that a configuration needs.
pub(super) fn needs(file: &str, text: &[u8]) -> Result<ModelNeeds, ModelError> {
    let root: Map<String, Value> =
        serde_json::from_slice(text).map_err(|error| ModelError::Json {
            file: file.to_owned(),
            line: error.line(),
            column: error.column(),
            found: error.to_string().replace('\n', " "),
        })?;
    let mut walk = Walk {
        collector: Collector::new(),
        builder: ProgramBuilder::default(),
        steps: Vec::new(),
        activations: 0,
        implications: 0,
        wrong_count: None,
    };
    walk.object("", &root);
    if let Some((path, WrongCount { key, found })) = walk.wrong_count {
        return Err(ModelError::LayerCount {
            file: file.to_owned(),
            key: join(&path, key),
            found,
        });
    }
    let marked = MARKS.iter().any(|key| root.contains_key(*key));
    if walk.activations == 0 && walk.implications == 0 && !marked {
        let found = if root.is_empty() {
            "an empty JSON object".to_owned()
        } else {
            let keys: Vec<_> = root.keys().take(3).map(|key| quoted(key)).collect();
            format!(
                "a JSON object without a key that names an activation, with {}",
                keys.join(", ")
            )
        };
        return Err(ModelError::NotAModel {
            file: file.to_owned(),
            found,
        });
    }
    if walk.activations == 0 {
        let model = root.get("model_type").and_then(Value::as_str).map_or_else(
            || "no activation key".to_owned(),
            |model| {
                format!(
                    "no activation key; model_type {} has it in its code",
                    quoted(model)
                )
            },
        );
        walk.collector
            .unknown("the activation of the feed-forward layers", &model, None);
    }
    let program = walk.builder.finish(walk.steps);
    Ok(walk
        .collector
        .finish(ModelFormat::HuggingFaceConfig, program))
}

struct Walk {
    collector: Collector,
    builder: ProgramBuilder,
    steps: Vec<super::program::Step>,
    activations: usize,
    implications: usize,
    /// The first number of layers that is none, and the object it stands in.
    wrong_count: Option<(String, WrongCount)>,
}

impl Walk {
    /// Recursion is bounded by the parser, which refuses more than 128 levels.
    fn object(&mut self, path: &str, object: &Map<String, Value>) {
        let mut layers = Layers::new(path, object);
        for (key, value) in object {
            let path = join(path, key);
            if let Some(implication) = IMPLICATIONS
                .iter()
                .find(|rule| rule.keys.contains(&key.as_str()))
            {
                self.implication(&path, value, implication, &mut layers);
            } else if is_activation(key, value) {
                let place = Place::of(key);
                self.activation(&path, value, place, &mut layers);
            } else if !FOREIGN_OBJECTS.contains(&key.as_str()) {
                self.nested(&path, value);
            }
        }
        self.in_code(path, object, &mut layers);
        match layers.steps() {
            Ok(steps) => self.steps.extend(steps),
            Err(wrong) => {
                self.wrong_count.get_or_insert((path.to_owned(), wrong));
            }
        }
    }

    fn nested(&mut self, path: &str, value: &Value) {
        match value {
            Value::Object(object) => self.object(path, object),
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.nested(&format!("{path}[{index}]"), element);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The value of an activation key: a name, a list of names, or an object with a name.
    fn activation(&mut self, path: &str, value: &Value, place: Place, layers: &mut Layers) {
        match value {
            Value::String(name) => self.named(path, name, place, layers),
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.activation(&format!("{path}[{index}]"), element, place, layers);
                }
            }
            Value::Object(object) => match object.get("name").or_else(|| object.get("type")) {
                Some(name @ Value::String(_)) => self.activation(path, name, place, layers),
                _ => self.object(path, object),
            },
            // Switched off, or not a name at all.
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn named(&mut self, path: &str, name: &str, place: Place, layers: &mut Layers) {
        self.activations += 1;
        let reason = format!("{path} = {}", quoted(name));
        if name.eq_ignore_ascii_case("softmax") {
            for function in SOFTMAX {
                self.need(function, &reason, path, place, layers);
            }
            return;
        }
        if path.rsplit('.').next() == Some("afn") && name == "gelu" {
            let reason = format!("{reason} (this key means the tanh form by it)");
            self.need("gelu_apprx_tanh", &reason, path, place, layers);
            return;
        }
        match by_framework_name(name) {
            Some(known) if known.remark.is_empty() => {
                self.need(known.function, &reason, path, place, layers)
            }
            Some(known) => {
                let reason = format!("{reason} ({})", known.remark);
                self.need(known.function, &reason, path, place, layers);
            }
            None => self.collector.unknown(name, &reason, None),
        }
    }

    fn need(
        &mut self,
        function: &str,
        reason: &str,
        path: &str,
        place: Place,
        layers: &mut Layers,
    ) {
        self.collector.need(function, reason, None);
        layers.add(place, self.builder.place(function, reason, path), function);
    }

    fn implication(&mut self, path: &str, value: &Value, rule: &Implication, layers: &mut Layers) {
        // A count of zero and a null switch the layer off; lists give a count per stage.
        let present = match value {
            Value::Number(number) => number.as_f64().is_some_and(|number| number > 0.0),
            Value::Array(elements) => !elements.is_empty(),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => false,
        };
        if !present {
            return;
        }
        self.implications += 1;
        let shown = match value {
            Value::Number(number) => number.to_string(),
            _ => "[...]".to_owned(),
        };
        let reason = format!("{path} = {shown} ({})", rule.why);
        for function in rule.functions {
            self.need(function, &reason, path, rule.place, layers);
        }
    }

    /// Activations that stand in a model's code and not in its configuration, or there as a switch.
    fn in_code(&mut self, path: &str, object: &Map<String, Value>, layers: &mut Layers) {
        let switch = object.get("gelu_activation").and_then(Value::as_bool);
        if let Some(on) = switch {
            self.activations += 1;
            let function = if on { "gelu" } else { "relu" };
            let path = join(path, "gelu_activation");
            self.need(
                function,
                &format!("{path} = {on}"),
                &path,
                Place::Layer,
                layers,
            );
        }
        let model = object.get("model_type").and_then(Value::as_str);
        let Some((model, functions)) = CODE.iter().find(|(name, _)| Some(*name) == model) else {
            return;
        };
        self.activations += 1;
        let path = join(path, "model_type");
        for function in *functions {
            let reason = format!("{path} = \"{model}\" (in the code of this model)");
            self.need(function, &reason, &path, Place::Layer, layers);
        }
    }
}

fn join(path: &str, key: &str) -> String {
    let plain = key.len() <= 60
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let key = if plain { key.to_owned() } else { quoted(key) };
    if path.is_empty() {
        key
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod census;
#[cfg(test)]
mod tests;
