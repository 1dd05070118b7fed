//! One line that comes in pieces.

use encoding_rs::WINDOWS_1252;

/// Lines, one behind the other: of each its first characters, and how many more there were.
#[derive(Debug)]
pub(super) struct Reader {
    limit: u64,
    decoding: Decoding,
    /// The characters that are kept, of all lines so far.
    pub(super) text: String,
    /// Offset of the current line.
    begin: usize,
    more: u64,
    invalid: u64,
    /// The beginning of a character whose rest is yet to come.
    open: Vec<u8>,
    /// A carriage return that belongs to the break, if one follows.
    held: bool,
}

/// The meaning of bytes above ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoding {
    /// UTF-8, and windows-1252 for bytes that are not.
    Utf8,
    /// Each is a character of windows-1252, also if some happen to form a character of UTF-8.
    EightBit,
}

impl Reader {
    /// Starts a line with at most `limit` characters.
    pub(super) fn new(limit: u64, decoding: Decoding) -> Self {
        Self {
            limit,
            decoding,
            text: String::new(),
            begin: 0,
            more: 0,
            invalid: 0,
            open: Vec::new(),
            held: false,
        }
    }

    /// Takes the next bytes of the line, cut anywhere.
    pub(super) fn feed(&mut self, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        self.release();
        let body = part.strip_suffix(b"\r").unwrap_or(part);
        self.bytes(body);
        if body.len() < part.len() {
            // A carriage return ends a character that was left open.
            self.close();
            self.held = true;
        }
    }

    /// Notes that the line ends with a break, so that a carriage return before it is not content.
    pub(super) fn broken(&mut self) {
        self.held = false;
    }

    /// Ends the line: how many characters more it has than are kept, and how many bytes were not UTF-8.
    pub(super) fn end(&mut self) -> (u64, u64) {
        self.release();
        self.close();
        self.begin = self.text.len();
        (std::mem::take(&mut self.more), std::mem::take(&mut self.invalid))
    }

    /// Takes a held carriage return for content.
    fn release(&mut self) {
        if std::mem::take(&mut self.held) {
            self.valid("\r");
        }
    }

    /// Takes bytes; the first may continue an incomplete character.
    fn bytes(&mut self, bytes: &[u8]) {
        if self.decoding == Decoding::EightBit {
            for run in bytes.chunk_by(|one, next| one.is_ascii() == next.is_ascii()) {
                match std::str::from_utf8(run) {
                    Ok(text) if run.is_ascii() => self.valid(text),
                    _ => self.wrong(run),
                }
            }
            return;
        }
        let mut rest = bytes;
        while let (false, Some((&byte, after))) = (self.open.is_empty(), rest.split_first()) {
            self.open.push(byte);
            match std::str::from_utf8(&self.open).map_err(|error| error.error_len()) {
                Ok(_) => {
                    let open = std::mem::take(&mut self.open);
                    self.whole(&open);
                }
                Err(None) => {}
                Err(Some(_)) => {
                    // The byte does not continue the character, and is looked at again by itself.
                    self.open.pop();
                    self.close();
                    break;
                }
            }
            rest = after;
        }
        self.whole(rest);
    }

    /// Takes bytes that begin with a character; the last may stay open.
    fn whole(&mut self, bytes: &[u8]) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.valid(text); // nearly always, and much faster than to look for what is wrong
            return;
        }
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.valid(chunk.valid());
            let invalid = chunk.invalid();
            let unfinished =
                matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none());
            if chunks.peek().is_none() && unfinished {
                self.open.extend_from_slice(invalid);
            } else {
                self.wrong(invalid);
            }
        }
    }

    /// Takes an open character for bytes that are none.
    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        self.wrong(&open);
    }

    /// Takes characters.
    fn valid(&mut self, text: &str) {
        let line = self.text.len() - self.begin;
        if (line + text.len()) as u64 <= self.limit {
            self.text.push_str(text); // nearly always: not even its bytes are too many
            return;
        }
        let taken = self.text[self.begin..].chars().count() as u64;
        let room = usize::try_from(self.limit.saturating_sub(taken)).unwrap_or(usize::MAX);
        let end = match text.char_indices().nth(room) {
            None => text.len(),
            Some((at, _)) => at,
        };
        self.text.push_str(&text[..end]);
        self.more += text[end..].chars().count() as u64;
    }

    /// Takes invalid bytes: each counts as one character.
    fn wrong(&mut self, bytes: &[u8]) {
        self.invalid += bytes.len() as u64;
        for byte in bytes {
            let (glyph, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(byte));
            let known = glyph.chars().all(|glyph| !glyph.is_control());
            self.valid(if known { &glyph } else { "\u{FFFD}" });
        }
    }
}
