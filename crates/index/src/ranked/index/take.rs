//! Takes into the index what changed on the disk.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use encoding_rs::Encoding;
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_workspace::walk::Skipped;
use toolpost_workspace::{AccessKind, ContentHash, Snapshot, Watch, WatchChanged, Workspace, WorkspacePath};

use super::store::Store;
use super::sweep::{self, Seen, Sign, Swept, below, now, options, sweep};
use super::{Covers, Inner, Known, Trouble, Turn};
use crate::ranked::record::{Record, make};

/// The largest file that is read, in bytes; what is larger is data that a program wrote.
pub(crate) const LARGEST: u64 = 4 << 20;

/// What became of a file that was read.
enum Taken {
    /// It is what it was.
    Same(Sign),
    /// Its record, and whether that is new.
    Record(Sign, ContentHash, Box<Record>, Age),
    /// It holds no text.
    Binary(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    New,
    Old,
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
            self.watch = Some(Watch::start(workspace, &options(false)));
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
        // A place that was named is watched by nobody: it is looked at each time.
        let extent = match &self.covers {
            Covers::Place(_) => Extent::All,
            // What is shown of a file is compared with it once more, so that a package need not be looked at all the time.
            Covers::Package(_) => match turn.whole {
                Some(whole) if !turn.owed && whole.elapsed() < WHOLE => return Ok(()),
                _ => Extent::All,
            },
            Covers::Workspace => match turn.extent(&self.workspace) {
                Some(extent) => extent,
                None => return Ok(()),
            },
        };
        if let Some(folder) = turn.folder.take() {
            turn.store = Store::open(&folder);
        }
        let began = Instant::now();
        // What the watch told is told once: until this look has come to its end, it has to be a whole one again.
        turn.owed = true;
        let Swept { files, unreadable, skipped } = self.look(&extent, stop)?;
        let (dead, changed) = self.differences(&extent, &files);
        let taken = read_all(&self.workspace, self.encoding, &changed, turn.store.as_ref(), stop);
        let complete = taken.len() == changed.len();
        self.put(&dead, taken, &extent, (unreadable, skipped), turn.store.as_mut());
        if !complete {
            return Err(Trouble::Stopped);
        }
        turn.owed = false;
        if matches!(extent, Extent::All) {
            turn.whole = Some(began);
            turn.files = files.len();
        }
        self.keep(turn);
        Ok(())
    }

    fn look(&self, extent: &Extent, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
        match (extent, &self.covers) {
            (_, Covers::Place(base)) => sweep::at(&self.workspace, base, &options(true), stop),
            (_, Covers::Package(base)) => {
                sweep::at(&self.workspace, base, &sweep::of_package(), stop).map(sweep::bounded)
            }
            (Extent::All, Covers::Workspace) => sweep(&self.workspace, stop),
            (Extent::At(paths), Covers::Workspace) => {
                let mut out = Swept::default();
                paths.iter().try_for_each(|path| below(path, stop, &mut out))?;
                out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
                out.files.dedup_by(|one, other| one.shown == other.shown);
                Ok(out)
            }
        }
    }

