//! What goes to standard output: lines, tables, JSON. A reader that went away is no error.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::colour;
use crate::exit::Failure;

/// Standard output.
///
/// `actforge inspect DIR | head` closes the pipe early. From then on everything is dropped in silence and the
/// command goes on, so that its files and its exit code are what they would have been.
pub(crate) struct Output {
    sink: BufWriter<UntilClosed<Stdout>>,
    /// Whether lines and tables are dropped.
    is_quiet: bool,
    has_colour: bool,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        let sink = UntilClosed {
            sink: io::stdout(),
            closed: false,
        };
        Self {
            sink: BufWriter::new(sink),
            is_quiet: false,
            has_colour: colour::for_stream(&io::stdout()),
        }
    }

    /// Drops lines and tables from now on: only what was asked for by name is written, such as JSON.
    pub(crate) fn be_quiet(&mut self) {
        self.is_quiet = true;
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        if self.is_quiet {
            return Ok(());
        }
        let written = if self.has_colour {
            writeln!(self.sink, "{}", colour::verdict(&text.to_string()))
        } else {
            writeln!(self.sink, "{text}")
        };
        written.map_err(refused)
    }

    /// Writes text as it is.
    pub(crate) fn text(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.sink.write_all(text).map_err(refused)
    }

    /// Writes a table, indented by `indent` blanks.
    pub(crate) fn table(&mut self, table: &Table, indent: usize) -> Result<(), Failure> {
        if self.is_quiet {
            return Ok(());
        }
        let text = table.render(indent);
        if !self.has_colour {
            return self.text(text.as_bytes());
        }
        for (k, line) in text.lines().enumerate() {
            if k == 0 {
                self.line(colour::styled(line, colour::TITLE))?;
            } else {
                self.line(line)?;
            }
        }
        Ok(())
    }

    /// Writes JSON, indented.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.text(json_text(value)?.as_bytes())
    }

    /// Says which files were written, as JSON or one a line.
    pub(crate) fn files<P: AsRef<Path>>(
        &mut self,
        files: &[P],
        as_json: bool,
    ) -> Result<(), Failure> {
        let mut shown = files.iter().map(|path| path.as_ref().display().to_string());
        if as_json {
            let files: Vec<String> = shown.collect();
            return self.json(&json!({ "schema_version": 1, "files": files }));
        }
        shown.try_for_each(|path| self.line(path))
    }

    /// Shows what was written so far, before work that takes a while.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.sink.flush().map_err(refused)
    }
}

/// Indented JSON that ends in a newline.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::internal(format!("JSON: {error}")))
}

fn refused(error: io::Error) -> Failure {
    Failure::invalid(
        format!("standard output: cannot be written: {error}"),
        "is the disk full?",
    )
}

/// Drops everything once the other end of the pipe is closed.
struct UntilClosed<W> {
    sink: W,
    closed: bool,
}

impl<W: Write> UntilClosed<W> {
    fn unless_closed<T>(&mut self, result: io::Result<T>, dropped: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.sink.write(bytes);
        self.unless_closed(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.sink.flush();
        self.unless_closed(result, ())
    }
}

/// How a column of a table is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// A table for the terminal: words to the left, numbers to the right, two blanks in between.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns; a title that begins with `>` stands over numbers, aligned to the right.
    pub(crate) fn new(titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('>') {
            Some(title) => (title.to_owned(), Align::Right),
            None => ((*title).to_owned(), Align::Left),
        };
        Self {
            columns: titles.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text, every line indented by `indent` blanks and ended by a newline.
    pub(crate) fn render(&self, indent: usize) -> String {
        let titles: Vec<String> = self
            .columns
            .iter()
            .map(|(title, _)| title.clone())
            .collect();
        let lines: Vec<&Vec<String>> = std::iter::once(&titles).chain(&self.rows).collect();
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for line in lines {
            let mut rendered = " ".repeat(indent);
            let columns = self.columns.iter().zip(&widths).enumerate();
            for (column, ((_, align), width)) in columns {
                let cell = line.get(column).map_or("", String::as_str);
                let gap = if column == 0 { "" } else { "  " };
                let padded = match align {
                    Align::Left => format!("{gap}{cell:<width$}"),
                    Align::Right => format!("{gap}{cell:>width$}"),
                };
                rendered.push_str(&padded);
            }
            text.push_str(rendered.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_aligns_words_and_numbers() {
        let mut table = Table::new(&["function", ">buckets", "note"]);
        table.row(["tanh", "256", "short"].map(str::to_owned));
        table.row(["relu", "4"].map(str::to_owned));
        assert_eq!(
            table.render(2),
            "  function  buckets  note\n  tanh          256  short\n  relu            4\n"
        );
    }

    /// A pipe whose reader takes a few bytes and leaves.
    struct Leaving(usize);

    impl Write for Leaving {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_leaves_is_no_error() {
        let mut sink = UntilClosed {
            sink: Leaving(3),
            closed: false,
        };
        for _ in 0..3 {
            sink.write_all(b"some text").unwrap();
        }
        sink.flush().unwrap();
        assert!(sink.closed);
    }
}
