//! What a report says about each stretch of inputs, cut so that no two stretches overlap.

use super::error::PlotError;
use crate::report::{FunctionReport, GroupReport, OctaveReport};

/// The binary logarithm of the magnitude where the finite inputs end.
pub(super) const HIGHEST: f64 = 128.0;
/// The binary logarithm of the least positive input.
pub(super) const LOWEST: f64 = -149.0;

/// Inputs of one sign whose magnitudes are from `2^low` to `2^high`, and their errors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) negative: bool,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Index of the bucket in the pool; none where the octave stands in for its buckets.
    pub(super) bucket: Option<u32>,
    /// The region that its bucket serves as saturation bucket.
    pub(super) region: Option<String>,
    /// The largest error in ulp; none for a NaN where a number is right.
    pub(super) max: Option<f64>,
    pub(super) mean: f64,
    pub(super) floor: Option<f64>,
    /// The largest absolute error.
    pub(super) absolute: Option<f64>,
}

impl Span {
    fn of_group(
        group: &GroupReport,
        lower_bound_ulp: Option<f64>,
        negative: bool,
        low: f64,
        high: f64,
    ) -> Self {
        let max = group.max_ulp.filter(|error| error.is_finite());
        let mean = if group.mean_ulp.is_finite() {
            group.mean_ulp
        } else {
            0.0
        };
        let floor = lower_bound_ulp.filter(|floor| floor.is_finite());
        Self {
            negative,
            low,
            high,
            bucket: None,
            region: None,
            max,
            mean,
            floor,
            absolute: None,
        }
    }

    fn mirrored(&self) -> Self {
        Self {
            negative: !self.negative,
            ..self.clone()
        }
    }
}

/// The stretches of a function, those of the negative side first, by magnitude.
///
/// A row of the report names the inputs of one side only, even if a fold lets its bucket serve both sides, and the first
/// and last of them only, even if a bucket serves two regions. So the inputs of each side, which the octaves tell, are
/// filled in this order: the buckets of its own octaves, those of its regions, the buckets and then the regions of the
/// other side mirrored, and what is left with the octaves themselves.
pub(super) fn spans(function: &FunctionReport) -> Result<Vec<Span>, PlotError> {
    let (regions, tables): (Vec<Span>, Vec<Span>) = bucket_spans(function)?
        .into_iter()
        .partition(|span| span.region.is_some());
    let octaves: Vec<Span> = function
        .octaves
        .iter()
        .filter(|octave| octave.group.inputs > 0)
        .map(octave_span)
        .collect();
    Ok(fill(&octaves, &tables, &regions))
}

fn fill(octaves: &[Span], tables: &[Span], regions: &[Span]) -> Vec<Span> {
    let mirrored = |spans: &[Span]| spans.iter().map(Span::mirrored).collect::<Vec<_>>();
    let (mirrored_tables, mirrored_regions) = (mirrored(tables), mirrored(regions));
    let mut all = Vec::new();
    for negative in [true, false] {
        let mut gaps = Gaps::of(octaves.iter().filter(|octave| octave.negative == negative));
        let mut side = Vec::new();
        for source in [
            tables,
            regions,
            &mirrored_tables,
            &mirrored_regions,
            octaves,
        ] {
            let before = gaps.clone();
            for span in source.iter().filter(|span| span.negative == negative) {
                side.extend(before.clip(span));
                gaps.close(span.low, span.high);
            }
        }
        side.sort_by(|a, b| a.low.total_cmp(&b.low));
        all.extend(side);
    }
    all
}

