//! Matching of paths against a pattern without a walk.

use super::pattern::{Accepted, Anchor, Ending, Pattern};
use crate::SearchError;
use crate::grep::Case;

/// A pattern that paths are compared with.
#[derive(Debug)]
pub struct Names {
    pattern: Pattern,
}

impl Names {
    /// Parses a pattern as a name search does; it must be relative to the start of the paths.
    pub fn new(pattern: &str, case: Case) -> Result<Self, SearchError> {
        let compiled = Pattern::new(pattern, case)?;
        let leads_out = compiled.prefix.split('/').any(|name| name == "..");
        if compiled.anchor == Anchor::Absolute || leads_out {
            let why = "it leads away from the directory that is searched: begin it there";
            return Err(SearchError::Glob { pattern: pattern.to_owned(), why: why.to_owned() });
        }
        Ok(Self { pattern: compiled })
    }

    /// Returns whether a file, or one of its directories, matches.
    #[must_use]
    pub fn fit(&self, relative: &[u8]) -> bool {
        let mut names = relative.split(|byte| *byte == b'/').peekable();
        for wanted in self.pattern.prefix.split('/').filter(|name| !name.is_empty()) {
            if names.next() != Some(wanted.as_bytes()) {
                return false;
            }
        }
        let mut state = self.pattern.start();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                let accepted = self.pattern.accepts(&state, name) != Accepted::No;
                return accepted && self.pattern.ending == Ending::Anything;
            }
            let step = self.pattern.step(&state, name);
            if step.accepted != Accepted::No {
                return true;
            }
            state = step.below;
        }
        false
    }
}
