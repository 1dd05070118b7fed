//! Protected paths below the top level of a root: nested repositories, and files that other programs execute
//! without asking.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use crate::names::Names;
use crate::nested_cache::{DirectorySearch, NestedCache, NestedNames, Owner, PendingDirectory, Role};
use crate::system_paths::UNFINISHED;

/// Maximum number of directories of a root that are searched for protected paths, in breadth-first order.
const DIRECTORIES: usize = 512;

/// The search stops once it has found this many protected paths in a root. Each is a mount, and so is each
/// directory above it.
const NAMES: usize = 256;

/// Directories that are not searched for protected paths: package managers and build tools own them, and
/// users do not edit files there.
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

/// The protected entries of a Git directory (`.git`, or the directory of a bare repository or submodule).
const OF_REPOSITORY: &[&str] = &["hooks", "config", "config.worktree", "info/attributes", "commondir"];

/// The protected entries of a worktree's directory in `.git/worktrees`.
const OF_WORKTREE: &[&str] = &["commondir", "config.worktree"];

/// Finds repositories and entries with a protected name below the top level of a root, and the paths whose changes
/// are reported.
///
/// Links are not followed, and installed packages are not searched.
pub(crate) fn nested(root: &OwnedFd, names: &Names, cache: &NestedCache) -> NestedNames {
    if let Some(found) = cache.take_found(root, names) {
        return found;
    }
    let mut found = NestedNames::default();
    // Start with git's directories for submodules and worktrees, which belong to the repository at the top.
    let mut waiting: VecDeque<PendingDirectory> =
        [(".git/worktrees", Role::Worktrees), (".git/modules", Role::Modules), ("", Role::Tree)]
            .map(|(path, role)| PendingDirectory { path: Arc::from(Path::new(path)), role })
            .into();
    let (mut known, mut searched) = (cache.take(root, names), Vec::new());
    while let Some(next) = waiting.pop_front() {
        if searched.len() == DIRECTORIES || found.held.len() >= NAMES {
            found.gap = Some(gap(searched.len(), found.held.len(), &next.path));
            break;
        }
        // Skip directories that cannot be read: git cannot use them as repositories, or they no longer exist.
        let look = || {
            let found = DirectorySearch::default();
            let mut directory = Directory { path: &next.path, role: next.role, names, found };
            directory.look(&entries(root, &next.path)?);
            Ok::<_, Errno>(directory.found)
        };
        let Ok(in_it) = known.get(root, &next, look) else { continue };
        found.held.extend(in_it.held.iter().cloned());
        found.closed.extend(in_it.closed.iter().cloned());
        found.reported.extend(in_it.reported.iter().cloned());
        waiting.extend(in_it.below.iter().cloned());
        searched.push(next);
    }
    cache.keep(known, &searched);
    cache.keep_found(root, names, &found);
    found
}

/// Describes where a search stopped.
fn gap(searched: usize, held: usize, next: &Path) -> String {
    let is_top = next.as_os_str().is_empty();
    let place = if is_top { "the root directory itself".to_owned() } else { format!("`{}`", next.display()) };
    let (limit, rest) = if searched == DIRECTORIES && !is_top {
        (format!("{DIRECTORIES} directories"), "later directories")
    } else {
        (format!("{held} protected paths"), "further paths")
    };
    format!("the search for protected paths stopped after {limit}, before {place}: {rest} are not protected")
}

/// A directory that is searched.
struct Directory<'a> {
    path: &'a Path,
    role: Role,
    names: &'a Names,
    found: DirectorySearch,
}

