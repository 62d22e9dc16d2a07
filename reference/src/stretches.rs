//! From judged pieces of the line to its stretches.

use rug::Float;

use crate::function::{Monotone, Turn};
use crate::interval::{Domain, Interval};
use crate::survey::{Side, Survey, SurveyError};

/// A run of neighbouring inputs of one sign, `first..=last` as bit patterns, over which one thing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) kind: StretchKind,
    /// Whether the line is cut before it, at an end or a kink.
    pub(crate) is_cut: bool,
}

/// What is known of a stretch, for everything between its ends. But for the undefined ones they are smooth inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StretchKind {
    /// There is no value.
    Undefined,
    /// Larger inputs give no smaller values.
    Rising,
    /// Larger inputs give no larger values.
    Falling,
    /// Values are next to nothing, or beyond everything, or one number to every format: nobody asks for a direction.
    Settled,
    /// There are values; in which direction they go is not known.
    Unknown,
}

impl StretchKind {
    pub(crate) fn direction(self) -> Option<Monotone> {
        match self {
            Self::Rising => Some(Monotone::Rising),
            Self::Falling => Some(Monotone::Falling),
            Self::Undefined | Self::Settled | Self::Unknown => None,
        }
    }

    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
            other => other,
        }
    }
}

/// A judged piece of the line between two magnitudes, as bits, ends included: neighbours share an end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Which branches of `abs`, `max`, `min`, `sign` and `step` hold: neighbours with others meet at a kink.
    pub(crate) branches: u64,
    /// `None` for a gap between neighbouring floats where the line is cut.
    pub(crate) kind: Option<StretchKind>,
    /// Of a cut: nothing but the direction is open.
    pub(crate) is_slope: bool,
    /// Of a cut: values do not jump there.
    pub(crate) continuous: bool,
}

impl Leaf {
    pub(crate) fn stretch(first: u32, last: u32, kind: StretchKind, branches: u64) -> Self {
        Self {
            first,
            last,
            branches,
            kind: Some(kind),
            is_slope: false,
            continuous: true,
        }
    }
}

/// A stretch by magnitudes, and the cut before it, if it begins at one.
struct Part {
    stretch: Stretch,
    cut: Option<Leaf>,
    /// How far its kind is certain: inputs between cuts may have been added.
    certain: u32,
}

impl Part {
    fn new(stretch: Stretch, cut: Option<Leaf>) -> Self {
        Self {
            stretch,
            cut,
            certain: stretch.last,
        }
    }
}

