//! Pieces of a page as HTML again: whole, with links that stand by themselves, and without what only dresses it.

use std::borrow::Cow;

use super::scan::{Piece, Tag};
use crate::web::WebAddress;

/// Attributes that mean something for what is read.
const KEPT: &[&str] = &[
    "alt", "class", "colspan", "datetime", "id", "itemprop", "lang", "name", "role", "rowspan", "start",
    "title",
];
/// The longest address that a link or a picture keeps.
const LONGEST: usize = 2_000;

/// Writes pieces as HTML; links are relative to an address.
pub(super) fn html(pieces: &[Piece<'_>], base: &WebAddress) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            // What came between two texts is gone: the end of one and the beginning of the next must not become a tag.
            Piece::Text(text) => match text.strip_suffix('<') {
                Some(before) => {
                    out.push_str(before);
                    out.push_str("&lt;");
                }
                None => out.push_str(text),
            },
            Piece::Close(name) => {
                out.push_str("</");
                out.push_str(name);
                out.push('>');
            }
            Piece::Open(tag) => open(tag, base, &mut out),
        }
    }
    out
}

fn open(tag: &Tag<'_>, base: &WebAddress, out: &mut String) {
    if tag.name == "img"
        && (tag.attribute("alt").is_none_or(str::is_empty) || link(tag, "src", base).is_none())
    {
        return;
    }
    out.push('<');
    out.push_str(&tag.name);
    for (name, value) in &tag.attributes {
        if KEPT.contains(&&**name) {
            attribute(name, Cow::Borrowed(value), out);
        }
    }
    for name in ["href", "src"] {
        if let Some(address) = link(tag, name, base) {
            attribute(name, html_escape::encode_double_quoted_attribute(&address), out);
        }
    }
    out.push('>');
}

/// Gives where an attribute leads, whole; nothing where it leads nowhere or holds a picture itself.
fn link(tag: &Tag<'_>, name: &str, base: &WebAddress) -> Option<String> {
    let written = html_escape::decode_html_entities(tag.attribute(name)?.trim());
    let whole = base.url().join(&written).ok()?;
    let leads = matches!(whole.scheme(), "http" | "https" | "mailto") && whole.as_str().len() <= LONGEST;
    leads.then(|| whole.to_string())
}

fn attribute(name: &str, value: Cow<'_, str>, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    // The value is written as it stood there, where it may have stood in other quotes.
    out.push_str(&value.replace('"', "&quot;"));
    out.push('"');
}
