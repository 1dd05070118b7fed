//! Patches: formats, locations of hunks, and rejected patches.

use toolpost_test_rows::each;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use toolpost_text::encoding::Text;
use toolpost_text::patch::{
    Hunk, HunkError, HunkProblem, Invocation, PatchAction, PatchResult, apply, apply_first, invocation,
    is_unified, parse,
};

/// Parses a patch for one file and applies it to a text.
fn put(before: &str, patch: &str) -> Result<(String, Vec<String>), String> {
    put_by(apply, before, patch)
}

/// A function that applies hunks to a text.
type Apply = fn(&str, &[Hunk]) -> Result<PatchResult, HunkError>;

/// Parses a patch for one file and applies it to a text with the given function.
fn put_by(apply: Apply, before: &str, patch: &str) -> Result<(String, Vec<String>), String> {
    let patch = parse(patch, Some("f")).map_err(|error| error.to_string())?;
    let [file] = patch.files.as_slice() else { return Err(format!("{} files", patch.files.len())) };
    let hunks = match &file.what {
        PatchAction::Update { hunks, .. } | PatchAction::Delete { hunks } => hunks,
        PatchAction::Add { content } => return Ok((content.clone(), Vec::new())),
    };
    let text = Text::open(before.into(), None).unwrap();
    let PatchResult { splices, notes, .. } = apply(text.view(), hunks).map_err(|misfit| say(&misfit))?;
    Ok((String::from_utf8(text.splice(&splices).unwrap()).unwrap(), notes))
}

fn say(misfit: &HunkError) -> String {
    let what = match &misfit.trouble {
        HunkProblem::Scope { scope, before, .. } => format!("no scope {scope:?}, before {before:?}"),
        HunkProblem::Lines { old, before, already, .. } => {
            let already = already.map(|lines| (lines.first, lines.last));
            format!("no lines {old:?}, before {before:?}, already {already:?}")
        }
        HunkProblem::Ambiguous { count, places, header } => {
            let lines: Vec<usize> = places.iter().map(|place| place.line).collect();
            format!("{count} places, at {lines:?}, header {header:?}")
        }
        HunkProblem::TooMuch => "too much".to_owned(),
        HunkProblem::Place { line, count, lines } => format!("no place, {count} at {line} of {lines}"),
    };
    format!("{}/{} at {}: {what}", misfit.hunk, misfit.of, misfit.at)
}

fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{hunks}\n*** End Patch")
}

/// Each row has a name, the text before, the patch without the lines that `form` adds around it, and the text
/// afterwards.
fn check<const COUNT: usize>(rows: [(&str, &str, &str, &str); COUNT], form: fn(&str) -> String) {
    each(rows, |(name, before, patch, after)| {
        let found = put(before, &form(patch)).map(|(after, _)| after);
        assert_eq!(found.as_deref(), Ok(after), "{name}");
    });
}

