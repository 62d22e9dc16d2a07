//! The fast form of the truth: polynomials over runs of inputs, each with a bound on its distance from the function.

use std::cmp::Ordering;

use rayon::prelude::*;
use rug::Float;

use crate::cell::{Cell, CellKind, CellPolynomial, DEGREES, MAX_DEGREE};
use crate::chebyshev::{self, NODES};
use crate::format::{Format, exp2};
use crate::function::{Function, Parity};
use crate::interval::Interval;

/// A stand-in for a function over a range of inputs, in ulp of an output format.
///
/// Its cells lie in ascending order of bit patterns, the positive side first; together they hold every finite
/// non-zero input of the range exactly once.
#[derive(Clone, Debug)]
pub struct Surrogate {
    cells: Vec<Cell>,
    format: Format,
    function: Function,
}

/// A cell's polynomial is taken when it is within this many ulp of the function.
const TARGET_BOUND: f64 = 1.0 / (1u64 << 22) as f64;

/// A run this short is judged input by input when no polynomial serves it.
const POINTWISE_LENGTH: u32 = 16;

/// More cells than this in one octave mean that the function oscillates faster than floats can follow.
const MAX_CELLS_PER_OCTAVE: usize = 1 << 14;

/// Values below the least subnormal times two to the minus this are taken as zero.
const NEGLIGIBLE_ULP_EXPONENT: i32 = 30;

/// A difference from an exact polynomial that no evaluation in doubles can notice, in ulp.
const EXCESS: f64 = 1.0 / (1u64 << 60) as f64;

/// Relative accuracy of the node values, bits.
const NODE_BITS: u32 = 64;

/// The function changes too fast for a surrogate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{function} changes too fast near {x:?} to be followed; give it a `range` that stays below"
)]
pub struct SurrogateError {
    /// The function.
    pub function: String,
    /// An input in the octave that could not be covered.
    pub x: f32,
}

impl Surrogate {
    /// Covers all finite non-zero inputs, or those of the function's natural range.
    ///
    /// # Errors
    /// [`SurrogateError`] for a function that oscillates within a few floats.
    pub fn new(function: &Function, format: Format) -> Result<Self, SurrogateError> {
        Self::within(function, format, (f32::MIN, f32::MAX))
    }

    /// Covers the part of the function's range that lies between two inputs, ends included, and perhaps some inputs
    /// around it: whole octaves.
    ///
    /// # Errors
    /// As [`Surrogate::new`].
    pub fn within(
        function: &Function,
        format: Format,
        inputs: (f32, f32),
    ) -> Result<Self, SurrogateError> {
        let (low, high) = function.natural_range().unwrap_or((f32::MIN, f32::MAX));
        let (least, greatest) = inputs;
        let mirrored = matches!(function.parity(), Parity::Odd | Parity::Even);
        // Sign, limit of the range, least and greatest magnitude that is wanted.
        let mut sides = vec![
            (0_u32, high, least, greatest),
            (1 << 31, -low, -greatest, -least),
        ];
        if mirrored {
            let nearest = if least > 0.0 || greatest < 0.0 {
                least.abs().min(greatest.abs())
            } else {
                0.0
            };
            sides = vec![(0, high, nearest, least.abs().max(greatest.abs()))];
        }
        let octaves: Vec<(u32, u32)> = sides
            .into_iter()
            .flat_map(|(sign, limit, nearest, farthest)| {
                octaves_up_to(sign, limit).filter(move |(first, last)| {
                    let [first, last] = [first, last].map(|bits| f32::from_bits(bits ^ sign));
                    first <= farthest && last >= nearest
                })
            })
            .collect();
        let builder = Builder { function, format };
        let cells: Result<Vec<Vec<Cell>>, SurrogateError> = octaves
            .into_par_iter()
            .map(|(first, last)| builder.octave(first, last))
            .collect();
        let mut cells: Vec<Cell> = cells?.into_iter().flatten().collect();
        if mirrored {
            let negate = function.parity() == Parity::Odd;
            let mirror: Vec<Cell> = cells.iter().map(|cell| mirror(cell, negate)).collect();
            cells.extend(mirror);
        }
        Ok(Self {
            cells,
            format,
            function: function.clone(),
        })
    }

