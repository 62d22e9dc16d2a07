//! The text form of an [`Expression`]: `0.5*x*erfc(-x/sqrt(2))`.

use std::str::FromStr;

use rug::Rational;
use winnow::combinator::{Infix, Prefix, expression as pratt, opt};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{Stateful, Stream};
use winnow::token::{one_of, take_while};
use winnow::{ModalResult, Parser};

use crate::build::{binary, power, unary};
use crate::expression::{Binary, Expression, Unary};

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expression `{text}`, column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The whole text, on one line.
    pub text: String,
    /// Where it went wrong, counted in characters from 1.
    pub column: usize,
    /// What would have been right there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl ParseError {
    /// The text, and below it a caret at the fault: two lines of the same indentation.
    pub fn drawing(&self) -> [String; 2] {
        let caret = format!("{}^", " ".repeat(self.column - 1));
        [self.text.clone(), caret]
    }
}

/// Deeper nesting than any formula needs is refused, so that a hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

/// The longest text, in bytes.
pub(crate) const LONGEST_TEXT: usize = 1000;

/// The most operations between a result and its input: a long sum nests, too.
const MAX_TREE_DEPTH: usize = 200;

/// The largest whole power.
const LARGEST_POWER: u32 = 64;

/// The most digits of a number, and the largest decimal exponent.
const MAX_DIGITS: usize = 100;
const LARGEST_EXPONENT: i32 = 400;

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text, &[])
    }
}

/// Reads a text in which names stand for numbers.
///
/// # Errors
/// [`ParseError`] for the first fault.
pub(crate) fn parse(text: &str, params: &[(String, Rational)]) -> Result<Expression, ParseError> {
    let plain: String = text
        .chars()
        // Blanks of other widths would move the caret.
        .map(|c| {
            if c.is_control() || c.is_whitespace() {
                ' '
            } else {
                c
            }
        })
        .collect();
    let located = |fault: Fault| {
        let at = plain.len() - fault.rest;
        let before = plain.get(..at).unwrap_or_default();
        let next = plain.get(at..).unwrap_or_default().chars().next();
        let found = next.map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        ParseError {
            text: plain.clone(),
            column: before.chars().count() + 1,
            expected: fault.expected,
            found: fault.found.unwrap_or(found),
        }
    };
    if plain.len() > LONGEST_TEXT {
        // The text itself would be the message.
        return Err(ParseError {
            text: format!("{}...", plain.chars().take(40).collect::<String>()),
            column: 1,
            expected: format!("an expression of at most {LONGEST_TEXT} bytes"),
            found: format!("{} bytes", plain.len()),
        });
    }
    let mut input = Stateful {
        input: plain.as_str(),
        state: State {
            params,
            depth: 0,
            signs: 0,
        },
    };
    let parsed = sum(&mut input).and_then(|value| {
        blanks(&mut input)?;
        if input.is_empty() {
            Ok(value)
        } else {
            Err(fault(&input, "an operator or the end"))
        }
    });
    let value = parsed.map_err(|error| match error {
        ErrMode::Backtrack(fault) | ErrMode::Cut(fault) => located(fault),
        ErrMode::Incomplete(_) => located(Fault::at(0, "more text")),
    })?;
    let depth = value.depth();
    if depth > MAX_TREE_DEPTH {
        return Err(located(Fault {
            rest: plain.len(),
            expected: format!("at most {MAX_TREE_DEPTH} operations one inside the other"),
            found: Some(depth.to_string()),
        }));
    }
    Ok(value)
}

/// What the parser knows besides the text.
#[derive(Clone, Copy, Debug)]
struct State<'a> {
    params: &'a [(String, Rational)],
    /// Brackets that are open.
    depth: usize,
    /// Signs and powers met so far: each nests.
    signs: usize,
}

type Input<'a> = Stateful<&'a str, State<'a>>;

/// What went wrong, as the parser sees it: a place counted from the end.
#[derive(Clone, Debug)]
struct Fault {
    rest: usize,
    expected: String,
    found: Option<String>,
}

impl Fault {
    fn at(rest: usize, expected: impl Into<String>) -> Self {
        Self {
            rest,
            expected: expected.into(),
            found: None,
        }
    }
}

