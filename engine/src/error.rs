use actforge_tables::RegionKind;

/// Why a function cannot be run. Found when it is built; evaluation itself never fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A run given as the function's own ends outside the table it is a run of.
    #[error("own {table} run {first}..{end} does not lie in a table of {available} entries")]
    OwnRun {
        /// "profile", "control" or "bucket".
        table: &'static str,
        /// First index of the run.
        first: usize,
        /// One past its last index.
        end: usize,
        /// Entries in the table.
        available: usize,
    },
    /// A profile field has a value whose meaning is not known.
    #[error("profile field {field}: expected {expected}, found {found}")]
    Field {
        /// The field's name in the PROFILE layout.
        field: &'static str,
        /// What the engine understands.
        expected: &'static str,
        /// The value found.
        found: u32,
    },
    /// An octave that inputs reach has no control word in the function's own run.
    #[error(
        "{side} octave {octave}: expected a control word in {first}..{end}, found index {found}"
    )]
    ControlIndex {
        /// "positive" or "negative".
        side: &'static str,
        /// Unbiased exponent; -127 holds the subnormals, 128 (only without the NaN branch) the NaNs.
        octave: i16,
        /// The index the profile leads to.
        found: i64,
        /// First index of the function's own control words.
        first: usize,
        /// One past the last.
        end: usize,
    },
    /// A control word leads inputs to a bucket outside the function's own run.
    #[error(
        "{side} octave {octave}, control word {word}: expected buckets in {first}..{end}, found {found}"
    )]
    BucketIndex {
        /// "positive" or "negative".
        side: &'static str,
        /// Unbiased exponent.
        octave: i16,
        /// Index of the control word.
        word: usize,
        /// The first bucket index that lies outside.
        found: u32,
        /// First index of the function's own buckets.
        first: usize,
        /// One past the last.
        end: usize,
    },
    /// A region that inputs reach points past the bucket table. Saturation buckets may be
    /// shared between functions, so the whole table is allowed here.
    #[error("region {region:?}: expected a bucket below {available}, found {found}")]
    RegionIndex {
        /// The region.
        region: RegionKind,
        /// The bucket index found.
        found: u32,
        /// Entries in the bucket table.
        available: usize,
    },
}

/// Input and output of a batch differ in length; nothing was computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an output of {input} values, the length of the input; found {output}")]
pub struct LengthMismatch {
    /// Number of inputs.
    pub input: usize,
    /// Number of outputs.
    pub output: usize,
}
