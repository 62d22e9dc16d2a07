//! What stands in an archive: put together from sets, and held against its own manifest.

use std::collections::BTreeMap;

use actforge_reports::{Report, is_whole};
use actforge_tables::container::{self, sha256_hex};
use actforge_tables::{Blobs, FunctionSet, Table};

use super::{
    ArchiveError, FileRecord, GateRecord, GatedBy, MANIFEST, MANIFEST_SCHEMA_VERSION, MOST_KEPT,
    Manifest, Member, PAGE, SUMS, SetRecord, read_report, report_file, report_text, set_directory,
};

/// The longest manifest, and the longest list of digests.
const LONGEST_TEXT: u64 = 16 << 20;

/// A set to be released, with what was found of it.
#[derive(Clone, Debug)]
pub struct ReleasedSet {
    /// The set.
    pub set: FunctionSet,
    /// Whether its specification was seen to give it again.
    pub rebuilt: bool,
    /// The report of its replay.
    pub report: Report,
}

/// An archive that is what it says of itself.
#[derive(Clone, Debug)]
pub struct Release {
    /// What it says.
    pub manifest: Manifest,
    /// Its sets, in the order of the manifest.
    pub sets: Vec<FunctionSet>,
    /// The replay of each.
    pub reports: Vec<Report>,
    /// What they were gated by, and passed.
    pub gated_by: Option<GatedBy>,
}

impl Release {
    /// The files of the release of these sets, by their paths. With `gate`, they are judged, and what they are judged
    /// by is packed with the verdict.
    ///
    /// # Errors
    /// [`ArchiveError`] for two sets of one name, a set that cannot be written, or sets that the gate does not pass.
    pub fn files(
        mut sets: Vec<ReleasedSet>,
        page: String,
        gate: Option<&GatedBy>,
    ) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
        sets.sort_by(|a, b| a.set.name.cmp(&b.set.name));
        let mut files = BTreeMap::new();
        let mut records = Vec::new();
        for released in &sets {
            let set = &released.set;
            let record = record(set, released.rebuilt)?;
            let blobs = set.to_blobs().map_err(|source| ArchiveError::Set {
                set: set.name.clone(),
                source,
            })?;
            for (file, bytes) in blobs.files() {
                files.insert(
                    format!("{}/{file}", set_directory(&set.name)),
                    bytes.to_vec(),
                );
            }
            check_report(&record.report, &released.set, &released.report)?;
            let text = report_text(&record.report, &released.report)?;
            files.insert(record.report.clone(), text);
            records.push(record);
        }
        check_names(&records)?;
        if let Some(gate) = gate {
            let sets: Vec<_> = sets.iter().map(|one| (&one.set, &one.report)).collect();
            files.extend(gate.files(&sets)?);
        }
        files.insert(PAGE.to_owned(), page.into_bytes());
        let manifest = Manifest {
            schema_version: MANIFEST_SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            sets: records,
            gate: gate.map(GateRecord::of),
            files: files
                .iter()
                .map(|(path, bytes)| FileRecord {
                    path: path.clone(),
                    size: bytes.len() as u64,
                    sha256: sha256_hex(bytes),
                })
                .collect(),
        };
        let text = manifest.to_json()?;
        files.insert(SUMS.to_owned(), manifest.sums(&sha256_hex(&text)));
        files.insert(MANIFEST.to_owned(), text);
        Ok(files)
    }

    /// Which files [`Release::check`] needs to see, and how long they may be.
    pub fn longest(path: &str) -> Option<u64> {
        if let Some(file) = path.strip_prefix("sets/") {
            let file = file.rsplit_once('/').map_or(file, |(_, file)| file);
            return Some(container::longest(file) as u64);
        }
        match path {
            MANIFEST | SUMS => Some(LONGEST_TEXT),
            PAGE => None,
            // Reports and what belongs to the gate.
            _ => Some(MOST_KEPT),
        }
    }

    /// Holds the files of an archive against its manifest, each set against its own, the manifest and the reports
    /// against the sets, and judges them again if they were gated.
    ///
    /// # Errors
    /// [`ArchiveError`] for the first thing that is not what the manifest says, or is said by none.
    pub fn check(mut members: Vec<Member>) -> Result<Self, ArchiveError> {
        let mut take = |path: &str| {
            let place = members.iter().position(|member| member.path == path);
            let member = place.map(|place| members.remove(place));
            member.ok_or_else(|| missing(path))
        };
        let (text, sums) = (take(MANIFEST)?, take(SUMS)?);
        let manifest = Manifest::parse(text.content.as_deref().unwrap_or_default())?;
        let expected = manifest.sums(&text.sha256);
        if sums.content.as_deref() != Some(expected.as_slice()) {
            return Err(ArchiveError::content(
                SUMS,
                "lines",
                "those of the manifest",
                "others",
            ));
        }
        check_files(&manifest.files, &members)?;
        check_names(&manifest.sets)?;
        let sets = manifest
            .sets
            .iter()
            .map(|record| read_set(record, &members))
            .collect::<Result<Vec<_>, _>>()?;
        check_all_known(&manifest, &members)?;
        let text = |path: &str| text_of(&members, path);
        let mut reports = Vec::new();
        for (record, set) in manifest.sets.iter().zip(&sets) {
            let report = read_report(&record.report, &text(&record.report)?)?;
            check_report(&record.report, set, &report)?;
            reports.push(report);
        }
        let gated_by = match &manifest.gate {
            Some(record) => {
                let by = GatedBy::read(record, text)?;
                let judged: Vec<_> = sets.iter().zip(&reports).collect();
                by.check(&judged, text(&record.file)?.as_bytes())?;
                Some(by)
            }
            None => None,
        };
        Ok(Self {
            manifest,
            sets,
            reports,
            gated_by,
        })
    }
}

