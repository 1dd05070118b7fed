//! Patches in arguments: bare, or wrapped in the JSON of another tool's call.

use crate::Lowering;
use serde_json::Value;
use toolpost_engine::{
    Failure,
    operations::change::{Change, PathResolution, from_patch},
};
use toolpost_text::patch::{Invocation, invocation};

/// The keys under which other tools accept a patch.
const KEYS: [&str; 6] = ["patch", "input", "patch_text", "patchText", "diff", "command"];

impl Lowering<'_> {
    /// Parses a patch, whatever its form and the text around it.
    ///
    /// `known` is the file for a diff without file names.
    ///
    /// # Errors
    /// `Invalid` if the text is not a patch, with the wrong line; as `path` and `entry` for the paths in the
    /// patch.
    pub fn patch(&self, patch_text: &str, known: Option<&str>) -> Result<Vec<Change>, Failure> {
        let resolve = |path: &str, meant: PathResolution| match meant {
            PathResolution::File => self.path(path),
            PathResolution::Name => self.entry(path),
        };
        match unwrapped(patch_text) {
            Some(inner) => from_patch(&inner, known, &resolve),
            None => from_patch(patch_text, known, &resolve),
        }
    }
}

/// Extracts a patch from JSON; `None` if it is not JSON with a patch.
fn unwrapped(patch_text: &str) -> Option<String> {
    if !patch_text.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    inner(&serde_json::from_str(patch_text).ok()?)
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
                // The script also sets a directory for the paths in the patch, so it is returned and parsed as a whole.
                Invocation::Explicit { .. } => arguments.last().map(|script| (*script).to_owned()),
                Invocation::Other => None,
            }
        }
        _ => None,
    }
}