#[test]
fn envelope_hunks_apply_at_their_matching_lines() {
    let rows: [(&str, &str, &str, &str); 27] = [
        (
            "nested scopes",
            "class A\n  def x\n    1\nclass B\n  def x\n    1\n",
            "@@ class B\n@@   def x\n-    1\n+    2",
            "class A\n  def x\n    1\nclass B\n  def x\n    2\n",
        ),
        ("the scope repeated as context", "a\nb\nc\n", "@@ b\n b\n-c\n+C", "a\nb\nC\n"),
        (
            "the beginning of a line as scope",
            "class A:\n  1\nclass B(A):\n  1\n",
            "@@ class B\n-  1\n+  2",
            "class A:\n  1\nclass B(A):\n  2\n",
        ),
        ("scope between two marks", "x\n1\ny\n1\n", "@@ y @@\n-1\n+2", "x\n1\ny\n2\n"),
        ("only new lines behind a scope", "a\nb\nc\n", "@@ b\n+new", "a\nb\nnew\nc\n"),
        ("only new lines", "a\n", "@@\n+new", "a\nnew\n"),
        ("only new lines behind a line without a break", "a", "@@\n+new", "a\nnew\n"),
        ("only new lines in an empty file", "", "@@\n+new", "new\n"),
        ("numbers inside the envelope", "x\n1\nx\n1\n", "@@ -3,2 +3,2 @@\n x\n-1\n+2", "x\n1\nx\n2\n"),
        ("three points between marks", "x\n1\n", "@@ ... @@\n-1\n+2", "x\n2\n"),
        ("the end of the file", "x\n1\nx\n1\n", "@@\n-1\n+2\n*** End of File", "x\n1\nx\n2\n"),
        ("the end of the file, where it is not", "x\n1\ny\n", "@@\n-1\n+2\n*** End of File", "x\n2\ny\n"),
        (
            "context of two hunks that overlaps",
            "a\nb\nc\nd\n",
            "@@\n-a\n+A\n b\n c\n@@\n b\n c\n-d\n+D",
            "A\nb\nc\nD\n",
        ),
        (
            "context that is written otherwise stays",
            "  a \t\nb\n“c”\n",
            "@@\n a\n-b\n+B\n \"c\"",
            "  a \t\nB\n“c”\n",
        ),
        ("a remark about a last break", "a\nb", "@@\n-b\n+c\n\\ No newline at end of file", "a\nc"),
        ("a blank line without its space", "a\n\nb\n", "@@\n a\n\n-b\n+c", "a\n\nc\n"),
        ("the last line stays without a break", "a\nb", "@@\n-a\n+A\n b", "A\nb"),
        ("the last line is written anew", "a\nb", "@@\n a\n-b\n+B", "a\nB\n"),
        ("the last line goes", "a\nb", "@@\n a\n-b", "a\n"),
        ("all lines go", "a\nb\n", "@@\n-a\n-b", ""),
        ("lines of a CRLF file", "a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+BB\n c", "a\r\nB\r\nBB\r\nc\r\n"),
        ("lines with CR for a CRLF file", "a\r\nb\r\n", "@@\n a\r\n-b\r\n+B\r", "a\r\nB\r\n"),
        ("lines with CR for an LF file", "a\nb\n", "@@\n a\r\n-b\r\n+B\r", "a\nB\n"),
        ("a byte order mark", "\u{feff}a\nb\n", "@@\n-a\n+A", "\u{feff}A\nb\n"),
        ("signs in the text", "-a\n+b\n c\n", "@@\n -a\n-+b\n++B\n  c", "-a\n+B\n c\n"),
        ("hunks without a space behind the marks", "a\nb\n", "@@\n-a\n+A\n@@ \n-b\n+B", "A\nB\n"),
        ("removed and added lines by turns", "a\nb\n", "@@\n-a\n+A\n-b\n+B", "A\nB\n"),
    ];
    check(rows, envelope);
}

#[test]
fn new_lines_adopt_indentation_and_quotes_of_the_file() {
    let rows: [(&str, &str, &str, &str); 6] = [
        (
            "new lines in blanks for a file in tabs",
            "def f():\n\tif 1:\n\t\tx = 1\n\t\treturn 2\n",
            "@@\n     if 1:\n-        x = 1\n+        x = 9\n+        if x:\n+            x = 8\n         return 2",
            "def f():\n\tif 1:\n\t\tx = 9\n\t\tif x:\n\t\t\tx = 8\n\t\treturn 2\n",
        ),
        (
            "new lines indented deeper than the file",
            "class A {\n  m() {\n    return 0;\n  }\n}\n",
            "@@\n-        return 0;\n+        return 1;\n     }",
            "class A {\n  m() {\n    return 1;\n  }\n}\n",
        ),
        (
            "new lines that are indented like the file already",
            "f:\n\tg:\n\t\ta\n",
            "@@\n g:\n-a\n+\t\tb",
            "f:\n\tg:\n\t\tb\n",
        ),
        (
            "old lines without a common shift, new ones like the line that they replace",
            "f:\n  g:\n      a\n",
            "@@\n g:\n-a\n+b",
            "f:\n  g:\n      b\n",
        ),
        (
            "look-alike characters that the change does not mean",
            "He said \u{201C}hello\u{201D} \u{2014} it\u{2019}s fine.\n",
            "@@\n-He said \"hello\" - it's fine.\n+He said \"bye\" - it's bad.",
            "He said \u{201C}bye\u{201D} \u{2014} it\u{2019}s bad.\n",
        ),
        ("an indented line that goes", "f:\n\tg\n\th\n", "@@\n-  g\n   h", "f:\n\th\n"),
    ];
    each(rows, |(name, before, hunks, after)| {
        let found = put(before, &envelope(hunks)).map(|(after, _)| after);
        assert_eq!(found.as_deref(), Ok(after), "{name}");
    });
}