/// The text of a file.
fn text_of(members: &[Member], path: &str) -> Result<String, ArchiveError> {
    let member = members.iter().find(|member| member.path == path);
    let content = member.and_then(|member| member.content.clone());
    let content = content.ok_or_else(|| missing(path))?;
    String::from_utf8(content)
        .map_err(|_| ArchiveError::content(path, "text", "UTF-8", "other bytes"))
}

/// Whether a report says of a set all that a replay without options does: of every function, over all of its inputs. It
/// is named by `file`.
///
/// # Errors
/// [`ArchiveError::Report`] for one that is not of these tables, [`ArchiveError::Content`] for one of less.
pub(crate) fn check_report(
    file: &str,
    set: &FunctionSet,
    report: &Report,
) -> Result<(), ArchiveError> {
    let refused = |source| ArchiveError::Report {
        file: file.to_owned(),
        source: Box::new(source),
    };
    report.check_against(set, set.datapath).map_err(refused)?;
    let held: Vec<&str> = set.functions.iter().map(|one| one.name.as_str()).collect();
    let reported = report.functions.iter().map(|one| one.name.as_str());
    let reported: Vec<&str> = reported.collect();
    if held != reported {
        let (held, reported) = (held.join(", "), reported.join(", "));
        return Err(ArchiveError::content(file, "functions", held, reported));
    }
    for function in &report.functions {
        if !is_whole(set, function).map_err(|error| refused(error.into()))? {
            let expected = "a replay over all fp32 inputs";
            let found = match &function.range {
                Some([low, high]) => format!("{} from {low} to {high}", function.input_dtype),
                None => function.input_dtype.clone(),
            };
            return Err(ArchiveError::content(file, &function.name, expected, found));
        }
    }
    Ok(())
}

fn record(set: &FunctionSet, rebuilt: bool) -> Result<SetRecord, ArchiveError> {
    SetRecord::new(set, rebuilt).map_err(|source| ArchiveError::Set {
        set: set.name.clone(),
        source,
    })
}

fn missing(path: &str) -> ArchiveError {
    ArchiveError::content(path, "file", "one in the archive", "none")
}

