//! Commands and options of the command line.

use clap::{
    Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
    builder::{OsStringValueParser, PossibleValuesParser, ValueParser},
};
use std::ffi::OsString;
use std::path::PathBuf;
use toolpost::settings::{
    Flags,
    table::{SettingDescription, ValueCount, described},
};

/// Help heading of the shared options.
const SHARED: &str = "Shared options";
/// Last line of a command's short help.
const MORE: &str = "`--help` also lists the options that all commands share, such as --root and --dialect.";

/// Tools for coding agents: one engine, several sets of tool names (dialects)
#[derive(Parser)]
#[command(name = "toolpost", version, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) shared: SharedFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// Parses the arguments of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Self::from_arg_matches(&Self::described().try_get_matches()?)
    }

    /// Returns the definition of all commands; shared options come last, and only in the long help.
    pub(crate) fn described() -> clap::Command {
        let shared = |arg: Arg| match arg.is_global_set() {
            true => arg.help_heading(SHARED).hide_short_help(true),
            false => arg,
        };
        with_more(Self::command().mut_args(shared))
    }
}

/// Adds the reference to the shared options to the short help of a command and its subcommands.
fn with_more(command: clap::Command) -> clap::Command {
    command.after_help(MORE).after_long_help("").mut_subcommands(with_more)
}

/// Flags of the settings, which every command accepts.
pub(crate) struct SharedFlags(pub(crate) Flags);

impl clap::Args for SharedFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(described().iter().filter_map(argument))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SharedFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Flags::default();
        for setting in described() {
            if let Some(texts) = texts(&setting, matches) {
                flags.set(setting.row, texts);
            }
        }
        Ok(Self(flags))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the flag of a setting, if it has one.
fn argument(setting: &SettingDescription) -> Option<Arg> {
    let (row, flag) = (setting.row, setting.row.flag?);
    let repeats = match flag.takes {
        ValueCount::Nothing | ValueCount::One => "",
        ValueCount::Many => " (repeatable)",
        ValueCount::ManyByComma => " (comma-separated, repeatable)",
    };
    let default = match flag.takes {
        ValueCount::Nothing => String::new(),
        _ => format!(" [default: {}]", row.default.replace('`', "")),
    };
    let help = format!("{}{repeats}{default}", row.help);
    let arg = Arg::new(row.key).long(flag.name).global(true).help(help);
    if flag.takes == ValueCount::Nothing {
        return Some(arg.action(ArgAction::SetTrue));
    }
    let parser = match setting.choices.as_slice() {
        [] => ValueParser::from(OsStringValueParser::new()),
        choices => ValueParser::from(PossibleValuesParser::new(choices)),
    };
    let hint = match flag.value {
        "DIR" => ValueHint::DirPath,
        "FILE" => ValueHint::FilePath,
        _ => ValueHint::Unknown,
    };
    let arg = arg.value_name(flag.value).value_hint(hint).value_parser(parser);
    Some(match flag.takes {
        ValueCount::Many => arg.action(ArgAction::Append),
        ValueCount::ManyByComma => arg.action(ArgAction::Append).value_delimiter(','),
        ValueCount::One | ValueCount::Nothing => arg,
    })
}

/// Returns the values that the command line gives for a setting; `None` if the setting is not on the command
/// line.
fn texts(setting: &SettingDescription, matches: &ArgMatches) -> Option<Vec<OsString>> {
    let (key, flag) = (setting.row.key, setting.row.flag?);
    if flag.takes == ValueCount::Nothing {
        return matches.get_flag(key).then(|| vec!["on".into()]);
    }
    if setting.choices.is_empty() {
        return Some(matches.get_many::<OsString>(key)?.cloned().collect());
    }
    Some(matches.get_many::<String>(key)?.map(OsString::from).collect())
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the tools over MCP on standard input and output
    Serve(Serve),
    /// Call one tool, or many from a script
    Call(Call),
    /// Let a model work on a task with the tools
    Agent(Agent),
    /// Show one tool, or print all tool definitions
    Tools(Tools),
    /// Find lines that match a regular expression
    Grep(Grep),
    /// Find functions and types by keywords, best first
    Search(Search),
    /// Find definitions, callers and callees, and rename symbols
    #[command(subcommand)]
    Symbols(Symbols),
    /// Manage the search index
    #[command(subcommand)]
    Index(Index),
    /// List recorded changes, newest first
    History(History),
    /// Show a recorded change as a unified diff
    Diff(Diff),
    /// Undo a recorded change, unless its files have changed since
    Undo(Undo),
    /// Show which rule decides about a command, or trust a project's rules
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List the skills, or trust the project's
    Skills(Skills),
    /// Check the installation and print the active settings
    Doctor(Doctor),
    /// Explain a command or a tool
    Help(Help),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, in the format of `man`
    Man(Man),
}

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// Also send structured results
    #[arg(long)]
    pub(crate) structured: bool,
}

