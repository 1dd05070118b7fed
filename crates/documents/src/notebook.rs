//! Reader for the cells of a Jupyter notebook.

mod output;
mod terminal;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::image::{ImageLimits, ViewableImage};
use output::Outputs;

/// Limits on a notebook's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotebookLimits {
    /// Maximum size of the text of an output, in bytes.
    pub max_output_bytes: usize,
    /// Maximum number of images in the whole notebook.
    pub max_images: usize,
    /// The limits of each image.
    pub image: ImageLimits,
}

impl Default for NotebookLimits {
    /// The default limits: 10 000 bytes of text for each output, and 20 images.
    fn default() -> Self {
        Self { max_output_bytes: 10_000, max_images: 20, image: ImageLimits::default() }
    }
}

/// The content of a Jupyter notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notebook {
    /// The programming language of the cells, if the notebook names it.
    pub language: Option<String>,
    /// The cells in the order of the notebook.
    pub cells: Vec<Cell>,
}

/// One cell of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The cell's id, or `cell-N`, counted from 0, if the notebook has none.
    pub id: String,
    /// The type of the cell's content.
    pub kind: CellKind,
    /// The execution number of the cell's last run.
    pub execution_count: Option<u64>,
    /// The source text of the cell.
    pub source: String,
    /// The outputs of the cell's last run.
    pub outputs: Vec<Output>,
}

/// The type of a cell's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// Code in the language of the notebook.
    Code,
    /// Markdown; also a heading cell of notebook format 3.
    Markdown,
    /// Raw text, which is neither run nor formatted.
    Raw,
}

impl CellKind {
    /// Returns the name that notebooks use: `code`, `markdown` or `raw`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// An output of a cell's last run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Text that the code printed, or a value as text.
    Text {
        /// The text, truncated at the limit for an output.
        text: String,
        /// Number of bytes that were omitted at the end; 0 if the text is complete.
        left_out: usize,
    },
    /// An image that was decoded without an error and fits the limits.
    Image(ViewableImage),
    /// An output that is not shown, with the reason.
    NotShown {
        /// The reason why the output is not shown, as text.
        why: String,
    },
    /// An exception that the code raised.
    Error {
        /// The name of the exception, such as `ValueError`.
        name: String,
        /// The message of the exception.
        value: String,
        /// The end of the traceback, without terminal colours; its beginning is omitted if it exceeds the limit.
        traceback: String,
        /// Number of bytes that were omitted at the start of the traceback; 0 if it is complete.
        left_out: usize,
    },
}

/// The reason why a notebook cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    /// The file is not JSON.
    #[error(
        "the notebook is not valid JSON: {why} at line {line} column {column}; read it as text to repair it"
    )]
    Json {
        /// The message of the JSON parser.
        why: String,
        /// The line of the error, counted from 1.
        line: usize,
        /// The column of the error, counted from 1.
        column: usize,
    },
    /// The file is JSON, but not a notebook.
    #[error("the JSON is not a notebook: {why}")]
    NotANotebook {
        /// A clause that names the part that is missing or wrong.
        why: String,
    },
    /// The notebook's format has an unknown version.
    #[error("unknown notebook format {version}: versions 3 and 4 are supported; read it as text")]
    Version {
        /// The version in the file's field `nbformat`.
        version: u64,
    },
}

/// Reads the cells of a notebook in format 3 or 4.
///
/// # Errors
///
/// If the bytes are not JSON (with the position of the error), or the JSON is not a notebook of format 3 or 4.
pub fn read(bytes: &[u8], limits: NotebookLimits) -> Result<Notebook, NotebookError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| json_error(&error))?;
    let Some(notebook) = notebook.as_object() else {
        return Err(not_a_notebook("the top level is not an object"));
    };
    let Some(version) = notebook.get("nbformat").and_then(Value::as_u64) else {
        return Err(not_a_notebook("`nbformat` is missing or is not a whole number"));
    };
    let cells = match version {
        3 => worksheet_cells(notebook)?,
        4 => array(notebook, "cells")?.iter().collect(),
        _ => return Err(NotebookError::Version { version }),
    };
    let mut outputs = Outputs::new(&limits);
    let cells = cells.iter().enumerate().map(|(place, cell)| read_cell(place, cell, &mut outputs));
    Ok(Notebook { language: language(notebook), cells: cells.collect::<Result<_, _>>()? })
}

