//! The guard of protected names: the supervisor decides about each system call that would create or change
//! one.
//!
//! The kernel has no rule for a name that does not exist. So a second seccomp filter suspends the system
//! calls that create, move or open for writing, and asks the supervisor (seccomp user notification). The
//! supervisor reads the path of the call, resolves its directory, and fails the call with `EPERM` if the name
//! is protected. Nothing is added to the workspace, and other processes are not affected. After the fork,
//! nothing here may allocate.

use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use libc::c_long;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat_raw};
use rustix::io::Errno;

use crate::calls;
use crate::filter::creations as filter;
use crate::fork::{self, ForkSide};
use crate::guarded_calls::{AttributeCall, PathEffect, SupervisedCalls, attribute_calls, shapes};
use crate::limits::limit_of;
use crate::names::matches;

/// Maximum length of a path for the kernel, in bytes, including the NUL.
const LONGEST: usize = 4096;

/// Maximum number of symbolic links that the kernel follows in one path.
const LINKS: usize = 40;

/// The guarded names (paths that the command may not create or change), and the filter that leaves system
/// calls about paths to the supervisor.
#[derive(Debug)]
pub struct Creations {
    names: Vec<CString>,
    /// The number of guarded names that do not exist; they come first in `names`.
    missing: usize,
    extent: SupervisedCalls,
    /// The directories and files whose modes and times may be changed; used only for `SupervisedCalls::Removal`.
    changeable: Vec<CString>,
    filter: Vec<libc::sock_filter>,
}

/// The supervisor's decision about a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// The system call does not affect a guarded name, and continues.
    Harmless,
    /// The system call affects the guarded name with this index, and fails.
    Guarded(usize),
    /// The system call fails with this error, because its target cannot be determined, or because it changes
    /// attributes that may not be changed.
    Fails(Errno),
}

impl Creations {
    /// Guards missing names, given as absolute paths without links, or as a directory, `//` and a pattern of names.
    /// `None` if the list is empty, or if the kernel does not support such a guard.
    pub fn new(missing: Vec<CString>) -> Option<Self> {
        let extent = SupervisedCalls::Creation;
        let guards = !missing.is_empty() && unavailable().is_none();
        guards.then(|| Self {
            missing: missing.len(),
            names: missing,
            extent,
            changeable: Vec::new(),
            filter: filter(extent),
        })
    }

    /// Guards names for a command without namespaces, which sees the host's files: names that do not exist,
    /// existing names, and the attributes of files outside `changeable`. `None` if the kernel does not
    /// support such a guard.
    pub(crate) fn on_host(
        mut names: Vec<CString>,
        existing: Vec<CString>,
        changeable: Vec<CString>,
    ) -> Option<Self> {
        let (missing, extent) = (names.len(), SupervisedCalls::Removal);
        names.extend(existing);
        let guards = unavailable().is_none();
        guards.then(|| Self { names, missing, extent, changeable, filter: filter(extent) })
    }

    /// Tests once whether the kernel supports such a guard, so that forks of this process need not test it. Returns false
    /// if the test could not be made.
    #[must_use]
    pub fn try_support() -> bool {
        support() != Support::Unknown
    }

    /// Returns the guarded names. The supervisor reports a refusal by the index in this list.
    pub fn names(&self) -> &[CString] {
        &self.names
    }

    /// Applies the filter to this process and its descendants, which must already be unable to gain
    /// privileges. Returns the listener, from which the supervisor receives system calls. Allocates nothing.
    pub fn listen(&self) -> io::Result<OwnedFd> {
        calls::filter_and_listen(&self.filter)
    }

    /// Decides about a waiting system call. Returns the index of the guarded name if the call was refused
    /// because of one.
    pub fn decide(&self, listener: BorrowedFd<'_>) -> Option<usize> {
        let call = calls::waiting_call(listener)?;
        let judged = self.judge(&call);
        // If the system call no longer waits, another process may have reused the PID, and the memory that
        // was read may have belonged to that process.
        if !calls::still_waits(listener, call.id) {
            return None;
        }
        let error = match judged {
            Decision::Harmless => None,
            Decision::Guarded(_) => Some(libc::EPERM),
            Decision::Fails(errno) => Some(errno.raw_os_error()),
        };
        calls::decide_call(listener, call.id, error);
        if let Decision::Guarded(number) = judged { Some(number) } else { None }
    }

