//! Spans as steps. Where several spans share a narrow column, which happens with thousands of buckets, the largest of their
//! errors is the column's and the mean of their means: nothing that sticks out is lost.

use super::canvas::Point;
use super::input_axis::InputAxis;
use super::spans::Span;

/// Width of a column in points.
const COLUMN: f64 = 0.5;

/// Columns that are drawn as one where spans crowd: finer steps would only blacken the plot.
const GROUP: usize = 4;

/// Spans in a group of columns from which on they crowd.
const CROWD: u32 = 3;

/// What is drawn of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) max: Option<f64>,
    pub(super) floor: Option<f64>,
    /// Holds a NaN where a number is right.
    pub(super) nan: bool,
    mean_sum: f64,
    weight: f64,
    /// Spans that begin here.
    begins: u32,
}

impl Column {
    pub(super) fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.mean_sum / self.weight)
    }

    fn merge(&mut self, other: &Self) {
        self.max = larger(self.max, other.max);
        self.floor = larger(self.floor, other.floor);
        self.nan |= other.nan;
        self.mean_sum += other.mean_sum;
        self.weight += other.weight;
        self.begins += other.begins;
    }
}

/// The columns of an axis.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    left: f64,
    columns: Vec<Column>,
}

impl Columns {
    /// The columns between two places.
    pub(super) fn new(spans: &[Span], axis: &InputAxis, left: f64, right: f64) -> Self {
        let count = ((right - left) / COLUMN).round().max(0.0) as usize;
        let mut columns = vec![Column::default(); count];
        for span in spans {
            let ends = [
                axis.place(span.negative, span.low),
                axis.place(span.negative, span.high),
            ];
            let (from, to) = (ends[0].min(ends[1]) - left, ends[0].max(ends[1]) - left);
            // A span narrower than a column still counts, in the column of its left end.
            let first = ((from / COLUMN).round().max(0.0) as usize).min(count.saturating_sub(1));
            let end = ((to / COLUMN).round().max(0.0) as usize).max(first + 1);
            let weight = (to - from).max(f64::MIN_POSITIVE) / (end - first) as f64;
            for (k, column) in columns.iter_mut().enumerate().take(end).skip(first) {
                column.merge(&Column {
                    max: span.max,
                    floor: span.floor,
                    nan: span.max.is_none(),
                    mean_sum: span.mean * weight,
                    weight,
                    begins: u32::from(k == first),
                });
            }
        }
        for group in columns.chunks_mut(GROUP) {
            let mut merged = Column::default();
            group.iter().for_each(|column| merged.merge(column));
            if merged.begins >= CROWD {
                group.fill(merged);
            }
        }
        Self { left, columns }
    }

    /// Stretches of neighbouring columns for which `value` gives the same, as left place, right place and value.
    pub(super) fn runs<T: PartialEq>(
        &self,
        value: impl Fn(&Column) -> Option<T>,
    ) -> Vec<(f64, f64, T)> {
        let mut runs: Vec<(usize, usize, T)> = Vec::new();
        for (k, column) in self.columns.iter().enumerate() {
            let Some(value) = value(column) else { continue };
            match runs.last_mut() {
                Some((_, end, last)) if *end == k && *last == value => *end = k + 1,
                _ => runs.push((k, k + 1, value)),
            }
        }
        let place = |k: usize| self.left + k as f64 * COLUMN;
        runs.into_iter()
            .map(|(first, end, value)| (place(first), place(end), value))
            .collect()
    }

    /// Step lines through a value of the columns, at `height` of it; broken where columns have none.
    pub(super) fn steps(
        &self,
        value: impl Fn(&Column) -> Option<f64>,
        height: impl Fn(f64) -> f64,
    ) -> Vec<Vec<Point>> {
        let mut lines: Vec<Vec<Point>> = Vec::new();
        let mut end = f64::NAN;
        for (left, right, value) in self.runs(value) {
            let y = height(value);
            match lines.last_mut() {
                Some(line) if left == end => line.extend([(left, y), (right, y)]),
                _ => lines.push(vec![(left, y), (right, y)]),
            }
            end = right;
        }
        lines
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(low: f64, high: f64, max: Option<f64>, mean: f64) -> Span {
        Span {
            negative: false,
            low,
            high,
            bucket: None,
            region: None,
            max,
            mean,
            floor: None,
            absolute: None,
        }
    }

    #[test]
    fn crowded_columns_keep_the_largest_and_the_mean() {
        let spans: Vec<Span> = (0..1000)
            .map(|k| {
                span(
                    f64::from(k) / 1000.0,
                    f64::from(k + 1) / 1000.0,
                    Some(f64::from(k % 7)),
                    0.25,
                )
            })
            .collect();
        let axis = InputAxis::new(&spans, 0.0, 10.0);
        let columns = Columns::new(&spans, &axis, 0.0, 10.0);
        assert!(columns.columns.iter().all(|column| column.max == Some(6.0)));
        assert!(
            columns
                .columns
                .iter()
                .all(|column| (column.mean().unwrap() - 0.25).abs() < 1e-12)
        );
    }

    #[test]
    fn steps_break_at_gaps_and_join_neighbours() {
        let spans = [
            span(0.0, 1.0, Some(1.0), 0.2),
            span(1.0, 2.0, Some(2.0), 0.2),
            span(2.0, 3.0, None, 0.2),
            span(3.0, 4.0, Some(2.0), 0.2),
        ];
        let axis = InputAxis::new(&spans, 0.0, 8.0);
        let columns = Columns::new(&spans, &axis, 0.0, 8.0);
        let lines = columns.steps(|column| column.max, |value| value);
        assert_eq!(
            lines,
            [
                vec![(0.0, 1.0), (2.0, 1.0), (2.0, 2.0), (4.0, 2.0)],
                vec![(6.0, 2.0), (8.0, 2.0)],
            ]
        );
        assert_eq!(
            columns.runs(|column| column.nan.then_some(())),
            [(4.0, 6.0, ())]
        );
        assert_eq!(
            columns.runs(|column| column.mean().map(|mean| mean > 0.1)),
            [(0.0, 8.0, true)]
        );
    }
}
