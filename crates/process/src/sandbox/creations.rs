//! Names that a command may not create: the supervisor decides about each call that would create or change one.
//!
//! The kernel has no rule for a name that does not exist. So a second filter leaves the calls that create, place or open for
//! writing to the supervisor (seccomp user notification). It reads the path of the call, finds the directory that the path leads to,
//! and answers `EPERM` if the name is guarded. Nothing is put into the workspace for that, and nobody else is affected.
//! After the fork nothing here may allocate.

use std::ffi::{CStr, CString};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use libc::c_long;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat_raw};
use rustix::io::Errno;

use crate::sandbox::calls;
use crate::sandbox::filter::creations as filter;
use crate::system::{self, ForkSide};

/// The longest path that the kernel takes, with its NUL.
const LONGEST: usize = 4096;

/// Maximum number of links that the kernel follows in one path.
const LINKS: usize = 40;

/// By these flags a call to open changes or creates what it opens.
pub(crate) const WRITES: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// The calls that are left to the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those that create or change.
    Creation,
    /// Those that remove or move away, too: nothing else keeps what exists.
    Removal,
}

/// The names, and the filter that leaves calls to the supervisor.
#[derive(Debug)]
pub(crate) struct Creations {
    names: Vec<CString>,
    /// The number of names that do not exist; they come first.
    missing: usize,
    extent: Extent,
    /// The directories and files whose attributes may be changed; looked at for `Extent::Removal` only.
    changeable: Vec<CString>,
    filter: Vec<libc::sock_filter>,
}

/// Use of a path by a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathEffect {
    /// It opens a file with the flags that stand in this argument.
    Opens(u32),
    /// It opens a file with flags that stand in memory, or cuts one off.
    Changes,
    /// It makes an empty directory, or a file that is none.
    Makes,
    /// It gives a name to something that may hold other names.
    Places,
    /// It takes a name away; only where that is guarded, too.
    Removes,
}

/// A call, the arguments with the directory and the path, and what it does there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallShape {
    pub(crate) call: c_long,
    directory: Option<usize>,
    path: usize,
    pub(crate) does: PathEffect,
}

const fn at(call: c_long, directory: usize, does: PathEffect) -> CallShape {
    CallShape { call, directory: Some(directory), path: directory + 1, does }
}

/// The calls that are looked at.
pub(crate) const SHAPES: &[CallShape] = &[
    at(libc::SYS_openat, 0, PathEffect::Opens(2)),
    at(libc::SYS_openat2, 0, PathEffect::Changes),
    at(libc::SYS_mkdirat, 0, PathEffect::Makes),
    at(libc::SYS_mknodat, 0, PathEffect::Makes),
    at(libc::SYS_renameat2, 2, PathEffect::Places),
    // With `RENAME_EXCHANGE` the old name gets something new.
    at(libc::SYS_renameat2, 0, PathEffect::Removes),
    at(libc::SYS_linkat, 2, PathEffect::Places),
    at(libc::SYS_symlinkat, 1, PathEffect::Places),
    at(libc::SYS_unlinkat, 0, PathEffect::Removes),
    CallShape { call: libc::SYS_truncate, directory: None, path: 0, does: PathEffect::Changes },
];

#[cfg(not(target_arch = "riscv64"))]
pub(crate) const OLDER: &[CallShape] =
    &[at(libc::SYS_renameat, 2, PathEffect::Places), at(libc::SYS_renameat, 0, PathEffect::Removes)];
#[cfg(target_arch = "riscv64")]
pub(crate) const OLDER: &[CallShape] = &[];

#[cfg(target_arch = "x86_64")]
const fn here(call: c_long, path: usize, does: PathEffect) -> CallShape {
    CallShape { call, directory: None, path, does }
}

