//! Reads the keyword index for one query: numbers the tokens, and reads their postings (occurrences) from the segments.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use toolpost_workspace::on_threads;

use crate::index_access::{Term, Words};
use crate::record::{PLACES, TokenOccurrence, spots};
use crate::segment::{Cursor, Meta, Segment, StoredRange, postings};
use crate::table::{File, Table};

/// The maximum size of the postings (occurrences of tokens) that a query keeps in memory, in bytes.
const POSTINGS: usize = 8 << 20;

/// The part of the keyword index that one query has read.
pub(crate) struct QueryReader<'t> {
    table: &'t Table,
    terms: RefCell<Terms>,
    /// The postings (occurrences) of each token that the query has read, and their total size in bytes.
    read: RefCell<(HashMap<Term, Rc<Postings>>, usize)>,
    /// The numbers of the index segments that turned out to be damaged.
    broken: RefCell<BTreeSet<u32>>,
    /// Set if a word with wildcards or an edit distance matched too many tokens.
    wide: Cell<bool>,
}

#[derive(Default)]
struct Terms {
    numbers: HashMap<Rc<str>, Term>,
    all: Vec<TokenEntry>,
}

/// A token, and the positions of its postings in the segments that contain it.
struct TokenEntry {
    text: Rc<str>,
    places: Vec<(u32, StoredRange)>,
}

/// The postings of a token: its files in order, each with the encoded occurrences in the file.
#[derive(Default)]
struct Postings {
    bytes: Vec<Vec<u8>>,
    files: Vec<(u32, u32, Range<u32>)>,
}

impl<'t> QueryReader<'t> {
    pub(crate) fn new(table: &'t Table) -> Self {
        Self {
            table,
            terms: RefCell::default(),
            read: RefCell::default(),
            broken: RefCell::default(),
            wide: Cell::new(false),
        }
    }

    /// Returns the numbers of the damaged segments; if there are any, the result of the query is not valid.
    pub(crate) fn broken(&self) -> BTreeSet<u32> {
        self.broken.borrow().clone()
    }

    /// Returns whether a word with wildcards or an edit distance matched too many tokens; if so, the result of the
    /// query is not valid.
    pub(crate) fn is_wide(&self) -> bool {
        self.wide.get()
    }

    fn name(&self, text: &str, places: Vec<(u32, StoredRange)>) -> Term {
        let mut terms = self.terms.borrow_mut();
        if let Some(known) = terms.numbers.get(text) {
            return *known;
        }
        let number = u32::try_from(terms.all.len()).unwrap_or(u32::MAX);
        let text: Rc<str> = text.into();
        terms.numbers.insert(text.clone(), number);
        terms.all.push(TokenEntry { text, places });
        number
    }

    fn postings(&self, term: Term) -> Rc<Postings> {
        if let Some(known) = self.read.borrow().0.get(&term) {
            return known.clone();
        }
        let mut out = Postings::default();
        let terms = self.terms.borrow();
        for (slot, place) in
            terms.all.get(term as usize).map(|known| known.places.as_slice()).unwrap_or_default()
        {
            let Some(bytes) = self.table.segment(*slot).and_then(|segment| segment.postings(place)) else {
                self.broken.borrow_mut().insert(*slot);
                continue;
            };
            let buffer = out.bytes.len() as u32;
            let range = |entries: Range<usize>| entries.start as u32..entries.end as u32;
            let read = postings(&bytes, |doc, entries| {
                let files = self.table.having((*slot, doc));
                out.files.extend(files.map(|file| (file, buffer, range(entries.clone()))));
            });
            if read.is_none() {
                self.broken.borrow_mut().insert(*slot);
            }
            out.bytes.push(bytes);
        }
        out.files.sort_unstable_by_key(|(file, ..)| *file);
        let out = Rc::new(out);
        let mut read = self.read.borrow_mut();
        let weight = out.bytes.iter().map(Vec::len).sum::<usize>() + out.files.len() * 16;
        if read.1 + weight <= POSTINGS {
            read.1 += weight;
            read.0.insert(term, out.clone());
        }
        out
    }
}

/// The tokens that match a pattern, with the segments that contain them, and the damaged segments.
#[derive(Default)]
struct TokenMatches {
    terms: BTreeMap<String, Vec<(u32, StoredRange)>>,
    broken: BTreeSet<u32>,
    wide: bool,
}

