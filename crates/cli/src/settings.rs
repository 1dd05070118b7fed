//! Active settings, each with its origin: a flag, the environment, the configuration file, or the default.

mod code_search;
mod editor;
mod external_agent;
mod model;
mod parse;
mod resume;
mod sources;

use crate::args::{Ask, CodeMode, Common, Deny, EventsDetail, OnOff};
use anyhow::{Context, Result};
use code_search::CodeSearchSettings;
use editor::EditorSettings;
pub(crate) use external_agent::NOBODY;
use model::ModelSettings;
use parse::one_of;
use parse::{names, path, reply_bytes, seconds, session, within_a_day};
use serde::Deserialize;
use sources::Sources;
pub(crate) use sources::{Origin, Setting};
use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};
use toolpost_engine::{Access, PublishedPorts, Resources};
use toolpost_workspace::{HistoryLimits, operator};

const MB: u64 = 1024 * 1024;
const DAY: u64 = 24 * 60 * 60;

/// All settings.
pub(crate) struct Settings {
    pub(crate) dialects: Setting<Vec<String>>,
    pub(crate) roots: Setting<Vec<PathBuf>>,
    pub(crate) narrow: ToolSelection,
    pub(crate) policy: Setting<Option<PathBuf>>,
    pub(crate) mcp_config: Setting<Option<PathBuf>>,
    pub(crate) ask: Setting<Ask>,
    pub(crate) sandbox: Setting<OnOff>,
    pub(crate) resources: CommandLimits,
    /// The ports of commands that the host may reach.
    pub(crate) publish: Setting<PublishedPorts>,
    pub(crate) code_mode: Setting<CodeMode>,
    pub(crate) events: EventSettings,
    pub(crate) state: Setting<Option<PathBuf>>,
    pub(crate) cache: Setting<Option<PathBuf>>,
    pub(crate) session: Setting<Option<String>>,
    pub(crate) shared: SharedIndexSettings,
    pub(crate) dependencies: Setting<OnOff>,
    pub(crate) deadline: Setting<Option<Duration>>,
    pub(crate) reply_bytes: Setting<Option<usize>>,
    pub(crate) encoding: Setting<Option<String>>,
    pub(crate) ignore_files: Setting<OnOff>,
    pub(crate) first_match: Setting<OnOff>,
    pub(crate) durable: Setting<OnOff>,
    pub(crate) search_agent: Setting<OnOff>,
    pub(crate) any_root: Setting<OnOff>,
    pub(crate) embedding: EmbeddingSettings,
    pub(crate) history: HistorySettings,
    pub(crate) code_search: CodeSearchSettings,
    pub(crate) agent: ModelSettings,
    pub(crate) editor: EditorSettings,
}

/// Embedding model that replaces the embedded one.
pub(crate) struct EmbeddingSettings {
    pub(crate) address: Setting<Option<String>>,
    pub(crate) model: Setting<Option<String>>,
}

/// Selection of the tools to serve, and denied capabilities.
pub(crate) struct ToolSelection {
    pub(crate) tools: Setting<Option<Vec<String>>>,
    pub(crate) deny: Setting<Vec<Deny>>,
    pub(crate) read_only: Setting<OnOff>,
}

/// Event log: its file and level of detail.
pub(crate) struct EventSettings {
    pub(crate) file: Setting<Option<PathBuf>>,
    pub(crate) detail: Setting<EventsDetail>,
}

/// Shared index and the repositories that the roots belong to.
pub(crate) struct SharedIndexSettings {
    pub(crate) index: Setting<Option<String>>,
    pub(crate) repositories: Setting<Option<Vec<String>>>,
}

/// The limits of each command, together with everything that it starts; 0 is no limit.
pub(crate) struct CommandLimits {
    pub(crate) memory_mb: Setting<u64>,
    pub(crate) processes: Setting<u64>,
    pub(crate) file_mb: Setting<u64>,
    pub(crate) disk_reserve_mb: Setting<u64>,
}

/// Limits of the history.
pub(crate) struct HistorySettings {
    pub(crate) megabytes: Setting<u64>,
    pub(crate) days: Setting<u64>,
}

