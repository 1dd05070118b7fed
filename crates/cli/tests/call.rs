//! `toolpost call`: exit status, standard output, standard error.

use crate::common;
use toolpost_test_rows::each;

use common::{RunResult, World, call};
use serde_json::{Value, json};

/// Creates a workspace with one file, and the scripts that the tests need next to its root.
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

/// Runs the program, and compares its whole output; the root and the end of a usage message are removed.
fn check(arguments: &[&str], input: &str, code: i32, out: &str, err: &str) {
    let world = world();
    let RunResult { code: ended, out: printed, err: complained } = world.run_with_input(arguments, input);
    let root = world.root().display().to_string();
    let complained = complained.replace(&root, "{root}");
    let complained = complained.split("\n\nUsage:").next().unwrap().split("\n\nFor more").next().unwrap();
    assert_eq!((ended, printed.trim_end(), complained.trim_end()), (Some(code), out, err), "{arguments:?}");
}

#[test]
fn call_exit_status_and_output_follow_the_contract() {
    let file = "     1\ta\n     2\tb";
    let missing = "File not found: g (the workspace is {root}).\nFind it with Glob, for example {\"pattern\":\"**/g\"}.";
    let unasked = "Not allowed to write .vscode/tasks.json: Editors, shells, hooks, agents or toolchains run what this file says without asking. \
                   No prompt is possible here, and the setting `ask` is `deny`.\n\
                   Only the operator can allow this, with a rule in the policy file, which Toolpost reads when it starts: touch = [\"write\"], paths = [\"{root}/.vscode/tasks.json\"], decide = \"allow\".";
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
            "Created .vscode/tasks.json (1 line, 1 byte).",
            "",
        ),
    ];
    each(rows, |(arguments, input, code, out, err)| {
        check(arguments, input, *code, out, err);
    });
}

#[test]
fn usage_errors_exit_with_2() {
    let nothing = "error: the following required arguments were not provided:\n  <TOOL>";
    let rows: &[(&[&str], &str, i32, &str, &str)] = &[
        (
            &["call", "Read", "{oops"],
            "",
            2,
            "",
            "toolpost: the arguments are not JSON: key must be a string at line 1 column 2\n  help: give them as a JSON object, for example\n        \
             toolpost call Read '{\"file_path\":\"src/main.rs\"}'",
        ),
        (&["call"], "", 2, "", nothing),
        (&["nope"], "", 2, "", "error: unrecognized subcommand 'nope'"),
        (
            &["call", "--dialect", "none", "Read", "{}"],
            "",
            2,
            "",
            "toolpost: unknown dialect `none`; the dialects are claude, trae, zblade, opencode, probe",
        ),
        (
            &["call", "--root", "/no/such/root", "Read", "{}"],
            "",
            2,
            "",
            "toolpost: the root /no/such/root cannot be opened (ENOENT: No such file or directory): pass an existing directory that you may read",
        ),
        (&["call", "--script", "../none"], "", 2, "", "toolpost: the script ../none does not exist"),
        (
            &["call", "--script", "../bad"],
            "",
            2,
            "",
            "toolpost: line 1 of the script is not JSON: key must be a string at line 1 column 2",
        ),
        (&["call", "--script", "../nameless"], "", 2, "", "toolpost: line 1 of the script has no tool name"),
    ];
    each(rows, |(arguments, input, code, out, err)| {
        check(arguments, input, *code, out, err);
    });
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
        "f exists, and this session has not seen its content.\nFile has not been read yet. Read it first before \
         writing to it.",
    );
    unread["kind"] = json!("unread");
    let wanted = [
        unread,
        text(true, "     1\ta\n     2\tb"),
        text(
            true,
            "Edited f: 1 replacement (+1 -1); the edited part is now line 1.\n@@ -1,2 +1,2 @@\n-a\n+A\n b",
        ),
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
fn json_flag_prints_the_structured_reply() {
    let world = world();
    let ended = world.run(&["call", "--json", "Read", "{\"file_path\":\"f\",\"limit\":1}"]);
    let printed: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (ended.code, &printed["ok"], &printed["structured"]["content"]["lines"]),
        (Some(0), &json!(true), &json!([{ "first": 1, "text": "a" }]))
    );
    let ended = world.run(&["call", "--json", "Read", "{\"file_path\":\"g\"}"]);
    let printed: Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(
        (ended.code, ended.out.as_str(), &printed["ok"], &printed["kind"]),
        (Some(1), "", &json!(false), &json!("not_found"))
    );
}

