//! Protected paths in the roots: existing, missing, and those that cannot be protected.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::sandbox::host::{self, Kind};
use crate::sandbox::nested::nested;
use crate::sandbox::places::{NOTHING_NEW, REPOSITORY};

/// Protected paths of one root.
#[derive(Debug)]
pub(crate) struct Pins {
    /// The root.
    pub(crate) root: PathBuf,
    /// Paths in the root that get a mount of their own, above first: those that can only be read, and the directories
    /// on the way to them, which are thereby not to be renamed.
    pub(crate) mounts: Vec<(PathBuf, Protection)>,
    /// Paths in the root that exist and stay unchanged.
    pub(crate) unchanged: BTreeSet<PathBuf>,
    /// Paths in the root that do not exist and may not be created.
    pub(crate) missing: Vec<PathBuf>,
    /// Paths that can be changed although they should be protected.
    pub(crate) open: Vec<String>,
}

/// Protection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protection {
    /// It can only be read.
    Unchanged,
    /// It can be changed, and neither moved nor removed.
    InPlace,
}

/// Owner of a protected name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// To the own directory of a repository.
    ToRepository,
    /// To anything else.
    Elsewhere,
}

/// Finds the protected paths of a root, and those of them that do not exist.
pub(crate) fn pins(root: &Path, protected: &[PathBuf]) -> Result<Pins, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, root, flags, Mode::empty())?;
    let mut pins = Pins {
        root: root.to_owned(),
        mounts: Vec::new(),
        unchanged: BTreeSet::new(),
        missing: Vec::new(),
        open: Vec::new(),
    };
    let mut all = wanted(root, protected);
    let names: Vec<&OsStr> = protected.iter().filter_map(|path| is_name(path)).collect();
    let below = nested(&directory, &names);
    pins.open.extend(below.gap);
    for (path, belongs) in below.held {
        all.entry(path).or_insert(belongs);
    }
    for (path, belongs) in all {
        match host::beneath(&directory, &path) {
            Ok(_) => {
                pins.unchanged.insert(path);
            }
            // Without a repository there is nothing that would read it.
            Err(Errno::NOENT) if belongs == Owner::ToRepository && !has_above(&directory, &path) => {}
            Err(Errno::NOENT) => pins.missing.push(path),
            // A `.git` that is a file says where the repository is: it stays as it is.
            Err(Errno::NOTDIR) => pins.unchanged.extend(file_above(root, &path)),
            Err(errno) => pins.open.push(open(&path, errno)),
        }
    }
    for path in NOTHING_NEW {
        match host::beneath(&directory, Path::new(path)) {
            // With the slash it means what would be created in it.
            Ok(_) => pins.missing.push(PathBuf::from(format!("{path}/"))),
            Err(Errno::NOENT) if has_above(&directory, Path::new(path)) => pins.missing.push(path.into()),
            Err(_) => {}
        }
    }
    pins.mounts = mounts(&pins.unchanged);
    Ok(pins)
}

/// Returns the mounts for what stays unchanged: all directories on the way are in place before it.
fn mounts(unchanged: &BTreeSet<PathBuf>) -> Vec<(PathBuf, Protection)> {
    let mut mounts: Vec<(PathBuf, Protection)> = Vec::new();
    for path in unchanged {
        // A directory that stays unchanged covers everything in it.
        if path.ancestors().skip(1).any(|above| unchanged.contains(above)) {
            continue;
        }
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        for above in above.into_iter().filter(|above| !above.as_os_str().is_empty()) {
            let in_place = (above.to_owned(), Protection::InPlace);
            if !mounts.contains(&in_place) {
                mounts.push(in_place);
            }
        }
        mounts.push((path.clone(), Protection::Unchanged));
    }
    mounts
}

/// Returns the protected paths of a root, relative to it.
fn wanted(root: &Path, protected: &[PathBuf]) -> BTreeMap<PathBuf, Owner> {
    let of_repository = REPOSITORY.iter().map(|path| (PathBuf::from(path), Owner::ToRepository));
    let named = protected.iter().filter_map(|path| {
        let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
        let is_inside = inside.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        (is_inside && !inside.as_os_str().is_empty()).then(|| (inside.to_owned(), Owner::Elsewhere))
    });
    named.chain(of_repository).collect()
}

/// Returns a path that is one name: such a name counts at any depth.
fn is_name(path: &Path) -> Option<&OsStr> {
    path.file_name().filter(|name| *name == path.as_os_str())
}

/// Returns whether a path's parent directory exists.
fn has_above(root: &OwnedFd, path: &Path) -> bool {
    path.parent().is_some_and(|above| host::beneath(root, above).is_ok())
}

fn file_above(root: &Path, path: &Path) -> Option<PathBuf> {
    let is_file = |above: &&Path| host::kind(&root.join(above)) == Some(Kind::Other);
    path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).find(is_file).map(Path::to_owned)
}

fn open(path: &Path, errno: Errno) -> String {
    match errno {
        Errno::LOOP => format!("`{}` is, or lies behind, a symbolic link", path.display()),
        errno => format!("`{}` cannot be looked at: {errno}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_what_is_pinned_stays_in_place() {
        let unchanged =
            [".git/config", ".git/hooks", ".git/info/attributes", ".vscode", ".vscode/tasks.json"];
        let mounts = mounts(&unchanged.iter().map(PathBuf::from).collect());
        let said: Vec<String> =
            mounts.iter().map(|(path, pinned)| format!("{} {pinned:?}", path.display())).collect();
        let wanted = [
            ".git InPlace",
            ".git/config Unchanged",
            ".git/hooks Unchanged",
            ".git/info InPlace",
            ".git/info/attributes Unchanged",
            ".vscode Unchanged",
        ];
        assert_eq!(said, wanted);
    }

    #[test]
    fn protected_names_count_in_each_root() {
        let protected = ["/w/a/x", "/w/b/y", ".envrc", "../up", "", "/w/a"].map(PathBuf::from);
        let all = wanted(Path::new("/w/a"), &protected);
        let named: Vec<&PathBuf> =
            all.keys().filter(|path| !REPOSITORY.iter().any(|known| Path::new(known) == **path)).collect();
        assert_eq!(named, [Path::new(".envrc"), Path::new("x")]);
        assert_eq!(all.len(), REPOSITORY.len() + 2);
    }
}
