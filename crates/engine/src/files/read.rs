//! `read`: the lines of a text, or what a picture, a PDF or a notebook shows.

use super::{document, lookup};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    engine::{Engine, blocking},
    failure::{Failure, Kind},
    operation::Operation,
    session::{Part, Seen},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use toolpost_documents::{Kind as Document, office};
use toolpost_workspace::{ContentHash, WorkspacePath};

pub use super::document::{
    image::Image,
    notebook::{Cell, CellOutput, Notebook},
    office::{Office, OfficePart},
    pdf::{Pdf, PdfPage},
    text::{Line, Lines, Text, Total},
};

/// Shows a file.
pub struct Read;

/// Which file, and which part of it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The place.
    pub path: WorkspacePath,
    /// The path as it was said, to find what was meant if nothing is there.
    pub said: String,
    /// First line, counted from 1.
    pub offset: u64,
    /// How many lines.
    pub limit: u64,
    /// Which pages of a PDF, or parts of an office document, such as `1-5`.
    pub pages: Option<String>,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
    /// How many lines the answer may have.
    pub max_lines: u64,
    /// How many characters of one line are shown.
    pub characters: u64,
    /// Which lines are shown where not all of them fit into the answer.
    pub keep: Keep,
    /// What stands before each line in the answer.
    pub gutter: Gutter,
}

/// What stands before each line of an answer; it takes room, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gutter {
    /// Nothing.
    None,
    /// The number of the line with a colon and a blank.
    Label,
    /// The number of the line in columns, and a tab.
    Columns,
}

impl Gutter {
    /// Tells how many bytes it takes before a line, with the end of the line.
    #[must_use]
    pub fn weight(self, number: u64) -> usize {
        let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
        match self {
            Self::None => 1,
            Self::Label => digits + 3,
            Self::Columns => digits.max(6) + 2,
        }
    }
}

/// Which lines of a text are shown where not all of them fit into the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first ones.
    Head,
    /// So many of the first and of the last ones.
    Ends {
        /// Lines of the beginning.
        head: u64,
        /// Lines of the end.
        tail: u64,
    },
}

impl Request {
    /// Asks for all of a file, as much of it as fits into so many bytes; long lines are cut.
    #[must_use]
    pub fn of(path: WorkspacePath, said: String, max_bytes: usize) -> Self {
        Self {
            path,
            said,
            offset: 1,
            limit: u64::MAX,
            pages: None,
            max_bytes,
            max_lines: u64::MAX,
            characters: 2_000,
            keep: Keep::Head,
            gutter: Gutter::Columns,
        }
    }
}

/// What the file shows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The file, relative to its root.
    pub path: String,
    /// Where another file than the one that was said was taken: which, and why.
    pub note: Option<String>,
    /// The size in bytes.
    pub bytes: u64,
    /// The hash of the whole content, where all of it was looked at.
    pub hash: Option<String>,
    /// What it shows.
    pub content: Content,
    /// The file.
    #[serde(skip)]
    #[schemars(skip)]
    pub place: WorkspacePath,
    #[serde(skip)]
    #[schemars(skip)]
    seen: Option<Seen>,
}

/// What a file shows.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Lines of text.
    Text(Text),
    /// A picture.
    Image(Image),
    /// Pages of a PDF.
    Pdf(Pdf),
    /// Cells of a notebook.
    Notebook(Notebook),
    /// Parts of an office document, or the entries of an archive.
    Office(Office),
}

/// What was made of a file: the content to show, and what of it the caller has then seen.
pub(crate) struct Shown {
    pub(crate) content: Content,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) part: Part,
    pub(crate) bytes: Option<Arc<[u8]>>,
}

impl Output {
    /// Gives the lines of a text.
    #[must_use]
    pub fn text(&self) -> Option<&Text> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Leaves out the lines that so many bytes do not hold.
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
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (engine, cx) = (engine.clone(), cx.clone());
        blocking(move || read(&engine, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.seen.iter().cloned().collect()
    }
}

/// Shows one file.
pub(crate) fn read(engine: &Engine, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let mut found = lookup::file(engine, &request.path, &request.said, cx)?;
    let opened = lookup::open(engine, &found.path)?;
    let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = match toolpost_documents::kind(opened.head(), &name) {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => document::image::show(opened, cx),
        Document::Pdf => document::pdf::show(opened, request, cx),
        Document::Notebook => {
            let shown = document::notebook::show(opened, request, cx);
            as_text_if_broken(shown, &mut found, engine, request, cx)
        }
        Document::Other { what } => match office::format(what, &name) {
            Some(format) => document::office::show(opened, format, request, cx),
            None => Err(document::binary(&found.path, opened.len(), what)),
        },
        Document::Unknown => document::text::show(opened, engine, request, cx),
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

/// A notebook that is none can still be read as the text that it is, to be repaired.
fn as_text_if_broken(
    shown: Result<Shown, Failure>,
    found: &mut lookup::Found,
    engine: &Engine,
    request: &Request,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    match shown {
        Err(failure) if failure.kind == Kind::WrongKind => {
            found.note = Some(format!("{} Shown as text.", failure.what));
            document::text::show(lookup::open(engine, &found.path)?, engine, request, cx)
        }
        other => other,
    }
}
