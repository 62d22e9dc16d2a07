//! The two ulp metrics, each defined in one place.
//!
//! * **real-valued**: `|r - y| / ulp(y)` against the real number `y`, with
//!   `ulp(y) = 2^(max(floor(log2 |y|), emin) - (p - 1))`. A correctly rounded result has at most 0.5.
//! * **steps**: how many representable numbers lie between `r` and the correctly rounded result. A correctly
//!   rounded result has 0.

use rug::Float;

use crate::format::{Format, exp2};
use crate::truth::Truth;

/// The real-valued error of `result` (already rounded to `format`) in ulp of the true value.
///
/// Conventions, for what the formula leaves open:
/// * NaN where NaN is right is 0; NaN where a number is right, or a number where NaN is right, is infinite.
/// * From the format's overflow threshold on, the infinity of the right sign is 0; a finite result counts its distance
///   from the threshold in ulp of the largest finite number.
/// * An infinite result where a finite one is due counts as `2^(emax + 1)`.
/// * The two zeros are one number.
pub fn ulp_error(format: Format, result: f32, truth: &Truth) -> f64 {
    let value = match truth {
        Truth::Undefined => return if result.is_nan() { 0.0 } else { f64::INFINITY },
        Truth::Infinite { negative } => {
            let right = if *negative {
                f32::NEG_INFINITY
            } else {
                f32::INFINITY
            };
            return if result == right { 0.0 } else { f64::INFINITY };
        }
        Truth::Value(value) => value,
    };
    if result.is_nan() {
        return f64::INFINITY;
    }
    let nearest_to_zero = value.smallest_magnitude();
    let threshold = format.overflow_threshold();
    if nearest_to_zero >= threshold {
        return overflow_error(format, result, value.low().is_sign_negative());
    }
    let ulp = ulp_exponent_at(format, &nearest_to_zero);
    let result = if result.is_infinite() {
        exp2(format.max_exponent() + 1).copysign(f64::from(result))
    } else {
        f64::from(result)
    };
    let precision = value.low().prec() + 64;
    let mut distance = Float::with_val(precision, value.low() + value.high());
    distance >>= 1;
    distance -= result;
    distance.abs_mut();
    distance >>= ulp;
    distance.to_f64()
}

/// The error of `result` as a distance: [`ulp_error`], with its conventions, times the ulp of the true value. Where the
/// value overflows the format that is the ulp of the largest finite number.
pub fn absolute_error(format: Format, result: f32, truth: &Truth) -> f64 {
    let error = ulp_error(format, result, truth);
    let Truth::Value(value) = truth else {
        return error;
    };
    let nearest_to_zero = value.smallest_magnitude();
    let ulp = if nearest_to_zero >= format.overflow_threshold() {
        format.ulp_exponent(format.max_exponent())
    } else {
        ulp_exponent_at(format, &nearest_to_zero)
    };
    error * exp2(ulp)
}

/// log2 of the ulp of a value below the overflow threshold.
fn ulp_exponent_at(format: Format, magnitude: &Float) -> i32 {
    let exponent = magnitude.get_exp();
    format.ulp_exponent(exponent.map_or(i32::MIN, |exponent| exponent - 1))
}

/// The error of a result where an infinity is right: its distance from the overflow threshold, in ulp of the largest
/// finite number; 0 for the infinity itself.
pub fn overflow_error(format: Format, result: f32, negative: bool) -> f64 {
    let result = f64::from(if negative { -result } else { result });
    if result.is_nan() {
        return f64::INFINITY;
    }
    if result == f64::INFINITY {
        return 0.0;
    }
    let result = result.max(-exp2(format.max_exponent() + 1));
    (format.overflow_threshold() - result) / exp2(format.ulp_exponent(format.max_exponent()))
}

/// The number of representable steps between two results of a format; both zeros are one number, NaN matches only NaN.
/// `None` when exactly one of them is NaN.
pub fn steps(format: Format, result: f32, correct: f32) -> Option<u64> {
    match (format.ordinal(result), format.ordinal(correct)) {
        (Some(result), Some(correct)) => Some(result.abs_diff(correct)),
        (None, None) => Some(0),
        _ => None,
    }
}

