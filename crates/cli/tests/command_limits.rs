//! Resource limits of commands, as replies report them, and a client that does not read its replies.

use crate::commands::{engine_with, ran_to_end};
use crate::common::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use toolpost_engine::{Available, Means, Plan, Resources, Session, inner_step_of};
use toolpost_test_rows::skip;

const MEBIBYTE: u64 = 1 << 20;

/// Timeout of a step, longer than any step takes on a slow machine.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn replies_name_the_exceeded_limit_and_its_setting() {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    if Available::up_to(Means::Namespaces).means == Means::Nothing {
        return skip("nothing confines commands here");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let none = Resources::unlimited();
    let rows = [
        (
            Resources { memory: Some(96 * MEBIBYTE), ..none },
            "head -c 200000000 /dev/zero | tail -c 200000000 | sleep 7301",
            ["more than the limit of 96 MB for a command", "the setting `command_memory_mb`"],
        ),
        (
            Resources { processes: Some(30), ..none },
            // A finite number of processes, harmless if the limit fails.
            "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5; do (setsid sleep 7302 &); done; done; sleep 7302",
            ["the limit of 30 processes and threads for a command", "the setting `command_processes`"],
        ),
        (
            Resources { file_size: Some(MEBIBYTE), ..none },
            "exec head -c 2000000 /dev/zero > big",
            ["reached the limit of 1 MB for one file", "the setting `command_file_mb`"],
        ),
    ];
    for (resources, line, wanted) in rows {
        let world = World::new();
        let (engine, session) = (
            engine_with(&world, Plan::new([world.root()]), |commands| commands.with_resources(resources)),
            Session::new(),
        );
        let (why, notes) = runtime.block_on(ran_to_end(&engine, &session, line));
        let reply = format!("{}\n{notes}", why.unwrap_or_default());
        for wanted in wanted {
            assert!(reply.contains(wanted), "{line}: {reply}");
        }
    }
}

/// A client that sends requests but reads no replies: commands still run, and no reply is lost.
#[test]
fn unread_replies_do_not_delay_commands() {
    const CALLS: u64 = 100;
    let world = World::new();
    let mut program =
        world.program(&["serve", "--dialect", "opencode", "--ask", "allow", "--sandbox", "off"]);
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for id in 1..=CALLS {
        // About 20 KB of output each: together far more than a pipe buffers.
        let line = format!("seq 100000 103000; echo {id} > done-{id}");
        let params = json!({ "name": "bash", "arguments": { "command": line } });
        send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }
    let start = Instant::now();
    let is_done = |id: u64| world.path(&format!("done-{id}")).exists();
    while !(1..=CALLS).all(is_done) {
        let left: Vec<u64> = (1..=CALLS).filter(|id| !is_done(*id)).collect();
        assert!(start.elapsed() < LONG, "{} commands wait for the client: {left:?}", left.len());
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut answered: Vec<u64> = Vec::new();
    for line in output.lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        answered.extend(message["id"].as_u64());
        if answered.len() as u64 > CALLS {
            break;
        }
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..=CALLS).collect::<Vec<_>>());
    child.kill().unwrap();
    child.wait().unwrap();
}
