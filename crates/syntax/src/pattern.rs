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

use crate::tree::{Unread, deeper_than};
use crate::{Language, Tree};

pub use read::NoPattern;

/// How deep a tree may be in which the same code is looked for in two places.
const DEEPEST: usize = 1_000;

/// A pattern, as one language reads it.
#[derive(Debug, Clone)]
pub struct Pattern {
    language: Language,
    /// What it is in each sort of place where it can stand.
    shapes: Vec<ast_grep_core::Pattern>,
    /// A word that stands in all code that fits.
    word: String,
    compares: Compares,
}

/// Whether the same code has to stand in several places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compares {
    Nothing,
    Code,
}

/// Code that has the shape of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Where it stands.
    pub range: Range<usize>,
    /// What stands in the holes that have names, by these.
    pub holes: Vec<Hole>,
}

/// What stands in a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The hole's name, without its signs.
    pub name: String,
    /// Where it stands; nothing where a hole for any number stands for none.
    pub range: Option<Range<usize>>,
}

impl Pattern {
    /// Reads a pattern in a language.
    ///
    /// # Errors
    ///
    /// When the language cannot read it as one piece of code.
    pub fn read(language: Language, text: &str) -> Result<Self, NoPattern> {
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

    /// Gives the language that reads it.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Tells whether a text can hold such code at all: a word of the pattern stands in it.
    #[must_use]
    pub fn may_fit(&self, text: &str) -> bool {
        text.contains(&self.word)
    }
}

impl Tree<'_> {
    /// Lists the code that has the shape of a pattern of the tree's language, in order, also where one stands in another.
    ///
    /// # Errors
    ///
    /// When the tree is too deep to compare code in it.
    pub fn fits(&self, pattern: &Pattern) -> Result<Vec<Fit>, Unread> {
        if pattern.compares == Compares::Code && deeper_than(self.root(), DEEPEST) {
            return Err(Unread::TooTangled);
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
