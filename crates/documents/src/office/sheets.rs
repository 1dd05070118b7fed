//! Reader for spreadsheets: the values of the cells, row by row.

mod styles;

use std::fmt::Write as _;

use super::{
    Document, DocumentPart, Error, UnpackLimit,
    archive::Archive,
    package::relations,
    xml::{self, Node, attribute, relation},
};
use styles::Styles;

/// The member of the document that lists the sheets.
const BOOK: &str = "xl/workbook.xml";
/// Number of rows in one part of the text.
const ROWS: usize = 200;
/// Maximum number of columns of a sheet that are shown.
const COLUMNS: usize = 1_024;
/// Maximum number of characters of a cell that are shown.
const CELL: usize = 1_000;

/// Values that all sheets of a workbook share.
struct Book {
    strings: Vec<String>,
    styles: Styles,
}

pub(super) fn read(bytes: &[u8], budget: &mut UnpackLimit) -> Result<Document, Error> {
    let archive = Archive::open(bytes)?;
    let list = archive.needed(BOOK, budget)?;
    let targets = relations(&archive, BOOK, budget)?;
    let (mut sheets, mut from_1904) = (Vec::new(), false);
    xml::walk(BOOK, &list, budget, |node| match node {
        Node::Open("sheet", start) => {
            sheets.extend(attribute(start, "name").zip(relation(start)));
        }
        Node::Open("workbookPr", start) => {
            from_1904 = attribute(start, "date1904").is_some_and(|value| value == "1" || value == "true");
        }
        _ => {}
    })?;
    let member = |kind: &str, usual: &str| {
        let found = targets.values().find(|(own, _)| own == kind);
        found.map_or_else(|| usual.to_owned(), |(_, member)| member.clone())
    };
    let strings = strings(&archive, &member("sharedStrings", "xl/sharedStrings.xml"), budget)?;
    let styles = Styles::read(&archive, &member("styles", "xl/styles.xml"), from_1904, budget)?;
    let book = Book { strings, styles };
    let mut document = Document::default();
    for (name, id) in sheets {
        let Some((_, member)) = targets.get(&id) else { continue };
        let Some(text) = archive.text(member, budget)? else { continue };
        let mut sheet = Sheet {
            name: &name,
            book: &book,
            parts: Vec::new(),
            rows: 0,
            row: Row::default(),
            cell: Cell::default(),
            cut: 0,
        };
        xml::walk(member, &text, budget, |node| sheet.see(&node))?;
        if sheet.cut > 0 {
            document.notes.push(format!("columns of sheet {name} that are not shown: {}", sheet.cut));
        }
        document.parts.extend(sheet.finish());
    }
    Ok(document)
}

/// Reads the workbook's shared strings, to which cells refer by index.
fn strings(archive: &Archive<'_>, member: &str, budget: &mut UnpackLimit) -> Result<Vec<String>, Error> {
    let Some(text) = archive.text(member, budget)? else { return Ok(Vec::new()) };
    let (mut strings, mut collects, mut phonetic) = (Vec::<String>::new(), false, false);
    xml::walk(member, &text, budget, |node| match node {
        Node::Open("si", _) => strings.push(String::new()),
        Node::Open("rPh", _) => phonetic = true,
        Node::Close("rPh") => phonetic = false,
        Node::Open("t", _) => collects = !phonetic,
        Node::Close("t") => collects = false,
        Node::Text(text) if collects => {
            if let Some(last) = strings.last_mut() {
                last.push_str(text);
            }
        }
        _ => {}
    })?;
    Ok(strings)
}

/// A sheet of a workbook while it is being read.
struct Sheet<'a> {
    name: &'a str,
    book: &'a Book,
    parts: Vec<DocumentPart>,
    /// The number of rows in the last part of the text so far.
    rows: usize,
    row: Row,
    cell: Cell,
    /// The number of columns beyond the last one that is shown.
    cut: usize,
}

#[derive(Default)]
struct Row {
    number: usize,
    cells: Vec<String>,
}

#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    /// The formula of the cell, without the equals sign; empty if it is shared with another cell.
    formula: Option<String>,
    collects: bool,
    collects_formula: bool,
}

impl Sheet<'_> {
    fn see(&mut self, node: &Node<'_>) {
        match node {
            Node::Open("row", start) => {
                let number = attribute(start, "r").and_then(|number| number.parse().ok());
                self.row = Row { number: number.unwrap_or(self.row.number + 1), cells: Vec::new() };
            }
            Node::Open("c", start) => {
                let column = attribute(start, "r").as_deref().and_then(column);
                self.cell = Cell {
                    column: column.unwrap_or(self.row.cells.len()),
                    kind: attribute(start, "t").unwrap_or_default(),
                    style: attribute(start, "s").and_then(|style| style.parse().ok()).unwrap_or(0),
                    ..Cell::default()
                };
            }
            Node::Open("v" | "t", _) => self.cell.collects = true,
            Node::Close("v" | "t") => self.cell.collects = false,
            Node::Open("f", _) => {
                self.cell.formula = Some(String::new());
                self.cell.collects_formula = true;
            }
            Node::Close("f") => self.cell.collects_formula = false,
            Node::Text(text) if self.cell.collects_formula => {
                self.cell.formula.get_or_insert_default().push_str(text);
            }
            Node::Text(text) if self.cell.collects => self.cell.value.push_str(text),
            Node::Close("c") => self.end_cell(),
            Node::Close("row") => self.end_row(),
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        let value = match cell.kind.as_str() {
            "s" => {
                let number = cell.value.trim().parse::<usize>().ok();
                number.and_then(|number| self.book.strings.get(number)).cloned().unwrap_or_default()
            }
            "b" => if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "" | "n" => self.book.styles.shown(&cell.value, cell.style),
            _ => cell.value,
        };
        // Programs that write files without calculating, such as openpyxl, store a formula without its value.
        let value = match cell.formula.filter(|_| value.is_empty()) {
            Some(formula) if formula.trim().is_empty() => "=…".to_owned(),
            Some(formula) => format!("={}", formula.trim()),
            None => value,
        };
        if value.is_empty() {
            return;
        }
        if cell.column >= COLUMNS {
            self.cut = self.cut.max(cell.column + 1 - COLUMNS);
            return;
        }
        if self.row.cells.len() <= cell.column {
            self.row.cells.resize(cell.column + 1, String::new());
        }
        let line: String =
            value.chars().take(CELL).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let cut = if line.len() < value.len() && value.chars().count() > CELL { "…" } else { "" };
        self.row.cells[cell.column] = line + cut;
    }

    fn end_row(&mut self) {
        let cells = std::mem::take(&mut self.row.cells);
        if cells.is_empty() {
            return;
        }
        let number = self.row.number;
        if self.rows == 0 || self.rows == ROWS {
            self.rows = 0;
            self.parts.push(DocumentPart {
                title: format!("sheet {}, from row {number}", self.name),
                text: String::new(),
            });
        }
        self.rows += 1;
        if let Some(part) = self.parts.last_mut() {
            let _ = writeln!(part.text, "{number}\t{}", cells.join("\t"));
        }
    }

    fn finish(mut self) -> Vec<DocumentPart> {
        if self.parts.is_empty() {
            let title = format!("sheet {}", self.name);
            self.parts.push(DocumentPart { title, text: "(empty)\n".to_owned() });
        }
        self.parts
    }
}

/// Parses the column of a reference such as `AB12`; returns its index, counted from 0.
fn column(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number = letters
        .fold(0_usize, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1)
}
