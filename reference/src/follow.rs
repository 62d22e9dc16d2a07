//! Surrogates of functions that were surveyed: nothing is taken for granted that the survey did not find.

use rayon::prelude::*;
use rug::Float;

use crate::cell::{Cell, CellKind};
use crate::cover::{
    Builder, Class, MAX_CELLS_PER_OCTAVE, NEGLIGIBLE_ULP_EXPONENT, POINTWISE_LENGTH, exact,
    witnesses,
};
use crate::function::Monotone;
use crate::interval::{Domain, Interval};
use crate::stretches::StretchKind;
use crate::surrogate::SurrogateError;
use crate::survey::Survey;
use crate::truth::{LAST_PRECISION, Sought};

/// Bits of the enclosures over stretches whose direction is not known.
const STRETCH_PRECISION: u32 = 128;

/// More cells than this in an octave of a function by expression mean that it swings too fast.
const MOST_SURVEYED_CELLS: usize = 2048;

impl Builder<'_> {
    /// The part of an octave that the survey knows, stretch by stretch.
    pub(crate) fn surveyed(
        &self,
        survey: &Survey,
        first: u32,
        last: u32,
    ) -> Result<Vec<Cell>, SurrogateError> {
        let start = survey
            .stretches
            .partition_point(|stretch| stretch.last < first);
        let mut cells = Vec::new();
        // What is settled goes with a neighbour that has a direction: taken together they still have but one.
        let mut run: Option<(u32, u32, Option<Monotone>)> = None;
        for stretch in survey
            .stretches
            .iter()
            .skip(start)
            .take_while(|stretch| stretch.first <= last)
        {
            let (first, last) = (stretch.first.max(first), stretch.last.min(last));
            let direction = stretch.kind.direction();
            let follows = !stretch.is_cut || first > stretch.first;
            if let Some((from, to, known)) = run.take() {
                let goes_on = follows
                    && (direction.is_some() || stretch.kind == StretchKind::Settled)
                    && (known.is_none() || direction.is_none() || known == direction);
                if goes_on {
                    run = Some((from, last, known.or(direction)));
                    continue;
                }
                self.monotone(from, to, &mut cells)?;
            }
            match stretch.kind {
                StretchKind::Undefined => cells.push(Cell {
                    first,
                    last,
                    kind: CellKind::Undefined,
                }),
                StretchKind::Rising | StretchKind::Falling | StretchKind::Settled => {
                    run = Some((first, last, direction));
                }
                StretchKind::Unknown => self.without_direction(first, last, &mut cells)?,
            }
        }
        if let Some((from, to, _)) = run {
            self.monotone(from, to, &mut cells)?;
        }
        Ok(cells)
    }

    /// Looks at three inputs of every octave, so that a hopeless function is refused before it costs anything.
    pub(crate) fn check_octaves(&self, octaves: &[(u32, u32)]) -> Result<(), SurrogateError> {
        let Some(survey) = self.function.survey() else {
            return Ok(());
        };
        octaves.par_iter().for_each(|(first, last)| {
            for bits in [*first, first + (last - first) / 3, *last] {
                if survey.stretch_of(bits).is_some() {
                    self.certain(&exact(bits), STRETCH_PRECISION / 2);
                }
            }
        });
        self.outcome()
    }

    /// The failure that was remembered, if there is one.
    pub(crate) fn outcome(&self) -> Result<(), SurrogateError> {
        let failure = self
            .failure
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failure
            .as_ref()
            .map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    /// Halves a stretch until one enclosure of all its values has one sign and binade.
    fn without_direction(
        &self,
        first: u32,
        last: u32,
        cells: &mut Vec<Cell>,
    ) -> Result<(), SurrogateError> {
        if let Some(class) = self.class_over(first, last) {
            cells.extend(self.cover(first, last, class)?);
        } else if last - first < POINTWISE_LENGTH {
            self.check_points(first, last);
            cells.push(Cell {
                first,
                last,
                kind: CellKind::Pointwise,
            });
        } else {
            let middle = first + (last - first) / 2;
            self.without_direction(first, middle, cells)?;
            self.without_direction(middle + 1, last, cells)?;
        }
        if cells.len() > self.most_cells() {
            return Err(self.too_fast(first));
        }
        Ok(())
    }

    /// The class of all values of a stretch, when they share one.
    fn class_over(&self, first: u32, last: u32) -> Option<Class> {
        let (near, far) = (exact(first), exact(last));
        let (low, high) = if near < far { (near, far) } else { (far, near) };
        let x = Interval::between(&low, &high, STRETCH_PRECISION);
        let value = self
            .function
            .expression
            .evaluate_over(&x, STRETCH_PRECISION);
        if value.domain() != Domain::Inside {
            return None;
        }
        let floor = self.format.min_exponent();
        let negligible = self.format.ulp_exponent(floor) - NEGLIGIBLE_ULP_EXPONENT;
        let exponent = |end: &Float| end.get_exp().map_or(i32::MIN, |exponent| exponent - 1);
        let infinite = |end: &Float| end.is_infinite();
        let (low, high) = (value.low(), value.high());
        if !infinite(low) && !infinite(high) && exponent(low).max(exponent(high)) < negligible {
            return Some(Class::Negligible);
        }
        if low.is_sign_negative() != high.is_sign_negative() {
            return None;
        }
        let negative = low.is_sign_negative();
        if value.smallest_magnitude() >= self.format.overflow_threshold() {
            return Some(Class::Overflow { negative });
        }
        if is_constant(&value) {
            // No precision may tell on which side of its limit such a value is: its ends decide, as everywhere.
            let [near, far] = [first, last].map(|bits| self.probe(bits).class);
            return (near == far).then_some(near);
        }
        if infinite(low) || infinite(high) || low.is_zero() || high.is_zero() {
            return None;
        }
        let largest = value.low().clone().abs().max(&value.high().clone().abs());
        let [low, high] = [low, high].map(|end| exponent(end).max(floor - 1));
        (low == high && largest < self.format.overflow_threshold()).then_some(Class::Finite {
            negative,
            exponent: low,
        })
    }

    /// How many cells an octave may have. Nobody has looked at what a user's function costs.
    pub(crate) fn most_cells(&self) -> usize {
        if self.function.survey().is_some() {
            MOST_SURVEYED_CELLS
        } else {
            MAX_CELLS_PER_OCTAVE
        }
    }

    pub(crate) fn too_fast(&self, first: u32) -> SurrogateError {
        SurrogateError::TooFast {
            function: self.function.name().to_owned(),
            x: f32::from_bits(first),
        }
    }

    /// The value at a point; what no precision settles is remembered as the reason to give up.
    pub(crate) fn certain(&self, x: &Float, bits: u32) -> Option<Interval> {
        match self.function.seek(x, bits) {
            Sought::Certain(value) => Some(value),
            Sought::Undefined => None,
            Sought::Wide(_) | Sought::Unclear => {
                let x = x.to_f32();
                let function = self.function.name().to_owned();
                self.fail(
                    x,
                    SurrogateError::Uncertain {
                        function,
                        x,
                        precision: LAST_PRECISION,
                    },
                );
                None
            }
        }
    }

    /// Whether the results at some inputs of a run are certain. A tie that no precision settles mostly has company.
    pub(crate) fn check_rounding(&self, first: u32, last: u32) {
        if self.function.survey().is_some() {
            witnesses(first, last).for_each(|bits| self.check_point(bits));
        }
    }

    /// Whether the results at all inputs of a short run are certain.
    pub(crate) fn check_points(&self, first: u32, last: u32) {
        if self.function.survey().is_some() {
            (first..=last).for_each(|bits| self.check_point(bits));
        }
    }

    fn check_point(&self, bits: u32) {
        let x = f32::from_bits(bits);
        if let Err(error) = self.function.round(x, self.format) {
            self.fail(x, error.into());
        }
    }

    /// Keeps the failure at the input of least bits, so that threads do not matter.
    fn fail(&self, x: f32, error: SurrogateError) {
        let mut failure = self
            .failure
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(bits, _)| x.to_bits() < *bits) {
            *failure = Some((x.to_bits(), error));
        }
    }
}

