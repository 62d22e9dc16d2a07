//! Taylor coefficients over whole intervals: what bounds how far a function can be from its interpolant between the nodes.

use rug::float::Round::Up;
use rug::ops::MulAssignRound;
use rug::{Float, Rational};

use crate::chebyshev::NODES;
use crate::expression::{Binary, Expression, Unary};
use crate::interval::{Domain, Interval};

/// As many as the nodes: the next one after the interpolant's own.
const ORDER: usize = NODES;

/// Enclosures of `f^(k)(x) / k!` for all `x` of an interval, for k from 0 to [`ORDER`].
struct Series(Vec<Interval>);

/// How far a function can be, anywhere between two points, from a polynomial that is its value at some points there;
/// `None` where it may bend, jump or have no value, and where no bound comes out.
///
/// The polynomial has to be the interpolant of `points` points whose Lebesgue constant is below `lebesgue`: it is at most
/// `1 + lebesgue` times as far as any polynomial of its degree, and so as the Chebyshev interpolants of all lower degrees.
pub(crate) fn distance(
    expression: &Expression,
    [low, high]: [&Float; 2],
    (points, lebesgue): (usize, f64),
    precision: u32,
) -> Option<Float> {
    let x = Interval::between(low, high, precision);
    let series = expression.series(&x, precision).filter(Series::is_known)?;
    let quarter = Float::with_val_round(64, high - low, Up).0 >> 2_u32;
    // 2 (half / 2)^k times the largest coefficient of order k, for the order for which that is least.
    let mut reach = Float::with_val(64, 2.0 * (1.0 + lebesgue));
    let terms = series.0.iter().skip(1).take(points);
    let bounds = terms.map(|term| {
        reach.mul_assign_round(&quarter, Up);
        let mut bound = Float::with_val_round(64, term.largest_magnitude(), Up).0;
        bound.mul_assign_round(&reach, Up);
        bound
    });
    bounds
        .filter(Float::is_finite)
        .reduce(|least, bound| least.min(&bound))
}

impl Expression {
    fn series(&self, x: &Interval, precision: u32) -> Option<Series> {
        let constant = |value: Interval| Some(Series::constant(value, precision));
        match self {
            Self::X => {
                let mut terms = Series::constant(x.clone(), precision);
                terms.0[1] = Interval::from_f32(1.0, precision);
                Some(terms)
            }
            Self::Number(_) | Self::Pi => constant(self.evaluate_over(x, precision)),
            Self::Power(base, exponent) => {
                let base = base.series(x, precision)?;
                base.is_known()
                    .then(|| base.power_of_whole(*exponent, precision))
            }
            Self::Unary(function, argument) => {
                let argument = argument.series(x, precision)?;
                unary(*function, argument, precision).filter(Series::is_known)
            }
            Self::Binary(operation, left, right) => {
                let (left, right) = (left.series(x, precision)?, right.series(x, precision)?);
                binary(*operation, left, right, precision).filter(Series::is_known)
            }
        }
    }
}

fn number(numerator: i32, denominator: i32, precision: u32) -> Interval {
    Interval::from_rational(&Rational::from((numerator, denominator)), precision)
}

fn is_zero(value: &Interval) -> bool {
    value.low().is_zero() && value.high().is_zero()
}

impl Series {
    fn constant(value: Interval, precision: u32) -> Self {
        let mut terms = vec![Interval::from_f32(0.0, precision); ORDER + 1];
        terms[0] = value;
        Self(terms)
    }

    /// Whether there is a value everywhere.
    fn is_known(&self) -> bool {
        self.0.iter().all(|term| term.domain() == Domain::Inside)
    }

    fn value(&self) -> &Interval {
        &self.0[0]
    }

    fn each(self, change: impl Fn(Interval) -> Interval) -> Self {
        Self(self.0.into_iter().map(change).collect())
    }

    fn with_value(mut self, value: Interval) -> Self {
        self.0[0] = value;
        self
    }

    fn scaled(self, factor: &Interval) -> Self {
        self.each(|term| term.times(factor))
    }

    fn plus(self, other: &Self) -> Self {
        let pairs = self.0.into_iter().zip(&other.0);
        Self(pairs.map(|(left, right)| left.plus(right)).collect())
    }

    fn minus(self, other: &Self) -> Self {
        let pairs = self.0.into_iter().zip(&other.0);
        Self(pairs.map(|(left, right)| left.minus(right)).collect())
    }

