//! Functions by expression: from a text to everything the toolkit needs to know of a function.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rug::Rational;

use crate::catalogue::CatalogueEntry;
use crate::exact::needs_no_table;
use crate::expression::Expression;
use crate::function::{Course, Function, Parity, Specials};
use crate::limits::{Towards, limit};
use crate::parity;
use crate::parse::{ParseError, is_reserved, parse, parse_decimal};
use crate::stretches::StretchKind;
use crate::survey::SurveyError;

/// A function by expression, as a user gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// The formula in `x` and the parameters.
    pub expression: String,
    /// Named numbers, as the decimal texts that say exactly what they are.
    pub params: BTreeMap<String, String>,
    /// Results at special inputs where they are not the limits that are found, or where none is found.
    pub limits: GivenLimits,
}

/// Results at special inputs, given instead of found.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenLimits {
    /// At +0 and -0.
    pub zero: Option<f32>,
    /// At plus infinity.
    pub pos_inf: Option<f32>,
    /// At minus infinity.
    pub neg_inf: Option<f32>,
}

/// Equal bits: a NaN that was given is given.
impl PartialEq for GivenLimits {
    fn eq(&self, other: &Self) -> bool {
        let bits = |limits: &Self| {
            [limits.zero, limits.pos_inf, limits.neg_inf].map(|limit| limit.map(f32::to_bits))
        };
        bits(self) == bits(other)
    }
}

/// Why an expression is no function that tables can be made for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DefineError {
    /// The text is not an expression.
    #[error("function `{function}`: {error}")]
    Parse {
        /// The function.
        function: String,
        /// What is wrong with the text.
        error: ParseError,
    },
    /// A parameter cannot be used.
    #[error("function `{function}`, parameter `{param}`: expected {expected}, found `{found}`")]
    Parameter {
        /// The function.
        function: String,
        /// The parameter.
        param: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A limit does not come out.
    #[error(
        "function `{function}`: its value at {at} does not come out; give it as `limits`, key {key}"
    )]
    Limit {
        /// The function.
        function: String,
        /// Where, in words.
        at: &'static str,
        /// The key that gives it.
        key: &'static str,
    },
    /// It bends, jumps or loses its value too often.
    #[error(
        "function `{function}` bends, jumps or has gaps too often near {x:?} to be followed; give it a `range` that leaves those inputs out"
    )]
    Wild {
        /// The function.
        function: String,
        /// An input there.
        x: f32,
    },
    /// Whether there is a value does not come out.
    #[error(
        "function `{function}`: no precision tells whether it has a value at {x:?}; write it differently, or give it a `range`"
    )]
    Uncertain {
        /// The function.
        function: String,
        /// The input.
        x: f32,
    },
    /// There is no value anywhere.
    #[error("function `{function}` has no value at any input{}", .range.map(|(low, high)| format!(" of its range [{low:?}, {high:?}]")).unwrap_or_default())]
    Nowhere {
        /// The function.
        function: String,
        /// The range that was asked for.
        range: Option<(f32, f32)>,
    },
    /// All ids are taken.
    #[error(
        "function `{function}`: all ids that functions by expression can have are taken; a set holds at most {most} of them"
    )]
    Ids {
        /// The function.
        function: String,
        /// How many there are.
        most: usize,
    },
}

impl Function {
    /// Makes a function of an expression: parses it, finds its symmetry, its results at zero and at the infinities, and
    /// surveys where it has values and which way they go, over all inputs or over those of a `range`.
    ///
    /// What is outside the range is not looked at, and nobody asks for an accurate result there.
    ///
    /// # Errors
    /// [`DefineError`] when the text is wrong or the function cannot be followed.
    pub fn define(
        name: &str,
        definition: &Definition,
        range: Option<(f32, f32)>,
    ) -> Result<Self, DefineError> {
        let function = Self::unsurveyed(name, definition, range)?;
        let survey = function.new_survey().map_err(|error| match error {
            SurveyError::Wild(x) => DefineError::Wild {
                function: name.to_owned(),
                x,
            },
            SurveyError::Uncertain(x) => DefineError::Uncertain {
                function: name.to_owned(),
                x,
            },
        })?;
        if survey
            .stretches
            .iter()
            .all(|stretch| stretch.kind == StretchKind::Undefined)
        {
            return Err(DefineError::Nowhere {
                function: name.to_owned(),
                range,
            });
        }
        if let Course::Surveyed(cell) = &function.course {
            let _ = cell.set(survey);
        }
        Ok(function)
    }

