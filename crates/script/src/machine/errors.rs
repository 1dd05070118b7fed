//! Conversion of thrown JavaScript errors to failures, with their position in the script.

use super::{SCRIPT, WRAPPED};
use crate::{ScriptError, ScriptErrorKind};
use rquickjs::{Ctx, Error, Exception, Value};

/// Maximum number of characters of an error message; the rest is dropped.
const MESSAGE: usize = 4_000;

/// Creates a failure without a position, with the message of the pending exception, or of `error` if there is none.
pub(super) fn plain(ctx: &Ctx<'_>, error: &Error) -> ScriptError {
    let thrown = ctx.catch().into_object().and_then(Exception::from_object);
    let message = thrown.and_then(|thrown| thrown.message()).unwrap_or_else(|| error.to_string());
    ScriptError::new(kind("", &message), message)
}

/// Creates a JavaScript error object with a message.
pub(super) fn thrown<'js>(ctx: &Ctx<'js>, message: &str) -> Value<'js> {
    let made = Exception::from_message(ctx.clone(), message);
    made.map_or_else(|_| Value::new_undefined(ctx.clone()), |made| made.into_object().into_value())
}

/// Throws the error that ends a script which must stop. If the script catches it, the interrupt handler stops the
/// script.
pub(super) fn stopping(ctx: &Ctx<'_>) -> Error {
    Exception::throw_message(ctx, "the script must stop")
}

/// Creates a failure from a thrown value, which `described` describes as JSON: name, message and stack trace.
///
/// A position after the end of the source, which has `lines` lines, is moved to the last line.
pub(super) fn fault(described: &str, lines: u32) -> ScriptError {
    let read: Option<(String, String, String)> = serde_json::from_str(described).ok();
    let (name, message, trace) = read.unwrap_or_default();
    let message: String = message.chars().take(MESSAGE).collect();
    let why = kind(&name, &message);
    let message = match (name.as_str(), message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        ("Error", message) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    ScriptError::new(why, message.trim_end_matches('.')).at(place(&trace, lines))
}

fn kind(name: &str, message: &str) -> ScriptErrorKind {
    match (name, message) {
        (_, "out of memory") => ScriptErrorKind::Heap,
        ("RangeError" | "InternalError", "Maximum call stack size exceeded" | "stack overflow") => {
            ScriptErrorKind::Stack
        }
        _ => ScriptErrorKind::Thrown,
    }
}

/// Returns the first position in a stack trace that is in the script itself, as line and column; `None` if there is
/// none.
fn place(trace: &str, lines: u32) -> Option<(u32, u32)> {
    trace.lines().find_map(|line| {
        let own = [(SCRIPT, 0), (WRAPPED, 1)].into_iter();
        own.filter_map(|(name, before)| {
            let rest = &line[line.rfind(&format!("{name}:"))? + name.len() + 1..];
            let mut numbers = rest.split(|letter: char| !letter.is_ascii_digit());
            let line: u32 = numbers.next()?.parse().ok()?;
            let column: u32 = numbers.next().and_then(|column| column.parse().ok()).unwrap_or(1);
            Some((line.saturating_sub(before).clamp(1, lines.max(1)), column))
        })
        .next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn the_error_position_is_the_first_script_frame() {
        each(
            [
                (
                    "    at call (library.js:3:4)\n    at f (script.js:12:7)\n    at <eval> (script.js:20:1)",
                    Some((12, 7)),
                ),
                ("    at <anonymous> (wrapped.js:3:9)", Some((2, 9))),
                ("    at wrapped.js:99:1", Some((20, 1))),
                ("    at library.js:3:4", None),
                ("", None),
            ],
            |(trace, wanted)| {
                assert_eq!(place(trace, 20), wanted, "{trace}");
            },
        );
    }
}
