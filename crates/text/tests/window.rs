//! Extraction of some lines from a file that is read in pieces.

use toolpost_test_rows::each;

use toolpost_text::encoding::{Encoding, Text};
use toolpost_text::window::{self, Facts, Line, LineSelection, Window, WindowContent};

fn line(number: u64, text: &str, more: u64) -> Line<'_> {
    Line { number, text, more }
}

#[test]
fn window_holds_only_the_requested_lines() {
    type Row = (&'static [u8], [u64; 3], Vec<Line<'static>>, Facts);
    let none = Facts::default();
    let rows: [Row; 11] = [
        (b"", [1, 9, 9], vec![], none),
        (b"\n", [1, 9, 9], vec![line(1, "", 0)], Facts { lines: 1, bytes: 1, lf: 1, ..none }),
        (b"a\nb\nc", [2, 1, 9], vec![line(2, "b", 0)], Facts { lines: 3, bytes: 5, lf: 2, ..none }),
        (b"a\nb\n", [3, 9, 9], vec![], Facts { lines: 2, bytes: 4, lf: 2, ..none }),
        (
            b"a\r\nb\n\r",
            [1, 9, 9],
            vec![line(1, "a", 0), line(2, "b", 0), line(3, "\r", 0)],
            Facts { lines: 3, bytes: 6, lf: 1, crlf: 1, ..none },
        ),
        (b"a\rb\r\r\n", [1, 9, 9], vec![line(1, "a\rb\r", 0)], Facts { lines: 1, bytes: 6, crlf: 1, ..none }),
        (
            b"\xEF\xBB\xBFa\n",
            [1, 9, 9],
            vec![line(1, "a", 0)],
            Facts { lines: 1, bytes: 5, lf: 1, bom: true, ..none },
        ),
        (b"\xEF\xBB\xBF", [1, 9, 9], vec![], Facts { bytes: 3, bom: true, ..none }),
        (b"abcdef\r\n", [1, 9, 4], vec![line(1, "abcd", 2)], Facts { lines: 1, bytes: 8, crlf: 1, ..none }),
        (
            "世界人\n\tx\n  y\n z".as_bytes(),
            [1, 1, 2],
            vec![line(1, "世界", 1)],
            Facts { lines: 4, bytes: 19, lf: 3, tabs: 1, spaces: 1, ..none },
        ),
        (
            b"caf\xE9 \xE4\xB8\0",
            [1, 9, 9],
            vec![line(1, "café ä¸\0", 0)],
            Facts { lines: 1, bytes: 8, nul: Some(7), invalid: 3, ..none },
        ),
    ];
    each(rows, |(bytes, [first, count, characters], lines, facts)| {
        let wanted = WindowContent { lines: lines.into_iter().collect(), facts };
        for piece in 1..=bytes.len().max(1) {
            let mut window = Window::new(LineSelection { first, count, characters });
            bytes.chunks(piece).for_each(|piece| window.feed(piece));
            assert_eq!(window.finish(), wanted, "{bytes:?} by {piece}");
        }
        if let Ok(text) = str::from_utf8(bytes) {
            assert_eq!(
                window::seen(&text.into(), LineSelection { first, count, characters }),
                wanted,
                "{bytes:?} whole"
            );
        }
    });
}

#[test]
fn window_reports_when_it_is_full() {
    let mut window = Window::new(LineSelection { first: 2, count: 1, characters: 9 });
    let full: Vec<bool> = [b"a\n", b"b ", b"b\n"]
        .into_iter()
        .map(|piece| {
            window.feed(piece);
            window.is_full()
        })
        .collect();
    assert_eq!(full, [false, false, true]);
}

#[test]
fn endless_line_is_counted_and_truncated() {
    let mut window = Window::new(LineSelection { first: 1, count: 9, characters: 3 });
    let piece = "é".repeat(1 << 15);
    for _ in 0..1 << 10 {
        window.feed(piece.as_bytes());
    }
    let seen = window.finish();
    assert_eq!(seen.lines.iter().collect::<Vec<_>>(), [line(1, "ééé", (1 << 25) - 3)]);
}

#[test]
fn non_utf_8_window_shows_the_same_text_as_diffs() {
    let all: Vec<u8> = (1..=255).filter(|byte| !b"\r\n".contains(byte)).collect();
    let rows: [&[u8]; 6] = [
        // Two of these bytes form a character in UTF-8.
        b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\nnext\n",
        b"caf\xe9\r\n\xc3\xa9 and \xe9\r\n",
        b"plain\n\xe9\xc3\xa9\xe9",
        b"\xef\xbb\xbf\xc3\xa9\xff\n",
        b"\xe9\xc3\n\xa9\n",
        &all,
    ];
    each(rows, |bytes| {
        let text = Text::open(bytes.to_vec(), None).unwrap();
        assert_eq!(text.encoding(), Encoding::EightBit, "{bytes:?}");
        let wanted = text.shown(text.view());
        each([1, 2, 5, 4096], |size| {
            let mut window = Window::eight_bit(LineSelection { first: 1, count: 99, characters: 999 });
            bytes.chunks(size).for_each(|piece| window.feed(piece));
            let seen = window.finish();
            let lines: Vec<&str> = seen.lines.iter().map(|line| line.text).collect();
            assert_eq!(lines, wanted.lines().collect::<Vec<_>>(), "{bytes:?} by {size}");
            assert!(seen.facts.invalid > 0, "{bytes:?}");
        });
    });
    each(
        [
            (&b"\xc3\xa9\xe9."[..], "\u{c3}\u{a9}\u{e9}."),
            ("caf\u{e9}".as_bytes(), "caf\u{e9}"),
            ("caf\u{e9}".as_bytes().split_at(4).0, "caf\u{c3}"),
            (b"\xa9 \xc3\xa9", "\u{a9} \u{e9}"),
        ],
        |(line, wanted)| {
            assert_eq!(window::shown(line), wanted, "{line:?}");
        },
    );
}
