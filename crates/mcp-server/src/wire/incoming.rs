//! Parsing of the client's messages.

use super::{id, transport::FromClient};
use rmcp::model::{CallToolRequest, ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use serde_json::{Map, Value, json};

/// The message in a line of the client's input.
#[derive(Debug)]
pub(crate) enum IncomingMessage {
    /// A request, which needs an answer.
    Request(Box<Request>),
    /// The cancellation of a request.
    Cancelled(RequestId, Box<FromClient>),
    /// The client's answer to a request of the server.
    Answer(Box<FromClient>),
    /// A message that needs no action.
    Nothing,
    /// An invalid message: the error, and the id of the request if it can be recovered.
    Wrong(ErrorData, Option<RequestId>),
}

/// A parsed request of the client.
#[derive(Debug)]
pub(crate) struct Request {
    /// The JSON-RPC id, which the answer repeats.
    pub(crate) id: RequestId,
    /// The name of the requested method, such as `tools/list`.
    pub(crate) method: String,
    /// The name of the tool, for a tool call.
    pub(crate) tool: Option<String>,
    /// The message in the type of the protocol library.
    pub(crate) message: FromClient,
}

/// Parses a line of the client's input.
pub(crate) fn parse(line: &[u8]) -> IncomingMessage {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return IncomingMessage::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(fields)) => message(fields),
        Ok(Value::Array(_)) => wrong(
            "Batches have not been part of the protocol since 2025-06-18. Send each message on its own line.",
            None,
        ),
        Ok(_) => wrong("A message must be a JSON object.", None),
        Err(error) => IncomingMessage::Wrong(
            ErrorData::parse_error(
                format!("The line is not JSON: {error}. Send one JSON object per line, in UTF-8."),
                None,
            ),
            id::find(line, line),
        ),
    }
}

/// Rejects a line of more than `most` bytes, of which only the first and last bytes are known.
pub(crate) fn too_long(head: &[u8], tail: &[u8], most: usize) -> IncomingMessage {
    wrong(
        format!(
            "The message has more than {} MiB and was not read. Send smaller messages.",
            most / (1024 * 1024)
        ),
        id::find(head, tail),
    )
}

fn message(fields: Map<String, Value>) -> IncomingMessage {
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
            .map_or(IncomingMessage::Nothing, |answer| IncomingMessage::Answer(Box::new(answer))),
        _ => {
            let id = fields.get("id").and_then(read_id);
            wrong("A message must have a `method`, a `result` or an `error`.", id)
        }
    }
}

fn request(mut fields: Map<String, Value>, method: String) -> IncomingMessage {
    let Some(id) = fields.get("id").and_then(read_id) else {
        return wrong("The `id` of a request must be a string or a whole number.", None);
    };
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return wrong("A request must have `\"jsonrpc\": \"2.0\"`.", Some(id));
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
            IncomingMessage::Request(Box::new(Request {
                id,
                method,
                tool,
                message: JsonRpcMessage::Request(request),
            }))
        }
        Ok(_) => wrong("A request must not have a `result` or an `error`.", Some(id)),
        Err(error) => IncomingMessage::Wrong(
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
                    .map_err(|_| "`arguments` must be an object, not a string".to_owned())?;
                params.insert("arguments".to_owned(), Value::Object(object));
            }
            _ => return Err("`arguments` must be an object".to_owned()),
        }
    }
    // Parsed as the known type, so that the error names the problem.
    let call: CallToolRequest =
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    Ok(JsonRpcMessage::request(ClientRequest::CallToolRequest(call), RequestId::Number(0)))
}

/// Parses a notification. Only cancellations matter: the protocol library would merely log other
/// notifications.
fn notification(fields: Map<String, Value>, method: &str) -> IncomingMessage {
    if method != "notifications/cancelled" {
        return IncomingMessage::Nothing;
    }
    let Some(id) = fields.get("params").and_then(|params| read_id(&params["requestId"])) else {
        return IncomingMessage::Nothing;
    };
    serde_json::from_value(Value::Object(fields))
        .map_or(IncomingMessage::Nothing, |cancelled| IncomingMessage::Cancelled(id, Box::new(cancelled)))
}

fn read_id(id: &Value) -> Option<RequestId> {
    serde_json::from_value(id.clone()).ok()
}

fn wrong(why: impl Into<String>, id: Option<RequestId>) -> IncomingMessage {
    IncomingMessage::Wrong(ErrorData::invalid_request(why.into(), None), id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    /// Parses a line, and compares a summary of the message: its kind, then the id, the method and tool, or the error
    /// code.
    fn check(line: impl AsRef<[u8]>, expected: &str) {
        let id = |id: Option<RequestId>| id.map_or("-".to_owned(), |id| format!("{id:?}"));
        let got = match parse(line.as_ref()) {
            IncomingMessage::Request(request) => {
                format!("request {:?} {} {:?}", request.id, request.method, request.tool)
            }
            IncomingMessage::Cancelled(request, _) => format!("cancelled {request:?}"),
            IncomingMessage::Answer(_) => "answer".to_owned(),
            IncomingMessage::Nothing => "nothing".to_owned(),
            IncomingMessage::Wrong(error, request) => format!("wrong {} {}", error.code.0, id(request)),
        };
        assert_eq!(got, expected, "{}", String::from_utf8_lossy(line.as_ref()));
    }

    #[test]
    fn requests_are_recognized_by_their_id() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "request Number(1) tools/list None");
        check(r#"{"jsonrpc":"2.0","id":"a","method":"foo/bar"}"#, r#"request String("a") foo/bar None"#);
        check(r#"{"jsonrpc":"2.0","id":-3,"method":"ping"}"#, "request Number(-3) ping None");
        check(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, "request Number(1) ping None");
        check("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "request Number(1) ping None");
        each(["null", "1.5", "true", "99999999999999999999999", "[]", "{}"], |id| {
            check(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), "wrong -32600 -");
        });
    }

    #[test]
    fn tool_calls_are_parsed_and_validated() {
        let call =
            |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        for arguments in ["{}", "null", r#""{\"x\":1}""#] {
            check(
                call(&format!(r#"{{"name":"Read","arguments":{arguments}}}"#)),
                r#"request Number(1) tools/call Some("Read")"#,
            );
        }
        each(
            [
                "[]",
                "{}",
                r#"{"name":7}"#,
                r#"{"name":"Read","arguments":[]}"#,
                r#"{"name":"Read","arguments":"x"}"#,
            ],
            |params| {
                check(call(params), "wrong -32602 Number(1)");
            },
        );
    }

    #[test]
    fn notifications_except_cancellation_are_ignored() {
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
    fn parse_errors_carry_the_request_id_if_known() {
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
    fn responses_are_forwarded_or_dropped_without_a_reply() {
        check(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, "answer");
        check(r#"{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}"#, "answer");
        check(r#"{"jsonrpc":"2.0","id":99,"error":7}"#, "nothing");
        check(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#, "answer");
    }
}
