//! `toolpost policy`: explanations, and the duration of trust in a project's rules.

use crate::common;
use toolpost_test_rows::each;

use common::{Server, World, call, is_ok};
use serde_json::{Value, json};

const RULES: &str = "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"cargo test\"]\ndecide = \"allow\"\nwhy = \"Ours.\"\n\n\
                     [examples]\nallow = [\"cargo test -q\"]\n";

/// Returns the output of `toolpost policy` with the root replaced, and whether it exited with 0.
fn policy_output(world: &World, arguments: &[&str]) -> (String, bool) {
    let output = world.program(&[&["policy"], arguments].concat()).output().unwrap();
    let words = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let words = String::from_utf8(words).unwrap().replace(&world.root().display().to_string(), "{root}");
    (words, output.status.success())
}

fn verdict(world: &World, command: &str) -> String {
    let (words, _) = policy_output(world, &["explain", "--json", command]);
    let explained: Value = serde_json::from_str(&words).unwrap();
    explained["decision"].as_str().unwrap().to_owned()
}

#[test]
fn explain_shows_the_rule_of_each_command_part() {
    let world = World::with(&[(
        ".toolpost/policy.toml",
        b"\n[[rule]]\ntouch = [\"execute\"]\ncommands = [\"git push\"]\n\
        decide = \"deny\"\nwhy = \"Not from here.\"\n",
    )]);
    let (words, fine) = policy_output(&world, &["explain", "make > log; env git -C x push"]);
    assert_eq!(
        words,
        "make > log\n  ask    no rule allows it\n  ask    write log: no rule allows it; changes by commands are not \
         kept in the history\nenv git -C x push\n  allow  it only runs the command that follows it\ngit -C x push  (in \
         env)\n  deny   Not \
         from here. [`git push`, {root}/.toolpost/policy.toml, line 2]\nverdict: deny\n"
    );
    assert!(!fine);
    let rows = [
        (
            "python3 -c 'print(1)'",
            "  ask    no rule allows it\nto allow it, add to {base}/home/.config/toolpost/policy.toml:\n  [[rule]]\n  touch = \
             [\"execute\"]\n  commands = [\"python3 -c 'print(1)' $\"]\n  decide = \"allow\"\nverdict: ask\n",
        ),
        (
            "npm install left-pad",
            "  ask    no rule allows it\n  note   the command usually fetches from registry.npmjs.org, which no rule allows \
             commands to reach; without such a rule it will fail\nto allow it, add to \
             {base}/home/.config/toolpost/policy.toml:\n  [[rule]]\n  touch = [\"execute\"]\n  commands = [\"npm install \
             left-pad $\"]\n  decide = \"allow\"\nverdict: ask\n",
        ),
        ("python3 -", "  ask    no rule allows it\nverdict: ask\n"),
        ("ls", "  allow  "),
    ];
    each(rows, |(command, wanted)| {
        let (words, _) = policy_output(&world, &["explain", command]);
        let rest = words.strip_prefix(&format!("{command}\n")).unwrap();
        let wanted = wanted.replace("{base}", &world.base().display().to_string());
        assert!(rest.starts_with(&wanted) && (command == "ls" || rest == wanted), "{words}");
        assert!(command != "ls" || !rest.contains("to allow it"), "{words}");
    });
    assert_eq!(policy_output(&world, &["explain", "echo", "a; b"]).0.lines().last(), Some("verdict: allow"));
    assert_eq!(policy_output(&world, &["explain", "echo a; b"]).0.lines().last(), Some("verdict: ask"));
    assert!(!policy_output(&world, &["explain"]).1);
}

/// An option of Toolpost after the command is an error, since it would count as an argument of the command. After `--`, it
/// is one.
#[test]
fn options_after_the_explained_command_are_refused() {
    let world = World::with(&[]);
    let other = world.root().join("..").display().to_string();
    let options: [&[&str]; 6] = [
        &["--root", &other],
        &["--root=/tmp"],
        &["--json"],
        &["--directory", "."],
        &["--sandbox", "off"],
        &["--policy=p.toml"],
    ];
    each([&["cargo test"][..], &["cargo", "test"], &["git", "push", "-f"]], |command| {
        each(options, |option| {
            let name = option[0].split('=').next().unwrap();
            let ended = world.run(&[&["policy", "explain"], command, option].concat());
            let wanted = format!(
                "`{name}` after the command would be an argument of the command: put options of Toolpost before"
            );
            assert!(
                ended.code == Some(2) && ended.err.contains(&wanted),
                "{command:?} {option:?}: {}",
                ended.err
            );
            let words = [command, option].concat();
            let (explained, _) = policy_output(&world, &[&["explain", "--"], &words[..]].concat());
            assert!(explained.lines().next().unwrap().contains(name), "{words:?}: {explained}");
        });
        each([&["--help"][..], &["--version"], &["--release"], &["-q"], &["--", "--json"]], |own| {
            let (explained, _) = policy_output(&world, &[&["explain"], command, own].concat());
            assert!(explained.contains("verdict: "), "{command:?} {own:?}: {explained}");
        });
    });
}

