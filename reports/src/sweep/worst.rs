//! The judge of a fit: the largest error of one bucket over the inputs it serves, exhaustively.

use actforge_engine::{Kernel, Level, Unfold, eval_run};
use actforge_fit::{Judge, Trial};
use actforge_reference::{Cell, CellKind, Surrogate, overflow_error, ulp_error};
use actforge_tables::Datapath;

use super::block::{BLOCK, Block, distances, largest_magnitude};
use super::rounding::round_results;
use crate::level::chosen_level;

/// Judges cubics by evaluating every input in the datapath of the set.
#[derive(Clone, Copy, Debug)]
pub struct SweepJudge {
    datapath: Datapath,
    level: Level,
}

impl SweepJudge {
    /// A judge for one datapath, with the vector instructions of this process ([`choose_level`](crate::choose_level)).
    pub fn new(datapath: Datapath) -> Self {
        Self {
            datapath,
            level: chosen_level(),
        }
    }
}

impl Judge for SweepJudge {
    fn worst_error(&self, surrogate: &Surrogate, trial: &Trial, give_up_above: f64) -> f64 {
        let mut block = Block::new();
        let mut worst = 0.0_f64;
        for cell in surrogate.overlapping(trial.first, trial.last) {
            let (first, last) = (trial.first.max(cell.first), trial.last.min(cell.last));
            let kernel = WorstKernel {
                judge: self,
                surrogate,
                trial,
                cell,
                first,
                last,
                give_up_above,
                block: &mut block,
            };
            worst = worst.max(self.level.dispatch(kernel));
            if worst > give_up_above {
                break;
            }
        }
        worst
    }
}

struct WorstKernel<'a> {
    judge: &'a SweepJudge,
    surrogate: &'a Surrogate,
    trial: &'a Trial,
    cell: &'a Cell,
    first: u32,
    last: u32,
    give_up_above: f64,
    block: &'a mut Block,
}

impl Kernel for WorstKernel<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let unfold = self
            .trial
            .unfold
            .map(|(invert_sign, point)| Unfold { invert_sign, point });
        let mut worst = 0.0_f64;
        let mut first = self.first;
        loop {
            let length = ((self.last - first) as usize).min(BLOCK - 1) + 1;
            let results = &mut self.block.results[..length];
            eval_run(
                self.judge.datapath,
                &self.trial.bucket,
                unfold,
                first,
                results,
            );
            round_results(self.surrogate.format(), results);
            worst = worst.max(match &self.cell.kind {
                CellKind::Polynomial(polynomial) => {
                    distances(polynomial, self.cell.variable(first), self.block, length);
                    largest_magnitude(&self.block.errors)
                }
                CellKind::Overflow { negative } => {
                    let format = self.surrogate.format();
                    self.block.results[..length]
                        .iter()
                        .map(|result| overflow_error(format, *result, *negative))
                        .fold(0.0, f64::max)
                }
                CellKind::Undefined => {
                    let all_right = self.block.results[..length]
                        .iter()
                        .all(|result| result.is_nan());
                    if all_right { 0.0 } else { f64::INFINITY }
                }
                CellKind::Pointwise => self.one_by_one(first, length),
            });
            first += length as u32 - 1;
            if first == self.last || worst > self.give_up_above {
                return worst;
            }
            first += 1;
        }
    }
}

impl WorstKernel<'_> {
    /// MPFR on each input of the block: for the few that no polynomial describes.
    fn one_by_one(&self, first: u32, length: usize) -> f64 {
        let function = self.surrogate.function();
        let errors = self.block.results[..length]
            .iter()
            .zip(first..)
            .map(|(result, bits)| {
                ulp_error(
                    self.surrogate.format(),
                    *result,
                    &function.enclose(f32::from_bits(bits), 80),
                )
            });
        errors.fold(0.0, f64::max)
    }
}
