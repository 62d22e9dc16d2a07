//! The stock container (formats.md, section 6): what the vendor's compiler ships and its
//! packager embeds. One directory holds many sets:
//!
//! | file | content |
//! |---|---|
//! | `act_info.json` | the sets in order; a set's index is its place there |
//! | `<set>_bkt.bin`, `<set>_ctrl.bin` | the buckets and the control words, not padded |
//! | `<set>.json` | where each function's entries start, and its profile as 30 numbers |
//! | `pwp_jsons/<func>_<N>p.json` | one function by itself, each float in a box |
//!
//! A set in it is a [`FunctionSet`](crate::FunctionSet) of a stock target. What the files say and a PROFILE does not
//! stands in the [`StockNotes`] of its functions, so nothing is lost on the way in or out.
//!
//! What is assumed about these files, and not known, stands in [`assumed`].

pub mod assumed;
mod boxed;
mod error;
mod examine;
mod model;
mod notes;
mod profile;
mod pwp;
mod range;
mod roster;
mod sets;
mod source;
mod starts;
mod write;

pub use error::StockError;
pub use examine::{Examined, examine, import};
pub use notes::StockNotes;
pub use range::StockRange;
pub use roster::{StockFunction, function as stock_function, functions as stock_functions};
pub use sets::{StockSet, sets as stock_sets};
pub use source::StockSource;
pub(crate) use starts::{Declared, declared};
pub use write::{StockFile, act_info, stock_files};

/// The file that lists the sets of a directory.
pub const ACT_INFO: &str = "act_info.json";
/// The directory of the functions by themselves.
pub const PWP_DIRECTORY: &str = "pwp_jsons";
