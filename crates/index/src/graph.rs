//! All files of a workspace with what they define and use, and tables by which names are found in them.

mod file;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use toolpost_syntax::id;
use toolpost_workspace::ContentHash;

pub use file::File;
pub(crate) use file::is_class;

use crate::modules::Manifest;
use crate::record::{Defined, Record, Sort, Used};
use crate::told::Hearsay;
use crate::{Word, Words};

/// What a symbol said that is no longer there, and when it went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gone {
    pub(crate) content: u64,
    pub(crate) when: u64,
}

/// How many symbols are remembered that are no longer there.
const GONE: usize = 50_000;

/// A file, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A symbol: its file, and its place among what the file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The file.
    pub file: FileId,
    /// The place in its list.
    pub symbol: u32,
}

/// How many files of a language there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// In all.
    pub files: usize,
    /// Of those that have parts that the parser does not understand.
    pub imperfect: usize,
}

/// All files with their records, and tables over them.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) words: Words,
    files: Vec<Option<File>>,
    free: Vec<FileId>,
    by_path: HashMap<Arc<str>, FileId>,
    folders: HashMap<Arc<str>, Vec<FileId>>,
    by_stem: HashMap<Word, Vec<FileId>>,
    definitions: HashMap<Word, Vec<At>>,
    users: HashMap<Word, Vec<FileId>>,
    manifests: HashMap<Arc<str>, Manifest>,
    owned: HashMap<Word, Vec<At>>,
    languages: BTreeMap<String, Tally>,
    /// What symbols said that are no longer there, by their ids; the oldest go first.
    gone: HashMap<String, Gone>,
    gone_in_order: std::collections::VecDeque<String>,
    /// What others say of names.
    pub(crate) hearsay: Hearsay,
    /// Counts every change, so that what was derived is known to be old.
    pub(crate) changes: u64,
}

impl Graph {
    /// Puts a file in, instead of what was known of it; the hash is that of the content of which the record was made.
    pub fn put(&mut self, path: &str, hash: ContentHash, words: &Words, mut record: Record) -> FileId {
        self.remove(path);
        let numbers: Vec<Word> = words.all().map(|text| self.words.add(text)).collect();
        record.renumber(&|word| numbers.get(word.0 as usize).copied().unwrap_or(word));
        let path: Arc<str> = path.into();
        let id = self.free.pop().unwrap_or_else(|| {
            self.files.push(None);
            FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
        });
        for defined in &record.symbols {
            let qualified = self.words.text(defined.qualified).to_owned();
            if defined.parent.is_none() && qualified.contains('.') {
                qualified.split('.').for_each(|part| {
                    self.words.add(part);
                });
            }
        }
        let mut file = File::new(path.clone(), Some(hash), record);
        file.since = self.changes;
        let (folder, name) = split(&path);
        self.folders.entry(folder.into()).or_default().push(id);
        let stem = self.words.add(stem(name));
        self.by_stem.entry(stem).or_default().push(id);
        for (symbol, defined) in (0..).zip(&file.record.symbols) {
            self.definitions.entry(defined.name).or_default().push(At { file: id, symbol });
            if let Some(owner) = owner(&self.words, defined) {
                self.owned.entry(owner).or_default().push(At { file: id, symbol });
            }
        }
        for name in file.used_names() {
            self.users.entry(name).or_default().push(id);
        }
        let tally = self.languages.entry(file.record.language.clone()).or_default();
        tally.files += 1;
        tally.imperfect += usize::from(file.record.errors > 0);
        self.by_path.insert(path, id);
        self.files[id.0 as usize] = Some(file);
        self.changes += 1;
        id
    }

    /// Takes a file out, and remembers what its symbols said.
    pub fn remove(&mut self, path: &str) {
        let Some(id) = self.by_path.remove(path) else { return };
        self.remember(id);
        let Some(file) = self.files[id.0 as usize].take() else { return };
        let (folder, name) = split(path);
        drop_from(&mut self.folders, folder, &id);
        if let Some(stem) = self.words.find(stem(name)) {
            drop_from(&mut self.by_stem, &stem, &id);
        }
        let names: HashSet<Word> = file.record.symbols.iter().map(|defined| defined.name).collect();
        let owners: HashSet<Word> =
            file.record.symbols.iter().filter_map(|defined| owner(&self.words, defined)).collect();
        forget(&mut self.definitions, names, id);
        forget(&mut self.owned, owners, id);
        for name in file.used_names() {
            drop_from(&mut self.users, &name, &id);
        }
        if let Some(tally) = self.languages.get_mut(&file.record.language) {
            tally.files -= 1;
            tally.imperfect -= usize::from(file.record.errors > 0);
        }
        self.free.push(id);
        self.changes += 1;
    }

    /// Remembers what the symbols of a file said.
    fn remember(&mut self, file: FileId) {
        let own = self.file(file);
        let mut counts: HashMap<(Word, Sort), usize> = HashMap::new();
        let mut said = Vec::with_capacity(own.record.symbols.len());
        for symbol in &own.record.symbols {
            let count = counts.entry((symbol.qualified, symbol.kind)).or_default();
            *count += 1;
            let (qualified, kind) = (self.text(symbol.qualified), symbol.kind.kind());
            said.push((id(&own.record.language, &own.path, qualified, kind, *count), symbol.content));
        }
        let when = self.changes;
        for (id, content) in said {
            if self.gone.insert(id.clone(), Gone { content, when }).is_none() {
                self.gone_in_order.push_back(id);
            }
        }
        while self.gone_in_order.len() > GONE {
            let oldest = self.gone_in_order.pop_front();
            oldest.and_then(|oldest| self.gone.remove(&oldest));
        }
    }

