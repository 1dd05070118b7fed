//! One file of a rename: its tokens, its edits, and the check of the result.

use super::{Edit, Spot, not_read, role};
use crate::{
    code::symbol_index::Asked,
    failure::{Failure, Kind},
};
use std::path::Path;
use toolpost_index::{Occurrence, Outcome};
use toolpost_syntax::{Language, NameToken, TokenForm, Tree};
use toolpost_text::lines::LineIndex;
use toolpost_workspace::ContentHash;

/// Maximum size of a file, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The decision about an occurrence of the old name.
pub(super) enum Fate {
    /// It is replaced by this text; `{new}` stands for the new name.
    Edit(&'static str),
    /// It may mean the symbol, for this reason.
    Possible(String),
    /// It means something else.
    Other,
}

/// One file.
pub(super) struct Draft {
    path: String,
    language: Language,
    hash: ContentHash,
    text: String,
    lines: LineIndex,
}

impl Draft {
    /// Reads a file, which must be as it was indexed.
    pub(super) fn open(asked: &Asked<'_>, path: &str) -> Result<Self, Failure> {
        let place = asked.index.path(path).ok_or_else(|| not_read(path))?;
        let read = asked.code.files().workspace().read(place, LONGEST).map_err(|_| not_read(path))?;
        if asked.index.hash(path) != Some(read.hash) {
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

    /// Lists the tokens of a name in the code.
    pub(super) fn tokens(&self, name: &str) -> Result<Vec<NameToken>, Failure> {
        Ok(self.parse(&self.text)?.name_tokens(name))
    }

    /// Decides about a token.
    pub(super) fn fate(&self, token: &NameToken, known: Option<&Occurrence>, member: bool) -> Fate {
        let shorthand = token.form == TokenForm::Shorthand;
        let Some(known) = known else {
            return match (shorthand, member) {
                (true, true) => Fate::Possible("a shorthand that also names a field of an object".to_owned()),
                // A local name.
                _ => Fate::Other,
            };
        };
        match known.outcome {
            Outcome::Proved if shorthand && member => {
                Fate::Possible("a shorthand that also names a local variable".to_owned())
            }
            Outcome::Proved if shorthand => Fate::Edit("{old}: {new}"),
            Outcome::Proved => Fate::Edit("{new}"),
            Outcome::Possible(how) => Fate::Possible(format!("not proved to mean it ({})", how.name())),
            Outcome::Unresolved => Fate::Possible(role(known.usage).to_owned()),
            Outcome::Other => Fate::Other,
        }
    }

    /// Creates the edit of a token.
    pub(super) fn edit(&self, token: &NameToken, text: String) -> Edit {
        let old = &self.text[token.at.clone()];
        let (from, to) = (self.plain(token.at.start), self.plain(token.at.end));
        let Spot { line, code, .. } = self.spot(token.at.start, String::new());
        Edit { from, to, text: text.replace("{old}", old), line, code }
    }

    /// Converts an offset to one in the text with plain line ends and without a byte order mark.
    fn plain(&self, at: usize) -> usize {
        let before = &self.text[..at];
        at - before.matches("\r\n").count() - if before.starts_with('\u{feff}') { 3 } else { 0 }
    }

    /// Describes a place.
    pub(super) fn spot(&self, at: usize, why: String) -> Spot {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let code = self.text[start..].lines().next().unwrap_or_default();
        Spot {
            path: self.path.clone(),
            line: self.lines.line(at),
            code: crate::code::symbol_index::one_line(code),
            why,
        }
    }

    /// Lists the occurrences of a name in comments and strings.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<Spot>, Failure> {
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
            self.spot(at, if comment { "in a comment" } else { "in a string" }.to_owned())
        });
        Ok(spots.collect())
    }

    /// Applies the edits in memory and lists the reasons why the result would be wrong.
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
            let Spot { path, line, .. } = self.spot(first.at.start, String::new());
            out.push(format!("{path}:{line} uses the name {new} already."));
        }
        let renamed = self.renamed(edits);
        let after = self.parse(&renamed)?;
        if after.errors().len() > before.errors().len() {
            out.push(format!("{} would not parse any more: {new} is not a valid name here.", self.path));
        }
        let expected = before.name_tokens(old).len() + taken.len();
        let found = after.name_tokens(new).len() + after.name_tokens(old).len();
        let doubled = edits.iter().filter(|edit| edit.text != new).count();
        if found != expected + doubled {
            out.push(format!("{} would have other names than expected.", self.path));
        }
        Ok(out)
    }

    /// Returns the text after the edits.
    fn renamed(&self, edits: &[Edit]) -> String {
        let mut text = self.text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        for edit in edits {
            text.replace_range(edit.from..edit.to, &edit.text);
        }
        text
    }
}
