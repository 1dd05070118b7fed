//! Selection of tools by name or access, and several dialects and roots in one process.

use crate::common;
use toolpost_test_rows::each;

use common::{World, call};
use serde_json::{Value, json};

/// Returns the names of the tools served over MCP.
fn served(world: &World, arguments: &[&str]) -> Vec<String> {
    let mut server = world.serve(arguments);
    server.ask("tools/list", json!({}));
    names(&server.next()["result"]["tools"])
}

/// Returns the names of the tools that `toolpost tools` prints.
fn printed(world: &World, arguments: &[&str]) -> Vec<String> {
    names(&serde_json::from_str(&world.run(&[&["tools"], arguments].concat()).out).unwrap())
}

fn names(tools: &Value) -> Vec<String> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn only_selected_tools_are_served() {
    let world = World::new();
    let two = ["--dialect", "opencode", "--dialect", "probe"];
    let rows: &[(&[&str], &[&str])] = &[
        (&["--tools", "Read,Grep"], &["Read", "Grep"]),
        (&["--tools", "Grep", "--tools", "claude_Read"], &["Read", "Grep"]),
        (&["--read-only"], &["Read", "Glob", "Grep"]),
        (&["--deny", "write"], &["Read", "Glob", "Grep"]),
        (&["--tools", "Read,Edit", "--deny", "write"], &["Read"]),
        (&["--dialect", "trae", "--tools", "delete_files"], &["delete_file"]),
        (&["--code-mode", "on", "--tools", "Read"], &["Read", "search_tools", "run_code"]),
        (&["--code-mode", "only", "--read-only"], &["search_tools", "run_code"]),
        (&["--dialect", "probe", "--read-only", "--tools", "create,execute_plan"], &["execute_plan"]),
        (&["--dialect", "probe", "--read-only", "--tools", "delegate"], &["delegate"]),
        (
            &["--dialect", "probe", "--deny", "delegate", "--tools", "delegate,execute_plan"],
            &["execute_plan"],
        ),
    ];
    each(rows, |(arguments, wanted)| {
        assert_eq!(&served(&world, arguments), wanted, "{arguments:?}");
        assert_eq!(&printed(&world, arguments), wanted, "{arguments:?}");
    });
    // A prefixed name stays the same even if the tool with the plain name is not served.
    for (selected, wanted) in
        [("opencode_edit", &["opencode_edit"][..]), ("edit", &["opencode_edit", "probe_edit"])]
    {
        let arguments = [&two[..], &["--tools", selected]].concat();
        assert_eq!(served(&world, &arguments), wanted, "{selected}");
    }
}

#[test]
fn tool_selection_is_validated_and_read_from_all_sources() {
    let world = World::new();
    let unknown = world.run(&["tools", "--tools", "Read,Nope"]);
    let wanted = "toolpost: no tool is called `Nope`; the tools are Read, Edit, Write, Glob, Grep\n";
    assert_eq!((unknown.code, unknown.err.as_str()), (Some(2), wanted));
    for selection in ["R*,!Read", "!*", "Edit,!E*"] {
        let nothing = world.run(&["tools", "--tools", selection]);
        let wanted = "toolpost: no tool is left: ";
        assert!(nothing.code == Some(2) && nothing.err.starts_with(wanted), "{selection}: {nothing:?}");
    }
    let nothing = world.run(&["serve", "--tools", "Edit", "--read-only"]);
    let wanted =
        "toolpost: no tool is left: every selected tool is excluded or denied; select others, or deny less\n";
    assert_eq!((nothing.code, nothing.err.as_str()), (Some(2), wanted));
    let variables: [(&str, &str); 3] =
        [("TOOLPOST_TOOLS", "Read,Edit"), ("TOOLPOST_READ_ONLY", "on"), ("TOOLPOST_DENY", "write")];
    for (name, value) in &variables[1..] {
        let output = world.program(&["tools"]).envs([variables[0], (name, value)]).output().unwrap();
        assert_eq!(names(&serde_json::from_slice(&output.stdout).unwrap()), ["Read"], "{name}");
    }
    world.write(
        "../home/.config/toolpost/config.toml",
        b"tools = [\"Glob\", \"Write\"]\ndeny = [\"write\"]\n",
    );
    assert_eq!(printed(&world, &[]), ["Glob"]);
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("tools = Glob, Write (file, "), "{doctor}");
    assert!(!doctor.contains("(default)"), "{doctor}");
    let count = doctor.lines().last().unwrap_or_default();
    assert!(count.ends_with(" settings have their default (`toolpost doctor --all`)"), "{count}");
    let doctor = world.run(&["doctor", "--all"]).out;
    each(
        [
            "tools = Glob, Write (file, ",
            "deny = write (file, ",
            "read_only = off (default)",
            "history_mb = 512 (default)",
        ],
        |line| {
            assert!(doctor.contains(line), "{line}: {doctor}");
        },
    );
    let wrong = world.program(&["tools"]).env("TOOLPOST_DENY", "reed").output().unwrap();
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(
        (wrong.status.code(), message.contains("the value must be one of write")),
        (Some(2), true),
        "{message}"
    );
}

