//! Distribution of the room of one answer among the files.

use super::{Answer, Line, Request, Shown, Text, choose::Meant, look::Looked};

/// The size of an entry in addition to its path and its lines, in bytes.
const ENTRY: usize = 112;
/// The size of the answer in addition to its entries, in bytes.
const AROUND: usize = 1_024;
/// The size of a line number with its separator, in bytes.
const GUTTER: usize = 8;

/// Keeps the first files, as many as the answer has room for. Half of the room is reserved for their texts,
/// if they need that much.
pub(super) fn those_that_fit(mut files: Vec<Looked>, max_bytes: usize) -> Vec<Looked> {
    let room = max_bytes.saturating_sub(AROUND);
    let (mut entries, mut texts) = (0, 0);
    let fits = files.iter().take_while(|file| {
        let (said, text) = match &file.answer {
            Some(Answer::Text(text)) => (noted(text), needed(text)),
            Some(Answer::Skipped { why }) => (why.len(), 0),
            Some(Answer::Failed { what, meant }) => {
                (what.len() + meant.iter().map(String::len).sum::<usize>(), 0)
            }
            None => (0, 0),
        };
        entries += ENTRY + file.path.len() + said;
        texts += text;
        entries + texts.min(room / 2) <= room
    });
    let keep = fits.count().max(1);
    files.truncate(keep);
    files
}

/// Counts the files whose entries, without any text, fit into the answer.
pub(super) fn how_many(files: &[Meant], request: &Request) -> usize {
    let mut room = request.max_bytes.saturating_sub(AROUND);
    let fits = files.iter().take_while(|file| {
        let entry = ENTRY + file.path.display().len();
        let enough = entry <= room;
        room = room.saturating_sub(entry);
        enough
    });
    fits.count().clamp(1, request.max_files.max(1))
}

/// Shares the room: a file that needs less than an equal part leaves the rest to the others.
pub(super) fn out(mut files: Vec<Looked>, max_bytes: usize) -> Vec<Looked> {
    let entries: usize = files
        .iter()
        .map(|file| {
            let noted = if let Some(Answer::Text(text)) = &file.answer { noted(text) } else { 0 };
            ENTRY + file.path.len() + noted
        })
        .sum();
    let mut room = max_bytes.saturating_sub(AROUND + entries);
    let mut texts: Vec<(usize, &mut Text)> = files
        .iter_mut()
        .filter_map(|file| match &mut file.answer {
            Some(Answer::Text(text)) => Some((needed(text), text)),
            _ => None,
        })
        .collect();
    texts.sort_by_key(|(weight, _)| *weight);
    let mut left = texts.len();
    for (needed, text) in texts {
        let part = room / left.max(1);
        if needed > part {
            text.cut(part, weight);
        }
        room = room.saturating_sub(needed.min(part));
        left -= 1;
    }
    files
}

/// Returns the size of the remarks about a text in the answer, in bytes.
fn noted(text: &Text) -> usize {
    const AROUND: usize = 12;
    let facts: usize = text.facts.iter().map(|fact| fact.len() + 2).sum();
    let note = text.note.as_ref().map_or(0, |note| note.len() + 2);
    if facts + note > 0 { facts + note + AROUND } else { 0 }
}

/// Returns the size of a text in the answer, in bytes.
fn needed(text: &Text) -> usize {
    text.lines.iter().map(|line| weight(&line)).sum()
}

/// Returns the size of a line in bytes, with its number and with escaped characters, so that it is enough for
/// every format.
fn weight(line: &Line<'_>) -> usize {
    let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    line.text.len() + line.text.bytes().filter(|byte| escaped(byte)).count() + GUTTER
}

impl Text {
    /// Keeps the first lines that fit into the room; if the first line is longer, keeps its beginning.
    pub(super) fn cut(&mut self, room: usize, weight: impl Fn(&Line<'_>) -> usize) {
        let mut used = 0;
        let fits = self.lines.iter().take_while(|line| {
            used += weight(line);
            used <= room
        });
        let keep = fits.count();
        if keep == self.lines.len() && self.lines.last().is_none_or(|line| line.more == 0) {
            return;
        }
        self.lines.keep_first(keep.max(1));
        if keep == 0 {
            self.lines.shorten(room / 2);
        }
        self.shown = Shown::Beginning;
        self.bytes = self.lines.iter().map(|line| line.text.len() as u64 + 1).sum();
        self.bytes = self.bytes.min(self.of_bytes);
    }
}
