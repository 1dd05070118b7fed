//! Copies of a file system that one process has built: the parts that each program replaces by its own, and the check
//! that the rest still is what the program's own script would build.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, StatVfsMountFlags, StatxAttributes, StatxFlags, mkdirat, openat, statvfs,
    statx,
};

use super::{FIRST_STEP, Generated, OWN, ROOT, Script, Step, StepFailure, USERS, beneath, string, write};
use crate::calls::{self, NO_DEVICES, NO_SETUID, READ_ONLY};
use crate::encoding::{Reader, Writer};
use crate::plan::Network;

/// A mount that a prepared file system must have when a program starts in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedMount {
    /// The absolute path of the mount.
    pub at: CString,
    /// The file or directory that is mounted there; `None` for the entry without permissions that hides a path.
    pub what: Option<Identity>,
    /// True if it must be mounted read-only.
    pub is_read_only: bool,
}

/// The identity of a file or directory: its device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The major number of the device.
    pub major: u32,
    /// The minor number of the device.
    pub minor: u32,
    /// The number of the inode on the device.
    pub inode: u64,
}

impl ExpectedMount {
    /// Checks the mount in the file system of this process.
    ///
    /// The inode number of a mounted file is not reused. If another process removes or replaces the path, the
    /// mount disappears, and the path is not a mount point any more.
    ///
    /// # Errors
    /// If something else is at the path, or it is not mounted there, or is writable although it must not be.
    pub fn check(&self) -> io::Result<()> {
        let found = statx(CWD, &self.at, FLAGS, StatxFlags::BASIC_STATS)?;
        let is_it = match self.what {
            Some(what) => {
                Identity { major: found.stx_dev_major, minor: found.stx_dev_minor, inode: found.stx_ino }
                    == what
            }
            None => found.stx_mode & 0o777 == 0,
        };
        let is_read_only = || statvfs(&self.at).map(|of| of.f_flag.contains(StatVfsMountFlags::RDONLY));
        let is_mounted = found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
        if is_it && is_mounted && (!self.is_read_only || is_read_only()?) {
            return Ok(());
        }
        Err(io::Error::from_raw_os_error(libc::ESTALE))
    }
}

const FLAGS: AtFlags = AtFlags::SYMLINK_NOFOLLOW.union(AtFlags::NO_AUTOMOUNT);

fn identity(path: &CString) -> Option<Identity> {
    let found = statx(CWD, path, FLAGS, StatxFlags::BASIC_STATS).ok()?;
    Some(Identity { major: found.stx_dev_major, minor: found.stx_dev_minor, inode: found.stx_ino })
}

impl Script {
    /// Returns whether both scripts build the same file system for the same kind of network.
    #[must_use]
    pub fn builds_the_same(&self, other: &Self) -> bool {
        self.network == other.network && self.steps == other.steps
    }

    /// Returns whether copies of the file system can be given to several programs. A private directory that is
    /// covered by a later mount could not be replaced.
    #[must_use]
    pub fn can_be_shared(&self) -> bool {
        let covers = |step: &Step, private: &CString| matches!(step, Step::Host { at, .. } if contains(at, private) || at == private);
        let mut steps = self.steps.iter();
        while let Some(step) = steps.next() {
            if let Step::Private { at, .. } = step
                && steps.clone().any(|later| covers(later, at))
            {
                return false;
            }
        }
        true
    }

