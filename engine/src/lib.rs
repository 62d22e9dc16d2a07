//! What the hardware does with a function set, bit for bit.
//!
//! The engine is exact by definition: the same tables and the same input give the same
//! output bits on every machine, thread count and vector width. [`Function::eval`] is that
//! definition, one input at a time; every other path here ([`Function::eval_slice`],
//! [`RunKernel`]) is tested to give the same bits.
//!
//! A [`Function`] is built from a profile, control words and buckets. All checking happens
//! then: whatever input comes later, evaluation neither fails nor panics. [`Function::runs`]
//! walks the table instead of the inputs: it cuts all 2^32 bit patterns into contiguous
//! runs that share one [`Route`], which is what makes an exhaustive replay fast.
//!
//! ```text
//! input v -> special? -> fold -> region or octave -> bucket -> cubic -> unfold -> result
//!            [specials]  [folding]     [Route]                 [cubic]
//! ```
//!
//! ```
//! use actforge_engine::{EngineConfig, Function, OwnRun};
//! use actforge_tables::{Bucket, Profile, RegionWord};
//!
//! // relu has no table: everything is large, on one side x, on the other 0.
//! let buckets = [Bucket::linear(0.0, 1.0), Bucket::constant(0.0)];
//! let large = |bucket| RegionWord { control: bucket, mantissa_threshold: 0, compare: true };
//! let profile = Profile { large_pos: large(0), large_neg: large(1), ..Profile::default() };
//! let own = OwnRun { control: 0..0, buckets: 0..0, shared: &[] };
//! let relu = Function::new(&profile, &[], &buckets, &own, EngineConfig::default())?;
//! assert_eq!((relu.eval(2.5), relu.eval(-2.5)), (2.5, 0.0));
//! assert_eq!(relu.runs().count(), 8);
//! # Ok::<(), actforge_engine::EngineError>(())
//! ```
//!
//! Without the default feature `std` the crate is `no_std`, allocates nothing and computes
//! `fma` in software; the vector levels need `std` because they ask the CPU what it can do.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

mod bits;
mod config;
mod construct;
mod cubic;
mod error;
mod folding;
mod function;
#[cfg(feature = "std")]
mod level;
mod profile_fields;
mod route;
mod run_kernel;
mod runs;
mod slice;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod slice_avx2;
mod trace;
mod word;

pub use config::EngineConfig;
pub use construct::OwnRun;
pub use cubic::{CubicPath, EstrinPath, FmaPath, MixedPath, MulAddPath, cubic};
pub use error::{EngineError, LengthMismatch};
pub use folding::Unfold;
pub use function::{Function, parametric_relu};
#[cfg(feature = "std")]
pub use level::{Kernel, Level};
pub use route::Route;
pub use run_kernel::{RunKernel, eval_run};
pub use runs::{Run, Runs};
pub use trace::Trace;
