//! Graph of all files with their definitions and uses, and lookup tables by name.

mod external;
mod file;
mod lazy_record;
mod pack;
mod removed;
mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use toolpost_workspace::ContentHash;

pub use external::{ExternalAnswer, FilePosition};
pub use file::File;
pub(crate) use file::is_class;
pub use lazy_record::LazyRecord;
pub(crate) use removed::RemovedSymbol;

use crate::edge_cache::EdgeCache;
use crate::ids::{At, FileId};
use crate::manifest::Manifest;
use crate::path::{split, stem};
use crate::record::{Record, ReferenceRecord, Summary, SymbolRecord};
use crate::word::{Word, Words};
use external::ExternalAnswerStore;
use table::{BySomeWords, ByWord};

/// Counts of the files of a language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of all files of the language.
    pub files: usize,
    /// The number of files with parts that the parser does not understand.
    pub imperfect: usize,
}

/// All files of a workspace with the symbols that they define and the names that they use, and lookup tables.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) words: Words,
    files: Vec<Option<File>>,
    free: Vec<FileId>,
    by_path: HashMap<Arc<str>, FileId>,
    folders: HashMap<Arc<str>, Vec<FileId>>,
    /// The number of Python files in each directory and below it.
    python: HashMap<Arc<str>, usize>,
    by_stem: BySomeWords<FileId>,
    definitions: ByWord<At>,
    users: ByWord<FileId>,
    manifests: HashMap<Arc<str>, Manifest>,
    owned: BySomeWords<At>,
    languages: BTreeMap<String, Tally>,
    /// The files that import a default export.
    takers: BTreeSet<FileId>,
    gone: removed::Memory,
    /// The number of names in the files that were removed since unused names were last dropped.
    names_gone: usize,
    /// The answers of language servers and SCIP indexes.
    pub(crate) hearsay: ExternalAnswerStore,
    /// The cached uses of symbols.
    pub(crate) asked: EdgeCache,
    /// The number of changes to the graph so far. Data derived from the graph is valid while this number is the same.
    pub(crate) changes: u64,
}

impl Graph {
    /// Adds a file and replaces its previous version; `hash` is the hash of the file's content.
    pub fn put(&mut self, path: &str, hash: ContentHash, words: &Words, record: Record) -> FileId {
        self.put_as(path, hash, (words, record), LazyRecord::new)
    }

    /// Adds a file like [`Self::put`], but keeps its record encoded until it is needed, which saves memory.
    pub(crate) fn put_encoded(&mut self, path: &str, hash: ContentHash, words: &Words, record: Record) {
        self.put_as(path, hash, (words, record), LazyRecord::encoded);
    }

    fn put_as(
        &mut self,
        path: &str,
        hash: ContentHash,
        (words, mut record): (&Words, Record),
        keep: fn(Summary, Record) -> LazyRecord,
    ) -> FileId {
        self.remove(path);
        let numbers: Vec<Word> = words.all().map(|text| self.words.add(text)).collect();
        record.renumber(&|word| numbers.get(word.0 as usize).copied().unwrap_or(word));
        let summary = Summary::of(&record, &mut self.words);
        self.enter(path, hash, keep(summary, record))
    }

    /// Assigns a number to a file and adds it to the tables.
    fn enter(&mut self, path: &str, hash: ContentHash, record: LazyRecord) -> FileId {
        let path: Arc<str> = path.into();
        let id = self.free.pop().unwrap_or_else(|| {
            self.files.push(None);
            FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
        });
        let file = File::new(path.clone(), Some(hash), self.changes, record);
        let (folder, _) = split(&path);
        self.folders.entry(folder.into()).or_default().push(id);
        let tally = self.languages.entry(file.language().to_owned()).or_default();
        tally.files += 1;
        tally.imperfect += usize::from(file.is_imperfect());
        if file.language() == "python" {
            above(folder).for_each(|folder| *self.python.entry(folder.into()).or_default() += 1);
        }
        self.add_to_tables(id, &file);
        self.by_path.insert(path, id);
        self.files[id.0 as usize] = Some(file);
        self.changes += 1;
        id
    }

    /// Adds a file to the tables of names.
    fn add_to_tables(&mut self, id: FileId, file: &File) {
        let stem = self.words.add(stem(split(&file.path).1));
        self.by_stem.add(stem, id);
        let summary = file.record.summary();
        for (symbol, name) in (0..).zip(&summary.symbols) {
            self.definitions.add(*name, At { file: id, symbol });
        }
        for (symbol, owner) in &summary.owned {
            self.owned.add(*owner, At { file: id, symbol: *symbol });
        }
        for name in &summary.used {
            self.users.add(*name, id);
        }
        if summary.takes_default {
            self.takers.insert(id);
        }
    }

    /// Empties the tables of names.
    fn forget_tables(&mut self) {
        self.by_stem = BySomeWords::default();
        self.definitions = ByWord::default();
        self.owned = BySomeWords::default();
        self.users = ByWord::default();
    }

