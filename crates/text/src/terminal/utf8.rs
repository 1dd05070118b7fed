//! Decoding of UTF-8 that arrives in pieces, whose ends may be inside a character.

/// Decodes UTF-8 that arrives in pieces; a malformed sequence becomes one U+FFFD.
#[derive(Debug, Default)]
pub struct Utf8 {
    /// The first bytes of an incomplete character, at most three.
    begun: Vec<u8>,
    malformed: u64,
}

impl Utf8 {
    /// Decodes the next bytes, and appends the characters that are complete to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut String) {
        if self.begun.is_empty() {
            self.decode(bytes, out);
            return;
        }
        let mut joined = std::mem::take(&mut self.begun);
        joined.extend_from_slice(bytes);
        self.decode(&joined, out);
    }

    /// Appends U+FFFD to `out` if the last character is incomplete.
    pub fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.begun).is_empty() {
            self.replace(out);
        }
    }

    /// Returns the number of malformed sequences that were decoded so far.
    #[must_use]
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    fn replace(&mut self, out: &mut String) {
        out.push(char::REPLACEMENT_CHARACTER);
        self.malformed += 1;
    }

    fn decode(&mut self, mut bytes: &[u8], out: &mut String) {
        for chunk in bytes.utf8_chunks() {
            let (valid, bad) = (chunk.valid().len(), chunk.invalid().len());
            out.push_str(chunk.valid());
            let (sequence, rest) = bytes[valid..].split_at(bad);
            bytes = rest;
            let is_begun = rest.is_empty()
                && std::str::from_utf8(sequence).is_err_and(|error| error.error_len().is_none());
            if is_begun {
                self.begun = sequence.to_vec();
            } else if bad > 0 {
                self.replace(out);
            }
        }
    }
}
