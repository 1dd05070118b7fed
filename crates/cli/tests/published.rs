//! Ports of commands that the setting `publish` opens to the host: reachable from outside the sandbox until
//! the command exits.

use crate::commands::{engine_with, ran};
use crate::common::{Server, World, call};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolpost_engine::operations::{job, stop};
use toolpost_engine::{Available, CallCtx, Engine, Means, Plan, PublishedPorts, Session, inner_step_of};
use toolpost_test_rows::skip;
use toolpost_workspace::WorkspacePath;

/// Timeout of a step, longer than any step takes on a slow machine.
const LONG: Duration = Duration::from_secs(60);

fn is_missing() -> bool {
    inner_step_of(Path::new(env!("CARGO_BIN_EXE_toolpost")));
    let is_missing = Available::up_to(Means::Namespaces).means != Means::Namespaces;
    if is_missing {
        skip("namespaces are not available here");
    }
    is_missing
}

/// Returns an unused port.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns the command of a web server that answers every request.
fn server(address: &str, port: u16) -> String {
    format!(
        "exec perl -MIO::Socket::IP -e '$| = 1; my $s = IO::Socket::IP->new(Listen => 8, ReuseAddr => 1, \
         LocalHost => q({address}), LocalPort => {port}) or die $@; print qq(ready\\n); \
         while (my $c = $s->accept) {{ <$c>; print $c qq(HTTP/1.0 200 OK\\r\\n\\r\\nanswered\\n); close $c }}'"
    )
}

/// Requests a page as a browser of the host does; `None` if nothing answers.
fn fetch(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").ok()?;
    let mut page = String::new();
    stream.read_to_string(&mut page).ok()?;
    (!page.is_empty()).then_some(page)
}

fn publishing(world: &World, ports: &str) -> (Engine, WorkspacePath) {
    let plan = Plan::new([world.root()]);
    let ports: PublishedPorts = ports.parse().unwrap();
    engine_with(world, plan, |commands| commands.with_published(ports))
}

/// Waits until a port is closed.
fn assert_closes(port: u16) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        assert!(start.elapsed() < LONG, "port {port} stays open");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the state of the last command.
async fn look(engine: &Engine, session: &Arc<Session>) -> job::Output {
    let want = job::OutputRange { from: job::Side::Top, skip: 0, count: 1000 };
    let request = job::Request { id: None, wait: Duration::from_millis(300), range: want, notes: Vec::new() };
    engine.run::<job::JobQuery>(request, &CallCtx::denied(Arc::clone(session))).await.unwrap()
}

#[test]
fn published_ports_are_reachable_until_the_command_stops() {
    if is_missing() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for address in ["127.0.0.1", "0.0.0.0", "::1"] {
        if TcpListener::bind((address, 0)).is_err() {
            skip(&format!("{address} is not available here"));
            continue;
        }
        let (world, port) = (World::new(), free_port());
        let (engine, session) = (publishing(&world, &format!("1,{port}")), Session::new());
        let (output, notes) = runtime.block_on(ran(&engine, &session, &server(address, port)));
        assert!(notes.contains(&format!("reach it at http://127.0.0.1:{port}")), "{output} {notes}");
        for _ in 0..20 {
            assert!(fetch(port).is_some_and(|page| page.ends_with("\r\n\r\nanswered\n")), "{output}");
        }
        let id = runtime.block_on(look(&engine.0, &session)).job;
        let want = job::OutputRange { from: job::Side::Top, skip: 0, count: 1000 };
        let cx = CallCtx::denied(Arc::clone(&session));
        runtime.block_on(engine.0.run::<stop::Stop>(stop::Request { id, range: want }, &cx)).unwrap();
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "the port is open after the stop");
    }
}

#[test]
fn unlisted_ports_stay_in_the_sandbox() {
    if is_missing() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (world, port, other) = (World::new(), free_port(), free_port());
    for ports in [String::new(), other.to_string()] {
        let (engine, session) = (publishing(&world, &ports), Session::new());
        let (output, notes) = runtime.block_on(ran(&engine, &session, &server("127.0.0.1", port)));
        assert!(notes.contains("the host and its browser do not"), "{output} {notes}");
        assert!(notes.contains("the user adds it to the setting `publish`"), "{notes}");
        // No event tells that a port stays unpublished, so several scans for new ports have to pass.
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(fetch(port), None);
    }
}

#[test]
fn late_listeners_are_published_until_the_session_ends() {
    if is_missing() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (world, port) = (World::new(), free_port());
    let (engine, session) = (publishing(&world, &port.to_string()), Session::new());
    let line = format!("until [ -e go ]; do sleep 0.05; done; {}", server("127.0.0.1", port));
    let (_, notes) = runtime.block_on(ran(&engine, &session, &line));
    assert!(!notes.contains("listens on port"), "{notes}");
    std::fs::write(world.root().join("go"), "").unwrap();
    let start = Instant::now();
    while fetch(port).is_none() {
        assert!(start.elapsed() < LONG, "the port is never published");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(session);
    assert_closes(port);
}

#[test]
fn occupied_ports_are_reported_and_published_once_free() {
    if is_missing() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = World::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let (engine, session) = (publishing(&world, &port.to_string()), Session::new());
    let (output, notes) = runtime.block_on(ran(&engine, &session, &server("127.0.0.1", port)));
    let why = format!("port {port}, which could not be published: it is already in use on the host");
    assert!(notes.contains(&why), "{output} {notes}");
    drop(taken);
    let output = runtime.block_on(look(&engine.0, &session));
    assert!(output.notes.join("\n").contains(&format!("http://127.0.0.1:{port}")), "{output:?}");
    assert!(fetch(port).is_some());
    // Another session cannot publish the same port until it is free.
    let second = Session::new();
    let (output, notes) = runtime.block_on(ran(&engine, &second, &server("127.0.0.1", port)));
    assert!(notes.contains(&why), "{output} {notes}");
}

#[test]
fn publish_setting_publishes_a_web_server_port() {
    let world = World::new();
    if is_missing() {
        return;
    }
    let port = free_port();
    let mut program = world.program(&["serve", "--dialect", "trae", "--ask", "allow"]);
    program.env("TOOLPOST_PUBLISH", port.to_string());
    let mut session = Server::start(program, &json!({}));
    let arguments = json!({
        "command": "bash", "args": ["-c", server("127.0.0.1", port)], "command_type": "web_server", "blocking": false,
        "wait_ms_before_async": 3000, "requires_approval": false
    });
    let reply = session.call(&call("run_command", arguments));
    let text = reply["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("reach it at http://127.0.0.1:{port}")), "{text}");
    assert!(fetch(port).is_some());
    drop(session);
    assert_closes(port);
    let wrong = world.program(&["doctor"]).env("TOOLPOST_PUBLISH", "web").output().unwrap();
    let message = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && message.contains("`web` is not a port"), "{message}");
}