#[test]
fn the_exit_status_of_explain_is_the_verdict() {
    let world = World::with(&[(
        ".toolpost/policy.toml",
        b"[[rule]]\ntouch = [\"execute\"]\ncommands = [\"git push\"]\ndecide = \"deny\"\nwhy = \"Not here.\"\n",
    )]);
    let rows =
        [("ls", 0, "allow"), ("make", 1, "ask"), ("git push", 2, "deny"), ("ls; make; git push", 2, "deny")];
    each(rows, |(command, code, word)| {
        for json in [&[][..], &["--json"]] {
            let ended = world.run(&[&["policy", "explain"], json, &[command]].concat());
            assert_eq!((ended.code, ended.err.as_str()), (Some(code), ""), "{command}");
            assert!(ended.out.contains(word), "{command}: {}", ended.out);
        }
    });
    // The message distinguishes wrong usage from a denial.
    let wrong = world.run(&["policy", "explain"]);
    assert!(wrong.code == Some(2) && wrong.out.is_empty() && !wrong.err.is_empty(), "{wrong:?}");
}

const RESTART: &str = "running servers apply the change after a restart\n";

#[test]
fn trust_ends_when_the_policy_file_changes() {
    let world = World::new();
    let nothing = "toolpost: nothing to trust: no root has a .toolpost/policy.toml, or agents in .toolpost/agents or .claude/agents\n";
    assert_eq!(policy_output(&world, &["trust"]), (nothing.to_owned(), false));
    world.write(".toolpost/policy.toml", RULES.as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "ask");
    assert!(policy_output(&world, &["trust"]).1);
    assert_eq!(verdict(&world, "cargo test"), "allow");
    world.write(".toolpost/policy.toml", format!("{RULES}# more\n").as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "ask");
    // A verdict names the changed file if the file would change the verdict, and only then.
    let lapsed = "policy.toml, which has changed since `toolpost policy trust`, would allow it";
    let bash = |line: &str| {
        world.run(&["call", "--dialect", "opencode", "bash", &json!({ "command": line }).to_string()])
    };
    for (line, wanted) in [("cargo test", true), ("unknown-program", false)] {
        let explained = world.run(&["policy", "explain", line]);
        assert_eq!(explained.out.contains(lapsed), wanted, "{}", explained.out);
        let refused = bash(line);
        assert_eq!((refused.code, refused.err.contains(lapsed)), (Some(1), wanted), "{}", refused.err);
    }
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("policy.toml (changed since the file was trusted"), "{}", doctor.out);
    world.write(".toolpost/policy.toml", RULES.as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "allow");
    assert_eq!(
        policy_output(&world, &["trust", "--revoke"]),
        (format!("no longer trusted: {{root}}/.toolpost/policy.toml\n{RESTART}"), true)
    );
    assert_eq!(
        policy_output(&world, &["trust", "--revoke"]),
        (format!("not trusted: {{root}}/.toolpost/policy.toml\n{RESTART}"), true)
    );
    assert_eq!(verdict(&world, "cargo test"), "ask");
    world.write(".toolpost/policy.toml", b"[examples]\nallow = [\"make\"]\n");
    assert!(!policy_output(&world, &["trust"]).1);
}

#[test]
fn loopback_rule_covers_127_0_0_1_and_localhost() {
    let world = World::with(&[(
        "../p.toml",
        b"[[rule]]\ntouch = [\"execute\"]\ncommands = [\"curl\"]\ndecide = \"allow\"\nwhy = \"x\"\n\n\
          [[rule]]\ntouch = [\"fetch\"]\nhosts = [\"127.0.0.1\", \"localhost\"]\ndecide = \"allow\"\nwhy = \"x\"\n",
    )]);
    let rows = [
        ("curl http://127.0.0.1:8123/a", 0),
        ("curl http://localhost:8123/a", 0),
        ("curl http://127.0.0.2:8123/a", 1),
    ];
    for (line, code) in rows {
        let ended = world.run(&["policy", "explain", "--policy", "../p.toml", line]);
        assert_eq!(ended.code, Some(code), "{line}: {} {}", ended.out, ended.err);
    }
}

