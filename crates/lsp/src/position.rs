//! Positions in a line, in a server's encoding.

/// A position encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Units of UTF-16, the default of the protocol.
    #[default]
    Utf16,
    /// Characters (Unicode code points).
    Utf32,
}

/// A position in a file, in the server's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The offset in the line, from 0, in the server's encoding.
    pub character: u32,
}

impl Encoding {
    /// Parses the server's name of an encoding; `None` for an unknown one.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        }
    }

    /// Converts a byte offset in a line to an offset in this encoding. An offset inside a character counts as the
    /// character's start.
    #[must_use]
    pub fn count(self, line: &str, byte: usize) -> u32 {
        let before = &line[..floor(line, byte)];
        let count = match self {
            Self::Utf8 => before.len(),
            Self::Utf16 => before.chars().map(char::len_utf16).sum(),
            Self::Utf32 => before.chars().count(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Converts an offset in this encoding to a byte offset in a line. An offset inside a character counts as the
    /// character's start, and one beyond the line as the line's end.
    #[must_use]
    pub fn byte(self, line: &str, count: u32) -> usize {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let mut passed = 0;
        for (byte, letter) in line.char_indices() {
            let width = match self {
                Self::Utf8 => letter.len_utf8(),
                Self::Utf16 => letter.len_utf16(),
                Self::Utf32 => 1,
            };
            if count < passed + width {
                return byte;
            }
            passed += width;
        }
        line.len()
    }
}

fn floor(line: &str, byte: usize) -> usize {
    (0..=byte.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn positions_are_converted_for_each_server_encoding() {
        // `ä` has 2 bytes of UTF-8 and 1 unit of UTF-16, `😀` has 4 bytes and 2 units.
        let line = "ä😀x";
        let rows = [(0, 0, 0, 0), (2, 2, 1, 1), (6, 6, 3, 2), (7, 7, 4, 3)];
        each(rows, |(byte, utf8, utf16, utf32)| {
            for (encoding, count) in
                [(Encoding::Utf8, utf8), (Encoding::Utf16, utf16), (Encoding::Utf32, utf32)]
            {
                assert_eq!(encoding.count(line, byte), count, "{encoding:?} {byte}");
                assert_eq!(encoding.byte(line, count), byte, "{encoding:?} {count}");
            }
        });
        let inside = [(Encoding::Utf8, 1, 0), (Encoding::Utf8, 5, 2), (Encoding::Utf16, 2, 2)];
        for (encoding, count, byte) in inside {
            assert_eq!(encoding.byte(line, count), byte, "{encoding:?} {count}");
        }
        assert_eq!((Encoding::Utf16.byte(line, 99), Encoding::Utf8.count(line, 99)), (7, 7));
        assert_eq!(Encoding::Utf32.count(line, 4), 1);
        assert_eq!(Encoding::of_name("utf-7"), None);
    }
}
