//! Unified diffs.

use toolpost_test_rows::each;

use std::fmt::Write as _;

use toolpost_text::diff::{Diff, EqualLines, MAX_LINES, equal_lines, unified};

#[test]
fn equal_lines_have_the_numbers_of_both_texts() {
    type Row = (&'static str, &'static str, &'static [(usize, usize, usize)]);
    let rows: [Row; 7] = [
        ("", "", &[]),
        ("a\n", "b\n", &[]),
        ("a\nb\n", "a\nb\n", &[(1, 1, 2)]),
        ("a\nb\nc\n", "a\nB\nc\n", &[(1, 1, 1), (3, 3, 1)]),
        ("a\nb\n", "x\ny\na\nb\n", &[(1, 3, 2)]),
        ("a\nb\nc\nd\n", "a\nd\n", &[(1, 1, 1), (4, 2, 1)]),
        ("a\nb", "a\nb\n", &[(1, 1, 1)]),
    ];
    each(rows, |(old, new, wanted)| {
        let wanted: Vec<EqualLines> = wanted
            .iter()
            .map(|(old, new, count)| EqualLines { old: *old, new: *new, count: *count })
            .collect();
        assert_eq!(equal_lines(old, new), wanted, "{old:?} {new:?}");
    });
}

#[test]
fn unified_diff_hunks_have_correct_line_numbers() {
    let rows: [(&str, &str, usize, &str, [usize; 4]); 11] = [
        ("a\n", "a\n", 3, "", [0, 0, 0, 0]),
        ("a\nb\nc\n", "a\nB\nc\n", 3, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", [1, 1, 2, 2]),
        ("", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n", [2, 0, 1, 2]),
        ("a\n", "", 3, "@@ -1 +0,0 @@\n-a\n", [0, 1, 1, 1]),
        ("a\nb\nc\n", "a\nc\n", 0, "@@ -2 +1,0 @@\n-b\n", [0, 1, 2, 2]),
        ("a\nb\n", "a\n", 0, "@@ -2 +1,0 @@\n-b\n", [0, 1, 1, 1]),
        // A removed line at the beginning and an added line at the end.
        ("x\n\n", "\n*\n", 0, "@@ -1 +0,0 @@\n-x\n@@ -2,0 +2 @@\n+*\n", [1, 1, 1, 2]),
        ("a\n", "a\nb\n", 0, "@@ -1,0 +2 @@\n+b\n", [1, 0, 2, 2]),
        ("a", "a\n", 3, "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", [1, 1, 1, 1]),
        ("a\nb", "x\nb", 1, "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n", [1, 1, 1, 1]),
        (
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\nx\n3\n4\n5\n6\n7\n9\ny\n",
            1,
            "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n@@ -7,3 +7,3 @@\n 7\n-8\n 9\n+y\n",
            [2, 2, 2, 9],
        ),
    ];
    each(rows, |(old, new, context, text, [added, removed, first_line, last_line])| {
        let wanted = Diff { text: text.to_owned(), added, removed, first_line, last_line, cut: 0 };
        assert_eq!(unified(old, new, context), wanted, "{old:?} {new:?}");
    });
}

#[test]
fn long_diffs_are_cut_with_the_number_of_omitted_lines() {
    let mut new = String::new();
    for line in 0..1000 {
        writeln!(new, "{line}").expect("writing to a string works");
    }
    let found = unified("", &new, 3);
    assert_eq!((found.text.lines().count(), found.cut, found.added), (MAX_LINES + 1, 1001 - MAX_LINES, 1000));
    assert!(
        found.text.ends_with("\n+198\n[toolpost: left out 801 more lines of the diff]\n"),
        "{}",
        found.text
    );
}

#[test]
fn large_texts_without_common_lines_are_compared() {
    let many = |letter: char| -> String { (0..40_000).map(|line| format!("{letter}{line}\n")).collect() };
    let found = unified(&many('a'), &many('b'), 3);
    assert_eq!((found.added, found.removed), (40_000, 40_000));
}

#[test]
fn change_far_inside_a_long_line_is_shown() {
    each([100, 2_500, 9_000, 400_000], |at| {
        let line = |word: &str| format!("{}{word}{}\n", "\u{e9}x".repeat(at), "y".repeat(3_000));
        let found = unified(&line("before"), &line("after"), 3);
        assert!(found.text.contains("before") && found.text.contains("after"), "{at}: {}", found.text);
        assert!(found.text.len() < 10_000, "{at}: {} bytes", found.text.len());
        assert_eq!((found.added, found.removed), (1, 1));
    });
}

/// A part with more than a million lines between the first and the last difference is not split into lines. The counts
/// and the lines that are shown are those of the changed lines.
#[test]
fn differences_far_apart_in_many_lines_are_shown_and_counted() {
    let lines = 1_200_000;
    let text = |first: &str, last: &str| format!("head\n{first}\n{}{last}\n", "x\n".repeat(lines));
    let found = unified(&text("a", "b"), &text("A", "B"), 1);
    assert_eq!((found.added, found.removed, found.first_line, found.last_line), (2, 2, 2, lines + 3));
    assert_eq!(
        found.text,
        "@@ -1,3 +1,3 @@\n head\n-a\n+A\n x\n[toolpost: left out 2 more lines of the diff]\n"
    );
    let every = unified(&"x\n".repeat(lines), &"y\n".repeat(lines), 3);
    assert_eq!((every.added, every.removed, every.text.lines().count()), (lines, lines, MAX_LINES + 1));
    assert_eq!(every.cut, 2 * lines + 1 - MAX_LINES);
    let longer = unified(&"x\n".repeat(lines), &"y\n".repeat(lines + 7), 3);
    assert_eq!((longer.added, longer.removed), (lines + 7, lines));
}
