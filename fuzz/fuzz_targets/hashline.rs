//! Changes lines of any file, by any references.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::hashline::{Moved, Reference, hash, moved, referred, unreferred};
use toolpost_text::line_edit::{Side, edit};
use toolpost_text::lines::{LineIndex, LineRange};

#[derive(Arbitrary, Debug)]
struct Input {
    bytes: Vec<u8>,
    later: String,
    said: String,
    first: u8,
    more: u8,
    side: u8,
    new: String,
}

fuzz_target!(|input: Input| {
    if let Ok(reference) = input.said.parse::<Reference>() {
        assert_eq!(reference.to_string().parse(), Ok(reference));
    }
    let _ = (hash(&input.said), unreferred(&input.said));
    let Ok(text) = Text::open(input.bytes.clone(), None) else { return };
    let view = text.view();
    let index = LineIndex::new(view);
    let first = usize::from(input.first);
    let lines = LineRange { first, last: first + usize::from(input.more % 8) };
    if let (Some(part), Moved::To(now)) = (index.span(lines), moved(view, &input.later, lines)) {
        let later = LineIndex::new(&input.later).span(now).expect("moved lines exist");
        assert_eq!(view[part].trim_end_matches('\n'), input.later[later].trim_end_matches('\n'));
    }
    if let Some(line) = view.lines().next() {
        assert_eq!(unreferred(&referred(1, line)).map(|found| found.text), Some(line));
    }
    let side = [Side::Replace, Side::Before, Side::After][usize::from(input.side % 3)];
    let Ok(edited) = edit(view, lines, side, &input.new) else { return };
    let Splice { range, new } = edited.splice.clone();
    let span = index.span(lines).unwrap_or(0..0);
    assert!(span.start.saturating_sub(1) <= range.start && range.end <= span.end);
    let Ok(out) = text.splice(&[edited.splice]) else { return };
    let raw = |offset: usize| text.raw(offset).expect("a splice lies on boundaries");
    assert!(out.starts_with(&input.bytes[..raw(range.start)]));
    assert!(out.ends_with(&input.bytes[raw(range.end)..]));
    // What was put in can be taken out again: the text is what it was. In a new text a carriage return in front of a
    // line feed is part of the break, so this cannot be asked of a text that has such returns of its own.
    let wanted = format!("{}{new}{}", &view[..range.start], &view[range.end..]);
    if let Ok(changed) = Text::open(out, None)
        && changed.encoding() == text.encoding()
        && changed.view() == wanted
        && !view.contains('\r')
    {
        let undo = Splice { range: range.start..range.start + new.len(), new: view[range].to_owned() };
        if let Ok(back) = changed.splice(&[undo]) {
            let back = Text::open(back, None).expect("the old text is a text");
            assert_eq!(back.view(), view);
        }
    }
});
