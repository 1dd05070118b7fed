//! Commands run by the built program: in the sandbox, without a sandbox, and read-only.

use crate::common;
use toolpost_test_rows::{each, skip};

use common::{Server, World, call};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolpost_engine::operations::exec::{Exec, Output, OutputRange, Request, Shell, Side, WaitLimit};
use toolpost_engine::{
    Approval, Available, CallCtx, Command, Commands, Engine, Hosts, Line, Means, Plan, Sandbox, Session,
    inner_step_of,
};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// Calls `bash` of the dialect `opencode`, with additional flags.
fn bash(world: &World, flags: &[&str], line: &str) -> Value {
    let arguments = json!({"command": line}).to_string();
    let call = ["call", "--json", "--dialect", "opencode", "--ask", "allow"];
    let ended = world.run(&[&call[..], flags, &["bash", &arguments]].concat());
    let reply_text = if ended.out.is_empty() { &ended.err } else { &ended.out };
    serde_json::from_str(reply_text).unwrap_or_else(|error| panic!("{error}: {} {}", ended.out, ended.err))
}

/// Returns a shell command that creates a file.
fn opens(file: &str) -> String {
    format!("perl -e 'open(my $f, q(>), q({file})) or die $!'")
}

fn text(reply: &Value) -> &str {
    reply["content"][0]["text"].as_str().unwrap()
}

/// Returns whether namespaces confine commands on this machine; prints a warning if they do not.
pub(crate) fn confined(world: &World) -> bool {
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
        skip(&format!("the kernel here allows no namespaces: {lines:?}"));
    }
    is_whole
}

