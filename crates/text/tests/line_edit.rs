//! Replaced, deleted and inserted lines, and corrections of new text, with one rule per row.

use toolpost_test_rows::each;
use toolpost_text::encoding::Text;
use toolpost_text::line_edit::EditPosition::{After, Before, Replace};
use toolpost_text::line_edit::{Correction, EditPosition, LineEditError, edit};
use toolpost_text::lines::LineRange;

/// Each row: the file, the first and the last selected line, the position of the new text, the new text, the file
/// afterwards, and the descriptions of the corrections.
type Row = (&'static str, (usize, usize), EditPosition, &'static str, &'static str, &'static [&'static str]);

const NUMBERS: &str = "removed the line numbers from the new text";
const BEFORE: &str = "left out a repeated line (already above the change)";
const BEFORE_2: &str = "left out 2 repeated lines (already above the change)";
const BEHIND: &str = "left out a repeated line (already below the change)";
const TAB: &str = r#"restored the indentation "\t""#;
const TWO: &str = r#"restored the indentation "  ""#;
const FOUR: &str = r#"restored the indentation "    ""#;
const EIGHT: &str = r#"restored the indentation "        ""#;

/// Applies an edit to a file; returns the new bytes as a text, and the corrections.
fn apply(
    file: &str,
    (first, last): (usize, usize),
    side: EditPosition,
    new: &str,
) -> Result<(String, Vec<String>), LineEditError> {
    let text = Text::open(file.as_bytes().to_vec(), None).unwrap();
    let edited = edit(text.view(), LineRange { first, last }, side, new)?;
    let bytes = text.splice(&[edited.splice]).unwrap();
    Ok((String::from_utf8(bytes).unwrap(), edited.corrections.iter().map(Correction::words).collect()))
}

fn check(rows: &[Row]) {
    each(rows, |(file, lines, side, new, wanted, corrections)| {
        let corrections = corrections.iter().map(ToString::to_string).collect();
        let wanted = Ok(((*wanted).to_owned(), corrections));
        assert_eq!(apply(file, *lines, *side, new), wanted, "{file:?} {lines:?} {side:?} {new:?}");
    });
}

const PLAIN: &[Row] = &[
    // Replacement; a line break at the end of the new text ends its last line.
    ("a\nb\nc\n", (2, 2), Replace, "B", "a\nB\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "B\n", "a\nB\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "B\n\n", "a\nB\n\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "\n", "a\n\nc\n", &[]),
    ("a\nb\nc\n", (1, 3), Replace, "x\ny", "x\ny\n", &[]),
    ("a\nb\nc\n", (1, 2), Replace, "x\r\ny", "x\ny\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "b", "a\nb\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "$& $1 \\1", "a\n$& $1 \\1\nc\n", &[]),
    // Deletion.
    ("a\nb\nc\n", (2, 2), Replace, "", "a\nc\n", &[]),
    ("a\nb\nc\n", (1, 3), Replace, "", "", &[]),
    // Insertion.
    ("a\nb\n", (1, 1), Before, "x", "x\na\nb\n", &[]),
    ("a\nb\n", (1, 1), After, "x\ny\n", "a\nx\ny\nb\n", &[]),
    ("a\nb\n", (2, 2), After, "x", "a\nb\nx\n", &[]),
    ("a\nb\n", (1, 1), After, "\n", "a\n\nb\n", &[]),
    // A last line without a line break stays without one.
    ("a\nb", (2, 2), Replace, "B\n", "a\nB", &[]),
    ("a\nb", (2, 2), Replace, "", "a", &[]),
    ("a\nb", (1, 2), Replace, "", "", &[]),
    ("a\nb", (1, 1), Replace, "", "b", &[]),
    ("a\nb", (2, 2), After, "c\n", "a\nb\nc", &[]),
    ("a\nb", (2, 2), Before, "c", "a\nc\nb", &[]),
    // An empty last line needs a line break.
    ("a\nb", (2, 2), Replace, "\n", "a\n\n", &[]),
    ("a", (1, 1), After, "\n", "a\n\n", &[]),
    ("a", (1, 1), After, "b\n\n", "a\nb\n\n", &[]),
    // The kind of line break is that of the location.
    ("a\r\nb\r\nc\r\n", (2, 2), Replace, "x\ny", "a\r\nx\r\ny\r\nc\r\n", &[]),
    ("a\r\nb\r\nc", (3, 3), Replace, "", "a\r\nb", &[]),
    ("a\r\nb", (2, 2), After, "c\nd", "a\r\nb\r\nc\r\nd", &[]),
    ("a\r\nb\nc\nd\n", (3, 3), Replace, "x\ny", "a\r\nb\nx\ny\nd\n", &[]),
    ("a\r\nb\nc\nd\n", (1, 1), Replace, "x\ny", "x\r\ny\r\nb\nc\nd\n", &[]),
    // A byte order mark is not part of line 1, and a lone carriage return does not end a line.
    ("\u{FEFF}a\nb\n", (1, 1), Replace, "x", "\u{FEFF}x\nb\n", &[]),
    ("\u{FEFF}a\nb\n", (1, 1), Before, "x", "\u{FEFF}x\na\nb\n", &[]),
    ("a\rb\nc\n", (2, 2), Replace, "x", "a\rb\nx\n", &[]),
    // New text is written to an empty file unchanged.
    ("", (1, 1), Replace, "x", "x", &[]),
    ("", (1, 1), Before, "x\n", "x\n", &[]),
    ("", (1, 1), After, "x\ny", "x\ny", &[]),
];

#[test]
fn lines_are_replaced_removed_and_inserted() {
    check(PLAIN);
}

#[test]
fn invalid_line_ranges_are_refused() {
    let rows = [
        ("a\nb\n", (2, 1), Replace, "x", LineEditError::Reversed { first: 2, last: 1 }),
        ("a\nb\n", (3, 3), Replace, "x", LineEditError::Beyond { line: 3, count: 2 }),
        ("a\nb\n", (1, 9), Replace, "", LineEditError::Beyond { line: 9, count: 2 }),
        ("a\nb\n", (0, 1), Replace, "x", LineEditError::Beyond { line: 0, count: 2 }),
        ("a\nb\n", (3, 3), After, "x", LineEditError::Beyond { line: 3, count: 2 }),
        ("", (2, 2), Replace, "x", LineEditError::Beyond { line: 2, count: 0 }),
        ("", (1, 1), Replace, "", LineEditError::Nothing),
        ("a\n", (1, 1), After, "", LineEditError::Nothing),
        ("a\n", (1, 1), Before, "", LineEditError::Nothing),
    ];
    each(rows, |(file, lines, side, new, wanted)| {
        assert_eq!(apply(file, lines, side, new), Err(wanted), "{file:?} {lines:?}");
    });
}

const TEN: &str = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n";

const NUMBERED: &[Row] = &[
    (TEN, (5, 5), Replace, "5:ab | x", "l1\nl2\nl3\nl4\nx\nl6\nl7\nl8\nl9\nl10\n", &[NUMBERS]),
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab | x\n6:cd |   y\n",
        "l1\nl2\nl3\nl4\nx\n  y\nl6\nl7\nl8\nl9\nl10\n",
        &[NUMBERS],
    ),
    (TEN, (5, 5), Replace, "5 | x\n6 | y", "l1\nl2\nl3\nl4\nx\ny\nl6\nl7\nl8\nl9\nl10\n", &[NUMBERS]),
    (TEN, (5, 5), Replace, "  5|x\n  6|y", "l1\nl2\nl3\nl4\nx\ny\nl6\nl7\nl8\nl9\nl10\n", &[NUMBERS]),
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab | x\nnew\n6:cd | y",
        "l1\nl2\nl3\nl4\nx\nnew\ny\nl6\nl7\nl8\nl9\nl10\n",
        &[NUMBERS],
    ),
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab | x\n\n\n7:cd | y",
        "l1\nl2\nl3\nl4\nx\n\n\ny\nl6\nl7\nl8\nl9\nl10\n",
        &[NUMBERS],
    ),
    (TEN, (5, 5), After, "6:ab | x\n7:ab |", "l1\nl2\nl3\nl4\nl5\nx\n\nl6\nl7\nl8\nl9\nl10\n", &[NUMBERS]),
    // If the bars have no space after them, all text after the bars belongs to the lines.
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab|x {\n6:cd|  y\n7:ee|}",
        "l1\nl2\nl3\nl4\nx {\n  y\n}\nl6\nl7\nl8\nl9\nl10\n",
        &[NUMBERS],
    ),
    // Not corrected: half of the lines or fewer have numbers, or the numbers do not rise or are far from the
    // location.
    (TEN, (5, 5), Replace, "5:ab | x\ny", "l1\nl2\nl3\nl4\n5:ab | x\ny\nl6\nl7\nl8\nl9\nl10\n", &[]),
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab | x\n5:ab | y",
        "l1\nl2\nl3\nl4\n5:ab | x\n5:ab | y\nl6\nl7\nl8\nl9\nl10\n",
        &[],
    ),
    (TEN, (9, 9), Replace, "1 | x\n2 | y", "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\n1 | x\n2 | y\nl10\n", &[]),
    (
        TEN,
        (5, 5),
        Replace,
        "50:ab | x\n51:ab | y",
        "l1\nl2\nl3\nl4\n50:ab | x\n51:ab | y\nl6\nl7\nl8\nl9\nl10\n",
        &[],
    ),
    // In rows of a table, with bars at both ends or like the rows of the file, numbers are content. Only a reference
    // with a hash is removed.
    (
        TEN,
        (2, 2),
        Replace,
        "| 2 | x |\n| 3 | y |",
        "l1\n| 2 | x |\n| 3 | y |\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n",
        &[],
    ),
    ("id | name\n1 | a\n2 | b\n", (3, 3), Replace, "2 | B\n3 | C", "id | name\n1 | a\n2 | B\n3 | C\n", &[]),
    ("id | name\n1 | a\n2 | b\n", (3, 3), Replace, "3:ab | 2 | B", "id | name\n1 | a\n2 | B\n", &[NUMBERS]),
    (
        "as shown:\n7:ab | a\n8:cd | b\nend\n",
        (3, 3),
        Replace,
        "3:ab | B",
        "as shown:\n7:ab | a\n3:ab | B\nend\n",
        &[],
    ),
    (
        "match n {\n    1 | 2 => a,\n}\n",
        (2, 2),
        Replace,
        "    1 | 2 => b,\n    3 | 4 => c,",
        "match n {\n    1 | 2 => b,\n    3 | 4 => c,\n}\n",
        &[],
    ),
];

