//! A plain list of functions, in the order in which they run: names apart by blanks, commas or lines, `#` begins a comment.

use super::needs::{Collector, ModelFormat, ModelNeeds};
use super::program::{MOST_ACTIVATIONS, ProgramBuilder};
use crate::framework_names::by_framework_name;
use actforge_tables::stock::stock_function;

/// Reads a list; `None` if the text is no list, that is if it holds anything but names or does not begin with one that is
/// known. Unknown names further on are said.
pub(super) fn needs(text: &str) -> Option<ModelNeeds> {
    let mut collector = Collector::new();
    let mut builder = ProgramBuilder::default();
    let mut steps = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let text = text.split('#').next().unwrap_or_default();
        let names = text.split(|c: char| c.is_ascii_whitespace() || c == ',');
        for name in names.filter(|name| !name.is_empty()) {
            let is_name = name.len() <= 60
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
            if !is_name || steps.len() >= MOST_ACTIVATIONS {
                return None;
            }
            let place = format!("line {}", line + 1);
            let function = stock_function(name)
                .map(|function| function.name)
                .or_else(|| by_framework_name(name).map(|known| known.function));
            match function {
                Some(function) => {
                    collector.need(function, "list", Some(&place));
                    steps.push(builder.place(function, "list", &place));
                }
                None if steps.is_empty() => return None,
                None => collector.unknown(name, "list", Some(&place)),
            }
        }
    }
    let program = (!steps.is_empty()).then(|| builder.finish(steps))?;
    Some(collector.finish(ModelFormat::FunctionList, program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_are_translated() {
        let found = needs("swish, exp # twice\n\nexp\nwobble\n").unwrap();
        assert_eq!(found.program.steps.len(), 3);
        assert_eq!(found.program.counts(), [("silu", 1), ("exp", 2)]);
        assert_eq!(found.unknown[0].name, "wobble");
        assert_eq!(found.needs[0].reasons, ["list: 2 nodes, first \"line 1\""]);
    }

    #[test]
    fn other_text_is_no_list() {
        for text in ["", "#", "hello world", "exp(x)", "<html>", "wobble exp"] {
            assert_eq!(needs(text), None, "{text}");
        }
    }
}