impl Directory<'_> {
    /// Records the protected paths in the directory, the paths whose changes are reported, and the directories
    /// to search next.
    fn look(&mut self, entries: &[(OsString, FileType)]) {
        let kind = |name: &str| entries.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        let is_repository = ["HEAD", "objects", "refs"].iter().all(|name| kind(name).is_some());
        let is_top = self.path.as_os_str().is_empty();
        match self.role {
            Role::Worktrees => {
                self.close("");
                self.search_below(entries, Role::Worktree);
            }
            Role::Worktree => {
                self.hold("", OF_WORKTREE);
                self.report_unfinished("");
                // Git keeps the submodules of a worktree in its `modules`.
                self.close("modules");
                self.search("modules", Role::Modules);
            }
            Role::Tree | Role::Modules if is_repository && !is_top => self.repository(""),
            // The name of a submodule can have several components, so this directory may contain further ones.
            Role::Modules => {
                self.close("");
                self.search_below(entries, Role::Modules);
            }
            Role::Tree => {
                if !is_top {
                    match kind(".git") {
                        Some(FileType::Directory) => self.repository(".git"),
                        // A `.git` file contains the path of the repository, so a change could substitute another
                        // repository.
                        Some(FileType::RegularFile) => self.hold("", &[".git"]),
                        _ => {}
                    }
                    if kind(".hg") == Some(FileType::Directory) {
                        self.hold(".hg", &["hgrc"]);
                    }
                } else if kind(".git") == Some(FileType::Directory) {
                    self.report_unfinished(".git");
                }
                self.tree(entries, is_top);
            }
        }
        self.found.below.sort();
    }

    /// Records the entries of an ordinary directory (not a Git directory) that have a protected or reported name,
    /// and its subdirectories as the directories to search next.
    fn tree(&mut self, entries: &[(OsString, FileType)], is_top: bool) {
        for (name, kind) in entries {
            let is_held = self.names.held.has(self.path, name);
            if is_held && !is_top && matches!(*kind, FileType::Directory | FileType::RegularFile) {
                self.found.held.push((self.path.join(name), Owner::Elsewhere));
            }
            if self.names.reported.has(self.path, name) {
                self.found.reported.push(self.path.join(name));
            }
            let is_skipped = INSTALLED.iter().chain(&[".git", ".hg"]).any(|skipped| name == skipped);
            if *kind == FileType::Directory && !is_held && !is_skipped {
                self.found
                    .below
                    .push(PendingDirectory { path: self.path.join(name).into(), role: Role::Tree });
            }
        }
    }

    /// Records the protected paths of a repository, the paths whose changes are reported, and the directories of
    /// its submodules and worktrees. `below` is the repository's path relative to this directory.
    fn repository(&mut self, below: &str) {
        self.hold(below, OF_REPOSITORY);
        self.report_unfinished(below);
        for (name, role) in [("modules", Role::Modules), ("worktrees", Role::Worktrees)] {
            let path = joined(self.path, below).join(name);
            self.found.closed.push(path.clone());
            self.found.below.push(PendingDirectory { path: path.into(), role });
        }
    }

    fn search(&mut self, below: &str, role: Role) {
        self.found.below.push(PendingDirectory { path: self.path.join(below).into(), role });
    }

    fn search_below(&mut self, entries: &[(OsString, FileType)], role: Role) {
        let directories = entries.iter().filter(|(_, kind)| *kind == FileType::Directory);
        let waiting =
            directories.map(|(name, _)| PendingDirectory { path: self.path.join(name).into(), role });
        self.found.below.extend(waiting);
    }

    fn close(&mut self, below: &str) {
        self.found.closed.push(joined(self.path, below));
    }

    fn hold(&mut self, below: &str, names: &[&str]) {
        let repository = joined(self.path, below);
        self.found.held.extend(names.iter().map(|name| (repository.join(name), Owner::ToRepository)));
    }

    fn report_unfinished(&mut self, below: &str) {
        let repository = joined(self.path, below);
        self.found.reported.extend(UNFINISHED.iter().map(|name| repository.join(name)));
    }
}