#[test]
fn unified_diff_hunks_apply_at_their_matching_lines() {
    let rows: [(&str, &str, &str, &str); 18] = [
        (
            "numbers beyond every file",
            "a\n1\n",
            "@@ -9223372036854775809,1 +1,1 @@\n-a\n+b\n@@ -18446744073709551615 +1 @@\n-1\n+2\n",
            "b\n2\n",
        ),
        ("wrong numbers", "x\n1\ny\n", "@@ -70,9 +71,2 @@\n x\n-1\n+2\n", "x\n2\ny\n"),
        ("the nearest to the numbers", "1\n1\n1\n1\n", "@@ -3 +3 @@\n-1\n+2\n", "1\n1\n2\n1\n"),
        (
            "numbers that the hunk before corrects",
            "new\n1\na\n1\n1\n",
            "@@ -1,2 +1,2 @@\n 1\n-a\n+b\n@@ -4 +4 @@\n-1\n+2\n",
            "new\n1\nb\n1\n2\n",
        ),
        ("only new lines behind a number", "a\nb\n", "@@ -1,0 +2 @@\n+new\n", "a\nnew\nb\n"),
        ("only new lines at the beginning", "a\n", "@@ -0,0 +1 @@\n+new\n", "new\na\n"),
        ("only new lines without numbers", "a\n", "@@ ... @@\n+new\n", "a\nnew\n"),
        ("the last line keeps its lack of a break", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB"),
        ("the last line gets a break", "a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"),
        ("the last line loses its break", "a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a"),
        ("a lost space before a tab", "{\n\tx\n}\n", "@@ -1,3 +1,3 @@\n {\n\tx\n-}\n+]\n", "{\n\tx\n]\n"),
        ("blank lines behind it", "a\nb\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n\n\n", "A\nb\n"),
        (
            "lines that look like names",
            "-- x\ny\n",
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- x\n+++ x\n y\n",
            "++ x\ny\n",
        ),
        (
            "lines that look like names, before a hunk",
            "-- x\ny\na\n",
            "@@ -1 +1 @@\n--- x\n+++ x\n@@ -3 +3 @@\n-a\n+b\n",
            "++ x\ny\nb\n",
        ),
        (
            "the end of a mail",
            "a\n",
            "From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n---\n f | 2 +-\n\ndiff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n-- \n2.39.2\n",
            "A\n",
        ),
        ("a heading behind the numbers", "x\n1\n", "@@ -1,2 +1,2 @@ fn elsewhere()\n x\n-1\n+2\n", "x\n2\n"),
        (
            "a name of Subversion",
            "a\n",
            "Index: f\n=====\n--- f\t(revision 7)\n+++ f\t(working copy)\n@@ -1 +1 @@\n-a\n+A\n",
            "A\n",
        ),
        (
            "a diff with CRLF",
            "a\nb\n",
            "--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n",
            "a\nB\n",
        ),
    ];
    check(rows, str::to_owned);
}

#[test]
fn chosen_or_inexact_matches_are_noted() {
    let rows: [(&str, &str, &[&str]); 10] = [
        ("1\nx\n1\n", "@@ -1 +1 @@\n-1\n+2", &[]),
        ("1\nx\n1\n", "@@ x\n-1\n+2", &[]),
        (
            "1\nx\nx\n1\n",
            "@@ -2 +2 @@\n-1\n+2",
            &[
                "the lines of the hunk occur 2 times, at lines 1 and 4; used line 1, the nearest to line 2 of its header",
            ],
        ),
        (
            "1\nx\nx\n1\n1\n1\n1\n1\n",
            "@@ -3 +3 @@\n-1\n+2",
            &[
                "the lines of the hunk occur 6 times, at lines 1, 4, 5, 6, 7 (and 1 more); used line 4, the nearest to line 3 of its header",
            ],
        ),
        (
            "new\n1\na\nx\n1\nx\nx\n1\n",
            "@@ -1,2 +1,2 @@\n 1\n-a\n+b\n@@ -3 +3 @@\n-1\n+2",
            &[
                "the lines of hunk 2 occur 2 times, at lines 5 and 8; used line 5, the nearest to line 4 (line 3 of its header, shifted like the previous hunk)",
            ],
        ),
        // Line 4 is in the block of the function; after a line that opens no block, the first match is used.
        ("def f():\n    x\n    1\n\ndef g():\n    1\n", "@@ def f():\n-    1\n+    2", &[]),
        (
            "a\nb\n1\nc\n1\n",
            "@@ b\n-1\n+2",
            &[
                "the lines of the hunk occur 2 times after the line that follows `@@`, at lines 3 and 5; used line 3",
            ],
        ),
        (
            "a  \nb\n",
            "@@\n a\n-b\n+c",
            &["the hunk was found at line 1 although these differed from the file: white space at line ends"],
        ),
        (
            "\ta – b\n",
            "@@\n-a - b\n+c",
            &[
                "the hunk was found at line 1 although these differed from the file: look-alike quotes, dashes or spaces, indentation",
            ],
        ),
        // A line that must stand after another hunk can only be the last one.
        ("1\nx\n1\n", "@@\n-x\n+y\n@@\n-1\n+2", &[]),
    ];
    each(rows, |(before, hunks, notes)| {
        assert_eq!(put(before, &envelope(hunks)).unwrap().1, notes, "{hunks}");
    });
}

/// Two classes with the same functions.
const CLASSES: &str = "class A:\n  def x(self):\n    1\n  def y(self):\n    1\nclass B:\n  def x(self):\n    1\n  def y(self):\n    1\n";

/// Without a line number, only the other hunks, a line after `@@` or the end of the file can determine which of several
/// places a hunk means. Each row has the refusal, and the text and the notes if the first place is taken.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of hunks and refusals")]
fn hunk_that_fits_several_places_is_refused_unless_the_patch_decides() {
    let classes = CLASSES;
    let first = |lines: &str, line: usize| {
        format!("the lines of the hunk occur 2 times, at lines {lines}; used line {line}, the first")
    };
    let after = |lines: &str, count: usize, line: usize| {
        format!(
            "the lines of the hunk occur {count} times, at lines {lines}; used line {line}, the first after the line that follows `@@`"
        )
    };
    let refused = [
        (
            "1\nx\n1\n",
            "@@\n-1\n+2",
            "1/1 at 3: 2 places, at [1, 3], header None",
            "2\nx\n1\n",
            first("1 and 3", 1),
        ),
        (
            "a\n1\nx\n1\n",
            "@@\n-a\n@@\n-1\n+2",
            "2/2 at 5: 2 places, at [2, 4], header None",
            "2\nx\n1\n",
            first("2 and 4", 2).replace("the hunk", "hunk 2"),
        ),
        // Two matches that overlap.
        (
            "1\n1\n1\n",
            "@@\n 1\n-1\n+2",
            "1/1 at 3: 2 places, at [1, 2], header None",
            "1\n2\n1\n",
            first("1 and 2", 1),
        ),
        // The line after `@@` occurs twice, or the place occurs twice in its block.
        (
            classes,
            "@@   def x(self):\n-    1\n+    2",
            "1/1 at 3: 2 places, at [3, 8], header None",
            "",
            after("3 and 8", 2, 3),
        ),
        (
            classes,
            "@@ class B:\n-    1\n+    2",
            "1/1 at 3: 2 places, at [8, 10], header None",
            "",
            after("8 and 10", 2, 8),
        ),
        (
            classes,
            "@@   def y(self):\n+    2",
            "1/1 at 3: 2 places, at [5, 10], header None",
            "",
            after("5 and 10", 2, 5),
        ),
        // The function is repeated as the first line.
        (
            classes,
            "@@   def x(self):\n   def x(self):\n-    1\n+    2",
            "1/1 at 3: 2 places, at [2, 7], header None",
            "",
            after("2 and 7", 2, 2),
        ),
        // Not at the end of the file.
        (
            "1\nx\n1\nx\n",
            "@@\n-1\n+2\n*** End of File",
            "1/1 at 3: 2 places, at [1, 3], header None",
            "1\nx\n2\nx\n",
            "the lines of the hunk occur 2 times, at lines 1 and 3; used line 3, the last".to_owned(),
        ),
    ];
    each(refused, |(before, hunks, words, text, note)| {
        assert_eq!(put(before, &envelope(hunks)).unwrap_err(), words, "{hunks}");
        let (after, notes) = put_by(apply_first, before, &envelope(hunks)).unwrap();
        assert_eq!(notes, [note], "{hunks}");
        assert!(text.is_empty() || after == text, "{hunks}: {after}");
    });
}

/// A line number with two equally near places, or none near it, decides nothing.
#[test]
fn hunk_is_refused_if_its_line_number_does_not_decide() {
    let far = format!("1\n{}1\n", "x\n".repeat(100));
    let numbered = [
        ("1\nx\n1\n", "@@ -2 +2 @@\n-1\n+2", "1/1 at 3: 2 places, at [1, 3], header Some(2)"),
        (far.as_str(), "@@ -50 +50 @@\n-1\n+2", "1/1 at 3: 2 places, at [1, 102], header Some(50)"),
        // The hunk before shifts the location, but not the number that the error repeats.
        (
            "new\n1\na\n1\nx\n1\n",
            "@@ -1,2 +1,2 @@\n 1\n-a\n+b\n@@ -4 +4 @@\n-1\n+2",
            "2/2 at 7: 2 places, at [4, 6], header Some(4)",
        ),
    ];
    each(numbered, |(before, hunks, words)| {
        assert_eq!(put(before, &envelope(hunks)).unwrap_err(), words, "{hunks}");
    });
}

/// Another hunk, the end of the file, or lines after `@@` determine which of several places a hunk means.
#[test]
fn rest_of_the_patch_can_determine_the_place_of_a_hunk() {
    let classes = CLASSES;
    let nested = classes
        .replacen("1\n  def y(self):\n    1\n", "2\n  def y(self):\n    1\n", 2)
        .replacen("    2", "    1", 1);
    let decided = [
        ("1\nx\n1\n", "@@\n-1\n+2\n@@\n-1\n+3", "2\nx\n3\n"),
        ("1\nx\n1\n", "@@\n-1\n+2\n@@\n-x\n+y", "2\ny\n1\n"),
        ("1\nx\n1\n", "@@\n-x\n+y\n@@\n-1\n+2", "1\ny\n2\n"),
        ("1\nx\n1\nx\n", "@@\n-1\n+2\n@@\n x\n-1\n+3\n x", "2\nx\n3\nx\n"),
        ("1\nx\n1\n", "@@\n-1\n+2\n*** End of File", "1\nx\n2\n"),
        (classes, "@@ class B:\n@@   def x(self):\n-    1\n+    2", nested.as_str()),
    ];
    each(decided, |(before, hunks, text)| {
        assert_eq!(put(before, &envelope(hunks)), Ok((text.to_owned(), Vec::new())), "{hunks}");
    });
}

#[test]
fn unmatched_hunk_error_names_hunk_and_missing_lines() {
    let rows: [(&str, &str, &str); 9] = [
        ("a\n", "@@ b\n-a\n+c", "1/1 at 3: no scope \"b\", before None"),
        ("a\nb\n", "@@\n-b\n+B\n@@ a\n-b\n+c", "2/2 at 6: no scope \"a\", before Some(1)"),
        ("a\n", "@@\n-b\n+c", "1/1 at 3: no lines \"b\", before None, already None"),
        (
            "x\nnew\ny\n",
            "@@\n x\n-old\n+new\n y",
            "1/1 at 3: no lines \"x\\nold\\ny\", before None, already Some((1, 3))",
        ),
        ("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A", "2/2 at 6: no lines \"a\", before Some(1), already None"),
        ("a\n", "@@ -3,2 +3,4 @@\n+b", "1/1 at 3: no place, 2 at 3 of 1"),
        ("a\n", "@@ -3,0 +3 @@\n+b", "1/1 at 3: no place, 0 at 3 of 1"),
        ("", "@@\n-a\n+b", "1/1 at 3: no lines \"a\", before None, already None"),
        // The indentation of the new line is unknown between lines that are shifted differently.
        (
            "f:\n  g:\n      a\n",
            "@@\n g:\n+b\n a",
            "1/1 at 3: no lines \"g:\\na\", before None, already None",
        ),
    ];
    each(rows, |(before, hunks, words)| {
        assert_eq!(put(before, &envelope(hunks)).unwrap_err(), words);
    });
}

#[test]
fn removed_blank_line_must_exist_in_the_file() {
    let diff = "@@ -1,2 +1 @@\n a\n-\n";
    assert_eq!(put("a\nb\n", diff).unwrap_err(), "1/1 at 1: no lines \"a\\n\", before None, already None");
    assert_eq!(put("a\n\nb\n", diff).unwrap().0, "a\nb\n");
}

#[test]
fn code_fences_and_shell_heredocs_around_a_patch_are_removed() {
    let bare = envelope("@@\n-a\n+b");
    let diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    let rows = [
        bare.clone(),
        format!("\n\n  {bare}  \n\n"),
        format!("```\n{bare}\n```"),
        format!("Here it is:\n\n```diff\n{bare}\n```\nDone."),
        format!("````patch\n{diff}````\n"),
        format!("Like this:\n~~~\n{diff}~~~\n\n```sh\nmake\n```\n"),
        format!("<<EOF\n{bare}\nEOF"),
        format!("<<-'END'\n{bare}\nEND\n"),
        format!("cat <<\"EOF\"\n{bare}\nEOF\n"),
        format!("apply_patch <<'PATCH'\n{bare}\nPATCH"),
        format!("bash -lc 'apply_patch <<'EOF'\n{bare}\nEOF\n'"),
        format!("```bash\napply_patch <<'EOF'\n{bare}\nEOF\n```"),
        format!("apply_patch <<'EOF'\n{bare}\n"),
        bare.replace('\n', "\r\n"),
        diff.to_owned(),
        diff.trim_end().to_owned(),
        "@@ ... @@\n-a\n+b".to_owned(),
        "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
    ];
    each(rows, |text| {
        assert_eq!(put("a\n", &text).map(|(after, _)| after).as_deref(), Ok("b\n"), "{text}");
    });
    let entered = parse(&format!("cd 'a b' && apply_patch <<'EOF'\n{bare}\nEOF"), None).unwrap();
    assert_eq!(entered.directory.as_deref(), Some("a b"));
}

/// Describes the change of each file of a patch in a few words.
fn files(patch: &str) -> Result<Vec<String>, String> {
    let hunks = |hunks: &[Hunk]| format!("{} hunks", hunks.len());
    let patch = parse(patch, None).map_err(|error| error.to_string())?;
    let sections = patch.files.iter().map(|file| match &file.what {
        PatchAction::Add { content } => format!("add {}: {content:?}", file.path),
        PatchAction::Delete { hunks: gone } => format!("delete {}: {}", file.path, hunks(gone)),
        PatchAction::Update { move_to: None, hunks: all } => format!("update {}: {}", file.path, hunks(all)),
        PatchAction::Update { move_to: Some(to), hunks: all } => {
            format!("move {} to {to}: {}", file.path, hunks(all))
        }
    });
    Ok(sections.collect())
}

#[test]
fn all_kinds_of_patch_sections_are_parsed() {
    let git = |rest: &str| format!("diff --git a/f b/f\n{rest}");
    let rows: [(String, &[&str]); 20] = [
        ("*** Begin Patch\n*** Add File: f\n+a\n\n+b\n\n*** Delete File: g\n*** End Patch".into(), &["add f: \"a\\n\\nb\\n\"", "delete g: 0 hunks"]),
        ("*** Begin Patch\n*** Add File: f\na\n b\n*** Add File: g\n*** End Patch".into(), &["add f: \"a\\n b\\n\"", "add g: \"\""]),
        ("*** Begin Patch\r\n*** Add File: f\r\n+a\r\n*** End Patch\r\n".into(), &["add f: \"a\\r\\n\""]),
        ("*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch".into(), &["move f to g: 0 hunks"]),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n\n*** Update File: f\n-b\n+c\n@@\n d\n*** End Patch".into(), &["update f: 1 hunks", "update f: 2 hunks"]),
        (git("new file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"), &["add f: \"a\\nb\""]),
        (git("new file mode 100644\nindex 0000000..e69de29\n"), &["add f: \"\""]),
        (git("deleted file mode 100755\nindex 1..0\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), &["delete f: 1 hunks"]),
        (git("deleted file mode 100644\nindex e69de29..0000000\n"), &["delete f: 0 hunks"]),
        ("diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n".into(), &["move f to g: 0 hunks"]),
        ("diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n".into(), &["move f to g: 1 hunks"]),
        ("diff --git \"a/\\303\\244 b\" \"b/\\303\\244 b\"\n--- \"a/\\303\\244 b\"\n+++ \"b/\\303\\244 b\"\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update ä b: 1 hunks"]),
        ("--- f 1.txt\t2024-01-01\n+++ f 1.txt\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update f 1.txt: 1 hunks"]),
        ("--- i/f\n+++ w/f\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update f: 1 hunks"]),
        ("--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update a/f: 1 hunks"]),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update f: 2 hunks", "update g: 1 hunks"]),
        ("--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n".into(), &["update f: 1 hunks", "update g: 1 hunks"]),
        ("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n".into(), &["add f: \"a\\n\""]),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".into(), &["delete f: 1 hunks"]),
        ("*** Begin Patch\n*** End Patch".into(), &[]),
    ];
    each(rows, |(patch, sections)| {
        assert_eq!(files(&patch).unwrap(), sections, "{patch}");
    });
}

