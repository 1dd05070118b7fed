//! What becomes of servers that are slow, break, babble, or never get ready, and of what they are told and asked.
#![expect(clippy::unwrap_used, reason = "tests talk to a server that misbehaves")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_lsp::{
    Answer, Change, Complete, Encoding, Fault, Home, InstalledServer, KNOWN, Known, Limits, Place, Position,
    Question, Server, Servers, Settings, Signal, Span, Stage,
};
use toolpost_process::{Environment, Sandbox};

/// Longer than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(60);

/// Servers among which one is known, which behaves in a manner.
struct World {
    servers: Servers,
    found: InstalledServer,
    home: Home,
}

impl World {
    fn new(manner: &'static str, signal: Signal, limits: Limits) -> Self {
        Self::with(Known { signal, arguments: vec![manner].leak(), ..base() }, limits, &[])
    }

    fn with(known: Known, limits: Limits, not_in: &[PathBuf]) -> Self {
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

    fn get(&self) -> Result<Arc<Server>, Fault> {
        self.servers.get(&self.found, &self.home, &HashMap::new())
    }
}

fn base() -> Known {
    let languages: &[(&[&str], &str)] = &[(&["fk"], "fake")];
    Known { name: "fake", program: "fake", languages, partial: None, needs: None, cap: LONG, ..KNOWN[0] }
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

/// What the fake answers to a question for a place: that place.
fn echoed() -> Answer {
    let span = Span { from: at(3, 4), to: at(3, 4) };
    Answer::Places(vec![Place { path: Some(file()), address: "file:///a.fk".to_owned(), span }])
}

/// Asks for what the fake was told.
async fn told(server: &Server) -> String {
    let talk = server.greeted(LONG).await.unwrap();
    match talk.ask(&Question::Hover(file(), at(0, 0)), LONG).await.unwrap() {
        Answer::Text(text) => text.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// Asks for the references.
async fn asked(server: &Server, within: Duration) -> Result<Answer, Fault> {
    server.greeted(within).await?.ask(&references(), within).await
}

#[tokio::test]
async fn a_slow_one_is_waited_for_and_no_longer_than_is_wanted() {
    let world = World::new("slow", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    assert_eq!(server.standing().stage, Stage::Starting);
    let late = server.greeted(Duration::from_millis(1)).await.err().unwrap();
    assert_eq!(
        late.to_string(),
        "`fake` did not answer `initialize` within 0.0 s; the next call repeats the request"
    );
    assert_eq!(asked(&server, LONG).await, Ok(echoed()));
    assert_eq!((server.standing().stage, server.standing().complete), (Stage::Ready, Complete::Yes));
}

#[tokio::test]
async fn one_that_crashes_is_a_fault_and_rests() {
    let limits = Limits { rest: LONG, rest_at_most: LONG, ..Limits::default() };
    let world = World::new("crash", Signal::Answers, limits);
    let server = world.get().unwrap();
    let fault = asked(&server, LONG).await.unwrap_err();
    let words = "`fake` ended while it was asked: with code 9";
    assert_eq!(fault.to_string(), words);
    assert_eq!((server.standing().stage, server.standing().complete), (Stage::Dead, Complete::No));
    assert_eq!(world.servers.running(), 0);
    let Err(Fault::Resting { last, times: 1, wait }) = world.get() else { panic!("it does not rest") };
    assert_eq!((*last, wait <= LONG), (fault, true));
}

#[tokio::test]
async fn one_that_crashed_is_started_again_after_its_rest() {
    let rest = Duration::from_secs(1);
    let world = World::new("crash", Signal::Answers, Limits { rest, ..Limits::default() });
    let first = world.get().unwrap();
    asked(&first, LONG).await.unwrap_err();
    assert!(matches!(world.get(), Err(Fault::Resting { times: 1, .. })));
    tokio::time::sleep(rest).await;
    let second = world.get().unwrap();
    assert!(!Arc::ptr_eq(&first, &second));
    asked(&second, LONG).await.unwrap_err();
    let Err(Fault::Resting { times: 2, wait, .. }) = world.get() else { panic!("it does not rest") };
    assert!(wait <= rest * 2, "{wait:?}");
}

#[tokio::test]
async fn what_is_no_server_is_told_apart() {
    let rows = [
        ("crash at once", "`fake` ended while it was asked: with code 7"),
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
            "`fake` was stopped, because its output is not a valid message: no JSON (expected value at line 1 \
             column 7)",
        ),
        ("odd", "the answer of `fake` to `textDocument/references` is not valid: no place: `{\"uri\":1}`"),
        (
            "odd encoding",
            "the answer of `fake` to `initialize` is not valid: it counts characters in `ebcdic`, which it was \
             not offered",
        ),
    ];
    for (manner, words) in rows {
        let world = World::new(manner, Signal::Answers, Limits::default());
        let server = world.get().unwrap();
        assert_eq!(asked(&server, LONG).await.unwrap_err().to_string(), words, "{manner}");
        assert_eq!(world.servers.running(), usize::from(manner == "odd"), "{manner}");
    }
}

#[tokio::test]
async fn one_that_indexes_is_ready_when_it_has_and_one_that_never_ends_is_not() {
    let token = Signal::Token("index");
    let world = World::new("indexes", token, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    assert_eq!(talk.settled(Duration::ZERO).await.complete, Complete::No);
    let standing = talk.settled(LONG).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Ready, Complete::Yes));

    let world = World::new("never ready", token, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    // Its progress comes behind the greeting.
    told(&server).await;
    let standing = talk.settled(Duration::from_millis(50)).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Indexing(Some(10)), Complete::No));
    assert_eq!(standing.why, "it is busy: indexing (10 %)");

    let cap = Duration::from_secs(1);
    let known = Known { signal: token, cap, arguments: &["never ready"], ..base() };
    let world = World::with(known, Limits::default(), &[]);
    let server = world.get().unwrap();
    let standing = server.greeted(LONG).await.unwrap().settled(LONG).await;
    assert_eq!((standing.stage, standing.complete), (Stage::Unconfirmed, Complete::Unknown));
    assert_eq!(standing.why, "it was waited for 1 s, and still it is busy: indexing (10 %)");
}

#[tokio::test]
async fn one_that_never_answers_is_given_up_after_its_time() {
    let known = Known { cap: Duration::from_millis(50), arguments: &["silent"], ..base() };
    let world = World::with(known, Limits::default(), &[]);
    let server = world.get().unwrap();
    let fault = server.greeted(LONG).await.err().unwrap();
    let words = "`fake` did not answer `initialize` within 0.1 s; the next call repeats the request";
    assert_eq!(fault.to_string(), words);
    assert!(matches!(world.get(), Err(Fault::Resting { times: 1, .. })));
}

#[tokio::test]
async fn a_question_that_is_given_up_is_cancelled_and_one_that_came_too_early_is_asked_again() {
    let world = World::new("late", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    let late = talk.ask(&references(), Duration::from_millis(20)).await.unwrap_err();
    assert!(matches!(late, Fault::Late { .. }), "{late:?}");
    assert!(told(&server).await.contains("cancelled 1"));

    let world = World::new("early", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    assert_eq!(asked(&server, LONG).await, Ok(echoed()));
}

#[tokio::test]
async fn what_it_asks_is_answered() {
    let world = World::new("asks", Signal::Answers, Limits::default());
    let server = world.get().unwrap();
    let talk = server.greeted(LONG).await.unwrap();
    // Its questions come before its first answer, and our replies before the second question.
    talk.ask(&references(), LONG).await.unwrap();
    let words = told(&server).await;
    assert!(words.ends_with(r#"; "a" [null]; "b" -32601"#), "{words}");
}

#[tokio::test]
async fn it_counts_as_it_says_and_in_utf_16_if_it_says_nothing() {
    for (manner, encoding) in [("utf-8", Encoding::Utf8), ("plain", Encoding::Utf16)] {
        let world = World::new(manner, Signal::Answers, Limits::default());
        let server = world.get().unwrap();
        assert_eq!(server.greeted(LONG).await.unwrap().encoding(), encoding, "{manner}");
    }
}

#[tokio::test]
async fn it_is_told_of_what_is_shown_and_of_what_changes_on_the_disk() {
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
    let words = told(&server).await;
    let wanted =
        "textDocument/didOpen 1; textDocument/didChange 1; textDocument/didClose 1; cancelled 0; watched 4";
    assert_eq!(words, wanted);
}

#[tokio::test]
async fn one_serves_all_and_ends_when_nobody_asks_it() {
    let limits =
        Limits { idle: Duration::from_millis(300), look: Duration::from_millis(50), ..Limits::default() };
    let world = World::new("plain", Signal::Answers, limits);
    let (one, other) = (world.get().unwrap(), world.get().unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!(world.servers.running(), 1);
    asked(&one, LONG).await.unwrap();
    until_none_runs(&world).await;
    // That it was ended is no failure.
    let again = world.get().unwrap();
    assert!(!Arc::ptr_eq(&one, &again));
    assert_eq!(asked(&again, LONG).await, Ok(echoed()));
    world.servers.shut_down().await;
    assert_eq!(world.servers.running(), 0);
    let fault = world.get().err().unwrap();
    assert_eq!(fault.to_string(), "`fake` was not started: this runtime is ending");
}

#[tokio::test]
async fn the_rest_counts_from_the_end_and_not_from_when_it_is_seen() {
    let rest = Duration::from_millis(20);
    let limits = Limits { rest, ..Limits::default() };
    let world = World::new("crash", Signal::Answers, limits);
    asked(&world.get().unwrap(), LONG).await.unwrap_err();
    tokio::time::sleep(rest).await;
    // Nobody has asked since it ended, and it has rested.
    assert!(world.get().is_ok());
}

#[tokio::test]
async fn one_is_started_anew_when_its_project_gets_what_it_lacked() {
    let mut world = World::new("plain", Signal::Answers, Limits::default());
    world.home.lacks = Some("no database".to_owned());
    let before = world.get().unwrap();
    asked(&before, LONG).await.unwrap();
    let standing = before.standing();
    assert_eq!((standing.complete, standing.why.as_str()), (Complete::No, "no database"));
    assert!(Arc::ptr_eq(&before, &world.get().unwrap()));
    world.home.lacks = None;
    let after = world.get().unwrap();
    assert!(!Arc::ptr_eq(&before, &after));
    asked(&after, LONG).await.unwrap();
    assert_eq!(after.standing().complete, Complete::Yes);
}

#[tokio::test]
async fn an_error_without_a_number_does_not_end_it() {
    let world = World::new("stray", Signal::Answers, Limits::default());
    assert_eq!(asked(&world.get().unwrap(), LONG).await, Ok(echoed()));
}

#[tokio::test]
async fn one_that_takes_too_much_memory_is_ended() {
    let limits = Limits { memory: 1024, look: Duration::from_millis(50), ..Limits::default() };
    let world = World::new("plain", Signal::Answers, limits);
    let server = world.get().unwrap();
    server.greeted(LONG).await.ok();
    until_none_runs(&world).await;
    let Err(Fault::Resting { last, .. }) = world.get() else { panic!("it does not rest") };
    assert!(last.to_string().starts_with("`fake` ended by this client: it held "), "{last}");
}

#[tokio::test]
async fn one_that_a_project_brings_is_never_started() {
    let world = World::with(base(), Limits::default(), &[examples()]);
    assert_eq!(world.found.sought.program, None);
    assert_eq!(world.found.sought.passed_over, [examples().join("fake")]);
    let fault = world.get().err().unwrap();
    let words = "`fake` was not started: there is no program `fake` outside of the workspace";
    assert_eq!(fault.to_string(), words);
}

async fn until_none_runs(world: &World) {
    let start = Instant::now();
    while world.servers.running() > 0 {
        assert!(start.elapsed() < LONG, "one still runs");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
