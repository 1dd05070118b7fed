//! Protected paths below the top of a root: nested repositories and files that programs run on their own.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use crate::sandbox::pins::Owner;

/// Maximum number of directories searched in a root, starting at the top.
const DIRECTORIES: usize = 512;

/// Maximum number of protected names: each of them is a mount, and so is each directory on the way.
const NAMES: usize = 256;

/// Directories that package managers and build tools replace as a whole: people do not edit files in them.
const INSTALLED: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "target",
    ".venv",
    "venv",
    ".tox",
    "site-packages",
    "Pods",
];

/// The protected entries of a repository's own directory.
const OF_REPOSITORY: &[&str] = &["hooks", "config", "config.worktree", "info/attributes", "commondir"];

/// The protected entries of git's directory for a worktree.
const OF_WORKTREE: &[&str] = &["commondir", "config.worktree"];

/// Result of the search below the top of a root.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NestedNames {
    /// The protected paths, relative to the root, whether they exist or not.
    pub(crate) held: BTreeMap<PathBuf, Owner>,
    /// Why not all was found.
    pub(crate) gap: Option<String>,
}

/// Finds repositories and these names below the top of a root.
///
/// Links are not followed, and what was installed is not looked through.
pub(crate) fn nested(root: &OwnedFd, names: &[&OsStr]) -> NestedNames {
    let mut found = NestedNames::default();
    // Git's directories for submodules and worktrees come first: they belong to the repository at the top.
    let mut waiting: VecDeque<PathBuf> = [".git/worktrees", ".git/modules", ""].map(PathBuf::from).into();
    let mut looked = 0;
    while let Some(path) = waiting.pop_front() {
        if looked == DIRECTORIES || found.held.len() >= NAMES {
            found.gap = Some(match (looked, path.as_os_str().is_empty()) {
                (DIRECTORIES, false) => format!(
                    "what lies in `{}` and behind it, below the first {DIRECTORIES} directories, was not looked through",
                    path.display()
                ),
                _ => format!("no more than {NAMES} names below the top of a root are held"),
            });
            break;
        }
        // A directory that cannot be read is not a repository that git uses, or it is gone.
        let Ok(entries) = entries(root, &path) else { continue };
        looked += 1;
        let mut directory = Directory { path: &path, names, found: &mut found };
        waiting.extend(directory.look(&entries));
    }
    found
}

/// A directory that is searched.
struct Directory<'a> {
    path: &'a Path,
    names: &'a [&'a OsStr],
    found: &'a mut NestedNames,
}

impl Directory<'_> {
    /// Takes what is to be held in it, and gives the directories that are to be looked through.
    fn look(&mut self, entries: &[(OsString, FileType)]) -> Vec<PathBuf> {
        let kind = |name: &str| entries.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        let has = |names: &[&str]| names.iter().all(|name| kind(name).is_some());
        let is_top = self.path.as_os_str().is_empty();
        if self.path.starts_with(".git/worktrees") && has(&["gitdir", "commondir"]) {
            self.hold(Path::new(""), OF_WORKTREE);
            return Vec::new();
        }
        if !is_top && has(&["HEAD", "objects", "refs"]) {
            self.hold(Path::new(""), OF_REPOSITORY);
            // The modules of a submodule.
            return kind("modules").map(|_| self.path.join("modules")).into_iter().collect();
        }
        if !is_top {
            match kind(".git") {
                Some(FileType::Directory) => {
                    self.hold(Path::new(".git"), OF_REPOSITORY);
                }
                // It says where the repository is.
                Some(FileType::RegularFile) => self.hold(Path::new(""), &[".git"]),
                _ => {}
            }
            if kind(".hg") == Some(FileType::Directory) {
                self.hold(Path::new(".hg"), &["hgrc"]);
            }
        }
        let (mut below, repositories) = (Vec::new(), [".git", ".hg"]);
        for (name, kind) in entries {
            let is_named = self.names.contains(&name.as_os_str());
            if is_named && !is_top && matches!(*kind, FileType::Directory | FileType::RegularFile) {
                self.found.held.insert(self.path.join(name), Owner::Elsewhere);
            }
            let is_looked_at = *kind == FileType::Directory && !is_named;
            let is_left_out = INSTALLED.iter().chain(&repositories).any(|left| name == left);
            if is_looked_at && !is_left_out {
                below.push(self.path.join(name));
            }
        }
        if kind(".git") == Some(FileType::Directory) && !is_top {
            below.push(self.path.join(".git/modules"));
        }
        below.sort();
        below
    }

    fn hold(&mut self, below: &Path, names: &[&str]) {
        let repository = self.path.join(below);
        for name in names {
            self.found.held.insert(repository.join(name), Owner::ToRepository);
        }
    }
}

