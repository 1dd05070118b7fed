//! Commands by the program itself: in its sandbox, without one, and with nothing to write.

use crate::common;

use common::{Server, World, call};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolpost_engine::operations::exec::{Exec, Output, Request, Shell, Side, Wait, Want};
use toolpost_engine::{
    Approval, Available, CallCtx, Command, Commands, Engine, Hosts, Line, Means, Plan, Sandbox, Session,
    inner_step_of,
};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

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
        assert!(text(&tried).contains("Toolpost's sandbox lets commands only read"), "{tried}");
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
    let said = "refused connections to elsewhere.example:443: no rule allows them.";
    assert!(text(&refused).contains(said), "{refused}");
    assert!(text(&refused).contains("`hosts = [\"elsewhere.example\"]`"), "{refused}");
    // Nobody has this name: it is looked for, so the list let it pass.
    let allowed = bash(&world, &flags, &ask("nobody.invalid"));
    assert!(text(&allowed).contains(" 502 ") && !text(&allowed).contains("no rule allows"), "{allowed}");
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

/// A server that prints its port and answers each connection with a word.
const SERVER: &str = "exec perl -MIO::Socket::INET -e '$| = 1; my $s = IO::Socket::INET->new(Listen => 8, \
    LocalAddr => q(127.0.0.1)) or die; print q(port ), $s->sockport, qq(.\\n); \
    while (my $c = $s->accept) { print $c qq(answered\\n); close $c }'";

fn client(port: u16) -> String {
    format!("exec 3<>/dev/tcp/127.0.0.1/{port} && cat <&3")
}

fn port_in(text: &str) -> Option<u16> {
    text.split_once("port ")?.1.split_once('.')?.0.parse().ok()
}

/// Calls `run_command` of trae.
fn run_command(server: &mut Server, line: &str, blocking: bool) -> String {
    let arguments =
        json!({"command": "bash", "args": ["-c", line], "blocking": blocking, "requires_approval": false});
    let reply = server.call(&call("run_command", arguments));
    text(&reply).to_owned()
}

#[test]
fn a_server_is_reached_by_the_next_command_of_its_session_only() {
    let world = World::new();
    if !confined(&world) {
        return;
    }
    let flags = ["--dialect", "trae", "--ask", "allow"];
    let [mut first, mut second] = [world.serve(&flags), world.serve(&flags)];
    let mut said = run_command(&mut first, SERVER, false);
    let start = Instant::now();
    while !said.contains("This command listens on port ") {
        assert!(start.elapsed() < Duration::from_secs(30), "{said}");
        said =
            text(&first.call(&call("check_command_status", json!({"wait_ms_before_check": 100})))).to_owned();
    }
    let port = port_in(&said).unwrap_or_else(|| panic!("{said}"));
    let who = "all commands of this session reach it on the loopback; the host and its browser do not.";
    assert!(said.contains(&format!("This command listens on port {port}: {who}")), "{said}");
    let answered = run_command(&mut first, &client(port), true);
    assert!(answered.contains("answered"), "{answered}");
    let refused = run_command(&mut second, &client(port), true);
    assert!(refused.contains("Connection refused") && !refused.contains("answered"), "{refused}");
    assert!(refused.contains("gives each session its own network"), "{refused}");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "the host reaches it");
}

/// Runs a line in a sandbox made by `bwrap` or by this program; returns its output and the remarks about it.
pub(crate) async fn ran(
    engine: &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
) -> (String, String) {
    let output = run(engine, session, line, Wait::OrLeave(Duration::from_millis(1500))).await;
    (output.output.into_iter().map(|piece| piece.text).collect(), output.notes.join("\n"))
}

/// Runs a line in a sandbox until it ends; returns the reason why it was stopped and the remarks about it.
pub(crate) async fn ran_to_end(
    engine: &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
) -> (Option<String>, String) {
    let output = run(engine, session, line, Wait::OrEnd(Duration::from_secs(60))).await;
    (output.ending.and_then(|ending| ending.why), output.notes.join("\n"))
}

