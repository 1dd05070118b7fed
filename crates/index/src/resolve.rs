//! Name resolution through scopes, imports, classes and type annotations.

mod class;
mod evaluate;
mod export;
mod handed;
mod imports;
mod lookup;
mod memo;
mod site;
mod stands;
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

/// The maximum depth of the resolution; it ends cycles in the code.
const DEEPEST: u32 = 24;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The file.
    pub(crate) file: FileId,
    /// The byte.
    pub(crate) place: u32,
}

/// A resolver over a graph.
pub(crate) struct Resolver<'g> {
    pub(crate) graph: &'g Graph,
    depth: Cell<u32>,
    /// Set if the maximum depth was reached.
    cut: Cell<bool>,
    /// The exports of modules by name.
    exports: Memo<(FileId, Word), Vec<Value>>,
    /// The imports of a name in a file, or in one of its symbols.
    imports: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// The same for wildcard imports.
    stars: Memo<(FileId, Option<u32>, Word), Meanings>,
    /// The base classes.
    bases: Memo<At, Rc<Vec<Value>>>,
    /// The blocks that add to classes.
    blocks: Memo<At, Rc<Vec<At>>>,
    /// The implementations of methods without bodies.
    implementations: Memo<At, Rc<Vec<At>>>,
    /// The types that have all methods of an interface.
    implementers: Memo<At, Rc<Vec<At>>>,
    /// The packages and modules of Python at which an import from a directory begins.
    pub(crate) topmost: Memo<(String, String), Vec<Value>>,
    /// All modules with a name, with their directories.
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

    /// Returns the location of a symbol as a starting point.
    fn spot_of(&self, at: At) -> Spot {
        Spot { file: at.file, place: self.graph.symbol(at).at.0 }
    }
}
