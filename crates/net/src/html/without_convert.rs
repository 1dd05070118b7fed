//! Conversion of pages in a build without the feature `web`, which has no pages.

use super::page::ConvertedPage;
use crate::web::WebAddress;

/// Converts an HTML page to Markdown.
#[must_use]
pub fn markdown(_html: &str, address: &WebAddress) -> ConvertedPage {
    address.never()
}

/// Converts an HTML page to plain text.
#[must_use]
pub fn text(_html: &str, address: &WebAddress) -> ConvertedPage {
    address.never()
}
