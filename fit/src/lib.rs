//! From a function to the buckets and profile words of its table.
//!
//! A table is planned before it is filled. The plan ([`build_set`] makes it) says where the regions end and how finely
//! each octave is cut, from the minimax error of every bucket that could be; the fill finds, bucket by bucket, a
//! breakpoint at which the best real cubic has coefficients that are almost exactly floats, and lets a [`Judge`]
//! replay every input to choose between candidates.
#![forbid(unsafe_code)]

mod accurate;
mod allocate;
mod bound;
mod bucket;
mod cubic;
mod cuts;
mod degree;
mod documented;
mod error;
mod exact;
mod front;
mod function;
mod judge;
mod ladder;
mod layout;
mod leftover;
mod minimax;
mod narrow;
mod plan;
mod refine;
mod region;
mod request;
mod root;
mod sample;
mod set;
mod share;
mod stock;
mod subject;
mod table;
mod taylor;

pub use bucket::{BucketFitter, FittedBucket};
pub use documented::documented_exp;
pub use error::FitError;
pub use exact::{ExactSize, fit_exactly};
pub use front::{FrontPoint, front};
pub use judge::{Judge, Trial};
pub use request::{FunctionRequest, Method, Observer, SetRequest};
pub use sample::Stretch;
pub use set::{BuiltSet, build_set};
pub use stock::{StockFit, fit_stock_function};
