//! Placeholders that must not be written.

use Kind::{Gutter, Notice, Omission};
use serde_json::Value;
use toolpost_test_rows::{each, table::Table};
use toolpost_text::guard::{Kind, check, check_for};

/// Returns the kind and line of the first placeholder.
fn found(new: &str, old: &str) -> Option<(Kind, usize)> {
    check(new, old).err().map(|placeholder| (placeholder.kind, placeholder.line))
}

/// Each row: a text, and the kind and the line of the first placeholder in it.
const ROWS: [(&str, Option<(Kind, usize)>); 64] = [
    ("a()\n    # ... rest of code unchanged ...", Some((Omission, 2))),
    ("// ... existing code ...", Some((Omission, 1))),
    ("// existing code", Some((Omission, 1))),
    ("// \u{2026} existing code \u{2026}", Some((Omission, 1))),
    ("a\n... rest of code unchanged ...\nb", Some((Omission, 2))),
    ("<!-- ... rest of the file ... -->", Some((Omission, 1))),
    ("{/* ... existing props ... */}", None),
    ("{/* ... existing content ... */}", Some((Omission, 1))),
    ("/* rest of the implementation remains the same */", Some((Omission, 1))),
    ("-- rest of the code here", Some((Omission, 1))),
    ("; ... unchanged ...", Some((Omission, 1))),
    ("# (remaining functions omitted for brevity...)", Some((Omission, 1))),
    ("  // ...remaining methods stay the same", Some((Omission, 1))),
    // Text without placeholders.
    ("rest of code", None),
    ("// Keep the existing code path for old clients.", None),
    ("// existing methods", None),
    ("// unchanged", None),
    ("// the rest of the arguments is passed on ...", None),
    ("// loading...", None),
    ("// ...", None),
    ("...", None),
    ("let all = [...existing, next];", None),
    ("const s = \"rest of code ...\";", None),
    ("def f(): ...", None),
    ("* existing behaviour is kept", None),
    // Notices, and texts that only resemble them.
    ("a\n[toolpost: left out lines 3-10 of 10, 17 of 21 bytes]\nb", Some((Notice, 2))),
    ("# [toolpost: left out 5 more lines of the diff]", Some((Notice, 1))),
    ("let notice = \"[toolpost: \";", None),
    ("a\n\n[TRUNCATED: 60000 bytes, 3000 lines - showing first 100 and last 50 lines]\nb", Some((Notice, 3))),
    ("[TRUNCATED: for now]", None),
    ("say(\"[TRUNCATED: 1 - showing \");", None),
    ("a\nqqq [toolpost: 500 more characters of this line]", Some((Notice, 2))),
    ("path:3:[toolpost: 4800 bytes before] text", Some((Notice, 1))),
    ("a[0] = \"[toolpost: \";", None),
    ("the marker is [toolpost: foo]", None),
    ("Notes begin with `[toolpost: ` and end with `]`.", None),
    ("-a [toolpost: foo] [toolpost: left out 7 characters] b", Some((Notice, 1))),
    ("[toolpost: foo]", Some((Notice, 1))),
    // Line numbers, which count only if most lines have consecutive ones.
    ("     1\tuse a;\n     2\t\n     3\tfn b() {}\n", Some((Gutter, 1))),
    ("a\n    12\tb\n    13\tc\n    14\t\n", Some((Gutter, 2))),
    (" 99999\ta\n100000\tb\n100001\tc\n", Some((Gutter, 1))),
    ("1\tuse a;\n     2\tb\n     3\tc\n     4\td\n", Some((Gutter, 2))),
    ("     1\ta\nb\nc\nd\n     2\te\n", None),
    ("    10\ta\n    20\tb\n", None),
    ("     \ta\n     \tb\n", None),
    // Numbers in another format, as in tables, lists and maps.
    ("    9\u{2192}use a;\n   10\u{2192}fn b() {}\n", None),
    ("    1|\ta\n    2|\tb", None),
    ("1: one\n2: two\n3: three\n", None),
    ("12: a\n13: b\n14: c", None),
    ("1 | a\n2 | b\n", None),
    ("10001\tone\n10002\ttwo\n", None),
    ("100001\tone\n100002\ttwo\n", None),
    ("1\tone\n2\ttwo\n3\tthree\n", None),
    ("1. one\n2. two\n", None),
    ("404: lost\n500: broken\n", None),
    ("1: one\na\nb\nc\n2: two\n", None),
    ("7: only\n", None),
    // References to lines, which count only if most lines have consecutive ones, and texts without any.
    ("1:ab | use a;\n2:05 |\n3:cd | fn b() {}\n", Some((Gutter, 1))),
    ("a\n12:ab | b\n13:cd |   c\n14:05 |\n", Some((Gutter, 2))),
    ("12:ab | a\n50:cd | b\n", None),
    ("a\nb\n1:ab | c\n2:cd | d\n", None),
    ("7:ab | only\n", None),
    ("10: a\n20: b\n30: c\n", None),
    ("", None),
];

