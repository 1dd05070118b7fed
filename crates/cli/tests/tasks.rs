//! Task lists of named sessions: later processes find them, and a killed process loses no task.

use crate::common;
use toolpost_test_rows::each;

use common::{World, call, is_ok, words};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

const NAMED: [&str; 6] = ["--dialect", "probe", "--dialect", "opencode", "--session", "work"];

fn create(title: &str) -> Value {
    call("task", json!({ "action": "create", "title": title }))
}

fn list(world: &World) -> String {
    words(&world.script_with(&NAMED, &[call("task", json!({ "action": "list" }))])[0])
}

#[test]
fn named_session_shares_tasks_across_dialects_and_processes() {
    let world = World::new();
    let todo = json!({ "id": "t", "content": "T", "status": "in_progress", "priority": "medium" });
    let first = [call("todowrite", json!({ "todos": [todo] })), create("A")];
    assert!(world.script_with(&NAMED, &first).iter().all(is_ok));
    assert_eq!(
        list(&world),
        "Tasks: 0 of 2 completed, 1 in progress, 1 pending\n[>] t: T [medium]\n[ ] task-1: A"
    );
    let doctor = world.run(&["doctor"]).out;
    let found: Vec<&str> = doctor.lines().filter(|line| line.contains("        tasks  ")).collect();
    assert_eq!(found, ["ok             tasks  0 of 2 completed (--session work)"]);
    // The list of a session without a name is only counted.
    let created = world.run(&["call", "--dialect", "probe", "task", r#"{"action":"create","title":"A"}"#]);
    assert_eq!(created.code, Some(0), "{created:?}");
    let doctor = world.run(&["doctor"]).out;
    let found: Vec<&str> = doctor.lines().filter(|line| line.contains("        tasks  ")).collect();
    let [named, other] = found.as_slice() else { panic!("{doctor}") };
    assert!(named.ends_with("(--session work)"), "{doctor}");
    assert!(
        other.starts_with("- ") && other.contains("tasks  1 list of sessions without a name; "),
        "{doctor}"
    );
}

#[test]
fn invalid_session_names_are_refused() {
    let world = World::new();
    each(["../x", ".x", "a/b", "", "ü", &"x".repeat(65)], |name| {
        let ended =
            world.run(&["call", "--dialect", "probe", "--session", name, "task", "{\"action\":\"list\"}"]);
        assert_eq!(ended.code, Some(2), "{name}: {ended:?}");
        assert!(ended.err.contains("invalid session name"), "{ended:?}");
    });
}

#[test]
fn acknowledged_tasks_survive_a_kill() {
    let world = World::new();
    let mut answered = 0;
    for round in 0..12 {
        let arguments = [&NAMED[..], &["call", "--script", "-"]].concat();
        let mut program = world.program(&arguments);
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let lines: String =
            (0..200).map(|number| format!("{}\n", create(&format!("{round}.{number}")))).collect();
        // The killed process does not read all input, so the write may fail.
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(lines.as_bytes());
        });
        let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..=round {
            let reply: Value = serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap();
            assert!(is_ok(&reply), "{reply}");
            answered += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Replies that were still in the pipe also count.
        answered +=
            replies.map_while(Result::ok).filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
        writer.join().unwrap();
        let output = list(&world);
        let there = output.lines().filter(|line| line.starts_with("[ ] task-")).count();
        assert!((answered..=answered + 1).contains(&there), "{there} of {answered}: {output}");
        answered = there;
        let ids: Vec<&str> = output.lines().skip(1).filter_map(|line| line[4..].split(':').next()).collect();
        let wanted: Vec<String> = (1..=there).map(|number| format!("task-{number}")).collect();
        assert_eq!(ids, wanted);
    }
}
