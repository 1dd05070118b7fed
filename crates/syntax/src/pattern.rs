//! Structural patterns: code with holes, found wherever a tree has its shape.
//!
//! `$NAME` stands for one node, `$$$NAME` for any number of them, and `$_` and `$$$` for such without a name; a name that stands
//! twice means the same code in both places.

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

use crate::tree::{ParseError, deeper_than};
use crate::{Language, Tree};

pub use read::PatternSyntaxError;

/// Maximum depth of a tree in a search for equal code in two holes.
const DEEPEST: usize = 1_000;

/// A pattern, as one language reads it.
#[derive(Debug, Clone)]
pub struct Pattern {
    language: Language,
    /// Its shape in each sort of place where it is valid.
    shapes: Vec<ast_grep_core::Pattern>,
    /// A word that all matches contain.
    word: String,
    compares: Compares,
}

/// It requires equal code in several places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compares {
    Nothing,
    Code,
}

/// Code that has the shape of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Its range.
    pub range: Range<usize>,
    /// The code in the named holes.
    pub holes: Vec<Hole>,
}

/// The code in a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The hole's name, without its signs.
    pub name: String,
    /// Its range; empty if a hole for any number matches nothing.
    pub range: Option<Range<usize>>,
}

impl Pattern {
    /// Reads a pattern in a language.
    ///
    /// # Errors
    ///
    /// When the language cannot read it as one piece of code.
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

    /// Returns whether a text can contain a match: it contains a word of the pattern.
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
    /// When the tree is too deep to compare code in it.
    pub fn fits(&self, pattern: &Pattern) -> Result<Vec<Fit>, ParseError> {
        if pattern.compares == Compares::Code && deeper_than(self.root(), DEEPEST) {
            return Err(ParseError::TooTangled);
        }
        let source = StrDoc { src: self.text().to_owned(), lang: self.language(), tree: self.copied() };
        let root = AstGrep::doc(source);
        let top = root.root();
        let mut fits: Vec<Fit> =
            pattern.shapes.iter().flat_map(|shape| top.find_all(shape)).map(|found| fit(&found)).collect();
        fits.sort_by_key(|fit| (fit.range.start, Reverse(fit.range.end)));
        fits.dedup_by(|next, fit| next.range == fit.range);
        Ok(fits)
    }
}

fn fit(found: &NodeMatch<'_, StrDoc<Language>>) -> Fit {
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
    Fit { holes: holes.collect(), range: found.range() }
}