    fn judge(&self, call: &libc::seccomp_notif) -> Decision {
        let argument = |place: usize| call.data.args.get(place).copied().unwrap_or_default();
        let mut of_attributes = attribute_calls();
        if let Some(shape) = of_attributes.find(|shape| shape.call == c_long::from(call.data.nr)) {
            return match self.is_changeable(call.pid.cast_signed(), shape, argument) {
                Ok(true) => Decision::Harmless,
                Ok(false) => Decision::Fails(Errno::PERM),
                Err(errno) => Decision::Fails(errno),
            };
        }
        let of_call = shapes().filter(|shape| shape.call == c_long::from(call.data.nr));
        for shape in of_call {
            let is_exchange =
                shape.call == libc::SYS_renameat2 && argument(4) & u64::from(libc::RENAME_EXCHANGE) != 0;
            let does = match shape.does {
                PathEffect::Removes if is_exchange => PathEffect::Places,
                PathEffect::Removes if self.extent == SupervisedCalls::Creation => continue,
                does => does,
            };
            let directory = shape.directory.map_or(libc::AT_FDCWD, |place| argument(place) as i32);
            let judged = self.judge_path(call.pid.cast_signed(), directory, argument(shape.path), does);
            if judged != Decision::Harmless {
                return judged;
            }
        }
        Decision::Harmless
    }

    /// Returns whether a system call that changes attributes affects a file in `changeable`, and no guarded
    /// name.
    fn is_changeable(
        &self,
        process: i32,
        shape: &AttributeCall,
        argument: impl Fn(usize) -> u64,
    ) -> Result<bool, Errno> {
        let directory = shape.directory.map_or(libc::AT_FDCWD, |place| argument(place) as i32);
        let mut text = Text::new();
        let at = shape.path.map_or(0, &argument);
        if at != 0 {
            text.read(process, at)?;
        }
        let flags = shape.flags.map_or(0, |place| argument(place) as i32);
        let link = if flags & libc::AT_SYMLINK_NOFOLLOW == 0 { OFlags::empty() } else { OFlags::NOFOLLOW };
        let open = OFlags::PATH | OFlags::CLOEXEC;
        let file = if text.bytes().is_empty() {
            // Without a path, the system call affects the file of the descriptor.
            open_of(process, directory, open)?
        } else {
            let base = match text.bytes().first() {
                Some(b'/') => None,
                _ => Some(base_of(process, directory)?),
            };
            let base = base.as_ref().map_or(CWD, AsFd::as_fd);
            openat2(base, text.as_c_str(), open | link, Mode::empty(), ResolveFlags::NO_MAGICLINKS)?
        };
        text.read_name_of(&file)?;
        let path = text.bytes();
        let is_guarded = self.names.iter().any(|name| is_beneath(path, name.to_bytes()));
        Ok(!is_guarded && self.changeable.iter().any(|above| is_below(path, above.to_bytes())))
    }

    fn judge_path(&self, process: i32, directory: i32, at: u64, does: PathEffect) -> Decision {
        let mut text = Text::new();
        match text.read(process, at) {
            Ok(()) => {}
            // The kernel cannot read the path either, so the system call will fail without a decision.
            Err(Errno::FAULT | Errno::NAMETOOLONG) => return Decision::Harmless,
            Err(_) => return Decision::Fails(Errno::PERM),
        }
        match resolve(process, directory, &mut text, does) {
            PathTarget::To => {
                self.matched(text.as_c_str(), does).map_or(Decision::Harmless, Decision::Guarded)
            }
            PathTarget::Nowhere => Decision::Harmless,
            // The kernel's lookup would fail in the same way, except for a path that reaches `/proc/self`
            // indirectly, which is refused.
            PathTarget::Fails(errno) => Decision::Fails(errno),
        }
    }

