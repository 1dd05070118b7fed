//! Flags of the settings, as a command line takes them.

use clap::ValueEnum;
use std::path::PathBuf;

/// Options that every command takes.
#[derive(clap::Args, Default)]
pub struct Common {
    /// Tool dialect: claude, trae, zblade, opencode or probe (repeatable) [default: claude]
    #[arg(long = "dialect", global = true, value_name = "NAME")]
    pub dialects: Vec<String>,
    /// Directory that tools may read and change (repeatable) [default: the current directory]
    #[arg(long = "root", global = true, value_name = "DIR")]
    pub roots: Vec<PathBuf>,
    /// Serve only these tools: names, globs, or !NAME to exclude (comma-separated, repeatable) [default: all]
    #[arg(long, global = true, value_name = "NAME", value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Remove every tool with this capability; see `touch` in the policy documentation (repeatable) [default:
    /// none]
    #[arg(long, global = true, value_enum, value_name = "TOUCH")]
    pub deny: Vec<Deny>,
    /// Remove every tool that writes, as --deny write does
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Policy file to use instead of the user's and the project's
    #[arg(long, global = true, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// File with `mcpServers` whose tools are served as mcp__server__tool [default: none]
    #[arg(long, global = true, value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
    /// Answer to prompts when there is no terminal to ask at [default: deny]
    #[arg(long, global = true, value_enum)]
    pub ask: Option<Ask>,
    /// Run commands in a sandbox [default: on]
    #[arg(long, global = true, value_enum)]
    pub sandbox: Option<OnOff>,
    /// Serve a tool that runs JavaScript, which calls the other tools; `only` hides the others [default: off]
    #[arg(long, global = true, value_enum)]
    pub code_mode: Option<CodeMode>,
    /// If the text to replace is ambiguous, change the first match instead of refusing [default: off]
    #[arg(long, global = true, value_enum)]
    pub first_match: Option<OnOff>,
    /// File to log every call to, as JSON lines
    #[arg(long, global = true, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Log only the names of tools, or all arguments and replies [default: names]
    #[arg(long, global = true, value_enum)]
    pub events_detail: Option<EventsDetail>,
    /// Directory for history, locks and transcripts [default: the XDG state directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Directory for caches [default: the XDG cache directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Session name; a later process with the same name continues its task list [default: a new session]
    #[arg(long, global = true, value_name = "NAME")]
    pub session: Option<String>,
    /// Shared index for searches, as postgres://… [default: none]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub index: Option<String>,
    #[command(flatten)]
    pub model: ModelFlags,
    #[command(flatten)]
    pub editor: EditorFlags,
    /// Repository name of a root in the shared index (repeatable) [default: from the URL it was cloned from]
    #[arg(long = "repository", global = true, value_name = "NAME")]
    pub repositories: Vec<String>,
    #[command(flatten)]
    pub code_search: CodeSearchFlags,
}

/// Answer to prompts when there is no terminal.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    Allow,
    Deny,
    Prompt,
}

/// Capability of tools that can be denied.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Deny {
    Write,
    Execute,
    Fetch,
    Bridge,
    Delegate,
    Editor,
}

/// Setting for code mode: scripts that call tools.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum CodeMode {
    /// Add two tools: one searches the tools, one runs scripts
    On,
    /// Serve only the tools of the dialects
    Off,
    /// Serve only these two; scripts call the others
    Only,
}

/// Level of detail of the event log.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum EventsDetail {
    Names,
    All,
}

/// Boolean option.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum OnOff {
    On,
    Off,
}

/// Flags that choose a model.
#[derive(clap::Args, Default)]
pub struct ModelFlags {
    /// Model name [default: none]
    #[arg(long, global = true, value_name = "NAME")]
    pub model: Option<String>,
    /// Provider of the model: openai, responses, anthropic, gemini or ollama [default: openai]
    #[arg(long, global = true, value_name = "NAME")]
    pub provider: Option<String>,
    /// URL of the model service [default: the provider's]
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    #[command(flatten)]
    pub own: ExternalAgentFlags,
}

/// Flags of an external agent.
#[derive(clap::Args, Default)]
pub struct ExternalAgentFlags {
    /// External agent to use instead of a model (ACP), such as "opencode acp" [default: none]
    #[arg(long, global = true, value_name = "COMMAND")]
    pub acp: Option<String>,
    /// Permissions of the external agent: read, write (with Toolpost's tools) or all [default: read]
    #[arg(long, global = true, value_name = "WHAT")]
    pub acp_may: Option<String>,
}

/// Flags of the editor tools.
#[derive(clap::Args, Default)]
pub struct EditorFlags {
    /// Editor for the editor tools: nvim:SOCKET, auto (the editor whose terminal this is) or off [default:
    /// auto]
    #[arg(long, global = true, value_name = "EDITOR")]
    pub editor: Option<String>,
    /// Without an editor, apply insertions to the file [default: off]
    #[arg(long, global = true, value_enum)]
    pub editor_apply: Option<OnOff>,
}

/// Flags of code search outside the workspace.
#[derive(clap::Args, Default)]
pub struct CodeSearchFlags {
    /// Read dependencies from the package managers' directories [default: on]
    #[arg(long, global = true, value_enum)]
    pub dependencies: Option<OnOff>,
    /// Web service that code search also asks: exa, context7, sourcegraph or github [default: none]
    #[arg(long, global = true, value_name = "NAME")]
    pub codesearch: Option<String>,
    /// URL of the code search service
    #[arg(long, global = true, value_name = "URL")]
    pub codesearch_url: Option<String>,
}

/// Limits of a run of an agent.
#[derive(clap::Args)]
pub struct AgentLimits {
    /// Maximum number of model requests, including those of delegates and tools [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_turns: Option<u64>,
    /// Maximum number of tool calls [default: 600]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_calls: Option<u64>,
    /// Maximum number of tokens in all requests and answers [default: 2000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Time limit [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_time: Option<u64>,
}
