//! JSON text that crosses between a script and its host.

use crate::{HostCall, Reply};
use serde_json::{Value, json};

/// Maximum number of bytes per crossing.
pub(crate) const MOST: usize = 8 * 1024 * 1024;

/// Parses a batch of calls: each a list of texts, the name first.
pub(crate) fn calls(text: &str) -> Result<Vec<HostCall>, String> {
    let rows: Vec<Vec<String>> =
        serde_json::from_str(text).map_err(|error| format!("the call cannot be understood: {error}"))?;
    let calls = rows.into_iter().map(|row| {
        let mut row = row.into_iter();
        let name = row.next().ok_or_else(|| "the call has no name".to_owned())?;
        Ok(HostCall { name, arguments: row.collect() })
    });
    calls.collect()
}

/// Writes the answers: `["text", …]`, `["json", …]`, `["nothing"]` or `["failed", …]`.
pub(crate) fn answers(answers: Vec<Result<Reply, String>>) -> String {
    let rows = answers.into_iter().map(|answer| match answer {
        Ok(Reply::Text(text)) => json!(["text", text]),
        Ok(Reply::Json(text)) => json!(["json", text]),
        Ok(Reply::Nothing) => json!(["nothing"]),
        Err(words) => json!(["failed", words]),
    });
    Value::Array(rows.collect()).to_string()
}

/// Writes the data for the libraries.
pub(crate) fn rows(rows: &[Vec<String>]) -> String {
    json!(rows).to_string()
}

/// Parses a value of a script: a text, JSON, or nothing.
pub(crate) fn value(text: &str) -> Option<Reply> {
    let (kind, body): (String, String) = serde_json::from_str(text).ok()?;
    match kind.as_str() {
        "text" => Some(Reply::Text(body)),
        "json" => Some(Reply::Json(body)),
        _ => Some(Reply::Nothing),
    }
}
