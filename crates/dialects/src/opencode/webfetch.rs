//! `webfetch`: the content of a URL.

use crate::common::web_page;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_engine::{
    Failure,
    operations::fetch::{Fetch, Format, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct WebFetch;

/// Default time limit, in seconds.
const SECONDS: f64 = 30.0;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["uri", "link"], "examples" = ["https://example.com/docs"]))]
    url: String,
    /// Format of pages.
    #[schemars(extend("x-required" = true, "examples" = ["markdown"]))]
    format: Option<PageFormat>,
    /// Seconds. Default: 30.
    #[schemars(range(min = 1, max = 120), extend("x-aliases" = ["timeout_seconds"], "examples" = [30]))]
    timeout: Option<f64>,
    /// Offset from the last reply, to continue it.
    #[schemars(extend("examples" = [0]))]
    offset: Option<u64>,
}

#[derive(Deserialize, JsonSchema, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum PageFormat {
    Text,
    #[default]
    Markdown,
    Html,
}

impl Tool for WebFetch {
    const NAME: &'static str = "webfetch";
    const ALIASES: &'static [&'static str] = &["web_fetch", "fetch"];
    type Op = Fetch;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let format = match args.format.unwrap_or_default() {
            PageFormat::Text => Format::Text,
            PageFormat::Markdown => Format::Markdown,
            PageFormat::Html => Format::Html,
        };
        Ok(Request {
            time: Duration::from_secs_f64(args.timeout.unwrap_or(SECONDS)),
            offset: args.offset.unwrap_or(0),
            max_bytes: at.reply_bytes(),
            max_lines: at.budget_lines(),
            ..Request::new(&args.url, format)?
        })
    }

    fn render(output: &Output, page: &mut Page) {
        web_page::render(output, page);
    }
}
