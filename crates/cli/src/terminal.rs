//! One key from the terminal, without Enter.

use rustix::{
    io::{Errno, read},
    process::{Signal, getpid, kill_process},
    stdio::stdin,
    termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
    },
};
use std::io;

/// The key of Ctrl-C.
const INTERRUPT: u8 = 3;

/// Reads one key; none if the input ended or Ctrl-C was pressed, which sends its signal then.
///
/// Earlier input is discarded, so that it answers no question that it was not meant for.
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

/// The terminal without line editing, echo and signals, until this is dropped: a signal would end the program and leave the terminal
/// in this state.
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
        // A terminal that is gone needs no restoring.
        tcsetattr(stdin(), OptionalActions::Now, &self.0).ok();
    }
}
