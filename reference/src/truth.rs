//! The true value at an input, as tightly as a question needs it.

use rug::Float;

use crate::format::Format;
use crate::function::Function;
use crate::interval::{Domain, Interval};

/// What a function is at one input.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// No value: the right result is NaN.
    Undefined,
    /// The limit is an infinity (a pole, or the input itself is infinite).
    Infinite {
        /// Minus infinity.
        negative: bool,
    },
    /// A real number within the enclosure.
    Value(Interval),
}

/// What raising the precision came to.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// A value, as tight as was asked for.
    Certain(Interval),
    /// A value; the precision ran out before its enclosure was tight.
    Wide(Interval),
    /// There is no value.
    Undefined,
    /// The precision ran out before it was known whether there is a value.
    Unclear,
}

/// The value is so close to a rounding boundary that the highest working precision does not tell its side.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{function}({x:?}) lies within 2^-{precision} of a rounding boundary of {format}; its rounding is not certain"
)]
pub struct UncertainError {
    /// The function.
    pub function: String,
    /// The input.
    pub x: f32,
    /// The format that was asked for.
    pub format: Format,
    /// The working precision at which the search ended, in bits.
    pub precision: u32,
}

/// Where a search for certainty starts and ends, in bits. The formulas of the catalogue lose at most the bits of
/// `|x|^2` to cancellation near a result that matters; the end is far beyond that.
const FIRST_PRECISION: u32 = 100;
pub(crate) const LAST_PRECISION: u32 = 6400;

/// Magnitudes below this exponent are zero for every format, also after a thousandfold error analysis.
const NEGLIGIBLE_EXPONENT: i32 = -400;

impl Function {
    /// The truth at any binary32 input, with a relative uncertainty below `2^-bits` (an absolute one below `2^-400`
    /// near zero).
    ///
    /// Where a value approaches a limit faster than any precision can follow (tanh at 1e30), the enclosure still
    /// holds it; it is then one unit of the last working precision wide.
    pub fn enclose(&self, x: f32, bits: u32) -> Truth {
        if let Some(result) = self.special_result(x) {
            return Truth::from_special(result);
        }
        match self.enclose_at(&Float::with_val(24, x), bits) {
            Some(value) => Truth::Value(value),
            None => Truth::Undefined,
        }
    }

    /// The enclosure at a finite non-zero point, tightened as [`Function::enclose`] says.
    pub fn enclose_at(&self, x: &Float, bits: u32) -> Option<Interval> {
        match self.seek(x, bits) {
            Sought::Certain(value) | Sought::Wide(value) => Some(value),
            Sought::Undefined | Sought::Unclear => None,
        }
    }

    /// Raises the precision until the value at a point is known to so many bits, or known not to exist.
    pub(crate) fn seek(&self, x: &Float, bits: u32) -> Sought {
        let mut precision = FIRST_PRECISION.max(bits + 16).max(x.prec());
        loop {
            let value = self.evaluate_once(x, precision);
            let found = match value.domain() {
                Domain::Outside => return Sought::Undefined,
                Domain::Inside if is_tight(&value, bits) => return Sought::Certain(value),
                Domain::Inside => Sought::Wide(value),
                Domain::Unclear => Sought::Unclear,
            };
            if precision >= LAST_PRECISION {
                return found;
            }
            precision *= 2;
        }
    }

    /// The result that the profile fixes for `x`, when `x` is a zero, a NaN or an infinity.
    pub fn special_result(&self, x: f32) -> Option<f32> {
        let specials = self.specials();
        if x.is_nan() {
            Some(specials.nan)
        } else if x == 0.0 {
            Some(specials.zero)
        } else if x == f32::INFINITY {
            Some(specials.pos_inf)
        } else if x == f32::NEG_INFINITY {
            Some(specials.neg_inf)
        } else {
            None
        }
    }

