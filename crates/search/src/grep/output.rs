//! The result of a content search.

use serde::Serialize;
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{Skipped, Unreadable};

use super::request::Mode;
use crate::control::Complete;
use crate::order::shown;

/// The result of a content search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrepOutput {
    /// The mode of the request.
    pub mode: Mode,
    /// The files in the window, each with its lines in the window.
    pub files: Vec<FileHits>,
    /// The total number of lines (or files), including those outside the window.
    pub entries: u64,
    /// The number of skipped entries.
    pub offset: u64,
    /// The number of entries in `files`.
    pub shown: u64,
    /// The number of further entries of the window that were dropped to save memory. Request smaller windows, or file
    /// by file.
    pub window_cut: u64,
    /// The totals over all files.
    pub totals: Totals,
    /// The coverage of `entries` and `totals`: all files, or only some.
    pub counted: Counted,
    /// The entries that rules exclude.
    pub skipped: Skipped,
    /// The unreadable paths.
    pub unreadable: Unreadable,
    /// Files that were found but not searched.
    pub unsearched: Unsearched,
    /// The completeness of the result.
    pub complete: Complete,
}

/// The completeness of the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// It was.
    #[default]
    All,
    /// The search ended after the window: there are more entries than fit into it, and perhaps more than were
    /// counted.
    AtLeast,
}

/// A file that holds matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHits {
    /// The path.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// The number of matching lines. The counting mode counts matches instead if they may span lines; the mode that
    /// stops at the first match reports 1.
    pub matching_lines: u64,
    /// The number of matches; not counted in the mode that stops at the first one.
    pub matches: u64,
    /// The lines in the window.
    pub lines: Vec<Line>,
    /// The kind of the content.
    pub content: Content,
}

/// The kind of a file's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Text.
    #[default]
    Text,
    /// It holds NUL bytes; it was searched because it was named.
    Binary,
}

/// A line, or what matches in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text, without its end.
    pub text: String,
    /// The reason for its inclusion.
    pub role: Role,
    /// The truncated parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Set if lines of the file are missing between the previous one and this one.
    pub after_gap: bool,
}

/// The reason for the inclusion of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It matches.
    Match,
    /// It surrounds a line that matches.
    Context,
}

/// The number of bytes that were cut from a long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Before the text.
    pub before: u64,
    /// After the text.
    pub after: u64,
}

/// Totals over all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Lines that match; in the mode that stops at the first, at least that many.
    pub matching_lines: u64,
    /// Matches; not counted in the mode that stops at the first.
    pub matches: u64,
    /// Files that hold a match.
    pub files: u64,
    /// Files that were searched.
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

    /// Returns the difference to earlier totals.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            matching_lines: self.matching_lines - before.matching_lines,
            matches: self.matches - before.matches,
            files: self.files - before.files,
            searched: self.searched - before.searched,
        }
    }
}

/// Files that were found but not searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unsearched {
    /// They hold NUL bytes.
    pub binary: u64,
    /// Policy withholds them.
    pub withheld: u64,
    /// The first few names of those, in path order.
    pub withheld_names: Vec<String>,
    /// A line, or the file where a match may reach over lines, is too large to be held in memory.
    pub too_large: u64,
    /// Files searched only for ASCII: they are not UTF-8, and their encoding is unknown.
    pub only_ascii: u64,
    /// The first few names of those that are too large, in path order.
    pub too_large_names: Vec<String>,
}
