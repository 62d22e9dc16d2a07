use actforge_tables::{Bucket, RegionKind};

/// The way one input takes through the engine. Inputs that share a route differ only in
/// the value that the cubic sees.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Route {
    /// +0 or -0 (and subnormals when they are flushed): `zero_result`.
    Zero,
    /// NaN: `nan_result`.
    Nan,
    /// +inf: `pinf_result`.
    PosInf,
    /// -inf: `ninf_result`.
    NegInf,
    /// `pwl_bypass`: the result is the input, whatever it is.
    Bypass,
    /// A bucket's cubic.
    Cubic {
        /// The bucket.
        bucket: Bucket,
        /// Its index in the pool.
        index: u32,
        /// Unbiased exponent of the folded input; None in a region.
        octave: Option<i16>,
        /// The region; None in an octave.
        region: Option<RegionKind>,
        /// Whether the fold changed the sign of the input, so that the result is unfolded.
        unfold: bool,
    },
}
