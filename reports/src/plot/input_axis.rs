//! The axis of inputs: signed and logarithmic, an octave as wide as any other.
//!
//! The octaves with buckets of their own are what a reader looks at, but most octaves of binary32 lie in the small and
//! large regions, where one cubic serves them all. So a region that would be wider than a narrow strip is pressed into it.

use super::frame::Tick;
use super::number;
use super::spans::{HIGHEST, LOWEST, Span, logarithm, magnitude};

/// Width of a compressed region in points.
const STRIP: f64 = 80.0;

/// The room that a tick label needs in points.
const LABEL_ROOM: f64 = 46.0;

/// A stretch of the axis on which magnitudes are to one scale.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) negative: bool,
    /// Binary logarithms of the magnitudes at its ends.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Places of the two magnitudes: on the negative side the second is left of the first.
    pub(super) from: f64,
    pub(super) to: f64,
    /// What the region is called, if it is one.
    pub(super) region: Option<String>,
    /// Whether it is narrower than its octaves ask for.
    pub(super) compressed: bool,
}

impl Stretch {
    pub(super) fn left(&self) -> f64 {
        self.from.min(self.to)
    }

    pub(super) fn right(&self) -> f64 {
        self.from.max(self.to)
    }

    fn place(&self, logarithm: f64) -> f64 {
        let share = (logarithm - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }
}

/// The axis of inputs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InputAxis {
    left: f64,
    right: f64,
    /// From left to right.
    pub(super) stretches: Vec<Stretch>,
}

impl InputAxis {
    /// The axis for all inputs that the spans cover, between two places.
    pub(super) fn new(spans: &[Span], left: f64, right: f64) -> Self {
        let mut parts = side_parts(spans, true);
        parts.reverse();
        parts.extend(side_parts(spans, false));

        let octaves = |part: &Part| part.high - part.low;
        let all: f64 = parts.iter().map(octaves).sum();
        let plain: f64 = parts
            .iter()
            .filter(|part| part.region.is_none())
            .map(octaves)
            .sum();
        // Nothing is compressed where nothing else needs the room.
        let compressed = |part: &Part| {
            plain > 0.0 && part.region.is_some() && octaves(part) * (right - left) > STRIP * all
        };
        let strips = parts.iter().filter(|part| compressed(part)).count() as f64;
        let rest: f64 = parts
            .iter()
            .filter(|part| !compressed(part))
            .map(octaves)
            .sum();
        let octave = (right - left - strips * STRIP) / rest.max(f64::MIN_POSITIVE);

        let mut stretches = Vec::new();
        let mut place = left;
        for part in &parts {
            let narrow = compressed(part);
            let end = place
                + if narrow {
                    STRIP
                } else {
                    octaves(part) * octave
                };
            let (from, to) = if part.negative {
                (end, place)
            } else {
                (place, end)
            };
            stretches.push(Stretch {
                negative: part.negative,
                low: part.low,
                high: part.high,
                from,
                to,
                region: part.region.clone(),
                compressed: narrow,
            });
            place = end;
        }
        Self {
            left,
            right,
            stretches,
        }
    }

    /// The place of the magnitude `2^logarithm` of one sign; what is not on the axis is put on its nearest end.
    pub(super) fn place(&self, negative: bool, logarithm: f64) -> f64 {
        let side = || {
            self.stretches
                .iter()
                .filter(|stretch| stretch.negative == negative)
        };
        let inside = side().find(|stretch| stretch.low <= logarithm && logarithm <= stretch.high);
        let nearest = || {
            let distance = |stretch: &&Stretch| {
                (stretch.low - logarithm)
                    .abs()
                    .min((stretch.high - logarithm).abs())
            };
            side().min_by(|a, b| distance(a).total_cmp(&distance(b)))
        };
        match inside.or_else(nearest) {
            Some(stretch) => stretch.place(logarithm),
            None if negative => self.left,
            None => self.right,
        }
    }

    /// The place of an input.
    pub(super) fn place_of(&self, bits: u32) -> f64 {
        self.place(bits >> 31 == 1, logarithm(magnitude(bits)))
    }

    /// Whether an input has its own place.
    pub(super) fn holds(&self, bits: u32) -> bool {
        let (negative, logarithm) = (bits >> 31 == 1, logarithm(magnitude(bits)));
        self.stretches.iter().any(|stretch| {
            stretch.negative == negative && (stretch.low..=stretch.high).contains(&logarithm)
        })
    }