#[test]
fn line_number_prefixes_are_stripped_unless_they_are_content() {
    check(NUMBERED);
}

const RUST: &str = "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n";

const REPEATED: &[Row] = &[
    // The new text repeats the line before the edited location, the line after it, both, or several lines.
    (
        RUST,
        (4, 4),
        Replace,
        "    for item in items {\n        sum += 1;",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += 1;\n    }\n    sum\n}\n",
        &[BEFORE],
    ),
    (
        RUST,
        (2, 2),
        Replace,
        "    let mut sum = 1;\n    for item in items {",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 1;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n",
        &[BEHIND],
    ),
    (
        RUST,
        (3, 3),
        Replace,
        "    let mut sum = 0;\n    for item in all(items) {\n        sum += item.price;",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in all(items) {\n        sum += item.price;\n    }\n    sum\n}\n",
        &[BEFORE, BEHIND],
    ),
    (
        RUST,
        (4, 4),
        Replace,
        "    let mut sum = 0;\n    for item in items {\n        sum += 1;",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += 1;\n    }\n    sum\n}\n",
        &[BEFORE_2],
    ),
    // The new text repeats the line that opens a block, and the line that closes this block.
    (
        RUST,
        (4, 4),
        Replace,
        "    for item in items {\n        sum += 1;\n    }",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += 1;\n    }\n    sum\n}\n",
        &[BEFORE, BEHIND],
    ),
    (
        "def area(width)\n  width * 2\nend\n",
        (2, 2),
        Replace,
        "def area(width)\n  width * 3\nend",
        "def area(width)\n  width * 3\nend\n",
        &[BEFORE, BEHIND],
    ),
    // The new text has one bracket too many, at either end.
    ("func B() {\n\ty()\n}\n", (1, 2), Replace, "func B() {\n\tz()\n}", "func B() {\n\tz()\n}\n", &[BEHIND]),
    ("f {\n\ty()\n}\n", (2, 3), Replace, "f {\n\tz()\n}\n", "f {\n\tz()\n}\n", &[BEFORE]),
    ("a {\n    b\n}\n", (2, 2), Replace, "    c\n}", "a {\n    c\n}\n", &[BEHIND]),
    // The new text repeats short lines at both ends.
    (
        "a = 1\nif a:\n    b = 2\n    c = 3\nd = 4\n",
        (3, 4),
        Replace,
        "if a:\n    b = 22\n    c = 33\nd = 4",
        "a = 1\nif a:\n    b = 22\n    c = 33\nd = 4\n",
        &[BEFORE, BEHIND],
    ),
    // A block that is opened and closed inside the new text stays complete.
    (
        "begin_list(items, [\n  1,\n]);\n",
        (2, 2),
        Replace,
        "begin_list(items, [\n  2,\n]);\nbegin_list(more, [\n  3,",
        "begin_list(items, [\n  2,\n]);\nbegin_list(more, [\n  3,\n]);\n",
        &[BEFORE],
    ),
    // Inserted text repeats the line next to which it is inserted.
    (
        RUST,
        (2, 2),
        After,
        "    let mut sum = 0;\n    let tax = 1;",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    let tax = 1;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n",
        &[BEFORE],
    ),
    (
        RUST,
        (3, 3),
        Before,
        "    let tax = 1;\n    for item in items {",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    let tax = 1;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n",
        &[BEHIND],
    ),
];

