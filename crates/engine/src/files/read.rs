//! The `read` operation: shows the lines of a text, or the content of an image, a PDF, a notebook or an
//! office document.

use super::{content::FileContent, document, lookup};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Kind},
    files::Files,
    operation::Operation,
    seen_content::{SeenContent, SeenRange},
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_documents::{Kind as Document, office};
use toolpost_workspace::WorkspacePath;

pub use super::content::{
    Cell, CellKind, CellOutput, Content, Gutter, Image, LinePreference, Notebook, Office, OfficePart, Pdf,
    PdfPage, Request, Text, Total,
};
pub use toolpost_text::window::{Line, Lines};

/// The `read` operation, which shows the content of a file.
pub struct Read;

/// A limit of this many lines or more does not count as a request for certain lines, so it is not reported as ignored
/// if the file has no lines.
const LINES: u64 = 2_000;

/// The content of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The file, relative to its root.
    pub path: String,
    /// Explains that another file was read instead of the requested one, or that an invalid notebook is shown as
    /// text.
    pub note: Option<String>,
    /// File size in bytes.
    pub bytes: u64,
    /// Hash of the whole content, if all was read.
    pub hash: Option<String>,
    /// The file's content.
    pub content: Content,
    /// The resolved path of the file that was read.
    #[serde(skip)]
    #[schemars(skip)]
    pub place: WorkspacePath,
    /// The part of the request that was ignored, because it does not apply to this type of file; `None` if all of it
    /// was used.
    #[serde(skip)]
    #[schemars(skip)]
    pub ignored: Option<IgnoredRange>,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Option<SeenContent>,
}

/// A part of a request that is ignored, because it does not apply to the type of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredRange {
    /// The requested pages, because the file has no pages.
    Pages,
    /// The requested lines, because the file has no lines.
    Lines,
}

impl Output {
    /// Returns the shown lines, if the content is text.
    #[must_use]
    pub fn text(&self) -> Option<&Text> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// If the content is text, drops the lines at its end that do not fit into `room` bytes.
    pub(crate) fn narrow(&mut self, room: usize) {
        if let Content::Text(text) = &mut self.content
            && let Some(lines) = text.narrow(room)
            && let Some(seen) = &mut self.seen
        {
            seen.part = SeenRange::Lines(lines);
        }
    }
}

impl Operation for Read {
    const NAME: &'static str = "read";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(files: &Files, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (files, cx) = (files.clone(), cx.clone());
        blocking(move || read(&files, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.seen.iter().cloned().collect()
    }
}

pub(crate) fn read(files: &Files, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let mut found = lookup::file(files, &request.path, &request.raw_path, cx)?;
    let opened = lookup::open(files, &found.path)?;
    let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = match toolpost_documents::kind(opened.head(), &name) {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => document::image::show(opened, cx),
        Document::Pdf => document::pdf::show(opened, request, cx),
        Document::Notebook => {
            let shown = document::notebook::show(opened, request, cx);
            as_text_if_broken(shown, &mut found, files, request, cx)
        }
        Document::Other { what } => match office::format(what, &name) {
            Some(format) => document::office::show(opened, format, request, cx),
            None => Err(document::binary(&found.path, opened.len(), what)),
        },
        Document::Unknown => document::text::show(opened, files, request, cx),
    }?;
    let seen =
        SeenContent { path: found.path.clone(), hash: shown.hash, part: shown.part, bytes: shown.bytes };
    Ok(Output {
        path: found.path.display(),
        note: found.note,
        bytes: found.len,
        hash: shown.hash.map(|hash| hash.to_string()),
        ignored: ignored(request, &shown.content),
        content: shown.content,
        place: found.path,
        seen: seen.hash.is_some().then_some(seen),
    })
}

/// Returns the part of a request that does not apply to the content, such as pages of a text. Notebook cells count as
/// lines.
fn ignored(request: &Request, content: &Content) -> Option<IgnoredRange> {
    let lines = request.offset > 1 || request.limit < LINES;
    match content {
        Content::Text(_) | Content::Notebook(_) | Content::Image(_) if request.pages.is_some() => {
            Some(IgnoredRange::Pages)
        }
        Content::Image(_) | Content::Pdf(_) | Content::Office(_) if lines => Some(IgnoredRange::Lines),
        _ => None,
    }
}

/// If a notebook could not be shown because it is invalid, shows the file as text, so that it can be repaired.
fn as_text_if_broken(
    shown: Result<FileContent, Failure>,
    found: &mut lookup::ResolvedFile,
    files: &Files,
    request: &Request,
    cx: &CallCtx,
) -> Result<FileContent, Failure> {
    match shown {
        Err(failure) if failure.kind == Kind::WrongKind => {
            found.note = Some(format!("{} Shown as text.", failure.what));
            document::text::show(lookup::open(files, &found.path)?, files, request, cx)
        }
        other => other,
    }
}
