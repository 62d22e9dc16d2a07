//! Functions of the catalogue that the hardware does not name: what models use besides, each one formula.
//!
//! They are defined as a user's own function would be; symmetry, limits and course are found, not stated.

use crate::catalogue::CatalogueEntry;
use crate::define::Definition;
use crate::exact::needs_no_table;
use crate::function::Function;
use crate::ranges;

/// The first of their ids. Those below are left to the functions of users.
const FIRST_ID: u8 = 230;

/// Names and formulas, in the order of their ids. Constants are those of the papers and frameworks: decimals are the
/// decimal numbers, roots the real ones.
const ROWS: [(&str, &str); 18] = [
    ("elu", "max(x, 0) + expm1(min(x, 0))"),
    (
        "selu",
        "1.0507009873554804934193349852946*(max(x, 0) + 1.6732632423543772848170429916717*expm1(min(x, 0)))",
    ),
    // With the usual alpha = 1 the same function as elu.
    ("celu", "max(x, 0) + expm1(min(x, 0))"),
    ("hard_sigmoid", "min(max(x/6 + 1/2, 0), 1)"),
    ("hard_swish", "x*min(max(x/6 + 1/2, 0), 1)"),
    ("softsign", "x/(1 + abs(x))"),
    ("exp2", "exp2(x)"),
    ("log2", "log2(x)"),
    ("log1p", "log1p(x)"),
    ("expm1", "expm1(x)"),
    ("cos", "cos(x)"),
    ("relu6", "min(max(x, 0), 6)"),
    ("squared_relu", "max(x, 0)^2"),
    ("quick_gelu", "x/(1 + exp(-1.702*x))"),
    ("logsigmoid", "-log1p(exp(-x))"),
    // Mean and deviation as the frameworks round them.
    ("laplace", "0.5*erfc(-(x - 0.707107)/(0.282095*sqrt(2)))"),
    ("logit", "log(x/(1 - x))"),
    // With the coefficients that training begins with, and without the guard of its implementations next to zero.
    (
        "xielu",
        "0.8*max(x, 0)^2 + 0.5*x + 0.8*(expm1(min(x, 0)) - min(x, 0))",
    ),
];

/// All of them; a row that is no function is left out, and a test keeps the table free of those.
pub(crate) fn entries() -> impl Iterator<Item = CatalogueEntry> {
    ROWS.iter()
        .zip(FIRST_ID..)
        .filter_map(|((name, expression), id)| {
            let range = ranges::natural(name);
            let function = Function::unsurveyed(name, &Definition::new(*expression), range).ok()?;
            let table_driven = !needs_no_table(&function);
            let entry = CatalogueEntry::of(function, id, table_driven);
            Some(entry.with_table_range(ranges::of_tables(name)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Parity, Surrogate, lookup};

    #[test]
    fn every_row_is_a_function_that_can_be_followed() {
        assert_eq!(entries().count(), ROWS.len());
        for (name, _) in ROWS {
            let entry = lookup(name).unwrap();
            assert!(entry.function().new_survey().is_ok(), "{name}");
            assert!(entry.id_is_assigned_here());
            assert_eq!(entry.is_table_driven(), name != "squared_relu", "{name}");
            if name != "laplace" {
                let surrogate = Surrogate::new(entry.function(), Format::Bf16).unwrap();
                assert!(surrogate.cells().len() < 6000, "{name}");
            }
        }
    }

    #[test]
    fn their_values_are_those_of_the_frameworks() {
        for (name, x, value) in [
            ("elu", -1.0, -0.632_120_55),
            ("selu", -1.0, -1.111_330_7),
            ("selu", f32::NEG_INFINITY, -1.758_099_3),
            ("hard_sigmoid", 1.5, 0.75),
            ("hard_swish", -1.5, -0.375),
            ("hard_swish", 3.0, 3.0),
            ("hard_swish", f32::NEG_INFINITY, 0.0),
            ("softsign", -3.0, -0.75),
            ("logsigmoid", 0.0, -std::f32::consts::LN_2),
            ("laplace", 0.989_202, 0.841_344_7),
            ("logit", 0.5, 0.0),
            ("xielu", 2.0, 4.2),
            ("xielu", -1.0, -0.205_696_44),
            ("relu6", f32::INFINITY, 6.0),
            ("squared_relu", 3.0, 9.0),
        ] {
            let found = lookup(name)
                .unwrap()
                .function()
                .round(x, Format::Fp32)
                .unwrap();
            assert!(
                (found - value).abs() <= 1e-6 || found == value,
                "{name}({x}): {found}"
            );
        }
        let parity = |name: &str| lookup(name).unwrap().function().parity();
        assert_eq!(parity("softsign"), Parity::Odd);
        assert_eq!(parity("cos"), Parity::Even);
        assert_eq!(parity("hard_sigmoid"), Parity::Point { sum: 1.0 });
        assert!(
            lookup("logit")
                .unwrap()
                .function()
                .round(1.5, Format::Fp32)
                .unwrap()
                .is_nan()
        );
    }
}
