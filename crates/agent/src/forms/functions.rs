//! Calls of the form `to=functions.name {…}`.

use super::TextCall;
use serde_json::{Value, de::Deserializer};

/// Prefix of a tool call in the form `to=functions.name {…}`.
const BEGINS: &str = "to=functions.";

/// Parses a call at the beginning of a text; returns it with its length in bytes. A call whose arguments are not valid
/// JSON extends to the end of the text.
pub(super) fn read(text: &str) -> Option<(TextCall, usize)> {
    let rest = text.strip_prefix(BEGINS)?;
    let end = rest.find(|found: char| !(found.is_ascii_alphanumeric() || "_-.".contains(found)))?;
    let (name, behind) = rest.split_at(end);
    let object = behind.trim_start();
    if name.is_empty() || !object.starts_with('{') {
        return None;
    }
    let begin = text.len() - object.len();
    let mut values = Deserializer::from_str(object).into_iter::<Value>();
    let length = match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => object.trim_end().len(),
    };
    let call = TextCall { tool: name.to_owned(), arguments: object[..length].to_owned() };
    Some((call, begin + length))
}