    /// The function with everything but its course, which is surveyed when it is first needed.
    pub(crate) fn unsurveyed(
        name: &str,
        definition: &Definition,
        range: Option<(f32, f32)>,
    ) -> Result<Self, DefineError> {
        let expression = parsed(name, definition)?;
        let range = range
            .map(|(low, high)| (low.max(f32::MIN), high.min(f32::MAX)))
            .filter(|range| *range != (f32::MIN, f32::MAX));
        let (low, high) = range.unwrap_or((f32::MIN, f32::MAX));
        let symmetric = low == -high;
        let proven = parity::proven(&expression).filter(|_| symmetric);
        let parity = match proven {
            Some(parity) => parity,
            None if symmetric => parity::seen(&expression, high),
            None => Parity::None,
        };
        Ok(Self {
            name: name.to_owned(),
            definition: shown(definition),
            range,
            parity,
            parity_is_proven: proven.is_some(),
            specials: specials(name, &expression, &definition.limits, (low, high))?,
            course: Course::Surveyed(Arc::new(OnceLock::new())),
            expression,
        })
    }

    /// Whether the parity is proven by the form of the expression. Otherwise it was seen at some hundred inputs, and both
    /// sides are judged on their own.
    pub fn parity_is_proven(&self) -> bool {
        self.parity_is_proven
    }
}

impl CatalogueEntry {
    /// A function by expression, as an entry beside those of the catalogue.
    ///
    /// # Errors
    /// As [`Function::define`].
    pub fn define(
        name: &str,
        func_id: u8,
        definition: &Definition,
        range: Option<(f32, f32)>,
    ) -> Result<Self, DefineError> {
        let function = Function::define(name, definition, range)?;
        let table_driven = !needs_no_table(&function);
        Ok(Self::of(function, func_id, table_driven))
    }
}

impl Definition {
    /// A formula without parameters.
    pub fn new(expression: impl Into<String>) -> Self {
        Self {
            expression: expression.into(),
            ..Self::default()
        }
    }

    /// Checks the text and the parameters, without looking at the function.
    ///
    /// # Errors
    /// [`DefineError::Parse`] and [`DefineError::Parameter`].
    pub fn check(&self, name: &str) -> Result<(), DefineError> {
        parsed(name, self).map(drop)
    }
}

fn parsed(name: &str, definition: &Definition) -> Result<Expression, DefineError> {
    let mut params: Vec<(String, Rational)> = Vec::new();
    for (param, text) in &definition.params {
        let wrong = |expected, found: &str| DefineError::Parameter {
            function: name.to_owned(),
            param: param.clone(),
            expected,
            found: found.chars().take(60).collect(),
        };
        let mut bytes = param.bytes();
        let is_name = bytes
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && param.len() <= LONGEST_PARAM;
        if !is_name {
            return Err(wrong(
                "a name of at most 31 letters, digits and _, not beginning with a digit",
                param,
            ));
        }
        if is_reserved(param) {
            return Err(wrong("a name that has no meaning of its own", param));
        }
        if !mentions(&definition.expression, param) {
            return Err(wrong("a parameter that the expression uses", param));
        }
        let value = parse_decimal(text).ok_or_else(|| wrong("a decimal number", text))?;
        params.push((param.clone(), value));
    }
    parse(&definition.expression, &params).map_err(|error| DefineError::Parse {
        function: name.to_owned(),
        error,
    })
}

/// The longest name of a parameter.
const LONGEST_PARAM: usize = 31;

/// Whether a name stands in a text as a word.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .any(|word| word == name)
}

/// The formula and what its names stand for, on one line.
fn shown(definition: &Definition) -> String {
    let params: Vec<String> = definition
        .params
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if params.is_empty() {
        definition.expression.clone()
    } else {
        format!("{}, {}", definition.expression, params.join(", "))
    }
}

