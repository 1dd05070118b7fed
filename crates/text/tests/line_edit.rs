//! Lines replaced, taken out and put in, and what is corrected on the way: one rule a row.

use toolpost_text::encoding::Text;
use toolpost_text::line_edit::Side::{After, Before, Replace};
use toolpost_text::line_edit::{Correction, LineEditError, Side, edit};
use toolpost_text::lines::LineRange;

/// File, lines, side, new text, the file afterwards, what was corrected.
type Row = (&'static str, (usize, usize), Side, &'static str, &'static str, &'static [&'static str]);

const NUMBERS: &str = "took the line numbers off the new text";
const BEFORE: &str = "left out a repeated line from before the place";
const BEFORE_2: &str = "left out 2 repeated lines from before the place";
const BEHIND: &str = "left out a repeated line from behind the place";
const TAB: &str = r#"restored the indentation "\t""#;
const TWO: &str = r#"restored the indentation "  ""#;
const FOUR: &str = r#"restored the indentation "    ""#;
const EIGHT: &str = r#"restored the indentation "        ""#;

/// Applies an edit to a file: its new bytes as a text, and what was corrected.
fn apply(
    file: &str,
    (first, last): (usize, usize),
    side: Side,
    new: &str,
) -> Result<(String, Vec<String>), LineEditError> {
    let text = Text::open(file.as_bytes().to_vec(), None).unwrap();
    let edited = edit(text.view(), LineRange { first, last }, side, new)?;
    let bytes = text.splice(&[edited.splice]).unwrap();
    Ok((String::from_utf8(bytes).unwrap(), edited.corrections.iter().map(Correction::words).collect()))
}

fn check(rows: &[Row]) {
    for (file, lines, side, new, wanted, corrections) in rows {
        let corrections = corrections.iter().map(ToString::to_string).collect();
        let wanted = Ok(((*wanted).to_owned(), corrections));
        assert_eq!(apply(file, *lines, *side, new), wanted, "{file:?} {lines:?} {side:?} {new:?}");
    }
}

const PLAIN: &[Row] = &[
    // Replaced; one break at the end of the new text is that of its last line.
    ("a\nb\nc\n", (2, 2), Replace, "B", "a\nB\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "B\n", "a\nB\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "B\n\n", "a\nB\n\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "\n", "a\n\nc\n", &[]),
    ("a\nb\nc\n", (1, 3), Replace, "x\ny", "x\ny\n", &[]),
    ("a\nb\nc\n", (1, 2), Replace, "x\r\ny", "x\ny\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "b", "a\nb\nc\n", &[]),
    ("a\nb\nc\n", (2, 2), Replace, "$& $1 \\1", "a\n$& $1 \\1\nc\n", &[]),
    // Taken out.
    ("a\nb\nc\n", (2, 2), Replace, "", "a\nc\n", &[]),
    ("a\nb\nc\n", (1, 3), Replace, "", "", &[]),
    // Put in.
    ("a\nb\n", (1, 1), Before, "x", "x\na\nb\n", &[]),
    ("a\nb\n", (1, 1), After, "x\ny\n", "a\nx\ny\nb\n", &[]),
    ("a\nb\n", (2, 2), After, "x", "a\nb\nx\n", &[]),
    ("a\nb\n", (1, 1), After, "\n", "a\n\nb\n", &[]),
    // A last line without a break stays without one.
    ("a\nb", (2, 2), Replace, "B\n", "a\nB", &[]),
    ("a\nb", (2, 2), Replace, "", "a", &[]),
    ("a\nb", (1, 2), Replace, "", "", &[]),
    ("a\nb", (1, 1), Replace, "", "b", &[]),
    ("a\nb", (2, 2), After, "c\n", "a\nb\nc", &[]),
    ("a\nb", (2, 2), Before, "c", "a\nc\nb", &[]),
    // An empty last line needs one.
    ("a\nb", (2, 2), Replace, "\n", "a\n\n", &[]),
    ("a", (1, 1), After, "\n", "a\n\n", &[]),
    ("a", (1, 1), After, "b\n\n", "a\nb\n\n", &[]),
    // The kind of line break is that of the place.
    ("a\r\nb\r\nc\r\n", (2, 2), Replace, "x\ny", "a\r\nx\r\ny\r\nc\r\n", &[]),
    ("a\r\nb\r\nc", (3, 3), Replace, "", "a\r\nb", &[]),
    ("a\r\nb", (2, 2), After, "c\nd", "a\r\nb\r\nc\r\nd", &[]),
    ("a\r\nb\nc\nd\n", (3, 3), Replace, "x\ny", "a\r\nb\nx\ny\nd\n", &[]),
    ("a\r\nb\nc\nd\n", (1, 1), Replace, "x\ny", "x\r\ny\r\nb\nc\nd\n", &[]),
    // A byte order mark is no part of line 1, and a lone carriage return ends no line.
    ("\u{FEFF}a\nb\n", (1, 1), Replace, "x", "\u{FEFF}x\nb\n", &[]),
    ("\u{FEFF}a\nb\n", (1, 1), Before, "x", "\u{FEFF}x\na\nb\n", &[]),
    ("a\rb\nc\n", (2, 2), Replace, "x", "a\rb\nx\n", &[]),
    // An empty file is filled as it is said.
    ("", (1, 1), Replace, "x", "x", &[]),
    ("", (1, 1), Before, "x\n", "x\n", &[]),
    ("", (1, 1), After, "x\ny", "x\ny", &[]),
];

#[test]
fn lines_are_replaced_taken_out_and_put_in() {
    check(PLAIN);
}

#[test]
fn lines_that_are_not_there_are_said() {
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
    for (file, lines, side, new, wanted) in rows {
        assert_eq!(apply(file, lines, side, new), Err(wanted), "{file:?} {lines:?}");
    }
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
    // Without a space behind the bars, all that is behind them belongs to the lines.
    (
        TEN,
        (5, 5),
        Replace,
        "5:ab|x {\n6:cd|  y\n7:ee|}",
        "l1\nl2\nl3\nl4\nx {\n  y\n}\nl6\nl7\nl8\nl9\nl10\n",
        &[NUMBERS],
    ),
    // Half of the lines or fewer, numbers that do not rise or are far off.
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
    // Tables: with bars at both ends, and rows as the file has them itself.
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
        "match n {\n    1 | 2 => a,\n}\n",
        (2, 2),
        Replace,
        "    1 | 2 => b,\n    3 | 4 => c,",
        "match n {\n    1 | 2 => b,\n    3 | 4 => c,\n}\n",
        &[],
    ),
];

#[test]
fn line_numbers_are_taken_off_where_they_are_no_content() {
    check(NUMBERED);
}

const RUST: &str = "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += item.price;\n    }\n    sum\n}\n";

const REPEATED: &[Row] = &[
    // The line before, the line behind, both, and several.
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
    // What closes the repeated beginning is repeated, too.
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
    // A bracket that the new text has too many, at either end.
    ("func B() {\n\ty()\n}\n", (1, 2), Replace, "func B() {\n\tz()\n}", "func B() {\n\tz()\n}\n", &[BEHIND]),
    ("f {\n\ty()\n}\n", (2, 3), Replace, "f {\n\tz()\n}\n", "f {\n\tz()\n}\n", &[BEFORE]),
    ("a {\n    b\n}\n", (2, 2), Replace, "    c\n}", "a {\n    c\n}\n", &[BEHIND]),
    // Short lines at both ends.
    (
        "a = 1\nif a:\n    b = 2\n    c = 3\nd = 4\n",
        (3, 4),
        Replace,
        "if a:\n    b = 22\n    c = 33\nd = 4",
        "a = 1\nif a:\n    b = 22\n    c = 33\nd = 4\n",
        &[BEFORE, BEHIND],
    ),
    // What is opened and closed within the new text stays whole.
    (
        "begin_list(items, [\n  1,\n]);\n",
        (2, 2),
        Replace,
        "begin_list(items, [\n  2,\n]);\nbegin_list(more, [\n  3,",
        "begin_list(items, [\n  2,\n]);\nbegin_list(more, [\n  3,\n]);\n",
        &[BEFORE],
    ),
    // The anchor of what is put in.
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
fn repeated_lines_are_left_out_where_nobody_means_them() {
    check(REPEATED);
}

const MEANT: &[Row] = &[
    // A bracket behind a bracket, alone.
    (
        RUST,
        (4, 4),
        Replace,
        "        if sum > 9 {\n            sum += 1;\n        }",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        if sum > 9 {\n            sum += 1;\n        }\n    }\n    sum\n}\n",
        &[],
    ),
    // A bracket that the file lacks.
    ("a {\n  c {\n    b\n}\n", (3, 3), Replace, "    b\n  }", "a {\n  c {\n    b\n  }\n}\n", &[]),
    ("{\nb\n}\n", (2, 2), Replace, "{\nc\n}", "{\n{\nc\n}\n}\n", &[]),
    // What closes a block of the new text itself.
    (
        RUST,
        (4, 4),
        Replace,
        "for item in items {\nif item.ok {\nsum += item.price;\n}",
        "fn total(items: &[Item]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        if item.ok {\n        sum += item.price;\n        }\n    }\n    sum\n}\n",
        &[BEFORE, EIGHT],
    ),
    // Nothing would be left.
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
    // A line that stands in the file more than once, a short one, a blank one.
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
    // The old first line is the same as the one before it: the new text keeps it.
    (
        "push(item, 1)\npush(item, 1)\n",
        (2, 2),
        Replace,
        "push(item, 1)\ndone()",
        "push(item, 1)\npush(item, 1)\ndone()\n",
        &[],
    ),
    // Put in before the anchor: what begins like the line above is no echo of the anchor.
    (
        "first_line(a)\nsecond_line(b)\n",
        (2, 2),
        Before,
        "first_line(a)\nx",
        "first_line(a)\nfirst_line(a)\nx\nsecond_line(b)\n",
        &[],
    ),
    // Leaving it out would tear the brackets apart.
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
fn what_may_be_meant_twice_stays() {
    check(MEANT);
}

const LOST: &[Row] = &[
    // All of it, or of the first line alone.
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
    // Blank lines get none.
    ("f:\n    a()\n", (2, 2), Replace, "b()\n\nc()", "f:\n    b()\n\n    c()\n", &[FOUR]),
    // Less than before, more than before, or the same words moved: all meant.
    ("f:\n        return x\n", (2, 2), Replace, "    return y", "f:\n    return y\n", &[]),
    ("f:\n    a\n", (2, 2), Replace, "        b", "f:\n        b\n", &[]),
    ("  - item\n", (1, 1), Replace, "- item", "- item\n", &[]),
    // The old lines reach the left themselves.
    ("    a\nb\n", (1, 2), Replace, "c\nd", "c\nd\n", &[]),
    ("a\n", (1, 1), Replace, "b", "b\n", &[]),
    // Directives and literals over several lines.
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
    // What is put in has no lines whose indentation it could have lost.
    ("f:\n    a()\n", (2, 2), After, "b()", "f:\n    a()\nb()\n", &[]),
];

#[test]
fn lost_indentation_comes_back() {
    check(LOST);
}

#[test]
fn corrections_come_together() {
    let new = "3:00 | for item in items {\n4:00 | sum += 2;";
    let wanted = RUST.replace("item.price", "2");
    check_one(RUST, new, &wanted, &[NUMBERS, BEFORE, EIGHT]);
}

fn check_one(file: &str, new: &str, wanted: &str, corrections: &[&str]) {
    let (out, found) = apply(file, (4, 4), Replace, new).unwrap();
    assert_eq!((out.as_str(), found), (wanted, corrections.iter().map(ToString::to_string).collect()));
}