    /// Returns the index of the first guarded name that a system call affects: the path in `text` equals that
    /// name or is below it. If the call moves, links or removes an entry, guarded names below the path are also
    /// affected, because the entry may be a directory that contains them.
    ///
    /// A guarded name with a final slash also stands for all new entries of that directory. A name of the form
    /// `DIRECTORY//PATTERN` stands for the entries of the directory that match the pattern.
    fn matched(&self, text: &CStr, does: PathEffect) -> Option<usize> {
        let path = text.to_bytes();
        let may_hold = matches!(does, PathEffect::Places | PathEffect::Removes);
        // A removal cannot affect the missing names, which come first.
        let first = if does == PathEffect::Removes { self.missing } else { 0 };
        let is_it = |name: &CString| {
            let name = name.to_bytes();
            if let Some((directory, pattern)) = pattern_of(name) {
                let is_matched = entry_of(path, directory).is_some_and(|entry| matches(pattern, entry));
                return is_matched || (may_hold && is_beneath(directory, path));
            }
            let is_new = || {
                is_in(path, name)
                    && rustix::fs::accessat(CWD, text, Access::EXISTS, AtFlags::empty()).is_err()
            };
            is_beneath(path, name) || (may_hold && is_beneath(name, path)) || is_new()
        };
        self.names.iter().skip(first).position(is_it).map(|number| number + first)
    }
}

/// Returns whether a path equals `above` or is below it, ignoring case, because some file systems do.
fn is_beneath(path: &[u8], above: &[u8]) -> bool {
    path.len() >= above.len()
        && path[..above.len()].eq_ignore_ascii_case(above)
        && path.get(above.len()).is_none_or(|next| *next == b'/')
}

/// Checks whether a path equals `above` or is below it, with exact case.
fn is_below(path: &[u8], above: &[u8]) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || above == b"/")
}

/// Returns whether a path is an entry of a directory. `directory` must end with a slash.
fn is_in(path: &[u8], directory: &[u8]) -> bool {
    directory.ends_with(b"/")
        && path.len() > directory.len()
        && path[..directory.len()].eq_ignore_ascii_case(directory)
        && !path[directory.len()..].contains(&b'/')
}

/// Splits a guarded pattern of names into its directory and the pattern; `None` for a path.
fn pattern_of(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let slashes = name.windows(2).position(|pair| pair == b"//")?;
    Some((&name[..slashes], &name[slashes + 2..]))
}

/// Returns the entry of a directory that a path names, or that contains the path.
fn entry_of<'p>(path: &'p [u8], directory: &[u8]) -> Option<&'p [u8]> {
    let rest = path.get(directory.len()..)?.strip_prefix(b"/")?;
    path[..directory.len()]
        .eq_ignore_ascii_case(directory)
        .then(|| rest.split(|byte| *byte == b'/').next())?
}

/// Returns the reason why the kernel does not let a supervisor decide about calls here; `None` if it does, or if that
/// could not be tested. In the latter case, a command that needs the guard does not start without it.
pub(crate) fn unavailable() -> Option<&'static str> {
    (support() == Support::Refused)
        .then_some("the kernel does not let a supervisor decide about system calls here")
}

/// The kernel's support for a supervisor that decides about system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Support {
    Works,
    Refused,
    /// The trial process could not be started, was killed, or reached a system limit.
    Unknown,
}

impl Support {
    /// Reads the wait status of the trial process, which exits with the result of `code`.
    fn of(status: Option<i32>) -> Self {
        match status {
            Some(0) => Self::Works,
            Some(status) if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == REFUSED => Self::Refused,
            _ => Self::Unknown,
        }
    }

    /// Returns the exit code of the trial process for the result of its system calls.
    fn code(tried: &io::Result<OwnedFd>) -> i32 {
        match tried {
            Ok(_) => 0,
            Err(fault) if limit_of(fault).is_none() => REFUSED,
            Err(_) => REFUSED + 1,
        }
    }
}

