//! Jumps between neighbouring inputs that different cubics serve.

use actforge_engine::{Route, Run};
use actforge_reference::{Monotone, Surrogate};

use super::Subject;
use crate::report::hex;
use crate::report::{Seam, Seams};

/// Measures every seam of a table.
pub(super) fn measure(subject: &Subject<'_>, surrogate: &Surrogate) -> Seams {
    let mut seams = Seams::default();
    let mut before: Option<Run> = None;
    for run in subject.table.runs() {
        if let (Some(last), Some((octave, region))) = (before, place(&run.route))
            && let Some((octave_before, region_before)) = place(&last.route)
            && run.first == last.last + 1
            && run.first >> 31 == last.first >> 31
        {
            let seam = if region != region_before {
                &mut seams.region
            } else if octave != octave_before {
                &mut seams.octave
            } else {
                &mut seams.bucket
            };
            add(subject, surrogate, last.last, run.first, seam);
        }
        before = Some(run);
    }
    seams
}

fn place(route: &Route) -> Option<(Option<i16>, bool)> {
    match route {
        Route::Cubic { octave, region, .. } => Some((*octave, region.is_some())),
        _ => None,
    }
}

/// Adds the seam between two neighbouring inputs.
fn add(subject: &Subject<'_>, surrogate: &Surrogate, before: u32, after: u32, seam: &mut Seam) {
    let (low, high) = (f32::from_bits(before), f32::from_bits(after));
    if !subject.is_judged(low) || !subject.is_judged(high) {
        return;
    }
    seam.count += 1;
    let (result_low, result_high) = (subject.result(low), subject.result(high));
    let value = |bits: u32| {
        let cell = surrogate.cell_of(bits)?;
        let polynomial = cell.polynomial()?;
        let ulp = 2.0_f64.powi(polynomial.ulp_exponent);
        Some((polynomial.at(cell.variable(bits)) * ulp, ulp))
    };
    if let (Some((value_low, _)), Some((value_high, ulp))) = (value(before), value(after)) {
        let step = f64::from(result_high) - f64::from(result_low);
        let jump = ((step - (value_high - value_low)) / ulp).abs();
        if jump > seam.max_jump_ulp {
            seam.max_jump_ulp = (jump * 1e6).round() / 1e6;
            seam.at = Some(hex(before));
        }
    }
    let direction = subject
        .function
        .direction(low)
        .filter(|direction| Some(*direction) == subject.function.direction(high));
    let rises = if low.is_sign_negative() {
        result_low > result_high
    } else {
        result_high > result_low
    };
    let against = match direction {
        Some(Monotone::Falling) => rises && result_low != result_high,
        Some(Monotone::Rising) => !rises && result_low != result_high,
        None => false,
    };
    seam.non_monotone += u64::from(against);
}
