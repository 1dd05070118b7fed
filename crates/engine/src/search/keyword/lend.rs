//! Limited wait for the keyword index: files that contain the terms are read first, in case it is not
//! complete at the end of the wait.

use super::ask::Question;
use crate::{call::CallCtx, code::symbol_index::ready, search::Searcher};
use std::time::{Duration, Instant};
use toolpost_index::ranked::{
    Index, Lent, Patience, Trouble,
    grammar::{Beside, Node},
};
use toolpost_workspace::WorkspacePath;

/// The pause before the wait checks again for priority files that are not indexed.
const PAUSE: Duration = Duration::from_millis(200);
/// The share of the wait for which priority files are looked for, and its maximum.
const LOOK: (f64, Duration) = (0.3, Duration::from_millis(500));

/// Returns the index at the end of the wait, or earlier if the rest of the wait cannot complete the answer.
pub(crate) fn lend<'i>(
    search: &Searcher,
    index: &'i Index,
    base: &WorkspacePath,
    words: &dyn Fn() -> Vec<String>,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Lent<'i>, Trouble> {
    let (began, (short, long)) = (Instant::now(), ready::limits(search.code(), cx));
    let none = |_: &WorkspacePath| false;
    let lent = index.lend_within(&Patience { until: Some(began + short), first: &none }, stop)?;
    if lent.waiting().is_empty() {
        return Ok(lent);
    }
    let (since, waited_for) = (Instant::now(), lent.waiting().len());
    drop(lent);
    let first = ready::holding(search.find(), base, &words(), LOOK.1.min(long.mul_f64(LOOK.0)), cx);
    let first = |path: &WorkspacePath| first.contains(path);
    let end = ready::until(began, long);
    loop {
        let until = end.min(Instant::now() + PAUSE);
        let lent = index.lend_within(&Patience { until: Some(until), first: &first }, stop)?;
        let (now, waiting) = (Instant::now(), lent.waiting());
        if waiting.is_empty() || now >= end || stop() {
            return Ok(lent);
        }
        let read = waited_for.saturating_sub(waiting.len()).max(1);
        let rest = (now - since).mul_f64(waiting.len() as f64 / read as f64);
        // Waiting improves the answer as long as priority files are left, or if it completes the answer.
        if rest > end - now && !waiting.iter().any(first) {
            return Ok(lent);
        }
    }
}

/// Lists the terms that results may contain.
pub(super) fn words(question: &Question) -> Vec<String> {
    let mut out = Vec::new();
    match question {
        Question::Exact(text) => out.push(text.trim().to_owned()),
        Question::Query(query) => gather(&query.node, &mut out),
    }
    out
}

/// Lists the parts of terms that a displayed line may contain, in lower case.
pub(super) fn shown(question: &Question) -> Vec<String> {
    let exact = matches!(question, Question::Exact(_));
    let parts = words(question).into_iter().flat_map(|word| {
        let word = word.to_ascii_lowercase();
        let apart = |letter: char| !exact && matches!(letter, '*' | '?');
        word.split(apart).filter(|part| part.len() > 1).map(str::to_owned).collect::<Vec<_>>()
    });
    parts.collect()
}

fn gather(node: &Node, out: &mut Vec<String>) {
    match node {
        Node::Word(word) => out.push(word.text.clone()),
        Node::Phrase(text) => out.push(text.clone()),
        Node::In(_, node) | Node::Weighed(node, _) => gather(node, out),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| gather(node, out)),
        Node::Beside(Beside { must, should, .. }) => {
            must.iter().chain(should).for_each(|node| gather(node, out));
        }
        Node::Filter(..) | Node::Not(_) => {}
    }
}
