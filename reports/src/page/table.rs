//! A table of a page.

use askama::Template;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) title: &'static str,
    /// Aligned to the right.
    pub(super) is_number: bool,
}

/// What a cell has to say beyond its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    /// Long text, which may be broken.
    Wrapped,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    /// The id of a section of the page.
    pub(super) link: Option<String>,
    pub(super) tone: Tone,
}

impl Cell {
    /// Text with a tone.
    pub(super) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            link: None,
            tone,
        }
    }

    /// A link to a section.
    pub(super) fn link(text: impl Into<String>, id: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            link: Some(id.into()),
            tone: Tone::Plain,
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

/// A row. Its first cell is its heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// Where it stands in a plot: pairs of places, `left right,left right`.
    pub(super) places: String,
}

/// A table.
#[derive(Clone, Debug, Template)]
#[template(path = "table.html")]
pub(super) struct TableView {
    pub(super) id: Option<String>,
    /// Its name where it is folded away.
    pub(super) title: String,
    /// What stands above it.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
}

impl TableView {
    /// A table with these columns; a title that begins with `>` stands over numbers.
    pub(super) fn new(
        title: impl Into<String>,
        caption: impl Into<String>,
        columns: &[&'static str],
    ) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('>') {
            Some(title) => Column {
                title,
                is_number: true,
            },
            None => Column {
                title,
                is_number: false,
            },
        };
        Self {
            id: None,
            title: title.into(),
            caption: caption.into(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(Row {
            cells: cells.into_iter().collect(),
            places: String::new(),
        });
    }

    /// Whether it is better folded away.
    pub(super) fn is_long(&self) -> bool {
        self.rows.len() > 60
    }

    /// The cells of a row with their class attributes, which hold no text of users.
    fn classed<'r>(&self, row: &'r Row) -> Vec<(&'static str, &'r Cell)> {
        let cells = row.cells.iter().enumerate();
        cells.map(|(k, cell)| (self.class(k, cell), cell)).collect()
    }

    fn class(&self, column: usize, cell: &Cell) -> &'static str {
        let is_number = self
            .columns
            .get(column)
            .is_some_and(|column| column.is_number);
        match (is_number, cell.tone) {
            (false, Tone::Plain) => "",
            (true, Tone::Plain | Tone::Wrapped) => " class=\"n\"",
            (false, Tone::Good) => " class=\"good\"",
            (true, Tone::Good) => " class=\"n good\"",
            (false, Tone::Bad) => " class=\"bad\"",
            (true, Tone::Bad) => " class=\"n bad\"",
            (false, Tone::Wrapped) => " class=\"wrap\"",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_it_is_escaped() {
        let mut table = TableView::new("<t>", "a & b", &["name", ">n"]);
        table.id = Some("\"x".to_owned());
        table.row([
            Cell::link("<script>", "\"><b>"),
            Cell::toned("1<2", Tone::Bad),
        ]);
        let text = table.render().unwrap();
        for bad in ["<t>", "<script>", "<b>", "a & b", "1<2", "\"\"x"] {
            assert!(!text.contains(bad), "{bad}: {text}");
        }
        assert!(text.contains("<td class=\"n bad\">1&#60;2</td>"), "{text}");
    }
}
