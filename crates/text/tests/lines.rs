//! Beginnings and ends of lines.

use toolpost_test_rows::each;

use toolpost_text::lines::{LineIndex, LineRange, count, lf};

#[test]
fn lines_end_at_line_feeds_only() {
    let rows: [(&str, &[&str]); 7] = [
        ("", &[]),
        ("\n", &["\n"]),
        ("a", &["a"]),
        ("a\n", &["a\n"]),
        ("a\n\nb", &["a\n", "\n", "b"]),
        ("a\rb\u{85}c\u{2028}d\n", &["a\rb\u{85}c\u{2028}d\n"]),
        ("é世\n🌍\n", &["é世\n", "🌍\n"]),
    ];
    each(rows, |(text, wanted)| {
        let index = LineIndex::new(text);
        let lines: Vec<&str> = (1..).map_while(|line| index.range(line)).map(|range| &text[range]).collect();
        assert_eq!((lines.as_slice(), index.count(), count(text)), (wanted, wanted.len(), wanted.len()));
        assert_eq!(index.range(0), None);
    });
}

#[test]
fn line_spans_include_whole_lines() {
    let text = "a\nb\nc";
    let index = LineIndex::new(text);
    let rows = [
        (1, 1, Some("a\n")),
        (2, 3, Some("b\nc")),
        (3, 3, Some("c")),
        (0, 1, None),
        (3, 2, None),
        (2, 4, None),
    ];
    each(rows, |(first, last, wanted)| {
        assert_eq!(index.span(LineRange { first, last }).map(|span| &text[span]), wanted, "{first}-{last}");
    });
}

#[test]
fn only_crlf_is_converted_to_lf() {
    each([("a\r\nb", "a\nb"), ("a\rb\n", "a\rb\n"), ("\r\r\n", "\r\n"), ("", "")], |(text, wanted)| {
        assert_eq!(lf(text), wanted);
    });
}
