//! Reading one key from the terminal, without Enter.

use rustix::{
    io::{Errno, read},
    process::{Signal, getpid, kill_process},
    stdio::stdin,
    termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
    },
};
use std::io;

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