    /// Lists the mounts to check in a copy: those of the host's files that are not covered, with the identity that
    /// each file has now, and those over hidden paths. `None` if a file is missing.
    #[must_use]
    pub fn expected(&self) -> Option<Vec<ExpectedMount>> {
        let hosts: Vec<&CString> = self.steps.iter().filter_map(Step::host).collect();
        let absolute = |at: &CString| CString::new([b"/", at.as_bytes()].concat()).unwrap_or_default();
        let mut expected = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            // A later mount covers this one, as a root covers the repository of its worktree.
            let later = self.steps[number + 1..].iter().filter_map(Step::host);
            if step.host().is_some_and(|at| later.clone().any(|later| later == at || contains(later, at))) {
                continue;
            }
            let (from, at, attributes) = match step {
                Step::Host { from, at, attributes } => {
                    // Any other mount point is in the sandbox's own file system, which no other process changes.
                    let is_nested = hosts.iter().any(|other| contains(other, at));
                    (Some(identity(from)?), at, if is_nested { *attributes } else { 0 })
                }
                Step::Again { from, at, attributes } if from == at => {
                    (Some(identity(&absolute(at))?), at, *attributes)
                }
                Step::Again { at, .. } => (None, at, READ_ONLY),
                Step::Directory { .. } | Step::File { .. } | Step::Link { .. } => continue,
                Step::Private { .. } | Step::Kernel { .. } | Step::Close => continue,
            };
            let is_read_only = attributes & READ_ONLY != 0;
            expected.push(ExpectedMount { at: absolute(at), what: from, is_read_only });
        }
        Some(expected)
    }

    /// Completes the copy of a prepared file system in the new namespaces of this process: it gets its own
    /// processes, terminals and private directories, which cover those of the process that built it.
    ///
    /// `processes` is the host's `/proc`, because the one in the copy is read-only.
    ///
    /// # Errors
    /// If the kernel refuses a step.
    pub fn renew(&self, processes: BorrowedFd<'_>) -> Result<(), StepFailure> {
        let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
        for (file, content) in &self.users {
            let file = file.to_bytes_with_nul().strip_prefix(b"/proc/").unwrap_or_default();
            let file = CStr::from_bytes_with_nul(file).unwrap_or_default();
            write(processes, file, content).map_err(at(USERS))?;
        }
        let mask = rustix::process::umask(Mode::empty());
        let mut renewal = Renewal::begin(&self.steps).map_err(at(ROOT))?;
        for (part, step) in (FIRST_STEP..).zip(&self.steps) {
            renewal.take(step).map_err(at(part))?;
        }
        calls::restrict_one(&renewal.fresh, READ_ONLY).map_err(at(ROOT))?;
        rustix::process::umask(mask);
        Ok(())
    }

    /// Serialises the script for `read`. The directory in which a program starts is left out.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        for (file, content) in &self.users {
            out.text(file);
            out.text(content);
        }
        out.number(u64::from(self.network == Network::Proxied));
        out.each(&self.steps, |out, step| step.write(out));
        out.bytes()
    }

    /// Parses a serialised script; `None` if the bytes are not exactly one script.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let mut user = || Some((from.text()?, from.text()?));
        let users = [user()?, user()?, user()?];
        let network = if from.number()? == 1 { Network::Proxied } else { Network::Closed };
        let steps = from.each(Step::read)?;
        from.is_at_end().then(|| Self { users, steps, directory: c"/".to_owned(), network })
    }
}

