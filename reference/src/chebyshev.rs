//! Chebyshev interpolation in doubles, with the error it can have.

/// Interpolation nodes per cell. Four more than the highest degree in use: the coefficients beyond the degree tell
/// how much a truncated series leaves out.
pub(crate) const NODES: usize = 16;

/// The unit roundoff of a double.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// The nodes on [-1, 1], descending.
pub(crate) fn nodes() -> [f64; NODES] {
    std::array::from_fn(|k| (std::f64::consts::PI * (k as f64 + 0.5) / NODES as f64).cos())
}

/// The Chebyshev coefficients of the interpolant of `values` at [`nodes`].
pub(crate) fn coefficients(values: &[f64; NODES]) -> [f64; NODES] {
    std::array::from_fn(|j| {
        let sum: f64 = values
            .iter()
            .enumerate()
            .map(|(k, value)| {
                // The angle is reduced in integers, so that its cosine is accurate to a rounding.
                let eighths = (j * (2 * k + 1)) % (4 * NODES);
                value * (std::f64::consts::PI * eighths as f64 / (2 * NODES) as f64).cos()
            })
            .sum();
        sum * if j == 0 { 1.0 } else { 2.0 } / NODES as f64
    })
}

/// Coefficients of powers of the variable, from the Chebyshev series cut after `degree`.
pub(crate) fn to_powers<const N: usize>(series: &[f64; NODES], degree: usize) -> [f64; N] {
    // T_0 and T_1, then T_{n+1} = 2 v T_n - T_{n-1}.
    let mut previous = [0.0; NODES];
    let mut current = [0.0; NODES];
    previous[0] = 1.0;
    current[1] = 1.0;
    let mut powers = [0.0; N];
    for (n, coefficient) in series.iter().enumerate().take(degree + 1) {
        for (power, term) in powers.iter_mut().zip(previous.iter()) {
            *power += coefficient * term;
        }
        if n == degree {
            break;
        }
        let mut next = [0.0; NODES];
        for k in 0..NODES {
            let shifted = if k == 0 { 0.0 } else { current[k - 1] };
            next[k] = 2.0 * shifted - previous[k];
        }
        previous = current;
        current = next;
    }
    powers
}

/// How much a series cut after `degree` leaves out at most.
pub(crate) fn left_out(series: &[f64; NODES], degree: usize) -> f64 {
    series.iter().skip(degree + 1).map(|c| c.abs()).sum()
}

/// A bound on the distance between the function and a polynomial evaluated in doubles with one fused multiply-add a
/// step, for |variable| <= 1.
///
/// * what the polynomial misses at the nodes, as a series (`missed`): a sum of Chebyshev polynomials is nowhere larger
///   than the sum of its coefficients' magnitudes. It holds the terms left out and all rounding of the coefficients;
/// * once more the last two terms of the function's own series, for all those beyond the interpolant (they fall
///   geometrically for a function that is analytic around the cell; each cell is also checked against MPFR);
/// * the node values: each rounded to a double, amplified by the interpolation (Lebesgue constant below 3.2), and the
///   nodes themselves;
/// * Horner's rule: every partial result rounded once, here and where the misses were computed.
pub(crate) fn bound(
    series: &[f64; NODES],
    missed: &[f64; NODES],
    powers: &[f64],
    degree: usize,
) -> f64 {
    let missed: f64 = missed.iter().map(|c| c.abs()).sum();
    let beyond: f64 = series.iter().skip(NODES - 2).map(|c| c.abs()).sum();
    let scale: f64 = series.iter().map(|c| c.abs()).sum();
    let rounding: f64 = powers
        .iter()
        .enumerate()
        .take(degree + 1)
        .map(|(k, c)| (2 * k + 1) as f64 * c.abs())
        .sum::<f64>()
        * UNIT;
    missed + beyond + 4.2 * UNIT * scale + rounding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_reproduces_a_smooth_function_within_its_bound() {
        let values = nodes().map(|v| (0.5 * v).exp());
        let series = coefficients(&values);
        for degree in [3, 5, 7, 9, 11] {
            let powers: [f64; 12] = to_powers(&series, degree);
            let evaluate = |v: f64| {
                let used = powers.iter().take(degree + 1).rev();
                used.fold(0.0, |sum: f64, c| sum.mul_add(v, *c))
            };
            let mut missed = values;
            for (value, node) in missed.iter_mut().zip(nodes()) {
                *value -= evaluate(node);
            }
            let bound = bound(&series, &coefficients(&missed), &powers, degree);
            assert!(bound >= left_out(&series, degree));
            for i in 0..=100 {
                let v = f64::from(i) / 50.0 - 1.0;
                assert!(
                    (evaluate(v) - (0.5 * v).exp()).abs() <= bound,
                    "degree {degree} at {v}"
                );
            }
        }
    }
}
