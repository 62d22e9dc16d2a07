//! Covering an octave with polynomials: where the class of a value changes, and how long one polynomial serves.

use std::cmp::Ordering;
use std::sync::Mutex;

use rayon::prelude::*;
use rug::Float;

use crate::cell::{Cell, CellKind, CellPolynomial, DEGREES, MAX_DEGREE};
use crate::chebyshev::{self, NODES};
use crate::format::{Format, exp2};
use crate::function::Function;
use crate::interval::Interval;
use crate::surrogate::SurrogateError;
use crate::taylor;

/// A cell's polynomial is taken when it is within this many ulp of the function.
pub(crate) const TARGET_BOUND: f64 = 1.0 / (1u64 << 22) as f64;

/// A run this short is judged input by input when no polynomial serves it.
pub(crate) const POINTWISE_LENGTH: u32 = 16;

/// More cells than this in one octave mean that the function oscillates faster than floats can follow.
pub(crate) const MAX_CELLS_PER_OCTAVE: usize = 1 << 14;

/// Values below the least subnormal times two to the minus this are taken as zero.
pub(crate) const NEGLIGIBLE_ULP_EXPONENT: i32 = 30;

/// A difference from an exact polynomial that no evaluation in doubles can notice, in ulp.
const EXCESS: f64 = 1.0 / (1u64 << 60) as f64;

/// Nothing larger than this, in ulp, hides between the points of a polynomial.
const HIDDEN: f64 = 1.0 / (1u64 << 8) as f64;

/// Bits of the Taylor coefficients that tell so, and the most parts of a run that are looked at.
const SERIES_PRECISIONS: [u32; 2] = [128, 1024];
const MOST_PARTS: usize = 64;

/// How many the Chebyshev nodes are, and the ends with the middle, each with a bound of its Lebesgue constant.
const CHEBYSHEV_POINTS: (usize, f64) = (NODES, 3.2);
const ENDS_AND_MIDDLE: (usize, f64) = (3, 1.26);

/// Relative accuracy of the node values, bits.
const NODE_BITS: u32 = 64;

/// Both ends of a run and three scattered inputs.
pub(crate) fn witnesses(first: u32, last: u32) -> impl Iterator<Item = u32> {
    let scatter =
        move |k: u64| first + (((u64::from(last - first) + 1) * k * 0x9e37_79b9) >> 34) as u32;
    [first, last, scatter(1), scatter(2), scatter(3)]
        .into_iter()
        .map(move |bits| bits.min(last))
}

/// Sign and binade of a value as its ulp sees it: what must not change within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Undefined,
    Finite {
        negative: bool,
        exponent: i32,
    },
    Overflow {
        negative: bool,
    },
    /// So far below the least subnormal that zero serves as its value.
    Negligible,
}

/// What one evaluation tells about an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    bits: u32,
    pub(crate) class: Class,
    /// log2 of the magnitude of the value.
    log2: f64,
}

impl Probe {
    /// log2 of the magnitude at which the class of this input ends, in the direction of another.
    fn boundary_towards(&self, other: &Self) -> f64 {
        match self.class {
            Class::Finite { exponent, .. } if other.log2 > self.log2 => f64::from(exponent + 1),
            Class::Finite { exponent, .. } => f64::from(exponent),
            _ => f64::NAN,
        }
    }
}

pub(crate) struct Builder<'a> {
    pub(crate) function: &'a Function,
    pub(crate) format: Format,
    /// The first thing, in the order of magnitudes, that could not be decided.
    pub(crate) failure: Mutex<Option<(u32, SurrogateError)>>,
}

