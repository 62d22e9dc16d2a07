//! The statistics of one piece.

use actforge_engine::{Function, Kernel, Level, RunKernel};
use actforge_reference::{CellKind, CellPolynomial, Format, Monotone, Surrogate, steps};

use super::block::{
    BLOCK, Block, ResultSummary, count_above, distances, for_each_above, largest_ratio,
    power_of_two, sum_of_magnitudes, summarise_results, survey,
};
use super::constant::measure_constant;
use super::judge::true_sign;
use super::plan::Piece;
use super::rounding::round_results;
use super::tally::{
    CANDIDATES, Candidate, HALF_EDGE, HISTOGRAM_EDGES, LARGEST_SUMMAND, Tally, summand,
};

/// What all pieces of a function share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// The function as the hardware runs it.
    pub(crate) table: &'a Function<'a>,
    /// The function as it should be, in the output format's ulp.
    pub(crate) surrogate: &'a Surrogate,
    /// The least and greatest value it may take.
    pub(crate) value_bounds: Option<(f32, f32)>,
    /// The vector instructions to use.
    pub(crate) level: Level,
}

/// Measures one piece.
pub(crate) fn measure_piece(subject: &Subject<'_>, piece: &Piece<'_>) -> Tally {
    let kernel = subject.table.run_kernel(&piece.route);
    let constant = measure_constant(subject, piece, &kernel);
    let mut tally = constant.unwrap_or_else(|| {
        let mut tally = Tally::default();
        let mut block = Block::new();
        subject.level.dispatch(PieceKernel {
            subject,
            piece,
            kernel: &kernel,
            block: &mut block,
            tally: &mut tally,
            sign: None,
            has_bad_results: false,
        });
        tally
    });
    if piece.continues {
        tally.non_monotone += u64::from(first_step_is_back(subject, piece.first));
    }
    tally
}

/// Whether the step to an input from the one before it, of the same sign, is against the function's direction.
fn first_step_is_back(subject: &Subject<'_>, first: u32) -> bool {
    let [before, x] = [first - 1, first].map(f32::from_bits);
    let function = subject.surrogate.function();
    let format = subject.surrogate.format();
    let direction = function
        .direction(x)
        .filter(|direction| function.direction(before) == Some(*direction));
    let [result_before, result] = [before, x].map(|x| format.round_f32(subject.table.eval(x)));
    match direction {
        None => false,
        Some(direction) if rises_against(direction, x) => result > result_before,
        Some(_) => result < result_before,
    }
}

/// Whether a result that rises from one bit pattern to the next is against the direction. Bit patterns ascend in
/// magnitude: on the negative side that is towards smaller inputs.
fn rises_against(direction: Monotone, x: f32) -> bool {
    (direction == Monotone::Falling) != x.is_sign_negative()
}

pub(super) struct PieceKernel<'a, 'p> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) piece: &'a Piece<'p>,
    pub(super) kernel: &'a RunKernel,
    pub(super) block: &'a mut Block,
    pub(super) tally: &'a mut Tally,
    /// The sign of the true value as -1, 0 or 1, once it was needed.
    pub(super) sign: Option<f32>,
    /// Whether there was a result without an absolute error.
    pub(super) has_bad_results: bool,
}

/// A stretch of at least this many inputs is looked at from its end first.
const LONG: u64 = 4 * BLOCK as u64;

impl Kernel for PieceKernel<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let format = self.subject.surrogate.format();
        // Where errors grow along a piece, every block would hold new maxima. So the last block is asked for its
        // maxima first; offering one twice changes nothing.
        let mut maxima_only =
            self.piece.inputs() >= LONG && matches!(self.piece.cell.kind, CellKind::Polynomial(_));
        let mut first = if maxima_only {
            self.piece.last - (BLOCK as u32 - 1)
        } else {
            self.piece.first
        };
        let mut before: Option<f32> = None;
        loop {
            let length = ((self.piece.last - first) as usize).min(BLOCK - 1) + 1;
            let results = &mut self.block.results[..length];
            self.kernel.eval(first, results);
            round_results(format, results);
            let summary = summarise_results(&self.block.results, length);
            match &self.piece.cell.kind {
                CellKind::Polynomial(polynomial) => {
                    self.against_polynomial(polynomial, &summary, first, length, maxima_only)
                }
                _ => self.one_by_one(first, length),
            }
            if maxima_only {
                maxima_only = false;
                first = self.piece.first;
                continue;
            }
            self.steps_back(&summary, before);
            before = Some(summary.last);
            first += length as u32 - 1;
            if first == self.piece.last {
                break;
            }
            first += 1;
        }
        if let CellKind::Polynomial(polynomial) = &self.piece.cell.kind
            && !self.has_bad_results
        {
            self.propose_absolute_of_worst(polynomial);
        }
    }
}

