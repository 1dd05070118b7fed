//! `get_project_index_overview` and `get_project_index_chunk`: the project index, in parts.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure,
    operations::project::{self, Output, Request, Since},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct GetProjectIndexOverview;
pub(super) struct GetProjectIndexChunk;

/// Path of the index file that the zblade editor writes.
const EDITOR_INDEX: &str = ".zblade/context/project_index.md";

#[derive(Deserialize, JsonSchema)]
pub(super) struct OverviewArgs {
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["dir", "directory"], "examples" = ["crates/core"]))]
    path: Option<String>,
    #[serde(default = "much")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 12_000))]
    max_chars: usize,
    /// First character, from 0.
    #[schemars(extend("x-raise" = true))]
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ChunkArgs {
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["dir", "directory"], "examples" = ["crates/core"]))]
    path: Option<String>,
    /// `next_offset` of the part before.
    #[schemars(extend("x-raise" = true, "examples" = [4000]))]
    offset: Option<usize>,
    #[serde(default = "some")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 8_000))]
    max_chars: usize,
}

const fn much() -> usize {
    6_000
}

const fn some() -> usize {
    4_000
}

#[derive(Serialize)]
struct Reply<'a> {
    tool: &'a str,
    workspace_root: &'a str,
    total_chars: usize,
    offset: usize,
    end: usize,
    returned_chars: usize,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    fingerprint: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_since_last_part: Option<bool>,
    content: &'a str,
    source: &'a str,
}

impl Tool for GetProjectIndexOverview {
    const NAME: &'static str = "get_project_index_overview";
    type Op = project::Project;
    type Args = OverviewArgs;

    fn lower(args: OverviewArgs, at: &Lowering) -> Result<Request, Failure> {
        request(args.path.as_deref(), args.offset, args.max_chars, at)
    }

    fn render(output: &Output, page: &mut Page) {
        reply(Self::NAME, output, page);
    }
}

impl Tool for GetProjectIndexChunk {
    const NAME: &'static str = "get_project_index_chunk";
    type Op = project::Project;
    type Args = ChunkArgs;

    fn lower(args: ChunkArgs, at: &Lowering) -> Result<Request, Failure> {
        request(args.path.as_deref(), args.offset, args.max_chars, at)
    }

    fn render(output: &Output, page: &mut Page) {
        reply(Self::NAME, output, page);
    }
}

fn request(
    path: Option<&str>,
    offset: Option<usize>,
    max_characters: usize,
    at: &Lowering,
) -> Result<Request, Failure> {
    Ok(Request {
        base: at.path_or_root(path)?,
        offset: offset.unwrap_or(0),
        max_characters,
        max_bytes: json::room(at),
        rules: at.rules(),
        beside: at.path(EDITOR_INDEX)?,
    })
}

fn reply(tool: &str, output: &Output, page: &mut Page) {
    let has_more = output.end < output.total;
    let reply = Reply {
        tool,
        workspace_root: &output.root,
        total_chars: output.total,
        offset: output.offset,
        end: output.end,
        returned_chars: output.end - output.offset,
        has_more,
        next_offset: has_more.then_some(output.end),
        fingerprint: &output.fingerprint,
        changed_since_last_part: (output.since == Since::Changed).then_some(true),
        content: &output.text,
        source: "semantic_index",
    };
    json::write(&reply, page);
    if output.since == Since::Grown {
        page.note("the index has grown since the last part, so this part may not follow it directly; start again with offset 0");
    }
    if output.unread > 0 {
        let files = counted(output.unread as u64, "file");
        page.note(format!(
            "this index is incomplete: {files} not read yet; start again with offset 0 in a while"
        ));
    }
    if output.since == Since::Changed {
        page.note("the project has changed since the last part, so this part may not follow it directly; start again with offset 0");
    }
    if let Some(beside) = &output.beside {
        page.note(format!(
            "{beside} contains another index, which may be out of date; this index was built from the \
             current files"
        ));
    }
}
