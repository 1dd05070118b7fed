//! The script of steps that build the file system of a confined program.
//!
//! The script is prepared before the fork and carried out after the fork.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, symlinkat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::calls::{self, NO_DEVICES, NO_EXECUTION, NO_SETUID, NetworkOrigin, READ_ONLY};
use crate::host::{self, Kind};
use crate::pins::{Pins, Protection};
use crate::plan::Network;
use crate::system_paths::DEVICES;
use crate::view::{Content, View};

mod prepared;

pub use prepared::{ExpectedMount, Identity};

/// The steps that build the file system of a confined program, in order.
#[derive(Debug, Clone)]
pub struct Script {
    users: [(CString, CString); 3],
    steps: Vec<Step>,
    directory: CString,
    network: Network,
}

/// The port on which the proxy listens in the network of a sandbox.
pub(crate) const PROXY: u16 = 3128;

/// The error message if the guard of protected names could not be installed.
pub(crate) const GUARD_WORDS: &str = "the guard against the creation of protected files could not be set up";

/// The error message if the network of a session could not be joined.
pub(crate) const NETWORK_WORDS: &str = "the session's network could not be joined";

/// The number of the sandbox step that failed, and the operating system's error.
#[derive(Debug)]
pub struct StepFailure {
    /// The number of the failed step; `Confinement::words` describes it.
    pub part: u16,
    /// The operating system's error for the failed step.
    pub fault: io::Error,
}

impl StepFailure {
    /// The number of the step that creates the namespaces.
    pub const START: u16 = u16::MAX - 3;
    /// The number of the step that joins the session's network.
    pub const NETWORK: u16 = u16::MAX - 5;
    /// The number of the step that installs the guard of protected names.
    pub const GUARD: u16 = u16::MAX - 4;

    /// Returns the number of the failed step and the `errno`, which is never zero.
    pub fn numbers(&self) -> (u16, u16) {
        let errno = self.fault.raw_os_error().and_then(|errno| u16::try_from(errno).ok());
        (self.part, errno.filter(|errno| *errno != 0).unwrap_or(Errno::IO.raw_os_error() as u16))
    }
}

/// One step that builds the file system of a sandbox. Paths are relative to its root and may not contain
/// links.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// Creates a directory, unless it exists.
    Directory { path: CString, mode: u32 },
    /// Creates an empty file, unless it exists.
    File { path: CString },
    /// Creates a symbolic link, unless it exists.
    Link { path: CString, to: CString },
    /// Mounts a path of the host in the sandbox.
    Host { from: CString, at: CString, attributes: u64 },
    /// Mounts a path of the sandbox at another path in it, or over itself.
    Again { from: CString, at: CString, attributes: u64 },
    /// Creates the directory `from` in the sandbox's own file system, and mounts it at another path, writable. It is
    /// empty when a program starts, even if the host has a directory at that path.
    Private { from: CString, at: CString, mode: u32 },
    /// Mounts a file system that the kernel generates.
    Kernel { kind: Generated, at: CString, attributes: u64 },
    /// Makes the top directory of the sandbox read-only.
    Close,
}

/// A file system that the kernel generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generated {
    /// The processes of the PID namespace, at `/proc`.
    Processes,
    /// The terminals of the sandbox, at `/dev/pts`.
    Terminals,
}

/// The numbers under which failures of a script are reported; its steps are numbered from `FIRST_STEP` on.
const USERS: u16 = 0;
const ROOT: u16 = 1;
const FIRST_STEP: u16 = 2;
const CHANGE: u16 = u16::MAX;
const DIRECTORY: u16 = u16::MAX - 1;
const LOOPBACK: u16 = u16::MAX - 2;

/// The directory for files that the sandbox itself needs.
const OWN: &str = ".toolpost";

/// An empty file and an empty directory without permissions, which are mounted over hidden paths.
const NO_FILE: &str = ".toolpost/file";
const NO_DIRECTORY: &str = ".toolpost/directory";

