//! Messages from the supervisor and the command's process to the server, over a control socket.
//!
//! Nothing here allocates.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, send, sendmsg};
use toolpost_sandbox::StepFailure;

/// Length of a message, in bytes: a letter and a 32-bit number.
pub(crate) const MESSAGE: usize = 5;

/// The message with which the server lets a launched supervisor start its command.
pub(crate) const GO: u8 = b'G';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The command has this PID.
    Started(i32),
    /// The supervisor has this PID. Sent only by a supervisor that the server has not started itself.
    Supervisor(i32),
    /// The command has exited with this wait status.
    Ended(i32),
    /// The command has exited with this wait status, and so have all processes that it started.
    EndedAlone(i32),
    /// The sandbox of the command could not be built: the number of the failed step and the `errno`.
    Failed(u16, u16),
    /// The sandbox was built, but the program could not be executed in it: the `errno`.
    Refused(i32),
    /// The command was not allowed to create or change the guarded name with this index.
    Guarded(i32),
    /// The command used more memory than its limit: this many MiB. All its processes are being killed.
    OverMemory(i32),
    /// The command reached its limit on processes. All its processes are being killed.
    OverProcesses,
    /// The listener for the command's network proxy; its descriptor accompanies this message.
    Listens,
}

impl Message {
    /// Parses a message from the supervisor; `None` if it is malformed.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (letter, number) = bytes.split_first()?;
        let number = i32::from_le_bytes(number.try_into().ok()?);
        match letter {
            b'S' => Some(Self::Started(number)),
            b'V' => Some(Self::Supervisor(number)),
            b'X' => Some(Self::Ended(number)),
            b'A' => Some(Self::EndedAlone(number)),
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

    pub(crate) fn bytes(self) -> [u8; MESSAGE] {
        let (letter, [a, b, c, d]) = match self {
            Self::Started(pid) => (b'S', pid.to_le_bytes()),
            Self::Supervisor(pid) => (b'V', pid.to_le_bytes()),
            Self::Ended(status) => (b'X', status.to_le_bytes()),
            Self::EndedAlone(status) => (b'A', status.to_le_bytes()),
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

/// Sends a message to the server. Errors are ignored, because they mean that the server has exited.
#[expect(unsafe_code, reason = "it borrows a descriptor by number")]
pub(crate) fn say(control: RawFd, message: Message) {
    // SAFETY: the control socket stays open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(control) };
    let _ = send(control, &message.bytes(), SendFlags::NOSIGNAL);
}

/// Reports to the server which step of building the sandbox failed, and returns the error.
pub(crate) fn failed(control: RawFd, stop: &StepFailure) -> io::Error {
    let (part, errno) = stop.numbers();
    say(control, Message::Failed(part, errno));
    io::Error::from_raw_os_error(errno.into())
}

/// Sends the server the listener for the command's proxy.
#[expect(unsafe_code, reason = "it borrows a descriptor by number")]
pub(crate) fn hand_out(control: RawFd, listener: &OwnedFd) -> io::Result<()> {
    // SAFETY: the control socket stays open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(control) };
    hand_over(control, listener)
}

/// Sends a file descriptor over a Unix socket, with the message `Listens`.
pub(crate) fn hand_over(socket: BorrowedFd<'_>, descriptor: &OwnedFd) -> io::Result<()> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    with.push(SendAncillaryMessage::ScmRights(&descriptors));
    let message = Message::Listens.bytes();
    sendmsg(socket, &[io::IoSlice::new(&message)], &mut with, SendFlags::NOSIGNAL)?;
    Ok(())
}
