//! Detection of changes on disk, and parsing and insertion of changed files.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use toolpost_index_lifecycle::{
    EACH, FileSignature, Order, ScanResult, ScanScope, ScannedFile, Sweep, UpdatableIndex, lies_at, now,
};
use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Root, Workspace, WorkspacePath, on_threads};

use super::store::{Store, StoredRecord};
use super::{IndexedFile, Inner, LeftOut, State, UpdateError, UpdateState};
use crate::record::{Record, make};
use crate::{Graph, Words, is_manifest};

/// The maximum size of a parsed file, in bytes; larger files are usually generated data.
pub(super) const LARGEST: u64 = 2 << 20;

/// If more files than this are pending, new records are kept encoded, which saves memory, otherwise decoded.
const FEW: usize = 64;

/// A function that adds the record of a file to the graph.
type KeepRecord = fn(&mut Graph, &str, ContentHash, &Words, Record);

fn put_whole(graph: &mut Graph, path: &str, hash: ContentHash, words: &Words, record: Record) {
    graph.put(path, hash, words, record);
}

/// The result of reading a file.
pub(super) enum ReadOutcome {
    /// The content of the file is unchanged.
    Same(FileSignature),
    /// The file was parsed to a new record.
    Record(FileSignature, ContentHash, Box<(Words, Record)>),
    /// A record of the content was found on the disk.
    Found(FileSignature, Box<StoredRecord>),
    /// The file is a manifest such as `go.mod`; with its content hash and its text.
    Manifest(FileSignature, ContentHash, String),
    /// The file is not UTF-8, has no known language, or cannot be parsed.
    Unparsed(FileSignature, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

/// A file to read, with the hash of its indexed content.
pub(super) struct PendingFile {
    pub(super) seen: ScannedFile,
    pub(super) known: Option<ContentHash>,
}

/// The differences between the index and a scan of the disk.
struct Changes {
    /// The paths of the indexed or pending files that no longer exist.
    dead: Vec<String>,
    /// The files that may have changed.
    changed: Vec<PendingFile>,
    left_out: LeftOut,
}

/// The maximum number of files, and their maximum total size in bytes, that are read in one step.
const AT_ONCE: (usize, u64) = (256, 4 << 20);

impl Inner {
    /// Scans for changes, and adds the files to read to the pending ones.
    pub(super) fn look_at_all(
        &self,
        turn: &mut UpdateState,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), UpdateError> {
        Sweep::roots_are_there(&self.workspace)?;
        let Some(mut extent) = turn.watched.extent(&self.workspace, &Sweep::rules()) else { return Ok(()) };
        let roots: Vec<&Path> = self.workspace.roots().iter().map(Root::path).collect();
        let folder = turn.folder.as_deref();
        turn.store.get_or_insert_with(|| Store::open(folder, &roots));
        let look = |extent: &ScanScope| Sweep::ruled(Self::covers, stop).look(&self.workspace, extent);
        let swept = turn.watched.scan(&mut extent, look, |swept| self.other_names(swept))?;
        let count = swept.files.len();
        let Changes { dead, changed, left_out } = self.changes(turn, &extent, swept);
        self.forget(&dead, left_out);
        dead.iter().for_each(|path| drop(turn.pending.remove(path.as_str())));
        turn.pending.extend(changed.into_iter().map(|pending| (pending.seen.shown.clone(), pending)));
        turn.unsettled |= matches!(extent, ScanScope::All);
        turn.watched.looked(&extent, count);
        self.count(turn, &self.state.read().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    /// Reads some of the pending files, in the given order.
    pub(super) fn read_some(
        &self,
        turn: &mut UpdateState,
        order: Order<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let order = self.lifecycle.order(order);
        let batch = order.batch(turn.pending.values(), |pending| &pending.seen, LARGEST, AT_ONCE);
        let store = turn.store.as_ref();
        let one = |pending: &&PendingFile| {
            (pending.seen.shown.clone(), take(&self.workspace, &pending.seen, pending.known, store))
        };
        let taken = on_threads(&batch, EACH, &one, stop);
        self.put(taken, turn);
        self.keep(turn);
    }

    fn other_names(&self, swept: &ScanResult) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        swept.other_names(state.known.values().map(|known| (&known.path, known.sign.stat)))
    }

    /// Compares a scan with the index.
    fn changes(&self, turn: &UpdateState, extent: &ScanScope, mut swept: ScanResult) -> Changes {
        let mut unreadable = std::mem::take(&mut swept.unreadable);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let looked: Vec<String> = match extent {
            ScanScope::All => vec![".".to_owned()],
            ScanScope::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
        };
        let within = |path: &str| looked.iter().any(|looked| lies_at(path, looked));
        let gone = |path: &str| within(path) && !there.contains(path);
        let known = looked.iter().flat_map(|looked| lying_at(&state.known, looked));
        let pending = turn.pending.keys().filter(|path| within(path)).map(ToString::to_string);
        let dead = known.cloned().chain(pending).filter(|path| !there.contains(path.as_str())).collect();
        let kept = |names: &[String]| names.iter().filter(|path| !gone(path)).cloned().collect();
        let of_line = |line: &String| within(line.split(": ").next().unwrap_or(line));
        unreadable.extend(state.left_out.unreadable.iter().filter(|line| !of_line(line)).cloned());
        let LeftOut { large, unparsed, .. } = &state.left_out;
        let left_out = LeftOut { large: kept(large), unparsed: kept(unparsed), unreadable };
        let changed = swept.files.into_iter().filter_map(|seen| {
            let known = state.known.get(&*seen.shown);
            let holds = known.is_some_and(|known| known.sign.holds(seen.stat));
            (!holds).then(|| PendingFile { known: known.map(|known| known.hash), seen })
        });
        Changes { dead, changed: changed.collect(), left_out }
    }

    /// Removes files that are gone, and updates the list of files that are not covered.
    pub(super) fn forget(&self, dead: &[String], left_out: LeftOut) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        dead.iter().for_each(|path| state.forget(path));
        state.left_out = left_out;
    }

    /// Adds the files that were read to the index.
    pub(super) fn put(&self, taken: Vec<(Arc<str>, ReadOutcome)>, turn: &mut UpdateState) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let keep: KeepRecord = if turn.pending.len() > FEW { Graph::put_encoded } else { put_whole };
        let mut made = 0;
        for (shown, taken) in taken {
            let Some(pending) = turn.pending.remove(&shown) else { continue };
            made += usize::from(matches!(taken, ReadOutcome::Record(..)));
            state.put(&pending.seen, taken, keep);
        }
        self.count(turn, &state);
        self.lifecycle.add_parsed(made);
        if let Some(store) = &mut turn.store {
            store.waits(made);
        }
    }

    /// Reports how many files are read, and how many are pending.
    pub(super) fn count(&self, turn: &UpdateState, state: &State) {
        self.lifecycle.set_progress(state.known.len(), turn.pending.len());
    }

    /// If new records should be written, writes them to a segment, then frees decoded records if they take too much
    /// memory.
    pub(super) fn keep(&self, turn: &mut UpdateState) {
        let Some(store) = turn.store.as_mut().filter(|store| store.is_due(turn.pending.len())) else {
            return;
        };
        let state = &mut *self.state.write().unwrap_or_else(PoisonError::into_inner);
        store.flush(&mut state.graph, &state.known);
        state.graph.let_go();
    }

    /// Ends a full scan: drops the data of the initial load, and tidies the index.
    pub(super) fn settle(&self, turn: &mut UpdateState) {
        if let Some(store) = &mut turn.store {
            store.release();
        }
        self.tidy();
    }

    /// Imports a new SCIP index, drops damaged records so that their files are parsed again, and frees decoded records
    /// if they take too much memory.
    pub(super) fn tidy(&self) {
        let state = &mut *self.state.write().unwrap_or_else(PoisonError::into_inner);
        self.hear(state);
        for path in state.graph.damaged() {
            state.forget(&path);
        }
        state.graph.let_go();
    }
}

fn take(
    workspace: &Workspace,
    seen: &ScannedFile,
    known: Option<ContentHash>,
    store: Option<&Store>,
) -> ReadOutcome {
    let manifest = is_manifest(&seen.shown);
    let limit = if manifest { crate::manifest::LIMIT } else { LARGEST };
    let before = now();
    let sign = FileSignature::new(seen.stat, before);
    let kept = |hash: ContentHash| store.and_then(|store| store.get(hash)).map(Box::new);
    let unchanged = store.filter(|_| !manifest && known.is_none() && sign.settled);
    if let Some(hash) = unchanged.and_then(|store| store.hash(&seen.shown, seen.stat))
        && let Some(found) = kept(hash)
    {
        return ReadOutcome::Found(sign, found);
    }
    let read = match workspace.read(&seen.path, limit) {
        Ok(read) => read,
        Err(error) => {
            return match error.why {
                toolpost_workspace::AccessKind::Missing => ReadOutcome::Gone,
                toolpost_workspace::AccessKind::TooLarge { .. } => ReadOutcome::Large,
                why => ReadOutcome::Unreadable(why.to_string()),
            };
        }
    };
    // A file that changed between its check and its reading is checked again next time.
    let sign = if seen.is(&read) { sign } else { FileSignature { settled: false, ..sign } };
    if known == Some(read.hash) {
        return ReadOutcome::Same(sign);
    }
    let Ok(text) = std::str::from_utf8(&read.bytes) else { return ReadOutcome::Unparsed(sign, read.hash) };
    if manifest {
        return ReadOutcome::Manifest(sign, read.hash, text.to_owned());
    }
    let Some(language) = Language::of_text(Path::new(&*seen.shown), text) else {
        return ReadOutcome::Unparsed(sign, read.hash);
    };
    // The same content under a name of another language has a different record.
    if let Some(found) = kept(read.hash).filter(|found| *found.summary.language == *language.name()) {
        return ReadOutcome::Found(sign, found);
    }
    match make(language, text) {
        Ok(made) => ReadOutcome::Record(sign, read.hash, Box::new(made)),
        Err(_) => ReadOutcome::Unparsed(sign, read.hash),
    }
}

/// Lists the known files that are at a path or below it.
fn lying_at<'k>(
    known: &'k BTreeMap<String, IndexedFile>,
    path: &str,
) -> Box<dyn Iterator<Item = &'k String> + 'k> {
    if path == "." {
        return Box::new(known.keys());
    }
    let itself = known.get_key_value(path).map(|(path, _)| path);
    // In ASCII, `0` follows the slash, so this range has exactly the strings that begin with the path and a slash.
    let below = known.range(format!("{path}/")..format!("{path}0"));
    Box::new(itself.into_iter().chain(below.map(|(path, _)| path)))
}

