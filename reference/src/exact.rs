//! Functions that saturation buckets hold as they are: constants, multiples of x and x squared, side by side.

use rug::Float;

use crate::function::Function;
use crate::interval::{Domain, Interval};

const PRECISION: u32 = 200;

/// How far a value may be from such a function, relatively, in bits.
const AGREED_BITS: i32 = 90;

/// Whether each side is, to all appearances, a constant, a multiple of x or x squared: some dozen inputs are asked.
///
/// No result depends on the answer, only whether octaves are planned that would find their cubics to be trivial.
pub(crate) fn needs_no_table(function: &Function) -> bool {
    function.natural_range().is_none()
        && [1.0, -1.0]
            .into_iter()
            .all(|sign| is_trivial(function, sign))
}

fn is_trivial(function: &Function, sign: f32) -> bool {
    let at = |x: f32| {
        let x = Float::with_val(24, x);
        let value = function.expression.evaluate(&x, PRECISION);
        (value.domain() == Domain::Inside).then_some(value)
    };
    let Some(unit) = at(sign) else {
        return false;
    };
    (0..=2_u32).any(|power| {
        // Only x squared itself: a cubic has no other square to offer.
        let is_offered = power < 2 || unit.is_point() && *unit.low() == 1;
        is_offered
            && samples().all(|magnitude| {
                let x = Interval::from_f32(magnitude, PRECISION);
                at(sign * magnitude).is_some_and(|value| agree(&value, &x.powi(power).times(&unit)))
            })
    })
}

fn samples() -> impl Iterator<Item = f32> {
    (0..64_u32)
        .map(|k| f32::from_bits((k * 4 + 1) << 23 | k.wrapping_mul(0x9e37_79b9) >> 9))
        .filter(|x| x.is_finite())
}

/// Whether two enclosures are of the same number, as far as can be told.
fn agree(value: &Interval, other: &Interval) -> bool {
    let difference = value.clone().minus(other);
    let exponent = |end: &Float| end.get_exp().unwrap_or(i32::MIN);
    let width = exponent(difference.low()).max(exponent(difference.high()));
    let holds_zero = *difference.low() <= 0 && *difference.high() >= 0;
    holds_zero
        && width
            <= exponent(other.high())
                .max(exponent(other.low()))
                .saturating_sub(AGREED_BITS)
}
