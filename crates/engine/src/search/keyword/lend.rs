//! The terms of a keyword query: files that contain them are read first if the index is not complete.

use super::ask::Question;
use crate::{
    call::CallCtx,
    code::symbol_index::{
        About, DirectLook,
        ready::{self, Wait},
    },
    search::Searcher,
};
use toolpost_index::ranked::{
    Index, Lent, Trouble,
    grammar::{Beside, Node},
};
use toolpost_workspace::WorkspacePath;

/// Lends an index at the end of the wait, with the files that contain the terms read first.
pub(crate) fn lend<'i>(
    search: &Searcher,
    index: &'i Index,
    base: &WorkspacePath,
    terms: &dyn Fn() -> Vec<String>,
    (wait, cx): (Wait, &CallCtx),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Lent<'i>, Option<DirectLook>), Trouble> {
    let about = || About { names: terms(), paths: Vec::new(), base: Some(base.clone()) };
    ready::lend(index, search.find(), &about, wait, cx, stop)
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
