//! Reading the cells of a Jupyter notebook.

mod output;
mod terminal;

use serde_json::{Map, Value};

use crate::image::{ImageLimits, Shown};
use output::Outputs;

/// Limits on a notebook's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotebookLimits {
    /// Maximum bytes of text per output.
    pub max_output_bytes: usize,
    /// Maximum number of images of the whole notebook.
    pub max_images: usize,
    /// The limits of each image.
    pub image: ImageLimits,
}

impl Default for NotebookLimits {
    /// 10 000 bytes an output, 20 images.
    fn default() -> Self {
        Self { max_output_bytes: 10_000, max_images: 20, image: ImageLimits::default() }
    }
}

/// A notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notebook {
    /// The language of its code, if the notebook names it.
    pub language: Option<String>,
    /// The cells in order.
    pub cells: Vec<Cell>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The cell's id; `cell-N`, counted from 0, where the notebook has none.
    pub id: String,
    /// The content type of the cell.
    pub kind: CellKind,
    /// The number of its last run.
    pub execution_count: Option<u64>,
    /// The source.
    pub source: String,
    /// The outputs of its last run.
    pub outputs: Vec<Output>,
}

/// The content type of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Code.
    Code,
    /// Markdown, headings of version 3 included.
    Markdown,
    /// Raw text.
    Raw,
}

/// An output of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Text: a stream, or a value as text.
    Text {
        /// The text, cut at the limit.
        text: String,
        /// Bytes that are left out; 0 when the text is whole.
        left_out: usize,
    },
    /// An image, safe to show.
    Image(Shown),
    /// An output that is not shown, with the reason.
    NotShown {
        /// The reason, in words.
        why: String,
    },
    /// An error that the code raised.
    Error {
        /// The error's name.
        name: String,
        /// The error's message.
        value: String,
        /// The traceback without terminal colours, cut at the limit.
        traceback: String,
        /// Bytes of the traceback that are left out.
        left_out: usize,
    },
}

/// The reason why a notebook cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    /// The file is not JSON.
    #[error(
        "the notebook is not valid JSON: {why} at line {line} column {column}; look at it as text to repair it"
    )]
    Json {
        /// The parser's message.
        why: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// The JSON is not a notebook.
    #[error("the JSON is not a notebook: {why}")]
    NotANotebook {
        /// The missing part.
        why: String,
    },
    /// The notebook's format has an unknown version.
    #[error("notebook format {version} is not known: versions 3 and 4 are read; look at it as text")]
    Version {
        /// The file's `nbformat`.
        version: u64,
    },
}

/// Reads the cells of a notebook of format 3 or 4.
///
/// # Errors
///
/// If the bytes are not JSON (with the position), or the JSON is not a notebook.
pub fn read(bytes: &[u8], limits: NotebookLimits) -> Result<Notebook, NotebookError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| json_error(&error))?;
    let Some(notebook) = notebook.as_object() else {
        return Err(not_a_notebook("it is no object"));
    };
    let Some(version) = notebook.get("nbformat").and_then(Value::as_u64) else {
        return Err(not_a_notebook("it has no number `nbformat`"));
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
            return Err(not_a_notebook("a worksheet is no object"));
        };
        cells.extend(array(sheet, "cells")?);
    }
    Ok(cells)
}

fn array<'v>(object: &'v Map<String, Value>, key: &str) -> Result<&'v [Value], NotebookError> {
    let found = object.get(key).and_then(Value::as_array);
    found.map(Vec::as_slice).ok_or_else(|| not_a_notebook(&format!("it has no list `{key}`")))
}

/// Returns the language by the kernel's name, else by that of the first code cell.
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

/// Text, stored as one string or as a list of them.
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
