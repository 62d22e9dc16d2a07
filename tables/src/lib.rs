//! What a function set is: the four table entries to the bit, the targets, whole
//! sets and the containers they travel in.
//!
//! A **function set** is what one table load makes resident. Each of its functions
//! has one CAM entry (how an instruction finds it), one [`Profile`] (specials, fold,
//! regions), a run of [`ControlWord`]s (one per octave) and a run of [`Bucket`]s
//! (one cubic each).
//!
//! The entries ([`bucket`], [`cam`], [`control`], [`profile`]), the [`datapath`], the
//! [`target`] and [`reach`] need neither an allocator nor `std`. With the feature
//! `std` (on by default) come [`function`] (one fitted function, not yet placed),
//! [`set`] (functions placed in the four tables), [`container`] (the directory of
//! register images, written atomically and read with every byte accounted for), [`stock`]
//! (the vendor's files), and [`export`] (other forms of a set, for use elsewhere).
#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

pub mod bucket;
pub mod cam;
pub mod control;
pub mod datapath;
mod error;
pub mod profile;
pub mod reach;
pub mod target;

#[cfg(feature = "std")]
pub mod container;
#[cfg(feature = "std")]
pub mod export;
#[cfg(feature = "std")]
pub mod function;
#[cfg(feature = "std")]
pub mod lint;
#[cfg(feature = "std")]
pub mod set;
#[cfg(feature = "std")]
pub mod stock;

pub use bucket::Bucket;
pub use cam::{CamEntry, MaskOrder};
pub use control::ControlWord;
pub use datapath::{Datapath, UnknownDatapath};
pub use error::EntryError;
pub use profile::{FieldValue, Profile, ProfileField, RegionKind, RegionWord};
pub use reach::ReachableOctave;
pub use target::{Capacity, Table, Target, UnknownTarget};

#[cfg(feature = "std")]
pub use container::{Blobs, ContainerError};
#[cfg(feature = "std")]
pub use function::{
    DefinitionNotes, Fold, FunctionNotes, FunctionTable, LimitNotes, Octave, Region, Side,
    SpecialResults, Symmetry,
};
#[cfg(feature = "std")]
pub use set::{DEFAULT_SLOPE, FunctionEntry, FunctionSet, OctaveLayout, SetError};
#[cfg(feature = "std")]
pub use stock::{StockError, StockNotes};