    /// The value rounded to nearest even in `format`, held as binary32.
    ///
    /// # Errors
    /// [`UncertainError`] when the working precision ran out before the rounding was certain. No function of the
    /// catalogue is known to do that.
    pub fn round(&self, x: f32, format: Format) -> Result<f32, UncertainError> {
        if let Some(result) = self.special_result(x) {
            return Ok(format.round_f32(result));
        }
        let x_exact = Float::with_val(24, x);
        let mut precision = FIRST_PRECISION;
        while precision <= LAST_PRECISION {
            let value = self.evaluate_once(&x_exact, precision);
            match value.domain() {
                Domain::Outside => return Ok(f32::NAN),
                Domain::Unclear => {
                    precision *= 2;
                    continue;
                }
                Domain::Inside => {}
            }
            let (low, high) = (
                format.round_float(value.low()),
                format.round_float(value.high()),
            );
            // Both zeros are the same answer.
            if low == high {
                return Ok(high as f32);
            }
            precision *= 2;
        }
        Err(UncertainError {
            function: self.name().to_owned(),
            x,
            format,
            precision: LAST_PRECISION,
        })
    }
}

impl Truth {
    fn from_special(result: f32) -> Self {
        if result.is_nan() {
            Self::Undefined
        } else if result.is_infinite() {
            Self::Infinite {
                negative: result < 0.0,
            }
        } else {
            Self::Value(Interval::from_f32(result, 24))
        }
    }

    /// The nearest double, for display: NaN where there is no value.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Undefined => f64::NAN,
            Self::Infinite { negative: false } => f64::INFINITY,
            Self::Infinite { negative: true } => f64::NEG_INFINITY,
            Self::Value(value) if value.is_point() => value.low().to_f64(),
            Self::Value(value) => {
                let mut middle =
                    Float::with_val(value.low().prec() + 1, value.low() + value.high());
                middle >>= 1;
                // An enclosure that reaches past the largest MPFR number has an infinite middle: still the right answer.
                middle.to_f64()
            }
        }
    }
}

fn is_tight(value: &Interval, bits: u32) -> bool {
    if value.is_point() {
        return true;
    }
    let largest = |end: &Float| {
        end.get_exp()
            .unwrap_or(if end.is_zero() { i32::MIN } else { i32::MAX })
    };
    let exponent = largest(value.low()).max(largest(value.high()));
    if exponent < NEGLIGIBLE_EXPONENT {
        return true;
    }
    if exponent == i32::MAX {
        // Beyond every number of every format.
        return value.low().is_finite() && value.high().is_sign_positive() && *value.low() > 1e300
            || value.high().is_finite()
                && value.low().is_sign_negative()
                && *value.high() < -1e300;
    }
    let width = Float::with_val(64, value.high() - value.low());
    match width.get_exp() {
        Some(width) => width < exponent.saturating_sub(bits as i32),
        None => width.is_zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::lookup;

    #[test]
    fn correct_rounding_agrees_with_known_values() {
        let exp = lookup("exp").unwrap().function();
        assert_eq!(exp.round(0.5, Format::Fp32).unwrap(), 1.648_721_2);
        assert_eq!(exp.round(-104.0, Format::Fp32).unwrap(), 0.0);
        assert_eq!(exp.round(1.0e30, Format::Fp32).unwrap(), f32::INFINITY);
        assert_eq!(exp.round(0.0, Format::Fp32).unwrap(), 1.0);
        let tanh = lookup("tanh").unwrap().function();
        assert_eq!(tanh.round(1.0e30, Format::Fp32).unwrap(), 1.0);
        assert_eq!(
            tanh.round(f32::from_bits(0x8001_16c2), Format::Fp32)
                .unwrap()
                .to_bits(),
            0x8001_16c2
        );
        let gelu = lookup("gelu").unwrap().function();
        assert_eq!(gelu.round(-1.0e30, Format::Fp32).unwrap(), 0.0);
        assert_eq!(
            gelu.round(f32::from_bits(0xc164_cccd), Format::Fp32)
                .unwrap()
                .to_bits(),
            0x8000_0001
        );
        let root = lookup("reciprocal_sqrt").unwrap().function();
        assert!(root.round(-1.0, Format::Fp32).unwrap().is_nan());
    }

    #[test]
    fn enclosures_are_as_tight_as_asked() {
        let gelu = lookup("gelu").unwrap().function();
        for x in [-14.0_f32, -0.75, 1.0e-30, 3.0, 1.0e30] {
            let Truth::Value(value) = gelu.enclose(x, 200) else {
                panic!("no value at {x}")
            };
            assert!(is_tight(&value, 200), "{x}");
        }
    }
}
