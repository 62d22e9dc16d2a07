//! The fast form of the truth: polynomials over runs of inputs, each with a bound on its distance from the function.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::cell::{Cell, CellKind};
use crate::cover::Builder;
use crate::format::Format;
use crate::function::{Function, Parity};
use crate::truth::UncertainError;

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

/// Why there is no surrogate for a function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurrogateError {
    /// It changes too fast.
    #[error(
        "{function} changes too fast near {x:?} to be followed; give it a `range` that stays below"
    )]
    TooFast {
        /// The function.
        function: String,
        /// An input in the octave that could not be covered.
        x: f32,
    },
    /// No precision gives its value.
    #[error(
        "the value of {function} near {x:?} does not come out with {precision} bits; write the expression so that less cancels, or give it a `range`"
    )]
    Uncertain {
        /// The function.
        function: String,
        /// An input there.
        x: f32,
        /// Bits of the last attempt.
        precision: u32,
    },
    /// No precision tells to which of two results a value is to be rounded.
    #[error(transparent)]
    Rounding(#[from] UncertainError),
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
        let mirrored = function.is_mirrored();
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
        let builder = Builder {
            function,
            format,
            failure: Mutex::new(None),
        };
        builder.check_octaves(&octaves)?;
        let cells: Result<Vec<Vec<Cell>>, SurrogateError> = octaves
            .into_par_iter()
            .map(|(first, last)| builder.octave(first, last))
            .collect();
        let mut cells: Vec<Cell> = cells?.into_iter().flatten().collect();
        builder.outcome()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{catalogue, lookup};
    use crate::cover::{TARGET_BOUND, exact, in_ulp};

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
