//! What can be wrong with a TOML file a person wrote, said in one line.

use std::fmt;

use super::suggest::did_you_mean;

/// A position in a file; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A value that a rule refuses: what the rule wants, what is there, and the likely intention.
///
/// It carries no place, so that the same rule serves values from a file and values from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// What would have been accepted.
    pub expected: String,
    /// What was found, as written.
    pub found: String,
    /// The accepted word that was probably meant.
    pub hint: Option<String>,
    /// Lines that show the place of the fault inside a longer value: the text, and a caret below it.
    pub drawing: Vec<String>,
}

impl ValueError {
    /// A refusal without a hint.
    pub fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            hint: None,
            drawing: Vec::new(),
        }
    }

    /// A refusal of `word`, which is none of `choices`; hints at the nearest one.
    pub fn not_one_of(word: &str, choices: &[&str]) -> Self {
        Self {
            expected: format!("one of {}", choices.join(", ")),
            found: quoted(word),
            hint: did_you_mean(word, choices).map(str::to_owned),
            drawing: Vec::new(),
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)?;
        write_hint(f, self.hint.as_deref())
    }
}

impl std::error::Error for ValueError {}

/// What is wrong at the place of a [`DocumentError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text is not TOML.
    Syntax {
        /// What the TOML parser says.
        message: String,
    },
    /// A key that has no meaning here; most often a misspelt one.
    UnknownKey {
        /// The keys that have one.
        known: Vec<String>,
        /// The key that was probably meant.
        hint: Option<String>,
    },
    /// A key without which the table means nothing.
    MissingKey {
        /// What it should hold.
        expected: String,
    },
    /// A value that is refused.
    Value(ValueError),
    /// A name that may stand only once.
    Duplicate {
        /// Line of its first use.
        first_line: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message } => write!(f, "not valid TOML: {message}"),
            Self::UnknownKey { known, hint } => {
                write!(f, "unknown key, expected one of {}", known.join(", "))?;
                write_hint(f, hint.as_deref())
            }
            Self::MissingKey { expected } => write!(f, "missing, expected {expected}"),
            Self::Value(error) => error.fmt(f),
            Self::Duplicate { first_line } => write!(f, "stands twice, first on line {first_line}"),
        }
    }
}

/// One thing wrong with a document, and where: `core.toml:7:11: function[gelu].max_ulp: expected ..., found ...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    /// Where it is.
    pub place: Place,
    /// The key it concerns, as a path from the root (`set.name`); empty when it concerns the whole file.
    pub key: String,
    /// What it is.
    pub problem: Box<Problem>,
}

impl DocumentError {
    /// The lines of [`ValueError::drawing`], where the problem is a value.
    pub fn drawing(&self) -> &[String] {
        match self.problem.as_ref() {
            Problem::Value(error) => &error.drawing,
            _ => &[],
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for DocumentError {}

fn write_hint(f: &mut fmt::Formatter<'_>, hint: Option<&str>) -> fmt::Result {
    match hint {
        Some(hint) => write!(f, " (did you mean {hint}?)"),
        None => Ok(()),
    }
}

/// Text from a file, fit for one line of a message: quoted, control characters escaped, cut after 60 characters.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_stays_on_one_short_line() {
        assert_eq!(quoted("a\nb\u{1b}[31m"), "\"a\\nb\\u{1b}[31m\"");
        assert_eq!(quoted(&"x".repeat(1000)).len(), 60 + 3 + 2);
    }

    #[test]
    fn a_refused_word_names_the_choices_and_the_nearest() {
        let error = ValueError::not_one_of("fp23", &["fp32", "bf16", "fp16"]);
        assert_eq!(
            error.to_string(),
            "expected one of fp32, bf16, fp16, found \"fp23\" (did you mean fp32?)"
        );
    }
}
