//! Settings, rules, event logs and tool definitions, from the operator's view.

use crate::common;
use toolpost_test_rows::each;

use common::{World, call, is_ok, words};
use serde_json::{Value, json};

/// Writes a configuration file in the home directory of the test.
fn configure(world: &World, name: &str, text: &str) {
    world.write(&format!("../home/.config/toolpost/{name}"), text.as_bytes());
}

/// Returns the line that `toolpost doctor` prints for a setting, without the path of the workspace.
fn setting(world: &World, arguments: &[&str], variables: &[(&str, &str)], name: &str) -> String {
    let mut command = world.program(&[&["doctor", "--json"], arguments].concat());
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let found = findings
        .iter()
        .filter(|finding| finding["what"] == "setting")
        .filter_map(|finding| finding["found"].as_str());
    let line = found.filter_map(|line| line.strip_prefix(&format!("{name} = "))).next().unwrap();
    line.replace(&world.base().display().to_string(), "{base}")
}

/// Arguments, environment variables, name of a setting, and its line in `toolpost doctor`.
type SettingRow<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str, &'a str);

#[test]
fn setting_precedence_is_flag_environment_file_default() {
    let world = World::new();
    assert_eq!(setting(&world, &[], &[], "ask"), "deny (default)");
    configure(&world, "config.toml", "ask = \"prompt\"\nreply_bytes = 4000\n");
    let variables = [("TOOLPOST_ASK", "allow")];
    let rows: [SettingRow<'_>; 6] = [
        (&[], &[], "ask", "prompt (file, {base}/home/.config/toolpost/config.toml)"),
        (&[], &variables, "ask", "allow (environment, TOOLPOST_ASK)"),
        (&["--ask", "deny"], &variables, "ask", "deny (flag)"),
        (&[], &[("TOOLPOST_ASK", "")], "ask", "prompt (file, {base}/home/.config/toolpost/config.toml)"),
        (&[], &[], "reply_bytes", "4000 (file, {base}/home/.config/toolpost/config.toml)"),
        (&[], &[("TOOLPOST_REPLY_BYTES", "5000")], "reply_bytes", "5000 (environment, TOOLPOST_REPLY_BYTES)"),
    ];
    each(rows, |(arguments, variables, name, wanted)| {
        assert_eq!(setting(&world, arguments, variables, name), wanted, "{arguments:?} {variables:?}");
    });
}

#[test]
fn first_match_is_off_by_default_and_edits_the_first_match() {
    let edit = json!({"file_path": "f", "replace_blocks": [{"old_str": "a", "new_str": "b"}]}).to_string();
    type Row<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str, &'a [u8]);
    let rows: [Row<'_>; 5] = [
        (&[], &[], "", b"a a"),
        (&["--first-match", "on"], &[], "", b"b a"),
        (&[], &[("TOOLPOST_FIRST_MATCH", "on")], "", b"b a"),
        (&[], &[], "first_match = \"on\"\n", b"b a"),
        (&["--first-match", "off"], &[("TOOLPOST_FIRST_MATCH", "on")], "first_match = \"on\"\n", b"a a"),
    ];
    each(rows, |(arguments, variables, file, wanted)| {
        let world = World::new();
        world.write("f", b"a a");
        configure(&world, "config.toml", file);
        let call = ["call", "--dialect", "trae", "update_file", &edit];
        let mut program = world.program(&[arguments, &call].concat());
        let output = program.envs(variables.iter().copied()).output().unwrap();
        assert_eq!((world.read("f").as_slice(), output.status.success()), (wanted, wanted == b"b a"));
    });
}

#[test]
fn invalid_settings_stop_the_start_and_name_their_source() {
    let rows = [
        ("ask = \"maybe\"\n", "", "invalid configuration file {base}/home/.config/toolpost/config.toml"),
        ("roots = [\"/\"]\n", "", "invalid configuration file {base}/home/.config/toolpost/config.toml"),
        ("ask = ", "", "invalid configuration file {base}/home/.config/toolpost/config.toml"),
        ("", "maybe", "TOOLPOST_ASK is `maybe`: the value must be one of allow, deny, prompt"),
    ];
    each(rows, |(file, variable, wanted)| {
        let world = World::new();
        configure(&world, "config.toml", file);
        let output = world
            .program(&["call", "Glob", "{\"pattern\":\"*\"}"])
            .env("TOOLPOST_ASK", variable)
            .output()
            .unwrap();
        let message =
            String::from_utf8(output.stderr).unwrap().replace(&world.base().display().to_string(), "{base}");
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(message.starts_with(&format!("toolpost: {wanted}")), "{message}");
    });
}

