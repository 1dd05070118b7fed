//! `update_file`: replaces texts in a file, block by block.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Change, ChangeTarget, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct UpdateFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// Applied in order, each to the result of the ones before.
    #[schemars(extend("x-aliases" = ["blocks", "edits", "replacements"], "examples" = [[{"old_str": "let a = 1;", "new_str": "let a = 2;"}]]))]
    replace_blocks: Vec<Block>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("examples" = [{"old_str": "let a = 1;", "new_str": "let a = 2;"}]))]
struct Block {
    /// Whole lines, exactly as in the file. Must be unique.
    #[schemars(extend("x-aliases" = ["old_string", "old_text", "search", "old"], "examples" = ["let a = 1;"]))]
    old_str: String,
    /// Replacement lines.
    #[schemars(extend("x-aliases" = ["new_string", "new_text", "replace", "new"], "examples" = ["let a = 2;"]))]
    new_str: String,
}

impl Tool for UpdateFile {
    const NAME: &'static str = "update_file";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let path = at.file(&args.file_path)?;
        if args.replace_blocks.is_empty() {
            return Err(Failure::invalid(
                "replace_blocks is empty; give at least one block with old_str and new_str.",
            ));
        }
        let change = |block: Block| Change {
            path: path.clone(),
            at: ChangeTarget::Next { old: block.old_str, matching: at.matching() },
            text: block.new_str,
        };
        Ok(Request { changes: args.replace_blocks.into_iter().map(change).collect() })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }
}
