use actforge_tables::Datapath;

/// How the engine evaluates, apart from the tables. Every switch here is a reading of the
/// hardware that is assumed rather than pinned, kept in one place so that a correction is
/// a one-line change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Rounding schedule of the cubic.
    pub datapath: Datapath,
    /// Flush subnormals to zero at the engine's two edges: a subnormal input counts as the
    /// zero of its sign (and so gives `zero_result`), and a subnormal result that was
    /// computed comes out as the zero of its sign. Values inside the cubic, special results
    /// and bypassed inputs are left alone. Off by default.
    pub flush_subnormals: bool,
    /// Whether a NaN input gives `nan_result` (the hardware). Off is the dialect of the
    /// reference simulator: a NaN goes on to the large region and comes out NaN.
    pub nan_branch: bool,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            datapath: Datapath::Fma,
            flush_subnormals: false,
            nan_branch: true,
        }
    }
}

impl From<Datapath> for EngineConfig {
    /// The defaults with another datapath.
    fn from(datapath: Datapath) -> Self {
        Self {
            datapath,
            ..Self::default()
        }
    }
}