impl Step {
    /// Returns the path at which a path of the host is mounted; `None` for other steps.
    fn host(&self) -> Option<&CString> {
        if let Self::Host { at, .. } = self { Some(at) } else { None }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Directory { path, mode } => {
                out.number(0);
                out.text(path);
                out.number(u64::from(*mode));
            }
            Self::File { path } => {
                out.number(1);
                out.text(path);
            }
            Self::Link { path, to } => {
                out.number(2);
                out.text(path);
                out.text(to);
            }
            Self::Host { from, at, attributes } => {
                out.number(3);
                out.text(from);
                out.text(at);
                out.number(*attributes);
            }
            Self::Again { from, at, attributes } => {
                out.number(4);
                out.text(from);
                out.text(at);
                out.number(*attributes);
            }
            Self::Private { from, at, mode } => {
                out.number(5);
                out.text(from);
                out.text(at);
                out.number(u64::from(*mode));
            }
            Self::Kernel { kind, at, attributes } => {
                out.number(if *kind == Generated::Processes { 6 } else { 7 });
                out.text(at);
                out.number(*attributes);
            }
            Self::Close => out.number(8),
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let mode = |from: &mut Reader<'_>| u32::try_from(from.number()?).ok();
        Some(match from.number()? {
            0 => Self::Directory { path: from.text()?, mode: mode(from)? },
            1 => Self::File { path: from.text()? },
            2 => Self::Link { path: from.text()?, to: from.text()? },
            3 => Self::Host { from: from.text()?, at: from.text()?, attributes: from.number()? },
            4 => Self::Again { from: from.text()?, at: from.text()?, attributes: from.number()? },
            5 => Self::Private { from: from.text()?, at: from.text()?, mode: mode(from)? },
            6 => Self::Kernel { kind: Generated::Processes, at: from.text()?, attributes: from.number()? },
            7 => Self::Kernel { kind: Generated::Terminals, at: from.text()?, attributes: from.number()? },
            8 => Self::Close,
            _ => return None,
        })
    }
}

/// The progress of completing a copy.
struct Renewal<'a> {
    root: OwnedFd,
    /// The file system with the program's private directories.
    fresh: OwnedFd,
    /// The private directories of the process that built the file system, and whether each was covered.
    covered: Vec<(&'a CString, OwnedFd, bool)>,
    /// The mounts that were copied into a private directory, each with everything below it.
    copied: Vec<&'a CString>,
}