/// A row of `ROWS` in the name of its test.
fn label(row: &(&str, Option<(Kind, usize)>)) -> String {
    row.0.to_owned()
}

pub(crate) fn omission_placeholders_are_detected() -> Table {
    Table::new("guard::omission_placeholders_are_detected", ROWS, label, |(new, wanted)| {
        assert_eq!(found(new, ""), wanted, "{new:?}");
        assert_eq!(found(new, &format!("before\n{new}\n")), None, "{new:?} was there");
    })
}

pub(crate) fn omission_placeholders_of_the_gemini_suite_are_detected() -> Table {
    let path =
        format!("{}/tests/fixtures/gemini-edit/omission_placeholders.json", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let label = |row: &Value| row["text"].as_str().unwrap().to_owned();
    Table::new("guard::omission_placeholders_of_the_gemini_suite_are_detected", rows, label, |row| {
        let text = row["text"].as_str().unwrap();
        // The original project accepts this phrase; here it is a placeholder too.
        let theirs =
            !row["placeholders"].as_array().unwrap().is_empty() || text == "// ... existing code ...";
        assert_eq!(found(text, "").is_some(), theirs, "{text}");
    })
}

#[test]
fn placeholder_error_names_line_and_remedy() {
    let message = check("a\n// existing code", "").unwrap_err().to_string();
    assert_eq!(
        message,
        "line 2 of the new text is a placeholder for code that is not there: \"// existing code\"; \
         write the code out, or replace only the lines that change"
    );
}

/// Every line that is a placeholder in code can be quoted by prose: in a fence, and as a code comment. A notice, or
/// a placeholder for prose itself, is refused in every file.
pub(crate) fn prose_may_quote_placeholders_for_code() -> Table {
    Table::new("guard::prose_may_quote_placeholders_for_code", ROWS, label, |(text, wanted)| {
        let (name, fenced) = ("docs/a.md", format!("Text.\n\n```rust\n{text}\n```\n"));
        let is_notice = matches!(wanted, Some((Notice, _)));
        let kind = check_for(name, &fenced, "").err().map(|placeholder| placeholder.kind);
        assert_eq!(kind.filter(|kind| *kind != Gutter), is_notice.then_some(Notice), "{text:?}");
        assert_eq!(check_for("a.rs", &fenced, "").is_err(), check(&fenced, "").is_err(), "{text:?}");
    })
}

#[test]
fn prose_may_quote_only_placeholders_that_are_code() {
    let rows = [
        ("// ... rest of code unchanged", None),
        ("# ... existing code ...", None),
        ("<!-- ... rest of the file ... -->", Some(1)),
        ("... rest of code unchanged ...", Some(1)),
        ("```\ncode\n```\n... rest of the file unchanged ...", Some(4)),
        ("~~~\n```\n... rest of the file unchanged ...\n~~~", None),
        // A fence is closed by at least as many of the same marks, with no text after them.
        ("````md\n```rust\n... existing code ...\n```\n... existing code ...\n````", None),
        ("````\n```\n````\n... rest of the file unchanged ...", Some(4)),
        ("```\n````\n... rest of the file unchanged ...", Some(3)),
        ("```\n```rust\n... existing code ...\n```", None),
        ("~~~ a`b\n... existing code ...\n~~~", None),
        ("```code``` in a line\n... rest of the file unchanged ...", Some(2)),
    ];
    each(rows, |(text, line)| {
        for name in ["README.md", "notes.MDX"] {
            let found = check_for(name, text, "").err().map(|placeholder| placeholder.line);
            assert_eq!(found, line, "{name}: {text:?}");
        }
        assert!(check_for("Makefile", text, "").is_err() || line.is_none(), "{text:?}");
    });
}