/// Joins paths, without a slash at the end if the second is empty.
fn joined(directory: &Path, below: &str) -> PathBuf {
    if below.is_empty() { directory.to_owned() } else { directory.join(below) }
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
    #![expect(clippy::disallowed_methods, reason = "tests create directories")]

    use super::*;
    use crate::names::NameList;
    use std::collections::BTreeSet;
    use std::fs;

    fn names() -> Names {
        let list = |names: &[&str]| NameList::of(&names.iter().map(PathBuf::from).collect::<Vec<_>>());
        let held = list(&[".vscode", ".envrc", ".tool/mcp.json", "*.project"]);
        Names { held, reported: list(&["AGENTS.md", ".github/notes.md"]) }
    }

    fn found(top: &Path) -> (Vec<String>, Option<String>) {
        let found = nested(&fs::File::open(top).unwrap().into(), &names(), &NestedCache::default());
        (found.held.keys().map(|path| path.display().to_string()).collect(), found.gap)
    }

    /// Creates directories, and files with their parent directories.
    fn create(top: &Path, directories: &[&str], files: &[&str]) {
        directories.iter().for_each(|directory| fs::create_dir_all(top.join(directory)).unwrap());
        for file in files {
            let file = top.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
    }

    #[test]
    fn protected_paths_below_the_top_level_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        let directories = [
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
        ];
        let files = [
            ".git/modules/m/HEAD",
            ".git/worktrees/w/gitdir",
            "bare/HEAD",
            ".envrc",
            "plain/.git",
            "plain/d/e/.envrc",
            "top.project",
            "plain/d/my.project",
            "plain/.tool/mcp.json",
            "plain/mcp.json",
        ];
        create(top, &directories, &files);
        std::os::unix::fs::symlink("/", top.join("link")).unwrap();
        let of = |repository: &str| OF_REPOSITORY.map_to(repository);
        let mut wanted = [of(".git/modules/m"), of("a/.git"), of("bare")].concat();
        wanted.extend(OF_WORKTREE.map_to(".git/worktrees/w"));
        let named = [
            "a/b/.hg/hgrc",
            "a/b/.vscode",
            "plain/.git",
            "plain/d/e/.envrc",
            "plain/d/my.project",
            "plain/.tool/mcp.json",
        ];
        wanted.extend(named.map(str::to_owned));
        wanted.sort();
        let (mut held, gap) = found(top);
        held.sort();
        assert_eq!((held, gap), (wanted, None));
    }

    #[test]
    fn repositories_of_submodules_and_worktrees_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        let repository = |path: &str| {
            create(&top.join(path), &["objects", "refs"], &["HEAD"]);
        };
        // The repository at the top and one in `n`, submodules of both (the name `libs/m` has two components), a
        // submodule of a submodule, and a submodule of a worktree.
        let all = [
            ".git",
            ".git/modules/libs/m",
            ".git/modules/libs/m/modules/x",
            ".git/worktrees/w/modules/m",
            "n/.git",
            "n/.git/modules/m",
        ];
        all.iter().for_each(|path| repository(path));
        create(
            top,
            &["n/.git/worktrees/v", "AGENTS.md", "n/.github"],
            &["n/AGENTS.md", "n/.github/notes.md"],
        );
        let found = nested(&fs::File::open(top).unwrap().into(), &names(), &NestedCache::default());
        let shown = |paths: &BTreeSet<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        let mut closed: Vec<String> =
            all[1..].iter().flat_map(|path| ["modules", "worktrees"].as_slice().map_to(path)).collect();
        let more = [
            ".git/modules",
            ".git/modules/libs",
            ".git/worktrees",
            ".git/worktrees/w/modules",
            "n/.git/worktrees/v/modules",
        ];
        closed.extend(more.map(str::to_owned));
        closed.sort();
        closed.dedup();
        let mut found_closed = shown(&found.closed);
        found_closed.sort();
        assert_eq!(found_closed, closed);
        let owners = all.iter().copied().chain([".git/worktrees/w", "n/.git/worktrees/v"]);
        let mut reported: Vec<String> = owners.flat_map(|path| UNFINISHED.map_to(path)).collect();
        reported.extend(["AGENTS.md", "n/AGENTS.md", "n/.github/notes.md"].map(str::to_owned));
        reported.sort();
        let mut found_reported = shown(&found.reported);
        found_reported.sort();
        assert_eq!(found_reported, reported);
        let held = [".git/modules/libs/m/modules/x/config", "n/.git/worktrees/v/commondir"];
        held.iter().for_each(|path| assert!(found.held.contains_key(Path::new(path)), "{path}"));
    }

    /// Prepends a directory to names.
    trait MapTo {
        fn map_to(&self, directory: &str) -> Vec<String>;
    }

    impl MapTo for &[&str] {
        fn map_to(&self, directory: &str) -> Vec<String> {
            self.iter().map(|name| format!("{directory}/{name}")).collect()
        }
    }

    #[test]
    fn a_cached_search_equals_a_fresh_one() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        let open = || -> OwnedFd { fs::File::open(top).unwrap().into() };
        let names = names();
        let places = ["a", "a/b", "a/b/c", "d", "d/e"];
        let (cache, mut state) = (NestedCache::default(), 0x2545_F491_4F6C_DD1D_u64);
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        for round in 0..40 {
            let place = top.join(places[random(places.len())]);
            // Some of these operations fail because the path is missing or of another kind. That does no harm: the
            // tree then stays unchanged in this round.
            let _ = match random(7) {
                0 | 1 => fs::create_dir_all(&place),
                2 => fs::create_dir_all(place.join(".git/hooks")),
                3 => fs::create_dir_all(&place).and_then(|()| fs::write(place.join(".envrc"), "")),
                4 => fs::remove_file(place.join(".envrc")),
                5 => fs::remove_dir_all(&place),
                _ => fs::rename(&place, top.join(format!("moved{round}"))),
            };
            // A directory is cached only if its last change is some time ago, so wait before the search that fills
            // the cache.
            if round % 4 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(60));
                nested(&open(), &names, &cache);
            }
            let remembered = nested(&open(), &names, &cache);
            assert_eq!(remembered, nested(&open(), &names, &NestedCache::default()), "{round}");
        }
    }

    #[test]
    fn search_limits_are_reported_with_the_first_unsearched_path() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        for number in 0..DIRECTORIES {
            fs::create_dir(top.join(format!("{number:04}"))).unwrap();
        }
        fs::create_dir(top.join("0511/.vscode")).unwrap();
        let gap = "the search for protected paths stopped after 512 directories, before `0511`: later directories are not \
                   protected";
        assert_eq!(found(top), (Vec::new(), Some(gap.to_owned())));
        fs::remove_dir(top.join("0000")).unwrap();
        assert_eq!(found(top), (vec!["0511/.vscode".to_owned()], None));
        for number in 1..=NAMES {
            fs::create_dir(top.join(format!("{number:04}/.vscode"))).unwrap();
        }
        let (held, gap) = found(top);
        let why = "the search for protected paths stopped after 256 protected paths, before `0257`: further paths are not \
                   protected";
        assert_eq!((held.len(), gap.as_deref()), (NAMES, Some(why)));
    }
}
