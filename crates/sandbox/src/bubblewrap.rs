//! The distribution's `bwrap` as the creator of namespaces: options that create the same view of the files as
//! Toolpost's own namespaces.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, statat};

use crate::error::SandboxError;
use crate::host::{self, Kind};
use crate::memfd::{file, number_of};
use crate::namespace_plan::NamespacePlan;
use crate::pins::{Pins, Protection};
use crate::view::{Content, View};

/// Paths at which the distribution's `bwrap` is searched for. The `PATH` is not used, because a model or a
/// project may have changed it.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/// The first options of `bwrap`, for namespaces, lifetime and privileges. The options for the mounts follow them.
const OWN: [&str; 10] = [
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--as-pid-1",
    "--cap-drop",
    "ALL",
];

/// The number of a failed step of the inner step (the program that `bwrap` starts): the check of the
/// protected mounts.
pub const PINNED: u16 = u16::MAX - 20;
/// The number of a failed step of the inner step (the program that `bwrap` starts): entering the working
/// directory.
pub const DIRECTORY: u16 = u16::MAX - 21;
/// The number of a failed step of the inner step (the program that `bwrap` starts): opening the proxy's
/// listener.
pub const LISTENER: u16 = u16::MAX - 22;
/// The number of a failed step of the inner step (the program that `bwrap` starts): preparing the process.
pub const PROCESS: u16 = u16::MAX - 23;
/// The number of a failed step of the inner step (the program that `bwrap` starts): the check that the process
/// has one thread.
pub const THREADS: u16 = u16::MAX - 24;

/// The command line of `bwrap` for one program, and the descriptors to which it refers.
#[derive(Debug)]
pub struct Bubblewrap {
    /// The path of the `bwrap` to execute.
    pub program: PathBuf,
    /// The options of `bwrap`, each followed by a NUL byte.
    pub options: Vec<u8>,
    /// Descriptors to which the options refer by number.
    pub opened: Vec<OwnedFd>,
    /// The restrictions that the program which `bwrap` starts applies in the namespaces.
    pub inside: NamespacePlan,
}

/// The reason why no `bwrap` is usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoBubblewrapError(String);

/// Finds the distribution's `bwrap`, which only the user root may be able to change and which may not be in a
/// workspace root.
///
/// # Errors
/// If no `bwrap` is installed, or none is safe to use.
pub fn find(roots: &[PathBuf]) -> Result<PathBuf, NoBubblewrapError> {
    find_in(&PLACES, roots)
}

fn find_in(places: &[&str], roots: &[PathBuf]) -> Result<PathBuf, NoBubblewrapError> {
    let mut why = format!("bwrap is not installed (searched: {})", places.join(", "));
    for place in places {
        let Ok(real) = host::real(Path::new(place)) else { continue };
        if roots.iter().filter_map(|root| host::real(root).ok()).any(|root| real.starts_with(root)) {
            why = format!("{} is in a root, where commands could change it", real.display());
        } else if !real.ancestors().all(is_roots_alone) {
            why = format!("users other than root can change {}", real.display());
        } else {
            return Ok(real);
        }
    }
    Err(NoBubblewrapError(why))
}

fn is_roots_alone(path: &Path) -> bool {
    let others = Mode::WGRP | Mode::WOTH;
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| stat.st_uid == 0 && !Mode::from_raw_mode(stat.st_mode).intersects(others))
}

impl Bubblewrap {
    /// Creates the options for the visible paths of a sandbox; `pins` are the protected paths in the
    /// workspace roots.
    pub(crate) fn new(
        roots: &[PathBuf],
        view: &View,
        pins: &[Pins],
        inside: NamespacePlan,
    ) -> Result<Self, SandboxError> {
        let program = find(roots).map_err(|error| SandboxError::NoSandbox { tried: error.to_string() })?;
        let mut made = Self { program, options: Vec::new(), opened: Vec::new(), inside };
        made.add(OWN);
        made.add(["--dev", "/dev", "--proc", "/proc"]);
        for place in &view.places {
            made.place(&place.path, &place.shown)?;
        }
        for pins in pins {
            for (path, pinned) in &pins.mounts {
                let path = pins.root.join(path);
                let option = if *pinned == Protection::Unchanged { "--ro-bind-fd" } else { "--bind-fd" };
                made.bind(option, &path, &path)?;
                made.inside.pinned.push((string(&path), *pinned));
            }
        }
        for hidden in &view.hidden {
            made.hide(hidden)?;
        }
        for closed in ["/proc", "/dev", "/"] {
            made.add(["--remount-ro", closed]);
        }
        Ok(made)
    }

