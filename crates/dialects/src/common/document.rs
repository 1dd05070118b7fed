//! Files that are not text: images, PDF pages, notebooks, office documents, archives.

use super::notebook;
use toolpost_engine::operations::read::{Content, Text};
use toolpost_tool::Page;

/// Writes the content of a file. `text` writes content that consists of lines of text.
pub(crate) fn render(content: &Content, page: &mut Page, text: impl FnOnce(&Text, &mut Page)) {
    match content {
        Content::Text(lines) => text(lines, page),
        Content::Image(image) => {
            page.image(&image.mime, image.data.clone());
            page.line(&image.summary);
        }
        Content::Pdf(pdf) => {
            for shown in &pdf.pages {
                page.line(&format!("--- page {} of {} ---", shown.number, pdf.total_pages));
                page.line(shown.text.trim_end());
            }
            pdf.notes.iter().for_each(|note| page.note(note.clone()));
        }
        Content::Notebook(cells) => notebook::render(cells, page),
        Content::Office(office) => {
            for part in &office.parts {
                page.line(&format!("--- part {} of {}: {} ---", part.number, office.total_parts, part.title));
                page.line(part.text.trim_end());
            }
            if office.total_parts == 0 {
                page.line("(no text)");
            }
            office.notes.iter().for_each(|note| page.note(note.clone()));
        }
    }
}

/// Formats the first pages of a document as a range: `1`, `1-12`.
pub(crate) fn pages(last: u32) -> String {
    if last <= 1 { "1".to_owned() } else { format!("1-{last}") }
}
