//! Ignore rules in files outside the watched directories: above a root, in the user's configuration, and in
//! `.git`.
//!
//! There are few such files, so each query compares their metadata.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::gitignore::gitconfig_excludes_path;
use rustix::fs::{AtFlags, CWD, Stat, stat, statat};

use crate::root::Root;
use crate::walk::{EXCLUDE, FileStat, RULES, file_stat, info, is_top, open_directory};

/// Stamps (metadata at one moment) of the ignore files above the roots and of the user's global ignore file.
#[derive(Debug, Default)]
pub(super) struct OuterRules(Vec<(PathBuf, Stamp)>);

/// Stamps (metadata at one moment) of the `info/exclude` files of repositories below the roots, by the watch
/// descriptor of the repository.
#[derive(Debug, Default)]
pub(super) struct Excludes(BTreeMap<i32, Stamp>);

/// Metadata of a file at one moment, which shows whether the file has changed since.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    stat: Option<FileStat>,
    /// True if the file was modified so recently that a later change may get the same modification time.
    young: bool,
}

/// Minimum age of a file, in nanoseconds, at which any later change gets a different modification time.
const SETTLED: i64 = 50_000_000;

impl Stamp {
    fn of(stat: Option<Stat>) -> Self {
        let stat = stat.map(|stat| file_stat(&stat));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let young = stat.is_some_and(|stat| stat.modified.max(stat.touched).abs_diff(now) < SETTLED as u64);
        Self { stat, young }
    }

    /// Takes the stamp of a file by its path, without following links.
    fn at(path: &Path) -> Self {
        Self::of(statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok())
    }

    /// Takes the stamp of the file `info/exclude` of a repository.
    fn exclude(top: &Path) -> Self {
        let info = open_directory(top).and_then(|top| info(top.as_fd()));
        Self::of(info.and_then(|info| statat(info, EXCLUDE, AtFlags::SYMLINK_NOFOLLOW).ok()))
    }

    /// Returns whether the file is certainly unchanged, given its current stamp.
    fn holds(self, now: Self) -> bool {
        !self.young && self.stat == now.stat
    }
}

impl OuterRules {
    /// Takes the stamps of the ignore files above the roots, and of the user's global ignore file.
    pub(super) fn look(roots: &[Root]) -> Self {
        let mut stamps = Vec::new();
        if let Some(path) = gitconfig_excludes_path() {
            let stamp = Stamp::of(stat(&path).ok());
            stamps.push((path, stamp));
        }
        for root in roots {
            above(root.path(), &mut stamps);
        }
        Self(stamps)
    }

    /// Returns an ignore file that may have changed; `None` if all files are certainly unchanged.
    pub(super) fn differing(&self, now: &Self) -> Option<PathBuf> {
        let pairs = self.0.iter().zip(&now.0);
        let mut differing = pairs.filter(|((path, was), (same, is))| path != same || !was.holds(*is));
        let other = || self.0.get(now.0.len()).or_else(|| now.0.get(self.0.len()));
        differing.next().map(|(was, _)| was).or_else(other).map(|(path, _)| path.clone())
    }
}

/// Adds the stamps of the ignore files above a root, if a repository contains the root.
fn above(root: &Path, stamps: &mut Vec<(PathBuf, Stamp)>) {
    if is_top(root) {
        return;
    }
    let mut rules = Vec::new();
    for directory in root.ancestors().skip(1) {
        rules.extend(RULES.map(|name| directory.join(name)));
        if is_top(directory) {
            stamps.extend(rules.into_iter().map(|path| (path.clone(), Stamp::at(&path))));
            stamps.push((directory.join(".git/info").join(EXCLUDE), Stamp::exclude(directory)));
            return;
        }
    }
}

impl Excludes {
    /// Adds the repository with the top directory `top`, which `watch` watches.
    pub(super) fn put(&mut self, watch: i32, top: &Path) {
        self.0.insert(watch, Stamp::exclude(top));
    }

    /// Returns the watch of a repository whose `info/exclude` may have changed. `top` returns the current top
    /// directory of the repository with a watch; a repository for which it returns `None` is dropped.
    pub(super) fn differing(&mut self, top: impl Fn(i32) -> Option<PathBuf>) -> Option<i32> {
        let mut found = None;
        self.0.retain(|watch, was| {
            let Some(top) = top(*watch) else { return false };
            if found.is_none() && !was.holds(Stamp::exclude(&top)) {
                found = Some(*watch);
            }
            true
        });
        found
    }
}