/// Lists the metadata that a notebook loses if the content `after` replaces `before`: names of notebook metadata, and
/// the number of cells that lose theirs.
///
/// Returns an empty list if `before` or `after` is not a notebook.
#[must_use]
pub fn lost_metadata(before: &[u8], after: &[u8]) -> Vec<String> {
    let parsed = |bytes: &[u8]| {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        serde_json::from_slice::<Value>(bytes).ok().filter(|value| value.get("nbformat").is_some())
    };
    let (Some(before), Some(after)) = (parsed(before), parsed(after)) else { return Vec::new() };
    let names = before.get("metadata").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let kept = |name: &str| after.get("metadata").is_some_and(|metadata| metadata.get(name).is_some());
    let mut lost: Vec<String> = names.filter(|name| !kept(name)).cloned().collect();
    let cells = hidden_in_cells(&before).saturating_sub(hidden_in_cells(&after));
    if cells > 0 {
        lost.push(format!("metadata or attachments of {cells} cell{}", if cells == 1 { "" } else { "s" }));
    }
    lost
}

/// Counts the cells that have metadata or attachments, because [`read`] omits these.
fn hidden_in_cells(notebook: &Value) -> usize {
    let cells = notebook.get("cells").and_then(Value::as_array).into_iter().flatten();
    let hidden = |cell: &&Value| {
        let entries = ["metadata", "attachments"].into_iter().filter_map(|name| cell.get(name)?.as_object());
        entries.into_iter().any(|entries| !entries.is_empty())
    };
    cells.filter(hidden).count()
}

fn read_cell(place: usize, cell: &Value, reader: &mut Outputs<'_>) -> Result<Cell, NotebookError> {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or_default();
    let mut source = joined(cell.get("source").or_else(|| cell.get("input")));
    let kind = match kind {
        "code" => CellKind::Code,
        "markdown" | "html" => CellKind::Markdown,
        "raw" => CellKind::Raw,
        "heading" => {
            let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
            source = format!("{} {source}", &"######"[..usize::try_from(level).unwrap_or(1)]);
            CellKind::Markdown
        }
        other => return Err(not_a_notebook(&format!("cell {place} is of the unknown type \"{other}\""))),
    };
    let mut outputs = Vec::new();
    for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
        let mut shown = Vec::new();
        reader.read(output, &mut shown);
        outputs.append(&mut shown);
    }
    let id = cell.get("id").and_then(Value::as_str).map_or_else(|| format!("cell-{place}"), str::to_owned);
    let count = cell.get("execution_count").or_else(|| cell.get("prompt_number"));
    Ok(Cell { id, kind, execution_count: count.and_then(Value::as_u64), source, outputs })
}

fn worksheet_cells(notebook: &Map<String, Value>) -> Result<Vec<&Value>, NotebookError> {
    let mut cells = Vec::new();
    for sheet in array(notebook, "worksheets")? {
        let Some(sheet) = sheet.as_object() else {
            return Err(not_a_notebook("a worksheet is not an object"));
        };
        cells.extend(array(sheet, "cells")?);
    }
    Ok(cells)
}

fn array<'v>(object: &'v Map<String, Value>, key: &str) -> Result<&'v [Value], NotebookError> {
    let found = object.get(key).and_then(Value::as_array);
    found.map(Vec::as_slice).ok_or_else(|| not_a_notebook(&format!("`{key}` is missing or is not a list")))
}

/// Returns the language in the notebook's metadata, or else that of the first code cell that names one.
fn language(notebook: &Map<String, Value>) -> Option<String> {
    let metadata = notebook.get("metadata");
    let pointed = ["/language_info/name", "/kernelspec/language", "/language"];
    let said = pointed.iter().find_map(|path| metadata?.pointer(path)?.as_str());
    let of_cells = || {
        notebook
            .get("worksheets")?
            .pointer("/0/cells")?
            .as_array()?
            .iter()
            .find_map(|cell| cell.get("language")?.as_str())
    };
    said.or_else(of_cells).map(str::to_owned)
}

/// Returns a text that a notebook stores as one string or as a list of strings.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn json_error(error: &serde_json::Error) -> NotebookError {
    let (line, column) = (error.line(), error.column());
    let why = error.to_string();
    let place = format!(" at line {line} column {column}");
    let why = why.strip_suffix(&place).map(str::to_owned).unwrap_or(why);
    NotebookError::Json { why, line, column }
}

fn not_a_notebook(why: &str) -> NotebookError {
    NotebookError::NotANotebook { why: why.to_owned() }
}
