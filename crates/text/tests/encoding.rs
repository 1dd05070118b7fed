//! Encodings, byte order marks and line breaks.

use toolpost_test_rows::each;

use encoding_rs::{Encoding as Charset, GBK, ISO_2022_JP, SHIFT_JIS, UTF_16LE, WINDOWS_1252};
use toolpost_text::encoding::{
    Encoding, EncodingGuess, Eol, Indent, NotTextError, Splice, SpliceError, Text, sniff, with_crlf,
};

#[test]
fn encoding_is_guessed_from_the_first_bytes() {
    let rows: [(&[u8], EncodingGuess); 12] = [
        (b"", EncodingGuess::Text(Encoding::Utf8)),
        (b"plain", EncodingGuess::Text(Encoding::Utf8)),
        (b"\xEF\xBB\xBFx", EncodingGuess::Text(Encoding::Utf8Bom)),
        (b"\xFF\xFEx\0", EncodingGuess::Text(Encoding::Utf16Le)),
        (b"\xFE\xFF\0x", EncodingGuess::Text(Encoding::Utf16Be)),
        (b"\xFF\xFE\0\0x\0\0\0", EncodingGuess::Text(Encoding::Utf32Le)),
        (b"\0\0\xFE\xFF\0\0\0x", EncodingGuess::Text(Encoding::Utf32Be)),
        (b"caf\xE9 ", EncodingGuess::Text(Encoding::EightBit)),
        (b"cut \xE4\xB8", EncodingGuess::Text(Encoding::Utf8)),
        (b"x\0\0\0", EncodingGuess::Binary { nul: 1 }),
        (b"\x7FELF\0", EncodingGuess::Binary { nul: 4 }),
        ("\u{FFFD}".as_bytes(), EncodingGuess::Text(Encoding::Utf8)),
    ];
    each(rows, |(head, wanted)| {
        assert_eq!(sniff(head), wanted, "{head:?}");
    });
}

