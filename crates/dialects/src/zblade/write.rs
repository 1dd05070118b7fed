//! `write_file`: creates or overwrites a file.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::change::{self, Existence, Output, WholeFileWrite},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct WriteFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/new.rs"]))]
    path: String,
    #[schemars(extend("x-aliases" = ["contents", "text", "data", "code_content"], "examples" = ["fn main() {}\n"]))]
    content: String,
}

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const ALIASES: &'static [&'static str] = &["write_file_validated", "write_to_file"];
    type Op = change::WriteFile;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<WholeFileWrite, Failure> {
        let path = at.file(&args.path)?;
        Ok(WholeFileWrite { path, existence: Existence::Any, text: args.content })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page, "Wrote");
    }
}
