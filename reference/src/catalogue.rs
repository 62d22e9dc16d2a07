//! The functions the toolkit knows, as data.
//!
//! Names, ids and fold classes follow the hardware's own enumeration. The formulas are mathematically equal to the
//! usual definitions but written so that nothing cancels in the tails: precision is then raised rarely.

use std::sync::LazyLock;

use crate::extras;
use crate::function::{Course, Function, Monotone, Parity, Specials, Turn};
use crate::ranges;

/// A function of the catalogue and how the hardware names it.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    function: Function,
    func_id: u8,
    id_is_assigned_here: bool,
    table_driven: bool,
    table_range: Option<(f32, f32)>,
}

impl CatalogueEntry {
    /// A function with an id of its own.
    pub(crate) fn of(function: Function, func_id: u8, table_driven: bool) -> Self {
        Self {
            function,
            func_id,
            id_is_assigned_here: func_id >= FIRST_ASSIGNED_ID,
            table_driven,
            table_range: None,
        }
    }

    /// The same with a range for its tables.
    pub(crate) fn with_table_range(self, table_range: Option<(f32, f32)>) -> Self {
        Self {
            table_range,
            ..self
        }
    }

    /// The function itself.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The id that an Activate instruction and a CAM entry carry, 8 bits.
    pub fn func_id(&self) -> u8 {
        self.func_id
    }

    /// Whether the hardware's id is not known, so that the id is this project's own (from 200 up).
    pub fn id_is_assigned_here(&self) -> bool {
        self.id_is_assigned_here
    }

    /// The inputs, ends included, that a table is made for when a request names none: magnitudes where the function is odd
    /// or even. `None` means all that the function is asked about ([`Function::natural_range`]).
    pub fn table_range(&self) -> Option<(f32, f32)> {
        self.table_range
    }

    /// Whether the function needs buckets of its own, beyond saturation buckets.
    pub fn is_table_driven(&self) -> bool {
        self.table_driven
    }
}

/// A name that the catalogue does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown function `{name}`{}", .nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
pub struct CatalogueError {
    /// The name that was asked for.
    pub name: String,
    /// The most similar name there is, if one is similar at all.
    pub nearest: Option<&'static str>,
}

/// Every function, in the order of the hardware's enumeration.
pub fn catalogue() -> &'static [CatalogueEntry] {
    &ENTRIES
}

/// Finds a function by name.
///
/// # Errors
/// [`CatalogueError`] with the most similar name.
pub fn lookup(name: &str) -> Result<&'static CatalogueEntry, CatalogueError> {
    ENTRIES
        .iter()
        .find(|entry| entry.function.name() == name)
        .ok_or_else(|| CatalogueError {
            name: name.to_owned(),
            nearest: ENTRIES
                .iter()
                .map(|entry| {
                    (
                        edit_distance(entry.function.name(), name),
                        entry.function.name(),
                    )
                })
                .min()
                .filter(|(distance, nearest)| *distance <= 2.max(nearest.len() / 3))
                .map(|(_, nearest)| nearest),
        })
}

/// The number of characters to insert, delete or replace to turn one name into the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = i;
        let mut previous = i + 1;
        if let Some(first) = row.first_mut() {
            *first = previous;
        }
        for (b, cell) in right.iter().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = *cell;
            previous = replaced.min(diagonal + 1).min(previous + 1);
            *cell = previous;
        }
    }
    row.last().copied().unwrap_or_default()
}

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const LN_2: f32 = std::f32::consts::LN_2;
const HALF_PI: f32 = std::f32::consts::FRAC_PI_2;
/// 2 / sqrt(pi), correctly rounded.
const TWO_OVER_ROOT_PI: f32 = std::f32::consts::FRAC_2_SQRT_PI;
/// pi rounded towards zero: the largest binary32 number whose sine is still positive.
pub(crate) const PI_BELOW: f32 = 3.141_592_5;

use Monotone::{Falling, Rising};

const fn turn(at: f64, above: Monotone) -> Turn {
    Turn { at, above }
}

/// One row of the table below.
struct Row {
    name: &'static str,
    func_id: u8,
    table_driven: bool,
    expression: &'static str,
    parity: Parity,
    /// At zero, +infinity, -infinity.
    limits: [f32; 3],
    lowest: Option<Monotone>,
    turns: &'static [Turn],
}

/// Ids of functions by expression begin here; those of the catalogue are left out.
const FIRST_EXPRESSION_ID: u8 = 210;