#[test]
fn view_hides_byte_order_marks_and_carriage_returns() {
    type Row = (&'static [u8], Option<&'static Charset>, Encoding, &'static str, Eol);
    let rows: [Row; 17] = [
        (b"", None, Encoding::Utf8, "", Eol::None),
        (b"a\r\nb\r\n", None, Encoding::Utf8, "a\nb\n", Eol::CrLf),
        (b"a\r\nb\n", None, Encoding::Utf8, "a\nb\n", Eol::Mixed),
        (b"a\rb\x0Cc\xC2\x85d\n", None, Encoding::Utf8, "a\rb\u{C}c\u{85}d\n", Eol::Lf),
        (b"a\r\r\n", None, Encoding::Utf8, "a\r\n", Eol::CrLf),
        (b"\xEF\xBB\xBFa\r\n", None, Encoding::Utf8Bom, "a\n", Eol::CrLf),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFa", None, Encoding::Utf8Bom, "\u{FEFF}a", Eol::None),
        (b"\xFF\xFEa\0\r\0\n\0\x3D\xD8\0\xDE", None, Encoding::Utf16Le, "a\n\u{1F600}", Eol::CrLf),
        (b"\xFE\xFF\0a\0\r\0\n", None, Encoding::Utf16Be, "a\n", Eol::CrLf),
        (b"\0\0\xFE\xFF\0\x01\xF6\0", None, Encoding::Utf32Be, "\u{1F600}", Eol::None),
        (b"\xFF\xFE\0\0a\0", None, Encoding::Utf16Le, "\0a", Eol::None),
        (b"caf\xE9\r\n", None, Encoding::EightBit, "caf\u{10FEE9}\n", Eol::CrLf),
        (b"\xEF\xBB\xBF\xFFa", None, Encoding::EightBit, "\u{10FEFF}a", Eol::None),
        (b"caf\xE9\n", Some(WINDOWS_1252), Encoding::Named(WINDOWS_1252), "café\n", Eol::Lf),
        (b"plain\n", Some(GBK), Encoding::Named(GBK), "plain\n", Eol::Lf),
        ("café".as_bytes(), Some(WINDOWS_1252), Encoding::Utf8, "café", Eol::None),
        (b"a\0\r\0\n\0", Some(UTF_16LE), Encoding::Utf16Le, "a\n", Eol::CrLf),
    ];
    each(rows, |(bytes, charset, encoding, view, eol)| {
        let text = Text::open(bytes.to_vec(), charset).unwrap();
        assert_eq!((text.encoding(), text.view(), text.eol(), text.bytes()), (encoding, view, eol, bytes));
    });
}

#[test]
fn binary_and_malformed_bytes_are_refused() {
    let rows: [(&[u8], NotTextError); 5] = [
        (b"PK\x03\x04\0", NotTextError::Binary { at: 4 }),
        (b"\xFF\xFE\0\xD8a\0", NotTextError::Malformed { encoding: "UTF-16LE", at: 2 }),
        (b"\xFE\xFF\0a\0", NotTextError::Malformed { encoding: "UTF-16BE", at: 4 }),
        (b"\0\0\xFE\xFF\0\0\xD8\0", NotTextError::Malformed { encoding: "UTF-32BE", at: 4 }),
        (b"\xFF\xFE\0\0\0\0\0\xD8\0", NotTextError::Malformed { encoding: "UTF-32LE", at: 4 }),
    ];
    each(rows, |(bytes, wanted)| {
        assert_eq!(Text::open(bytes.to_vec(), None), Err(wanted), "{bytes:?}");
    });
    let late = [vec![b'a'; 8 * 1024], vec![0]].concat();
    assert_eq!(Text::open(late, None).unwrap().encoding(), Encoding::Utf8);
}

#[test]
fn configured_encoding_is_ignored_if_the_bytes_do_not_fit() {
    for charset in [SHIFT_JIS, ISO_2022_JP, UTF_16LE] {
        let text = Text::open(b"\xFF\xE9".to_vec(), Some(charset)).unwrap();
        assert_eq!(text.encoding(), Encoding::EightBit, "{}", charset.name());
    }
}

#[test]
fn bytes_of_unknown_encoding_are_shown_as_characters() {
    let text = Text::open(b"\x80uro caf\xE9 \x81".to_vec(), None).unwrap();
    assert_eq!(text.shown(text.view()), "€uro café \u{FFFD}");
    let plain = Text::open("x\u{10FEE9}".into(), None).unwrap();
    assert_eq!(plain.shown(plain.view()), "x\u{10FEE9}");
}

#[test]
fn new_line_breaks_match_the_surrounding_ones() {
    let rows: [(&str, &str, &str, &str); 15] = [
        // The replaced part has line breaks of one kind. New ones have this kind, whatever kinds are around the part.
        ("a\r\nb\r\nc\nd\ne\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\nd\ne\n"),
        ("a\r\nb\r\nc\nd\ne\n", "c\nd", "x\ny\nz", "a\r\nb\r\nx\ny\nz\ne\n"),
        // The replaced part has line breaks of both kinds. Unchanged ones stay; new ones have the kind around the
        // part, or else the most common kind.
        ("a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nx\nc", "a\r\nb\nx\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "q\nr\ns", "q\r\nr\r\ns\r\n"),
        // The replaced part has no line break. New ones have the kind around the part if there is only one, else the
        // most common kind, else the kind of the first break.
        ("a\nb\r\nc\r\nd\n", "c", "c\nx", "a\nb\r\nc\r\nx\r\nd\n"),
        ("a\r\nb\nc\n", "b", "b\nx", "a\r\nb\nx\nc\n"),
        ("a\r\nb\nc", "b", "b\nx", "a\r\nb\r\nx\nc"),
        ("a\nb\r\nc", "b", "b\nx", "a\nb\nx\r\nc"),
        ("a\r\nb\nc", "c", "c\nx", "a\r\nb\nc\nx"),
        ("a\r\nb\nc", "a", "x\na", "x\r\na\r\nb\nc"),
        ("abc", "b", "x\r\ny", "ax\nyc"),
        ("a\nb\n", "b", "b\r\nx", "a\nb\nx\n"),
        ("a\r\nb\r\n", "\nb", "", "a\r\n"),
        ("a\r\nb\r\n", "a\n", "", "b\r\n"),
        ("a  \r\nb\t\r\n", "b", "c", "a  \r\nc\t\r\n"),
    ];
    each(rows, |(stored, old, new, wanted)| {
        for mark in ["", "\u{FEFF}"] {
            let text = Text::open(format!("{mark}{stored}").into_bytes(), None).unwrap();
            let start = text.view().find(old).unwrap();
            let splice = Splice { range: start..start + old.len(), new: new.to_owned() };
            let out = String::from_utf8(text.splice(&[splice]).unwrap()).unwrap();
            assert_eq!(out, format!("{mark}{wanted}"), "{stored:?} {old:?} {new:?}");
        }
    });
}

#[test]
fn splices_that_the_encoding_cannot_store_are_refused() {
    type Row = (
        &'static [u8],
        Option<&'static Charset>,
        (usize, usize),
        &'static str,
        Result<&'static [u8], SpliceError>,
    );
    let rows: [Row; 12] = [
        (b"x caf\xE9", None, (0, 1), "y", Ok(b"y caf\xE9")),
        (b"x caf\xE9", None, (0, 1), "\u{10FEE8}", Ok(b"\xE8 caf\xE9")),
        (b"x caf\xE9", None, (0, 1), "é", Err(SpliceError::Unknown { character: 'é' })),
        (b"x caf\xE9", Some(WINDOWS_1252), (0, 1), "é", Ok(b"\xE9 caf\xE9")),
        (
            b"x caf\xE9",
            Some(WINDOWS_1252),
            (0, 1),
            "世",
            Err(SpliceError::Misfit { character: '世', encoding: "windows-1252" }),
        ),
        (b"\x82\xA0x", Some(SHIFT_JIS), (3, 4), "い", Ok(b"\x82\xA0\x82\xA2")),
        // `¥` would be encoded as the byte of a backslash, and so be read as another character.
        (b"\x82\xA0x", Some(SHIFT_JIS), (3, 4), "¥", Err(SpliceError::Unstable { encoding: "Shift_JIS" })),
        (b"\xFF\xFEa\0", None, (0, 1), "\u{1F600}\n", Ok(b"\xFF\xFE\x3D\xD8\0\xDE\n\0")),
        ("é".as_bytes(), None, (1, 2), "x", Err(SpliceError::Range { start: 1, end: 2 })),
        (b"a", None, (1, 2), "x", Err(SpliceError::Range { start: 1, end: 2 })),
        (b"ab", None, (2, 1), "x", Err(SpliceError::Range { start: 2, end: 1 })),
        ("x \u{FFFD}".as_bytes(), None, (0, 1), "y", Ok("y \u{FFFD}".as_bytes())),
    ];
    each(rows, |(bytes, charset, (start, end), new, wanted)| {
        let text = Text::open(bytes.to_vec(), charset).unwrap();
        let found = text.splice(&[Splice { range: std::ops::Range { start, end }, new: new.to_owned() }]);
        assert_eq!(found, wanted.map(<[u8]>::to_vec), "{bytes:?} {new:?}");
    });
    let text = Text::open(b"abc".to_vec(), None).unwrap();
    let splices = [Splice { range: 1..2, new: String::new() }, Splice { range: 0..1, new: String::new() }];
    assert_eq!(text.splice(&splices), Err(SpliceError::Range { start: 0, end: 1 }));
    let twice = [Splice { range: 0..0, new: "x".into() }, Splice { range: 0..1, new: "y".into() }];
    assert_eq!(
        Text::open(b"\xEF\xBB\xBFabc".to_vec(), None).unwrap().splice(&twice).unwrap(),
        b"\xEF\xBB\xBFxybc"
    );
}

#[test]
fn overwrite_keeps_crlf_and_byte_order_mark_if_unspecified() {
    type Row = (&'static [u8], &'static str, &'static [u8], bool, bool);
    let rows: [Row; 9] = [
        (b"a\r\nb\r\n", "x\ny", b"x\r\ny", true, false),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n", false, false),
        (b"a\r\nb\r\n", "x", b"x", false, false),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n", false, false),
        (b"a\nb\n", "x\r\ny\r\n", b"x\r\ny\r\n", false, false),
        (b"\xEF\xBB\xBFa\r\n", "x\n", b"\xEF\xBB\xBFx\r\n", true, true),
        (b"\xEF\xBB\xBFa\n", "\u{FEFF}x\n", b"\xEF\xBB\xBFx\n", false, true),
        (b"a\n", "\u{FEFF}x\n", b"\xEF\xBB\xBFx\n", false, false),
        (b"\xFF\xFEa\0\r\0\n\0", "\u{e9}\n", b"\xFF\xFE\xE9\0\r\0\n\0", true, true),
    ];
    each(rows, |(bytes, new, wanted, kept_crlf, kept_bom)| {
        let found = Text::open(bytes.to_vec(), None).unwrap().overwrite(new).unwrap();
        assert_eq!((found.bytes.as_slice(), found.kept_crlf, found.kept_bom), (wanted, kept_crlf, kept_bom));
    });
    let text = Text::open(b"caf\xE9".to_vec(), None).unwrap();
    assert_eq!(text.overwrite("café"), Err(SpliceError::Unknown { character: 'é' }));
    assert_eq!(text.overwrite("cafe").unwrap().bytes, b"cafe");
}

#[test]
fn indentation_style_is_detected() {
    let rows: [(&str, Indent); 9] = [
        ("", Indent::None),
        ("a\nb\n", Indent::None),
        ("a {\n\tb\n}\n", Indent::Tabs),
        ("a {\n  b {\n    c\n  }\n}\n", Indent::Spaces(2)),
        ("a:\n    b:\n        c\nd\n", Indent::Spaces(4)),
        ("/*\n * note\n */\na {\n\tb\n}\n", Indent::Tabs),
        ("a {\n\tb\n    c\n}\n", Indent::Mixed),
        ("a {\r\n\r\n   b\r\n}\r\n", Indent::Spaces(3)),
        ("    \n  \n", Indent::None),
    ];
    each(rows, |(text, wanted)| {
        assert_eq!(Indent::of(text), wanted, "{text:?}");
    });
}

#[test]
fn with_crlf_does_not_double_carriage_returns() {
    each(
        [("", ""), ("a", "a"), ("a\nb", "a\r\nb"), ("a\r\nb\n\n", "a\r\nb\r\n\r\n"), ("\r\n\r", "\r\n\r")],
        |(text, wanted)| {
            assert_eq!(with_crlf(text), wanted);
        },
    );
}
