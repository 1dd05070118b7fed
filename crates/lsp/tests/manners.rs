//! Tests with servers that are slow, crash, send invalid messages or never become ready, and of the messages
//! sent to them.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolpost_test_rows::each_async;

use toolpost_lsp::{
    Change, CodeLocation, Complete, Encoding, Home, InstalledServer, KNOWN, KnownServer, Limits, LspAnswer,
    Position, Question, Server, ServerError, Servers, Settings, Signal, Span, Stage,
};
use toolpost_process::{Environment, Sandbox};

/// A time limit that no step of these tests reaches.
const LONG: Duration = Duration::from_secs(60);

/// A set of servers that knows only the fake server, with a selected behaviour.
struct World {
    servers: Servers,
    found: InstalledServer,
    home: Home,
}

impl World {
    fn new(manner: &'static str, signal: Signal, limits: Limits) -> Self {
        Self::with(KnownServer { signal, arguments: vec![manner].leak(), ..base() }, limits, &[])
    }

    /// Returns a world whose server waits until the second result is called.
    #[expect(clippy::disallowed_methods, reason = "the fake server waits for a file")]
    fn waiting(manner: &'static str, directory: &Path, signal: Signal) -> (Self, impl FnOnce()) {
        let go = directory.join("go");
        let arguments = vec![manner, go.to_str().unwrap().to_owned().leak()].leak();
        let world = Self::with(KnownServer { signal, arguments, ..base() }, Limits::default(), &[]);
        (world, move || std::fs::write(go, "").unwrap())
    }

    fn with(known: KnownServer, limits: Limits, not_in: &[PathBuf]) -> Self {
        let examples = examples();
        assert!(known.program != "fake" || is_there(&examples), "{} has no fake", examples.display());
        let environment = Environment::of_this_process().with("PATH", &examples);
        let settings = Settings {
            known: vec![known].leak(),
            limits,
            ..Settings::new(Sandbox::Off, environment, not_in.to_vec())
        };
        let servers = Servers::new(settings);
        let found = servers.found_for("fk").remove(0);
        Self { servers, found, home: Home { directory: "/".into(), lacks: None } }
    }

    fn get(&self) -> Result<Arc<Server>, ServerError> {
        self.servers.get(&self.found, &self.home, &HashMap::new())
    }
}

fn base() -> KnownServer {
    let languages: &[(&[&str], &str)] = &[(&["fk"], "fake")];
    KnownServer {
        name: "fake",
        program: "fake",
        languages,
        partial: None,
        needs: None,
        cap: LONG,
        ..KNOWN[0]
    }
}

fn examples() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().join("examples")
}

#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
fn is_there(examples: &Path) -> bool {
    examples.join("fake").exists()
}

fn file() -> PathBuf {
    "/a.fk".into()
}

fn at(line: u32, character: u32) -> Position {
    Position { line, character }
}

fn references() -> Question {
    Question::References(file(), at(3, 4))
}

/// Returns the expected answer to `references`: the fake server answers with the position in the question.
fn echoed() -> LspAnswer {
    let span = Span { from: at(3, 4), to: at(3, 4) };
    LspAnswer::Places(vec![CodeLocation { path: Some(file()), address: "file:///a.fk".to_owned(), span }])
}