    fn times(&self, other: &Self, precision: u32) -> Self {
        let term = |k| sum((0..=k).map(|j| (&self.0[j], &other.0[k - j])), precision);
        Self((0..=ORDER).map(term).collect())
    }

    fn over(&self, other: &Self, precision: u32) -> Self {
        let mut terms: Vec<Interval> = Vec::with_capacity(ORDER + 1);
        for k in 0..=ORDER {
            let known = sum((1..=k).map(|j| (&other.0[j], &terms[k - j])), precision);
            let rest = self.0[k].clone().minus(&known);
            terms.push(match is_zero(&rest) && !is_zero(other.value()) {
                // Also over what may be zero elsewhere: the value says so.
                true if k > 0 => rest,
                _ => rest.over(other.value()),
            });
        }
        Self(terms)
    }

    fn reciprocal(&self, precision: u32) -> Self {
        Self::constant(number(1, 1, precision), precision).over(self, precision)
    }

    fn power_of_whole(&self, exponent: u32, precision: u32) -> Self {
        let mut product = Self::constant(number(1, 1, precision), precision);
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            product = product.times(&product, precision);
            if exponent >> bit & 1 == 1 {
                product = product.times(self, precision);
            }
        }
        product.with_value(self.value().clone().powi(exponent))
    }

    /// `value` and the integral of `slope(so far) * self'`, term by term: what functions are whose slope is a function of
    /// themselves or of their argument. `slope` gives the coefficient of an order from the terms up to it.
    fn integral(
        &self,
        value: Interval,
        precision: u32,
        mut slope: impl FnMut(&[Interval]) -> Interval,
    ) -> Self {
        let mut terms = vec![value];
        let mut slopes = Vec::with_capacity(ORDER);
        for k in 1..=ORDER {
            slopes.push(slope(&terms));
            terms.push(self.chained(&slopes, k, precision));
        }
        Self(terms)
    }

    /// Coefficient `k` of the integral of `slope * self'`.
    fn chained(&self, slopes: &[Interval], k: usize, precision: u32) -> Interval {
        let total = (1..=k).filter(|j| !is_zero(&self.0[*j])).fold(
            Interval::from_f32(0.0, precision),
            |total, j| {
                let weighted = self.0[j].clone().times(&number(j as i32, 1, precision));
                total.plus(&weighted.times(&slopes[k - j]))
            },
        );
        total.over(&number(k as i32, 1, precision))
    }

    /// The same with a slope that is known beforehand.
    fn integral_of(&self, value: Interval, slope: &Self, precision: u32) -> Self {
        self.integral(value, precision, |terms| slope.0[terms.len() - 1].clone())
    }

    fn exp(&self, precision: u32) -> Self {
        self.integral(self.value().clone().exp(), precision, |terms| {
            terms[terms.len() - 1].clone()
        })
    }

    fn log(&self, precision: u32) -> Self {
        let slope = self.reciprocal(precision);
        self.integral_of(self.value().clone().log(), &slope, precision)
    }

    /// A power whose value is given, by `self u' = exponent u self'`.
    fn power(&self, exponent: &Interval, value: Interval, precision: u32) -> Self {
        let whole = |count: usize| number(count as i32, 1, precision);
        let mut terms = vec![value];
        for k in 1..=ORDER {
            let total = (1..=k).filter(|j| !is_zero(&self.0[*j])).fold(
                Interval::from_f32(0.0, precision),
                |total, j| {
                    let factor = exponent.clone().times(&whole(j)).minus(&whole(k - j));
                    total.plus(&factor.times(&self.0[j]).times(&terms[k - j]))
                },
            );
            terms.push(total.over(&self.value().clone().times(&whole(k))));
        }
        Self(terms)
    }

    /// Sine and cosine, or their hyperbolic kin for `sign` 1.
    fn waves(&self, first: Interval, second: Interval, sign: i32, precision: u32) -> [Self; 2] {
        let sign = number(sign, 1, precision);
        let (mut sine, mut cosine) = (vec![first], vec![second]);
        for k in 1..=ORDER {
            let next = self.chained(&cosine, k, precision);
            cosine.push(self.chained(&sine, k, precision).times(&sign));
            sine.push(next);
        }
        [Self(sine), Self(cosine)]
    }
}

