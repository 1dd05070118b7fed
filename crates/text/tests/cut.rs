//! Truncation of long texts.

use toolpost_test_rows::each;

use std::borrow::Cow;
use toolpost_text::budget::fair;
use toolpost_text::cut::{Limit, first, head, head_and_tail, last, line, shared};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn truncated_head_ends_at_a_line_break() {
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
    each(rows, |(text, bytes, lines, wanted)| {
        let found = head(text, Limit { bytes, lines }).map(|cut| cut.to_string());
        assert_eq!(found.as_deref(), wanted, "{text:?} {bytes} {lines}");
    });
}

#[test]
fn head_and_tail_are_shown_around_the_omitted_lines() {
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
    each(rows, |(text, bytes, lines, (first, last), wanted)| {
        let found = head_and_tail(text, Limit { bytes, lines }, first, last).map(|cut| cut.to_string());
        assert_eq!(found.as_deref(), wanted, "{text:?} {bytes} {lines}");
    });
}

#[test]
fn lines_are_truncated_between_characters() {
    each(
        [("世界", 1, ("世", 1)), ("ab", 2, ("ab", 0)), ("ab", 0, ("", 2)), ("", 0, ("", 0))],
        |(text, most, wanted)| {
            assert_eq!(line(text, most), wanted);
        },
    );
}

#[test]
fn byte_limit_is_shared_fairly_among_texts() {
    let rows: [(&[usize], usize, usize); 5] = [
        (&[1, 2, 3], 6, usize::MAX),
        (&[1, 2, 30], 10, 7),
        (&[30, 30], 10, 5),
        (&[1, 30, 30], 11, 5),
        (&[], 0, usize::MAX),
    ];
    each(rows, |(sizes, room, wanted)| {
        assert_eq!(fair(sizes.to_vec(), room), wanted, "{sizes:?} {room}");
    });
    let texts = [TEN.repeat(100), "short\n".to_owned(), "x".repeat(3_000)];
    for room in [2_000, 1_200, 700] {
        let kept = shared(
            texts.iter().map(|text| Cow::Borrowed(text.as_str())).collect(),
            Limit { bytes: room, lines: 200 },
        );
        assert!(kept.iter().map(|text| text.len()).sum::<usize>() <= room, "{room}: {kept:?}");
        assert_eq!(kept[1], "short\n", "{room}");
        assert!(kept[0].ends_with("\n10\n") && kept[2].ends_with('x'), "{room}: {kept:?}");
    }
}

#[test]
fn first_and_last_bytes_are_whole_lines_if_possible() {
    let limit = |bytes| Limit { bytes, lines: 100 };
    assert_eq!((first(TEN, limit(5)), last(TEN, limit(5))), ("1\n2\n", "9\n10\n"));
    assert_eq!((first(TEN, limit(100)), last(TEN, limit(100))), (TEN, TEN));
    assert_eq!((first("世界", limit(4)), last("世界", limit(4))), ("世", "界"));
    assert_eq!(
        (first(TEN, Limit { bytes: 99, lines: 1 }), last(TEN, Limit { bytes: 99, lines: 1 })),
        ("1\n", "10\n")
    );
}
