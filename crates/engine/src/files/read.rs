//! `read`: the lines of a text, or the content of a picture, a PDF or a notebook.

use super::{content::Shown, document, lookup};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Kind},
    files::Files,
    operation::Operation,
    seen::{Part, Seen},
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_documents::{Kind as Document, office};
use toolpost_workspace::WorkspacePath;

pub use super::content::{
    Cell, CellOutput, Content, Gutter, Image, Keep, Notebook, Office, OfficePart, Pdf, PdfPage, Request,
    Text, Total,
};
pub use toolpost_text::window::{Line, Lines};

/// Shows a file.
pub struct Read;

/// The content of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The file, relative to its root.
    pub path: String,
    /// The file that was read instead of the requested one, and the reason.
    pub note: Option<String>,
    /// The size in bytes.
    pub bytes: u64,
    /// The hash of the whole content, if all of it was read.
    pub hash: Option<String>,
    /// The content.
    pub content: Content,
    /// The file.
    #[serde(skip)]
    #[schemars(skip)]
    pub place: WorkspacePath,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Option<Seen>,
}

impl Output {
    /// Returns the lines of a text.
    #[must_use]
    pub fn text(&self) -> Option<&Text> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Drops the lines that do not fit into the room.
    pub(crate) fn narrow(&mut self, room: usize) {
        if let Content::Text(text) = &mut self.content
            && let Some(lines) = text.narrow(room)
            && let Some(seen) = &mut self.seen
        {
            seen.part = Part::Lines(lines);
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

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.iter().cloned().collect()
    }
}

pub(crate) fn read(files: &Files, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let mut found = lookup::file(files, &request.path, &request.said, cx)?;
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
    let seen = Seen { path: found.path.clone(), hash: shown.hash, part: shown.part, bytes: shown.bytes };
    Ok(Output {
        path: found.path.display(),
        note: found.note,
        bytes: found.len,
        hash: shown.hash.map(|hash| hash.to_string()),
        content: shown.content,
        place: found.path,
        seen: seen.hash.is_some().then_some(seen),
    })
}

/// Shows an invalid notebook as text, so that it can be repaired.
fn as_text_if_broken(
    shown: Result<Shown, Failure>,
    found: &mut lookup::Found,
    files: &Files,
    request: &Request,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    match shown {
        Err(failure) if failure.kind == Kind::WrongKind => {
            found.note = Some(format!("{} Shown as text.", failure.what));
            document::text::show(lookup::open(files, &found.path)?, files, request, cx)
        }
        other => other,
    }
}
