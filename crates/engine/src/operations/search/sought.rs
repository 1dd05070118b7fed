//! Waits for the index as long as a call can: where it is not ready by then, the files that hold the words are read first.

use super::ask::Question;
use crate::{CallCtx, Engine};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use toolpost_index::ranked::{
    Index, Lent, Patience, Trouble,
    grammar::{Beside, Node},
};
use toolpost_search::{Case, Control, GrepRequest, Hidden, Prune, grep::Mode};
use toolpost_workspace::WorkspacePath;

/// How long an index that is not ready is waited for before files are chosen that come first.
const SHORT: Duration = Duration::from_millis(1_500);
/// How long it is waited for at most, and how much of the time that a call has left.
const LONG: Duration = Duration::from_secs(12);
const SHARE: f64 = 0.4;
/// After how long it is asked again whether waiting is worth while.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the files that come first are looked for, and how many there are at most.
const LOOK: Duration = Duration::from_secs(4);
const FIRST: usize = 3_000;
/// The shortest word that tells anything of a file.
const SHORTEST: usize = 3;

/// Lends the index as it is at the end of this call's patience, or before, where the rest of it would not make the answer whole.
pub(in crate::operations) fn lend<'i>(
    engine: &Engine,
    index: &'i Index,
    base: &WorkspacePath,
    words: &dyn Fn() -> Vec<String>,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Lent<'i>, Trouble> {
    let began = Instant::now();
    let left = cx.time_left(Duration::from_secs(600));
    let (short, long) = (SHORT.min(left.mul_f64(SHARE / 4.0)), LONG.min(left.mul_f64(SHARE)));
    let none = |_: &WorkspacePath| false;
    let lent = index.lend_within(&Patience { until: Some(began + short), first: &none }, stop)?;
    if lent.waiting().is_empty() {
        return Ok(lent);
    }
    let (since, waited_for) = (Instant::now(), lent.waiting().len());
    drop(lent);
    let first = holding(engine, base, &words(), LOOK.min(long / 3), cx);
    let first = |path: &WorkspacePath| first.contains(path);
    let end = began + long;
    loop {
        let until = end.min(Instant::now() + PAUSE);
        let lent = index.lend_within(&Patience { until: Some(until), first: &first }, stop)?;
        let (now, waiting) = (Instant::now(), lent.waiting());
        if waiting.is_empty() || now >= end || stop() {
            return Ok(lent);
        }
        let read = waited_for.saturating_sub(waiting.len()).max(1);
        let rest = (now - since).mul_f64(waiting.len() as f64 / read as f64);
        // Waiting makes the answer better as long as files are left that come first, or where it makes it whole.
        if rest > end - now && !waiting.iter().any(first) {
            return Ok(lent);
        }
    }
}

/// Lists the words that what is found may hold.
pub(super) fn words(question: &Question) -> Vec<String> {
    let mut out = Vec::new();
    match question {
        Question::Exact(text) => out.push(text.trim().to_owned()),
        Question::Query(query) => gather(&query.node, &mut out),
    }
    out
}

/// Lists what a line that is shown may hold of it, in small letters.
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

/// Lists files that hold one of some words, however its parts are joined.
fn holding(
    engine: &Engine,
    base: &WorkspacePath,
    words: &[String],
    time: Duration,
    cx: &CallCtx,
) -> HashSet<WorkspacePath> {
    let patterns: Vec<String> = words.iter().filter_map(|word| pattern(word)).collect();
    if patterns.is_empty() {
        return HashSet::new();
    }
    let may = cx.may_read.clone();
    let request = GrepRequest {
        case: Case::Insensitive,
        mode: Mode::Files,
        limit: Some(FIRST),
        hidden: Hidden::Skip,
        prune: Prune::Dependencies,
        may_read: Some(may),
        encoding: engine.encoding(),
        ..GrepRequest::new(base.clone(), patterns.join("|"))
    };
    let cancel = cx.cancel.clone();
    let control = Control::default().cancelled_by(move || cancel.is_cancelled()).until(Instant::now() + time);
    let found = toolpost_search::grep(engine.workspace(), &request, &control, engine.grams_of(base));
    // Without them files are read in no order that matters.
    found.map(|found| found.files.into_iter().map(|file| file.path).collect()).unwrap_or_default()
}

/// Makes a pattern of a word: the longest part of it that tells something.
fn pattern(word: &str) -> Option<String> {
    let parts = word.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() >= SHORTEST);
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    let joined = parts.join("[^\\pL\\pN\\n]{0,3}");
    (!joined.is_empty()).then_some(joined)
}
