//! Generated parts of hand-written pages, between two marks.

use anyhow::{Context, Result};

/// Replaces the text between the marks `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a page.
///
/// # Errors
/// If the page has no such marks.
pub fn put(page: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let missing = || format!("the page needs the lines `{}` and `{end}`", begin.trim_end());
    let from = page.find(&begin).with_context(missing)? + begin.len();
    let to = page[from..].find(&end).with_context(missing)? + from;
    Ok(format!("{}{text}{}", &page[..from], &page[to..]))
}
