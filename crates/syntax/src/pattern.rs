//! Structural patterns: code with placeholders (holes), which matches code whose parse tree has the same form.
//!
//! `$NAME` matches one node and `$$$NAME` any number of nodes; `$_` and `$$$` match the same without a name.
//! A name that is used twice must match the same code.

mod grep;
mod holes;
mod read;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, NodeMatch};

use crate::bounded::ParseError;
use crate::tree::deeper_than;
use crate::{Language, Tree};

pub use read::PatternSyntaxError;

/// A pattern that uses a placeholder twice is searched for only in parse trees up to this depth.
const DEEPEST: usize = 1_000;

/// A pattern, parsed in one language.
#[derive(Debug, Clone)]
pub struct Pattern {
    language: Language,
    /// The syntax tree of the pattern in each context in which it is valid.
    shapes: Vec<ast_grep_core::Pattern>,
    /// A text that all matches contain; empty if none is known.
    word: String,
    compares: Compares,
}

/// The comparison that matching needs: `Code` if a placeholder is used twice, because both uses must match equal code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compares {
    Nothing,
    Code,
}

/// Code that matches a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternMatch {
    /// The range of the matching code.
    pub range: Range<usize>,
    /// The code that matches the pattern's placeholders with names.
    pub holes: Vec<Hole>,
}

/// The code that matches a placeholder of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The name of the placeholder, without the `$`.
    pub name: String,
    /// The byte range of the code; `None` if a placeholder for any number of nodes matches no node.
    pub range: Option<Range<usize>>,
}

impl Pattern {
    /// Parses a pattern in a language.
    ///
    /// # Errors
    ///
    /// If the text is not a pattern in the language.
    pub fn read(language: Language, text: &str) -> Result<Self, PatternSyntaxError> {
        let shapes = read::shapes(language, text)?;
        let words: Vec<Cow<'_, str>> = shapes.iter().map(ast_grep_core::Pattern::fixed_string).collect();
        let word = match words.as_slice() {
            [first, others @ ..]
                if first.chars().any(char::is_alphanumeric) && others.iter().all(|other| other == first) =>
            {
                first.to_string()
            }
            _ => String::new(),
        };
        let compares = if read::repeats(text) { Compares::Code } else { Compares::Nothing };
        Ok(Self { language, shapes, word, compares })
    }

    /// Returns the language of the pattern.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns whether a text can contain a match: whether it contains the text that all matches contain.
    #[must_use]
    pub fn may_fit(&self, text: &str) -> bool {
        text.contains(&self.word)
    }
}

impl Tree<'_> {
    /// Lists the matches in a tree, in order, nested ones included.
    ///
    /// # Errors
    ///
    /// If the tree is too deep to compare code in it.
    pub fn fits(&self, pattern: &Pattern) -> Result<Vec<PatternMatch>, ParseError> {
        if pattern.compares == Compares::Code && deeper_than(self.root(), DEEPEST) {
            return Err(ParseError::TooTangled);
        }
        let source = StrDoc { src: self.text().to_owned(), lang: self.language(), tree: self.copied() };
        let root = AstGrep::doc(source);
        let top = root.root();
        let mut fits: Vec<PatternMatch> =
            pattern.shapes.iter().flat_map(|shape| top.find_all(shape)).map(|found| fit(&found)).collect();
        fits.sort_by_key(|fit| (fit.range.start, Reverse(fit.range.end)));
        fits.dedup_by(|next, fit| next.range == fit.range);
        Ok(fits)
    }
}

fn fit(found: &NodeMatch<'_, StrDoc<Language>>) -> PatternMatch {
    let env = found.get_env();
    let mut names = BTreeSet::new();
    for hole in env.get_matched_variables() {
        match hole {
            MetaVariable::Capture(name, _) | MetaVariable::MultiCapture(name) => names.insert(name),
            MetaVariable::Dropped(_) | MetaVariable::Multiple => continue,
        };
    }
    let holes = names.into_iter().map(|name| {
        let one = env.get_match(&name).map(ast_grep_core::Node::range);
        let range = one.or_else(|| {
            let many = env.get_multiple_matches(&name);
            Some(many.first()?.range().start..many.last()?.range().end)
        });
        Hole { name, range }
    });
    PatternMatch { holes: holes.collect(), range: found.range() }
}
