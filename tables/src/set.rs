//! A set: functions placed in the four tables of a target.

mod assemble;
mod error;
mod slope;
mod validate;

use std::ops::Range;

pub use error::SetError;
pub use slope::DEFAULT_SLOPE;
pub(crate) use validate::check_name;

use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::datapath::Datapath;
use crate::function::FunctionNotes;
use crate::profile::Profile;
use crate::target::{Table, Target};

/// What one table load makes resident: the four tables and whose entries are whose.
///
/// The fields are open so that tools can look at everything; [`FunctionSet::validate`]
/// says whether they fit together. `assemble` and the container only yield sets that do.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionSet {
    /// The set's name.
    pub name: String,
    /// The generation the tables are laid out for.
    pub target: Target,
    /// The rounding schedule the buckets were fitted for.
    pub datapath: Datapath,
    /// The CAM; slot i selects profile i.
    pub cam: Vec<CamEntry>,
    /// The profiles, one per function.
    pub profiles: Vec<Profile>,
    /// The control words of all functions.
    pub control: Vec<ControlWord>,
    /// The bucket pool.
    pub buckets: Vec<Bucket>,
    /// Which entries belong to which function, in the order of the CAM.
    pub functions: Vec<FunctionEntry>,
    /// SHA-256 of the specification the set was built from, in lowercase hex.
    pub spec_hash: Option<String>,
    /// The text of that specification, where it is recorded: the set can be built from it again.
    pub spec: Option<String>,
    /// The version of actforge that built the set.
    pub tool_version: String,
}

/// One function of a set: where its entries lie, and its notes.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionEntry {
    /// The function's name.
    pub name: String,
    /// The id an instruction carries.
    pub func_id: u8,
    /// Its profile, and its slot in the CAM.
    pub profile: usize,
    /// Its control words.
    pub control: Range<usize>,
    /// The buckets of its octaves: negative octaves, then positive ones.
    pub buckets: Range<usize>,
    /// Runs of buckets of functions before it that octaves of this one use as well, in ascending order: where two functions
    /// have the same buckets, they are stored once.
    pub shared: Vec<Range<usize>>,
    /// Its saturation buckets in the order of [`crate::RegionKind::ALL`]. Buckets with the
    /// same bits are stored once per set, so they may lie anywhere in the pool.
    pub saturation: [usize; 4],
    /// What is known about the function beyond its bits.
    pub notes: FunctionNotes,
}

/// One octave of a placed function, as far as inputs reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OctaveLayout {
    /// The side: whether the folded input is negative.
    pub negative: bool,
    /// The unbiased exponent; -127 is the octave of the subnormals.
    pub exponent: i16,
    /// The first and last mantissa that no region takes.
    pub mantissas: (u32, u32),
    /// The octave's place in [`FunctionSet::control`].
    pub control_index: usize,
    /// The word there.
    pub word: ControlWord,
    /// The buckets of the pool that these inputs use.
    pub buckets: Range<usize>,
}

impl FunctionSet {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&FunctionEntry> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The profile of a function of this set.
    pub fn profile(&self, function: &FunctionEntry) -> Option<&Profile> {
        self.profiles.get(function.profile)
    }

    /// The slot that an instruction with this opcode and function id selects.
    pub fn lookup(&self, opcode: u8, func_id: u8) -> Option<usize> {
        self.cam
            .iter()
            .position(|entry| entry.matches(opcode, func_id))
    }

    /// The number of entries a table holds.
    pub fn entries(&self, table: Table) -> usize {
        match table {
            Table::Cam => self.cam.len(),
            Table::Profile => self.profiles.len(),
            Table::Control => self.control.len(),
            Table::Bucket => self.buckets.len(),
        }
    }

    /// Every octave of a function that some input reaches, negative side first, each in
    /// order of the exponent. Empty for a function without a table.
    ///
    /// # Errors
    /// [`SetError::Function`] if the function has no profile here, or if an input is led to
    /// a control word or to a bucket outside the function's own run. A validated set has
    /// no such function.
    pub fn octaves(&self, function: &FunctionEntry) -> Result<Vec<OctaveLayout>, SetError> {
        let profile = self.profile(function).ok_or_else(|| {
            function.error(
                "profile",
                format!("a slot below {}", self.profiles.len()),
                function.profile,
            )
        })?;
        profile
            .reachable_octaves()
            .map(|reach| {
                let exponent = i16::from(reach.exponent) - 127;
                let side = if reach.negative {
                    "negative"
                } else {
                    "positive"
                };
                let octave = |field| format!("{field} of {side} octave {exponent}");
                let (control_index, word) = usize::try_from(reach.control_index)
                    .ok()
                    .filter(|index| function.control.contains(index))
                    .and_then(|index| Some((index, *self.control.get(index)?)))
                    .ok_or_else(|| {
                        function.error(
                            octave("control word"),
                            format!("one of its own, {:?}", function.control),
                            reach.control_index,
                        )
                    })?;
                let (first, last) = word.bucket_range(reach.mantissas.0, reach.mantissas.1);
                let buckets = first as usize..last as usize + 1;
                if buckets.end > self.buckets.len() || !function.may_reach(&buckets) {
                    return Err(function.error(
                        octave("buckets"),
                        format!("some of its own, {}", function.runs_text()),
                        format!("{buckets:?}"),
                    ));
                }
                Ok(OctaveLayout {
                    negative: reach.negative,
                    exponent,
                    mantissas: reach.mantissas,
                    control_index,
                    word,
                    buckets,
                })
            })
            .collect()
    }
}

impl FunctionEntry {
    /// The runs of buckets of its octaves: its own, and those of others that it shares.
    pub fn bucket_runs(&self) -> impl Iterator<Item = Range<usize>> {
        std::iter::once(&self.buckets).chain(&self.shared).cloned()
    }

    /// The buckets of its octaves, in the order of [`FunctionNotes::bucket_bounds`].
    pub fn octave_buckets(&self) -> impl Iterator<Item = usize> {
        self.bucket_runs().flatten()
    }

    /// How many buckets it takes of the pool: those of its octaves, and of its saturation buckets each that is none of
    /// these, once.
    pub fn bucket_count(&self) -> usize {
        let further = self.saturation.iter().enumerate().filter(|(k, place)| {
            let is_repeated = self.saturation.iter().take(*k).any(|other| other == *place);
            !is_repeated && self.octave_buckets().all(|own| own != **place)
        });
        self.octave_buckets().count() + further.count()
    }

    fn runs_text(&self) -> String {
        let runs: Vec<String> = self.bucket_runs().map(|run| format!("{run:?}")).collect();
        runs.join(" and ")
    }

    /// Whether these buckets, none left out, are of its octaves.
    pub fn may_reach(&self, buckets: &Range<usize>) -> bool {
        self.bucket_runs()
            .any(|run| run.start <= buckets.start && buckets.end <= run.end)
    }

    /// An error about this function.
    fn error(
        &self,
        field: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> SetError {
        SetError::function(&self.name, field, expected, found)
    }
}
