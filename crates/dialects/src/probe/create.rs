//! `create`: creates or overwrites a file.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint, Kind,
    operations::change::{self, Existence, Output, WholeFileWrite},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Create;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "file", "filename", "filepath"], "examples" = ["src/main.rs"]))]
    file_path: String,
    #[schemars(extend("x-aliases" = ["contents", "text", "file_text"], "examples" = ["fn main() {}\n"]))]
    content: String,
    #[serde(default)]
    overwrite: bool,
}

impl Tool for Create {
    const NAME: &'static str = "create";
    type Op = change::WriteFile;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<WholeFileWrite, Failure> {
        let existence = if args.overwrite { Existence::Any } else { Existence::New };
        Ok(WholeFileWrite { path: at.file(&args.file_path)?, existence, text: args.content })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        let mut failure = super::edit_reply::reword(failure);
        // If `overwrite` is already true, the failure is of kind `Unread`.
        if let (Kind::Invalid, [Hint::ReadFirst(path)]) = (failure.kind, failure.hints.as_slice()) {
            let call = toolpost_tool::example(&[("file", &super::targets::quoted(&path.display()))]);
            failure.hints = vec![
                Hint::Advice("To replace the file, set overwrite to true.".to_owned()),
                Hint::Advice(format!("To change a part of it, use edit; extract {call} shows its content.")),
            ];
        }
        failure
    }
}
