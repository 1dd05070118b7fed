//! The uses of symbols that were found since the last change of the graph.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::edge::{Edge, Relation, Unresolved};
use crate::ids::{At, FileId};

/// The maximum number of cached uses; larger results are not cached.
const MOST: usize = 200_000;

/// All uses of a symbol, in whatever files.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The uses, in order.
    pub(crate) edges: Vec<Edge>,
    /// The unresolved occurrences of the name, in order.
    pub(crate) unresolved: Vec<Unresolved>,
    /// The file of each occurrence that belongs to another relation.
    pub(crate) other: Vec<FileId>,
}

/// The cached uses of symbols, valid until the graph changes.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    /// After how many changes of the graph they were found.
    changes: u64,
    count: usize,
    of: HashMap<(At, Relation), Arc<Uses>>,
}

impl Asked {
    pub(crate) fn get(&self, changes: u64, question: (At, Relation)) -> Option<Arc<Uses>> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.of.get(&question).filter(|_| answers.changes == changes).cloned()
    }

    pub(crate) fn keep(&self, changes: u64, question: (At, Relation), uses: &Arc<Uses>) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = uses.edges.len() + uses.unresolved.len() + uses.other.len() + 1;
        if answers.changes != changes || answers.count + count > MOST {
            *answers = Answers { changes, ..Answers::default() };
        }
        if count <= MOST && answers.of.insert(question, uses.clone()).is_none() {
            answers.count += count;
        }
    }
}