#[test]
fn doctor_fails_if_the_server_cannot_start() {
    let world = World::new();
    let good = world.run(&["doctor"]);
    assert_eq!((good.code, good.err.as_str()), (Some(0), ""));
    assert!(good.out.contains(&format!("         root  {}\n", world.root().display())), "{}", good.out);
    let headings: Vec<&str> = good
        .out
        .lines()
        .filter(|line| !line.contains("  ") && !line.is_empty() && !line.contains(" failure"))
        .collect();
    let wanted = ["This machine", "This workspace", "Models and agents", "Tools and services"];
    assert_eq!(headings[..4], wanted, "{}", good.out);
    assert!(!good.out.contains('\u{1b}'), "a pipe gets no colours");
    let bad = world.run(&["doctor", "--root", "/no/such/root"]);
    assert_eq!(bad.code, Some(1));
    assert!(bad.out.contains(" cannot start  the root /no/such/root cannot be opened"), "{}", bad.out);
}

#[test]
fn doctor_names_the_agent_definitions_that_were_skipped() {
    let world = World::new();
    let large = vec![b'x'; 300 * 1024];
    world.write("../home/.config/toolpost/agents", b"");
    world.write("../home/.claude/agents/large.md", &large);
    world.write(".claude/agents/large.md", &large);
    for number in 0..203 {
        world.write(&format!(".toolpost/agents/{number}.md"), b"");
    }
    let doctor = world.run(&["doctor", "--json"]);
    let findings: Vec<Value> = serde_json::from_str(&doctor.out).unwrap();
    let notes = findings.iter().filter(|finding| finding["what"] == "agents" && finding["status"] == "warn");
    let notes = notes.map(|finding| finding["found"].as_str().unwrap());
    let notes: Vec<&str> = notes.filter(|note| !note.contains("is not trusted")).collect();
    let (home, root) = (world.base().join("home"), world.root());
    let (home, root) = (home.display(), root.display());
    let wanted = [
        format!(
            "3 of the 203 agents in {root}/.toolpost/agents were skipped, because Toolpost reads at most 200 in a directory"
        ),
        format!(
            "{root}/.claude/agents/large.md was skipped, because it has 307200 bytes, more than the limit of 262144; shorten it"
        ),
        format!(
            "the agents in {home}/.config/toolpost/agents were skipped, because the directory cannot be read: Not a directory (os error 20)"
        ),
        format!(
            "{home}/.claude/agents/large.md was skipped, because it cannot be read: the file has more than 262144 bytes"
        ),
    ];
    assert_eq!(notes, wanted);
}

const DENY: &str =
    "[[rule]]\ntouch = [\"read\"]\npaths = [\"secret.txt\"]\ndecide = \"deny\"\nwhy = \"It is secret.\"\n";
const ALLOW: &str =
    "[[rule]]\ntouch = [\"read\", \"write\"]\npaths = [\".env\", \".vscode/\"]\ndecide = \"allow\"\n";

#[test]
fn access_rules_decide_by_the_accessed_path() {
    let read = |path: &str| call("Read", json!({ "file_path": path }));
    let tasks = call("Write", json!({ "file_path": ".vscode/tasks.json", "content": "x" }));
    let rows = [
        ("", "", read("secret.txt"), true),
        (DENY, "", read("secret.txt"), false),
        (DENY, "", read("link"), false),
        (DENY, "", read("other.txt"), true),
        ("", DENY, read("secret.txt"), false),
        ("", "", read(".env"), false),
        (ALLOW, "", read(".env"), true),
        ("", ALLOW, read(".env"), false),
        ("", "", tasks.clone(), false),
        (ALLOW, "", tasks.clone(), true),
        ("", ALLOW, tasks, false),
    ];
    each(rows, |(user, project, call, wanted)| {
        let world = World::with(&[
            ("secret.txt", b"s\n"),
            ("other.txt", b"o\n"),
            (".env", b"e\n"),
            (".toolpost/policy.toml", project.as_bytes()),
        ]);
        std::os::unix::fs::symlink("secret.txt", world.path("link")).unwrap();
        configure(&world, "policy.toml", user);
        let replies = world.script(std::slice::from_ref(&call));
        assert_eq!(
            is_ok(&replies[0]),
            wanted,
            "user {user:?}, project {project:?}: {call}: {}",
            words(&replies[0])
        );
        assert_eq!(wanted, replies[0]["kind"] != "denied", "{}", replies[0]);
    });
}

#[test]
fn policy_flag_replaces_other_rule_files() {
    let world = World::with(&[
        ("secret.txt", b"s\n"),
        ("../rules.toml", ALLOW.as_bytes()),
        (".toolpost/policy.toml", DENY.as_bytes()),
    ]);
    let calls = [call("Read", json!({ "file_path": "secret.txt" }))];
    assert!(!is_ok(&world.script(&calls)[0]));
    assert!(is_ok(&world.script_with(&["--policy", "../rules.toml"], &calls)[0]));
}

