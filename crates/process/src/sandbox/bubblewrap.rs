//! The distribution's `bwrap` as the launcher: the same namespaces as ours, written as its options.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, statat};

use crate::error::StartError;
use crate::sandbox::host::{self, Kind};
use crate::sandbox::inner_plan::{NamespacePlan, file, number_of};
use crate::sandbox::pins::{Pins, Protection};
use crate::sandbox::view::{Content, View};

/// Locations of the distribution's program. A model or a project may have changed the `PATH`.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/// Everything of its own: what is mounted follows.
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

/// The parts of the inner step that can fail.
pub(crate) const PINNED: u16 = u16::MAX - 20;
pub(crate) const DIRECTORY: u16 = u16::MAX - 21;
pub(crate) const LISTENER: u16 = u16::MAX - 22;
pub(crate) const PROCESS: u16 = u16::MAX - 23;

/// The options of `bwrap`, and the descriptors that they name.
#[derive(Debug)]
pub(crate) struct Bubblewrap {
    pub(crate) program: PathBuf,
    pub(crate) options: Vec<u8>,
    /// Descriptors that the options name.
    pub(crate) opened: Vec<OwnedFd>,
    /// The plan for the inner step.
    pub(crate) inside: NamespacePlan,
}

/// Finds the system's `bwrap`. Only root may be able to change it, and it may not be in a root.
pub(crate) fn find(roots: &[PathBuf]) -> Result<PathBuf, String> {
    find_in(&PLACES, roots)
}

fn find_in(places: &[&str], roots: &[PathBuf]) -> Result<PathBuf, String> {
    let mut why = format!("it is not installed ({})", places.join(", "));
    for place in places {
        let Ok(real) = host::real(Path::new(place)) else { continue };
        if roots.iter().filter_map(|root| host::real(root).ok()).any(|root| real.starts_with(root)) {
            why = format!("{} lies in a root, where commands could change it", real.display());
        } else if !real.ancestors().all(is_roots_alone) {
            why = format!("{} could have been changed by somebody else than root", real.display());
        } else {
            return Ok(real);
        }
    }
    Err(why)
}

fn is_roots_alone(path: &Path) -> bool {
    let others = Mode::WGRP | Mode::WOTH;
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| stat.st_uid == 0 && !Mode::from_raw_mode(stat.st_mode).intersects(others))
}

impl Bubblewrap {
    /// Writes down how a view, with these pins in its roots, is built.
    pub(crate) fn new(
        roots: &[PathBuf],
        view: &View,
        pins: &[Pins],
        inside: NamespacePlan,
    ) -> Result<Self, StartError> {
        let program = find(roots).map_err(|tried| StartError::NoSandbox { tried })?;
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

    /// Mounts the entry at a path by a descriptor, so that one that replaces it later is not mounted.
    fn bind(&mut self, option: &str, from: &Path, at: &Path) -> Result<(), StartError> {
        let shown = |errno: rustix::io::Errno| StartError::Sandbox {
            step: format!("{} could not be shown in it", from.display()),
            fault: errno.into(),
        };
        let opened = host::pinned(&string(from)).map_err(shown)?;
        self.add([option.as_bytes(), number_of(&opened).as_bytes(), at.as_os_str().as_bytes()]);
        self.opened.push(opened);
        Ok(())
    }

    fn place(&mut self, path: &Path, shown: &Content) -> Result<(), StartError> {
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
    fn hide(&mut self, path: &Path) -> Result<(), StartError> {
        let at = path.as_os_str().as_bytes();
        if host::kind(path) == Some(Kind::Directory) {
            self.add([b"--perms".as_slice(), b"0000", b"--tmpfs", at, b"--remount-ro", at]);
            return Ok(());
        }
        let nothing =
            file(&[]).map_err(|errno| StartError::Missing { what: "an empty file", fault: errno.into() })?;
        self.add([b"--perms".as_slice(), b"0000", b"--ro-bind-data", number_of(&nothing).as_bytes(), at]);
        self.opened.push(nothing);
        Ok(())
    }
}

/// Describes the failure of a part; `None` if the part is not one of these.
pub(crate) fn words(part: u16) -> Option<&'static str> {
    match part {
        PINNED => Some("what is protected is not held in it"),
        DIRECTORY => Some("the command's directory is not to be seen in it"),
        LISTENER => Some("its network could not be made"),
        PROCESS => Some("its first process could not be made"),
        _ => None,
    }
}

/// Makes a string for the system; the caller has checked for NUL.
pub(crate) fn string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make files")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_one_that_root_alone_can_change_is_taken() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let top = host::real(directory.path()).unwrap();
        let bwrap = top.join("bwrap");
        fs::write(&bwrap, "").unwrap();
        fs::set_permissions(&bwrap, fs::Permissions::from_mode(0o755)).unwrap();
        let place = bwrap.to_str().unwrap();
        // Anybody may make a name in `/var/tmp`.
        let found = find_in(&[place], &[]);
        assert_eq!(found, Err(format!("{place} could have been changed by somebody else than root")));
        let found = find_in(&[place, "/no/such"], std::slice::from_ref(&top));
        assert_eq!(found, Err(format!("{place} lies in a root, where commands could change it")));
        assert_eq!(find_in(&["/no/such"], &[]), Err("it is not installed (/no/such)".to_owned()));
        let real = host::real(Path::new("/usr/bin/env")).unwrap();
        assert_eq!(find_in(&[place, "/usr/bin/env"], &[]), Ok(real.clone()));
        let usr = [PathBuf::from("/usr")];
        let refused = format!("{} lies in a root, where commands could change it", real.display());
        assert_eq!(find_in(&["/usr/bin/env"], &usr), Err(refused));
    }
}
