//! Lines by what they hold.

mod among;
mod anchor;
mod breaks;
mod cut;
mod filter;
mod foreign;
mod matcher;
mod narrow;
mod run;
mod scan;
mod searching;
mod sink;
mod text;
mod window;
mod wrong;

use std::fmt;
use std::sync::Arc;

use encoding_rs::Encoding as Charset;
use serde::Serialize;
use toolpost_grams::Grams;
use toolpost_workspace::walk::{Hidden, Prune, Rules, Skipped, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

pub use text::{Held, Texts};

use crate::order::shown;
use crate::{Complete, Control, SearchError};

/// Says whether a file's content may be seen.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// What to look for, and where.
#[derive(Clone)]
pub struct GrepRequest {
    /// The directory to search, or a single file, which no rule leaves out.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// Which files, as `rg --glob` takes them: the last that fits decides, `!` leaves out; what fits is searched also
    /// if it is ignored or hidden. An absolute one must lead below `base`.
    pub globs: Vec<String>,
    /// Which types of files, by the names that `rg --type` knows.
    pub types: Vec<String>,
    /// How letters are compared.
    pub case: Case,
    /// How many lines to show before a match.
    pub before: usize,
    /// How many lines to show after a match.
    pub after: usize,
    /// Whether a match may reach over the end of a line.
    pub span: Span,
    /// What is shown of a matching line.
    pub show: Show,
    /// What is wanted.
    pub mode: Mode,
    /// How many lines (or files) to return; all are counted.
    pub limit: Option<usize>,
    /// How many lines (or files) to pass over first.
    pub offset: usize,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// What happens to hidden names.
    pub hidden: Hidden,
    /// What happens to dependency directories.
    pub prune: Prune,
    /// Lines with more characters are cut to what surrounds the match.
    pub max_line: usize,
    /// Which files policy lets be read; the others are counted as withheld.
    pub may_read: Option<MayRead>,
    /// The encoding of files that are neither UTF-8 nor marked, where it is known.
    pub encoding: Option<&'static Charset>,
}

/// How letters are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// By their case.
    #[default]
    Sensitive,
    /// Without regard to their case.
    Insensitive,
    /// By their case if the pattern holds a capital letter.
    Smart,
}

/// Whether a match may reach over the end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Each line is searched by itself.
    #[default]
    Line,
    /// A match may reach over several lines; `.` matches the end of a line too.
    Lines,
}

/// What is shown of a matching line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// All of it.
    #[default]
    Line,
    /// Only what matches, each match by itself.
    Matches,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The lines, by path.
    Content,
    /// The files, the newest first.
    #[default]
    Files,
    /// The files with the number of matching lines, by path.
    Count,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GrepOutput {
    /// What was wanted.
    pub mode: Mode,
    /// The files in the window, each with its lines in the window.
    pub files: Vec<FileHits>,
    /// How many lines (or files) there are in all, of which the window shows a part.
    pub entries: u64,
    /// How many of them were passed over.
    pub offset: u64,
    /// How many of them are in `files`.
    pub shown: u64,
    /// How many more belong into the window, but would have taken too much memory: ask for them in smaller parts, or
    /// file by file.
    pub window_cut: u64,
    /// What was found in all files together.
    pub totals: Totals,
    /// Whether entries and totals are of all files.
    pub counted: Counted,
    /// What rules left out.
    pub skipped: Skipped,
    /// What could not be read.
    pub unreadable: Unreadable,
    /// Files that were found but not searched.
    pub unsearched: Unsearched,
    /// Whether everything was seen.
    pub complete: Complete,
}

/// Whether all that matches was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// It was.
    #[default]
    All,
    /// The search ended behind the window: there are more entries than fit into it, and perhaps more than are counted.
    AtLeast,
}

/// A file that holds matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHits {
    /// Where it is.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// How many of its lines match; matches that may reach over lines are themselves counted in the mode that counts,
    /// and the mode that stops at the first says 1.
    pub matching_lines: u64,
    /// How many matches there are; not counted in the mode that stops at the first.
    pub matches: u64,
    /// The lines in the window.
    pub lines: Vec<Line>,
    /// What kind of content it has.
    pub content: Content,
}

/// What kind of content a file has.
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
    /// Why it is shown.
    pub role: Role,
    /// What was cut from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Whether lines of the file lie between the one before and this one.
    pub after_gap: bool,
}

/// Why a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It matches.
    Match,
    /// It surrounds a line that matches.
    Context,
}

/// How many bytes were cut from a long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Before the text.
    pub before: u64,
    /// After the text.
    pub after: u64,
}

/// What was found in all files together.
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
    /// Adds what was found elsewhere.
    fn add(&mut self, other: &Self) {
        self.matching_lines += other.matching_lines;
        self.matches += other.matches;
        self.files += other.files;
        self.searched += other.searched;
    }

    /// Gives what was found since.
    fn since(&self, before: &Self) -> Self {
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
    /// They were searched for ASCII alone: they are not UTF-8, and nobody knows how they write other characters.
    pub only_ascii: u64,
    /// The first few names of those that are too large, in path order.
    pub too_large_names: Vec<String>,
}

/// Finds the lines that match a regular expression.
///
/// With an index, only the files are read that can hold a match; what is found is the same.
pub fn grep(
    workspace: &Workspace,
    request: &GrepRequest,
    control: &Control,
    index: Option<&Grams>,
) -> Result<GrepOutput, SearchError> {
    run::run(workspace, request, control, index)
}

impl GrepRequest {
    /// Makes a request with everything else as `rg` has it, but that hidden files are searched too.
    pub fn new(base: WorkspacePath, pattern: impl Into<String>) -> Self {
        Self {
            base,
            pattern: pattern.into(),
            globs: Vec::new(),
            types: Vec::new(),
            case: Case::Sensitive,
            before: 0,
            after: 0,
            span: Span::Line,
            show: Show::Line,
            mode: Mode::Content,
            limit: None,
            offset: 0,
            rules: Rules::Git,
            hidden: Hidden::Show,
            prune: Prune::Nothing,
            max_line: 400,
            may_read: None,
            encoding: None,
        }
    }
}

impl fmt::Debug for GrepRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GrepRequest")
            .field("base", &self.base)
            .field("pattern", &self.pattern)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