/// Configuration file; every key is optional.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    dialect: Option<Vec<String>>,
    root: Option<Vec<PathBuf>>,
    tools: Option<Vec<String>>,
    deny: Option<Vec<Deny>>,
    read_only: Option<OnOff>,
    policy: Option<PathBuf>,
    mcp_config: Option<PathBuf>,
    ask: Option<Ask>,
    sandbox: Option<OnOff>,
    command_memory_mb: Option<u64>,
    command_processes: Option<u64>,
    command_file_mb: Option<u64>,
    disk_reserve_mb: Option<u64>,
    publish: Option<String>,
    code_mode: Option<CodeMode>,
    events: Option<PathBuf>,
    events_detail: Option<EventsDetail>,
    state: Option<PathBuf>,
    cache: Option<PathBuf>,
    session: Option<String>,
    index: Option<String>,
    repository: Option<Vec<String>>,
    dependencies: Option<OnOff>,
    deadline_seconds: Option<f64>,
    reply_bytes: Option<usize>,
    encoding: Option<String>,
    ignore_files: Option<OnOff>,
    first_match: Option<OnOff>,
    durable: Option<OnOff>,
    search_agent: Option<OnOff>,
    any_root: Option<OnOff>,
    embedding: Option<String>,
    embedding_model: Option<String>,
    history_mb: Option<u64>,
    history_days: Option<u64>,
    editor: Option<String>,
    editor_apply: Option<OnOff>,
    #[serde(default)]
    codesearch: code_search::File,
    #[serde(default)]
    agent: model::File,
}

impl Settings {
    /// Returns the denied kinds of access.
    pub(crate) fn denied(&self) -> Vec<Access> {
        let mut denied: Vec<Access> = self.narrow.deny.value.iter().map(|deny| deny.access()).collect();
        if self.narrow.denies_writes() {
            // An upstream tool may write.
            denied.extend([Access::Writes, Access::Bridges]);
            if self.sandbox.value == OnOff::Off {
                // Without a sandbox, a command may write.
                denied.push(Access::Executes);
            }
        }
        denied
    }

    /// Reads all settings.
    pub(crate) fn find(flags: &Common) -> Result<Self> {
        let place = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("config.toml"));
        let file = place.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let from = Sources { file: place.unwrap_or_default() };
        let claude = vec!["claude".to_owned()];
        let list = |values: &[String]| (!values.is_empty()).then(|| values.to_vec());
        Ok(Self {
            dialects: from.choose(list(&flags.dialects), "DIALECT", names, file.dialect, claude)?,
            roots: rooted(flags, &from, file.root)?,
            narrow: ToolSelection::find(flags, &from, (file.tools, file.deny, file.read_only))?,
            policy: from.optional(flags.policy.clone(), "POLICY", path, file.policy)?,
            mcp_config: from.optional(flags.mcp_config.clone(), "MCP_CONFIG", path, file.mcp_config)?,
            ask: from.choose(flags.ask, "ASK", one_of, file.ask, Ask::Deny)?,
            sandbox: from.choose(flags.sandbox, "SANDBOX", one_of, file.sandbox, OnOff::On)?,
            resources: CommandLimits::find(
                &from,
                [file.command_memory_mb, file.command_processes, file.command_file_mb, file.disk_reserve_mb],
            )?,
            publish: published(&from, file.publish.as_deref())?,
            code_mode: from.choose(flags.code_mode, "CODE_MODE", one_of, file.code_mode, CodeMode::Off)?,
            events: EventSettings::find(flags, &from, (file.events, file.events_detail))?,
            state: from.folder(
                flags.state.clone(),
                ("STATE", file.state),
                ("XDG_STATE_HOME", ".local/state"),
            )?,
            cache: from.folder(flags.cache.clone(), ("CACHE", file.cache), ("XDG_CACHE_HOME", ".cache"))?,
            session: named(flags, &from, file.session.as_deref())?,
            shared: SharedIndexSettings::find(flags, &from, (file.index, file.repository))?,
            dependencies: from.choose(
                flags.code_search.dependencies,
                "DEPENDENCIES",
                one_of,
                file.dependencies,
                OnOff::On,
            )?,
            deadline: limited(&from, file.deadline_seconds)?,
            reply_bytes: from.optional(
                None,
                "REPLY_BYTES",
                |text| reply_bytes(text.parse()?),
                file.reply_bytes.map(reply_bytes).transpose()?,
            )?,
            encoding: from.optional(None, "ENCODING", |text| Ok(text.to_owned()), file.encoding)?,
            ignore_files: from.choose(None, "IGNORE_FILES", one_of, file.ignore_files, OnOff::On)?,
            first_match: from.choose(
                flags.first_match,
                "FIRST_MATCH",
                one_of,
                file.first_match,
                OnOff::Off,
            )?,
            durable: from.choose(None, "DURABLE", one_of, file.durable, OnOff::On)?,
            search_agent: from.choose(None, "SEARCH_AGENT", one_of, file.search_agent, OnOff::Off)?,
            any_root: from.choose(None, "ANY_ROOT", one_of, file.any_root, OnOff::Off)?,
            embedding: EmbeddingSettings::find(&from, file.embedding, file.embedding_model)?,
            history: HistorySettings::find(&from, file.history_mb, file.history_days)?,
            code_search: CodeSearchSettings::find(&flags.code_search, &from, file.codesearch)?,
            agent: ModelSettings::find(&flags.model, &from, file.agent)?,
            editor: EditorSettings::find(&flags.editor, &from, (file.editor, file.editor_apply))?,
        })
    }
}

