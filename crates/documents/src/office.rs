//! Word documents, spreadsheets, presentations and archives, as text in parts: pages, slides, rows of sheets, lists of entries.
//!
//! Archives may be hostile: unpacking is limited in bytes and in time, entities are never expanded, and no reader recurses.

mod archive;
mod flow;
mod listing;
mod package;
mod sheets;
mod slides;
mod word;
mod xml;

use std::time::{Duration, Instant};

/// The kind of an archive, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A Word document (`.docx`).
    Word,
    /// A spreadsheet (`.xlsx`).
    Sheets,
    /// A presentation (`.pptx`).
    Slides,
    /// A Zip archive, also as `.jar`, `.whl` and the like.
    Zip,
    /// A tar archive.
    Tar,
    /// A tar archive that gzip compressed.
    TarGz,
}

/// Bounds of unpacking, in bytes and time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes that all members together may unpack to.
    pub unpacked: u64,
    /// Bytes of text.
    pub text: usize,
    /// Entries of an archive that are listed.
    pub entries: usize,
    /// The time for all of it.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { unpacked: 256 << 20, text: 16 << 20, entries: 20_000, time: Duration::from_secs(20) }
    }
}

/// A document as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// Remarks about content that is not shown, in a sentence each.
    pub notes: Vec<String>,
}

/// A part of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name, such as `slide 3` or `sheet Prices, from row 201`.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// A reason for which a document cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not a whole archive.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    /// A member that every document of its kind has is missing.
    #[error("it has no {0}, as documents of its kind do")]
    Missing(String),
    /// A member is not well-formed XML.
    #[error("{0} in it cannot be read: {1}")]
    Xml(String, String),
    /// It unpacks to more than is allowed.
    #[error("it unpacks to more than {0} bytes, more than the limit")]
    TooLarge(u64),
    /// The time was up.
    #[error("reading it took longer than {0} seconds")]
    TimedOut(u64),
}

/// Limits that are being used up.
struct Budget {
    limits: Limits,
    unpacked: u64,
    end: Option<Instant>,
}

impl Budget {
    fn new(limits: Limits) -> Self {
        Self { limits, unpacked: limits.unpacked, end: Instant::now().checked_add(limits.time) }
    }

    /// Checks the clock.
    fn check(&self) -> Result<(), Error> {
        match self.end {
            Some(end) if Instant::now() >= end => Err(Error::TimedOut(self.limits.time.as_secs())),
            _ => Ok(()),
        }
    }

    /// Takes bytes that were unpacked.
    fn take(&mut self, bytes: u64) -> Result<(), Error> {
        self.unpacked = self.unpacked.checked_sub(bytes).ok_or(Error::TooLarge(self.limits.unpacked))?;
        self.check()
    }
}

/// The format of a file that begins as `what` says (in the words of [`crate::Kind::Other`]) and has this name; none for what
/// cannot be read here.
#[must_use]
pub fn format(what: &str, name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match what {
        "Zip archive" if ends(&[".docx", ".docm", ".dotx"]) => Some(Format::Word),
        "Zip archive" if ends(&[".xlsx", ".xlsm", ".xltx"]) => Some(Format::Sheets),
        "Zip archive" if ends(&[".pptx", ".pptm", ".potx", ".ppsx"]) => Some(Format::Slides),
        "Zip archive" => Some(Format::Zip),
        "tar archive" => Some(Format::Tar),
        "gzip data" if ends(&[".tar.gz", ".tgz"]) => Some(Format::TarGz),
        _ => None,
    }
}

/// Reads a document of a format.
///
/// # Errors
/// When it is damaged, lacks what its kind has, or exceeds a limit.
pub fn read(bytes: &[u8], format: Format, limits: Limits) -> Result<Document, Error> {
    let mut budget = Budget::new(limits);
    let mut document = match format {
        Format::Word => word::read(bytes, &mut budget),
        Format::Sheets => sheets::read(bytes, &mut budget),
        Format::Slides => slides::read(bytes, &mut budget),
        Format::Zip => listing::zip(bytes, &budget),
        Format::Tar => listing::tar(bytes, &mut budget),
        Format::TarGz => listing::tar(flate2::read::MultiGzDecoder::new(bytes), &mut budget),
    }?;
    shorten(&mut document, limits.text);
    Ok(document)
}

/// Drops the parts beyond a number of bytes of text.
fn shorten(document: &mut Document, most: usize) {
    let mut used = 0;
    let all = document.parts.len();
    document.parts.retain(|part| {
        used += part.text.len();
        used <= most
    });
    if document.parts.len() < all {
        document.notes.push(format!("of {all} parts only the first {} are read", document.parts.len()));
    }
}