fn sum<'a>(pairs: impl Iterator<Item = (&'a Interval, &'a Interval)>, precision: u32) -> Interval {
    pairs
        .filter(|(left, right)| !is_zero(left) && !is_zero(right))
        .fold(
            Interval::from_f32(0.0, precision),
            |total, (left, right)| total.plus(&left.clone().times(right)),
        )
}

fn unary(function: Unary, u: Series, precision: u32) -> Option<Series> {
    if !u.is_known() {
        return None;
    }
    let one = || Series::constant(number(1, 1, precision), precision);
    let ln_2 = || number(2, 1, precision).log();
    let argument = u.value().clone();
    let value = function.apply(argument.clone());
    let (above, below) = (*argument.low() > 0, *argument.high() < 0);
    Some(match function {
        Unary::Neg => u.each(Interval::negate),
        Unary::Abs if above => u,
        Unary::Abs if below => u.each(Interval::negate),
        Unary::Sign | Unary::Step if above || below => Series::constant(value, precision),
        Unary::Abs | Unary::Sign | Unary::Step => return None,
        Unary::Sqrt => u.power(&number(1, 2, precision), value, precision),
        Unary::Cbrt => u.power(&number(1, 3, precision), value, precision),
        Unary::Exp => u.exp(precision),
        Unary::Exp2 => u.scaled(&ln_2()).exp(precision).with_value(value),
        Unary::Expm1 => u.exp(precision).with_value(value),
        Unary::Log => u.log(precision),
        Unary::Log2 => {
            let log = u.log(precision);
            log.each(|term| term.over(&ln_2())).with_value(value)
        }
        Unary::Log1p => {
            let slope = one().plus(&u).reciprocal(precision);
            u.integral_of(value, &slope, precision)
        }
        Unary::Sin | Unary::Cos => {
            let (sine, cosine) = (argument.clone().sin(), argument.cos());
            let [sine, cosine] = u.waves(sine, cosine, -1, precision);
            if function == Unary::Sin { sine } else { cosine }
        }
        Unary::Sinh | Unary::Cosh => {
            let (sine, cosine) = (argument.clone().sinh(), argument.cosh());
            let [sine, cosine] = u.waves(sine, cosine, 1, precision);
            if function == Unary::Sinh {
                sine
            } else {
                cosine
            }
        }
        Unary::Tan => {
            let (sine, cosine) = (argument.clone().sin(), argument.cos());
            let [sine, cosine] = u.waves(sine, cosine, -1, precision);
            sine.over(&cosine, precision).with_value(value)
        }
        Unary::Asin | Unary::Acos => {
            let inner = one().minus(&u.times(&u, precision));
            let root = inner.power(
                &number(1, 2, precision),
                inner.value().clone().sqrt(),
                precision,
            );
            let slope = root.reciprocal(precision);
            let slope = match function {
                Unary::Asin => slope,
                _ => slope.each(Interval::negate),
            };
            u.integral_of(value, &slope, precision)
        }
        Unary::Atan => {
            let slope = one().plus(&u.times(&u, precision)).reciprocal(precision);
            u.integral_of(value, &slope, precision)
        }
        Unary::Erf | Unary::Erfc => {
            let scale = number(2, 1, precision).over(&Interval::pi(precision).sqrt());
            let scale = match function {
                Unary::Erf => scale,
                _ => scale.negate(),
            };
            let square = u.times(&u, precision).with_value(argument.powi(2));
            let slope = square.each(Interval::negate).exp(precision).scaled(&scale);
            u.integral_of(value, &slope, precision)
        }
        // u' = (1 - u^2) a', and u' = u (1 - u) a'.
        Unary::Tanh => u.integral(value, precision, |terms| {
            let last = terms.len() - 1;
            let square = sum((0..=last).map(|j| (&terms[j], &terms[last - j])), precision);
            number(i32::from(last == 0), 1, precision).minus(&square)
        }),
        Unary::Sigmoid => sigmoid(&u, precision),
        Unary::Softplus => {
            let slope = sigmoid(&u, precision);
            u.integral_of(value, &slope, precision)
        }
    })
}

fn sigmoid(u: &Series, precision: u32) -> Series {
    let value = u.value().clone().sigmoid();
    // What is left of one: far above zero more precise than by subtracting.
    let rest = u.value().clone().negate().sigmoid();
    u.integral(value, precision, |terms| {
        let last = terms.len() - 1;
        let complement = |j: usize| match j {
            0 => rest.clone(),
            _ => terms[j].clone().negate(),
        };
        (0..=last).fold(Interval::from_f32(0.0, precision), |total, j| {
            total.plus(&terms[last - j].clone().times(&complement(j)))
        })
    })
}

