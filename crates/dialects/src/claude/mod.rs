//! The file and search tools of Claude Code.

mod edit;
mod edit_reply;
mod glob;
mod grep;
mod hints;
mod lines;
mod read;
mod write;

use std::time::Duration;
use toolpost_engine::Fresh;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `claude`: the file and search tools of Claude Code.
pub const DIALECT: Dialect = Dialect {
    name: "claude",
    tools: &TOOLS,
    pages: &[include_str!("files.md"), include_str!("search.md")],
    instructions: "File and search tools for the workspace. Paths may be absolute or relative to the \
        workspace. The tools preserve line endings and encodings, never leave the workspace and never return stale content. \
        Find files with Grep and Glob. Read a file before you Edit or Write it. An Edit returns a diff, so do not Read the file again.",
    budget: Budget { bytes: 100 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::REQUIRED,
    matching: Step::Reindented,
    say: hints::say,
};

const TOOLS: [ToolDef; 5] = [
    ToolDef::of::<read::Read>(),
    ToolDef::of::<edit::Edit>(),
    ToolDef::of::<write::Write>(),
    ToolDef::of::<glob::Glob>(),
    ToolDef::of::<grep::Grep>(),
];

/// The tools that read and write whole files, for callers that proxy file access. Each takes `file_path`.
pub const WHOLE: FileToolNames = FileToolNames { read: TOOLS[0].name, write: TOOLS[2].name };

/// Names of the tools that read and write whole files.
#[derive(Debug, Clone, Copy)]
pub struct FileToolNames {
    /// The tool that shows a file.
    pub read: &'static str,
    /// The tool that writes `content`.
    pub write: &'static str,
}

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");