/// The ids that functions by expression get, in order: from 210 up, without those of the catalogue. The first of a set
/// gets the first.
pub fn expression_ids() -> impl Iterator<Item = u8> {
    (FIRST_EXPRESSION_ID..=u8::MAX).filter(|id| ENTRIES.iter().all(|entry| entry.func_id != *id))
}

/// Ids that this project assigned, because the hardware's are not known.
const FIRST_ASSIGNED_ID: u8 = 200;

#[rustfmt::skip]
const ROWS: &[Row] = {
    #[expect(clippy::too_many_arguments, reason = "the columns of a table")]
    const fn row(
        name: &'static str, func_id: u8, table_driven: bool, expression: &'static str, parity: Parity, limits: [f32; 3],
        lowest: Option<Monotone>, turns: &'static [Turn],
    ) -> Row {
        Row { name, func_id, table_driven, expression, parity, limits, lowest, turns }
    }
    const UP: Option<Monotone> = Some(Rising);
    const DOWN: Option<Monotone> = Some(Falling);
    const NO: Parity = Parity::None;
    const ODD: Parity = Parity::Odd;
    const EVEN: Parity = Parity::Even;
    const POINT: Parity = Parity::Point { sum: 1.0 };
    // name, id, table, expression, parity, [zero, +inf, -inf], lowest direction, turns
    &[
        row("identity", 1, false, "x", ODD, [0.0, INF, -INF], UP, &[]),
        row("square", 30, false, "x^2", EVEN, [0.0, INF, INF], DOWN, &[turn(0.0, Rising)]),
        row("relu", 2, false, "max(x, 0)", NO, [0.0, INF, 0.0], UP, &[]),
        row("leaky_relu", 3, false, "max(x, 0.01*x)", NO, [0.0, INF, -INF], UP, &[]),
        // The slope is an operand of the instruction; frameworks begin with this one.
        row("parametric_relu", 4, false, "max(x, 0.25*x)", NO, [0.0, INF, -INF], UP, &[]),
        row("sigmoid", 5, true, "1/(1 + exp(-x))", POINT, [0.5, 1.0, 0.0], UP, &[]),
        row("tanh", 6, true, "tanh(x)", ODD, [0.0, 1.0, -1.0], UP, &[]),
        row("exp", 7, true, "exp(x)", NO, [1.0, INF, 0.0], UP, &[]),
        row("softplus", 9, true, "max(x, 0) + log1p(exp(-abs(x)))", NO, [LN_2, INF, 0.0], UP, &[]),
        row("sqrt", 8, true, "sqrt(x)", NO, [0.0, INF, NAN], UP, &[]),
        row("reciprocal_sqrt", 29, true, "1/sqrt(x)", NO, [INF, 0.0, NAN], DOWN, &[]),
        row("ln", 10, true, "log(x)", NO, [-INF, INF, NAN], UP, &[]),
        row("erf", 21, true, "erf(x)", ODD, [0.0, 1.0, -1.0], UP, &[]),
        row("sin", 19, true, "sin(x)", ODD, [0.0, NAN, NAN], DOWN,
            &[turn(-std::f64::consts::FRAC_PI_2, Rising), turn(std::f64::consts::FRAC_PI_2, Falling)]),
        row("arctan", 28, true, "atan(x)", ODD, [0.0, HALF_PI, -HALF_PI], UP, &[]),
        row("sign", 31, false, "sign(x)", ODD, [0.0, 1.0, -1.0], UP, &[]),
        row("gelu", 23, true, "0.5*x*erfc(-x/sqrt(2))", NO, [0.0, INF, 0.0], DOWN,
            &[turn(-0.751_791_524_693_564_5, Rising)]),
        row("mish", 24, true, "x*tanh(max(x, 0) + log1p(exp(-abs(x))))", NO, [0.0, INF, 0.0], DOWN,
            &[turn(-1.192_431_214_515_495_2, Rising)]),
        row("gelu_apprx_tanh", 25, true, "x/(1 + exp(-2*sqrt(2/pi)*(x + 0.044715*x^3)))", NO, [0.0, INF, 0.0], DOWN,
            &[turn(-0.752_461_422_071_016_3, Rising)]),
        row("gelu_apprx_sigmoid", 26, true, "x/(1 + exp(-1.702*x))", NO, [0.0, INF, 0.0], DOWN,
            &[turn(-0.751_154_255_441_289, Rising)]),
        row("derivative_gelu_apprx_sigmoid", 38, true,
            "(1 + 1.702*x/(1 + exp(1.702*x)))/(1 + exp(-1.702*x))", POINT, [0.5, 1.0, 0.0], DOWN,
            &[turn(-1.409_728_131_912_730_7, Rising), turn(1.409_728_131_912_730_7, Falling)]),
        row("derivative_gelu", 32, true, "0.5*erfc(-x/sqrt(2)) + x*exp(-x^2/2)/sqrt(2*pi)", POINT, [0.5, 1.0, 0.0], DOWN,
            &[turn(-std::f64::consts::SQRT_2, Rising), turn(std::f64::consts::SQRT_2, Falling)]),
        row("derivative_erf", 22, true, "2/sqrt(pi)*exp(-x^2)", EVEN, [TWO_OVER_ROOT_PI, 0.0, 0.0], UP,
            &[turn(0.0, Falling)]),
        row("copy", 128, false, "x", ODD, [0.0, INF, -INF], UP, &[]),
        row("abs", 33, false, "abs(x)", EVEN, [0.0, INF, INF], DOWN, &[turn(0.0, Rising)]),
        row("reciprocal", 129, true, "1/x", ODD, [INF, 0.0, 0.0], DOWN, &[]),
        row("abs_reciprocal_sqrt", 34, true, "1/sqrt(abs(x))", EVEN, [INF, 0.0, 0.0], UP, &[turn(0.0, Falling)]),
        row("silu", 36, true, "x/(1 + exp(-x))", NO, [0.0, INF, 0.0], DOWN, &[turn(-1.278_464_542_761_074, Rising)]),
        row("derivative_silu", 37, true, "(1 + x/(1 + exp(x)))/(1 + exp(-x))", POINT, [0.5, 1.0, 0.0], DOWN,
            &[turn(-2.399_357_280_515_467_7, Rising), turn(2.399_357_280_515_467_7, Falling)]),
        row("is_finite", 35, false, "1", EVEN, [1.0, 0.0, 0.0], UP, &[]),
        row("derivative_relu", FIRST_ASSIGNED_ID, false, "step(x)", NO, [0.0, 1.0, 0.0], UP, &[]),
        row("derivative_leaky_relu", FIRST_ASSIGNED_ID + 1, false, "0.01 + 0.99*step(x)", NO, [0.01, 1.0, 0.01], UP, &[]),
        row("derivative_identity", FIRST_ASSIGNED_ID + 2, false, "1", EVEN, [1.0, 1.0, 1.0], UP, &[]),
        row("memset_zero", 130, false, "0", EVEN, [0.0, 0.0, 0.0], UP, &[]),
        row("derivative_sigmoid", FIRST_ASSIGNED_ID + 3, true, "exp(-abs(x))/(1 + exp(-abs(x)))^2", EVEN,
            [0.25, 0.0, 0.0], UP, &[turn(0.0, Falling)]),
        row("derivative_tanh", FIRST_ASSIGNED_ID + 4, true, "1/cosh(x)^2", EVEN, [1.0, 0.0, 0.0], UP,
            &[turn(0.0, Falling)]),
    ]
};

