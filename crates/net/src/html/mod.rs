//! Conversion of HTML pages to Markdown or plain text.

mod page;

#[cfg(feature = "web")]
mod clean;
#[cfg(feature = "web")]
mod convert;
#[cfg(not(feature = "web"))]
#[path = "without_convert.rs"]
mod convert;
#[cfg(feature = "web")]
mod main_part;
#[cfg(feature = "web")]
mod names;
#[cfg(feature = "web")]
mod scan;
#[cfg(feature = "web")]
mod text;
#[cfg(feature = "web")]
mod write;

pub use convert::{markdown, text};
pub use page::{ConvertedPage, PageCompleteness, PageSection};
