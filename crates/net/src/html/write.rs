//! Conversion of a page's texts and tags back to HTML, with absolute links and without presentational markup.

use std::borrow::Cow;

use super::scan::{HtmlToken, Tag};
use crate::web::WebAddress;

/// The attributes that the written HTML keeps, in addition to links.
const KEPT: &[&str] = &[
    "alt", "class", "colspan", "datetime", "id", "itemprop", "lang", "name", "role", "rowspan", "start",
    "title",
];
/// Maximum length of the URL of a link or image, in bytes.
const LONGEST: usize = 2_000;

/// Writes texts and tags as HTML; links are resolved against a base URL.
pub(super) fn html(pieces: &[HtmlToken<'_>], base: &WebAddress) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            // An element between two texts may have been removed. A `<` at the end of the first text and a name at the
            // start of the second must not combine into a tag.
            HtmlToken::Text(text) => match text.strip_suffix('<') {
                Some(before) => {
                    out.push_str(before);
                    out.push_str("&lt;");
                }
                None => out.push_str(text),
            },
            HtmlToken::Close(name) => {
                out.push_str("</");
                out.push_str(name);
                out.push('>');
            }
            HtmlToken::Open(tag) => open(tag, base, &mut out),
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
        if name == "alt" {
            attribute(name, Cow::Owned(escaped(value)), out);
        } else if KEPT.contains(&&**name) {
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

/// Returns the URL in the attribute `name` as an absolute URL. `None` if the URL is missing, invalid or too long, or if
/// its scheme is not `http`, `https` or `mailto` (for example `data` for an embedded image).
fn link(tag: &Tag<'_>, name: &str, base: &WebAddress) -> Option<String> {
    let written = html_escape::decode_html_entities(tag.attribute(name)?.trim());
    let whole = base.url().join(&written).ok()?;
    let leads = matches!(whole.scheme(), "http" | "https" | "mailto") && whole.as_str().len() <= LONGEST;
    leads.then(|| whole.to_string())
}

/// Escapes brackets in an image's alternative text, because they could end the text and start a link in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in html_escape::decode_html_entities(text).chars() {
        if matches!(letter, '\\' | '[' | ']') {
            out.push('\\');
        }
        out.push(letter);
    }
    html_escape::encode_double_quoted_attribute(&out).into_owned()
}

fn attribute(name: &str, value: Cow<'_, str>, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    // The page may have the value in single quotes, so the value may contain double quotes.
    out.push_str(&value.replace('"', "&quot;"));
    out.push('"');
}
