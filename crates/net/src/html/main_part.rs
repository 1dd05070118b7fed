//! Selection of a page's main part: an extracted article, or the element that is marked as the main one.

use dom_smoothie::{Config, Readability};

use super::clean::Clean;
use super::page::PageSection;
use super::scan::{HtmlToken, Tag};
use super::{text, write};
use crate::web::WebAddress;

/// Maximum size of a page from which an article is extracted, in bytes.
const LONGEST: usize = 1 << 20;
/// Maximum number of elements of a page from which an article is extracted.
const ELEMENTS: usize = 20_000;
/// The inverse of the minimum share: an article must contain more than 1/`SHARE` of the visible text.
const SHARE: usize = 5;
/// Minimum number of visible characters of an element that is marked as the main one.
const LEAST: usize = 200;

/// The HTML of the selected part of a page.
pub(super) struct SelectedPart {
    pub(super) html: String,
    pub(super) which: PageSection,
}

/// Selects the main part of a page; `base` is the URL for its links.
pub(super) fn choose(page: &Clean<'_>, base: &WebAddress) -> SelectedPart {
    let all = write::html(&page.pieces, base);
    let main = main(&page.pieces).filter(|main| text::seen(main) >= LEAST);
    // Article extraction loses tables and code, so it is not used for a page with reference documentation.
    let is_reference = main.is_some_and(|main| main.iter().any(is_reference));
    if !is_reference && let Some(html) = article(page, &all, base) {
        return SelectedPart { html, which: PageSection::Article };
    }
    match main {
        Some(main) => SelectedPart { html: write::html(main, base), which: PageSection::Main },
        None => SelectedPart { html: all, which: PageSection::All },
    }
}

/// Returns the main element of a page: `main`, an element with the role `main`, or the only `article`.
fn main<'p, 'h>(pieces: &'p [HtmlToken<'h>]) -> Option<&'p [HtmlToken<'h>]> {
    let named = |tag: &Tag<'_>| {
        tag.name == "main" || tag.attribute("role").is_some_and(|role| role.eq_ignore_ascii_case("main"))
    };
    let first = |is: &dyn Fn(&Tag<'_>) -> bool| {
        pieces.iter().position(|piece| matches!(piece, HtmlToken::Open(tag) if is(tag)))
    };
    let is_article = |tag: &Tag<'_>| tag.name == "article";
    let articles = pieces.iter().filter(|piece| matches!(piece, HtmlToken::Open(tag) if is_article(tag)));
    let only = (articles.count() == 1).then(|| first(&is_article)).flatten();
    element(pieces, first(&named).or(only)?)
}

/// Returns the pieces of the element whose start tag is at the index `at`, with its tags.
fn element<'p, 'h>(pieces: &'p [HtmlToken<'h>], at: usize) -> Option<&'p [HtmlToken<'h>]> {
    let HtmlToken::Open(Tag { name, .. }) = pieces.get(at)? else { return None };
    let mut depth = 0_usize;
    for (further, piece) in pieces[at..].iter().enumerate() {
        match piece {
            HtmlToken::Open(tag) if tag.name == *name => depth += 1,
            HtmlToken::Close(closed) if closed == name => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&pieces[at..=at + further]);
        }
    }
    None
}

fn is_reference(piece: &HtmlToken<'_>) -> bool {
    matches!(piece, HtmlToken::Open(tag) if matches!(&*tag.name, "pre" | "table" | "dl"))
}

/// Extracts the article of a page; `all` is the HTML of the whole page. `None` if the page is too large or does not look
/// like an article, or if the article contains too little of the visible text.
fn article(page: &Clean<'_>, all: &str, base: &WebAddress) -> Option<String> {
    let elements = page.pieces.iter().filter(|piece| matches!(piece, HtmlToken::Open(_))).count();
    if all.len() > LONGEST || elements > ELEMENTS {
        return None;
    }
    let config = Config { disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(all, Some(base.as_str()), Some(config)).ok()?;
    if !reader.is_probably_readable() {
        return None;
    }
    let article = reader.parse().ok()?;
    let html = article.content.to_string();
    let kept = text::seen(&super::clean::clean(&html, usize::MAX).pieces);
    (kept * SHARE > text::seen(&page.pieces)).then_some(html)
}
