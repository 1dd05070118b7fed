//! Tables of the system calls that create, change or remove a name, or change attributes of a file.

use libc::c_long;

/// The flags with which system calls such as `open` can change or create the file.
pub(crate) const WRITES: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// The set of system calls that the filter leaves to the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupervisedCalls {
    /// The system calls that create or change a name.
    Creation,
    /// The system calls of `Creation`, and those that remove or move a name or change attributes, because
    /// without mounts nothing else protects existing files.
    Removal,
}

/// The effect of a system call on one of its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathEffect {
    /// The call opens a file; the argument with this index contains the flags.
    Opens(u32),
    /// The call truncates a file, or opens it with flags that are in memory and not in an argument.
    Changes,
    /// The call creates an empty directory, or a file with `mknod`.
    Makes,
    /// The call gives a new name to an entry, which may be a directory with content.
    Places,
    /// The call removes a name. Checked only with `SupervisedCalls::Removal`.
    Removes,
}

/// A system call, the indexes of its arguments for the directory and the path, and its effect on that path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallShape {
    pub(crate) call: c_long,
    pub(crate) directory: Option<usize>,
    pub(crate) path: usize,
    pub(crate) does: PathEffect,
}

const fn at(call: c_long, directory: usize, does: PathEffect) -> CallShape {
    CallShape { call, directory: Some(directory), path: directory + 1, does }
}

/// The system calls of every architecture whose paths the supervisor checks.
pub(crate) const SHAPES: &[CallShape] = &[
    at(libc::SYS_openat, 0, PathEffect::Opens(2)),
    at(libc::SYS_openat2, 0, PathEffect::Changes),
    at(libc::SYS_mkdirat, 0, PathEffect::Makes),
    at(libc::SYS_mknodat, 0, PathEffect::Makes),
    at(libc::SYS_renameat2, 2, PathEffect::Places),
    // With `RENAME_EXCHANGE`, the call gives the old name another entry, so `Creations` checks `Places` instead.
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

/// Checked system calls without a directory argument, which newer architectures do not have.
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

/// Lists the system calls on this machine whose paths the supervisor checks.
pub(crate) fn shapes() -> impl Iterator<Item = &'static CallShape> {
    SHAPES.iter().chain(OLDER).chain(OLDEST)
}

/// A system call that changes attributes of a file, and the indexes of its arguments: the directory or the
/// file's descriptor, the path, and the flags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttributeCall {
    pub(crate) call: c_long,
    pub(crate) directory: Option<usize>,
    pub(crate) path: Option<usize>,
    pub(crate) flags: Option<usize>,
}

/// The number of `fchmodat2`, which not all headers of the C library define; it is the same on every machine.
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

/// Lists the system calls that change modes and times of files on this machine.
pub(crate) fn attribute_calls() -> impl Iterator<Item = &'static AttributeCall> {
    ATTRIBUTES.iter().chain(OLD_ATTRIBUTES)
}
