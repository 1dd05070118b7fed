//! A part of a text that many parts share.

use serde::{Serialize, Serializer};
use std::{fmt, ops::Deref, sync::Arc};

/// A part of a text that many parts share: thousands of lines cost one allocation, not thousands.
#[derive(Clone)]
pub struct Piece {
    whole: Arc<str>,
    from: usize,
    to: usize,
}

impl Piece {
    /// Takes the part between two offsets; both are moved to the beginning of the character that they fall into.
    #[must_use]
    pub fn of(whole: &Arc<str>, from: usize, to: usize) -> Self {
        let to = whole.floor_char_boundary(to);
        Self { whole: Arc::clone(whole), from: whole.floor_char_boundary(from).min(to), to }
    }
}

impl Deref for Piece {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.from..self.to]
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self { whole: text.into(), from: 0, to: text.len() }
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl AsRef<str> for Piece {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Piece {}

impl PartialEq<str> for Piece {
    fn eq(&self, other: &str) -> bool {
        &**self == other
    }
}

impl PartialEq<&str> for Piece {
    fn eq(&self, other: &&str) -> bool {
        &**self == *other
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, out)
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, out)
    }
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
