//! Detection of changes on disk, and parsing of changed files.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Root, Workspace, WorkspacePath, on_threads};

use super::store::{Found, Store};
use super::{Inner, Known, LeftOut, Trouble, Turn};
use crate::files::{EACH, Extent, Seen, Sign, Sweep, Swept, lies_at, now};
use crate::lifecycle::Order;
use crate::record::{Record, make};
use crate::{Words, is_manifest};

/// The maximum size of a parsed file, in bytes; larger files are generated data.
pub(super) const LARGEST: u64 = 2 << 20;

/// The result of reading a file.
pub(super) enum Taken {
    /// It is unchanged.
    Same(Sign),
    /// Its record, which is new.
    Record(Sign, ContentHash, Box<(Words, Record)>),
    /// Its record, as it stood on the disk.
    Found(Sign, Box<Found>),
    /// A manifest.
    Manifest(Sign, ContentHash, String),
    /// It cannot be parsed.
    Unparsed(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

/// A file to read, with the hash of its indexed content.
pub(super) struct Pending {
    pub(super) seen: Seen,
    pub(super) known: Option<ContentHash>,
}

/// The changes to apply.
struct Changes {
    /// The removed files.
    dead: Vec<String>,
    /// The files that may have changed.
    changed: Vec<Pending>,
    left_out: LeftOut,
}

/// The most files, and the most bytes of them, that are read in one step.
const AT_ONCE: (usize, u64) = (1_024, 16 << 20);

impl Inner {
    /// Scans for changes and records the files to read.
    pub(super) fn look_at_all(
        &self,
        turn: &mut Turn,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Trouble> {
        Sweep::roots_are_there(&self.workspace)?;
        let Some(mut extent) = turn.watched.extent(&self.workspace, &Sweep::rules()) else { return Ok(()) };
        let roots: Vec<&Path> = self.workspace.roots().iter().map(Root::path).collect();
        let folder = turn.folder.as_deref();
        turn.store.get_or_insert_with(|| Store::open(folder, &roots));
        let began = Instant::now();
        turn.watched.owe();
        let sweep = Sweep::ruled(is_wanted, stop);
        let mut swept = sweep.look(&self.workspace, &extent)?;
        turn.watched.took(&extent, began.elapsed());
        if extent.add(self.other_names(&swept)) {
            swept = sweep.look(&self.workspace, &extent)?;
        }
        turn.watched.saw(&swept.files);
        let count = swept.files.len();
        let Changes { dead, changed, left_out } = self.changes(turn, &extent, swept);
        self.forget(&dead, left_out);
        dead.iter().for_each(|path| drop(turn.pending.remove(path.as_str())));
        turn.pending.extend(changed.into_iter().map(|pending| (pending.seen.shown.clone(), pending)));
        turn.unsettled |= matches!(extent, Extent::All);
        turn.watched.looked(&extent, began, count);
        self.count(turn, &self.state.read().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    /// Reads some of the pending files in an order.
    pub(super) fn read_some(&self, turn: &mut Turn, order: Order<'_>, stop: &(dyn Fn() -> bool + Sync)) {
        let mut batch = self.lifecycle.order(order).sort(turn.pending.values(), |pending| &pending.seen.path);
        let mut bytes = 0;
        let mut fits = |pending: &&Pending| {
            bytes += pending.seen.stat.len.min(LARGEST);
            bytes <= AT_ONCE.1
        };
        let count = batch.iter().take(AT_ONCE.0).take_while(|pending| fits(pending)).count();
        batch.truncate(count.max(1));
        let store = turn.store.as_ref();
        let one = |pending: &&Pending| {
            (pending.seen.shown.clone(), take(&self.workspace, &pending.seen, pending.known, store))
        };
        let taken = on_threads(&batch, EACH, &one, stop);
        self.put(taken, turn);
        self.keep(turn);
    }

    fn other_names(&self, swept: &Swept) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        swept.other_names(state.known.values().map(|known| (&known.path, known.sign.stat)))
    }

    /// Compares a scan with the index.
    fn changes(&self, turn: &Turn, extent: &Extent, mut swept: Swept) -> Changes {
        let mut unreadable = std::mem::take(&mut swept.unreadable);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let looked: Vec<String> = match extent {
            Extent::All => vec![".".to_owned()],
            Extent::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
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
            (!holds).then(|| Pending { known: known.map(|known| known.hash), seen })
        });
        Changes { dead, changed: changed.collect(), left_out }
    }
}

fn take(workspace: &Workspace, seen: &Seen, known: Option<ContentHash>, store: Option<&Store>) -> Taken {
    let manifest = is_manifest(&seen.shown);
    let limit = if manifest { crate::manifest::LIMIT } else { LARGEST };
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
    let sign = if seen.is(&read) { sign } else { Sign { settled: false, ..sign } };
    if known == Some(read.hash) {
        return Taken::Same(sign);
    }
    let Ok(text) = std::str::from_utf8(&read.bytes) else { return Taken::Unparsed(sign, read.hash) };
    if manifest {
        return Taken::Manifest(sign, read.hash, text.to_owned());
    }
    let Some(language) = Language::of_text(Path::new(&*seen.shown), text) else {
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
    // All strings that begin with the path and a slash sort between these two.
    let below = known.range(format!("{path}/")..format!("{path}0"));
    Box::new(itself.into_iter().chain(below.map(|(path, _)| path)))
}

/// Returns whether the index covers a file.
pub(super) fn is_wanted(name: &OsStr) -> bool {
    let code = Language::of_path(Path::new(name)).is_some_and(Language::is_code);
    code || name.to_str().is_some_and(is_manifest)
}
