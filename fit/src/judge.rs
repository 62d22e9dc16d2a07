//! Who decides between candidates.

use actforge_reference::Surrogate;
use actforge_tables::Bucket;

/// A cubic on trial, with the inputs that it is to serve.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The cubic.
    pub bucket: Bucket,
    /// The input of least magnitude, as bits.
    pub first: u32,
    /// The input of greatest magnitude, of the same sign, as bits.
    pub last: u32,
    /// For inputs that the fold reflects: whether the result is negated, and what is added to it.
    pub unfold: Option<(bool, f32)>,
}

/// Evaluates a cubic as the hardware does, at every input it serves.
///
/// The fit proposes and the judge decides: what the datapath does with a set of coefficients belongs to the engine,
/// which stands further along the data flow, so the fit only asks for it.
pub trait Judge: Sync {
    /// The largest error over all inputs of the trial, in ulp of the surrogate's format, after rounding to it. May stop
    /// early, with any value above `give_up_above`, once the error exceeds that.
    fn worst_error(&self, surrogate: &Surrogate, trial: &Trial, give_up_above: f64) -> f64;
}
