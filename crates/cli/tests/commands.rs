//! Commands by the program itself: in its sandbox, without one, and with nothing to write.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use common::World;
use serde_json::{Value, json};

/// A call of `bash` in the words of opencode, with further flags.
fn bash(world: &World, flags: &[&str], line: &str) -> Value {
    let arguments = json!({"command": line}).to_string();
    let call = ["call", "--json", "--dialect", "opencode", "--ask", "allow"];
    let ended = world.run(&[&call[..], flags, &["bash", &arguments]].concat());
    let said = if ended.out.is_empty() { &ended.err } else { &ended.out };
    serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {} {}", ended.out, ended.err))
}

/// A program that makes a file.
fn opens(file: &str) -> String {
    format!("perl -e 'open(my $f, q(>), q({file})) or die $!'")
}

fn text(reply: &Value) -> &str {
    reply["content"][0]["text"].as_str().unwrap()
}

/// Whether commands are confined here by namespaces; says so loudly where they are not.
fn confined(world: &World) -> bool {
    let doctor = world.run(&["doctor", "--json"]).out;
    let found: Vec<Value> = serde_json::from_str(&doctor).unwrap();
    let lines: Vec<&str> = found
        .iter()
        .filter(|line| line["what"] == "sandbox")
        .map(|line| line["found"].as_str().unwrap())
        .collect();
    assert!(!lines.is_empty(), "{doctor}");
    let is_whole = lines[0].starts_with("namespaces");
    if !is_whole {
        println!("SKIPPED, since the kernel here allows no namespaces: {lines:?}");
    }
    is_whole
}

#[test]
fn a_command_is_confined_unless_the_operator_says_otherwise() {
    let world = World::new();
    if !confined(&world) {
        return;
    }
    // No rule can see what the program opens: the sandbox has to hold.
    let outside = world.base().join("out/made");
    let inside = bash(&world, &[], &format!("{}; {}", opens("made"), opens(&outside.display().to_string())));
    assert!(
        text(&inside).contains("Read-only file system") || text(&inside).contains("No such file"),
        "{inside}"
    );
    assert!(!outside.exists(), "{inside}");
    let by = &inside["structured"]["confined"];
    assert_eq!((&by["by"], &by["not_enforced"]), (&json!("namespaces"), &json!([])), "{inside}");
    assert!(world.root().join("made").exists(), "{inside}");
    let bare = bash(&world, &["--sandbox", "off"], "true");
    assert_eq!(bare["structured"]["confined"]["by"], "nothing", "{bare}");
}

#[test]
fn where_nothing_may_be_written_commands_write_nothing() {
    let world = World::new();
    if confined(&world) {
        let rules = world.base().join("out/rules.toml");
        std::fs::write(&rules, "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"perl -e *\"]\ndecide = \"allow\"\nwhy = \"A test.\"\n")
            .unwrap();
        let tried = bash(&world, &["--read-only", "--policy", &rules.display().to_string()], &opens("made"));
        assert!(text(&tried).contains("Read-only file system"), "{tried}");
        assert!(text(&tried).contains("This may be the sandbox"), "{tried}");
        assert!(!world.root().join("made").exists());
    }
    let arguments = json!({"command": "true"}).to_string();
    let flags = ["call", "--dialect", "opencode", "--read-only", "--sandbox", "off", "bash", &arguments];
    let refused = world.run(&flags);
    assert_eq!(
        (refused.code, refused.err.as_str()),
        (
            Some(1),
            "bash is not available: it can change files, which the setting `read_only` forbids (flag).\n"
        )
    );
}

#[test]
fn a_command_reaches_the_hosts_that_the_rules_allow_and_no_others() {
    let world = World::new();
    if !confined(&world) {
        return;
    }
    let rules = world.base().join("out/rules.toml");
    let ask = |host: &str| {
        format!(
            "exec 3<>/dev/tcp/127.0.0.1/${{https_proxy##*:}}; printf 'CONNECT {host}:443 HTTP/1.1\\r\\n\\r\\n' >&3; head -n 1 <&3"
        )
    };
    std::fs::write(
        &rules,
        "[[rule]]\ntouch = [\"fetch\"]\nhosts = [\"*.invalid\"]\ndecide = \"allow\"\nwhy = \"A test.\"\n",
    )
    .unwrap();
    let flags = ["--policy", &rules.display().to_string()];
    let refused = bash(&world, &flags, &ask("elsewhere.example"));
    assert!(text(&refused).contains(" 403 "), "{refused}");
    // Nobody has this name: it is looked for, so the list let it pass.
    let allowed = bash(&world, &flags, &ask("nobody.invalid"));
    assert!(text(&allowed).contains(" 502 "), "{allowed}");
    let closed = bash(&world, &[], "echo proxy:$https_proxy");
    assert!(text(&closed).starts_with("proxy:\n"), "{closed}");
}

#[test]
fn what_a_command_leaves_running_ends_with_the_program() {
    let world = World::new();
    let reply = bash(&world, &["--sandbox", "off"], "sleep 72001 & echo started");
    assert!(text(&reply).starts_with("started\n"), "{reply}");
    assert_eq!(reply["structured"]["leftovers"].as_array().unwrap().len(), 1, "{reply}");
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let left: Vec<Vec<u8>> = lines.filter(|line| line == b"sleep\x0072001\x00").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whoever starts it as the inner step of a sandbox, and tells it nothing, gets no server and no words.
#[test]
fn the_inner_step_does_nothing_that_it_was_not_told() {
    let world = World::new();
    for arguments in
        [&["toolpost-inner-step"][..], &["toolpost-inner-step", "0"], &["toolpost-inner-step", "99"]]
    {
        let out = world.program(arguments).output().unwrap();
        assert_eq!((out.status.code(), out.stdout, out.stderr), (Some(1), vec![], vec![]), "{arguments:?}");
    }
}
