//! Rounding the engine's binary32 results to an output format, on lanes.

use actforge_reference::Format;

/// Rounds every value to `format`, to nearest even; the same bits as [`Format::round_f32`].
///
/// Plain loops without branches: inside a dispatched kernel they become vector code.
#[inline(always)]
pub(crate) fn round_results(format: Format, values: &mut [f32]) {
    match format {
        Format::Fp32 => {}
        Format::Bf16 => values
            .iter_mut()
            .for_each(|value| *value = round_bf16(*value)),
        Format::Fp16 => round_all(&Narrow::new(Format::Fp16), values),
        Format::Fp8E4M3 => round_all(&Narrow::new(Format::Fp8E4M3), values),
        Format::Fp8E5M2 => round_all(&Narrow::new(Format::Fp8E5M2), values),
    }
}

/// bfloat16 is the upper half of binary32: add half of what is cut off, and the kept parity to break ties.
#[inline(always)]
fn round_bf16(value: f32) -> f32 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) & 0xffff_0000;
    if value.is_nan() {
        value
    } else {
        f32::from_bits(rounded)
    }
}

/// A format with a narrower exponent than binary32, as the constants that rounding to it needs.
#[derive(Clone, Copy)]
struct Narrow {
    /// Biased binary32 exponent of the least normal number of the format.
    least_exponent: u32,
    /// Adding `2^(exponent + shift)` to a value of that exponent leaves exactly the wanted bits.
    shift: u32,
    /// Magnitudes from here on become infinite.
    threshold: f32,
}

impl Narrow {
    fn new(format: Format) -> Self {
        Self {
            least_exponent: (format.min_exponent() + 127) as u32,
            shift: (24 - format.precision()) as u32,
            threshold: format.overflow_threshold() as f32,
        }
    }

    #[inline(always)]
    fn round(&self, value: f32) -> f32 {
        let magnitude = value.abs();
        let exponent = (magnitude.to_bits() >> 23).max(self.least_exponent);
        // The sum has the format's ulp as its own last bit, so adding rounds and subtracting is exact.
        // Values whose exponent would overflow the constant are infinite in the format anyway.
        let anchor = f32::from_bits((exponent + self.shift).min(254) << 23);
        let rounded = (magnitude + anchor) - anchor;
        let finite = if magnitude >= self.threshold {
            f32::INFINITY
        } else {
            rounded
        };
        let result = if value.is_nan() { value } else { finite };
        result.copysign(value)
    }
}

#[inline(always)]
fn round_all(narrow: &Narrow, values: &mut [f32]) {
    for value in values {
        *value = narrow.round(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_round_as_the_definition_does() {
        let mut state = 7_u64;
        for format in Format::ALL {
            let mut inputs: Vec<f32> = (0..200_000)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    f32::from_bits((state >> 32) as u32)
                })
                .collect();
            // Every encoding of the format, its neighbours in binary32 and the ties above it.
            for bits in 0..1_u32 << format.width().min(16) {
                let value = format.from_bits(bits);
                let next =
                    format.from_bits(bits.wrapping_add(1) & ((1 << format.width().min(16)) - 1));
                let tie = ((f64::from(value) + f64::from(next)) / 2.0) as f32;
                for near in [value, tie] {
                    let bits = near.to_bits();
                    inputs.extend([
                        near,
                        f32::from_bits(bits ^ 1),
                        f32::from_bits(bits.wrapping_add(1)),
                    ]);
                }
            }
            let mut rounded = inputs.clone();
            round_results(format, &mut rounded);
            for (input, got) in inputs.iter().zip(&rounded) {
                let want = format.round_f32(*input);
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{format} {:#x}: {:#x} {:#x}",
                    input.to_bits(),
                    got.to_bits(),
                    want.to_bits()
                );
            }
        }
    }
}
