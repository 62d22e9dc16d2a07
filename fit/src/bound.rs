//! The floor of a bucket: what no choice of coefficients can improve upon.

use actforge_reference::Surrogate;
use rug::Float;

use crate::sample::Sample;

/// Working precision, bits: the divided difference of five neighbouring floats cancels at most 4 x 23 of them.
const PRECISION: u32 = 192;

/// Relative accuracy of the values, bits: an error of a millionth of an ulp is 2^-44 of a value.
const VALUE_BITS: u32 = 100;

/// A lower bound on the ulp-weighted error of the best cubic with real coefficients, over any set of inputs that holds
/// the five given ones, in ulp.
///
/// For five points, a cubic with errors of at most `E` ulp satisfies `|sum l_i y_i| <= E sum |l_i| ulp_i`, where the
/// `l_i` are the weights of the divided difference, which vanishes for cubics. (This is de la Vallee Poussin's bound; it
/// is attained by the alternating solution.) Values are enclosed in MPFR and the bound is taken at the unfavourable end,
/// so it does not depend on the quality of the samples or of the exchange.
pub(crate) fn alternation_bound(surrogate: &Surrogate, reference: &[Sample], unit: f64) -> f64 {
    let function = surrogate.function();
    let mut difference = Float::new(PRECISION);
    let mut slack = Float::new(PRECISION);
    let mut scale = Float::new(PRECISION);
    for (i, sample) in reference.iter().enumerate() {
        let x = Float::with_val(PRECISION, f32::from_bits(sample.bits));
        let mut weight = Float::with_val(PRECISION, 1);
        for (j, other) in reference.iter().enumerate() {
            if i != j {
                weight *= Float::with_val(PRECISION, &x - f32::from_bits(other.bits));
            }
        }
        weight.recip_mut();
        let Some(value) = function.enclose_at(&x, VALUE_BITS) else {
            return 0.0;
        };
        difference += Float::with_val(PRECISION, value.low() * &weight);
        let magnitude = weight.abs();
        slack += Float::with_val(PRECISION, value.high() - value.low()) * &magnitude;
        scale += magnitude * (unit / sample.weight);
    }
    let least = difference.abs() - slack;
    // Rounded down to nine digits: far more than the rounding of these few operations.
    let bound = (least / scale).to_f64() * (1.0 - 1e-9);
    if bound.is_finite() {
        bound.max(0.0)
    } else {
        0.0
    }
}
