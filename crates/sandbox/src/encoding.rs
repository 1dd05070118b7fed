//! Numbers and texts as bytes, for data that one process prepares and another one reads.

use std::ffi::{CStr, CString};

/// A buffer that collects numbers and texts as bytes.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a text.
    pub fn text(&mut self, text: &CStr) {
        self.number(text.to_bytes().len() as u64);
        self.bytes.extend_from_slice(text.to_bytes());
    }

    /// Adds a list: its length, then each item as `write` adds it.
    pub fn each<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }

    /// Returns everything that was added.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// A reader of numbers and texts, in the order in which a `Writer` added them.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader that is positioned at the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads a number; `None` if the bytes end too early.
    pub fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// Reads a text; `None` if the bytes end too early, or the text contains a NUL.
    pub fn text(&mut self) -> Option<CString> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        CString::new(text).ok()
    }

    /// Reads a list, each item with `read`; `None` if an item cannot be read.
    pub fn each<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| read(self)).collect()
    }

    /// Returns whether everything was read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}
