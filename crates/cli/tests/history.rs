//! `toolpost history`, `diff` and `undo`.

use crate::common;

use common::{World, call, is_ok};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// Creates a workspace, and makes two calls: an edit of a script, and a new file.
fn world() -> World {
    let world = World::with(&[("run.sh", b"one\r\ntwo\r\n"), ("other", b"x")]);
    std::fs::set_permissions(world.path("run.sh"), PermissionsExt::from_mode(0o750)).unwrap();
    let replies = world.script(&[
        call("Read", json!({ "file_path": "run.sh" })),
        call("Edit", json!({ "file_path": "run.sh", "old_string": "two", "new_string": "three" })),
        call("Write", json!({ "file_path": "new/file.txt", "content": "first\nsecond\n" })),
    ]);
    assert!(replies.iter().all(is_ok), "{replies:?}");
    world
}

fn list(world: &World, arguments: &[&str]) -> Vec<Value> {
    let ended = world.run(&[&["history", "--json"], arguments].concat());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.out).unwrap()
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

#[test]
fn history_lists_calls_newest_first() {
    let world = world();
    let records = list(&world, &[]);
    let tools: Vec<&str> = records.iter().map(|record| record["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["Write", "Edit"]);
    let (call, other) = (records[0]["call"].as_str().unwrap(), records[1]["call"].as_str().unwrap());
    let (process, number) = call.split_once('-').unwrap();
    assert_eq!((process.len(), number, other), (6, "3", format!("{process}-2").as_str()));
    assert_eq!(records[0]["session"], records[1]["session"]);
    assert_eq!(records[0]["files"][1], json!({ "path": "new/file.txt", "added": 2, "removed": 0 }));
    assert_eq!(records[1]["files"], json!([{ "path": "run.sh", "added": 1, "removed": 1 }]));
    let edit = &records[1]["changes"][0];
    assert_eq!(
        (&edit["what"], &edit["before"]["mode"], &edit["after"]["bytes"]),
        (&json!("written"), &json!("0750"), &json!(12))
    );
    let lines = world.run(&["history"]).out;
    let time = |record: &Value| record["time"].as_str().unwrap().to_owned();
    let wanted = format!(
        "{}  {}  Write        new (directory), new/file.txt +2 -0 (new)\n{}  {}  Edit         run.sh +1 -1\n",
        id(&records[0]),
        time(&records[0]),
        id(&records[1]),
        time(&records[1])
    );
    assert_eq!(lines, wanted);
    assert_eq!(list(&world, &["--limit", "1"]), records[..1]);
    let cut = world.run(&["history", "--limit", "1"]);
    assert_eq!(cut.err, "toolpost: 1 of 2 changes are shown; pass a larger --limit for more\n");
    for all in
        [&["history"][..], &["history", "--limit", "2"], &["history", "--limit", "1", "--path", "run.sh"]]
    {
        assert_eq!(world.run(all).err, "", "{all:?}");
    }
    assert_eq!(list(&world, &["--path", "run.sh"]), records[1..]);
    assert_eq!(list(&world, &["--path", "new"]), records[..1]);
    assert_eq!(list(&world, &["--path", "other"]), Vec::<Value>::new());
    assert_eq!(
        world.run(&["history", "--path", "other"]).out,
        "No changes to other are recorded; the history has 2 changes to other files.\n"
    );
    assert_eq!(world.run(&["history", "--limit", "0"]).code, Some(2));
    assert_eq!(world.run(&["history", "--path", "/etc"]).code, Some(2));
}

#[test]
fn diff_shows_the_last_change_or_a_named_one() {
    let world = world();
    let records = list(&world, &[]);
    let written =
        "# new: directory created\n--- /dev/null\n+++ b/new/file.txt\n@@ -0,0 +1,2 @@\n+first\n+second\n";
    assert_eq!(world.run(&["diff"]).out, written);
    let edited = "--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+three\r\n";
    for given_id in [id(&records[1]), &id(&records[1])[..7], records[1]["call"].as_str().unwrap()] {
        assert_eq!(world.run(&["diff", given_id]).out, edited, "{given_id}");
    }
    let unknown = world.run(&["diff", "zzz"]);
    let wanted = "toolpost: no change in the history of this workspace has an id, or a call id, that starts \
                  with `zzz`; `toolpost history` lists the changes\n";
    assert_eq!((unknown.code, unknown.err.as_str()), (Some(1), wanted));
    let process = records[0]["call"].as_str().unwrap().split('-').next().unwrap();
    let several = world.run(&["diff", process]);
    let wanted = format!(
        "toolpost: `{process}` matches several changes: {}, {}; pass more characters of the id; ",
        id(&records[0]),
        id(&records[1])
    );
    assert!(several.err.starts_with(&wanted) && several.code == Some(1), "{several:?}");
}

#[test]
fn undo_restores_content_and_permissions_step_by_step() {
    let world = world();
    let records = list(&world, &[]);
    let undone = world.run(&["undo"]);
    let name = |record: &Value| {
        format!("{} ({}, {})", id(record), record["tool"].as_str().unwrap(), record["time"].as_str().unwrap())
    };
    let wanted = format!("Undone: {}\n  new/file.txt: removed\n  new: removed\n", name(&records[0]));
    assert_eq!((undone.code, undone.out.as_str(), undone.err.as_str()), (Some(0), wanted.as_str(), ""));
    let undone = world.run(&["undo"]);
    assert_eq!(undone.out, format!("Undone: {}\n  run.sh: restored\n", name(&records[1])));
    assert_eq!(world.read("run.sh"), b"one\r\ntwo\r\n");
    let mode = std::fs::metadata(world.path("run.sh")).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode, world.path("new").exists()), (0o750, false));
    let nothing = world.run(&["undo"]);
    let wanted = "toolpost: the history of this workspace is empty, or all its changes are undone\n";
    assert_eq!((nothing.code, nothing.err.as_str()), (Some(1), wanted));
    let after = list(&world, &[]);
    let undo = &after[0];
    assert_eq!(
        (&undo["tool"], &undo["undoes"], &after[3]["undone"]),
        (&json!("undo"), &json!(id(&records[1])), &json!(true))
    );
    // A second undo is refused, and the first one can be undone.
    let again = world.run(&["undo", id(&records[1])]);
    let wanted = format!(
        "toolpost: the change {0} was already undone, by the change {1}. To redo the change, run `toolpost \
         undo {1}`.\n",
        id(&records[1]),
        id(undo)
    );
    assert_eq!((again.code, again.err), (Some(1), wanted));
    assert_eq!(world.run(&["undo", id(undo)]).code, Some(0));
    assert_eq!(world.read("run.sh"), b"one\r\nthree\r\n");
}

