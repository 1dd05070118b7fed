//! Definitions of the names in a query, and how much more they count than other matches.

use std::collections::HashSet;

use crate::ranked::find::{Scored, rarity};
use crate::ranked::grammar::{Beside, Node};
use crate::ranked::hits::Block;
use crate::ranked::tokens::{self, DEFINED, folded, tokens};
use crate::ranked::words::Words;

/// The weight of a definition by its rank. A match that is not a definition has at most 1, so the definition of the only word comes
/// first.
const WEIGHTS: [f64; 4] = [2.0, 1.9, 1.8, 1.6];
/// The deduction for a definition whose name is written in another case: from a query with capitals or underscores, and from others.
const OTHER_CASE: (f64, f64) = (0.5, 0.15);
/// The deduction for a definition in a test.
const IN_TEST: f64 = 0.4;
/// The least weight of a definition.
const LEAST: f64 = 1.05;
/// The share of a definition's weight if its name is a plain word among others, or some of the words joined.
const AMONG_OTHERS: f64 = 0.5;
/// The factor for a name that consists of all words of the query, since each of them may be a name as well.
const ALL_JOINED: f64 = 2.0;
/// The number of adjacent words that may be one name, as in `redirect view` for `RedirectView`.
const JOINED: usize = 4;

/// A block that defines a name.
#[derive(Debug, Clone, Copy)]
struct Definition {
    block: Block,
    weight: f64,
}

/// Counts the words of a query that should match.
pub(crate) fn word_count(node: &Node) -> usize {
    match node {
        Node::Word(_) => 1,
        Node::Phrase(text) => tokens::words(text).count(),
        Node::In(_, node) | Node::Weighed(node, _) => word_count(node),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(word_count).sum(),
        Node::Beside(Beside { must, should, .. }) => must.iter().chain(should).map(word_count).sum(),
        Node::Filter(..) | Node::Not(_) => 0,
    }
}

/// Raises the scores of the blocks that define the name which a word of the query spells; `count` is the number of words in the query.
pub(crate) fn raise(words: &dyn Words, blocks: &mut [Scored], text: &str, count: usize) {
    let Some(name) = name(text) else { return };
    let (small, code_like) = (folded(name), is_code_like(name));
    let exact = named(words, name, &[DEFINED[0]], 0.0);
    let kinds = if small == name { &DEFINED[1..] } else { &DEFINED };
    let mut alike = named(words, &small, kinds, if code_like { OTHER_CASE.0 } else { OTHER_CASE.1 });
    alike.retain(|other| exact.binary_search_by_key(&other.block, |definition| definition.block).is_err());
    let total = words.totals().0.max(1) as f64;
    let rare = rarity(total, (exact.len() + alike.len()) as f64);
    let weak = rarity(total, blocks.len() as f64) * AMONG_OTHERS;
    for (found, whole) in [(exact, count == 1 || code_like), (alike, count == 1)] {
        add(blocks, &found, if whole { rare } else { weak }, whole);
    }
}

/// Raises the scores of the blocks that define a name which adjacent words of the query form.
pub(crate) fn raise_joined(words: &dyn Words, blocks: &mut [Scored], nodes: &[Node], count: usize) {
    let plain = |node: &Node| match node {
        Node::Word(word) if word.fuzzy == 0 => {
            let text = folded(&word.text);
            (!text.is_empty() && text.chars().all(char::is_alphanumeric)).then_some(text)
        }
        _ => None,
    };
    let total = words.totals().0.max(1) as f64;
    let all: Vec<Option<String>> = nodes.iter().map(plain).collect();
    // A block counts for the longest name that it defines.
    let mut raised: HashSet<Block> = HashSet::new();
    for size in (2..=JOINED.min(all.len())).rev() {
        for window in all.windows(size) {
            let Some(parts) = window.iter().cloned().collect::<Option<Vec<String>>>() else { continue };
            let mut found = named(words, &parts.concat(), &DEFINED, 0.0);
            found.retain(|definition| raised.insert(definition.block));
            if found.is_empty() {
                continue;
            }
            let whole = size == count;
            let rare = rarity(total, found.len() as f64) * if whole { ALL_JOINED } else { AMONG_OTHERS };
            add(blocks, &found, rare, whole);
        }
    }
}

fn add(blocks: &mut [Scored], found: &[Definition], rare: f64, whole: bool) {
    for definition in found {
        if let Ok(at) = blocks.binary_search_by_key(&definition.block, |scored| scored.block) {
            blocks[at].score += definition.weight * rare;
            blocks[at].defines |= whole;
        }
    }
}

/// Returns the name that a word of a query spells: the last one of `Cart.total` and `Cart::total`.
fn name(text: &str) -> Option<&str> {
    if text.contains(['*', '?', '/']) {
        return None;
    }
    let all: Vec<tokens::Word<'_>> = tokens::words(text).collect();
    let between = |pair: &[tokens::Word<'_>]| &text[pair[0].at + pair[0].text.len()..pair[1].at];
    let qualified = all.windows(2).all(|pair| [".", "::", "#", "->"].contains(&between(pair)));
    all.last().filter(|_| qualified).map(|word| word.text)
}

/// Checks for a word that prose does not hold: one of several parts, or one with a capital.
fn is_code_like(name: &str) -> bool {
    tokens(name).whole.is_some() || name.contains(char::is_uppercase) || name.contains('_')
}

/// Lists the blocks that define a name, in order, each with its best definition.
fn named(words: &dyn Words, name: &str, prefixes: &[char], deduction: f64) -> Vec<Definition> {
    let mut found = Vec::new();
    let name = tokens::shortened(name.to_owned());
    for term in prefixes.iter().filter_map(|prefix| words.find(&format!("{prefix}{name}"))) {
        words.spots(term, None, &mut |file, spot| {
            let weight = WEIGHTS.get(usize::from(spot.place)).copied().unwrap_or(LEAST) - deduction;
            found.push(Definition { block: (file, spot.block), weight });
        });
    }
    for definition in &mut found {
        let of_test = words.file(definition.block.0).is_some_and(|file| file.test)
            || words.meta(definition.block.0).is_some_and(|meta| {
                meta.facts.get(definition.block.1 as usize).is_some_and(|facts| facts.test)
            });
        definition.weight = (definition.weight - if of_test { IN_TEST } else { 0.0 }).max(LEAST);
    }
    found.sort_by(|one, other| one.block.cmp(&other.block).then(other.weight.total_cmp(&one.weight)));
    found.dedup_by_key(|definition| definition.block);
    found
}
