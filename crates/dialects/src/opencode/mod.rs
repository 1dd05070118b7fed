//! The tools of opencode.

mod bash;
mod changed;
mod codesearch;
mod edit;
mod glob;
mod grep;
mod lsp;
mod missed;
mod multiedit;
mod patch;
mod say;
mod todowrite;
mod webfetch;
mod write;

use std::time::Duration;
use toolpost_engine::{Changed, Fresh, Need};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, ToolDef, distinct};

/// The dialect.
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
    instructions: "File and search tools over the workspace: grep and glob to find, edit, multiedit, patch and write to change. They keep \
        bytes, line endings and encodings, and never leave the workspace. Look at a place with grep before you edit it; every \
        change answers with a diff. A file is written over as a whole only after its present content was shown. bash runs a line of shell; lsp \
         finds where names of code are defined and used. todowrite keeps the list of what is to be done; webfetch shows what stands at an \
         address of the web. codesearch finds code and documents of what the project depends on; grep and glob look into it, too, \
         with a path such as js:express/lib.",
    budget: Budget { bytes: 50 * 1024, lines: 2_000, cut: Cut::Head },
    deadline: Duration::from_secs(60),
    fresh: FRESH,
    matching: Step::Unescaped,
    say: say::say,
};

/// There is no tool to read with: the change of a part names the text that stands there, and all of a file is written
/// over only when it was shown, which a refusal does.
const FRESH: Fresh = Fresh { part: Need::Nothing, whole: Need::Seen, changed: Changed::Told };

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

const _: () = assert!(distinct(&TOOLS), "two tools of one name");
