//! Detection of changes: removed files, files to read, and files that an earlier process has read.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{Hidden, Options, Prune, Rules, Skipped};

use super::store::Store;
use super::{Covers, Inner, Trouble, Turn};
use crate::files::{Extent, Seen, Sign, Sweep, Swept, now};

/// The maximum number of files of a package; the deepest are left out.
const MOST: usize = 20_000;

impl Inner {
    /// Scans for changes and records the files to read.
    pub(super) fn look_at_all(
        &self,
        turn: &mut Turn,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Trouble> {
        if self.doubted.swap(false, Ordering::Relaxed) {
            turn.watched.owe();
        }
        self.drop_broken(turn);
        // An explicit path has no watch and is scanned each time.
        let mut extent = match &self.covers {
            Covers::Place(_) => Extent::All,
            // Results are compared with the file again when they are shown, so a package needs no constant scans.
            Covers::Package(_) if turn.watched.is_young() => return Ok(()),
            Covers::Package(_) => Extent::All,
            Covers::Workspace => {
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
        let began = Instant::now();
        turn.watched.owe();
        let mut swept = self.look_at(&extent, stop)?;
        turn.watched.took(&extent, began.elapsed());
        if extent.add(self.other_names(&swept)) {
            swept = self.look_at(&extent, stop)?;
        }
        let Swept { files, unreadable, skipped } = swept;
        turn.watched.saw(&files);
        let count = files.len();
        self.differences(turn, &extent, files, (unreadable, skipped));
        turn.watched.looked(&extent, began, count);
        self.count(turn);
        Ok(())
    }

    fn look_at(&self, extent: &Extent, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
        let all = Sweep::ruled(|_| true, stop);
        Ok(match &self.covers {
            Covers::Workspace => all.look(&self.workspace, extent)?,
            Covers::Place(base) => {
                let (rules, hidden, prune) = (Rules::None, Hidden::Show, Prune::Nothing);
                let options = Options { rules, hidden, prune, ..Options::default() };
                Sweep { options, ..all }.at(&self.workspace, base)?
            }
            // Its own dependencies are inside it, but not part of it.
            Covers::Package(base) => {
                let options = Options { rules: Rules::None, ..Sweep::rules() };
                bounded(Sweep { options, ..all }.at(&self.workspace, base)?)
            }
        })
    }

    fn other_names(&self, swept: &Swept) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        swept.other_names(state.table.files().map(|(_, file)| (&file.path, file.sign.stat)))
    }

    /// Drops removed files and records changed ones.
    fn differences(
        &self,
        turn: &mut Turn,
        extent: &Extent,
        files: Vec<Seen>,
        (unreadable, skipped): (Vec<String>, Skipped),
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
            let holds = |seen: &Seen| state.sign(&seen.shown).is_some_and(|sign| sign.holds(seen.stat));
            let changed: Vec<Seen> = files.into_iter().filter(|seen| !holds(seen)).collect();
            (dead, changed)
        };
        dead.iter().for_each(|path| drop(turn.pending.remove(path)));
        turn.pending.extend(changed.into_iter().map(|seen| (seen.shown.clone(), seen)));
        {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let state = &mut *state;
            state.left_out.unreadable.retain(|line| !within(line.split(": ").next().unwrap_or(line)));
            state.left_out.unreadable.extend(unreadable);
            if matches!(extent, Extent::All) {
                state.left_out.skipped = skipped;
            }
            dead.iter().for_each(|path| state.forget(path));
        }
        self.take_remembered(turn);
    }

    /// Loads the unchanged files that an earlier process has read.
    pub(super) fn take_remembered(&self, turn: &mut Turn) {
        let Some(store) = &turn.store else { return };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        turn.pending.retain(|shown, seen| {
            let sign = Sign::new(seen.stat, now());
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

    /// Drops damaged segments and records the files that only these contain.
    fn drop_broken(&self, turn: &mut Turn) {
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

/// Leaves out files of a package that has very many, and says so.
fn bounded(mut swept: Swept) -> Swept {
    let all = swept.files.len();
    if all > MOST {
        swept.files.sort_by_cached_key(|seen| (seen.shown.matches('/').count(), seen.shown.clone()));
        swept.files.truncate(MOST);
        let root = swept.files.first().and_then(|seen| seen.path.root().label().map(str::to_owned));
        swept.unreadable.push(format!(
            "{}: it has {all} files, of which the {} that lie deepest are not searched",
            root.unwrap_or_default(),
            all - MOST
        ));
    }
    swept
}
