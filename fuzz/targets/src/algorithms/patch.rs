//! Checks for patches: parses any text, applies any hunks to any file, and applies the diff of two texts
//! in both directions.

use arbitrary::Arbitrary;
use toolpost_text::diff;
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::patch::{Hunk, PatchAction, apply, parse};

/// Lines from which patches are built, because random bytes rarely form one.
const LINES: [&str; 24] = [
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: f",
    "*** Add File: f",
    "*** Delete File: f",
    "*** Move to: g",
    "*** End of File",
    "@@",
    "@@ a",
    "@@ -1 +1 @@",
    "@@ -2,3 +1,0 @@ b",
    "--- a/f",
    "+++ b/f",
    "+++ /dev/null",
    "diff --git a/f b/g",
    "rename from f",
    "rename to g",
    "\\ No newline at end of file",
    "```",
    "<<'EOF'",
    "EOF",
    "a",
    "  b",
    "\u{201c}a\u{201d}\r",
];

#[derive(Arbitrary, Debug)]
enum Line {
    Known(u8),
    Signed(u8, u8),
    Any(String),
}

#[derive(Arbitrary, Debug)]
pub(crate) struct Input {
    patch: Vec<Line>,
    file: Vec<u8>,
    lines: Vec<(u8, bool)>,
    old: Vec<u8>,
    new: Vec<u8>,
    open: (bool, bool),
    context: u8,
}

pub(crate) fn check(input: Input) {
    let text: Vec<String> = input.patch.iter().map(written).collect();
    let text = text.join("\n");
    if let Ok(patch) = parse(&text, Some("f")) {
        let drawn: String =
            input.lines.iter().map(|&(line, crlf)| known(line) + if crlf { "\r\n" } else { "\n" }).collect();
        for bytes in [input.file.clone(), drawn.into_bytes()] {
            for file in &patch.files {
                if let PatchAction::Update { hunks, .. } | PatchAction::Delete { hunks } = &file.what {
                    put(&bytes, hunks);
                }
            }
        }
    }
    there_and_back(&draw(&input.old, input.open.0), &draw(&input.new, input.open.1), input.context);
}

fn known(line: u8) -> String {
    LINES[usize::from(line) % LINES.len()].to_owned()
}

fn written(line: &Line) -> String {
    match line {
        Line::Known(line) => known(*line),
        Line::Signed(sign, line) => format!("{}{}", [' ', '+', '-'][usize::from(sign % 3)], known(*line)),
        Line::Any(text) => text.clone(),
    }
}

/// Builds a text whose lines contain no carriage return: at the end of a line, one would become part of the
/// line break.
fn draw(lines: &[u8], open: bool) -> String {
    let mut text: String = lines.iter().take(60).map(|line| known(*line).replace('\r', "") + "\n").collect();
    if open {
        text.pop();
    }
    text
}

/// Applies hunks to a file, and checks that the bytes between them do not change.
fn put(bytes: &[u8], hunks: &[Hunk]) -> Option<Vec<u8>> {
    let before = Text::open(bytes.to_vec(), None).ok()?;
    let applied = apply(before.view(), hunks).ok()?;
    let after = before.splice(&applied.splices).ok()?;
    let Some((first, last)) = applied.splices.first().zip(applied.splices.last()) else {
        assert_eq!(after, bytes);
        return Some(after);
    };
    let raw = |offset: usize| before.raw(offset).expect("a splice lies on boundaries");
    assert!(
        after.starts_with(&bytes[..raw(first.range.start)]) && after.ends_with(&bytes[raw(last.range.end)..])
    );
    kept(bytes, &after, &applied.splices, &raw);
    Some(after)
}

/// Checks that the bytes between the replaced parts are still there, in order.
fn kept(before: &[u8], after: &[u8], splices: &[Splice], raw: &dyn Fn(usize) -> usize) {
    let mut at = 0;
    for pair in splices.windows(2) {
        let part = &before[raw(pair[0].range.end)..raw(pair[1].range.start)];
        let found = after[at..].windows(part.len().max(1)).position(|window| window.starts_with(part));
        assert!(part.is_empty() || found.is_some());
        at += found.unwrap_or(0) + part.len();
    }
}

/// Checks that the diff of two texts produces the new text, and that its inverse produces the old one.
fn there_and_back(old: &str, new: &str, context: u8) {
    let diff = diff::unified(old, new, usize::from(context % 4));
    if diff.cut > 0 || diff.text.is_empty() {
        return;
    }
    let patch = parse(&format!("--- a/f\n+++ b/f\n{}", diff.text), None).expect("a diff can be read");
    let Some(PatchAction::Update { hunks, .. }) = patch.files.into_iter().next().map(|file| file.what) else {
        panic!("a diff changes its file");
    };
    let after = put(old.as_bytes(), &hunks).expect("a diff fits the text that it was made of");
    assert_eq!(after, new.as_bytes());
    let inverse: Vec<Hunk> = hunks.iter().map(Hunk::inverse).collect();
    assert_eq!(put(&after, &inverse).expect("an inverse fits"), old.as_bytes());
}
