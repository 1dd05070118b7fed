//! System error numbers, which are displayed by name, such as `ENOSPC`.

use std::fmt;

use rustix::io::Errno;

/// A system error number, displayed by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SystemError(Errno);

impl SystemError {
    /// Returns the name of the error, such as `ENOSPC`; for a number without a known name, `E` and the
    /// number.
    pub fn name(self) -> String {
        let known = NAMES.iter().find(|(errno, _)| *errno == self.0);
        known.map_or_else(|| format!("E{}", self.code()), |(_, name)| (*name).to_owned())
    }

    /// Returns the system error number (errno).
    pub fn code(self) -> i32 {
        self.0.raw_os_error()
    }

    /// Returns whether the error reports that a path does not exist (`ENOENT` or `ENOTDIR`).
    pub fn is_missing(self) -> bool {
        matches!(self.0, Errno::NOENT | Errno::NOTDIR)
    }

    pub(crate) fn errno(self) -> Errno {
        self.0
    }
}

impl From<Errno> for SystemError {
    fn from(errno: Errno) -> Self {
        Self(errno)
    }
}

impl From<std::io::Error> for SystemError {
    fn from(error: std::io::Error) -> Self {
        Self(Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }
}

impl From<SystemError> for std::io::Error {
    fn from(fault: SystemError) -> Self {
        fault.0.into()
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = std::io::Error::from(self.0).to_string();
        let words = said.split(" (os error").next().unwrap_or_default();
        write!(formatter, "{}: {words}", self.name())
    }
}

impl fmt::Debug for SystemError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}

impl std::error::Error for SystemError {}

const NAMES: &[(Errno, &str)] = &[
    (Errno::ACCESS, "EACCES"),
    (Errno::AGAIN, "EAGAIN"),
    (Errno::BADF, "EBADF"),
    (Errno::BUSY, "EBUSY"),
    (Errno::DQUOT, "EDQUOT"),
    (Errno::EXIST, "EEXIST"),
    (Errno::FBIG, "EFBIG"),
    (Errno::INTR, "EINTR"),
    (Errno::INVAL, "EINVAL"),
    (Errno::IO, "EIO"),
    (Errno::ISDIR, "EISDIR"),
    (Errno::LOOP, "ELOOP"),
    (Errno::MFILE, "EMFILE"),
    (Errno::MLINK, "EMLINK"),
    (Errno::NAMETOOLONG, "ENAMETOOLONG"),
    (Errno::NFILE, "ENFILE"),
    (Errno::NODEV, "ENODEV"),
    (Errno::NOENT, "ENOENT"),
    (Errno::NOLCK, "ENOLCK"),
    (Errno::NOMEM, "ENOMEM"),
    (Errno::NOSPC, "ENOSPC"),
    (Errno::NOSYS, "ENOSYS"),
    (Errno::NOTDIR, "ENOTDIR"),
    (Errno::NOTEMPTY, "ENOTEMPTY"),
    (Errno::NXIO, "ENXIO"),
    (Errno::OPNOTSUPP, "EOPNOTSUPP"),
    (Errno::OVERFLOW, "EOVERFLOW"),
    (Errno::PERM, "EPERM"),
    (Errno::ROFS, "EROFS"),
    (Errno::STALE, "ESTALE"),
    (Errno::TIMEDOUT, "ETIMEDOUT"),
    (Errno::TXTBSY, "ETXTBSY"),
    (Errno::XDEV, "EXDEV"),
];
