//! Shortening a long text.

use toolpost_text::cut::{Limit, head, head_and_tail, line};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn beginnings_end_with_a_line() {
    let rows: [(&str, usize, usize, Option<&str>); 8] = [
        (TEN, 100, 10, None),
        (TEN, 100, 3, Some("1\n2\n3\n[toolpost: left out lines 4-10 of 10, 15 of 21 bytes]")),
        (TEN, 5, 10, Some("1\n2\n[toolpost: left out lines 3-10 of 10, 17 of 21 bytes]")),
        (TEN, 4, 10, Some("1\n2\n[toolpost: left out lines 3-10 of 10, 17 of 21 bytes]")),
        ("世界人\n", 7, 9, Some("世界\n[toolpost: left out lines 1-1 of 1, 4 of 10 bytes]")),
        ("世", 2, 9, Some("[toolpost: left out lines 1-1 of 1, 3 of 3 bytes]")),
        ("a\nb", 9, 0, Some("[toolpost: left out lines 1-2 of 2, 3 of 3 bytes]")),
        ("", 0, 0, None),
    ];
    for (text, bytes, lines, wanted) in rows {
        let found = head(text, Limit { bytes, lines }).map(|cut| cut.to_string());
        assert_eq!(found.as_deref(), wanted, "{text:?} {bytes} {lines}");
    }
}

#[test]
fn both_ends_are_kept() {
    type Row = (&'static str, usize, usize, (usize, usize), Option<&'static str>);
    let rows: [Row; 6] = [
        (TEN, 100, 5, (2, 1), Some("1\n2\n[toolpost: left out lines 3-9 of 10, 14 of 21 bytes]\n10\n")),
        (TEN, 100, 5, (0, 2), Some("[toolpost: left out lines 1-8 of 10, 16 of 21 bytes]\n9\n10\n")),
        (TEN, 100, 2, (2, 2), Some("1\n2\n[toolpost: left out lines 3-10 of 10, 17 of 21 bytes]")),
        (TEN, 8, 9, (4, 4), Some("1\n2\n[toolpost: left out lines 3-9 of 10, 14 of 21 bytes]\n10\n")),
        (
            "aaaaaaaaaa世bbbbbbbbbb",
            9,
            9,
            (1, 1),
            Some("aaaaa\n[toolpost: left out lines 1-1 of 1, 14 of 23 bytes]\nbbbb"),
        ),
        (TEN, 21, 10, (1, 1), None),
    ];
    for (text, bytes, lines, (first, last), wanted) in rows {
        let found = head_and_tail(text, Limit { bytes, lines }, first, last).map(|cut| cut.to_string());
        assert_eq!(found.as_deref(), wanted, "{text:?} {bytes} {lines}");
    }
}

#[test]
fn lines_are_cut_between_characters() {
    for (text, most, wanted) in
        [("世界", 1, ("世", 1)), ("ab", 2, ("ab", 0)), ("ab", 0, ("", 2)), ("", 0, ("", 0))]
    {
        assert_eq!(line(text, most), wanted);
    }
}