impl Script {
    /// Creates the script for the visible paths and the protected paths of a sandbox.
    pub(crate) fn new(view: &View, pins: &[Pins], directory: &Path, network: Network) -> Self {
        let mut writer = Writer { steps: Vec::new(), made: BTreeSet::new() };
        writer.devices();
        for place in &view.places {
            writer.place(&place.path, &place.shown);
        }
        for pins in pins {
            writer.pins(pins);
        }
        for hidden in &view.hidden {
            let over = if host::kind(hidden) == Some(Kind::Directory) { NO_DIRECTORY } else { NO_FILE };
            let attributes = READ_ONLY | NO_SETUID | NO_DEVICES | NO_EXECUTION;
            writer.steps.push(Step::Again { from: string(over), at: inside(hidden), attributes });
        }
        writer.steps.push(Step::Close);
        let users = own_users();
        Self { users, steps: writer.steps, directory: string(directory), network }
    }

    /// Builds the file system in the new namespaces of this process, and enters it; allocates nothing.
    ///
    /// Returns the proxy's listener if the plan's network access is `Proxied` and the network is new.
    pub fn build(&self, of: NetworkOrigin) -> Result<Option<OwnedFd>, StepFailure> {
        let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
        write_users(&self.users).map_err(at(USERS))?;
        if of == NetworkOrigin::New {
            calls::loopback_up().map_err(at(LOOPBACK))?;
        }
        let listener = match (of, self.network) {
            (NetworkOrigin::New, Network::Proxied) => {
                Some(listener().map_err(|errno| at(LOOPBACK)(errno.into()))?)
            }
            // The session's network already has a listener for the proxy.
            (NetworkOrigin::Joined, _) | (_, Network::Closed) => None,
        };
        let root = new_root().map_err(at(ROOT))?;
        let mask = rustix::process::umask(Mode::empty());
        for (part, step) in (FIRST_STEP..).zip(&self.steps) {
            step.take(&root).map_err(at(part))?;
        }
        rustix::process::umask(mask);
        rustix::process::fchdir(&root).map_err(|errno| at(CHANGE)(errno.into()))?;
        calls::change_root().map_err(at(CHANGE))?;
        rustix::process::chdir(self.directory.as_c_str()).map_err(|errno| at(DIRECTORY)(errno.into()))?;
        Ok(listener)
    }

    /// Describes the failure of the step with this number.
    pub(crate) fn words(&self, part: u16) -> String {
        let shown = |text: &CString| text.to_string_lossy().into_owned();
        match part {
            USERS => "the sandbox's user could not be set up".to_owned(),
            ROOT => "the sandbox's file system could not be created".to_owned(),
            StepFailure::START => "the sandbox's namespaces could not be created".to_owned(),
            CHANGE => "the sandbox's file system could not be entered".to_owned(),
            DIRECTORY => {
                format!("the command's directory {} is not visible in the sandbox", shown(&self.directory))
            }
            LOOPBACK => "the sandbox's network could not be created".to_owned(),
            step => match self.steps.get(usize::from(step - FIRST_STEP)) {
                Some(Step::Host { from, .. }) => {
                    format!("{} could not be mounted in the sandbox", shown(from))
                }
                Some(
                    Step::Directory { path: at, .. }
                    | Step::File { path: at }
                    | Step::Link { path: at, .. }
                    | Step::Again { at, .. }
                    | Step::Private { at, .. }
                    | Step::Kernel { at, .. },
                ) => format!("/{} could not be created in the sandbox", shown(at)),
                Some(Step::Close) | None => "the sandbox's root could not be made read-only".to_owned(),
            },
        }
    }
}

