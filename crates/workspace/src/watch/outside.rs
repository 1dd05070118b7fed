//! Ignore rules in files that no watched directory holds: above a root, in the user's configuration, and inside of `.git`.
//!
//! They are few, so each question compares them with what they were.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::gitignore::gitconfig_excludes_path;
use rustix::fs::{AtFlags, CWD, Stat, stat, statat};

use crate::root::Root;
use crate::walk::{EXCLUDE, FileStat, RULES, file_stat, info, is_top, open_directory};

/// What the files above the roots and those of the user were when they were last looked at.
#[derive(Debug, Default)]
pub(super) struct Outside(Vec<(PathBuf, Stamp)>);

/// What the excludes of the repositories below the roots were, by the watches on the tops of these.
#[derive(Debug, Default)]
pub(super) struct Excludes(BTreeMap<i32, Stamp>);

/// What a file was at one moment.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    stat: Option<FileStat>,
    /// Whether it was so young that a later change may have the same times.
    young: bool,
}

/// How long a file must have been left alone for its times to tell a later change, in nanoseconds.
const SETTLED: i64 = 50_000_000;

impl Stamp {
    fn of(stat: Option<Stat>) -> Self {
        let stat = stat.map(|stat| file_stat(&stat));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let young = stat.is_some_and(|stat| stat.modified.max(stat.touched).abs_diff(now) < SETTLED as u64);
        Self { stat, young }
    }

    /// Stamps a file by its path, without following a link, as ignore files are read.
    fn at(path: &Path) -> Self {
        Self::of(statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).ok())
    }

    /// Stamps the excludes of the repository whose top a directory is.
    fn exclude(top: &Path) -> Self {
        let info = open_directory(top).and_then(|top| info(top.as_fd()));
        Self::of(info.and_then(|info| statat(info, EXCLUDE, AtFlags::SYMLINK_NOFOLLOW).ok()))
    }

    /// Says whether a file is certainly what it was.
    fn holds(self, now: Self) -> bool {
        !self.young && self.stat == now.stat
    }
}

impl Outside {
    /// Looks at the files.
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

    /// Names a file that is not certainly what it was.
    pub(super) fn differing(&self, now: &Self) -> Option<PathBuf> {
        let pairs = self.0.iter().zip(&now.0);
        let mut differing = pairs.filter(|((path, was), (same, is))| path != same || !was.holds(*is));
        let other = || self.0.get(now.0.len()).or_else(|| now.0.get(self.0.len()));
        differing.next().map(|(was, _)| was).or_else(other).map(|(path, _)| path.clone())
    }
}

/// Stamps the rules above a root: those of a repository that it lies in.
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
    /// Takes note of a repository, by the watch on its top.
    pub(super) fn put(&mut self, watch: i32, top: &Path) {
        self.0.insert(watch, Stamp::exclude(top));
    }

    /// Finds a repository whose excludes are not certainly what they were; `top` gives where its top lies now, if it is still there.
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
