//! Ignore rules inherited from directories above the start of a walk.
//!
//! Inside the root, the rules of every parent directory apply. Above the root, only rules of the repository
//! that contains the root apply. Ignore files above the root are opened by path; their content is never
//! returned.

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, gitconfig_excludes_path};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, open, statat};

use super::exclude::open_directory;
use super::listing::MarkerSet;
use super::options::Rules;
use super::rule_cache;
use super::rules::{Gitignores, Level, Top, read_at_most};
use super::stats::Unreadable;
use crate::path::WorkspacePath;

/// Names of files with ignore rules.
pub(crate) const RULES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];

/// Names of entries that mark the top of a repository; `.git` can also be a file.
pub(crate) const TOPS: [&str; 2] = [".git", ".jj"];

/// Ignore rules that the directories above the start of a walk contribute.
pub(super) struct InheritedRules {
    /// Path from the topmost directory with ignore rules to the start of the walk, with a trailing slash
    /// unless empty.
    pub(super) lead: Vec<u8>,
    /// Ignore rules of all directories above the start of the walk.
    pub(super) level: Arc<Level>,
}

/// Collects the ignore rules of the directories above the start of a walk.
pub(super) fn start(base: &WorkspacePath, rules: Rules) -> InheritedRules {
    if rules == Rules::None {
        return InheritedRules { lead: Vec::new(), level: Arc::default() };
    }
    let first = first(base.root().path());
    let mut level = Arc::new(Level {
        parent: None,
        start: 0,
        git: Gitignores { global: global(), ..Gitignores::default() },
        top: Top::No,
    });
    for directory in way(&first, base.raw()) {
        level = inherit(&level, &directory, length(&first, &directory));
    }
    let mut lead = base.raw().strip_prefix(&first).unwrap_or(Path::new("")).as_os_str().as_bytes().to_vec();
    if !lead.is_empty() {
        lead.push(b'/');
    }
    InheritedRules { lead, level }
}

/// Returns the highest directory whose ignore rules apply to a root: the top of its repository, or the root
/// itself.
fn first(root: &Path) -> PathBuf {
    root.ancestors().find(|directory| is_top(directory)).unwrap_or(root).to_path_buf()
}

/// Returns the directories from `first` down to the parent of the directory `start`.
fn way(first: &Path, start: &Path) -> Vec<PathBuf> {
    let mut way: Vec<PathBuf> = start
        .ancestors()
        .skip(1)
        .take_while(|directory| directory.starts_with(first))
        .map(Path::to_path_buf)
        .collect();
    way.reverse();
    way
}

fn length(first: &Path, directory: &Path) -> usize {
    let below = directory.strip_prefix(first).unwrap_or(Path::new("")).as_os_str().len();
    if below == 0 { 0 } else { below + 1 }
}

fn inherit(parent: &Arc<Level>, directory: &Path, start: usize) -> Arc<Level> {
    let Some(opened) = open_directory(directory) else { return Arc::clone(parent) };
    let mut marks = MarkerSet::default();
    for name in RULES.iter().chain(&TOPS) {
        if statat(&opened, *name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            marks.add(MarkerSet::of(name.as_bytes()));
        }
    }
    // Unreadable files above the start are not reported, because the walk does not include them.
    let mut unreadable = Unreadable::default();
    Level::of(parent, opened.as_fd(), marks, start, &mut unreadable, &String::new)
}

/// Returns whether a directory is the top of a repository.
pub(crate) fn is_top(directory: &Path) -> bool {
    TOPS.iter().any(|name| statat(CWD, directory.join(name), AtFlags::SYMLINK_NOFOLLOW).is_ok())
}

/// Reads Git's global ignore file of the user (`core.excludesFile`).
fn global() -> Option<Arc<Gitignore>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = open(gitconfig_excludes_path()?, flags, Mode::empty()).ok()?;
    let mut text = Vec::new();
    read_at_most(opened.into(), &mut text).ok()?;
    rule_cache::of(&text)
}
