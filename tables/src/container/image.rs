//! The images of the four tables: entries at their stride, zero-padded to 64 bytes.

use super::manifest::Manifest;
use super::text::sha256_hex;
use super::{Blobs, ContainerError, file_name};
use crate::bucket::Bucket;
use crate::cam::CamEntry;
use crate::control::ControlWord;
use crate::error::{EntryError, all_zero};
use crate::profile::Profile;
use crate::set::FunctionSet;
use crate::target::{Table, Target};

/// The length of an image is a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// The length of the image of `entries` entries.
fn length(target: Target, table: Table, entries: usize) -> usize {
    entries
        .saturating_mul(target.stride(table))
        .next_multiple_of(ALIGNMENT)
}

/// The length that no image of any target exceeds.
pub(super) fn longest(table: Table) -> usize {
    Target::ALL
        .map(|target| length(target, table, target.capacity().of(table)))
        .into_iter()
        .fold(0, usize::max)
}

/// The image of one table.
pub(super) fn encode(set: &FunctionSet, table: Table) -> Result<Vec<u8>, ContainerError> {
    let order = set.target.mask_order();
    match table {
        Table::Cam => pack(set, table, &set.cam, |entry| Ok(entry.to_bytes(order))),
        Table::Profile => pack(set, table, &set.profiles, Profile::to_bytes),
        Table::Control => pack(set, table, &set.control, |word| {
            word.encode().map(u32::to_le_bytes)
        }),
        Table::Bucket => pack(set, table, &set.buckets, |bucket| Ok(bucket.to_bytes())),
    }
}

fn pack<T, const N: usize>(
    set: &FunctionSet,
    table: Table,
    entries: &[T],
    encode: impl Fn(&T) -> Result<[u8; N], EntryError>,
) -> Result<Vec<u8>, ContainerError> {
    let file = file_name(table);
    let stride = set.target.stride(table);
    let mut image = Vec::with_capacity(length(set.target, table, entries.len()));
    for (index, entry) in entries.iter().enumerate() {
        let bytes = encode(entry).map_err(|source| ContainerError::Entry {
            file,
            index,
            source,
        })?;
        image.extend(bytes);
        image.resize((index + 1) * stride, 0);
    }
    image.resize(length(set.target, table, entries.len()), 0);
    Ok(image)
}

/// Fills the tables of `set` from the images, against what the manifest says of them.
pub(super) fn decode_all(
    set: &mut FunctionSet,
    manifest: &Manifest,
    blobs: &Blobs,
) -> Result<(), ContainerError> {
    for table in Table::ALL {
        let (file, image) = (file_name(table), blobs.table(table));
        let said = manifest.table(table);
        let capacity = set.target.capacity().of(table);
        if said.entries > capacity {
            return Err(ContainerError::content(
                super::MANIFEST,
                format!("tables.{table}.entries"),
                format!("at most {capacity}, what target {} holds", set.target),
                said.entries,
            ));
        }
        let expected = length(set.target, table, said.entries);
        if image.len() != expected {
            let expected = format!("{expected} bytes for {} entries", said.entries);
            let found = format!("{} bytes", image.len());
            return Err(ContainerError::content(file, "length", expected, found));
        }
        let digest = sha256_hex(image);
        if digest != said.sha256 {
            return Err(ContainerError::content(
                file,
                "SHA-256",
                &said.sha256,
                digest,
            ));
        }
        let stride = set.target.stride(table);
        let reader = Reader {
            file,
            image,
            stride,
            entries: said.entries,
        };
        let order = set.target.mask_order();
        match table {
            Table::Cam => set.cam = reader.entries(|bytes| CamEntry::from_bytes(bytes, order))?,
            Table::Profile => set.profiles = reader.entries(Profile::from_bytes)?,
            Table::Control => {
                set.control =
                    reader.entries(|bytes| ControlWord::decode(u32::from_le_bytes(*bytes)))?;
            }
            Table::Bucket => set.buckets = reader.entries(Bucket::from_bytes)?,
        }
    }
    Ok(())
}

/// An image whose length is known to be right.
struct Reader<'a> {
    file: &'static str,
    image: &'a [u8],
    stride: usize,
    entries: usize,
}

impl Reader<'_> {
    fn entries<T, const N: usize>(
        &self,
        decode: impl Fn(&[u8; N]) -> Result<T, EntryError>,
    ) -> Result<Vec<T>, ContainerError> {
        let used = self.entries * self.stride;
        let (used, padding) = self
            .image
            .split_at_checked(used)
            .unwrap_or((self.image, &[]));
        let entries = used
            .chunks_exact(self.stride)
            .enumerate()
            .map(|(index, cell)| {
                let entry = |source| ContainerError::Entry {
                    file: self.file,
                    index,
                    source,
                };
                let Some((bytes, rest)) = cell.split_first_chunk::<N>() else {
                    let found = format!("{} bytes", cell.len());
                    return Err(ContainerError::content(self.file, "stride", N, found));
                };
                // Only CONTROL words are shorter than their stride.
                all_zero("CONTROL", 8 * N as u32, rest).map_err(entry)?;
                decode(bytes).map_err(entry)
            })
            .collect::<Result<Vec<T>, _>>()?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(ContainerError::content(
                self.file,
                "padding to 64 bytes",
                "zeros",
                "other bytes",
            ));
        }
        Ok(entries)
    }
}
