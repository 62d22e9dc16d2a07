//! Every invariant of the formats by name: what is found where it does not hold.
//!
//! [`Lint`] is the list. Stock files are held against it as they are read
//! ([`stock::examine`](crate::stock::examine)); [`check_set`] holds any set against what can be asked of all of them, and
//! of a set in the stock layout against its rules.

mod image;
mod layout;

pub use layout::check_set;

use std::fmt;

/// How bad it is when an invariant does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A rule that all known files keep, without which the set can still be understood.
    Warning,
    /// The set is damaged or contradicts itself: it cannot be used.
    Error,
}

macro_rules! lints {
    ($($variant:ident, $severity:ident, $name:literal, $meaning:literal;)+) => {
        /// One invariant.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Lint {
            $( #[doc = concat!("`", $name, "`: see [`Lint::meaning`].")] $variant, )+
        }

        impl Lint {
            /// All of them, in the order in which they are looked at.
            pub const ALL: &[Self] = &[ $( Self::$variant, )+ ];

            /// Its name, which never changes.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            /// What has to hold, on one line.
            pub const fn meaning(self) -> &'static str {
                match self { $( Self::$variant => $meaning, )+ }
            }

            /// How bad it is when it does not hold.
            pub const fn severity(self) -> Severity {
                match self { $( Self::$variant => Severity::$severity, )+ }
            }
        }
    };
}

lints! {
    FileMissing, Error, "file-missing", "every file that is named is there and can be read";
    FileTooLong, Error, "file-too-long", "no file is longer than its tables can be";
    JsonStructure, Error, "json-structure", "JSON texts have all keys, each once and of its type";
    UnknownKey, Warning, "unknown-key", "JSON texts have no other keys";
    SetName, Error, "set-name", "a set's name can be part of a file name and comes once";
    FileName, Error, "file-name", "files are named <set>_bkt.bin, <set>_ctrl.bin and <set>.json";
    PwpFileKeys, Warning, "pwp-file-keys", "pwp_file_keys lists bkt_bin, ctrl_bin and profile_json";
    SetFunctions, Error, "set-functions", "act_info.json and the set's file name the same functions and selectors";
    FunctionName, Error, "function-name", "func_name is <func>_<N>p and comes once";
    FunctionCount, Error, "function-count", "a set has at least one function and no more than there are profile slots";
    BucketCount, Error, "bucket-count", "bkt_entry_cnt is the number of 32-byte entries of the bucket file";
    ControlCount, Error, "control-count", "ctl_entry_cnt is the number of entries of the control file";
    ControlStride, Error, "control-stride", "control words are 32 bytes apart, or 16, in all sets alike";
    ImageLength, Error, "image-length", "an image is as long as its entries, and zero from there to a multiple of 64 bytes";
    CamReserved, Error, "cam-reserved", "the reserved bits of a CAM entry are zero";
    BucketReserved, Error, "bucket-reserved", "the last 12 bytes of a bucket are zero";
    ControlReserved, Error, "control-reserved", "bits 31:20 of a control word, and the bytes up to the next, are zero";
    Capacity, Error, "capacity", "no table has more entries than the target can address";
    StartIndex, Error, "start-index", "each function has a start in both tables, and the runs follow each other";
    ProfileField, Error, "profile-field", "profile fields fit their widths and mean what the tables say";
    OctaveIndex, Error, "octave-index", "func_exp_to_*_start_idx are what control words and profile say";
    SetValid, Error, "set-valid", "every input of every function is led to that function's own entries";
    FiniteCoefficients, Error, "finite-coefficients", "buckets of octaves hold finite numbers";
    Selectors, Error, "selectors", "symmetry fields are 0 or 1";
    Digest, Error, "digest", "images, specification and manifest have the SHA-256 that the manifest states";
    ExtractTopBits, Warning, "extract-top-bits", "a populated control word extracts the top bits of the mantissa";
    ExtractSize, Warning, "extract-size", "extract_size is at most 10";
    EmptyOctave, Warning, "empty-octave", "an octave without buckets has lsb and size 0 and the running index as base";
    OctaveRun, Warning, "octave-run", "octaves below the topmost store 2^extract_size buckets, one octave after the other";
    TopmostOctave, Warning, "topmost-octave", "the topmost octave stores as many buckets as the mantissa threshold leaves";
    BucketOrder, Warning, "bucket-order", "a function's blocks are negative octaves, positive octaves, then its own four saturation buckets";
    SaturationOrder, Warning, "saturation-order", "saturation buckets lie in the order pos_low, neg_low, pos_high, neg_high";
    ControlBase, Warning, "control-base", "a function's words start at pwl_control_base_neg; with a single side both bases are equal";
    ExponentOffset, Warning, "exponent-offset", "exp_offset is the lowest octave, -127 without a table, 128 for parametric_relu";
    ResidentWords, Warning, "resident-words", "a function without a table has one word per stored side, parametric_relu none";
    SmallThreshold, Warning, "small-threshold", "small regions compare with mantissa 0, large ones compare";
    FunctionId, Warning, "function-id", "func_id is the sunda id in trainium files, the tonga id in with_ln files";
    ImmBias, Warning, "imm-bias", "imm_bias is 1 for reciprocal, copy, memset_zero and is_finite, else 0";
    ParametricFields, Warning, "parametric-fields", "parametric_relu alone has fma_const_0 1.0 and fma_indirection_src_sel 2";
    FunctionFile, Warning, "function-file", "pwp_jsons holds a file for each function that says the same as the set";
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One place where an invariant does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The invariant.
    pub lint: Lint,
    /// The file, below the directory that was looked at.
    pub file: String,
    /// The key, entry or part of the file.
    pub key: String,
    /// What has to be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: expected {}, found {} [{}]",
            self.file, self.key, self.expected, self.found, self.lint
        )
    }
}

