//! Distributes the size limit of an answer among the files.

use super::{Answer, Line, Request, Text, TextExtent, contents::FileResult, selection::SelectedFile};
use toolpost_text::budget::{ByteBudget, fair};

/// The size of an entry in addition to its path, its counts and its lines, in bytes.
const ENTRY: usize = 96;
/// The size of the answer in addition to its entries, in bytes.
const AROUND: usize = 1_024;
/// The size of a line number with its separator, in bytes.
const GUTTER: usize = 8;

/// Keeps as many of the first files as fit into the answer, at least one. Up to half of the size limit is reserved for
/// the texts of the files.
pub(super) fn keep_fitting(mut files: Vec<FileResult>, max_bytes: usize) -> Vec<FileResult> {
    let mut budget = ByteBudget::reserving(max_bytes, AROUND);
    let mut of_texts = ByteBudget::new(budget.left() / 2);
    let sizes = files.iter().map(|file| {
        let (said, text) = match &file.answer {
            Some(Answer::Text(text)) => (counts(text) + noted(text), needed(text)),
            Some(Answer::Skipped { why }) => (why.len(), 0),
            Some(Answer::Failed { what, meant }) => {
                (what.len() + meant.iter().map(String::len).sum::<usize>(), 0)
            }
            None => (0, 0),
        };
        let text = text.min(of_texts.left());
        of_texts.takes(text);
        ENTRY + file.path.len() + said + text
    });
    let keep = budget.count(sizes).max(1);
    files.truncate(keep);
    files
}

/// Returns how many of the first files to read: those that fit into the answer if each takes an entry without text,
/// but at least one and at most `max_files`.
pub(super) fn fitting_entries(files: &[SelectedFile], request: &Request) -> usize {
    let entries = files.iter().map(|file| ENTRY + file.path.display().len());
    let fits = ByteBudget::reserving(request.max_bytes, AROUND).count(entries);
    fits.clamp(1, request.max_files.max(1))
}

/// Divides the size limit among the texts of the files: if one text needs less than an equal share, the other texts get
/// the rest.
pub(super) fn distribute(mut files: Vec<FileResult>, max_bytes: usize) -> Vec<FileResult> {
    let entries: usize = files
        .iter()
        .map(|file| {
            let noted =
                if let Some(Answer::Text(text)) = &file.answer { counts(text) + noted(text) } else { 0 };
            ENTRY + file.path.len() + noted
        })
        .sum();
    let mut texts: Vec<&mut Text> = files
        .iter_mut()
        .filter_map(|file| match &mut file.answer {
            Some(Answer::Text(text)) => Some(text),
            _ => None,
        })
        .collect();
    let sizes = texts.iter().map(|text| needed(text)).collect();
    let most = fair(sizes, max_bytes.saturating_sub(AROUND + entries));
    for text in texts.iter_mut().filter(|text| needed(text) > most) {
        text.cut(most, weight);
    }
    files
}

/// Returns the size, in bytes, that the counts of a text's lines and bytes take in the answer.
fn counts(text: &Text) -> usize {
    let lines = text.lines.len() as u64;
    [lines, text.bytes, text.of_bytes]
        .iter()
        .map(|count| count.checked_ilog10().unwrap_or(0) as usize + 1)
        .sum()
}

/// Returns the size of the remarks about a text in the answer, in bytes.
fn noted(text: &Text) -> usize {
    const AROUND: usize = 12;
    let facts: usize = text.facts.iter().map(|fact| fact.len() + 2).sum();
    let note = text.note.as_ref().map_or(0, |note| note.len() + 2);
    if facts + note > 0 { facts + note + AROUND } else { 0 }
}

/// Returns an upper bound on the size, in bytes, that the lines of a text take in the answer.
fn needed(text: &Text) -> usize {
    text.lines.iter().map(|line| weight(&line)).sum()
}

/// Returns an upper bound on the size of a line in bytes, for every output format: with the line number, and with
/// escaped characters.
fn weight(line: &Line<'_>) -> usize {
    let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    line.text.len() + line.text.bytes().filter(|byte| escaped(byte)).count() + GUTTER
}

impl Text {
    /// Keeps the first lines that fit into `room` bytes; if the first line does not fit, keeps its beginning,
    /// up to half of `room`.
    pub(super) fn cut(&mut self, room: usize, weight: impl Fn(&Line<'_>) -> usize) {
        let keep = ByteBudget::new(room).count(self.lines.iter().map(|line| weight(&line)));
        if keep == self.lines.len() && self.lines.last().is_none_or(|line| line.more == 0) {
            return;
        }
        self.lines.keep_first(keep.max(1));
        if keep == 0 {
            self.lines.shorten(room / 2);
        }
        self.shown = TextExtent::Beginning;
        self.bytes = self.lines.iter().map(|line| line.text.len() as u64 + 1).sum();
        self.bytes = self.bytes.min(self.of_bytes);
    }
}
