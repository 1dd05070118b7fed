//! Where a path leads, with every link followed under our own eyes.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, open, readlinkat, statat};
use rustix::io::Errno;
use thiserror::Error;
use toolpost_text::escape::unescape;

use crate::beneath::{open_at, open_handle};
use crate::fault::Fault;
use crate::path::WorkspacePath;
use crate::read::stat_at;
use crate::root::{HANDLE, Root};
use crate::spelling::{Ending, Spelled, clipped, spell, spell_shown};
use crate::workspace::Workspace;

/// How many links are followed before it is called a loop.
const HOPS: u32 = 40;

/// Why a path is not one of the workspace.
///
/// What lies outside is refused in the same words whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// It lies outside of every root.
    #[error("{said} is outside of the workspace{}: only {} may be used. To use other directories, start Toolpost with a further `--root DIRECTORY`",
        leads_to(.target.as_deref()), .roots.join(", "))]
    Outside {
        /// What was said, escaped.
        said: String,
        /// The text of the link inside that leads out, escaped.
        target: Option<String>,
        /// The roots, escaped.
        roots: Vec<String>,
    },
    /// It holds a NUL byte, with which no file's name is written.
    #[error("{said} holds a NUL byte: no path can")]
    Nul {
        /// What was said, escaped.
        said: String,
    },
    /// It, or a name in it, is longer than the system takes.
    #[error("the path {said} is too long: a path has at most 4095 bytes, a name in it 255")]
    TooLong {
        /// The beginning of what was said, escaped.
        said: String,
    },
    /// Nothing was said.
    #[error("the path is empty: `.` is the workspace itself")]
    Empty,
    /// Links lead in a circle.
    #[error("{said} leads in a circle of symbolic links, through {link}")]
    Loop {
        /// What was said, escaped.
        said: String,
        /// One of the links, escaped.
        link: String,
    },
    /// No root is open.
    #[error("no root is open, so no path is allowed: start with a root")]
    NoRoot,
    /// A name on the way is not a directory.
    #[error("{file} is not a directory, so {said} cannot be")]
    NotADirectory {
        /// What was said, escaped.
        said: String,
        /// The name, escaped.
        file: String,
    },
    /// A directory on the way may not be searched.
    #[error("{said}: permission denied on the way: its owner has to permit it first")]
    Denied {
        /// What was said, escaped.
        said: String,
    },
    /// `~` was said where there is no home directory.
    #[error("{said}: the home directory is not known: say the whole path")]
    NoHome {
        /// What was said, escaped.
        said: String,
    },
    /// A `file://` address names another computer.
    #[error("{said} names a file on another computer: only file:///… can be used")]
    OtherHost {
        /// What was said, escaped.
        said: String,
    },
    /// Anything else.
    #[error("{said}: {fault}")]
    Io {
        /// What was said, escaped.
        said: String,
        /// What the system said.
        fault: Fault,
    },
}

impl Workspace {
    /// Finds the place that was said, following links; nothing needs to be there.
    pub fn resolve(&self, said: &str) -> Result<WorkspacePath, PathError> {
        self.find(said, Follow::All)
    }

    /// Finds the name that was said: a link at the end is the link itself, as deleting and moving want it.
    pub fn resolve_entry(&self, said: &str) -> Result<WorkspacePath, PathError> {
        self.find(said, Follow::ButLast)
    }

    fn find(&self, said: &str, follow: Follow) -> Result<WorkspacePath, PathError> {
        self.find_from(self.roots().first().ok_or(PathError::NoRoot)?, said, follow)
    }

    fn find_from(&self, base: &Root, said: &str, follow: Follow) -> Result<WorkspacePath, PathError> {
        let spelled = spell(said, base.path(), self.home())?;
        let found = self.find_spelled(said, &spelled, follow);
        if !said.contains('\\') {
            return found;
        }
        match found {
            Ok(found) => Ok(self.as_shown(said, found, follow)),
            // A root whose own name is shown escaped.
            Err(PathError::Outside { .. }) => spell_shown(said, base.path())
                .and_then(|shown| self.find_spelled(said, &shown, follow).ok())
                .map_or(found, Ok),
            Err(_) => found,
        }
    }

    /// Takes a missing name for one that was shown escaped, if that one is there.
    fn as_shown(&self, said: &str, literal: WorkspacePath, follow: Follow) -> WorkspacePath {
        let literal_names = normal(literal.relative()).count();
        let mut found = literal;
        // Each turn puts one name right; links that lead elsewhere could go on without an end.
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
            match self.find_spelled(said, &Spelled { absolute, ending: Ending::Open }, follow) {
                Ok(next) => found = next,
                Err(_) => break,
            }
        }
        found
    }

    /// Finds the place below a root that was said, without the root's own name being put into words.
    pub fn within(&self, root: &Root, relative: &str) -> Result<WorkspacePath, PathError> {
        let found = self.find_from(root, relative, Follow::All)?;
        if found.raw().starts_with(root.path()) {
            return Ok(found);
        }
        Err(PathError::Outside { said: clipped(relative), target: None, roots: vec![root.shown()] })
    }

    /// Finds a place below a root that lies aside: a link may lead anywhere in it, and not out of it.
    pub(crate) fn find_aside(root: &Root, said: &str, relative: &str) -> Result<WorkspacePath, PathError> {
        let said = clipped(said);
        let spelled = spell(relative, root.path(), None)?;
        let mut walk = Walk { roots: std::slice::from_ref(root), said: &said, left_by: None, hops: 0 };
        match walk.straight(&spelled, Follow::All)? {
            Some(path) => Ok(path),
            None => walk.step_by_step(&spelled, Follow::All),
        }
    }

    pub(crate) fn find_spelled(
        &self,
        said: &str,
        spelled: &Spelled,
        follow: Follow,
    ) -> Result<WorkspacePath, PathError> {
        let said = clipped(said);
        let mut walk = Walk { roots: self.roots(), said: &said, left_by: None, hops: 0 };
        let found = match walk.straight(spelled, follow)? {
            Some(path) => path,
            None => walk.step_by_step(spelled, follow)?,
        };
        if spelled.ending == Ending::Directory {
            walk.require_directory(&found)?;
        }
        Ok(found)
    }
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    All,
    ButLast,
}

struct Walk<'a> {
    roots: &'a [Root],
    said: &'a str,
    left_by: Option<String>,
    hops: u32,
}

impl Walk<'_> {
    /// Asks the kernel in one call; `None` if a link is on the way, or the path starts outside.
    fn straight(&self, spelled: &Spelled, follow: Follow) -> Result<Option<WorkspacePath>, PathError> {
        let Some(root) = self.inside(&spelled.absolute) else { return Ok(None) };
        let path = self.place(root, &spelled.absolute);
        let last = if follow == Follow::ButLast { OFlags::NOFOLLOW } else { OFlags::empty() };
        match open_at(root, path.relative(), HANDLE | last, Mode::empty()) {
            Ok(_) | Err(Errno::NOENT) => Ok(Some(path)),
            // Whatever else is the matter, the slow way says it better.
            Err(_) => Ok(None),
        }
    }

    fn step_by_step(&mut self, spelled: &Spelled, follow: Follow) -> Result<WorkspacePath, PathError> {
        let mut names: VecDeque<OsString> = normal(&spelled.absolute).map(OsStr::to_owned).collect();
        let mut at = PathBuf::from("/");
        if let Some(root) = self.inside(&spelled.absolute) {
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

    /// Appends what is missing as it is.
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

fn leads_to(target: Option<&str>) -> String {
    target.map_or_else(String::new, |target| format!(" (a symbolic link leads to {target})"))
}
