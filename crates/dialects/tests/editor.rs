//! The editor tools of the dialect `zblade`: the session's own state without an editor, and any attached
//! editor.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{Arc, Mutex},
};
use toolpost_dialects::zblade::DIALECT;
use toolpost_engine::{
    Access, AnswerFuture, Buffer, CallCtx, Editor, EditorAct, EditorSetup, Failure, InsertionFallback, Kind,
    Point, SaveState, SelectionVisibility, Shape, TextSelection, View,
};
use toolpost_runtime::{Config, Outcome, Policy, RuleSource, ToolSelection};

/// Makes a call and returns the text of its reply; a failure begins with its kind.
async fn reply(world: &World, tool: &str, arguments: Value) -> String {
    let outcome = world.call(tool, arguments).await;
    let kind = if let Outcome::Failed(kind, _) = &outcome { format!("{kind:?}: ") } else { String::new() };
    format!("{kind}{}", words(&outcome))
}

/// Makes a call and parses the JSON at the beginning of its reply.
async fn data(world: &World, tool: &str, arguments: Value) -> Value {
    let words = reply(world, tool, arguments).await;
    let first = words.lines().next().unwrap_or_default();
    serde_json::from_str(first).unwrap_or_else(|error| panic!("{tool}: {error}: {words}"))
}

fn applying() -> World {
    World::edited(&DIALECT, EditorSetup { editor: None, without: InsertionFallback::Applied })
}

#[tokio::test]
async fn opened_files_and_cursors_are_remembered() {
    let world = World::new(&DIALECT);
    world.put("a.txt", "one\nzwölf\n");
    world.put("b.txt", "b");
    world.put("empty", "");
    let rows = [
        ("open_file", json!({"path": "a.txt", "line": 2}), 0, (2, 1)),
        ("goto_line", json!({"line": 2, "column": 6}), 0, (2, 6)),
        ("open_file", json!({"path": "b.txt"}), 1, (1, 1)),
        // Each file keeps its cursor position: the second row has set that of `a.txt`.
        ("open_file", json!({"path": "./a.txt"}), 0, (2, 6)),
        ("goto_line", json!({"line": 1, "column": 99}), 0, (1, 4)),
        ("goto_line", json!({"line": 99, "column": 5}), 0, (2, 1)),
        ("goto_line", json!({"line": 0}), 0, (1, 1)),
        ("open_file", json!({"path": "empty", "line": 7}), 2, (1, 1)),
    ];
    each_async(rows, async |(tool, arguments, active, cursor)| {
        let done = world.call(tool, arguments.clone()).await;
        assert!(matches!(done, Outcome::Done(_)), "{tool} {arguments}: {done:?}");
        let state = data(&world, "get_editor_state", json!({})).await;
        let found = (&state["active_tab_index"], &state["cursor_line"], &state["cursor_column"]);
        assert_eq!(found, (&json!(active), &json!(cursor.0), &json!(cursor.1)), "{tool} {arguments}");
    })
    .await;
    let state = data(&world, "get_editor_state", json!({})).await;
    assert_eq!(state["open_files"], json!(["a.txt", "b.txt", "empty"]));
    assert_eq!((&state["active_file"], &state["editor"]), (&json!("empty"), &Value::Null));
    fs::remove_file(world.root().join("b.txt")).unwrap();
    let words = reply(&world, "get_editor_state", json!({})).await;
    assert!(words.ends_with("[toolpost: b.txt is no longer a file]"), "{words}");
}

#[tokio::test]
async fn files_that_cannot_be_opened_are_refused() {
    let world = World::new(&DIALECT);
    world.put("src/main.rs", "fn main() {}\n");
    world.put(".env", "KEY=1\n");
    let rows = [
        ("none.txt", "NotFound: File not found: none.txt"),
        ("src", "WrongKind: src is a directory"),
        ("src/", "Invalid: src/ is the path of a directory"),
        ("../out/secret", "Outside: "),
        ("/etc/passwd", "Outside: "),
        (".env", "Denied: Not allowed to read .env"),
    ];
    each_async(rows, async |(path, wanted)| {
        let words = reply(&world, "open_file", json!({"path": path})).await;
        assert!(words.starts_with(wanted), "{path}: {words}");
    })
    .await;
    assert_eq!(data(&world, "get_editor_state", json!({})).await["open_files"], json!([]));
}

