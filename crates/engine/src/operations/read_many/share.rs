//! How the files share the room of one answer.

use super::{Answer, Line, Request, Shown, Text, choose::Meant, look::Looked};

/// How many bytes an entry takes beside its path and its lines.
const ENTRY: usize = 160;
/// How many bytes the answer takes beside its entries.
const AROUND: usize = 1_024;
/// How many bytes the number of a line takes, with its end.
const GUTTER: usize = 8;

/// Counts the files that an answer has room for: half of it is left for what they hold.
pub(super) fn how_many(files: &[Meant], request: &Request) -> usize {
    let mut room = request.max_bytes.saturating_sub(AROUND) / 2;
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
    let entries: usize = files.iter().map(|file| ENTRY + file.path.len()).sum();
    let mut room = max_bytes.saturating_sub(AROUND + entries);
    let mut texts: Vec<(usize, &mut Text)> = files
        .iter_mut()
        .filter_map(|file| match &mut file.answer {
            Some(Answer::Text(text)) => Some((text.lines.iter().map(|line| weight(&line)).sum(), text)),
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

/// Tells how many bytes a line takes, however it is written: with a number, and with escaped characters.
fn weight(line: &Line<'_>) -> usize {
    let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    line.text.len() + line.text.bytes().filter(|byte| escaped(byte)).count() + GUTTER
}

impl Text {
    /// Keeps the first lines that so many bytes hold, and of a first line that is longer its beginning.
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
