//! Content of an answer: the text of a page, JSON, plain text, a picture, the pages of a PDF.

use super::{Form, Format};
use crate::{
    failure::{Failure, Hint, Kind},
    files::{
        content::Image,
        document::{image, pdf},
    },
};
use std::time::Duration;
use toolpost_documents::Kind as Document;
use toolpost_net::{End, Fetched, WebAddress, decode, html, pretty};
use toolpost_text::escape;

/// The length of the start of a body that is checked for a NUL byte, the mark of binary data.
const HEAD: usize = 8 * 1024;
/// Subtypes of `application` that are text.
const TEXTS: &[&str] = &[
    "xml",
    "javascript",
    "ecmascript",
    "x-javascript",
    "typescript",
    "x-sh",
    "toml",
    "yaml",
    "x-yaml",
    "sql",
    "graphql",
    "x-ndjson",
    "x-httpd-php",
    "x-tex",
    "x-subrip",
];

/// The requested form of an answer.
pub(crate) struct Wanted {
    pub(crate) format: Format,
    /// The time limit for reading it.
    pub(crate) time: Duration,
}

/// The content of an answer.
pub(crate) enum Shown {
    Text {
        form: Form,
        title: Option<String>,
        text: String,
        encoding: Option<&'static str>,
        notes: Vec<String>,
    },
    Image(Image),
}

