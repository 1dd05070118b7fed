//! Takes into the index what changed on the disk.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Snapshot, Watch, WatchChanged, Workspace, WorkspacePath};

use super::store::Store;
use super::sweep::{Seen, Sign, Swept, below, now, options, sweep};
use super::{Inner, Known, LeftOut, Trouble, Turn};
use crate::record::{Record, make};
use crate::{Words, is_manifest};

/// The largest file that is parsed, in bytes; what is larger is data that a program wrote.
pub(super) const LARGEST: u64 = 2 << 20;

/// What became of a file that was read.
enum Taken {
    /// It is what it was.
    Same(Sign),
    /// Its record, and how that is written where it is new.
    Record(Sign, ContentHash, Box<(Words, Record)>, Option<Vec<u8>>),
    /// What names packages.
    Manifest(Sign, ContentHash, String),
    /// It cannot be parsed.
    Unparsed(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

/// The part of a workspace that is looked at.
enum Extent {
    All,
    /// What lies at these paths and below them.
    At(Vec<WorkspacePath>),
}

/// How many paths are looked at one by one.
const SINGLE: usize = 500;
/// How long what is watched may go without being looked at as a whole: some writes are not told of.
const WHOLE: Duration = Duration::from_secs(30);
/// The same where there are so few files that it takes no time worth speaking of.
const WHOLE_OF_FEW: Duration = Duration::from_secs(1);
const FEW: usize = 2_000;

impl Turn {
    /// Tells what has to be looked at; nothing if nothing changed.
    fn extent(&mut self, workspace: &Workspace) -> Option<Extent> {
        let Some(watch) = &mut self.watch else {
            self.watch = Some(Watch::start(workspace, &options()));
            return Some(Extent::All);
        };
        let changed = watch.changed();
        let patience = if self.files <= FEW { WHOLE_OF_FEW } else { WHOLE };
        if self.owed || self.whole.is_none_or(|whole| whole.elapsed() > patience) {
            return Some(Extent::All);
        }
        match changed {
            WatchChanged::Nothing => None,
            WatchChanged::Paths(paths) if paths.len() <= SINGLE => Some(Extent::At(paths)),
            WatchChanged::Paths(_) | WatchChanged::Unknown(_) => Some(Extent::All),
        }
    }
}

impl Inner {
    /// Looks at what may have changed, and reads what did.
    pub(super) fn refresh(&self, turn: &mut Turn, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), Trouble> {
        let Some(extent) = turn.extent(&self.workspace) else { return Ok(()) };
        if let Some(folder) = turn.folder.take() {
            turn.store = Store::open(&folder);
        }
        let began = Instant::now();
        // What the watch told is told once: until this look has come to its end, it has to be a whole one again.
        turn.owed = true;
        let swept = match &extent {
            Extent::All => sweep(&self.workspace, stop)?,
            Extent::At(paths) => {
                let mut out = Swept::default();
                paths.iter().try_for_each(|path| below(path, stop, &mut out))?;
                out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
                out.files.dedup_by(|one, other| one.shown == other.shown);
                out
            }
        };
        let swept_files = swept.files.len();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| seen.shown.as_str()).collect();
        let within = |path: &str| match &extent {
            Extent::All => true,
            Extent::At(paths) => paths.iter().any(|looked| lies_at(path, &looked.display())),
        };
        let gone = |path: &str| within(path) && !there.contains(path);
        let dead: Vec<String> = state.known.keys().filter(|path| gone(path)).cloned().collect();
        let large: Vec<String> = state.left_out.large.iter().filter(|path| !gone(path)).cloned().collect();
        let holds =
            |seen: &Seen| state.known.get(&seen.shown).is_some_and(|known| known.sign.holds(seen.stat));
        let changed: Vec<&Seen> = swept.files.iter().filter(|seen| !holds(seen)).collect();
        let hashes: Vec<Option<ContentHash>> =
            changed.iter().map(|seen| state.known.get(&seen.shown).map(|known| known.hash)).collect();
        drop(state);
        let taken = read_all(&self.workspace, &changed, &hashes, turn.store.as_ref(), stop);
        let complete = taken.len() == changed.len();
        if !dead.is_empty() || !taken.is_empty() {
            let mut unreadable = swept.unreadable;
            if !matches!(extent, Extent::All) {
                let known = self.state.read().unwrap_or_else(PoisonError::into_inner);
                let others = known
                    .left_out
                    .unreadable
                    .iter()
                    .filter(|line| !within(line.split(": ").next().unwrap_or(line)));
                unreadable.extend(others.cloned());
            }
            self.put(&dead, taken, large, unreadable, turn.store.as_mut());
        }
        if !complete {
            return Err(Trouble::Stopped);
        }
        turn.owed = false;
        if matches!(extent, Extent::All) {
            self.hear(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
            turn.whole = Some(began);
            turn.files = swept_files;
        }
        self.keep(turn);
        Ok(())
    }

    /// Writes records to the disk where it is time for that.
    fn keep(&self, turn: &mut Turn) {
        let Some(store) = &mut turn.store else { return };
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if store.is_due() {
            store.flush(&state.live());
        }
        if store.holds_old() {
            store.release(&state.live());
        }
    }

    /// Puts what was read into the tables.
    fn put(
        &self,
        gone: &[String],
        taken: Vec<(&Seen, Taken)>,
        large: Vec<String>,
        unreadable: Vec<String>,
        mut store: Option<&mut Store>,
    ) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut left_out = LeftOut { large, unparsed: Vec::new(), unreadable };
        left_out.unparsed = std::mem::take(&mut state.left_out.unparsed);
        for path in gone.iter().chain(
            taken.iter().filter(|(_, taken)| !matches!(taken, Taken::Same(_))).map(|(seen, _)| &seen.shown),
        ) {
            state.known.remove(path);
            state.graph.remove(path);
            state.graph.remove_manifest(path);
            left_out.unparsed.retain(|other| other != path);
            left_out.large.retain(|other| other != path);
        }
        for (seen, taken) in taken {
            let mut known = |sign: Sign, hash: ContentHash| {
                state.known.insert(seen.shown.clone(), Known { path: seen.path.clone(), sign, hash });
            };
            match taken {
                Taken::Same(sign) => {
                    if let Some(known) = state.known.get_mut(&seen.shown) {
                        known.sign = sign;
                    }
                }
                Taken::Record(sign, hash, made, encoded) => {
                    known(sign, hash);
                    if let (Some(store), Some(encoded)) = (store.as_deref_mut(), encoded) {
                        store.add(hash, &encoded);
                    }
                    state.graph.put(&seen.shown, hash, &made.0, made.1);
                }
                Taken::Manifest(sign, hash, text) => {
                    known(sign, hash);
                    state.graph.put_manifest(&seen.shown, &text);
                }
                Taken::Unparsed(sign, hash) => {
                    known(sign, hash);
                    left_out.unparsed.push(seen.shown.clone());
                }
                Taken::Large => left_out.large.push(seen.shown.clone()),
                Taken::Gone => {}
                Taken::Unreadable(why) => left_out.unreadable.push(format!("{}: {why}", seen.shown)),
            }
        }
        state.left_out = left_out;
    }
}

/// Reads files on as many threads as there are cores; fewer than all, if it is told to stop.
fn read_all<'s>(
    workspace: &Workspace,
    files: &[&'s Seen],
    hashes: &[Option<ContentHash>],
    store: Option<&Store>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<(&'s Seen, Taken)> {
    let next = AtomicUsize::new(0);
    let out = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut own = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(seen) = files.get(at) else { break };
            own.push((*seen, take(workspace, seen, hashes[at], store)));
        }
        out.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(files.len() / 8 + 1) {
            scope.spawn(work);
        }
        work();
    });
    out.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn take(workspace: &Workspace, seen: &Seen, known: Option<ContentHash>, store: Option<&Store>) -> Taken {
    let manifest = is_manifest(&seen.shown);
    let limit = if manifest { crate::modules::LIMIT } else { LARGEST };
    let before = now();
    let sign = Sign::new(seen.stat, before);
    let kept = |hash: ContentHash| store.and_then(|store| store.get(hash)).map(Box::new);
    let unchanged = store.filter(|_| !manifest && known.is_none() && sign.settled);
    if let Some(hash) = unchanged.and_then(|store| store.hash(&seen.shown, seen.stat))
        && let Some(made) = kept(hash)
    {
        return Taken::Record(sign, hash, made, None);
    }
    let read = match workspace.read(&seen.path, limit) {
        Ok(read) => read,
        Err(error) => {
            return match error.why {
                toolpost_workspace::AccessKind::Missing => Taken::Gone,
                toolpost_workspace::AccessKind::TooLarge { .. } => Taken::Large,
                why => Taken::Unreadable(why.to_string()),
            };
        }
    };
    // A file that changed between the look at it and its reading is looked at again next time.
    let sign = if same(&read, seen) { sign } else { Sign { settled: false, ..sign } };
    if known == Some(read.hash) {
        return Taken::Same(sign);
    }
    let Ok(text) = std::str::from_utf8(&read.bytes) else { return Taken::Unparsed(sign, read.hash) };
    if manifest {
        return Taken::Manifest(sign, read.hash, text.to_owned());
    }
    let Some(language) = Language::of_text(Path::new(&seen.shown), text) else {
        return Taken::Unparsed(sign, read.hash);
    };
    // The same content under a name of another language has another record.
    if let Some(made) = kept(read.hash).filter(|made| made.1.language == language.name()) {
        return Taken::Record(sign, read.hash, made, None);
    }
    match make(language, text) {
        Ok(made) => {
            let encoded = store.map(|_| Store::encode(&made.0, &made.1));
            Taken::Record(sign, read.hash, Box::new(made), encoded)
        }
        Err(_) => Taken::Unparsed(sign, read.hash),
    }
}

/// Tells whether a path is another one or lies below it.
fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn same(read: &Snapshot, seen: &Seen) -> bool {
    read.stat.inode == seen.stat.inode
        && read.stat.len == seen.stat.len
        && read.stat.modified == i128::from(seen.stat.modified)
}