/// What was found, up to [`Findings::MOST`]: a file with a million faults is not worth more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    found: Vec<Finding>,
    /// How many there were beyond those.
    left_off: usize,
}

/// Texts of a finding are cut at so many characters: they may quote a file.
const LONGEST_TEXT: usize = 200;

impl Findings {
    /// So many findings are kept.
    pub const MOST: usize = 1000;

    /// Adds one.
    pub fn add(
        &mut self,
        lint: Lint,
        file: &str,
        key: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) {
        if self.found.len() == Self::MOST {
            self.left_off += 1;
            return;
        }
        self.found.push(Finding {
            lint,
            file: file.to_owned(),
            key: shortened(key.into()),
            expected: shortened(expected.to_string()),
            found: shortened(found.to_string()),
        });
    }

    /// Those that were kept, in the order in which they were found.
    pub fn all(&self) -> &[Finding] {
        &self.found
    }

    /// How many were found.
    pub fn count(&self) -> usize {
        self.found.len() + self.left_off
    }

    /// The first one that makes the files useless.
    pub fn first_error(&self) -> Option<&Finding> {
        let mut findings = self.found.iter();
        findings.find(|finding| finding.lint.severity() == Severity::Error)
    }
}

/// One line, without control characters, of bounded length.
fn shortened(text: String) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    if text.chars().count() <= LONGEST_TEXT {
        return text.chars().map(printable).collect();
    }
    let start: String = text.chars().take(LONGEST_TEXT).map(printable).collect();
    start + "..."
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_their_own_and_in_kebab_case() {
        let names: BTreeSet<&str> = Lint::ALL.iter().map(|lint| lint.name()).collect();
        assert_eq!(names.len(), Lint::ALL.len());
        for lint in Lint::ALL {
            let kebab = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            assert!(lint.name().bytes().all(kebab), "{lint}");
            assert!(!lint.meaning().contains('\n') && !lint.meaning().ends_with('.'));
        }
    }

    #[test]
    fn findings_are_bounded_and_on_one_line() {
        let mut findings = Findings::default();
        for _ in 0..Findings::MOST + 5 {
            let long = "x".repeat(10_000) + "\n\u{1b}";
            findings.add(Lint::UnknownKey, "a.json", "k\ney", "e", long);
        }
        assert_eq!(findings.all().len(), Findings::MOST);
        assert_eq!(findings.count(), Findings::MOST + 5);
        assert_eq!(findings.first_error(), None);
        let text = findings.all()[0].to_string();
        assert!(
            text.len() < 400 && !text.contains(char::is_control),
            "{text}"
        );
    }
}