/// Reads the roots of the workspace.
fn rooted(flags: &Common, from: &Sources, file: Option<Vec<PathBuf>>) -> Result<Setting<Vec<PathBuf>>> {
    let said = (!flags.roots.is_empty()).then(|| flags.roots.clone());
    let paths = |text: &str| Ok(env::split_paths(text).collect());
    from.choose(said, "ROOT", paths, file, vec![PathBuf::from(".")])
}

impl Deny {
    /// Returns the denied kind of access.
    pub(crate) fn access(self) -> Access {
        match self {
            Self::Write => Access::Writes,
            Self::Execute => Access::Executes,
            Self::Fetch => Access::Fetches,
            Self::Bridge => Access::Bridges,
            Self::Delegate => Access::Delegates,
            Self::Editor => Access::Editor,
        }
    }

    /// Returns the name of the capability.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Fetch => "fetch",
            Self::Bridge => "bridge",
            Self::Delegate => "delegate",
            Self::Editor => "editor",
        }
    }
}

/// Reads the ports that commands may publish.
fn published(from: &Sources, file: Option<&str>) -> Result<Setting<PublishedPorts>> {
    let ports = |text: &str| text.parse().context("invalid `publish`");
    from.choose(None, "PUBLISH", ports, file.map(ports).transpose()?, PublishedPorts::default())
}

/// Reads the deadline of a call.
fn limited(from: &Sources, file: Option<f64>) -> Result<Setting<Option<Duration>>> {
    from.optional(None, "DEADLINE_SECONDS", seconds, file.map(within_a_day).transpose()?)
}

/// Reads the session name.
fn named(flags: &Common, from: &Sources, file: Option<&str>) -> Result<Setting<Option<String>>> {
    let flag = flags.session.as_deref().map(session).transpose()?;
    from.optional(flag, "SESSION", session, file.map(session).transpose()?)
}

impl EmbeddingSettings {
    fn find(from: &Sources, address: Option<String>, model: Option<String>) -> Result<Self> {
        let text = |text: &str| Ok(text.to_owned());
        Ok(Self {
            address: from.optional(None, "EMBEDDING", text, address)?,
            model: from.optional(None, "EMBEDDING_MODEL", text, model)?,
        })
    }
}

