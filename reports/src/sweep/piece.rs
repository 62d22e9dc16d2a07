//! The statistics of one piece.

use std::cmp::Ordering;

use actforge_engine::{Function, Kernel, Level, RunKernel};
use actforge_reference::{
    CellKind, CellPolynomial, Format, Monotone, Surrogate, overflow_error, steps, ulp_error,
};

use super::block::{
    BLOCK, Block, ResultSummary, count_above, distances, for_each_above, largest_and_sum,
    power_of_two, summarise_results,
};
use super::constant::{measure_constant, true_sign};
use super::plan::Piece;
use super::rounding::round_results;
use super::tally::{CANDIDATES, Candidate, FINE_EDGES, HALF_EDGE, HISTOGRAM_EDGES, Tally, summand};

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
    if let Some(tally) = measure_constant(subject, piece, &kernel) {
        return tally;
    }
    let mut tally = Tally::default();
    let mut block = Block::new();
    subject.level.dispatch(PieceKernel {
        subject,
        piece,
        kernel: &kernel,
        block: &mut block,
        tally: &mut tally,
    });
    tally
}

struct PieceKernel<'a, 'p> {
    subject: &'a Subject<'a>,
    piece: &'a Piece<'p>,
    kernel: &'a RunKernel,
    block: &'a mut Block,
    tally: &'a mut Tally,
}

