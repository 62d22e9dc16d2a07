//! Loads as instructions.

use super::roster::Roster;
use super::schedule::{Event, Schedule};
use crate::program::Program;

/// The feature of a container whose tables do not come with the runtime: its name and its bit.
pub const DYNAMIC_TABLES: (&str, u32) = ("neff_feature_dynamic_pwp", 0x40);

/// Bytes of an instruction.
const BYTES: usize = 64;
/// The second byte of every instruction.
const WORD_LENGTH: u8 = 0x10;
const TABLE_LOAD: u8 = 0x23;
const PSEUDO_LOAD: u8 = 0xC6;
/// Where a table load has the index of its set.
const SET_INDEX: usize = 35;
/// Where a pseudo load has the name of its set.
const SET_NAME: usize = 12;

/// The most bytes of a set's name in a pseudo load.
pub const PSEUDO_NAME_BYTES: usize = 32;

/// Why there is no instruction for a load.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEmitted {
    /// The pseudo instruction has no room for the name.
    #[error(
        "set {name}: expected a name of at most {PSEUDO_NAME_BYTES} bytes without zeros, found {} bytes", name.len()
    )]
    Name {
        /// The name.
        name: String,
    },
}

/// A load of a schedule and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPoint {
    /// The set's index.
    pub set: u8,
    /// The set's name.
    pub name: String,
    /// The first use behind it, in [`Program::uses`].
    pub before: Option<u32>,
    /// The loops around it, from the outermost inwards.
    pub loops: Vec<Box<str>>,
    /// How many choices are around it.
    pub choices: usize,
}

/// The instruction 0x23 (ActivationTableLoad) that makes a set resident.
pub fn table_load(set: u8) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[0] = TABLE_LOAD;
    bytes[1] = WORD_LENGTH;
    bytes[SET_INDEX] = set;
    bytes
}

/// The pseudo instruction 0xC6 (PseudoLoadActFuncSet) that names a set, zeros behind its name. The compiler turns it into
/// a table load.
///
/// # Errors
/// [`NotEmitted::Name`] for a name that does not fit.
pub fn pseudo_load(name: &str) -> Result<[u8; BYTES], NotEmitted> {
    let mut bytes = [0; BYTES];
    bytes[0] = PSEUDO_LOAD;
    bytes[1] = WORD_LENGTH;
    let room = bytes.get_mut(SET_NAME..SET_NAME + name.len());
    match room {
        Some(room) if name.len() <= PSEUDO_NAME_BYTES && !name.contains('\0') => {
            room.copy_from_slice(name.as_bytes());
            Ok(bytes)
        }
        _ => Err(NotEmitted::Name {
            name: name.to_owned(),
        }),
    }
}

/// The loads of a schedule in the order of the program.
pub fn load_points(schedule: &Schedule, program: &Program, roster: &Roster) -> Vec<LoadPoint> {
    let mut walk = Walk {
        program,
        roster,
        points: Vec::new(),
        loops: Vec::new(),
        choices: 0,
        open: 0,
    };
    walk.events(&schedule.events);
    walk.points
}

struct Walk<'p> {
    program: &'p Program,
    roster: &'p Roster,
    points: Vec<LoadPoint>,
    loops: Vec<Box<str>>,
    choices: usize,
    /// The first point whose use is still to come.
    open: usize,
}

impl Walk<'_> {
    fn events(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Load(set) => {
                    let known = self.roster.sets().get(usize::from(*set));
                    self.points.push(LoadPoint {
                        set: u8::try_from(*set).unwrap_or(u8::MAX),
                        name: known.map(|set| set.name.clone()).unwrap_or_default(),
                        before: None,
                        loops: self.loops.clone(),
                        choices: self.choices,
                    });
                }
                Event::Use(place) => {
                    let place = self.program.uses.get(*place as usize).map(|_| *place);
                    for point in self.points.iter_mut().skip(self.open) {
                        point.before = place;
                    }
                    self.open = self.points.len();
                }
                Event::Loop { place, body, .. } => {
                    self.loops.push(place.clone());
                    self.events(body);
                    self.loops.pop();
                }
                Event::Choice { branches } => {
                    self.choices += 1;
                    branches.iter().for_each(|branch| self.events(branch));
                    self.choices -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_known_bytes() {
        let load = table_load(18);
        assert_eq!(load[..4], [0x23, 0x10, 0, 0]);
        assert_eq!(load[35], 18);
        assert_eq!(load.iter().filter(|byte| **byte != 0).count(), 3);
        let pseudo = pseudo_load("silu_and_others").unwrap();
        assert_eq!(pseudo[..2], [0xC6, 0x10]);
        assert_eq!(&pseudo[12..27], b"silu_and_others");
        assert!(pseudo[27..].iter().all(|byte| *byte == 0));
        assert!(pseudo_load(&"n".repeat(32)).is_ok());
        assert!(pseudo_load(&"n".repeat(33)).is_err());
        assert!(pseudo_load(&"n".repeat(1000)).is_err());
        assert!(pseudo_load("a\0b").is_err());
    }
}
