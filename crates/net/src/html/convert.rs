//! Conversion of a cleaned page.

use htmd::HtmlToMarkdown;
use htmd::options::{BrStyle, BulletListMarker, Options};

use super::clean::{self, Clean, ProcessedExtent};
use super::page::{ConvertedPage, PageCompleteness, PageSection};
use super::{main_part, text as words};
use crate::web::WebAddress;

/// Maximum size of the visible parts of a page that are converted, in bytes.
const MOST: usize = 2 << 20;
/// Maximum size of the Markdown or text of a page, in bytes. It can be longer than the page, because deep nesting needs
/// many spaces.
const LONGEST: usize = 4 << 20;

/// Converts an HTML page to Markdown; `address` is the URL of the page.
#[must_use]
pub fn markdown(html: &str, address: &WebAddress) -> ConvertedPage {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = main_part::choose(&page, &base);
    let text = tidied(&converted(&chosen.html));
    converted_page(&page, chosen.which, text)
}

/// Converts an HTML page to plain text; `address` is the URL of the page.
#[must_use]
pub fn text(html: &str, address: &WebAddress) -> ConvertedPage {
    let page = clean::clean(html, MOST);
    let base = base(&page, address);
    let chosen = main_part::choose(&page, &base);
    let words = words::text(&clean::clean(&chosen.html, usize::MAX).pieces);
    converted_page(&page, chosen.which, words)
}

fn converted_page(page: &Clean<'_>, part: PageSection, mut text: String) -> ConvertedPage {
    let fits = page.extent == ProcessedExtent::All && text.len() <= LONGEST;
    let whole = if fits { PageCompleteness::All } else { PageCompleteness::Beginning };
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
    made.unwrap_or_else(|_| words::text(&clean::clean(html, usize::MAX).pieces))
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