impl ToolSelection {
    fn find(
        flags: &Common,
        from: &Sources,
        file: (Option<Vec<String>>, Option<Vec<Deny>>, Option<OnOff>),
    ) -> Result<Self> {
        let tools = (!flags.tools.is_empty()).then(|| flags.tools.clone());
        let deny = (!flags.deny.is_empty()).then(|| flags.deny.clone());
        let touches = |text: &str| names(text)?.iter().map(|name| one_of(name)).collect();
        let read_only = flags.read_only.then_some(OnOff::On);
        Ok(Self {
            tools: from.optional(tools, "TOOLS", names, file.0)?,
            deny: from.choose(deny, "DENY", touches, file.1, Vec::new())?,
            read_only: from.choose(read_only, "READ_ONLY", one_of, file.2, OnOff::Off)?,
        })
    }

    /// Returns whether writing is denied.
    fn denies_writes(&self) -> bool {
        self.read_only.value == OnOff::On || self.deny.value.contains(&Deny::Write)
    }
}

impl EventSettings {
    fn find(flags: &Common, from: &Sources, file: (Option<PathBuf>, Option<EventsDetail>)) -> Result<Self> {
        let names = EventsDetail::Names;
        Ok(Self {
            file: from.optional(flags.events.clone(), "EVENTS", path, file.0)?,
            detail: from.choose(flags.events_detail, "EVENTS_DETAIL", one_of, file.1, names)?,
        })
    }
}

impl SharedIndexSettings {
    fn find(flags: &Common, from: &Sources, file: (Option<String>, Option<Vec<String>>)) -> Result<Self> {
        let repositories = (!flags.repositories.is_empty()).then(|| flags.repositories.clone());
        Ok(Self {
            index: from.optional(flags.index.clone(), "INDEX", |text| Ok(text.to_owned()), file.0)?,
            repositories: from.optional(repositories, "REPOSITORY", names, file.1)?,
        })
    }
}

impl CommandLimits {
    fn find(from: &Sources, [memory, processes, file_size, reserve]: [Option<u64>; 4]) -> Result<Self> {
        let default = Resources::of_machine();
        let number = |text: &str| Ok(text.parse()?);
        let megabytes = |bytes: Option<u64>| bytes.unwrap_or_default() / MB;
        let (most, large) = (megabytes(default.memory), megabytes(default.file_size));
        let (count, free) = (default.processes.unwrap_or_default(), megabytes(default.disk_reserve));
        Ok(Self {
            memory_mb: from.choose(None, "COMMAND_MEMORY_MB", number, memory, most)?,
            processes: from.choose(None, "COMMAND_PROCESSES", number, processes, count)?,
            file_mb: from.choose(None, "COMMAND_FILE_MB", number, file_size, large)?,
            disk_reserve_mb: from.choose(None, "DISK_RESERVE_MB", number, reserve, free)?,
        })
    }

    /// Returns the limits that the settings mean.
    pub(crate) fn resources(&self) -> Resources {
        let limit = |setting: &Setting<u64>| Some(setting.value).filter(|value| *value > 0);
        let bytes = |setting: &Setting<u64>| limit(setting).map(|megabytes| megabytes.saturating_mul(MB));
        Resources {
            memory: bytes(&self.memory_mb),
            processes: limit(&self.processes),
            file_size: bytes(&self.file_mb),
            disk_reserve: bytes(&self.disk_reserve_mb),
        }
    }
}

impl HistorySettings {
    fn find(from: &Sources, megabytes: Option<u64>, days: Option<u64>) -> Result<Self> {
        let limits = HistoryLimits::default();
        let number = |text: &str| Ok(text.parse()?);
        Ok(Self {
            megabytes: from.choose(None, "HISTORY_MB", number, megabytes, limits.bytes / MB)?,
            days: from.choose(None, "HISTORY_DAYS", number, days, limits.age.as_secs() / DAY)?,
        })
    }

    /// Returns the limits in the units of the history.
    pub(crate) fn limits(&self) -> HistoryLimits {
        HistoryLimits {
            bytes: self.megabytes.value.saturating_mul(MB),
            age: Duration::from_secs(self.days.value.saturating_mul(DAY)),
        }
    }
}

fn read_file(path: &Path) -> Result<File> {
    let Some(text) = operator::read(path).with_context(|| format!("{} cannot be read", path.display()))?
    else {
        return Ok(File::default());
    };
    toml::from_str(&text).with_context(|| format!("invalid configuration file {}", path.display()))
}
