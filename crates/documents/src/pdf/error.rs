//! Errors of reading a PDF file.

use super::range::spans_text;
use crate::UNAVAILABLE;

/// The reason why a PDF cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The file needs a password.
    #[error("the PDF is encrypted with a password; decrypt it first (for example with `qpdf --decrypt`)")]
    Encrypted,
    /// The file does not have a PDF header.
    #[error("not a PDF: the file does not begin with `%PDF-`")]
    NotAPdf,
    /// The PDF file, or the text of its pages, cannot be read.
    #[error("the PDF cannot be read: {why}; the file may be damaged or cut off")]
    Garbled {
        /// The cause, as a clause.
        why: String,
    },
    /// None of the requested pages has text.
    #[error(
        "no text on {} of {total}: without a text layer the page is a scan, a drawing or blank",
        page_words(pages)
    )]
    NoText {
        /// The numbers of the pages that were read.
        pages: Vec<u32>,
        /// Number of pages of the document.
        total: u32,
    },
    /// A part of the requested range starts after the last page.
    #[error("page {page} does not exist: the last page is {total}")]
    OutOfRange {
        /// The first requested page that does not exist.
        page: u32,
        /// Number of pages of the document.
        total: u32,
    },
    /// The requested range contains more pages than one call may read.
    #[error("{asked} pages are requested, but at most {max} can be read in one call; request fewer")]
    TooManyPages {
        /// Number of pages in the requested range.
        asked: u32,
        /// Maximum number of pages in one call.
        max: u32,
    },
    /// The document is too long to be read without a range.
    #[error(
        "the PDF has {total} pages: without a page range, only PDFs of up to {unasked} pages are read, and one call reads at most \
         {max} pages"
    )]
    PagesNeeded {
        /// Number of pages of the document.
        total: u32,
        /// Maximum number of pages of a document that is read without a range.
        unasked: u32,
        /// Maximum number of pages in one call.
        max: u32,
    },
    /// Reading took longer than the time limit.
    #[error("reading the PDF took longer than {} s; request fewer pages", seconds.max(&1))]
    TimedOut {
        /// The time limit, in whole seconds.
        seconds: u64,
    },
    /// All reading threads are busy with earlier PDFs that have not finished, or no thread can be started.
    #[error(
        "the limit on PDFs that are read at the same time is reached ({running}); wait until one is finished"
    )]
    Busy {
        /// Number of busy reading threads.
        running: usize,
    },
    /// This build has no reader for PDF files.
    #[error("{UNAVAILABLE}")]
    Unavailable,
}

fn page_words(pages: &[u32]) -> String {
    let word = if pages.len() == 1 { "page" } else { "pages" };
    format!("{word} {}", spans_text(pages))
}
