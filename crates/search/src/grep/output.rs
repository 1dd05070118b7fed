//! The result of a content search.

use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{SkippedEntries, Unreadable};

use super::request::Mode;
use crate::control::Complete;

/// The result of a content search. Its window is the part that the request selects with `offset` and `limit`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepOutput {
    /// The mode of the request.
    pub mode: Mode,
    /// The files in the window, each with its lines in the window.
    pub files: Vec<FileHits>,
    /// The total number of lines (or files), including context lines and those before and after the window.
    pub entries: u64,
    /// The number of lines (or files) before the window.
    pub offset: u64,
    /// The number of lines (or files) in `files`.
    pub shown: u64,
    /// The number of lines of the window that were dropped because of the memory limit. A caller gets them by
    /// requesting smaller windows or single files.
    pub window_cut: u64,
    /// The totals over all searched files.
    pub totals: Totals,
    /// The extent of the counts in `entries` and `totals`: the matches of all files, or only of some.
    pub counted: CountCompleteness,
    /// The files and directories that ignore rules exclude.
    pub skipped: SkippedEntries,
    /// The files and directories that could not be read.
    pub unreadable: Unreadable,
    /// Files that were found but not searched.
    pub unsearched: UnsearchedFiles,
    /// The completeness of the search: it ran to its end, timed out, or was cancelled.
    pub complete: Complete,
}

/// The completeness of the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountCompleteness {
    /// All matches were counted.
    #[default]
    All,
    /// The search stopped early, so there may be more matches than were counted.
    AtLeast,
}

impl CountCompleteness {
    /// Formats a number, with "at least" in front if not all matches were counted.
    #[must_use]
    pub fn before(self, number: impl std::fmt::Display) -> String {
        match self {
            Self::All => number.to_string(),
            Self::AtLeast => format!("at least {number}"),
        }
    }
}

/// A file that contains matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHits {
    /// The path of the file.
    pub path: WorkspacePath,
    /// The modification time of the file, in nanoseconds since 1970-01-01 UTC.
    pub modified: i64,
    /// The number of matching lines. [`Mode::Count`] counts matches instead if they may span lines. [`Mode::Files`]
    /// stops at the first match and reports 1.
    pub matching_lines: u64,
    /// The number of matches in the file; not counted with [`Mode::Files`].
    pub matches: u64,
    /// The lines of the file that are in the window of the result.
    pub lines: Vec<Line>,
    /// The kind of the file's content: text or binary.
    pub content: Content,
}

/// The kind of a file's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// The file is text.
    #[default]
    Text,
    /// The file contains NUL bytes; it was searched because the request names it.
    Binary,
}

/// A line of a result, or only the matched text, as requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The number of the line in the file, counted from 1.
    pub number: u64,
    /// The text of the line, without the line end.
    pub text: String,
    /// The reason why the line is included.
    pub role: Role,
    /// The numbers of bytes that were cut from a long line; `None` if the text is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<LineTruncation>,
    /// Set if there are lines in the file between the previous line of the result and this one.
    pub after_gap: bool,
}

/// The reason why a line is in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The line matches.
    Match,
    /// The line is near a matching line.
    Context,
}

/// The number of bytes that were cut from a long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineTruncation {
    /// The number of bytes cut before the text.
    pub before: u64,
    /// The number of bytes cut after the text.
    pub after: u64,
}

/// Totals over all searched files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The sum of [`FileHits::matching_lines`] over all matching files.
    pub matching_lines: u64,
    /// The number of matches; not counted with [`Mode::Files`].
    pub matches: u64,
    /// The number of files that contain a match.
    pub files: u64,
    /// The number of files that were searched.
    pub searched: u64,
}

impl Totals {
    /// Adds the totals of other files.
    pub(super) fn add(&mut self, other: &Self) {
        self.matching_lines += other.matching_lines;
        self.matches += other.matches;
        self.files += other.files;
        self.searched += other.searched;
    }

    /// Returns what was added since earlier totals of the same thread.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            matching_lines: self.matching_lines - before.matching_lines,
            matches: self.matches - before.matches,
            files: self.files - before.files,
            searched: self.searched - before.searched,
        }
    }
}

/// The numbers of files that were found but not searched, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnsearchedFiles {
    /// The number of binary files, which contain NUL bytes.
    pub binary: u64,
    /// The number of files that the access policy withholds.
    pub withheld: u64,
    /// The paths of the first few withheld files, in path order.
    pub withheld_names: Vec<String>,
    /// The number of files with a line that exceeds the memory limit; in a multi-line search, of files that exceed it.
    pub too_large: u64,
    /// The number of files that were searched only for ASCII, because they are not UTF-8 and their encoding is unknown.
    pub only_ascii: u64,
    /// The paths of the first few files that are too large, in path order.
    pub too_large_names: Vec<String>,
}
