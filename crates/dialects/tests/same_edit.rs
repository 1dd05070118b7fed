//! The same edit in every dialect that supports it has the same result: file content, structured reply, or
//! kind of failure.

use crate::common;
use toolpost_test_rows::{each_async, table::Table};

use common::{World, runtime, words};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_engine::Kind;
use toolpost_runtime::Outcome;
use toolpost_text::matching::Step;
use toolpost_tool::Dialect;

/// Name of the file that most rows edit.
const F: &str = "f";

/// An edit, independent of any dialect.
enum Act {
    /// Replaces the only occurrence of a text in a file.
    Text(&'static str, &'static str, &'static str),
    /// Replaces every occurrence of a text.
    Every(&'static str, &'static str),
    /// Replaces several texts in file order, all or none.
    Several(&'static [(&'static str, &'static str)]),
    /// Creates a file.
    New(&'static str, &'static str),
    /// Overwrites a file.
    Over(&'static str),
    /// Deletes a file.
    Gone(&'static str),
    /// Renames a file.
    Moved(&'static str, &'static str),
}

/// The expected outcome.
enum ExpectedOutcome {
    /// The content of a file. A dialect that does not permit this matching step refuses the edit.
    Bytes(&'static str, &'static [u8], Step),
    /// The edited file is gone. If a name and content are given, the file of that name has the content.
    Elsewhere(Option<(&'static str, &'static [u8])>),
    /// A failure of this kind; nothing is changed.
    Refused(Kind),
}

struct Row {
    name: &'static str,
    before: &'static [(&'static str, &'static [u8])],
    act: Act,
    then: ExpectedOutcome,
}

type Call = (&'static str, Value);

/// A dialect, and two functions that return its calls for an edit: `look` reads the file if the dialect
/// requires that, and `say` makes the edit. `None` if there is no such call.
#[derive(Debug)]
struct Column {
    dialect: &'static Dialect,
    look: fn(&Act) -> Option<Call>,
    say: fn(&Act) -> Option<Call>,
}

const COLUMNS: [Column; 5] = [
    Column { dialect: &claude::DIALECT, look: claude_looks, say: claude_says },
    Column { dialect: &trae::DIALECT, look: |_| None, say: trae_says },
    Column { dialect: &zblade::DIALECT, look: |_| None, say: zblade_says },
    Column { dialect: &opencode::DIALECT, look: |_| None, say: opencode_says },
    Column { dialect: &probe::DIALECT, look: probe_looks, say: probe_says },
];

/// Returns the file that must exist before an edit.
fn present(act: &Act) -> Option<&'static str> {
    match act {
        Act::Text(path, ..) => Some(path),
        Act::Every(..) | Act::Several(_) | Act::Over(_) => Some(F),
        Act::New(..) | Act::Gone(_) | Act::Moved(..) => None,
    }
}

fn claude_looks(act: &Act) -> Option<Call> {
    Some(("Read", json!({ "file_path": present(act)? })))
}

fn claude_says(act: &Act) -> Option<Call> {
    let edit = |path: &str, old: &str, new: &str, all: bool| {
        ("Edit", json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": all }))
    };
    match act {
        Act::Text(path, old, new) => Some(edit(path, old, new, false)),
        Act::Every(old, new) => Some(edit(F, old, new, true)),
        Act::New(path, content) => Some(("Write", json!({ "file_path": path, "content": content }))),
        Act::Over(content) => Some(("Write", json!({ "file_path": F, "content": content }))),
        Act::Several(_) | Act::Gone(_) | Act::Moved(..) => None,
    }
}

fn trae_says(act: &Act) -> Option<Call> {
    let blocks = |path: &str, texts: &[(&str, &str)]| {
        let blocks: Vec<Value> =
            texts.iter().map(|(old, new)| json!({ "old_str": old, "new_str": new })).collect();
        ("update_file", json!({ "file_path": path, "replace_blocks": blocks }))
    };
    let write = |path: &str, content: &str, rewrite: bool| {
        ("write_to_file", json!({ "file_path": path, "content": content, "rewrite": rewrite }))
    };
    match act {
        Act::Text(path, old, new) => Some(blocks(path, &[(old, new)])),
        Act::Several(texts) => Some(blocks(F, texts)),
        Act::New(path, content) => Some(write(path, content, false)),
        Act::Over(content) => Some(write(F, content, true)),
        Act::Gone(path) => Some(("delete_file", json!({ "file_paths": [path] }))),
        Act::Moved(from, to) => Some(("rename_file", json!({ "file_path": from, "rename_file_path": to }))),
        Act::Every(..) => None,
    }
}

fn zblade_says(act: &Act) -> Option<Call> {
    match act {
        Act::Text(path, old, new) => {
            Some(("edit_file", json!({ "path": path, "old_content": old, "new_content": new })))
        }
        Act::Several(texts) => {
            let patches: Vec<Value> =
                texts.iter().map(|(old, new)| json!({ "old_text": old, "new_text": new })).collect();
            Some(("apply_patch", json!({ "path": F, "patches": patches })))
        }
        Act::New(path, content) => Some(("write_file", json!({ "path": path, "content": content }))),
        Act::Over(content) => Some(("write_file", json!({ "path": F, "content": content }))),
        Act::Gone(path) => Some(("delete_file", json!({ "path": path }))),
        Act::Moved(from, to) => Some(("move_file", json!({ "from": from, "to": to }))),
        Act::Every(..) => None,
    }
}

fn opencode_says(act: &Act) -> Option<Call> {
    let edit = |path: &str, old: &str, new: &str, all: bool| json!({ "filePath": path, "oldString": old, "newString": new, "replaceAll": all });
    let patch =
        |body: String| ("patch", json!({ "patch_text": format!("*** Begin Patch\n{body}\n*** End Patch") }));
    Some(match act {
        Act::Text(path, old, new) => ("edit", edit(path, old, new, false)),
        Act::Every(old, new) => ("edit", edit(F, old, new, true)),
        Act::Several(texts) => {
            let edits: Vec<Value> = texts.iter().map(|(old, new)| edit(F, old, new, false)).collect();
            ("multiedit", json!({ "edits": edits }))
        }
        Act::New(path, content) => ("write", json!({ "filePath": path, "content": content })),
        Act::Over(content) => ("write", json!({ "filePath": F, "content": content })),
        Act::Gone(path) => patch(format!("*** Delete File: {path}")),
        Act::Moved(from, to) => patch(format!("*** Update File: {from}\n*** Move to: {to}")),
    })
}

fn probe_looks(act: &Act) -> Option<Call> {
    Some(("extract", json!({ "file": present(act)? })))
}

fn probe_says(act: &Act) -> Option<Call> {
    let edit = |path: &str, old: &str, new: &str, all: bool| {
        ("edit", json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": all }))
    };
    match act {
        Act::Text(path, old, new) => Some(edit(path, old, new, false)),
        Act::Every(old, new) => Some(edit(F, old, new, true)),
        Act::New(path, content) => Some(("create", json!({ "file_path": path, "content": content }))),
        Act::Over(content) => {
            Some(("create", json!({ "file_path": F, "content": content, "overwrite": true })))
        }
        Act::Several(_) | Act::Gone(_) | Act::Moved(..) => None,
    }
}

/// Returns a row that replaces a text in `f`.
const fn text(
    name: &'static str,
    before: &'static [(&'static str, &'static [u8])],
    old: &'static str,
    new: &'static str,
    after: &'static [u8],
) -> Row {
    Row { name, before, act: Act::Text(F, old, new), then: ExpectedOutcome::Bytes(F, after, Step::Exact) }
}

/// Returns a row that replaces a text in `f` and is refused.
const fn refused(
    name: &'static str,
    before: &'static [(&'static str, &'static [u8])],
    old: &'static str,
    new: &'static str,
    kind: Kind,
) -> Row {
    Row { name, before, act: Act::Text(F, old, new), then: ExpectedOutcome::Refused(kind) }
}

const CODE: &[(&str, &[u8])] = &[(F, b"fn a() {\n\tone();\n}\nfn b() {\n\ttwo();\n}\n")];
const UNICODE: &[(&str, &[u8])] = &[(F, "\u{1f600} e\u{301} \u{5d0}\u{5d1} \u{feff}x\n".as_bytes())];
const CURLY: &[(&str, &[u8])] = &[(F, "say \u{201c}hi\u{201d}  \nend\n".as_bytes())];
const LATIN: &[(&str, &[u8])] = &[(F, b"// caf\xe9\nlet x = 1;\n")];

fn texts() -> Vec<Row> {
    vec![
        text("a word", CODE, "two", "2", b"fn a() {\n\tone();\n}\nfn b() {\n\t2();\n}\n"),
        text("a line goes", CODE, "\tone();\n", "", b"fn a() {\n}\nfn b() {\n\ttwo();\n}\n"),
        text("CRLF", &[(F, b"a\r\nb\r\nc\r\n")], "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        text("CRLF said to LF", &[(F, b"a\nb\nc\n")], "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
        text("mixed line ends", &[(F, b"a\r\nb\nc\r\nd\n")], "c", "C\nC", b"a\r\nb\nC\r\nC\r\nd\n"),
        text(
            "a byte order mark",
            &[(F, b"\xef\xbb\xbfa\r\nb\r\n")],
            "a",
            "x\ny",
            b"\xef\xbb\xbfx\r\ny\r\nb\r\n",
        ),
        text("no break at the end", &[(F, b"a\nb")], "b", "x", b"a\nx"),
        text("UTF-16", &[(F, b"\xff\xfea\0\r\0\n\0b\0")], "b", "\u{e9}", b"\xff\xfea\0\r\0\n\0\xe9\0"),
        text("ASCII in an unknown encoding", LATIN, "x = 1", "x = 2", b"// caf\xe9\nlet x = 2;\n"),
        text(
            "Unicode",
            UNICODE,
            "e\u{301} \u{5d0}\u{5d1}",
            "\u{e9} \u{1f468}\u{200d}\u{1f469}",
            "\u{1f600} \u{e9} \u{1f468}\u{200d}\u{1f469} \u{feff}x\n".as_bytes(),
        ),
        text("nothing is expanded", &[(F, b"price\n")], "price", "$& $1 $$ \\1 \\n", b"$& $1 $$ \\1 \\n\n"),
        Row {
            name: "look-alike characters",
            before: CURLY,
            act: Act::Text(F, "say \"hi\"\nend", "done"),
            then: ExpectedOutcome::Bytes(F, b"done\n", Step::Folded),
        },
        Row {
            name: "shifted lines",
            before: CODE,
            act: Act::Text(F, "fn b() {\n    two();\n}", "fn b() {\n    if c {\n        two();\n    }\n}"),
            then: ExpectedOutcome::Bytes(
                F,
                b"fn a() {\n\tone();\n}\nfn b() {\n\tif c {\n\t\ttwo();\n\t}\n}\n",
                Step::Reindented,
            ),
        },
        Row {
            name: "every place",
            before: &[(F, b"a b a\r\na\r\n")],
            act: Act::Every("a", "x\ny"),
            then: ExpectedOutcome::Bytes(F, b"x\r\ny b x\r\ny\r\nx\r\ny\r\n", Step::Exact),
        },
        Row {
            name: "several",
            before: CODE,
            act: Act::Several(&[("one", "1"), ("fn b", "fn c"), ("two", "2\n")]),
            then: ExpectedOutcome::Bytes(F, b"fn a() {\n\t1();\n}\nfn c() {\n\t2\n();\n}\n", Step::Exact),
        },
    ]
}

fn wholes() -> Vec<Row> {
    let new = |name, path, content: &'static str| Row {
        name,
        before: &[],
        act: Act::New(path, content),
        then: ExpectedOutcome::Bytes(path, content.as_bytes(), Step::Exact),
    };
    let over = |name, before, content, after| Row {
        name,
        before,
        act: Act::Over(content),
        then: ExpectedOutcome::Bytes(F, after, Step::Exact),
    };
    vec![
        new("a new file", F, "one\ntwo\n"),
        new("a new file in new directories", "a/b/\u{fc}.txt", "one"),
        new("a new file with CRLF", F, "one\r\ntwo\r\n"),
        new("a new empty file", F, ""),
        over("over a file", CODE, "x\n", b"x\n"),
        over("over CRLF", &[(F, b"a\r\nb\r\n")], "x\ny\n", b"x\r\ny\r\n"),
        over("over a byte order mark", &[(F, b"\xef\xbb\xbfa\n")], "x\n", b"\xef\xbb\xbfx\n"),
        over("over an unknown encoding", LATIN, "x\n", b"x\n"),
        over("over the same", &[(F, b"a\n")], "a\n", b"a\n"),
        over("over an empty file", &[(F, b"")], "a\n", b"a\n"),
        Row { name: "a file goes", before: CODE, act: Act::Gone(F), then: ExpectedOutcome::Elsewhere(None) },
        Row {
            name: "a file goes elsewhere",
            before: &[(F, b"\xff\0\r\n")],
            act: Act::Moved(F, "d/g"),
            then: ExpectedOutcome::Elsewhere(Some(("d/g", b"\xff\0\r\n"))),
        },
    ]
}

fn failures() -> Vec<Row> {
    let whole = |name, before, act, kind| Row { name, before, act, then: ExpectedOutcome::Refused(kind) };
    vec![
        refused("not there", CODE, "three", "3", Kind::NoMatch),
        refused("only similar", CODE, "fn b() {\n\ttoo();\n}", "x", Kind::NoMatch),
        refused("in two places", CODE, "fn ", "pub fn ", Kind::Ambiguous),
        refused("nothing changes", CODE, "one", "one", Kind::Invalid),
        refused(
            "only stands for text",
            CODE,
            "\tone();",
            "\t// ... rest of code unchanged ...",
            Kind::Invalid,
        ),
        refused("no such file", &[], "a", "b", Kind::NotFound),
        refused("no text", &[(F, b"a\0\x01\x02\0b")], "a", "b", Kind::WrongKind),
        refused("characters that the encoding may not have", LATIN, "x = 1", "x = \u{20ac}", Kind::Invalid),
        whole("outside", &[], Act::Text("../f", "a", "b"), Kind::Outside),
        whole("a directory", &[("d/x", b"")], Act::Text("d", "a", "b"), Kind::WrongKind),
        whole("a secret", &[(".env", b"KEY=1\n")], Act::Text(".env", "1", "2"), Kind::Denied),
        whole("read-only", &[("locked", b"a\n")], Act::Text("locked", "a", "b"), Kind::Denied),
        whole(
            "one of several is not there",
            CODE,
            Act::Several(&[("one", "1"), ("three", "3")]),
            Kind::NoMatch,
        ),
        whole("new and outside", &[], Act::New("../f", "x"), Kind::Outside),
        whole("new and kept from tools", &[], Act::New(".vscode/tasks.json", "{}"), Kind::Denied),
        whole(
            "new and only stands for text",
            &[],
            Act::New(F, "a\n[toolpost: left out 5 lines]\n"),
            Kind::Invalid,
        ),
        whole("over a picture", &[(F, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")], Act::Over("x"), Kind::WrongKind),
        whole("goes and is not there", &[], Act::Gone(F), Kind::NotFound),
        whole("goes elsewhere and is not there", &[], Act::Moved(F, "g"), Kind::NotFound),
        whole("goes outside", CODE, Act::Moved(F, "../g"), Kind::Outside),
    ]
}

/// The outcome of a row in one dialect.
struct ActualOutcome {
    dialect: &'static str,
    operation: &'static str,
    structured: Option<Value>,
    kind: Option<Kind>,
    words: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Makes the edit in a new workspace; `None` if the dialect does not support it.
async fn make(column: &Column, row: &Row) -> Option<ActualOutcome> {
    let (tool, arguments) = (column.say)(&row.act)?;
    let world = World::structured(column.dialect);
    for (name, bytes) in row.before {
        world.put(name, bytes);
        if *name == "locked" {
            let locked = fs::Permissions::from_mode(0o444);
            fs::set_permissions(world.root().join(name), locked).unwrap();
        }
    }
    if let Some((tool, arguments)) = (column.look)(&row.act) {
        world.call(tool, arguments).await;
    }
    let mut answer = world.call(tool, arguments.clone()).await;
    // In a dialect without a tool to read, the refusal shows the content, and the call is repeated.
    if matches!(answer, Outcome::Failed(Kind::Unread, _)) {
        answer = world.call(tool, arguments).await;
    }
    let words = words(&answer);
    let (structured, kind) = match answer {
        Outcome::Done(answer) => (answer.structured, None),
        Outcome::Failed(kind, _) => (None, Some(kind)),
        other => panic!("{} {}: {other:?}", column.dialect.name, row.name),
    };
    let operation = column.dialect.tool(tool).unwrap().operation;
    Some(ActualOutcome {
        dialect: column.dialect.name,
        operation,
        structured,
        kind,
        words,
        files: world.files(),
    })
}

/// Returns the expected files, and the expected kind of failure.
fn wanted(row: &Row, dialect: &Dialect) -> (BTreeMap<String, Vec<u8>>, Option<Kind>) {
    let mut files: BTreeMap<String, Vec<u8>> =
        row.before.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    match row.then {
        ExpectedOutcome::Refused(kind) => return (files, Some(kind)),
        ExpectedOutcome::Bytes(_, _, step) if step > dialect.matching => return (files, Some(Kind::NoMatch)),
        ExpectedOutcome::Bytes(name, bytes, _) => drop(files.insert(name.to_owned(), bytes.to_vec())),
        ExpectedOutcome::Elsewhere(to) => {
            files.remove(F);
            files.extend(to.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())));
        }
    }
    (files, None)
}

/// Makes the edit of a row in every dialect, and returns the differences from the expected outcome and between dialects.
async fn differences(row: &Row) -> Vec<String> {
    let (mut wrong, mut all) = (Vec::new(), Vec::new());
    each_async(&COLUMNS, async |column| {
        let Some(made) = make(column, row).await else { return };
        let (files, kind) = wanted(row, column.dialect);
        if (&made.files, made.kind) != (&files, kind) {
            wrong.push(format!(
                "{}: {:?} instead of {kind:?}, {:?} instead of {files:?}: {}",
                made.dialect, made.kind, made.files, made.words
            ));
        }
        all.push(made);
    })
    .await;
    if all.len() < 2 {
        wrong.push("fewer than two dialects support this edit, so there is nothing to compare".to_owned());
    }
    let done: Vec<&ActualOutcome> = all.iter().filter(|made| made.kind.is_none()).collect();
    for made in &done {
        let first = done.iter().find(|first| first.operation == made.operation).unwrap();
        if first.structured != made.structured {
            wrong.push(format!(
                "{} says {:?}, {} says {:?}",
                first.dialect, first.structured, made.dialect, made.structured
            ));
        }
    }
    wrong
}

fn table(name: &str, rows: Vec<Row>) -> Table {
    let label = |row: &Row| row.name.to_owned();
    Table::new(name, rows, label, |row| {
        assert_eq!(runtime().block_on(differences(&row)), Vec::<String>::new());
    })
}

pub(crate) fn text_replacements_are_equal_in_every_dialect() -> Table {
    table("same_edit::text_replacements_are_equal_in_every_dialect", texts())
}

pub(crate) fn whole_file_changes_are_equal_in_every_dialect() -> Table {
    table("same_edit::whole_file_changes_are_equal_in_every_dialect", wholes())
}

pub(crate) fn failed_edits_are_equal_and_change_no_file() -> Table {
    table("same_edit::failed_edits_are_equal_and_change_no_file", failures())
}
