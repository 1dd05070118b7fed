//! File names that look alike, and their escaped form.

use toolpost_test_rows::each;

use toolpost_text::escape::{name, text, unescape};
use toolpost_text::names::Difference::{Apostrophe, Case, Composition, None as Same, Several, Space};
use toolpost_text::names::{same_key, suggest};

#[test]
fn look_alike_names_share_a_key() {
    let rows = [
        ("a.txt", "a.txt", Some(Same)),
        ("a.txt", "b.txt", None),
        ("caf\u{e9}.md", "cafe\u{301}.md", Some(Composition)),
        ("Shot 1\u{202F}PM.png", "Shot 1 PM.png", Some(Space)),
        ("a\u{A0}b", "a b", Some(Space)),
        ("it\u{2019}s.txt", "it's.txt", Some(Apostrophe)),
        ("\u{201C}a\u{201D}", "\"a\"", Some(Apostrophe)),
        ("README.md", "readme.md", Some(Case)),
        ("It\u{2019}s a.txt", "it's\u{A0}a.txt", Some(Several)),
        ("\u{C9}.md", "e\u{301}.md", Some(Several)),
        ("a\tb", "a b", None),
    ];
    each(rows, |(one, other, wanted)| {
        assert_eq!((same_key(one, other), same_key(other, one)), (wanted, wanted), "{one} {other}");
    });
}

#[test]
fn suggestions_are_the_most_similar_names() {
    let files = [
        "src/main.rs",
        "src/lib.rs",
        "src/mian.rs",
        "tests/main.rs",
        "docs/manual.md",
        "Makefile",
        "src/domain/",
    ];
    let rows: [(&str, usize, &[&str]); 8] = [
        ("main.rs", 3, &["src/main.rs", "tests/main.rs", "src/mian.rs"]),
        ("lib/main.rs", 1, &["src/main.rs"]),
        ("makefile", 3, &["Makefile"]),
        ("manuel.md", 3, &["docs/manual.md"]),
        ("src/doman", 3, &["src/domain/"]),
        ("something_else.py", 3, &[]),
        ("", 3, &[]),
        ("main.rs", 0, &[]),
    ];
    each(rows, |(wanted, max, names)| {
        assert_eq!(suggest(wanted, &files, max), names, "{wanted}");
    });
}

#[test]
fn escaped_names_hide_no_characters_and_unescape_exactly() {
    let rows: [(&[u8], &str); 11] = [
        (b"plain name.txt", "plain name.txt"),
        ("日本語 é🌍".as_bytes(), "日本語 é🌍"),
        (b"two\nlines\r\t", "two\\nlines\\r\\t"),
        (b"\x1b[31mred", "\\u{1b}[31mred"),
        (b"back\\slash", "back\\\\slash"),
        ("gpj.\u{202E}exe".as_bytes(), "gpj.\\u{202e}exe"),
        ("zero\u{200B}width\u{FEFF}".as_bytes(), "zero\\u{200b}width\\u{feff}"),
        (b"latin\xE9", "latin\\xe9"),
        (b"\xF0\x9F", "\\xf0\\x9f"),
        ("\u{2028}\u{85}".as_bytes(), "\\u{2028}\\u{85}"),
        (b"", ""),
    ];
    each(rows, |(bytes, wanted)| {
        assert_eq!((name(bytes).as_ref(), unescape(wanted).unwrap().as_slice()), (wanted, bytes));
    });
    each(["\\", "\\q", "\\x1", "\\xg0", "\\x+1", "\\u{}", "\\u{d800}", "\\u{1", "\\u{+41}"], |wrong| {
        assert_eq!(unescape(wrong), None, "{wrong}");
    });
    assert_eq!((text("C:\\a").as_ref(), text("C:\\a\n").as_ref()), ("C:\\a", "C:\\a\\n"));
}