#[test]
fn invalid_rule_files_stop_the_start() {
    let rows = [
        ("[[rule", "../r: TOML parse error at line 1, column 7"),
        (
            "[[rule]]\ntouch = [\"fly\"]\npaths = [\"x\"]\ndecide = \"deny\"\n",
            "../r: TOML parse error at line 2, column 10",
        ),
        (
            "[[rule]]\ntouch = [\"read\"]\npaths = [\"[x\"]\ndecide = \"deny\"\n",
            "../r: the pattern `[x` is invalid: unclosed character class; missing ']'.",
        ),
        (
            "[[rule]]\ntouch = [\"read\"]\npaths = [\"x\"]\ndecide = \"perhaps\"\n",
            "../r: TOML parse error at line 4, column 10",
        ),
        (
            "[[rule]]\ntouch = [\"read\"]\npaths = [\"x\"]\ndecide = \"deny\"\nunless = \"y\"\n",
            "../r: TOML parse error at line 5, column 1",
        ),
        (
            "[[rule]]\ntouch = [\"read\"]\npaths = [\"x/**\"]\ndecide = \"deny\"\nwhy = \"w\"\nexamples = [\"y\"]\n",
            "../r: rule 1 (`w`) does not match its own example `y`; correct the pattern or the example.",
        ),
    ];
    each(rows, |(text, wanted)| {
        let world = World::with(&[("../r", text.as_bytes())]);
        let ended = world.run(&["call", "--policy", "../r", "Glob", "{\"pattern\":\"*\"}"]);
        assert_eq!(
            (ended.code, ended.err.lines().next()),
            (Some(2), Some(format!("toolpost: {wanted}").as_str())),
            "{text}"
        );
    });
    let ended = World::new().run(&["call", "--policy", "../none", "Glob", "{\"pattern\":\"*\"}"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(2), "toolpost: the policy ../none does not exist\n"));
}

#[test]
fn event_log_records_every_call() {
    let world = World::with(&[("f", b"a\n")]);
    let calls = [
        call("Read", json!({ "file_path": "f" })),
        call("Read", json!({ "file_path": "g" })),
        call("Read", json!({})),
        call("Nope", json!({})),
        call("no\n TOKEN=abc", json!({})),
    ];
    world.script_with(&["--events", "../events"], &calls);
    let events = String::from_utf8(world.read("../events")).unwrap();
    let mut seen: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &mut seen {
        if let Some(took) = event.as_object_mut().unwrap().remove("duration") {
            assert!(took.is_f64(), "{took}");
        }
    }
    let started = |id: u64, tool: &str| json!({ "status": "started", "id": id, "name": tool });
    let finished = |id: u64, tool: &str, outcome: &str| {
        let status = if outcome == "done" { "completed" } else { "failed" };
        json!({ "status": status, "id": id, "name": tool, "outcome": outcome })
    };
    let wanted = [
        started(1, "Read"),
        finished(1, "Read", "done"),
        started(2, "Read"),
        finished(2, "Read", "not_found"),
        started(3, "Read"),
        finished(3, "Read", "invalid"),
        started(4, "Nope"),
        finished(4, "Nope", "no_such_tool"),
        started(5, "no\n TOKEN=[redacted]"),
        finished(5, "no\n TOKEN=[redacted]", "no_such_tool"),
    ];
    assert_eq!(seen, wanted);
    world.script_with(&["--events", "../all", "--events-detail", "all"], &calls[..1]);
    let events = String::from_utf8(world.read("../all")).unwrap();
    let seen: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&seen[0]["params"], &seen[1]["result"]),
        (&json!({ "file_path": "f" }), &json!("     1\ta\n"))
    );
}

#[test]
fn tool_definitions_match_the_format_of_each_api() {
    let world = World::new();
    let tools = |format: &str| -> Value {
        let ended = world.run(&["tools", "--format", format]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{format}");
        serde_json::from_str(&ended.out).unwrap()
    };
    let mcp = tools("mcp");
    let names: Vec<&str> =
        mcp.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Read", "Edit", "Write", "Glob", "Grep"]);
    for (at, tool) in mcp.as_array().unwrap().iter().enumerate() {
        let (name, description, schema) = (&tool["name"], &tool["description"], &tool["inputSchema"]);
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(
            tools("openai")[at],
            json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
        );
        assert_eq!(
            tools("anthropic")[at],
            json!({ "name": name, "description": description, "input_schema": schema })
        );
        assert_eq!(
            tools("gemini")[0]["functionDeclarations"][at],
            json!({ "name": name, "description": description, "parametersJsonSchema": schema })
        );
    }
    let markdown = world.run(&["tools", "--format", "markdown"]).out;
    let headings: Vec<&str> = markdown.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, names);
}
