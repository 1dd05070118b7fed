//! Checks for opening any bytes as text and replacing parts of it.

use arbitrary::Arbitrary;
use toolpost_text::encoding::{EncodingGuess, Splice, Text, sniff};

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    charset: u8,
    splices: Vec<(u16, u16, String)>,
    whole: String,
}

pub(crate) fn check(input: Input) {
    let charset = match input.charset % 6 {
        0 => Some(encoding_rs::GBK),
        1 => Some(encoding_rs::SHIFT_JIS),
        2 => Some(encoding_rs::WINDOWS_1252),
        3 => Some(encoding_rs::UTF_16LE),
        4 => Some(encoding_rs::ISO_2022_JP),
        _ => None,
    };
    let sniffed = sniff(&input.bytes);
    let Ok(text) = Text::open(input.bytes.clone(), charset) else { return };
    assert!(charset.is_some() || matches!(sniffed, EncodingGuess::Text(_)));
    assert_eq!(text.bytes(), input.bytes);
    let view = text.view();
    let _ = text.shown(view);
    let splices: Vec<Splice> = input
        .splices
        .iter()
        .map(|(from, to, new)| Splice { range: usize::from(*from)..usize::from(*to), new: new.clone() })
        .collect();
    if let Ok(out) = text.splice(&splices) {
        let raw = |offset: usize| text.raw(offset).expect("a spliced offset lies on a boundary");
        let first = splices.first().map_or(input.bytes.len(), |splice| raw(splice.range.start));
        let last = splices.last().map_or(input.bytes.len(), |splice| raw(splice.range.end));
        assert!(out.starts_with(&input.bytes[..first]) && out.ends_with(&input.bytes[last..]));
    }
    if let Ok(overwrite) = text.overwrite(&input.whole) {
        assert!(overwrite.bytes.starts_with(&input.bytes[..text.bom()]));
    }
}
