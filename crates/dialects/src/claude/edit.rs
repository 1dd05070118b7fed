//! `Edit`: replaces one or every occurrence of a text.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Change, ChangeTarget, MatchCount, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Edit;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "filename", "filepath"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// Text exactly as in the file.
    #[schemars(extend("x-aliases" = ["old_str", "old_text"], "examples" = ["let a = 1;"]))]
    old_string: String,
    #[schemars(extend("x-aliases" = ["new_str", "new_text"], "examples" = ["let a = 2;"]))]
    new_string: String,
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["replaceall"]))]
    replace_all: bool,
}

impl Tool for Edit {
    const NAME: &'static str = "Edit";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let at_text = ChangeTarget::Text {
            old: args.old_string,
            want: if args.replace_all { MatchCount::Every } else { MatchCount::One },
            near: None,
            matching: at.matching(),
        };
        Ok(Request {
            changes: vec![Change { path: at.file(&args.file_path)?, at: at_text, text: args.new_string }],
        })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }
}
