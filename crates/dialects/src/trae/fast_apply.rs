//! `edit_file_fast_apply`: partial code with markers for unchanged parts.

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint, Kind,
    operations::change::{self, Change, ChangeTarget, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct FastApply;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["path", "target_file", "filename"], "examples" = ["src/main.py"]))]
    file_path: String,
    /// The changed code, with marker comments for unchanged code.
    #[schemars(extend("x-aliases" = ["code_edit", "code"], "examples" = ["# ... existing code ...\ndef answer():\n    return 42\n"]))]
    content: String,
    /// Purpose of the change, for the user.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["instructions"]))]
    #[expect(dead_code, reason = "shown to the user with the arguments; only the code decides the change")]
    instruction: String,
    /// Needed only if the file name does not imply it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["language"]))]
    code_language: Option<String>,
}

impl Tool for FastApply {
    const NAME: &'static str = "edit_file_fast_apply";
    type Op = change::ChangeFiles;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        if args.content.trim().is_empty() {
            return Err(Failure::invalid(
                "content is empty; give the changed code and the lines around it. To empty the file, use \
                 write_to_file with rewrite: true.",
            ));
        }
        let language = args.code_language.filter(|language| !language.trim().is_empty());
        Ok(Request {
            changes: vec![Change {
                path: at.file(&args.file_path)?,
                at: ChangeTarget::Merge { language },
                text: args.content,
            }],
        })
    }

    fn render(output: &Output, page: &mut Page) {
        super::edit_reply::render(output, page);
    }

    fn reword(failure: Failure) -> Failure {
        let advice = match failure.kind {
            Kind::NotFound => "edit_file_fast_apply edits existing files; create one with write_to_file.",
            Kind::TooLarge => "Use update_file instead, with only the lines that change.",
            _ => return failure,
        };
        let mut hints = failure.hints;
        hints.retain(|hint| !matches!(hint, Hint::Advice(_)));
        hints.push(Hint::Advice(advice.to_owned()));
        Failure { hints, ..failure }
    }
}
