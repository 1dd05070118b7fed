//! Accessors for the JSON output of operations; a missing field reads as empty.

use serde_json::Value;

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
