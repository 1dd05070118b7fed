//! Conversion of HTML pages to Markdown or plain text.

mod clean;
mod names;
mod part;
mod scan;
mod text;
mod write;

use htmd::HtmlToMarkdown;
use htmd::options::{BrStyle, BulletListMarker, Options};

use crate::web::WebAddress;
use clean::{Clean, Extent};
pub use part::Which;

/// Maximum size of the visible parts of a page that are converted, in bytes.
const MOST: usize = 2 << 20;
/// Maximum size of the Markdown or text of a page, in bytes. This limit exceeds `MOST`, because deep nesting adds many
/// spaces to the converted text.
const LONGEST: usize = 4 << 20;

/// A page that was converted to Markdown or plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedPage {
    /// The title of the page.
    pub title: Option<String>,
    /// The Markdown or plain text.
    pub text: String,
    /// The part of the page that was converted: all, or its main part.
    pub part: Which,
    /// The completeness of the converted text.
    pub whole: Whole,
}

/// The completeness of the text of a converted page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The text is complete.
    All,
    /// The text ends early, because the page is too long.
    Beginning,
}

/// Converts an HTML page to Markdown; `address` is the URL of the page.
#[must_use]
pub fn markdown(html: &str, address: &WebAddress) -> ConvertedPage {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = part::choose(&page, &base);
    let text = tidied(&converted(&chosen.html));
    converted_page(&page, chosen.which, text)
}

/// Converts an HTML page to plain text; `address` is the URL of the page.
#[must_use]
pub fn text(html: &str, address: &WebAddress) -> ConvertedPage {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = part::choose(&page, &base);
    let words = text::text(&clean::clean(&chosen.html, usize::MAX).pieces);
    converted_page(&page, chosen.which, words)
}

fn converted_page(page: &Clean<'_>, part: Which, mut text: String) -> ConvertedPage {
    let fits = page.extent == Extent::All && text.len() <= LONGEST;
    let whole = if fits { Whole::All } else { Whole::Beginning };
    text.truncate(text.floor_char_boundary(LONGEST));
    let title = page.title.as_deref().map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    ConvertedPage { title, text, part, whole }
}

fn base(page: &Clean<'_>, address: &WebAddress) -> WebAddress {
    page.base.as_deref().and_then(|base| address.join(base).ok()).unwrap_or_else(|| address.clone())
}

fn converted(html: &str) -> String {
    let options = Options {
        br_style: BrStyle::Backslash,
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let made = HtmlToMarkdown::builder().options(options).build().convert(html);
    // Conversion in memory does not fail. If it did, the plain text would be returned.
    made.unwrap_or_else(|_| text::text(&clean::clean(html, usize::MAX).pieces))
}

/// Removes spaces at the ends of lines, and repeated empty lines.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 && !(line.is_empty() && out.is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}
