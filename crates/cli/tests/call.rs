//! `toolpost call`: exit status, standard output, standard error.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use common::{Ended, World, call};
use serde_json::{Value, json};

/// A root with one file, and what the tests of the contract need beside it.
fn world() -> World {
    let script = "{\"tool\":\"Read\",\"arguments\":{\"file_path\":\"f\"}}\n\n{\"tool\":\"Read\",\"arguments\":{\"file_path\":\"f\",\"offset\":2}}\n";
    let mixed = "{\"tool\":\"Read\",\"arguments\":{\"file_path\":\"g\"}}\n{\"tool\":\"Read\",\"arguments\":{\"file_path\":\"f\"}}\n";
    World::with(&[
        ("f", b"a\nb\n"),
        ("../good", script.as_bytes()),
        ("../mixed", mixed.as_bytes()),
        ("../bad", b"{oops\n"),
        ("../nameless", b"{\"tool\":1}\n"),
    ])
}

/// Runs the program; whole outputs are compared, with the root and the rest of a usage message taken out.
fn check(arguments: &[&str], input: &str, code: i32, out: &str, err: &str) {
    let world = world();
    let Ended { code: ended, out: said, err: complained } = world.run_with_input(arguments, input);
    let root = world.root().display().to_string();
    let complained = complained.replace(&root, "{root}");
    let complained = complained.split("\n\nUsage:").next().unwrap().split("\n\nFor more").next().unwrap();
    assert_eq!((ended, said.trim_end(), complained.trim_end()), (Some(code), out, err), "{arguments:?}");
}

#[test]
fn one_call_ends_as_the_contract_says() {
    let file = "     1\ta\n     2\tb";
    let missing = "File not found: g (the workspace is {root}).\nFind it with Glob, for example {\"pattern\":\"**/g\"}.";
    let unasked = "Not allowed to write .vscode/tasks.json: Editors, shells, hooks or agents run what stands in this file without asking. \
                   Nobody can be asked here, and the setting `ask` says deny.\n\
                   Only the operator can allow it, by a rule: touch = [\"write\"], paths = [\"{root}/.vscode/tasks.json\"], decide = \"allow\".";
    let tasks = "{\"file_path\":\".vscode/tasks.json\",\"content\":\"x\"}";
    let rows: &[(&[&str], &str, i32, &str, &str)] = &[
        (&["call", "Read", "{\"file_path\":\"f\"}"], "", 0, file, ""),
        (&["call", "--dialect", "claude", "Read", "{\"path\":\"f\"}"], "", 0, file, ""),
        (&["call", "Read", "-"], "{\"file_path\":\"f\"}", 0, file, ""),
        (&["call", "Read", "{\"file_path\":\"g\"}"], "", 1, "", missing),
        (
            &["call", "Nope", "{}"],
            "",
            1,
            "",
            "No tool is called Nope. The tools are: Read, Edit, Write, Glob, Grep.",
        ),
        (&["call", "Write", tasks], "", 1, "", unasked),
        (
            &["call", "--ask", "allow", "Write", tasks],
            "",
            0,
            "Created .vscode/tasks.json (1 line, 1 bytes).",
            "",
        ),
    ];
    for (arguments, input, code, out, err) in rows {
        check(arguments, input, *code, out, err);
    }
}