#[test]
fn accidentally_repeated_lines_are_removed() {
    check(REPEATED);
}

const MEANT: &[Row] = &[
    // The new text ends with a bracket that closes a block in it, and looks like the next line of the file.
    (
        RUST,
        (4, 4),
        Replace,
        "        if sum > 9 {\n            sum += 1;\n        }",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        if sum > 9 {\n            sum += 1;\n        }\n    }\n    sum\n}\n",
        &[],
    ),
    // The new text adds a bracket that the file lacks.
    ("a {\n  c {\n    b\n}\n", (3, 3), Replace, "    b\n  }", "a {\n  c {\n    b\n  }\n}\n", &[]),
    ("{\nb\n}\n", (2, 2), Replace, "{\nc\n}", "{\n{\nc\n}\n}\n", &[]),
    // The last line closes a block of the new text, so only the first line is a repetition.
    (
        RUST,
        (4, 4),
        Replace,
        "for item in items {\nif item.ok {\nsum += item.price;\n}",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        if item.ok {\n        sum += item.price;\n        }\n    }\n    sum\n}\n",
        &[BEFORE, EIGHT],
    ),
    // Without the repeated line, no line of the new text would remain.
    (
        RUST,
        (4, 4),
        Replace,
        "    for item in items {",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n    for item in items {\n    }\n    sum\n}\n",
        &[],
    ),
    (
        RUST,
        (2, 2),
        After,
        "    let mut sum = 0;",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    let mut sum = 0;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n",
        &[],
    ),
    // The repeated line occurs in the file more than once, is short, or is blank.
    (
        "call(one)\nx\ncall(one)\n",
        (2, 2),
        Replace,
        "call(one)\ny",
        "call(one)\ncall(one)\ny\ncall(one)\n",
        &[],
    ),
    ("else:\nx\n", (2, 2), Replace, "else:\ny", "else:\nelse:\ny\n", &[]),
    ("a b c d e f g\n\nx\n", (3, 3), Replace, "\ny", "a b c d e f g\n\n\ny\n", &[]),
    // The replaced line equals the line above it, so the repetition in the new text is intended.
    (
        "push(item, 1)\npush(item, 1)\n",
        (2, 2),
        Replace,
        "push(item, 1)\ndone()",
        "push(item, 1)\npush(item, 1)\ndone()\n",
        &[],
    ),
    // Insertion before a line: new text that begins like the line above does not repeat the line at the
    // position.
    (
        "first_line(a)\nsecond_line(b)\n",
        (2, 2),
        Before,
        "first_line(a)\nx",
        "first_line(a)\nfirst_line(a)\nx\nsecond_line(b)\n",
        &[],
    ),
    // Without the repeated line, the brackets would not balance.
    (
        "wrap_it(a, (\n1,\n));\n",
        (2, 2),
        Replace,
        "wrap_it(a, (\n2,\n)),\n3,",
        "wrap_it(a, (\nwrap_it(a, (\n2,\n)),\n3,\n));\n",
        &[],
    ),
];

