//! Notebook cells.

use toolpost_engine::operations::read::{CellOutput, Notebook};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Writes the cells in order, each with its outputs.
pub(crate) fn render(notebook: &Notebook, page: &mut Page) {
    page.line(&format!(
        "Jupyter notebook, {}, {}",
        notebook.language,
        counted(notebook.cells.len() as u64, "cell")
    ));
    for cell in &notebook.cells {
        let ran = cell.execution_count.map_or(String::new(), |count| format!(" execution_count=\"{count}\""));
        page.line(&format!("<cell id=\"{}\" type=\"{}\"{ran}>", cell.id, cell.kind.word()));
        page.line(cell.source.trim_end_matches('\n'));
        page.line("</cell>");
        for output in &cell.outputs {
            match output {
                CellOutput::Text { text } => {
                    page.line("<output>");
                    page.line(text.trim_end_matches('\n'));
                    page.line("</output>");
                }
                CellOutput::Image { mime, data } => page.image(mime, data.clone()),
            }
        }
    }
    notebook.notes.iter().for_each(|note| page.note(note.clone()));
}