async fn run(
    (engine, root): &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
    wait: Wait,
) -> Output {
    let command = Command {
        line: Line::Shell(line.to_owned()),
        directory: root.clone(),
        approval: Approval::default(),
    };
    let request = Request {
        command,
        shell: Shell::Plain,
        wait,
        want: Want { from: Side::Top, skip: 0, count: 10_000 },
        notes: Vec::new(),
    };
    engine.run::<Exec>(request, &CallCtx::denied(Arc::clone(session))).await.unwrap()
}

fn engine(world: &World, means: Means) -> (Engine, WorkspacePath) {
    engine_with(world, Plan { means, ..Plan::new([world.root()]) }, |commands| commands)
}

/// An engine with commands that a plan confines.
pub(crate) fn engine_with(
    world: &World,
    plan: Plan,
    change: impl FnOnce(Commands) -> Commands,
) -> (Engine, WorkspacePath) {
    engine_of(world, plan, Hosts::default(), change)
}

/// An engine with commands that reach these hosts.
pub(crate) fn engine_for_hosts(world: &World, means: Means, hosts: Hosts) -> (Engine, WorkspacePath) {
    engine_of(world, Plan { means, ..Plan::new([world.root()]) }, hosts, |commands| commands)
}

fn engine_of(
    world: &World,
    plan: Plan,
    hosts: Hosts,
    change: impl FnOnce(Commands) -> Commands,
) -> (Engine, WorkspacePath) {
    let (roots, state) = (vec![world.root()], Some(world.base().join("state")));
    std::fs::create_dir_all(world.base().join("state")).unwrap();
    let (workspace, _) = Workspace::open(Options { roots, state, ..Options::default() }).unwrap();
    let commands = Commands::new(world.base().join("state"), Sandbox::On(plan), hosts).unwrap();
    let root = workspace.resolve(&world.root().display().to_string()).unwrap();
    (Engine::builder(workspace).with_commands(change(commands)).build(), root)
}

#[test]
fn the_reply_says_who_reaches_a_server() {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = [
        (Means::Namespaces, "all commands of this session reach it on the loopback", "answered"),
        (Means::Bubblewrap, "only this command's own processes reach it", "Connection refused"),
    ];
    for (means, who, answer) in rows {
        if Available::up_to(means).means != means {
            println!("SKIPPED, since {} is not available here", means.name());
            continue;
        }
        let world = World::new();
        let (engine, session) = (engine(&world, means), Session::new());
        let (output, said) = runtime.block_on(ran(&engine, &session, SERVER));
        let port = port_in(&output).unwrap_or_else(|| panic!("{output} {said}"));
        assert!(said.contains(&format!("This command listens on port {port}: {who}")), "{said}");
        let (output, said) = runtime.block_on(ran(&engine, &session, &client(port)));
        assert!(output.contains(answer), "{output}");
        assert_eq!(said.contains("gives each command its own network"), means == Means::Bubblewrap, "{said}");
        let (output, _) = runtime.block_on(ran(&engine, &Session::new(), &client(port)));
        assert!(output.contains("Connection refused"), "{output}");
    }
}

#[test]
fn a_session_that_is_dropped_ends_its_commands_and_its_network() {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    if Available::up_to(Means::Namespaces).means != Means::Namespaces {
        println!("SKIPPED, since namespaces are not available here");
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    let (engine, session) = (engine(&world, Means::Namespaces), Session::new());
    let line = "readlink /proc/self/ns/net; exec sleep 72002";
    let (output, _) = runtime.block_on(ran(&engine, &session, line));
    let network = output.trim();
    assert!(network.starts_with("net:["), "{output}");
    assert!(!holders(network).is_empty());
    drop(session);
    let start = Instant::now();
    while !holders(network).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", holders(network));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Lists the processes in a network namespace, and the descriptors of this process that lead to it.
fn holders(network: &str) -> Vec<String> {
    let leads = |path: &Path| std::fs::read_link(path).is_ok_and(|to| to == Path::new(network));
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("ns/net"));
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten().map(|entry| entry.path());
    let found = processes.chain(descriptors).filter(|path| leads(path));
    found.map(|path| path.display().to_string()).collect()
}
