//! What is counted: sums, counts and maxima that merge to the same answer in any order.

use serde::{Deserialize, Serialize};

/// Upper edges of the histogram's bins, in ulp; errors above the last one have a bin of their own.
pub(crate) const HISTOGRAM_EDGES: [f64; 20] = [
    0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0,
    64.0, 256.0, 4096.0, 65536.0,
];

/// The edge that a correctly rounded result does not pass.
pub(crate) const HALF_EDGE: usize = 4;

/// Candidates for a maximum that are kept, to be decided in MPFR.
pub(crate) const CANDIDATES: usize = 4;

/// Sums of errors count in units of 2^-24 ulp.
const SUM_UNIT: f64 = (1_u64 << 24) as f64;

/// An error above this counts as this in sums, so that one infinity does not hide all the rest.
pub(crate) const LARGEST_SUMMAND: f64 = (1_u64 << 40) as f64;

/// No replay has more inputs.
pub(crate) const MOST_INPUTS: u64 = 1 << 32;

/// An input and its error as the sweep sees it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    /// The error in ulp, within the surrogate's bound; infinity (`null` in JSON) for NaN where a number is due.
    #[serde(with = "infinity_as_null")]
    pub(crate) error: f64,
    /// The input, as bits.
    pub(crate) bits: u32,
    /// The result there, rounded to the output type, as binary32 bits.
    pub(crate) result: u32,
}

impl Candidate {
    /// The order of maxima: the larger error first, the smaller bit pattern first among equals.
    fn beats(&self, other: &Self) -> bool {
        self.error > other.error || self.error == other.error && self.bits < other.bits
    }
}

/// The statistics of a set of inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// How many inputs.
    pub(crate) inputs: u64,
    /// The sum of their errors in units of 2^-24 ulp.
    pub(crate) error_sum: u128,
    /// Results that are not the correctly rounded ones.
    pub(crate) incorrect: u64,
    /// How many errors lie in each bin: up to [`HISTOGRAM_EDGES`], and above.
    pub(crate) histogram: [u64; HISTOGRAM_EDGES.len() + 1],
    /// The largest errors.
    pub(crate) worst: Vec<Candidate>,
    /// The most steps from the correctly rounded result (the input as bits).
    pub(crate) most_steps: Option<(u64, u32)>,
    /// The largest absolute error (the input as bits).
    pub(crate) largest_absolute: Option<(f64, u32)>,
    /// The largest relative error (the input as bits).
    pub(crate) largest_relative: Option<(f64, u32)>,
    /// NaN results where a number is right.
    pub(crate) nan_results: u64,
    /// Infinite results where a finite one is right.
    pub(crate) infinite_results: u64,
    /// Steps against the function's direction between neighbouring inputs.
    pub(crate) non_monotone: u64,
    /// Results outside the function's own range of values.
    pub(crate) out_of_range: u64,
    /// Results of the wrong sign.
    pub(crate) wrong_sign: u64,
    /// Zeros whose sign is not that of the true value.
    pub(crate) zero_sign: u64,
    /// Inputs that were decided in MPFR during the sweep.
    pub(crate) decided: u64,
}

impl Tally {
    /// Whether it can be the tally of a replay: then no sum of a few of them overflows, and shares are shares.
    ///
    /// # Errors
    /// What it counts that cannot be.
    pub(crate) fn check(&self) -> Result<(), String> {
        let most = MOST_INPUTS;
        if self.incorrect > self.inputs {
            let (wrong, inputs) = (self.incorrect, self.inputs);
            return Err(format!("incorrect: {wrong} of {inputs} inputs"));
        }
        let counts = [
            self.inputs,
            self.nan_results,
            self.infinite_results,
            self.non_monotone,
            self.out_of_range,
            self.wrong_sign,
            self.zero_sign,
            self.decided,
        ];
        if let Some(count) = counts.iter().chain(&self.histogram).find(|&&n| n > most) {
            return Err(format!("a count: expected at most {most}, found {count}"));
        }
        let largest = summand(LARGEST_SUMMAND) * u128::from(most);
        if self.error_sum > largest {
            return Err(format!(
                "error_sum: expected at most {largest}, found {}",
                self.error_sum
            ));
        }
        if self.worst.len() > CANDIDATES {
            return Err(format!(
                "worst: expected at most {CANDIDATES} inputs, found {}",
                self.worst.len()
            ));
        }
        Ok(())
    }