impl Step {
    fn take(&self, root: &OwnedFd) -> io::Result<()> {
        match self {
            // The directory may already exist. If it cannot be created, a later step fails with the reason.
            Self::Directory { path, mode } => {
                let _ = mkdirat(root, path.as_c_str(), Mode::from_raw_mode(*mode));
                Ok(())
            }
            Self::File { path } => {
                let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                openat(root, path.as_c_str(), flags, Mode::empty()).map(drop).or_else(ignore_existing)
            }
            Self::Link { path, to } => {
                symlinkat(to.as_c_str(), root, path.as_c_str()).or_else(ignore_existing)
            }
            Self::Host { from, at, attributes } => {
                let copy = calls::copy_tree(host::pinned(from)?.as_fd(), c"", *attributes)?;
                calls::mount(&copy, beneath(root, at)?.as_fd())
            }
            Self::Again { from, at, attributes } => {
                let from = beneath(root, from)?;
                let copy = calls::copy_tree(from.as_fd(), c"", *attributes)?;
                calls::mount(&copy, beneath(root, at)?.as_fd())
            }
            Self::Private { from, at, mode } => {
                mkdirat(root, from.as_c_str(), Mode::from_raw_mode(*mode))?;
                let copy = calls::copy_tree(beneath(root, from)?.as_fd(), c"", NO_SETUID | NO_DEVICES)?;
                calls::mount(&copy, beneath(root, at)?.as_fd())
            }
            Self::Kernel { kind, at, attributes } => {
                // `hidepid` hides the supervisor, the first process of the namespaces, from the command.
                let (name, options): (_, &[_]) = match kind {
                    Generated::Terminals => (c"devpts", &[(c"ptmxmode", c"0666"), (c"mode", c"0620")]),
                    Generated::Processes => (c"proc", &[(c"hidepid", c"ptraceable")]),
                };
                let made = calls::file_system(name, options, *attributes)?;
                calls::mount(&made, beneath(root, at)?.as_fd())
            }
            Self::Close => calls::restrict_one(root, READ_ONLY | NO_SETUID | NO_DEVICES),
        }
    }
}

/// Collects the steps of a script, and tracks the directories that they create.
struct Writer {
    steps: Vec<Step>,
    made: BTreeSet<PathBuf>,
}

impl Writer {
    fn devices(&mut self) {
        self.directory(Path::new("/dev"), 0o755);
        for device in DEVICES {
            let path = Path::new("/dev").join(device);
            if host::kind(&path).is_some() {
                self.steps.push(Step::File { path: inside(&path) });
                let attributes = NO_SETUID | NO_EXECUTION;
                self.steps.push(Step::Host { from: string(&path), at: inside(&path), attributes });
            }
        }
        let links = [
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/proc/self/fd/0"),
            ("/dev/stdout", "/proc/self/fd/1"),
            ("/dev/stderr", "/proc/self/fd/2"),
            ("/dev/ptmx", "pts/ptmx"),
        ];
        for (path, to) in links {
            self.steps.push(Step::Link { path: inside(Path::new(path)), to: string(to) });
        }
        let attributes = NO_SETUID | NO_DEVICES | NO_EXECUTION;
        self.directory(Path::new("/proc"), 0o555);
        self.steps.push(Step::Kernel {
            kind: Generated::Processes,
            at: string("proc"),
            attributes: attributes | READ_ONLY,
        });
        self.directory(Path::new("/dev/pts"), 0o755);
        let attributes = NO_SETUID | NO_EXECUTION;
        self.steps.push(Step::Kernel { kind: Generated::Terminals, at: string("dev/pts"), attributes });
        self.directory(&Path::new("/").join(OWN), 0o700);
        self.steps.push(Step::File { path: string(NO_FILE) });
        self.directory(&Path::new("/").join(NO_DIRECTORY), 0);
    }

