//! The tools of opencode.

mod bash;
mod codesearch;
mod edit;
mod edit_reply;
mod glob;
mod grep;
mod hints;
mod lsp;
mod mismatch;
mod multiedit;
mod patch;
mod todowrite;
mod webfetch;
mod write;

use std::time::Duration;
use toolpost_engine::{Fresh, ReadRequirement, StaleEditPolicy};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `opencode`: the tools of opencode except those that read files.
pub const DIALECT: Dialect = Dialect {
    name: "opencode",
    tools: &TOOLS,
    pages: &[
        include_str!("files.md"),
        include_str!("search.md"),
        include_str!("code.md"),
        include_str!("commands.md"),
        include_str!("tasks.md"),
        include_str!("web.md"),
    ],
    instructions: "File and search tools for the workspace. Find code with grep, glob and lsp. Change files with edit, multiedit, patch and \
        write. Paths may be absolute or relative to the workspace. The tools preserve line endings and encodings and never leave the \
        workspace. Look at code with grep before you edit it. An edit returns a diff. write overwrites a file only after its \
        current content was shown. bash runs shell commands. todowrite keeps the task list. webfetch fetches URLs. codesearch \
        searches the dependencies of the project. grep and glob search them with a path such as js:express/lib.",
    budget: Budget { bytes: 50 * 1024, lines: 2_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: FRESH,
    matching: Step::Unescaped,
    say: hints::say,
};

/// The dialect has no tool to read files. A partial edit quotes the text that it replaces. A whole file can
/// be overwritten only after its content was shown; a call that is refused for this reason shows the content.
const FRESH: Fresh =
    Fresh { part: ReadRequirement::Nothing, whole: ReadRequirement::Seen, changed: StaleEditPolicy::Told };

const TOOLS: [ToolDef; 11] = [
    ToolDef::of::<grep::Grep>(),
    ToolDef::of::<glob::Glob>(),
    ToolDef::of::<write::Write>(),
    ToolDef::of::<edit::Edit>(),
    ToolDef::of::<multiedit::MultiEdit>(),
    ToolDef::of::<patch::Patch>(),
    ToolDef::of::<bash::Bash>(),
    ToolDef::of::<lsp::Lsp>(),
    ToolDef::of::<todowrite::TodoWrite>(),
    ToolDef::of::<webfetch::WebFetch>(),
    ToolDef::of::<codesearch::CodeSearch>(),
];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");