#[test]
fn very_long_diffs_are_parsed() {
    let lines = 300_000;
    let numbered = format!("--- /dev/null\n+++ b/f\n@@ -0,0 +1,{lines} @@\n{}", "+\n".repeat(lines));
    assert_eq!(files(&numbered).unwrap(), [format!("add f: {:?}", "\n".repeat(lines))]);
    let name = "x ".repeat(lines) + "x";
    let named = format!("diff --git a/{name} b/{name}\ndeleted file mode 100644\n");
    assert_eq!(files(&named).unwrap(), [format!("delete {name}: 0 hunks")]);
    let no_names = format!("diff --git {name}{name}\ndeleted file mode 100644\n");
    let words = "Invalid patch hunk on line 1: the diff has no file header; put '--- a/{path}' and '+++ b/{path}' before \
                 its first '@@'";
    assert_eq!(files(&no_names).unwrap_err(), words);
}

#[test]
fn many_blank_lines_behind_a_hunk_are_handled_quickly() {
    let text: String = (0..100_000).map(|line| format!("{line}\n")).collect();
    let blanks = "\n".repeat(50_000);
    let found = put(&text, &envelope(&format!("@@\n-9\n+nine{blanks}"))).map(|(after, _)| after);
    assert_eq!(found, Ok(text.replacen("\n9\n", "\nnine\n", 1)));
    let lost = put(&text, &envelope(&format!("@@\n-nine{blanks}"))).unwrap_err();
    assert_eq!(lost, format!("1/1 at 3: no lines {:?}, before None, already None", format!("nine{blanks}")));
}

