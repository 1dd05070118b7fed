//! `write`: creates a file, or overwrites one whose content was shown.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Existence, Output, WholeFileWrite},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Write;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "path", "file", "filename"], "examples" = ["src/main.rs"]))]
    file_path: String,
    #[schemars(extend("x-aliases" = ["contents", "text", "file_text"], "examples" = ["fn main() {}\n"]))]
    content: String,
}

impl Tool for Write {
    const NAME: &'static str = "write";
    type Op = change::WriteFile;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<WholeFileWrite, Failure> {
        let path = at.file(&args.file_path)?;
        Ok(WholeFileWrite { path, existence: Existence::Any, text: args.content })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }
}
