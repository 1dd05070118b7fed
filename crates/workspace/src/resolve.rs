//! Resolution of given paths to files inside the roots.
//!
//! This crate follows links itself and does not leave it to the kernel, so that no link leads out of the
//! roots.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, open, readlinkat, statat};
use rustix::io::Errno;
use toolpost_text::escape::unescape;

use crate::access::AccessKind;
use crate::lexical_path::{LexicalPath, PathEnding, clipped, parse, parse_displayed};
use crate::openat::{open_at, open_handle};
use crate::path::WorkspacePath;
use crate::path_error::PathError;
use crate::read::stat_at;
use crate::root::{HANDLE, Root};
use crate::workspace::Workspace;

/// Maximum number of links before a path counts as a loop.
const HOPS: u32 = 40;

impl Workspace {
    /// Resolves a path and follows links; the target need not exist.
    pub fn resolve(&self, said: &str) -> Result<WorkspacePath, PathError> {
        self.find(said, Follow::All)
    }

    /// Resolves a path, but does not follow a link in the last component. Used to delete or move the link
    /// itself.
    pub fn resolve_entry(&self, said: &str) -> Result<WorkspacePath, PathError> {
        self.find(said, Follow::ButLast)
    }

    fn find(&self, said: &str, follow: Follow) -> Result<WorkspacePath, PathError> {
        self.find_from(self.roots().first().ok_or(PathError::NoRoot)?, said, follow)
    }

    fn find_from(&self, base: &Root, said: &str, follow: Follow) -> Result<WorkspacePath, PathError> {
        let lexical = parse(said, base.path(), self.home())?;
        let found = self.find_lexical(said, &lexical, follow);
        if !said.contains('\\') {
            return found;
        }
        match found {
            Ok(found) => Ok(self.as_shown(said, found, follow)),
            // If the path of the root contains escapes, a path in it seems to be outside the roots, so the path is
            // unescaped and resolved again.
            Err(PathError::Outside { .. }) => parse_displayed(said, base.path())
                .and_then(|shown| self.find_lexical(said, &shown, follow).ok())
                .map_or(found, Ok),
            Err(_) => found,
        }
    }

    /// Treats a missing path as one with escaped names, as messages show it, if a file with the unescaped
    /// name exists.
    fn as_shown(&self, said: &str, literal: WorkspacePath, follow: Follow) -> WorkspacePath {
        let literal_names = normal(literal.relative()).count();
        let mut found = literal;
        // Each round unescapes one name. The limit ends the loop if links keep leading to further missing
        // names.
        for _ in 0..literal_names {
            if !self.is_missing(&found) {
                break;
            }
            let Some((directory, name, rest)) = self.first_missing(&found) else { break };
            let Some(name) = name.to_str().filter(|name| name.contains('\\')).and_then(unescape) else {
                break;
            };
            let name = OsString::from_vec(name);
            let plain = !name.is_empty() && name != "." && name != "..";
            let plain = plain && !name.as_bytes().contains(&b'/') && !name.as_bytes().contains(&0);
            if !plain || stat_at(directory.root(), &directory.relative().join(&name)).is_err() {
                break;
            }
            let mut absolute = directory.raw().join(name);
            if !rest.as_os_str().is_empty() {
                absolute.push(rest);
            }
            match self.find_lexical(said, &LexicalPath { absolute, ending: PathEnding::Open }, follow) {
                Ok(next) => found = next,
                Err(_) => break,
            }
        }
        found
    }

    /// Resolves a path relative to a root. Fails if the path leads out of that root, even into another root.
    pub fn within(&self, root: &Root, relative: &str) -> Result<WorkspacePath, PathError> {
        let found = self.find_from(root, relative, Follow::All)?;
        if found.raw().starts_with(root.path()) {
            return Ok(found);
        }
        Err(PathError::Outside { said: clipped(relative), target: None, roots: vec![root.shown()] })
    }

