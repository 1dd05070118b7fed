//! Parsing of the client's messages.

use super::{id, transport::FromClient};
use rmcp::model::{CallToolRequest, ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use serde_json::{Map, Value, json};

/// The meaning of a line.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A request.
    Request(Box<Request>),
    /// The cancellation of a request.
    Cancelled(RequestId, Box<FromClient>),
    /// An answer to a question.
    Answer(Box<FromClient>),
    /// A message that needs no action.
    Nothing,
    /// An invalid message: the error, and the id of the request if it can be recovered.
    Wrong(ErrorData, Option<RequestId>),
}

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The id for the answer.
    pub(crate) id: RequestId,
    /// The method.
    pub(crate) method: String,
    /// The tool, for a tool call.
    pub(crate) tool: Option<String>,
    /// The message in the type of the protocol library.
    pub(crate) message: FromClient,
}

/// Parses a line.
pub(crate) fn parse(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return Incoming::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => message(fields),
        Ok(Value::Array(_)) => wrong(
            "Batches are not part of the protocol since 2025-06-18. Send each message in a line of its own.",
            None,
        ),
        Ok(_) => wrong("A message is a JSON object.", None),
        Err(error) => Incoming::Wrong(
            ErrorData::parse_error(
                format!("The line is not JSON: {error}. Send one JSON object a line, in UTF-8."),
                None,
            ),
            id::find(line, line),
        ),
    }
}

/// Rejects a line that was too long to keep more than its first and last bytes.
pub(crate) fn too_long(head: &[u8], tail: &[u8], most: usize) -> Incoming {
    wrong(
        format!(
            "The message has more than {} MiB and was not read. Send less at once.",
            most / (1024 * 1024)
        ),
        id::find(head, tail),
    )
}

fn message(fields: Map<String, Value>) -> Incoming {
    let has = |name| fields.contains_key(name);
    match (fields.get("method"), has("id")) {
        (Some(Value::String(method)), true) => {
            let method = method.clone();
            request(fields, method)
        }
        (Some(Value::String(method)), false) => {
            let method = method.clone();
            notification(fields, &method)
        }
        (None, _) if has("result") || has("error") => serde_json::from_value(Value::Object(fields))
            .map_or(Incoming::Nothing, |answer| Incoming::Answer(Box::new(answer))),
        _ => {
            let id = fields.get("id").and_then(read_id);
            wrong("A message has a `method`, a `result` or an `error`.", id)
        }
    }
}

fn request(mut fields: Map<String, Value>, method: String) -> Incoming {
    let Some(id) = fields.get("id").and_then(read_id) else {
        return wrong("The `id` of a request is a string or a whole number.", None);
    };
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return wrong("A request carries `\"jsonrpc\": \"2.0\"`.", Some(id));
    }
    let mut tool = None;
    let read = if method == "tools/call" {
        fields.remove("id");
        tool = fields.get("params").and_then(|params| params["name"].as_str()).map(str::to_owned);
        call(fields)
    } else {
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
    };
    match read {
        Ok(JsonRpcMessage::Request(mut request)) => {
            request.id = id.clone();
            Incoming::Request(Box::new(Request {
                id,
                method,
                tool,
                message: JsonRpcMessage::Request(request),
            }))
        }
        Ok(_) => wrong("A request has neither a `result` nor an `error`.", Some(id)),
        Err(error) => Incoming::Wrong(
            ErrorData::invalid_params(format!("The request `{method}` cannot be read: {error}."), None),
            Some(id),
        ),
    }
}

/// Parses a call; accepts arguments that are missing, or written as text.
fn call(mut fields: Map<String, Value>) -> Result<FromClient, String> {
    if let Some(Value::Object(params)) = fields.get_mut("params")
        && let Some(arguments) = params.get("arguments")
    {
        match arguments {
            Value::Object(_) => {}
            Value::Null => drop(params.remove("arguments")),
            Value::String(text) => {
                let object: Map<String, Value> = serde_json::from_str(text)
                    .map_err(|_| "`arguments` is an object, not a string".to_owned())?;
                params.insert("arguments".to_owned(), Value::Object(object));
            }
            _ => return Err("`arguments` is an object".to_owned()),
        }
    }
    // Parsed as the known type, so that the error names the problem.
    let call: CallToolRequest =
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    Ok(JsonRpcMessage::request(ClientRequest::CallToolRequest(call), RequestId::Number(0)))
}

