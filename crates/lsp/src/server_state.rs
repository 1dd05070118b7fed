//! State from a server's notifications, and answers to its requests.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::message::{Refusal, UNKNOWN_METHOD};
use crate::readiness::Readiness;
use crate::uri;
use crate::wire::{ConnectionEnd, Listener, locked};

/// The state of a server, as far as its notifications report it.
pub(crate) struct ServerState {
    root: Value,
    pub(crate) readiness: Mutex<Readiness>,
    /// The number of state changes so far. Callers can wait for the next one.
    news: watch::Sender<u64>,
}

impl ServerState {
    pub(crate) fn new(root: &Path, readiness: Readiness) -> Arc<Self> {
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let root = json!({ "uri": uri::of_path(root), "name": name });
        Arc::new(Self { root, readiness: Mutex::new(readiness), news: watch::channel(0).0 })
    }

    /// Returns a receiver that is notified of every state change.
    pub(crate) fn follow(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Changes the state, and notifies the receivers.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Readiness)) {
        note(&mut locked(&self.readiness));
        self.news.send_modify(|count| *count += 1);
    }

    /// Returns the workspace folder in the protocol's form.
    pub(crate) fn root(&self) -> &Value {
        &self.root
    }
}

impl Listener for ServerState {
    fn news(&self, method: &str, params: &Value) {
        match method {
            "$/progress" | "experimental/serverStatus" | "language/status" => {
                self.note(|readiness| readiness.hear(method, params, Instant::now()));
            }
            _ => {}
        }
    }

    fn request(&self, method: &str, params: &Value) -> Result<Value, Refusal> {
        match method {
            "workspace/configuration" => {
                let items = params.get("items").and_then(Value::as_array).map_or(0, Vec::len);
                Ok(Value::Array(vec![Value::Null; items]))
            }
            "workspace/workspaceFolders" => Ok(json!([self.root])),
            "workspace/applyEdit" => {
                Ok(json!({ "applied": false, "failureReason": "this client accepts no edits" }))
            }
            "window/showDocument" => Ok(json!({ "success": false })),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest" => Ok(Value::Null),
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
            _ => Err(Refusal {
                code: UNKNOWN_METHOD,
                message: format!("this client does not support `{method}`"),
            }),
        }
    }

    fn over(&self, why: &ConnectionEnd) {
        let how = match why {
            ConnectionEnd::Closed => "the server has exited".to_owned(),
            ConnectionEnd::Garbled(what) => format!("the server wrote an invalid message: {what}"),
            ConnectionEnd::Deaf => "the server does not read its input".to_owned(),
        };
        self.note(|readiness| readiness.died(how, Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KNOWN;
    use toolpost_test_rows::each;

    #[test]
    fn requests_of_a_server_are_answered() {
        let heard = ServerState::new(Path::new("/a/b c"), Readiness::new(&KNOWN[0], None));
        let folder = json!({ "uri": "file:///a/b%20c", "name": "b c" });
        let rows = [
            ("workspace/configuration", json!({ "items": [{}, {}] }), Ok(json!([null, null]))),
            ("workspace/configuration", Value::Null, Ok(json!([]))),
            ("workspace/workspaceFolders", Value::Null, Ok(json!([folder]))),
            ("client/registerCapability", json!({ "registrations": [] }), Ok(Value::Null)),
            ("window/workDoneProgress/create", json!({ "token": 1 }), Ok(Value::Null)),
            ("workspace/inlayHint/refresh", Value::Null, Ok(Value::Null)),
            ("window/showDocument", Value::Null, Ok(json!({ "success": false }))),
            (
                "some/thing",
                Value::Null,
                Err(Refusal {
                    code: -32601,
                    message: "this client does not support `some/thing`".to_owned(),
                }),
            ),
        ];
        each(rows, |(method, params, wanted)| {
            assert_eq!(heard.request(method, &params), wanted, "{method}");
        });
    }
}
