//! `apply_patch`: replaces exact texts in a file, all or none.

use super::edit_reply;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Output, Request},
};
use toolpost_text::lines::{LineRange, count};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ApplyPatch;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    path: String,
    /// Must be unique.
    #[schemars(extend("x-aliases" = ["old_content", "old", "from", "old_string", "target_content"], "examples" = ["let a = 1;"]))]
    old_text: Option<String>,
    #[schemars(extend("x-aliases" = ["new_content", "new", "to", "new_string", "replacement_content"], "examples" = ["let a = 2;"]))]
    new_text: Option<String>,
    /// Applied in order.
    #[schemars(extend("x-aliases" = ["replacement_chunks", "edits"], "examples" = [[{"old_text": "let a = 1;", "new_text": "let a = 2;"}]]))]
    patches: Option<Vec<Patch>>,
    #[schemars(extend("x-raise" = true, "x-unlisted" = true), range(min = 1))]
    start_line: Option<usize>,
    #[schemars(extend("x-raise" = true, "x-unlisted" = true), range(min = 1))]
    end_line: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
struct Patch {
    #[schemars(extend("x-aliases" = ["old_content", "old", "from", "old_string", "target_content"], "examples" = ["let a = 1;"]))]
    old_text: String,
    #[schemars(extend("x-aliases" = ["new_content", "new", "to", "new_string", "replacement_content"], "examples" = ["let a = 2;"]))]
    new_text: String,
    /// Line where the text begins, if not unique; counted before the call.
    #[schemars(extend("x-raise" = true), range(min = 1))]
    start_line: Option<usize>,
    /// Last line of the text.
    #[schemars(extend("x-raise" = true), range(min = 1))]
    end_line: Option<usize>,
}

impl Tool for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const ALIASES: &'static [&'static str] =
        &["apply_patch_validated", "replace_file_content", "multi_replace_file_content"];
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let path = args.path.clone();
        let change = |patch: Patch| {
            let near = near(&patch);
            edit_reply::replacement(&path, patch.old_text, patch.new_text, near, at)
        };
        Ok(Request { changes: patches(args)?.into_iter().map(change).collect::<Result<_, _>>()? })
    }

    fn render(output: &Output, page: &mut Page) {
        edit_reply::render(output, page, "Applied edit to");
    }

    fn reword(failure: Failure) -> Failure {
        edit_reply::reword(failure, "old_text")
    }
}

/// Converts a single replacement or `patches` to a list.
fn patches(args: Args) -> Result<Vec<Patch>, Failure> {
    let several = args.patches.filter(|patches| !patches.is_empty());
    let one = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    match (several, args.old_text, args.new_text) {
        (Some(_), old, new) if one(&old) || one(&new) => Err(Failure::invalid(
            "This call has patches and also old_text or new_text, so the order of the replacements is not clear; pass patches alone, or old_text and new_text alone.",
        )),
        (Some(patches), ..) => Ok(patches),
        (None, Some(old_text), Some(new_text)) => {
            Ok(vec![Patch { old_text, new_text, start_line: args.start_line, end_line: args.end_line }])
        }
        (None, Some(_), None) => {
            Err(Failure::invalid("new_text is missing; give the replacement, or \"\" to delete old_text."))
        }
        (None, None, Some(_)) => {
            Err(Failure::invalid("old_text is missing; give the exact text to replace."))
        }
        (None, None, None) => Err(Failure::invalid(
            "No replacement is given; give old_text and new_text, or patches, for example \
             {\"patches\":[{\"old_text\":\"let a = 1;\",\"new_text\":\"let a = 2;\"}]}.",
        )),
    }
}

/// Parses the line range. A missing first line is computed from the last line and the length of the text; a missing
/// last line is taken to be the first. Lines in the wrong order are swapped. `None` if both are missing.
fn near(patch: &Patch) -> Option<LineRange> {
    let more = count(&patch.old_text).saturating_sub(1);
    let (first, last) = match (patch.start_line, patch.end_line) {
        (Some(first), Some(last)) => (first, last),
        (Some(first), None) => (first, first),
        (None, Some(last)) => (last.saturating_sub(more).max(1), last),
        (None, None) => return None,
    };
    Some(LineRange { first: first.min(last), last: first.max(last) })
}
