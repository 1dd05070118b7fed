//! References to lines: hash, syntax, and the current location of the lines.

use toolpost_test_rows::each;

use toolpost_text::hashline::{Reference, Relocation, hash, moved, referred, unreferred};
use toolpost_text::lines::LineRange;

#[test]
fn line_hashes_have_their_published_values() {
    let rows = [
        ("", 0x05),
        ("a", 0x06),
        ("  return total;", 0x84),
        ("return total;", 0x84),
        ("\treturn   total;\r", 0x84),
        ("const x = \"é😀\";", 0x46),
        ("function calc(items) {", 0xac),
        ("\u{A0}x", 0x1d),
        ("\u{FEFF}x\u{2028}", 0x1d),
        ("}", 0x22),
        ("{", 0x20),
        ("let t = 7;", 0x8d),
    ];
    each(rows, |(line, wanted)| {
        assert_eq!(hash(line), wanted, "{line:?}");
    });
    assert_ne!(hash("\u{85}x"), hash("x"), "a next-line character does not count as white space");
}

#[test]
fn line_references_are_parsed_leniently() {
    let with = |line, hash| Some(Reference { line, hash: Some(hash) });
    let rows = [
        ("42", Some(Reference { line: 42, hash: None })),
        (" 42 ", Some(Reference { line: 42, hash: None })),
        ("042", Some(Reference { line: 42, hash: None })),
        ("42:ab", with(42, 0xab)),
        ("42:AB", with(42, 0xab)),
        ("42:ab | let a = 1;", with(42, 0xab)),
        ("42 | a || b", Some(Reference { line: 42, hash: None })),
        ("0", None),
        ("-1", None),
        ("+1", None),
        ("4.0", None),
        ("", None),
        ("42:", None),
        ("42:a", None),
        ("42:abc", None),
        ("42:g0", None),
        ("42:+a", None),
        ("42-44", None),
        ("line 42", None),
        ("99999999999999999999999", None),
    ];
    each(rows, |(text, wanted)| {
        assert_eq!(text.parse::<Reference>().ok(), wanted, "{text:?}");
    });
    let error = "forty-two".parse::<Reference>().unwrap_err().to_string();
    assert!(error.starts_with("\"forty-two\" is not a line"), "{error}");
}

#[test]
fn line_reference_prefixes_are_added_and_stripped() {
    each([(1, ""), (42, "  a | b"), (7, "\tx"), (1_000_000, "é")], |(number, line)| {
        let shown = referred(number, line);
        let found = unreferred(&shown).unwrap();
        assert_eq!((found.reference, found.text), (Reference::of(number, line), line));
    });
    assert_eq!(referred(2, "  let t = 7;"), "2:8d |   let t = 7;");
    let rows = [
        ("42 | x", Some((42, None, "x"))),
        ("  42|x", Some((42, None, "x"))),
        ("42:0f |", Some((42, Some(0x0f), ""))),
        ("42:0f |   x | y", Some((42, Some(0x0f), "  x | y"))),
        ("| 1 | a |", None),
        ("a | b", None),
        ("1.5 | b", None),
        ("42:x | b", None),
        ("42", None),
    ];
    each(rows, |(line, wanted)| {
        let found = unreferred(line).map(|found| (found.reference.line, found.reference.hash, found.text));
        assert_eq!(found, wanted, "{line:?}");
    });
}

#[test]
fn moved_lines_are_found_only_if_unambiguous() {
    let to = |first, last| Relocation::To(LineRange { first, last });
    let rows = [
        // The lines occur once in the new text: at the same location, further down or further up.
        ("a\nb\nc\n", "a\nb\nc\n", (2, 2), to(2, 2)),
        ("a\nb\nc\n", "x\ny\na\nb\nc\n", (2, 3), to(4, 5)),
        ("x\ny\na\nb\n", "a\nb\n", (3, 4), to(1, 2)),
        ("a\nb", "b\na\n", (2, 2), to(1, 1)),
        // The lines were changed or deleted.
        ("a\nb\nc\n", "a\nB\nc\n", (2, 2), Relocation::Gone),
        ("a\nb\nc\n", "a\nb\nX\nc\n", (2, 3), Relocation::Gone),
        ("a\nb\n", "", (1, 1), Relocation::Gone),
        ("a\n  b\n", "a\nb\n", (2, 2), Relocation::Gone),
        // Lines that occur several times are distinguished by the lines around them.
        ("f {\n}\ng {\n}\n", "new\nf {\n}\ng {\n}\n", (4, 4), to(5, 5)),
        ("f {\n}\ng {\n}\n", "g {\n}\nf {\n}\n", (2, 2), to(4, 4)),
        ("a\nx\nb\n", "a\nx\nb\nx\n", (2, 2), to(2, 2)),
        // The line occurs several times, and the lines around it are missing or ambiguous.
        ("a\nx\nb\n", "x\nc\nx\n", (2, 2), Relocation::Unclear),
        ("a\nx\nb\n", "a\nx\nc\nx\nb\n", (2, 2), Relocation::Unclear),
        ("x\nx\n", "x\nx\nx\n", (1, 1), Relocation::Unclear),
        // The old text does not have the requested lines.
        ("a\n", "a\n", (2, 2), Relocation::Gone),
        ("a\n", "a\n", (0, 1), Relocation::Gone),
        ("a\nb\n", "a\nb\n", (2, 1), Relocation::Gone),
    ];
    each(rows, |(old, new, (first, last), wanted)| {
        assert_eq!(moved(old, new, LineRange { first, last }), wanted, "{old:?} {new:?} {first}-{last}");
    });
}
