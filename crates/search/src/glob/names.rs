//! Matching of relative paths against a glob without access to the disk.

use super::pattern::{Anchor, NameMatch, Pattern, PatternTarget};
use crate::SearchError;
use crate::grep::Case;

/// A compiled glob that matches relative paths.
#[derive(Debug)]
pub struct Names {
    pattern: Pattern,
}

impl Names {
    /// Compiles a glob with the syntax of [`GlobRequest::pattern`](super::GlobRequest::pattern). The glob must be
    /// relative, because the paths are.
    pub fn new(pattern: &str, case: Case) -> Result<Self, SearchError> {
        let compiled = Pattern::new(pattern, case)?;
        let leads_out = compiled.prefix.split('/').any(|name| name == "..");
        if compiled.anchor == Anchor::Absolute || leads_out {
            let why = "it leads outside the searched directory; use a path relative to that directory";
            return Err(SearchError::Glob { pattern: pattern.to_owned(), why: why.to_owned() });
        }
        Ok(Self { pattern: compiled })
    }

    /// Returns whether a relative path of a file, or one of the directories in it, matches the glob.
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
                let accepted = self.pattern.accepts(&state, name) != NameMatch::No;
                return accepted && self.pattern.ending == PatternTarget::Anything;
            }
            let step = self.pattern.step(&state, name);
            if step.accepted != NameMatch::No {
                return true;
            }
            state = step.below;
        }
        false
    }
}
