//! Takes into the index what changed on the disk.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Snapshot, Workspace};

use super::sweep::{Seen, Sign, now, sweep};
use super::{Inner, Known, LeftOut, Trouble};
use crate::record::{Record, make};
use crate::{Words, is_manifest};

/// The largest file that is parsed, in bytes; what is larger is data that a program wrote.
const LARGEST: u64 = 2 << 20;

/// What became of a file that was read.
enum Taken {
    /// It is what it was.
    Same(Sign),
    /// Its record.
    Record(Sign, ContentHash, Box<(Words, Record)>),
    /// What names packages.
    Manifest(Sign, ContentHash, String),
    /// It cannot be parsed.
    Unparsed(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

impl Inner {
    /// Looks at all files, and reads those that may have changed.
    pub(super) fn refresh(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), Trouble> {
        let swept = sweep(&self.workspace, stop)?;
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let holds =
            |seen: &Seen| state.known.get(&seen.shown).is_some_and(|known| known.sign.holds(seen.stat));
        let there: HashSet<&str> = swept.files.iter().map(|seen| seen.shown.as_str()).collect();
        let gone: Vec<String> =
            state.known.keys().filter(|path| !there.contains(path.as_str())).cloned().collect();
        let changed: Vec<&Seen> = swept.files.iter().filter(|seen| !holds(seen)).collect();
        let hashes: Vec<Option<ContentHash>> =
            changed.iter().map(|seen| state.known.get(&seen.shown).map(|known| known.hash)).collect();
        let large = |path: &String| there.contains(path.as_str());
        let kept: Vec<String> = state.left_out.large.iter().filter(|path| large(path)).cloned().collect();
        drop(state);
        let taken = read_all(&self.workspace, &changed, &hashes, stop)?;
        if gone.is_empty() && taken.is_empty() {
            return Ok(());
        }
        self.put(&gone, taken, kept, swept.unreadable);
        Ok(())
    }

    /// Puts what was read into the tables.
    fn put(&self, gone: &[String], taken: Vec<(&Seen, Taken)>, large: Vec<String>, unreadable: Vec<String>) {
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
                Taken::Record(sign, hash, made) => {
                    known(sign, hash);
                    state.graph.put(&seen.shown, &made.0, made.1);
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

/// Reads files on as many threads as there are cores.
fn read_all<'s>(
    workspace: &Workspace,
    files: &[&'s Seen],
    hashes: &[Option<ContentHash>],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(&'s Seen, Taken)>, Trouble> {
    let next = AtomicUsize::new(0);
    let out = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        let mut own = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(seen) = files.get(at) else { break };
            own.push((*seen, take(workspace, seen, hashes[at])));
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
    let out = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    if out.len() < files.len() { Err(Trouble::Stopped) } else { Ok(out) }
}

fn take(workspace: &Workspace, seen: &Seen, known: Option<ContentHash>) -> Taken {
    let manifest = is_manifest(&seen.shown);
    let limit = if manifest { crate::modules::LIMIT } else { LARGEST };
    let before = now();
    let sign = Sign::new(seen.stat, before);
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
    match Language::of_path(Path::new(&seen.shown)).map(|language| make(language, text)) {
        Some(Ok(made)) => Taken::Record(sign, read.hash, Box::new(made)),
        _ => Taken::Unparsed(sign, read.hash),
    }
}

fn same(read: &Snapshot, seen: &Seen) -> bool {
    read.stat.inode == seen.stat.inode
        && read.stat.len == seen.stat.len
        && read.stat.modified == i128::from(seen.stat.modified)
}
