//! What a few arithmetic nodes compute together, as a polynomial.
//!
//! Exporters spell an activation out as products and sums around one curve (`0.5 * x * (1 + erf(x / sqrt(2)))`), in
//! any order and with any constants folded. As polynomials in `x` and the curve's result all spellings are equal.

use super::graph::Graph;

/// Degrees that are kept: up to `x^3`, and up to the square of the curve.
const X_DEGREES: usize = 4;
const CURVE_DEGREES: usize = 3;

/// Nodes looked at for one polynomial. The longest spelling (gelu by tanh) has about a dozen.
const MOST_NODES: usize = 48;

/// A polynomial: the coefficient of `x^i * curve^j` is at `[i][j]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Polynomial([[f64; CURVE_DEGREES]; X_DEGREES]);

impl Polynomial {
    /// `coefficient * x^i * curve^j`; degrees beyond those that are kept give zero.
    pub(super) fn term(i: usize, j: usize, coefficient: f64) -> Self {
        let mut polynomial = Self::default();
        if let Some(place) = polynomial.0.get_mut(i).and_then(|row| row.get_mut(j)) {
            *place = coefficient;
        }
        polynomial
    }

    pub(super) fn constant(value: f64) -> Self {
        Self::term(0, 0, value)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let mut sum = self;
        for (row, other_row) in sum.0.iter_mut().zip(other.0) {
            for (place, other) in row.iter_mut().zip(other_row) {
                *place += other;
            }
        }
        sum
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self(self.0.map(|row| row.map(|value| value * factor)))
    }

    fn terms(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let rows = self.0.into_iter().enumerate();
        rows.flat_map(|(i, row)| {
            row.into_iter()
                .enumerate()
                .map(move |(j, value)| (i, j, value))
        })
        .filter(|(_, _, value)| *value != 0.0)
    }

    /// The product, if it keeps within the degrees.
    fn times(self, other: Self) -> Option<Self> {
        let mut product = Self::default();
        for (i, j, left) in self.terms() {
            for (k, l, right) in other.terms() {
                *product.0.get_mut(i + k)?.get_mut(j + l)? += left * right;
            }
        }
        Some(product)
    }

    fn as_constant(self) -> Option<f64> {
        let Self([[value, ..], ..]) = self;
        (self == Self::constant(value)).then_some(value)
    }

    /// Whether every coefficient is that of `other`, as far as constants in binary16 can be.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        let pairs = self.0.iter().flatten().zip(other.0.iter().flatten());
        pairs.into_iter().all(|(a, b)| about(*a, *b))
    }
}

/// Whether a constant of a model is the number that is meant: within a thousandth, which is the rounding of
/// binary16 and bfloat16-free exports; zero only if it is zero.
pub(super) fn about(found: f64, meant: f64) -> bool {
    (found - meant).abs() <= 1e-3 * meant.abs()
}

/// Reads formulas of a graph.
pub(super) struct Reader<'g> {
    pub(super) graph: &'g Graph<'g, 'g>,
    /// The value that stands for `x`.
    pub(super) x: &'g str,
    /// The value that stands for the curve's result.
    pub(super) curve: Option<&'g str>,
    /// The nodes that were read, in no particular order, perhaps repeatedly.
    pub(super) visited: Vec<usize>,
}

impl<'g> Reader<'g> {
    pub(super) fn new(graph: &'g Graph<'g, 'g>, x: &'g str, curve: Option<&'g str>) -> Self {
        Self {
            graph,
            x,
            curve,
            visited: Vec::new(),
        }
    }

    /// The value `name` as a polynomial, if it is one.
    ///
    /// The number of nodes is limited, and with it the depth of the recursion.
    pub(super) fn read(&mut self, name: &str) -> Option<Polynomial> {
        if Some(name) == self.curve {
            return Some(Polynomial::term(0, 1, 1.0));
        }
        if name == self.x {
            return Some(Polynomial::term(1, 0, 1.0));
        }
        if let Some(value) = self.graph.constant(name) {
            return Some(Polynomial::constant(value));
        }
        let (index, node) = self.graph.producer(name)?;
        if self.visited.len() >= MOST_NODES {
            return None;
        }
        self.visited.push(index);
        let mut inputs = node.input.iter();
        let left = inputs.next()?;
        let operator = node.onnx_operator()?;
        match operator {
            "Identity" | "Cast" | "CastLike" => return self.read(left),
            "Neg" => return Some(self.read(left)?.scaled(-1.0)),
            "Add" | "Sub" | "Mul" | "Div" | "Pow" => {}
            _ => return None,
        }
        let left = self.read(left)?;
        let right = self.read(inputs.next()?)?;
        match operator {
            "Add" => Some(left.plus(right)),
            "Sub" => Some(left.plus(right.scaled(-1.0))),
            "Mul" => left.times(right),
            "Div" => Some(left.scaled(right.as_constant()?.recip())),
            _ => match right.as_constant()? {
                2.0 => left.times(left),
                3.0 => left.times(left)?.times(left),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_beyond_the_kept_degrees_are_none() {
        let x = Polynomial::term(1, 0, 2.0);
        let curve = Polynomial::term(0, 1, 3.0);
        assert_eq!(x.times(curve), Some(Polynomial::term(1, 1, 6.0)));
        let square = x.times(x).unwrap();
        assert_eq!(square.times(square), None);
        assert_eq!(curve.times(curve).unwrap().times(curve), None);
        assert_eq!(Polynomial::constant(4.0).as_constant(), Some(4.0));
        assert_eq!(x.as_constant(), None);
    }

    #[test]
    fn comparison_allows_for_binary16_constants_only() {
        assert!(about(1.4140625, std::f64::consts::SQRT_2));
        assert!(!about(1.4, std::f64::consts::SQRT_2));
        assert!(!about(1e-9, 0.0));
        assert!(!about(f64::NAN, 1.0));
        assert!(!about(f64::INFINITY, 1.0));
    }
}
