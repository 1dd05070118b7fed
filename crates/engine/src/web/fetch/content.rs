//! Converts a server's answer to the content to show: the text of a page, JSON, plain text, an image, or a PDF as text.

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
use toolpost_net::{BodyCompleteness, FetchResponse, WebAddress, decode, html, pretty};
use toolpost_text::escape;

/// The number of bytes at the beginning of an answer's body from which its type is determined.
const HEAD: usize = 8 * 1024;
/// Subtypes of the media type `application` that are treated as text.
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

/// The requested format of the content, and the time limit for the conversion.
pub(crate) struct ContentRequest {
    pub(crate) format: Format,
    /// The time limit for reading a document such as a PDF.
    pub(crate) time: Duration,
}

/// The content of a server's answer, converted to show it.
pub(crate) enum WebContent {
    Text {
        form: Form,
        title: Option<String>,
        text: String,
        encoding: Option<&'static str>,
        notes: Vec<String>,
    },
    Image(Image),
}

/// The type of the content in a server's answer.
enum ContentType {
    Page,
    Json,
    Text,
    Markdown,
    Pdf,
    Picture,
    Binary(&'static str),
}

/// Converts a server's answer to content. Fails if the answer has an unknown compression, is binary, or is an
/// image or PDF that is incomplete or cannot be converted.
pub(crate) fn shown(
    fetched: &FetchResponse,
    address: &WebAddress,
    wanted: &ContentRequest,
) -> Result<WebContent, Failure> {
    if let Some(packed) = &fetched.head.packed {
        let what = format!("{address} is compressed with {}, which is not supported.", escape::text(packed));
        return Err(Failure::new(Kind::WrongKind, what));
    }
    let sort = sort(fetched, address);
    let mut notes = Vec::new();
    notes.extend(ending(fetched, &sort, address)?);
    match sort {
        ContentType::Picture => {
            let image = image::of_bytes(address.as_str(), &fetched.body);
            image.map(WebContent::Image)
        }
        ContentType::Pdf => {
            let (text, more) = pdf::text(address.as_str(), fetched.body.clone(), wanted.time)?;
            notes.extend(more);
            Ok(WebContent::Text {
                form: Form::Pdf,
                title: None,
                text: escape::prose(&text).into_owned(),
                encoding: None,
                notes,
            })
        }
        ContentType::Binary(what) => {
            let size = fetched.body.len();
            let more = if fetched.end == BodyCompleteness::Whole { "" } else { " or more" };
            let what = format!("{address} is not text: {what}, {size} bytes{more}. It cannot be shown.");
            Err(Failure::new(Kind::WrongKind, what).hint(Hint::Advice(
                "Look for a text version, or for a page that describes the file.".to_owned(),
            )))
        }
        ContentType::Page | ContentType::Json | ContentType::Text | ContentType::Markdown => {
            Ok(words(fetched, address, &sort, wanted.format, notes))
        }
    }
}

/// Describes why the body of an answer is incomplete, as a note; `None` if it is complete. Refuses an incomplete image
/// or PDF.
fn ending(
    fetched: &FetchResponse,
    sort: &ContentType,
    address: &WebAddress,
) -> Result<Option<String>, Failure> {
    let size = fetched.body.len();
    let note = match &fetched.end {
        BodyCompleteness::Whole => return Ok(None),
        BodyCompleteness::Cut => format!("only the first {size} bytes were read, which is the limit"),
        BodyCompleteness::Late => format!("only {size} bytes had arrived when the time limit was reached"),
        BodyCompleteness::Broken(why) => {
            format!("the connection broke off after {size} bytes ({})", escape::text(why))
        }
    };
    match (sort, &fetched.end) {
        (ContentType::Picture | ContentType::Pdf, BodyCompleteness::Cut) => {
            Err(Failure::new(Kind::TooLarge, format!("{address} cannot be shown: {note}.")))
        }
        (ContentType::Picture | ContentType::Pdf, _) => {
            Err(Failure::new(Kind::Io, format!("{address} cannot be shown: {note}.")).hint(Hint::TryAgain))
        }
        _ => Ok(Some(note)),
    }
}

fn words(
    fetched: &FetchResponse,
    address: &WebAddress,
    sort: &ContentType,
    format: Format,
    mut notes: Vec<String>,
) -> WebContent {
    let decoded = decode(&fetched.body, fetched.head.content_type.as_deref());
    if decoded.bytes == toolpost_net::Bytes::Odd {
        notes.push(format!("some bytes are not {}; they are shown as \u{fffd}", decoded.encoding));
    }
    let encoding = Some(decoded.encoding);
    let (form, title, text) = match (sort, format) {
        (ContentType::Page, Format::Markdown | Format::Text) => {
            let (form, said) = match format {
                Format::Text => (Form::Text, html::text(&decoded.text, address)),
                Format::Markdown | Format::Html => (Form::Markdown, html::markdown(&decoded.text, address)),
            };
            notes.extend(part(&said));
            (form, said.title, said.text)
        }
        (ContentType::Page, Format::Html) => (Form::Html, None, decoded.text),
        (ContentType::Json, _) => (Form::Json, None, pretty(&decoded.text).unwrap_or(decoded.text)),
        (ContentType::Markdown, _) => (Form::Markdown, None, decoded.text),
        _ => (Form::Text, None, decoded.text),
    };
    let title = title.map(|title| escape::prose(&title).into_owned());
    WebContent::Text { form, title, text: escape::prose(&text).into_owned(), encoding, notes }
}

/// Returns notes about parts of a page that are not shown.
fn part(said: &html::ConvertedPage) -> Vec<String> {
    let mut notes = Vec::new();
    match said.part {
        html::PageSection::All => {}
        html::PageSection::Main => {
            notes.push("this is the main part of the page; the format html shows the whole page".to_owned());
        }
        html::PageSection::Article => {
            notes.push("this is the article of the page; the format html shows the whole page".to_owned());
        }
    }
    if said.whole == html::PageCompleteness::Beginning {
        notes.push(
            "the page is so long that only its beginning was converted; the format html shows the whole page"
                .to_owned(),
        );
    }
    notes
}

/// Determines the type of an answer by its first bytes, then by its declared content type.
fn sort(fetched: &FetchResponse, address: &WebAddress) -> ContentType {
    let head = &fetched.body[..fetched.body.len().min(HEAD)];
    match toolpost_documents::kind(head, address.file_name()) {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => return ContentType::Picture,
        Document::Pdf => return ContentType::Pdf,
        Document::Notebook => return ContentType::Json,
        Document::Other { what } => return ContentType::Binary(what),
        Document::Unknown => {}
    }
    let marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if head.contains(&0) && !marked {
        return ContentType::Binary("binary data");
    }
    let said = fetched.head.content_type.as_deref().unwrap_or_default();
    let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (sort, kind) = said.split_once('/').unwrap_or_default();
    match (sort, kind) {
        ("text", "html") | ("application", "xhtml+xml") => ContentType::Page,
        ("text" | "application", "json") => ContentType::Json,
        (_, kind) if kind.ends_with("+json") => ContentType::Json,
        ("text", "markdown" | "x-markdown") => ContentType::Markdown,
        ("text", _) => ContentType::Text,
        ("application", kind) if TEXTS.contains(&kind) => ContentType::Text,
        (_, kind) if kind.ends_with("+xml") => ContentType::Text,
        _ => unsaid(head),
    }
}

/// Determines the type of an answer without a useful content type, from the beginning of its body.
fn unsaid(head: &[u8]) -> ContentType {
    let begins = String::from_utf8_lossy(&head[..head.len().min(256)]).trim_start().to_ascii_lowercase();
    if begins.starts_with("<!doctype html") || begins.starts_with("<html") {
        return ContentType::Page;
    }
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_some() => ContentType::Binary("binary data"),
        _ => ContentType::Text,
    }
}
