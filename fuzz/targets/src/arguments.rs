//! Fuzz target for the arguments of tools, as models send them.

use serde_json::Value;
use std::sync::OnceLock;
use toolpost_dialects::ALL;
use toolpost_tool::decode;

/// Pieces of arguments.
pub(crate) const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\\"",
    "null",
    "true",
    "\"true\"",
    "-1",
    "1e400",
    "\"1\"",
    "\"path\"",
    "\"file_path\"",
    "\"command\"",
    "\"pattern\"",
    "\"edits\"",
    "\"limit\"",
    "\"offset\"",
    "\"../..\"",
    "\\ud800",
    "\"content\"",
    "\"old_string\"",
    "\"new_string\"",
    "```json",
    "\"{\\\"a\\\":1}\"",
];

/// Checks that decoded arguments decode again, unchanged, with the same schema, and that each rejection has a
/// reason.
pub(crate) fn run(data: &[u8]) {
    static SCHEMAS: OnceLock<Vec<Value>> = OnceLock::new();
    let schemas = SCHEMAS
        .get_or_init(|| ALL.iter().flat_map(|dialect| dialect.tools).map(|tool| (tool.schema)()).collect());
    let Some((which, text)) = data.split_first() else { return };
    let schema = &schemas[usize::from(*which) % schemas.len()];
    let text = String::from_utf8_lossy(text).into_owned();
    let arguments = serde_json::from_str(&text).unwrap_or(Value::String(text));
    match decode(arguments, schema) {
        Ok(decoded) => {
            let again = decode(Value::Object(decoded.arguments.clone()), schema);
            assert_eq!(again.unwrap().arguments, decoded.arguments);
        }
        Err(failure) => assert!(!failure.to_string().is_empty()),
    }
}
