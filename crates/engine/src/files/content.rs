//! Content of a file as replies carry it, and the request for it.

use super::document::text::stretch;
use crate::seen::Part;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use toolpost_text::window::Lines;
use toolpost_workspace::{ContentHash, WorkspacePath};

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

/// Lines of a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
    /// How many lines the file has.
    pub total: Total,
    /// The line to continue with, where lines are left.
    pub next: Option<u64>,
    /// The end of the last line, if that line is too long and both its ends are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// What must be known to change the file: tabs, line ends, encoding.
    pub facts: Vec<String>,
}

/// How many lines a file has.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Total {
    /// So many.
    Exactly(u64),
    /// More than this; the file is too large to count.
    MoreThan(u64),
}

impl Total {
    /// Gives how many lines were counted.
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
    /// The media type, such as `image/png`.
    pub mime: String,
    /// What it is, and what was done to it: sizes, frames, format.
    pub summary: String,
    /// The file's bytes; they are shown, not told.
    #[serde(skip)]
    #[schemars(skip)]
    pub data: Vec<u8>,
}

/// Pages of a PDF.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pdf {
    /// How many pages the document has.
    pub total_pages: u32,
    /// The pages that were asked for.
    pub pages: Vec<PdfPage>,
    /// What could not be shown of them.
    pub notes: Vec<String>,
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PdfPage {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its text, or a remark in brackets that it has none.
    pub text: String,
}

/// Cells of a notebook.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Notebook {
    /// The language of its code.
    pub language: String,
    /// The cells.
    pub cells: Vec<Cell>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// A cell.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cell {
    /// Its name in the file, or its number.
    pub id: String,
    /// `code`, `markdown` or `raw`.
    pub kind: String,
    /// How often code had run when this was made.
    pub execution_count: Option<u64>,
    /// What stands in it.
    pub source: String,
    /// What came of it.
    pub outputs: Vec<CellOutput>,
}

/// What came of a cell.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CellOutput {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// The media type.
        mime: String,
        /// The file's bytes; they are shown, not told.
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
    /// The parts that were asked for.
    pub parts: Vec<OfficePart>,
    /// Remarks about content that is not shown, in a sentence each.
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