    fn add(&mut self, words: impl IntoIterator<Item = impl AsRef<[u8]>>) {
        for word in words {
            self.options.extend_from_slice(word.as_ref());
            self.options.push(0);
        }
    }

    /// Mounts a path through a descriptor, so that a file that replaces the path later is not mounted.
    fn bind(&mut self, option: &str, from: &Path, at: &Path) -> Result<(), SandboxError> {
        let shown = |errno: rustix::io::Errno| SandboxError::Step {
            step: format!("{} could not be mounted in the sandbox", from.display()),
            fault: errno.into(),
        };
        let opened = host::pinned(&string(from)).map_err(shown)?;
        self.add([option.as_bytes(), number_of(&opened).as_bytes(), at.as_os_str().as_bytes()]);
        self.opened.push(opened);
        Ok(())
    }

    fn place(&mut self, path: &Path, shown: &Content) -> Result<(), SandboxError> {
        match shown {
            Content::Read => self.bind("--ro-bind-fd", path, path),
            Content::Change => self.bind("--bind-fd", path, path),
            Content::Other(other) => self.bind("--bind-fd", other, path),
            Content::Empty => {
                let mode = if path.ends_with("tmp") || path.ends_with("shm") { "1777" } else { "0755" };
                self.add([b"--perms", mode.as_bytes(), b"--tmpfs", path.as_os_str().as_bytes()]);
                Ok(())
            }
            Content::Link(to) => {
                self.add([b"--symlink", to.as_os_str().as_bytes(), path.as_os_str().as_bytes()]);
                Ok(())
            }
        }
    }

    /// Mounts an entry without permissions over a hidden path.
    fn hide(&mut self, path: &Path) -> Result<(), SandboxError> {
        let at = path.as_os_str().as_bytes();
        if host::kind(path) == Some(Kind::Directory) {
            self.add([b"--perms".as_slice(), b"0000", b"--tmpfs", at, b"--remount-ro", at]);
            return Ok(());
        }
        let nothing = file(&[]).map_err(|errno| SandboxError::Step {
            step: "an empty file could not be created".to_owned(),
            fault: errno.into(),
        })?;
        self.add([b"--perms".as_slice(), b"0000", b"--ro-bind-data", number_of(&nothing).as_bytes(), at]);
        self.opened.push(nothing);
        Ok(())
    }
}

/// Describes the failure of the step with this number in the program that `bwrap` starts; `None` for other
/// numbers.
pub(crate) fn words(part: u16) -> Option<&'static str> {
    match part {
        PINNED => Some("a protected path is not mounted as required in the sandbox"),
        DIRECTORY => Some("the command's directory is not visible in the sandbox"),
        LISTENER => Some("the sandbox's network could not be created"),
        PROCESS => Some("the sandbox's first process could not be created"),
        THREADS => Some(
            "the sandbox's helper program calls `toolpost::sandbox::init` while other threads run: it must call it \
             first in a plain `fn main`, before an async runtime starts (`#[tokio::main]` on `main` starts one before)",
        ),
        _ => None,
    }
}

/// Converts a path to a C string. The caller must have checked that the path contains no NUL byte.
pub fn string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests create files")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn bwrap_is_used_only_if_only_root_can_change_it() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let top = host::real(directory.path()).unwrap();
        let bwrap = top.join("bwrap");
        fs::write(&bwrap, "").unwrap();
        fs::set_permissions(&bwrap, fs::Permissions::from_mode(0o755)).unwrap();
        let place = bwrap.to_str().unwrap();
        // Any user may create entries in `/var/tmp`, so a `bwrap` below it is refused.
        let tried =
            |places: &[&str], roots: &[PathBuf]| find_in(places, roots).map_err(|error| error.to_string());
        let found = tried(&[place], &[]);
        assert_eq!(found, Err(format!("users other than root can change {place}")));
        let found = tried(&[place, "/no/such"], std::slice::from_ref(&top));
        assert_eq!(found, Err(format!("{place} is in a root, where commands could change it")));
        assert_eq!(tried(&["/no/such"], &[]), Err("bwrap is not installed (searched: /no/such)".to_owned()));
        let real = host::real(Path::new("/usr/bin/env")).unwrap();
        assert_eq!(tried(&[place, "/usr/bin/env"], &[]), Ok(real.clone()));
        let usr = [PathBuf::from("/usr")];
        let refused = format!("{} is in a root, where commands could change it", real.display());
        assert_eq!(tried(&["/usr/bin/env"], &usr), Err(refused));
    }
}