#[test]
fn tool_aliases_do_not_bypass_the_selection() {
    let world = World::with(&[("f", b"old")]);
    let arguments = [
        ("Write", json!({ "file_path": "f", "content": "new" })),
        ("claude_Write", json!({ "file_path": "f", "content": "new" })),
        ("write_to_file", json!({ "file_path": "f", "content": "new", "rewrite": true })),
        ("trae_write_to_file", json!({ "file_path": "f", "content": "new", "rewrite": true })),
        ("delete_file", json!({ "file_paths": ["f"] })),
        ("delete_files", json!({ "file_paths": ["f"] })),
        ("trae_delete_files", json!({ "file_paths": ["f"] })),
        ("batch", json!({ "calls": [{ "tool": "write_file", "args": { "path": "f", "content": "new" } }] })),
    ];
    let all = ["--dialect", "claude", "--dialect", "trae", "--dialect", "zblade"];
    for flags in [&["--read-only"][..], &["--deny", "write"], &["--tools", "Read,list_dir,batch"]] {
        let mut server = world.serve(&[&all[..], flags].concat());
        each(&arguments, |(tool, arguments)| {
            let id = server.ask_call(&call(tool, arguments.clone()));
            let answer = server.next();
            let refused = answer.get("error").is_some() || answer["result"]["isError"] == true;
            let inside = *tool == "batch";
            assert!(answer["id"] == id && (refused || inside), "{flags:?} {tool}: {answer}");
            assert_eq!(world.read("f"), b"old", "{flags:?} {tool}: {answer}");
        });
        let reply = server.call(&call("Read", json!({ "file_path": "f" })));
        assert_ne!(reply["isError"], true, "{flags:?}: {reply}");
    }
    let ended = world.run(&["call", "--read-only", "Write", r#"{"file_path":"f","content":"new"}"#]);
    let wanted =
        "Write is not available: the tool can change files, which the setting `read_only` forbids (flag).\n";
    assert_eq!((ended.code, ended.err.as_str()), (Some(1), wanted));
}

#[test]
fn several_dialects_and_roots_are_served_together() {
    let world = World::with(&[("f", b"in the first\n")]);
    let second = world.base().join("out");
    std::fs::write(second.join("g"), b"in the second\n").unwrap();
    let g = second.join("g").display().to_string();
    let (first, out) = (world.root().display().to_string(), second.display().to_string());
    let arguments = [
        "--root",
        &first,
        "--root",
        &out,
        "--dialect",
        "claude",
        "--dialect",
        "opencode",
        "--dialect",
        "probe",
    ];
    let mut server = world.serve(&arguments);
    let read = |path: &str| call("Read", json!({ "file_path": path }));
    for (path, wanted) in [("f", "in the first"), (g.as_str(), "in the second")] {
        let reply = server.call(&read(path));
        assert!(reply["content"][0]["text"].as_str().unwrap().contains(wanted), "{reply}");
    }
    // The dialects share a session: after a read in one, a prefixed tool of the other can edit the file.
    let edit = json!({ "filePath": g, "oldString": "second", "newString": "second root" });
    let reply = server.call(&call("opencode_edit", edit));
    assert_ne!(reply["isError"], true, "{reply}");
    assert_eq!(std::fs::read(second.join("g")).unwrap(), b"in the second root\n");
    let tools = served(&world, &arguments);
    assert!(
        tools.contains(&"opencode_edit".to_owned()) && tools.contains(&"probe_edit".to_owned()),
        "{tools:?}"
    );
    assert!(tools.contains(&"Edit".to_owned()) && !tools.contains(&"edit".to_owned()), "{tools:?}");
    // The history has the changes of both roots, with the call of each.
    let ended = world.run(&["--root", &first, "--root", &out, "undo"]);
    assert_eq!(
        (ended.code, std::fs::read(second.join("g")).unwrap()),
        (Some(0), b"in the second\n".to_vec()),
        "{ended:?}"
    );
    assert_eq!(world.run(&["--root", &first, "history"]).out, "No changes are recorded in this workspace.\n");
    let outside = server.call(&read("/etc/hostname"));
    assert_eq!(outside["isError"], true, "{outside}");
}

/// Clients that load tools on demand always load these: tools to read, edit, find and search files, and
/// commands.
#[test]
fn always_loaded_tools_are_the_basic_file_and_command_tools() {
    let world = World::new();
    let rows: [(&str, &[&str]); 5] = [
        ("claude", &["Read", "Edit", "Write", "Glob", "Grep"]),
        ("opencode", &["grep", "glob", "write", "edit", "bash"]),
        (
            "trae",
            &["search_by_regex", "view_files", "list_dir", "write_to_file", "update_file", "run_command"],
        ),
        ("probe", &["search", "extract", "edit", "create", "listFiles", "bash"]),
        ("zblade", &["read_file", "write_file", "edit_file", "list_dir", "grep_search", "run_command"]),
    ];
    each(rows, |(dialect, wanted)| {
        let mut server = world.serve(&["--dialect", dialect]);
        server.ask("tools/list", json!({}));
        let tools = server.next()["result"]["tools"].clone();
        let always =
            tools.as_array().unwrap().iter().filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
        let mut always: Vec<&str> = always.map(|tool| tool["name"].as_str().unwrap()).collect();
        let mut wanted = wanted.to_vec();
        always.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(always, wanted, "{dialect}");
    });
}