/// A release has sets, and each name comes once, in order.
fn check_names(sets: &[SetRecord]) -> Result<(), ArchiveError> {
    if sets.is_empty() {
        return Err(ArchiveError::content(
            MANIFEST,
            "sets",
            "at least one",
            "none",
        ));
    }
    for pair in sets.windows(2) {
        if let [first, second] = pair
            && first.name >= second.name
        {
            let expected = format!("one after {:?}", first.name);
            return Err(ArchiveError::content(
                MANIFEST,
                "sets",
                expected,
                format!("{:?}", second.name),
            ));
        }
    }
    Ok(())
}

/// The files are those that the manifest lists, to the byte.
fn check_files(records: &[FileRecord], members: &[Member]) -> Result<(), ArchiveError> {
    let found: Vec<FileRecord> = members
        .iter()
        .map(|member| FileRecord {
            path: member.path.clone(),
            size: member.size,
            sha256: member.sha256.clone(),
        })
        .collect();
    for (record, found) in records.iter().zip(&found) {
        if record.path != found.path {
            let (file, expected) = (MANIFEST, format!("{:?}", record.path));
            return Err(ArchiveError::content(
                file,
                "files",
                found_path(found),
                expected,
            ));
        }
        if record.size != found.size {
            return Err(ArchiveError::content(
                &found.path,
                "size",
                record.size,
                found.size,
            ));
        }
        if record.sha256 != found.sha256 {
            return Err(ArchiveError::content(
                &found.path,
                "SHA-256",
                &record.sha256,
                &found.sha256,
            ));
        }
    }
    if records.len() != found.len() {
        return Err(ArchiveError::content(
            MANIFEST,
            "files",
            format!("the {} of the archive", found.len()),
            records.len(),
        ));
    }
    Ok(())
}

fn found_path(found: &FileRecord) -> String {
    format!("{:?}, which is in the archive", found.path)
}

fn read_set(record: &SetRecord, members: &[Member]) -> Result<FunctionSet, ArchiveError> {
    let directory = set_directory(&record.name);
    let content = |file: &str| {
        let path = format!("{directory}/{file}");
        let member = members.iter().find(|member| member.path == path);
        let member = member.ok_or_else(|| missing(&path));
        member.map(|member| member.content.clone().unwrap_or_default())
    };
    let mut blobs = Blobs {
        manifest: content(container::MANIFEST)?,
        dma: content(container::DMA)?,
        spec: content(container::SPEC).ok(),
        ..Blobs::default()
    };
    for table in Table::ALL {
        *blobs.table_mut(table) = content(container::file_name(table))?;
    }
    let set = FunctionSet::from_blobs(&blobs).map_err(|source| ArchiveError::Set {
        set: record.name.clone(),
        source,
    })?;
    // Whether it was rebuilt is the one thing that its files do not say.
    let expected = self::record(&set, record.rebuilt)?;
    if *record != expected {
        return Err(ArchiveError::content(
            MANIFEST,
            format!("sets, {}", record.name),
            format!("{expected:?}"),
            format!("{record:?}"),
        ));
    }
    Ok(set)
}

/// No file is there that nothing speaks of, and none is missing.
fn check_all_known(manifest: &Manifest, members: &[Member]) -> Result<(), ArchiveError> {
    let mut known = vec![PAGE.to_owned()];
    known.extend(manifest.gate.iter().flat_map(GateRecord::files).cloned());
    for record in &manifest.sets {
        known.push(report_file(&record.name));
        let directory = set_directory(&record.name);
        let files = container::FILES.iter();
        known.extend(files.map(|file| format!("{directory}/{file}")));
    }
    if let Some(unknown) = members.iter().find(|member| !known.contains(&member.path)) {
        return Err(ArchiveError::content(
            &unknown.path,
            "file",
            "one of a set, or about the sets",
            "another",
        ));
    }
    let is_there = |path: &String| members.iter().any(|member| member.path == *path);
    // A set has a specification or not; its own reader knows the rest.
    let absent = known
        .iter()
        .find(|path| !is_there(path) && !path.ends_with(container::SPEC));
    absent.map_or(Ok(()), |path| Err(missing(path)))
}