impl TokenMatches {
    fn add(&mut self, text: String, place: Option<(u32, StoredRange)>, most: usize) {
        self.terms.entry(text).or_default().extend(place);
        self.wide |= self.terms.len() > most;
    }
}

/// Returns the tokens of a segment that start with `begin` and satisfy `fits`, and whether the segment is damaged.
fn of_segment(
    segment: &Segment,
    begin: &str,
    fits: &(dyn Fn(&str) -> bool + Sync),
) -> (Vec<(String, StoredRange)>, bool) {
    let mut cursor = Cursor::new(segment, begin);
    let mut out = Vec::new();
    while let Some((text, place)) =
        cursor.here().filter(|(text, _)| begin.is_empty() || text.starts_with(begin))
    {
        if fits(text) {
            out.push((text.to_owned(), place));
        }
        cursor.advance();
    }
    (out, cursor.is_broken())
}

impl Words for QueryReader<'_> {
    fn find(&self, token: &str) -> Option<Term> {
        if let Some(known) = self.terms.borrow().numbers.get(token) {
            return Some(*known);
        }
        let mut places = Vec::new();
        for (slot, segment) in self.table.segments() {
            match segment.find(token) {
                Ok(place) => places.extend(place.map(|place| (slot, place))),
                Err(()) => drop(self.broken.borrow_mut().insert(slot)),
            }
        }
        let known = !places.is_empty() || self.table.paths().holds(token);
        known.then(|| self.name(token, places))
    }

    fn fitting(&self, begin: &str, fits: &(dyn Fn(&str) -> bool + Sync), most: usize) -> Vec<Term> {
        let segments: Vec<(u32, &Segment)> =
            self.table.segments().map(|(slot, segment)| (slot, &**segment)).collect();
        let found = Mutex::new(TokenMatches::default());
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        let one = |(slot, segment): &(u32, &Segment)| {
            let (own, broken) = of_segment(segment, begin, fits);
            let mut found = lock();
            if broken {
                found.broken.insert(*slot);
            }
            for (text, place) in own {
                found.add(text, Some((*slot, place)), most);
            }
        };
        on_threads(&segments, 1, &one, &|| lock().wide);
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Tokens that occur only in paths are in no segment.
        for token in self.table.paths().tokens().filter(|token| token.starts_with(begin) && fits(token)) {
            found.add(token.to_owned(), None, most);
        }
        self.broken.borrow_mut().extend(found.broken);
        if found.wide {
            self.wide.set(true);
            return Vec::new();
        }
        found.terms.into_iter().map(|(text, places)| self.name(&text, places)).collect()
    }

    fn holders(&self, term: Term) -> Vec<u32> {
        let mut files: Vec<u32> = self.postings(term).files.iter().map(|(file, ..)| *file).collect();
        files.dedup();
        files
    }

    fn spots(&self, term: Term, within: Option<&[u32]>, take: &mut dyn FnMut(u32, TokenOccurrence)) {
        let postings = self.postings(term);
        for (file, buffer, range) in &postings.files {
            if within.is_some_and(|within| within.binary_search(file).is_err()) {
                continue;
            }
            let bytes = postings.bytes.get(*buffer as usize);
            let entries = bytes.and_then(|bytes| bytes.get(range.start as usize..range.end as usize));
            spots(entries.unwrap_or_default(), |spot| take(*file, spot));
        }
    }

    fn on_paths(&self, term: Term, take: &mut dyn FnMut(u32, u32)) {
        let text = self.terms.borrow().all.get(term as usize).map(|known| known.text.clone());
        let Some(text) = text else { return };
        self.table.paths().each(&text, |file, position| {
            if self.table.file(file).is_some() {
                take(file, position);
            }
        });
    }

    fn files(&self) -> Box<dyn Iterator<Item = (u32, &File)> + '_> {
        Box::new(self.table.files())
    }

    fn file(&self, number: u32) -> Option<&File> {
        self.table.file(number)
    }

    fn meta(&self, number: u32) -> Option<Arc<Meta>> {
        match self.table.meta(self.table.file(number)?) {
            Ok(meta) => Some(meta),
            Err(slot) => {
                self.broken.borrow_mut().insert(slot);
                None
            }
        }
    }

    fn totals(&self) -> (u64, [u64; PLACES]) {
        (self.table.blocks, self.table.lengths)
    }
}
