//! `edit_file`: replaces one exact text.

use super::edit_reply;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct EditFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    path: String,
    #[schemars(extend("x-aliases" = ["old", "from", "old_text", "old_string", "target_content"], "examples" = ["let a = 1;"]))]
    old_content: String,
    #[schemars(extend("x-aliases" = ["new", "to", "new_text", "new_string", "replacement_content"], "examples" = ["let a = 2;"]))]
    new_content: String,
}

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let change = edit_reply::replacement(&args.path, args.old_content, args.new_content, None, at)?;
        Ok(Request { changes: vec![change] })
    }

    fn render(output: &Output, page: &mut Page) {
        edit_reply::render(output, page, "Edited");
    }

    fn reword(failure: Failure) -> Failure {
        edit_reply::reword(failure, "old_content")
    }
}
