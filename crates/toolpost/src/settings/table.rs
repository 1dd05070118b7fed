//! Table of all settings: one row has the flag, variable, key, default, form and help of a setting.

use super::{
    form::{self, Form, Shape},
    parse,
    sources::{Origin, Setting, Sources},
    values::{AgentMay, AskFallback, CodeMode, Deny, EditorChoice, EventsDetail, OnOff, Pictures},
};
use crate::error::Error;
use std::{path::PathBuf, time::Duration};
use toolpost_engine::{PublishedPorts, Resources};
use toolpost_workspace::{HistoryLimits, operator};

/// Bytes in a megabyte.
pub(super) const MB: u64 = 1024 * 1024;
/// Seconds in a day.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// A setting, as the command line, `doctor` and the documentation show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Key in the configuration file, with a dot between the table and the name.
    pub key: &'static str,
    /// Name of the environment variable.
    pub variable: &'static str,
    /// Flag of the command line, if the setting has one.
    pub flag: Option<Flag>,
    /// The default, as shown to users.
    pub default: &'static str,
    /// A value that is not the default, as the variable accepts it.
    pub example: &'static str,
    /// Meaning of the setting, without a final full stop.
    pub help: &'static str,
    /// Further sentences for the documentation, in Markdown.
    pub more: &'static str,
}

/// Flag of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// Name of the flag, without the hyphens.
    pub name: &'static str,
    /// Name of the flag's value in the help; empty if the flag takes no value.
    pub value: &'static str,
    /// Number of values that the flag takes.
    pub takes: ValueCount,
}

/// Number of values that a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueCount {
    /// No value; the flag stands for `on`.
    Nothing,
    /// One value.
    One,
    /// One value, and the flag can be repeated.
    Many,
    /// Several values, separated by commas, and the flag can be repeated.
    ManyByComma,
}

/// A setting with the form of its values.
#[derive(Debug, Clone)]
pub struct SettingDescription {
    /// The setting's row in the table of all settings.
    pub row: &'static Row,
    /// The shape of a value: a single string, a number or a list.
    pub shape: Shape,
    /// Accepted keywords; empty if any value of the type is accepted.
    pub choices: Vec<&'static str>,
}

/// A setting with its value, as `doctor` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Key of the setting.
    pub key: &'static str,
    /// The value, as shown to users.
    pub value: String,
    /// The origin of the value, as shown to users.
    pub origin: String,
}

impl Row {
    /// Returns the name of the flag, or else the key.
    pub(super) fn flag_name(&self) -> &'static str {
        self.flag.map_or(self.key, |flag| flag.name)
    }

    /// Returns the line that `doctor` prints.
    fn line<T: 'static>(&self, form: &Form<T>, setting: &Setting<T>) -> Line {
        let value = form.show(&setting.value).unwrap_or_else(|| self.default.replace('`', ""));
        Line { key: self.key, value, origin: setting.origin.to_string() }
    }
}

const fn flag(name: &'static str, value: &'static str, takes: ValueCount) -> Option<Flag> {
    Some(Flag { name, value, takes })
}

