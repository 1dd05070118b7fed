//! `multiedit`: replaces texts in several files, all or none.

use super::edit::{Text, want};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct MultiEdit;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Applied in order, each to the result of the ones before.
    #[schemars(extend("x-aliases" = ["changes", "replacements"], "examples" = [[{ "filePath": "src/main.rs", "oldString": "1", "newString": "2" }]]))]
    edits: Vec<FileEdit>,
    #[schemars(extend("x-aliases" = ["file_path", "path", "file", "filename"], "x-unlisted" = true))]
    file_path: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileEdit {
    #[schemars(extend("x-aliases" = ["file_path", "path", "file", "filename"], "x-required" = true))]
    file_path: Option<String>,
    /// Exact text, unique unless replaceAll is true.
    #[schemars(extend("x-aliases" = ["old_string", "old_str", "old_text", "old", "search"], "examples" = ["let a = 1;"]))]
    old_string: String,
    #[schemars(extend("x-aliases" = ["new_string", "new_str", "new_text", "new", "replace"], "examples" = ["let a = 2;"]))]
    new_string: String,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["replace_all", "all"]))]
    replace_all: bool,
}

impl Tool for MultiEdit {
    const NAME: &'static str = "multiedit";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        if args.edits.is_empty() {
            return Err(Failure::invalid("edits is empty; give at least one replacement."));
        }
        let of_all = args.file_path;
        let change = |(number, edit): (usize, FileEdit)| {
            let file = edit.file_path.or_else(|| of_all.clone()).ok_or_else(|| {
                Failure::invalid(format!(
                    "Edit {}: filePath is missing; give the path of the file, for example {}.",
                    number + 1,
                    toolpost_tool::example(&[("filePath", "src/main.rs")])
                ))
            })?;
            Text { old: edit.old_string, new: edit.new_string, want: want(edit.replace_all) }
                .change(&file, at)
        };
        let changes = args.edits.into_iter().enumerate().map(change).collect::<Result<_, _>>()?;
        Ok(Request { changes })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        super::mismatch::reword(failure)
    }
}
