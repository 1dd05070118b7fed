//! The terminals of the standard streams.

use rustix::{
    fs::fstat,
    io::{Errno, read},
    process::{Signal, getpid, kill_process},
    stdio::stdin,
    termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
    },
};
use std::{
    io::{self, IsTerminal},
    os::fd::AsFd,
};

/// Key code of Ctrl-C.
const INTERRUPT: u8 = 3;

/// Reads one key. Returns `None` at the end of input, and after Ctrl-C, for which it sends SIGINT to this process.
///
/// Input typed earlier is discarded, so that it cannot answer this prompt.
pub(crate) fn key() -> io::Result<Option<u8>> {
    let raw = Raw::enter()?;
    let mut key = [0];
    let count = loop {
        match read(stdin(), &mut key) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    drop(raw);
    if count == 1 && key[0] == INTERRUPT {
        kill_process(getpid(), Signal::INT)?;
        return Ok(None);
    }
    Ok((count == 1).then_some(key[0]))
}

/// Returns whether two streams write to the same terminal.
pub(crate) fn is_same(one: &(impl IsTerminal + AsFd), other: &(impl IsTerminal + AsFd)) -> bool {
    if !(one.is_terminal() && other.is_terminal()) {
        return false;
    }
    match (fstat(one), fstat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_rdev) == (other.st_dev, other.st_rdev),
        _ => false,
    }
}

/// Terminal without line editing, echo and signals until dropped. Signals stay off because one would end the
/// program and leave the terminal in this state.
struct Raw(Termios);

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        tcflush(stdin(), QueueSelector::IFlush)?;
        Ok(Self(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A closed terminal needs no restoring.
        tcsetattr(stdin(), OptionalActions::Now, &self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    use std::os::fd::OwnedFd;

    #[test]
    fn two_terminals_are_not_the_same() {
        let open = || {
            let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
            let terminal = openpt(flags).unwrap();
            grantpt(&terminal).unwrap();
            unlockpt(&terminal).unwrap();
            let side = ioctl_tiocgptpeer(&terminal, flags).unwrap();
            (terminal, side)
        };
        // A terminal ends when its other side is closed.
        let ((_one, side), (_two, other)) = (open(), open());
        assert!(is_same(&side, &side.try_clone().unwrap()));
        assert!(!is_same(&side, &other));
        let pipe = OwnedFd::from(io::pipe().unwrap().1);
        assert!(!is_same(&pipe, &side) && !is_same(&pipe, &pipe.try_clone().unwrap()));
    }
}
