//! Cache for repeated queries that may be recursive.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;

/// Cached answers.
///
/// A query that recurs while it is being answered gets an empty answer, which ends cycles. Answers to nested
/// queries may be incomplete for that reason, so they are kept only until the outermost query is answered.
pub(crate) struct Memo<K, V> {
    kept: RefCell<HashMap<K, V>>,
    passing: RefCell<HashMap<K, Option<V>>>,
    open: Cell<u32>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { kept: RefCell::default(), passing: RefCell::default(), open: Cell::new(0) }
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Default> Memo<K, V> {
    /// Returns the cached answer to a question, or computes it.
    pub(crate) fn get(&self, question: K, find: impl FnOnce() -> V) -> V {
        if let Some(answer) = self.kept.borrow().get(&question) {
            return answer.clone();
        }
        if let Some(answer) = self.passing.borrow().get(&question) {
            return answer.clone().unwrap_or_default();
        }
        self.passing.borrow_mut().insert(question.clone(), None);
        self.open.set(self.open.get() + 1);
        let answer = find();
        self.open.set(self.open.get() - 1);
        if self.open.get() == 0 {
            self.passing.borrow_mut().clear();
            self.kept.borrow_mut().insert(question, answer.clone());
        } else {
            self.passing.borrow_mut().insert(question, Some(answer.clone()));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;
    use std::cell::Cell;

    #[test]
    fn recursive_queries_end_and_results_are_cached() {
        let memo: Memo<u32, Vec<u32>> = Memo::default();
        let asked = Cell::new(0);
        // The query for a number asks for the next two numbers, and the last numbers lead back to the first, so that
        // queries recur.
        fn ask(memo: &Memo<u32, Vec<u32>>, asked: &Cell<u32>, number: u32) -> Vec<u32> {
            memo.get(number, || {
                asked.set(asked.get() + 1);
                let mut out = vec![number];
                for next in [1, 2] {
                    out.extend(ask(memo, asked, (number + next) % 30));
                }
                out.sort_unstable();
                out.dedup();
                out
            })
        }
        assert_eq!(ask(&memo, &asked, 0), (0..30).collect::<Vec<_>>());
        assert_eq!(asked.get(), 30);
        assert_eq!(ask(&memo, &asked, 0).len(), 30);
        assert_eq!(asked.get(), 30);
        assert_eq!(ask(&memo, &asked, 7).len(), 30);
    }
}