fn refuse<const COUNT: usize>(rows: [(String, &str); COUNT]) {
    each(rows, |(patch, words)| {
        assert_eq!(files(&patch).unwrap_err(), words);
    });
}

#[test]
fn invalid_patch_is_refused_with_its_line() {
    let body = |rest: &str| format!("*** Begin Patch\n*** Update File: f\n{rest}\n*** End Patch");
    refuse([
        (
            String::new(),
            "Invalid patch: The first line of the patch must be '*** Begin Patch'; the text is empty",
        ),
        (
            "what\n".into(),
            "Invalid patch: The first line of the patch must be '*** Begin Patch'; line 1 is 'what'",
        ),
        (
            "\n*** Begin Patch\n*** Add File: f\n+a\n".into(),
            "Invalid patch: The last line of the patch must be '*** End Patch'; line 4 is '+a'",
        ),
        (
            "*** Update File: f\n@@\n-a\n+b\n".into(),
            "Invalid patch: The first line of the patch must be '*** Begin Patch'; line 1 is '*** Update File: f'",
        ),
        (
            "```\n*** Begin Patch\n*** Foo\n*** End Patch\n```".into(),
            "Invalid patch hunk on line 3: '*** Foo' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
        ),
        (body(""), "Invalid patch hunk on line 2: Update file hunk for path 'f' is empty"),
        (body("@@"), "Invalid patch hunk on line 4: Update hunk does not contain any lines"),
        (body("@@\n*** End of File"), "Invalid patch hunk on line 4: Update hunk does not contain any lines"),
        (
            body("@@\nbad"),
            "Invalid patch hunk on line 4: Unexpected line found in update hunk: 'bad'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)",
        ),
        (
            body("@@\n-a\nbad"),
            "Invalid patch hunk on line 5: Expected update hunk to start with a @@ context marker, got: 'bad'",
        ),
        (
            "*** Begin Patch\n*** Add File: f\n+a\nb\n+c\n*** End Patch".into(),
            "Invalid patch hunk on line 4: 'b' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
        ),
        (
            "*** Begin Patch\n*** Delete File:\n*** End Patch".into(),
            "Invalid patch hunk on line 2: '*** Delete File:' has no path",
        ),
        (
            "*** Begin Patch\n*** Update File: f\n*** Move to:\n*** End Patch".into(),
            "Invalid patch hunk on line 3: '*** Move to:' has no path",
        ),
        (
            "```\n*** Begin Patch\n*** End Patch\n```\n```\n*** Begin Patch\n*** End Patch\n```".into(),
            "Invalid patch: several code blocks contain a patch; combine them into one patch",
        ),
    ]);
}

