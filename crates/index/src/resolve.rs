//! Follows names to what they mean: through scopes, imports, classes and written types.

mod class;
mod evaluate;
mod export;
mod handed;
mod lookup;
mod memo;
mod site;
mod stands;
mod typed;
mod value;

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

pub use site::{Found, How, Sure, Target};
pub(crate) use value::Value;

use lookup::Meanings;
use memo::Memo;

use crate::Word;
use crate::graph::{At, File, FileId, Graph};
use crate::rules::{self, Rules};

/// How many steps may follow from one another; code that goes in circles ends there.
const DEEPEST: u32 = 24;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The file.
    pub(crate) file: FileId,
    /// The byte.
    pub(crate) place: u32,
}

/// What follows names in a graph.
pub(crate) struct Resolver<'g> {
    pub(crate) graph: &'g Graph,
    depth: Cell<u32>,
    /// Whether steps were not taken because there were too many.
    cut: Cell<bool>,
    /// What modules have under a name for others.
    exports: Memo<(FileId, Word), Vec<Value>>,
    /// What is imported under a name in a file, or in one of its symbols.
    imports: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// The same for what is imported together with all others.
    stars: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// What classes inherit.
    bases: Memo<At, Rc<Vec<Value>>>,
    /// The blocks that add to classes.
    blocks: Memo<At, Rc<Vec<At>>>,
    /// The methods that stand in for one without a body.
    implementations: Memo<At, Rc<Vec<At>>>,
    /// The types that have all methods of an interface.
    implementers: Memo<At, Rc<Vec<At>>>,
    /// The packages and modules of Python at which an import from a directory begins.
    pub(crate) topmost: Memo<(String, String), Vec<Value>>,
    /// All that have a name, with the directories in which they lie.
    pub(crate) named: Memo<String, Rc<Vec<(&'g str, Value)>>>,
    /// Which files a file includes.
    pub(crate) included: Memo<FileId, Rc<HashSet<FileId>>>,
}

impl<'g> Resolver<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Self {
            graph,
            depth: Cell::new(0),
            cut: Cell::new(false),
            exports: Memo::default(),
            imports: Memo::default(),
            stars: Memo::default(),
            bases: Memo::default(),
            blocks: Memo::default(),
            implementations: Memo::default(),
            implementers: Memo::default(),
            topmost: Memo::default(),
            named: Memo::default(),
            included: Memo::default(),
        }
    }

    fn file(&self, id: FileId) -> &'g File {
        self.graph.file(id)
    }

    fn rules(&self, id: FileId) -> &'static Rules {
        rules::of(self.file(id).language())
    }

    /// Takes one step further; gives what is said when there were too many.
    fn deeper<T>(&self, otherwise: T, step: impl FnOnce() -> T) -> T {
        if self.depth.get() >= DEEPEST {
            self.cut.set(true);
            return otherwise;
        }
        self.depth.set(self.depth.get() + 1);
        let out = step();
        self.depth.set(self.depth.get() - 1);
        out
    }

    /// Gives where a symbol stands, to look from there.
    fn spot_of(&self, at: At) -> Spot {
        Spot { file: at.file, place: self.graph.symbol(at).at.0 }
    }
}
