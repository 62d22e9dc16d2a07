//! Histograms as CSV.

use std::ops::RangeInclusive;

use csv::{ReaderBuilder, StringRecord};

use super::{Bin, FunctionBins, Histogram};
use crate::document::{did_you_mean, quoted};

/// The columns of a histogram, in any order.
pub const COLUMNS: [&str; 4] = ["function", "lower", "upper", "count"];

/// The counts above zero that are taken: with these no sum of weights overflows, and none is lost below the least double.
const COUNTS: RangeInclusive<f64> = 1e-100..=1e100;

/// What is wrong with a histogram. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistogramError {
    /// The first row does not name the columns.
    #[error("{file}:{line}: expected a header row with the columns {}, found {found}", COLUMNS.join(", "))]
    Header {
        /// The file.
        file: String,
        /// Where the header stands.
        line: u64,
        /// What is wrong with it.
        found: String,
    },
    /// The text is no CSV.
    #[error("{file}:{line}: not CSV: {found}")]
    Csv {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// What the reader found.
        found: String,
    },
    /// A value that its column does not take.
    #[error("{file}:{line}: {column}: expected {expected}, found {found}")]
    Value {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column.
        column: &'static str,
        /// What it takes.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Nothing to weigh by.
    #[error("{file}: expected bins with a count above 0 for {function}, found none")]
    Empty {
        /// The file.
        file: String,
        /// The function, or `some function` when the file has no rows.
        function: String,
    },
}

impl Histogram {
    /// Reads a histogram: a header row, then one bin a row. `file` is named in errors.
    ///
    /// # Errors
    /// [`HistogramError`] for the first row that is none: unknown or missing columns, values that are no numbers, an upper
    /// end below the lower one, counts that are negative or out of reach, bins of one function that overlap; and for functions
    /// whose counts are all zero.
    pub fn parse(file: &str, text: &str) -> Result<Self, HistogramError> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes());
        let mut record = StringRecord::new();
        let mut columns = None;
        // Bins with the lines they stand in.
        let mut functions: Vec<(String, Vec<(Bin, u64)>)> = Vec::new();
        loop {
            let is_row = reader.read_record(&mut record).map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                let found = error.to_string();
                HistogramError::Csv {
                    file: file.to_owned(),
                    line,
                    found,
                }
            })?;
            if !is_row {
                break;
            }
            let line = record.position().map_or(1, csv::Position::line);
            let Some(columns) = columns else {
                columns = Some(header(file, line, &record)?);
                continue;
            };
            let row = Row {
                file,
                line,
                columns,
                record: &record,
            };
            let (name, bin) = row.read()?;
            match functions.iter_mut().find(|(known, _)| *known == name) {
                Some((_, bins)) => bins.push((bin, line)),
                None => functions.push((name, vec![(bin, line)])),
            }
        }
        if columns.is_none() {
            return Err(HistogramError::Header {
                file: file.to_owned(),
                line: 1,
                found: "no rows".to_owned(),
            });
        }
        let empty = |function: &str| HistogramError::Empty {
            file: file.to_owned(),
            function: function.to_owned(),
        };
        if functions.is_empty() {
            return Err(empty("some function"));
        }
        let mut checked = Vec::new();
        for (name, mut bins) in functions {
            bins.sort_by(|(one, line), (other, other_line)| {
                one.order(other).then(line.cmp(other_line))
            });
            check_overlaps(file, &name, &bins)?;
            if bins.iter().all(|(bin, _)| bin.count == 0.0) {
                return Err(empty(&name));
            }
            let bins = bins.into_iter().map(|(bin, _)| bin).collect();
            checked.push(FunctionBins { name, bins });
        }
        Ok(Self { functions: checked })
    }
}

/// The place of each of [`COLUMNS`] in a row.
fn header(file: &str, line: u64, record: &StringRecord) -> Result<[usize; 4], HistogramError> {
    let refuse = |found: String| HistogramError::Header {
        file: file.to_owned(),
        line,
        found,
    };
    let mut places = [None; 4];
    for (place, title) in record.iter().enumerate() {
        let title = title.trim();
        let Some(known) = COLUMNS.iter().position(|column| *column == title) else {
            let near = did_you_mean(title, &COLUMNS);
            let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
            return Err(refuse(format!(
                "the unknown column {}{near}",
                quoted(title)
            )));
        };
        match places.get_mut(known) {
            Some(taken @ None) => *taken = Some(place),
            _ => return Err(refuse(format!("the column {title} twice"))),
        }
    }
    let [Some(function), Some(lower), Some(upper), Some(count)] = places else {
        let missing = COLUMNS
            .iter()
            .zip(places)
            .filter(|(_, place)| place.is_none());
        let missing: Vec<&str> = missing.map(|(column, _)| *column).collect();
        return Err(refuse(format!("none of {}", missing.join(", "))));
    };
    Ok([function, lower, upper, count])
}

