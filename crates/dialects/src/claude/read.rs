//! `Read`: lines of a text file, or the content of an image, PDF, notebook or document.

use crate::common::document;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::read::{self, IgnoredRange, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Read;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Absolute, or relative to the workspace.
    #[schemars(extend("x-aliases" = ["path", "filename", "filepath"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// First line.
    #[schemars(extend("x-raise" = true), range(min = 1))]
    offset: Option<u64>,
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: u64,
    /// PDF pages, such as "1-5" or "3,7" (at most 20), or parts of an office document.
    #[schemars(extend("examples" = ["1-5"]))]
    pages: Option<String>,
}

const fn default_limit() -> u64 {
    2_000
}

impl Tool for Read {
    const NAME: &'static str = "Read";
    type Op = read::Read;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let usual = Request::of(at.source(&args.file_path)?, args.file_path, at.reply_bytes());
        Ok(Request {
            offset: args.offset.unwrap_or(1),
            limit: args.limit,
            pages: args.pages.filter(|pages| !pages.trim().is_empty()),
            // A single line may fill the whole reply.
            characters: if args.limit == 1 { at.reply_bytes() as u64 } else { usual.characters },
            ..usual
        })
    }

    fn render(output: &Output, page: &mut Page) {
        document::render(&output.content, page, |text, page| super::lines::render(output, text, page));
        match output.ignored {
            Some(IgnoredRange::Pages) => page.note("pages has no effect: the file has no pages"),
            Some(IgnoredRange::Lines) => {
                page.note("offset and limit have no effect: the file has no lines; select parts of a document by pages");
            }
            None => {}
        }
        if let Some(note) = &output.note {
            page.note(note.clone());
        }
    }
}