impl Kernel for PieceKernel<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let format = self.subject.surrogate.format();
        let mut first = self.piece.first;
        let mut before: Option<f32> = None;
        loop {
            let length = ((self.piece.last - first) as usize).min(BLOCK - 1) + 1;
            let results = &mut self.block.results[..length];
            self.kernel.eval(first, results);
            round_results(format, results);
            let summary = summarise_results(&self.block.results, length);
            match &self.piece.cell.kind {
                CellKind::Polynomial(polynomial) => {
                    self.against_polynomial(polynomial, &summary, first, length)
                }
                _ => self.one_by_one(first, length),
            }
            self.steps_back(&summary, before);
            before = Some(summary.last);
            first += length as u32 - 1;
            if first == self.piece.last {
                break;
            }
            first += 1;
        }
        // All values of a cell have the same ulp, so the largest error in ulp is the largest at all.
        if let (CellKind::Polynomial(polynomial), Some(worst)) =
            (&self.piece.cell.kind, self.tally.worst.first())
        {
            let absolute = worst.error * power_of_two(polynomial.ulp_exponent);
            let bits = worst.bits;
            if absolute.is_finite() {
                self.tally.propose_absolute(absolute, bits);
            }
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
    ) {
        distances(
            polynomial,
            self.piece.cell.variable(first),
            self.block,
            length,
        );
        let (largest, sum) = largest_and_sum(&self.block.errors);
        if !largest.is_finite() {
            return self.with_bad_results(polynomial, first, length);
        }
        self.tally.inputs += length as u64;
        self.tally.error_sum += summand(sum);
        let incorrect = self.count_bins(polynomial, largest, first, length);
        self.tally.incorrect += incorrect;
        if largest > self.tally.admission() {
            self.propose_candidates(largest, first, length);
        }
        if incorrect > 0 {
            self.count_steps(polynomial, first, length);
        }
        self.relative(polynomial, summary, largest, first, length);
        self.range_and_sign(polynomial, summary, first, length);
    }

    /// Offers the block's largest errors as candidates, in full knowledge of those already known.
    #[inline(always)]
    fn propose_candidates(&mut self, largest: f64, first: u32, length: usize) {
        // Where errors grow along the piece, every block would offer hundreds. A higher bar is as good as long as
        // enough errors pass it to fill all places.
        let admission = self.tally.admission().max(0.0);
        let bar = largest - (largest - admission) / 32.0;
        let [above, _, _] = count_above(&self.block.errors, [bar; 3]);
        let bar = if above >= CANDIDATES as u64 {
            bar
        } else {
            self.tally.admission()
        };
        let Block { errors, results } = &*self.block;
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

    /// Fills the histogram and returns how many results are not correctly rounded.
    #[inline(always)]
    fn count_bins(
        &mut self,
        polynomial: &CellPolynomial,
        largest: f64,
        first: u32,
        length: usize,
    ) -> u64 {
        let margin = if polynomial.excess.is_some() {
            0.0
        } else {
            polynomial.bound
        };
        let [exact, eighth, quarter, three_eighths, half] = FINE_EDGES;
        let mut above = [0_u64; HISTOGRAM_EDGES.len()];
        if largest > 0.0 {
            let (low, high) = (half - margin, half + margin);
            // Ties are above the lower limit, too.
            let low = low.next_down();
            let fine = count_above(&self.block.errors, [eighth, quarter, three_eighths]);
            let [some, maybe, surely] = count_above(&self.block.errors, [exact, low, high]);
            // Only an exact polynomial can tell that an error is nothing at all.
            above[0] = if margin > 0.0 { length as u64 } else { some };
            above[1..HALF_EDGE].copy_from_slice(&fine);
            above[HALF_EDGE] = surely;
            if maybe > surely {
                above[HALF_EDGE] += self.decide_halves(polynomial, margin, first, length);
            }
        }
        let coarse_edges = HISTOGRAM_EDGES[HALF_EDGE + 1..].as_chunks::<3>().0;
        let coarse = above[HALF_EDGE + 1..].as_chunks_mut::<3>().0;
        for (edges, above) in coarse_edges.iter().zip(coarse) {
            if edges[0] >= largest {
                break;
            }
            *above = count_above(&self.block.errors, *edges);
        }
        let mut before = length as u64;
        for (bin, above) in above.iter().enumerate() {
            // An edge inside the margin may have counted one more than the edge below it.
            let above = (*above).min(before);
            self.tally.histogram[bin] += before - above;
            before = above;
        }
        self.tally.histogram[HISTOGRAM_EDGES.len()] += before;
        above[HALF_EDGE]
    }

    /// How many of the errors too close to one half belong to results that are not correctly rounded.
    #[inline(never)]
    fn decide_halves(
        &mut self,
        polynomial: &CellPolynomial,
        margin: f64,
        first: u32,
        length: usize,
    ) -> u64 {
        let mut incorrect = 0;
        for k in 0..length {
            let error = self.block.errors[k];
            if (error.abs() - 0.5).abs() <= margin {
                let right =
                    self.is_right(polynomial, error, first + k as u32, self.block.results[k]);
                incorrect += u64::from(!right);
            }
        }
        incorrect
    }

    /// Whether a result whose error is one half, as far as doubles can tell, is the correctly rounded one.
    #[inline(never)]
    fn is_right(
        &mut self,
        polynomial: &CellPolynomial,
        error: f64,
        bits: u32,
        result: f32,
    ) -> bool {
        let format = self.subject.surrogate.format();
        match polynomial.excess {
            // A tie exactly: the even neighbour is right.
            Some(Ordering::Equal) => format.to_bits(result) & 1 == 0,
            // A tie but for the excess: the neighbour on its side is right.
            Some(Ordering::Greater) => error > 0.0,
            Some(Ordering::Less) => error < 0.0,
            None => {
                self.tally.decided += 1;
                let right = self
                    .subject
                    .surrogate
                    .function()
                    .round(f32::from_bits(bits), format);
                right.is_ok_and(|right| right == result)
            }
        }
    }

    /// The distance in representable numbers, for a block that holds results that are not correctly rounded.
    #[inline(always)]
    fn count_steps(&mut self, polynomial: &CellPolynomial, first: u32, length: usize) {
        let format = self.subject.surrogate.format();
        let unit = power_of_two(polynomial.ulp_exponent);
        let scale = power_of_two(-polynomial.ulp_exponent);
        let most = self.tally.most_steps.map_or(0, |(most, _)| most);
        let value = |k: usize| {
            f64::from(self.block.results[k]).mul_add(scale, -self.block.errors[k]) * unit
        };
        let mut largest = 0_u32;
        if format == Format::Fp32 {
            for k in 0..length {
                let (got, want) = (ordinal(self.block.results[k]), ordinal(value(k) as f32));
                largest = largest.max(got.abs_diff(want));
            }
            if u64::from(largest) <= most {
                return;
            }
        }
        for k in 0..length {
            let right = format.round_f64(value(k)) as f32;
            let count = steps(format, self.block.results[k], right).unwrap_or(u64::MAX);
            self.tally.propose_steps(count, first + k as u32);
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
            for k in 0..length {
                let error = self.block.errors[k];
                let value = f64::from(self.block.results[k]) * scale - error;
                self.tally
                    .propose_relative((error / value).abs(), first + k as u32);
            }
        }
    }

    #[inline(always)]
    fn range_and_sign(
        &mut self,
        polynomial: &CellPolynomial,
        summary: &ResultSummary,
        first: u32,
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
        if summary.least <= 0.0 && summary.greatest >= 0.0 {
            let value = polynomial.at(self.piece.cell.variable(first + length as u32 / 2));
            let negative =
                value < 0.0 || value == 0.0 && true_sign(self.subject, self.piece, value) < 0.0;
            for result in &self.block.results[..length] {
                if *result == 0.0 {
                    self.tally.zero_sign += u64::from(result.is_sign_negative() != negative);
                } else {
                    self.tally.wrong_sign += u64::from((*result < 0.0) != negative);
                }
            }
        } else if let Some(sign) = polynomial.at(0.0).partial_cmp(&0.0) {
            let wrong = match sign {
                Ordering::Greater => summary.greatest < 0.0,
                Ordering::Less => summary.least > 0.0,
                Ordering::Equal => false,
            };
            self.tally.wrong_sign += if wrong { length as u64 } else { 0 };
        }
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
            // Bit patterns ascend in magnitude: on the negative side that is towards smaller inputs.
            Some(direction) if (direction == Monotone::Falling) != x.is_sign_negative() => {
                summary.rises + u32::from(rises)
            }
            Some(_) => summary.falls + u32::from(falls),
        };
        self.tally.non_monotone += u64::from(against);
    }

    /// A block with a NaN or an infinity where a number is right: everything one by one.
    #[inline(never)]
    fn with_bad_results(&mut self, polynomial: &CellPolynomial, first: u32, length: usize) {
        let format = self.subject.surrogate.format();
        for k in 0..length {
            let bits = first + k as u32;
            let result = self.block.results[k];
            if result.is_finite() {
                let error = self.block.errors[k].abs();
                self.tally.add_equal(error, bits, result, 1);
                self.tally.incorrect += u64::from(error > 0.5);
                continue;
            }
            self.tally.nan_results += u64::from(result.is_nan());
            self.tally.infinite_results += u64::from(result.is_infinite());
            let value = polynomial.at(self.piece.cell.variable(bits));
            let infinite = power_of_two(format.max_exponent() + 1 - polynomial.ulp_exponent);
            let error = if result.is_nan() {
                f64::INFINITY
            } else {
                (infinite.copysign(f64::from(result)) - value).abs()
            };
            self.tally.add_equal(error, bits, result, 1);
            self.tally.incorrect += 1;
        }
    }

    /// Inputs without a polynomial: overflow and missing values by their conventions, wild ones in MPFR.
    #[inline(never)]
    fn one_by_one(&mut self, first: u32, length: usize) {
        let format = self.subject.surrogate.format();
        let function = self.subject.surrogate.function();
        for k in 0..length {
            let bits = first + k as u32;
            let result = self.block.results[k];
            let (error, right) = match &self.piece.cell.kind {
                CellKind::Overflow { negative } => {
                    let right = if *negative {
                        f32::NEG_INFINITY
                    } else {
                        f32::INFINITY
                    };
                    (overflow_error(format, result, *negative), right)
                }
                CellKind::Undefined => {
                    (if result.is_nan() { 0.0 } else { f64::INFINITY }, f32::NAN)
                }
                _ => {
                    self.tally.decided += 1;
                    let x = f32::from_bits(bits);
                    let right = function.round(x, format).unwrap_or(f32::NAN);
                    (ulp_error(format, result, &function.enclose(x, 80)), right)
                }
            };
            self.tally.add_equal(error, bits, result, 1);
            self.tally.nan_results += u64::from(result.is_nan() && !right.is_nan());
            if result != right && !(result.is_nan() && right.is_nan()) {
                self.tally.incorrect += 1;
                self.tally
                    .propose_steps(steps(format, result, right).unwrap_or(u64::MAX), bits);
            }
        }
    }
}

/// Binary32 numbers in order as integers; both zeros are 0.
#[inline(always)]
fn ordinal(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    // For negative numbers the magnitude counts down.
    (bits ^ ((bits >> 31) & 0x7fff_ffff)).wrapping_sub(bits >> 31)
}