/// The calls without a directory, which newer machines do not have.
#[cfg(target_arch = "x86_64")]
pub(crate) const OLDEST: &[CallShape] = &[
    here(libc::SYS_open, 0, PathEffect::Opens(1)),
    here(libc::SYS_creat, 0, PathEffect::Changes),
    here(libc::SYS_mkdir, 0, PathEffect::Makes),
    here(libc::SYS_mknod, 0, PathEffect::Makes),
    here(libc::SYS_rename, 1, PathEffect::Places),
    here(libc::SYS_rename, 0, PathEffect::Removes),
    here(libc::SYS_link, 1, PathEffect::Places),
    here(libc::SYS_symlink, 1, PathEffect::Places),
    here(libc::SYS_unlink, 0, PathEffect::Removes),
    here(libc::SYS_rmdir, 0, PathEffect::Removes),
];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OLDEST: &[CallShape] = &[];

/// Lists the calls that are looked at on this machine.
pub(crate) fn shapes() -> impl Iterator<Item = &'static CallShape> {
    SHAPES.iter().chain(OLDER).chain(OLDEST)
}

/// A call that changes attributes of a file, and its arguments: the directory or the file's descriptor, the path, and flags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttributeCall {
    pub(crate) call: c_long,
    directory: Option<usize>,
    path: Option<usize>,
    flags: Option<usize>,
}

/// `fchmodat2`, which the C library's headers do not name everywhere; the same number on every machine.
const FCHMODAT2: c_long = 452;

const ATTRIBUTES: &[AttributeCall] = &[
    AttributeCall { call: libc::SYS_fchmod, directory: Some(0), path: None, flags: None },
    AttributeCall { call: libc::SYS_fchmodat, directory: Some(0), path: Some(1), flags: None },
    AttributeCall { call: FCHMODAT2, directory: Some(0), path: Some(1), flags: Some(3) },
    AttributeCall { call: libc::SYS_utimensat, directory: Some(0), path: Some(1), flags: Some(3) },
];

#[cfg(target_arch = "x86_64")]
const OLD_ATTRIBUTES: &[AttributeCall] = &[
    AttributeCall { call: libc::SYS_chmod, directory: None, path: Some(0), flags: None },
    AttributeCall { call: libc::SYS_utime, directory: None, path: Some(0), flags: None },
    AttributeCall { call: libc::SYS_utimes, directory: None, path: Some(0), flags: None },
    AttributeCall { call: libc::SYS_futimesat, directory: Some(0), path: Some(1), flags: None },
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ATTRIBUTES: &[AttributeCall] = &[];

/// Lists the calls that change modes and times of files on this machine.
pub(crate) fn attribute_calls() -> impl Iterator<Item = &'static AttributeCall> {
    ATTRIBUTES.iter().chain(OLD_ATTRIBUTES)
}

/// Result of inspecting a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// It has nothing to do with a guarded name.
    Harmless,
    /// It is about the guarded name of this number.
    Guarded(usize),
    /// It fails with this error, since what it is about is not there or cannot be found out.
    Fails(Errno),
}

impl Creations {
    /// Guards names that are missing, given as absolute paths without links; nothing if there are none, or if the kernel cannot.
    pub(crate) fn new(missing: Vec<CString>) -> Option<Self> {
        let extent = Extent::Creation;
        let guards = !missing.is_empty() && unavailable().is_none();
        guards.then(|| Self {
            missing: missing.len(),
            names: missing,
            extent,
            changeable: Vec::new(),
            filter: filter(extent),
        })
    }

    /// Guards names where a command sees the host's files: existing names, too, and attributes of files outside `changeable`.
    /// `None` if the kernel cannot.
    pub(crate) fn on_host(
        mut names: Vec<CString>,
        existing: Vec<CString>,
        changeable: Vec<CString>,
    ) -> Option<Self> {
        let (missing, extent) = (names.len(), Extent::Removal);
        names.extend(existing);
        let guards = unavailable().is_none();
        guards.then(|| Self { names, missing, extent, changeable, filter: filter(extent) })
    }

