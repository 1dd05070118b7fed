//! Tests of requests for implementations, and of the parsed answers.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolpost_test_rows::each_async;

use serde_json::{Value, json};
use toolpost_lsp::{
    CodeLocation, Home, KNOWN, KnownServer, LspAnswer, Position, Question, Server, ServerError, Servers,
    Settings, Signal, Span,
};
use toolpost_process::{Environment, Sandbox};

/// A time limit that no step of these tests reaches.
const LONG: Duration = Duration::from_secs(60);

/// A server with configured capabilities and a configured answer to each method.
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
        let known = KnownServer {
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

    /// Returns the parameters of the last request that the server received.
    async fn last_params(&self) -> Value {
        let talk = self.server.greeted(LONG).await.unwrap();
        match talk.ask(&Question::Hover(file(), at(0, 0)), LONG).await.unwrap() {
            LspAnswer::Text(text) => serde_json::from_str(&text.unwrap()).unwrap(),
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

/// Returns a range within one line.
fn span(line: u32, from: u32, to: u32) -> Span {
    Span { from: at(line, from), to: at(line, to) }
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn place(name: &str, span: Span) -> CodeLocation {
    CodeLocation { path: Some(name.into()), address: format!("file://{name}"), span }
}

fn unable(method: &str) -> ServerError {
    ServerError::Unable { server: "fake".to_owned(), method: method.to_owned() }
}

fn invalid_answer(method: &str, what: &str) -> ServerError {
    ServerError::Odd { server: "fake".to_owned(), method: method.to_owned(), what: what.to_owned() }
}

fn refused(method: &str) -> ServerError {
    let message = "no package metadata".to_owned();
    ServerError::Refused { server: "fake".to_owned(), method: method.to_owned(), code: 0, message }
}

/// The error with which the fake server refuses a request.
fn refusal() -> Value {
    json!({ "error": { "code": 0, "message": "no package metadata" } })
}

#[tokio::test]
async fn implementation_requests_return_locations() {
    let method = "textDocument/implementation";
    let promise = json!({ "implementationProvider": true });
    let one = json!({ "uri": "file:///b.fk", "range": range(1, 2, 3) });
    let link = json!({ "targetUri": "file:///b.fk", "targetRange": range(1, 0, 9),
        "targetSelectionRange": range(1, 2, 3) });
    let found = Ok(LspAnswer::Places(vec![place("/b.fk", span(1, 2, 3))]));
    let rows = [
        (promise.clone(), one, found.clone()),
        (promise.clone(), json!([link]), found),
        (promise.clone(), Value::Null, Ok(LspAnswer::Places(Vec::new()))),
        (promise.clone(), json!([1]), Err(invalid_answer(method, "expected a location, got `1`"))),
        (promise, refusal(), Err(refused(method))),
        (json!({ "implementationProvider": false }), json!([]), Err(unable(method))),
    ];
    each_async(rows, async |(promises, says, wanted)| {
        let world = World::new(&promises, &json!({ method: says }));
        let talk = world.server.greeted(LONG).await.unwrap();
        assert_eq!(talk.ask(&Question::Implementation(file(), at(3, 4)), LONG).await, wanted, "{says}");
        if wanted.is_ok() {
            let wanted_params = json!({ "textDocument": { "uri": "file:///a.fk" }, "position": { "line": 3, "character": 4 } });
            assert_eq!(world.last_params().await, wanted_params);
        }
    }).await;
}
