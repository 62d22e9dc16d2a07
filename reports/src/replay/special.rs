//! Zeros, infinities and NaNs of every class.

use actforge_reference::{Format, steps, ulp_error};
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::report::SpecialReport;
use crate::report::hex;
use crate::sweep::{MOST_INPUTS, Tally};

/// The special inputs of a function with their results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SpecialInputs(Vec<SpecialInput>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SpecialInput {
    report: SpecialReport,
    bits: u32,
    result: u32,
    /// `None` for an infinite error.
    error: Option<f64>,
    steps: u64,
}

/// First and last bit pattern of each class of binary32, without the sign.
const CLASSES: [(&str, u32, u32); 4] = [
    ("0", 0, 0),
    ("inf", 0x7f80_0000, 0x7f80_0000),
    ("signalling nan", 0x7f80_0001, 0x7fbf_ffff),
    ("quiet nan", 0x7fc0_0000, 0x7fff_ffff),
];

/// Evaluates all special inputs of the input type.
pub(super) fn special_inputs(subject: &Subject<'_>) -> SpecialInputs {
    let mut inputs = Vec::new();
    for sign in [0, 1_u32 << 31] {
        for (name, first, last) in CLASSES {
            let Some(count) = patterns(subject.input, first, last) else {
                continue;
            };
            // The engine has one result for all NaNs; the ends of the class are asked anyhow.
            let bits = first | sign;
            let result = [bits, last | sign]
                .map(|bits| subject.result(f32::from_bits(bits)))
                .into_iter()
                .reduce(|one, other| {
                    if is_right(subject, bits, one) {
                        other
                    } else {
                        one
                    }
                })
                .unwrap_or(f32::NAN);
            let name = format!("{}{name}", if sign == 0 { "+" } else { "-" });
            inputs.push(judge(subject, name, bits, count, result));
        }
    }
    SpecialInputs(inputs)
}

/// How many special inputs a type has.
pub(super) fn count(input: Format) -> u64 {
    let of_a_sign = CLASSES
        .iter()
        .filter_map(|(_, first, last)| patterns(input, *first, *last));
    2 * of_a_sign.sum::<u64>()
}

/// How many patterns of the input type fall into a class; `None` for a class it does not have.
fn patterns(input: Format, first: u32, last: u32) -> Option<u64> {
    if input == Format::Fp32 || first == last {
        return Some(u64::from(last - first) + 1);
    }
    let fraction_bits = input.precision() - 1;
    // Quiet ones have the top fraction bit set; converting a signalling NaN is left out, since it quiets it.
    let nans = (1_u64 << fraction_bits) - 1;
    (first == 0x7fc0_0000).then_some(nans)
}

fn truth(subject: &Subject<'_>, bits: u32) -> actforge_reference::Truth {
    subject.function.enclose(f32::from_bits(bits), 80)
}

fn is_right(subject: &Subject<'_>, bits: u32, result: f32) -> bool {
    ulp_error(subject.output, result, &truth(subject, bits)) <= 0.5
}

fn judge(subject: &Subject<'_>, name: String, bits: u32, count: u64, result: f32) -> SpecialInput {
    let want = subject
        .function
        .round(f32::from_bits(bits), subject.output)
        .unwrap_or(f32::NAN);
    let error = ulp_error(subject.output, result, &truth(subject, bits));
    let ok = result == want || result.is_nan() && want.is_nan();
    SpecialInput {
        report: SpecialReport {
            input: name,
            inputs: count,
            bits: hex(bits),
            got: hex(result.to_bits()),
            want: hex(want.to_bits()),
            ok,
        },
        bits,
        result: result.to_bits(),
        error: error.is_finite().then_some(error),
        steps: steps(subject.output, result, want).unwrap_or(u64::MAX),
    }
}

impl SpecialInputs {
    /// Whether no class has more inputs than there are.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut counts = self.0.iter().map(|special| special.report.inputs);
        match counts.find(|count| *count > MOST_INPUTS) {
            Some(count) => Err(format!(
                "special inputs: expected at most {MOST_INPUTS} of a class, found {count}"
            )),
            None => Ok(()),
        }
    }

    /// Adds the special inputs to the statistics of all inputs.
    pub(super) fn add_to(&self, total: &mut Tally) {
        for special in &self.0 {
            let result = f32::from_bits(special.result);
            total.add_equal(
                special.error.unwrap_or(f64::INFINITY),
                special.bits,
                result,
                special.report.inputs,
                special.report.ok,
            );
            if !special.report.ok {
                total.propose_steps(special.steps, special.bits);
                total.nan_results += if result.is_nan() {
                    special.report.inputs
                } else {
                    0
                };
            }
        }
    }

    pub(super) fn reports(self) -> Vec<SpecialReport> {
        self.0.into_iter().map(|special| special.report).collect()
    }
}