#[derive(clap::Args)]
pub(crate) struct Call {
    /// Print the reply as JSON, with the operation's output as data (`structured`)
    #[arg(long)]
    pub(crate) json: bool,
    /// Make many calls in one session: one JSON object a line, {"tool": …, "arguments": …}; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "arguments"])]
    pub(crate) script: Option<PathBuf>,
    /// Change a file only if its content has this hash (HASH, or PATH=HASH; repeatable)
    ///
    /// HASH is the BLAKE3 hash of the content in hex digits, or its first 12 digits. If a tool reads a file, `call --json`
    /// prints the file's hash in `structured.hash`. Without PATH, the hash applies to the only file that the call writes.
    #[arg(long, value_name = "HASH", conflicts_with = "script")]
    pub(crate) expect: Vec<String>,
    /// Name of the tool
    #[arg(required_unless_present = "script")]
    pub(crate) tool: Option<String>,
    /// Arguments as a JSON object; `-` reads standard input; if omitted, the tool's parameters are shown
    pub(crate) arguments: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Tools {
    /// Name of a tool to show with its parameters and an example
    pub(crate) name: Option<String>,
    /// Form of the definitions [default: mcp; a named tool is shown as text]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
}

#[derive(clap::Args)]
pub(crate) struct Help {
    /// Command or tool to explain
    pub(crate) name: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct Man {
    /// Command to document [default: the program]
    pub(crate) command: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct Completions {
    /// Shell to complete for
    pub(crate) shell: clap_complete::Shell,
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
    /// Show how much of the workspace is indexed
    Status(IndexStatus),
    /// Update the index now (a running server does this in the background)
    Build(IndexStatus),
    /// Delete the workspace's index from disk
    Drop,
    /// Push a commit to the shared index
    Push(Push),
    /// Remove a repository or a branch from the shared index
    Forget(Forget),
    /// Delete content from the shared index that no branch uses any more
    Prune(Prune),
}

#[derive(clap::Args)]
pub(crate) struct IndexStatus {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Symbols {
    /// List the definitions in a file
    Outline(Outline),
    /// Find symbols by name in all files
    Find(FindArgs),
    /// List the callers of a symbol
    ///
    /// If a name has several symbols that can be called, up to ten are listed one after another.
    Callers(Uses),
    /// List the callees of a symbol
    ///
    /// If a name has several symbols that can be called, up to ten are listed one after another.
    Callees(Uses),
    /// Preview a rename, or apply it
    ///
    /// Renames all uses that are proved to refer to the symbol, or none, together with its declarations, its overloads and
    /// the methods that override each other. Without --apply, it only lists these uses, the possible uses, and the comments
    /// and strings that contain the name. Possible uses, comments and strings always keep the old name; if there are possible
    /// uses, --apply needs --leave-possible. `toolpost undo` reverts a rename.
    Rename(Rename),
}

#[derive(clap::Args)]
pub(crate) struct Outline {
    /// Path of the file
    pub(crate) file: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct FindArgs {
    /// Name, part of a name, or dotted names such as Cart.total
    pub(crate) query: String,
    /// Kind of symbol, such as function or class
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Search only this file or directory
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Grep {
    /// Regular expression
    pub(crate) pattern: String,
    /// Search only this file or directory
    pub(crate) path: Option<String>,
    /// Search these repositories of the shared index, not the workspace; * matches any characters (repeatable)
    #[arg(long = "repositories", value_name = "NAMES")]
    pub(crate) across: Vec<String>,
    /// Branch of these repositories [default: the first one that was pushed]
    #[arg(long, value_name = "NAME", requires = "across")]
    pub(crate) branch: Option<String>,
    /// Search only matching files; a leading `!` excludes them (repeatable)
    #[arg(short = 'g', long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Ignore the case of letters
    #[arg(short = 'i', long)]
    pub(crate) ignore_case: bool,
    /// Lines of context around each match
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub(crate) context: u8,
    /// Maximum number of matching lines
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Search {
    /// Keywords, with AND, OR, NOT, groups, "phrases", wild*cards and filters such as ext:rs
    pub(crate) query: String,
    /// Search only this file or directory
    pub(crate) path: Option<String>,
    /// Search these repositories of the shared index, not the workspace, by keywords and by meaning (repeatable)
    #[arg(long = "repositories", value_name = "NAMES", conflicts_with_all = ["exact", "next"])]
    pub(crate) across: Vec<String>,
    /// Branch of these repositories [default: the first one that was pushed]
    #[arg(long, value_name = "NAME", requires = "across")]
    pub(crate) branch: Option<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Search for the literal text
    #[arg(long)]
    pub(crate) exact: bool,
    /// Also search tests
    #[arg(long)]
    pub(crate) tests: bool,
    /// Continue an earlier search from the cursor that it printed
    #[arg(long, value_name = "CURSOR")]
    pub(crate) next: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Uses {
    /// Symbol: an id, PATH#NAME, or a name
    pub(crate) symbol: String,
    /// Maximum number of uses of each symbol, from 1 to 100
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) limit: u8,
    /// Number of uses to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Rename {
    /// Symbol: an id, PATH#NAME, or a name
    #[arg(value_name = "NAME")]
    pub(crate) symbol: String,
    /// New name, without qualifiers
    #[arg(value_name = "NEW")]
    pub(crate) new_name: String,
    /// Location of the definition, if several symbols have the name
    #[arg(long = "in", value_name = "FILE[:LINE]")]
    pub(crate) place: Option<String>,
    /// Make the rename; refused if there are possible uses
    #[arg(long)]
    pub(crate) apply: bool,
    /// With --apply, make the rename although possible uses keep the old name
    #[arg(long, requires = "apply")]
    pub(crate) leave_possible: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct History {
    /// Maximum number of changes
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// List only changes to this file or directory
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Diff {
    /// Id of a change or of a call, or the beginning of the id [default: the last change]
    #[arg(value_name = "CALL")]
    pub(crate) change: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Undo {
    /// Id of a change or of a call, or the beginning of the id [default: the last change that is not undone]
    #[arg(value_name = "CALL")]
    pub(crate) change: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// Also list the settings that have their default value
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, with all settings
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Skills {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<SkillsCommand>,
}

#[derive(Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the skills
    List(ListSkills),
    /// Trust the project's skills until one of their files changes
    Trust(TrustSkills),
}

#[derive(clap::Args)]
pub(crate) struct ListSkills {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct TrustSkills {
    /// Names of the skills [default: all of the project's]
    pub(crate) names: Vec<String>,
    /// Revoke the trust
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Agent {
    /// Task for the model; `-` reads standard input
    #[arg(required_unless_present = "resume")]
    pub(crate) task: Option<String>,
    /// Continue an earlier run with its settings: an id, the beginning of one, or `last`
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) limits: AgentLimits,
    /// Print the outcome as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<AgentCommand>,
}

#[derive(Subcommand)]
pub(crate) enum AgentCommand {
    /// List earlier runs, newest first
    List(AgentList),
}

#[derive(clap::Args)]
pub(crate) struct AgentLimits {
    /// Maximum number of model requests, including those of subagents and tools, but not compaction [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,
    /// Maximum number of tool calls [default: 600]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_calls: Option<u64>,
    /// Maximum number of tokens in all requests and answers [default: 2000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Time limit of the run [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_time: Option<u64>,
}

#[derive(clap::Args)]
pub(crate) struct AgentList {
    /// Also list runs in other directories
    #[arg(long)]
    pub(crate) all: bool,
    /// Maximum number of runs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show which rule decides about each part of a command, without running it
    ///
    /// The exit status is the verdict: 0 the command is allowed, 1 it needs approval, 2 it is denied or
    /// cannot be explained.
    Explain(Explain),
    /// Trust the project's .toolpost/policy.toml, so that it can also allow, and its agents, until these files change
    Trust(PolicyTrust),
}

#[derive(clap::Args)]
pub(crate) struct Explain {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Working directory of the command [default: the first root]
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<String>,
    /// One shell command as a single argument, or a program and its arguments; options of Toolpost come before it
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct PolicyTrust {
    /// Revoke the trust
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(clap::Args)]
pub(crate) struct Push {
    /// Shared index, as postgres://USER:PASSWORD@HOST:PORT/DATABASE [default: --index]
    pub(crate) address: Option<String>,
    /// Commit to push
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub(crate) commit: String,
    /// Branch of the commit [default: the branch that is checked out]
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Forget {
    /// Name of the repository in the index
    pub(crate) name: String,
    /// Shared index, as postgres://USER:PASSWORD@HOST:PORT/DATABASE [default: --index]
    pub(crate) address: Option<String>,
    /// Remove only this branch [default: all branches]
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Prune {
    /// Shared index, as postgres://USER:PASSWORD@HOST:PORT/DATABASE [default: --index]
    pub(crate) address: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
