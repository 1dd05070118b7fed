//! Options that limit results: each command prints the requested number, and reports that there are more.

use crate::common;
use toolpost_test_rows::each;

use common::World;
use serde_json::{Value, json};

/// Number of results that each command has.
const ALL: usize = 7;

/// Creates a project where each command has `ALL` results.
fn world() -> World {
    let world = World::new();
    let mut target = String::new();
    let mut calls = String::from("def target():\n");
    for number in 1..=ALL {
        world.write(
            &format!("user{number}.py"),
            format!("from target import target\ndef user{number}():\n    return target()\n").as_bytes(),
        );
        target.push_str(&format!("from user{number} import user{number}\n"));
        calls.push_str(&format!("    user{number}()\n"));
    }
    world.write("target.py", (target + &calls).as_bytes());
    for number in 1..=ALL {
        let arguments = json!({ "file_path": format!("notes{number}"), "content": "x" }).to_string();
        assert_eq!(world.run(&["call", "Write", &arguments]).code, Some(0));
    }
    let task = "{\"line\":\"began\",\"id\":\"ID\",\"task\":\"t\",\"dialects\":[],\"model\":\"m\",\"roots\":[\"ROOT\"]}\n";
    for number in 1..=ALL {
        let line =
            task.replace("ID", &number.to_string()).replace("ROOT", &world.root().display().to_string());
        world.write(&format!("../home/.local/state/toolpost/transcripts/{number}.jsonl"), line.as_bytes());
    }
    world
}

/// Returns the number of results in a list of a command's JSON output.
fn count(out: &str, list: &str) -> usize {
    if list == "lines" {
        let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        return lines.filter(|line| line["type"] == "line").count();
    }
    let found: Value = serde_json::from_str(out).unwrap();
    found.pointer(list).and_then(Value::as_array).map(Vec::len).unwrap_or_else(|| panic!("{list}: {out}"))
}

#[test]
fn limit_option_limits_the_results() {
    let world = world();
    let rows: [(&[&str], &str); 7] = [
        (&["grep", "return target"], "lines"),
        (&["search", "target user"], "/blocks"),
        (&["symbols", "find", "user"], "/symbols"),
        (&["symbols", "callers", "target"], "/incoming/uses"),
        (&["symbols", "callees", "target"], "/outgoing/uses"),
        (&["history"], ""),
        (&["agent", "list"], ""),
    ];
    each(rows, |(command, list)| {
        each([(1, 1), (2, 2), (ALL - 1, ALL - 1), (100, ALL)], |(limit, wanted)| {
            let ended = world.run(&[command, &["--json", "--limit", &limit.to_string()]].concat());
            let found = count(&ended.out, list);
            let is_right =
                if command[0] == "search" && limit == 100 { found >= ALL } else { found == wanted };
            assert!(is_right, "{command:?} --limit {limit}: {found}\n{}{}", ended.out, ended.err);
        });
        // The text output has the same results.
        let two = world.run(&[command, &["--limit", "2"]].concat());
        let whole = world.run(command);
        let lines = |out: &str| {
            out.lines()
                .filter(|line| line.contains("user") || line.contains("notes") || line.contains("m  t"))
                .count()
        };
        assert!(lines(&two.out) < lines(&whole.out), "{command:?}: {}\n{}", two.out, whole.out);
        let none = world.run(&[command, &["--limit", "0"]].concat());
        assert_eq!((none.code, none.out.as_str()), (Some(2), ""), "{command:?}: {}", none.err);
    });
}

#[test]
fn a_search_without_results_exits_with_1() {
    let world = world();
    let rows: [(&[&str], i32); 5] = [
        (&["search", "target user"], 0),
        (&["search", "zzzzunknownzzzz"], 1),
        (&["search", "zzzzunknownzzzz", "--json"], 1),
        (&["search", "target", "no-such-directory"], 2),
        (&["search", "target", "--limit", "0"], 2),
    ];
    each(rows, |(command, code)| {
        let ended = world.run(command);
        assert_eq!(ended.code, Some(code), "{command:?}: {}{}", ended.out, ended.err);
    });
}
