//! The tools of zblade.

mod apply_patch;
mod batch;
mod delete;
mod edit;
mod edit_reply;
mod editor;
mod find;
mod grep;
mod hints;
mod info;
mod investigator;
mod json;
mod outline;
mod paths;
mod project;
mod read;
mod read_many;
mod run_command;
mod search;
mod symbols;
mod tree;
mod truncation;
mod write;

use std::time::Duration;
use toolpost_engine::Fresh;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `zblade`.
pub const DIALECT: Dialect = Dialect {
    name: "zblade",
    tools: &TOOLS,
    pages: &[
        include_str!("files.md"),
        include_str!("edits.md"),
        include_str!("search.md"),
        include_str!("symbols.md"),
        include_str!("batch.md"),
        include_str!("investigator.md"),
        include_str!("commands.md"),
        include_str!("editor.md"),
    ],
    instructions: "File and search tools for the workspace. Get an overview with get_workspace_structure or get_project_index_overview. Find \
        files with find_files or find_files_glob, lines with grep_search. symbol_outline lists the symbols of a file. Find symbols of \
        the project with symbol_search and their uses with symbol_graph. Read with read_file or read_file_range, several files with \
        read_many_files. Run independent read-only calls together with batch. Change files with apply_patch: old_text must match the \
        file exactly and only once; several patches are applied all or none. apply_patch returns a diff, so do not read the file again. \
        Paths may be absolute or relative to the workspace, and must be inside the workspace. Line endings and encodings are \
        preserved. run_command runs a shell command, or a program with its arguments. get_editor_state shows the state of the user's \
        editor, and get_selection its selection.",
    budget: Budget {
        bytes: 50 * 1024,
        lines: 2_000,
        cut: TruncationPolicy::Worded {
            head: truncation::HEAD,
            tail: truncation::TAIL,
            notice: truncation::notice,
        },
    },
    deadline: Duration::from_secs(60),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say: hints::say,
};

const TOOLS: [ToolDef; 37] = [
    ToolDef::of::<read::ReadFile>(),
    ToolDef::of::<read::ReadFileRange>(),
    ToolDef::of::<write::WriteFile>(),
    ToolDef::of::<write::WriteFile>().published_as("create_file"),
    ToolDef::of::<edit::EditFile>(),
    ToolDef::of::<apply_patch::ApplyPatch>(),
    ToolDef::of::<apply_patch::ApplyPatch>().published_as("apply_edit"),
    ToolDef::of::<delete::DeleteFile>(),
    ToolDef::of::<paths::MoveFile>(),
    ToolDef::of::<paths::CopyFile>(),
    ToolDef::of::<paths::CreateDirectory>(),
    ToolDef::of::<info::GetFileInfo>(),
    ToolDef::of::<tree::ListDir>(),
    ToolDef::of::<tree::ListDir>().published_as("list_directory"),
    ToolDef::of::<tree::GetWorkspaceStructure>(),
    ToolDef::of::<find::FindFiles>(),
    ToolDef::of::<find::FindFilesGlob>(),
    ToolDef::of::<find::FindFilesGlob>().published_as("glob"),
    ToolDef::of::<grep::GrepSearch>(),
    ToolDef::of::<grep::GrepSearch>().published_as("rg"),
    ToolDef::of::<search::CodebaseSearch>(),
    ToolDef::of::<symbols::SymbolSearch>(),
    ToolDef::of::<symbols::SymbolResolve>(),
    ToolDef::of::<outline::SymbolOutline>(),
    ToolDef::of::<symbols::SymbolGraph>(),
    ToolDef::of::<project::GetProjectIndexOverview>(),
    ToolDef::of::<project::GetProjectIndexChunk>(),
    ToolDef::of::<read_many::ReadManyFiles>(),
    ToolDef::of::<batch::Batch>(),
    ToolDef::of::<investigator::CodebaseInvestigator>(),
    ToolDef::of::<run_command::RunCommand>(),
    ToolDef::of::<editor::GetEditorState>(),
    ToolDef::of::<editor::OpenFile>(),
    ToolDef::of::<editor::GotoLine>(),
    ToolDef::of::<editor::GetSelection>(),
    ToolDef::of::<editor::ReplaceSelection>(),
    ToolDef::of::<editor::InsertAtCursor>(),
];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");
