//! The keyword score of a block: BM25 over its parts and the path of its file.

use crate::hits::{Block, COUNTED};
use crate::record::PLACES;

/// A block that a query found, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredBlock {
    pub(crate) block: Block,
    pub(crate) score: f64,
    /// Set if the block itself, and not only the path of its file, contains a word of the query.
    pub(crate) own: bool,
    /// True if the block defines a name that is in the query.
    pub(crate) defines: bool,
}

impl ScoredBlock {
    /// Creates the result for a block whose own content matches the query, not only the path of its file.
    pub(crate) fn of(block: Block, score: f64) -> Self {
        Self { block, score, own: true, defines: false }
    }
}

/// The weight of a word in each part: name, signature, body, comments, enclosing names, path.
const WEIGHTS: [f64; COUNTED] = [6.0, 2.5, 1.0, 1.2, 1.5, 1.2];
/// The influence of a part's length on the score (BM25's b), for name, signature, body, comments, enclosing names,
/// path.
const LENGTHS: [f64; COUNTED] = [0.3, 0.4, 0.6, 0.5, 0.0, 0.0];
/// The saturation constant of the word frequency (BM25's k1).
const OFTEN: f64 = 1.2;

/// Returns the inverse document frequency of a word that `holding` of `total` blocks contain.
pub(crate) fn rarity(total: f64, holding: f64) -> f64 {
    (1.0 + (total - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// Returns the saturated frequency of a word in a block: at most 1. The lengths of the block's parts are compared with
/// `usual`, the mean lengths.
pub(crate) fn worth(counts: &[u32; COUNTED], lengths: Option<&[u16; PLACES]>, usual: &[f64; PLACES]) -> f64 {
    let mut often = 0.0;
    for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let length = lengths.and_then(|lengths| lengths.get(place)).map_or(0.0, |own| f64::from(*own));
        let usual = usual.get(place).copied().unwrap_or(1.0);
        let fair = 1.0 - LENGTHS[place] + LENGTHS[place] * length / usual;
        often += WEIGHTS[place] * f64::from(*count) / fair;
    }
    often / (OFTEN + often)
}
