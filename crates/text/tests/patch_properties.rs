//! Properties of every patch: it results in the new text, its inverse in the old one, and all other bytes
//! stay the same.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_text::diff;
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::patch::{Hunk, PatchAction, apply, parse};

/// A text of few and short lines, so that many lines are equal.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(""),
        Just(" "),
        Just("a"),
        Just("b"),
        Just("  b"),
        Just("-- a"),
        Just("++ b"),
        Just("@@ -1 +1 @@"),
        Just("\\ No newline at end of file"),
        Just("“é”"),
        Just("diff --git a/f b/f"),
        Just("*** End Patch")
    ];
    (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, closed)| {
        let text = lines.join("\n");
        if closed && !text.is_empty() { text + "\n" } else { text }
    })
}

/// Returns the hunks of the difference of two texts.
fn hunks(old: &str, new: &str, context: usize) -> Vec<Hunk> {
    let diff = diff::unified(old, new, context);
    if diff.text.is_empty() {
        return Vec::new();
    }
    let patch = parse(&format!("--- a/f\n+++ b/f\n{}", diff.text), None).unwrap();
    assert_eq!(patch.files.len(), 1, "{}", diff.text);
    match patch.files.into_iter().next().unwrap().what {
        PatchAction::Update { move_to: None, hunks } => hunks,
        other => panic!("{other:?}"),
    }
}

/// Applies hunks to a file, and checks that the rest of the file stays unchanged.
fn put(bytes: &[u8], hunks: &[Hunk]) -> Vec<u8> {
    let text = Text::open(bytes.to_vec(), None).unwrap();
    let applied = apply(text.view(), hunks).unwrap_or_else(|misfit| panic!("{misfit:?}: {:?}", text.view()));
    assert_eq!((applied.doubtful, applied.notes.len()), (0, 0), "exact line numbers are not ambiguous");
    let after = text.splice(&applied.splices).unwrap();
    unchanged(&text, &Text::open(after.clone(), None).unwrap(), &applied.splices);
    after
}

/// Checks that the bytes between the replaced parts are the same.
fn unchanged(before: &Text, after: &Text, splices: &[Splice]) {
    let (mut old, mut new) = (0, 0);
    for splice in splices {
        let length = splice.range.start - old;
        let (from, to) = (before.raw(old).unwrap(), before.raw(old + length).unwrap());
        let (now, upto) = (after.raw(new).unwrap(), after.raw(new + length).unwrap());
        assert_eq!(before.bytes()[from..to], after.bytes()[now..upto]);
        (old, new) = (splice.range.end, new + length + splice.new.len());
    }
    assert_eq!(before.bytes()[before.raw(old).unwrap()..], after.bytes()[after.raw(new).unwrap()..]);
}

fn view(bytes: &[u8]) -> String {
    Text::open(bytes.to_vec(), None).unwrap().view().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/patch_properties.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_diff_gives_the_new_text_and_its_inverse_the_old(old in text(), new in text(), context in 0usize..4) {
        let hunks = hunks(&old, &new, context);
        let after = put(old.as_bytes(), &hunks);
        prop_assert_eq!(&view(&after), &new);
        let inverse: Vec<Hunk> = hunks.iter().map(Hunk::inverse).collect();
        prop_assert_eq!(put(&after, &inverse), old.into_bytes());
    }

    #[test]
    fn applied_diffs_preserve_line_breaks(
        old in text(), new in text(), context in 0usize..4, mixed in any::<Option<u64>>(), mark in any::<bool>()
    ) {
        let mut bytes = if mark { "\u{feff}".to_owned() } else { String::new() };
        for (at, line) in old.split_inclusive('\n').enumerate() {
            let crlf = mixed.is_none_or(|mixed| mixed >> at & 1 == 1);
            bytes.push_str(&if crlf { line.replace('\n', "\r\n") } else { line.to_owned() });
        }
        let hunks = hunks(&old, &new, context);
        let after = put(bytes.as_bytes(), &hunks);
        prop_assert_eq!(&view(&after), &new);
        let inverse: Vec<Hunk> = hunks.iter().map(Hunk::inverse).collect();
        let back = put(&after, &inverse);
        prop_assert_eq!(&view(&back), &old);
        if mixed.is_none() && (new.contains('\n') || !old.contains('\n')) {
            prop_assert_eq!(back, bytes.into_bytes());
        }
    }
}
