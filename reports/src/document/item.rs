//! Tables and values of a document, each with its place and its path.

use std::ops::Range;

use toml::de::{DeInteger, DeTable, DeValue};

use super::Document;
use super::error::{DocumentError, Place, Problem, ValueError, quoted};
use super::suggest::did_you_mean;

/// A table of a document.
#[derive(Clone)]
pub struct Table<'d> {
    document: &'d Document<'d>,
    table: &'d DeTable<'d>,
    span: Range<usize>,
    path: String,
}

impl<'d> Table<'d> {
    pub(super) fn new(
        document: &'d Document<'d>,
        table: &'d DeTable<'d>,
        span: Range<usize>,
        path: String,
    ) -> Self {
        Self {
            document,
            table,
            span,
            path,
        }
    }

    /// The same table under another path, for messages that name an element of an array by what it describes.
    #[must_use]
    pub fn with_path(self, path: String) -> Self {
        Self { path, ..self }
    }

    /// Refuses every key that is not in `known`.
    ///
    /// # Errors
    /// [`Problem::UnknownKey`] for the first such key in the file.
    pub fn allow_only(&self, known: &[&str]) -> Result<(), DocumentError> {
        let unknown = self
            .table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => Err(self.document.error(
                key.span(),
                self.child(key.get_ref()),
                Problem::UnknownKey {
                    known: known.iter().map(|name| (*name).to_owned()).collect(),
                    hint: did_you_mean(key.get_ref(), known).map(str::to_owned),
                },
            )),
        }
    }

    /// The value of a key, if it is given.
    pub fn get(&self, key: &str) -> Option<Item<'d>> {
        let value = self.table.get(key)?;
        Some(Item {
            document: self.document,
            value: value.get_ref(),
            span: value.span(),
            path: self.child(key),
        })
    }

    /// The value of a key that has to be given; `expected` says what it should hold.
    ///
    /// # Errors
    /// [`Problem::MissingKey`], at the table's header.
    pub fn require(&self, key: &str, expected: &str) -> Result<Item<'d>, DocumentError> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    /// The error for a missing `key` of this table.
    pub fn missing(&self, key: &str, expected: &str) -> DocumentError {
        let problem = Problem::MissingKey {
            expected: expected.to_owned(),
        };
        self.document
            .error(self.span.clone(), self.child(key), problem)
    }

    /// Key and value of every entry, in the order of the file.
    pub fn entries(&self) -> Vec<(&'d str, Item<'d>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| (key.span().start, key, value))
            .collect();
        entries.sort_by_key(|(start, _, _)| *start);
        entries
            .into_iter()
            .map(|(_, key, value)| {
                let item = Item {
                    document: self.document,
                    value: value.get_ref(),
                    span: key.span(),
                    path: self.child(key.get_ref()),
                };
                (key.get_ref().as_ref(), item)
            })
            .collect()
    }

    fn child(&self, key: &str) -> String {
        // Keys come from the file: quote those that could break the line of a message.
        let plain = !key.is_empty()
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let key = if plain && key.len() <= 60 {
            key.to_owned()
        } else {
            quoted(key)
        };
        if self.path.is_empty() {
            key
        } else {
            format!("{}.{key}", self.path)
        }
    }
}

/// A value of a document.
#[derive(Clone)]
pub struct Item<'d> {
    document: &'d Document<'d>,
    value: &'d DeValue<'d>,
    span: Range<usize>,
    path: String,
}

impl<'d> Item<'d> {
    /// The line it stands on, from 1.
    pub fn line(&self) -> usize {
        self.place().line
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        self.document.place(self.span.clone())
    }

