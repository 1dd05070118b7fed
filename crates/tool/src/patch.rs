//! Patches in arguments: bare, or wrapped in the JSON of another tool's call.

use crate::Lowering;
use serde_json::Value;
use toolpost_engine::{
    Failure,
    operations::change::{Change, Meant, from_patch},
};
use toolpost_text::patch::{Invocation, invocation};

/// The keys under which other tools take a patch.
const KEYS: [&str; 6] = ["patch", "input", "patch_text", "patchText", "diff", "command"];

impl Lowering<'_> {
    /// Parses a patch, whatever its form and the text around it.
    ///
    /// `known` is the file for a diff without file names.
    ///
    /// # Errors
    /// `Invalid` if it is not a patch, with the wrong line; as `path` for its paths.
    pub fn patch(&self, said: &str, known: Option<&str>) -> Result<Vec<Change>, Failure> {
        let resolve = |path: &str, meant: Meant| match meant {
            Meant::File => self.path(path),
            Meant::Name => self.entry(path),
        };
        match unwrapped(said) {
            Some(inner) => from_patch(&inner, known, &resolve),
            None => from_patch(said, known, &resolve),
        }
    }
}

/// Extracts a patch from JSON; `None` if it is not JSON with a patch.
fn unwrapped(said: &str) -> Option<String> {
    if !said.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    inner(&serde_json::from_str(said).ok()?)
}

fn inner(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(unwrapped(text).unwrap_or_else(|| text.clone())),
        Value::Object(object) => KEYS.iter().find_map(|key| inner(object.get(*key)?)),
        Value::Array(arguments) => {
            let arguments: Vec<&str> = arguments.iter().map(Value::as_str).collect::<Option<_>>()?;
            match invocation(&arguments) {
                Invocation::Explicit { patch, directory: None } | Invocation::Implicit { patch } => {
                    Some(patch.to_owned())
                }
                // The script names the target; it is parsed again as a whole.
                Invocation::Explicit { .. } => arguments.last().map(|script| (*script).to_owned()),
                Invocation::Other => None,
            }
        }
        _ => None,
    }
}