    /// Resolves a path inside an external root; links must not lead out of it.
    pub(crate) fn find_external(root: &Root, said: &str, relative: &str) -> Result<WorkspacePath, PathError> {
        let said = clipped(said);
        let lexical = parse(relative, root.path(), None)?;
        let mut walk = Resolution { roots: std::slice::from_ref(root), said: &said, left_by: None, hops: 0 };
        match walk.straight(&lexical, Follow::All)? {
            Some(path) => Ok(path),
            None => walk.step_by_step(&lexical, Follow::All),
        }
    }

    pub(crate) fn is_missing(&self, path: &WorkspacePath) -> bool {
        self.stat(path).is_err_and(|error| error.why == AccessKind::Missing)
    }

    /// Splits the path of a missing entry into its last existing directory, the first missing name below it, and the
    /// rest of the path. `None` for a root.
    pub(crate) fn first_missing(&self, path: &WorkspacePath) -> Option<(WorkspacePath, OsString, PathBuf)> {
        let mut gone = path.clone();
        loop {
            let parent = gone.parent()?;
            if !self.is_missing(&parent) {
                let rest = path.raw().strip_prefix(gone.raw()).ok()?.to_path_buf();
                let name = gone.file_name()?.to_owned();
                return Some((parent, name, rest));
            }
            gone = parent;
        }
    }

    pub(crate) fn find_lexical(
        &self,
        said: &str,
        lexical: &LexicalPath,
        follow: Follow,
    ) -> Result<WorkspacePath, PathError> {
        let said = clipped(said);
        let mut walk = Resolution { roots: self.roots(), said: &said, left_by: None, hops: 0 };
        let found = match walk.straight(lexical, follow)? {
            Some(path) => path,
            None => walk.step_by_step(lexical, follow)?,
        };
        if lexical.ending == PathEnding::Directory {
            walk.require_directory(&found)?;
        }
        Ok(found)
    }
}

/// Links in a path that are followed: all, or all except a link in the last component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    All,
    ButLast,
}

struct Resolution<'a> {
    roots: &'a [Root],
    said: &'a str,
    left_by: Option<String>,
    hops: u32,
}

