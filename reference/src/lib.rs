//! What an activation function *is*: its value at every input, to any precision that is asked for.
//!
//! A [`Function`] is an [`Expression`] in `x` with the facts that the rest of the toolkit needs about it: its
//! domain, its limits, its symmetry and where it turns. Values are [`Interval`]s of MPFR numbers with outward
//! rounding, so that every answer is an enclosure that can be trusted, and the working precision is raised until
//! the question at hand (a correctly rounded result, an error in ulp) is settled.
//!
//! A [`Surrogate`] is the fast form of the same truth: polynomials in `f64` over contiguous runs of floats, each
//! with a bound on its distance from the function.
#![forbid(unsafe_code)]

mod build;
mod catalogue;
mod cell;
mod chebyshev;
mod cover;
mod define;
mod dual;
mod exact;
mod expression;
mod extras;
mod follow;
mod format;
mod function;
mod interval;
mod limits;
mod parity;
mod parse;
mod ranges;
mod stretches;
mod surrogate;
mod survey;
mod taylor;
mod truth;
mod ulp;

pub use catalogue::{CatalogueEntry, CatalogueError, catalogue, expression_ids, lookup};
pub use cell::{Cell, CellKind, CellPolynomial, MAX_DEGREE};
pub use define::{DefineError, Definition, GivenLimits};
pub use expression::{Binary, Expression, Unary};
pub use format::Format;
pub use function::{Function, Monotone, Parity, Specials, Turn};
pub use interval::{Domain, Interval};
pub use parse::ParseError;
pub use surrogate::{Surrogate, SurrogateError};
pub use truth::{Truth, UncertainError};
pub use ulp::{absolute_error, metric_self_test, overflow_error, steps, ulp_error};