/// Declares the settings: the table of rows, the struct that holds their values, and the code that reads and
/// lists them.
macro_rules! settings {
    ($($field:ident: $type:ty = $default:expr, {
        key: $key:literal, variable: $variable:literal, flag: $flag:expr, form: $form:expr,
        default: $words:literal, example: $example:literal, help: $help:literal, more: $more:literal $(,)?
    })*) => {
        /// All settings with their values and origins.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $(#[doc = concat!($help, ".")] pub $field: Setting<$type>,)*
        }

        /// Table of all settings, in the order of the documentation.
        pub const TABLE: &[Row] = &ROWS;

        const ROWS: [Row; [$($key),*].len()] = [$(Row {
            key: $key, variable: concat!("TOOLPOST_", $variable), flag: $flag, default: $words, example: $example,
            help: $help, more: $more,
        }),*];

        impl Settings {
            /// Reads all settings from their sources.
            ///
            /// # Errors
            /// [`Error::Setting`] if a value is invalid; the message names its source.
            pub fn from_sources(sources: &Sources) -> Result<Self, Error> {
                let [$($field),*] = &ROWS;
                Ok(Self { $($field: sources.choose($field, &$form, || $default)?),* })
            }

            /// Returns the default of every setting.
            #[must_use]
            pub fn defaults() -> Self {
                Self { $($field: Setting { value: $default, origin: Origin::Default }),* }
            }

            /// Lists all settings with their values and origins.
            #[must_use]
            pub fn lines(&self) -> Vec<Line> {
                let [$($field),*] = &ROWS;
                vec![$($field.line(&$form, &self.$field)),*]
            }
        }

        /// Returns the rows of all settings, each with the shape and the keywords of its values.
        #[must_use]
        pub fn described() -> Vec<SettingDescription> {
            let [$($field),*] = &ROWS;
            vec![$({
                let form: Form<$type> = $form;
                SettingDescription { row: $field, shape: form.shape, choices: form.choices }
            }),*]
        }
    };
}