impl Resolution<'_> {
    /// Resolves a path with one system call; `None` if the path contains links, starts outside the roots, or
    /// cannot be opened although it exists.
    fn straight(&self, lexical: &LexicalPath, follow: Follow) -> Result<Option<WorkspacePath>, PathError> {
        let Some(root) = self.inside(&lexical.absolute) else { return Ok(None) };
        let path = self.place(root, &lexical.absolute);
        let last = if follow == Follow::ButLast { OFlags::NOFOLLOW } else { OFlags::empty() };
        match open_at(root, path.relative(), HANDLE | last, Mode::empty()) {
            Ok(_) | Err(Errno::NOENT) => Ok(Some(path)),
            // The caller resolves the path component by component instead, which returns more precise errors.
            Err(_) => Ok(None),
        }
    }

    fn step_by_step(&mut self, lexical: &LexicalPath, follow: Follow) -> Result<WorkspacePath, PathError> {
        let mut names: VecDeque<OsString> = normal(&lexical.absolute).map(OsStr::to_owned).collect();
        let mut at = PathBuf::from("/");
        if let Some(root) = self.inside(&lexical.absolute) {
            at = root.path().to_path_buf();
            names.drain(..normal(root.path()).count());
        }
        let mut directory = self.enter(&at)?;
        while let Some(name) = names.pop_front() {
            if name == ".." {
                at.pop();
                directory = self.enter(&at)?;
                continue;
            }
            let stat = match statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => return self.missing(at, name, names),
                Err(errno) => return Err(self.refuse(&at, errno)),
            };
            let is_last = names.is_empty();
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink if !(is_last && follow == Follow::ButLast) => {
                    let target = self.read_link(&directory, &at, &name)?;
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                        directory = self.enter(&at)?;
                    }
                    for component in target.components().rev() {
                        match component {
                            Component::Normal(name) => names.push_front(name.to_owned()),
                            Component::ParentDir => names.push_front("..".into()),
                            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
                        }
                    }
                }
                FileType::Directory => {
                    at.push(&name);
                    if let Some(root) = self.roots.iter().find(|root| root.is(&stat)) {
                        at = root.path().to_path_buf();
                        directory = self.enter(&at)?;
                    } else if !is_last {
                        directory = open_handle(&directory, Path::new(&name))
                            .map_err(|errno| self.refuse(&at, errno))?;
                    }
                }
                _ => {
                    at.push(&name);
                    if !is_last {
                        return Err(self.refuse(&at, Errno::NOTDIR));
                    }
                }
            }
        }
        self.arrive(&at)
    }

    fn read_link(&mut self, directory: &OwnedFd, at: &Path, name: &OsStr) -> Result<PathBuf, PathError> {
        let link = at.join(name);
        self.hops += 1;
        let inside = self.inside(&link).is_some();
        if self.hops > HOPS && inside {
            return Err(PathError::Loop { said: self.said.to_owned(), link: shown(&link) });
        }
        if self.hops > HOPS {
            return Err(self.outside());
        }
        let target = readlinkat(directory, name, Vec::new()).map_err(|errno| self.refuse(at, errno))?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if inside {
            self.left_by = Some(shown(&target));
        }
        Ok(target)
    }

    /// Returns the path of the missing entry `name` in the directory `at`, with the components in `rest` appended
    /// literally; fails if these contain `..`.
    fn missing(
        &self,
        mut at: PathBuf,
        name: OsString,
        rest: VecDeque<OsString>,
    ) -> Result<WorkspacePath, PathError> {
        let gone = at.join(&name);
        if rest.iter().any(|name| name == "..") {
            return Err(self.refuse(&gone, Errno::NOENT));
        }
        at = gone;
        at.extend(rest);
        self.arrive(&at)
    }

    fn arrive(&self, at: &Path) -> Result<WorkspacePath, PathError> {
        let root = self.inside(at).ok_or_else(|| self.outside())?;
        Ok(self.place(root, at))
    }

    fn enter(&self, at: &Path) -> Result<OwnedFd, PathError> {
        let opened = match self.inside(at) {
            Some(root) => open_handle(root, at.strip_prefix(root.path()).unwrap_or(at)),
            None => open("/", HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
                .and_then(|top| open_handle(top, at.strip_prefix("/").unwrap_or(at))),
        };
        opened.map_err(|errno| self.refuse(at, errno))
    }

    fn inside(&self, at: &Path) -> Option<&Root> {
        Root::nearest(self.roots, at)
    }

    fn place(&self, root: &Root, at: &Path) -> WorkspacePath {
        WorkspacePath::beneath(root, at.strip_prefix(root.path()).unwrap_or(Path::new("")))
    }

    fn require_directory(&self, path: &WorkspacePath) -> Result<(), PathError> {
        let Ok(opened) = open_at(path.root(), path.relative(), HANDLE, Mode::empty()) else { return Ok(()) };
        let is_directory = fstat(opened.as_fd())
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        if is_directory {
            return Ok(());
        }
        Err(PathError::NotADirectory { said: self.said.to_owned(), file: path.display() })
    }

    fn refuse(&self, at: &Path, errno: Errno) -> PathError {
        let Some(root) = self.inside(at) else { return self.outside() };
        let said = self.said.to_owned();
        match errno {
            Errno::NOTDIR => PathError::NotADirectory { said, file: self.place(root, at).display() },
            Errno::ACCESS | Errno::PERM => PathError::Denied { said },
            Errno::NAMETOOLONG => PathError::TooLong { said },
            Errno::LOOP => PathError::Loop { said, link: shown(at) },
            other => PathError::Io { said, fault: other.into() },
        }
    }

    fn outside(&self) -> PathError {
        let roots = self.roots.iter().map(Root::shown).collect();
        PathError::Outside { said: self.said.to_owned(), target: self.left_by.clone(), roots }
    }
}

fn normal(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_bytes()).into_owned()
}
