//! The words of a block in the tables: a number for each, and its count per place.

use toolpost_index::ranked::portable::{Counts, Piece};
use toolpost_workspace::hash;

/// The number of places of a word.
const PLACES: usize = 5;

/// Prefix of a word that is a block's name, which keyword ranking prefers.
const NAME: char = '\u{2}';

/// The words of a block.
pub(crate) struct Packed {
    /// The numbers, sorted.
    pub(crate) tokens: Vec<i32>,
    /// The length of each place in two bytes; then for each number a bit mask of its places, and its count in each.
    pub(crate) words: Vec<u8>,
}

/// The words of a block, ready for lookups.
pub(crate) struct Held {
    pub(crate) lengths: [u32; PLACES],
    tokens: Vec<i32>,
    counts: Vec<Counts>,
}

/// Returns the number of a word.
pub(crate) fn number(token: &str) -> i32 {
    let mut first = [0; 4];
    first.copy_from_slice(&hash(token.as_bytes()).as_bytes()[..4]);
    i32::from_le_bytes(first)
}

/// Returns the number of a word as a block's name.
pub(crate) fn name_number(token: &str) -> i32 {
    number(&format!("{NAME}{token}"))
}

impl Packed {
    pub(crate) fn of(piece: &Piece) -> Self {
        let names = piece.tokens.iter().filter(|(_, counts)| counts[0] > 0);
        let names = names.map(|(token, _)| (name_number(token), [0; PLACES]));
        let own = piece.tokens.iter().map(|(token, counts)| (number(token), *counts));
        let mut all: Vec<(i32, Counts)> = own.chain(names).collect();
        all.sort_unstable();
        // If two words have one number, the more frequent one counts.
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

impl Held {
    /// Parses the words of a block; `None` if they are damaged.
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

    /// Returns whether these are the words of a block.
    pub(crate) fn is(&self, packed: &Packed) -> bool {
        Self::read(packed.tokens.clone(), &packed.words).is_some_and(|own| {
            own.tokens == self.tokens && own.counts == self.counts && own.lengths == self.lengths
        })
    }

    /// Returns the count of a word per place.
    pub(crate) fn counts(&self, token: &str) -> Option<Counts> {
        let at = self.tokens.binary_search(&number(token)).ok()?;
        self.counts.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Held, Packed, name_number, number};
    use toolpost_index::ranked::portable::cut;

    #[test]
    fn words_are_read_as_they_were_written() {
        let pieces = cut(
            "rust",
            b"/// Parses names.\nfn parse_name(name: &str) { name.trim(); name.len(); }\n".into(),
        )
        .unwrap();
        let packed = Packed::of(&pieces[0]);
        assert!(
            packed.tokens.contains(&name_number("parsename"))
                && !packed.tokens.contains(&name_number("trim"))
        );
        let held = Held::read(packed.tokens.clone(), &packed.words).unwrap();
        assert_eq!(held.lengths, pieces[0].lengths);
        for (token, counts) in &pieces[0].tokens {
            assert_eq!(held.counts(token), Some(*counts), "{token}");
        }
        assert_eq!(held.counts("nowhere"), None);
        assert!(Held::read(packed.tokens.clone(), &packed.words[..packed.words.len() - 1]).is_none());
        let mut other = packed.tokens;
        other.swap(0, 1);
        assert!(Held::read(other, &packed.words).is_none());
        assert_ne!(number("a"), name_number("a"));
    }
}
