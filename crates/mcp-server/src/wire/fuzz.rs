//! Fuzzing of the client's input: splits any bytes into lines, and parses the lines as messages.

use super::{
    incoming,
    lines::{Line, Lines},
};
use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use tokio::io::{AsyncRead, ReadBuf};

/// Maximum size of a line in the fuzz test, in bytes.
const MOST: usize = 256;

/// Input that arrives in pieces.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let (piece, rest) = self.rest.split_at(self.size.min(self.rest.len()).min(buffer.remaining()));
        buffer.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

/// Reads an input whole and in pieces, and parses each line.
pub(crate) fn fuzz(bytes: &[u8]) {
    let whole = all(bytes, usize::MAX);
    assert_eq!(whole, all(bytes, 7), "the lines depend on the pieces in which the input arrives");
    for line in &whole {
        match line {
            Ok(line) => drop(incoming::parse(line)),
            Err((head, tail)) => drop(incoming::too_long(head, tail, MOST)),
        }
    }
}

/// A line, or both ends of one that is too long.
type LineOrEnds = Result<Vec<u8>, (Vec<u8>, Vec<u8>)>;

fn all(bytes: &[u8], size: usize) -> Vec<LineOrEnds> {
    let mut lines = Lines::new(Pieces { rest: bytes, size }, MOST);
    let mut all = Vec::new();
    loop {
        let mut next = pin!(lines.next());
        let Poll::Ready(Ok(line)) = next.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            return all;
        };
        match line {
            Line::Whole(line) => all.push(Ok(line.to_vec())),
            // The head has at least `MOST` bytes, and more if they came in one piece.
            Line::TooLong { head, tail } => all.push(Err((head[..MOST].to_vec(), tail.to_vec()))),
            Line::End => return all,
        }
    }
}