const OPERAND: &str = "a number, `x`, `pi`, `e`, a function or `(`";

impl ParserError<Input<'_>> for Fault {
    type Inner = Self;

    fn from_input(input: &Input<'_>) -> Self {
        Self::at(input.eof_offset(), OPERAND)
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

fn fault(input: &Input<'_>, expected: impl Into<String>) -> ErrMode<Fault> {
    ErrMode::Cut(Fault::at(input.eof_offset(), expected))
}

fn blanks(input: &mut Input<'_>) -> ModalResult<(), Fault> {
    take_while(0.., char::is_whitespace)
        .void()
        .parse_next(input)
}

/// One character after blanks.
fn symbol(wanted: char) -> impl FnMut(&mut Input<'_>) -> ModalResult<char, Fault> {
    move |input| {
        blanks(input)?;
        one_of(wanted).parse_next(input)
    }
}

fn expect(input: &mut Input<'_>, wanted: char) -> ModalResult<(), Fault> {
    match opt(symbol(wanted)).parse_next(input)? {
        Some(_) => Ok(()),
        None => {
            blanks(input)?;
            Err(fault(input, format!("`{wanted}`")))
        }
    }
}

/// Sums, products, signs and powers by how strongly they bind: -x^2 is -(x^2), 2^3^2 is 2^(3^2).
fn sum(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    pratt(operand)
        .prefix(|input: &mut Input<'_>| {
            blanks(input)?;
            let sign = one_of(['-', '+']).parse_next(input)?;
            count_sign(input)?;
            Ok(Prefix(
                9,
                if sign == '-' {
                    |_: &mut Input<'_>, value| Ok(unary(Unary::Neg, value))
                } else {
                    |_: &mut Input<'_>, value| Ok(value)
                },
            ))
        })
        .infix(|input: &mut Input<'_>| {
            blanks(input)?;
            let operator = one_of(['+', '-', '*', '/', '^']).parse_next(input)?;
            Ok(match operator {
                '+' => Infix::Left(5, |_: &mut Input<'_>, a, b| Ok(binary(Binary::Add, a, b))),
                '-' => Infix::Left(5, |_: &mut Input<'_>, a, b| Ok(binary(Binary::Sub, a, b))),
                '*' => Infix::Left(7, |_: &mut Input<'_>, a, b| Ok(binary(Binary::Mul, a, b))),
                '/' => Infix::Left(7, |_: &mut Input<'_>, a, b| Ok(binary(Binary::Div, a, b))),
                _ => {
                    count_sign(input)?;
                    Infix::Right(20, |input: &mut Input<'_>, a, b| {
                        power(a, b, LARGEST_POWER).ok_or_else(|| {
                            fault(
                                input,
                                format!("a whole power up to {LARGEST_POWER} before here"),
                            )
                        })
                    })
                }
            })
        })
        .parse_next(input)
}

fn count_sign(input: &mut Input<'_>) -> ModalResult<(), Fault> {
    input.state.signs += 1;
    if input.state.signs > 2 * MAX_DEPTH {
        return Err(fault(input, "fewer signs and powers: 128 at most"));
    }
    Ok(())
}

/// A number, a name, a call or a bracket.
fn operand(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    blanks(input)?;
    match input.peek_token() {
        Some('(') => {
            let _ = input.next_token();
            inside(input)
        }
        Some('0'..='9' | '.') => number(input),
        Some(c) if c.is_ascii_alphabetic() || c == '_' => name(input),
        // A sign may follow: that is for the prefixes to say.
        _ => Err(ErrMode::Backtrack(Fault::from_input(input))),
    }
}

/// What stands behind an opening bracket, with the closing one.
fn inside(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    let inner = nested(input)?;
    expect(input, ')')?;
    Ok(inner)
}

fn nested(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    input.state.depth += 1;
    if input.state.depth > MAX_DEPTH {
        return Err(fault(
            input,
            format!("brackets nested at most {MAX_DEPTH} deep"),
        ));
    }
    let inner = sum(input).map_err(|error| match error {
        ErrMode::Backtrack(fault) => ErrMode::Cut(fault),
        other => other,
    })?;
    input.state.depth -= 1;
    Ok(inner)
}

fn number(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    let start = *input;
    let text = take_while(1.., |c: char| c.is_ascii_digit() || c == '.').parse_next(input)?;
    let behind = *input;
    let mut exponent = "";
    if opt(one_of(['e', 'E'])).parse_next(input)?.is_some() {
        let sign = opt(one_of(['-', '+'])).parse_next(input)?.is_some();
        let digits: &str = take_while(0.., '0'..='9').parse_next(input)?;
        if digits.is_empty() {
            // No exponent after all; what follows is somebody else's to complain of.
            *input = behind;
        } else {
            exponent = behind
                .input
                .get(1..1 + usize::from(sign) + digits.len())
                .unwrap_or_default();
        }
    }
    decimal(text, exponent)
        .map(Expression::Number)
        .ok_or_else(|| {
            fault(
                &start,
                format!(
                    "a decimal number of at most {MAX_DIGITS} digits, below 1e{LARGEST_EXPONENT}"
                ),
            )
        })
}

/// A decimal number, exactly; `None` for what is none or is out of bounds.
fn decimal(digits: &str, exponent: &str) -> Option<Rational> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || all.len() > MAX_DIGITS || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent: i32 = if exponent.is_empty() {
        0
    } else {
        exponent.parse().ok()?
    };
    if exponent.abs() > LARGEST_EXPONENT {
        return None;
    }
    let scale = exponent - fraction.len() as i32;
    let power: Rational = format!("1{}", "0".repeat(scale.unsigned_abs() as usize))
        .parse()
        .ok()?;
    let value: Rational = all.parse().ok()?;
    Some(if scale < 0 {
        value / power
    } else {
        value * power
    })
}

/// Reads a signed decimal number, exactly.
pub(crate) fn parse_decimal(text: &str) -> Option<Rational> {
    let text = text.trim();
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = match magnitude.split_once(['e', 'E']) {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (magnitude, ""),
    };
    let value = decimal(digits, exponent)?;
    Some(if negative { -value } else { value })
}

/// Whether a name has a meaning in every expression.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "x" | "pi" | "e" | "max" | "min")
        || Unary::NAMED.iter().any(|(known, _)| *known == name)
}