#[tokio::test]
async fn insert_at_cursor_writes_the_file_if_enabled() {
    // Content of the file, cursor (line and column), inserted text, content afterwards, cursor afterwards.
    type Row = (&'static str, (u64, u64), &'static str, &'static str, (u64, u64));
    let rows: [Row; 7] = [
        ("one\ntwo\n", (2, 1), "and ", "one\nand two\n", (2, 5)),
        ("one\r\ntwo\r\n", (2, 1), "a\nb\n", "one\r\na\r\nb\r\ntwo\r\n", (4, 1)),
        ("\u{feff}zwölf →\r\n", (1, 5), "ß", "\u{feff}zwölßf →\r\n", (1, 6)),
        ("zwölf", (1, 6), "\r\nx", "zwölf\nx", (2, 2)),
        ("one\n", (2, 1), "two\n", "one\ntwo\n", (3, 1)),
        ("", (1, 1), "x", "x", (1, 2)),
        ("👩‍👧 x", (1, 4), "|", "👩‍👧| x", (1, 5)),
    ];
    each_async(rows, async |(before, (line, column), content, after, (last_line, last_column))| {
        let world = applying();
        world.put("f", before);
        reply(&world, "open_file", json!({"path": "f"})).await;
        reply(&world, "goto_line", json!({"line": line, "column": column})).await;
        let done = data(&world, "insert_at_cursor", json!({"content": content})).await;
        assert_eq!(world.files()["f"], after.as_bytes(), "{before:?}");
        let output = (&done["done"], &done["applied"], &done["saved"], &done["action"]);
        assert_eq!(output, (&json!("insert_at_cursor"), &json!(true), &json!(true), &Value::Null));
        let state = data(&world, "get_editor_state", json!({})).await;
        let cursor = (&state["cursor_line"], &state["cursor_column"]);
        assert_eq!(cursor, (&json!(last_line), &json!(last_column)), "{before:?}");
        // The next insertion follows the first one, in the current content.
        let next = data(&world, "insert_at_cursor", json!({"content": "!"})).await;
        assert_eq!(next["applied"], json!(true), "{before:?}: {next}");
    })
    .await;
}

#[tokio::test]
async fn insert_at_cursor_refuses_stale_and_denied_files() {
    let world = applying();
    world.put("f", "one\n");
    world.put("Makefile", "all:\n");
    reply(&world, "open_file", json!({"path": "f"})).await;
    world.put("f", "zero\none\n");
    let words = reply(&world, "insert_at_cursor", json!({"content": "x"})).await;
    let wanted = "Stale: f has changed since the cursor was placed there; nothing was written.";
    assert!(words.starts_with(wanted), "{words}");
    reply(&world, "goto_line", json!({"line": 2})).await;
    let done = data(&world, "insert_at_cursor", json!({"content": "x"})).await;
    assert_eq!((&done["applied"], &world.files()["f"][..]), (&json!(true), &b"zero\nxone\n"[..]));
    // Without an editor there is no selection.
    let response = data(&world, "replace_selection", json!({"content": "x"})).await;
    assert_eq!((&response["applied"], &response["action"]), (&json!(false), &json!("replace_selection")));
    let lazy = reply(&world, "insert_at_cursor", json!({"content": "// ... existing code ...\n"})).await;
    assert!(lazy.starts_with("Invalid: f was not changed:"), "{lazy}");
    world.put(".vscode/tasks.json", "{}\n");
    reply(&world, "open_file", json!({"path": ".vscode/tasks.json"})).await;
    let kept = reply(&world, "insert_at_cursor", json!({"content": "x"})).await;
    assert!(
        kept.starts_with("Denied: The rules do not allow reading and writing .vscode/tasks.json"),
        "{kept}"
    );
    assert_eq!(world.files()[".vscode/tasks.json"], b"{}\n");
}

#[tokio::test]
async fn rules_and_denied_access_apply_to_editor_tools() {
    let rules =
        "[[rule]]\ntouch = [\"editor\"]\nacts = [\"goto\", \"insert\"]\ndecide = \"deny\"\nwhy = \"said\"\n";
    let ruled = World::configured(&DIALECT, |config| Config {
        policy: config.policy.with(rules, &RuleSource::Operator("rules.toml".to_owned())).unwrap(),
        ..config
    });
    let denying = |access| {
        let narrow = ToolSelection { deny: vec![access], ..ToolSelection::default() };
        World::configured(&DIALECT, |config| Config { narrow, ..config })
    };
    let (unwriting, closed) = (denying(Access::Writes), denying(Access::Editor));
    let calls = [
        ("get_editor_state", json!({})),
        ("open_file", json!({"path": "f"})),
        ("goto_line", json!({"line": 1})),
        ("get_selection", json!({})),
        ("replace_selection", json!({"content": "x"})),
        ("insert_at_cursor", json!({"content": "x"})),
    ];
    let worlds = [
        (ruled, [true, true, false, true, true, false]),
        (unwriting, [true, true, true, true, false, false]),
        (closed, [false; 6]),
    ];
    for (world, wanted) in worlds {
        world.put("f", "f\n");
        each_async(calls.iter().zip(wanted), async |((tool, arguments), may)| {
            let outcome = world.call(tool, arguments.clone()).await;
            let output = words(&outcome);
            let refused = matches!(outcome, Outcome::NoSuchTool(_))
                || output.starts_with("Not allowed to use the editor to ");
            assert_eq!(refused, !may, "{tool}: {output}");
        })
        .await;
    }
    for wrong in ["acts = [\"fly\"]", "acts = [\"look\"]\npaths = [\"x\"]", "agents = [\"x\"]"] {
        let rule = format!("[[rule]]\ntouch = [\"editor\"]\n{wrong}\ndecide = \"deny\"\n");
        let source = RuleSource::Operator("rules.toml".to_owned());
        assert!(Policy::built_in().unwrap().with(&rule, &source).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn batched_editor_calls_are_read_only() {
    let world = applying();
    world.put("f", "f\n");
    let calls = json!([
        {"tool": "get_editor_state"},
        {"tool": "get_selection", "arguments": {}},
        {"tool": "open_file", "arguments": {"path": "f"}},
        {"tool": "insert_at_cursor", "arguments": {"content": "x"}},
    ]);
    let output = data(&world, "batch", json!({"calls": calls})).await;
    let ok: Vec<bool> =
        output["results"].as_array().unwrap().iter().map(|one| one["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, true, false, false], "{output}");
    assert_eq!(data(&world, "get_editor_state", json!({})).await["open_files"], json!([]));
}

/// An editor with a fixed state that records writes.
struct RecordingEditor {
    view: Mutex<View>,
    wrote: Mutex<Vec<String>>,
}

impl Editor for RecordingEditor {
    fn name(&self) -> String {
        "Staged".to_owned()
    }

    fn ask<'a>(&'a self, act: EditorAct<'a>, _cx: &'a CallCtx) -> AnswerFuture<'a, View> {
        let mut view = self.view.lock().unwrap();
        let done = match act {
            EditorAct::Look | EditorAct::Goto(_) => Ok(()),
            EditorAct::Open { file, .. } => {
                view.active = Some(file.raw().display().to_string());
                Ok(())
            }
            EditorAct::Replace { content, token } | EditorAct::Insert { content, token } => {
                if token == view.token {
                    self.wrote.lock().unwrap().push(content.to_owned());
                    view.token.push('+');
                    Ok(())
                } else {
                    Err(Failure::new(Kind::Stale, "It moved."))
                }
            }
        };
        let view = done.map(|()| view.clone());
        Box::pin(std::future::ready(view))
    }
}

/// Creates a workspace with an editor that has an active file and a selection.
fn staged(file: &str, shape: Shape, sight: SelectionVisibility) -> (World, Arc<RecordingEditor>) {
    let chosen = TextSelection {
        from: Point { line: 1, column: 2 },
        to: Point { line: 2, column: 1 },
        text: "ne\n".to_owned(),
        shape,
        sight,
    };
    let view = View {
        active: None,
        open: Vec::new(),
        cursor: Point { line: 1, column: 2 },
        selection: Some(chosen),
        token: "1".to_owned(),
        notes: Vec::new(),
    };
    let staged = Arc::new(RecordingEditor { view: Mutex::new(view), wrote: Mutex::default() });
    let editor = Some(staged.clone() as Arc<dyn Editor>);
    let world = World::edited(&DIALECT, EditorSetup { editor, without: InsertionFallback::Applied });
    for (name, text) in [("f", "one\ntwo\n"), (".env", "KEY=1\n")] {
        world.put(name, text);
    }
    let name = world.root().canonicalize().unwrap().join(file).display().to_string();
    {
        let mut view = staged.view.lock().unwrap();
        view.open.push(Buffer { name: name.clone(), standing: SaveState::Unsaved });
        view.active = Some(name);
    }
    (world, staged)
}

#[tokio::test]
async fn editor_selection_of_unreadable_files_is_withheld() {
    let rows = [
        ("f", "f", Some("ne\n"), None),
        (".env", ".env", None, Some("the rules do not allow reading the file without approval")),
        ("../out/secret", "", None, Some("the file is outside the workspace")),
    ];
    for (file, shown, text, why) in rows {
        let (world, _) = staged(file, Shape::Characters, SelectionVisibility::Current);
        let output = data(&world, "get_selection", json!({})).await;
        let selection = &output["selection"];
        assert_eq!(selection["text"].as_str(), text, "{file}: {output}");
        assert_eq!(selection["withheld"].as_str(), why, "{file}: {output}");
        let state = data(&world, "get_editor_state", json!({})).await;
        let lines = (&state["selection_start_line"], &state["selection_end_line"]);
        assert_eq!(lines, (&json!(1), &json!(1)), "{state}");
        let outside = state.get("outside_of_workspace").is_some();
        assert_eq!((outside, state.to_string().contains("ne\\n")), (shown.is_empty(), false), "{state}");
        if !shown.is_empty() {
            assert_eq!(state["active_file"], shown);
        }
        // A file that the rules protect is not written, either.
        let words = reply(&world, "insert_at_cursor", json!({"content": "x"})).await;
        assert_eq!(words.starts_with("{\"done\""), text.is_some(), "{file}: {words}");
    }
}

/// Tools that write files refuse a file with unsaved changes in the editor; tools that read it add a note.
#[tokio::test]
async fn unsaved_editor_changes_block_writes_and_are_noted() {
    let edit = json!({"path": "f", "old_text": "one", "new_text": "1"});
    let writes = [
        ("write_file", json!({"path": "f", "content": "x"})),
        ("create_file", json!({"path": "f", "content": "x"})),
        ("edit_file", json!({"path": "f", "old_content": "one", "new_content": "1"})),
        ("apply_patch", edit.clone()),
        ("apply_edit", edit),
        ("delete_file", json!({"path": "f"})),
        ("move_file", json!({"source": "f", "destination": "g"})),
        ("copy_file", json!({"source": "h", "destination": "f"})),
    ];
    // These tools need no row: they create a directory, or change the editor's buffer.
    let others = ["create_directory", "replace_selection", "insert_at_cursor"];
    for tool in DIALECT.tools.iter().filter(|tool| tool.access.contains(&Access::Writes)) {
        let known = writes.iter().any(|(name, _)| *name == tool.name) || others.contains(&tool.name);
        assert!(known, "{} writes, and has no row here", tool.name);
    }
    each_async(writes, async |(tool, arguments)| {
        let (world, editor) = staged("f", Shape::Characters, SelectionVisibility::Current);
        world.put("h", "h\n");
        let read = reply(&world, "read_file", json!({"path": "f"})).await;
        assert!(
            read.contains("[toolpost: f has unsaved changes in Staged; this call used the file on disk]"),
            "{read}"
        );
        let other = reply(&world, "read_file", json!({"path": "h"})).await;
        assert!(!other.contains("unsaved"), "{other}");
        let before = world.files();
        let output = reply(&world, tool, arguments.clone()).await;
        assert!(
            output.starts_with("Conflict: f has unsaved changes in Staged. Nothing was changed."),
            "{tool}: {output}"
        );
        assert_eq!(world.files(), before, "{tool}");
        editor.view.lock().unwrap().open[0].standing = SaveState::Saved;
        let output = reply(&world, tool, arguments).await;
        assert!(!output.contains("unsaved"), "{tool}: {output}");
    })
    .await;
}

#[tokio::test]
async fn directories_with_unsaved_files_are_not_deleted_or_moved() {
    let (world, editor) = staged("f", Shape::Characters, SelectionVisibility::Current);
    world.put("d/f", "one\n");
    editor.view.lock().unwrap().open[0].name =
        world.root().canonicalize().unwrap().join("d/f").display().to_string();
    let calls = [
        ("delete_file", json!({"path": "d", "recursive": true})),
        ("move_file", json!({"source": "d", "destination": "e"})),
    ];
    for (tool, arguments) in calls {
        let output = reply(&world, tool, arguments).await;
        assert!(output.starts_with("Conflict: d/f has unsaved changes in Staged."), "{tool}: {output}");
        assert_eq!(world.files()["d/f"], b"one\n", "{tool}");
    }
    let output = reply(&world, "create_file", json!({"path": "d/g", "content": "x"})).await;
    assert!(!output.contains("unsaved"), "{output}");
}

#[tokio::test]
async fn replace_selection_refuses_a_stale_editor_state() {
    let (world, editor) = staged("f", Shape::Characters, SelectionVisibility::Current);
    data(&world, "get_selection", json!({})).await;
    editor.view.lock().unwrap().token = "2".to_owned();
    let words = reply(&world, "replace_selection", json!({"content": "x"})).await;
    let wanted = "Stale: The text, the cursor or the selection of the editor has changed since this session last saw \
                  it; nothing was written.\n\nThe cursor is now in f at line 1, column 2; lines 1 to 2 are selected.";
    assert!(words.starts_with(wanted), "{words}");
    assert!(editor.wrote.lock().unwrap().is_empty());
    // Content that a refusal shows counts as seen.
    let done = data(&world, "replace_selection", json!({"content": "x\r\n"})).await;
    let output = (&done["done"], &done["applied"], &done["saved"], &done["path"]);
    assert_eq!(output, (&json!("replace_selection"), &json!(true), &json!(false), &json!("f")));
    assert_eq!(*editor.wrote.lock().unwrap(), ["x\n"]);
    assert_eq!(world.files()["f"], b"one\ntwo\n");
    // The second write applies to the result of the first.
    data(&world, "insert_at_cursor", json!({"content": "y"})).await;
    assert_eq!(*editor.wrote.lock().unwrap(), ["x\n", "y"]);
}

#[tokio::test]
async fn replace_selection_refuses_blocks_and_unseen_selections() {
    let rows = [
        (Shape::Lines, SelectionVisibility::Current, ""),
        (Shape::Block, SelectionVisibility::Current, "WrongKind: A block of columns is selected"),
        (Shape::Characters, SelectionVisibility::Last, "Unread: The last selection is no longer highlighted"),
    ];
    for (shape, sight, wanted) in rows {
        let (world, editor) = staged("f", shape, sight);
        let words = reply(&world, "replace_selection", json!({"content": "x"})).await;
        assert!(words.starts_with(if wanted.is_empty() { "{\"done\"" } else { wanted }), "{words}");
        assert_eq!(editor.wrote.lock().unwrap().is_empty(), !wanted.is_empty(), "{words}");
    }
    // A selection that is no longer highlighted can be replaced once the caller has seen it.
    let (world, editor) = staged("f", Shape::Characters, SelectionVisibility::Last);
    let output = data(&world, "get_selection", json!({})).await;
    assert_eq!(output["selection"]["highlighted"], json!(false));
    data(&world, "replace_selection", json!({"content": "x"})).await;
    assert_eq!(*editor.wrote.lock().unwrap(), ["x"]);
    editor.view.lock().unwrap().selection = None;
    let none = reply(&world, "replace_selection", json!({"content": "x"})).await;
    assert!(none.starts_with("NotFound: Nothing is selected in Staged"), "{none}");
    let lazy = reply(&world, "insert_at_cursor", json!({"content": "// ... existing code ...\n"})).await;
    assert!(lazy.starts_with("Invalid: f was not changed:"), "{lazy}");
}
