//! How the two sides of an expression mirror each other: proven from its form, or seen at many inputs.

use rug::Float;

use crate::expression::{Binary, Expression, Unary};
use crate::function::Parity;
use crate::interval::{Domain, Interval};

/// What follows from the form of an expression; `None` when nothing does.
pub(crate) fn proven(expression: &Expression) -> Option<Parity> {
    use Parity::{Even, Odd};
    match expression {
        Expression::X => Some(Odd),
        Expression::Number(_) | Expression::Pi => Some(Even),
        Expression::Power(base, exponent) => match (proven(base)?, exponent % 2) {
            (Odd, 1) => Some(Odd),
            _ => Some(Even),
        },
        Expression::Unary(function, argument) => match (proven(argument)?, function) {
            (Even, _) | (Odd, Unary::Abs | Unary::Cos | Unary::Cosh) => Some(Even),
            (
                Odd,
                Unary::Neg
                | Unary::Sign
                | Unary::Cbrt
                | Unary::Sin
                | Unary::Tan
                | Unary::Asin
                | Unary::Atan
                | Unary::Sinh
                | Unary::Tanh
                | Unary::Erf,
            ) => Some(Odd),
            _ => None,
        },
        Expression::Binary(operation, left, right) => {
            match (operation, proven(left)?, proven(right)?) {
                (_, Even, Even) => Some(Even),
                (Binary::Add | Binary::Sub, Odd, Odd) => Some(Odd),
                (Binary::Mul | Binary::Div, Odd, Odd) => Some(Even),
                (Binary::Mul | Binary::Div, Odd, Even) | (Binary::Mul | Binary::Div, Even, Odd) => {
                    Some(Odd)
                }
                _ => None,
            }
        }
    }
}

/// Working precision where two values are compared, and how far their enclosures must agree, in bits.
const PRECISION: u32 = 400;
const AGREED_BITS: i32 = 160;

/// Values below two to this are zero for every format.
const NEGLIGIBLE_EXPONENT: i32 = -400;

/// What all of some hundred inputs agree on, spread over all octaves up to `reach`. This is no proof: whoever relies on
/// it must still look at both sides.
pub(crate) fn seen(expression: &Expression, reach: f32) -> Parity {
    let jumps = has_jumps(expression);
    let (mut even, mut odd) = (true, true);
    let mut sum: Option<Interval> = None;
    let mut point = !jumps;
    let mut compared = 0;
    for x in samples(reach) {
        let at = |x: f32| expression.evaluate(&Float::with_val(24, x), PRECISION);
        let (right, left) = (at(x), at(-x));
        match (right.domain(), left.domain()) {
            (Domain::Inside, Domain::Inside) => {}
            (Domain::Outside, Domain::Outside) => continue,
            _ => return Parity::None,
        }
        if [&right, &left]
            .iter()
            .any(|value| value.low().is_infinite() || value.high().is_infinite())
        {
            // Beyond every number: nothing can be compared.
            continue;
        }
        let scale = magnitude_exponent(&right).max(magnitude_exponent(&left));
        even &= vanishes(&right.clone().minus(&left), scale);
        let both = right.plus(&left);
        odd &= vanishes(&both, scale);
        point &= match &sum {
            None => {
                sum = Some(both);
                true
            }
            Some(sum) => vanishes(&both.minus(sum), scale.max(magnitude_exponent(sum))),
        };
        compared += 1;
        if !(even || odd || point) {
            return Parity::None;
        }
    }
    if compared < 16 {
        return Parity::None;
    }
    if even {
        return Parity::Even;
    }
    if odd {
        return Parity::Odd;
    }
    match sum {
        Some(sum) if point => {
            let rounded = sum.low().to_f32();
            let exact = Interval::from_f32(rounded, PRECISION);
            if rounded != 0.0 && vanishes(&sum.minus(&exact), 0) {
                Parity::Point { sum: rounded }
            } else {
                Parity::None
            }
        }
        _ => Parity::None,
    }
}

/// Inputs in every other octave, with mantissas that differ.
fn samples(reach: f32) -> impl Iterator<Item = f32> {
    (1..255_u32)
        .step_by(2)
        // From the middle outwards, since that is where most functions show what they are.
        .map(|k| if k % 4 == 1 { 127 + k / 2 } else { 127 - k / 2 })
        .filter(|exponent| (1..255).contains(exponent))
        .map(|exponent| f32::from_bits(exponent << 23 | exponent.wrapping_mul(0x9e37_79b9) >> 9))
        .filter(move |x| *x <= reach)
}

fn magnitude_exponent(value: &Interval) -> i32 {
    let exponent = |end: &Float| end.get_exp().unwrap_or(i32::MIN);
    exponent(value.low()).max(exponent(value.high()))
}

/// Whether an enclosure holds zero and is next to nothing beside `2^scale`.
fn vanishes(value: &Interval, scale: i32) -> bool {
    let holds_zero = *value.low() <= 0 && *value.high() >= 0;
    let width = magnitude_exponent(value);
    holds_zero && (scale < NEGLIGIBLE_EXPONENT || width <= scale.saturating_sub(AGREED_BITS))
}

/// Whether values may jump. (Folding a jump about a point saves nothing.)
fn has_jumps(expression: &Expression) -> bool {
    match expression {
        Expression::X | Expression::Number(_) | Expression::Pi => false,
        Expression::Unary(Unary::Sign | Unary::Step, _) => true,
        Expression::Unary(_, inner) | Expression::Power(inner, _) => has_jumps(inner),
        Expression::Binary(_, left, right) => has_jumps(left) || has_jumps(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_proves_what_it_can() {
        for (text, parity) in [
            ("x", Some(Parity::Odd)),
            ("3", Some(Parity::Even)),
            ("x^3/(1 + x^2)", Some(Parity::Odd)),
            ("x*tanh(x) - cos(x)", Some(Parity::Even)),
            ("exp(-abs(x))", Some(Parity::Even)),
            ("1/cosh(x)^2", Some(Parity::Even)),
            ("1/x", Some(Parity::Odd)),
            ("max(x, 0)", None),
            ("exp(x) - exp(-x)", None),
            ("x + 1", None),
        ] {
            assert_eq!(proven(&text.parse().unwrap()), parity, "{text}");
        }
    }

    #[test]
    fn inputs_show_what_the_form_does_not() {
        for (text, parity) in [
            ("exp(x/8) - exp(-x/8)", Parity::Odd),
            ("exp(-(x - 1)^2) + exp(-(x + 1)^2)", Parity::Even),
            ("1/(1 + exp(-x))", Parity::Point { sum: 1.0 }),
            ("3*sigmoid(x) + 0.5", Parity::Point { sum: 4.0 }),
            ("0.1 + tanh(x)", Parity::None),
            ("step(x)", Parity::None),
            ("x/(1 + exp(-x))", Parity::None),
            ("log(x)", Parity::None),
            ("x + 1e-30", Parity::None),
        ] {
            assert_eq!(seen(&text.parse().unwrap(), f32::MAX), parity, "{text}");
        }
        assert_eq!(seen(&"1/(1 + exp(-x))".parse().unwrap(), 0.0), Parity::None);
    }
}
