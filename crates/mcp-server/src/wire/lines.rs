//! Lines of bounded length, read from a byte stream.

use memchr::memchr;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The size of a read, in bytes.
const CHUNK: usize = 64 * 1024;
/// The number of bytes kept from each end of a line that is too long.
const KEPT: usize = 4 * 1024;
/// Maximum size of the line buffer that is kept for the next line, in bytes.
const ROOM: usize = 1024 * 1024;

/// A line, without its terminator.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// The whole line.
    Whole(&'a [u8]),
    /// The first and last bytes of a line that was too long.
    TooLong {
        /// The first bytes.
        head: &'a [u8],
        /// The last bytes.
        tail: &'a [u8],
    },
    /// The end of the stream.
    End,
}

/// Lines of bounded length, read from a byte stream.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    most: usize,
    line: Vec<u8>,
    tail: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Creates a reader of lines of at most `most` bytes.
    pub(crate) fn new(input: R, most: usize) -> Self {
        Self { input: BufReader::with_capacity(CHUNK, input), most, line: Vec::new(), tail: None }
    }

    /// Reads the next line; a last one without a terminator counts.
    pub(crate) async fn next(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        self.line.shrink_to(ROOM);
        self.tail = None;
        loop {
            let chunk = self.input.fill_buf().await?;
            if chunk.is_empty() {
                let nothing = self.line.is_empty() && self.tail.is_none();
                return Ok(if nothing { Line::End } else { self.line() });
            }
            let end = memchr(b'\n', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            keep(&mut self.line, &mut self.tail, part, self.most);
            let read = part.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Ok(self.line());
            }
        }
    }

    fn line(&self) -> Line<'_> {
        match &self.tail {
            Some(tail) => Line::TooLong { head: &self.line, tail },
            None => Line::Whole(self.line.strip_suffix(b"\r").unwrap_or(&self.line)),
        }
    }
}

/// Appends a part to the line, or to its tail once the line has grown to more than `most` bytes.
fn keep(line: &mut Vec<u8>, tail: &mut Option<Vec<u8>>, part: &[u8], most: usize) {
    if tail.is_none() && line.len() + part.len() <= most {
        line.extend_from_slice(part);
        return;
    }
    let last = tail.get_or_insert_with(|| {
        let last = line[line.len().saturating_sub(KEPT)..].to_vec();
        line.extend_from_slice(&part[..part.len().min(KEPT)]);
        line.truncate(KEPT);
        line.shrink_to_fit();
        last
    });
    last.extend_from_slice(&part[part.len().saturating_sub(KEPT)..]);
    last.drain(..last.len().saturating_sub(KEPT));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the input as lines of at most eight bytes, through buffers of several small sizes.
    fn check(input: &str, expected: &[&str]) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for chunk in [1, 3, 64] {
            let mut lines =
                Lines { input: BufReader::with_capacity(chunk, input.as_bytes()), ..Lines::new(&b""[..], 8) };
            let mut got = Vec::new();
            loop {
                match runtime.block_on(lines.next()).unwrap() {
                    Line::Whole(line) => got.push(String::from_utf8(line.to_vec()).unwrap()),
                    Line::TooLong { head, tail } => {
                        got.push(format!(
                            "{}…{}",
                            String::from_utf8_lossy(head),
                            String::from_utf8_lossy(tail)
                        ));
                    }
                    Line::End => break,
                }
            }
            assert_eq!(got, expected, "{input:?} in chunks of {chunk}");
        }
    }

    #[test]
    fn lines_end_at_lf_crlf_or_end_of_input() {
        check("", &[]);
        check("\n", &[""]);
        check("one\ntwo\n", &["one", "two"]);
        check("one\r\n\r\ntwo", &["one", "", "two"]);
        check("12345678\n", &["12345678"]);
        check("1234567\r\nx\n", &["1234567", "x"]);
    }

    #[test]
    fn the_rest_of_an_oversized_line_is_skipped() {
        check("123456789\nnext\n", &["123456789…123456789", "next"]);
        check("123456789", &["123456789…123456789"]);
    }

    #[test]
    fn both_ends_of_an_oversized_line_are_stored() {
        let (mut line, mut tail) = (Vec::new(), None);
        for digit in b'0'..=b'9' {
            keep(&mut line, &mut tail, &vec![digit; 3000], 5000);
        }
        let head = [vec![b'0'; 3000], vec![b'1'; KEPT - 3000]].concat();
        let last = [vec![b'8'; KEPT - 3000], vec![b'9'; 3000]].concat();
        assert_eq!((line, tail), (head, Some(last)));
    }
}