#[test]
fn permanent_approval_outlives_the_server() {
    let world = World::new();
    let write = call("Write", json!({ "file_path": world.path(".vscode/a.json"), "content": "{}" }));
    let mut server = world.serve_asking(&[]);
    server.ask_call(&write);
    let question = server.next();
    let field = &question["params"]["requestedSchema"]["properties"]["decision"];
    let choices = field["oneOf"].as_array().unwrap();
    let words: Vec<&str> = choices.iter().map(|choice| choice["const"].as_str().unwrap()).collect();
    assert_eq!((words, &field["default"]), (vec!["once", "session", "always", "deny"], &json!("once")));
    server.answer(&question, &json!({ "action": "accept", "content": { "decision": "always" } }));
    let done = server.next();
    let reply = done["result"]["content"][0]["text"].as_str().unwrap();
    let rule =
        "touch = [\"write\"], paths = [\"{root}/.vscode/a.json\"], decide = \"allow\", cautious = true";
    let shown = |text: &str| {
        let text = text.replace(&world.root().display().to_string(), "{root}");
        text.replace(&world.base().display().to_string(), "{base}")
    };
    // The prompt shows the rule, and the file then contains it.
    let message = shown(question["params"]["message"].as_str().unwrap());
    assert!(
        message.ends_with(&format!(
            "\"Always\" adds this rule to {{base}}/home/.config/toolpost/policy.toml:\n  {rule}\nA cautious rule overrides no denial and covers no further code.\nAllow it?"
        )),
        "{message}"
    );
    assert_eq!(
        shown(reply),
        format!(
            "Created .vscode/a.json (1 line, 2 bytes).\n[toolpost: this access is always allowed from now on; \
             added to {{base}}/home/.config/toolpost/policy.toml: {rule}]"
        ),
        "{done}"
    );
    drop(server);
    let rules = std::fs::read_to_string(world.base().join("home/.config/toolpost/policy.toml")).unwrap();
    assert_eq!(
        rules.replace(&world.root().display().to_string(), "{root}"),
        "\n[[rule]]\ntouch = [\"write\"]\npaths = [\"{root}/.vscode/a.json\"]\ndecide = \"allow\"\ncautious = true\nwhy = \
         \"You chose \\\"always\\\" when asked.\"\n"
    );
    // In a client that cannot prompt, the stored rule allows the same call, and no other.
    let other = call("Write", json!({ "file_path": world.path(".vscode/b.json"), "content": "{}" }));
    let read = call("Read", json!({ "file_path": world.path(".vscode/a.json") }));
    let replies = world.script(&[read, write, other]);
    assert_eq!(replies.iter().map(is_ok).collect::<Vec<_>>(), [true, true, false], "{replies:?}");
    assert_eq!(verdict(&world, "echo > .vscode/a.json"), "allow");
    // Commands cannot write this file, whatever the user answers, so there is no prompt.
    assert_eq!(verdict(&world, "echo > .vscode/b.json"), "deny");
}

/// Makes a call and answers its prompt; returns the prompt, if there was one, and the text of the reply.
fn prompted(server: &mut Server, call: &Value, answer: &Value) -> (Option<String>, String) {
    server.ask_call(call);
    let mut message = server.next();
    let mut question = None;
    if message["method"] == "elicitation/create" {
        question = message["params"]["message"].as_str().map(str::to_owned);
        server.answer(&message, answer);
        message = server.next();
    }
    (question, message["result"]["content"][0]["text"].as_str().unwrap().to_owned())
}

#[test]
fn command_prompts_list_all_accesses() {
    let world = World::new();
    let mut server = world.serve_asking(&["--dialect", "trae"]);
    let run = |command: &str, args: &[&str], approval: bool| {
        let arguments =
            json!({ "command": command, "args": args, "blocking": true, "requires_approval": approval });
        call("run_command", arguments)
    };
    let session = json!({ "action": "accept", "content": { "decision": "session" } });
    let no = json!({ "action": "decline" });
    let script = run("echo hello > made && touch more", &[], false);
    let question = "run_command (trae) wants to:\n  execute `echo hello > made && touch more`\n    write made, write \
                    more: no rule allows it; changes by commands are not kept in the history\n    run `touch more`: \
                    no rule allows it\n";
    let begins = |asked: Option<String>| asked.is_some_and(|asked| asked.starts_with(question));
    let declined = [
        (no.clone(), "The user, or the client for the user, declined it."),
        (
            json!({ "action": "accept", "content": { "decision": "deny" } }),
            "The user, or the client for the user, declined it.",
        ),
        (json!({ "action": "cancel" }), "The client closed the prompt without an answer."),
    ];
    for (answer, why) in declined {
        // The same call can be approved later, so the reply does not send the model to the operator.
        let (asked, words) = prompted(&mut server, &script, &answer);
        assert!(begins(asked));
        let end = format!("{why}\nDo not repeat the call unless the user asks for it.");
        assert!(words.contains(&end), "{words}");
        assert!(!words.contains("operator"), "{words}");
    }
    assert_eq!(world.files().len(), 0);
    assert!(begins(prompted(&mut server, &script, &session).0));
    assert_eq!(world.read("made"), b"hello\n");
    assert_eq!(world.read("more"), b"");
    assert_eq!(prompted(&mut server, &script, &no).0, None);
    // A call can request a prompt, but cannot avoid one.
    assert_eq!(prompted(&mut server, &run("ls", &["made"], false), &no).0, None);
    let (question, words) = prompted(&mut server, &run("ls", &["made"], true), &no);
    assert!(question.is_some());
    assert_eq!(
        words,
        "Not allowed to execute `ls made`: the call itself requires approval; without that, the rules would allow it. \
         The user, or the client for the user, declined it.\nDo not repeat the call unless the user asks for it."
    );
    let (question, words) = prompted(&mut server, &run("sudo", &["ls"], false), &session);
    assert_eq!(question, None);
    assert!(
        words.starts_with(
            "Not allowed to execute `sudo ls`: the rule `sudo` denies it (the built-in rules, line "
        ),
        "{words}"
    );
}
