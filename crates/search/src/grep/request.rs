//! The request of a content search.

use std::fmt;
use std::sync::Arc;

use encoding_rs::Encoding as Charset;
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{HiddenFiles, Prune, Rules};

/// The access check of the policy: returns whether a file may be read.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// A request for the lines, or files, that match a regular expression.
#[derive(Clone)]
pub struct GrepRequest {
    /// The directory to search, or a single file, which is searched even if ignore rules exclude it.
    pub base: WorkspacePath,
    /// The regular expression.
    pub pattern: String,
    /// The files to search, as globs with the semantics of `rg --glob`: the last matching glob decides, and `!`
    /// excludes. Files that match are searched even if they are ignored or hidden. An absolute glob must lead below
    /// `base`, unless it excludes files.
    pub globs: Vec<String>,
    /// The types of the files to search, by the names of `rg --type`; empty for all types.
    pub types: Vec<String>,
    /// The comparison of upper-case and lower-case letters in the pattern and the text.
    pub case: Case,
    /// The number of context lines before a match.
    pub before: usize,
    /// The number of context lines after a match.
    pub after: usize,
    /// The extent of a match: within a line, or across several lines.
    pub span: Span,
    /// The text to return for a match: the whole line, or only the matched text.
    pub show: Show,
    /// The kind of result: lines, files or counts.
    pub mode: Mode,
    /// The maximum number of lines (or files) to return, context lines included; `None` for no limit.
    pub limit: Option<usize>,
    /// The number of lines (or files) of the result to skip.
    pub offset: usize,
    /// The number of bytes of text that the caller can use; a search that has found more may stop. Ignored if `offset`
    /// is not 0.
    pub room: Option<usize>,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// The policy for files and directories whose names begin with a dot.
    pub hidden: HiddenFiles,
    /// The policy for directories with dependencies, such as `node_modules`.
    pub prune: Prune,
    /// The number of characters beyond which a line is cut to the text around the match.
    pub max_line: usize,
    /// The access check for each file; files that it denies are counted as withheld. `None` to search all.
    pub may_read: Option<MayRead>,
    /// The encoding of files that are not UTF-8 and have no byte order mark, if known.
    pub encoding: Option<&'static Charset>,
}

/// The comparison of upper-case and lower-case letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Case-sensitive.
    #[default]
    Sensitive,
    /// Case-insensitive.
    Insensitive,
    /// Case-sensitive if the pattern has an upper-case letter, otherwise case-insensitive.
    Smart,
}

/// The extent of a match: within a line, or across lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// Each line is searched separately.
    #[default]
    Line,
    /// A match may reach over several lines; `.` matches the end of a line too.
    Lines,
}

/// The part of a matching line to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// The whole line.
    #[default]
    Line,
    /// Only the matched text, one entry for each match.
    Matches,
}

/// The kind of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The matching lines, by path.
    Content,
    /// The files with a match, newest first.
    #[default]
    Files,
    /// The files with their number of matching lines, by path.
    Count,
}

impl GrepRequest {
    /// Creates a request with the defaults of `rg`, except that hidden files are searched too and long lines are cut.
    pub fn of(base: WorkspacePath, pattern: impl Into<String>) -> Self {
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
            hidden: HiddenFiles::Show,
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