/// Returns counts of the messages that the fake server received.
async fn received_counts(server: &Server) -> String {
    let talk = server.greeted(LONG).await.unwrap();
    match talk.ask(&Question::Hover(file(), at(0, 0)), LONG).await.unwrap() {
        LspAnswer::Text(text) => text.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// Requests the references at a fixed position.
async fn request_references(server: &Server, within: Duration) -> Result<LspAnswer, ServerError> {
    server.greeted(within).await?.ask(&references(), within).await
}

#[tokio::test]
async fn a_slow_server_is_awaited_up_to_the_time_limit() {
    let directory = tempfile::tempdir().unwrap();
    let (world, go) = World::waiting("slow", directory.path(), Signal::Answers);
    let server = world.get().unwrap();
    assert_eq!(server.standing().stage, Stage::Starting);
    let late = server.greeted(Duration::from_millis(1)).await.err().unwrap();
    assert_eq!(
        late.to_string(),
        "`fake` did not answer `initialize` within 0.0 s; the next call repeats the request"
    );
    go();
    assert_eq!(request_references(&server, LONG).await, Ok(echoed()));
    assert_eq!((server.standing().stage, server.standing().complete), (Stage::Ready, Complete::Yes));
}

#[tokio::test]
async fn a_crashed_server_is_reported_and_not_restarted_at_once() {
    let limits = Limits { rest: LONG, rest_at_most: LONG, ..Limits::default() };
    let world = World::new("crash", Signal::Answers, limits);
    let server = world.get().unwrap();
    let fault = request_references(&server, LONG).await.unwrap_err();
    let words = "`fake` exited during a request: exit code 9";
    assert_eq!(fault.to_string(), words);
    assert_eq!((server.standing().stage, server.standing().complete), (Stage::Dead, Complete::No));
    assert_eq!(world.servers.running(), 0);
    let Err(ServerError::Resting { last, times: 1, wait }) = world.get() else { panic!("no restart pause") };
    assert_eq!((*last, wait <= LONG), (fault, true));
}

#[tokio::test]
async fn a_crashed_server_restarts_after_a_pause() {
    let rest = Duration::from_millis(50);
    let world = World::new("crash", Signal::Answers, Limits { rest, ..Limits::default() });
    let mut servers = vec![world.get().unwrap()];
    let mut pauses = 0;
    for times in 1..=3_u32 {
        request_references(&servers[servers.len() - 1], LONG).await.unwrap_err();
        // On a busy machine, the pause may be over before the first of these calls, but not all three pauses.
        let next = loop {
            match world.get() {
                Ok(server) => break server,
                Err(ServerError::Resting { times: counted, wait, .. }) => {
                    let pause = rest * (1 << (times - 1));
                    assert!(counted == times && wait <= pause, "{counted}, {wait:?} of {pause:?}");
                    pauses += 1;
                    tokio::time::sleep(wait).await;
                }
                Err(other) => panic!("{other}"),
            }
        };
        assert!(servers.iter().all(|server| !Arc::ptr_eq(server, &next)));
        servers.push(next);
    }
    assert!(pauses > 0, "the server was always restarted without a pause");
}

#[tokio::test]
async fn misbehaving_servers_fail_with_distinct_errors() {
    let rows = [
        ("crash at once", "`fake` exited during a request: exit code 7"),
        (
            "garbage",
            "`fake` was stopped, because its output is not a valid message: `Welcome to the server!` is not a header",
        ),
        (
            "huge",
            "`fake` was stopped, because its output is not a valid message: a message of 99999999999 bytes exceeds the \
             limit of 67108864",
        ),
        (
            "deep",
            "`fake` was stopped, because its output is not a valid message: not JSON (expected value at line 1 \
             column 7)",
        ),
        (
            "odd",
            "`fake` gave an invalid answer to `textDocument/references`: expected a location, got \
             `{\"uri\":1}`",
        ),
        (
            "odd encoding",
            "`fake` gave an invalid answer to `initialize`: the server chose the position encoding `ebcdic`, \
             which was not offered",
        ),
    ];
    each_async(rows, async |(manner, words)| {
        let world = World::new(manner, Signal::Answers, Limits::default());
        let server = world.get().unwrap();
        assert_eq!(request_references(&server, LONG).await.unwrap_err().to_string(), words, "{manner}");
        assert_eq!(world.servers.running(), usize::from(manner == "odd"), "{manner}");
    })
    .await;
}

#[tokio::test]
async fn a_server_is_ready_only_after_it_has_finished_indexing() {
    let token = Signal::Token("index");
    let directory = tempfile::tempdir().unwrap();
    let (world, go) = World::waiting("indexes", directory.path(), token);
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    assert_eq!(talk.settled(Duration::ZERO).await.complete, Complete::No);
    go();
    let standing = talk.settled(LONG).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Ready, Complete::Yes));

    let world = World::new("never ready", token, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    // The progress messages follow the answer to `initialize`, so wait for another answer.
    received_counts(&server).await;
    let standing = talk.settled(Duration::from_millis(50)).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Indexing(Some(10)), Complete::No));
    assert_eq!(standing.why, "the server is busy: indexing (10 %)");

    let cap = Duration::from_secs(1);
    let known = KnownServer { signal: token, cap, arguments: &["never ready"], ..base() };
    let world = World::with(known, Limits::default(), &[]);
    let server = world.get().unwrap();
    let standing = server.greeted(LONG).await.unwrap().settled(LONG).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Unconfirmed, Complete::Unknown));
    assert_eq!(standing.why, "after 1 s, the server is busy: indexing (10 %)");
}

#[tokio::test]
async fn a_silent_server_is_abandoned_after_its_time_limit() {
    let known = KnownServer { cap: Duration::from_millis(50), arguments: &["silent"], ..base() };
    let world = World::with(known, Limits::default(), &[]);
    let server = world.get().unwrap();
    let fault = server.greeted(LONG).await.err().unwrap();
    let words = "`fake` did not answer `initialize` within 0.1 s; the next call repeats the request";
    assert_eq!(fault.to_string(), words);
    assert!(matches!(world.get(), Err(ServerError::Resting { times: 1, .. })));
}

