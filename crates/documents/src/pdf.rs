//! Text of PDF files, page by page.

mod cmap;
mod content;
mod document;
mod embedded;
mod encoding;
mod error;
mod font;
mod layout;
mod lexer;
mod load;
mod matrix;
mod metrics;
mod range;
mod worker;

use std::fmt;
use std::time::Duration;

pub use error::PdfError;
pub use range::{PageRange, PageRangeError};

/// Limits on reading a PDF in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfLimits {
    /// Maximum number of pages without a range.
    pub max_unasked: u32,
    /// Maximum number of pages with a range.
    pub max_pages: u32,
    /// Maximum bytes of text per page.
    pub max_page_bytes: usize,
    /// Time limit of the caller.
    pub deadline: Duration,
}

impl Default for PdfLimits {
    /// 10 pages without a range, 20 pages with one, 1 MB of text a page, 20 seconds.
    fn default() -> Self {
        Self { max_unasked: 10, max_pages: 20, max_page_bytes: 1_000_000, deadline: Duration::from_secs(20) }
    }
}

/// The requested pages of a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdf {
    /// Pages in the whole document.
    pub total_pages: u32,
    /// The pages that were read, in ascending order.
    pub pages: Vec<Page>,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The page's number, from 1.
    pub number: u32,
    /// Its text; empty only with a note that gives the reason.
    pub text: String,
    /// A note about the text.
    pub note: Option<PageNote>,
}

/// A note about a page's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageNote {
    /// The page is an image without a text layer.
    Image,
    /// The page is blank.
    Blank,
    /// The page's text could not be read.
    Garbled {
        /// The cause.
        why: String,
    },
    /// The text was cut at the limit.
    Cut {
        /// Bytes of text that are left out.
        left_out: usize,
    },
}

impl fmt::Display for PageNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image => f.write_str("no text layer: the page is an image"),
            Self::Blank => f.write_str("the page is blank"),
            Self::Garbled { why } => write!(f, "the page's text cannot be read: {why}"),
            Self::Cut { left_out } => write!(f, "the page's text is cut: {left_out} bytes are left out"),
        }
    }
}

/// Reads the text of a PDF's pages; all of them if the document is short and no range is given.
///
/// The work runs on its own thread: whatever the file contains, the caller waits at most until the deadline.
///
/// # Errors
///
/// If the file is not a PDF, is encrypted or damaged, the range does not fit, no requested page has text, or time is up.
pub fn read(bytes: Vec<u8>, pages: Option<&PageRange>, limits: PdfLimits) -> Result<Pdf, PdfError> {
    let range = pages.cloned();
    worker::run(limits.deadline, move |clock| document::read(&bytes, range.as_ref(), &limits, clock))
}
