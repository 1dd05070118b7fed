//! Replies under every size limit keep the outcome of the call and the end of its output.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, code, opencode, probe, trae, zblade};
use toolpost_runtime::{Config, Outcome};
use toolpost_tool::{Dialect, RunResult};

/// Twenty reply sizes in bytes, from the minimum to more than any dialect's default.
fn sizes() -> impl Iterator<Item = usize> {
    (0..20_u32).map(|step| 2_048 + usize::try_from(step * step * step * 18).unwrap())
}

/// Shell commands with much output that print `FAILED-HERE` last and exit with an error; with their number of
/// lines.
const FAILING: [(&str, u64); 4] = [
    ("seq 1 9000; echo FAILED-HERE; exit 7", 9_001),
    ("seq -f 'äöü ẞ %g' 1 4000; echo FAILED-HERE; exit 7", 4_001),
    ("head -c 200000 /dev/zero | tr '\\0' x; echo; echo FAILED-HERE; exit 7", 2),
    ("head -c 300 /dev/zero | tr '\\0' '\\n'; seq 1 3000; printf 'FAILED-HERE'; exit 7", 3_003),
];

fn world(first: &'static Dialect, second: Option<&'static Dialect>, bytes: usize) -> World {
    World::configured(first, |config| Config {
        reply_bytes: Some(bytes),
        dialects: [first].into_iter().chain(second).collect(),
        ..config
    })
}

/// Checks that a reply contains all texts in `what`, and exceeds the limit of `bytes` by at most 1024 bytes of notes.
/// `of` names the call in failures of the check.
fn check(reply: &str, bytes: usize, of: &str, what: &[&str]) {
    for wanted in what {
        assert!(reply.contains(wanted), "{of}, {bytes} bytes: no {wanted} in:\n{reply}");
    }
    assert!(reply.len() <= bytes + 1_024, "{of}, {bytes} bytes: {} bytes", reply.len());
}

/// A tool that runs commands, and the arguments for a shell command.
type Row = (&'static Dialect, &'static str, fn(&str) -> Value);

#[tokio::test(flavor = "multi_thread")]
async fn cut_command_replies_keep_exit_code_and_output_end() {
    let tools: [Row; 4] = [
        (&opencode::DIALECT, "bash", |line| json!({"command": line})),
        (&probe::DIALECT, "bash", |line| json!({"command": line})),
        (&zblade::DIALECT, "run_command", |line| json!({"program": "sh", "args": ["-c", line]})),
        (
            &trae::DIALECT,
            "run_command",
            |line| json!({"command": "sh", "args": ["-c", line], "blocking": true, "requires_approval": false}),
        ),
    ];
    for bytes in sizes() {
        each_async(tools, async |(dialect, tool, arguments)| {
            let world = world(dialect, None, bytes);
            each_async(FAILING, async |(line, lines)| {
                let outcome = world.allowed(tool, arguments(line)).await;
                let reply = words(&outcome);
                let of = format!("{} {tool}: {line}", dialect.name);
                check(&reply, bytes, &of, &["FAILED-HERE", "Exit code: 7"]);
                let Outcome::Done(answer) = outcome else { panic!("{of}: {reply}") };
                assert_eq!(answer.result, RunResult::Failed, "{of}");
                let is_cut = reply.contains("[toolpost: left out") || reply.contains("[TRUNCATED: ");
                let says_how = ["check_command_status with", "run the command again with its exit code kept"];
                if is_cut {
                    assert!(says_how.iter().any(|how| reply.contains(how)), "{of}, {bytes} bytes:\n{reply}");
                    let totals = [format!("of {lines}"), format!("{lines} lines"), "characters".to_owned()];
                    assert!(
                        totals.iter().any(|total| reply.contains(total)),
                        "{of}, {bytes} bytes:\n{reply}"
                    );
                }
            })
            .await;
        })
        .await;
    }
}

