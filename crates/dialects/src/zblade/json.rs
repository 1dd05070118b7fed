//! JSON replies, with notes outside the JSON.

use serde::Serialize;
use toolpost_tool::{Lowering, Page};

/// Returns the size limit of an operation's output, in bytes: an eighth of the reply is reserved for the quotes and escape
/// characters of the JSON.
pub(super) fn room(at: &Lowering) -> usize {
    at.reply_bytes() / 8 * 7
}

/// Writes a value as the whole text of a reply.
pub(super) fn write(value: &impl Serialize, page: &mut Page) {
    match serde_json::to_string(value) {
        Ok(text) => page.take(text),
        Err(error) => page.note(format!("the reply could not be written as JSON: {error}")),
    }
    page.remarks_apart();
}
