//! HTML as what a reader sees of it: as Markdown, or as plain text.

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

/// The most bytes of a page that are turned into something else, without what is not seen.
const MOST: usize = 2 << 20;
/// The most bytes that come of it: what lies deep is written with many spaces.
const LONGEST: usize = 4 << 20;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What the page is called.
    pub title: Option<String>,
    /// Its words.
    pub text: String,
    /// Which part of it that is.
    pub part: Which,
    /// Whether all of that part was taken.
    pub whole: Whole,
}

/// Whether all of a page was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// All of it.
    All,
    /// It is too long, and the beginning was.
    Beginning,
}

/// Gives what a page says, as Markdown.
#[must_use]
pub fn markdown(html: &str, address: &WebAddress) -> Said {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = part::choose(&page, &base);
    let text = tidied(&converted(&chosen.html));
    said(&page, chosen.which, text)
}

/// Gives what a page says, as plain text.
#[must_use]
pub fn text(html: &str, address: &WebAddress) -> Said {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = part::choose(&page, &base);
    let words = text::text(&clean::clean(&chosen.html, usize::MAX).pieces);
    said(&page, chosen.which, words)
}

fn said(page: &Clean<'_>, part: Which, mut text: String) -> Said {
    let fits = page.extent == Extent::All && text.len() <= LONGEST;
    let whole = if fits { Whole::All } else { Whole::Beginning };
    text.truncate(text.floor_char_boundary(LONGEST));
    let title = page.title.as_deref().map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    Said { title, text, part, whole }
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
    // Reading from memory does not fail; if it did, the words themselves would still be there.
    made.unwrap_or_else(|_| text::text(&clean::clean(html, usize::MAX).pieces))
}

/// Takes off spaces at the ends of lines, and all but one of empty lines that follow one another.
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
