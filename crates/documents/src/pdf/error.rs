//! Errors of PDF files.

use super::range::spans_text;

/// The reason why a PDF cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The file needs a password.
    #[error("the PDF is encrypted with a password; decrypt it first (for example with `qpdf --decrypt`)")]
    Encrypted,
    /// The file does not have a PDF header.
    #[error("not a PDF: the file does not begin with `%PDF-`")]
    NotAPdf,
    /// The document's structure is broken.
    #[error("the PDF cannot be read: {why}; the file may be damaged or cut off")]
    Garbled {
        /// The reader's message.
        why: String,
    },
    /// No requested page has text.
    #[error(
        "no text on {} of {total}: without a text layer the page is a scan, a drawing or blank",
        page_words(pages)
    )]
    NoText {
        /// The examined pages.
        pages: Vec<u32>,
        /// Pages in the document.
        total: u32,
    },
    /// The range begins past the last page.
    #[error("page {page} does not exist: the last page is {total}")]
    OutOfRange {
        /// The first page that does not exist.
        page: u32,
        /// Pages in the document.
        total: u32,
    },
    /// The range holds more pages than one call reads.
    #[error("{asked} pages are requested, but at most {max} can be read in one call; request fewer")]
    TooManyPages {
        /// Pages in the range.
        asked: u32,
        /// The maximum of one call.
        max: u32,
    },
    /// The document is too long to be read without a range.
    #[error("the PDF has {total} pages: specify pages to read, such as \"1-{}\" (at most {max} in one call)", total.min(max))]
    PagesNeeded {
        /// Pages in the document.
        total: u32,
        /// The maximum of one call.
        max: u32,
    },
    /// Reading took longer than allowed.
    #[error("reading the PDF took longer than {} s; ask for fewer pages", seconds.max(&1))]
    TimedOut {
        /// The time that was given, in whole seconds.
        seconds: u64,
    },
    /// Earlier PDFs that never finished still hold all reading threads.
    #[error("{running} PDFs are still being read; wait until they end")]
    Busy {
        /// Readers at work.
        running: usize,
    },
}

fn page_words(pages: &[u32]) -> String {
    let word = if pages.len() == 1 { "page" } else { "pages" };
    format!("{word} {}", spans_text(pages))
}
