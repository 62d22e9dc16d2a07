//! Best approximation in ulp: the exchange algorithm on the samples of a grid.

use crate::sample::Sample;

/// The highest power of a cubic plus one.
pub(crate) const TERMS: usize = 4;

/// A best approximation on a set of samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Minimax {
    /// Coefficients of powers of `v`; zero for powers that were not offered.
    pub(crate) coefficients: [f64; TERMS],
    /// The levelled error in ulp: no choice of coefficients does better on the reference alone.
    pub(crate) error: f64,
    /// The samples where the error alternates, one more than there are coefficients; empty when the fit is exact.
    pub(crate) reference: Vec<usize>,
}

/// The exchange ends when the largest error is this close to the levelled one (relative, and in ulp).
const CLOSE: f64 = 2e-4;
const CLOSE_ULP: f64 = 1e-6;

/// A safeguard: exchanges that converge take fewer than ten.
const MOST_EXCHANGES: usize = 60;

/// The combination of the given powers of `v` whose largest error, in ulp, over the samples is least.
///
/// The powers must form a Haar system on the samples: consecutive ones do, with 0 among them or with all `v` of one
/// sign. Where the exchange stalls (rounding, degenerate samples) the last levelled solution is returned: its `error`
/// is a lower bound all the same.
pub(crate) fn minimax(samples: &[Sample], powers: &[usize]) -> Minimax {
    let terms = powers.len();
    if samples.len() <= terms {
        return interpolate(samples, powers);
    }
    let last = samples.len() - 1;
    let mut reference: Vec<usize> = (0..=terms).map(|k| k * last / terms).collect();
    let mut best = Minimax {
        coefficients: [0.0; TERMS],
        error: 0.0,
        reference: Vec::new(),
    };
    for _ in 0..MOST_EXCHANGES {
        let Some((coefficients, level)) = levelled(samples, powers, &reference) else {
            break;
        };
        if level.abs() >= best.error {
            best = Minimax {
                coefficients,
                error: level.abs(),
                reference: reference.clone(),
            };
        }
        let (worst, error) = worst_sample(samples, &coefficients);
        if error.abs() <= level.abs() * (1.0 + CLOSE) + CLOSE_ULP {
            break;
        }
        if reference.contains(&worst) {
            break;
        }
        exchange(samples, &coefficients, &mut reference, worst, error);
    }
    best
}

/// The value of a cubic in `v`.
#[inline]
pub(crate) fn at(coefficients: &[f64; TERMS], v: f64) -> f64 {
    let [c0, c1, c2, c3] = *coefficients;
    c3.mul_add(v, c2).mul_add(v, c1).mul_add(v, c0)
}

/// The error of a cubic at a sample, in ulp: value less approximation.
pub(crate) fn error_at(sample: &Sample, coefficients: &[f64; TERMS]) -> f64 {
    (sample.y - at(coefficients, sample.v)) * sample.weight
}

/// The sample with the largest error, and that error.
pub(crate) fn worst_sample(samples: &[Sample], coefficients: &[f64; TERMS]) -> (usize, f64) {
    let mut worst = (0, 0.0_f64);
    for (k, sample) in samples.iter().enumerate() {
        let error = error_at(sample, coefficients);
        if error.abs() > worst.1.abs() {
            worst = (k, error);
        }
    }
    worst
}

/// Fewer samples than unknowns: the low powers pass through all of them.
fn interpolate(samples: &[Sample], powers: &[usize]) -> Minimax {
    let used = &powers[..samples.len()];
    let rows: Vec<Vec<f64>> = samples
        .iter()
        .map(|sample| {
            let mut row: Vec<f64> = used
                .iter()
                .map(|power| sample.v.powi(*power as i32))
                .collect();
            row.push(sample.y);
            row
        })
        .collect();
    let solution = solve(rows).unwrap_or_default();
    let mut coefficients = [0.0; TERMS];
    for (power, value) in used.iter().zip(solution) {
        coefficients[*power] = value;
    }
    Minimax {
        coefficients,
        error: 0.0,
        reference: Vec::new(),
    }
}

/// Coefficients whose error alternates with equal size over the reference, and that size with the sign of the first.
fn levelled(
    samples: &[Sample],
    powers: &[usize],
    reference: &[usize],
) -> Option<([f64; TERMS], f64)> {
    let rows: Vec<Vec<f64>> = reference
        .iter()
        .enumerate()
        .map(|(k, place)| {
            let sample = samples.get(*place).copied();
            let sample = sample.unwrap_or(Sample {
                bits: 0,
                v: 0.0,
                y: 0.0,
                weight: 1.0,
            });
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            let mut row: Vec<f64> = powers
                .iter()
                .map(|power| sample.v.powi(*power as i32) * sample.weight)
                .collect();
            row.extend([sign, sample.y * sample.weight]);
            row
        })
        .collect();
    let solution = solve(rows)?;
    let (level, values) = solution.split_last()?;
    let mut coefficients = [0.0; TERMS];
    for (power, value) in powers.iter().zip(values) {
        coefficients[*power] = *value;
    }
    level.is_finite().then_some((coefficients, *level))
}