fn entries(root: &OwnedFd, path: &Path) -> Result<Vec<(OsString, FileType)>, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let directory = openat2(root, path, flags, Mode::empty(), resolve)?;
    let mut found = Vec::new();
    for entry in Dir::new(directory)? {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name != "." && name != ".." {
            found.push((name, entry.file_type()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make directories")]

    use super::*;
    use std::fs;

    fn found(top: &Path) -> (Vec<String>, Option<String>) {
        let names = [OsStr::new(".vscode"), OsStr::new(".envrc")];
        let found = nested(&fs::File::open(top).unwrap().into(), &names);
        (found.held.keys().map(|path| path.display().to_string()).collect(), found.gap)
    }

    #[test]
    fn what_lies_deeper_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        for folder in [
            ".git/hooks",
            ".git/modules/m/objects",
            ".git/modules/m/refs",
            ".git/worktrees/w",
            ".vscode",
            "a/.git",
            "a/b/.hg",
            "a/b/.vscode/c",
            "bare/objects",
            "bare/refs",
            "node_modules/x/.vscode",
            "plain/d/e",
        ] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in [
            ".git/modules/m/HEAD",
            ".git/worktrees/w/gitdir",
            ".git/worktrees/w/commondir",
            "bare/HEAD",
            "s/../.envrc",
            "plain/.git",
            "plain/d/e/.envrc",
        ] {
            fs::create_dir_all(top.join("s")).unwrap();
            fs::write(top.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("/", top.join("link")).unwrap();
        let of = |repository: &str| OF_REPOSITORY.map_to(repository);
        let mut wanted = [of(".git/modules/m"), of("a/.git"), of("bare")].concat();
        wanted.extend(OF_WORKTREE.map_to(".git/worktrees/w"));
        wanted.extend(["a/b/.hg/hgrc", "a/b/.vscode", "plain/.git", "plain/d/e/.envrc"].map(str::to_owned));
        wanted.sort();
        let (mut held, gap) = found(top);
        held.sort();
        assert_eq!((held, gap), (wanted, None));
    }

    /// Puts names into a directory.
    trait MapTo {
        fn map_to(&self, directory: &str) -> Vec<String>;
    }

    impl MapTo for &[&str] {
        fn map_to(&self, directory: &str) -> Vec<String> {
            self.iter().map(|name| format!("{directory}/{name}")).collect()
        }
    }

    #[test]
    fn where_the_search_ends_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        for number in 0..DIRECTORIES {
            fs::create_dir(top.join(format!("{number:04}"))).unwrap();
        }
        fs::create_dir(top.join("0511/.vscode")).unwrap();
        let gap =
            "what lies in `0511` and behind it, below the first 512 directories, was not looked through";
        assert_eq!(found(top), (Vec::new(), Some(gap.to_owned())));
        fs::remove_dir(top.join("0000")).unwrap();
        assert_eq!(found(top), (vec!["0511/.vscode".to_owned()], None));
        for number in 1..=NAMES {
            fs::create_dir(top.join(format!("{number:04}/.vscode"))).unwrap();
        }
        let (held, gap) = found(top);
        let why = "no more than 256 names below the top of a root are held";
        assert_eq!((held.len(), gap.as_deref()), (NAMES, Some(why)));
    }
}