    /// A string.
    ///
    /// # Errors
    /// [`Problem::Value`] when it is anything else; `expected` says what the string should be. So for the others.
    pub fn string(&self, expected: &str) -> Result<&'d str, DocumentError> {
        self.value.as_str().ok_or_else(|| self.unexpected(expected))
    }

    /// An integer or a float; infinities and NaN included, as TOML has them.
    ///
    /// # Errors
    /// As for [`Item::string`].
    pub fn number(&self, expected: &str) -> Result<f64, DocumentError> {
        let number = match self.value {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => integer_value(integer).map(|value| value as f64),
            _ => None,
        };
        number.ok_or_else(|| self.unexpected(expected))
    }

    /// The text of a number in decimal or of a string, for readers that must not lose digits to `f64`.
    ///
    /// # Errors
    /// As for [`Item::string`]; an integer in another base is refused too, since it is more likely meant as bits.
    pub fn number_text(&self, expected: &str) -> Result<&str, DocumentError> {
        match self.value {
            DeValue::Float(float) => Ok(float.as_str()),
            DeValue::Integer(integer)
                if integer.radix() == 10 && integer_value(integer).is_some() =>
            {
                Ok(integer.as_str())
            }
            DeValue::String(text) => Ok(text),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// An integer that is not negative.
    ///
    /// # Errors
    /// As for [`Item::string`].
    pub fn count(&self, expected: &str) -> Result<u64, DocumentError> {
        let value = self.value.as_integer().and_then(integer_value);
        value
            .and_then(|value| u64::try_from(value).ok())
            .ok_or_else(|| self.unexpected(expected))
    }

    /// A date without a time, as TOML has it.
    ///
    /// # Errors
    /// As for [`Item::string`].
    pub fn date(&self, expected: &str) -> Result<jiff::civil::Date, DocumentError> {
        let date = match self.value {
            DeValue::Datetime(value) if value.time.is_none() && value.offset.is_none() => {
                value.date
            }
            _ => None,
        };
        // TOML has years from 0 to 9999, which are all years of the calendar.
        date.and_then(|date| {
            let year = i16::try_from(date.year).ok()?;
            let [month, day] = [date.month, date.day].map(i8::try_from);
            jiff::civil::Date::new(year, month.ok()?, day.ok()?).ok()
        })
        .ok_or_else(|| self.unexpected(expected))
    }

    /// A table.
    ///
    /// # Errors
    /// As for [`Item::string`].
    pub fn table(&self, expected: &str) -> Result<Table<'d>, DocumentError> {
        match self.value.as_table() {
            Some(table) => Ok(Table::new(
                self.document,
                table,
                self.span.clone(),
                self.path.clone(),
            )),
            None => Err(self.unexpected(expected)),
        }
    }

    /// The elements of an array (of tables too).
    ///
    /// # Errors
    /// As for [`Item::string`].
    pub fn elements(&self, expected: &str) -> Result<Vec<Item<'d>>, DocumentError> {
        let array = self
            .value
            .as_array()
            .ok_or_else(|| self.unexpected(expected))?;
        let elements = array.iter().enumerate().map(|(index, element)| Item {
            document: self.document,
            value: element.get_ref(),
            span: element.span(),
            path: format!("{}[{index}]", self.path),
        });
        Ok(elements.collect())
    }

    /// One of a few words.
    ///
    /// # Errors
    /// As for [`Item::string`], with the nearest word as a hint.
    pub fn one_of<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, DocumentError> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let word = self.string(&format!("one of {}", words.join(", ")))?;
        let found = choices.iter().find(|(choice, _)| *choice == word);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| self.refuse(ValueError::not_one_of(word, &words)))
    }

    /// The error for this value when a rule refuses it.
    pub fn refuse(&self, error: ValueError) -> DocumentError {
        self.problem(Problem::Value(error))
    }

    /// The error for this value with any problem.
    pub fn problem(&self, problem: Problem) -> DocumentError {
        self.document
            .error(self.span.clone(), self.path.clone(), problem)
    }

    fn unexpected(&self, expected: &str) -> DocumentError {
        self.refuse(ValueError::new(expected, self.shown()))
    }

    /// The value as a message shows it.
    pub fn shown(&self) -> String {
        match self.value {
            DeValue::String(text) => quoted(text),
            DeValue::Integer(integer) => integer.to_string(),
            DeValue::Float(float) => float.as_str().to_owned(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(value) => format!("the date {value}"),
            DeValue::Array(array) => format!("an array of {}", array.len()),
            DeValue::Table(_) => "a table".to_owned(),
        }
    }
}

/// TOML has integers of 64 bits. The parser here takes longer ones, others do not.
fn integer_value(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
