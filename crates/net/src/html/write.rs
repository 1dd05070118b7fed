//! Conversion of pieces back to HTML, with absolute links and without presentational markup.

use std::borrow::Cow;

use super::scan::{Piece, Tag};
use crate::web::WebAddress;

/// Attributes that matter to a reader.
const KEPT: &[&str] = &[
    "alt", "class", "colspan", "datetime", "id", "itemprop", "lang", "name", "role", "rowspan", "start",
    "title",
];
/// Maximum length of a link's or image's URL.
const LONGEST: usize = 2_000;

/// Writes pieces as HTML; links are resolved against a base URL.
pub(super) fn html(pieces: &[Piece<'_>], base: &WebAddress) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            // An element between two texts was removed: their ends must not combine into a tag.
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

/// Returns the absolute URL of an attribute; `None` for no URL or an embedded image.
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
    // The value is written raw; it may have been in other quotes.
    out.push_str(&value.replace('"', "&quot;"));
    out.push('"');
}
