//! Line references (`42:ab`: the number of a line and its hash) in listings, diffs and failures.

use toolpost_text::plural::counted;
use toolpost_text::{
    cut::NOTICE,
    hashline::{self, Reference},
};

/// Writes a line with its reference. A cut line has no hash, because the hash covers the whole line.
pub(super) fn line(number: u64, text: &str, cut: Option<u64>, out: &mut String) {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    match cut {
        None => hashline::refer(number, text, out),
        Some(more) => {
            let reference = Reference { line: number, hash: None };
            out.push_str(&format!(
                "{reference} | {text} {NOTICE}{} of this line]",
                counted(more, "more character")
            ));
        }
    }
    out.push('\n');
}

/// Adds references to the lines of a text that contains a unified diff or numbered lines. Removed lines of a
/// diff get none.
pub(super) fn all(text: &str) -> String {
    let mut next = None;
    let lines = text.split_inclusive('\n').map(|whole| {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        if let Some(begin) = hunk(line) {
            next = Some(begin);
            return whole.to_owned();
        }
        let Some(number) = next else { return numbered(line).map_or(whole.to_owned(), |line| line + "\n") };
        match line.split_at_checked(1) {
            Some((sign @ (" " | "+"), rest)) => {
                next = Some(number + 1);
                format!("{sign}{}\n", diffed(number, rest))
            }
            Some(("-", rest)) => format!("-     | {rest}\n"),
            _ => {
                next = next.filter(|_| line.starts_with(['\\', '[']));
                whole.to_owned()
            }
        }
    });
    lines.collect()
}

/// Writes a line of a diff with its reference, which has no hash if the line is cut.
fn diffed(number: usize, text: &str) -> String {
    if text.contains(NOTICE) && text.ends_with(']') {
        return format!("{number} | {text}");
    }
    hashline::referred(number, text)
}

/// Returns the line number in the new text at which a hunk starts; `None` if the line is not a hunk header.
fn hunk(line: &str) -> Option<usize> {
    let new = line.strip_prefix("@@ -")?.strip_suffix(" @@")?.split_once(" +")?.1;
    new.split(',').next()?.parse().ok()
}

/// Converts a line that begins with its number in at least six columns to one with a reference. A cut line gets no
/// hash, nor does a line of `CUT` characters or more, because it may be cut. `None` if the line is not numbered.
fn numbered(line: &str) -> Option<String> {
    const CUT: usize = 160;
    let (columns, text) = line.split_once('\t')?;
    let number = columns.trim_start_matches(' ').parse().ok().filter(|_| columns.len() >= 6)?;
    let whole = !text.contains(NOTICE) && text.chars().count() < CUT;
    Some(if whole { hashline::referred(number, text) } else { format!("{number} | {text}") })
}

#[cfg(test)]
mod tests {
    use super::{all, line};
    use toolpost_test_rows::each;

    #[test]
    fn lines_and_diffs_get_line_references() {
        let mut out = String::new();
        line(2, "  let t = 7;", None, &mut out);
        line(3, "long", Some(9), &mut out);
        assert_eq!(out, "2:8d |   let t = 7;\n3 | long [toolpost: 9 more characters of this line]\n");
        let rows = [
            (
                "@@ -1,3 +1,4 @@\n a\n-b\n+}\n+{\n a\n\\ No newline at end of file\n",
                "@@ -1,3 +1,4 @@\n 1:06 | a\n-     | b\n+2:22 | }\n+3:20 | {\n 4:06 | a\n\\ No newline at end of file\n",
            ),
            ("@@ -1 +1 @@\n-a\n+\n", "@@ -1 +1 @@\n-     | a\n+1:05 |\n"),
            (
                "@@ -7 +9,2 @@\n a\n[toolpost: left out 3 more lines of the diff]\n",
                "@@ -7 +9,2 @@\n 9:06 | a\n[toolpost: left out 3 more lines of the diff]\n",
            ),
            (
                "@@ -1 +1 @@\n+a [toolpost: left out 9 characters]\n",
                "@@ -1 +1 @@\n+1 | a [toolpost: left out 9 characters]\n",
            ),
            ("It begins with:\n     1\ta\n    12\t}\n", "It begins with:\n1:06 | a\n12:22 | }\n"),
            ("1000000\ta", "1000000:06 | a\n"),
            ("12\ta\n x\n", "12\ta\n x\n"),
            ("no lines", "no lines"),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(all(text), wanted);
        });
        let long = format!("    12\t{}\n", "a".repeat(160));
        assert!(all(&long).starts_with("12 | aaa"), "a line that may be cut has no hash");
    }
}