    /// Removes a file and remembers the content hashes of its symbols.
    pub fn remove(&mut self, path: &str) {
        let Some(id) = self.by_path.remove(path) else { return };
        self.remember(id);
        let Some(file) = self.files[id.0 as usize].take() else { return };
        let (folder, name) = split(path);
        if let Some(all) = self.folders.get_mut(folder) {
            all.retain(|other| *other != id);
            if all.is_empty() {
                self.folders.remove(folder);
            }
        }
        if let Some(stem) = self.words.find(stem(name)) {
            self.by_stem.forget(stem, id);
        }
        let summary = file.record.summary();
        summary.symbols.iter().for_each(|name| self.definitions.forget(*name, id));
        summary.owned.iter().for_each(|(_, owner)| self.owned.forget(*owner, id));
        summary.used.iter().for_each(|name| self.users.forget(*name, id));
        self.names_gone += summary.symbols.len() + summary.used.len();
        self.takers.remove(&id);
        if let Some(tally) = self.languages.get_mut(&*summary.language) {
            tally.files -= 1;
            tally.imperfect -= usize::from(summary.imperfect);
        }
        for folder in above(folder).filter(|_| &*summary.language == "python") {
            if let Some(count) = self.python.get_mut(folder) {
                *count -= 1;
            }
        }
        self.free.push(id);
        self.changes += 1;
    }

    /// Adds a manifest such as `go.mod`.
    pub fn put_manifest(&mut self, path: &str, text: &str) {
        self.manifests.insert(path.into(), Manifest::read(path, text));
        self.changes += 1;
    }

    /// Removes a manifest.
    pub fn remove_manifest(&mut self, path: &str) {
        if self.manifests.remove(path).is_some() {
            self.changes += 1;
        }
    }

    /// Returns the text of a name.
    #[must_use]
    pub fn text(&self, word: Word) -> &str {
        self.words.text(word)
    }

    /// Returns the number of a name; `None` if the graph does not know the name.
    #[must_use]
    pub fn word(&self, text: &str) -> Option<Word> {
        self.words.find(text)
    }

    /// Returns a file of the graph.
    #[must_use]
    pub fn file(&self, id: FileId) -> &File {
        // Ids come from this graph and are not used after it changes, so this fallback should never be
        // needed.
        static NONE: std::sync::OnceLock<File> = std::sync::OnceLock::new();
        let none = || {
            NONE.get_or_init(|| {
                File::new("".into(), None, 0, LazyRecord::new(Summary::default(), Record::default()))
            })
        };
        self.files.get(id.0 as usize).and_then(Option::as_ref).unwrap_or_else(none)
    }

    /// Finds a file by its path.
    #[must_use]
    pub fn by_path(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Lists all files, in arbitrary order.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let numbers = 0..u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        numbers.map(FileId).filter(|id| self.files[id.0 as usize].is_some())
    }

    /// Returns the number of changes so far.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the files that were added or replaced after the first `changes` changes to the graph, each with the
    /// number of changes before it was added.
    pub fn files_since(&self, changes: u64) -> impl Iterator<Item = (FileId, u64)> {
        let all = self.files().map(|id| (id, self.file(id).since));
        all.filter(move |(_, since)| *since >= changes)
    }

    /// Returns the number of graph changes before a file was added; `None` if the file is gone.
    #[must_use]
    pub fn since(&self, id: FileId) -> Option<u64> {
        self.files.get(id.0 as usize)?.as_ref().map(|file| file.since)
    }

    /// Lists the languages with their numbers of files.
    pub fn languages(&self) -> impl Iterator<Item = (&str, Tally)> {
        self.languages.iter().map(|(language, tally)| (language.as_str(), *tally))
    }

    /// Returns a symbol by its file and its index in the file.
    #[must_use]
    pub fn symbol(&self, at: At) -> &SymbolRecord {
        &self.file(at.file).record.symbols[at.symbol as usize]
    }

    /// Returns a use of a name by its position in the file's list.
    #[must_use]
    pub fn used(&self, file: FileId, place: u32) -> &ReferenceRecord {
        &self.file(file).record.uses[place as usize]
    }

    /// Returns the symbols that are named `name`.
    #[must_use]
    pub fn definitions(&self, name: Word) -> &[At] {
        self.definitions.get(name)
    }

    /// Returns all names with their symbols.
    pub fn names(&self) -> impl Iterator<Item = (Word, &[At])> {
        self.definitions.all()
    }

    /// Lists the files that use a name.
    #[must_use]
    pub fn users(&self, name: Word) -> &[FileId] {
        self.users.get(name)
    }

    /// Lists the files that import a default export.
    pub(crate) fn takers(&self) -> impl Iterator<Item = FileId> {
        self.takers.iter().copied()
    }

    /// Lists the files of a directory.
    #[must_use]
    pub fn folder(&self, path: &str) -> &[FileId] {
        self.folders.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns whether any file is directly in a directory.
    #[must_use]
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Returns whether any Python file is in a directory or below it.
    #[must_use]
    pub(crate) fn holds_python(&self, path: &str) -> bool {
        self.python.get(path).is_some_and(|count| *count > 0)
    }

    /// Lists the files whose names up to the first dot are `stem`.
    #[must_use]
    pub(crate) fn stems(&self, stem: &str) -> &[FileId] {
        let word = self.words.find(stem);
        word.map_or(&[], |word| self.by_stem.get(word))
    }

    /// Returns the manifests with their paths.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &Manifest)> {
        self.manifests.iter().map(|(path, manifest)| (path.as_ref(), manifest))
    }

    /// Returns the manifest at a path.
    pub(crate) fn manifest(&self, path: &str) -> Option<&Manifest> {
        self.manifests.get(path)
    }

    /// Lists the methods that are defined outside their class, by the name of the class.
    pub(crate) fn owned(&self, owner: Word) -> &[At] {
        self.owned.get(owner)
    }

    /// Lists the directories that directly contain files and whose last path components are `end`.
    pub(crate) fn folders_ending<'g>(&'g self, end: &'g str) -> impl Iterator<Item = &'g str> {
        let fits = move |path: &&str| {
            path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.folders.keys().map(AsRef::as_ref).filter(fits)
    }
}

/// Returns a directory and all its parents.
fn above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| split(folder).0))
}
