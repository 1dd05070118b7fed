//! Higher scores for blocks that define a name which is in the query.

use std::collections::HashSet;

use crate::grammar::{BooleanQuery, Node};
use crate::hits::Block;
use crate::index_access::Words;
use crate::score::{ScoredBlock, rarity};
use crate::tokens::{self, DEFINED, folded, tokens};

/// The weight of a definition by its rank (0 for a type with a body, 3 for a variable). A match that is not a
/// definition has a weight of at most 1, so a definition comes first for a query of one word.
const WEIGHTS: [f64; 4] = [2.0, 1.9, 1.8, 1.6];
/// The deduction for a definition whose name differs in letter case from the word in the query: the first number if
/// that word looks like code, otherwise the second.
const OTHER_CASE: (f64, f64) = (0.5, 0.15);
/// The deduction from the weight of a definition that is in a test.
const IN_TEST: f64 = 0.4;
/// The minimum weight of a definition after all deductions.
const LEAST: f64 = 1.05;
/// The factor for the increase in score if the name of the definition covers only some words of the query. It does not
/// apply to a name that looks like code and is in the query as written.
const AMONG_OTHERS: f64 = 0.5;
/// The factor for the increase in score if the name of the definition consists of all words of the query, so that it
/// comes before the definitions of the single words.
const ALL_JOINED: f64 = 2.0;
/// The maximum number of adjacent words of a query that are tried as one name, such as `redirect view` for
/// `RedirectView`.
const JOINED: usize = 4;

/// A block that defines a name, with the weight of the definition after the deductions.
#[derive(Debug, Clone, Copy)]
struct Definition {
    block: Block,
    weight: f64,
}

/// Counts the words of a query, without those in filters and those that are excluded with `NOT` or `-`.
pub(crate) fn word_count(node: &Node) -> usize {
    match node {
        Node::Word(_) => 1,
        Node::Phrase(text) => tokens::words(text).count(),
        Node::In(_, node) | Node::Weighed(node, _) => word_count(node),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(word_count).sum(),
        Node::Beside(BooleanQuery { must, should, .. }) => must.iter().chain(should).map(word_count).sum(),
        Node::Filter(..) | Node::Not(_) => 0,
    }
}

/// Raises the scores of the blocks that define `text`, one word of a query; `count` is the number of words in the whole
/// query.
pub(crate) fn raise(words: &dyn Words, blocks: &mut [ScoredBlock], text: &str, count: usize) {
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

/// Raises the scores of the blocks that define a name which adjacent words of the query form, such as `RedirectView`
/// for `redirect view`.
pub(crate) fn raise_joined(words: &dyn Words, blocks: &mut [ScoredBlock], nodes: &[Node], count: usize) {
    let plain = |node: &Node| match node {
        Node::Word(word) if word.fuzzy == 0 => {
            let text = folded(&word.text);
            (!text.is_empty() && text.chars().all(char::is_alphanumeric)).then_some(text)
        }
        _ => None,
    };
    let total = words.totals().0.max(1) as f64;
    let all: Vec<Option<String>> = nodes.iter().map(plain).collect();
    // A block that defines several of the names is raised only for the longest one.
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

fn add(blocks: &mut [ScoredBlock], found: &[Definition], rare: f64, whole: bool) {
    for definition in found {
        if let Ok(at) = blocks.binary_search_by_key(&definition.block, |scored| scored.block) {
            blocks[at].score += definition.weight * rare;
            blocks[at].defines |= whole;
        }
    }
}

/// Returns the name in a word of a query: of a qualified name such as `Cart.total` or `Cart::total`, the last part.
/// `None` if the word has a wildcard or is not a name.
fn name(text: &str) -> Option<&str> {
    if text.contains(['*', '?', '/']) {
        return None;
    }
    let all: Vec<tokens::Word<'_>> = tokens::words(text).collect();
    let between = |pair: &[tokens::Word<'_>]| &text[pair[0].at + pair[0].text.len()..pair[1].at];
    let qualified = all.windows(2).all(|pair| [".", "::", "#", "->"].contains(&between(pair)));
    all.last().filter(|_| qualified).map(|word| word.text)
}

/// Returns whether a word looks like code, not like prose: it has several parts, an upper-case letter or an underscore.
fn is_code_like(name: &str) -> bool {
    tokens(name).whole.is_some() || name.contains(char::is_uppercase) || name.contains('_')
}

/// Lists the blocks that define a name, in their order in the index. A block with several definitions of the name has
/// the highest of their weights.
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