    /// Returns the names, by the numbers under which they are reported.
    pub(crate) fn names(&self) -> &[CString] {
        &self.names
    }

    /// Puts this process, and all that it starts, under the filter; it has no way to new rights any more. Allocates nothing.
    pub(crate) fn listen(&self) -> io::Result<OwnedFd> {
        calls::filter_and_listen(&self.filter)
    }

    /// Decides about a call that waits, and gives the number of the guarded name that it was refused for.
    pub(crate) fn decide(&self, listener: BorrowedFd<'_>) -> Option<usize> {
        let call = calls::waiting_call(listener)?;
        let judged = self.judge(&call);
        // Another process may have taken the number, and the memory that was read may be its.
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
                PathEffect::Removes if self.extent == Extent::Creation => continue,
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

    /// Checks whether a call that changes attributes is about a file where those may be changed, and not about a guarded name.
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
            // The call is about the descriptor itself.
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
            // The kernel cannot read it either.
            Err(Errno::FAULT | Errno::NAMETOOLONG) => return Decision::Harmless,
            Err(_) => return Decision::Fails(Errno::PERM),
        }
        match resolve(process, directory, &mut text, does) {
            PathTarget::To => {
                self.matched(text.as_c_str(), does).map_or(Decision::Harmless, Decision::Guarded)
            }
            PathTarget::Nowhere => Decision::Harmless,
            // The kernel would say the same, unless it sees another `/proc/self` on the way: that way is closed.
            PathTarget::Fails(errno) => Decision::Fails(errno),
        }
    }

    /// Finds the guarded name that a path is, lies beneath, or would hold.
    fn matched(&self, text: &CStr, does: PathEffect) -> Option<usize> {
        let path = text.to_bytes();
        let may_hold = matches!(does, PathEffect::Places | PathEffect::Removes);
        // A missing name can be neither removed nor moved with its directory.
        let first = if does == PathEffect::Removes { self.missing } else { 0 };
        let is_it = |name: &CString| {
            let name = name.to_bytes();
            let is_new = || {
                is_in(path, name)
                    && rustix::fs::accessat(CWD, text, Access::EXISTS, AtFlags::empty()).is_err()
            };
            is_beneath(path, name) || (may_hold && is_beneath(name, path)) || is_new()
        };
        self.names.iter().skip(first).position(is_it).map(|number| number + first)
    }
}

/// Returns whether a path is another one or lies beneath it; letters of either case are the same, as on some disks.
fn is_beneath(path: &[u8], above: &[u8]) -> bool {
    path.len() >= above.len()
        && path[..above.len()].eq_ignore_ascii_case(above)
        && path.get(above.len()).is_none_or(|next| *next == b'/')
}

/// Checks whether a path is another one or lies beneath it, letter by letter.
fn is_below(path: &[u8], above: &[u8]) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || above == b"/")
}

/// Returns whether a path lies in a directory, which is written with a slash, and not deeper.
fn is_in(path: &[u8], directory: &[u8]) -> bool {
    directory.ends_with(b"/")
        && path.len() > directory.len()
        && path[..directory.len()].eq_ignore_ascii_case(directory)
        && !path[directory.len()..].contains(&b'/')
}

/// Returns why calls cannot be left to a supervisor on this machine; `None` if they can. Tried once.
pub(crate) fn unavailable() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        if try_in_a_fork() {
            None
        } else {
            Some("the kernel lets no supervisor decide about system calls here")
        }
    })
}

#[expect(unsafe_code, reason = "forking has no safe interface")]
fn try_in_a_fork() -> bool {
    let filter = filter(Extent::Creation);
    // SAFETY: the child makes system calls alone, and never comes back.
    match unsafe { system::fork() } {
        Ok(ForkSide::Child) => {
            let tried = calls::no_new_privileges().and_then(|()| calls::filter_and_listen(&filter));
            system::exit(i32::from(tried.is_err()))
        }
        Ok(ForkSide::Parent(child)) => system::wait(child) == Some(0),
        Err(_) => false,
    }
}

