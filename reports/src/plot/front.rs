//! What a plot of fronts shows.

/// The front of a function: for each number of buckets the least error that was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// Name of the function.
    pub name: String,
    /// Output type in whose ulp errors count.
    pub dtype: String,
    /// Tables that were built and measured, in any order.
    pub points: Vec<FrontPoint>,
    /// Tables of others, or of another method, to compare with.
    pub reference_points: Vec<ReferencePoint>,
}

/// One table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontPoint {
    /// Buckets, saturation buckets included.
    pub buckets: u32,
    /// Control words.
    pub control_words: u32,
    /// The largest error in ulp over all inputs.
    pub max_ulp: f64,
    /// The floor of a fit with these buckets: 0.5 and the largest minimax error of a bucket.
    pub lower_bound_ulp: Option<f64>,
}

/// A table to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencePoint {
    /// What it is: "stock exp".
    pub label: String,
    /// Buckets, saturation buckets included.
    pub buckets: u32,
    /// The largest error in ulp.
    pub max_ulp: f64,
}
