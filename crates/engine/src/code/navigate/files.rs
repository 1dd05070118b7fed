//! Listing and reading of the files that navigation searches.

use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind, convert},
    find::rules_of,
};
use std::sync::Arc;
use toolpost_search::{Control, GlobRequest, HiddenFiles, Match, Rules};
use toolpost_syntax::Language;
use toolpost_workspace::WorkspacePath;

/// Maximum size of a file that is read, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Maximum length of a displayed line, in characters.
const LINE: usize = 300;

/// A text, and the byte offsets at which its lines begin.
#[derive(Clone)]
pub(crate) struct Text {
    pub(crate) text: Arc<str>,
    starts: Arc<[usize]>,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        Self { text: text.into(), starts: starts.into() }
    }

    /// Returns a line, counted from 0, without its line ending.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        let at = usize::try_from(line).ok()?;
        let (from, to) = (*self.starts.get(at)?, self.starts.get(at + 1).copied());
        let text = &self.text[from..to.unwrap_or(self.text.len())];
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some(text.strip_suffix('\r').unwrap_or(text))
    }

    /// Returns the byte offset at which a line, counted from 0, begins; the length of the text if there is no
    /// such line.
    pub(crate) fn start(&self, line: u32) -> usize {
        usize::try_from(line).ok().and_then(|at| self.starts.get(at)).copied().unwrap_or(self.text.len())
    }

    /// Returns the line and the character of a byte offset, both counted from 0.
    pub(crate) fn place(&self, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let before = self.text.get(self.starts[line]..byte).unwrap_or_default();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (count(line), count(before.chars().count()))
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len() - usize::from(self.text.ends_with('\n') || self.text.is_empty())
    }

    /// Returns a line for display: trimmed and shortened.
    pub(crate) fn shown(&self, line: u32) -> String {
        let text = self.line(line).unwrap_or_default().trim();
        match text.char_indices().nth(LINE) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text.to_owned(),
        }
    }
}

/// Reads a UTF-8 file. Fails if the file cannot be read, has another encoding, or is larger than `LARGEST`.
pub(crate) fn read(code: &Code, path: &WorkspacePath) -> Result<Text, Failure> {
    let read = code.files().workspace().read(path, LARGEST).map_err(|error| convert::access(path, error))?;
    String::from_utf8(read.bytes).map(Text::new).map_err(|_| {
        let what = format!("{} is not UTF-8 text, and only UTF-8 files are parsed as code.", path.display());
        Failure::new(Kind::WrongKind, what).hint(Hint::Advice("Search its content instead.".to_owned()))
    })
}

/// The files in one root, sorted by path.
pub(crate) struct FileListing {
    pub(crate) shown: Vec<Match>,
    /// Files that the rules do not allow to be read.
    pub(crate) withheld: Vec<Match>,
}

/// Lists the readable files of the root that contains the file `of`, sorted by path.
pub(crate) fn all(code: &Code, cx: &CallCtx, of: &WorkspacePath) -> Result<Vec<Match>, Failure> {
    listed(code, cx, of).map(|listed| listed.shown)
}

/// Lists all files of the root that contains the file `of`, except ignored and hidden ones and those in directories
/// of dependencies.
pub(crate) fn listed(code: &Code, cx: &CallCtx, of: &WorkspacePath) -> Result<FileListing, Failure> {
    let root = code.files().workspace().within(of.root(), ".").map_err(convert::path)?;
    let rules = rules_of(&root, Rules::Git);
    let request = GlobRequest { rules, hidden: HiddenFiles::Skip, ..GlobRequest::of(root, "**/*") };
    let cancel = cx.cancel.clone();
    let control = Control::default().cancelled_by(move || cancel.is_cancelled());
    let control = cx.deadline.into_iter().fold(control, Control::until);
    let index = code.find().trigrams_of(&request.base);
    let found = toolpost_search::glob(code.files().workspace(), &request, &control, index)
        .map_err(|error| Failure::new(Kind::Io, convert::sentence(&error.to_string())))?;
    cx.check()?;
    let mut files = found.matches;
    files.sort_by(|one, other| one.path.raw().cmp(other.path.raw()));
    let (shown, withheld) = files.into_iter().partition(|file| cx.may_read(&file.path));
    Ok(FileListing { shown, withheld })
}

/// Returns true if files in the language `one` can use names that files in the language `other` define.
pub(crate) fn related(one: Language, other: Language) -> bool {
    const FAMILIES: [&[&str]; 2] = [&["typescript", "tsx", "javascript", "jsx"], &["c", "cpp"]];
    let both = [one.name(), other.name()];
    both[0] == both[1] || FAMILIES.iter().any(|family| both.iter().all(|name| family.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_offsets_map_to_lines_and_columns() {
        let text = Text::new("aä\r\n\n  b".to_owned());
        assert_eq!(
            (0..4).map(|line| text.line(line)).collect::<Vec<_>>(),
            [Some("aä"), Some(""), Some("  b"), None]
        );
        assert_eq!(
            [text.place(0), text.place(3), text.place(6), text.place(8)],
            [(0, 0), (0, 2), (2, 0), (2, 2)]
        );
        assert_eq!([text.start(0), text.start(2), text.start(9)], [0, 6, 9]);
        assert_eq!((text.shown(2), text.lines()), ("b".to_owned(), 3));
        assert_eq!([Text::new(String::new()).lines(), Text::new("a\n".to_owned()).lines()], [0, 1]);
        assert_eq!(Text::new("ä".repeat(301)).shown(0), format!("{}…", "ä".repeat(300)));
    }
}