struct Row<'a> {
    file: &'a str,
    line: u64,
    columns: [usize; 4],
    record: &'a StringRecord,
}

impl Row<'_> {
    fn read(&self) -> Result<(String, Bin), HistogramError> {
        if self.record.len() != COLUMNS.len() {
            return Err(HistogramError::Csv {
                file: self.file.to_owned(),
                line: self.line,
                found: format!(
                    "expected {} fields, found {}",
                    COLUMNS.len(),
                    self.record.len()
                ),
            });
        }
        let name = self.field(0);
        if name.is_empty() {
            return Err(self.refuse(0, "the name of a function"));
        }
        let (lower, upper, count) = (self.number(1)?, self.number(2)?, self.number(3)?);
        if upper < lower {
            return Err(self.refuse(2, format!("at least the lower end, {lower:?}")));
        }
        if count != 0.0 && !COUNTS.contains(&count) {
            return Err(self.refuse(3, "0, or a number from 1e-100 to 1e100"));
        }
        Ok((
            name.to_owned(),
            Bin {
                lower,
                upper,
                count: count + 0.0,
            },
        ))
    }

    /// The field of a column of [`COLUMNS`].
    fn field(&self, column: usize) -> &str {
        let place = self.columns.get(column);
        place
            .and_then(|place| self.record.get(*place))
            .unwrap_or_default()
            .trim()
    }

    /// A number; the zeros are one.
    fn number(&self, column: usize) -> Result<f64, HistogramError> {
        let text = self.field(column);
        let is_named = text.bytes().any(|byte| byte.eq_ignore_ascii_case(&b'i'));
        match text.parse::<f64>() {
            Ok(value) if !value.is_nan() && value.is_finite() != is_named => Ok(value + 0.0),
            _ => Err(self.refuse(column, "a decimal number, inf or -inf")),
        }
    }

    fn refuse(&self, column: usize, expected: impl Into<String>) -> HistogramError {
        HistogramError::Value {
            file: self.file.to_owned(),
            line: self.line,
            column: COLUMNS.get(column).copied().unwrap_or_default(),
            expected: expected.into(),
            found: quoted(self.field(column)),
        }
    }
}

