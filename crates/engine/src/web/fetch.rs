//! The `fetch` operation: fetches a URL and returns its content as text or as an image.

pub(crate) mod content;
pub(crate) mod failure;
pub(crate) mod page;

use crate::{
    access::{Access, Touch, command::Host},
    call::CallCtx,
    failure::{Failure, Hint, convert},
    files::content::Image,
    operation::Operation,
    web::Web,
    workers::blocking,
};
use page::{ContentRequest, shown};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use toolpost_net::{FetchResponse, WebAddress};

pub use failure::OWN_SERVER;
pub use page::Origin;

/// The time limit for converting a document such as a PDF to text.
const READING: Duration = Duration::from_secs(30);
/// The part of a reply that is reserved for everything except the text, in bytes and in lines.
const AROUND: (usize, usize) = (1_500, 20);

/// The `fetch` operation, which fetches a URL.
pub struct Fetch;

/// A request to fetch a URL.
#[derive(Debug, Clone)]
pub struct Request {
    /// The URL to fetch.
    pub address: WebAddress,
    /// A note for the reply if `address` is not the URL that the caller passed.
    pub note: Option<String>,
    /// The output format of pages.
    pub format: Format,
    /// The time limit for the answer of the server.
    pub time: Duration,
    /// The offset in the text at which the shown part begins, in bytes.
    pub offset: u64,
    /// The maximum size of the reply, in bytes.
    pub max_bytes: usize,
    /// The maximum number of lines of the reply.
    pub max_lines: usize,
}

/// An output format of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// The HTML source, unchanged.
    Html,
}

/// The format of the text in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// HTML.
    Html,
    /// JSON, pretty-printed.
    Json,
    /// The text of the pages of a PDF.
    Pdf,
}

/// The fetched content.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The final URL, after redirects.
    pub url: String,
    /// All URLs in order, if there were redirects; otherwise empty.
    pub led: Vec<String>,
    /// The HTTP status.
    pub status: u16,
    /// The content type that the server declared, if it did.
    pub content_type: Option<String>,
    /// The size of the body after decompression, in bytes.
    pub bytes: u64,
    /// The origin: the network or the cache.
    pub origin: Origin,
    /// The content to show.
    pub content: Content,
    /// Notes about the content, for example about missing parts.
    pub notes: Vec<String>,
}

/// The content of an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Words(Words),
    /// An image.
    Image(Image),
}

/// The text of an answer, or a part of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Words {
    /// The text's format.
    pub form: Form,
    /// The title of the page; `None` if the page has no title or was not converted.
    pub title: Option<String>,
    /// The character encoding of the source; `None` for a PDF.
    pub encoding: Option<String>,
    /// The shown part of the text.
    pub text: String,
    /// The offset of the part in the whole text, in bytes.
    pub offset: u64,
    /// The size of the whole text, in bytes.
    pub total: u64,
    /// The offset of the next part, if there is one.
    pub next: Option<u64>,
}

impl Format {
    /// Returns the `Accept` header, best format first.
    pub(crate) fn accept(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1",
            Self::Text => "text/plain, text/markdown;q=0.9, text/html;q=0.8, */*;q=0.1",
            Self::Html => {
                "text/html, application/xhtml+xml;q=0.9, text/markdown;q=0.5, text/plain;q=0.4, */*;q=0.1"
            }
        }
    }
}

impl Request {
    /// Creates a request for a URL, with a time limit of 30 seconds and no size limits. If the URL is a GitHub page
    /// that shows a file, the raw file is requested instead, except in the format `Html`.
    ///
    /// # Errors
    /// `Invalid` if `url` is not a URL that can be fetched.
    pub fn new(url: &str, format: Format) -> Result<Self, Failure> {
        let bad = |error: toolpost_net::AddressError| {
            let shown = toolpost_text::escape::text(url.trim()).into_owned();
            let shown: String = shown.chars().take(200).collect();
            let shown = if shown.is_empty() { "An empty URL" } else { &shown };
            Failure::invalid(format!("{shown} cannot be fetched: {}", convert::sentence(&error.to_string())))
                .hint(Hint::Advice("Read files of the workspace with the file tools.".to_owned()))
        };
        let address = WebAddress::parse(url).map_err(bad)?;
        let raw = (format != Format::Html).then(|| raw(&address)).flatten();
        let note = raw.as_ref().map(|raw| {
            format!("{address} shows a file inside a page; the file itself was fetched, from {raw}")
        });
        Ok(Self {
            address: raw.unwrap_or(address),
            note,
            format,
            time: Duration::from_secs(30),
            offset: 0,
            max_bytes: usize::MAX,
            max_lines: usize::MAX,
        })
    }
}