fn specials(
    name: &str,
    expression: &Expression,
    given: &GivenLimits,
    (low, high): (f32, f32),
) -> Result<Specials, DefineError> {
    // Beyond a range nobody asks; there the nearest thing to a result is none.
    let found = |given: Option<f32>, towards, asked: bool, at, key| match given {
        Some(limit) => Ok(limit),
        None => limit(expression, towards)
            .or((!asked).then_some(f32::NAN))
            .ok_or_else(|| DefineError::Limit {
                function: name.to_owned(),
                at,
                key,
            }),
    };
    Ok(Specials {
        zero: found(
            given.zero,
            Towards::Zero,
            low <= 0.0 && high >= 0.0,
            "zero",
            "zero",
        )?,
        nan: f32::NAN,
        pos_inf: found(
            given.pos_inf,
            Towards::PosInf,
            high == f32::MAX,
            "plus infinity",
            "pos_inf",
        )?,
        neg_inf: found(
            given.neg_inf,
            Towards::NegInf,
            low == f32::MIN,
            "minus infinity",
            "neg_inf",
        )?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::catalogue::catalogue;

    fn define(text: &str) -> Result<Function, DefineError> {
        Function::define("f", &Definition::new(text), None)
    }

    #[test]
    fn the_facts_of_the_catalogue_are_found() {
        for entry in catalogue() {
            let known = entry.function();
            if matches!(known.name(), "is_finite" | "memset_zero" | "sin") {
                continue;
            }
            let name = known.name();
            let found =
                CatalogueEntry::define(name, 210, &Definition::new(known.definition()), None)
                    .unwrap();
            assert_eq!(found.is_table_driven(), entry.is_table_driven(), "{name}");
            let found = found.function();
            // What jumps is not folded about a point.
            assert_eq!(found.parity(), known.parity(), "{name}");
            let bits = |function: &Function| {
                let Specials {
                    zero,
                    nan,
                    pos_inf,
                    neg_inf,
                } = function.specials();
                [zero, nan, pos_inf, neg_inf].map(|special| {
                    if special.is_nan() {
                        0x7fc0_0000
                    } else {
                        special.to_bits()
                    }
                })
            };
            assert_eq!(bits(found), bits(known), "{name}");
            for x in [
                1e-30_f32, 1e-3, 0.3, 0.76, 1.0, 1.3, 1.42, 2.5, 7.0, 30.0, 1e10,
            ]
            .iter()
            .flat_map(|x| [*x, -*x])
            {
                if let (Some(known), Some(found)) = (known.direction(x), found.direction(x)) {
                    // A constant goes either way.
                    let flat = |step: f32| entry.function().round(x * step, Format::Fp32).ok();
                    assert!(known == found || flat(1.0) == flat(1.001), "{name} {x}");
                }
            }
        }
    }

    #[test]
    fn parameters_are_exact_numbers() {
        let mut definition = Definition::new("a*x + b");
        definition.params.insert("a".to_owned(), "0.1".to_owned());
        definition
            .params
            .insert("b".to_owned(), "-2.5e-1".to_owned());
        let function = Function::define("line", &definition, None).unwrap();
        assert_eq!(function.round(10.0, Format::Fp32), Ok(0.75));
        assert_eq!(function.definition(), "a*x + b, a = 0.1, b = -2.5e-1");
        for (name, value, expected) in [
            ("x", "1", "no meaning of its own"),
            ("2a", "1", "a name of"),
            ("c", "1", "the expression uses"),
            ("a", "1/2", "a decimal number"),
        ] {
            let mut definition = definition.clone();
            definition.params.insert(name.to_owned(), value.to_owned());
            let error = Function::define("line", &definition, None)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_followed_is_refused_with_a_reason() {
        for (text, reason) in [
            ("x*sin(x)", "limits"),
            ("x*abs(sin(1/x))", "bends, jumps"),
            ("log(-1 - x^2)", "no value at any input"),
            (
                "1/(1 + sqrt(tanh(min(x, 0)) - tanh(min(x, 0) + 0*x)))",
                "has gaps too often",
            ),
            ("x +", "column 4"),
        ] {
            let mut definition = Definition::new(text);
            if reason.contains("gaps") {
                definition.limits = GivenLimits {
                    zero: Some(0.0),
                    pos_inf: Some(0.0),
                    neg_inf: Some(0.0),
                };
            }
            let error = Function::define("f", &definition, None)
                .unwrap_err()
                .to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(!error.contains('\n'));
        }
    }

    #[test]
    fn limits_can_be_given_and_a_range_asks_for_none() {
        let mut definition = Definition::new("x*sin(x)");
        let range = Some((-3.0, 3.0));
        let function = Function::define("f", &definition, range).unwrap();
        assert!(function.specials().pos_inf.is_nan());
        definition.limits.zero = Some(1.0);
        definition.limits.pos_inf = Some(-2.0);
        let specials = Function::define("f", &definition, range)
            .unwrap()
            .specials();
        assert_eq!((specials.zero, specials.pos_inf), (1.0, -2.0));
    }

    #[test]
    fn poles_and_edges_have_no_value() {
        let function = define("log(x - 1)/(x - 3)").unwrap();
        assert!(function.round(3.0, Format::Fp32).unwrap().is_nan());
        assert!(function.round(1.0, Format::Fp32).unwrap().is_nan());
        assert!(function.round(-7.0, Format::Fp32).unwrap().is_nan());
        assert!(function.round(3.5, Format::Fp32).unwrap() > 0.0);
        assert!(function.round(2.5, Format::Fp32).unwrap() < 0.0);
    }
}
