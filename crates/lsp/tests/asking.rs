//! What else than places, texts and symbols servers are asked, and what is made of what they answer.
#![expect(clippy::unwrap_used, reason = "tests talk to a server that misbehaves")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolpost_lsp::{
    Answer, Call, Callable, Calls, Diagnostic, Fault, File, Home, KNOWN, Known, Place, Position, Question,
    RenameAnswer, Replacement, Server, Servers, Settings, Severity, Signal, Span, Step, Verdict, Version,
};
use toolpost_process::{Environment, Sandbox};

/// Longer than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(60);

/// A server that says what it is told to say: what it promises, and what it answers to each method.
struct World {
    server: Arc<Server>,
    _servers: Servers,
}

impl World {
    fn new(promises: &Value, says: &Value) -> Self {
        let mut words = says.clone();
        words["initialize"] = promises.clone();
        words["initialize"]["hoverProvider"] = json!(true);
        let languages: &[(&[&str], &str)] = &[(&["fk"], "fake")];
        let arguments = vec!["says", words.to_string().leak()].leak();
        let known = Known {
            name: "fake",
            program: "fake",
            signal: Signal::Answers,
            languages,
            partial: None,
            needs: None,
            cap: LONG,
            arguments,
            ..KNOWN[0]
        };
        let own = std::env::current_exe().unwrap();
        let examples = own.parent().and_then(Path::parent).unwrap().join("examples");
        let environment = Environment::of_this_process().with("PATH", examples);
        let settings =
            Settings { known: vec![known].leak(), ..Settings::new(Sandbox::Off, environment, Vec::new()) };
        let servers = Servers::new(settings);
        let found = servers.found_for("fk").remove(0);
        let home = Home { directory: "/".into(), lacks: None };
        Self { server: servers.get(&found, &home, &HashMap::new()).unwrap(), _servers: servers }
    }