    /// Adds another set of inputs.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.error_sum += other.error_sum;
        self.incorrect += other.incorrect;
        for (bin, more) in self.histogram.iter_mut().zip(&other.histogram) {
            *bin += more;
        }
        for candidate in &other.worst {
            self.propose(*candidate);
        }
        larger(&mut self.most_steps, other.most_steps);
        larger(&mut self.largest_absolute, other.largest_absolute);
        larger(&mut self.largest_relative, other.largest_relative);
        self.nan_results += other.nan_results;
        self.infinite_results += other.infinite_results;
        self.non_monotone += other.non_monotone;
        self.out_of_range += other.out_of_range;
        self.wrong_sign += other.wrong_sign;
        self.zero_sign += other.zero_sign;
        self.decided += other.decided;
    }

    /// The least error that may still become a candidate.
    #[inline(always)]
    pub(crate) fn admission(&self) -> f64 {
        match self.worst.get(CANDIDATES - 1) {
            Some(last) => last.error,
            None => f64::NEG_INFINITY,
        }
    }

    /// Takes a candidate in, if it is among the largest. Offering one twice changes nothing.
    pub(crate) fn propose(&mut self, candidate: Candidate) {
        let place = self.worst.partition_point(|known| known.beats(&candidate));
        if place < CANDIDATES && self.worst.get(place) != Some(&candidate) {
            self.worst.insert(place, candidate);
            self.worst.truncate(CANDIDATES);
        }
    }

    /// Adds `count` inputs with one error and result, `bits` being the first of them; `right` says whether the result
    /// is the correctly rounded one. (The bins up to one half hold the correctly rounded results and no others: a tie
    /// that went the wrong way, though its error is one half, is in the bin above.)
    pub(crate) fn add_equal(
        &mut self,
        error: f64,
        bits: u32,
        result: f32,
        count: u64,
        right: bool,
    ) {
        self.inputs += count;
        self.error_sum += summand(error) * u128::from(count);
        self.incorrect += if right { 0 } else { count };
        let bin = if right {
            bin_of(error).min(HALF_EDGE)
        } else {
            bin_of(error).max(HALF_EDGE + 1)
        };
        if let Some(bin) = self.histogram.get_mut(bin) {
            *bin += count;
        }
        self.propose(Candidate {
            error,
            bits,
            result: result.to_bits(),
        });
    }

    /// Proposes an absolute error.
    pub(crate) fn propose_absolute(&mut self, error: f64, bits: u32) {
        larger(&mut self.largest_absolute, Some((error, bits)));
    }

    /// Proposes a relative error.
    pub(crate) fn propose_relative(&mut self, error: f64, bits: u32) {
        larger(&mut self.largest_relative, Some((error, bits)));
    }

    /// Proposes a number of steps from the correctly rounded result.
    pub(crate) fn propose_steps(&mut self, steps: u64, bits: u32) {
        larger(&mut self.most_steps, Some((steps, bits)));
    }

    /// The mean error in ulp.
    pub(crate) fn mean(&self) -> f64 {
        mean(self.error_sum, self.inputs)
    }

    /// The share of correctly rounded results, 0 to 1.
    pub(crate) fn correctly_rounded(&self) -> f64 {
        share(self.inputs - self.incorrect, self.inputs)
    }
}

/// The mean of errors, in ulp, from their sum in units of 2^-24 ulp; none of no inputs.
pub(crate) fn mean(error_sum: u128, inputs: u64) -> f64 {
    if inputs == 0 {
        0.0
    } else {
        error_sum as f64 / SUM_UNIT / inputs as f64
    }
}

/// The share of the inputs that are `right`, 0 to 1; all of no inputs.
pub(crate) fn share(right: u64, inputs: u64) -> f64 {
    if inputs == 0 {
        1.0
    } else {
        right as f64 / inputs as f64
    }
}

/// An error as a term of [`Tally::error_sum`].
pub(crate) fn summand(error: f64) -> u128 {
    // A NaN cannot reach this; `min` would map it to the largest summand.
    (error.min(LARGEST_SUMMAND) * SUM_UNIT) as u128
}

/// The histogram bin of an error.
pub(crate) fn bin_of(error: f64) -> usize {
    HISTOGRAM_EDGES.partition_point(|edge| *edge < error)
}

/// Keeps the larger value, of equals the one with the smaller bit pattern.
fn larger<T: PartialOrd>(kept: &mut Option<(T, u32)>, proposed: Option<(T, u32)>) {
    let better = match (&kept, &proposed) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some((old, old_bits)), Some((new, new_bits))) => {
            new > old || new == old && new_bits < old_bits
        }
    };
    if better {
        *kept = proposed;
    }
}

/// JSON has no infinity: it is written as null.
pub(crate) mod infinity_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_does_not_depend_on_the_order() {
        let mut parts = Vec::new();
        for k in 0..20_u32 {
            let mut part = Tally::default();
            part.add_equal(
                f64::from(k * 7 % 11) / 4.0,
                k,
                1.0,
                u64::from(k) + 1,
                k % 3 == 0,
            );
            part.propose_steps(u64::from(k * 5 % 7), k);
            part.propose_relative(f64::from(k * 3 % 5), k);
            parts.push(part);
        }
        let total = |parts: &[Tally]| {
            let mut sum = Tally::default();
            parts.iter().for_each(|part| sum.merge(part));
            sum
        };
        let forward = total(&parts);
        parts.reverse();
        assert_eq!(total(&parts), forward);
        let (left, right) = parts.split_at(7);
        let mut halves = total(left);
        halves.merge(&total(right));
        assert_eq!(halves, forward);
        assert_eq!(forward.inputs, 210);
        assert_eq!(forward.worst.len(), CANDIDATES);
    }

    #[test]
    fn the_edges_are_binary32_numbers_and_one_half_is_where_it_is_said_to_be() {
        // Blocks are counted against them in binary32.
        assert!(
            HISTOGRAM_EDGES
                .iter()
                .all(|edge| f64::from(*edge as f32) == *edge)
        );
        assert_eq!(HISTOGRAM_EDGES[HALF_EDGE], 0.5);
        assert_eq!((HISTOGRAM_EDGES.len() - HALF_EDGE - 1) % 5, 0);
    }

    #[test]
    fn the_histogram_puts_an_edge_into_the_bin_below_it() {
        assert_eq!(bin_of(0.0), 0);
        assert_eq!(bin_of(0.5), HALF_EDGE);
        assert_eq!(bin_of(0.5 + 1e-9), HALF_EDGE + 1);
        assert_eq!(bin_of(f64::INFINITY), HISTOGRAM_EDGES.len());
    }
}
