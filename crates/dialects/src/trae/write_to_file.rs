//! `write_to_file`: creates or overwrites a file.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    ExistenceMismatch, Failure, Hint,
    operations::change::{self, Existence, Output, WholeFileWrite},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct WriteToFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    file_path: String,
    #[schemars(extend("x-aliases" = ["contents", "text", "file_content"], "examples" = ["fn main() {}\n"]))]
    content: String,
    /// true: the file must exist; false: it must not.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["overwrite"], "x-required" = true, "examples" = [false]))]
    rewrite: bool,
}

impl Tool for WriteToFile {
    const NAME: &'static str = "write_to_file";
    type Op = change::WriteFile;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<WholeFileWrite, Failure> {
        let existence = if args.rewrite { Existence::Existing } else { Existence::New };
        let path = at.file(&args.file_path)?;
        Ok(WholeFileWrite { path, existence, text: args.content })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        let Some(unmet) = failure.unmet.clone() else { return failure };
        let ExistenceMismatch { path, existence } = unmet.as_ref();
        let what = match existence {
            Existence::New => format!("rewrite=false but file exists: {}", path.display()),
            _ => format!("rewrite=true but file does not exist: {}", path.display()),
        };
        let advice = match existence {
            Existence::New => "To overwrite it, pass rewrite=true.",
            _ => "To create it, pass rewrite=false.",
        };
        let is_other = |hint: &Hint| !matches!(hint, Hint::ReadFirst(_));
        let hints = failure.hints.into_iter().filter(is_other);
        let hints = hints.chain([Hint::Advice(advice.to_owned())]).collect();
        Failure { what, hints, ..failure }
    }
}
