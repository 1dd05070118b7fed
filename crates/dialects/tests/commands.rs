//! Commands in every dialect: each exits as expected, the reply reports how, and no process is left.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::{World, words};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_dialects::{opencode, probe, trae, zblade};
use toolpost_engine::{Kind, Progress};
use toolpost_runtime::{Call, Outcome, Verdict};
use toolpost_tool::Dialect;

/// Timeout of a call, longer than any call here takes on a slow machine.
const HANGS: Duration = Duration::from_secs(90);

/// A dialect, and a function that returns its call for a shell command with a timeout in milliseconds; `None`
/// if the dialect has no such call.
type Column = (&'static Dialect, fn(&str, Option<u64>) -> Option<(&'static str, Value)>);

const COLUMNS: [Column; 4] = [
    (&trae::DIALECT, |line, limit| {
        let arguments =
            json!({"command": "bash", "args": ["-c", line], "blocking": true, "requires_approval": false});
        limit.is_none().then_some(("run_command", arguments))
    }),
    (&zblade::DIALECT, |line, limit| limit.is_none().then(|| ("run_command", json!({"command": line})))),
    (&opencode::DIALECT, |line, limit| Some(("bash", timed(json!({"command": line}), limit)))),
    (&probe::DIALECT, |line, limit| Some(("bash", timed(json!({"command": line}), limit)))),
];

fn timed(mut arguments: Value, limit: Option<u64>) -> Value {
    if let Some(limit) = limit {
        arguments["timeout"] = json!(limit);
    }
    arguments
}

async fn reply_text(world: &World, (tool, arguments): (&str, Value)) -> String {
    let outcome = tokio::time::timeout(HANGS, world.allowed(tool, arguments.clone())).await;
    words(&outcome.unwrap_or_else(|_| panic!("{tool} {arguments} hangs")))
}