    fn place(&mut self, path: &Path, shown: &Content) {
        let attributes = NO_SETUID | NO_DEVICES;
        match shown {
            Content::Read | Content::Change | Content::Other(_) => {
                let from = if let Content::Other(other) = shown { other } else { path };
                let attributes = if *shown == Content::Read { attributes | READ_ONLY } else { attributes };
                if host::kind(from) == Some(Kind::Directory) {
                    self.directory(path, 0o755);
                } else {
                    self.above(path);
                    self.steps.push(Step::File { path: inside(path) });
                }
                self.steps.push(Step::Host { from: string(from), at: inside(path), attributes });
            }
            Content::Empty => {
                let mode = if path.ends_with("tmp") || path.ends_with("shm") { 0o1777 } else { 0o755 };
                self.directory(path, mode);
                let from = string(format!("{OWN}/{}", self.steps.len()));
                self.steps.push(Step::Private { from, at: inside(path), mode });
            }
            Content::Link(to) => {
                self.above(path);
                self.steps.push(Step::Link { path: inside(path), to: string(to) });
            }
        }
    }

    fn pins(&mut self, pins: &Pins) {
        for (path, pinned) in &pins.mounts {
            let at = inside(&pins.root.join(path));
            let attributes = match pinned {
                Protection::Unchanged => NO_SETUID | NO_DEVICES | READ_ONLY,
                Protection::InPlace => NO_SETUID | NO_DEVICES,
            };
            self.steps.push(Step::Again { from: at.clone(), at, attributes });
        }
    }

    fn directory(&mut self, path: &Path, mode: u32) {
        self.above(path);
        if self.made.insert(path.to_owned()) {
            self.steps.push(Step::Directory { path: inside(path), mode });
        }
    }

    fn above(&mut self, path: &Path) {
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        for above in above.into_iter().rev().filter(|above| *above != Path::new("/")) {
            if self.made.insert(above.to_owned()) {
                self.steps.push(Step::Directory { path: inside(above), mode: 0o755 });
            }
        }
    }
}

/// Mounts an empty file system over `/`. Paths still refer to the host's files until this process enters the
/// new file system.
fn new_root() -> io::Result<OwnedFd> {
    let root = calls::file_system(c"tmpfs", &[(c"mode", c"0755")], NO_SETUID | NO_DEVICES)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let old = openat(CWD, c"/", flags, Mode::empty())?;
    calls::mount(&root, old.as_fd())?;
    Ok(root)
}

/// Returns the user and group mappings of a new user namespace, as files in `/proc/self` and their contents.
/// They keep the IDs of this process.
pub(crate) fn own_users() -> [(CString, CString); 3] {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let map = |file: &str, content: String| (string(file), string(&content));
    [
        map("/proc/self/setgroups", "deny".to_owned()),
        map("/proc/self/uid_map", format!("{user} {user} 1")),
        map("/proc/self/gid_map", format!("{group} {group} 1")),
    ]
}

/// Writes the user and group mappings of this process's new user namespace; allocates nothing.
pub(crate) fn write_users(users: &[(CString, CString); 3]) -> io::Result<()> {
    users.iter().try_for_each(|(file, content)| write(CWD, file, content))
}

/// Creates the listener for the proxy in the network namespace of this process.
pub fn listener() -> Result<OwnedFd, Errno> {
    let kind = (AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK);
    let socket = rustix::net::socket_with(kind.0, kind.1, kind.2, None)?;
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PROXY))?;
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Opens a path of the sandbox's new file system, through mounts but not through links.
fn beneath(root: &OwnedFd, path: &CString) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(root, path.as_c_str(), flags, Mode::empty(), resolve)
}

/// Writes a file. A relative path starts at `directory`.
fn write(directory: impl AsFd, file: &CStr, content: &CStr) -> io::Result<()> {
    let file = openat(directory, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, content.to_bytes())?;
    Ok(())
}

/// Ignores the error if the entry to create already exists. If nothing can be created at its path, a later
/// step fails.
fn ignore_existing(errno: Errno) -> io::Result<()> {
    match errno {
        Errno::EXIST | Errno::ROFS => Ok(()),
        errno => Err(errno.into()),
    }
}

fn inside(path: &Path) -> CString {
    string(path.strip_prefix("/").unwrap_or(path))
}

/// Converts a text to a C string. The caller must have checked that the text contains no NUL byte.
fn string(text: impl AsRef<std::ffi::OsStr>) -> CString {
    CString::new(text.as_ref().as_bytes()).unwrap_or_default()
}
