//! The in-memory table of all indexed files and of the index segments with their contents.
//!
//! Its size does not depend on the size of the file contents.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolpost_index_lifecycle::FileSignature;
use toolpost_workspace::{ContentHash, Hasher, WorkspacePath};

use crate::derived_files::{Origin, origin};
use crate::paths::Paths;
use crate::record::PLACES;
use crate::segment::{Meta, Segment};
use crate::test_files::is_test;

/// The lists of files are rebuilt when the number of removed files is at least this multiple of the number of
/// existing ones.
const GONE: usize = 1;
/// The minimum number of removed files for a rebuild of the lists of files.
const FEW: usize = 256;
/// The maximum size of the cached block data in bytes. If there are at least `MANY` files, it is `METAS_OF_MANY`.
const METAS: usize = 16 << 20;
const METAS_OF_MANY: usize = 8 << 20;
const MANY: usize = 20_000;
/// The value that stands for no file in a list of file numbers.
const NONE: u32 = u32::MAX;

/// The location of a file's content: the number of its segment, and its number in the segment.
pub(crate) type ContentLocation = (u32, u32);

/// All indexed files, and the segments with their contents.
#[derive(Default)]
pub(crate) struct Table {
    /// The segments by number; `None` for a removed one. A number is never reused.
    slots: Vec<Option<Slot>>,
    /// The location of each file content, by a hash of its content hash and language.
    docs: HashMap<u64, ContentLocation>,
    languages: Vec<Arc<str>>,
    /// The files by number; numbers are reused only after a rebuild of the lists.
    files: Vec<Option<File>>,
    by_path: HashMap<Arc<str>, u32>,
    /// The files with the same content, except the first one, by the location of the content.
    more: HashMap<ContentLocation, Vec<u32>>,
    /// The tokens of all paths, including those of some removed files.
    paths: Paths,
    gone: usize,
    metas: Mutex<Metas>,
    /// The number of blocks of all files, and the number of tokens in each part of the blocks.
    pub(crate) blocks: u64,
    pub(crate) lengths: [u64; PLACES],
    /// A fingerprint of the paths and contents of all files, which changes with any of them.
    pub(crate) print: u64,
}

/// A segment, and the files that use its contents.
struct Slot {
    segment: Arc<Segment>,
    /// For each content, the number of the first file that has it.
    live: Vec<u32>,
    alive: usize,
}

/// An indexed file.
pub(crate) struct File {
    /// The path as displayed to the user.
    pub(crate) shown: Arc<str>,
    pub(crate) path: WorkspacePath,
    pub(crate) hash: ContentHash,
    pub(crate) language: Arc<str>,
    /// The signature (size and times) that the file had when it was indexed.
    pub(crate) sign: FileSignature,
    /// The number of blocks of the file.
    pub(crate) blocks: u32,
    pub(crate) cut: bool,
    /// Set if a long symbol was split into several blocks.
    pub(crate) parted: bool,
    /// Set if the path is that of a test file.
    pub(crate) test: bool,
    /// The origin of the file, by its path.
    pub(crate) origin: Origin,
    /// The location of the file's content.
    pub(crate) at: ContentLocation,
}

/// The cache of decoded blocks, by the location of the file's content.
#[derive(Default)]
struct Metas {
    known: HashMap<ContentLocation, Arc<Meta>>,
    weight: usize,
}

impl Table {
    /// Adds an index segment, and returns its number.
    pub(crate) fn attach(&mut self, segment: Arc<Segment>) -> u32 {
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.docs.reserve(segment.docs().len());
        for (doc, known) in (0..).zip(segment.docs()) {
            self.docs.entry(key(known.hash, &known.language)).or_insert((slot, doc));
        }
        let live = vec![NONE; segment.docs().len()];
        self.slots.push(Some(Slot { segment, live, alive: 0 }));
        slot
    }

    /// Replaces the segments `old` by `new`. Removes and returns the files whose contents are in no segment any more.
    pub(crate) fn replace(&mut self, old: &[u32], new: Option<Arc<Segment>>) -> Vec<String> {
        let mut moved: Vec<u32> = Vec::new();
        for number in old {
            let Some(slot) = self.slots.get_mut(*number as usize).and_then(Option::take) else { continue };
            moved.extend(slot.live.iter().filter(|file| **file != NONE));
            for (doc, known) in (0..).zip(slot.segment.docs()) {
                moved.extend(self.more.remove(&(*number, doc)).into_iter().flatten());
                let key = key(known.hash, &known.language);
                if self.docs.get(&key) == Some(&(*number, doc)) {
                    self.docs.remove(&key);
                }
            }
        }
        if let Some(new) = new {
            self.attach(new);
        }
        self.forget_metas();
        let file = |number: &u32| self.files.get(*number as usize).and_then(Option::as_ref);
        if moved.iter().filter_map(file).any(|file| self.known(file.hash, &file.language).is_none()) {
            self.find_twins();
        }
        let mut lost = Vec::new();
        for number in moved {
            let Some(file) = self.files.get(number as usize).and_then(Option::as_ref) else { continue };
            match self.known(file.hash, &file.language) {
                Some(at) => self.bind(number, at),
                None => lost.push(file.shown.to_string()),
            }
        }
        lost.iter().for_each(|shown| self.remove(shown));
        lost
    }

