use crate::function::{Function, Place};
use crate::route::Route;
use actforge_tables::RegionKind;

/// Everything that happens to one input, for people and for `actforge eval`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Trace {
    /// The input v.
    pub input: f32,
    /// Region or octave, bucket and unfolding, or the special input.
    pub route: Route,
    /// The folded input s, which the cubic sees; None when no cubic is evaluated.
    pub folded: Option<f32>,
    /// The field that the control word extracts from s: which section of the octave.
    pub section: Option<u32>,
    /// t = s - x0, rounded to f32.
    pub t: Option<f32>,
    /// The cubic's result, before unfolding.
    pub cubic: Option<f32>,
    /// The engine's result, the same bits as [`Function::eval`].
    pub result: f32,
}

impl Trace {
    /// Index of the bucket in the pool.
    pub fn bucket_index(&self) -> Option<u32> {
        match self.route {
            Route::Cubic { index, .. } => Some(index),
            _ => None,
        }
    }

    /// Unbiased exponent of the octave; None in a region or for a special input.
    pub fn octave(&self) -> Option<i16> {
        match self.route {
            Route::Cubic { octave, .. } => octave,
            _ => None,
        }
    }

    /// The region; None in an octave or for a special input.
    pub fn region(&self) -> Option<RegionKind> {
        match self.route {
            Route::Cubic { region, .. } => region,
            _ => None,
        }
    }

    /// Whether the fold changed the input's sign, so that the result was unfolded.
    pub fn unfolded(&self) -> bool {
        matches!(self.route, Route::Cubic { unfold: true, .. })
    }
}

impl Function<'_> {
    /// Evaluates one input and keeps every intermediate value.
    pub fn trace(&self, v: f32) -> Trace {
        let place = self.place(v.to_bits());
        let route = self.route_of(&place);
        match place {
            Place::Fixed(_) => Trace {
                input: v,
                route,
                folded: None,
                section: None,
                t: None,
                cubic: None,
                result: self.fixed_result(&route, v),
            },
            Place::Cubic(spot) => {
                let s = f32::from_bits(spot.s);
                let bucket = self.bucket(spot.word.bucket_index(spot.s));
                let cubic = self.cubic_at(bucket, s);
                Trace {
                    input: v,
                    route,
                    folded: Some(s),
                    section: Some(spot.word.section(spot.s)),
                    t: Some(s - bucket.x0),
                    cubic: Some(cubic),
                    result: self.finish(cubic, spot.reflected),
                }
            }
        }
    }
}