#[test]
fn undo_refuses_files_that_changed_since() {
    let world = world();
    let edit = id(&list(&world, &[])[1]).to_owned();
    world.write("run.sh", b"mine");
    let refused = world.run(&["undo", &edit]);
    let wanted = format!(
        "toolpost: the change {edit} was not undone, because run.sh has other content now. `toolpost diff \
         {edit}` shows what to revert by hand.\n"
    );
    assert_eq!((refused.code, refused.err, refused.out.as_str()), (Some(1), wanted, ""));
    assert_eq!(
        (world.read("run.sh"), world.read("new/file.txt")),
        (b"mine".to_vec(), b"first\nsecond\n".to_vec())
    );
    world.write("new/file.txt", b"mine, too");
    let stuck = world.run(&["undo"]);
    assert_eq!(stuck.code, Some(1));
    assert!(
        stuck
            .err
            .ends_with(" `toolpost undo ID` undoes an older change; `toolpost history` lists the changes.\n"),
        "{}",
        stuck.err
    );
}

#[test]
fn disabled_history_records_nothing() {
    let world = World::new();
    let off = |arguments: &[&str]| {
        let output = world.program(arguments).env("TOOLPOST_HISTORY_MB", "0").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(off(&["call", "Write", r#"{"file_path":"f","content":"x"}"#]), (Some(0), String::new()));
    let why = "toolpost: there is no history: the setting `history_mb` is 0\n".to_owned();
    for command in ["history", "diff", "undo"] {
        assert_eq!(off(&[command]), (Some(2), why.clone()), "{command}");
    }
    assert!(!world.base().join("home/.local/state/toolpost/history").exists());
    let read_only = world.run(&["undo", "--read-only"]);
    let wanted = "toolpost: cannot undo: writing is disabled by `read_only` or `deny = [\"write\"]`\n";
    assert_eq!((read_only.code, read_only.err.as_str()), (Some(2), wanted));
}

#[test]
fn history_objects_inside_a_root_are_hidden_from_tools() {
    let world = World::with(&[(".env", b"SECRET=hunter2\n"), ("f", b"hunter2\n")]);
    let state = world.path("state").display().to_string();
    let allow = world.base().join("allow.toml");
    let rule = "[[rule]]\ntouch = [\"read\", \"write\"]\npaths = [\".env\"]\ndecide = \"allow\"\n";
    std::fs::write(&allow, rule).unwrap();
    let allowed = ["--state", &state, "--policy", &allow.display().to_string()];
    let replies = world.script_with(
        &allowed,
        &[
            call("Read", json!({ "file_path": ".env" })),
            call("Edit", json!({ "file_path": ".env", "old_string": "hunter2", "new_string": "hunter3" })),
        ],
    );
    assert!(replies.iter().all(is_ok), "{replies:?}");
    let objects = world.path("state/history/objects");
    let object = std::fs::read_dir(objects).unwrap().next().unwrap().unwrap().path();
    let grep = json!({ "pattern": "hunter", "glob": "**", "path": "." });
    let replies = world.script_with(
        &["--state", &state],
        &[call("Grep", grep), call("Read", json!({ "file_path": object.display().to_string() }))],
    );
    let found = common::words(&replies[0]);
    assert!(found.contains('f') && !found.contains("objects"), "{found}");
    let reply = common::words(&replies[1]);
    assert!(!is_ok(&replies[1]) && reply.contains("Toolpost keeps its state in this directory"), "{reply}");
}