impl PieceKernel<'_, '_> {
    #[inline(always)]
    fn against_polynomial(
        &mut self,
        polynomial: &CellPolynomial,
        summary: &ResultSummary,
        first: u32,
        length: usize,
        maxima_only: bool,
    ) {
        distances(
            polynomial,
            self.piece.cell.variable(first),
            self.block,
            length,
        );
        let margin = if polynomial.excess.is_some() {
            0.0
        } else {
            polynomial.bound
        };
        let (low, high) = half_edges(margin);
        let survey = survey(&self.block.magnitudes, [0.125, 0.25, 0.375, low, high]);
        if survey.largest.is_nan() || f64::from(survey.largest) > LARGEST_SUMMAND {
            if !maxima_only {
                self.with_bad_results(polynomial, margin, first, length);
            }
            return;
        }
        // An upper limit in double precision. (What is zero in binary32 is zero to every statistic.)
        let largest = if survey.largest == 0.0 {
            0.0
        } else {
            f64::from(survey.largest.next_up())
        };
        if largest > self.tally.admission() {
            self.propose_candidates(largest, first, length);
        }
        if self.has_bad_results {
            self.propose_absolute_of_block(polynomial, first, length);
        }
        self.relative(polynomial, summary, largest, first, length);
        if maxima_only {
            return;
        }
        self.tally.inputs += length as u64;
        self.tally.error_sum += summand(sum_of_magnitudes(&self.block.errors));
        let [eighth, quarter, three_eighths, maybe, surely] = survey.above;
        let mut incorrect = surely;
        if maybe > surely {
            incorrect += self.decide_halves(polynomial, margin, first, length);
        }
        // Only an exact polynomial can tell that an error is nothing at all.
        let some = if margin > 0.0 {
            length as u64
        } else if survey.largest > 0.0 {
            u64::from(count_above(&self.block.magnitudes, 0.0))
        } else {
            0
        };
        self.fill_histogram(
            [some, eighth, quarter, three_eighths, incorrect],
            survey.largest,
            length,
        );
        self.tally.incorrect += incorrect;
        if incorrect > 0 {
            self.count_steps(polynomial, summary, largest + margin, first, length);
        }
        self.range_and_sign(polynomial, summary, length);
    }

    /// All values of a cell have the same ulp, so the largest error in ulp is the largest at all. (Not where a result
    /// is infinite or NaN: that counts in ulp by convention, and has no absolute error.)
    pub(super) fn propose_absolute_of_worst(&mut self, polynomial: &CellPolynomial) {
        if let Some(worst) = self.tally.worst.first() {
            let absolute = worst.error * power_of_two(polynomial.ulp_exponent);
            let bits = worst.bits;
            self.tally.propose_absolute(absolute, bits);
        }
    }

    #[inline(never)]
    fn propose_absolute_of_block(
        &mut self,
        polynomial: &CellPolynomial,
        first: u32,
        length: usize,
    ) {
        let unit = power_of_two(polynomial.ulp_exponent);
        for k in 0..length {
            let absolute = self.block.errors[k].abs() * unit;
            self.tally.propose_absolute(absolute, first + k as u32);
        }
    }

    /// Offers the block's largest errors as candidates, in full knowledge of those already known.
    #[inline(always)]
    fn propose_candidates(&mut self, largest: f64, first: u32, length: usize) {
        // Where errors grow along the piece, every block would offer hundreds. A higher bar is as good as long as
        // enough errors pass it to fill all places.
        let admission = self.tally.admission();
        let bar = (largest - (largest - admission.max(0.0)) / 32.0) as f32;
        let above = count_above(&self.block.magnitudes, bar);
        let bar = if above >= CANDIDATES as u32 {
            f64::from(bar)
        } else {
            admission
        };
        let Block {
            errors, results, ..
        } = &*self.block;
        let tally = &mut *self.tally;
        for_each_above(errors, bar, |k| {
            // An error that is offered is inside the block: the entries beyond its length are zero.
            if k < length {
                let (error, result) = (errors[k].abs(), results[k].to_bits());
                tally.propose(Candidate {
                    error,
                    bits: first + k as u32,
                    result,
                });
            }
        });
    }

    /// Fills the histogram, given how many errors are above each edge up to one half.
    #[inline(always)]
    fn fill_histogram(&mut self, fine: [u64; HALF_EDGE + 1], largest: f32, length: usize) {
        let mut above = [0_u64; HISTOGRAM_EDGES.len()];
        above[..=HALF_EDGE].copy_from_slice(&fine);
        let coarse_edges = HISTOGRAM_EDGES[HALF_EDGE + 1..].as_chunks::<5>().0;
        let coarse = above[HALF_EDGE + 1..].as_chunks_mut::<5>().0;
        for (edges, above) in coarse_edges.iter().zip(coarse) {
            let edges = edges.map(|edge| edge as f32);
            if edges[0] >= largest {
                break;
            }
            *above = survey(&self.block.magnitudes, edges).above;
        }
        let mut before = length as u64;
        for (bin, above) in above.iter().enumerate() {
            // An edge inside the margin may have counted one more than the edge below it.
            let above = (*above).min(before);
            self.tally.histogram[bin] += before - above;
            before = above;
        }
        self.tally.histogram[HISTOGRAM_EDGES.len()] += before;
    }

