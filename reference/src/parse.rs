//! The text form of an [`Expression`]: `0.5*x*erfc(-x/sqrt(2))`.

use std::str::FromStr;

use rug::Rational;

use crate::expression::{Binary, Expression, Unary};

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expression `{text}`, column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The whole text.
    pub text: String,
    /// Where it went wrong, counted in characters from 1.
    pub column: usize,
    /// What would have been right there.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

/// Deeper nesting than any formula needs is refused, so that a hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 64;

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser {
            text,
            characters: text.chars().collect(),
            position: 0,
            depth: 0,
        };
        let expression = parser.sum()?;
        parser.skip_blanks();
        if parser.position < parser.characters.len() {
            return Err(parser.error("an operator or the end"));
        }
        Ok(expression)
    }
}

struct Parser<'a> {
    text: &'a str,
    characters: Vec<char>,
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn skip_blanks(&mut self) {
        while self
            .characters
            .get(self.position)
            .is_some_and(|c| c.is_whitespace())
        {
            self.position += 1;
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.characters.get(self.position).copied()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char, name: &'static str) -> Result<(), ParseError> {
        if self.accept(wanted) {
            Ok(())
        } else {
            Err(self.error(name))
        }
    }

    fn error(&mut self, expected: &'static str) -> ParseError {
        let found = self
            .peek()
            .map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        ParseError {
            text: self.text.to_owned(),
            column: self.position + 1,
            expected,
            found,
        }
    }

    /// sum := product (('+' | '-') product)*
    fn sum(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("an expression nested at most 64 deep"));
        }
        let mut left = self.product()?;
        loop {
            let operation = if self.accept('+') {
                Binary::Add
            } else if self.accept('-') {
                Binary::Sub
            } else {
                self.depth -= 1;
                return Ok(left);
            };
            left = binary(operation, left, self.product()?);
        }
    }

    /// product := factor (('*' | '/') factor)*
    fn product(&mut self) -> Result<Expression, ParseError> {
        let mut left = self.factor()?;
        loop {
            let operation = if self.accept('*') {
                Binary::Mul
            } else if self.accept('/') {
                Binary::Div
            } else {
                return Ok(left);
            };
            left = binary(operation, left, self.factor()?);
        }
    }

    /// factor := '-'* atom ('^' whole number)?; so that -x^2 is -(x^2)
    fn factor(&mut self) -> Result<Expression, ParseError> {
        let mut negate = false;
        while self.accept('-') {
            negate = !negate;
        }
        let mut value = self.atom()?;
        if self.accept('^') {
            let digits = self.digits();
            let exponent = digits.parse().ok().filter(|exponent| *exponent <= 64);
            let exponent = exponent.ok_or_else(|| self.error("a whole power up to 64"))?;
            value = Expression::Power(Box::new(value), exponent);
        }
        Ok(if negate {
            unary(Unary::Neg, value)
        } else {
            value
        })
    }

    /// atom := number | 'x' | 'pi' | name '(' sum (',' sum)? ')' | '(' sum ')'
    fn atom(&mut self) -> Result<Expression, ParseError> {
        match self.peek() {
            Some('(') => {
                self.position += 1;
                let inner = self.sum()?;
                self.expect(')', "`)`")?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            _ => Err(self.error("a number, `x`, `pi`, a function or `(`")),
        }
    }

    fn digits(&mut self) -> String {
        self.skip_blanks();
        let rest = self.characters.get(self.position..).unwrap_or_default();
        let digits: String = rest.iter().take_while(|c| c.is_ascii_digit()).collect();
        self.position += digits.len();
        digits
    }

    fn number(&mut self) -> Result<Expression, ParseError> {
        let mut digits = self.digits();
        let mut decimals = 0;
        if self.characters.get(self.position) == Some(&'.') {
            self.position += 1;
            let fraction = self.digits();
            decimals = fraction.len();
            digits.push_str(&fraction);
        }
        if digits.len() > 100 {
            return Err(self.error("a number of at most 100 digits"));
        }
        let numerator: Rational = digits.parse().map_err(|_| self.error("a decimal number"))?;
        let denominator: Rational = format!("1{}", "0".repeat(decimals))
            .parse()
            .map_err(|_| self.error("a decimal number"))?;
        Ok(Expression::Number(numerator / denominator))
    }

    fn name(&mut self) -> Result<Expression, ParseError> {
        let start = self.position;
        let rest = self.characters.get(start..).unwrap_or_default();
        let name: String = rest
            .iter()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect();
        match name.as_str() {
            "x" => {
                self.position += 1;
                return Ok(Expression::X);
            }
            "pi" => {
                self.position += 2;
                return Ok(Expression::Pi);
            }
            _ => {}
        }
        let pair = match name.as_str() {
            "max" => Some(Binary::Max),
            "min" => Some(Binary::Min),
            _ => None,
        };
        let single = Unary::NAMED
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, function)| *function);
        if pair.is_none() && single.is_none() {
            return Err(self.error("`x`, `pi` or the name of a function"));
        }
        self.position += name.len();
        self.expect('(', "`(`")?;
        let first = self.sum()?;
        let value = match (pair, single) {
            (Some(operation), _) => {
                self.expect(',', "`,`")?;
                binary(operation, first, self.sum()?)
            }
            (None, Some(function)) => unary(function, first),
            (None, None) => return Err(self.error("the name of a function")),
        };
        self.expect(')', "`)`")?;
        Ok(value)
    }
}

fn unary(function: Unary, argument: Expression) -> Expression {
    Expression::Unary(function, Box::new(argument))
}

fn binary(operation: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operation, Box::new(left), Box::new(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, x: f32) -> f64 {
        let expression: Expression = text.parse().unwrap();
        expression
            .evaluate(&rug::Float::with_val(24, x), 80)
            .low()
            .to_f64()
    }

    #[test]
    fn operators_bind_as_in_a_textbook() {
        assert_eq!(at("1+2*x^2", 3.0), 19.0);
        assert_eq!(at("-x^2", 3.0), -9.0);
        assert_eq!(at("8/2/2", 0.0), 2.0);
        assert_eq!(at("1-2-3", 0.0), -4.0);
        assert_eq!(at("--x", 5.0), 5.0);
        assert_eq!(at("max(x, 0) - min(x,0)", -2.5), 2.5);
        assert_eq!(at("0.125 * abs(x)", -8.0), 1.0);
    }

    #[test]
    fn decimals_are_exact() {
        let tenth: Expression = "0.1".parse().unwrap();
        assert_eq!(tenth, Expression::Number(Rational::from((1, 10))));
    }

    #[test]
    fn errors_point_at_the_column() {
        let error = "1 + sinx".parse::<Expression>().unwrap_err();
        assert_eq!(error.column, 5);
        assert!("(1".parse::<Expression>().is_err());
        assert!("1 2".parse::<Expression>().is_err());
        assert!("".parse::<Expression>().is_err());
        assert!("x^99".parse::<Expression>().is_err());
        assert!("(".repeat(5000).parse::<Expression>().is_err());
    }
}