impl Builder<'_> {
    pub(crate) fn octave(&self, first: u32, last: u32) -> Result<Vec<Cell>, SurrogateError> {
        if let Some(survey) = self.function.survey() {
            return self.surveyed(survey, first, last);
        }
        // The function is monotone between its turns, so the class of its value changes at most in one direction.
        let mut start = first;
        let mut cells = Vec::new();
        let turns = self
            .function
            .turns()
            .iter()
            .map(|turn| turn.at as f32)
            .filter(|at| *at != 0.0);
        let mut cuts: Vec<u32> = turns
            .map(f32::to_bits)
            .filter(|bits| (first..last).contains(bits))
            .collect();
        cuts.sort_unstable();
        for cut in cuts.into_iter().chain([last]) {
            if start <= cut {
                self.monotone(start, cut, &mut cells)?;
                start = cut + 1;
            }
        }
        Ok(cells)
    }

    /// Cuts a monotone stretch where its value's class changes.
    pub(crate) fn monotone(
        &self,
        first: u32,
        last: u32,
        cells: &mut Vec<Cell>,
    ) -> Result<(), SurrogateError> {
        let mut stretches = Vec::new();
        let mut start = self.probe(first);
        let end = self.probe(last);
        loop {
            let inside = if start.class == end.class {
                last
            } else {
                self.last_of_class(&start, &end)
            };
            stretches.push((start.bits, inside, start.class));
            if inside == last {
                break;
            }
            start = self.probe(inside + 1);
        }
        let covered: Result<Vec<Vec<Cell>>, SurrogateError> = stretches
            .into_par_iter()
            .map(|(first, last, class)| self.cover(first, last, class))
            .collect();
        cells.extend(covered?.into_iter().flatten());
        Ok(())
    }

    /// The last input that shares the class of `start`, where `end` has another.
    ///
    /// A bisection that guesses by interpolating the logarithm, which is nearly straight: five evaluations instead of
    /// twenty-three where it works, and never worse than twice the bisection.
    fn last_of_class(&self, start: &Probe, end: &Probe) -> u32 {
        let boundary = start.boundary_towards(end);
        let (mut inside, mut outside) = (*start, *end);
        let narrow = |inside: &mut Probe, outside: &mut Probe, bits: u32| {
            if bits > inside.bits && bits < outside.bits {
                let probe = self.probe(bits);
                if probe.class == start.class {
                    *inside = probe
                } else {
                    *outside = probe
                }
            }
        };
        while outside.bits - inside.bits > 1 {
            let width = outside.bits - inside.bits;
            let share = (boundary - inside.log2) / (outside.log2 - inside.log2);
            if share.is_finite() && (0.0..=1.0).contains(&share) {
                let guess = inside.bits + (share * f64::from(width)) as u32;
                let nudge = (width >> 12).max(1);
                narrow(&mut inside, &mut outside, guess.saturating_sub(nudge));
                narrow(&mut inside, &mut outside, guess.saturating_add(nudge));
            }
            let middle = inside.bits + (outside.bits - inside.bits) / 2;
            if outside.bits - inside.bits > width / 8 {
                narrow(&mut inside, &mut outside, middle);
            }
        }
        inside.bits
    }

    /// Covers a stretch of one class with as few cells as its smoothness allows.
    pub(crate) fn cover(
        &self,
        first: u32,
        last: u32,
        class: Class,
    ) -> Result<Vec<Cell>, SurrogateError> {
        let kind = match class {
            Class::Undefined => Some(CellKind::Undefined),
            Class::Overflow { negative } => Some(CellKind::Overflow { negative }),
            Class::Negligible => Some(CellKind::Polynomial(self.negligible())),
            Class::Finite { exponent, .. } => self
                .polynomial(first, last, exponent)
                .map(CellKind::Polynomial),
        };
        let kind = match kind {
            Some(kind) => kind,
            None if last - first < POINTWISE_LENGTH => {
                self.check_points(first, last);
                CellKind::Pointwise
            }
            None => {
                let middle = first + (last - first) / 2;
                let (low, high) = rayon::join(
                    || self.cover(first, middle, class),
                    || self.cover(middle + 1, last, class),
                );
                let (mut cells, high) = (low?, high?);
                cells.extend(high);
                if cells.len() > self.most_cells() {
                    return Err(self.too_fast(first));
                }
                return Ok(cells);
            }
        };
        Ok(vec![Cell { first, last, kind }])
    }

    /// Zero, for values that are far below the least subnormal.
    fn negligible(&self) -> CellPolynomial {
        let ulp_exponent = self.format.ulp_exponent(self.format.min_exponent());
        let bound = exp2(-NEGLIGIBLE_ULP_EXPONENT);
        CellPolynomial {
            ulp_exponent,
            degree: 0,
            coefficients: [0.0; MAX_DEGREE + 1],
            subnormal: true,
            excess: None,
            bound,
        }
    }

    fn enclose(&self, x: &Float) -> Option<Interval> {
        if self.function.survey().is_some() {
            return self.certain(x, NODE_BITS);
        }
        self.function.enclose_at(x, NODE_BITS)
    }

    pub(crate) fn probe(&self, bits: u32) -> Probe {
        let Some(value) = self.enclose(&exact(bits)) else {
            return Probe {
                bits,
                class: Class::Undefined,
                log2: f64::NAN,
            };
        };
        let negative = value.low().is_sign_negative() && *value.low() != 0;
        let magnitude = value.smallest_magnitude();
        let (significand, exponent) = magnitude.to_f64_exp();
        let log2 = significand.log2() + f64::from(exponent);
        let floor = self.format.min_exponent();
        let class = if magnitude >= self.format.overflow_threshold() {
            Class::Overflow { negative }
        } else if !value.is_point()
            && log2 < f64::from(self.format.ulp_exponent(floor) - NEGLIGIBLE_ULP_EXPONENT)
        {
            Class::Negligible
        } else {
            let exponent = magnitude
                .get_exp()
                .map_or(floor - 1, |exponent| (exponent - 1).max(floor - 1));
            Class::Finite { negative, exponent }
        };
        Probe { bits, class, log2 }
    }

    /// The polynomial over a run whose values have this exponent, if one is close enough.
    fn polynomial(&self, first: u32, last: u32, exponent: i32) -> Option<CellPolynomial> {
        let ulp_exponent = self.format.ulp_exponent(exponent);
        let subnormal = exponent < self.format.min_exponent();
        if let Some(polynomial) = self.exact_polynomial(first, last, ulp_exponent) {
            return Some(CellPolynomial {
                subnormal,
                ..polynomial
            });
        }
        let half = 0.5 * f64::from(last - first);
        let values = self.node_values(first, last, ulp_exponent)?;
        let series = chebyshev::coefficients(&values);
        for degree in DEGREES {
            let mut coefficients: [f64; MAX_DEGREE + 1] = chebyshev::to_powers(&series, degree);
            if chebyshev::left_out(&series, degree) > TARGET_BOUND {
                continue;
            }
            let scale = if half > 0.0 { 1.0 / half } else { 0.0 };
            let powers = coefficients;
            let mut power = 1.0;
            for coefficient in &mut coefficients {
                *coefficient *= power;
                power *= scale;
            }
            let mut polynomial = CellPolynomial {
                ulp_exponent,
                degree,
                coefficients,
                subnormal,
                excess: None,
                bound: 0.0,
            };
            // What the polynomial misses at the nodes shows what was left out, and every rounding on the way to it.
            let mut missed = values;
            for (value, node) in missed.iter_mut().zip(chebyshev::nodes()) {
                *value -= polynomial.at(node * half);
            }
            let missed = chebyshev::coefficients(&missed);
            polynomial.bound = chebyshev::bound(&series, &missed, &powers, degree);
            if polynomial.bound > TARGET_BOUND {
                continue;
            }
            let holds = self.check(first, last, &polynomial)
                && self.hides_nothing(first, last, &polynomial, CHEBYSHEV_POINTS);
            if holds {
                self.check_rounding(first, last);
            }
            return holds.then_some(polynomial);
        }
        None
    }

    /// Compares a polynomial with MPFR at both ends and three scattered inputs.
    fn check(&self, first: u32, last: u32, polynomial: &CellPolynomial) -> bool {
        let cell = Cell {
            first,
            last,
            kind: CellKind::Pointwise,
        };
        witnesses(first, last).all(|bits| {
            self.enclose(&exact(bits)).is_some_and(|value| {
                (in_ulp(&value, polynomial.ulp_exponent) - polynomial.at(cell.variable(bits))).abs()
                    <= polynomial.bound
            })
        })
    }

    /// Polynomials of degree two at most whose coefficients are exact doubles: identity, constants and squares, and
    /// what differs from them by less than any rounding can tell, always to the same side (half of x, for silu near
    /// zero). They are recognised so that what is exact is reported as exact, and ties are decided rightly.
    fn exact_polynomial(&self, first: u32, last: u32, ulp_exponent: i32) -> Option<CellPolynomial> {
        let cell = Cell {
            first,
            last,
            kind: CellKind::Pointwise,
        };
        let value = |bits: u32| self.near_double(bits, ulp_exponent);
        let length = last - first;
        let (low, low_excess) = value(first)?;
        let (high, _) = value(last)?;
        // The second difference over three equidistant floats, then the slope, all in exact double arithmetic.
        let curve = if length >= 2 {
            (value(first + 2)?.0 - 2.0 * value(first + 1)?.0 + low) / 2.0
        } else {
            0.0
        };
        let slope = if length == 0 {
            0.0
        } else {
            (high - low) / f64::from(length)
        };
        let edge = cell.variable(last);
        let constant = low + slope * edge - curve * edge * edge;
        let mut coefficients = [0.0; MAX_DEGREE + 1];
        coefficients[..3].copy_from_slice(&[constant, slope, curve]);
        let polynomial = CellPolynomial {
            ulp_exponent,
            degree: if curve != 0.0 {
                2
            } else {
                usize::from(slope != 0.0)
            },
            coefficients,
            subnormal: false,
            excess: Some(low_excess),
            bound: if low_excess.is_eq() { 0.0 } else { EXCESS },
        };
        let agrees =
            |bits: u32| value(bits) == Some((polynomial.at(cell.variable(bits)), low_excess));
        let eighths = (1..8).map(|k| first + (length / 8) * k + k * k);
        let agrees_everywhere = [first, last, first + length / 2]
            .into_iter()
            .chain(eighths)
            .all(|bits| agrees(bits.clamp(first, last)))
            && self.hides_nothing(first, last, &polynomial, ENDS_AND_MIDDLE);
        agrees_everywhere.then_some(polynomial)
    }

    /// Whether a function by expression does nothing between the points of a polynomial that they do not show: a hump
    /// narrower than the gaps between them, for one. Told from Taylor coefficients over the whole run or, where those are
    /// enclosed too widely, from those over its parts and the points of these. Where they say nothing (at the ends of a
    /// domain, and beyond the numbers of MPFR) the points are believed.
    ///
    /// The functions that the catalogue states are known to do nothing of the kind.
    fn hides_nothing(
        &self,
        first: u32,
        last: u32,
        polynomial: &CellPolynomial,
        points: (usize, f64),
    ) -> bool {
        if self.function.survey().is_none() || last - first < POINTWISE_LENGTH {
            return true;
        }
        let most = Float::with_val(64, HIDDEN) << polynomial.ulp_exponent;
        let is_near = |first: u32, last: u32, points, precision| {
            let (near, far) = (exact(first), exact(last));
            let ends = if near < far {
                [&near, &far]
            } else {
                [&far, &near]
            };
            taylor::distance(&self.function.expression, ends, points, precision)
                .is_none_or(|distance| distance <= most)
        };
        // More bits where what is left of a cancellation looks like a hump.
        let [few, many] = SERIES_PRECISIONS;
        if is_near(first, last, points, few) || is_near(first, last, points, many) {
            return true;
        }
        let cell = Cell {
            first,
            last,
            kind: CellKind::Pointwise,
        };
        let follows =
            |first: u32, last: u32| {
                let values = self.node_values(first, last, polynomial.ulp_exponent)?;
                let half = 0.5 * f64::from(last - first);
                let middle = cell.variable(first) + half;
                let mut nodes = values.iter().zip(chebyshev::nodes());
                Some(nodes.all(|(value, node)| {
                    (value - polynomial.at(middle + node * half)).abs() <= HIDDEN
                }))
            };
        let mut looked_at = 0;
        let mut open = vec![(first, last)];
        while let Some((first, last)) = open.pop() {
            let middle = first + (last - first) / 2;
            for (first, last) in [(first, middle), (middle, last)] {
                looked_at += 1;
                if looked_at > MOST_PARTS || follows(first, last) != Some(true) {
                    return false;
                }
                if last - first >= POINTWISE_LENGTH && !is_near(first, last, CHEBYSHEV_POINTS, few)
                {
                    open.push((first, last));
                }
            }
        }
        true
    }

    /// The values at the nodes of a run, in units of `2^ulp_exponent`.
    fn node_values(&self, first: u32, last: u32, ulp_exponent: i32) -> Option<[f64; NODES]> {
        let half = 0.5 * f64::from(last - first);
        let low = exact(first);
        let spacing = Float::with_val(64, exact(last) - &low) / f64::from((last - first).max(1));
        let mut values = [0.0; NODES];
        for (value, node) in values.iter_mut().zip(chebyshev::nodes()) {
            // low + (node + 1) half spacing, without rounding.
            let mut x = Float::with_val(160, node);
            x += 1;
            x *= half;
            x *= &spacing;
            x += &low;
            let enclosure = self.enclose(&x)?;
            *value = in_ulp(&enclosure, ulp_exponent);
        }
        Some(values)
    }

    /// The value at an input as a double in units of `2^ulp_exponent`, with the side on which it differs from that
    /// double, when the difference is below [`EXCESS`].
    fn near_double(&self, bits: u32, ulp_exponent: i32) -> Option<(f64, Ordering)> {
        let enclosure = self.enclose(&exact(bits))?;
        let value = in_ulp(&enclosure, ulp_exponent);
        let double = Float::with_val(53, value) << ulp_exponent;
        if enclosure.is_point() {
            return (double == *enclosure.low()).then_some((value, Ordering::Equal));
        }
        let limit = Float::with_val(53, EXCESS) << ulp_exponent;
        let distance = |end: &Float| Float::with_val(64, end - &double);
        let (low, high) = (distance(enclosure.low()), distance(enclosure.high()));
        if low.clone().abs() > limit || high.clone().abs() > limit {
            return None;
        }
        match (
            low.is_sign_negative() && low != 0,
            high.is_sign_negative() || high == 0,
        ) {
            (false, false) => Some((value, Ordering::Greater)),
            (true, true) => Some((value, Ordering::Less)),
            // The enclosure holds the double itself: its side is not known. Only a value that no precision separates
            // from its limit gets here, and those are never ties.
            _ => None,
        }
    }
}

pub(crate) fn exact(bits: u32) -> Float {
    Float::with_val(24, f32::from_bits(bits))
}

/// The middle of an enclosure in units of `2^ulp_exponent`, rounded to a double.
pub(crate) fn in_ulp(value: &Interval, ulp_exponent: i32) -> f64 {
    let mut middle = Float::with_val(value.low().prec() + 1, value.low() + value.high());
    middle >>= 1;
    middle >>= ulp_exponent;
    middle.to_f64()
}
