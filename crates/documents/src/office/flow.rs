//! Text of paragraphs and tables in Word documents and slides, whose XML elements have the same local names.

use super::xml::{Node, attribute};

/// Collects the text of paragraphs and tables, page by page.
#[derive(Default)]
pub(super) struct Flow {
    pages: Vec<String>,
    page: String,
    paragraph: String,
    heading: usize,
    /// The cells of the current table row.
    row: Vec<String>,
    /// Nesting depth of tables at the current position.
    tables: usize,
    collects: bool,
    runs: usize,
    /// Nesting depth of `Fallback` elements, which repeat content in a simpler form for other programs.
    fallbacks: usize,
    breaks: PageBreak,
}

/// The position of a page break relative to the current paragraph.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum PageBreak {
    #[default]
    Nowhere,
    BeforeParagraph,
    AfterParagraph,
}

impl Flow {
    /// Processes the next node of the XML document.
    pub(super) fn see(&mut self, node: &Node<'_>) {
        match node {
            Node::Open("Fallback", _) => self.fallbacks += 1,
            Node::Close("Fallback") => self.fallbacks = self.fallbacks.saturating_sub(1),
            _ if self.fallbacks > 0 => {}
            Node::Open(name, start) => {
                let value = |name: &str| attribute(start, name);
                self.open(name, &value);
            }
            Node::Close(name) => self.close(name),
            Node::Text(text) if self.collects => self.paragraph.push_str(text),
            Node::Text(_) => {}
        }
    }

    fn open(&mut self, name: &str, value: &dyn Fn(&str) -> Option<String>) {
        match name {
            "r" => self.runs += 1,
            "t" => self.collects = true,
            "pStyle" => self.heading = value("val").as_deref().and_then(level).unwrap_or(0),
            // In a run, `tab` is a tab character; elsewhere, it defines a tab stop.
            "tab" if self.runs > 0 => self.paragraph.push('\t'),
            "br" if value("type").as_deref() == Some("page") => self.break_page(),
            "lastRenderedPageBreak" => self.break_page(),
            "br" | "cr" => self.paragraph.push('\n'),
            "tbl" => self.tables += 1,
            "tc" => self.row.push(String::new()),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "r" => self.runs = self.runs.saturating_sub(1),
            "t" => self.collects = false,
            "p" => self.end_paragraph(),
            "tr" if self.tables == 1 => {
                let row = std::mem::take(&mut self.row);
                self.page.push_str(&format!("| {} |\n", row.join(" | ")));
            }
            "tbl" => self.tables = self.tables.saturating_sub(1),
            _ => {}
        }
    }

    fn break_page(&mut self) {
        if self.tables > 0 {
            return;
        }
        let is_first = self.paragraph.trim().is_empty();
        self.breaks = if is_first { PageBreak::BeforeParagraph } else { PageBreak::AfterParagraph };
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let heading = std::mem::take(&mut self.heading);
        let text = paragraph.trim_end();
        if self.tables > 0 {
            if let Some(cell) = self.row.last_mut() {
                if !cell.is_empty() && !text.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&text.replace('\n', " "));
            }
            return;
        }
        let breaks = std::mem::take(&mut self.breaks);
        if breaks == PageBreak::BeforeParagraph {
            self.end_page();
        }
        if heading > 0 && !text.is_empty() {
            self.page.push_str(&format!("{} ", "#".repeat(heading)));
        }
        self.page.push_str(text);
        self.page.push('\n');
        if breaks == PageBreak::AfterParagraph {
            self.end_page();
        }
    }

    /// Ends the current page and starts a new one; an empty page is dropped.
    fn end_page(&mut self) {
        let page = std::mem::take(&mut self.page);
        if !page.trim().is_empty() {
            self.pages.push(page);
        }
    }

    /// Returns the pages that contain text.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.end_page();
        self.pages
    }
}

/// Returns the heading level of a paragraph style such as `Heading1` or `Title`; `None` for other styles.
fn level(style: &str) -> Option<usize> {
    if style.eq_ignore_ascii_case("title") {
        return Some(1);
    }
    let (name, number) = style.split_at(style.find(|letter: char| letter.is_ascii_digit())?);
    let is_heading = name.trim().eq_ignore_ascii_case("heading");
    number.parse().ok().filter(|level| is_heading && (1..=6).contains(level))
}