/// Refuses sorted bins that share more than an end.
fn check_overlaps(file: &str, function: &str, bins: &[(Bin, u64)]) -> Result<(), HistogramError> {
    for ((bin, line), (next, next_line)) in bins.iter().zip(bins.iter().skip(1)) {
        if bin.overlaps(next) {
            // The row that came later is the one to complain about.
            let (line, other) = (line.max(next_line), line.min(next_line));
            return Err(HistogramError::Value {
                file: file.to_owned(),
                line: *line,
                column: "lower",
                expected: format!("bins of {function} that do not overlap"),
                found: format!(
                    "{:?} to {:?} and {:?} to {:?} (line {other})",
                    bin.lower, bin.upper, next.lower, next.upper
                ),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(text: &str) -> String {
        Histogram::parse("h.csv", text).unwrap_err().to_string()
    }

    #[test]
    fn bins_are_sorted_and_columns_stand_in_any_order() {
        let text = "count, upper,lower,function\n3,1,0.5,tanh\n2,0,0,relu\n0.5,0.5,-inf,tanh\n";
        let histogram = Histogram::parse("h.csv", text).unwrap();
        let names: Vec<&str> = histogram
            .functions()
            .iter()
            .map(|f| f.name.as_str())
            .collect();
        assert_eq!(names, ["tanh", "relu"]);
        let bins = histogram.bins("tanh").unwrap();
        assert_eq!(
            bins[0],
            Bin {
                lower: f64::NEG_INFINITY,
                upper: 0.5,
                count: 0.5
            }
        );
        assert!(bins[0].is_open() && !bins[1].is_open());
        assert_eq!(histogram.bins("exp"), None);
        // A point may stand at the end of a bin, and between two.
        let text = "function,lower,upper,count\nrelu,-1,0,1\nrelu,0,0,7\nrelu,0,1,1\n";
        assert_eq!(
            Histogram::parse("h.csv", text)
                .unwrap()
                .bins("relu")
                .unwrap()
                .len(),
            3
        );
    }

    #[test]
    fn complaints_name_line_column_and_value() {
        let rows = |rows: &str| refused(&format!("function,lower,upper,count\n{rows}"));
        for (found, expected) in [
            (
                refused(""),
                "h.csv:1: expected a header row with the columns function, lower, upper, count, found no rows",
            ),
            (
                refused("function,lower,uper,count\n"),
                "h.csv:1: expected a header row with the columns function, lower, upper, count, found the unknown column \"uper\" (did you mean upper?)",
            ),
            (
                refused("function,lower,upper\n"),
                "h.csv:1: expected a header row with the columns function, lower, upper, count, found none of count",
            ),
            (
                refused("function,lower,lower,count\n"),
                "h.csv:1: expected a header row with the columns function, lower, upper, count, found the column lower twice",
            ),
            (
                rows(""),
                "h.csv: expected bins with a count above 0 for some function, found none",
            ),
            (
                rows("exp,0,1,0\n"),
                "h.csv: expected bins with a count above 0 for exp, found none",
            ),
            (
                rows("exp,0,1,2\nexp,0,one,2\n"),
                "h.csv:3: upper: expected a decimal number, inf or -inf, found \"one\"",
            ),
            (
                rows("exp,nan,1,2\n"),
                "h.csv:2: lower: expected a decimal number, inf or -inf, found \"nan\"",
            ),
            (
                rows("exp,0,1e999,2\n"),
                "h.csv:2: upper: expected a decimal number, inf or -inf, found \"1e999\"",
            ),
            (
                rows("exp,1,0,2\n"),
                "h.csv:2: upper: expected at least the lower end, 1.0, found \"0\"",
            ),
            (
                rows("exp,0,1,-2\n"),
                "h.csv:2: count: expected 0, or a number from 1e-100 to 1e100, found \"-2\"",
            ),
            (
                rows("exp,0,1,inf\n"),
                "h.csv:2: count: expected 0, or a number from 1e-100 to 1e100, found \"inf\"",
            ),
            // Two of these have no sum, and a part of this one no weight.
            (
                rows("exp,0,1,1\nexp,1,2,1e308\n"),
                "h.csv:3: count: expected 0, or a number from 1e-100 to 1e100, found \"1e308\"",
            ),
            (
                rows("exp,0,1,1e-320\n"),
                "h.csv:2: count: expected 0, or a number from 1e-100 to 1e100, found \"1e-320\"",
            ),
            (
                rows(",0,1,1\n"),
                "h.csv:2: function: expected the name of a function, found \"\"",
            ),
            (
                rows("exp,0,1\n"),
                "h.csv:2: not CSV: expected 4 fields, found 3",
            ),
            (
                rows("exp,0,2,1\nexp,3,4,1\nexp,1,3,1\n"),
                "h.csv:4: lower: expected bins of exp that do not overlap, found 0.0 to 2.0 and 1.0 to 3.0 (line 2)",
            ),
            (
                rows("exp,1,1,1\nexp,1,1,1\n"),
                "h.csv:3: lower: expected bins of exp that do not overlap, found 1.0 to 1.0 and 1.0 to 1.0 (line 2)",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(function,lower,upper,count\n)?[a-z0-9.,\"\n\\-]{0,80}") {
            let _ = Histogram::parse("h.csv", &text);
        }

        #[test]
        fn bins_that_were_read_do_not_overlap(ends in prop::collection::vec((-9_i32..9, 0_i32..4), 1..6)) {
            let rows: Vec<String> = ends.iter().map(|(low, width)| format!("f,{low},{},1\n", low + width)).collect();
            let text = format!("function,lower,upper,count\n{}", rows.concat());
            let apart = |(a, w): (i32, i32), (b, v): (i32, i32)| a + w <= b || b + v <= a;
            let mut is_fine = true;
            for (k, one) in ends.iter().enumerate() {
                for other in &ends[..k] {
                    is_fine &= apart(*one, *other) && one != other;
                }
            }
            prop_assert_eq!(Histogram::parse("h.csv", &text).is_ok(), is_fine);
        }
    }
}