/// The command that the note about a long output names shows lines that the reply left out, and has the exit code of the
/// original command.
#[tokio::test(flavor = "multi_thread")]
async fn the_pipe_in_the_note_shows_left_out_lines_and_keeps_the_exit_code() {
    let rows: [(&'static Dialect, &str, &str, bool); 7] = [
        (&opencode::DIALECT, "seq 1 40000; exit 7", "; ", true),
        (&probe::DIALECT, "seq 1 40000; (exit 7)", "; ", true),
        (&opencode::DIALECT, "seq 1 3000; sh -c 'exit 7'", "; ", true),
        (&opencode::DIALECT, "seq 1 3000", "; ", false),
        (&opencode::DIALECT, "seq 1 3000; sh -c 'exit 7' # all", "\n", true),
        (&opencode::DIALECT, "seq 1 3000; true &", "\n", false),
        (&opencode::DIALECT, "seq 1 3000; cat <<E\nx\nE", "\n", false),
    ];
    each_async(rows, async |(dialect, line, close, is_failing)| {
        let world = World::new(dialect);
        let reply = words(&world.allowed("bash", json!({ "command": line })).await);
        let gap = reply.split("left out lines ").nth(1).and_then(|rest| rest.split(" of ").next()).unwrap();
        let step =
            reply.split("with its exit code kept: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        let (first, end) = gap.split_once('-').unwrap();
        let (first, end): (u64, u64) = (first.parse().unwrap(), end.parse().unwrap());
        let shown = format!("sed -n '{first},{}p'", end.min(first + 199));
        let wanted = format!("set -o pipefail; {{ COMMAND{close}}} | {shown}");
        assert_eq!(step, wanted, "{}: {reply}", dialect.name);
        let again = step.replace("COMMAND", line);
        let piped = words(&world.allowed("bash", json!({ "command": again })).await);
        let at = format!("{}: {again}: {piped}", dialect.name);
        assert!(piped.contains(&format!("{first}\n")) && !piped.contains("left out"), "{at}");
        assert_eq!(piped.contains("Exit code: 7"), is_failing, "{at}");
    })
    .await;
    // If the gap does not consist of whole lines, the note names no lines.
    let world = World::new(&opencode::DIALECT);
    let reply =
        words(&world.allowed("bash", json!({ "command": "yes | tr -d '\\n' | head -c 300000" })).await);
    let wanted = "`set -o pipefail; { COMMAND; } | tail`, or with `{ grep PATTERN || true; }` in the pipe";
    assert!(reply.contains(wanted), "{reply}");
}

/// The calls that the notes name, one after the other, show the whole output, whatever the size limit of a reply.
#[tokio::test(flavor = "multi_thread")]
async fn calls_in_notes_show_the_whole_output_of_a_command() {
    let world = world(&trae::DIALECT, None, 9_500);
    let run = json!({"command": "seq", "args": ["1", "9000"], "blocking": true, "requires_approval": false});
    let mut reply = words(&world.allowed("run_command", run).await);
    let mut position = 0;
    while let Some((_, call)) = reply.split_once("to see the rest: check_command_status with ") {
        let (call, _) = call.split_once('}').unwrap();
        let ask: Value = serde_json::from_str(&format!("{call}}}")).unwrap();
        let (skip, count) = (&ask["skip_character_count"], &ask["output_character_count"]);
        let (skip, count) = (skip.as_u64().unwrap(), count.as_u64().unwrap());
        assert!(skip > position && count > 1_000 && count < 9_500, "{position}: {ask}");
        position = skip;
        reply = words(&world.allowed("check_command_status", ask).await);
        let first = format!("[toolpost: left out characters 1-{skip} of ");
        assert!(reply.contains(&first), "{position}: {reply}");
    }
    assert!(position > 30_000 && reply.contains("\n8999\n9000"), "{position}: {reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_job_replies_keep_the_job_status() {
    for bytes in sizes() {
        let world = world(&trae::DIALECT, None, bytes);
        let (line, _) = FAILING[0];
        let run =
            json!({"command": "sh", "args": ["-c", line], "blocking": true, "requires_approval": false});
        world.allowed("run_command", run).await;
        for priority in ["top", "bottom", "split"] {
            let ask = json!({"output_character_count": 1_000_000, "output_priority": priority});
            let reply = words(&world.allowed("check_command_status", ask).await);
            let tail = if priority == "top" { "command_id" } else { "FAILED-HERE" };
            check(&reply, bytes, priority, &["status: done. Exit code: 7", tail]);
        }
        let line = "seq 1 9000; echo THE-END; sleep 88.25";
        let run =
            json!({"command": "sh", "args": ["-c", line], "blocking": false, "requires_approval": false});
        let begun = words(&world.allowed("run_command", run).await);
        let id = begun.lines().next().unwrap().strip_prefix("command_id: ").unwrap();
        let reply = words(&world.allowed("stop_command", json!({"command_id": id})).await);
        check(&reply, bytes, "stop_command", &["status: done. The command was stopped.", "THE-END"]);
        assert!(!reply.contains("memory"), "{reply}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_nested_call_replies_keep_their_outcome() {
    for bytes in sizes() {
        let plan = world(&probe::DIALECT, None, bytes);
        let script = world(&code::DIALECT, Some(&opencode::DIALECT), bytes);
        each_async(FAILING, async |(line, _)| {
            let call = format!("return bash({})", json!({"command": line}));
            let reply = words(&plan.allowed("execute_plan", json!({"code": call})).await);
            check(&reply, bytes, "execute_plan", &["FAILED-HERE", "Exit code: 7"]);
            let reply = words(&script.allowed("run_code", json!({"code": call})).await);
            check(&reply, bytes, "run_code", &["FAILED-HERE", "Exit code: 7"]);
        })
        .await;
        let batch = world(&zblade::DIALECT, Some(&trae::DIALECT), bytes);
        let (line, _) = FAILING[0];
        batch.allowed("run_command", json!({"program": "sh", "args": ["-c", line]})).await;
        // Without an id, the tool shows the last started command, of any dialect.
        let status = json!({"output_character_count": 100_000});
        let calls = vec![json!({"tool": "check_command_status", "arguments": status}); 4];
        let reply = words(&batch.allowed("batch", json!({"calls": calls})).await);
        let reply: Value = serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error}: {reply}"));
        for result in reply["results"].as_array().unwrap() {
            let output = result["output"].as_str().unwrap_or_else(|| panic!("{reply:#}"));
            check(output, bytes, "batch", &["FAILED-HERE"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_multi_file_edit_replies_name_every_file() {
    for bytes in sizes() {
        let world = world(&opencode::DIALECT, None, bytes);
        let names: Vec<String> = (0..6).map(|number| format!("file{number}.txt")).collect();
        let mut edits = Vec::new();
        for name in &names {
            let before: String = (0..500).map(|line| format!("line {line} of {name}\n")).collect();
            world.put(name, &before);
            edits.push(json!({
                "filePath": name, "oldString": "line", "newString": "Line", "replaceAll": true
            }));
        }
        let outcome = world.allowed("multiedit", json!({"edits": edits})).await;
        let reply = words(&outcome);
        assert!(matches!(outcome, Outcome::Done(_)), "{reply}");
        for name in &names {
            check(
                &reply,
                bytes,
                "multiedit",
                &[&format!("Edit applied successfully to {name}: 500 replacements")],
            );
        }
    }
}

/// A tool of a dialect, and its arguments.
type ListRow = (&'static Dialect, &'static str, fn() -> Value);

/// Tools with arguments whose full reply exceeds every size limit.
const LISTS: [ListRow; 11] = [
    (&claude::DIALECT, "Glob", || json!({"pattern": "**/*"})),
    (&claude::DIALECT, "Grep", || json!({"pattern": "def ", "output_mode": "content"})),
    (&opencode::DIALECT, "glob", || json!({"pattern": "**/*"})),
    (&probe::DIALECT, "searchFiles", || json!({"pattern": "**/*", "limit": 1_000})),
    (&probe::DIALECT, "listFiles", || json!({"maxDepth": 4})),
    (&probe::DIALECT, "analyze_all", || json!({"depth": "deep"})),
    (&trae::DIALECT, "list_dir", || json!({"dir_path": ".", "max_depth": 5})),
    (&trae::DIALECT, "search_by_regex", || json!({"query": "def "})),
    (&zblade::DIALECT, "find_files_glob", || json!({"pattern": "**/*"})),
    (&zblade::DIALECT, "get_workspace_structure", || json!({"path": ".", "depth": 4, "limit": 200})),
    (
        &zblade::DIALECT,
        "codebase_investigator",
        || json!({"objective": "Where are the values of function computed?"}),
    ),
];

/// Phrases that explain how to get the omitted part of a reply.
const REST: [&str; 9] = [
    "pass a narrower ",
    "make a narrower call",
    "list a subdirectory",
    "list that directory",
    "a more specific path",
    "more specific tool parameters",
    "continue with offset",
    "raise limit",
    "Narrow ",
];

#[tokio::test(flavor = "multi_thread")]
async fn long_lists_fit_the_reply_limit_and_name_the_next_step() {
    for bytes in [2_048, 4_000, 9_500] {
        each_async(LISTS, async |(dialect, tool, arguments)| {
            let world = world(dialect, None, bytes);
            for directory in 0..12 {
                for file in 0..30 {
                    let path = format!("package_{directory}/module/function_{directory}_{file}.py");
                    let text = format!(
                        "def function_{directory}_{file}(values):\n    return [value + {file} for value in values]\n"
                    );
                    world.put(&path, text);
                }
            }
            let reply = words(&world.allowed(tool, arguments()).await);
            let of = format!("{} {tool}, {bytes} bytes", dialect.name);
            assert!(reply.len() <= bytes, "{of}: {} bytes:\n{reply}", reply.len());
            let may_be_whole = ["analyze_all", "codebase_investigator"].contains(&tool);
            let is_cut = !may_be_whole || ["left out", "is full"].iter().any(|sign| reply.contains(sign));
            assert!(!is_cut || REST.iter().any(|how| reply.contains(how)), "{of}:\n{reply}");
            if tool == "codebase_investigator" {
                let report = reply.split("\n[toolpost: ").next().unwrap();
                assert!(serde_json::from_str::<Value>(report).is_ok(), "{of}:\n{reply}");
            }
            // The reply names every directory, even if it shows only some of its entries or their number.
            if ["listFiles", "list_dir", "get_workspace_structure"].contains(&tool) {
                let shown =
                    (0..12).filter(|directory| reply.contains(&format!("package_{directory}/"))).count();
                assert_eq!(shown, 12, "{of}:\n{reply}");
            }
        }).await;
    }
}