/// A path, with a NUL behind it.
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

    /// Reads it from the memory of a process, page by page: the next one may not be there.
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

/// Target of a path.
enum PathTarget {
    /// To the path that the text holds now: that of a directory without links, and a name in it.
    To,
    /// To nothing that can be created.
    Nowhere,
    /// To nothing: the call fails with this error.
    Fails(Errno),
}

/// Finds where a path leads, as the kernel would for that process.
fn resolve(process: i32, directory: i32, text: &mut Text, does: PathEffect) -> PathTarget {
    let mut base = None;
    if text.bytes().first() != Some(&b'/') {
        match base_of(process, directory) {
            Ok(found) => base = Some(found),
            // There is no such descriptor.
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
        // Nothing is created there, and what a descriptor leads to is open already.
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

/// A path in two: the directory, and the name in it.
struct SplitPath {
    above: Text,
    last: Text,
}

impl SplitPath {
    /// Splits a path; nothing where no name is left that could be created.
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

/// Opens the directory that the paths of a call begin at.
fn base_of(process: i32, directory: i32) -> Result<OwnedFd, Errno> {
    open_of(process, directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)
}

/// Opens the target of a process's descriptor, or its working directory.
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

/// Opens the directory of a path. What `/proc/self` is depends on who asks: the way through it is the process's own.
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
    /// Reads what a link says.
    fn read_link(&mut self, above: BorrowedFd<'_>, name: &Self) -> Result<(), Errno> {
        let mut space = [std::mem::MaybeUninit::uninit(); LONGEST];
        let (read, _) = readlinkat_raw(above, name.as_c_str(), &mut space[..])?;
        self.set(&[read]).ok_or(Errno::NAMETOOLONG)
    }

    /// Reads the path of an open directory.
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

    #[test]
    fn names_are_guarded_with_what_lies_in_them() {
        let names = ["/w/.envrc", "/w/.cargo/config.toml", "/w/.git/modules/"]
            .map(|name| CString::new(name).unwrap());
        let creations = Creations {
            names: names.into(),
            missing: 1,
            extent: Extent::Creation,
            changeable: Vec::new(),
            filter: Vec::new(),
        };
        let rows = [
            ("/w/.envrc", PathEffect::Makes, Some(0)),
            ("/w/.ENVRC", PathEffect::Opens(2), Some(0)),
            ("/w/.envrc/x", PathEffect::Opens(2), Some(0)),
            ("/w/.envrc2", PathEffect::Opens(2), None),
            ("/w/sub/.envrc", PathEffect::Opens(2), None),
            // An empty directory on the way holds nothing yet.
            ("/w/.cargo", PathEffect::Makes, None),
            ("/w/.cargo", PathEffect::Places, Some(1)),
            ("/w/.cargo/config.toml", PathEffect::Opens(2), Some(1)),
            ("/w/.cargo/config", PathEffect::Opens(2), None),
            ("/w/.git/modules/new", PathEffect::Makes, Some(2)),
            ("/w/.git/modules", PathEffect::Places, Some(2)),
            ("/w/.git/modules/a/HEAD", PathEffect::Opens(2), None),
            ("/w/.cargo", PathEffect::Removes, Some(1)),
            // A missing name cannot be removed.
            ("/w/.envrc", PathEffect::Removes, None),
        ];
        for (path, does, wanted) in rows {
            assert_eq!(creations.matched(&CString::new(path).unwrap(), does), wanted, "{path} {does:?}");
        }
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
        for (path, wanted) in rows {
            let split = SplitPath::of(path.as_bytes());
            let split = split.as_ref().map(|split| (split.above.bytes(), split.last.bytes()));
            assert_eq!(split, wanted.map(|(above, last)| (above.as_bytes(), last.as_bytes())), "{path}");
        }
    }
}
