//! The tools of Probe's agent.

mod analyze_all;
mod attempt_completion;
mod bash;
mod create;
mod delegate;
mod edit;
mod edit_reply;
mod extract;
mod hints;
mod list_files;
mod list_skills;
mod plan;
mod query;
mod read_image;
mod references;
mod search;
mod search_files;
mod targets;
mod task;
mod use_skill;

use std::time::Duration;
use toolpost_engine::{Fresh, ReadRequirement, StaleEditPolicy};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `probe`: the tools of Probe's agent.
pub const DIALECT: Dialect = Dialect {
    name: "probe",
    tools: &TOOLS,
    pages: &[
        include_str!("edit.md"),
        include_str!("files.md"),
        include_str!("search.md"),
        include_str!("query.md"),
        include_str!("commands.md"),
        include_str!("tasks.md"),
        include_str!("plan.md"),
        include_str!("skills.md"),
        include_str!("analyze.md"),
        include_str!("delegate.md"),
    ],
    instructions: "Tools for the workspace. search finds code by keywords. query finds it by structure. listFiles and searchFiles find files. \
        extract shows lines. readImage shows images. edit and create change files. Paths may be absolute or relative to the workspace. Lines come as \
        `42:ab | text`: number, hash, text. Pass `42:ab` to edit to name that line. The hash proves that the line is unchanged. \
        The text is everything after the bar. Extract a file before you edit it. An edit returns the new lines with their references, \
        so do not extract them again. If another program has changed a file since it was shown, edit refuses and shows the change. \
        bash runs shell commands. execute_plan runs JavaScript in which the tools are functions. task keeps the task list. \
        attempt_completion reports that the work is done.",
    budget: Budget { bytes: 80 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh {
        part: ReadRequirement::Seen,
        whole: ReadRequirement::Nothing,
        changed: StaleEditPolicy::Refused,
    },
    matching: Step::Spaced,
    say: hints::say,
};

const TOOLS: [ToolDef; 17] = [
    ToolDef::of::<search::Search>(),
    ToolDef::of::<search::SearchAll>(),
    ToolDef::of::<query::Query>(),
    ToolDef::of::<extract::Extract>(),
    ToolDef::of::<read_image::ReadImage>(),
    ToolDef::of::<edit::Edit>(),
    ToolDef::of::<create::Create>(),
    ToolDef::of::<list_files::ListFiles>(),
    ToolDef::of::<search_files::SearchFiles>(),
    ToolDef::of::<bash::Bash>(),
    ToolDef::of::<plan::ExecutePlan>(),
    ToolDef::of::<analyze_all::AnalyzeAll>(),
    ToolDef::of::<list_skills::ListSkills>(),
    ToolDef::of::<use_skill::UseSkill>(),
    ToolDef::of::<task::Task>(),
    ToolDef::of::<delegate::Delegate>(),
    ToolDef::of::<attempt_completion::AttemptCompletion>(),
];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");
