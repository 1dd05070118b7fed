//! One file in which a symbol is renamed: its occurrences of the name, its edits, and the check of the edited text.

use super::{Edit, UneditedOccurrence, not_read, role};
use crate::{
    code::symbol_index::IndexContext,
    failure::{Failure, Kind},
};
use std::path::Path;
use toolpost_symbols::{Occurrence, Outcome, Usage};
use toolpost_syntax::{Language, NameToken, TokenForm, Tree};
use toolpost_text::lines::LineIndex;
use toolpost_workspace::ContentHash;

/// Maximum size of a file in which a symbol is renamed, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The decision whether a rename replaces an occurrence of the old name.
pub(super) enum Fate {
    /// The occurrence is replaced by this text; `{new}` is the new name, and `{old}` the old one.
    Edit(&'static str),
    /// The occurrence may be a use of the symbol; the text names the reason for the doubt.
    Possible(String),
    /// The occurrence is not a use of the symbol.
    Other,
}

/// The ways in which code can use the symbol as a field of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The symbol belongs to a class or an object.
    Member,
    /// Another module can get the symbol as a field of this module, as in `const { total } = require("./cart")`.
    OtherModule,
    /// Code uses the symbol only by its name, never as a field.
    Name,
}

impl Reach {
    /// Returns true if a token of this form can read a field that is the symbol.
    fn includes(self, form: TokenForm) -> bool {
        match self {
            Self::Member => form != TokenForm::Plain,
            Self::OtherModule => form == TokenForm::ShorthandPattern,
            Self::Name => false,
        }
    }
}

pub(super) struct Draft {
    path: String,
    language: Language,
    hash: ContentHash,
    text: String,
    lines: LineIndex,
}

impl Draft {
    /// Reads a file; fails if it cannot be read, or if its content differs from the indexed content.
    pub(super) fn open(context: &IndexContext<'_>, path: &str) -> Result<Self, Failure> {
        let place = context.index.path(path).ok_or_else(|| not_read(path))?;
        let read = context.code.files().workspace().read(place, LONGEST).map_err(|_| not_read(path))?;
        if context.index.hash(path) != Some(read.hash) {
            return Err(not_read(path));
        }
        let text = String::from_utf8(read.bytes).map_err(|_| not_read(path))?;
        let language = Language::of_path(Path::new(path)).ok_or_else(|| not_read(path))?;
        let lines = LineIndex::new(&text);
        Ok(Self { path: path.to_owned(), language, hash: read.hash, text, lines })
    }

    pub(super) fn hash(&self) -> String {
        self.hash.to_hex()
    }