    /// Records other segments that have the same contents as a removed segment.
    fn find_twins(&mut self) {
        for (number, slot) in (0..).zip(&self.slots) {
            for (doc, known) in slot.iter().flat_map(|slot| (0..).zip(slot.segment.docs())) {
                self.docs.entry(key(known.hash, &known.language)).or_insert((number, doc));
            }
        }
    }

    /// Returns the location of a file content in a language; `None` if it is not indexed.
    pub(crate) fn known(&self, hash: ContentHash, language: &str) -> Option<ContentLocation> {
        let at = *self.docs.get(&key(hash, language))?;
        let doc = self.segment(at.0)?.docs().get(at.1 as usize)?;
        // If two contents happen to have the same key, the second one is never found, and its file is parsed again each
        // time.
        (doc.hash == hash && *doc.language == *language).then_some(at)
    }

    /// Adds a file whose content is at the location `at`, or replaces the file at the same path.
    pub(crate) fn put(
        &mut self,
        path: WorkspacePath,
        shown: &Arc<str>,
        at: ContentLocation,
        sign: FileSignature,
    ) {
        let known = self.slots.get(at.0 as usize).and_then(Option::as_ref).map(|slot| slot.segment.clone());
        let Some(doc) = known.as_ref().and_then(|segment| segment.docs().get(at.1 as usize)) else { return };
        let number = self.by_path.get(&**shown).copied().unwrap_or(NONE);
        if let Some(Some(file)) = self.files.get_mut(number as usize)
            && file.hash == doc.hash
            && file.language == doc.language
        {
            file.sign = sign;
            return;
        }
        self.remove(shown);
        let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let shown = shown.clone();
        self.print ^= print(&shown, doc.hash);
        self.blocks += u64::from(doc.blocks);
        self.count(&doc.lengths, u64::wrapping_add);
        let language = self.language(&doc.language);
        let relative = path.relative().to_string_lossy().into_owned();
        let file = File {
            test: is_test(&relative),
            origin: origin(&relative),
            shown: shown.clone(),
            path,
            hash: doc.hash,
            language: self.languages.get(usize::from(language)).cloned().unwrap_or_default(),
            sign,
            blocks: doc.blocks,
            cut: doc.cut,
            parted: doc.parted,
            at,
        };
        if self.files.len() == self.files.capacity() {
            // The capacity is not doubled, because with many files up to half of the memory would stay unused.
            self.files.reserve_exact(self.files.len() / 8 + 16);
        }
        self.files.push(Some(file));
        self.paths.add(number, &shown);
        self.by_path.insert(shown, number);
        self.bind(number, at);
    }

    /// Records that a file has the content at a location in a segment.
    fn bind(&mut self, number: u32, at: ContentLocation) {
        let Some(slot) = self.slots.get_mut(at.0 as usize).and_then(Option::as_mut) else { return };
        let Some(first) = slot.live.get_mut(at.1 as usize) else { return };
        if *first == NONE {
            *first = number;
            slot.alive += 1;
        } else {
            self.more.entry(at).or_default().push(number);
        }
        if let Some(Some(file)) = self.files.get_mut(number as usize) {
            file.at = at;
        }
    }

    /// Records that a file no longer has the content at a location in a segment.
    fn loosen(&mut self, number: u32, at: ContentLocation) {
        let mut next = None;
        let mut first = false;
        let slot = self.slots.get_mut(at.0 as usize).and_then(Option::as_mut);
        let Some(slot) = slot else { return };
        if let Some(more) = self.more.get_mut(&at) {
            first = slot.live.get(at.1 as usize) == Some(&number);
            if first {
                next = more.pop();
            } else {
                more.retain(|other| *other != number);
            }
            if more.is_empty() {
                self.more.remove(&at);
            }
        } else if slot.live.get(at.1 as usize) == Some(&number) {
            first = true;
        }
        if first && let Some(live) = slot.live.get_mut(at.1 as usize) {
            *live = next.unwrap_or(NONE);
            slot.alive -= usize::from(next.is_none());
        }
    }

    /// Removes a file by its displayed path.
    pub(crate) fn remove(&mut self, shown: &str) {
        let Some(number) = self.by_path.remove(shown) else { return };
        let Some(file) = self.files[number as usize].take() else { return };
        self.print ^= print(shown, file.hash);
        if let Some(doc) = self.segment(file.at.0).and_then(|segment| segment.docs().get(file.at.1 as usize))
        {
            let (blocks, lengths) = (doc.blocks, doc.lengths);
            self.blocks -= u64::from(blocks);
            self.count(&lengths, u64::wrapping_sub);
        }
        self.loosen(number, file.at);
        self.gone += 1;
        if self.gone >= FEW && self.gone >= GONE * self.by_path.len() {
            self.anew();
        }
    }

