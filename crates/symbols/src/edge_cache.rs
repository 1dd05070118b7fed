//! Cache of the uses of symbols, valid until the graph changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::edge::{Edge, Relation, Unresolved};
use crate::ids::{At, FileId};

/// The maximum number of cached uses; larger results are not cached.
const MOST: usize = 200_000;

/// All uses of a symbol, in any file.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The uses, sorted by certainty, then by path and byte offset.
    pub(crate) edges: Vec<Edge>,
    /// The occurrences of the symbol's name that could not be resolved, sorted by path and byte offset.
    pub(crate) unresolved: Vec<Unresolved>,
    /// The file of each occurrence of the symbol's name that is a use of another kind than requested.
    pub(crate) other: Vec<FileId>,
    /// The file of each occurrence that is a use of another symbol of the same name.
    pub(crate) namesakes: Vec<FileId>,
    /// The file of each occurrence that is a use of something outside the workspace.
    pub(crate) outside: Vec<FileId>,
    /// The file of each occurrence that calls a parameter or a variable.
    pub(crate) local: Vec<FileId>,
}

impl Uses {
    /// Adds the uses of other files.
    pub(crate) fn append(&mut self, other: Self) {
        let Self { edges, unresolved, other, namesakes, outside, local } = other;
        self.edges.extend(edges);
        self.unresolved.extend(unresolved);
        self.other.extend(other);
        self.namesakes.extend(namesakes);
        self.outside.extend(outside);
        self.local.extend(local);
    }

    /// Returns the number of occurrences, as the size of the cached result.
    fn size(&self) -> usize {
        let Self { edges, unresolved, other, namesakes, outside, local } = self;
        edges.len() + unresolved.len() + other.len() + namesakes.len() + outside.len() + local.len()
    }
}

/// The cached uses of symbols, valid until the graph changes.
#[derive(Debug, Default)]
pub(crate) struct EdgeCache(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    /// The number of graph changes when the uses were cached. They are valid until the graph changes again.
    changes: u64,
    count: usize,
    of: HashMap<(At, Relation), Arc<Uses>>,
}

impl EdgeCache {
    pub(crate) fn get(&self, changes: u64, question: (At, Relation)) -> Option<Arc<Uses>> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.of.get(&question).filter(|_| answers.changes == changes).cloned()
    }

    pub(crate) fn keep(&self, changes: u64, question: (At, Relation), uses: &Arc<Uses>) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = uses.size() + 1;
        if answers.changes != changes || answers.count + count > MOST {
            *answers = Answers { changes, ..Answers::default() };
        }
        if count <= MOST && answers.of.insert(question, uses.clone()).is_none() {
            answers.count += count;
        }
    }
}
