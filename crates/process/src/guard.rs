//! The guard that keeps a command from creating or changing protected files, such as a project's Git hooks.
//!
//! The command installs a system-call filter. The kernel suspends each system call that the filter selects,
//! until the supervisor has decided about it.
//!
//! The supervisor makes such system calls itself, so the filter must not apply to it. Code here runs after a
//! fork and must not allocate.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketFlags, SocketType,
    recvmsg, send, socketpair,
};
use toolpost_sandbox::{Creations, StepFailure};

use crate::message::{Message, hand_over};
use crate::system;

/// The supervisor's end of the guard: it decides about system calls that would create or change a protected
/// file.
pub(crate) struct Guard<'a> {
    creations: &'a Creations,
    /// The socket over which the command sends the listener of its system-call filter; after that, the
    /// listener itself.
    source: OwnedFd,
    state: State,
    /// The protected names whose refusal was already reported to the server, as a bit set of their indexes.
    reported: [u64; 16],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Expected,
    Listens,
    /// The command never started, or none of its processes is left.
    Never,
}

/// The command's end of the guard: the system-call filter that the command applies to itself, and the socket
/// to which it sends the filter's listener.
pub(crate) struct GuardSender<'a> {
    creations: &'a Creations,
    to: OwnedFd,
}

/// Installs the system-call filter in this process, as the last step before it executes a program, and sends
/// the filter's listener to the supervisor.
pub(crate) fn give_away(guarded: Option<GuardSender<'_>>) -> Result<(), StepFailure> {
    let Some(guarded) = guarded else { return Ok(()) };
    let listener = guarded.creations.listen();
    let given = listener.and_then(|listener| hand_over(guarded.to.as_fd(), &listener));
    given.map_err(|fault| StepFailure { part: StepFailure::GUARD, fault })
}

impl<'a> Guard<'a> {
    /// Creates the supervisor's and the command's end of the guard, if there are names to protect.
    pub(crate) fn set_up(
        creations: Option<&'a Creations>,
    ) -> io::Result<(Option<Self>, Option<GuardSender<'a>>)> {
        let Some(creations) = creations else { return Ok((None, None)) };
        let (source, to) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let guard = Self { creations, source, state: State::Expected, reported: [0; 16] };
        Ok((Some(guard), Some(GuardSender { creations, to })))
    }

    /// Moves the guard's descriptor to a number that the supervisor keeps open.
    pub(crate) fn into_place(self) -> io::Result<Self> {
        const PLACE: RawFd = 1;
        system::replace(&self.source, PLACE)?;
        Ok(Self { source: system::take(PLACE), ..self })
    }

    /// Returns the descriptor to poll; `None` if no system call can wait for a decision any more.
    pub(crate) fn waits_at(&self) -> Option<BorrowedFd<'_>> {
        (self.state != State::Never).then(|| self.source.as_fd())
    }

    /// Receives the filter's listener from the command, or decides about a waiting system call. `is_deserted`
    /// means that no process uses the filter any more, so the listener is no longer polled.
    pub(crate) fn go_on(&mut self, control: BorrowedFd<'_>, is_deserted: bool) {
        match self.state {
            State::Listens if is_deserted => self.state = State::Never,
            State::Listens => self.decide(control),
            State::Expected => match received(&self.source) {
                Some(listener) => (self.source, self.state) = (listener, State::Listens),
                None => self.state = State::Never,
            },
            State::Never => {}
        }
    }

    /// Decides about the waiting system call. The first refusal for each protected name is reported to the
    /// server.
    fn decide(&mut self, control: BorrowedFd<'_>) {
        let Some(number) = self.creations.decide(self.source.as_fd()) else { return };
        let bit = 1 << (number % 64);
        if let Some(reported) = self.reported.get_mut(number / 64)
            && *reported & bit == 0
            && let Ok(number) = i32::try_from(number)
        {
            *reported |= bit;
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let _ = send(control, &Message::Guarded(number).bytes(), flags);
        }
    }
}

fn received(source: &OwnedFd) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0; 8];
    let mut buffers = [io::IoSliceMut::new(&mut byte)];
    recvmsg(source, &mut buffers, &mut with, RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC).ok()?;
    with.drain().find_map(|with| match with {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}
