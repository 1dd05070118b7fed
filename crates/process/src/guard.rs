//! The two ends of the guard over names: the command puts itself under the filter, and the supervisor decides about its calls.
//!
//! The supervisor makes calls of the same kinds itself, so it must not be under the filter. Nothing here may allocate.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketFlags, SocketType,
    recvmsg, send, socketpair,
};

use crate::message::{Message, hand_over};
use crate::sandbox::{Creations, Stop};
use crate::system;

/// The supervisor's end of the guard, which decides about calls that would create a guarded name.
pub(crate) struct Guard<'a> {
    creations: &'a Creations,
    /// The socket that the command's listener comes from, and then the listener itself.
    source: OwnedFd,
    state: State,
    /// The numbers of the names that the server knows of already.
    said: [u64; 16],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Expected,
    Listens,
    /// The command was never started, or nothing of it is left.
    Never,
}

/// The command's end: what it puts itself under, and where it sends the listener.
pub(crate) struct GuardSender<'a> {
    creations: &'a Creations,
    to: OwnedFd,
}

/// Puts this process under the filter, as the last thing before it executes a program, and gives the listener away.
pub(crate) fn give_away(guarded: Option<GuardSender<'_>>) -> Result<(), Stop> {
    let Some(guarded) = guarded else { return Ok(()) };
    let listener = guarded.creations.listen();
    let given = listener.and_then(|listener| hand_over(guarded.to.as_fd(), &listener));
    given.map_err(|fault| Stop { part: Stop::GUARD, fault })
}

impl<'a> Guard<'a> {
    /// Makes both ends, if there are names to be guarded.
    pub(crate) fn set_up(
        creations: Option<&'a Creations>,
    ) -> io::Result<(Option<Self>, Option<GuardSender<'a>>)> {
        let Some(creations) = creations else { return Ok((None, None)) };
        let (source, to) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let guard = Self { creations, source, state: State::Expected, said: [0; 16] };
        Ok((Some(guard), Some(GuardSender { creations, to })))
    }

    /// Puts its descriptor where the supervisor closes nothing.
    pub(crate) fn into_place(self) -> io::Result<Self> {
        const PLACE: RawFd = 1;
        system::replace(&self.source, PLACE)?;
        Ok(Self { source: system::take(PLACE), ..self })
    }

    /// Returns the descriptor to poll.
    pub(crate) fn waits_at(&self) -> Option<BorrowedFd<'_>> {
        (self.state != State::Never).then(|| self.source.as_fd())
    }

    /// Takes the listener, or decides about a call that waits. A listener that every guarded process has left is polled no more.
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

    /// Decides about the call that waits; the server hears of each guarded name once.
    fn decide(&mut self, control: BorrowedFd<'_>) {
        let Some(number) = self.creations.decide(self.source.as_fd()) else { return };
        let bit = 1 << (number % 64);
        if let Some(said) = self.said.get_mut(number / 64)
            && *said & bit == 0
            && let Ok(number) = i32::try_from(number)
        {
            *said |= bit;
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
