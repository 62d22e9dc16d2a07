//! Attribute values of a node, with those of a calling node in place of references.

use std::collections::BTreeMap;

use super::messages::{AttributeProto, NodeProto};

/// The attributes that a function was called with, by name; empty outside functions.
pub(super) type Bindings = BTreeMap<String, AttributeProto>;

/// The attributes of one node.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a> {
    node: &'a NodeProto,
    bindings: &'a Bindings,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(node: &'a NodeProto, bindings: &'a Bindings) -> Self {
        Self { node, bindings }
    }

    /// An attribute; one that refers to an attribute the caller did not give counts as absent.
    pub(super) fn get(self, name: &str) -> Option<&'a AttributeProto> {
        let attribute = self
            .node
            .attribute
            .iter()
            .find(|attribute| attribute.name == name)?;
        if attribute.ref_attr_name.is_empty() {
            Some(attribute)
        } else {
            self.bindings.get(&attribute.ref_attr_name)
        }
    }

    // A present attribute without a value is a zero that proto3 left out.

    pub(super) fn float(self, name: &str, default: f32) -> f32 {
        self.get(name)
            .map_or(default, |attribute| attribute.f.unwrap_or_default())
    }

    pub(super) fn integer(self, name: &str, default: i64) -> i64 {
        self.get(name)
            .map_or(default, |attribute| attribute.i.unwrap_or_default())
    }

    pub(super) fn text(self, name: &str, default: &str) -> String {
        let text = |attribute: &AttributeProto| {
            let bytes = attribute.s.as_deref().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        self.get(name).map_or_else(|| default.to_owned(), text)
    }

    /// A list of strings; `None` when it is absent or empty.
    pub(super) fn texts(self, name: &str) -> Option<Vec<String>> {
        let strings = &self.get(name)?.strings;
        let texts = strings
            .iter()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        (!strings.is_empty()).then(|| texts.collect())
    }

    /// The attributes to hand to a function that this node calls, over the function's own defaults.
    pub(super) fn bind(self, defaults: &[AttributeProto]) -> Bindings {
        let defaults = defaults
            .iter()
            .map(|attribute| (attribute.name.clone(), attribute.clone()));
        let given = self.node.attribute.iter().filter_map(|attribute| {
            let value = self.get(&attribute.name)?;
            Some((
                attribute.name.clone(),
                AttributeProto {
                    name: attribute.name.clone(),
                    ..value.clone()
                },
            ))
        });
        defaults.chain(given).collect()
    }
}