#[test]
fn unsupported_unified_diff_is_refused_with_its_line() {
    refuse([
        (
            "@@ -1 +1 @@\n-a\n+b\n".into(),
            "Invalid patch hunk on line 1: the diff has no file header; put '--- a/{path}' and '+++ b/{path}' before its first '@@'",
        ),
        (
            "--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n".into(),
            "Invalid patch hunk on line 1: the diff has 'f' as the old and 'g' as the new file; use the same path twice, or add 'rename from f' and 'rename to g' before the '---' line",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nwhat\n".into(),
            "Invalid patch hunk on line 6: Unexpected line found in update hunk: 'what'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n+b\n".into(),
            "Invalid patch hunk on line 3: Update hunk does not contain any lines: '@@ -1 +1 @@'",
        ),
        (
            "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n".into(),
            "Invalid patch, line 3: a text patch cannot change a binary file; leave that file out",
        ),
        (
            "diff --git a/f b/f\nindex 1..2\nGIT binary patch\nliteral 3\n".into(),
            "Invalid patch, line 3: a text patch cannot change a binary file; leave that file out",
        ),
        (
            "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n".into(),
            "Invalid patch, line 2: a text patch cannot set the mode of a file; leave the mode out and set \
             it with a command",
        ),
        (
            "diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n".into(),
            "Invalid patch, line 2: a text patch cannot set the mode of a file; leave the mode out and set \
             it with a command",
        ),
        (
            "diff --git a/f b/g\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n".into(),
            "Invalid patch, line 2: a text patch cannot copy a file; add the new file with its whole content \
             instead",
        ),
        (
            "--- a/f\n+++ b/f\n+a\n".into(),
            "Invalid patch: The first line of the patch must be '*** Begin Patch'; line 1 is '--- a/f'",
        ),
    ]);
}