/// Returns the URL of the raw file if the URL is a GitHub page that shows a file.
fn raw(address: &WebAddress) -> Option<WebAddress> {
    if !matches!(address.host().as_str(), "github.com" | "www.github.com") {
        return None;
    }
    let mut parts = address.path().trim_start_matches('/').splitn(4, '/');
    let (owner, name, blob, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_file = blob == "blob" && rest.contains('/') && !rest.ends_with('/');
    is_file.then(|| {
        WebAddress::parse(&format!("https://raw.githubusercontent.com/{owner}/{name}/{rest}")).ok()
    })?
}

impl Operation for Fetch {
    const NAME: &'static str = "fetch";
    const ACCESS: &'static [Access] = &[Access::Fetches];
    type Capability = Web;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Fetch(Host::at(&request.address.host(), request.address.port()))]
    }

    async fn run(web: &Web, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let got = page::get(web, &request, cx).await?;
        let (fetched, origin) = (got.fetched, got.origin);
        let wanted = ContentRequest { format: request.format, time: cx.time_left(READING) };
        blocking(move || made(&fetched, origin, &request, &wanted)).await
    }
}

fn made(
    fetched: &FetchResponse,
    origin: Origin,
    request: &Request,
    wanted: &ContentRequest,
) -> Result<Output, Failure> {
    let address = fetched.address().unwrap_or(&request.address);
    let mut notes: Vec<String> = request.note.iter().cloned().collect();
    let content = match shown(fetched, address, wanted)? {
        page::WebContent::Image(image) => Content::Image(image),
        page::WebContent::Text { form, title, text, encoding, notes: more } => {
            notes.extend(more);
            let encoding = encoding.map(str::to_owned);
            Content::Words(cut(
                Words { form, title, encoding, text, offset: 0, total: 0, next: None },
                request,
            )?)
        }
    };
    let led = fetched.hops.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(Output {
        url: address.to_string(),
        led: if led.len() > 1 { led } else { Vec::new() },
        status: fetched.status,
        content_type: fetched.head.content_type.clone(),
        bytes: fetched.body.len() as u64,
        origin,
        content,
        notes,
    })
}

/// Takes the part of the text that begins at the requested offset and fits into the reply. Fails if the offset is at
/// or after the end of the text, unless the text is empty.
fn cut(words: Words, request: &Request) -> Result<Words, Failure> {
    let total = words.text.len();
    let from = usize::try_from(request.offset).unwrap_or(usize::MAX);
    if from > total || (from == total && total > 0) {
        let place = if from == total { "at" } else { "after" };
        let address = &request.address;
        let what = format!("offset {from} is {place} the end: the content of {address} has {total} bytes.");
        return Err(Failure::invalid(what).hint(Hint::Page(0)));
    }
    let from = words.text.floor_char_boundary(from);
    let rest = &words.text[from..];
    let (bytes, lines) =
        (request.max_bytes.saturating_sub(AROUND.0), request.max_lines.saturating_sub(AROUND.1));
    let by_lines = rest.match_indices('\n').nth(lines.saturating_sub(1)).map_or(rest.len(), |(at, _)| at + 1);
    let most = rest.floor_char_boundary(bytes.min(by_lines));
    // The part ends after a whole line, unless this would drop more than a quarter of the part.
    let line = rest[..most].rfind('\n').map(|at| at + 1).filter(|at| *at > most / 4 * 3);
    let end = if most == rest.len() { most } else { line.unwrap_or(most) };
    let next = (end < rest.len()).then_some((from + end) as u64);
    let text = rest[..end].to_owned();
    Ok(Words { text, offset: from as u64, total: total as u64, next, ..words })
}
