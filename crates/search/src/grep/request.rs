//! The request of a content search.

use std::fmt;
use std::sync::Arc;

use encoding_rs::Encoding as Charset;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{Hidden, Prune, Rules};

/// Returns whether a file may be read.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// A content search.
#[derive(Clone)]
pub struct GrepRequest {
    /// The directory to search, or a single file, which no rule leaves out.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// The wanted files, with the semantics of `rg --glob`: the last matching glob decides, and `!` excludes. Files
    /// that match are searched even if they are ignored or hidden. An absolute glob must lead below `base`.
    pub globs: Vec<String>,
    /// The wanted file types, by the names of `rg --type`.
    pub types: Vec<String>,
    /// The comparison of letters.
    pub case: Case,
    /// The number of context lines before a match.
    pub before: usize,
    /// The number of context lines after a match.
    pub after: usize,
    /// The extent of a match: within a line, or across lines.
    pub span: Span,
    /// The part of a matching line to return.
    pub show: Show,
    /// The kind of result.
    pub mode: Mode,
    /// The maximum number of lines (or files) to return; all are counted.
    pub limit: Option<usize>,
    /// The number of lines (or files) to skip.
    pub offset: usize,
    /// The number of bytes of lines that the caller can use, if no lines are skipped; a search that finds more may end.
    pub room: Option<usize>,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// The treatment of hidden names.
    pub hidden: Hidden,
    /// The treatment of dependency directories.
    pub prune: Prune,
    /// Lines with more characters are cut to what surrounds the match.
    pub max_line: usize,
    /// The readable files according to policy; others are counted as withheld.
    pub may_read: Option<MayRead>,
    /// The encoding of files that are neither UTF-8 nor marked, where it is known.
    pub encoding: Option<&'static Charset>,
}

/// The comparison of letters.
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

/// The extent of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Each line is searched by itself.
    #[default]
    Line,
    /// A match may reach over several lines; `.` matches the end of a line too.
    Lines,
}

/// The part of a matching line to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// All of it.
    #[default]
    Line,
    /// Only what matches, each match by itself.
    Matches,
}

/// The kind of result.
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

impl GrepRequest {
    /// Creates a request with the defaults of `rg`, except that hidden files are searched too.
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
            room: None,
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
