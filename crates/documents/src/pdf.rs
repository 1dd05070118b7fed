//! Reading the text of a PDF, page by page.

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

/// How much of a PDF may be read in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfLimits {
    /// The most pages that are read when no range is given.
    pub max_unasked: u32,
    /// The most pages that are read when a range is given.
    pub max_pages: u32,
    /// The most bytes of text that one page shows.
    pub max_page_bytes: usize,
    /// How long the caller waits.
    pub deadline: Duration,
}

impl Default for PdfLimits {
    /// 10 pages unasked, 20 pages a call, 1 MB of text a page, 20 seconds.
    fn default() -> Self {
        Self { max_unasked: 10, max_pages: 20, max_page_bytes: 1_000_000, deadline: Duration::from_secs(20) }
    }
}

/// The pages of a PDF that were asked for.
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
    /// Its text; empty only with a note that says why.
    pub text: String,
    /// What the reader should know about the text.
    pub note: Option<PageNote>,
}

/// What the reader should know about a page's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageNote {
    /// The page is a picture without a text layer.
    Image,
    /// Nothing stands on the page.
    Blank,
    /// The page's text could not be read.
    Garbled {
        /// What went wrong.
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

/// Reads the text of a PDF's pages; all of them when the document is short and no range is given.
///
/// The work is done on a thread of its own: whatever the file holds, the caller waits no longer than the deadline.
///
/// # Errors
///
/// When the file is no PDF, is encrypted or garbled, when the range does not fit, when no page asked for has text, or when time is up.
pub fn read(bytes: Vec<u8>, pages: Option<&PageRange>, limits: PdfLimits) -> Result<Pdf, PdfError> {
    let range = pages.cloned();
    worker::run(limits.deadline, move |clock| document::read(&bytes, range.as_ref(), &limits, clock))
}