#[test]
fn read_notes_line_endings_other_than_lf() {
    let world = World::with(&[("cr", b"a\rb\r"), ("crlf", b"a\r\nb\r\n"), ("lf", b"a\nb\n"), ("one", b"a")]);
    each([("cr", "eol: CR only"), ("crlf", "eol: CRLF"), ("lf", ""), ("one", "")], |(file, wanted)| {
        let printed = world.run(&["call", "Read", &json!({ "file_path": file }).to_string()]).out;
        assert!(
            printed.contains(wanted) && printed.contains("eol:") != wanted.is_empty(),
            "{file}: {printed}"
        );
    });
}

#[test]
fn encoding_setting_applies_to_non_utf8_files() {
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

/// Content of the file before single calls; `call --json` prints its hash.
const BEFORE: &[u8] = b"fn one() {\n    a();\n}\n";

fn hash_of(world: &World, file: &str) -> String {
    let ended = world.run(&["call", "--json", "Read", &json!({ "file_path": file }).to_string()]);
    let printed: Value = serde_json::from_str(&ended.out).unwrap();
    printed["structured"]["hash"].as_str().unwrap().to_owned()
}

/// Calls every tool that changes an existing file, in every dialect, without an earlier call in the session.
#[test]
fn a_single_call_changes_a_file_that_was_not_read_before() {
    let patch = "*** Begin Patch\n*** Update File: f.rs\n@@\n-    a();\n+    b();\n*** End Patch";
    let after = "fn one() {\n    b();\n}\n";
    let rows = [
        ("claude", "Edit", json!({ "file_path": "f.rs", "old_string": "a()", "new_string": "b()" })),
        ("claude", "Write", json!({ "file_path": "f.rs", "content": after })),
        ("opencode", "edit", json!({ "filePath": "f.rs", "oldString": "a()", "newString": "b()" })),
        ("opencode", "write", json!({ "filePath": "f.rs", "content": after })),
        (
            "opencode",
            "multiedit",
            json!({ "filePath": "f.rs", "edits": [{ "oldString": "a()", "newString": "b()" }] }),
        ),
        ("opencode", "patch", json!({ "patch_text": patch })),
        ("trae", "write_to_file", json!({ "file_path": "f.rs", "content": after, "rewrite": true })),
        (
            "trae",
            "update_file",
            json!({ "file_path": "f.rs", "replace_blocks": [{ "old_str": "a()", "new_str": "b()" }] }),
        ),
        ("zblade", "write_file", json!({ "path": "f.rs", "content": after })),
        ("zblade", "edit_file", json!({ "path": "f.rs", "old_content": "a()", "new_content": "b()" })),
        ("zblade", "apply_patch", json!({ "path": "f.rs", "old_text": "a()", "new_text": "b()" })),
        ("probe", "edit", json!({ "file_path": "f.rs", "old_string": "a()", "new_string": "b()" })),
        ("probe", "edit", json!({ "file_path": "f.rs", "symbol": "one", "new_string": after })),
        ("probe", "edit", json!({ "file_path": "f.rs", "start_line": "2", "new_string": "    b();" })),
        ("probe", "create", json!({ "file_path": "f.rs", "content": after, "overwrite": true })),
    ];
    each(rows, |(dialect, tool, arguments)| {
        let world = World::with(&[("f.rs", BEFORE)]);
        let hash = hash_of(&world, "f.rs");
        let call = |expected: &str| {
            let flags = ["call", "--dialect", dialect, "--expect", expected, tool];
            world.run(&[&flags[..], &[&arguments.to_string()]].concat())
        };
        let stale = call("0123456789ab");
        let found = format!(
            "f.rs has changed: the hash of its content is {hash}, not 0123456789ab. Nothing was changed."
        );
        assert!(stale.code == Some(1) && stale.err.contains(&found), "{dialect} {tool}: {stale:?}");
        assert_eq!(world.read("f.rs"), BEFORE, "{dialect} {tool}");
        let done = call(&hash);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{dialect} {tool}: {}", done.out);
        assert_eq!(String::from_utf8(world.read("f.rs")).unwrap(), after, "{dialect} {tool}");
        world.write("f.rs", BEFORE);
        let done = world.run(&["call", "--dialect", dialect, tool, &arguments.to_string()]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{dialect} {tool}: {}", done.out);
        assert_eq!(String::from_utf8(world.read("f.rs")).unwrap(), after, "{dialect} {tool}");
    });
}

#[test]
fn expect_hash_must_pin_a_file_that_the_call_writes() {
    let edit = json!({ "file_path": "f", "old_string": "a", "new_string": "A" }).to_string();
    let create = json!({ "file_path": "new", "content": "x" }).to_string();
    let bad = "toolpost: `xyz` is not a hash: --expect takes HASH or PATH=HASH, with at least 12 hex digits of the BLAKE3 hash, which \
               `toolpost call --json` prints for a file that a tool reads (`structured.hash`)";
    let zeros = "000000000000";
    let rows: &[(&str, &str, &str, i32, &str)] = &[
        ("xyz", "Edit", &edit, 2, bad),
        ("g=000000000000", "Edit", &edit, 1, "A content hash was given for g, but this call writes f."),
        (
            zeros,
            "Read",
            "{\"file_path\":\"f\"}",
            1,
            "A content hash without a path requires a call that writes exactly one file, but this call names \
             no file that it writes.\nGive the hash of each file as PATH=HASH.",
        ),
        (
            zeros,
            "Write",
            &create,
            1,
            "new does not exist, but content with the hash 000000000000 was expected. Nothing was changed.",
        ),
    ];
    each(rows, |(expected, tool, arguments, code, err)| {
        check(&["call", "--expect", expected, tool, arguments], "", *code, "", err);
    });
    let update = |file: &str| format!("*** Update File: {file}\n@@\n-a\n+A\n");
    let text = ["f", "g", "f"].map(update).concat();
    let patch = json!({ "patch_text": format!("*** Begin Patch\n{text}*** End Patch") }).to_string();
    let two = "A content hash without a path requires a call that writes exactly one file, but this call writes f, g.\n\
               Give the hash of each file as PATH=HASH.";
    check(&["call", "--dialect", "opencode", "--expect", zeros, "patch", &patch], "", 1, "", two);
    let world = world();
    let hash = format!("f={}", hash_of(&world, "f").to_uppercase());
    let done = world.run(&["call", "--expect", &hash, "Edit", &edit]);
    assert_eq!((done.code, world.read("f").as_slice()), (Some(0), b"A\nb\n".as_slice()), "{done:?}");
}

#[test]
fn calls_of_unavailable_tools_change_nothing() {
    let edit = json!({ "file_path": "f", "old_string": "a", "new_string": "A" }).to_string();
    let forbidden = |setting: &str, why: &str| {
        format!("Edit is not available: the tool {why}, which the setting `{setting}` forbids (flag).")
    };
    let code_mode = "Edit is not available: the setting `code_mode` limits direct calls to `search_tools` and `run_code`; scripts call \
                     the other tools (flag).";
    let rows: [(&[&str], String); 4] = [
        (&["--code-mode", "only"], code_mode.to_owned()),
        (&["--read-only"], forbidden("read_only", "can change files")),
        (&["--deny", "write"], forbidden("deny", "has the capability `write`")),
        (&["--tools", "Read"], "Edit is not available: the setting `tools` excludes it (flag).".to_owned()),
    ];
    each(rows, |(flags, wanted)| {
        let world = world();
        let ended = world.run(&[&["call"], flags, &["Edit", &edit]].concat());
        assert_eq!((ended.code, ended.err.trim_end()), (Some(1), wanted.as_str()), "{flags:?}");
        assert_eq!(world.read("f"), b"a\nb\n", "{flags:?}");
    });
    let world = world();
    let ended =
        world.run(&["call", "--read-only", "--dialect", "opencode", "bash", "{\"command\":\"rm f\"}"]);
    assert!(ended.code == Some(1) && ended.err.contains("setting `read_only` or `deny`"), "{ended:?}");
    assert_eq!(world.read("f"), b"a\nb\n");
}

#[test]
fn unknown_tool_and_command_names_get_suggestions() {
    let rows: &[(&[&str], i32, &str)] = &[
        (&["call", "read", "{}"], 1, "The dialect claude has no tool `read`. Did you mean `Read`?"),
        (
            &["call", "--dialect", "trae", "--dialect", "claude", "raed", "{}"],
            1,
            "None of the dialects trae, claude has a tool `raed`. Did you mean `Read`?",
        ),
        (
            &["call", "bash", "{}"],
            1,
            "The dialect claude has no tool `bash`. The dialects opencode, probe have it:\n  \
             toolpost call --dialect opencode bash '{\"command\":\"echo ready\",\"description\":\"Prints a word\"}'",
        ),
        (
            &["call", "serch", "{}"],
            1,
            "The dialect claude has no tool `serch`. Did you mean `search` of the dialect probe?",
        ),
        (&["tools", "read"], 1, "toolpost: The dialect claude has no tool `read`. Did you mean `Read`?"),
        (
            &["tools", "qqqqqqqq"],
            1,
            "toolpost: no tool is called `qqqqqqqq`; the tools are Read, Edit, Write, Glob, Grep",
        ),
        (&["help", "raed"], 2, "toolpost: unknown command or tool `raed`. Did you mean `Read`?"),
        (
            &["tools", "--dialect", "cluade"],
            2,
            "toolpost: unknown dialect `cluade`; the dialects are claude, trae, zblade, opencode, probe. Did you mean `claude`?",
        ),
        (
            &["call", "Read", "f.txt"],
            2,
            "toolpost: the arguments are not JSON: expected ident at line 1 column 2\n  help: give them as a JSON object, for example\n        \
             toolpost call Read '{\"file_path\":\"f.txt\"}'",
        ),
    ];
    each(rows, |(arguments, code, err)| {
        check(arguments, "", *code, "", err);
    });
    let world = world();
    let ended = world.run(&["call", "--dialect", "CLAUDE", "Read", "{\"file_path\":\"f\",\"limit\":1}"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

/// An unknown parameter fails before the call has effects; accepted names that are not published work.
#[test]
fn an_unknown_parameter_fails_and_changes_nothing() {
    let world = world();
    let rows = [
        (
            "Read",
            json!({ "file_path": "f", "limt": 1 }),
            "toolpost: Read: unknown argument: \"limt\" (did you mean `limit`?). Nothing was done.\n  help: `toolpost help Read` lists the parameters\n",
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "a", "new_string": "b", "replace_al": true, "zzzz": 1 }),
            "toolpost: Edit: unknown arguments: \"replace_al\" (did you mean `replace_all`?), \"zzzz\". Nothing was done.\n  \
             help: `toolpost help Edit` lists the parameters\n",
        ),
    ];
    for (tool, arguments, wanted) in rows {
        let ended = world.run(&["call", tool, &arguments.to_string()]);
        assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (Some(2), "", wanted), "{tool}");
    }
    assert_eq!(world.read("f"), b"a\nb\n");
    let ended = world.run(&[
        "call",
        "Grep",
        "{\"pattern\":\"A\",\"-i\":true,\"head_limit\":1,\"output_mode\":\"content\"}",
    ]);
    assert!(ended.code == Some(0) && ended.out.starts_with("f:1:a\n"), "{ended:?}");
}

/// Three commands print the same page for each tool of each dialect, and the example on the page is a valid
/// call.
#[test]
fn every_tool_page_is_printed_by_tools_help_and_call() {
    let world = World::new();
    each(["claude", "trae", "zblade", "opencode", "probe"], |dialect| {
        let listed = world.run(&["tools", "--dialect", dialect]);
        let tools: Vec<Value> = serde_json::from_str(&listed.out).unwrap();
        for tool in &tools {
            let name = tool["name"].as_str().unwrap();
            let shown = world.run(&["tools", "--dialect", dialect, name]);
            assert_eq!(shown.code, Some(0), "{dialect} {name}: {}", shown.err);
            let helped = world.run(&["help", "--dialect", dialect, name]);
            let called = world.run(&["call", "--dialect", dialect, name]);
            // For a name that is also a command, `help` explains the command.
            if !helped.out.contains("Usage:") {
                assert_eq!(helped.out, shown.out, "{dialect} {name}");
            }
            assert_eq!((called.code, &called.err), (Some(2), &shown.out), "{dialect} {name}");
            for parameter in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
                assert!(
                    shown.out.contains(&format!("\n  {}  (", parameter.0)),
                    "{dialect} {name}: {}",
                    shown.out
                );
            }
            // The example names the dialect, so it also works when it is pasted.
            let pasted = format!("\nExample:\n  toolpost call --dialect {dialect} {name} '");
            assert!(shown.out.contains(&pasted), "{dialect} {name}: {}", shown.out);
            for (parameter, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
                for property in schema["items"]["properties"].as_object().into_iter().flatten() {
                    let row = format!("\n  {parameter}[].{}  (", property.0);
                    assert!(shown.out.contains(&row), "{dialect} {name}: {}", shown.out);
                }
            }
            let is_decimal = |line: &str| line.contains("default ") && line.ends_with(".0)");
            assert!(!shown.out.lines().any(is_decimal), "{dialect} {name}: {}", shown.out);
            let example = shown.out.split_once(" '").unwrap().1.trim_end().strip_suffix('\'').unwrap();
            let arguments: Value = serde_json::from_str(&example.replace("'\\''", "'")).unwrap();
            for needed in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
                assert!(arguments.get(needed.as_str().unwrap()).is_some(), "{dialect} {name}: {example}");
            }
        }
    });
}

