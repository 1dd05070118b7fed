//! Messages of the protocol: replies, requests and notifications.

use serde_json::{Value, json};

/// Error code for a request that this client does not support.
pub(crate) const UNKNOWN_METHOD: i64 = -32601;

/// A message from a server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// The reply to a request of this client.
    Reply(i64, Result<Value, Refusal>),
    /// A request of the server; its id is returned unchanged.
    Request(Value, String, Value),
    /// A notification: its method and its parameters.
    News(String, Value),
    /// An error of the server about a message that it could not read, without a request id.
    Stray(Refusal),
}

/// The error of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl Message {
    /// Parses a message; returns a description of the problem if it is not valid.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let mut value: Value = serde_json::from_slice(body).map_err(|error| format!("not JSON ({error})"))?;
        let id = value.get("id").cloned().filter(|id| !id.is_null());
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        let mut take = |name: &str| value.get_mut(name).map(Value::take).unwrap_or_default();
        match (id, method) {
            (Some(id), Some(method)) => Ok(Self::Request(id, method, take("params"))),
            (None, Some(method)) => Ok(Self::News(method, take("params"))),
            (Some(id), None) => {
                let number = id.as_i64().or_else(|| id.as_str().and_then(|id| id.parse().ok()));
                let number = number.ok_or_else(|| {
                    format!("a reply to the request id `{id}`, which this client did not send")
                })?;
                let error = take("error");
                let reply = if error.is_null() { Ok(take("result")) } else { Err(Refusal::read(&error)) };
                Ok(Self::Reply(number, reply))
            }
            (None, None) => match take("error") {
                Value::Null => Err("a message with neither a method nor an id".to_owned()),
                error => Ok(Self::Stray(Refusal::read(&error))),
            },
        }
    }
}

impl Refusal {
    fn read(error: &Value) -> Self {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("the server gave no reason");
        Self { code: error.get("code").and_then(Value::as_i64).unwrap_or(0), message: message.to_owned() }
    }
}

/// Writes a request.
pub(crate) fn request(id: i64, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

/// Writes a notification.
pub(crate) fn news(method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes()
}

/// Writes the reply to a request of the server.
pub(crate) fn reply(id: &Value, reply: Result<Value, Refusal>) -> Vec<u8> {
    let message = match reply {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Refusal { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    };
    message.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn replies_requests_and_notifications_are_parsed() {
        let refusal = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
        let rows = [
            (r#"{"id":1,"result":[]}"#, Ok(Message::Reply(1, Ok(json!([]))))),
            (r#"{"id":"2"}"#, Ok(Message::Reply(2, Ok(Value::Null)))),
            (
                r#"{"id":3,"result":null,"error":{"code":0,"message":"no"}}"#,
                Ok(Message::Reply(3, refusal(0, "no"))),
            ),
            (r#"{"id":4,"error":{}}"#, Ok(Message::Reply(4, refusal(0, "the server gave no reason")))),
            (
                r#"{"id":"a","method":"m","params":[1]}"#,
                Ok(Message::Request(json!("a"), "m".into(), json!([1]))),
            ),
            (r#"{"id":null,"method":"m"}"#, Ok(Message::News("m".into(), Value::Null))),
            (
                r#"{"id":"x","result":1}"#,
                Err("a reply to the request id `\"x\"`, which this client did not send".to_owned()),
            ),
            (
                r#"{"id":null,"error":{"code":-32700,"message":"odd"}}"#,
                Ok(Message::Stray(Refusal { code: -32700, message: "odd".to_owned() })),
            ),
            (r#"{"id":null,"error":null}"#, Err("a message with neither a method nor an id".to_owned())),
            ("{}", Err("a message with neither a method nor an id".to_owned())),
            ("[]", Err("a message with neither a method nor an id".to_owned())),
        ];
        each(rows, |(body, wanted)| {
            assert_eq!(Message::read(body.as_bytes()), wanted, "{body}");
        });
        let wrong = Message::read(b"{").unwrap_err();
        assert!(wrong.starts_with("not JSON (EOF"), "{wrong}");
    }
}
