//! Requests for the content of a file, and the content in replies.

use super::document::text::stretch;
use crate::seen_content::SeenRange;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use toolpost_text::window::Lines;
use toolpost_workspace::{ContentHash, WorkspacePath};

pub use toolpost_documents::notebook::CellKind;

/// A request to read a file or a part of it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path of the file, resolved inside a root.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing exists there.
    pub raw_path: String,
    /// The first line to show, counted from 1.
    pub offset: u64,
    /// The number of requested lines; fewer are shown if they do not all fit into the answer.
    pub limit: u64,
    /// The pages of a PDF or the parts of an office document, for example `1-5`; `None` for all of them. A long PDF
    /// must be read in ranges.
    pub pages: Option<String>,
    /// The maximum size of the answer, in bytes.
    pub max_bytes: usize,
    /// The maximum number of lines in the answer.
    pub max_lines: u64,
    /// The maximum number of characters shown of one line.
    pub characters: u64,
    /// The requested lines to show if not all of them fit into the answer.
    pub keep: LinePreference,
    /// The prefix of each line in the answer, such as the line number.
    pub gutter: Gutter,
}

impl Request {
    /// Requests a whole file, up to the size limit; lines of more than 2,000 characters are cut.
    #[must_use]
    pub fn of(path: WorkspacePath, raw_path: String, max_bytes: usize) -> Self {
        Self {
            path,
            raw_path,
            offset: 1,
            limit: u64::MAX,
            pages: None,
            max_bytes,
            max_lines: u64::MAX,
            characters: 2_000,
            keep: LinePreference::Head,
            gutter: Gutter::Columns,
        }
    }
}

/// The prefix of each line of an answer; it counts towards the size of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gutter {
    /// No prefix.
    None,
    /// The line number, a colon and a space.
    Label,
    /// The line number, right-aligned, and a tab.
    Columns,
}

impl Gutter {
    /// Returns the number of bytes that the prefix and the line end add to the line with this number.
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
pub enum LinePreference {
    /// Only the first lines.
    Head,
    /// First lines and last lines, with a gap between them.
    Ends {
        /// The number of lines to show at the beginning.
        head: u64,
        /// The number of lines to show at the end.
        tail: u64,
    },
}

/// The content of a file as shown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Lines of text.
    Text(Text),
    /// An image.
    Image(Image),
    /// Pages of a PDF.
    Pdf(Pdf),
    /// Cells of a notebook.
    Notebook(Notebook),
    /// Parts of an office document, or the entries of an archive.
    Office(Office),
}

/// The content of a file as the reply shows it, and the part of the file that it covers.
pub(crate) struct FileContent {
    pub(crate) content: Content,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) part: SeenRange,
    pub(crate) bytes: Option<Arc<[u8]>>,
}

/// Lines of a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines shown.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// Line count of the file.
    pub total: Total,
    /// The next line to request, if some lines are not shown.
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
    /// The exact line count.
    Exactly(u64),
    /// A lower bound, because the file is too large for all its lines to be counted.
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

/// An image.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Image {
    /// The media type, for example `image/png`.
    pub mime: String,
    /// A description of the image and its conversion: sizes, frames, format.
    pub summary: String,
    /// The bytes of the image as shown, possibly converted; structured output leaves them out.
    #[serde(skip)]
    #[schemars(skip)]
    pub data: Vec<u8>,
}

/// Pages of a PDF.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pdf {
    /// The number of pages of the document.
    pub total_pages: u32,
    /// The requested pages, as many as fit into the answer.
    pub pages: Vec<PdfPage>,
    /// Remarks about content that could not be shown.
    pub notes: Vec<String>,
}

/// A page of a PDF.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PdfPage {
    /// The page number, counted from 1.
    pub number: u32,
    /// The text of the page. A remark of the PDF reader, for example that the page has no text, follows in
    /// brackets.
    pub text: String,
}

/// Cells of a notebook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Notebook {
    /// The programming language.
    pub language: String,
    /// The cells shown.
    pub cells: Vec<Cell>,
    /// Remarks about content that was left out.
    pub notes: Vec<String>,
}

/// A cell of a notebook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cell {
    /// The identifier of the cell in the file, or its number.
    pub id: String,
    /// The type of the cell's content.
    pub kind: CellKind,
    /// The cell's execution count, if the file has one.
    pub execution_count: Option<u64>,
    /// The cell's source.
    pub source: String,
    /// The outputs of the cell.
    pub outputs: Vec<CellOutput>,
}

/// An output of a cell.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CellOutput {
    /// Output as text.
    Text {
        /// The output text.
        text: String,
    },
    /// Output as an image.
    Image {
        /// The image's media type.
        mime: String,
        /// The bytes of the image; structured output leaves them out.
        #[serde(skip)]
        #[schemars(skip)]
        data: Vec<u8>,
    },
}

/// Parts of an office document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Office {
    /// The number of parts of the document.
    pub total_parts: u32,
    /// The requested parts, as many as fit into the answer.
    pub parts: Vec<OfficePart>,
    /// Remarks about content that is not shown, one sentence each.
    pub notes: Vec<String>,
}

/// A part of an office document: a page, a slide, rows of a sheet, or entries of an archive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfficePart {
    /// Number of the document part, from 1.
    pub number: u32,
    /// Name of the document part.
    pub title: String,
    /// The part's text.
    pub text: String,
}
