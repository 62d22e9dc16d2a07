//! Whether a function can be placed: that its fields fit, and that its octaves hold a
//! bucket for every input that its regions leave to them.

use crate::function::{Fold, FunctionTable};
use crate::profile::{Profile, RegionKind};
use crate::reach::ReachableOctave;
use crate::set::SetError;

/// `profile` is that of the function, not yet placed. Once this holds, no input can end
/// up in a neighbour's bucket: afterwards the tables could no longer tell.
pub(super) fn octaves_cover_all_inputs(
    function: &FunctionTable,
    profile: &Profile,
) -> Result<(), SetError> {
    for kind in RegionKind::ALL {
        let mantissa = function.region(kind).mantissa;
        if mantissa >> 23 != 0 {
            let field = format!("mantissa threshold of {}", kind.as_str());
            return Err(function.error(field, "23 bits", format!("{mantissa:#x}")));
        }
    }
    for negative in [true, false] {
        check_side(function, negative)?;
    }
    for reach in profile.reachable_octaves() {
        check_reached(function, &reach)?;
    }
    Ok(())
}

fn check_side(function: &FunctionTable, negative: bool) -> Result<(), SetError> {
    let side = function.side(negative);
    let count = side.octaves.len();
    if count == 0 {
        return Ok(());
    }
    let unused = match function.symmetry.fold {
        Fold::None => false,
        Fold::StorePositive => negative,
        Fold::StoreNegative => !negative,
    };
    let place = side_name(negative);
    if unused {
        let field = format!("{place} octaves");
        return Err(function.error(field, "none, as the fold never uses them", count));
    }
    // One octave per finite exponent, from the subnormals (-127) to 127.
    if side.lowest < -127 || usize::from(side.lowest.abs_diff(-127)) + count > 255 {
        return Err(function.error(
            format!("{place} octaves"),
            "exponents -127 to 127",
            format!("{count} from {}", side.lowest),
        ));
    }
    for (exponent, octave) in (side.lowest..).zip(&side.octaves) {
        let end = usize::from(octave.first) + octave.buckets.len();
        if octave.size > 15 || end > 1 << octave.size {
            return Err(function.error(
                format!("{place} octave {exponent}"),
                "size at most 15 and at most 2^size buckets",
                format!("size {} and buckets up to {end}", octave.size),
            ));
        }
    }
    Ok(())
}

/// The octave that these inputs reach must be there and store their buckets.
fn check_reached(function: &FunctionTable, reach: &ReachableOctave) -> Result<(), SetError> {
    let exponent = i16::from(reach.exponent) - 127;
    let side = function.side(reach.negative);
    let octave = exponent
        .checked_sub(side.lowest)
        .and_then(|place| usize::try_from(place).ok())
        .and_then(|place| side.octaves.get(place));
    let place = side_name(reach.negative);
    let Some(octave) = octave else {
        let field = format!("{place} octave {exponent}");
        return Err(function.error(field, "an octave, as inputs reach it", "none"));
    };
    let section = |mantissa: u32| mantissa >> (23 - octave.size.min(23));
    let (first, last) = (section(reach.mantissas.0), section(reach.mantissas.1));
    let stored_from = u32::from(octave.first);
    let stored = octave.buckets.len();
    if first < stored_from || (last - stored_from) as usize >= stored {
        return Err(function.error(
            format!("buckets of {place} octave {exponent}"),
            format!("{first} to {last}, as inputs reach them"),
            format!("{stored} from {stored_from}"),
        ));
    }
    Ok(())
}

const fn side_name(negative: bool) -> &'static str {
    if negative { "negative" } else { "positive" }
}

impl FunctionTable {
    fn error(
        &self,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> SetError {
        SetError::function(&self.name, field, expected, found)
    }
}
