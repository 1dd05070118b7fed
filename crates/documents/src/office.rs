//! Reader for Word documents, spreadsheets, presentations and archives.
//!
//! Their text is returned in parts: pages, slides, rows of sheets, or lists of archive entries.
//!
//! Archives may be hostile: unpacking is limited in bytes and in time, XML entities are never expanded, and no reader
//! is recursive.

#[cfg(feature = "readers")]
mod archive;
#[cfg(feature = "readers")]
mod flow;
#[cfg(feature = "readers")]
mod listing;
#[cfg(feature = "readers")]
mod package;
#[cfg(feature = "readers")]
mod sheets;
#[cfg(feature = "readers")]
mod slides;
#[cfg(feature = "readers")]
mod word;
#[cfg(feature = "readers")]
mod xml;

use crate::UNAVAILABLE;
use std::time::{Duration, Instant};

/// The format of an office document or archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A Word document (`.docx`).
    Word,
    /// A spreadsheet (`.xlsx`).
    Sheets,
    /// A presentation (`.pptx`).
    Slides,
    /// A Zip archive, including `.jar` and `.whl` files.
    Zip,
    /// A tar archive.
    Tar,
    /// A tar archive compressed with gzip.
    TarGz,
}

/// Limits on reading a document or archive.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum size of all unpacked members (files in the archive) together, in bytes.
    pub unpacked: u64,
    /// Maximum size of the text of all parts, in bytes.
    pub text: usize,
    /// Maximum number of entries of an archive that are listed.
    pub entries: usize,
    /// Maximum time for reading the document.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { unpacked: 256 << 20, text: 16 << 20, entries: 20_000, time: Duration::from_secs(20) }
    }
}

/// The content of a document or archive as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The parts in the order of the document.
    pub parts: Vec<DocumentPart>,
    /// Notes about the document and content that is not shown, each a clause.
    pub notes: Vec<String>,
}

/// A part of a document, such as a page, a slide, or rows of a sheet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPart {
    /// The name of the part, such as `slide 3` or `sheet Prices, from row 201`.
    pub title: String,
    /// The text of the part.
    pub text: String,
}

/// The reason why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file is not a complete and supported Zip or tar archive, or has too many members; the text is the reason.
    #[error("the archive is damaged or not supported: {0}")]
    Damaged(String),
    /// A member of the archive that the document's format requires is missing; the text is its name.
    #[error("the document has no {0}, which every document of its format must have")]
    Missing(String),
    /// A member of the archive is not well-formed XML; the texts are its name and the reason.
    #[error("the member {0} of the document cannot be read: {1}")]
    Xml(String, String),
    /// The unpacked document exceeds this limit, in bytes.
    #[error("the document unpacks to more than the limit of {0} bytes")]
    TooLarge(u64),
    /// Reading took longer than this time limit, in seconds.
    #[error("reading the document took longer than {0} s")]
    TimedOut(u64),
    /// This build has no reader for documents.
    #[error("{UNAVAILABLE}")]
    Unavailable,
}

/// The number of bytes that may still be unpacked, and the time at which reading must end.
struct UnpackLimit {
    limits: Limits,
    unpacked: u64,
    end: Option<Instant>,
}

impl UnpackLimit {
    fn new(limits: Limits) -> Self {
        Self { limits, unpacked: limits.unpacked, end: Instant::now().checked_add(limits.time) }
    }

    /// Fails if the time limit is reached.
    fn check(&self) -> Result<(), Error> {
        match self.end {
            Some(end) if Instant::now() >= end => Err(Error::TimedOut(self.limits.time.as_secs())),
            _ => Ok(()),
        }
    }

    /// Subtracts unpacked bytes from the budget. Fails if too many bytes were unpacked or the time limit is reached.
    fn take(&mut self, bytes: u64) -> Result<(), Error> {
        self.unpacked = self.unpacked.checked_sub(bytes).ok_or(Error::TooLarge(self.limits.unpacked))?;
        self.check()
    }
}

/// Returns the format of a file from its detected type (`what`, the text of [`crate::Kind::Other`]) and its name;
/// `None` if no reader supports it.
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

/// Reads a document in a given format.
///
/// # Errors
/// If the file is damaged, lacks a required member, or exceeds a limit.
#[cfg(feature = "readers")]
pub fn read(bytes: &[u8], format: Format, limits: Limits) -> Result<Document, Error> {
    let mut budget = UnpackLimit::new(limits);
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

/// Drops the parts at the end that exceed `most` bytes of text in total, and adds a note about them.
fn shorten(document: &mut Document, most: usize) {
    let mut used = 0;
    let all = document.parts.len();
    document.parts.retain(|part| {
        used += part.text.len();
        used <= most
    });
    if document.parts.len() < all {
        document.notes.push(format!(
            "the limit on text is reached: only {} of {all} parts are shown",
            document.parts.len()
        ));
    }
}

/// Stub of the document reader, for builds without readers.
///
/// # Errors
/// Always [`Error::Unavailable`].
#[cfg(not(feature = "readers"))]
pub fn read(_bytes: &[u8], _format: Format, _limits: Limits) -> Result<Document, Error> {
    Err(Error::Unavailable)
}