#[test]
fn possibly_intended_repetitions_are_kept() {
    check(MEANT);
}

const LOST: &[Row] = &[
    // The indentation of all lines is lost, or only that of the first line.
    ("f:\n    a()\n", (2, 2), Replace, "b()", "f:\n    b()\n", &[FOUR]),
    ("f:\n\ta()\n", (2, 2), Replace, "b()\nc()", "f:\n\tb()\n\tc()\n", &[TAB]),
    (
        "f:\n        a()\n",
        (2, 2),
        Replace,
        "if b:\n    c()",
        "f:\n        if b:\n            c()\n",
        &[EIGHT],
    ),
    (
        "f:\n    a()\n",
        (2, 2),
        Replace,
        "if b:\n    c()\nd()",
        "f:\n    if b:\n        c()\n    d()\n",
        &[FOUR],
    ),
    ("f {\n  a();\n}\n", (2, 2), Replace, "if b {\n  c();\n}", "f {\n  if b {\n    c();\n  }\n}\n", &[TWO]),
    ("f:\n    a()\n    b()\n", (2, 3), Replace, "c()\n    d()", "f:\n    c()\n    d()\n", &[FOUR]),
    (
        "f:\n    a()\n",
        (2, 2),
        Replace,
        "if b:\n        c()\n    d()",
        "f:\n    if b:\n        c()\n    d()\n",
        &[FOUR],
    ),
    ("f:\n\tif x {\n\t\ty\n\t}\n", (2, 4), Replace, "if x {\n    z\n}", "f:\n\tif x {\n\t\tz\n\t}\n", &[TAB]),
    // Blank lines are not indented.
    ("f:\n    a()\n", (2, 2), Replace, "b()\n\nc()", "f:\n    b()\n\n    c()\n", &[FOUR]),
    // Less or more indentation than before, or the same text with other indentation, is intended.
    ("f:\n        return x\n", (2, 2), Replace, "    return y", "f:\n    return y\n", &[]),
    ("f:\n    a\n", (2, 2), Replace, "        b", "f:\n        b\n", &[]),
    ("  - item\n", (1, 1), Replace, "- item", "- item\n", &[]),
    // Some of the replaced lines begin at the left margin, so no indentation is lost.
    ("    a\nb\n", (1, 2), Replace, "c\nd", "c\nd\n", &[]),
    ("a\n", (1, 1), Replace, "b", "b\n", &[]),
    // New text with a directive or with a literal over several lines is not indented, but a shift operator or a
    // literal on one line does not prevent that.
    ("  a();\n", (1, 1), Replace, "#ifdef X\n  a();\n#endif", "#ifdef X\n  a();\n#endif\n", &[]),
    ("  a = 1\n", (1, 1), Replace, "a = \"\"\"\n  x\n\"\"\"", "a = \"\"\"\n  x\n\"\"\"\n", &[]),
    ("  a = 1;\n", (1, 1), Replace, "a = `\nx`;", "a = `\nx`;\n", &[]),
    ("  cat a\n", (1, 1), Replace, "cat <<EOF\nx\nEOF", "cat <<EOF\nx\nEOF\n", &[]),
    ("  a = 1;\n", (1, 1), Replace, "a = 1 << 3;", "  a = 1 << 3;\n", &[TWO]),
    (
        "    pass\n",
        (1, 1),
        Replace,
        "\"\"\"Does it.\"\"\"\nreturn 1",
        "    \"\"\"Does it.\"\"\"\n    return 1\n",
        &[FOUR],
    ),
    // Inserted text replaces no lines, so it cannot have lost their indentation.
    ("f:\n    a()\n", (2, 2), After, "b()", "f:\n    a()\nb()\n", &[]),
];

#[test]
fn lost_indentation_is_restored() {
    check(LOST);
}

#[test]
fn several_corrections_apply_to_one_edit() {
    let new = "3:00 | for item in items {\n4:00 | sum += 2;";
    let wanted = RUST.replace("item.price", "2");
    check_one(RUST, new, &wanted, &[NUMBERS, BEFORE, EIGHT]);
}

fn check_one(file: &str, new: &str, wanted: &str, corrections: &[&str]) {
    let (out, found) = apply(file, (4, 4), Replace, new).unwrap();
    assert_eq!((out.as_str(), found), (wanted, corrections.iter().map(ToString::to_string).collect()));
}