#[test]
fn apply_patch_invocations_are_recognised_in_shell_commands() {
    for row in load("codex-apply-patch/shell_forms.json") {
        let arguments: Vec<&str> =
            row["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let (found, directory) = match invocation(&arguments) {
            Invocation::Explicit { patch, directory } => {
                assert_eq!(files(patch).unwrap(), ["add foo: \"hi\\n\""], "{row}");
                (Value::Bool(true), directory)
            }
            Invocation::Implicit { .. } => ("implicit_invocation_error".into(), None),
            Invocation::Other => (Value::Bool(false), None),
        };
        assert_eq!((found, directory), (row["match"].clone(), row["workdir"].as_str()), "{row}");
    }
}

#[test]
fn unified_diffs_of_the_continue_suite_apply() {
    let rows = load("continue-edit/unified_diff.json");
    each(&rows, |row| {
        let diff = row["diff"].as_str().unwrap();
        if row["kind"] == "is_diff" {
            assert_eq!(is_unified(diff), row["result"] == true, "{row}");
            return;
        }
        let found = put(row["content"].as_str().unwrap(), diff).map(|(after, _)| after);
        // Here, new lines are indented like the file. The original project leaves spaces in a file that uses
        // tabs.
        let expected =
            row["expected"].as_str().map(|all| all.replace("\n  fmt.Println(\"  ", "\n\tfmt.Println(\"  "));
        assert_eq!(found.ok(), expected, "{}", row["test"]);
    });
    assert_eq!(rows.len(), 10);
}

