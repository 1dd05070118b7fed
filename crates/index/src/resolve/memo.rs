//! Answers to questions that are asked again and again, and may lead back to themselves.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;

/// Cached answers.
///
/// A question that recurs while it is being answered has no answer there, which ends cycles. Intermediate answers are
/// kept only until the first question is answered, since they may be incomplete because of the cycle.
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
    fn circles_end_and_answers_are_kept() {
        let memo: Memo<u32, Vec<u32>> = Memo::default();
        let asked = Cell::new(0);
        // Each number leads to the next ones, and the last one back to the first.
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
