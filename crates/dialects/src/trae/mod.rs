//! The tools of TRAE.

mod check_command_status;
mod command_reply;
mod delete_file;
mod edit_reply;
mod fast_apply;
mod hints;
mod list_dir;
mod rename_file;
mod run_command;
mod search_by_regex;
mod search_codebase;
mod stop_command;
mod update_file;
mod view_files;
mod write_to_file;

use std::time::Duration;
use toolpost_engine::Fresh;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `trae`.
pub const DIALECT: Dialect = Dialect {
    name: "trae",
    tools: &TOOLS,
    pages: &[
        include_str!("search.md"),
        include_str!("files.md"),
        include_str!("fast_apply.md"),
        include_str!("commands.md"),
    ],
    instructions: "File and search tools for the workspace. Find code with search_codebase (semantic \
                   search), search_by_regex and list_dir. \
        View up to ten files in one call with view_files. Change files with update_file: it returns a diff, so do not view the file \
        again. The blocks of one update_file call are applied in order, all or none. write_to_file creates files (rewrite=false) or \
        overwrites them (rewrite=true). Paths may be absolute or relative to the workspace, and must be inside the workspace. run_command \
        runs a program, or a shell line if args is empty. Poll a long-running one with check_command_status, and stop it with \
        stop_command.",
    // Room for ten files of two hundred lines each.
    budget: Budget { bytes: 100 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Unescaped,
    say: hints::say,
};

const TOOLS: [ToolDef; 12] = [
    ToolDef::of::<search_codebase::SearchCodebase>(),
    ToolDef::of::<search_by_regex::SearchByRegex>(),
    ToolDef::of::<view_files::ViewFiles>(),
    ToolDef::of::<list_dir::ListDir>(),
    ToolDef::of::<write_to_file::WriteToFile>(),
    ToolDef::of::<update_file::UpdateFile>(),
    ToolDef::of::<fast_apply::FastApply>(),
    ToolDef::of::<rename_file::RenameFile>(),
    ToolDef::of::<delete_file::DeleteFile>(),
    ToolDef::of::<run_command::RunCommand>(),
    ToolDef::of::<check_command_status::CheckCommandStatus>(),
    ToolDef::of::<stop_command::StopCommand>(),
];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");
