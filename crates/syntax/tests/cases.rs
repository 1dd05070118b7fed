//! Tests of snippets merged into files of all languages.
//!
//! Each row has a snippet and the resulting diff, or the reason for a refusal.

use std::path::Path;
use toolpost_test_rows::table::Table;

use toolpost_syntax::{Item, Language, merge};
use toolpost_text::encoding::{Splice, Text};
use toolpost_text::merge::apply;
use toolpost_text::{diff, lines};

/// A file and a snippet.
#[derive(Debug)]
struct Row {
    name: String,
    file: String,
    /// The name of the language that the caller gives.
    called: Option<String>,
    old: String,
    snippet: String,
    expected: ExpectedResult,
}

#[derive(Debug, PartialEq, Eq)]
enum ExpectedResult {
    /// The lines that differ, as a unified diff without context.
    Diff(String),
    /// A part of the message.
    Refused(String),
}

const FILES: &[&str] = &[
    include_str!("cases/c.txt"),
    include_str!("cases/cpp.txt"),
    include_str!("cases/csharp.txt"),
    include_str!("cases/go.txt"),
    include_str!("cases/java.txt"),
    include_str!("cases/javascript.txt"),
    include_str!("cases/other.txt"),
    include_str!("cases/php.txt"),
    include_str!("cases/python.txt"),
    include_str!("cases/ruby.txt"),
    include_str!("cases/rust.txt"),
    include_str!("cases/typescript.txt"),
];

/// The rows of all files.
fn all() -> Vec<Row> {
    let all: Vec<Row> = FILES.iter().flat_map(|file| rows(file)).collect();
    assert_eq!(all.len(), 160, "a row was added or lost");
    all
}

fn label(row: &Row) -> String {
    format!("{}: {}", row.file, row.name)
}

pub(crate) fn every_case_gives_its_diff_or_refusal() -> Table {
    Table::new("cases::every_case_gives_its_diff_or_refusal", all(), label, |row| {
        let got = run(&row, &row.old);
        let agrees = match (&got, &row.expected) {
            (Ok(_), ExpectedResult::Diff(diff)) => shown(&row) == *diff,
            (Err(got), ExpectedResult::Refused(part)) => !part.is_empty() && got.contains(part.as_str()),
            _ => false,
        };
        assert!(agrees, "expected {:?}, and got\n{}", row.expected, shown(&row));
    })
}

/// A snippet without a marker that looks like a complete file replaces the file, and a note lists the removed
/// definitions.
pub(crate) fn a_complete_file_replaces_the_old_one_and_lists_removals() -> Table {
    let rows = rows(include_str!("cases/complete.txt"));
    assert_eq!(rows.len(), 7, "a row was added or lost");
    Table::new("cases::a_complete_file_replaces_the_old_one_and_lists_removals", rows, label, |row| {
        let wanted = match &row.expected {
            ExpectedResult::Diff(diff) => diff.clone(),
            ExpectedResult::Refused(words) => format!("refused: {words}\n"),
        };
        assert_eq!(shown(&row), wanted, "\n{}", shown(&row));
    })
}

pub(crate) fn merges_keep_unnamed_items_and_can_be_undone() -> Table {
    Table::new("cases::merges_keep_unnamed_items_and_can_be_undone", all(), label, |row| {
        let Ok((splices, got)) = run(&row, &row.old) else { return };
        assert_eq!(undone(&got, &row.old, &splices), row.old, "{}", row.name);
        let Some(language) = language(&row) else { return };
        let items = |text: &str| -> Vec<(String, String)> {
            let tree = language.parse(text).map(|tree| tree.items()).unwrap_or_default();
            let mut out = Vec::new();
            list(text, &tree, "", &mut out);
            out
        };
        let after = items(&got);
        for (name, text) in items(&row.old) {
            let mut parts = name.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let last = parts.rfind(|part| !part.is_empty()).unwrap_or_default().to_owned();
            let words: Vec<&str> = row.snippet.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let kept = after.iter().any(|(there, same)| *there == name && *same == text);
            assert!(kept || words.contains(&last.as_str()), "{}: {name} was changed", row.name);
        }
    })
}

