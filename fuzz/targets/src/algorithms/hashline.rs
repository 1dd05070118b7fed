//! Checks for edits of lines that are identified by hash references.

use arbitrary::Arbitrary;
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::hashline::{Reference, Relocation, hash, moved, referred, unreferred};
use toolpost_text::line_edit::{EditPosition, edit};
use toolpost_text::lines::{LineIndex, LineRange};

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    later: String,
    said: String,
    first: u8,
    more: u8,
    side: u8,
    new: String,
}

pub(crate) fn check(input: Input) {
    if let Ok(reference) = input.said.parse::<Reference>() {
        assert_eq!(reference.to_string().parse(), Ok(reference));
    }
    let _ = (hash(&input.said), unreferred(&input.said));
    let Ok(text) = Text::open(input.bytes.clone(), None) else { return };
    let view = text.view();
    let index = LineIndex::new(view);
    let first = usize::from(input.first);
    let lines = LineRange { first, last: first + usize::from(input.more % 8) };
    if let (Some(part), Relocation::To(now)) = (index.span(lines), moved(view, &input.later, lines)) {
        let later = LineIndex::new(&input.later).span(now).expect("moved lines exist");
        assert_eq!(view[part].trim_end_matches('\n'), input.later[later].trim_end_matches('\n'));
    }
    if let Some(line) = view.lines().next() {
        assert_eq!(unreferred(&referred(1, line)).map(|found| found.text), Some(line));
    }
    let side =
        [EditPosition::Replace, EditPosition::Before, EditPosition::After][usize::from(input.side % 3)];
    let Ok(edited) = edit(view, lines, side, &input.new) else { return };
    let Splice { range, new } = edited.splice.clone();
    let span = index.span(lines).unwrap_or(0..0);
    assert!(span.start.saturating_sub(1) <= range.start && range.end <= span.end);
    let Ok(out) = text.splice(&[edited.splice]) else { return };
    let raw = |offset: usize| text.raw(offset).expect("a splice lies on boundaries");
    assert!(out.starts_with(&input.bytes[..raw(range.start)]));
    assert!(out.ends_with(&input.bytes[raw(range.end)..]));
    // Undoing the edit restores the text. Texts with carriage returns are excluded, because in new text one
    // before a line feed becomes part of the line break.
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
}
