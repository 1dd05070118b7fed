//! The standard streams of a program, and the socket between its supervisor and the server.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;
use rustix::pty::OpenptFlags;

use crate::error::StartError;
use crate::launch::Size;

/// Waits until a descriptor can be read, or its other end is closed; false if the time is up or waiting fails.
pub(crate) fn waits_for(descriptor: &OwnedFd, limit: Duration) -> bool {
    let Ok(limit) = Timespec::try_from(limit) else { return false };
    loop {
        let mut watched = [PollFd::new(descriptor, PollFlags::IN)];
        match poll(&mut watched, Some(&limit)) {
            Err(rustix::io::Errno::INTR) => {}
            ready => return ready.is_ok_and(|ready| ready > 0),
        }
    }
}

/// Creates the socket between the server and a supervisor. Returns the server's end first.
pub(crate) fn control_socket() -> Result<(OwnedFd, OwnedFd), StartError> {
    rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .map_err(missing("a control socket"))
}

/// Both ends of a program's standard streams.
pub(crate) struct StandardStreams {
    /// The program's standard input, output and errors.
    pub(crate) stdio: [OwnedFd; 3],
    /// The end from which the output is read.
    pub(crate) output: OwnedFd,
    /// The terminal, if the program gets one.
    pub(crate) terminal: Option<OwnedFd>,
}

/// Creates a pipe for output and errors, and no input.
pub(crate) fn pipe() -> io::Result<StandardStreams> {
    let (output, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let nothing = openat(CWD, c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let stdio = [nothing, theirs.try_clone()?, theirs];
    Ok(StandardStreams { stdio, output, terminal: None })
}

/// Creates a terminal of this size.
pub(crate) fn terminal(size: Size) -> io::Result<StandardStreams> {
    let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    rustix::pty::grantpt(&ours)?;
    rustix::pty::unlockpt(&ours)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
    set_size(&ours, size)?;
    // Writing more than the program reads returns an error instead of waiting.
    rustix::io::ioctl_fionbio(&ours, true)?;
    let stdio = [theirs.try_clone()?, theirs.try_clone()?, theirs];
    Ok(StandardStreams { stdio, output: ours.try_clone()?, terminal: Some(ours) })
}

/// Sets the size of a terminal.
pub(crate) fn set_size(terminal: &OwnedFd, size: Size) -> rustix::io::Result<()> {
    use rustix::termios::{Winsize, tcsetwinsize};
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size)
}

/// Returns the error for a resource that is not available.
pub(crate) fn missing<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> StartError {
    move |fault| StartError::Missing { what, fault: fault.into() }
}