static ENTRIES: LazyLock<Vec<CatalogueEntry>> = LazyLock::new(|| {
    ROWS.iter()
        .filter_map(entry)
        .chain(extras::entries())
        .collect()
});

/// `None` only for a row whose expression does not parse; a test keeps the table free of those.
fn entry(row: &Row) -> Option<CatalogueEntry> {
    let [zero, pos_inf, neg_inf] = row.limits;
    // A NaN says nothing, except to the functions that are made to answer it.
    let nan = if matches!(row.name, "is_finite" | "memset_zero") {
        0.0
    } else {
        NAN
    };
    let function = Function {
        name: row.name.to_owned(),
        definition: row.expression.to_owned(),
        expression: row.expression.parse().ok()?,
        range: ranges::natural(row.name),
        parity: row.parity,
        parity_is_proven: true,
        specials: Specials {
            zero,
            nan,
            pos_inf,
            neg_inf,
        },
        course: Course::Stated {
            positive_domain: neg_inf.is_nan() && !pos_inf.is_nan(),
            lowest: row.lowest,
            turns: row.turns.to_vec(),
        },
    };
    let entry = CatalogueEntry::of(function, row.func_id, row.table_driven);
    Some(entry.with_table_range(ranges::of_tables(row.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use rug::Float;

    const INPUTS: [f32; 11] = [
        1.0e-30, 1.0e-5, 0.01, 0.3, 0.7, 1.0, 1.3, 2.0, 2.9, 7.7, 30.0,
    ];

    #[test]
    fn every_row_is_an_entry_with_its_own_name_and_id() {
        assert!(catalogue().len() > ROWS.len());
        for (i, entry) in catalogue().iter().enumerate() {
            for other in &catalogue()[..i] {
                assert_ne!(entry.function.name(), other.function.name());
                assert_ne!(entry.func_id, other.func_id, "{}", entry.function.name());
            }
        }
    }

    #[test]
    fn parity_is_what_the_expression_says() {
        for entry in catalogue() {
            let function = entry.function();
            for x in INPUTS {
                let at = |x: f32| function.evaluate(&Float::with_val(24, x), 600);
                let (Some(right), Some(left)) = (at(x), at(-x)) else {
                    continue;
                };
                let (right, left) = (right.low().to_f64(), left.low().to_f64());
                let (expected, scale) = match function.parity() {
                    Parity::None => continue,
                    Parity::Even => (right, right.abs()),
                    Parity::Odd => (-right, right.abs()),
                    Parity::Point { sum } => (f64::from(sum) - right, f64::from(sum)),
                };
                assert!(
                    (left - expected).abs() <= 1e-15 * scale,
                    "{} at {x}: {left} {expected}",
                    function.name()
                );
            }
        }
    }

    #[test]
    fn directions_hold_between_the_turns() {
        for entry in catalogue() {
            let function = entry.function();
            for x in INPUTS.iter().flat_map(|x| [*x, -*x]) {
                let next = x + x.abs() * 1e-3;
                let (Some(direction), Some(same)) =
                    (function.direction(x), function.direction(next))
                else {
                    continue;
                };
                if direction != same {
                    continue;
                }
                let value = |x: f32| function.enclose(x, 100).to_f64();
                let rise = value(next) - value(x);
                match direction {
                    Rising => assert!(rise >= 0.0, "{} at {x}", function.name()),
                    Falling => assert!(rise <= 0.0, "{} at {x}", function.name()),
                }
            }
        }
    }

    #[test]
    fn turns_separate_falling_from_rising_neighbours() {
        for entry in catalogue() {
            let function = entry.function();
            for turn in function.turns().iter().filter(|turn| turn.at != 0.0) {
                // A thousandth of a millionth to either side the slope has its sign.
                let value = |x: f64| {
                    function
                        .enclose_at(&Float::with_val(53, x), 150)
                        .unwrap()
                        .low()
                        .clone()
                };
                let step = turn.at.abs() * 1e-9;
                let before = value(turn.at - step) - value(turn.at - 2.0 * step);
                let after = value(turn.at + 2.0 * step) - value(turn.at + step);
                let rising_after = turn.above == Rising;
                assert_eq!(after > 0, rising_after, "{}", function.name());
                assert_eq!(before < 0, rising_after, "{}", function.name());
            }
        }
    }

    #[test]
    fn limits_are_what_large_inputs_approach_and_zero_is_the_value_there() {
        for entry in catalogue().iter().filter(|entry| entry.is_table_driven()) {
            let function = entry.function();
            if function.natural_range().is_some() {
                continue;
            }
            for (x, limit) in [
                (3.0e38_f32, function.specials().pos_inf),
                (-3.0e38, function.specials().neg_inf),
            ] {
                let value = function.round(x, Format::Fp32).unwrap();
                let reached = value == limit
                    || limit.is_nan() && value.is_nan()
                    || limit.is_infinite()
                        && value.abs() > 50.0
                        && value.signum() == limit.signum()
                    || limit == 0.0 && value.abs() < 1e-18;
                assert!(
                    reached,
                    "{} at {x}: {value}, limit {limit}",
                    function.name()
                );
            }
            let near_zero = function.round(1.0e-44, Format::Fp32).unwrap();
            let zero = function.specials().zero;
            assert!(
                (near_zero - zero).abs() <= 1e-20 || zero.is_infinite(),
                "{}",
                function.name()
            );
        }
    }

    #[test]
    fn a_misspelt_name_is_met_with_the_right_one() {
        assert_eq!(lookup("tahn").unwrap_err().nearest, Some("tanh"));
        assert_eq!(lookup("sofplus").unwrap_err().nearest, Some("softplus"));
        assert_eq!(lookup("zzzzzzzz").unwrap_err().nearest, None);
        assert_eq!(
            lookup("tahn").unwrap_err().to_string(),
            "unknown function `tahn`; did you mean `tanh`?"
        );
    }
}