#[test]
fn unified_diffs_of_the_aider_suite_are_parsed() {
    for row in load("aider-editblock/udiff_parse.json") {
        let patch = parse(row["text"].as_str().unwrap(), None).unwrap();
        let found = patch.files.iter().map(|file| {
            let PatchAction::Update { move_to: None, hunks } = &file.what else { panic!("{file:?}") };
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| {
                let sign = [" ", "-", "+"][line.sign as usize];
                format!("{sign}{}\n", line.text)
            });
            serde_json::json!([file.path, lines.collect::<Vec<_>>()])
        });
        assert_eq!(Value::Array(found.collect()), row["edits"]);
    }
}

#[test]
fn patches_from_public_bug_reports_give_the_expected_bytes() {
    let rows = load("issue-derived/bytes_cases.json");
    // Patches inside JSON are tested in the crate that parses JSON.
    let rows: Vec<&Value> =
        rows.iter().filter(|row| row["tool"] == "apply_patch" && row["id"] != "patch_json_wrapped").collect();
    each(&rows, |row| {
        let decode =
            |key: &str| String::from_utf8(STANDARD.decode(row[key].as_str().unwrap()).unwrap()).unwrap();
        let found = put(&decode("before"), row["patch"].as_str().unwrap()).map(|(after, _)| after);
        assert_eq!(found, Ok(decode("after")), "{row}");
    });
    assert_eq!(rows.len(), 4, "a fixture was added or lost");
}

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}
