//! Edits proposed by servers, as plain data; nothing here applies them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::answers::{self, shown};
use crate::{Span, Version, uri};

/// A file in an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path; `None` if it is not on this machine.
    pub path: Option<PathBuf>,
    /// The URI, as the server sent it.
    pub address: String,
}

/// One step of an edit. Steps apply in order, and only all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Replaces texts of a file, all at the same time.
    Edit {
        /// The file.
        file: File,
        /// The content of the file that the positions refer to.
        of: Version,
        /// The replacements, in the order of their positions; no two overlap.
        texts: Vec<Replacement>,
    },
    /// Creates an empty file.
    Create {
        /// The file.
        file: File,
        /// The behaviour if the file exists.
        existing: Existing,
    },
    /// Renames a file or directory.
    Move {
        /// The old path.
        from: File,
        /// The new path.
        to: File,
        /// The behaviour if the new path exists.
        existing: Existing,
    },
    /// Deletes a file or directory.
    Delete {
        /// The path.
        file: File,
        /// The extent for a directory.
        reach: Reach,
        /// The behaviour if the path does not exist.
        missing: Missing,
    },
}

/// A replacement of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The replaced range; an empty range inserts the new text.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The behaviour if a file to create exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The edit fails.
    Fails,
    /// The file is kept, and the step skipped.
    Kept,
    /// The file is replaced.
    Replaced,
}

/// The extent of a deleted directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The directory alone, if it is empty.
    Empty,
    /// The directory and its content.
    Contents,
}

/// The behaviour if a path to delete does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The edit fails.
    Fails,
    /// The step is skipped.
    Fine,
}

/// Returns the content that an edit refers to, by the version in the answer.
pub(crate) type Judge<'a> = dyn Fn(Option<&Path>, Option<i64>) -> Version + 'a;

/// Parses an edit: as steps, or else as replacements by file.
pub(crate) fn steps(answer: &Value, judge: &Judge<'_>) -> Result<Vec<Step>, String> {
    let odd = || format!("no edit: {}", shown(answer));
    let given = answer.as_object().ok_or_else(odd)?;
    let some = |name: &str| given.get(name).filter(|value| !value.is_null());
    let (steps, changes) = (some("documentChanges"), some("changes"));
    // A server that sends both forms means the same edit; an empty step list next to replacements was left unfilled.
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    match (steps, changes) {
        (None, None) => Ok(Vec::new()),
        (Some(steps), changes) if changes.is_none() || !empty(steps) => {
            steps.as_array().ok_or_else(odd)?.iter().map(|value| step(value, judge)).collect()
        }
        (_, Some(changes)) => {
            let mut files: Vec<_> = changes.as_object().ok_or_else(odd)?.iter().collect();
            files.sort_by_key(|(address, _)| *address);
            files.into_iter().map(|(address, texts)| edit(address, None, texts, judge)).collect()
        }
        (Some(_), None) => Err(odd()),
    }
}

fn step(value: &Value, judge: &Judge<'_>) -> Result<Step, String> {
    let odd = || format!("no step of an edit: {}", shown(value));
    let file = |name: &str| value.get(name).and_then(Value::as_str).map(file).ok_or_else(odd);
    match value.get("kind").map(Value::as_str) {
        None => {
            let address = value.pointer("/textDocument/uri").and_then(Value::as_str).ok_or_else(odd)?;
            let version = match value.pointer("/textDocument/version") {
                None | Some(Value::Null) => None,
                Some(version) => Some(version.as_i64().ok_or_else(odd)?),
            };
            edit(address, version, value.get("edits").ok_or_else(odd)?, judge)
        }
        Some(Some("create")) => Ok(Step::Create { file: file("uri")?, existing: existing(value) }),
        Some(Some("rename")) => {
            Ok(Step::Move { from: file("oldUri")?, to: file("newUri")?, existing: existing(value) })
        }
        Some(Some("delete")) => Ok(Step::Delete {
            file: file("uri")?,
            reach: if chosen(value, "recursive") { Reach::Contents } else { Reach::Empty },
            missing: if chosen(value, "ignoreIfNotExists") { Missing::Fine } else { Missing::Fails },
        }),
        Some(_) => Err(odd()),
    }
}

