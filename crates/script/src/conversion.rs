//! JSON encoding of the data that a script and its host exchange.

use crate::{HostCall, Reply};
use serde_json::{Value, json};

/// Maximum size of one batch of calls by a script, in bytes.
pub(crate) const MOST: usize = 8 * 1024 * 1024;

/// Parses a batch of calls of host functions. Each call is a list of strings: the name of the function, then its
/// arguments.
pub(crate) fn calls(text: &str) -> Result<Vec<HostCall>, String> {
    let rows: Vec<Vec<String>> =
        serde_json::from_str(text).map_err(|error| format!("the call is invalid: {error}"))?;
    let calls = rows.into_iter().map(|row| {
        let mut row = row.into_iter();
        let name = row.next().ok_or_else(|| "the call has no name".to_owned())?;
        Ok(HostCall { name, arguments: row.collect() })
    });
    calls.collect()
}

/// Encodes the answers to a batch of calls as a JSON list of `["text", …]`, `["json", …]`, `["nothing"]` or `["failed",
/// …]`.
pub(crate) fn answers(answers: Vec<Result<Reply, String>>) -> String {
    let rows = answers.into_iter().map(|answer| match answer {
        Ok(Reply::Text(text)) => json!(["text", text]),
        Ok(Reply::Json(text)) => json!(["json", text]),
        Ok(Reply::Nothing) => json!(["nothing"]),
        Err(words) => json!(["failed", words]),
    });
    Value::Array(rows.collect()).to_string()
}

/// Encodes the data of a script's libraries as JSON.
pub(crate) fn rows(rows: &[Vec<String>]) -> String {
    json!(rows).to_string()
}

/// Parses the return value of a script, as the function `encode` in `guards.js` writes it; `None` if it is malformed.
pub(crate) fn value(text: &str) -> Option<Reply> {
    let (kind, body): (String, String) = serde_json::from_str(text).ok()?;
    match kind.as_str() {
        "text" => Some(Reply::Text(body)),
        "json" => Some(Reply::Json(body)),
        _ => Some(Reply::Nothing),
    }
}
