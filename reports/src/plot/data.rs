//! What a picture shows, as a table: the same numbers, for a spreadsheet or a script.

use std::io;

use csv::Writer;
use serde_json::{Value, json};

/// The version of the tables' layout; it changes when a column changes its meaning or goes away. New columns are only ever
/// added at the end.
pub const PLOT_SCHEMA_VERSION: u32 = 1;

/// The data of one picture, or of one box of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotData {
    /// Which plot it is of: `error`, `function`, `absolute`, `histogram`, `heat`, `comparison`, `pareto`.
    pub plot: &'static str,
    /// What it is about, and single values that are marked: pairs of a key and a value.
    pub about: Vec<(&'static str, Value)>,
    /// The names of the columns; `docs/report.md` says what they hold.
    pub columns: &'static [&'static str],
    /// The rows, in the order of the columns. Null where there is no value.
    pub rows: Vec<Vec<Value>>,
}

impl PlotData {
    /// The table as CSV, the names of the columns first. An empty field stands for null.
    ///
    /// # Errors
    /// Only those of the CSV writer.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let mut writer = Writer::from_writer(Vec::new());
        writer.write_record(self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }))?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        String::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error).into())
    }

    /// The table as JSON with everything it is about, one row a line.
    pub fn to_json(&self) -> String {
        let mut text = format!(
            "{{\n  \"schema_version\": {PLOT_SCHEMA_VERSION},\n  \"plot\": {},\n",
            json!(self.plot)
        );
        for (key, value) in &self.about {
            text += &format!("  {}: {value},\n", json!(key));
        }
        text += &format!("  \"columns\": {},\n  \"rows\": [", json!(self.columns));
        for (k, row) in self.rows.iter().enumerate() {
            text += if k == 0 { "\n    " } else { ",\n    " };
            text += &json!(row).to_string();
        }
        text += "\n  ]\n}\n";
        text
    }
}

/// The sign of a stretch of inputs, in words.
pub(super) fn sign(negative: bool) -> Value {
    json!(if negative { "negative" } else { "positive" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_forms_hold_the_same_rows() {
        let data = PlotData {
            plot: "error",
            about: vec![("function", json!("a \"b\"")), ("budget_ulp", Value::Null)],
            columns: &["sign", "max_ulp"],
            rows: vec![
                vec![json!("neg,ative"), json!(0.5)],
                vec![sign(false), Value::Null],
            ],
        };
        assert_eq!(
            data.to_csv().unwrap(),
            "sign,max_ulp\n\"neg,ative\",0.5\npositive,\n"
        );
        let json: Value = serde_json::from_str(&data.to_json()).unwrap();
        assert_eq!(json["function"], "a \"b\"");
        assert_eq!(json["rows"][1], json!(["positive", null]));
        assert_eq!(json["schema_version"], 1);
    }
}