    /// Gives what a symbol said that is no longer there.
    pub(crate) fn gone(&self, id: &str) -> Option<Gone> {
        self.gone.get(id).copied()
    }

    /// Remembers what a file says that names packages or directories, such as `go.mod`.
    pub fn put_manifest(&mut self, path: &str, text: &str) {
        self.manifests.insert(path.into(), Manifest::read(path, text));
        self.changes += 1;
    }

    /// Forgets such a file.
    pub fn remove_manifest(&mut self, path: &str) {
        if self.manifests.remove(path).is_some() {
            self.changes += 1;
        }
    }

    /// Gives the name of a number.
    #[must_use]
    pub fn text(&self, word: Word) -> &str {
        self.words.text(word)
    }

    /// Gives the number of a name, if any file has it.
    #[must_use]
    pub fn word(&self, text: &str) -> Option<Word> {
        self.words.find(text)
    }

    /// Gives a file that is in the graph.
    #[must_use]
    pub fn file(&self, id: FileId) -> &File {
        // Numbers come from the graph itself, and are not kept beyond a change of it.
        static NONE: std::sync::OnceLock<File> = std::sync::OnceLock::new();
        let none = || NONE.get_or_init(|| File::new("".into(), None, Record::default()));
        self.files.get(id.0 as usize).and_then(Option::as_ref).unwrap_or_else(none)
    }

    /// Finds a file by its path.
    #[must_use]
    pub fn by_path(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Lists all files, in no order.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let numbers = 0..u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        numbers.map(FileId).filter(|id| self.files[id.0 as usize].is_some())
    }

    /// Tells how often what is known has changed.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Lists the files that came, or came anew, after so many changes, each with after how many it did.
    pub fn files_since(&self, changes: u64) -> impl Iterator<Item = (FileId, u64)> {
        let all = self.files().map(|id| (id, self.file(id).since));
        all.filter(move |(_, since)| *since >= changes)
    }

    /// Tells after how many changes a file came; none if it is gone.
    #[must_use]
    pub fn since(&self, id: FileId) -> Option<u64> {
        self.files.get(id.0 as usize)?.as_ref().map(|file| file.since)
    }

    /// Lists the languages with how many files of each there are.
    pub fn languages(&self) -> impl Iterator<Item = (&str, Tally)> {
        self.languages.iter().map(|(language, tally)| (language.as_str(), *tally))
    }

    /// Gives a symbol.
    #[must_use]
    pub fn symbol(&self, at: At) -> &Defined {
        &self.file(at.file).record.symbols[at.symbol as usize]
    }

    /// Gives a use of a name, by its place among those of its file.
    #[must_use]
    pub fn used(&self, file: FileId, place: u32) -> &Used {
        &self.file(file).record.uses[place as usize]
    }

    /// Lists what has a name.
    #[must_use]
    pub fn definitions(&self, name: Word) -> &[At] {
        self.definitions.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Lists all names of symbols with what has them.
    pub fn names(&self) -> impl Iterator<Item = (Word, &[At])> {
        self.definitions.iter().map(|(name, all)| (*name, all.as_slice()))
    }

    /// Lists the files that use a name.
    #[must_use]
    pub fn users(&self, name: Word) -> &[FileId] {
        self.users.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Lists the files of a directory.
    #[must_use]
    pub fn folder(&self, path: &str) -> &[FileId] {
        self.folders.get(path).map_or(&[], Vec::as_slice)
    }

    /// Tells whether any file lies in a directory or below it.
    #[must_use]
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Lists the files whose names are this one up to the first dot.
    #[must_use]
    pub(crate) fn stems(&self, stem: &str) -> &[FileId] {
        let word = self.words.find(stem);
        word.and_then(|word| self.by_stem.get(&word)).map_or(&[], Vec::as_slice)
    }

    /// Lists the files that name packages or directories, with what they say.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &Manifest)> {
        self.manifests.iter().map(|(path, manifest)| (path.as_ref(), manifest))
    }

    /// Gives what such a file says.
    pub(crate) fn manifest(&self, path: &str) -> Option<&Manifest> {
        self.manifests.get(path)
    }

    /// Lists the methods that are written outside of a class under its name.
    pub(crate) fn owned(&self, owner: Word) -> &[At] {
        self.owned.get(&owner).map_or(&[], Vec::as_slice)
    }

    /// Lists the directories with files whose paths end with this one.
    pub(crate) fn folders_ending<'g>(&'g self, end: &'g str) -> impl Iterator<Item = &'g str> {
        let fits = move |path: &&str| {
            path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.folders.keys().map(AsRef::as_ref).filter(fits)
    }
}

/// Gives the class under whose name a symbol is written outside of it.
fn owner(words: &Words, symbol: &Defined) -> Option<Word> {
    let (owner, _) = words.text(symbol.qualified).rsplit_once('.').filter(|_| symbol.parent.is_none())?;
    words.find(owner.rsplit('.').next()?)
}

/// Splits a path into its directory and its name.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Gives the name of a file up to its first dot.
pub(crate) fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Takes what a file has of some names out of a table.
fn forget(table: &mut HashMap<Word, Vec<At>>, names: HashSet<Word>, file: FileId) {
    for name in names {
        if let Some(all) = table.get_mut(&name) {
            all.retain(|at| at.file != file);
            if all.is_empty() {
                table.remove(&name);
            }
        }
    }
}

fn drop_from<K, Q, T>(table: &mut HashMap<K, Vec<T>>, key: &Q, one: &T)
where
    K: std::borrow::Borrow<Q> + Eq + std::hash::Hash,
    Q: Eq + std::hash::Hash + ?Sized,
    T: PartialEq,
{
    if let Some(all) = table.get_mut(key) {
        all.retain(|other| other != one);
        if all.is_empty() {
            table.remove(key);
        }
    }
}