#[tokio::test]
async fn late_requests_are_cancelled_and_early_ones_repeated() {
    let world = World::new("late", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    let late = talk.ask(&references(), Duration::from_millis(20)).await.unwrap_err();
    assert!(matches!(late, ServerError::Late { .. }), "{late:?}");
    assert!(received_counts(&server).await.contains("cancelled 1"));

    let world = World::new("early", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    assert_eq!(request_references(&server, LONG).await, Ok(echoed()));
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    let world = World::new("asks", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    // The server sends its requests before its first answer, so this client has replied to them before its second
    // request.
    talk.ask(&references(), LONG).await.unwrap();
    let words = received_counts(&server).await;
    assert!(words.ends_with(r#"; "a" [null]; "b" -32601"#), "{words}");
}

#[tokio::test]
async fn the_server_chooses_the_position_encoding_or_gets_utf_16() {
    for (manner, encoding) in [("utf-8", Encoding::Utf8), ("plain", Encoding::Utf16)] {
        let world = World::new(manner, Signal::Answers, Limits::default());
        let server = world.get().unwrap();
        assert_eq!(server.greeted(LONG).await.unwrap().encoding(), encoding, "{manner}");
    }
}

#[tokio::test]
async fn the_server_is_notified_of_open_documents_and_disk_changes() {
    let world = World::new("plain", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    talk.show(&file(), "fake", "one");
    talk.show(&file(), "fake", "one");
    talk.show(&file(), "fake", "two");
    assert!(talk.is_open(&file()));
    let disk = HashMap::from([(file(), 1), ("/b.fk".into(), 1)]);
    assert_eq!(
        talk.disk(disk.clone()),
        [(file(), Change::Created), (PathBuf::from("/b.fk"), Change::Created)]
    );
    assert_eq!(talk.disk(disk), []);
    assert_eq!(talk.waiting(), [file()]);
    talk.understood(&file());
    assert_eq!(talk.disk(HashMap::from([("/b.fk".into(), 2)])).len(), 2);
    assert_eq!(talk.waiting(), Vec::<PathBuf>::new());
    let words = received_counts(&server).await;
    let wanted =
        "textDocument/didOpen 1; textDocument/didChange 1; textDocument/didClose 1; cancelled 0; watched 4";
    assert_eq!(words, wanted);
}

#[tokio::test]
async fn one_server_is_shared_and_stopped_when_idle() {
    let limits = Limits {
        idle: Duration::from_millis(300),
        check_interval: Duration::from_millis(50),
        ..Limits::default()
    };
    let world = World::new("plain", Signal::Answers, limits);
    let (one, other) = (world.get().unwrap(), world.get().unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!(world.servers.running(), 1);
    request_references(&one, LONG).await.unwrap();
    until_none_runs(&world).await;
    // Stopping an idle server does not count as a failure.
    let again = world.get().unwrap();
    assert!(!Arc::ptr_eq(&one, &again));
    assert_eq!(request_references(&again, LONG).await, Ok(echoed()));
    world.servers.shut_down().await;
    assert_eq!(world.servers.running(), 0);
    let fault = world.get().err().unwrap();
    assert_eq!(fault.to_string(), "`fake` was not started: Toolpost is shutting down");
}

#[tokio::test]
async fn the_restart_pause_begins_when_the_server_exits() {
    let rest = Duration::from_millis(20);
    let limits = Limits { rest, ..Limits::default() };
    let world = World::new("crash", Signal::Answers, limits);
    request_references(&world.get().unwrap(), LONG).await.unwrap_err();
    tokio::time::sleep(rest).await;
    // The pause began when the server exited, without another request, so it is over.
    assert!(world.get().is_ok());
}

#[tokio::test]
async fn a_server_restarts_when_its_project_gets_what_it_lacked() {
    let mut world = World::new("plain", Signal::Answers, Limits::default());
    world.home.lacks = Some("no database".to_owned());
    let before = world.get().unwrap();
    request_references(&before, LONG).await.unwrap();
    let standing = before.standing();
    assert_eq!((standing.complete, standing.why.as_str()), (Complete::No, "no database"));
    assert!(Arc::ptr_eq(&before, &world.get().unwrap()));
    world.home.lacks = None;
    let after = world.get().unwrap();
    assert!(!Arc::ptr_eq(&before, &after));
    request_references(&after, LONG).await.unwrap();
    assert_eq!(after.standing().complete, Complete::Yes);
}

#[tokio::test]
async fn an_error_without_an_id_does_not_stop_the_server() {
    let world = World::new("stray", Signal::Answers, Limits::default());
    assert_eq!(request_references(&world.get().unwrap(), LONG).await, Ok(echoed()));
}

#[tokio::test]
async fn a_server_over_the_memory_limit_is_stopped() {
    let limits = Limits { memory: 1024, check_interval: Duration::from_millis(50), ..Limits::default() };
    let world = World::new("plain", Signal::Answers, limits);
    let server = world.get().unwrap();
    server.greeted(LONG).await.ok();
    until_none_runs(&world).await;
    let Err(ServerError::Resting { last, .. }) = world.get() else { panic!("no restart pause") };
    assert!(
        last.to_string().starts_with("`fake` exited because Toolpost stopped it: the server used "),
        "{last}"
    );
}

#[tokio::test]
async fn a_server_inside_the_workspace_is_never_started() {
    let world = World::with(base(), Limits::default(), &[examples()]);
    assert_eq!(world.found.search.program, None);
    assert_eq!(world.found.search.passed_over, [examples().join("fake")]);
    let fault = world.get().err().unwrap();
    let words = "`fake` was not started: there is no program `fake` outside the workspace";
    assert_eq!(fault.to_string(), words);
}

async fn until_none_runs(world: &World) {
    let start = Instant::now();
    while world.servers.running() > 0 {
        assert!(start.elapsed() < LONG, "a server still runs");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
