//! Finds the protected paths in the roots: existing ones, missing ones, and those that cannot be protected.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::error::SandboxError;
use crate::host::{self, Kind};
use crate::names::{Names, matches, pattern};
use crate::nested::nested;
use crate::nested_cache::Owner;
use crate::plan::Plan;
use crate::system_paths::{NOTHING_NEW, REPOSITORY};
use crate::view::View;

/// Protected paths of one root.
#[derive(Debug)]
pub(crate) struct Pins {
    /// The path of the root.
    pub(crate) root: PathBuf,
    /// Paths in the root that become mount points, parents first: read-only paths, and the directories above
    /// them, which cannot be renamed because they are mount points.
    pub(crate) mounts: Vec<(PathBuf, Protection)>,
    /// Existing protected paths in the root, which the program may not change.
    pub(crate) unchanged: BTreeSet<PathBuf>,
    /// Protected paths in the root that do not exist, and that the program may not create. A path with a final
    /// slash is a directory that exists, and in which the program may not create entries.
    pub(crate) missing: Vec<PathBuf>,
    /// Patterns of names that may not be created at the top of the root.
    pub(crate) patterns: Vec<OsString>,
    /// Descriptions of paths that can be changed although they should be protected.
    pub(crate) open: Vec<String>,
}

impl Pins {
    /// Lists what may not be created, as absolute paths: missing paths, and patterns, which follow `//`.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = CString> {
        let paths = self.missing.iter().map(|path| self.root.join(path).into_os_string().into_vec());
        let root = self.root.as_os_str().as_bytes();
        let root = root.strip_suffix(b"/").unwrap_or(root);
        let patterns = self.patterns.iter().map(move |pattern| [root, b"//", pattern.as_bytes()].concat());
        paths.chain(patterns).filter_map(|path| CString::new(path).ok())
    }
}

/// Protection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// The path is read-only.
    Unchanged,
    /// The content of the directory can be changed, but it can be neither moved nor removed.
    InPlace,
}

/// Finds the protected paths of each root of a plan.
pub(crate) fn pins_of(view: &View, plan: &Plan) -> Result<Vec<Pins>, SandboxError> {
    let look = |root: &PathBuf| {
        pins(root, plan).map_err(|errno| SandboxError::Step {
            step: format!("the protected paths in {} could not be read", root.display()),
            fault: errno.into(),
        })
    };
    view.roots.iter().map(look).collect()
}

/// Finds the protected paths of a root, whether they exist or not.
fn pins(root: &Path, plan: &Plan) -> Result<Pins, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, root, flags, Mode::empty())?;
    let names = Names::of(&plan.protected, &plan.reported);
    let mut pins = Pins {
        root: root.to_owned(),
        mounts: Vec::new(),
        unchanged: BTreeSet::new(),
        missing: Vec::new(),
        patterns: names.held.patterns().map(OsStr::to_owned).collect(),
        open: Vec::new(),
    };
    let mut all = wanted(root, &plan.protected);
    let below = nested(&directory, &names, &plan.nested);
    pins.open.extend(below.gap);
    all.extend(matched(root, &pins.patterns).map(|name| (name, Owner::Elsewhere)));
    for (path, belongs) in below.held {
        all.entry(path).or_insert(belongs);
    }
    for (path, belongs) in all {
        match host::beneath(&directory, &path) {
            Ok(_) => {
                pins.unchanged.insert(path);
            }
            // If the repository does not exist, its paths need no protection.
            Err(Errno::NOENT) if belongs == Owner::ToRepository && !has_repository(&directory, &path) => {}
            Err(Errno::NOENT) => pins.missing.push(path),
            // A parent of the path is a file, such as a `.git` file with the path of a repository. That file
            // is protected instead.
            Err(Errno::NOTDIR) => pins.unchanged.extend(file_above(root, &path)),
            Err(errno) => pins.open.push(open(&path, errno)),
        }
    }
    for path in NOTHING_NEW.iter().map(PathBuf::from).chain(below.closed) {
        match host::beneath(&directory, &path) {
            // The directory exists: the trailing slash guards all its new entries.
            Ok(_) => pins.missing.push(path.join("")),
            Err(Errno::NOENT) if has_above(&directory, &path) => pins.missing.push(path),
            Err(_) => {}
        }
    }
    pins.mounts = mounts(&pins.unchanged);
    Ok(pins)
}

/// Returns the mounts that protect existing paths; parent directories come first.
fn mounts(unchanged: &BTreeSet<PathBuf>) -> Vec<(PathBuf, Protection)> {
    let mut mounts: Vec<(PathBuf, Protection)> = Vec::new();
    for path in unchanged {
        // The mount of a read-only directory covers everything in it.
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

/// Lists the entries at the top of a root that a pattern matches now. Later ones are refused when they are created.
fn matched(root: &Path, patterns: &[OsString]) -> impl Iterator<Item = PathBuf> {
    let names = if patterns.is_empty() { Vec::new() } else { host::names(root) };
    let is_matched =
        |name: &OsString| patterns.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()));
    names.into_iter().filter(is_matched).map(PathBuf::from)
}

/// Returns the protected paths of a root, relative to it: those of `REPOSITORY`, and those of the plan except
/// for patterns.
fn wanted(root: &Path, protected: &[PathBuf]) -> BTreeMap<PathBuf, Owner> {
    let of_repository = REPOSITORY.iter().map(|path| (PathBuf::from(path), Owner::ToRepository));
    let paths = protected.iter().filter(|path| pattern(path).is_none());
    let named = paths.filter_map(|path| {
        let inside = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
        let is_inside = inside.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        (is_inside && !inside.as_os_str().is_empty()).then(|| (inside.to_owned(), Owner::Elsewhere))
    });
    named.chain(of_repository).collect()
}

/// Returns whether the repository of a protected path exists.
fn has_repository(root: &OwnedFd, path: &Path) -> bool {
    // `info/attributes` is two levels below the repository, because `info` itself need not exist.
    let depth = if path.ends_with("info/attributes") { 2 } else { 1 };
    path.ancestors().nth(depth).is_some_and(|above| host::beneath(root, above).is_ok())
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
        Errno::LOOP => format!("`{}` is a symbolic link, or below one", path.display()),
        errno => format!("`{}` cannot be read: {errno}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_directories_of_pinned_paths_stay_in_place() {
        let unchanged =
            [".git/config", ".git/hooks", ".git/info/attributes", ".vscode", ".vscode/tasks.json"];
        let mounts = mounts(&unchanged.iter().map(PathBuf::from).collect());
        let pinned_paths: Vec<String> =
            mounts.iter().map(|(path, pinned)| format!("{} {pinned:?}", path.display())).collect();
        let wanted = [
            ".git InPlace",
            ".git/config Unchanged",
            ".git/hooks Unchanged",
            ".git/info InPlace",
            ".git/info/attributes Unchanged",
            ".vscode Unchanged",
        ];
        assert_eq!(pinned_paths, wanted);
    }

    #[test]
    fn protected_paths_are_resolved_within_their_root() {
        let protected = ["/w/a/x", "/w/b/y", ".envrc", "../up", "", "/w/a"].map(PathBuf::from);
        let all = wanted(Path::new("/w/a"), &protected);
        let named: Vec<&PathBuf> =
            all.keys().filter(|path| !REPOSITORY.iter().any(|known| Path::new(known) == **path)).collect();
        assert_eq!(named, [Path::new(".envrc"), Path::new("x")]);
        assert_eq!(all.len(), REPOSITORY.len() + 2);
    }
}
