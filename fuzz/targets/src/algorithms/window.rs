//! Checks for reading a range of lines from any bytes, whole and in pieces.

use arbitrary::Arbitrary;
use toolpost_text::window::{self, LineSelection, Window};

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    first: u8,
    count: u8,
    characters: u8,
    piece: u8,
}

pub(crate) fn check(input: Input) {
    let ask = LineSelection {
        first: input.first.into(),
        count: input.count.into(),
        characters: input.characters.into(),
    };
    let mut whole = Window::new(ask);
    whole.feed(&input.bytes);
    let mut pieces = Window::new(ask);
    for piece in input.bytes.chunks(usize::from(input.piece).max(1)) {
        pieces.feed(piece);
    }
    let seen = whole.finish();
    assert_eq!(seen, pieces.finish());
    if let Ok(text) = String::from_utf8(input.bytes) {
        assert_eq!(seen, window::seen(&text.into(), ask));
    }
    assert!(seen.lines.len() as u64 <= ask.count);
    for line in seen.lines.iter() {
        assert!(line.text.chars().count() as u64 <= ask.characters);
    }
}