fn bucket_spans(function: &FunctionReport) -> Result<Vec<Span>, PlotError> {
    let mut spans = Vec::new();
    for bucket in &function.bucket_rows {
        let Some([first, last]) = &bucket.reached else {
            continue;
        };
        let (from, to) = (
            parse_bits(function, "reached", first)?,
            parse_bits(function, "reached", last)?,
        );
        let (from_side, to_side) = (from >> 31 == 1, to >> 31 == 1);
        let sides = if from_side == to_side {
            vec![from_side]
        } else {
            vec![from_side, to_side]
        };
        let (from, to) = (magnitude(from), magnitude(to));
        if from_side == to_side && from > to {
            let (first, last) = (first.clone(), last.clone());
            return Err(PlotError::Reached {
                function: function.name.clone(),
                index: bucket.index,
                first,
                last,
            });
        }
        let (low, high) = (logarithm(from.min(to)), logarithm(from.max(to) + 1));
        for negative in sides {
            let mut span =
                Span::of_group(&bucket.group, bucket.lower_bound_ulp, negative, low, high);
            span.bucket = Some(bucket.index);
            span.region.clone_from(&bucket.region);
            let absolute = bucket.max_absolute.as_ref().map(|extreme| extreme.error);
            span.absolute = absolute.filter(|error| error.is_finite());
            spans.push(span);
        }
    }
    Ok(spans)
}

fn octave_span(octave: &OctaveReport) -> Span {
    let low = if octave.exponent < -126 {
        LOWEST
    } else {
        f64::from(octave.exponent)
    };
    let high = (f64::from(octave.exponent.max(-127)) + 1.0).clamp(LOWEST, HIGHEST);
    Span::of_group(
        &octave.group,
        octave.lower_bound_ulp,
        octave.negative,
        low.clamp(LOWEST, HIGHEST),
        high,
    )
}

/// The parts of a side that no span covers yet, as binary logarithms of magnitudes, ascending and disjoint.
#[derive(Clone, Debug, PartialEq)]
struct Gaps(Vec<(f64, f64)>);

impl Gaps {
    /// The union of spans.
    fn of<'a>(spans: impl Iterator<Item = &'a Span>) -> Self {
        let mut sorted: Vec<(f64, f64)> = spans.map(|span| (span.low, span.high)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut gaps: Vec<(f64, f64)> = Vec::new();
        for (low, high) in sorted {
            match gaps.last_mut() {
                Some(last) if low <= last.1 => last.1 = last.1.max(high),
                _ => gaps.push((low, high)),
            }
        }
        Self(gaps)
    }

    /// The parts of a span that lie in gaps.
    fn clip(&self, span: &Span) -> Vec<Span> {
        let cut = |&(low, high): &(f64, f64)| (span.low.max(low), span.high.min(high));
        let parts = self.0.iter().map(cut).filter(|(low, high)| low < high);
        parts
            .map(|(low, high)| Span {
                low,
                high,
                ..span.clone()
            })
            .collect()
    }

    fn close(&mut self, low: f64, high: f64) {
        let outside = |&(gap_low, gap_high): &(f64, f64)| {
            [(gap_low, gap_high.min(low)), (gap_low.max(high), gap_high)]
        };
        self.0 = self
            .0
            .iter()
            .flat_map(outside)
            .filter(|(low, high)| low < high)
            .collect();
    }
}

