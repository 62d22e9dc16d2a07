//! `dma.json`: in which order the images are loaded, and where to.

use serde::Serialize;

use super::manifest::SCHEMA_VERSION;
use super::text::json;
use super::{Blobs, ContainerError, DMA, file_name};
use crate::target::{Table, Target};

/// The tables come before the CAM: a function can be selected only once its tables are
/// in place.
const LOAD_ORDER: [Table; 4] = [Table::Bucket, Table::Control, Table::Profile, Table::Cam];

#[derive(Serialize)]
struct LoadPlan {
    schema_version: u32,
    target: &'static str,
    /// What the addresses count from.
    address_space: &'static str,
    descriptors: Vec<Descriptor>,
}

#[derive(Serialize)]
struct Descriptor {
    region: &'static str,
    file: &'static str,
    file_offset: u64,
    length: usize,
    /// `0x` and hex digits; null where it is not known.
    address: Option<String>,
}

/// The load descriptors of a set. A table without entries needs none, and neither does any
/// of a stock layout.
pub(super) fn describe(target: Target, blobs: &Blobs) -> Result<Vec<u8>, ContainerError> {
    // A stock layout is loaded by the vendor's own tools.
    let regions = target.hardware_regions();
    let descriptors = LOAD_ORDER
        .into_iter()
        .filter_map(|table| Some((table, regions?)))
        .filter(|(table, _)| !blobs.table(*table).is_empty())
        .map(|(table, regions)| Descriptor {
            region: regions.of(table).name,
            file: file_name(table),
            file_offset: 0,
            length: blobs.table(table).len(),
            address: regions
                .of(table)
                .address
                .map(|address| format!("{address:#x}")),
        })
        .collect();
    json(
        DMA,
        &LoadPlan {
            schema_version: SCHEMA_VERSION,
            target: target.as_str(),
            address_space: regions.map_or("none", |regions| regions.space.as_str()),
            descriptors,
        },
    )
}
