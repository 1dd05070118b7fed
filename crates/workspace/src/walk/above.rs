//! The ignore rules that a walk inherits from above its start.
//!
//! Inside the root every directory on the way counts. Above the root only a repository that the root lies in does:
//! its rules hold for the root too. These few files are read by name; they are configuration, never shown to anyone.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::Gitignore;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, open, statat};

use super::ledger::Unreadable;
use super::listing::Marks;
use super::options::Rules;
use super::rules::{Gitignores, Level, Top, load};
use crate::path::WorkspacePath;

/// Where the paths of a walk begin.
pub(super) struct Start {
    /// From the first directory whose rules count to the start of the walk, with a slash at the end unless empty.
    pub(super) lead: Vec<u8>,
    /// The rules of all directories above the start.
    pub(super) level: Arc<Level>,
}

/// Gathers the rules above a walk's start.
pub(super) fn start(base: &WorkspacePath, rules: Rules) -> Start {
    if rules == Rules::None {
        return Start { lead: Vec::new(), level: Arc::default() };
    }
    let top = base.raw().ancestors().find(|directory| is_top(directory)).map(Path::to_path_buf);
    let first = first(base, top.as_deref());
    let mut level = Arc::new(Level {
        parent: None,
        start: 0,
        git: Gitignores {
            global: global(),
            exclude: linked_exclude(top.as_deref()),
            ..Gitignores::default()
        },
        top: Top::No,
    });
    for directory in way(&first, base.raw()) {
        level = inherit(&level, &directory, length(&first, &directory));
    }
    let mut lead = base.raw().strip_prefix(&first).unwrap_or(Path::new("")).as_os_str().as_bytes().to_vec();
    if !lead.is_empty() {
        lead.push(b'/');
    }
    Start { lead, level }
}

/// Returns the highest directory whose rules count: the repository's top, or the root if that is higher.
fn first(base: &WorkspacePath, top: Option<&Path>) -> PathBuf {
    let root = base.root().path();
    match top {
        Some(top) if root.starts_with(top) => top.to_path_buf(),
        _ => root.to_path_buf(),
    }
}

/// Returns the directories from the first to the one above the start.
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
    let mut marks = Marks::default();
    for name in [".gitignore", ".ignore", ".rgignore", ".git", ".jj"] {
        if statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            marks.add(Marks::of(name.as_bytes()));
        }
    }
    // What cannot be read above the start is not the walk's to report.
    let mut unreadable = Unreadable::default();
    Level::of(parent, opened.as_fd(), marks, start, &mut unreadable, &String::new)
}

fn is_top(directory: &Path) -> bool {
    [".git", ".jj"].iter().any(|name| statat(CWD, directory.join(name), AtFlags::SYMLINK_NOFOLLOW).is_ok())
}

/// Reads the user's own excludes.
fn global() -> Option<Gitignore> {
    let (rules, _) = Gitignore::global();
    (!rules.is_empty()).then_some(rules)
}

/// Reads `info/exclude` for a working tree whose `.git` is a file that points elsewhere.
fn linked_exclude(top: Option<&Path>) -> Option<Gitignore> {
    let top = top?;
    let kind = statat(CWD, top.join(".git"), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if FileType::from_raw_mode(kind.st_mode) != FileType::RegularFile {
        return None;
    }
    let pointer = read_line(top, ".git")?;
    let directory = top.join(pointer.strip_prefix("gitdir:")?.trim());
    let common =
        read_line(&directory, "commondir").map_or_else(|| directory.clone(), |said| directory.join(said));
    load(open_directory(&common.join("info"))?, "exclude").ok()?
}

fn read_line(directory: &Path, name: &str) -> Option<String> {
    use std::io::Read;
    let opened = super::entry::open_regular(open_directory(directory)?.as_fd(), name.as_ref()).ok()?;
    let mut text = String::new();
    opened.file.take(4096).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

fn open_directory(path: &Path) -> Option<OwnedFd> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
}