    fn parse<'t>(&self, text: &'t str) -> Result<Tree<'t>, Failure> {
        self.language.parse(text).map_err(|error| {
            Failure::new(Kind::TooLarge, format!("{} cannot be parsed: {error}.", self.path))
        })
    }

    /// Lists the occurrences of a name in the code, without those in comments and strings.
    pub(super) fn tokens(&self, name: &str) -> Result<Vec<NameToken>, Failure> {
        Ok(self.parse(&self.text)?.name_tokens(name))
    }

    /// Decides whether a token is renamed. `known` is the token in the index, if the index has a record of it.
    pub(super) fn fate(&self, token: &NameToken, known: Option<&Occurrence>, reach: Reach) -> Fate {
        let shorthand = token.form != TokenForm::Plain;
        let outcome = known.map_or(Outcome::Other, |known| known.outcome);
        let usage = known.and_then(|known| known.usage);
        // The pattern of an import also declares a local variable, which may keep its name.
        let binds = token.form == TokenForm::ShorthandPattern && usage == Some(Usage::Import);
        match outcome {
            Outcome::Proved if shorthand && (reach == Reach::Member || binds) => {
                Fate::Possible("a shorthand such as `{ x }`, which also names a local variable".to_owned())
            }
            // The other modules use the field under the new name.
            Outcome::Proved if token.form == TokenForm::Shorthand && token.is_export => Fate::Edit("{new}"),
            Outcome::Proved if shorthand => Fate::Edit("{old}: {new}"),
            Outcome::Proved => Fate::Edit("{new}"),
            Outcome::Possible(how) => {
                Fate::Possible(format!("not proved to be a use of the symbol ({})", how.name()))
            }
            Outcome::Unresolved => Fate::Possible(role(usage).to_owned()),
            // The index has no occurrence for a local name, nor for the field that a shorthand reads, so this token
            // may read the symbol.
            Outcome::Other if reach.includes(token.form) => Fate::Possible(
                "a shorthand such as `{ x }`, which also names a field of an object".to_owned(),
            ),
            Outcome::Other => Fate::Other,
        }
    }

    /// Checks whether a separator of paths follows a token.
    pub(super) fn is_qualifier(&self, token: &NameToken) -> bool {
        let behind = self.text[token.at.end..].trim_start();
        ["::", ".", "\\"].into_iter().any(|separator| behind.starts_with(separator))
    }

    /// Checks whether a token is the alias in an import such as `from cart import total as total`, whose imported name
    /// ends at `end`.
    pub(super) fn is_alias(&self, end: usize, token: &NameToken) -> bool {
        self.text.get(end..token.at.start).is_some_and(|between| between.trim() == "as")
    }

    /// Checks whether a token is the name in `export default name`, of which the index has no use.
    pub(super) fn is_default_export(&self, token: &NameToken) -> bool {
        let before = self.text[..token.at.start].trim_end().strip_suffix("default");
        before.is_some_and(|before| before.trim_end().ends_with("export"))
    }

    /// Checks whether a byte offset is in the list of the names that a Python module exports: `__all__ = ["total"]`.
    pub(super) fn is_in_export_list(&self, at: usize) -> bool {
        let before = &self.text[..at];
        let Some(start) = before.rfind("__all__").filter(|_| before.ends_with(['"', '\''])) else {
            return false;
        };
        // An annotation before the equals sign may have brackets.
        let list = before[start..].split_once('=').map_or(&before[start..], |(_, list)| list);
        self.language.name() == "python" && !list.contains([']', ')', '}'])
    }

    /// Creates the edit that replaces a token by `text`, in which `{old}` stands for the old name.
    pub(super) fn edit(&self, token: &NameToken, text: String) -> Edit {
        let old = &self.text[token.at.clone()];
        let (from, to) = (self.plain(token.at.start), self.plain(token.at.end));
        let UneditedOccurrence { line, code, .. } = self.spot(token.at.start, String::new());
        Edit { from, to, text: text.replace("{old}", old), line, code }
    }

    /// Converts a byte offset to the offset in the text with LF line endings and without a byte order mark.
    fn plain(&self, at: usize) -> usize {
        let before = &self.text[..at];
        at - before.matches("\r\n").count() - if before.starts_with('\u{feff}') { 3 } else { 0 }
    }

    /// Describes the occurrence at a byte offset: the file, the line and the code.
    pub(super) fn spot(&self, at: usize, why: String) -> UneditedOccurrence {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let code = self.text[start..].lines().next().unwrap_or_default();
        UneditedOccurrence {
            path: self.path.clone(),
            line: self.lines.line(at),
            code: crate::code::symbol_index::one_line(code),
            why,
        }
    }

    /// Lists the occurrences of a name in comments and strings, each with its byte offset.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<(usize, UneditedOccurrence)>, Failure> {
        let tree = self.parse(&self.text)?;
        let (tokens, comments) = (tree.name_tokens(name), tree.comments());
        let goes_on = |letter: char| letter.is_alphanumeric() || letter == '_';
        let whole = |at: usize| {
            !self.text[..at].ends_with(goes_on) && !self.text[at + name.len()..].starts_with(goes_on)
        };
        let all = self.text.match_indices(name).map(|(at, _)| at).filter(|at| whole(*at));
        let outside = all.filter(|at| !tokens.iter().any(|token| token.at.start == *at));
        let spots = outside.map(|at| {
            let comment = comments.iter().any(|comment| comment.contains(&at));
            (at, self.spot(at, if comment { "in a comment" } else { "in a string" }.to_owned()))
        });
        Ok(spots.collect())
    }

    /// Applies the edits in memory, and lists the reasons why the edited file would be wrong. If `captures`
    /// is true, an existing use of the new name is one of these reasons.
    pub(super) fn check(
        &self,
        edits: &[Edit],
        old: &str,
        new: &str,
        captures: bool,
    ) -> Result<Vec<String>, Failure> {
        let before = self.parse(&self.text)?;
        let taken = before.name_tokens(new);
        let mut out = Vec::new();
        if let Some(first) = taken.first().filter(|_| captures) {
            let UneditedOccurrence { path, line, .. } = self.spot(first.at.start, String::new());
            out.push(format!("{path}:{line} uses the name {new} already."));
        }
        let renamed = self.renamed(edits);
        let after = self.parse(&renamed)?;
        if after.errors().len() > before.errors().len() {
            out.push(format!("{} would no longer parse: {new} is not a valid name here.", self.path));
        }
        let expected = before.name_tokens(old).len() + taken.len();
        let found = after.name_tokens(new).len() + after.name_tokens(old).len();
        let doubled = edits.iter().filter(|edit| edit.text != new).count();
        if found != expected + doubled {
            out.push(format!("The rename would have unexpected effects on other names in {}.", self.path));
        }
        Ok(out)
    }

    /// Returns the text of the file after the edits.
    fn renamed(&self, edits: &[Edit]) -> String {
        let mut text = self.text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        for edit in edits {
            text.replace_range(edit.from..edit.to, &edit.text);
        }
        text
    }
}
