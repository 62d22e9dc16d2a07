//! TOML files that people write (build specifications, budgets), read so that every complaint points at its line.
//!
//! A [`Document`] is walked by hand instead of deserialised: a reader asks a [`Table`] for the keys it knows, and
//! each [`Item`] remembers its place and its path. That is what lets a message name the file, line, column, key,
//! what was expected and what was found, also for rules that span several values.

mod error;
mod item;
mod number;
mod source;
mod suggest;

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

pub use error::{DocumentError, Place, Problem, ValueError, quoted};
pub use item::{Item, Table};
pub use number::parse_fp32;
pub use source::{MAX_DOCUMENT_BYTES, ReadError, read_text};
pub use suggest::did_you_mean;

/// A parsed TOML file with the positions of everything in it.
pub struct Document<'t> {
    file: &'t str,
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses `text`; `file` is only what messages call it.
    ///
    /// # Errors
    /// A [`Problem::Syntax`] at the first place that is not TOML (a key given twice included).
    pub fn parse(file: &'t str, text: &'t str) -> Result<Self, DocumentError> {
        match DeTable::parse(text) {
            Ok(root) => Ok(Self { file, text, root }),
            Err(error) => Err(DocumentError {
                place: place(file, text, error.span().unwrap_or(0..0)),
                key: String::new(),
                problem: Box::new(Problem::Syntax {
                    message: error.message().trim().replace('\n', ", "),
                }),
            }),
        }
    }

    /// The top-level table.
    pub fn root(&self) -> Table<'_> {
        Table::new(self, self.root.get_ref(), 0..0, String::new())
    }

    fn error(&self, span: Range<usize>, key: String, problem: Problem) -> DocumentError {
        DocumentError {
            place: place(self.file, self.text, span),
            key,
            problem: Box::new(problem),
        }
    }

    fn place(&self, span: Range<usize>) -> Place {
        place(self.file, self.text, span)
    }
}

fn place(file: &str, text: &str, span: Range<usize>) -> Place {
    let before = text.get(..span.start).unwrap_or(text);
    let start_of_line = before.rfind('\n').map_or(0, |newline| newline + 1);
    Place {
        file: file.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before
            .get(start_of_line..)
            .map_or(0, |line| line.chars().count())
            + 1,
    }
}

#[cfg(test)]
mod tests;
