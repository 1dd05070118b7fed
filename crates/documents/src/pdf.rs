//! Reader for the text of PDF files, page by page.

#[cfg(feature = "readers")]
mod cmap;
#[cfg(feature = "readers")]
mod content;
#[cfg(feature = "readers")]
mod document;
#[cfg(feature = "readers")]
mod embedded;
#[cfg(feature = "readers")]
mod encoding;
mod error;
#[cfg(feature = "readers")]
mod font;
#[cfg(feature = "readers")]
mod layout;
#[cfg(feature = "readers")]
mod lexer;
#[cfg(feature = "readers")]
mod load;
#[cfg(feature = "readers")]
mod matrix;
#[cfg(feature = "readers")]
mod metrics;
mod range;
#[cfg(feature = "readers")]
mod worker;

use std::fmt;
use std::time::Duration;

pub use error::PdfError;
pub use range::{PageRange, PageRangeError};

/// Limits on reading a PDF file in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfLimits {
    /// Maximum number of pages of a document that is read without a range of pages.
    pub max_unasked: u32,
    /// Maximum number of pages in the requested range.
    pub max_pages: u32,
    /// Maximum size of the text of a page, in bytes.
    pub max_page_bytes: usize,
    /// Maximum time that the caller waits.
    pub deadline: Duration,
}

impl Default for PdfLimits {
    /// The default limits: 10 pages without a range, 20 pages with one, 1 MB of text per page, and 20 seconds.
    fn default() -> Self {
        Self { max_unasked: 10, max_pages: 20, max_page_bytes: 1_000_000, deadline: Duration::from_secs(20) }
    }
}

/// The requested pages of a PDF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdf {
    /// Number of pages of the whole document.
    pub total_pages: u32,
    /// The pages that were read, in ascending order.
    pub pages: Vec<Page>,
}

/// One page of a PDF file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The number of the page, counted from 1.
    pub number: u32,
    /// The text of the page; if it is empty, `note` gives the reason.
    pub text: String,
    /// The reason why the text is missing, mostly unreadable or truncated; otherwise `None`.
    pub note: Option<PageNote>,
}

/// The reason why a page's text is missing, unreadable or truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageNote {
    /// The page has images and almost no text.
    Image,
    /// The page is blank.
    Blank,
    /// The text of the page, or most of it, could not be read.
    Garbled {
        /// The cause, as a clause.
        why: String,
    },
    /// The text of the page was truncated at the limit.
    Cut {
        /// Number of bytes that were omitted at the end.
        left_out: usize,
    },
}

impl fmt::Display for PageNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image => f.write_str("no text layer: the page has images and almost no text"),
            Self::Blank => f.write_str("the page is blank"),
            Self::Garbled { why } => write!(f, "the page's text cannot be read: {why}"),
            Self::Cut { left_out } => write!(f, "the page's text is cut: {left_out} bytes are left out"),
        }
    }
}

/// Reads the text of the requested pages of a PDF file; without a range, of all pages of a short document.
///
/// The work runs on its own thread, so the caller waits at most until the deadline, whatever the file contains.
///
/// # Errors
///
/// If the file is not a PDF, is encrypted or damaged, or no requested page has text. If a requested page does not
/// exist, too many pages are requested, or a long document is read without a range. If the time limit is reached, or
/// too many PDFs are being read.
#[cfg(feature = "readers")]
pub fn read(bytes: Vec<u8>, pages: Option<&PageRange>, limits: PdfLimits) -> Result<Pdf, PdfError> {
    let range = pages.cloned();
    worker::run(limits.deadline, move |clock| document::read(&bytes, range.as_ref(), &limits, clock))
}

/// Stub of the PDF reader, for builds without readers.
///
/// # Errors
/// Always [`PdfError::Unavailable`].
#[cfg(not(feature = "readers"))]
pub fn read(_bytes: Vec<u8>, _pages: Option<&PageRange>, _limits: PdfLimits) -> Result<Pdf, PdfError> {
    Err(PdfError::Unavailable)
}