    /// What it was asked last.
    async fn asked(&self) -> Value {
        let talk = self.server.greeted(LONG).await.unwrap();
        match talk.ask(&Question::Hover(file(), at(0, 0)), LONG).await.unwrap() {
            Answer::Text(text) => serde_json::from_str(&text.unwrap()).unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

fn file() -> PathBuf {
    "/a.fk".into()
}

fn at(line: u32, character: u32) -> Position {
    Position { line, character }
}

/// From a place of a line to another, as data and as the protocol has it.
fn span(line: u32, from: u32, to: u32) -> Span {
    Span { from: at(line, from), to: at(line, to) }
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn place(name: &str, span: Span) -> Place {
    Place { path: Some(name.into()), address: format!("file://{name}"), span }
}

fn unable(method: &str) -> Fault {
    Fault::Unable { server: "fake".to_owned(), method: method.to_owned() }
}

fn odd(method: &str, what: &str) -> Fault {
    Fault::Odd { server: "fake".to_owned(), method: method.to_owned(), what: what.to_owned() }
}

fn refused(method: &str) -> Fault {
    let message = "no package metadata".to_owned();
    Fault::Refused { server: "fake".to_owned(), method: method.to_owned(), code: 0, message }
}

/// What the fake says that refuses.
fn refusal() -> Value {
    json!({ "error": { "code": 0, "message": "no package metadata" } })
}

#[tokio::test]
async fn implementations_are_places() {
    let method = "textDocument/implementation";
    let promise = json!({ "implementationProvider": true });
    let one = json!({ "uri": "file:///b.fk", "range": range(1, 2, 3) });
    let link = json!({ "targetUri": "file:///b.fk", "targetRange": range(1, 0, 9),
        "targetSelectionRange": range(1, 2, 3) });
    let found = Ok(Answer::Places(vec![place("/b.fk", span(1, 2, 3))]));
    let rows = [
        (promise.clone(), one, found.clone()),
        (promise.clone(), json!([link]), found),
        (promise.clone(), Value::Null, Ok(Answer::Places(Vec::new()))),
        (promise.clone(), json!([1]), Err(odd(method, "no place: `1`"))),
        (promise, refusal(), Err(refused(method))),
        (json!({ "implementationProvider": false }), json!([]), Err(unable(method))),
    ];
    for (promises, says, wanted) in rows {
        let world = World::new(&promises, &json!({ method: says }));
        let talk = world.server.greeted(LONG).await.unwrap();
        assert_eq!(talk.ask(&Question::Implementation(file(), at(3, 4)), LONG).await, wanted, "{says}");
        if wanted.is_ok() {
            let asked = json!({ "textDocument": { "uri": "file:///a.fk" }, "position": { "line": 3, "character": 4 } });
            assert_eq!(world.asked().await, asked);
        }
    }
}

/// How the protocol has something that calls or is called.
fn item(name: &str, file: &str, line: u32) -> Value {
    json!({ "name": name, "kind": 12, "detail": "()", "uri": format!("file://{file}"), "range": range(line, 0, 9),
        "selectionRange": range(line, 4, 5), "data": { "secret": name } })
}

/// What is told of it.
type Told = (String, &'static str, Option<String>, Place, Span);

fn told(callable: &Callable) -> Told {
    let Callable { name, kind, detail, place, span, .. } = callable.clone();
    (name, kind, detail, place, span)
}

fn wanted(name: &str, file: &str, line: u32) -> Told {
    (name.to_owned(), "function", Some("()".to_owned()), place(file, span(line, 4, 5)), span(line, 0, 9))
}

#[tokio::test]
async fn what_can_be_called_is_found_and_its_calls() {
    let prepare = "textDocument/prepareCallHierarchy";
    let [incoming, outgoing] = ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"];
    let says = json!({
        prepare: item("f", "/a.fk", 3),
        incoming: [{ "from": item("g", "/b.fk", 5), "fromRanges": [range(7, 2, 3), range(6, 2, 3), range(6, 2, 3)] }],
        outgoing: [{ "to": item("h", "/b.fk", 9), "fromRanges": [range(4, 2, 3)] }],
    });
    let rows = [
        (
            Calls::Incoming,
            wanted("g", "/b.fk", 5),
            vec![place("/b.fk", span(6, 2, 3)), place("/b.fk", span(7, 2, 3))],
        ),
        (Calls::Outgoing, wanted("h", "/b.fk", 9), vec![place("/a.fk", span(4, 2, 3))]),
    ];
    for (calls, other, sites) in rows {
        let world = World::new(&json!({ "callHierarchyProvider": true }), &says);
        let talk = world.server.greeted(LONG).await.unwrap();
        let found = talk.calls_at(calls, &file(), at(3, 4), LONG).await.unwrap();
        let [(callable, found)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(told(callable), wanted("f", "/a.fk", 3), "{calls:?}");
        let found: Vec<_> = found.iter().map(|Call { other, sites }| (told(other), sites.clone())).collect();
        assert_eq!(found, [(other, sites)], "{calls:?}");
        // It gets back what it gave, with what only it understands.
        assert_eq!(world.asked().await, json!({ "item": item("f", "/a.fk", 3) }));
    }
}

#[tokio::test]
async fn calls_that_are_none_and_calls_that_are_odd_are_told_apart() {
    let [prepare, incoming] = ["textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"];
    let promise = json!({ "callHierarchyProvider": {} });
    let one = json!([item("f", "/a.fk", 3)]);
    let no_place = "nothing that can be called: `{\"name\":\"f\"}`";
    // What is answered to both questions, and how many callables and calls are found.
    let rows = [
        (promise.clone(), Value::Null, Value::Null, Ok(vec![])),
        (promise.clone(), json!([]), Value::Null, Ok(vec![])),
        (promise.clone(), one.clone(), Value::Null, Ok(vec![0])),
        (promise.clone(), one.clone(), json!([]), Ok(vec![0])),
        (promise.clone(), json!("x"), Value::Null, Err(odd(prepare, "nothing that can be called: `\"x\"`"))),
        (promise.clone(), json!([{ "name": "f" }]), Value::Null, Err(odd(prepare, no_place))),
        (promise.clone(), one.clone(), json!([{}]), Err(odd(incoming, "no call: `{}`"))),
        (promise.clone(), one.clone(), json!([{ "from": { "name": "f" } }]), Err(odd(incoming, no_place))),
        (promise.clone(), one.clone(), refusal(), Err(refused(incoming))),
        (promise, refusal(), Value::Null, Err(refused(prepare))),
        (json!({}), one.clone(), json!([]), Err(unable(prepare))),
        (json!({ "callHierarchyProvider": null }), one, json!([]), Err(unable(prepare))),
    ];
    for (promises, callables, calls, wanted) in rows {
        let world = World::new(&promises, &json!({ prepare: callables, incoming: calls }));
        let talk = world.server.greeted(LONG).await.unwrap();
        let found = talk.calls_at(Calls::Incoming, &file(), at(3, 4), LONG).await;
        let counts = found.map(|found| found.iter().map(|(_, calls)| calls.len()).collect::<Vec<_>>());
        assert_eq!(counts, wanted, "{callables} {calls}");
    }
}

fn renamed(name: &str, of: Version) -> Step {
    let file = File { path: Some(name.into()), address: format!("file://{name}") };
    Step::Edit { file, of, texts: vec![Replacement { span: span(1, 2, 3), text: "new".to_owned() }] }
}

/// An edit of a file, as the protocol has it.
fn edit(name: &str, version: Value) -> Value {
    json!({ "textDocument": { "uri": format!("file://{name}"), "version": version },
        "edits": [{ "range": range(1, 2, 3), "newText": "new" }] })
}

#[tokio::test]
async fn a_new_name_takes_edits_that_nobody_makes() {
    let [prepare, rename] = ["textDocument/prepareRename", "textDocument/rename"];
    let (plain, prepared) =
        (json!({ "renameProvider": true }), json!({ "renameProvider": { "prepareProvider": true } }));
    let edits = |edits: Value| json!({ "documentChanges": edits });
    let by_file = json!({ "changes": { "file:///a.fk": [{ "range": range(1, 2, 3), "newText": "new" }] } });
    let one = edits(json!([edit("/a.fk", json!(1))]));
    let done = Ok(RenameAnswer::Steps(vec![renamed("/a.fk", Version::Present)]));
    let stale = Fault::Stale {
        server: "fake".to_owned(),
        method: rename.to_owned(),
        file: "file:///a.fk".to_owned(),
    };
    let unsaid = [edit("/a.fk", Value::Null), edit("/b.fk", Value::Null)];
    let both = vec![renamed("/a.fk", Version::Present), renamed("/b.fk", Version::Unknown)];
    let no_place = "no place that can get another name: `{}`";
    // What it promises, what it answers to each question, and what comes of it; the file is open, at version 1.
    let rows = [
        (&plain, json!(1), one.clone(), done.clone()),
        (&plain, json!(1), by_file, done.clone()),
        (&plain, json!(1), edits(json!(unsaid)), Ok(RenameAnswer::Steps(both))),
        (&plain, json!(1), edits(json!([edit("/a.fk", json!(7))])), Err(stale)),
        (
            &plain,
            json!(1),
            edits(json!([edit("/b.fk", json!(7))])),
            Ok(RenameAnswer::Steps(vec![renamed("/b.fk", Version::Unknown)])),
        ),
        (&plain, json!(1), json!({}), Ok(RenameAnswer::Steps(Vec::new()))),
        (&plain, json!(1), Value::Null, Ok(RenameAnswer::Nothing)),
        (&plain, json!(1), json!(true), Err(odd(rename, "no edit: `true`"))),
        (&plain, json!(1), refusal(), Err(refused(rename))),
        (&prepared, range(3, 4, 5), one.clone(), done.clone()),
        (&prepared, json!({ "range": range(3, 4, 5), "placeholder": "old" }), one.clone(), done.clone()),
        (&prepared, json!({ "defaultBehavior": true }), one.clone(), done),
        (&prepared, json!({ "defaultBehavior": false }), one.clone(), Ok(RenameAnswer::Nothing)),
        (&prepared, Value::Null, one.clone(), Ok(RenameAnswer::Nothing)),
        (&prepared, json!({}), one.clone(), Err(odd(prepare, no_place))),
        (&prepared, refusal(), one.clone(), Err(refused(prepare))),
        (&json!({}), json!(1), one, Err(unable(rename))),
    ];
    for (promises, can, edits, wanted) in rows {
        let world = World::new(promises, &json!({ prepare: can, rename: edits }));
        let talk = world.server.greeted(LONG).await.unwrap();
        talk.show(&file(), "fake", "text");
        assert_eq!(talk.rename(&file(), at(3, 4), "new", LONG).await, wanted, "{can} {edits}");
        if let Ok(RenameAnswer::Steps(_)) = wanted {
            let asked = json!({ "textDocument": { "uri": "file:///a.fk" },
                "position": { "line": 3, "character": 4 }, "newName": "new" });
            assert_eq!(world.asked().await, asked);
        }
    }
}

/// Something that is wrong, as data and as the protocol has it.
fn wrong() -> Diagnostic {
    let severity = Some(Severity::Error);
    let message = "bad".to_owned();
    Diagnostic { span: span(1, 2, 3), severity, code: None, source: None, message, related: Vec::new() }
}

fn bad() -> Value {
    json!({ "range": range(1, 2, 3), "severity": 1, "message": "bad" })
}

fn given(of: Version, found: &[Diagnostic]) -> Verdict {
    Verdict::Given { of, found: found.to_vec() }
}

#[tokio::test]
async fn what_is_wrong_is_asked_for_where_that_is_promised() {
    let method = "textDocument/diagnostic";
    let promise = json!({ "diagnosticProvider": { "identifier": "fake" } });
    let present = |found: &[Diagnostic]| Ok(given(Version::Present, found));
    let unchanged = json!({ "kind": "unchanged", "resultId": "1" });
    let rows = [
        (json!({ "kind": "full", "items": [bad()] }), present(&[wrong()])),
        (json!({ "items": [] }), present(&[])),
        (Value::Null, Ok(Verdict::NoneYet)),
        (unchanged.clone(), Err(odd(method, &format!("no full list: `{unchanged}`")))),
        (json!({ "kind": "full" }), Err(odd(method, "no list: `{\"kind\":\"full\"}`"))),
        (json!({ "items": [{}] }), Err(odd(method, "nothing that is wrong: `{}`"))),
        (json!([]), Err(odd(method, "no list: `[]`"))),
        (refusal(), Err(refused(method))),
    ];
    for (answer, wanted) in rows {
        let world = World::new(&promise, &json!({ method: answer }));
        let talk = world.server.greeted(LONG).await.unwrap();
        talk.show(&file(), "fake", "text");
        assert_eq!(talk.diagnostics(&file(), LONG).await, wanted, "{answer}");
        let asked = json!({ "textDocument": { "uri": "file:///a.fk" }, "identifier": "fake" });
        assert_eq!(world.asked().await, asked);
    }
    let world = World::new(&promise, &json!({ method: { "items": [bad()] } }));
    let talk = world.server.greeted(LONG).await.unwrap();
    assert_eq!(talk.diagnostics(&file(), LONG).await, Ok(given(Version::Unknown, &[wrong()])));
}

#[tokio::test]
async fn what_is_wrong_is_else_what_was_published_last() {
    let publish = |version: Value, list: Value| json!({ "uri": "file:///a.fk", "version": version, "diagnostics": list });
    let says = |opened: Value, changed: Value| json!({ "textDocument/didOpen": opened, "textDocument/didChange": changed });
    let of = |version, found: &[Diagnostic]| Ok(given(version, found));
    let method = "textDocument/publishDiagnostics";
    let short = Duration::from_millis(200);
    let other = json!([{ "uri": "file:///b.fk", "version": 1, "diagnostics": [] }]);
    let first = json!([publish(json!(1), json!([bad()]))]);
    let cleared = json!([publish(json!(2), json!([]))]);
    let unsaid = json!([publish(Value::Null, json!([bad()]))]);
    // What it publishes of the first content and of the second, how long it is waited for, and what is told of both.
    let rows = [
        (says(first.clone(), cleared), LONG, of(Version::Present, &[wrong()]), of(Version::Present, &[])),
        (says(first, json!([])), short, of(Version::Present, &[wrong()]), of(Version::Earlier, &[wrong()])),
        (
            says(unsaid.clone(), unsaid.clone()),
            LONG,
            of(Version::Unknown, &[wrong()]),
            of(Version::Unknown, &[wrong()]),
        ),
        (says(unsaid, json!([])), short, of(Version::Unknown, &[wrong()]), of(Version::Earlier, &[wrong()])),
        (says(json!([]), json!([])), short, Ok(Verdict::NoneYet), Ok(Verdict::NoneYet)),
        (says(other, json!([])), short, Ok(Verdict::NoneYet), Ok(Verdict::NoneYet)),
        (
            says(json!([publish(json!(1), json!([1]))]), json!([publish(json!(2), Value::Null)])),
            LONG,
            Err(odd(method, "nothing that is wrong: `1`")),
            Err(odd(method, "no list: `null`")),
        ),
    ];
    for (says, within, first, second) in rows {
        let world = World::new(&json!({ "diagnosticProvider": null }), &says);
        let talk = world.server.greeted(LONG).await.unwrap();
        talk.show(&file(), "fake", "one");
        // What it publishes comes before its answer to what is asked after.
        world.asked().await;
        assert_eq!(talk.diagnostics(&file(), within).await, first, "{says}");
        talk.show(&file(), "fake", "two");
        assert_eq!(talk.diagnostics(&file(), within).await, second, "{says}");
    }
}

#[tokio::test]
async fn one_that_ends_while_it_is_waited_for_finds_nothing_right() {
    let methods = ["textDocument/didOpen", "textDocument/diagnostic"];
    for (promises, method) in [(json!({}), methods[0]), (json!({ "diagnosticProvider": true }), methods[1])] {
        let world = World::new(&promises, &json!({ method: "crash" }));
        let talk = world.server.greeted(LONG).await.unwrap();
        talk.show(&file(), "fake", "text");
        let fault = talk.diagnostics(&file(), LONG).await.unwrap_err();
        assert!(matches!(fault, Fault::Ended { .. }), "{fault}");
    }
}