/// Waits until no process has `mark` in its command line.
async fn gone(mark: &str) {
    let start = Instant::now();
    while let Some(line) = running(mark) {
        assert!(start.elapsed() < HANGS, "a process is still running: {line}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until a program with this command line runs, not only the shell that starts it.
async fn begun(line: &str) {
    while !running(line).is_some_and(|running| running.starts_with(line)) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn running(mark: &str) -> Option<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    // Prefers a program to the shell that started it, whose command line is longer.
    lines.filter(|line| line.contains(mark)).min_by_key(String::len)
}

/// A command, its time limit, and the expected reply: it contains all `wanted` texts and none of the
/// `unwanted` ones.
#[derive(Debug)]
struct Row {
    line: &'static str,
    limit: Option<u64>,
    wanted: &'static [&'static str],
    unwanted: &'static [&'static str],
    /// Text that no process has in its command line soon after the session has ended.
    left: Option<&'static str>,
}

const ROWS: &[Row] = &[
    Row {
        unwanted: &["byte for byte"],
        ..row("yes | head -2; echo after", None, &["y\ny\nafter", "Exit code: 0"])
    },
    row("printf 'a\\001b\\002\\n'", None, &["ab", "byte for byte: 2 control characters were left out."]),
    row("cat; read line; echo after", None, &["after", "Exit code: 0"]),
    row(
        "printf 'ok\\377\\376end\\n'",
        None,
        &["ok", "end", "Exit code: 0", "2 malformed byte sequences were shown as U+FFFD"],
    ),
    row("exit 37", None, &["(no output)", "Exit code: 37"]),
    row("kill -9 $$", None, &["SIGKILL (9)"]),
    row("printf '\\033[31mred\\033[0m\\033]0;title\\007\\n'", None, &["red", "Exit code: 0"]),
    row("diff /dev/null /etc/passwd >/dev/null", None, &["Exit code: 1 (there are differences)"]),
    Row {
        left: Some("sleep 71001"),
        ..row("sleep 71001 & echo started", None, &["started", "Exit code: 0", "1 process", "sleep 71001"])
    },
    Row {
        left: Some("sleep 71002"),
        ..row("nohup sleep 71002 >/dev/null 2>&1 & echo started", None, &["started", "sleep 71002"])
    },
    Row {
        left: Some("sleep 71003"),
        ..row("setsid sleep 71003 >/dev/null 2>&1 & echo started", None, &["started", "sleep 71003"])
    },
    Row {
        left: Some("sleep 71004"),
        ..row("echo begun; sleep 71004", Some(400), &["begun", "longer than 400 ms"])
    },
    Row {
        left: Some("sleep 71.005"),
        ..row(
            "trap '' TERM INT HUP; echo begun; while :; do sleep 71.005; done",
            Some(400),
            &["begun", "longer than 400 ms", "SIGKILL"],
        )
    },
    Row {
        left: Some("sleep 71006"),
        ..row("(setsid sleep 71006 >/dev/null 2>&1 &); sleep 71006", Some(400), &["longer than 400 ms"])
    },
    Row { unwanted: &["\u{1b}"], ..row("yes", Some(400), &["longer than 400 ms", "times in a row"]) },
];

const fn row(line: &'static str, limit: Option<u64>, wanted: &'static [&'static str]) -> Row {
    Row { line, limit, wanted, unwanted: &["\u{1b}"], left: None }
}

#[tokio::test]
async fn commands_reply_as_expected_in_every_dialect() {
    each_async(COLUMNS, async |(dialect, say)| {
        each_async(ROWS, async |row| {
            let Some(call) = say(row.line, row.limit) else { return };
            let world = World::new(dialect);
            let reply = reply_text(&world, call).await;
            let at = format!("{}: {}: {reply}", dialect.name, row.line);
            row.wanted.iter().for_each(|wanted| assert!(reply.contains(wanted), "lacks {wanted:?}: {at}"));
            row.unwanted
                .iter()
                .for_each(|unwanted| assert!(!reply.contains(unwanted), "has {unwanted:?}: {at}"));
            drop(world);
            if let Some(left) = row.left {
                gone(left).await;
            }
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn shell_cases_from_bug_reports_pass_in_every_dialect() {
    let mut run = 0;
    for case in common::rows("policy/tests/fixtures/issue-derived/shell_cases.json") {
        let Some(line) =
            case["command"].as_str().filter(|_| case["then"].is_null() && case["background"].is_null())
        else {
            continue;
        };
        each_async(COLUMNS, async |(dialect, say)| {
            let Some(call) = say(line, None) else { return };
            let reply = reply_text(&World::new(dialect), call).await;
            let texts = |key: &str| case[key].as_array().cloned().unwrap_or_default();
            for wanted in texts("contains") {
                assert!(reply.contains(wanted.as_str().unwrap()), "{} {}: {reply}", dialect.name, case["id"]);
            }
            for unwanted in texts("not_contains") {
                assert!(
                    !reply.contains(unwanted.as_str().unwrap()),
                    "{} {}: {reply}",
                    dialect.name,
                    case["id"]
                );
            }
            run += 1;
        })
        .await;
    }
    assert_eq!(run, 9 * 4);
}

#[tokio::test]
async fn excessive_timeouts_are_lowered_with_a_note() {
    each_async(COLUMNS, async |(dialect, say)| {
        let Some(call) = say("true", Some(999_999_999)) else { return };
        let reply = reply_text(&World::new(dialect), call).await;
        assert!(reply.contains("timeout was lowered to the maximum of 600000"), "{}: {reply}", dialect.name);
    })
    .await;
}

#[tokio::test]
async fn output_size_counts_the_bytes_that_the_program_wrote() {
    let rows = [
        ("printf 'plain\\n'", "output (6 characters in all):\nplain"),
        ("printf 'same\\n%.0s' $(seq 5000)", "output (59 characters of text, 25000 bytes in all):\nsame"),
        ("printf '\\033[31mred\\033[0m'", "output (3 characters of text, 12 bytes in all):\nred"),
    ];
    for (line, wanted) in rows {
        let (dialect, say) = COLUMNS[0];
        let reply = reply_text(&World::new(dialect), say(line, None).unwrap()).await;
        assert!(reply.contains(wanted), "{line}: {reply}");
    }
}

#[tokio::test]
async fn structured_command_replies_are_equal_in_every_dialect() {
    let mut seen: Option<Value> = None;
    each_async(COLUMNS, async |(dialect, say)| {
        let (tool, arguments) = say("echo out; echo err >&2; exit 7", None).unwrap();
        let Outcome::Done(answer) = World::structured(dialect).allowed(tool, arguments).await else {
            panic!("{}", dialect.name)
        };
        let mut data = answer.structured.unwrap();
        each(["job", "command", "directory", "elapsed_ms"], |varies| {
            assert!(data.as_object_mut().unwrap().remove(varies).is_some(), "{}: {varies}", dialect.name);
        });
        assert_eq!(
            data["ending"],
            json!({"code": 7, "signal": null, "why": null, "means": "", "standing": "failed"})
        );
        assert_eq!(data["confined"]["by"], "nothing");
        assert_eq!(seen.get_or_insert_with(|| data.clone()), &data, "{}", dialect.name);
    })
    .await;
}

#[tokio::test]
async fn cancelled_calls_stop_their_command() {
    each_async(COLUMNS, async |(dialect, say)| {
        let world = World::new(dialect);
        let (tool, arguments) = say("echo begun; sleep 71010", None).unwrap();
        let cancel = CancellationToken::new();
        let call =
            Call { asker: Arc::new(Verdict::Allow), cancel: cancel.clone(), ..world.saying(tool, arguments) };
        let stop = async {
            begun("sleep 71010").await;
            cancel.cancel();
        };
        let (outcome, ()) =
            tokio::time::timeout(HANGS, async { tokio::join!(world.made(call), stop) }).await.unwrap();
        let Outcome::Failed(kind, answer) = outcome else { panic!("{}: {outcome:?}", dialect.name) };
        assert_eq!(kind, Kind::Cancelled, "{}", dialect.name);
        assert!(answer.words().contains("begun"), "{}: {}", dialect.name, answer.words());
        gone("sleep 71010").await;
    })
    .await;
}

#[tokio::test]
async fn command_output_is_reported_as_progress() {
    let world = World::new(&opencode::DIALECT);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    let progress = Progress::new(move |count, what| hears.lock().unwrap().push((count, what.to_owned())));
    // The command ends once its output was received, so the test does not depend on the machine's speed.
    let line = "echo first; while [ ! -e heard ]; do sleep 0.05; done; echo last";
    let call =
        Call { asker: Arc::new(Verdict::Allow), progress, ..world.saying("bash", json!({"command": line})) };
    let answers = async {
        while !heard.lock().unwrap().iter().any(|(_, what)| what == "first") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.put("heard", "");
    };
    let (outcome, ()) =
        tokio::time::timeout(HANGS, async { tokio::join!(world.made(call), answers) }).await.unwrap();
    assert_eq!(words(&outcome), "first\nlast\nExit code: 0");
    let counts: Vec<u64> = heard.lock().unwrap().iter().map(|(count, _)| *count).collect();
    assert!(counts.is_sorted(), "{counts:?}");
}

/// Returns the command output in a reply of the dialect `trae`.
fn output(reply: &str) -> &str {
    reply.split_once("in all):\n").unwrap_or_else(|| panic!("{reply}")).1
}

fn id(reply: &str) -> String {
    reply
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("command_id: "))
        .unwrap_or_else(|| panic!("{reply}"))
        .to_owned()
}

#[tokio::test]
async fn background_commands_can_be_polled_and_stopped() {
    let world = World::new(&trae::DIALECT);
    let line = "for i in 1 2 3; do echo tick$i; done; while [ ! -e go ]; do sleep 0.05; done; echo went; sleep 71020";
    let start = json!({"command": "bash", "args": ["-c", line], "blocking": false, "wait_ms_before_async": 0, "requires_approval": false});
    let begun = reply_text(&world, ("run_command", start)).await;
    assert!(begun.contains("status: running"), "{begun}");
    let job = id(&begun);
    world.put("go", "");
    let start = Instant::now();
    let mut seen = String::new();
    while !seen.contains("went") {
        assert!(start.elapsed() < HANGS, "{seen}");
        let look = json!({"command_id": job, "wait_ms_before_check": 50});
        seen = reply_text(&world, ("check_command_status", look)).await;
    }
    assert!(output(&seen).starts_with("tick1\ntick2\ntick3\nwent\n"), "{seen}");
    // Without an id, the tool shows the last command; the reply reports omitted output.
    let slices = [
        (
            json!({"output_character_count": 6, "output_priority": "top"}),
            "tick1\n[toolpost: left out characters 7-23 of 23]",
        ),
        (
            json!({"output_character_count": 5, "output_priority": "bottom"}),
            "[toolpost: left out characters 1-18 of 23]\nwent\n",
        ),
        (
            json!({"output_character_count": 6, "skip_character_count": 6, "output_priority": "top"}),
            "[toolpost: left out characters 1-6 of 23]\ntick2\n[toolpost: left out characters 13-23 of 23]",
        ),
        (
            json!({"output_character_count": 12, "output_priority": "split"}),
            "tick1\n[toolpost: left out characters 7-18 of 23]\nwent\n",
        ),
    ];
    each_async(slices, async |(ask, wanted)| {
        let reply = reply_text(&world, ("check_command_status", ask.clone())).await;
        assert!(output(&reply).starts_with(wanted), "{ask}: {reply}");
    })
    .await;
    let stopped = reply_text(&world, ("stop_command", json!({"command_id": job}))).await;
    assert!(stopped.contains("status: done. The command was stopped."), "{stopped}");
    gone("sleep 71020").await;
    let again = reply_text(&world, ("stop_command", json!({"command_id": job}))).await;
    assert!(again.contains("The command had already finished"), "{again}");
    let unknown = reply_text(&world, ("check_command_status", json!({"command_id": "nope"}))).await;
    assert_eq!(unknown, format!("There is no job `nope` in this session; the session's only job is {job}."));
}

/// A blocking call returns at its time limit, here that of the operator, and the command continues. The usual limit of two
/// minutes is checked where the call is lowered.
#[tokio::test]
async fn a_blocking_command_continues_after_the_wait() {
    let world = World::hurried(&trae::DIALECT, Duration::from_millis(1_500));
    let line = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo went; exit 7";
    let start =
        json!({"command": "bash", "args": ["-c", line], "blocking": true, "requires_approval": false});
    let begun = reply_text(&world, ("run_command", start)).await;
    assert!(begun.contains("status: running") && begun.contains("begun"), "{begun}");
    assert!(!begun.contains("went"), "{begun}");
    world.put("go", "");
    let start = Instant::now();
    let mut seen = String::new();
    while !seen.contains("status: done") {
        assert!(start.elapsed() < HANGS, "{seen}");
        let look = json!({"command_id": id(&begun), "wait_ms_before_check": 50});
        seen = reply_text(&world, ("check_command_status", look)).await;
    }
    assert!(seen.contains("Exit code: 7") && output(&seen).starts_with("begun\nwent"), "{seen}");
    let quick = json!({"command": "echo", "args": ["x"], "blocking": true, "requires_approval": false});
    let done = reply_text(&world, ("run_command", quick)).await;
    assert!(done.contains("status: done") && done.contains("Exit code: 0"), "{done}");
}

#[tokio::test]
async fn background_waits_end_when_the_command_exits() {
    let world = World::new(&trae::DIALECT);
    let start = |line: &str, wait: u64| json!({"command": "bash", "args": ["-c", line], "blocking": false, "wait_ms_before_async": wait, "requires_approval": false});
    let failed = reply_text(&world, ("run_command", start("echo no >&2; exit 3", 60_000))).await;
    assert!(failed.contains("status: done. Exit code: 3") && output(&failed).starts_with("no"), "{failed}");
    let begun = reply_text(&world, ("run_command", start("while [ ! -e go ]; do sleep 0.05; done", 0))).await;
    let look = json!({"command_id": id(&begun), "wait_ms_before_check": 3_600_000});
    let go = async { world.put("go", "") };
    let (seen, ()) = tokio::join!(reply_text(&world, ("check_command_status", look)), go);
    assert!(
        seen.contains("status: done. Exit code: 0") && seen.contains("lowered to the maximum of 60000"),
        "{seen}"
    );
}

#[tokio::test]
async fn commands_that_ignore_sigterm_are_killed_and_reported_stopped() {
    let world = World::new(&trae::DIALECT);
    // The command ignores SIGTERM.
    let line = "trap '' TERM; echo deaf; while :; do sleep 0.1; done";
    let start = json!({"command": "bash", "args": ["-c", line], "blocking": false, "wait_ms_before_async": 60_000, "requires_approval": false});
    let mut start = start;
    start["wait_ms_before_async"] = json!(300);
    let begun = reply_text(&world, ("run_command", start)).await;
    let stopped = reply_text(&world, ("stop_command", json!({"command_id": id(&begun)}))).await;
    assert!(stopped.contains("The command was stopped.") && stopped.contains("SIGKILL"), "{stopped}");
    assert!(!stopped.contains("memory"), "{stopped}");
}

#[tokio::test]
async fn jobs_are_not_visible_to_other_sessions() {
    let mut world = World::new(&trae::DIALECT);
    let run = json!({"command": "echo", "args": ["mine"], "blocking": true, "requires_approval": false});
    let job = id(&reply_text(&world, ("run_command", run)).await);
    world.begin_anew();
    for (tool, ask) in
        [("check_command_status", json!({"command_id": job})), ("stop_command", json!({"command_id": job}))]
    {
        let Outcome::Failed(kind, _) = world.allowed(tool, ask).await else { panic!("{tool}") };
        assert_eq!(kind, Kind::NotFound, "{tool}");
    }
    let Outcome::Failed(kind, answer) = world.allowed("check_command_status", json!({})).await else {
        panic!()
    };
    assert_eq!((kind, answer.words().contains("No command was started")), (Kind::NotFound, true));
}

#[tokio::test]
async fn requires_approval_can_add_but_not_skip_a_prompt() {
    let world = World::new(&trae::DIALECT);
    let rows = [
        ("echo", false, "Exit code: 0"),
        ("echo", true, "Nobody is here"),
        ("npm", false, "Nobody is here"),
        ("npm", true, "Nobody is here"),
    ];
    each_async(rows, async |(program, approval, wanted)| {
        let run = json!({"command": program, "args": ["x"], "blocking": true, "requires_approval": approval});
        let reply = words(&world.call("run_command", run).await);
        assert!(reply.contains(wanted), "{program} {approval}: {reply}");
    })
    .await;
}

#[tokio::test]
async fn five_hundred_concurrent_commands_all_reply() {
    let world = Arc::new(World::new(&opencode::DIALECT));
    let calls = (0..500).map(|number| {
        let world = Arc::clone(&world);
        let call = ("bash", json!({"command": format!("echo {number}"), "timeout": 600_000}));
        tokio::spawn(async move { reply_text(&world, call).await })
    });
    let calls: Vec<_> = calls.collect();
    for (number, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap(), format!("{number}\nExit code: 0"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_running_commands_do_not_block_a_search() {
    let world = Arc::new(World::new(&opencode::DIALECT));
    world.put("f.txt", "needle\n");
    let cancel = CancellationToken::new();
    let running: Vec<_> = (0..300)
        .map(|_| {
            let (world, cancel) = (Arc::clone(&world), cancel.clone());
            tokio::spawn(async move {
                let call = world.saying("bash", json!({"command": "sleep 7309"}));
                world.made(Call { cancel, asker: Arc::new(Verdict::Allow), ..call }).await
            })
        })
        .collect();
    begun("sleep 7309").await;
    let found = reply_text(&world, ("grep", json!({"pattern": "needle"}))).await;
    assert!(found.starts_with("f.txt:1:needle"), "{found}");
    cancel.cancel();
    for call in running {
        let outcome = tokio::time::timeout(HANGS, call).await.expect("a cancelled call hangs").unwrap();
        assert!(matches!(outcome, Outcome::Failed(Kind::Cancelled, _)), "{}", words(&outcome));
    }
    gone("sleep 7309").await;
}

/// The reply to a command that continues gives a command that stops it. This command needs no approval, and
/// succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn running_commands_are_stopped_by_the_command_in_the_reply() {
    let mut seconds = 6021;
    each_async(COLUMNS, async |(dialect, arguments)| {
        let world = World::new(dialect);
        for background in [false, true] {
            seconds += 1;
            let mark = format!("sleep {seconds}.25");
            let line = if background { mark.clone() } else { format!("{mark} & echo started") };
            let (tool, mut call) = arguments(&line, None).unwrap();
            if background {
                match dialect.name {
                    "probe" => continue,
                    "opencode" => call["run_in_background"] = json!(true),
                    _ => call["blocking"] = json!(false),
                }
            }
            let reply = reply_text(&world, (tool, call)).await;
            begun(&mark).await;
            let Some((_, stop)) = reply.split_once("`kill job-") else {
                assert!(reply.contains("stop_command"), "{}: {reply}", dialect.name);
                let (_, id) = reply.split_once("command_id: ").unwrap();
                let stop = json!({"command_id": id.lines().next().unwrap()});
                words(&world.call("stop_command", stop).await);
                gone(&mark).await;
                continue;
            };
            assert!(reply.contains("` alone, as the whole command."), "{reply}");
            let stop = format!("kill job-{}", stop.split('`').next().unwrap());
            let (tool, call) = arguments(&format!("{stop}; true"), None).unwrap();
            let longer = reply_text(&world, (tool, call)).await;
            assert!(longer.contains(&format!("run `{stop}` alone, as the whole command.")), "{longer}");
            let (tool, call) = arguments(&stop, None).unwrap();
            let stopped = words(&world.call(tool, call.clone()).await);
            assert!(stopped.contains("Stopped `") && stopped.contains("Exit code: 0"), "{stop}: {stopped}");
            gone(&mark).await;
            let again = words(&world.call(tool, call).await);
            assert!(again.contains("had already finished"), "{stop}: {again}");
        }
        let (tool, call) = arguments("kill job-aaaaaaaaaa; echo x", None).unwrap();
        let refused = words(&world.call(tool, call).await);
        assert!(refused.contains("Not allowed to execute"), "{}: {refused}", dialect.name);
    })
    .await;
}

/// The reply to a command that continues names the file that receives its output.
#[tokio::test(flavor = "multi_thread")]
async fn background_replies_name_the_file_that_receives_the_output() {
    let mut seconds = 6121;
    let rows = [
        ("", "No tool can show its further output"),
        (" > out.log 2>&1", "Its standard output goes to `out.log`"),
        (" > /dev/null 2>&1", "Its standard output is discarded"),
    ];
    each_async(rows, async |(redirection, wanted)| {
        let dialect = &opencode::DIALECT;
        let world = World::new(dialect);
        seconds += 1;
        let mark = format!("sleep {seconds}.25");
        let line = format!("cd . && {mark}{redirection}");
        let call = json!({"command": line, "description": "x", "run_in_background": true});
        let reply = reply_text(&world, ("bash", call)).await;
        let said =
            ["No tool can show", "Its standard output"].iter().filter(|said| reply.contains(**said)).count();
        assert!(reply.contains(wanted) && said == 1, "{line}: {reply}");
        let (_, stop) = reply.split_once("`kill job-").unwrap();
        let stop = format!("kill job-{}", stop.split('`').next().unwrap());
        reply_text(&world, ("bash", json!({"command": stop, "description": "x"}))).await;
        gone(&mark).await;
    })
    .await;
}

/// The next step that a cut reply names first needs no approval that the command itself does not need.
#[tokio::test(flavor = "multi_thread")]
async fn next_step_for_cut_output_needs_no_approval() {
    let lines: String = (1..=9_000).map(|line| format!("line {line}\n")).collect();
    each_async(COLUMNS.into_iter().skip(1), async |(dialect, arguments)| {
        let world = World::new(dialect);
        world.put("f.txt", &lines);
        let (tool, call) = arguments("cat f.txt", None).unwrap();
        let cut = words(&world.call(tool, call).await);
        let (_, step) = cut.split_once("with its exit code kept: `").unwrap_or_else(|| panic!("{cut}"));
        let step = step.split('`').next().unwrap();
        let (_, pipe) = step.split_once("| sed -n '").unwrap();
        let (first, last) = pipe.strip_suffix("p'").and_then(|rest| rest.split_once(',')).unwrap();
        assert!(!cut.contains(&format!("line {first}\n")), "{cut}");
        let (first, last) = (format!("line {first}\n"), format!("line {last}\n"));
        for (command, code) in [("cat f.txt", None), ("cat f.txt; exit 7", Some("Exit code: 7"))] {
            let line = step.replace("COMMAND", command);
            let (tool, call) = arguments(&line, None).unwrap();
            let rest = words(&world.call(tool, call).await);
            assert!(rest.contains(&first) && rest.contains(&last), "{line}: {rest}");
            assert!(code.is_none_or(|code| rest.contains(code)), "{line}: {rest}");
        }
        assert!(cut.contains("(Toolpost asks the user first), and read that file"), "{cut}");
    })
    .await;
}
