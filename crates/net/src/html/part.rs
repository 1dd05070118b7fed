//! Selection of a page's main part: the article, or the element that the page names as its main one.

use dom_smoothie::{Config, Readability};

use super::clean::Clean;
use super::scan::{Piece, Tag};
use super::{text, write};
use crate::web::WebAddress;

/// Maximum size of a page for article extraction, in bytes.
const LONGEST: usize = 1 << 20;
/// Maximum number of elements of such a page.
const ELEMENTS: usize = 20_000;
/// Minimum share of the visible text in an article: one part in this many.
const SHARE: usize = 5;
/// Minimum number of characters of a main element.
const LEAST: usize = 200;

/// The selected part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All visible text.
    All,
    /// The element that the page names as its main one.
    Main,
    /// The article in it.
    Article,
}

/// A part of a page.
pub(super) struct SelectedPart {
    pub(super) html: String,
    pub(super) which: Which,
}

/// Selects the main part.
pub(super) fn choose(page: &Clean<'_>, base: &WebAddress) -> SelectedPart {
    let all = write::html(&page.pieces, base);
    let main = main(&page.pieces).filter(|main| text::seen(main) >= LEAST);
    // Article extraction loses tables and code, which documentation needs.
    let is_reference = main.is_some_and(|main| main.iter().any(is_reference));
    if !is_reference && let Some(html) = article(page, &all, base) {
        return SelectedPart { html, which: Which::Article };
    }
    match main {
        Some(main) => SelectedPart { html: write::html(main, base), which: Which::Main },
        None => SelectedPart { html: all, which: Which::All },
    }
}

/// Returns the main element: one with that name, or the only article.
fn main<'p, 'h>(pieces: &'p [Piece<'h>]) -> Option<&'p [Piece<'h>]> {
    let named = |tag: &Tag<'_>| {
        tag.name == "main" || tag.attribute("role").is_some_and(|role| role.eq_ignore_ascii_case("main"))
    };
    let first = |is: &dyn Fn(&Tag<'_>) -> bool| {
        pieces.iter().position(|piece| matches!(piece, Piece::Open(tag) if is(tag)))
    };
    let is_article = |tag: &Tag<'_>| tag.name == "article";
    let articles = pieces.iter().filter(|piece| matches!(piece, Piece::Open(tag) if is_article(tag)));
    let only = (articles.count() == 1).then(|| first(&is_article)).flatten();
    element(pieces, first(&named).or(only)?)
}

/// Returns the pieces of an element, with its tags.
fn element<'p, 'h>(pieces: &'p [Piece<'h>], at: usize) -> Option<&'p [Piece<'h>]> {
    let Piece::Open(Tag { name, .. }) = pieces.get(at)? else { return None };
    let mut depth = 0_usize;
    for (further, piece) in pieces[at..].iter().enumerate() {
        match piece {
            Piece::Open(tag) if tag.name == *name => depth += 1,
            Piece::Close(closed) if closed == name => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&pieces[at..=at + further]);
        }
    }
    None
}

fn is_reference(piece: &Piece<'_>) -> bool {
    matches!(piece, Piece::Open(tag) if matches!(&*tag.name, "pre" | "table" | "dl"))
}

/// Extracts an article from a page that seems to have one; it must contain much of the visible text.
fn article(page: &Clean<'_>, all: &str, base: &WebAddress) -> Option<String> {
    let elements = page.pieces.iter().filter(|piece| matches!(piece, Piece::Open(_))).count();
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
