//! Lexer for content streams and character maps, without recursion.

/// One token of a content stream or character map.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A number.
    Number(f64),
    /// A name, without its slash.
    Name(Vec<u8>),
    /// A literal or hexadecimal string.
    Text(Vec<u8>),
    /// `[`, the start of an array.
    ArrayStart,
    /// `]`, the end of an array.
    ArrayEnd,
    /// `<<` or `>>`, the start or the end of a dictionary.
    Dictionary,
    /// An operator or keyword.
    Word(Vec<u8>),
}

/// An iterator over the tokens of a stream; invalid bytes are skipped.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Skips an inline image: the bytes between the operators `BI` and `EI`, and `EI`.
    pub(super) fn skip_inline_image(&mut self) {
        for token in self.by_ref() {
            if token == Token::Word(b"ID".to_vec()) {
                break;
            }
        }
        let data = self.at.min(self.bytes.len());
        let rest = &self.bytes[data..];
        let end = (1..rest.len()).find(|&at| ends_image(rest, at));
        self.at = end.map_or(self.bytes.len(), |end| data + end + 2);
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'%' {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn name(&mut self) -> Vec<u8> {
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while at < raw.len() {
            let escaped = (raw[at] == b'#').then(|| raw.get(at + 1..at + 3).and_then(hex_pair)).flatten();
            name.push(escaped.unwrap_or(raw[at]));
            at += if escaped.is_some() { 3 } else { 1 };
        }
        name
    }

    /// Reads bytes up to the next white space or delimiter.
    fn regular(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| is_blank(byte) || is_delimiter(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn word(&mut self) -> Token {
        let word = self.regular();
        number(word).map_or_else(|| Token::Word(word.to_vec()), Token::Number)
    }

    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut open = 1_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(&byte) = self.bytes.get(self.at) else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => {
                if self.bytes.get(self.at) == Some(&b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(&digit @ b'0'..=b'7') = self.bytes.get(self.at) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(code.to_le_bytes()[0]);
            }
            other => text.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        let mut digits = Vec::new();
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            digits.extend(hex_digit(byte));
        }
        if digits.len() % 2 == 1 {
            digits.push(0);
        }
        digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect()
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_blank();
            let byte = *self.bytes.get(self.at)?;
            if !is_delimiter(byte) {
                return Some(self.word());
            }
            self.at += 1;
            match byte {
                b'/' => return Some(Token::Name(self.name())),
                b'(' => return Some(Token::Text(self.literal())),
                b'[' => return Some(Token::ArrayStart),
                b']' => return Some(Token::ArrayEnd),
                b'<' | b'>' if self.bytes.get(self.at) == Some(&byte) => {
                    self.at += 1;
                    return Some(Token::Dictionary);
                }
                b'<' => return Some(Token::Text(self.hexadecimal())),
                _ => {}
            }
        }
    }
}

/// Returns whether an inline image ends at `at`: `EI` is there between white space, and tokens follow it, not image
/// data.
fn ends_image(rest: &[u8], at: usize) -> bool {
    if !rest[at..].starts_with(b"EI") || !is_blank(rest[at - 1]) {
        return false;
    }
    let behind = &rest[at + 2..];
    let near = &behind[..behind.len().min(12)];
    near.first().is_none_or(|&byte| is_blank(byte))
        && near.iter().all(|&byte| byte.is_ascii_graphic() || is_blank(byte) && byte != 0)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    Some(hex_digit(pair[0])? * 16 + hex_digit(pair[1])?)
}

fn number(word: &[u8]) -> Option<f64> {
    if !word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.')) {
        return None;
    }
    let word = std::str::from_utf8(word).ok()?;
    // Some PDF writers put a minus sign inside a number: only the digits before it count.
    let end = word.char_indices().skip(1).find(|(_, letter)| *letter == '-').map_or(word.len(), |(at, _)| at);
    let number = word[..end].parse::<f64>().ok()?;
    number.is_finite().then_some(number)
}