pub(crate) fn merges_preserve_line_endings_and_byte_order_marks() -> Table {
    Table::new("cases::merges_preserve_line_endings_and_byte_order_marks", all(), label, |row| {
        let Ok((_, plain)) = run(&row, &row.old) else { return };
        let crlf = |text: &str| format!("\u{feff}{}", lines::lf(text).replace('\n', "\r\n"));
        let Ok(text) = Text::open(crlf(&row.old).into_bytes(), None) else { panic!("{}", row.name) };
        let Ok((splices, _)) = run(&row, text.view()) else { panic!("{}", row.name) };
        let Ok(bytes) = text.splice(&splices) else { panic!("{}", row.name) };
        assert_eq!(String::from_utf8_lossy(&bytes), crlf(&plain), "{}", row.name);
        let open = row.old.trim_end_matches('\n');
        if let Ok((_, got)) = run(&row, open) {
            let same = |text: &str| text.trim_end_matches('\n').to_owned();
            assert_eq!(same(&got), same(&plain), "{} without a line break at the end", row.name);
        }
    })
}

pub(crate) fn a_snippet_equal_to_the_file_changes_nothing() -> Table {
    Table::new("cases::a_snippet_equal_to_the_file_changes_nothing", all(), label, |row| {
        for snippet in [row.old.clone(), row.old.replace('\n', "\r\n"), format!("```\n{}```\n", row.old)] {
            let same = Row { snippet, ..copy(&row) };
            let got = run(&same, &same.old).map(|(_, got)| got);
            assert_eq!(got, Ok(row.old.clone()), "{}", row.name);
        }
    })
}

/// Formats the diff of a row and the notes about the merge, or the refusal.
fn shown(row: &Row) -> String {
    match merge::merge(&row.old, &row.snippet, language(row)) {
        Ok(merged) => {
            let notes: String = merged.notes.iter().map(|note| format!("note: {note}\n")).collect();
            diff::unified(&row.old, &apply(&row.old, &merged.splices), 0).text + &notes
        }
        Err(refusal) => format!("refused: {refusal}\n"),
    }
}

fn run(row: &Row, old: &str) -> Result<(Vec<Splice>, String), String> {
    let merged = merge::merge(old, &row.snippet, language(row)).map_err(|refusal| refusal.to_string())?;
    let got = apply(old, &merged.splices);
    Ok((merged.splices, got))
}

fn language(row: &Row) -> Option<Language> {
    Language::meant(Path::new(&row.file), row.called.as_deref())
}

/// Reverts splices.
fn undone(got: &str, old: &str, splices: &[Splice]) -> String {
    let (mut out, mut done, mut from) = (String::new(), 0, 0);
    for splice in splices {
        let kept = splice.range.start - from;
        out.push_str(&got[done..done + kept]);
        out.push_str(&old[splice.range.clone()]);
        done += kept + splice.new.len();
        from = splice.range.end;
    }
    out + &got[done..]
}

/// Lists the items without children, with their text.
fn list(text: &str, items: &[Item], path: &str, out: &mut Vec<(String, String)>) {
    for item in items.iter().filter(|item| item.kind.defines() || !item.children.is_empty()) {
        let name = format!("{path}/{}", item.name);
        if item.children.is_empty() {
            out.push((name, text[item.head..item.range.end].to_owned()));
        } else {
            list(text, &item.children, &name, out);
        }
    }
}

/// Reads rows: `#### file NAME [CALLED]`, then `#### case NAME` with a snippet and `#### diff` or `#### refused`.
fn rows(text: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut file, mut called, mut old) = (String::new(), None, String::new());
    for part in text.split("#### ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        match (word, rows.last_mut()) {
            ("file", _) => {
                let (name, language) =
                    rest.split_once(' ').map_or((rest, None), |(a, b)| (a, Some(b.to_owned())));
                (file, called, old) = (name.to_owned(), language, body.to_owned());
            }
            ("case", _) => rows.push(Row {
                name: rest.to_owned(),
                file: file.clone(),
                called: called.clone(),
                old: old.clone(),
                snippet: body.to_owned(),
                expected: ExpectedResult::Refused(String::new()),
            }),
            ("diff", Some(row)) => row.expected = ExpectedResult::Diff(body.to_owned()),
            ("refused", Some(row)) => row.expected = ExpectedResult::Refused(body.trim().to_owned()),
            _ => panic!("unknown part: {head}"),
        }
    }
    rows
}

fn copy(row: &Row) -> Row {
    Row {
        name: row.name.clone(),
        file: row.file.clone(),
        called: row.called.clone(),
        old: row.old.clone(),
        snippet: row.snippet.clone(),
        expected: ExpectedResult::Refused(String::new()),
    }
}
