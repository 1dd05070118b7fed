//! What can be said on the command line.

use crate::skills::Skills;
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The tool runtime for coding agents: one engine, many dialects.
#[derive(Parser)]
#[command(name = "toolpost", version, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(clap::Args, Default)]
pub(crate) struct Common {
    /// Dialect to speak; may repeat [default: claude]
    #[arg(long = "dialect", global = true, value_name = "NAME")]
    pub(crate) dialects: Vec<String>,
    /// Directory that may be read and changed; may repeat [default: the current directory]
    #[arg(long = "root", global = true, value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// Tool to serve: a name, dialect_name, a pattern with *, or !name to leave one out; may repeat, commas [default: all]
    #[arg(long, global = true, value_name = "NAME", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// What no tool may do: tools that do it are not served [default: nothing is denied]
    #[arg(long, global = true, value_enum, value_name = "TOUCH")]
    pub(crate) deny: Vec<Deny>,
    /// Write nothing: the same as --deny write
    #[arg(long, global = true)]
    pub(crate) read_only: bool,
    /// Rules over what may be touched (TOML), instead of the user's and the project's files
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// File with the `mcpServers` whose tools are served, too, as mcp__server__tool [default: none]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) mcp_config: Option<PathBuf>,
    /// Who answers where nobody can be asked [default: deny]
    #[arg(long, global = true, value_enum)]
    pub(crate) ask: Option<Ask>,
    /// Whether commands run in a sandbox [default: on]
    #[arg(long, global = true, value_enum)]
    pub(crate) sandbox: Option<OnOff>,
    /// Whether scripts can be run in which tools are functions: beside the tools, not, or instead of them [default: off]
    #[arg(long, global = true, value_enum)]
    pub(crate) code_mode: Option<CodeMode>,
    /// Whether an edit that looks for texts in order takes the first of several places [default: off]
    #[arg(long, global = true, value_enum)]
    pub(crate) first_match: Option<OnOff>,
    /// File that every call is written to, as JSON lines
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// How much of each call is written there [default: names]
    #[arg(long, global = true, value_enum)]
    pub(crate) events_detail: Option<EventsDetail>,
    /// Folder for locks, journals and history [default: the XDG state folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Folder for what can be made again [default: the XDG cache folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Name of the session, by which a later process finds its tasks again [default: each has its own]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Index that many machines share, as postgres://…; searches ask it, too [default: none]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub(crate) index: Option<String>,
    #[command(flatten)]
    pub(crate) modeling: crate::modeling::Flags,
    #[command(flatten)]
    pub(crate) editing: crate::editing::EditorFlags,
    /// What a root is called in the shared index; may repeat [default: by where it was cloned from]
    #[arg(long = "repository", global = true, value_name = "NAME")]
    pub(crate) repositories: Vec<String>,
    #[command(flatten)]
    pub(crate) codesearch: crate::codesearch::CodeFlags,
}

/// Who answers where nobody can be asked.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ask {
    Allow,
    Deny,
    Prompt,
}

/// What can be denied to all tools.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Deny {
    Write,
    Execute,
    Fetch,
    Bridge,
    Delegate,
    Editor,
}

/// Whether scripts can be run in which tools are functions.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CodeMode {
    /// Two more tools are served: one finds tools, one runs scripts.
    On,
    /// They are not.
    Off,
    /// They are, and no others: those are functions in scripts.
    Only,
}

/// How much of each call is written to the file of events.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EventsDetail {
    Names,
    All,
}

/// A switch.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnOff {
    On,
    Off,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serves the tools over MCP on standard input and output
    Serve(Serve),
    /// Makes one call, or many from a script
    Call(Call),
    /// Lets a model do a task with the tools
    Agent(crate::agent::Agent),
    /// Prints the tool definitions
    Tools(Tools),
    /// Finds lines that match a regular expression
    Grep(Grep),
    /// Finds blocks of code by their words, best first
    Search(Search),
    /// Shows what code defines, and who uses it
    #[command(subcommand)]
    Symbols(Symbols),
    /// Looks after the index by which searches read only the files that can match
    #[command(subcommand)]
    Index(Index),
    /// Lists what was changed, the newest first
    History(History),
    /// Shows a change as a unified diff
    Diff(Diff),
    /// Takes a change back, unless its files have changed since
    Undo(Undo),
    /// Explains which rule decides about a command, or trusts the rules of a project
    #[command(subcommand)]
    Policy(crate::policy::PolicyCommand),
    /// Lists the skills that there are, or trusts those of the project
    Skills(Skills),
    /// Says what works here, what does not, and which settings are in force
    Doctor(Doctor),
}

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// Send the operation's output as data beside the words
    #[arg(long)]
    pub(crate) structured: bool,
}

