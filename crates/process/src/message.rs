//! Messages of the processes around a command to the server, over a control socket; nothing here allocates.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, send, sendmsg};

use crate::sandbox::Stop;

/// Length of a message: a letter and a number.
pub(crate) const MESSAGE: usize = 5;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The command has this number.
    Started(i32),
    /// The command has ended with this status.
    Ended(i32),
    /// The command could not be confined: in which part, and with which error.
    Failed(u16, u16),
    /// The program was not executed in its sandbox, for this error.
    Refused(i32),
    /// The command was not let create the guarded name of this number.
    Guarded(i32),
    /// The command used more memory than its limit: this many MiB. Everything of it is being killed.
    OverMemory(i32),
    /// The command reached its limit of processes. Everything of it is being killed.
    OverProcesses,
    /// With this comes the descriptor that listens for the command's proxy.
    Listens,
}

impl Message {
    /// Reads a message.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (letter, number) = bytes.split_first()?;
        let number = i32::from_le_bytes(number.try_into().ok()?);
        match letter {
            b'S' => Some(Self::Started(number)),
            b'X' => Some(Self::Ended(number)),
            b'R' => Some(Self::Refused(number)),
            b'G' => Some(Self::Guarded(number)),
            b'M' => Some(Self::OverMemory(number)),
            b'P' => Some(Self::OverProcesses),
            b'L' => Some(Self::Listens),
            b'F' => {
                let [a, b, c, d] = number.to_le_bytes();
                Some(Self::Failed(u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])))
            }
            _ => None,
        }
    }

    /// Returns its bytes.
    pub(crate) fn bytes(self) -> [u8; MESSAGE] {
        let (letter, [a, b, c, d]) = match self {
            Self::Started(pid) => (b'S', pid.to_le_bytes()),
            Self::Ended(status) => (b'X', status.to_le_bytes()),
            Self::Refused(errno) => (b'R', errno.to_le_bytes()),
            Self::Guarded(number) => (b'G', number.to_le_bytes()),
            Self::OverMemory(mebibytes) => (b'M', mebibytes.to_le_bytes()),
            Self::OverProcesses => (b'P', [0; 4]),
            Self::Listens => (b'L', [0; 4]),
            Self::Failed(part, errno) => {
                let ([a, b], [c, d]) = (part.to_le_bytes(), errno.to_le_bytes());
                (b'F', [a, b, c, d])
            }
        };
        [letter, a, b, c, d]
    }
}

/// Sends a message to the server; an error means that the server is gone.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub(crate) fn say(control: RawFd, message: Message) {
    // SAFETY: the control socket is open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(control) };
    let _ = send(control, &message.bytes(), SendFlags::NOSIGNAL);
}

/// Reports to the server the part in which the command could not be confined, and returns the error.
pub(crate) fn failed(control: RawFd, stop: &Stop) -> io::Error {
    let (part, errno) = stop.numbers();
    say(control, Message::Failed(part, errno));
    io::Error::from_raw_os_error(errno.into())
}

/// Returns the server what listens for the command's proxy.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub(crate) fn hand_out(control: RawFd, listener: &OwnedFd) -> io::Result<()> {
    // SAFETY: the control socket is open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(control) };
    hand_over(control, listener)
}

/// Sends a descriptor over a socket.
pub(crate) fn hand_over(socket: BorrowedFd<'_>, descriptor: &OwnedFd) -> io::Result<()> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    with.push(SendAncillaryMessage::ScmRights(&descriptors));
    let message = Message::Listens.bytes();
    sendmsg(socket, &[io::IoSlice::new(&message)], &mut with, SendFlags::NOSIGNAL)?;
    Ok(())
}