/// Reads the bits of an input from a field of the report.
pub(super) fn parse_bits(
    function: &FunctionReport,
    field: &'static str,
    text: &str,
) -> Result<u32, PlotError> {
    let digits = text
        .strip_prefix("0x")
        .filter(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
    digits
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .ok_or_else(|| PlotError::Bits {
            function: function.name.clone(),
            field,
            found: text.to_owned(),
        })
}

/// The bits without the sign.
pub(super) fn magnitude(bits: u32) -> u32 {
    bits & 0x7fff_ffff
}

/// The binary logarithm of the magnitude with these bits; zero and what is not finite count as the next finite input.
pub(super) fn logarithm(magnitude: u32) -> f64 {
    match magnitude {
        0 => LOWEST,
        0x7f80_0000.. => HIGHEST,
        finite => f64::from(f32::from_bits(finite)).log2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(negative: bool, low: f64, high: f64, max: f64) -> Span {
        Span {
            negative,
            low,
            high,
            bucket: None,
            region: None,
            max: Some(max),
            mean: 0.25,
            floor: None,
            absolute: None,
        }
    }

    #[test]
    fn gaps_shrink_as_spans_close_them() {
        let mut gaps = Gaps::of(
            [
                span(false, 0.0, 1.0, 1.0),
                span(false, 3.0, 4.0, 1.0),
                span(false, 1.0, 2.0, 1.0),
            ]
            .iter(),
        );
        assert_eq!(gaps.0, [(0.0, 2.0), (3.0, 4.0)]);
        gaps.close(0.5, 3.5);
        assert_eq!(gaps.0, [(0.0, 0.5), (3.5, 4.0)]);
        let parts = gaps.clip(&span(false, -9.0, 9.0, 2.0));
        assert_eq!(
            parts,
            [span(false, 0.0, 0.5, 2.0), span(false, 3.5, 4.0, 2.0)]
        );
        gaps.close(-9.0, 9.0);
        assert_eq!(gaps.0, []);
    }

    fn octaves() -> Vec<Span> {
        [true, false]
            .into_iter()
            .flat_map(|negative| (-3..3).map(move |k| octave(negative, k)))
            .collect()
    }

    fn octave(negative: bool, exponent: i32) -> Span {
        span(negative, f64::from(exponent), f64::from(exponent + 1), 9.0)
    }

    fn region(negative: bool, low: f64, high: f64, max: f64) -> Span {
        Span {
            region: Some("small_pos".to_owned()),
            ..span(negative, low, high, max)
        }
    }

    fn shape(spans: &[Span]) -> Vec<(bool, f64, f64, f64)> {
        spans
            .iter()
            .map(|span| (span.negative, span.low, span.high, span.max.unwrap()))
            .collect()
    }

    #[test]
    fn a_fold_is_drawn_on_both_sides() {
        let tables = [span(false, -1.0, 0.5, 0.6), span(false, 0.5, 1.0, 0.7)];
        let regions = [
            region(false, -149.0, -1.0, 0.5),
            region(false, 1.0, 128.0, 0.4),
        ];
        let side = |negative| {
            [
                (negative, -3.0, -1.0, 0.5),
                (negative, -1.0, 0.5, 0.6),
                (negative, 0.5, 1.0, 0.7),
                (negative, 1.0, 3.0, 0.4),
            ]
        };
        assert_eq!(
            shape(&fill(&octaves(), &tables, &regions)),
            [side(true), side(false)].concat()
        );
    }

    #[test]
    fn a_bucket_of_two_regions_leaves_the_octaves_between_alone() {
        let tables = [span(false, -1.0, 1.0, 0.6), span(true, -2.0, 2.0, 0.7)];
        let regions = [
            region(false, -149.0, 128.0, 0.5),
            region(true, -149.0, 128.0, 0.5),
        ];
        let negative = [
            (true, -3.0, -2.0, 0.5),
            (true, -2.0, 2.0, 0.7),
            (true, 2.0, 3.0, 0.5),
        ];
        let positive = [
            (false, -3.0, -1.0, 0.5),
            (false, -1.0, 1.0, 0.6),
            (false, 1.0, 3.0, 0.5),
        ];
        assert_eq!(
            shape(&fill(&octaves(), &tables, &regions)),
            [negative, positive].concat()
        );
    }

    #[test]
    fn octaves_stand_in_for_missing_buckets_and_missing_sides_stay_missing() {
        let positive: Vec<Span> = octaves()
            .into_iter()
            .filter(|octave| !octave.negative)
            .collect();
        let spans = fill(&positive, &[span(false, -3.0, 2.0, 0.6)], &[]);
        assert_eq!(
            shape(&spans),
            [(false, -3.0, 2.0, 0.6), (false, 2.0, 3.0, 9.0)]
        );
        assert_eq!(fill(&[], &[span(false, -3.0, 2.0, 0.6)], &[]), []);
    }

    #[test]
    fn the_ends_of_the_inputs_have_logarithms() {
        assert_eq!(logarithm(0), -149.0);
        assert_eq!(logarithm(1), -149.0);
        assert_eq!(logarithm(0x0080_0000), -126.0);
        assert_eq!(logarithm(0x3f80_0000), 0.0);
        assert_eq!(logarithm(0x7f80_0000), 128.0);
        assert_eq!(logarithm(0x7fff_ffff), 128.0);
    }
}
