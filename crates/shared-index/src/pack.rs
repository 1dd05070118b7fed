//! The words of a block as the tables store them: a number for each word, and how often it occurs in each part of the
//! block.

use toolpost_ranked::portable::{Counts, PortableBlock};
use toolpost_workspace::hash;

/// The number of parts of a block: name, signature, body, comments, enclosing names.
const PLACES: usize = 5;

/// Added before a word that occurs in the name of a block when [`name_number`] computes its number.
const NAME: char = '\u{2}';

/// The words of a block in the form in which the tables store them.
pub(crate) struct PackedWords {
    /// The numbers of the block's words, sorted.
    pub(crate) tokens: Vec<i32>,
    /// The length of each part of the block in two bytes; then for each number a bit mask of the parts with the word,
    /// and its count in each of them.
    pub(crate) words: Vec<u8>,
}

/// The words of a block in a form for lookups.
pub(crate) struct WordTable {
    pub(crate) lengths: [u32; PLACES],
    tokens: Vec<i32>,
    counts: Vec<Counts>,
}

/// Returns the number that stands for a word in the tables.
pub(crate) fn number(token: &str) -> i32 {
    let mut first = [0; 4];
    first.copy_from_slice(&hash(token.as_bytes()).as_bytes()[..4]);
    i32::from_le_bytes(first)
}

/// Returns the second number of a word that occurs in the name of a block. The tables store it in addition to
/// [`number`], because keyword ranking prefers blocks with a query's word in their name.
pub(crate) fn name_number(token: &str) -> i32 {
    number(&format!("{NAME}{token}"))
}

impl PackedWords {
    pub(crate) fn of(piece: &PortableBlock) -> Self {
        let names = piece.tokens.iter().filter(|(_, counts)| counts[0] > 0);
        let names = names.map(|(token, _)| (name_number(token), [0; PLACES]));
        let own = piece.tokens.iter().map(|(token, counts)| (number(token), *counts));
        let mut all: Vec<(i32, Counts)> = own.chain(names).collect();
        all.sort_unstable();
        // If two words have the same number, the greater counts are kept, compared in the order of the parts.
        all.reverse();
        all.dedup_by_key(|(number, _)| *number);
        all.reverse();
        let mut words = Vec::with_capacity(2 * PLACES + 3 * all.len());
        for length in piece.lengths {
            words.extend(u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes());
        }
        for (_, counts) in &all {
            let mask =
                (0..PLACES).filter(|place| counts[*place] > 0).fold(0_u8, |mask, place| mask | 1 << place);
            words.push(mask);
            words.extend(counts.iter().filter(|count| **count > 0));
        }
        Self { tokens: all.into_iter().map(|(number, _)| number).collect(), words }
    }
}

impl WordTable {
    /// Decodes the stored words of a block; `None` if they are damaged.
    pub(crate) fn read(tokens: Vec<i32>, words: &[u8]) -> Option<Self> {
        let (head, mut rest) = words.split_at_checked(2 * PLACES)?;
        let mut lengths = [0; PLACES];
        for (length, two) in lengths.iter_mut().zip(head.as_chunks::<2>().0) {
            *length = u32::from(u16::from_le_bytes(*two));
        }
        let mut counts = Vec::with_capacity(tokens.len());
        for _ in &tokens {
            let (mask, behind) = rest.split_first()?;
            rest = behind;
            let mut own = [0; PLACES];
            for place in (0..PLACES).filter(|place| mask & 1 << place != 0) {
                let (count, behind) = rest.split_first()?;
                own[place] = *count;
                rest = behind;
            }
            counts.push(own);
        }
        (rest.is_empty() && tokens.is_sorted()).then_some(Self { lengths, tokens, counts })
    }

    /// Returns whether these words equal the packed words of a block.
    pub(crate) fn is(&self, packed: &PackedWords) -> bool {
        Self::read(packed.tokens.clone(), &packed.words).is_some_and(|own| {
            own.tokens == self.tokens && own.counts == self.counts && own.lengths == self.lengths
        })
    }

    /// Returns the count of a word in each part of the block; `None` if the word does not occur.
    pub(crate) fn counts(&self, token: &str) -> Option<Counts> {
        let at = self.tokens.binary_search(&number(token)).ok()?;
        self.counts.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{PackedWords, WordTable, name_number, number};
    use toolpost_ranked::portable::cut;

    #[test]
    fn packed_words_read_back_unchanged() {
        let pieces = cut(
            "rust",
            b"/// Parses names.\nfn parse_name(name: &str) { name.trim(); name.len(); }\n".into(),
        )
        .unwrap();
        let packed = PackedWords::of(&pieces[0]);
        assert!(
            packed.tokens.contains(&name_number("parsename"))
                && !packed.tokens.contains(&name_number("trim"))
        );
        let held = WordTable::read(packed.tokens.clone(), &packed.words).unwrap();
        assert_eq!(held.lengths, pieces[0].lengths);
        for (token, counts) in &pieces[0].tokens {
            assert_eq!(held.counts(token), Some(*counts), "{token}");
        }
        assert_eq!(held.counts("nowhere"), None);
        assert!(WordTable::read(packed.tokens.clone(), &packed.words[..packed.words.len() - 1]).is_none());
        let mut other = packed.tokens;
        other.swap(0, 1);
        assert!(WordTable::read(other, &packed.words).is_none());
        assert_ne!(number("a"), name_number("a"));
    }
}