    /// The function it stands for.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The format in whose ulp values are given.
    pub fn format(&self) -> Format {
        self.format
    }

    /// All cells, ascending in their bit patterns.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cells that share inputs with `first..=last` (bit patterns of one sign).
    pub fn overlapping(&self, first: u32, last: u32) -> &[Cell] {
        let start = self.cells.partition_point(|cell| cell.last < first);
        let end = self.cells.partition_point(|cell| cell.first <= last);
        self.cells.get(start..end.max(start)).unwrap_or_default()
    }

    /// The cell that holds an input, if the range does.
    pub fn cell_of(&self, bits: u32) -> Option<&Cell> {
        self.overlapping(bits, bits).first()
    }

    /// The largest bound of any cell, in ulp.
    pub fn bound(&self) -> f64 {
        self.cells
            .iter()
            .filter_map(Cell::polynomial)
            .map(|polynomial| polynomial.bound)
            .fold(0.0, f64::max)
    }
}

/// The octaves (subnormals count as one) of a sign up to a magnitude, as inclusive ranges of bits.
fn octaves_up_to(sign: u32, limit: f32) -> impl Iterator<Item = (u32, u32)> {
    let limit = if limit > 0.0 { limit.to_bits() } else { 0 };
    (0..255_u32)
        .map(|exponent| ((exponent << 23).max(1), (exponent << 23) | 0x7f_ffff))
        .filter(move |(first, _)| *first <= limit)
        .map(move |(first, last)| (sign | first, sign | last.min(limit)))
}

fn mirror(cell: &Cell, negate: bool) -> Cell {
    let mut kind = cell.kind.clone();
    match &mut kind {
        CellKind::Polynomial(polynomial) if negate => {
            for coefficient in &mut polynomial.coefficients {
                *coefficient = -*coefficient;
            }
        }
        CellKind::Overflow { negative } if negate => *negative = !*negative,
        _ => {}
    }
    Cell {
        first: cell.first | 1 << 31,
        last: cell.last | 1 << 31,
        kind,
    }
}

/// Sign and binade of a value as its ulp sees it: what must not change within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
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
struct Probe {
    bits: u32,
    class: Class,
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

struct Builder<'a> {
    function: &'a Function,
    format: Format,
}

