//! The register-image container (formats.md, section 5): one directory per set.
//!
//! | file | content |
//! |---|---|
//! | `cam.bin`, `profile.bin`, `control.bin`, `bucket.bin` | the used part of each table, zero-padded to 64 bytes |
//! | `set.json` | the manifest: what the set is, whose entries are whose, SHA-256 of each blob and of itself |
//! | `dma.json` | in which order the blobs are loaded, and where to |
//! | `spec.toml` | what the set was built from; sets that were not built from a specification have none |
//!
//! The two JSON files have one form only, so a set is its bytes: writing what was read
//! gives the same files, and any edit is an error.

mod compare;
mod directory;
mod dma;
mod error;
mod exchange;
mod image;
mod manifest;
mod text;

pub use compare::Difference;
pub use error::ContainerError;
pub use exchange::exchange;
pub use text::sha256_hex;

use crate::set::FunctionSet;
use crate::target::Table;

/// The manifest's file name; its presence marks a directory as a set.
pub const MANIFEST: &str = "set.json";
/// The name of the file of load descriptors.
pub const DMA: &str = "dma.json";

/// The name of the file with the specification that the set was built from.
pub const SPEC: &str = "spec.toml";

/// The names of all files that a set can have.
pub const FILES: [&str; 7] = [
    file_name(Table::Cam),
    file_name(Table::Profile),
    file_name(Table::Control),
    file_name(Table::Bucket),
    SPEC,
    DMA,
    MANIFEST,
];

/// The longest that this file of a set can be, in bytes.
pub fn longest(file: &str) -> usize {
    let table = Table::ALL
        .into_iter()
        .find(|table| file_name(*table) == file);
    table.map_or(text::LONGEST, image::longest)
}

/// The files of a set in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blobs {
    /// `cam.bin`
    pub cam: Vec<u8>,
    /// `profile.bin`
    pub profile: Vec<u8>,
    /// `control.bin`
    pub control: Vec<u8>,
    /// `bucket.bin`
    pub bucket: Vec<u8>,
    /// `set.json`
    pub manifest: Vec<u8>,
    /// `dma.json`
    pub dma: Vec<u8>,
    /// `spec.toml`, where there is one
    pub spec: Option<Vec<u8>>,
}

impl Blobs {
    /// The image of one table.
    pub fn table(&self, table: Table) -> &[u8] {
        match table {
            Table::Cam => &self.cam,
            Table::Profile => &self.profile,
            Table::Control => &self.control,
            Table::Bucket => &self.bucket,
        }
    }

    /// The image of one table, to be changed.
    pub fn table_mut(&mut self, table: Table) -> &mut Vec<u8> {
        match table {
            Table::Cam => &mut self.cam,
            Table::Profile => &mut self.profile,
            Table::Control => &mut self.control,
            Table::Bucket => &mut self.bucket,
        }
    }
}

/// The file name of a table's image.
pub const fn file_name(table: Table) -> &'static str {
    match table {
        Table::Cam => "cam.bin",
        Table::Profile => "profile.bin",
        Table::Control => "control.bin",
        Table::Bucket => "bucket.bin",
    }
}

impl FunctionSet {
    /// Records the text of the specification that the set was built from.
    pub fn record_spec(&mut self, text: String) {
        self.spec_hash = Some(sha256_hex(text.as_bytes()));
        self.spec = Some(text);
    }

    /// The files of the set.
    ///
    /// # Errors
    /// [`ContainerError::Set`] if the set is not valid; [`ContainerError::Content`] if its
    /// manifest or specification would be too long.
    pub fn to_blobs(&self) -> Result<Blobs, ContainerError> {
        self.validate()?;
        if let Some(spec) = self.spec.as_ref().filter(|spec| spec.len() > text::LONGEST) {
            let expected = format!("at most {} bytes", text::LONGEST);
            return Err(ContainerError::content(
                SPEC,
                "length",
                expected,
                spec.len(),
            ));
        }
        let mut blobs = Blobs {
            spec: self.spec.as_ref().map(|spec| spec.as_bytes().to_vec()),
            ..Blobs::default()
        };
        for table in Table::ALL {
            *blobs.table_mut(table) = image::encode(self, table)?;
        }
        blobs.dma = dma::describe(self.target, &blobs)?;
        blobs.manifest = manifest::encode(self, &blobs)?;
        Ok(blobs)
    }

    /// SHA-256 of everything the set is: what its manifest says of itself as `manifest_sha256`.
    ///
    /// # Errors
    /// As [`FunctionSet::to_blobs`].
    pub fn digest(&self) -> Result<String, ContainerError> {
        Ok(manifest::Manifest::parse(&self.to_blobs()?.manifest)?.digest())
    }

    /// Reads the files of a set. Later checks trust earlier ones:
    /// 1. the manifest parses, its schema version and names are known;
    /// 2. the specification, if there is one, has the SHA-256 that the manifest says;
    /// 3. each image has the length the manifest says, within the target's capacity, its
    ///    SHA-256, allowed entries, and zero padding;
    /// 4. the set is valid;
    /// 5. both JSON files are what this set is written as, to the byte.
    ///
    /// # Errors
    /// A [`ContainerError`] that names the file, the field, and what was expected and found.
    pub fn from_blobs(blobs: &Blobs) -> Result<Self, ContainerError> {
        let manifest = manifest::Manifest::parse(&blobs.manifest)?;
        let mut set = manifest.empty_set()?;
        set.spec = blobs
            .spec
            .as_deref()
            .map(|bytes| manifest.spec_text(bytes))
            .transpose()?;
        image::decode_all(&mut set, &manifest, blobs)?;
        set.validate()?;
        let written = set.to_blobs()?;
        text::same(MANIFEST, &written.manifest, &blobs.manifest)?;
        text::same(DMA, &written.dma, &blobs.dma)?;
        Ok(set)
    }
}