    /// Lists the files that are gone, and those that are not what they were, each with the hash that it had.
    fn differences<'s>(
        &self,
        extent: &Extent,
        files: &'s [Seen],
    ) -> (Vec<String>, Vec<(&'s Seen, Option<ContentHash>)>) {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = files.iter().map(|seen| seen.shown.as_str()).collect();
        let large = state.left_out.large.iter();
        let known = state.known.keys().chain(large);
        let dead =
            known.filter(|path| extent.holds(path) && !there.contains(path.as_str())).cloned().collect();
        let holds =
            |seen: &&Seen| state.known.get(&seen.shown).is_some_and(|known| known.sign.holds(seen.stat));
        let changed = files.iter().filter(|seen| !holds(seen));
        let hash = |seen: &Seen| state.known.get(&seen.shown).map(|known| known.hash);
        (dead, changed.map(|seen| (seen, hash(seen))).collect())
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
        extent: &Extent,
        (unreadable, skipped): (Vec<String>, Skipped),
        mut store: Option<&mut Store>,
    ) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let place = |line: &str| line.split(": ").next().unwrap_or(line).to_owned();
        state.left_out.unreadable.retain(|line| !extent.holds(&place(line)));
        state.left_out.unreadable.extend(unreadable);
        if matches!(extent, Extent::All) {
            state.left_out.skipped = skipped;
        }
        let other = taken.iter().filter(|(_, taken)| !matches!(taken, Taken::Same(_)));
        for path in gone.iter().chain(other.map(|(seen, _)| &seen.shown)) {
            state.known.remove(path);
            state.left_out.binary.remove(path);
            state.left_out.large.remove(path);
        }
        gone.iter().for_each(|path| state.table.remove(path));
        for (seen, taken) in taken {
            let mut known = |sign: Sign, hash: ContentHash| {
                state.known.insert(seen.shown.clone(), Known { sign, hash });
            };
            match taken {
                Taken::Same(sign) => {
                    if let Some(known) = state.known.get_mut(&seen.shown) {
                        known.sign = sign;
                    }
                }
                Taken::Record(sign, hash, record, age) => {
                    known(sign, hash);
                    if let (Some(store), Age::New) = (store.as_deref_mut(), age) {
                        store.add(hash, &record);
                    }
                    state.table.put(seen.path.clone(), seen.shown.clone(), hash, *record);
                    continue;
                }
                Taken::Binary(sign, hash) => {
                    known(sign, hash);
                    state.left_out.binary.insert(seen.shown.clone());
                }
                Taken::Large => drop(state.left_out.large.insert(seen.shown.clone())),
                Taken::Gone => {}
                Taken::Unreadable(why) => {
                    state.left_out.unreadable.insert(format!("{}: {why}", seen.shown));
                }
            }
            if !state.known.contains_key(&seen.shown) || state.left_out.binary.contains(&seen.shown) {
                state.table.remove(&seen.shown);
            }
        }
    }
}

impl Extent {
    fn holds(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::At(paths) => paths.iter().any(|looked| lies_at(path, &looked.display())),
        }
    }
}

/// Reads files on as many threads as there are cores; fewer than all, if it is told to stop.
fn read_all<'s>(
    workspace: &Workspace,
    encoding: Option<&'static Encoding>,
    files: &[(&'s Seen, Option<ContentHash>)],
    store: Option<&Store>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<(&'s Seen, Taken)> {
    let next = AtomicUsize::new(0);
    let out = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut own = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((seen, known)) = files.get(at) else { break };
            own.push((*seen, take(workspace, encoding, seen, *known, store)));
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

fn take(
    workspace: &Workspace,
    encoding: Option<&'static Encoding>,
    seen: &Seen,
    known: Option<ContentHash>,
    store: Option<&Store>,
) -> Taken {
    if seen.stat.len > LARGEST {
        return Taken::Large;
    }
    let sign = Sign::new(seen.stat, now());
    let by_name = Language::of_path(Path::new(&seen.shown)).map_or("", Language::name);
    // A header may be of another language than its name says.
    let fits = |record: &Record| record.language == by_name || by_name == "c";
    let kept = |hash: ContentHash| store.and_then(|store| store.get(hash)).filter(fits).map(Box::new);
    let unchanged = store.filter(|_| known.is_none() && sign.settled);
    if let Some(hash) = unchanged.and_then(|store| store.hash(&seen.shown, seen.stat))
        && let Some(record) = kept(hash)
    {
        return Taken::Record(sign, hash, record, Age::Old);
    }
    let read = match workspace.read(&seen.path, LARGEST) {
        Ok(read) => read,
        Err(error) => {
            return match error.why {
                AccessKind::Missing => Taken::Gone,
                AccessKind::TooLarge { .. } => Taken::Large,
                why => Taken::Unreadable(why.to_string()),
            };
        }
    };
    // A file that changed between the look at it and its reading is looked at again next time.
    let sign = if same(&read, seen) { sign } else { Sign { settled: false, ..sign } };
    let hash = read.hash;
    if known == Some(hash) {
        return Taken::Same(sign);
    }
    if let Some(record) = kept(hash) {
        return Taken::Record(sign, hash, record, Age::Old);
    }
    let bytes = read.bytes.len() as u64;
    let Ok(text) = Text::open(read.bytes, encoding) else { return Taken::Binary(sign, hash) };
    let shown = text.shown(text.view());
    let language = Language::of_text(Path::new(&seen.shown), &shown);
    Taken::Record(sign, hash, Box::new(make(language, &shown, bytes)), Age::New)
}

/// Tells whether a path is another one or lies below it.
pub(super) fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn same(read: &Snapshot, seen: &Seen) -> bool {
    read.stat.inode == seen.stat.inode
        && read.stat.len == seen.stat.len
        && read.stat.modified == i128::from(seen.stat.modified)
}