fn edit(address: &str, version: Option<i64>, texts: &Value, judge: &Judge<'_>) -> Result<Step, String> {
    let all = texts.as_array().ok_or_else(|| format!("no list of replacements: {}", shown(texts)))?;
    let mut texts = all.iter().map(replacement).collect::<Result<Vec<_>, _>>()?;
    // Insertions at one position keep their order, and precede a replacement that starts there.
    texts.sort_by_key(|one| one.span);
    texts.dedup_by(|other, one| other == one && one.span.from != one.span.to);
    if let Some([one, other]) = texts.array_windows().find(|[one, other]| other.span.from < one.span.to) {
        let (line, next) = (one.span.from.line + 1, other.span.from.line + 1);
        return Err(format!(
            "two replacements of {address} overlap: one from line {line}, one from line {next}"
        ));
    }
    let file = file(address);
    Ok(Step::Edit { of: judge(file.path.as_deref(), version), file, texts })
}

fn replacement(value: &Value) -> Result<Replacement, String> {
    let span = value.get("range").and_then(answers::span).filter(|span| span.from <= span.to);
    match (span, value.get("newText").and_then(Value::as_str)) {
        (Some(span), Some(text)) => Ok(Replacement { span, text: text.to_owned() }),
        _ => Err(format!("no replacement: {}", shown(value))),
    }
}

fn existing(value: &Value) -> Existing {
    if chosen(value, "overwrite") {
        Existing::Replaced
    } else if chosen(value, "ignoreIfExists") {
        Existing::Kept
    } else {
        Existing::Fails
    }
}

fn chosen(value: &Value, option: &str) -> bool {
    value.get("options").and_then(|options| options.get(option)).and_then(Value::as_bool) == Some(true)
}