/// The exit code of the trial process if the kernel has refused the filter.
const REFUSED: i32 = 1;

/// Tries what the kernel supports, until the result is known.
fn support() -> Support {
    static KNOWN: OnceLock<Support> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return *known;
    }
    match try_in_a_fork() {
        Support::Unknown => Support::Unknown,
        known => *KNOWN.get_or_init(|| known),
    }
}

#[expect(unsafe_code, reason = "forking has no safe interface")]
fn try_in_a_fork() -> Support {
    let filter = filter(SupervisedCalls::Creation);
    // SAFETY: the child only makes system calls, and never returns.
    match unsafe { fork::fork() } {
        Ok(ForkSide::Child) => {
            let tried = calls::no_new_privileges().and_then(|()| calls::filter_and_listen(&filter));
            fork::exit(Support::code(&tried))
        }
        Ok(ForkSide::Parent(child)) => Support::of(fork::wait(child)),
        Err(_) => Support::Unknown,
    }
}

/// A path with a final NUL, in a buffer of fixed size.
struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Text {
    fn new() -> Self {
        Self { bytes: [0; LONGEST], length: 0 }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Reads the path at the address `at` from the memory of a process, page by page, because the next page may
    /// not be mapped.
    fn read(&mut self, process: i32, at: u64) -> Result<(), Errno> {
        const PAGE: u64 = 4096;
        let mut read = 0;
        while read < LONGEST {
            let from = at.wrapping_add(read as u64);
            let length = usize::try_from(PAGE - from % PAGE).unwrap_or(LONGEST).min(LONGEST - read);
            let piece = &mut self.bytes[read..read + length];
            let got = calls::memory_of(process, from, piece)
                .map_err(|fault| fault.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error))?;
            if let Some(end) = piece[..got].iter().position(|byte| *byte == 0) {
                self.length = read + end;
                return Ok(());
            }
            if got < length {
                return Err(Errno::FAULT);
            }
            read += length;
        }
        Err(Errno::NAMETOOLONG)
    }

    fn set(&mut self, parts: &[&[u8]]) -> Option<()> {
        let mut length = 0;
        for part in parts {
            self.bytes.get_mut(length..length + part.len())?.copy_from_slice(part);
            length += part.len();
        }
        *self.bytes.get_mut(length)? = 0;
        self.length = length;
        Some(())
    }

    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

/// Result of resolving the path of a system call.
enum PathTarget {
    /// The path was resolved: the buffer now contains a directory without links, and a name in it.
    To,
    /// The path cannot be created, or is in `/proc` or `/dev`, so it affects no guarded name.
    Nowhere,
    /// The path could not be resolved: the system call fails with this error.
    Fails(Errno),
}

/// Resolves the path in `text` as the kernel would for the process, and stores the resolved path in `text`.
fn resolve(process: i32, directory: i32, text: &mut Text, does: PathEffect) -> PathTarget {
    let mut base = None;
    if text.bytes().first() != Some(&b'/') {
        match base_of(process, directory) {
            Ok(found) => base = Some(found),
            // The process has no descriptor with the number `directory`.
            Err(Errno::NOENT) => return PathTarget::Fails(Errno::BADF),
            Err(errno) => return PathTarget::Fails(errno),
        }
    }
    for _ in 0..LINKS {
        let Some(split) = SplitPath::of(text.bytes()) else { return PathTarget::Nowhere };
        let above = match open_above(process, base.as_ref(), &split) {
            Ok(above) => above,
            Err(errno) => return PathTarget::Fails(errno),
        };
        let last = split.last;
        let mut target = Text::new();
        if let Err(errno) = target.read_name_of(&above) {
            return PathTarget::Fails(errno);
        }
        // Such a path affects no guarded name: commands cannot create files in `/proc` and `/dev`, and the target
        // of a descriptor path (`/proc/PID/fd/N`) is already open.
        if is_beneath(target.bytes(), b"/proc") || is_beneath(target.bytes(), b"/dev") {
            return PathTarget::Nowhere;
        }
        let follows = matches!(does, PathEffect::Opens(_) | PathEffect::Changes);
        if follows && text.read_link(above.as_fd(), &last).is_ok() {
            base = (text.bytes().first() != Some(&b'/')).then_some(above);
            continue;
        }
        let above = if target.bytes() == b"/" { &b""[..] } else { target.bytes() };
        return match text.set(&[above, b"/", last.bytes()]) {
            Some(()) => PathTarget::To,
            None => PathTarget::Fails(Errno::NAMETOOLONG),
        };
    }
    PathTarget::Fails(Errno::LOOP)
}

/// A path, split into the parent directory and the name in it.
struct SplitPath {
    above: Text,
    last: Text,
}

impl SplitPath {
    /// Splits a path; `None` if it is too long, or does not end with a name that could be created, as in
    /// `a/..`.
    fn of(path: &[u8]) -> Option<Self> {
        let end = path.iter().rposition(|byte| *byte != b'/')? + 1;
        let path = &path[..end];
        let slash = path.iter().rposition(|byte| *byte == b'/');
        let name = &path[slash.map_or(0, |slash| slash + 1)..];
        if name == b"." || name == b".." {
            return None;
        }
        let (mut above, mut last) = (Text::new(), Text::new());
        last.set(&[name])?;
        match slash {
            None => above.set(&[b"."])?,
            Some(slash) => above.set(&[&path[..=slash]])?,
        }
        Some(Self { above, last })
    }
}

/// Opens the directory from which the kernel resolves a system call's relative paths.
fn base_of(process: i32, directory: i32) -> Result<OwnedFd, Errno> {
    open_of(process, directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)
}

/// Opens the file that a descriptor of a process refers to, or the process's working directory for
/// `AT_FDCWD`.
fn open_of(process: i32, directory: i32, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut space = [0; 64];
    let mut rest = &mut space[..63];
    let written = match directory {
        libc::AT_FDCWD => write!(rest, "/proc/{process}/cwd"),
        directory => write!(rest, "/proc/{process}/fd/{directory}"),
    };
    written.map_err(|_| Errno::NAMETOOLONG)?;
    let path = CStr::from_bytes_until_nul(&space).map_err(|_| Errno::NAMETOOLONG)?;
    openat(CWD, path, flags, Mode::empty())
}

/// Opens the parent directory of a path. `/proc/self` depends on the process that opens it, so it is replaced
/// by the directory of the confined process.
fn open_above(process: i32, base: Option<&OwnedFd>, split: &SplitPath) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let own = [&b"/proc/self/"[..], b"/proc/thread-self/"];
    let path = split.above.bytes();
    let Some(rest) = own.iter().find_map(|own| path.strip_prefix(*own)) else {
        let base = base.map_or(CWD, AsFd::as_fd);
        return openat2(base, split.above.as_c_str(), flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    };
    let mut space = [0; 32];
    let mut left = &mut space[..];
    write!(left, "/proc/{process}/").map_err(|_| Errno::NAMETOOLONG)?;
    let length = 32 - left.len();
    let mut text = Text::new();
    text.set(&[&space[..length], rest]).ok_or(Errno::NAMETOOLONG)?;
    openat(CWD, text.as_c_str(), flags, Mode::empty())
}

impl Text {
    /// Reads the target of a symbolic link.
    fn read_link(&mut self, above: BorrowedFd<'_>, name: &Self) -> Result<(), Errno> {
        let mut space = [std::mem::MaybeUninit::uninit(); LONGEST];
        let (read, _) = readlinkat_raw(above, name.as_c_str(), &mut space[..])?;
        self.set(&[read]).ok_or(Errno::NAMETOOLONG)
    }

    /// Reads the path of an open file or directory.
    fn read_name_of(&mut self, directory: &OwnedFd) -> Result<(), Errno> {
        let mut space = [0; 64];
        let mut rest = &mut space[..63];
        write!(rest, "/proc/self/fd/{}", directory.as_raw_fd()).map_err(|_| Errno::NAMETOOLONG)?;
        let path = CStr::from_bytes_until_nul(&space).map_err(|_| Errno::NAMETOOLONG)?;
        let mut space = [std::mem::MaybeUninit::uninit(); LONGEST];
        let (read, _) = readlinkat_raw(CWD, path, &mut space[..])?;
        self.set(&[read]).ok_or(Errno::NAMETOOLONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn guarded_names_cover_their_contents_and_parents() {
        let names = ["/w/.envrc", "/w/.cargo/config.toml", "/w/.git/modules/", "/w/v//*.project"]
            .map(|name| CString::new(name).unwrap());
        let creations = Creations {
            names: names.into(),
            missing: 1,
            extent: SupervisedCalls::Creation,
            changeable: Vec::new(),
            filter: Vec::new(),
        };
        let rows = [
            ("/w/.envrc", PathEffect::Makes, Some(0)),
            ("/w/.ENVRC", PathEffect::Opens(2), Some(0)),
            ("/w/.envrc/x", PathEffect::Opens(2), Some(0)),
            ("/w/.envrc2", PathEffect::Opens(2), None),
            ("/w/sub/.envrc", PathEffect::Opens(2), None),
            // Creating the empty parent directory creates no guarded name.
            ("/w/.cargo", PathEffect::Makes, None),
            ("/w/.cargo", PathEffect::Places, Some(1)),
            ("/w/.cargo/config.toml", PathEffect::Opens(2), Some(1)),
            ("/w/.cargo/config", PathEffect::Opens(2), None),
            ("/w/.git/modules/new", PathEffect::Makes, Some(2)),
            ("/w/.git/modules", PathEffect::Places, Some(2)),
            ("/w/.git/modules/a/HEAD", PathEffect::Opens(2), None),
            ("/w/.cargo", PathEffect::Removes, Some(1)),
            ("/w/v/a.project", PathEffect::Makes, Some(3)),
            ("/w/v/A.Project/x", PathEffect::Opens(2), Some(3)),
            ("/w/v", PathEffect::Places, Some(3)),
            ("/w/v/a.project2", PathEffect::Places, None),
            ("/w/v/sub/a.project", PathEffect::Makes, None),
            ("/w/a.project", PathEffect::Makes, None),
            // A missing name cannot be removed.
            ("/w/.envrc", PathEffect::Removes, None),
        ];
        each(rows, |(path, does, wanted)| {
            assert_eq!(creations.matched(&CString::new(path).unwrap(), does), wanted, "{path} {does:?}");
        });
    }

    #[test]
    fn only_a_refusal_of_the_kernel_means_that_there_is_no_guard() {
        let exited = |code: i32| Some(code << 8);
        let failed = |errno| Err(io::Error::from_raw_os_error(errno));
        let rows = [
            (exited(0), Support::Works),
            (exited(Support::code(&failed(libc::EINVAL))), Support::Refused),
            (exited(Support::code(&failed(libc::EBUSY))), Support::Refused),
            (exited(Support::code(&failed(libc::ENOMEM))), Support::Unknown),
            (exited(Support::code(&failed(libc::EMFILE))), Support::Unknown),
            // Killed, and not a child any more.
            (Some(libc::SIGKILL), Support::Unknown),
            (None, Support::Unknown),
        ];
        each(rows, |(status, wanted)| assert_eq!(Support::of(status), wanted, "{status:?}"));
    }

    #[test]
    fn a_path_is_split_into_directory_and_name() {
        let rows = [
            ("a", Some((".", "a"))),
            ("a//", Some((".", "a"))),
            ("/a", Some(("/", "a"))),
            ("x/../a", Some(("x/../", "a"))),
            ("/x//a/", Some(("/x//", "a"))),
            ("/", None),
            ("", None),
            ("x/.", None),
            ("x/..//", None),
        ];
        each(rows, |(path, wanted)| {
            let split = SplitPath::of(path.as_bytes());
            let split = split.as_ref().map(|split| (split.above.bytes(), split.last.bytes()));
            assert_eq!(split, wanted.map(|(above, last)| (above.as_bytes(), last.as_bytes())), "{path}");
        });
    }
}