impl State {
    pub(super) fn forget(&mut self, path: &str) {
        self.known.remove(path);
        self.graph.remove(path);
        self.graph.remove_manifest(path);
    }

    fn put(&mut self, seen: &ScannedFile, taken: ReadOutcome, keep: KeepRecord) {
        if let ReadOutcome::Same(sign) = taken {
            if let Some(known) = self.known.get_mut(&*seen.shown) {
                known.sign = sign;
            }
            return;
        }
        self.forget(&seen.shown);
        self.left_out.unparsed.retain(|other| **other != *seen.shown);
        self.left_out.large.retain(|other| **other != *seen.shown);
        match taken {
            ReadOutcome::Same(_) | ReadOutcome::Gone => {}
            ReadOutcome::Record(sign, hash, made) => {
                self.know(seen, sign, hash);
                keep(&mut self.graph, &seen.shown, hash, &made.0, made.1);
            }
            ReadOutcome::Found(sign, found) => {
                self.know(seen, sign, found.entry.content);
                self.graph.load(&seen.shown, &found.segment, found.entry, found.summary);
            }
            ReadOutcome::Manifest(sign, hash, text) => {
                self.know(seen, sign, hash);
                self.graph.put_manifest(&seen.shown, &text);
            }
            ReadOutcome::Unparsed(sign, hash) => {
                self.know(seen, sign, hash);
                self.left_out.unparsed.push(seen.shown.to_string());
            }
            ReadOutcome::Large => self.left_out.large.push(seen.shown.to_string()),
            ReadOutcome::Unreadable(why) => self.left_out.unreadable.push(format!("{}: {why}", seen.shown)),
        }
    }

    fn know(&mut self, seen: &ScannedFile, sign: FileSignature, hash: ContentHash) {
        self.known.insert(seen.shown.to_string(), IndexedFile { path: seen.path.clone(), sign, hash });
    }
}