#[test]
fn failed_commands_make_call_exit_with_1() {
    let world = World::with(&[
        ("../fails", b"{\"tool\":\"bash\",\"arguments\":{\"command\":\"true\"}}\n{\"tool\":\"bash\",\"arguments\":{\"command\":\"false\"}}\n"),
    ]);
    let bash = |flags: &[&str], line: &str| {
        let arguments = json!({ "command": line }).to_string();
        let call =
            [&["call", "--dialect", "opencode", "--sandbox", "off"], flags, &["bash", &arguments]].concat();
        world.run(&call)
    };
    for (line, code, out) in
        [("true", 0, "(no output)\nExit code: 0"), ("false", 1, "(no output)\nExit code: 1")]
    {
        let ended = bash(&[], line);
        assert_eq!((ended.code, ended.out.trim_end()), (Some(code), out), "{line}: {}", ended.err);
        let ended = bash(&["--json"], line);
        let reply: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!((ended.code, &reply["ok"]), (Some(code), &json!(true)), "{line}: {reply}");
    }
    let ended = world.run(&["call", "--dialect", "opencode", "--sandbox", "off", "--script", "../fails"]);
    assert_eq!((ended.code, ended.out.lines().count()), (Some(1), 2), "{}", ended.err);
}

#[test]
fn stopped_scripts_and_failed_batches_make_call_exit_with_1() {
    let world = World::with(&[("f", b"a\n")]);
    let read = |path: &str| json!({ "tool": "read_file", "arguments": { "path": path } });
    let batch = |paths: &[&str]| json!({ "calls": paths.iter().map(|path| read(path)).collect::<Vec<_>>() });
    let rows = [
        (["--dialect", "probe"], "execute_plan", json!({ "code": "return 1" }), 0),
        (["--dialect", "probe"], "execute_plan", json!({ "code": "return extract(\"nope.js\")" }), 1),
        (["--dialect", "probe"], "execute_plan", json!({ "code": "throw new Error(\"no\")" }), 1),
        (["--code-mode", "only"], "run_code", json!({ "code": "null.x" }), 1),
        (["--dialect", "zblade"], "batch", batch(&["f", "gone"]), 0),
        (["--dialect", "zblade"], "batch", batch(&["gone", "lost"]), 1),
    ];
    each(rows, |(dialect, tool, arguments, code)| {
        let arguments = arguments.to_string();
        let ended = world.run(&[&["call", "--json"], &dialect[..], &[tool, &arguments]].concat());
        let printed = if code == 0 { &ended.out } else { &ended.err };
        let reply: Value = serde_json::from_str(printed).unwrap();
        assert_eq!(
            (ended.code, &reply["ok"]),
            (Some(code), &json!(code == 0)),
            "{tool} {arguments}: {reply}"
        );
    });
}

#[test]
fn call_stops_and_reports_background_commands() {
    let world = World::new();
    let bash = |arguments: Value| {
        let arguments = arguments.to_string();
        world.run(&["call", "--dialect", "opencode", "--sandbox", "off", "bash", &arguments])
    };
    let left = bash(json!({ "command": "sleep 71.042", "run_in_background": true }));
    let note = "toolpost: `call` ends its session, so `sleep 71.042` was stopped; `toolpost serve` keeps a session open\n";
    assert_eq!((left.code, left.err.as_str()), (Some(0), note), "{}", left.out);
    let done = bash(json!({ "command": "true", "run_in_background": true }));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.out);
}