    /// The distance in representable numbers, for a block that holds results that are not correctly rounded.
    #[inline(always)]
    fn count_steps(
        &mut self,
        polynomial: &CellPolynomial,
        summary: &ResultSummary,
        largest: f64,
        first: u32,
        length: usize,
    ) {
        let format = self.subject.surrogate.format();
        let unit = power_of_two(polynomial.ulp_exponent);
        let most = self.tally.most_steps.map_or(0, |(most, _)| most);
        // Unless results reach below the value's own binade, where numbers lie closer, steps are ulps.
        let binade = power_of_two(format.precision() - 1) * unit;
        let reach_below = !polynomial.subnormal
            && f64::from(summary.least) < binade
            && f64::from(summary.greatest) > -binade;
        if !reach_below && (largest + 0.5).floor() <= most as f64 {
            return;
        }
        let scale = power_of_two(-polynomial.ulp_exponent);
        let value =
            |block: &Block, k: usize| f64::from(block.results[k]).mul_add(scale, -block.errors[k]);
        if format == Format::Fp32 {
            let mut largest = 0_u32;
            for k in 0..length {
                let (got, want) = (
                    ordinal(self.block.results[k]),
                    ordinal((value(self.block, k) * unit) as f32),
                );
                largest = largest.max(got.abs_diff(want));
            }
            // Next to a tie, this rounding may be off by one.
            if u64::from(largest) < most {
                return;
            }
        }
        for k in 0..length {
            let bits = first + k as u32;
            let right = self.right_result(polynomial, bits, value(self.block, k));
            let count = steps(format, self.block.results[k], right).unwrap_or(u64::MAX);
            self.tally.propose_steps(count, bits);
        }
    }

    #[inline(always)]
    fn relative(
        &mut self,
        polynomial: &CellPolynomial,
        summary: &ResultSummary,
        largest: f64,
        first: u32,
        length: usize,
    ) {
        if polynomial.subnormal {
            return;
        }
        // Most blocks cannot hold a new maximum: their values are at least this many ulp.
        let known = self.tally.largest_relative.map_or(-1.0, |(known, _)| known);
        let scale = power_of_two(-polynomial.ulp_exponent);
        let least_result = f64::from(summary.least.abs().min(summary.greatest.abs())) * scale;
        let least_normal = power_of_two(self.subject.surrogate.format().precision() - 1);
        let least_value = (least_result - largest).max(least_normal);
        if largest > known * least_value {
            let (ratio, place) = largest_ratio(self.block, scale, length);
            self.tally.propose_relative(ratio, first + place as u32);
        }
    }

    #[inline(always)]
    fn range_and_sign(
        &mut self,
        polynomial: &CellPolynomial,
        summary: &ResultSummary,
        length: usize,
    ) {
        if let Some((low, high)) = self.subject.value_bounds
            && (summary.least < low || summary.greatest > high)
        {
            let outside = self.block.results[..length]
                .iter()
                .filter(|result| **result < low || **result > high);
            self.tally.out_of_range += outside.count() as u64;
        }
        let middle = polynomial.coefficients[0];
        if summary.least <= 0.0 && summary.greatest >= 0.0
            || middle > 0.0 && summary.greatest < 0.0
            || middle < 0.0 && summary.least > 0.0
        {
            self.count_signs(length);
        }
    }

    /// Counts wrong signs, in a block where there may be some.
    #[inline(always)]
    pub(super) fn count_signs(&mut self, length: usize) {
        let (subject, piece) = (self.subject, self.piece);
        let sign = *self.sign.get_or_insert_with(|| true_sign(subject, piece));
        let results = &self.block.results[..length];
        let wrong = results.iter().filter(|result| **result * sign < 0.0);
        self.tally.wrong_sign += wrong.count() as u64;
        let zeros = results
            .iter()
            .filter(|result| **result == 0.0 && result.signum() * sign < 0.0);
        self.tally.zero_sign += zeros.count() as u64;
    }

    /// Steps against the function's direction, the one from the block before included.
    #[inline(always)]
    fn steps_back(&mut self, summary: &ResultSummary, before: Option<f32>) {
        let (rises, falls) = match before {
            Some(before) => (summary.first > before, summary.first < before),
            None => (false, false),
        };
        let x = f32::from_bits(self.piece.first);
        let against = match self.subject.surrogate.function().direction(x) {
            None => 0,
            Some(direction) if rises_against(direction, x) => summary.rises + u32::from(rises),
            Some(_) => summary.falls + u32::from(falls),
        };
        self.tally.non_monotone += u64::from(against);
    }
}

/// The edges in binary32 between which a magnitude may be one half or not, for all that an error of at most `margin`
/// leaves open: below and at the first it is not, above the second it is more.
#[inline(always)]
pub(super) fn half_edges(margin: f64) -> (f32, f32) {
    let low = ((0.5 - margin) as f32).next_down();
    let high = if margin > 0.0 {
        ((0.5 + margin) as f32).next_up()
    } else {
        0.5
    };
    (low, high)
}

/// Binary32 numbers in order as integers; both zeros are 0.
#[inline(always)]
fn ordinal(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    // For negative numbers the magnitude counts down.
    (bits ^ ((bits >> 31) & 0x7fff_ffff)).wrapping_sub(bits >> 31)
}