/// Package managers retry a connection for longer than most time limits, and print nothing until they give up.
#[test]
fn a_timed_out_command_without_its_network_names_the_rule() {
    const RULES: &str =
        "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"./npm\", \"./other\"]\ndecide = \"allow\"\n";
    const HOST: &str =
        "[[rule]]\ntouch = [\"fetch\"]\nhosts = [\"registry.npmjs.org\"]\ndecide = \"allow\"\n";
    let program = b"#!/bin/sh\n[ \"$2\" = fast ] && exit 1\nexec sleep 60\n";
    let reaching = format!("{RULES}{HOST}");
    let world = World::with(&[
        ("npm", program),
        ("other", program),
        ("../closed.toml", RULES.as_bytes()),
        ("../open.toml", reaching.as_bytes()),
    ]);
    if !confined(&world) {
        return;
    }
    for name in ["npm", "other"] {
        std::fs::set_permissions(world.root().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let rows = [
        ("../closed.toml", "./npm install left-pad", true),
        ("../closed.toml", "cd . && ./npm ci", true),
        ("../closed.toml", "./npm install fast", false),
        ("../closed.toml", "./npm start", false),
        ("../closed.toml", "./other install left-pad", false),
        ("../open.toml", "./npm install left-pad", false),
    ];
    each(rows, |(policy, line, wanted)| {
        let arguments = json!({ "command": line, "timeout": 1500 }).to_string();
        let ended = world.run(&["call", "--policy", policy, "--dialect", "opencode", "bash", &arguments]);
        assert_eq!(ended.code, Some(1), "{line}: {}", ended.err);
        assert_eq!(
            ended.out.contains("ran longer than 1500 ms"),
            !line.contains("fast"),
            "{line}: {}",
            ended.out
        );
        let note = "usually fetches from registry.npmjs.org, which no rule allows commands to reach, so it may have failed or \
                    waited for that reason. To allow that, the operator adds a rule with `touch = [\"fetch\"]`, `hosts = \
                    [\"registry.npmjs.org\"]`";
        assert_eq!(ended.out.contains(note), wanted, "{policy} {line}: {}", ended.out);
    });
}

/// The exit code of a pipe is that of its last program, so the note of a failed download does not depend on it.
#[test]
fn a_failed_download_in_a_pipe_names_the_rule() {
    const RULES: &str = "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"./npm\", \"./pip\", \"./other\"]\ndecide = \"allow\"\n";
    let fails =
        |message: &str| format!("#!/bin/sh\n[ \"$2\" = cached ] && exit 0\necho '{message}' >&2\nexit 1\n");
    let resolution = fails("npm error getaddrinfo ENOTFOUND registry.npmjs.org");
    let world = World::with(&[
        ("npm", resolution.as_bytes()),
        ("other", resolution.as_bytes()),
        ("pip", fails("ERROR: No matching distribution found for requests").as_bytes()),
        ("../closed.toml", RULES.as_bytes()),
    ]);
    if !confined(&world) {
        return;
    }
    for name in ["npm", "other", "pip"] {
        std::fs::set_permissions(world.root().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let rows = [
        ("./npm install left-pad 2>&1 | head -2", Some("`hosts = [\"registry.npmjs.org\"]`")),
        ("./npm install left-pad || true", Some("`hosts = [\"registry.npmjs.org\"]`")),
        ("./pip download requests 2>&1 | tail -1", Some("fetches from pypi.org and files.pythonhosted.org")),
        ("./pip download cached | tail -1", None),
        ("./npm start 2>&1 | tail -1", None),
        ("./other install left-pad 2>&1 | tail -1", None),
    ];
    each(rows, |(line, wanted)| {
        let arguments = json!({ "command": line }).to_string();
        let ended =
            world.run(&["call", "--policy", "../closed.toml", "--dialect", "opencode", "bash", &arguments]);
        assert_eq!(ended.code, Some(0), "{line}: {} {}", ended.out, ended.err);
        let note = wanted.is_some_and(|wanted| ended.out.contains(wanted));
        assert_eq!(note, wanted.is_some(), "{line}: {}", ended.out);
        let restarts = ended.out.contains("It takes effect when Toolpost starts again.");
        assert_eq!(restarts, wanted.is_some(), "{line}: {}", ended.out);
    });
}

#[test]
fn commands_are_sandboxed_unless_sandbox_is_off() {
    let world = World::new();
    if !confined(&world) {
        return;
    }
    // Rules cannot see which files the program opens, so the sandbox must deny the access.
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
fn read_only_commands_cannot_write() {
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
            "bash is not available: the tool can change files, which the setting `read_only` forbids \
             (flag).\n"
        )
    );
}

#[test]
fn commands_reach_only_hosts_that_rules_allow() {
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
    let reply_text = "refused connections to elsewhere.example:443: no rule allows them.";
    assert!(text(&refused).contains(reply_text), "{refused}");
    assert!(text(&refused).contains("`hosts = [\"elsewhere.example\"]`"), "{refused}");
    // The host does not exist: a failed name lookup shows that the rules allowed the connection.
    let allowed = bash(&world, &flags, &ask("nobody.invalid"));
    assert!(text(&allowed).contains(" 502 ") && !text(&allowed).contains("no rule allows"), "{allowed}");
    let closed = bash(&world, &[], "echo proxy:$https_proxy");
    assert!(text(&closed).starts_with("proxy:\n"), "{closed}");
}

#[test]
fn leftover_processes_end_with_the_program() {
    let world = World::new();
    let reply = bash(&world, &["--sandbox", "off"], "sleep 72001 & echo started");
    assert!(text(&reply).starts_with("started\n"), "{reply}");
    assert_eq!(reply["structured"]["leftovers"].as_array().unwrap().len(), 1, "{reply}");
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let left: Vec<Vec<u8>> = lines.filter(|line| line == b"sleep\x0072001\x00").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// If the program is started as the inner step of a sandbox without instructions, it starts no server and
/// prints nothing.
#[test]
fn inner_step_without_instructions_does_nothing() {
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

/// Calls `run_command` of the dialect `trae`.
fn run_command(server: &mut Server, line: &str, blocking: bool) -> String {
    let arguments =
        json!({"command": "bash", "args": ["-c", line], "blocking": blocking, "requires_approval": false});
    let reply = server.call(&call("run_command", arguments));
    text(&reply).to_owned()
}

#[test]
fn servers_are_reachable_only_from_their_session() {
    let world = World::new();
    if !confined(&world) {
        return;
    }
    let flags = ["--dialect", "trae", "--ask", "allow"];
    let [mut first, mut second] = [world.serve(&flags), world.serve(&flags)];
    let mut reply_text = run_command(&mut first, SERVER, false);
    let start = Instant::now();
    while !reply_text.contains("This command listens on port ") {
        assert!(start.elapsed() < Duration::from_secs(30), "{reply_text}");
        reply_text =
            text(&first.call(&call("check_command_status", json!({"wait_ms_before_check": 100})))).to_owned();
    }
    let port = port_in(&reply_text).unwrap_or_else(|| panic!("{reply_text}"));
    let who = "all commands of this session reach it on the loopback; the host and its browser do not.";
    assert!(reply_text.contains(&format!("This command listens on port {port}: {who}")), "{reply_text}");
    let answered = run_command(&mut first, &client(port), true);
    assert!(answered.contains("answered"), "{answered}");
    let refused = run_command(&mut second, &client(port), true);
    assert!(refused.contains("Connection refused") && !refused.contains("answered"), "{refused}");
    assert!(refused.contains("gives each session its own network"), "{refused}");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "the host reaches it");
}

/// Runs a shell command in a sandbox of `bwrap` or of this program; returns its output and notes.
pub(crate) async fn ran(
    engine: &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
) -> (String, String) {
    let output = run(engine, session, line, WaitLimit::OrLeave(Duration::from_millis(1500))).await;
    (output.output.into_iter().map(|piece| piece.text).collect(), output.notes.join("\n"))
}

/// Runs a shell command in a sandbox until it exits; returns the reason why it was stopped, and its notes.
pub(crate) async fn ran_to_end(
    engine: &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
) -> (Option<String>, String) {
    let output = run(engine, session, line, WaitLimit::OrEnd(Duration::from_secs(60))).await;
    (output.ending.and_then(|ending| ending.why), output.notes.join("\n"))
}

async fn run(
    (engine, root): &(Engine, WorkspacePath),
    session: &Arc<Session>,
    line: &str,
    wait: WaitLimit,
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
        range: OutputRange { from: Side::Top, skip: 0, count: 10_000 },
        notes: Vec::new(),
    };
    engine.run::<Exec>(request, &CallCtx::denied(Arc::clone(session))).await.unwrap()
}

fn engine(world: &World, means: Means) -> (Engine, WorkspacePath) {
    engine_with(world, Plan { means, ..Plan::new([world.root()]) }, |commands| commands)
}

/// Creates an engine whose commands run in the sandbox of a plan.
pub(crate) fn engine_with(
    world: &World,
    plan: Plan,
    change: impl FnOnce(Commands) -> Commands,
) -> (Engine, WorkspacePath) {
    engine_of(world, plan, Hosts::default(), change)
}

/// Creates an engine whose commands can connect to these hosts.
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
fn replies_state_which_commands_reach_a_server() {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = [
        (Means::Namespaces, "all commands of this session reach it on the loopback", "answered"),
        (Means::Bubblewrap, "only this command's own processes reach it", "Connection refused"),
    ];
    for (means, who, answer) in rows {
        if Available::up_to(means).means != means {
            skip(&format!("{} is not available here", means.name()));
            continue;
        }
        let world = World::new();
        let (engine, session) = (engine(&world, means), Session::new());
        let (output, reply_text) = runtime.block_on(ran(&engine, &session, SERVER));
        let port = port_in(&output).unwrap_or_else(|| panic!("{output} {reply_text}"));
        assert!(reply_text.contains(&format!("This command listens on port {port}: {who}")), "{reply_text}");
        let rule = "`hosts = [\"127.0.0.1\", \"localhost\"]`";
        assert_eq!(reply_text.contains(rule), means == Means::Namespaces, "{reply_text}");
        let (output, reply_text) = runtime.block_on(ran(&engine, &session, &client(port)));
        assert!(output.contains(answer), "{output}");
        assert_eq!(
            reply_text.contains("gives each command its own network"),
            means == Means::Bubblewrap,
            "{reply_text}"
        );
        let (output, _) = runtime.block_on(ran(&engine, &Session::new(), &client(port)));
        assert!(output.contains("Connection refused"), "{output}");
    }
}

#[test]
fn dropped_sessions_end_their_commands_and_network() {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    if Available::up_to(Means::Namespaces).means != Means::Namespaces {
        return skip("namespaces are not available here");
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