fn file(address: &str) -> File {
    File { path: uri::path_of(address), address: address.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use serde_json::json;

    fn text(line: u32, from: u32, to: u32, text: &str) -> Value {
        let at = |character: u32| json!({ "line": line, "character": character });
        json!({ "range": { "start": at(from), "end": at(to) }, "newText": text })
    }

    fn replaced(line: u32, from: u32, to: u32, text: &str) -> Replacement {
        let at = |character| Position { line, character };
        Replacement { span: Span { from: at(from), to: at(to) }, text: text.to_owned() }
    }

    /// Files are at version 2.
    fn judge(_: Option<&Path>, version: Option<i64>) -> Version {
        match version {
            Some(2) => Version::Present,
            Some(_) => Version::Earlier,
            None => Version::Unknown,
        }
    }

    fn edited(name: &str, of: Version, texts: &[Replacement]) -> Step {
        Step::Edit { file: file(name), of, texts: texts.to_vec() }
    }

    #[test]
    fn edits_come_by_file_and_as_steps() {
        let (a, b) = ("file:///a", "file:///b");
        let document = |version: Value, texts: Value| json!({ "textDocument": { "uri": a, "version": version }, "edits": texts });
        let mut changes =
            json!({ "changes": { b: [text(1, 0, 1, "x")], a: [text(2, 3, 4, "y"), text(1, 0, 1, "x")] } });
        let by_file = [
            edited(a, Version::Unknown, &[replaced(1, 0, 1, "x"), replaced(2, 3, 4, "y")]),
            edited(b, Version::Unknown, &[replaced(1, 0, 1, "x")]),
        ];
        let mut rows = vec![
            (json!({}), vec![]),
            (json!({ "changes": {}, "documentChanges": null }), vec![]),
            (changes.clone(), by_file.to_vec()),
        ];
        changes["documentChanges"] = json!([]);
        rows.push((changes.clone(), by_file.to_vec()));
        changes["documentChanges"] = json!([document(json!(2), json!([text(1, 0, 1, "x")]))]);
        rows.push((changes, vec![edited(a, Version::Present, &[replaced(1, 0, 1, "x")])]));
        let versions = json!([document(json!(1), json!([])), document(Value::Null, json!([]))]);
        let judged = vec![edited(a, Version::Earlier, &[]), edited(a, Version::Unknown, &[])];
        rows.push((json!({ "documentChanges": versions }), judged));
        // Insertions at one position keep their order; duplicates count once.
        let texts = [
            text(1, 4, 6, "z"),
            text(1, 4, 4, "b"),
            text(1, 4, 4, "a"),
            text(1, 4, 6, "z"),
            text(1, 0, 4, "s"),
        ];
        let sorted =
            [replaced(1, 0, 4, "s"), replaced(1, 4, 4, "b"), replaced(1, 4, 4, "a"), replaced(1, 4, 6, "z")];
        rows.push((
            json!({ "documentChanges": [document(json!(2), json!(texts))] }),
            vec![edited(a, Version::Present, &sorted)],
        ));
        for (answer, wanted) in rows {
            assert_eq!(steps(&answer, &judge), Ok(wanted), "{answer}");
        }
    }

    #[test]
    fn files_are_made_moved_and_removed() {
        let (a, b) = ("file:///a", "untitled:b");
        let rows = [
            (
                json!({ "kind": "create", "uri": a }),
                Step::Create { file: file(a), existing: Existing::Fails },
            ),
            (
                json!({ "kind": "create", "uri": b, "options": { "ignoreIfExists": true } }),
                Step::Create { file: File { path: None, address: b.to_owned() }, existing: Existing::Kept },
            ),
            (
                json!({ "kind": "rename", "oldUri": a, "newUri": b,
                    "options": { "overwrite": true, "ignoreIfExists": true } }),
                Step::Move { from: file(a), to: file(b), existing: Existing::Replaced },
            ),
            (
                json!({ "kind": "delete", "uri": a, "options": null }),
                Step::Delete { file: file(a), reach: Reach::Empty, missing: Missing::Fails },
            ),
            (
                json!({ "kind": "delete", "uri": a, "options": { "recursive": true, "ignoreIfNotExists": true } }),
                Step::Delete { file: file(a), reach: Reach::Contents, missing: Missing::Fine },
            ),
        ];
        for (value, wanted) in rows {
            assert_eq!(steps(&json!({ "documentChanges": [value] }), &judge), Ok(vec![wanted]), "{value}");
        }
    }

    #[test]
    fn what_is_no_edit_is_told() {
        let back = json!({ "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 1, "character": 0 } },
            "newText": "" });
        let rows = [
            (json!([]), "no edit: `[]`".to_owned()),
            (json!({ "changes": [] }), "no edit: `{\"changes\":[]}`".to_owned()),
            (json!({ "documentChanges": {} }), "no edit: `{\"documentChanges\":{}}`".to_owned()),
            (json!({ "documentChanges": [1] }), "no step of an edit: `1`".to_owned()),
            (
                json!({ "documentChanges": [{ "kind": "copy" }] }),
                "no step of an edit: `{\"kind\":\"copy\"}`".to_owned(),
            ),
            (
                json!({ "documentChanges": [{ "kind": "create" }] }),
                "no step of an edit: `{\"kind\":\"create\"}`".to_owned(),
            ),
            (json!({ "changes": { "file:///a": 1 } }), "no list of replacements: `1`".to_owned()),
            (json!({ "changes": { "file:///a": [{}] } }), "no replacement: `{}`".to_owned()),
            (json!({ "changes": { "file:///a": [back] } }), format!("no replacement: {}", shown(&back))),
            (
                json!({ "changes": { "file:///a": [text(1, 0, 4, ""), text(1, 3, 5, "")] } }),
                "two replacements of file:///a overlap: one from line 2, one from line 2".to_owned(),
            ),
        ];
        for (answer, wanted) in rows {
            assert_eq!(steps(&answer, &judge), Err(wanted), "{answer}");
        }
    }
}
