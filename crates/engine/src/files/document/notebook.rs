//! Shows the cells of a Jupyter notebook.

use crate::files::lookup::OpenedFile;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::content::{Cell, CellOutput, Content, FileContent, Notebook, Request},
    seen_content::SeenRange,
};
use toolpost_documents::notebook::{self, NotebookLimits, Output};
use toolpost_text::budget::ByteBudget;
use toolpost_text::cut::NOTICE;
use toolpost_text::plural::counted;

pub(crate) fn show(opened: OpenedFile, request: &Request, cx: &CallCtx) -> Result<FileContent, Failure> {
    let path = opened.path().display();
    let _alone = super::image::alone();
    cx.check()?;
    let whole = opened.whole()?;
    let limits = NotebookLimits::default();
    let read = notebook::read(&whole.bytes, limits).map_err(|error| {
        Failure::new(Kind::WrongKind, format!("{path} is not a notebook that can be shown: {error}"))
    })?;
    let cells = read.cells.into_iter().map(|cell| Cell {
        id: cell.id,
        kind: cell.kind,
        execution_count: cell.execution_count,
        source: cell.source,
        outputs: cell.outputs.into_iter().map(output).collect(),
    });
    let mut notebook = Notebook {
        language: read.language.unwrap_or_else(|| "unknown language".to_owned()),
        cells: cells.collect(),
        notes: Vec::new(),
    };
    let total = notebook.cells.len();
    window(&mut notebook, request, &path)?;
    let part = if notebook.cells.len() == total { SeenRange::Whole } else { SeenRange::Some };
    let bytes = Some(whole.bytes.into());
    Ok(FileContent { content: Content::Notebook(notebook), hash: Some(whole.hash), part, bytes })
}

fn output(output: Output) -> CellOutput {
    match output {
        Output::Image(shown) => CellOutput::Image { mime: shown.mime.to_owned(), data: shown.data },
        Output::Text { text, left_out } => CellOutput::Text { text: with_rest(text, left_out) },
        Output::NotShown { why } => CellOutput::Text { text: format!("[not shown: {why}]") },
        Output::Error { name, value, traceback, left_out } => {
            CellOutput::Text { text: with_rest(format!("{name}: {value}\n{traceback}"), left_out) }
        }
    }
}

fn with_rest(text: String, left_out: usize) -> String {
    if left_out == 0 {
        text
    } else {
        format!("{text}\n{NOTICE}{} of this output]", counted(left_out as u64, "more byte"))
    }
}

/// Keeps the requested cells that fit into the answer, at least one. The offset and the limit of the request count
/// cells instead of lines.
fn window(notebook: &mut Notebook, request: &Request, path: &str) -> Result<(), Failure> {
    let total = notebook.cells.len();
    let skip = usize::try_from(request.offset.saturating_sub(1)).unwrap_or(usize::MAX);
    if skip > 0 && skip >= total {
        let what = format!(
            "{path} has {total} cells, which count as lines here; cell {} is after the end.",
            request.offset
        );
        return Err(Failure::invalid(what).hint(Hint::Page(1)));
    }
    let mut cells: Vec<Cell> = std::mem::take(&mut notebook.cells).into_iter().skip(skip).collect();
    let sizes =
        cells.iter().map(|cell| cell.source.len() + 64 + cell.outputs.iter().map(size).sum::<usize>());
    let fits = ByteBudget::new(request.max_bytes).count(sizes);
    let keep = fits.max(1).min(usize::try_from(request.limit).unwrap_or(usize::MAX));
    let left = cells.len().saturating_sub(keep);
    cells.truncate(keep);
    if cells.len() < total {
        let last = skip + cells.len();
        let rest = if left == 0 { String::new() } else { format!("; continue from {}", last + 1) };
        notebook.notes.push(format!("cells {}-{last} of {total}, which count as lines here{rest}", skip + 1));
    }
    notebook.cells = cells;
    Ok(())
}

fn size(output: &CellOutput) -> usize {
    match output {
        CellOutput::Text { text } => text.len(),
        CellOutput::Image { .. } => 0,
    }
}