impl<'a> Renewal<'a> {
    fn begin(steps: &'a [Step]) -> io::Result<Self> {
        let root = openat(CWD, c"/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let fresh = calls::file_system(c"tmpfs", &[(c"mode", c"0700")], NO_SETUID | NO_DEVICES)?;
        calls::mount(&fresh, beneath(&root, &string(OWN))?.as_fd())?;
        let mut covered = Vec::new();
        for step in steps {
            if let Step::Private { at, .. } = step {
                covered.push((at, beneath(&root, at)?, false));
            }
        }
        Ok(Self { root, fresh, covered, copied: Vec::new() })
    }

    fn take(&mut self, step: &'a Step) -> io::Result<()> {
        let at = match step {
            Step::Kernel { .. } => return step.take(&self.root),
            Step::Private { at, mode, .. } => return self.cover(at, *mode),
            Step::Directory { path, .. } | Step::File { path } | Step::Link { path, .. } => path,
            Step::Host { at, .. } => at,
            Step::Again { .. } | Step::Close => return Ok(()),
        };
        let is_copied = self.copied.iter().any(|above| contains(above, at));
        let above =
            self.covered.iter().rev().find(|(private, _, is_covered)| *is_covered && contains(private, at));
        let (Some((private, old, _)), false) = (above, is_copied) else { return Ok(()) };
        if step.host().is_none() {
            return step.take(&self.root);
        }
        let below = CString::new(&at.as_bytes()[private.as_bytes().len() + 1..])?;
        let copy = calls::copy_mounts(beneath(old, &below)?.as_fd())?;
        calls::mount(&copy, beneath(&self.root, at)?.as_fd())?;
        self.copied.push(at);
        Ok(())
    }

    /// Mounts a new empty directory over a private directory.
    fn cover(&mut self, at: &CString, mode: u32) -> io::Result<()> {
        let Some(number) = self.covered.iter().position(|(private, ..)| *private == at) else {
            return Ok(());
        };
        let name = string(number.to_string());
        mkdirat(&self.fresh, &name, Mode::from_raw_mode(mode))?;
        let copy = calls::copy_tree(self.fresh.as_fd(), &name, NO_SETUID | NO_DEVICES)?;
        calls::mount(&copy, beneath(&self.root, at)?.as_fd())?;
        if let Some((_, _, is_covered)) = self.covered.get_mut(number) {
            *is_covered = true;
        }
        Ok(())
    }
}

/// Returns whether a path is below another one. Neither begins or ends with a slash.
fn contains(above: &CString, path: &CString) -> bool {
    path.as_bytes().strip_prefix(above.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(steps: Vec<Step>) -> Script {
        let user = || (c"/proc/self/uid_map".to_owned(), c"0 0 1".to_owned());
        let users = [user(), user(), user()];
        Script { users, steps, directory: c"/".to_owned(), network: Network::Closed }
    }

    fn host(at: &str) -> Step {
        Step::Host { from: string(format!("/{at}")), at: string(at), attributes: READ_ONLY }
    }

    fn private(at: &str) -> Step {
        Step::Private { from: string(".toolpost/5"), at: string(at), mode: 0o1777 }
    }

    #[test]
    fn script_reads_back_unchanged_and_damaged_bytes_are_refused() {
        let again = |from: &str| Step::Again { from: string(from), at: string("w/.git"), attributes: 3 };
        let kernel = |kind| Step::Kernel { kind, at: string("proc"), attributes: 9 };
        let mut all = script(vec![
            Step::Directory { path: string("w"), mode: 0o755 },
            Step::File { path: string("w/f") },
            Step::Link { path: string("bin"), to: string("usr/bin") },
            host("usr"),
            again("w/.git"),
            again(".toolpost/file"),
            private("run"),
            kernel(Generated::Processes),
            kernel(Generated::Terminals),
            Step::Close,
        ]);
        all.network = Network::Proxied;
        let bytes = all.bytes();
        let read = Script::read(&bytes).unwrap();
        assert!(read.builds_the_same(&all) && read.users == all.users);
        assert!(!read.builds_the_same(&script(all.steps.clone())), "another network");
        for length in 0..bytes.len() {
            assert!(Script::read(&bytes[..length]).is_none(), "{length}");
        }
        assert!(Script::read(&[bytes.as_slice(), &[0]].concat()).is_none());
    }

    #[test]
    fn a_private_directory_that_a_mount_covers_is_not_shared() {
        let rows = [
            (vec![private("run"), host("run/x"), host("usr")], true),
            (vec![host("home"), private("home/u"), host("home/u/work")], true),
            (vec![private("home/u"), host("home")], false),
            (vec![private("run"), host("run")], false),
        ];
        toolpost_test_rows::each(rows, |(steps, wanted)| {
            assert_eq!(script(steps.clone()).can_be_shared(), wanted, "{steps:?}");
        });
    }

    #[test]
    fn mounts_of_the_hosts_files_are_expected_with_their_identity() {
        let usr = || host("usr");
        let nested = host("usr/bin");
        let expected = script(vec![usr(), nested, private("run"), Step::Close]).expected().unwrap();
        let listed: Vec<_> =
            expected.iter().map(|mount| (mount.at.to_str().unwrap(), mount.is_read_only)).collect();
        // The first is mounted in the sandbox's own file system, in which no other process can mount anything.
        assert_eq!(listed, [("/usr", false), ("/usr/bin", true)]);
        assert!(expected.iter().all(|mount| mount.what.is_some()) && expected[0].what != expected[1].what);
        assert_eq!(script(vec![usr(), host("no/such")]).expected(), None);
        // A mount that a later one covers is not visible.
        let writable = Step::Host { from: c"/usr".to_owned(), at: string("usr"), attributes: 0 };
        let covered = script(vec![host("usr/bin"), usr(), writable]).expected().unwrap();
        assert_eq!(covered.len(), 1);
        assert!(covered[0].at.as_bytes() == b"/usr" && !covered[0].is_read_only);
        let directory = tempfile::tempdir().unwrap();
        let at = CString::new(directory.path().to_str().unwrap()).unwrap();
        let plain = ExpectedMount { what: identity(&at), at, is_read_only: false };
        assert_eq!(plain.check().unwrap_err().raw_os_error(), Some(libc::ESTALE), "no mount point");
    }
}