#[test]
fn what_is_not_understood_is_a_matter_of_usage() {
    let nothing = "error: the following required arguments were not provided:\n  <TOOL>\n  <ARGUMENTS>";
    let rows: &[(&[&str], &str, i32, &str, &str)] = &[
        (
            &["call", "Read", "{oops"],
            "",
            2,
            "",
            "toolpost: the arguments are not JSON: key must be a string at line 1 column 2",
        ),
        (&["call"], "", 2, "", nothing),
        (&["nope"], "", 2, "", "error: unrecognized subcommand 'nope'"),
        (
            &["call", "--dialect", "none", "Read", "{}"],
            "",
            2,
            "",
            "toolpost: no dialect is called `none`; there are claude, trae, zblade, opencode, probe",
        ),
        (
            &["call", "--root", "/no/such/root", "Read", "{}"],
            "",
            2,
            "",
            "toolpost: the root /no/such/root cannot be opened (ENOENT: No such file or directory): name a directory that exists and may be read",
        ),
        (&["call", "--script", "../none"], "", 2, "", "toolpost: the script ../none does not exist"),
        (
            &["call", "--script", "../bad"],
            "",
            2,
            "",
            "toolpost: line 1 is not JSON: key must be a string at line 1 column 2",
        ),
        (&["call", "--script", "../nameless"], "", 2, "", "toolpost: line 1 names no tool"),
    ];
    for (arguments, input, code, out, err) in rows {
        check(arguments, input, *code, out, err);
    }
}

#[test]
fn a_script_is_one_session_with_a_reply_for_each_call() {
    let world = world();
    let replies = world.script(&[
        call("Edit", json!({ "file_path": "f", "old_string": "a", "new_string": "A" })),
        call("Read", json!({ "file_path": "f" })),
        call("Edit", json!({ "file_path": "f", "old_string": "a", "new_string": "A" })),
        call("Nope", json!({})),
    ]);
    let text = |ok: bool, text: &str| json!({ "ok": ok, "content": [{ "type": "text", "text": text }] });
    let mut unread = text(
        false,
        "f exists, and this session has not seen what is in it.\nFile has not been read yet. Read it first before writing to it.",
    );
    unread["kind"] = json!("unread");
    let wanted = [
        unread,
        text(true, "     1\ta\n     2\tb"),
        text(true, "Edited f: 1 replacement, now lines 1-1 (+1 -1).\n@@ -1,2 +1,2 @@\n-a\n+A\n b"),
        text(false, "No tool is called Nope. The tools are: Read, Edit, Write, Glob, Grep."),
    ];
    assert_eq!(replies, wanted);
    assert_eq!(world.read("f"), b"A\nb\n");
}

#[test]
fn a_script_fails_when_one_of_its_calls_fails() {
    let world = world();
    for (script, code, replies) in [("../good", 0, 2), ("../mixed", 1, 2)] {
        let ended = world.run(&["call", "--script", script]);
        assert_eq!(
            (ended.code, ended.out.lines().count(), ended.err.as_str()),
            (Some(code), replies, ""),
            "{script}"
        );
    }
}

#[test]
fn json_carries_the_output_as_data() {
    let world = world();
    let ended = world.run(&["call", "--json", "Read", "{\"file_path\":\"f\",\"limit\":1}"]);
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (ended.code, &said["ok"], &said["structured"]["content"]["lines"]),
        (Some(0), &json!(true), &json!([{ "first": 1, "text": "a" }]))
    );
    let ended = world.run(&["call", "--json", "Read", "{\"file_path\":\"g\"}"]);
    let said: Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(
        (ended.code, ended.out.as_str(), &said["ok"], &said["kind"]),
        (Some(1), "", &json!(false), &json!("not_found"))
    );
}

#[test]
fn an_encoding_that_is_named_is_that_of_files_that_are_no_utf_8() {
    let world = World::with(&[("f", b"caf\xe9\n")]);
    let script = [
        call("Read", json!({ "file_path": "f" })),
        call("Edit", json!({ "file_path": "f", "old_string": "café", "new_string": "thé" })),
    ];
    let lines: Vec<String> = script.iter().map(Value::to_string).collect();
    world.write("../script", lines.join("\n").as_bytes());
    for (encoding, code, after) in [("gbk", 1, b"caf\xe9\n".as_slice()), ("windows-1252", 0, b"th\xe9\n")] {
        let mut program = world.program(&["call", "--script", "../script"]);
        let output = program.env("TOOLPOST_ENCODING", encoding).output().unwrap();
        assert_eq!((output.status.code(), world.read("f").as_slice()), (Some(code), after), "{encoding}");
    }
}