impl Builder<'_> {
    fn octave(&self, first: u32, last: u32) -> Result<Vec<Cell>, SurrogateError> {
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
    fn monotone(&self, first: u32, last: u32, cells: &mut Vec<Cell>) -> Result<(), SurrogateError> {
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
    fn cover(&self, first: u32, last: u32, class: Class) -> Result<Vec<Cell>, SurrogateError> {
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
            None if last - first < POINTWISE_LENGTH => CellKind::Pointwise,
            None => {
                let middle = first + (last - first) / 2;
                let (low, high) = rayon::join(
                    || self.cover(first, middle, class),
                    || self.cover(middle + 1, last, class),
                );
                let (mut cells, high) = (low?, high?);
                cells.extend(high);
                if cells.len() > MAX_CELLS_PER_OCTAVE {
                    let function = self.function.name().to_owned();
                    return Err(SurrogateError {
                        function,
                        x: f32::from_bits(first),
                    });
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
        self.function.enclose_at(x, NODE_BITS)
    }

    fn probe(&self, bits: u32) -> Probe {
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
            return self.check(first, last, &polynomial).then_some(polynomial);
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
        let scatter =
            |k: u64| first + (((u64::from(last - first) + 1) * k * 0x9e37_79b9) >> 34) as u32;
        [first, last, scatter(1), scatter(2), scatter(3)]
            .iter()
            .all(|bits| {
                let bits = (*bits).min(last);
                self.enclose(&exact(bits)).is_some_and(|value| {
                    (in_ulp(&value, polynomial.ulp_exponent) - polynomial.at(cell.variable(bits)))
                        .abs()
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
        [first, last, first + length / 2]
            .into_iter()
            .chain(eighths)
            .all(|bits| agrees(bits.clamp(first, last)))
            .then_some(polynomial)
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

fn exact(bits: u32) -> Float {
    Float::with_val(24, f32::from_bits(bits))
}

/// The middle of an enclosure in units of `2^ulp_exponent`, rounded to a double.
fn in_ulp(value: &Interval, ulp_exponent: i32) -> f64 {
    let mut middle = Float::with_val(value.low().prec() + 1, value.low() + value.high());
    middle >>= 1;
    middle >>= ulp_exponent;
    middle.to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{catalogue, lookup};

    fn check_cover(surrogate: &Surrogate) {
        let (low, high) = surrogate
            .function()
            .natural_range()
            .unwrap_or((f32::MIN, f32::MAX));
        let mut next = 1;
        for cell in surrogate.cells() {
            if next == high.to_bits() + 1 {
                next = 1 << 31 | 1;
            }
            assert_eq!(cell.first, next, "{}", surrogate.function().name());
            next = cell.last + 1;
        }
        assert_eq!(next, low.to_bits() + 1, "{}", surrogate.function().name());
    }

    #[test]
    fn cells_hold_every_input_once_and_stay_within_their_bound() {
        let mut state = 1_u64;
        for entry in catalogue() {
            for format in [Format::Fp32, Format::Fp16] {
                let surrogate = Surrogate::new(entry.function(), format).unwrap();
                check_cover(&surrogate);
                assert!(surrogate.bound() <= TARGET_BOUND);
                for _ in 0..300 {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let bits = (state >> 32) as u32;
                    let Some(cell) = surrogate.cell_of(bits) else {
                        continue;
                    };
                    let Some(polynomial) = cell.polynomial() else {
                        continue;
                    };
                    let truth = surrogate.function.enclose_at(&exact(bits), 80).unwrap();
                    let error = in_ulp(&truth, polynomial.ulp_exponent)
                        - polynomial.at(cell.variable(bits));
                    assert!(
                        error.abs() <= polynomial.bound,
                        "{} {bits:#x} {error}",
                        entry.function().name()
                    );
                    let exponent = truth
                        .smallest_magnitude()
                        .get_exp()
                        .map_or(i32::MIN, |e| e - 1);
                    assert_eq!(
                        format.ulp_exponent(exponent),
                        polynomial.ulp_exponent,
                        "{bits:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_part_has_the_cells_of_the_whole() {
        for name in ["exp", "tanh", "silu", "derivative_erf"] {
            let function = lookup(name).unwrap().function();
            let whole = Surrogate::new(function, Format::Fp32).unwrap();
            for inputs in [(-3.0, -2.5), (-0.1, 7.0), (0.75, 0.8), (-1.0e-40, 1.0e-40)] {
                let part = Surrogate::within(function, Format::Fp32, inputs).unwrap();
                let (low, high): (f32, f32) = inputs;
                for x in [low, high, 0.5 * (low + high) + 1.0e-42] {
                    let cell = part.cell_of(x.to_bits());
                    assert!(cell.is_some(), "{name} {x}");
                    assert_eq!(cell, whole.cell_of(x.to_bits()), "{name} {x}");
                }
                assert!(part.cells().len() < whole.cells().len());
            }
        }
    }

    #[test]
    fn exact_functions_have_exact_cells() {
        for name in ["identity", "relu", "abs", "square", "sign", "memset_zero"] {
            let surrogate = Surrogate::new(lookup(name).unwrap().function(), Format::Fp32).unwrap();
            assert_eq!(surrogate.bound(), 0.0, "{name}");
        }
    }

    #[test]
    fn an_octave_holds_few_cells() {
        // The count decides the cost of a sweep: a change that multiplies it should be noticed.
        for (name, most) in [("tanh", 1200), ("exp", 2500), ("gelu", 3000)] {
            let surrogate = Surrogate::new(lookup(name).unwrap().function(), Format::Fp32).unwrap();
            assert!(
                surrogate.cells().len() < most,
                "{name}: {}",
                surrogate.cells().len()
            );
        }
    }
}
