//! References to lines: their hash, their grammar, and where the lines behind them went.

use toolpost_text::hashline::{Reference, Relocation, hash, moved, referred, unreferred};
use toolpost_text::lines::LineRange;

#[test]
fn lines_have_the_hash_that_is_published() {
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
    for (line, wanted) in rows {
        assert_eq!(hash(line), wanted, "{line:?}");
    }
    assert_ne!(hash("\u{85}x"), hash("x"), "a next-line character is none of the white space");
}

#[test]
fn references_are_read_as_models_write_them() {
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
    for (said, wanted) in rows {
        assert_eq!(said.parse::<Reference>().ok(), wanted, "{said:?}");
    }
    let error = "forty-two".parse::<Reference>().unwrap_err().to_string();
    assert!(error.starts_with("\"forty-two\" names no line"), "{error}");
}

#[test]
fn lines_come_with_their_reference_and_lose_it_again() {
    for (number, line) in [(1, ""), (42, "  a | b"), (7, "\tx"), (1_000_000, "é")] {
        let shown = referred(number, line);
        let found = unreferred(&shown).unwrap();
        assert_eq!((found.reference, found.text), (Reference::of(number, line), line));
    }
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
    for (line, wanted) in rows {
        let found = unreferred(line).map(|found| (found.reference.line, found.reference.hash, found.text));
        assert_eq!(found, wanted, "{line:?}");
    }
}

#[test]
fn moved_lines_are_found_only_where_the_place_is_certain() {
    let to = |first, last| Relocation::To(LineRange { first, last });
    let rows = [
        // As they were, further down, further up.
        ("a\nb\nc\n", "a\nb\nc\n", (2, 2), to(2, 2)),
        ("a\nb\nc\n", "x\ny\na\nb\nc\n", (2, 3), to(4, 5)),
        ("x\ny\na\nb\n", "a\nb\n", (3, 4), to(1, 2)),
        ("a\nb", "b\na\n", (2, 2), to(1, 1)),
        // Changed, or gone.
        ("a\nb\nc\n", "a\nB\nc\n", (2, 2), Relocation::Gone),
        ("a\nb\nc\n", "a\nb\nX\nc\n", (2, 3), Relocation::Gone),
        ("a\nb\n", "", (1, 1), Relocation::Gone),
        ("a\n  b\n", "a\nb\n", (2, 2), Relocation::Gone),
        // Lines that are nothing special are told apart by what is around.
        ("f {\n}\ng {\n}\n", "new\nf {\n}\ng {\n}\n", (4, 4), to(5, 5)),
        ("f {\n}\ng {\n}\n", "g {\n}\nf {\n}\n", (2, 2), to(4, 4)),
        ("a\nx\nb\n", "a\nx\nb\nx\n", (2, 2), to(2, 2)),
        // A line that stands twice, and what was around it is gone or ambiguous.
        ("a\nx\nb\n", "x\nc\nx\n", (2, 2), Relocation::Unclear),
        ("a\nx\nb\n", "a\nx\nc\nx\nb\n", (2, 2), Relocation::Unclear),
        ("x\nx\n", "x\nx\nx\n", (1, 1), Relocation::Unclear),
        // No such lines.
        ("a\n", "a\n", (2, 2), Relocation::Gone),
        ("a\n", "a\n", (0, 1), Relocation::Gone),
        ("a\nb\n", "a\nb\n", (2, 1), Relocation::Gone),
    ];
    for (old, new, (first, last), wanted) in rows {
        assert_eq!(moved(old, new, LineRange { first, last }), wanted, "{old:?} {new:?} {first}-{last}");
    }
}
