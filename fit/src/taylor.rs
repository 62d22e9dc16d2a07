//! The stock rule: Taylor expansion about the middle, each coefficient rounded to nearest.

use actforge_reference::Function;
use actforge_tables::Bucket;
use rug::Float;

/// Bits of the values that differences are taken of, and the step relative to the point: what is lost to cancellation
/// (three times the step's 60 bits) and to the step itself (120 bits) leaves more than 100 good bits.
const PRECISION: u32 = 420;
const STEP: u32 = 60;

/// The Taylor coefficients of a function at `x0`, rounded to binary32; `None` where it has no value.
pub(crate) fn taylor(function: &Function, x0: f32) -> Option<Bucket> {
    let center = Float::with_val(PRECISION, x0);
    let step = if x0 == 0.0 {
        Float::with_val(PRECISION, 1)
    } else {
        center.clone().abs()
    } >> STEP;
    let at = |k: i32| -> Option<Float> {
        let x = Float::with_val(PRECISION, &step * k) + &center;
        Some(function.enclose_at(&x, PRECISION)?.low().clone())
    };
    let (m2, m1, zero, p1, p2) = (at(-2)?, at(-1)?, at(0)?, at(1)?, at(2)?);
    let first = Float::with_val(PRECISION, &p1 - &m1) / &step / 2_u32;
    let second = (Float::with_val(PRECISION, &p1 + &m1)
        - Float::with_val(PRECISION, &zero * 2_u32))
        / &step
        / &step
        / 2_u32;
    let thrice =
        Float::with_val(PRECISION, &p2 - &m2) - Float::with_val(PRECISION, &p1 - &m1) * 2_u32;
    let third = thrice / &step / &step / &step / 12_u32;
    Some(Bucket {
        d: [
            zero.to_f32(),
            first.to_f32(),
            second.to_f32(),
            third.to_f32(),
        ],
        x0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_reference::lookup;

    /// The golden buckets of the stock exp table.
    #[test]
    fn stock_buckets_are_reproduced() {
        let exp = lookup("exp").unwrap().function();
        let first = taylor(exp, f32::from_bits(0xb63f_ffff)).unwrap();
        assert_eq!(
            first.d.map(f32::to_bits),
            [0x3f7f_ffd0, 0x3f7f_ffd0, 0x3eff_ffd0, 0x3e2a_aa8b]
        );
        let half = taylor(exp, f32::from_bits(0x3f1f_ffff)).unwrap();
        assert_eq!(half.d[0].to_bits(), 0x3fef_22ae);
        let zero = taylor(exp, 0.0).unwrap();
        assert_eq!(
            zero.d.map(f32::to_bits),
            [0x3f80_0000, 0x3f80_0000, 0x3f00_0000, 0x3e2a_aaab]
        );
    }
}
