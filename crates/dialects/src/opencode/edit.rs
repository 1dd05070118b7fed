//! `edit`: replaces one or every occurrence of a text.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Change, ChangeTarget, MatchCount, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Edit;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Absolute, or relative to the workspace.
    #[schemars(extend("x-aliases" = ["file_path", "path", "file", "filename"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// Text exactly as in the file.
    #[schemars(extend("x-aliases" = ["old_string", "old_str", "old_text", "old", "search"], "examples" = ["let a = 1;"]))]
    old_string: String,
    #[schemars(extend("x-aliases" = ["new_string", "new_str", "new_text", "new", "replace"], "examples" = ["let a = 2;"]))]
    new_string: String,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["replace_all", "all"]))]
    replace_all: bool,
}

/// Maps `replaceAll` to one occurrence or every occurrence.
pub(super) fn want(replace_all: bool) -> MatchCount {
    if replace_all { MatchCount::Every } else { MatchCount::One }
}

/// A replacement in a file.
pub(super) struct Text {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) want: MatchCount,
}

impl Text {
    /// Converts the replacement to a change of the given file.
    pub(super) fn change(self, file: &str, at: &Lowering) -> Result<Change, Failure> {
        let place =
            ChangeTarget::Text { old: self.old, want: self.want, near: None, matching: at.matching() };
        Ok(Change { path: at.file(file)?, at: place, text: self.new })
    }
}

impl Tool for Edit {
    const NAME: &'static str = "edit";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let text = Text { old: args.old_string, new: args.new_string, want: want(args.replace_all) };
        Ok(Request { changes: vec![text.change(&args.file_path, at)?] })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        super::mismatch::reword(failure)
    }
}
