//! Decoding of lines of a file that arrive in pieces.

use encoding_rs::WINDOWS_1252;

/// Decodes the lines of a file in order. Keeps the first characters of each line, and counts those after the
/// limit.
#[derive(Debug)]
pub(super) struct Reader {
    limit: u64,
    decoding: Decoding,
    /// The kept characters of all lines that were read so far.
    pub(super) text: String,
    /// Offset in `text` where the current line begins.
    begin: usize,
    more: u64,
    invalid: u64,
    /// The first bytes of an incomplete character.
    open: Vec<u8>,
    /// True after a carriage return, which belongs to the line break if a line feed follows.
    held: bool,
}

/// The encoding in which bytes above ASCII are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoding {
    /// UTF-8, and windows-1252 for bytes that are not valid UTF-8.
    Utf8,
    /// Windows-1252 for all bytes, even if some of them form valid UTF-8.
    EightBit,
}

impl Reader {
    /// Starts the first line. At most `limit` characters of each line are kept.
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

    /// Processes the next bytes of the line; the last byte may be inside a character.
    pub(super) fn feed(&mut self, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        self.release();
        let body = part.strip_suffix(b"\r").unwrap_or(part);
        self.bytes(body);
        if body.len() < part.len() {
            // A carriage return ends an incomplete character before it.
            self.close();
            self.held = true;
        }
    }

    /// Records that the current line ends with a line break, so that a carriage return before the break is
    /// not content.
    pub(super) fn broken(&mut self) {
        self.held = false;
    }

    /// Ends the current line. Returns the number of characters that were not kept, and the number of bytes that were
    /// decoded as windows-1252.
    pub(super) fn end(&mut self) -> (u64, u64) {
        self.release();
        self.close();
        self.begin = self.text.len();
        (std::mem::take(&mut self.more), std::mem::take(&mut self.invalid))
    }

    /// Counts a pending carriage return as content of the line.
    fn release(&mut self) {
        if std::mem::take(&mut self.held) {
            self.valid("\r");
        }
    }

    /// Processes bytes; the first may continue an incomplete character.
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
                    // The byte does not continue the character, so it is examined again as the beginning of
                    // the next character.
                    self.open.pop();
                    self.close();
                    break;
                }
            }
            rest = after;
        }
        self.whole(rest);
    }

    /// Processes bytes that begin at the start of a character; the last character may be incomplete.
    fn whole(&mut self, bytes: &[u8]) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            self.valid(text); // the usual case, much faster than a search for invalid bytes
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

    /// Treats an incomplete character as invalid bytes.
    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        self.wrong(&open);
    }

    /// Adds characters to the current line, up to the limit.
    fn valid(&mut self, text: &str) {
        let line = self.text.len() - self.begin;
        if (line + text.len()) as u64 <= self.limit {
            self.text.push_str(text); // the usual case: even the number of bytes is within the limit
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

    /// Adds bytes to the current line as windows-1252; each counts as one character.
    fn wrong(&mut self, bytes: &[u8]) {
        self.invalid += bytes.len() as u64;
        for byte in bytes {
            let (glyph, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(byte));
            let known = glyph.chars().all(|glyph| !glyph.is_control());
            self.valid(if known { &glyph } else { "\u{FFFD}" });
        }
    }
}
