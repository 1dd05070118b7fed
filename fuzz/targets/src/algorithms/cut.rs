//! Checks for the truncation of texts.

use toolpost_text::cut::{self, Limit};
use toolpost_text::lines;

pub(crate) fn check(input: (String, u16, u8, u8, u8)) {
    let (text, bytes, most, head, tail) = input;
    let limit = Limit { bytes: bytes.into(), lines: most.into() };
    for kept in [cut::head(&text, limit), cut::head_and_tail(&text, limit, head.into(), tail.into())] {
        let Some(kept) = kept else { continue };
        assert!(text.starts_with(kept.head) && text.ends_with(kept.tail));
        assert_eq!(kept.head.len() + kept.omitted.bytes + kept.tail.len(), text.len());
        assert!(kept.head.len() + kept.tail.len() <= limit.bytes);
        assert!(lines::count(kept.head) + lines::count(kept.tail) <= limit.lines);
    }
}
