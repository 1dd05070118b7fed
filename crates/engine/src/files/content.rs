//! Content of a file as replies carry it, and the request for it.

use super::document::text::stretch;
use crate::seen::Part;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use toolpost_text::window::Lines;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// A request for a file or a part of it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The resolved path.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing exists there.
    pub said: String,
    /// The first line, counted from 1.
    pub offset: u64,
    /// The number of lines.
    pub limit: u64,
    /// The pages of a PDF or the parts of an office document, for example `1-5`.
    pub pages: Option<String>,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The maximum number of lines in the answer.
    pub max_lines: u64,
    /// The maximum number of characters shown of one line.
    pub characters: u64,
    /// The lines to show if not all of them fit into the answer.
    pub keep: Keep,
    /// The prefix of each line in the answer.
    pub gutter: Gutter,
}

impl Request {
    /// Requests a whole file, up to the size limit; long lines are cut.
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

/// The prefix of each line of an answer; it counts towards the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gutter {
    /// Nothing.
    None,
    /// The line number, a colon and a space.
    Label,
    /// The line number, right-aligned, and a tab.
    Columns,
}

impl Gutter {
    /// Returns the number of bytes that it adds to a line, including the line end.
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

/// The lines of a text to show if not all of them fit into the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first ones.
    Head,
    /// A number of first lines and a number of last lines.
    Ends {
        /// The number of first lines.
        head: u64,
        /// The number of last lines.
        tail: u64,
    },
}

/// The content of a file as shown.
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

/// The content to show of a file, and the part of it that the caller has then seen.
pub(crate) struct Shown {
    pub(crate) content: Content,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) part: Part,
    pub(crate) bytes: Option<Arc<[u8]>>,
}

/// Lines of a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// The number of lines of the file.
    pub total: Total,
    /// The line to continue with, if lines are left.
    pub next: Option<u64>,
    /// The end of the last line, if that line is too long and both its ends are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Properties that matter for changing the file: tabs, line ends, encoding.
    pub facts: Vec<String>,
}

/// The number of lines of a file.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Total {
    /// The exact number.
    Exactly(u64),
    /// A lower bound; the file is too large to count.
    MoreThan(u64),
}

impl Total {
    /// Returns the number of lines that were counted.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::Exactly(total) | Self::MoreThan(total) => total,
        }
    }
}

/// A picture.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Image {
    /// The media type, for example `image/png`.
    pub mime: String,
    /// A description of the picture and its conversion: sizes, frames, format.
    pub summary: String,
    /// The bytes of the file; structured output leaves them out.
    #[serde(skip)]
    #[schemars(skip)]
    pub data: Vec<u8>,
}

/// Pages of a PDF.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pdf {
    /// The number of pages of the document.
    pub total_pages: u32,
    /// The requested pages.
    pub pages: Vec<PdfPage>,
    /// Remarks about content that could not be shown.
    pub notes: Vec<String>,
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PdfPage {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its text, or a remark in brackets if it has none.
    pub text: String,
}

/// Cells of a notebook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Notebook {
    /// The language of the code.
    pub language: String,
    /// The cells.
    pub cells: Vec<Cell>,
    /// Remarks about content that was left out.
    pub notes: Vec<String>,
}

/// A cell.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cell {
    /// Its identifier in the file, or its number.
    pub id: String,
    /// `code`, `markdown` or `raw`.
    pub kind: String,
    /// The execution counter of the cell.
    pub execution_count: Option<u64>,
    /// The source text.
    pub source: String,
    /// The outputs of the cell.
    pub outputs: Vec<CellOutput>,
}

/// An output of a cell.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CellOutput {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The media type.
        mime: String,
        /// The bytes of the picture; structured output leaves them out.
        #[serde(skip)]
        #[schemars(skip)]
        data: Vec<u8>,
    },
}

/// Parts of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Office {
    /// The number of parts of the document.
    pub total_parts: u32,
    /// The requested parts.
    pub parts: Vec<OfficePart>,
    /// Remarks about content that is not shown, one sentence each.
    pub notes: Vec<String>,
}

/// A part: a page, a slide, rows of a sheet, entries of an archive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfficePart {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its name.
    pub title: String,
    /// Its text.
    pub text: String,
}
