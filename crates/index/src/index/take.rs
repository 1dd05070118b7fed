//! Takes into the index what changed on the disk.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Root, Snapshot, Watch, WatchChanged, Workspace, WorkspacePath};

use super::store::{Found, Store};
use super::sweep::{Seen, Sign, Swept, below, now, options, roots_are_there, sweep};
use super::{Inner, Known, LeftOut, Trouble, Turn};
use crate::record::{Record, make};
use crate::{Words, is_manifest};

/// The largest file that is parsed, in bytes; what is larger is data that a program wrote.
pub(super) const LARGEST: u64 = 2 << 20;

/// What became of a file that was read.
pub(super) enum Taken {
    /// It is what it was.
    Same(Sign),
    /// Its record, which is new.
    Record(Sign, ContentHash, Box<(Words, Record)>),
    /// Its record, as it stood on the disk.
    Found(Sign, Box<Found>),
    /// What names packages.
    Manifest(Sign, ContentHash, String),
    /// It cannot be parsed.
    Unparsed(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

/// What has to be done so that the index is what the files are.
struct Changes<'s> {
    /// What is no longer there.
    dead: Vec<String>,
    /// What may have changed, with the hash of what it was.
    changed: Vec<(&'s Seen, Option<ContentHash>)>,
    left_out: LeftOut,
}

/// The part of a workspace that is looked at.
enum Extent {
    All,
    /// What lies at these paths and below them.
    At(Vec<WorkspacePath>),
}

/// How many files are read at least before they are put into the tables, and into how many parts many are parted.
const PART: usize = 1_024;
const PARTS: usize = 8;
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
        roots_are_there(&self.workspace)?;
        let Some(extent) = turn.extent(&self.workspace) else { return Ok(()) };
        let roots: Vec<&Path> = self.workspace.roots().iter().map(Root::path).collect();
        let folder = turn.folder.as_deref();
        turn.store.get_or_insert_with(|| Store::open(folder, &roots));
        let began = Instant::now();
        // What the watch told is told once: until this look has come to its end, it has to be a whole one again.
        turn.owed = true;
        let mut swept = look(&self.workspace, &extent, stop)?;
        let unreadable = std::mem::take(&mut swept.unreadable);
        let Changes { dead, changed, left_out } = self.changes(&extent, &swept, unreadable);
        self.forget(&dead, left_out);
        let part = PART.max(changed.len().div_ceil(PARTS));
        for part in changed.chunks(part) {
            let taken = read_all(&self.workspace, part, turn.store.as_ref(), stop);
            let complete = taken.len() == part.len();
            self.put(taken, turn);
            self.keep(turn);
            if !complete {
                return Err(Trouble::Stopped);
            }
        }
        turn.owed = false;
        if matches!(extent, Extent::All) {
            self.settle(turn);
            turn.whole = Some(began);
            turn.files = swept.files.len();
        }
        Ok(())
    }

    /// Compares what was found with what is known.
    fn changes<'s>(&self, extent: &Extent, swept: &'s Swept, mut unreadable: Vec<String>) -> Changes<'s> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| seen.shown.as_str()).collect();
        let looked: Vec<String> = match extent {
            Extent::All => vec![".".to_owned()],
            Extent::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
        };
        let within = |path: &str| looked.iter().any(|looked| lies_at(path, looked));
        let gone = |path: &str| within(path) && !there.contains(path);
        let known = looked.iter().flat_map(|looked| lying_at(&state.known, looked));
        let dead = known.filter(|path| !there.contains(path.as_str())).cloned().collect();
        let kept = |names: &[String]| names.iter().filter(|path| !gone(path)).cloned().collect();
        let of_line = |line: &String| within(line.split(": ").next().unwrap_or(line));
        unreadable.extend(state.left_out.unreadable.iter().filter(|line| !of_line(line)).cloned());
        let LeftOut { large, unparsed, .. } = &state.left_out;
        let left_out = LeftOut { large: kept(large), unparsed: kept(unparsed), unreadable };
        let known = |seen: &Seen| state.known.get(&seen.shown);
        let holds = |seen: &Seen| known(seen).is_some_and(|known| known.sign.holds(seen.stat));
        let changed = swept.files.iter().filter(|seen| !holds(seen));
        let changed = changed.map(|seen| (seen, known(seen).map(|known| known.hash))).collect();
        Changes { dead, changed, left_out }
    }
}

/// Looks at a part of a workspace.
fn look(workspace: &Workspace, extent: &Extent, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
    match extent {
        Extent::All => sweep(workspace, stop),
        Extent::At(paths) => {
            let mut out = Swept::default();
            paths.iter().try_for_each(|path| below(path, stop, &mut out))?;
            out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
            out.files.dedup_by(|one, other| one.shown == other.shown);
            Ok(out)
        }
    }
}

/// Reads files on as many threads as there are cores; fewer than all, if it is told to stop.
fn read_all<'s>(
    workspace: &Workspace,
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
            own.push((*seen, take(workspace, seen, *known, store)));
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
        && let Some(found) = kept(hash)
    {
        return Taken::Found(sign, found);
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
    if let Some(found) = kept(read.hash).filter(|found| *found.summary.language == *language.name()) {
        return Taken::Found(sign, found);
    }
    match make(language, text) {
        Ok(made) => Taken::Record(sign, read.hash, Box::new(made)),
        Err(_) => Taken::Unparsed(sign, read.hash),
    }
}

/// Lists the known files that are at a path or below it.
fn lying_at<'k>(known: &'k BTreeMap<String, Known>, path: &str) -> Box<dyn Iterator<Item = &'k String> + 'k> {
    if path == "." {
        return Box::new(known.keys());
    }
    let itself = known.get_key_value(path).map(|(path, _)| path);
    // What begins with a path and a slash stands between these two.
    let below = known.range(format!("{path}/")..format!("{path}0"));
    Box::new(itself.into_iter().chain(below.map(|(path, _)| path)))
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