/// Relative width, in bits, of values that are one number to every format.
const CONSTANT_BITS: i32 = 90;

fn is_constant(value: &Interval) -> bool {
    let width = Float::with_val(32, value.high() - value.low());
    let exponent = |end: &Float| end.get_exp().unwrap_or(i32::MIN);
    value.low().is_finite()
        && value.high().is_finite()
        && exponent(&width) < exponent(value.low()).saturating_sub(CONSTANT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, Format, Function, GivenLimits, Surrogate};

    fn surrogate(text: &str, format: Format) -> Result<Surrogate, SurrogateError> {
        let limits = GivenLimits {
            zero: Some(0.0),
            pos_inf: Some(0.0),
            neg_inf: Some(0.0),
        };
        let definition = Definition {
            limits,
            ..Definition::new(text)
        };
        Surrogate::new(&Function::define("f", &definition, None).unwrap(), format)
    }

    #[test]
    fn a_formula_of_the_catalogue_has_the_cells_of_the_catalogue() {
        for name in [
            "silu",
            "gelu",
            "derivative_gelu",
            "exp",
            "tanh",
            "mish",
            "softplus",
            "ln",
        ] {
            let known = crate::lookup(name).unwrap().function();
            let found = surrogate(known.definition(), Format::Fp32).unwrap();
            let stated = Surrogate::new(known, Format::Fp32).unwrap();
            for (found, stated) in found.cells().iter().zip(stated.cells()) {
                assert_eq!(found, stated, "{name}");
            }
            assert_eq!(found.cells().len(), stated.cells().len(), "{name}");
        }
    }

    #[test]
    fn kinks_lie_between_cells() {
        let clipped = surrogate("min(max(x/6 + 1/2, 0), 1)", Format::Fp32).unwrap();
        for x in [3.0_f32, -3.0] {
            // Neither side's cell reaches across.
            let cell = clipped.cell_of(x.to_bits()).unwrap();
            assert!(cell.first == x.to_bits() || cell.last == x.to_bits());
        }
        assert!(
            clipped
                .cells()
                .iter()
                .all(|cell| cell.polynomial().is_some())
        );
    }

    #[test]
    fn cells_of_any_function_stay_within_their_bound() {
        let mut state = 7_u64;
        for text in [
            "x/(1 + exp(-x))",
            "log(x - 1)",
            "exp(-x^2)*(1 - x^2)",
            "cos(x/1000)*min(1, 3/abs(x))/(1 + x^2)",
            "1/(x^2 - 2)",
        ] {
            let surrogate = match surrogate(text, Format::Fp32) {
                Ok(surrogate) => surrogate,
                Err(error) => {
                    assert!(
                        matches!(error, SurrogateError::TooFast { .. }),
                        "{text}: {error}"
                    );
                    continue;
                }
            };
            for _ in 0..500 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let bits = (state >> 32) as u32;
                let x = f32::from_bits(bits);
                let Some(cell) = surrogate.cell_of(bits) else {
                    continue;
                };
                let truth = surrogate.function().enclose_at(&exact(bits), 80);
                match (&cell.kind, truth) {
                    (CellKind::Undefined, truth) => assert!(truth.is_none(), "{text} {x}"),
                    (CellKind::Polynomial(polynomial), Some(truth)) => {
                        let middle = truth.low().to_f64() * 2.0_f64.powi(-polynomial.ulp_exponent);
                        let error = (middle - polynomial.at(cell.variable(bits))).abs();
                        assert!(error <= polynomial.bound + 1e-9, "{text} {x} {error}");
                    }
                    (_, truth) => assert!(truth.is_some(), "{text} {x}"),
                }
            }
        }
    }

    #[test]
    fn humps_between_the_points_of_a_polynomial_are_found() {
        // 84 ulp at 1.3, and nothing at any input that an octave's polynomial is made from.
        let text = "x + 1e-5*exp(-((x - 1.3)*1e4)^2)";
        let hump = surrogate(text, Format::Fp32).unwrap();
        for x in [1.3_f32, 1.299_95, 1.300_07, 1.2, 1.9] {
            let cell = hump.cell_of(x.to_bits()).unwrap();
            let polynomial = cell.polynomial().unwrap();
            let truth = hump.function().enclose_at(&exact(x.to_bits()), 80).unwrap();
            let wanted = truth.low().to_f64() * 2.0_f64.powi(-polynomial.ulp_exponent);
            let found = polynomial.at(cell.variable(x.to_bits()));
            assert!(
                (found - wanted).abs() <= polynomial.bound + 1e-9,
                "{x}: {found} {wanted}"
            );
        }
    }

    #[test]
    fn what_no_precision_settles_is_an_error() {
        let error = surrogate(
            "cosh(exp(exp(exp(abs(x))))) - cosh(exp(exp(exp(abs(x) + 0*x))))",
            Format::Fp32,
        )
        .unwrap_err();
        assert!(matches!(error, SurrogateError::Uncertain { .. }), "{error}");
        // Halves of odd subnormals are ties, but for what is added.
        let error = surrogate("0.5*sqrt(abs(x))^2", Format::Fp32).unwrap_err();
        assert!(matches!(error, SurrogateError::Rounding(_)), "{error}");
    }
}