/// Checks both metrics on the cases where implementations are known to differ; the text names the first that fails.
///
/// Reports run it before they measure anything.
///
/// # Errors
/// A sentence that says which property does not hold.
pub fn metric_self_test() -> Result<(), String> {
    let point = |value: f32| Truth::Value(crate::Interval::from_f32(value, 24));
    for format in Format::ALL {
        let least = format.from_bits(1);
        let largest = format.max_finite() as f32;
        let below_largest = format.from_bits(format.to_bits(largest) - 1);
        let cases = [
            ("zeros coincide", steps(format, -0.0, 0.0), Some(0)),
            (
                "the least subnormals are two steps apart",
                steps(format, -least, least),
                Some(2),
            ),
            (
                "neighbours are one step apart",
                steps(format, below_largest, largest),
                Some(1),
            ),
            (
                "infinity follows the largest finite number",
                steps(format, largest, f32::INFINITY),
                Some(1),
            ),
            (
                "NaN matches NaN",
                steps(format, f32::NAN, f32::NAN),
                Some(0),
            ),
            (
                "NaN matches nothing else",
                steps(format, f32::NAN, 0.0),
                None,
            ),
        ];
        for (property, got, want) in cases {
            if got != want {
                return Err(format!(
                    "{format}: {property}: expected {want:?} steps, found {got:?}"
                ));
            }
        }
        let cases = [
            (
                "a zero of either sign is exact",
                ulp_error(format, -0.0, &point(0.0)),
                0.0,
            ),
            (
                "the least subnormal is one ulp from zero",
                ulp_error(format, 0.0, &point(least)),
                1.0,
            ),
            (
                "one ulp below the largest number",
                ulp_error(format, below_largest, &point(largest)),
                1.0,
            ),
            (
                "infinity counts as the next power of two",
                ulp_error(format, f32::INFINITY, &point(largest)),
                1.0,
            ),
            (
                "NaN for a number is infinitely wrong",
                ulp_error(format, f32::NAN, &point(1.0)),
                f64::INFINITY,
            ),
            (
                "a number for NaN is infinitely wrong",
                ulp_error(format, 1.0, &Truth::Undefined),
                f64::INFINITY,
            ),
        ];
        for (property, got, want) in cases {
            if got != want {
                return Err(format!(
                    "{format}: {property}: expected {want} ulp, found {got}"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::lookup;

    #[test]
    fn the_metrics_pass_their_own_test() {
        assert_eq!(metric_self_test(), Ok(()));
    }

    #[test]
    fn a_correctly_rounded_result_is_within_half_an_ulp() {
        let exp = lookup("exp").unwrap().function();
        for x in [0.3_f32, -3.7, 50.0, -95.0, 88.7, -103.9] {
            let right = exp.round(x, Format::Fp32).unwrap();
            let error = ulp_error(Format::Fp32, right, &exp.enclose(x, 80));
            assert!(error <= 0.5, "{x}: {error}");
            let next = f32::from_bits(right.to_bits() + 1);
            let error = ulp_error(Format::Fp32, next, &exp.enclose(x, 80));
            assert!((0.5..=1.5).contains(&error), "{x}: {error}");
        }
    }

    #[test]
    fn just_below_one_the_ulp_is_the_smaller_one() {
        // tanh(1e30) is less than 1, by less than any precision can show.
        let tanh = lookup("tanh").unwrap().function();
        let below_one = f32::from_bits(0x3f7f_ffff);
        let error = ulp_error(Format::Fp32, below_one, &tanh.enclose(1.0e30, 80));
        assert!((error - 1.0).abs() < 1e-9, "{error}");
    }

    #[test]
    fn past_the_overflow_threshold_only_infinity_is_right() {
        let exp = lookup("exp").unwrap().function();
        let truth = exp.enclose(100.0, 80);
        assert_eq!(ulp_error(Format::Fp32, f32::INFINITY, &truth), 0.0);
        assert_eq!(ulp_error(Format::Fp32, f32::MAX, &truth), 0.5);
        assert!(ulp_error(Format::Fp32, 1.0, &truth) > 1.0e6);
    }
}
