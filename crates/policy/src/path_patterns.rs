//! Path patterns of a rule, compiled together on first use.

use globset::{Glob, GlobSet, GlobSetBuilder};
use std::sync::{Arc, OnceLock};

/// Path patterns. Clones share the compiled patterns.
#[derive(Debug, Clone)]
pub(crate) struct PathPatterns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    globs: Vec<Glob>,
    /// The compiled patterns; `None` if the patterns are too large together.
    set: OnceLock<Option<GlobSet>>,
}

/// The result of [`PathPatterns::is_match`] if the patterns cannot be compiled together. Only patterns that were not
/// checked before can fail that late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UncompiledPatterns {
    /// Every path matches: the choice for a rule that restricts.
    Match,
    /// No path matches: the choice for a rule that allows.
    Miss,
}

impl PathPatterns {
    /// Takes patterns that a test has checked; they are compiled when the first path is matched.
    pub(crate) fn unchecked(globs: Vec<Glob>) -> Self {
        Self(Arc::new(Inner { globs, set: OnceLock::new() }))
    }

    /// Compiles path patterns.
    ///
    /// # Errors
    ///
    /// If the patterns are too large together.
    pub(crate) fn checked(globs: Vec<Glob>) -> Result<Self, globset::Error> {
        let set = OnceLock::from(Some(compiled(&globs)?));
        Ok(Self(Arc::new(Inner { globs, set })))
    }

    /// Checks whether one of the patterns matches a path. `uncompiled` is the answer if the patterns cannot
    /// be compiled.
    pub(crate) fn is_match(&self, path: &str, uncompiled: UncompiledPatterns) -> bool {
        match self.0.set.get_or_init(|| compiled(&self.0.globs).ok()) {
            Some(set) => set.is_match(path),
            None => uncompiled == UncompiledPatterns::Match,
        }
    }
}

fn compiled(globs: &[Glob]) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    globs.iter().for_each(|glob| {
        builder.add(glob.clone());
    });
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::{PathPatterns, UncompiledPatterns};
    use globset::Glob;

    #[test]
    fn checked_and_unchecked_patterns_match_the_same_paths() {
        let globs = || ["**/.env", "/etc/**"].map(|glob| Glob::new(glob).unwrap()).to_vec();
        let (first, later) = (PathPatterns::checked(globs()).unwrap(), PathPatterns::unchecked(globs()));
        for (path, wanted) in [("a/.env", true), ("/etc/x", true), ("a/env", false)] {
            assert_eq!(first.is_match(path, UncompiledPatterns::Match), wanted, "{path}");
            assert_eq!(later.is_match(path, UncompiledPatterns::Match), wanted, "{path}");
        }
    }
}