/// Joins leaves to stretches, and finds the turns between them.
pub(crate) fn stretches(
    side: Side<'_>,
    leaves: &[Leaf],
    first: u32,
) -> Result<Survey, SurveyError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut cut: Option<Leaf> = None;
    // The input up to which parts reach; the next one belongs to the leaf at hand.
    let mut reached: Option<u32> = None;
    let mut branches = 0;
    for leaf in leaves {
        match leaf.kind {
            Some(kind) => match parts.last_mut() {
                Some(part)
                    if reached == Some(leaf.first)
                        && part.stretch.kind == kind
                        && branches == leaf.branches =>
                {
                    part.stretch.last = leaf.last;
                    part.certain = leaf.last;
                }
                _ => {
                    // An end that two leaves share stays with the first.
                    let first = if reached == Some(leaf.first) {
                        leaf.first + 1
                    } else {
                        leaf.first
                    };
                    let stretch = Stretch {
                        first,
                        last: leaf.last,
                        kind,
                        is_cut: false,
                    };
                    // Two smooth pieces that share an end may meet at a kink there.
                    let bends = reached == Some(leaf.first) && branches != leaf.branches;
                    let kink = bends.then_some(Leaf {
                        kind: None,
                        ..*leaf
                    });
                    let cut = cut.take().or(kink);
                    parts.push(Part::new(stretch, cut));
                }
            },
            None => {
                if reached != Some(leaf.first) {
                    parts.push(Part::new(single(side, leaf.first)?, cut.take()));
                }
                cut = Some(*leaf);
            }
        }
        reached = leaf.kind.map(|_| leaf.last);
        branches = leaf.branches;
    }
    let end = leaves.last().map_or(first, |leaf| leaf.last);
    if reached != Some(end) {
        parts.push(Part::new(single(side, end)?, cut));
    }
    let mut joined: Vec<Part> = Vec::new();
    let mut turns: Vec<Turn> = Vec::new();
    for part in parts {
        let Some(before) = joined.last_mut() else {
            joined.push(part);
            continue;
        };
        let smooth = part.cut.is_none_or(|cut| cut.is_slope);
        let continuous = part.cut.is_none_or(|cut| cut.continuous);
        let is_single =
            part.stretch.first == part.stretch.last && part.stretch.kind == StretchKind::Unknown;
        let defined = before.stretch.kind != StretchKind::Undefined;
        if smooth && before.stretch.kind == part.stretch.kind || is_single && continuous && defined
        {
            // A level place inside a stretch; or an input at which the function bends, which belongs to both sides.
            before.stretch.last = part.stretch.last;
            if before.stretch.kind == part.stretch.kind {
                before.certain = part.certain;
            }
            continue;
        }
        let mut part = part;
        if let (Some(below), Some(above), true) = (
            before.stretch.kind.direction(),
            part.stretch.kind.direction(),
            continuous,
        ) && below != above
        {
            let at = if smooth {
                turn_between(side, before, &part.stretch)
            } else {
                f64::from(side.input(before.stretch.last))
            };
            // The input nearest to a turn is the end of a stretch, whichever side of the turn it is on.
            let nearest = (at as f32).abs().to_bits();
            if smooth && (before.stretch.first..part.stretch.last).contains(&nearest) {
                before.stretch.last = nearest;
                part.stretch.first = nearest + 1;
            }
            turns.push(Turn {
                at,
                above: if side.sign == 0 { above } else { below },
            });
        }
        joined.push(part);
    }
    if side.sign != 0 {
        turns.reverse();
    }
    let stretches = joined.into_iter().map(|part| Stretch {
        first: part.stretch.first | side.sign,
        last: part.stretch.last | side.sign,
        is_cut: part.cut.is_some(),
        ..part.stretch
    });
    Ok(Survey {
        stretches: stretches.collect(),
        turns,
    })
}

/// An input between two cuts.
fn single(side: Side<'_>, magnitude: u32) -> Result<Stretch, SurveyError> {
    let x = Float::with_val(24, side.input(magnitude));
    let mut precision = 100;
    loop {
        let kind = match side.expression.evaluate(&x, precision).domain() {
            Domain::Outside => StretchKind::Undefined,
            Domain::Inside => StretchKind::Unknown,
            Domain::Unclear if precision < crate::truth::LAST_PRECISION => {
                precision *= 2;
                continue;
            }
            Domain::Unclear => return Err(SurveyError::Uncertain(side.input(magnitude))),
        };
        return Ok(Stretch {
            first: magnitude,
            last: magnitude,
            kind,
            is_cut: true,
        });
    }
}

/// Where between two inputs the slope changes its sign, to double precision.
fn turn_between(side: Side<'_>, before: &Part, after: &Stretch) -> f64 {
    let slope = |x: f64| {
        let x = Interval::from_float(&Float::with_val(53, x), 200);
        side.expression.differentiate(&x, 200).strict_sign()
    };
    // The gaps next to the turn's own may be cut off from their stretches, too.
    let near = before.certain.saturating_sub(1).max(before.stretch.first);
    let far = (after.first + 1).min(after.last);
    let [mut near, mut far] = [near, far].map(|end| f64::from(side.input(end)));
    let (Some(near_sign), Some(_)) = (slope(near), slope(far)) else {
        // The slope vanishes at an end itself.
        return if slope(near).is_none() { near } else { far };
    };
    for _ in 0..64 {
        let middle = 0.5 * (near + far);
        if middle == near || middle == far {
            break;
        }
        match slope(middle) {
            None => return middle,
            Some(sign) if sign == near_sign => near = middle,
            Some(_) => far = middle,
        }
    }
    near
}
