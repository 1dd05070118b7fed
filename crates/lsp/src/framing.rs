//! Message framing: a header with the length, an empty line, the message.

use std::io::{BufRead, Read, Write};

/// Maximum length of a header line, in bytes.
const LINE: u64 = 4 * 1024;
/// Maximum number of header lines.
const LINES: usize = 16;
/// Maximum number of bytes of an invalid header line that an error quotes.
const SHOWN: usize = 120;

/// The reason why no message was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FramingError {
    /// The stream ended between two messages.
    #[error("the server closed its output")]
    Ended,
    /// The stream ended within a message.
    #[error("the server's output ended in the middle of a message")]
    Cut,
    /// The header is not valid.
    #[error("`{0}` is not a header")]
    Garbage(String),
    /// The header does not end within the maximum number of lines.
    #[error("the header has more than {LINES} lines")]
    Endless,
    /// The message is too long.
    #[error("a message of {bytes} bytes exceeds the limit of {longest}")]
    TooLong {
        /// The announced length, in bytes.
        bytes: u64,
        /// The maximum length, in bytes.
        longest: usize,
    },
    /// The stream cannot be read.
    #[error("the server's output cannot be read: {0}")]
    Io(String),
}

/// Reads one message, of at most `longest` bytes.
pub(crate) fn read(from: &mut impl BufRead, longest: usize) -> Result<Vec<u8>, FramingError> {
    let bytes = header(from)?;
    let length = usize::try_from(bytes).ok().filter(|length| *length <= longest);
    let Some(length) = length else { return Err(FramingError::TooLong { bytes, longest }) };
    // The buffer grows with the data, so that a large announced length takes no memory.
    let mut body = Vec::new();
    from.take(bytes).read_to_end(&mut body).map_err(|fault| FramingError::Io(fault.to_string()))?;
    if body.len() == length { Ok(body) } else { Err(FramingError::Cut) }
}

/// Writes one message.
pub(crate) fn write(to: &mut impl Write, body: &[u8]) -> std::io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

/// Reads the header, and returns the length of the message.
fn header(from: &mut impl BufRead) -> Result<u64, FramingError> {
    let mut length = None;
    for number in 0..LINES {
        let mut line = Vec::new();
        let read = from.take(LINE).read_until(b'\n', &mut line);
        if read.map_err(|fault| FramingError::Io(fault.to_string()))? == 0 {
            return Err(if number == 0 { FramingError::Ended } else { FramingError::Cut });
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        match (text.trim_end(), length) {
            ("", Some(length)) if line.ends_with(b"\n") => return Ok(length),
            (text, _) => {
                let Some((name, value)) = text.split_once(':') else { return Err(garbage(&line)) };
                if name.eq_ignore_ascii_case("content-length") {
                    length = Some(value.trim().parse().map_err(|_| garbage(&line))?);
                } else if !name.eq_ignore_ascii_case("content-type") {
                    return Err(garbage(&line));
                }
            }
        }
    }
    Err(FramingError::Endless)
}

fn garbage(line: &[u8]) -> FramingError {
    let shown = &line[..line.len().min(SHOWN)];
    FramingError::Garbage(String::from_utf8_lossy(shown).trim_end().escape_debug().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn valid_frames_are_read_and_invalid_ones_refused() {
        let garbage = |what: &str| Err(FramingError::Garbage(what.to_owned()));
        let rows: [(&[u8], Result<&str, FramingError>); 12] = [
            (b"Content-Length: 2\r\n\r\n{}", Ok("{}")),
            (b"content-length:3\r\nContent-Type: x; charset=utf-8\r\n\r\n[1]Content", Ok("[1]")),
            (b"Content-Length: 0\n\n", Ok("")),
            (b"", Err(FramingError::Ended)),
            (b"Content-Length: 2\r\n", Err(FramingError::Cut)),
            (b"Content-Length: 20\r\n\r\n{}", Err(FramingError::Cut)),
            (b"warning \x1b[1mold\r\n", garbage("warning \\u{1b}[1mold")),
            (b"\r\nContent-Length: 2\r\n\r\n{}", garbage("")),
            (b"Content-Length: -2\r\n\r\n{}", garbage("Content-Length: -2")),
            (b"Note: the port is 2\r\n\r\n", garbage("Note: the port is 2")),
            (b"Content-Length: 10\r\n\r\n{}", Err(FramingError::Cut)),
            (b"Content-Length: 99\r\n\r\n", Err(FramingError::TooLong { bytes: 99, longest: 50 })),
        ];
        each(rows, |(bytes, wanted)| {
            let found = read(&mut &*bytes, 50).map(|body| String::from_utf8(body).unwrap());
            assert_eq!(found, wanted.map(str::to_owned), "{}", bytes.escape_ascii());
        });
        let endless = b"Content-Type: x\r\n".repeat(40);
        assert_eq!(read(&mut &*endless, 50), Err(FramingError::Endless));
        assert_eq!(FramingError::Endless.to_string(), "the header has more than 16 lines");
    }

    #[test]
    fn written_frames_read_back_unchanged() {
        let mut stream = Vec::new();
        write(&mut stream, "{\"ä\":1}".as_bytes()).unwrap();
        write(&mut stream, b"").unwrap();
        let mut from = &*stream;
        assert_eq!(read(&mut from, 50).unwrap(), "{\"ä\":1}".as_bytes());
        assert_eq!(read(&mut from, 50).unwrap(), b"");
        assert_eq!(read(&mut from, 50), Err(FramingError::Ended));
    }
}