fn binary(operation: Binary, left: Series, right: Series, precision: u32) -> Option<Series> {
    if !left.is_known() || !right.is_known() {
        return None;
    }
    Some(match operation {
        Binary::Add => left.plus(&right),
        Binary::Sub => left.minus(&right),
        Binary::Mul => left.times(&right, precision),
        Binary::Div => left.over(&right, precision),
        Binary::Pow if right.0.iter().skip(1).all(is_zero) => {
            let value = left.value().clone().pow(right.value());
            left.power(right.value(), value, precision)
        }
        Binary::Pow => left.log(precision).times(&right, precision).exp(precision),
        Binary::Max | Binary::Min => {
            let is_max = operation == Binary::Max;
            let at_least = |one: &Series, other: &Series| one.value().low() >= other.value().high();
            match (at_least(&left, &right), at_least(&right, &left)) {
                (true, _) => {
                    if is_max {
                        left
                    } else {
                        right
                    }
                }
                (_, true) => {
                    if is_max {
                        right
                    } else {
                        left
                    }
                }
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str, low: f64, high: f64, order: usize) -> Option<Interval> {
        let ends = [low, high].map(|end| Float::with_val(200, end));
        let x = Interval::between(&ends[0], &ends[1], 200);
        let expression: Expression = text.parse().unwrap();
        expression
            .series(&x, 200)?
            .0
            .into_iter()
            .nth(order)
            .filter(|term| !term.is_undefined())
    }

    fn holds(found: &Interval, wanted: f64) -> bool {
        let slack = 1e-13 * wanted.abs();
        found.low().to_f64() - slack <= wanted && wanted <= found.high().to_f64() + slack
    }

    /// Divided differences of an order over points close together are the coefficient somewhere between them.
    #[test]
    fn every_function_has_the_coefficients_of_its_divided_differences() {
        let named = Unary::NAMED.iter().map(|(name, _)| format!("{name}(x)"));
        let others = [
            "log1p(exp(x))",
            "x^7",
            "x^1.7",
            "2^x",
            "x^x",
            "1/x",
            "x/(1 + exp(-x))",
            "sqrt(x)^3",
            "exp(-x^2)*cos(x) - 3*x + 1",
            "max(x, x^2)",
            "abs(x - 1)/tanh(x)",
            "(x - 2)*erfc(x/sqrt(2))",
        ];
        for text in named.chain(others.map(str::to_owned)) {
            let expression: Expression = text.parse().unwrap();
            for order in [1, 2, 5, ORDER] {
                let (low, width) = (0.4, 0.02);
                let points: Vec<Float> = (0..=order)
                    .map(|k| Float::with_val(600, low + width * k as f64 / order as f64))
                    .collect();
                let mut differences: Vec<Float> = points
                    .iter()
                    .map(|x| expression.evaluate(x, 600).low().clone())
                    .collect();
                for level in 1..=order {
                    for k in 0..=order - level {
                        let rise = Float::with_val(600, &differences[k + 1] - &differences[k]);
                        let run = Float::with_val(600, &points[k + level] - &points[k]);
                        differences[k] = rise / run;
                    }
                }
                let found = over(&text, low, low + width + 1e-9, order);
                let found = found.unwrap_or_else(|| panic!("{text}, order {order}"));
                let wanted = differences[0].to_f64();
                assert!(
                    holds(&found, wanted),
                    "{text}, order {order}: {wanted} {found:?}"
                );
                // Nor is it wide enough to hold anything.
                let width = Float::with_val(64, found.high() - found.low()).to_f64();
                let exact = over(&text, 0.41, 0.41, order).unwrap().high().to_f64();
                assert!(
                    width <= 1e3 * (exact.abs() + 1.0),
                    "{text}, order {order}: {width}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_said_where_a_function_bends_or_ends() {
        for text in [
            "abs(x)",
            "max(x, 0)",
            "step(x)",
            "1/x",
            "log(x)",
            "sqrt(x)",
            "tan(2*x)",
        ] {
            assert!(over(text, -1.0, 1.0, 3).is_none(), "{text}");
        }
        assert!(over("abs(x)", 0.5, 1.0, 3).is_some_and(|found| is_zero(&found)));
    }
}