    /// Whether an input lies in a stretch that is a region.
    pub(super) fn is_in_region(&self, bits: u32) -> bool {
        let (negative, logarithm) = (bits >> 31 == 1, logarithm(magnitude(bits)));
        let mut own = self.stretches.iter().filter(|stretch| {
            stretch.negative == negative && stretch.low <= logarithm && logarithm < stretch.high
        });
        own.all(|stretch| stretch.region.is_some())
    }

    /// Where the two sides meet, if both are drawn.
    pub(super) fn zero(&self) -> Option<f64> {
        let mut pairs = self.stretches.windows(2);
        pairs.find_map(|pair| match pair {
            [negative, positive] if negative.negative && !positive.negative => {
                Some(positive.left())
            }
            _ => None,
        })
    }

    /// Marks at the octaves, with labels where there is room for them.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let mut ticks = Vec::new();
        if let Some(zero) = self.zero() {
            ticks.push(Tick {
                at: zero,
                label: Some("0".to_owned()),
            });
        }
        for end in [self.stretches.first(), self.stretches.last()]
            .into_iter()
            .flatten()
        {
            if end.compressed && end.high == HIGHEST {
                ticks.push(Tick {
                    at: end.to,
                    label: Some(number::power(end.negative, 2, HIGHEST as i32)),
                });
            }
            // With one side only, zero is at an end.
            if end.low == LOWEST && self.zero().is_none() {
                ticks.push(Tick {
                    at: end.from,
                    label: Some("0".to_owned()),
                });
            }
        }
        for stretch in self.stretches.iter().filter(|stretch| !stretch.compressed) {
            let octave = (stretch.to - stretch.from).abs() / (stretch.high - stretch.low);
            let step = [1, 2, 4, 8, 16, 32]
                .into_iter()
                .find(|step| f64::from(*step) * octave >= LABEL_ROOM)
                .unwrap_or(64);
            let marks = [1, 2, 4, 8, 16]
                .into_iter()
                .find(|step| f64::from(*step) * octave >= 4.0)
                .unwrap_or(32);
            for exponent in stretch.low.ceil() as i32..=stretch.high.floor() as i32 {
                let at = stretch.place(f64::from(exponent));
                if exponent.rem_euclid(step) == 0 {
                    ticks.push(Tick {
                        at,
                        label: Some(number::power(stretch.negative, 2, exponent)),
                    });
                } else if exponent.rem_euclid(marks) == 0 {
                    ticks.push(Tick { at, label: None });
                }
            }
        }
        without_collisions(ticks)
    }
}

/// Earlier labels win; a later one too near keeps its mark only.
fn without_collisions(mut ticks: Vec<Tick>) -> Vec<Tick> {
    let mut taken: Vec<f64> = Vec::new();
    for tick in &mut ticks {
        if tick.label.is_some() {
            if taken
                .iter()
                .any(|place| (place - tick.at).abs() < LABEL_ROOM * 0.9)
            {
                tick.label = None;
            } else {
                taken.push(tick.at);
            }
        }
    }
    ticks
}

#[derive(Clone, Debug)]
struct Part {
    negative: bool,
    low: f64,
    high: f64,
    region: Option<String>,
}

