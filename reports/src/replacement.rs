//! How far one function is from another, over every input of a 16-bit type: what it costs to compute the second in place of
//! the first.

use actforge_reference::{Format, Function, Truth, steps, ulp_error};
use rayon::prelude::*;

/// The distance of two functions whose results are rounded to a type, over all finite inputs of the type at which both
/// have finite values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replacement {
    /// How many inputs that are.
    pub inputs: u64,
    /// The largest distance of the replacement's correctly rounded result from the value of the replaced function, in ulp of
    /// that value, and its input. (The correctly rounded result of the function itself has at most one half.)
    pub max_ulp: (f64, f32),
    /// The largest absolute distance of the two functions, before any rounding, and its input.
    pub max_absolute: (f64, f32),
    /// The inputs at which the two results are neighbours or equal, as share.
    pub within_one_step: f64,
    /// The widest run of inputs about zero, in both directions, on which results are within one step.
    pub near_zero: Option<(f32, f32)>,
}

/// One input.
struct Point {
    x: f32,
    ulp: f64,
    absolute: f64,
    steps: u64,
}

/// Compares two functions; `None` where there is no input at which both have values.
pub fn replacement(exact: &Function, other: &Function, format: Format) -> Option<Replacement> {
    let codes = 0..1_u32 << format.width().min(16);
    let mut points: Vec<Point> = codes
        .into_par_iter()
        .map(|code| format.from_bits(code))
        .filter_map(|x| point(exact, other, format, x))
        .collect();
    points.sort_by(|one, next| one.x.total_cmp(&next.x));
    let largest = |of: fn(&Point) -> f64| {
        let all = points.iter().map(|point| (of(point), point.x));
        all.reduce(|most, next| if next.0 > most.0 { next } else { most })
    };
    let close = points.iter().filter(|point| point.steps <= 1).count();
    let zero = points.partition_point(|point| point.x < 0.0);
    let (below, above) = points.split_at(zero);
    let is_close = |point: &&Point| point.steps <= 1;
    let highest = above
        .iter()
        .take_while(is_close)
        .last()
        .map(|point| point.x);
    let lowest = below
        .iter()
        .rev()
        .take_while(is_close)
        .last()
        .map(|point| point.x);
    Some(Replacement {
        inputs: points.len() as u64,
        max_ulp: largest(|point| point.ulp)?,
        max_absolute: largest(|point| point.absolute)?,
        within_one_step: close as f64 / points.len() as f64,
        near_zero: match (lowest, highest) {
            (None, None) => None,
            (lowest, highest) => Some((lowest.unwrap_or(0.0), highest.unwrap_or(0.0))),
        },
    })
}

fn point(exact: &Function, other: &Function, format: Format, x: f32) -> Option<Point> {
    if !x.is_finite() {
        return None;
    }
    let truth = exact.enclose(x, 80);
    if !matches!(truth, Truth::Value(_)) {
        return None;
    }
    let replaced = other.enclose(x, 80);
    if !matches!(replaced, Truth::Value(_)) {
        return None;
    }
    let right = exact.round(x, format).ok()?;
    let result = other.round(x, format).ok()?;
    if !right.is_finite() || !result.is_finite() {
        return None;
    }
    Some(Point {
        x,
        ulp: ulp_error(format, result, &truth),
        absolute: (replaced.to_f64() - truth.to_f64()).abs(),
        steps: steps(format, result, right)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actforge_reference::lookup;

    fn compare(exact: &str, other: &str) -> Replacement {
        let function = |name| lookup(name).unwrap().function();
        replacement(function(exact), function(other), Format::Bf16).unwrap()
    }

    #[test]
    fn a_function_is_half_an_ulp_from_itself() {
        let same = compare("gelu", "gelu");
        assert!(same.max_ulp.0 <= 0.5 && same.max_ulp.0 > 0.49);
        assert_eq!((same.max_absolute.0, same.within_one_step), (0.0, 1.0));
        // All finite numbers of bf16, zeros of both signs.
        assert_eq!(same.inputs, 65_280);
        assert_eq!(same.near_zero.unwrap().1, 3.389_531_4e38);
    }

    #[test]
    fn gelu_by_tanh_is_close_where_it_matters_and_not_in_the_tail() {
        let tanh = compare("gelu", "gelu_apprx_tanh");
        assert!((4.5e-4..5e-4).contains(&tanh.max_absolute.0));
        assert!(tanh.max_ulp.0 > 100.0 && tanh.max_ulp.1 < -3.0);
        let sigmoid = compare("gelu", "gelu_apprx_sigmoid");
        assert!((0.02..0.021).contains(&sigmoid.max_absolute.0));
        assert!(sigmoid.within_one_step < tanh.within_one_step && tanh.within_one_step < 1.0);
        let (low, high) = tanh.near_zero.unwrap();
        assert!(low < -0.5 && low > -4.0 && high > 4.0);
    }
}
