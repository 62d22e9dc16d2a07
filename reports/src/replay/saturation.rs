//! From where on each side gives its limit, and whether that is the right place.

use actforge_engine::{Kernel, Run, RunKernel};

use super::Subject;
use crate::report::Saturation;
use crate::report::hex;
use crate::sweep::{constant_result, round_results};

/// The saturation of the sides whose limit is a number or an infinity that finite inputs reach.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Saturation> {
    if subject.range.is_some() {
        return Vec::new();
    }
    let specials = subject.function.specials();
    [(false, specials.pos_inf), (true, specials.neg_inf)]
        .into_iter()
        .filter(|(_, limit)| !limit.is_nan())
        .map(|(negative, limit)| Saturation {
            negative,
            limit: hex(limit.to_bits()),
            first: first_saturated(subject, negative, limit).map(hex),
            right: first_right(subject, negative, limit).map(hex),
        })
        .filter(|saturation| saturation.first.is_some() || saturation.right.is_some())
        .collect()
}

/// The input of least magnitude from which on every result of the table is the limit (zeros of either sign are).
fn first_saturated(subject: &Subject<'_>, negative: bool, limit: f32) -> Option<u32> {
    let runs: Vec<Run> = subject
        .table
        .runs()
        .filter(|run| {
            (run.first >> 31 == 1) == negative
                && run.first << 1 != 0
                && f32::from_bits(run.last).is_finite()
        })
        .collect();
    let mut saturated = None;
    for run in runs.iter().rev() {
        let kernel = subject.table.run_kernel(&run.route);
        match last_other(subject, &kernel, run, limit) {
            None => saturated = Some(run.first),
            Some(last) if last == run.last => return saturated,
            Some(last) => return Some(last + 1),
        }
    }
    saturated
}

/// The last input of a run whose result is not the limit.
fn last_other(subject: &Subject<'_>, kernel: &RunKernel, run: &Run, limit: f32) -> Option<u32> {
    if let Some(result) = constant_result(kernel, &run.route, run.first, run.last) {
        return (subject.output.round_f32(result) != limit).then_some(run.last);
    }
    subject.level.dispatch(LastOther {
        subject,
        kernel,
        run,
        limit,
    })
}

struct LastOther<'a> {
    subject: &'a Subject<'a>,
    kernel: &'a RunKernel,
    run: &'a Run,
    limit: f32,
}

impl Kernel for LastOther<'_> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run(self) -> Option<u32> {
        const BLOCK: u32 = 1024;
        let mut results = [0.0_f32; BLOCK as usize];
        let mut end = self.run.last;
        loop {
            let first = end.saturating_sub(BLOCK - 1).max(self.run.first);
            let block = results.get_mut(..(end - first + 1) as usize)?;
            self.kernel.eval(first, block);
            round_results(self.subject.output, block);
            if let Some(place) = block.iter().rposition(|result| *result != self.limit) {
                return Some(first + place as u32);
            }
            if first == self.run.first {
                return None;
            }
            end = first - 1;
        }
    }
}

/// The input of least magnitude from which on the limit is the correctly rounded result: a bisection beyond the last
/// turn, where the function is monotone.
fn first_right(subject: &Subject<'_>, negative: bool, limit: f32) -> Option<u32> {
    let sign = u32::from(negative) << 31;
    let is_limit = |magnitude: u32| {
        subject
            .function
            .round(f32::from_bits(sign | magnitude), subject.output)
            .is_ok_and(|right| right == limit)
    };
    let turn = subject
        .function
        .turns()
        .iter()
        .map(|turn| turn.at as f32)
        .filter(|at| (*at < 0.0) == negative);
    let mut outside = turn.map(|at| at.abs().to_bits()).max().unwrap_or(1).max(1);
    let mut inside = f32::MAX.to_bits();
    if !is_limit(inside) {
        return None;
    }
    if is_limit(outside) {
        return Some(sign | outside);
    }
    while inside - outside > 1 {
        let middle = outside + (inside - outside) / 2;
        if is_limit(middle) {
            inside = middle
        } else {
            outside = middle
        }
    }
    Some(sign | inside)
}
