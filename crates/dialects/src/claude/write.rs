//! `Write`: creates a file, or overwrites one that was read.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Existence, Output, WholeFileWrite},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Write;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "filename", "filepath"], "examples" = ["src/main.rs"]))]
    file_path: String,
    #[schemars(extend("x-aliases" = ["contents", "text"], "examples" = ["fn main() {}\n"]))]
    content: String,
}

impl Tool for Write {
    const NAME: &'static str = "Write";
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
