//! Name resolution through scopes, imports, classes and type annotations.

mod callbacks;
mod class;
mod evaluate;
mod export;
mod implementations;
mod imports;
mod lookup;
mod memo;
mod site;
mod typed;
mod value;

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

pub(crate) use value::Value;

use lookup::Meanings;
use memo::Memo;

use crate::graph::{File, Graph};
use crate::ids::{At, FileId};
use crate::rules::{self, Rules};
use crate::word::Word;

/// The maximum recursion depth, so that cycles in the code end.
const DEEPEST: u32 = 24;

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    /// The file in the graph.
    pub(crate) file: FileId,
    /// The byte offset in the file.
    pub(crate) place: u32,
}

/// Resolves names in one state of the graph, with caches that are valid for that state.
pub(crate) struct Resolver<'g> {
    pub(crate) graph: &'g Graph,
    depth: Cell<u32>,
    /// Set if the maximum depth was reached, so that the last result may be incomplete.
    cut: Cell<bool>,
    /// The exports of modules by name.
    exports: Memo<(FileId, Word), Vec<Value>>,
    /// The meanings of a name through explicit imports, for a file or one of its symbols.
    imports: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// The meanings of a name through wildcard imports, for a file or one of its symbols.
    stars: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// The base classes of each class.
    bases: Memo<At, Rc<Vec<Value>>>,
    /// The `impl` blocks of each type.
    blocks: Memo<At, Rc<Vec<At>>>,
    /// The implementations of methods without bodies.
    implementations: Memo<At, Rc<Vec<At>>>,
    /// The types that have all methods of an interface.
    implementers: Memo<At, Rc<Vec<At>>>,
    /// The top-level Python package or module with a name, as seen from the files of a directory.
    pub(crate) topmost: Memo<(String, String), Vec<Value>>,
    /// All Python packages and modules with a name, each with the directory that contains it.
    pub(crate) named: Memo<String, Rc<Vec<(&'g str, Value)>>>,
    /// The included files of each file.
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

    /// Runs a step at the next depth; returns `otherwise` beyond the maximum.
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

    /// Returns the location of a symbol's name, at which names in its declaration are looked up.
    fn spot_of(&self, at: At) -> Location {
        Location { file: at.file, place: self.graph.symbol(at).at.0 }
    }
}
