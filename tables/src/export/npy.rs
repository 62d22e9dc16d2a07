//! `.npy` arrays (format version 1.0), for numpy and everything else that reads them.
//!
//! Written here rather than by a library: version 1.0 is one line of text in front of the
//! little-endian bytes that this crate has anyway, and the crates that write it bring a
//! parser for Python literals or a whole array type along.

use super::{ExportError, ExportFile, identifier};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::profile::Profile;
use crate::set::FunctionSet;
use crate::target::Table;

/// `NAME_bucket.npy` (`<f4`, entries x 5: d0, d1, d2, d3, x0), `NAME_control.npy` (`<u4`),
/// `NAME_profile.npy` (`|u1`, entries x 128) and `NAME_cam.npy` (`|u1`, entries x 32). The
/// bytes of the last two are those of the hardware's tables.
///
/// # Errors
/// [`ExportError::Set`] if the set is not valid.
pub fn npy(set: &FunctionSet) -> Result<Vec<ExportFile>, ExportError> {
    set.validate()?;
    let id = identifier(&set.name);
    let order = set.target.mask_order();
    let file = |table, descr, columns, data: Vec<u8>| ExportFile {
        name: format!("{id}_{table}.npy"),
        bytes: array(descr, set.entries(table), columns, &data),
    };
    let cam = set.cam.iter().flat_map(|entry| entry.to_bytes(order));
    let mut profile = Vec::with_capacity(set.profiles.len() * Profile::BYTES);
    for (index, entry) in set.profiles.iter().enumerate() {
        let bytes = entry.to_bytes();
        profile.extend(bytes.map_err(|source| ExportError::entry(Table::Profile, index, source))?);
    }
    let mut control = Vec::with_capacity(set.control.len() * 4);
    for (index, word) in set.control.iter().enumerate() {
        let bits = word.encode();
        let bits = bits.map_err(|source| ExportError::entry(Table::Control, index, source))?;
        control.extend(bits.to_le_bytes());
    }
    let bucket = set.buckets.iter().copied().flat_map(Bucket::to_words);
    Ok(vec![
        file(Table::Cam, "|u1", Some(CamEntry::BYTES), cam.collect()),
        file(Table::Profile, "|u1", Some(Profile::BYTES), profile),
        file(Table::Control, "<u4", None, control),
        file(
            Table::Bucket,
            "<f4",
            Some(5),
            bucket.flat_map(u32::to_le_bytes).collect(),
        ),
    ])
}

/// Header and data of an array of `rows`, or of `rows` x `columns`, in C order.
fn array(descr: &str, rows: usize, columns: Option<usize>, data: &[u8]) -> Vec<u8> {
    /// `\x93NUMPY`, version 1.0, and the length of what follows.
    const FIXED: usize = 10;
    /// The data begins at a multiple of this.
    const ALIGNMENT: usize = 64;
    let shape = columns.map_or_else(
        || format!("({rows},)"),
        |columns| format!("({rows}, {columns})"),
    );
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    // The header ends in a newline; blanks come before it.
    let length = (FIXED + header.len() + 1).next_multiple_of(ALIGNMENT) - FIXED;
    header.resize(length - 1, b' ');
    header.push(b'\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // Two lines of ALIGNMENT bytes at most: 16 bits are plenty.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(header);
    bytes.extend(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What numpy.save wrote for numpy.arange(3, dtype='<u4').
    #[test]
    fn the_same_bytes_as_numpy() {
        let mut expected = b"\x93NUMPY\x01\x00v\x00".to_vec();
        let header = b"{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
        expected.extend(header);
        expected.resize(127, b' ');
        expected.push(b'\n');
        expected.extend([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        let data: Vec<u8> = (0..3_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(array("<u4", 3, None, &data), expected);
    }

    #[test]
    fn data_is_aligned_whatever_the_shape() {
        for rows in [0, 1, 2048, usize::MAX] {
            let bytes = array("<f4", rows, Some(usize::MAX), &[]);
            assert_eq!(bytes.len() % 64, 0, "{rows}");
            assert_eq!(bytes.last(), Some(&b'\n'));
        }
    }
}