/// The type of an answer.
enum Sort {
    Page,
    Json,
    Text,
    Markdown,
    Pdf,
    Picture,
    Binary(&'static str),
}

/// Converts an answer into its content.
pub(crate) fn shown(fetched: &Fetched, address: &WebAddress, wanted: &Wanted) -> Result<Shown, Failure> {
    if let Some(packed) = &fetched.head.packed {
        let what = format!("{address} is packed as {}, which is not unpacked here.", escape::text(packed));
        return Err(Failure::new(Kind::WrongKind, what));
    }
    let sort = sort(fetched, address);
    let mut notes = Vec::new();
    notes.extend(ending(fetched, &sort, address)?);
    match sort {
        Sort::Picture => {
            let image = image::of_bytes(address.as_str(), &fetched.body);
            image.map(Shown::Image)
        }
        Sort::Pdf => {
            let (text, more) = pdf::text(address.as_str(), fetched.body.clone(), wanted.time)?;
            notes.extend(more);
            Ok(Shown::Text {
                form: Form::Pdf,
                title: None,
                text: escape::prose(&text).into_owned(),
                encoding: None,
                notes,
            })
        }
        Sort::Binary(what) => {
            let size = fetched.body.len();
            let more = if fetched.end == End::Whole { "" } else { " or more" };
            let what = format!("{address} is no text: {what}, {size} bytes{more}. It cannot be shown.");
            Err(Failure::new(Kind::WrongKind, what).hint(Hint::Advice(
                "Look for a page that tells about it, or for a text beside it.".to_owned(),
            )))
        }
        Sort::Page | Sort::Json | Sort::Text | Sort::Markdown => {
            Ok(words(fetched, address, &sort, wanted.format, notes))
        }
    }
}

/// Reports a body that did not arrive completely; an incomplete picture is refused.
fn ending(fetched: &Fetched, sort: &Sort, address: &WebAddress) -> Result<Option<String>, Failure> {
    let size = fetched.body.len();
    let note = match &fetched.end {
        End::Whole => return Ok(None),
        End::Cut => format!("only the first {size} bytes of it were taken, which is the most"),
        End::Late => format!("only {size} bytes of it had come when the time was over"),
        End::Broken(why) => format!("the connection broke off after {size} bytes ({})", escape::text(why)),
    };
    match (sort, &fetched.end) {
        (Sort::Picture | Sort::Pdf, End::Cut) => {
            Err(Failure::new(Kind::TooLarge, format!("{address} cannot be shown: {note}.")))
        }
        (Sort::Picture | Sort::Pdf, _) => {
            Err(Failure::new(Kind::Io, format!("{address} cannot be shown: {note}.")).hint(Hint::TryAgain))
        }
        _ => Ok(Some(note)),
    }
}

fn words(
    fetched: &Fetched,
    address: &WebAddress,
    sort: &Sort,
    format: Format,
    mut notes: Vec<String>,
) -> Shown {
    let decoded = decode(&fetched.body, fetched.head.content_type.as_deref());
    if decoded.bytes == toolpost_net::Bytes::Odd {
        notes.push(format!("some bytes are not {}; they stand as \u{fffd}", decoded.encoding));
    }
    let encoding = Some(decoded.encoding);
    let (form, title, text) = match (sort, format) {
        (Sort::Page, Format::Markdown | Format::Text) => {
            let (form, said) = match format {
                Format::Text => (Form::Text, html::text(&decoded.text, address)),
                Format::Markdown | Format::Html => (Form::Markdown, html::markdown(&decoded.text, address)),
            };
            notes.extend(part(&said));
            (form, said.title, said.text)
        }
        (Sort::Page, Format::Html) => (Form::Html, None, decoded.text),
        (Sort::Json, _) => (Form::Json, None, pretty(&decoded.text).unwrap_or(decoded.text)),
        (Sort::Markdown, _) => (Form::Markdown, None, decoded.text),
        _ => (Form::Text, None, decoded.text),
    };
    let title = title.map(|title| escape::prose(&title).into_owned());
    Shown::Text { form, title, text: escape::prose(&text).into_owned(), encoding, notes }
}

/// Describes the part of a page that is shown.
fn part(said: &html::Said) -> Vec<String> {
    let mut notes = Vec::new();
    match said.part {
        html::Which::All => {}
        html::Which::Main => {
            notes.push("this is the main part of the page; the format html shows all of it".to_owned());
        }
        html::Which::Article => {
            notes.push("this is the article of the page; the format html shows all of it".to_owned());
        }
    }
    if said.whole == html::Whole::Beginning {
        notes.push(
            "the page is so long that only its beginning was converted; the format html shows all of it"
                .to_owned(),
        );
    }
    notes
}

/// Returns the type of an answer: by its first bytes, then by its declared type.
fn sort(fetched: &Fetched, address: &WebAddress) -> Sort {
    let head = &fetched.body[..fetched.body.len().min(HEAD)];
    match toolpost_documents::kind(head, address.file_name()) {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => return Sort::Picture,
        Document::Pdf => return Sort::Pdf,
        Document::Notebook => return Sort::Json,
        Document::Other { what } => return Sort::Binary(what),
        Document::Unknown => {}
    }
    let marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if head.contains(&0) && !marked {
        return Sort::Binary("binary data");
    }
    let said = fetched.head.content_type.as_deref().unwrap_or_default();
    let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (sort, kind) = said.split_once('/').unwrap_or_default();
    match (sort, kind) {
        ("text", "html") | ("application", "xhtml+xml") => Sort::Page,
        ("text" | "application", "json") => Sort::Json,
        (_, kind) if kind.ends_with("+json") => Sort::Json,
        ("text", "markdown" | "x-markdown") => Sort::Markdown,
        ("text", _) => Sort::Text,
        ("application", kind) if TEXTS.contains(&kind) => Sort::Text,
        (_, kind) if kind.ends_with("+xml") => Sort::Text,
        _ => unsaid(head),
    }
}

/// Returns the type of an answer with no declared type, or with a meaningless one.
fn unsaid(head: &[u8]) -> Sort {
    let begins = String::from_utf8_lossy(&head[..head.len().min(256)]).trim_start().to_ascii_lowercase();
    if begins.starts_with("<!doctype html") || begins.starts_with("<html") {
        return Sort::Page;
    }
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_some() => Sort::Binary("binary data"),
        _ => Sort::Text,
    }
}