fn name(input: &mut Input<'_>) -> ModalResult<Expression, Fault> {
    let start = *input;
    let name =
        take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_').parse_next(input)?;
    let pair = match name {
        "x" => return Ok(Expression::X),
        "pi" => return Ok(Expression::Pi),
        "e" => return Ok(unary(Unary::Exp, Expression::Number(Rational::from(1)))),
        "max" => Some(Binary::Max),
        "min" => Some(Binary::Min),
        _ => None,
    };
    let single = Unary::NAMED.iter().find(|(known, _)| *known == name);
    if let Some((_, value)) = input.state.params.iter().find(|(param, _)| param == name) {
        return Ok(Expression::Number(value.clone()));
    }
    if pair.is_none() && single.is_none() {
        return Err(unknown(&start, name));
    }
    expect(input, '(')?;
    match (pair, single) {
        (Some(operation), _) => {
            let first = nested(input)?;
            expect(input, ',')?;
            Ok(binary(operation, first, inside(input)?))
        }
        (None, Some((_, function))) => Ok(unary(*function, inside(input)?)),
        (None, None) => Err(unknown(&start, name)),
    }
}

fn unknown(start: &Input<'_>, name: &str) -> ErrMode<Fault> {
    let params: Vec<&str> = start
        .state
        .params
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let params = if params.is_empty() {
        "or a name in `params`".to_owned()
    } else {
        format!("or one of the parameters {}", params.join(", "))
    };
    ErrMode::Cut(Fault {
        rest: start.eof_offset(),
        expected: format!("`x`, `pi`, `e`, the name of a function {params}"),
        found: Some(format!("`{name}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, x: f32) -> f64 {
        let params = [("a".to_owned(), Rational::from((3, 2)))];
        let expression = parse(text, &params).unwrap();
        let value = expression.evaluate(&rug::Float::with_val(24, x), 80);
        assert!(!value.is_undefined(), "{text}");
        value.low().to_f64()
    }

    fn fault_of(text: &str) -> ParseError {
        parse(text, &[]).unwrap_err()
    }

    #[test]
    fn operators_bind_as_in_a_textbook() {
        assert_eq!(at("1+2*x^2", 3.0), 19.0);
        assert_eq!(at("-x^2", 3.0), -9.0);
        assert_eq!(at("2*-x", 3.0), -6.0);
        assert_eq!(at("8/2/2", 0.0), 2.0);
        assert_eq!(at("1-2-3", 0.0), -4.0);
        assert_eq!(at("--x", 5.0), 5.0);
        assert_eq!(at("2^3^2", 5.0), 512.0);
        assert_eq!(at("x^-2", 4.0), 0.0625);
        assert_eq!(at("x^1.5", 4.0), 8.0);
        assert_eq!(at("x^(-1/2)", 4.0), 0.5);
        // A power is whole by its value, however that is written.
        assert_eq!(at("x^(1 + 1)", -3.0), 9.0);
        assert_eq!(at("x^(2*a)", -2.0), -8.0);
        assert_eq!(at("2*a*x^(2*a - 1)", -2.0), 12.0);
        assert_eq!(at("x^(2^2/4)", -2.0), -2.0);
        assert_eq!(at("x^(a - 1)", 4.0), 2.0);
        assert_eq!(at("max(x, 0) - min(x,0)", -2.5), 2.5);
        assert_eq!(at("0.125 * abs(x)", -8.0), 1.0);
        assert_eq!(at("a*x + 1.5e1 - .5", 2.0), 17.5);
        assert!((at("e^x", 1.0) - std::f64::consts::E).abs() < 1e-15);
        assert!((at("2 ^ x", 0.5) - std::f64::consts::SQRT_2).abs() < 1e-15);
    }

    #[test]
    fn decimals_are_exact() {
        let tenth: Expression = "0.1".parse().unwrap();
        assert_eq!(tenth, Expression::Number(Rational::from((1, 10))));
        assert_eq!(parse_decimal("-1.5e-1"), Some(Rational::from((-3, 20))));
        for text in ["", "-", "1e", "1e999", "0x10", "nan", "1.2.3", "e5"] {
            assert_eq!(parse_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn errors_point_at_the_column() {
        for (text, column, expected, found) in [
            ("1 + sinx", 5, "the name of a function", "`sinx`"),
            ("(1", 3, "`)`", "the end"),
            ("1 2", 3, "an operator or the end", "`2`"),
            ("", 1, OPERAND, "the end"),
            ("x * tanh(log1p(exp(x))", 23, "`)`", "the end"),
            ("max(x)", 6, "`,`", "`)`"),
            ("x +", 4, OPERAND, "the end"),
            ("x * )", 5, OPERAND, "`)`"),
            ("sin x", 5, "`(`", "`x`"),
            ("x^99", 5, "a whole power up to 64", "the end"),
            ("x + \u{e9}", 5, OPERAND, "`\u{e9}`"),
            ("1..2", 1, "a decimal number", "`1`"),
        ] {
            let error = fault_of(text);
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.expected.contains(expected), "{text}: {error}");
            assert_eq!(error.found, found, "{text}: {error}");
        }
        let [text, caret] = fault_of("1 + sinx").drawing();
        assert_eq!((text.as_str(), caret.as_str()), ("1 + sinx", "    ^"));
        // Blanks that a terminal draws wider than a letter.
        let [text, caret] = fault_of("1 +\u{3000}\tsinx").drawing();
        assert_eq!((text.as_str(), caret.as_str()), ("1 +  sinx", "     ^"));
    }

    #[test]
    fn hostile_texts_are_refused_without_harm() {
        for text in [
            "(".repeat(900),
            "-".repeat(900) + "x",
            "x^".repeat(400) + "x",
            "sin(".repeat(200) + "x",
            "x+".repeat(400) + "x",
            "1".repeat(500),
            "x+".repeat(100_000),
        ] {
            assert!(parse(&text, &[]).is_err(), "{}", text.len());
        }
        assert!(parse(&("x+".repeat(150) + "x"), &[]).is_ok());
    }
}
