//! Detection of changes since the last update of the keyword index: removed files, files to read, and files that an
//! earlier process has read.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use toolpost_index_lifecycle::{FileSignature, ScanResult, ScanScope, ScannedFile, Sweep, now};
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{HiddenFiles, Options, Prune, Rules, SkippedEntries};

use super::store::Store;
use super::{IndexCoverage, Inner, UpdateError, UpdateState};

/// The maximum number of files of a dependency that are indexed; the deepest are left out.
const MOST: usize = 20_000;

impl Inner {
    /// Scans the disk for changes, drops removed files from the index, and records the files to read.
    pub(super) fn look_at_all(
        &self,
        turn: &mut UpdateState,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), UpdateError> {
        if self.doubted.swap(false, Ordering::Relaxed) {
            turn.watched.owe();
        }
        self.drop_broken(turn);
        // A directory that the index of the workspace excludes is not watched, so each update scans it.
        let mut extent = match &self.covers {
            IndexCoverage::Place(_) => ScanScope::All,
            // Search results are compared with the file again before they are shown, so a recently scanned dependency
            // is not scanned again.
            IndexCoverage::Package(_) if turn.watched.is_young() => return Ok(()),
            IndexCoverage::Package(_) => ScanScope::All,
            IndexCoverage::Workspace => {
                Sweep::roots_are_there(&self.workspace)?;
                match turn.watched.extent(&self.workspace, &Sweep::rules()) {
                    Some(extent) => extent,
                    None => return Ok(()),
                }
            }
        };
        if let Some(folder) = turn.folder.take() {
            turn.store = Store::open(&folder, &self.workspace);
            self.take_segments(turn);
        }
        let look = |extent: &ScanScope| self.look_at(extent, stop);
        let ScanResult { files, unreadable, skipped } =
            turn.watched.scan(&mut extent, look, |swept| self.other_names(swept))?;
        let count = files.len();
        self.differences(turn, &extent, files, (unreadable, skipped));
        turn.watched.looked(&extent, count);
        self.count(turn);
        Ok(())
    }

    fn look_at(
        &self,
        extent: &ScanScope,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<ScanResult, UpdateError> {
        let all = Sweep::ruled(|_| true, stop);
        Ok(match &self.covers {
            IndexCoverage::Workspace => all.look(&self.workspace, extent)?,
            IndexCoverage::Place(base) => {
                let (rules, hidden, prune) = (Rules::None, HiddenFiles::Show, Prune::Nothing);
                let options = Options { rules, hidden, prune, ..Options::default() };
                Sweep { options, ..all }.at(&self.workspace, base)?
            }
            // A package may contain copies of its dependencies, which are not indexed with it.
            IndexCoverage::Package(base) => {
                let options = Options { rules: Rules::None, ..Sweep::rules() };
                bounded(Sweep { options, ..all }.at(&self.workspace, base)?)
            }
        })
    }

    fn other_names(&self, swept: &ScanResult) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        swept.other_names(state.table.files().map(|(_, file)| (&file.path, file.sign.stat)))
    }

    /// Compares the scanned files with the index: drops removed files, and records new and changed ones as pending.
    fn differences(
        &self,
        turn: &mut UpdateState,
        extent: &ScanScope,
        files: Vec<ScannedFile>,
        (unreadable, skipped): (Vec<String>, SkippedEntries),
    ) {
        let within = extent.holder();
        let (dead, changed) = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            let there: HashSet<&str> = files.iter().map(|seen| &*seen.shown).collect();
            let texts = state.table.files().map(|(_, file)| &*file.shown);
            let large = state.left_out.large.iter().map(String::as_str);
            let rest = state.others.keys().chain(turn.pending.keys()).map(|path| &**path);
            let is_dead = |path: &&str| !there.contains(path) && within(path);
            let dead: Vec<Arc<str>> = texts.chain(large).chain(rest).filter(is_dead).map(Arc::from).collect();
            let holds =
                |seen: &ScannedFile| state.sign(&seen.shown).is_some_and(|sign| sign.holds(seen.stat));
            let changed: Vec<ScannedFile> = files.into_iter().filter(|seen| !holds(seen)).collect();
            (dead, changed)
        };
        dead.iter().for_each(|path| drop(turn.pending.remove(path)));
        turn.pending.extend(changed.into_iter().map(|seen| (seen.shown.clone(), seen)));
        {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let state = &mut *state;
            state.left_out.unreadable.retain(|line| !within(line.split(": ").next().unwrap_or(line)));
            state.left_out.unreadable.extend(unreadable);
            if matches!(extent, ScanScope::All) {
                state.left_out.skipped = skipped;
            }
            dead.iter().for_each(|path| state.forget(path));
        }
        self.take_remembered(turn);
    }

    /// Adds those pending files to the index that an earlier process has read and that have not changed since.
    pub(super) fn take_remembered(&self, turn: &mut UpdateState) {
        let Some(store) = &turn.store else { return };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        turn.pending.retain(|shown, seen| {
            let sign = FileSignature::new(seen.stat, now());
            if !sign.settled {
                return true;
            }
            let Some((hash, language)) = store.remembered(shown, seen.stat) else { return true };
            match &language {
                Some(language) => {
                    let Some(at) = state.table.known(hash, language) else { return true };
                    state.others.remove(shown);
                    state.left_out.binary.remove(&**shown);
                    state.table.put(seen.path.clone(), shown, at, sign);
                }
                None => {
                    state.table.remove(shown);
                    state.left_out.binary.insert(shown.to_string());
                    state.others.insert(shown.clone(), (sign, hash));
                }
            }
            state.left_out.large.remove(&**shown);
            false
        });
    }

    /// Drops damaged index segments, and the files whose contents are in no other segment. The next scan reads these
    /// files again.
    fn drop_broken(&self, turn: &mut UpdateState) {
        let broken = std::mem::take(&mut *self.broken.lock().unwrap_or_else(PoisonError::into_inner));
        if broken.is_empty() {
            return;
        }
        let broken: Vec<u32> = broken.into_iter().collect();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for number in &broken {
            let name = state.table.segment(*number).and_then(|segment| segment.name().map(str::to_owned));
            if let (Some(store), Some(name)) = (&mut turn.store, name) {
                store.remove(&name);
            }
        }
        state.table.replace(&broken, None);
        turn.watched.owe();
    }
}

/// Omits the deepest files of a very large dependency, and adds a note about them to the unreadable paths.
fn bounded(mut swept: ScanResult) -> ScanResult {
    let all = swept.files.len();
    if all > MOST {
        swept.files.sort_by_cached_key(|seen| (seen.shown.matches('/').count(), seen.shown.clone()));
        swept.files.truncate(MOST);
        let root = swept.files.first().and_then(|seen| seen.path.root().label().map(str::to_owned));
        let left = all - MOST;
        let verb = if left == 1 { "is" } else { "are" };
        swept.unreadable.push(format!(
            "{}: it has {all} files, and at most {MOST} are searched; the {left} in the deepest directories {verb} left out",
            root.unwrap_or_default()
        ));
    }
    swept
}
