//! The tokens of all files: which files hold each of them, and where.

use std::collections::HashMap;
use std::sync::Arc;

use toolpost_workspace::{ContentHash, Hasher, WorkspacePath};

use crate::ranked::blocks::Block;
use crate::ranked::record::{PLACES, Record, Spot, spots};
use crate::ranked::search::is_test;
use crate::ranked::tokens::{self, tokens};

/// A token, by its number.
pub(crate) type Term = u32;

/// When so many files of the table are gone, for each that is there, the lists are made anew.
const GONE: usize = 1;
/// With fewer than these gone, nothing is made anew.
const FEW: usize = 256;

/// The tokens of all files.
#[derive(Default)]
pub(crate) struct Table {
    numbers: HashMap<Arc<str>, Term>,
    texts: Vec<Arc<str>>,
    /// The files that hold each token, in the order of their numbers; some are gone.
    holders: Vec<Vec<u32>>,
    /// By number; a number is never given twice before the lists are made anew.
    files: Vec<Option<File>>,
    by_path: HashMap<String, u32>,
    gone: usize,
    /// How many blocks there are, and how many tokens stand in each place.
    pub(crate) blocks: u64,
    pub(crate) lengths: [u64; PLACES],
    /// Changes with every change of what is held, and is the same for the same files.
    pub(crate) print: u64,
}

/// What is known of a file.
pub(crate) struct File {
    /// As it is shown.
    pub(crate) shown: String,
    pub(crate) path: WorkspacePath,
    pub(crate) hash: ContentHash,
    pub(crate) language: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) lengths: Vec<[u32; PLACES]>,
    /// The parts of the words of its path, in order; a gap of one stands between words.
    pub(crate) way: Vec<(u32, Term)>,
    pub(crate) cut: bool,
    /// Whether it is one of tests by its path.
    pub(crate) test: bool,
    /// Its tokens by number, each with where its entries end.
    terms: Vec<(Term, u32, u32)>,
    entries: Vec<u8>,
}

impl Table {
    /// Puts a file into the table, in place of the one that had its path.
    pub(crate) fn put(&mut self, path: WorkspacePath, shown: String, hash: ContentHash, record: Record) {
        self.remove(&shown);
        let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let mut from = 0;
        let mut terms = Vec::with_capacity(record.terms.len());
        for (term, end) in record.terms.iter().zip(&record.ends) {
            let term = self.number(term);
            self.holders[term as usize].push(number);
            terms.push((term, from, *end));
            from = *end;
        }
        terms.sort_unstable();
        let way = self.way(&shown);
        self.print ^= print(&shown, hash);
        self.blocks += record.blocks.len() as u64;
        self.count(&record.lengths, u64::wrapping_add);
        self.by_path.insert(shown.clone(), number);
        let test = is_test(&path.relative().to_string_lossy());
        self.files.push(Some(File {
            test,
            shown,
            path,
            hash,
            language: record.language,
            blocks: record.blocks,
            lengths: record.lengths,
            way,
            cut: record.cut,
            terms,
            entries: record.entries,
        }));
    }

    /// Takes a file out of the table.
    pub(crate) fn remove(&mut self, shown: &str) {
        let Some(number) = self.by_path.remove(shown) else { return };
        let Some(file) = self.files[number as usize].take() else { return };
        self.print ^= print(shown, file.hash);
        self.blocks -= file.blocks.len() as u64;
        self.count(&file.lengths, u64::wrapping_sub);
        self.gone += 1;
        if self.gone >= FEW && self.gone >= GONE * self.by_path.len() {
            self.anew();
        }
    }

    fn count(&mut self, lengths: &[[u32; PLACES]], by: fn(u64, u64) -> u64) {
        for block in lengths {
            for (total, own) in self.lengths.iter_mut().zip(block) {
                *total = by(*total, u64::from(*own));
            }
        }
    }

    /// Makes all lists anew, without what is gone.
    fn anew(&mut self) {
        let files = std::mem::take(&mut self.files);
        let old = std::mem::take(&mut self.texts);
        self.numbers.clear();
        self.holders.clear();
        self.by_path.clear();
        self.gone = 0;
        for mut file in files.into_iter().flatten() {
            let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
            for (term, ..) in &mut file.terms {
                *term = self.number(&old[*term as usize]);
                self.holders[*term as usize].push(number);
            }
            file.terms.sort_unstable();
            file.way = self.way(&file.shown);
            self.by_path.insert(file.shown.clone(), number);
            self.files.push(Some(file));
        }
    }

    /// Gives the number of a token, and gives it one.
    fn number(&mut self, text: &str) -> Term {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        self.holders.push(Vec::new());
        number
    }

    /// Takes a path apart.
    fn way(&mut self, shown: &str) -> Vec<(u32, Term)> {
        let mut out = Vec::new();
        let mut position = 0;
        for word in tokens::words(shown) {
            let tokens = tokens(word.text);
            out.extend(tokens.whole.map(|whole| (position, self.number(&whole))));
            for part in tokens.parts {
                out.push((position, self.number(&part)));
                position += 1;
            }
        }
        out
    }

    /// Finds the number of a token.
    pub(crate) fn find(&self, text: &str) -> Option<Term> {
        self.numbers.get(text).copied()
    }

    /// Lists all tokens with their numbers; stems are among them.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (Term, &str)> {
        (0..).zip(self.texts.iter().map(AsRef::as_ref))
    }

    /// Lists the files that hold a token, in the order of their numbers.
    pub(crate) fn holders(&self, term: Term) -> impl Iterator<Item = (u32, &File)> {
        let all = self.holders.get(term as usize).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|number| Some((*number, self.files[*number as usize].as_ref()?)))
    }

    /// Lists all files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (u32, &File)> {
        (0..).zip(&self.files).filter_map(|(number, file)| Some((number, file.as_ref()?)))
    }

    /// Tells how many numbers were given to files, of which some may be gone.
    pub(crate) fn slots(&self) -> usize {
        self.files.len()
    }

    /// Gives a file.
    pub(crate) fn file(&self, number: u32) -> Option<&File> {
        self.files.get(number as usize)?.as_ref()
    }
}

/// Makes a number of a path and what stands there.
fn print(shown: &str, content: ContentHash) -> u64 {
    let mut hasher = Hasher::default();
    hasher.update(shown.as_bytes());
    hasher.update(content.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finish().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

impl File {
    /// Lists the places in which a token stands.
    pub(crate) fn spots(&self, term: Term, take: impl FnMut(Spot)) {
        let Ok(at) = self.terms.binary_search_by_key(&term, |(own, ..)| *own) else { return };
        let (_, from, to) = self.terms[at];
        spots(self.entries.get(from as usize..to as usize).unwrap_or_default(), take);
    }
}