#[derive(clap::Args)]
pub(crate) struct Call {
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Make many calls in one session: a JSON object a line, {"tool": …, "arguments": …}; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "arguments"])]
    pub(crate) script: Option<PathBuf>,
    /// Name of the tool
    #[arg(required_unless_present = "script")]
    pub(crate) tool: Option<String>,
    /// Arguments as a JSON object; `-` reads standard input
    #[arg(required_unless_present = "script")]
    pub(crate) arguments: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Tools {
    /// Form of the definitions
    #[arg(long, value_enum, default_value = "mcp")]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Mcp,
    Openai,
    Anthropic,
    Gemini,
    Markdown,
}

#[derive(Subcommand)]
pub(crate) enum Index {
    /// Says how much of the workspace is in the index
    Status(IndexStatus),
    /// Builds what is missing, now; a server does it by itself, beside all else
    Build(IndexStatus),
    /// Removes the index of the workspace from the disk
    Drop,
    /// Brings a commit into the index that many machines share
    Push(crate::shared::Push),
    /// Removes a repository, or a branch of it, from the index that many machines share
    Forget(crate::shared::Forget),
    /// Removes from it what no branch of any repository holds any more
    Prune(crate::shared::Prune),
}

#[derive(clap::Args)]
pub(crate) struct IndexStatus {
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Symbols {
    /// Shows what a file defines
    Outline(Outline),
    /// Finds symbols in all files by their names
    Find(Find),
    /// Lists what calls a symbol
    Callers(Uses),
    /// Lists what a symbol calls
    Callees(Uses),
}

#[derive(clap::Args)]
pub(crate) struct Outline {
    /// Path of the file
    pub(crate) file: String,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Find {
    /// The name, a part of it, or names with dots between them
    pub(crate) query: String,
    /// Kind of symbol, such as function or class
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Only in this file, or below this directory
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// How many are shown
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Grep {
    /// The regular expression
    pub(crate) pattern: String,
    /// Only in this file, or below this directory
    pub(crate) path: Option<String>,
    /// Search these repositories of the shared index instead, by names with wild*cards; may repeat
    #[arg(long = "repositories", value_name = "NAMES")]
    pub(crate) across: Vec<String>,
    /// The branch of these repositories [default: the one that was pushed first]
    #[arg(long, value_name = "NAME", requires = "across")]
    pub(crate) branch: Option<String>,
    /// Only files that fit, or none that fit behind a `!`; may repeat
    #[arg(short = 'g', long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Compare letters without regard to their case
    #[arg(short = 'i', long)]
    pub(crate) ignore_case: bool,
    /// Lines to show around each that matches
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub(crate) context: u8,
    /// How many lines are shown
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: u32,
    /// Print them as JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Search {
    /// Words, with AND, OR, NOT, groups, "phrases", wild*cards and filters such as ext:rs; across repositories a question in plain words
    pub(crate) query: String,
    /// Only in this file, or below this directory
    pub(crate) path: Option<String>,
    /// Search these repositories of the shared index instead, by words and by meaning; names with wild*cards; may repeat
    #[arg(long = "repositories", value_name = "NAMES", conflicts_with_all = ["exact", "next"])]
    pub(crate) across: Vec<String>,
    /// The branch of these repositories [default: the one that was pushed first]
    #[arg(long, value_name = "NAME", requires = "across")]
    pub(crate) branch: Option<String>,
    /// How many are shown
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Take the query as a text that stands there as it is
    #[arg(long)]
    pub(crate) exact: bool,
    /// Search tests, too
    #[arg(long)]
    pub(crate) tests: bool,
    /// Go on where the answer stopped that gave this
    #[arg(long, value_name = "PLACE")]
    pub(crate) next: Option<String>,
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Uses {
    /// The symbol: its id, a file and a name as path#Name, or a name that only one symbol has
    pub(crate) symbol: String,
    /// How many uses are shown
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct History {
    /// How many changes are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Only changes of this file, or of what lies below this directory
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Print the changes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Diff {
    /// Id of the change or of its call, or how it begins [default: the last change]
    #[arg(value_name = "CALL")]
    pub(crate) change: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Undo {
    /// Id of the change or of its call, or how it begins [default: the last change that is not undone]
    #[arg(value_name = "CALL")]
    pub(crate) change: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
