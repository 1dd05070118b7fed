//! `readImage`: an image in a format that clients can show.

use super::targets::quoted;
use crate::common::{document, line_numbers};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure, Hint,
    operations::picture::{NOT_AN_IMAGE, Output, Picture, Request},
};
use toolpost_tool::{Lowering, Page, Tool, example};

pub(super) struct ReadImage;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file", "file_path", "image"], "examples" = ["docs/architecture.png"]))]
    path: String,
}

impl Tool for ReadImage {
    const NAME: &'static str = "readImage";
    const ALIASES: &'static [&'static str] = &["read_image"];
    type Op = Picture;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { path: at.path(&args.path)?, raw_path: args.path, max_bytes: at.reply_bytes() })
    }

    fn render(output: &Output, page: &mut Page) {
        let read = output.read();
        document::render(&read.content, page, |text, page| {
            let mut body = String::new();
            text.lines.iter().for_each(|line| line_numbers::text(&line, &mut body));
            page.take(body);
            let more = text.next.map_or("", |_| "; only its beginning fits in this reply");
            page.note(format!("{}: an SVG image, shown as text{more}", read.path));
        });
        read.note.iter().for_each(|note| page.note(note.clone()));
    }

    fn reword(failure: Failure) -> Failure {
        let Some((path, _)) = failure.what.split_once(NOT_AN_IMAGE) else { return failure };
        let call = example(&[("file", &quoted(path))]);
        failure.hint(Hint::Advice(format!("To see its content: extract {call}.")))
    }
}
