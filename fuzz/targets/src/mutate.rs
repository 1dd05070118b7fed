//! Mutation of inputs, deterministic for each seed.

/// Boundary values for lengths and counts.
const NUMBERS: [u64; 10] =
    [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff];
/// The most bytes of an input.
const MOST: usize = 64 << 10;

/// Source of mutated inputs.
#[derive(Debug, Clone)]
pub struct Mutator {
    state: u64,
    words: &'static [&'static str],
}

impl Mutator {
    /// Starts with a seed; `words` are pieces to insert.
    #[must_use]
    pub fn new(seed: u64, words: &'static [&'static str]) -> Self {
        Self { state: seed, words }
    }

    /// Returns a mutation of an input from the corpus.
    pub fn input(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = if corpus.is_empty() { Vec::new() } else { corpus[self.below(corpus.len())].clone() };
        for _ in 0..=self.below(6) {
            self.change(&mut input, corpus);
        }
        input.truncate(MOST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = (at + 1 + self.below(16)).min(input.len());
        match self.below(9) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.next().to_le_bytes()[0],
            2 => drop(input.drain(at..end.max(at))),
            3 => {
                let part = input[at..end.max(at)].to_vec();
                let times = 1 + self.below(8);
                drop(input.splice(at..at, part.repeat(times)));
            }
            4 if !corpus.is_empty() => {
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                let to = (from + 1 + self.below(64)).min(other.len());
                drop(input.splice(at..at, other[from..to.max(from)].iter().copied()));
            }
            5 => {
                let number = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
                let width = [1, 2, 4, 8][self.below(4)];
                let to = (at + width).min(input.len());
                drop(input.splice(at..to, number[..width].iter().copied()));
            }
            6 => input.truncate(at),
            _ if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                drop(input.splice(at..at, word.bytes()));
            }
            _ => input.insert(at, self.next().to_le_bytes()[0]),
        }
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap_or(u64::MAX)).unwrap_or(0)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