/// Only cancellations matter here: the protocol library would merely log other notifications.
fn notification(fields: Map<String, Value>, method: &str) -> Incoming {
    if method != "notifications/cancelled" {
        return Incoming::Nothing;
    }
    let Some(id) = fields.get("params").and_then(|params| read_id(&params["requestId"])) else {
        return Incoming::Nothing;
    };
    serde_json::from_value(Value::Object(fields))
        .map_or(Incoming::Nothing, |cancelled| Incoming::Cancelled(id, Box::new(cancelled)))
}

fn read_id(id: &Value) -> Option<RequestId> {
    serde_json::from_value(id.clone()).ok()
}

fn wrong(why: impl Into<String>, id: Option<RequestId>) -> Incoming {
    Incoming::Wrong(ErrorData::invalid_request(why.into(), None), id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Summarises a parsed line: its kind, the id, the method or the code.
    fn check(line: impl AsRef<[u8]>, expected: &str) {
        let id = |id: Option<RequestId>| id.map_or("-".to_owned(), |id| format!("{id:?}"));
        let got = match parse(line.as_ref()) {
            Incoming::Request(request) => {
                format!("request {:?} {} {:?}", request.id, request.method, request.tool)
            }
            Incoming::Cancelled(request, _) => format!("cancelled {request:?}"),
            Incoming::Answer(_) => "answer".to_owned(),
            Incoming::Nothing => "nothing".to_owned(),
            Incoming::Wrong(error, request) => format!("wrong {} {}", error.code.0, id(request)),
        };
        assert_eq!(got, expected, "{}", String::from_utf8_lossy(line.as_ref()));
    }

    #[test]
    fn requests_are_known_by_their_id() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "request Number(1) tools/list None");
        check(r#"{"jsonrpc":"2.0","id":"a","method":"foo/bar"}"#, r#"request String("a") foo/bar None"#);
        check(r#"{"jsonrpc":"2.0","id":-3,"method":"ping"}"#, "request Number(-3) ping None");
        check(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, "request Number(1) ping None");
        check("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "request Number(1) ping None");
        for id in ["null", "1.5", "true", "99999999999999999999999", "[]", "{}"] {
            check(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), "wrong -32600 -");
        }
    }

    #[test]
    fn calls_are_read_as_calls() {
        let call =
            |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        for arguments in ["{}", "null", r#""{\"x\":1}""#] {
            check(
                call(&format!(r#"{{"name":"Read","arguments":{arguments}}}"#)),
                r#"request Number(1) tools/call Some("Read")"#,
            );
        }
        for params in [
            "[]",
            "{}",
            r#"{"name":7}"#,
            r#"{"name":"Read","arguments":[]}"#,
            r#"{"name":"Read","arguments":"x"}"#,
        ] {
            check(call(params), "wrong -32602 Number(1)");
        }
    }

    #[test]
    fn of_notifications_only_a_cancellation_matters() {
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "nothing");
        check(r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}"#, "nothing");
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
            "cancelled Number(7)",
        );
        check(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#, "nothing");
        check(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, "nothing");
    }

    #[test]
    fn what_is_wrong_is_said_with_the_id_where_there_is_one() {
        check("", "nothing");
        check(" \t", "nothing");
        check("{oops", "wrong -32700 -");
        check(r#"{"jsonrpc":"2.0","id":7,"method":"ping""#, "wrong -32700 Number(7)");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xff\xfe\"}", "wrong -32700 Number(3)");
        check(format!(r#"{{"id":4,"x":{}"#, "[".repeat(100_000)), "wrong -32700 Number(4)");
        check("[1,2]", "wrong -32600 -");
        check("7", "wrong -32600 -");
        check(r#"{"jsonrpc":"2.0","id":5}"#, "wrong -32600 Number(5)");
        check(r#"{"jsonrpc":"2.0","id":5,"method":7}"#, "wrong -32600 Number(5)");
        check(r#"{"id":5,"method":"ping"}"#, "wrong -32600 Number(5)");
        check(r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, "wrong -32600 Number(5)");
    }

    #[test]
    fn answers_are_passed_on_or_dropped_but_never_answered() {
        check(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, "answer");
        check(r#"{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}"#, "answer");
        check(r#"{"jsonrpc":"2.0","id":99,"error":7}"#, "nothing");
        check(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#, "answer");
    }
}
