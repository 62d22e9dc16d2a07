//! The one command that shows a finding again.

use super::plan::{Check, GatedSet};
use super::witness::Witness;
use crate::budget::Limit;

/// A command that shows what is wrong with a check: the input step by step where there is one, else the figures.
pub(super) fn command(
    gated: &GatedSet<'_>,
    check: &Check<'_>,
    limit: Limit,
    witness: Option<&Witness>,
) -> String {
    let mut words = vec!["actforge".to_owned()];
    let directory = shell_word(gated.directory);
    let function = shell_word(&check.entry.name);
    let is_mean = matches!(limit, Limit::MeanUlp | Limit::MinCorrectlyRounded);
    match witness.filter(|_| !is_mean) {
        Some(witness) => {
            words.extend(["eval".to_owned(), directory, function]);
            words.extend(witness.other.iter().map(|other| other.input.bits.clone()));
            words.push(witness.input.bits.clone());
        }
        None if matches!(limit, Limit::MaxBuckets | Limit::MaxControlWords) => {
            words.extend(["inspect".to_owned(), directory]);
            return words.join(" ");
        }
        None => {
            words.extend([
                "replay".to_owned(),
                directory,
                "--function".to_owned(),
                function,
            ]);
            if check.inputs.dtype.name() != "fp32" {
                words.push(format!("--input {}", check.inputs.dtype.name()));
            }
            if let Some([low, high]) = check.inputs.range {
                words.push(format!("--range {low:?},{high:?}"));
            }
        }
    }
    let own = check.entry.notes.dtype.as_deref().unwrap_or("fp32");
    if own != check.dtype.name() {
        words.push(format!("--output {}", check.dtype.name()));
    }
    if gated.datapath != gated.set.datapath {
        words.push(format!("--datapath {}", gated.datapath));
    }
    words.join(" ")
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let is_plain = !word.is_empty()
        && !word.starts_with('-')
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c));
    if is_plain {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(shell_word("out/demo/core-1.0"), "out/demo/core-1.0");
        assert_eq!(shell_word("my sets/core"), "'my sets/core'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
