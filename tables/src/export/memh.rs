//! `$readmemh` files: the tables as a simulator of the hardware loads them.
//!
//! A word is a whole entry with the bit numbers of the formats: bit k of the word is bit k
//! of the entry. Words are as wide as the entry, not as its stride.

use std::fmt::Write;

use super::{ExportError, ExportFile, identifier};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::profile::Profile;
use crate::set::FunctionSet;
use crate::target::Table;

/// Width of a word in bits.
const fn width(table: Table) -> usize {
    8 * match table {
        Table::Cam => CamEntry::BYTES,
        Table::Profile => Profile::BYTES,
        Table::Control => size_of::<u32>(),
        Table::Bucket => Bucket::BYTES,
    }
}

/// What a reader of the file has to know about the bits.
const fn layout(table: Table) -> &'static str {
    match table {
        Table::Cam => {
            "opcode 7:0, func_id 15:8, opcode_mask 39:32, func_id_mask 47:40 (the two masks swapped on sunda), valid 64"
        }
        Table::Profile => "the PROFILE layout, as `actforge inspect` lists it",
        Table::Control => "act_tbl_base 10:0, extract_lsb 15:11, extract_size 19:16",
        Table::Bucket => "d0 31:0, d1 63:32, d2 95:64, d3 127:96, x0 159:128, all binary32",
    }
}

/// `NAME_cam.memh`, `NAME_profile.memh`, `NAME_control.memh` and `NAME_bucket.memh`, and
/// `NAME.vh` with the depth and the width of each as `localparam`s. A table without entries
/// has no file: `$readmemh` has no form for it.
///
/// # Errors
/// [`ExportError::Set`] if the set is not valid.
pub fn memh(set: &FunctionSet) -> Result<Vec<ExportFile>, ExportError> {
    set.validate()?;
    let id = identifier(&set.name);
    let mut files = vec![header(set, &id)];
    for table in Table::ALL {
        if set.entries(table) > 0 {
            files.push(ExportFile {
                name: format!("{id}_{table}.memh"),
                bytes: words(set, table, &id)?.into_bytes(),
            });
        }
    }
    Ok(files)
}

/// The sizes as `localparam`s. They are named after the set, so that a module can include
/// the files of several sets.
fn header(set: &FunctionSet, id: &str) -> ExportFile {
    let mut text = format!(
        "// Tables of function set {}, target {}, datapath {}. Include inside a module.\n",
        set.name, set.target, set.datapath
    );
    let upper = id.to_ascii_uppercase();
    for table in Table::ALL {
        let kind = table.as_str().to_ascii_uppercase();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "localparam integer SET_{upper}_{kind}_DEPTH = {};\nlocalparam integer SET_{upper}_{kind}_WIDTH = {};",
            set.entries(table),
            width(table),
        );
    }
    ExportFile {
        name: format!("{id}.vh"),
        bytes: text.into_bytes(),
    }
}

fn words(set: &FunctionSet, table: Table, id: &str) -> Result<String, ExportError> {
    let (entries, width) = (set.entries(table), width(table));
    let mut text = format!(
        "// {} table of function set {}, target {}: {entries} words of {width} bits.\n\
         // Bit k of a word is bit k of the entry: {}. Bits in no field are zero.\n\
         // reg [{}:0] {table} [0:{}]; initial $readmemh(\"{id}_{table}.memh\", {table});\n",
        table.as_str().to_ascii_uppercase(),
        set.name,
        set.target,
        layout(table),
        width - 1,
        entries - 1,
    );
    let order = set.target.mask_order();
    match table {
        Table::Cam => {
            for entry in &set.cam {
                word(&mut text, &entry.to_bytes(order));
            }
        }
        Table::Profile => {
            for (index, profile) in set.profiles.iter().enumerate() {
                let bytes = profile.to_bytes();
                word(
                    &mut text,
                    &bytes.map_err(|source| ExportError::entry(table, index, source))?,
                );
            }
        }
        Table::Control => {
            for (index, control) in set.control.iter().enumerate() {
                let bits = control.encode();
                let bits = bits.map_err(|source| ExportError::entry(table, index, source))?;
                word(&mut text, &bits.to_le_bytes());
            }
        }
        Table::Bucket => {
            for bucket in &set.buckets {
                word(&mut text, &bucket.to_bytes());
            }
        }
    }
    Ok(text)
}

/// A line of hex digits, the most significant first.
fn word(text: &mut String, bytes: &[u8]) {
    for byte in bytes.iter().rev() {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_comes_first() {
        let mut text = String::new();
        word(&mut text, &0x0001_b012_u32.to_le_bytes());
        let bucket =
            Bucket::from_words([0x3f7fffd0, 0x3f7fffd0, 0x3effffd0, 0x3e2aaa8b, 0xb63fffff]);
        word(&mut text, &bucket.to_bytes());
        assert_eq!(
            text,
            "0001b012\n000000000000000000000000b63fffff3e2aaa8b3effffd03f7fffd03f7fffd0\n"
        );
    }
}