/// Puts a sample into the reference so that errors still alternate.
fn exchange(
    samples: &[Sample],
    coefficients: &[f64; TERMS],
    reference: &mut Vec<usize>,
    worst: usize,
    error: f64,
) {
    let same_sign = |place: usize| (error_at(&samples[place], coefficients) > 0.0) == (error > 0.0);
    let after = reference.partition_point(|place| *place < worst);
    if after == 0 {
        if !same_sign(reference[0]) {
            reference.pop();
            reference.insert(0, worst);
        } else {
            reference[0] = worst;
        }
    } else if after == reference.len() {
        if !same_sign(reference[after - 1]) {
            reference.remove(0);
            reference.push(worst);
        } else {
            reference[after - 1] = worst;
        }
    } else if same_sign(reference[after]) {
        reference[after] = worst;
    } else {
        reference[after - 1] = worst;
    }
}

/// Gaussian elimination with row pivoting of a small augmented system.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let pivot_row = rows[column].clone();
        if pivot_row[column] == 0.0 {
            return None;
        }
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / pivot_row[column];
            for (value, pivot) in row.iter_mut().zip(&pivot_row).skip(column) {
                *value = (-factor).mul_add(*pivot, *value);
            }
        }
    }
    let mut solution = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n)
            .map(|column| rows[row][column] * solution[column])
            .sum();
        solution[row] = (rows[row][n] - known) / rows[row][row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(f: impl Fn(f64) -> f64, weight: impl Fn(f64) -> f64) -> Vec<Sample> {
        (0..200)
            .map(|k| {
                let v = -(std::f64::consts::PI * f64::from(k) / 199.0).cos();
                Sample {
                    bits: k as u32,
                    v,
                    y: f(v),
                    weight: weight(v),
                }
            })
            .collect()
    }

    #[test]
    fn the_best_cubic_of_a_fourth_power_is_the_chebyshev_one() {
        // v^4 - T4(v)/8 has the error 1/8, with five alternations.
        let fit = minimax(&samples(|v| v.powi(4), |_| 1.0), &[0, 1, 2, 3]);
        assert!((fit.error - 0.125).abs() < 1e-4, "{}", fit.error);
        assert_eq!(fit.reference.len(), 5);
        assert!((fit.coefficients[2] - 1.0).abs() < 1e-2);
    }

    #[test]
    fn a_jump_of_the_weight_is_respected() {
        let weight = |v: f64| if v < 0.3 { 1.0 } else { 0.5 };
        let points = samples(|v| (2.0 * v).exp(), weight);
        let fit = minimax(&points, &[0, 1, 2, 3]);
        let (_, worst) = worst_sample(&points, &fit.coefficients);
        assert!(worst.abs() <= fit.error * 1.001 + 1e-6);
        let plain = minimax(&samples(|v| (2.0 * v).exp(), |_| 1.0), &[0, 1, 2, 3]);
        assert!(fit.error < plain.error);
    }

    #[test]
    fn cubics_are_reproduced_and_few_samples_interpolated() {
        let fit = minimax(
            &samples(|v| 3.0 - v + 0.5 * v.powi(3), |_| 1.0),
            &[0, 1, 2, 3],
        );
        assert!(fit.error < 1e-9);
        let few = &samples(|v| 2.0 + v, |_| 1.0)[..2];
        let fit = minimax(few, &[0, 1, 2, 3]);
        assert!(
            (fit.coefficients[0] - 2.0).abs() < 1e-9 && (fit.coefficients[1] - 1.0).abs() < 1e-9
        );
        assert!(
            minimax(&[], &[0, 1, 2, 3])
                .coefficients
                .iter()
                .all(|c| *c == 0.0)
        );
    }

    #[test]
    fn without_a_constant_term_relative_errors_are_levelled_on_one_side() {
        let points: Vec<Sample> = samples(|v| v, |_| 1.0)
            .into_iter()
            .map(|s| {
                let x = 0.5 * (s.v + 1.0) + 1e-6;
                Sample {
                    v: x,
                    y: x.sin(),
                    weight: 1.0 / x,
                    ..s
                }
            })
            .collect();
        let fit = minimax(&points, &[1, 2, 3]);
        let (_, worst) = worst_sample(&points, &fit.coefficients);
        assert!(
            worst.abs() <= fit.error * 1.001 + 1e-6,
            "{worst} {}",
            fit.error
        );
        assert_eq!(fit.coefficients[0], 0.0);
    }
}