settings! {
    dialects: Vec<String> = vec!["claude".to_owned()], {
        key: "dialect", variable: "DIALECT", flag: flag("dialect", "NAME", ValueCount::Many), form: form::names(),
        default: "`claude`", example: "opencode,probe",
        help: "Tool dialect: claude, trae, zblade, opencode or probe",
        more: "Tools with the same name in two dialects get the dialect as a prefix.",
    }
    roots: Vec<PathBuf> = vec![PathBuf::from(".")], {
        key: "root", variable: "ROOT", flag: flag("root", "DIR", ValueCount::Many), form: form::paths(),
        default: "the current directory", example: "/srv/project:/srv/library",
        help: "Directory that tools may read and change",
        more: "Relative paths start in the first root; a search without a path searches only the first \
               root, and its reply lists the others.",
    }
    tools: Option<Vec<String>> = None, {
        key: "tools", variable: "TOOLS", flag: flag("tools", "PATTERN", ValueCount::ManyByComma), form: form::optional(form::names()),
        default: "all", example: "Read,Grep",
        help: "Serve only these tools: names, globs, or !NAME to exclude",
        more: "Aliases and `dialect_name` select a tool, too ([serve fewer tools](#serve-fewer-tools)).",
    }
    deny: Vec<Deny> = Vec::new(), {
        key: "deny", variable: "DENY", flag: flag("deny", "CAPABILITY", ValueCount::Many), form: form::choices(),
        default: "nothing", example: "execute,fetch",
        help: "Remove every tool with this capability",
        more: "",
    }
    read_only: OnOff = OnOff::Off, {
        key: "read_only", variable: "READ_ONLY", flag: flag("read-only", "", ValueCount::Nothing), form: form::choice(),
        default: "`off`", example: "on",
        help: "Remove every tool that writes, as --deny write does",
        more: "",
    }
    mcp_config: Option<PathBuf> = None, {
        key: "mcp_config", variable: "MCP_CONFIG", flag: flag("mcp-config", "FILE", ValueCount::One), form: form::optional(form::path()),
        default: "none", example: "/etc/servers.json",
        help: "File with `mcpServers` whose tools are served as `mcp__server__tool`",
        more: "See [upstream servers](bridged.md).",
    }
    editor: EditorChoice = EditorChoice::Auto, {
        key: "editor", variable: "EDITOR", flag: flag("editor", "EDITOR", ValueCount::One), form: form::editor(),
        default: "`auto`", example: "off",
        help: "Editor for the editor tools: nvim:SOCKET, auto (the editor in whose terminal Toolpost runs) or off",
        more: "See [editors](editors.md).",
    }
    editor_apply: OnOff = OnOff::Off, {
        key: "editor_apply", variable: "EDITOR_APPLY", flag: flag("editor-apply", "on|off", ValueCount::One), form: form::choice(),
        default: "`off`", example: "on",
        help: "Without an editor, write the editor tools' insertions to the file",
        more: "",
    }
    policy: Option<PathBuf> = None, {
        key: "policy", variable: "POLICY", flag: flag("policy", "FILE", ValueCount::One), form: form::optional(form::path()),
        default: "none", example: "/etc/policy.toml",
        help: "Policy file to use instead of the user's and the project's",
        more: "It holds [access rules](#access-rules).",
    }
    ask: AskFallback = AskFallback::Deny, {
        key: "ask", variable: "ASK", flag: flag("ask", "ANSWER", ValueCount::One), form: form::choice(),
        default: "`deny`", example: "prompt",
        help: "Answer if a call needs approval and no prompt is possible",
        more: "See [approvals](#approvals).",
    }
    sandbox: OnOff = OnOff::On, {
        key: "sandbox", variable: "SANDBOX", flag: flag("sandbox", "on|off", ValueCount::One), form: form::choice(),
        default: "`on`", example: "off",
        help: "Run commands in a sandbox",
        more: "",
    }
    code_mode: CodeMode = CodeMode::Off, {
        key: "code_mode", variable: "CODE_MODE", flag: flag("code-mode", "MODE", ValueCount::One), form: form::choice(),
        default: "`off`", example: "only",
        help: "Serve a tool that runs JavaScript, which can call the other tools; `only` hides the other \
               tools",
        more: "See [code mode](plans.md).",
    }
    events: Option<PathBuf> = None, {
        key: "events", variable: "EVENTS", flag: flag("events", "FILE", ValueCount::One), form: form::optional(form::path()),
        default: "none", example: "/tmp/events.jsonl",
        help: "File to log every call to, as JSON lines",
        more: "See [events](#events).",
    }
    events_detail: EventsDetail = EventsDetail::Names, {
        key: "events_detail", variable: "EVENTS_DETAIL", flag: flag("events-detail", "DETAIL", ValueCount::One), form: form::choice(),
        default: "`names`", example: "all",
        help: "Log only the names of tools, or all arguments and replies",
        more: "",
    }
    state: Option<PathBuf> = operator::folder("XDG_STATE_HOME", ".local/state"), {
        key: "state", variable: "STATE", flag: flag("state", "DIR", ValueCount::One), form: form::optional(form::path()),
        default: "the XDG state directory", example: "/var/lib/toolpost",
        help: "Directory for history, locks and transcripts",
        more: "The default is `$XDG_STATE_HOME/toolpost` or `~/.local/state/toolpost`.",
    }
    cache: Option<PathBuf> = operator::folder("XDG_CACHE_HOME", ".cache"), {
        key: "cache", variable: "CACHE", flag: flag("cache", "DIR", ValueCount::One), form: form::optional(form::path()),
        default: "the XDG cache directory", example: "/var/cache/toolpost",
        help: "Directory for caches",
        more: "The default is `$XDG_CACHE_HOME/toolpost` or `~/.cache/toolpost`. `symbols` holds symbols, keywords and embeddings \
               (`words-…`), `grams` the trigram index.",
    }
    session: Option<String> = None, {
        key: "session", variable: "SESSION", flag: flag("session", "NAME", ValueCount::One),
        form: form::optional(form::text(parse::session, String::clone)),
        default: "a new one for each client", example: "work",
        help: "Session name; a later process that uses the same name continues the session's task list",
        more: "Letters, digits and `.` `_` `-`, at most 64.",
    }
    index: Option<String> = None, {
        key: "index", variable: "INDEX", flag: flag("index", "URL", ValueCount::One),
        form: form::optional(form::text(|text| Ok(text.to_owned()), |text| without_password(text))),
        default: "none", example: "postgres://index.example/code",
        help: "Shared index for searches, as postgres://…",
        more: "The [shared index](scale.md) is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. For encryption append \
               `?sslmode=verify-full` (and `sslrootcert=FILE`) or `?sslmode=require`. Keep the password in the file or the \
               variable: other users can see a command line.",
    }
    repositories: Option<Vec<String>> = None, {
        key: "repository", variable: "REPOSITORY", flag: flag("repository", "NAME", ValueCount::Many),
        form: form::optional(form::names()),
        default: "from the URL it was cloned from", example: "team/project",
        help: "Repository name of a root in the shared index",
        more: "",
    }
    provider: String = "openai".to_owned(), {
        key: "agent.provider", variable: "PROVIDER", flag: flag("provider", "NAME", ValueCount::One),
        form: form::text(parse::provider, String::clone),
        default: "`openai`", example: "anthropic",
        help: "Provider of the model: openai, responses, anthropic, gemini or ollama",
        more: "See [agents](agents.md).",
    }
    model: Option<String> = None, {
        key: "agent.model", variable: "MODEL", flag: flag("model", "NAME", ValueCount::One), form: form::optional(form::words()),
        default: "none", example: "small-1",
        help: "Model name",
        more: "",
    }
    base_url: Option<String> = None, {
        key: "agent.base_url", variable: "BASE_URL", flag: flag("base-url", "URL", ValueCount::One),
        form: form::optional(form::url()),
        default: "the provider's", example: "http://127.0.0.1:8080/v1",
        help: "URL of the model service",
        more: "",
    }
    window: u64 = 128_000, {
        key: "agent.window", variable: "WINDOW", flag: None, form: form::number(parse::positive, form::plain),
        default: "128000", example: "32000",
        help: "Context window of the model, in tokens",
        more: "",
    }
    pictures: Pictures = Pictures::Shown, {
        key: "agent.pictures", variable: "PICTURES", flag: None, form: form::choice(),
        default: "`shown`", example: "named",
        help: "How the model gets images in replies: as images (`shown`), or only their names (`named`)",
        more: "",
    }
    idle: f64 = 120.0, {
        key: "agent.idle_seconds", variable: "IDLE_SECONDS", flag: None, form: form::number(parse::idle, form::plain),
        default: "120", example: "30",
        help: "Time without any data from a model after which its request fails, in seconds",
        more: "",
    }
    max_turns: u64 = 200, {
        key: "agent.max_turns", variable: "MAX_TURNS", flag: None, form: form::number(parse::positive, form::plain),
        default: "200", example: "50",
        help: "Maximum number of turns per run; a turn is one model request and the calls in its answer. Requests that compact \
               the conversation do not count",
        more: "",
    }
    max_calls: u64 = 600, {
        key: "agent.max_calls", variable: "MAX_CALLS", flag: None, form: form::number(parse::positive, form::plain),
        default: "600", example: "100",
        help: "Maximum number of tool calls per run",
        more: "",
    }
    max_tokens: u64 = 2_000_000, {
        key: "agent.max_tokens", variable: "MAX_TOKENS", flag: None, form: form::number(parse::positive, form::plain),
        default: "2000000", example: "500000",
        help: "Maximum number of tokens in all requests and answers of a run",
        more: "",
    }
    max_time: u64 = 3_600, {
        key: "agent.max_time", variable: "MAX_TIME", flag: None, form: form::number(parse::positive, form::plain),
        default: "3600", example: "60",
        help: "Time limit of a run, in seconds",
        more: "",
    }
    external_agent: Option<Vec<String>> = None, {
        key: "agent.acp", variable: "ACP", flag: flag("acp", "COMMAND", ValueCount::One), form: form::command(),
        default: "none", example: "opencode acp",
        help: "External agent (ACP) to use instead of a model, such as \"opencode acp\"",
        more: "`none`: no agent. See [agents](agents.md).",
    }
    external_agent_may: AgentMay = AgentMay::Read, {
        key: "agent.acp_may", variable: "ACP_MAY", flag: flag("acp-may", "ACCESS", ValueCount::One), form: form::choice(),
        default: "`read`", example: "write",
        help: "What the external agent may do: `read`, `write` (only with Toolpost's tools), or `all` \
               (everything, also with its own tools)",
        more: "",
    }
    external_agent_variables: Vec<String> = Vec::new(), {
        key: "agent.acp_env", variable: "ACP_ENV", flag: None, form: form::names(),
        default: "none", example: "LANG,TERM",
        help: "Names of the environment variables that the external agent inherits",
        more: "",
    }
    dependencies: OnOff = OnOff::On, {
        key: "dependencies", variable: "DEPENDENCIES", flag: flag("dependencies", "on|off", ValueCount::One), form: form::choice(),
        default: "`on`", example: "off",
        help: "Read dependencies from the package managers' directories",
        more: "See [dependencies](#dependencies).",
    }
    codesearch: Option<String> = None, {
        key: "codesearch.provider", variable: "CODESEARCH", flag: flag("codesearch", "NAME", ValueCount::One),
        form: form::optional(form::words()),
        default: "none", example: "sourcegraph",
        help: "Web service that code search also queries: exa, context7, sourcegraph or github",
        more: "See [remote code search](#remote-code-search).",
    }
    codesearch_url: Option<String> = None, {
        key: "codesearch.base_url", variable: "CODESEARCH_URL", flag: flag("codesearch-url", "URL", ValueCount::One),
        form: form::optional(form::url()),
        default: "the service's default", example: "https://code.example",
        help: "URL of the code search service",
        more: "",
    }
    codesearch_key_env: Option<String> = None, {
        key: "codesearch.key_env", variable: "CODESEARCH_KEY_ENV", flag: None, form: form::optional(form::words()),
        default: "the service's default", example: "CODE_TOKEN",
        help: "Environment variable that holds the key of the code search service",
        more: "",
    }
    deadline: Option<Duration> = None, {
        key: "deadline_seconds", variable: "DEADLINE_SECONDS", flag: None,
        form: form::optional(form::number(parse::deadline, |time: &Duration| time.as_secs_f64().to_string())),
        default: "the dialect's", example: "30",
        help: "Time limit of a call, in seconds",
        more: "More than 0, at most 86400. The limit of the dialect `claude` is 60.",
    }
    reply_bytes: Option<usize> = None, {
        key: "reply_bytes", variable: "REPLY_BYTES", flag: None,
        form: form::optional(form::number(parse::reply_bytes, form::plain)),
        default: "the dialect's", example: "4000",
        help: "Maximum size of a reply, in bytes",
        more: "At least 2048. The maximum of the dialect `claude` is 102400.",
    }
    encoding: Option<String> = None, {
        key: "encoding", variable: "ENCODING", flag: None, form: form::optional(form::words()),
        default: "none", example: "gbk",
        help: "Encoding of files that are not UTF-8 and have no byte order mark, such as gbk or windows-1252",
        more: "",
    }
    ignore_files: OnOff = OnOff::On, {
        key: "ignore_files", variable: "IGNORE_FILES", flag: None, form: form::choice(),
        default: "`on`", example: "off",
        help: "Skip files that .gitignore and similar files exclude, in the tools that follow this setting",
        more: "These are the searches and overviews of `zblade`, and `query` of `probe`.",
    }
    first_match: OnOff = OnOff::Off, {
        key: "first_match", variable: "FIRST_MATCH", flag: flag("first-match", "on|off", ValueCount::One), form: form::choice(),
        default: "`off`", example: "on",
        help: "If the text to replace is ambiguous, change the first match instead of refusing",
        more: "This applies to edits that search in file order (`trae`, and patches in `opencode`). `off` refuses an \
               ambiguous edit and lists the lines of its matches.",
    }
    durable: OnOff = OnOff::On, {
        key: "durable", variable: "DURABLE", flag: None, form: form::choice(),
        default: "`on`", example: "off",
        help: "Let a finished write survive a power failure",
        more: "`off`: a finished write survives only a crash of the process.",
    }
    search_agent: OnOff = OnOff::Off, {
        key: "search_agent", variable: "SEARCH_AGENT", flag: None, form: form::choice(),
        default: "`off`", example: "on",
        help: "Let the search tool of the dialect `probe` use an agent that reads the code",
        more: "Without a model, the query is expanded and the results are reordered.",
    }
    any_root: OnOff = OnOff::Off, {
        key: "any_root", variable: "ANY_ROOT", flag: None, form: form::choice(),
        default: "`off`", example: "on",
        help: "Allow / and the home directory as roots",
        more: "",
    }
    command_memory_mb: u64 = megabytes(Resources::of_machine().memory), {
        key: "command_memory_mb", variable: "COMMAND_MEMORY_MB", flag: None, form: form::count(),
        default: "three quarters of the memory", example: "512",
        help: "Memory of a command and everything that it starts, in megabytes; 0: no limit",
        more: "",
    }
    command_processes: u64 = Resources::of_machine().processes.unwrap_or_default(), {
        key: "command_processes", variable: "COMMAND_PROCESSES", flag: None, form: form::count(),
        default: "4096", example: "100",
        help: "Processes and threads of a command and everything that it starts; 0: no limit",
        more: "",
    }
    command_file_mb: u64 = megabytes(Resources::of_machine().file_size), {
        key: "command_file_mb", variable: "COMMAND_FILE_MB", flag: None, form: form::count(),
        default: "65536", example: "100",
        help: "Size of one file that a command writes, in megabytes; 0: no limit",
        more: "",
    }
    disk_reserve_mb: u64 = megabytes(Resources::of_machine().disk_reserve), {
        key: "disk_reserve_mb", variable: "DISK_RESERVE_MB", flag: None, form: form::count(),
        default: "1024", example: "2048",
        help: "Disk space that must stay free while a command runs, in megabytes; 0: no limit. If that is more than \
               half of the space free when the command starts, half of that space is used instead",
        more: "",
    }
    publish: PublishedPorts = PublishedPorts::default(), {
        key: "publish", variable: "PUBLISH", flag: None, form: form::text(|text| Ok(text.parse()?), form::plain),
        default: "none", example: "5173,8000-8099",
        help: "Ports at which other programs can reach sandboxed commands on 127.0.0.1: numbers and ranges, \
               separated by commas",
        more: "See [the command sandbox](#the-command-sandbox).",
    }
    embedding: Option<String> = None, {
        key: "embedding", variable: "EMBEDDING", flag: None, form: form::optional(form::url()),
        default: "the built-in model", example: "http://127.0.0.1:11434/v1",
        help: "URL of an embedding service, or directory of a model",
        more: "See [embedding model](#embedding-model).",
    }
    embedding_model: Option<String> = None, {
        key: "embedding_model", variable: "EMBEDDING_MODEL", flag: None, form: form::optional(form::words()),
        default: "none", example: "nomic-embed-text",
        help: "Model of the embedding service; required with a URL",
        more: "",
    }
    history_mb: u64 = HistoryLimits::default().bytes / MB, {
        key: "history_mb", variable: "HISTORY_MB", flag: None, form: form::count(),
        default: "512", example: "64",
        help: "Maximum size of the history, in megabytes; 0 disables the history",
        more: "See [history](#history).",
    }
    history_days: u64 = HistoryLimits::default().age.as_secs() / DAY, {
        key: "history_days", variable: "HISTORY_DAYS", flag: None, form: form::count(),
        default: "30", example: "7",
        help: "Number of days for which a recorded change is kept",
        more: "",
    }
}

fn megabytes(bytes: Option<u64>) -> u64 {
    bytes.unwrap_or_default() / MB
}

/// Formats the URL of the shared index without its password.
#[cfg(feature = "shared")]
fn without_password(address: &str) -> String {
    toolpost_shared_index::without_password(address)
}

/// Returns a notice instead of the URL of the shared index, which this build cannot use.
#[cfg(not(feature = "shared"))]
fn without_password(_address: &str) -> String {
    "set, but this program was built without the feature `shared`: rebuild it with that feature, or remove the setting"
        .to_owned()
}