/// What one side consists of, by magnitude: the small region, the octaves with buckets, the large region.
fn side_parts(spans: &[Span], negative: bool) -> Vec<Part> {
    let side = || spans.iter().filter(|span| span.negative == negative);
    let ends = |spans: &mut dyn Iterator<Item = &Span>| {
        spans.fold(None, |ends: Option<(f64, f64)>, span| {
            let (low, high) = ends.unwrap_or((HIGHEST, LOWEST));
            Some((low.min(span.low), high.max(span.high)))
        })
    };
    let Some((lowest, highest)) = ends(&mut side()) else {
        return Vec::new();
    };
    let part = |low, high, region: Option<&str>| Part {
        negative,
        low,
        high,
        region: region.map(str::to_owned),
    };
    let parts = match ends(&mut side().filter(|span| span.region.is_none())) {
        Some((low, high)) => vec![
            part(lowest, low, Some("small region")),
            part(low, high, None),
            part(high, highest, Some("large region")),
        ],
        // No octaves: the regions are all there is.
        None => side()
            .map(|span| {
                let name = if span
                    .region
                    .as_deref()
                    .is_some_and(|name| name.contains("small"))
                {
                    "small"
                } else {
                    "large"
                };
                part(span.low, span.high, Some(&format!("{name} region")))
            })
            .collect(),
    };
    parts
        .into_iter()
        .filter(|part| part.low < part.high)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(negative: bool, low: f64, high: f64, region: Option<&str>) -> Span {
        let region = region.map(str::to_owned);
        Span {
            negative,
            low,
            high,
            bucket: None,
            region,
            max: Some(0.6),
            mean: 0.25,
            floor: None,
            absolute: None,
        }
    }

    fn both_sides() -> Vec<Span> {
        [true, false]
            .into_iter()
            .flat_map(|negative| {
                [
                    span(negative, -149.0, -4.0, Some("small_pos")),
                    span(negative, -4.0, 3.0, None),
                    span(negative, 3.0, 128.0, Some("large_pos")),
                ]
            })
            .collect()
    }

    #[test]
    fn negative_is_left_and_regions_are_strips() {
        let axis = InputAxis::new(&both_sides(), 100.0, 1100.0);
        assert_eq!(axis.stretches.len(), 6);
        assert_eq!(axis.zero(), Some(600.0));
        assert_eq!(axis.place(true, 128.0), 100.0);
        assert_eq!(axis.place(false, 128.0), 1100.0);
        assert_eq!(axis.place(false, -4.0), 600.0 + STRIP);
        assert_eq!(axis.place(true, -4.0), 600.0 - STRIP);
        let inputs = [
            0xff7f_ffff,
            0xbf80_0000,
            0x8000_0001,
            0x0000_0001,
            0x3f80_0000,
            0x3fc0_0000,
            0x7f7f_ffff,
        ];
        let places = inputs.map(|bits| axis.place_of(bits));
        assert!(places.is_sorted(), "{places:?}");
        assert!(axis.holds(0xff7f_ffff) && axis.is_in_region(0xff7f_ffff));
        assert!(axis.holds(0x3f80_0000) && !axis.is_in_region(0x3f80_0000));
        let narrow = InputAxis::new(&[span(false, -4.0, 3.0, None)], 0.0, 100.0);
        assert!(
            narrow.holds(0x3f80_0000) && !narrow.holds(0xbf80_0000) && !narrow.holds(0x4180_0000)
        );
    }

    #[test]
    fn labels_do_not_touch() {
        for width in [200.0, 500.0, 1000.0] {
            let axis = InputAxis::new(&both_sides(), 0.0, width);
            let mut labels: Vec<f64> = axis
                .ticks()
                .into_iter()
                .filter(|tick| tick.label.is_some())
                .map(|tick| tick.at)
                .collect();
            labels.sort_by(f64::total_cmp);
            assert!(labels.len() >= 3);
            assert!(
                labels.windows(2).all(|pair| pair[1] - pair[0] > 40.0),
                "{labels:?}"
            );
        }
    }

    #[test]
    fn one_side_or_none() {
        let positive: Vec<Span> = both_sides()
            .into_iter()
            .filter(|span| !span.negative)
            .collect();
        let axis = InputAxis::new(&positive, 0.0, 1000.0);
        assert_eq!(axis.zero(), None);
        assert_eq!(axis.place(false, -149.0), 0.0);
        assert_eq!(InputAxis::new(&[], 0.0, 1000.0).stretches, []);
        assert_eq!(InputAxis::new(&[], 0.0, 1000.0).ticks(), []);
    }

    #[test]
    fn a_function_without_octaves_has_its_regions_to_scale() {
        let spans = [
            span(true, -149.0, 128.0, Some("large_neg")),
            span(false, -149.0, 128.0, Some("large_pos")),
        ];
        let axis = InputAxis::new(&spans, 0.0, 1000.0);
        assert!(axis.stretches.iter().all(|stretch| !stretch.compressed));
        assert_eq!(axis.stretches[0].region.as_deref(), Some("large region"));
        assert!(
            axis.ticks()
                .iter()
                .filter(|tick| tick.label.is_some())
                .count()
                > 8
        );
    }
}