    fn count(&mut self, lengths: &[u32; PLACES], by: fn(u64, u64) -> u64) {
        for (total, own) in self.lengths.iter_mut().zip(lengths) {
            *total = by(*total, u64::from(*own));
        }
    }

    /// Rebuilds all lists of files without the removed files, which renumbers the files.
    fn anew(&mut self) {
        let files = std::mem::take(&mut self.files);
        self.by_path.clear();
        self.more.clear();
        self.paths = Paths::default();
        self.gone = 0;
        for slot in self.slots.iter_mut().flatten() {
            slot.live.fill(NONE);
            slot.alive = 0;
        }
        for file in files.into_iter().flatten() {
            let number = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
            let (at, shown) = (file.at, file.shown.clone());
            self.files.push(Some(file));
            self.paths.add(number, &shown);
            self.by_path.insert(shown, number);
            self.bind(number, at);
        }
    }

    fn language(&mut self, name: &Arc<str>) -> u16 {
        let known = self.languages.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.languages.push(name.clone());
            self.languages.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// Lists the index segments with their numbers.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (u32, &Arc<Segment>)> {
        (0..).zip(&self.slots).filter_map(|(number, slot)| Some((number, &slot.as_ref()?.segment)))
    }

    /// Returns the index segment with a number.
    pub(crate) fn segment(&self, number: u32) -> Option<&Arc<Segment>> {
        self.slots.get(number as usize)?.as_ref().map(|slot| &slot.segment)
    }

    /// Returns the number of file contents in a segment that at least one file has.
    pub(crate) fn alive(&self, number: u32) -> usize {
        self.slots.get(number as usize).and_then(Option::as_ref).map_or(0, |slot| slot.alive)
    }

    /// Returns the segment that contains the content of a file, and the number of the content in it.
    pub(crate) fn content(&self, file: &File) -> Option<(Arc<Segment>, u32)> {
        Some((self.segment(file.at.0)?.clone(), file.at.1))
    }

    /// Lists the numbers of the files that have the content at a location in a segment.
    pub(crate) fn having(&self, at: ContentLocation) -> impl Iterator<Item = u32> {
        let slot = self.slots.get(at.0 as usize).and_then(Option::as_ref);
        let first = slot.and_then(|slot| slot.live.get(at.1 as usize)).copied().filter(|file| *file != NONE);
        first.into_iter().chain(self.more.get(&at).into_iter().flatten().copied())
    }

    /// Returns the tokens of all paths, including those of some removed files.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Lists all indexed files with their numbers.
    pub(crate) fn files(&self) -> impl Iterator<Item = (u32, &File)> {
        (0..).zip(&self.files).filter_map(|(number, file)| Some((number, file.as_ref()?)))
    }

    /// Returns the number of assigned file numbers, including those of removed files.
    pub(crate) fn slots(&self) -> usize {
        self.files.len()
    }

    /// Returns the indexed file with a number; `None` if it was removed.
    pub(crate) fn file(&self, number: u32) -> Option<&File> {
        self.files.get(number as usize)?.as_ref()
    }

    /// Returns the indexed file at a displayed path.
    pub(crate) fn by_path(&self, shown: &str) -> Option<&File> {
        self.file(*self.by_path.get(shown)?)
    }

    /// Reads the blocks of a file from its segment or the cache. If the segment is damaged, the error is its number.
    pub(crate) fn meta(&self, file: &File) -> Result<Arc<Meta>, u32> {
        let held = |metas: &Mutex<Metas>| {
            metas.lock().unwrap_or_else(PoisonError::into_inner).known.get(&file.at).cloned()
        };
        if let Some(known) = held(&self.metas) {
            return Ok(known);
        }
        let read = self.segment(file.at.0).and_then(|segment| segment.meta(file.at.1));
        let read = Arc::new(read.ok_or(file.at.0)?);
        let mut metas = self.metas.lock().unwrap_or_else(PoisonError::into_inner);
        metas.weight += read.weight();
        let most = if self.files.len() < MANY { METAS } else { METAS_OF_MANY };
        if metas.weight > most {
            *metas = Metas { known: HashMap::new(), weight: read.weight() };
        }
        metas.known.insert(file.at, read.clone());
        Ok(read)
    }

    fn forget_metas(&self) {
        *self.metas.lock().unwrap_or_else(PoisonError::into_inner) = Metas::default();
    }
}

/// Returns the key for a file content in `Table::docs`, from its hash and its language.
fn key(hash: ContentHash, language: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    let own = language.bytes().fold(0_u64, |own, byte| own.wrapping_mul(31).wrapping_add(u64::from(byte)));
    u64::from_le_bytes(first) ^ own
}

/// Returns the fingerprint of a file, from its path and its content.
fn print(shown: &str, content: ContentHash) -> u64 {
    let mut hasher = Hasher::default();
    hasher.update(shown.as_bytes());
    hasher.update(content.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finish().as_bytes()[..8]);
    u64::from_le_bytes(first)
}
