//! What is in force, and where it came from: a flag, the environment, the configuration file, or the default.

mod parsed;
mod resumed;
mod sources;

use crate::{
    args::{Ask, CodeMode, Common, Deny, EventsDetail, OnOff},
    codesearch::{self, Elsewhere},
    editing::EditingSettings,
    modeling::{self, Modeling},
};
use anyhow::{Context, Result};
pub(crate) use parsed::one_of;
use parsed::{names, path, reply_bytes, seconds, session, within_a_day};
use serde::Deserialize;
pub(crate) use sources::{Origin, Setting, Sources};
use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};
use toolpost_engine::{Access, Resources};
use toolpost_workspace::{HistoryLimits, operator};

const MB: u64 = 1024 * 1024;
const DAY: u64 = 24 * 60 * 60;

/// All settings.
pub(crate) struct Settings {
    pub(crate) dialects: Setting<Vec<String>>,
    pub(crate) roots: Setting<Vec<PathBuf>>,
    pub(crate) narrow: Narrowing,
    pub(crate) policy: Setting<Option<PathBuf>>,
    pub(crate) mcp_config: Setting<Option<PathBuf>>,
    pub(crate) ask: Setting<Ask>,
    pub(crate) sandbox: Setting<OnOff>,
    pub(crate) resources: CommandLimits,
    pub(crate) code_mode: Setting<CodeMode>,
    pub(crate) events: Hearing,
    pub(crate) state: Setting<Option<PathBuf>>,
    pub(crate) cache: Setting<Option<PathBuf>>,
    pub(crate) session: Setting<Option<String>>,
    pub(crate) shared: Sharing,
    pub(crate) dependencies: Setting<OnOff>,
    pub(crate) deadline: Setting<Option<Duration>>,
    pub(crate) reply_bytes: Setting<Option<usize>>,
    pub(crate) encoding: Setting<Option<String>>,
    pub(crate) ignore_files: Setting<OnOff>,
    pub(crate) first_match: Setting<OnOff>,
    pub(crate) durable: Setting<OnOff>,
    pub(crate) search_agent: Setting<OnOff>,
    pub(crate) any_root: Setting<OnOff>,
    pub(crate) embedding: Embedding,
    pub(crate) history: Kept,
    pub(crate) elsewhere: Elsewhere,
    pub(crate) agent: Modeling,
    pub(crate) editing: EditingSettings,
}

/// Which model makes vectors, where that is not the embedded one.
pub(crate) struct Embedding {
    pub(crate) address: Setting<Option<String>>,
    pub(crate) model: Setting<Option<String>>,
}

/// Which tools are served, and what none of them may do.
pub(crate) struct Narrowing {
    pub(crate) tools: Setting<Option<Vec<String>>>,
    pub(crate) deny: Setting<Vec<Deny>>,
    pub(crate) read_only: Setting<OnOff>,
}

/// Where calls are written, and how much of each.
pub(crate) struct Hearing {
    pub(crate) file: Setting<Option<PathBuf>>,
    pub(crate) detail: Setting<EventsDetail>,
}

/// The index that many machines share.
pub(crate) struct Sharing {
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

/// How much the history keeps.
pub(crate) struct Kept {
    pub(crate) megabytes: Setting<u64>,
    pub(crate) days: Setting<u64>,
}

/// The configuration file; every key is optional.
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
    codesearch: codesearch::File,
    #[serde(default)]
    agent: modeling::File,
}

impl Settings {
    /// Gives what no tool may do.
    pub(crate) fn denied(&self) -> Vec<Access> {
        let mut denied: Vec<Access> = self.narrow.deny.value.iter().map(|deny| deny.access()).collect();
        if self.narrow.denies_writes() {
            // What another server does nobody knows.
            denied.extend([Access::Writes, Access::Bridges]);
            if self.sandbox.value == OnOff::Off {
                // Without a sandbox nothing keeps a command from writing.
                denied.push(Access::Executes);
            }
        }
        denied
    }

    /// Finds every setting.
    pub(crate) fn find(flags: &Common) -> Result<Self> {
        let place = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("config.toml"));
        let file = place.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let from = Sources { file: place.unwrap_or_default() };
        let claude = vec!["claude".to_owned()];
        let list = |values: &[String]| (!values.is_empty()).then(|| values.to_vec());
        Ok(Self {
            dialects: from.choose(list(&flags.dialects), "DIALECT", names, file.dialect, claude)?,
            roots: rooted(flags, &from, file.root)?,
            narrow: Narrowing::find(flags, &from, (file.tools, file.deny, file.read_only))?,
            policy: from.optional(flags.policy.clone(), "POLICY", path, file.policy)?,
            mcp_config: from.optional(flags.mcp_config.clone(), "MCP_CONFIG", path, file.mcp_config)?,
            ask: from.choose(flags.ask, "ASK", one_of, file.ask, Ask::Deny)?,
            sandbox: from.choose(flags.sandbox, "SANDBOX", one_of, file.sandbox, OnOff::On)?,
            resources: CommandLimits::find(
                &from,
                [file.command_memory_mb, file.command_processes, file.command_file_mb, file.disk_reserve_mb],
            )?,
            code_mode: from.choose(flags.code_mode, "CODE_MODE", one_of, file.code_mode, CodeMode::Off)?,
            events: Hearing::find(flags, &from, (file.events, file.events_detail))?,
            state: from.folder(
                flags.state.clone(),
                ("STATE", file.state),
                ("XDG_STATE_HOME", ".local/state"),
            )?,
            cache: from.folder(flags.cache.clone(), ("CACHE", file.cache), ("XDG_CACHE_HOME", ".cache"))?,
            session: named(flags, &from, file.session.as_deref())?,
            shared: Sharing::find(flags, &from, (file.index, file.repository))?,
            dependencies: from.choose(
                flags.codesearch.dependencies,
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
            embedding: Embedding::find(&from, file.embedding, file.embedding_model)?,
            history: Kept::find(&from, file.history_mb, file.history_days)?,
            elsewhere: Elsewhere::find(&flags.codesearch, &from, file.codesearch)?,
            agent: Modeling::find(&flags.modeling, &from, file.agent)?,
            editing: EditingSettings::find(&flags.editing, &from, (file.editor, file.editor_apply))?,
        })
    }
}

/// Finds the roots of the workspace.
fn rooted(flags: &Common, from: &Sources, file: Option<Vec<PathBuf>>) -> Result<Setting<Vec<PathBuf>>> {
    let said = (!flags.roots.is_empty()).then(|| flags.roots.clone());
    let paths = |text: &str| Ok(env::split_paths(text).collect());
    from.choose(said, "ROOT", paths, file, vec![PathBuf::from(".")])
}

impl Deny {
    /// Returns what it denies.
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

    /// Gives the word for it.
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

/// Finds how long a call may take.
fn limited(from: &Sources, file: Option<f64>) -> Result<Setting<Option<Duration>>> {
    from.optional(None, "DEADLINE_SECONDS", seconds, file.map(within_a_day).transpose()?)
}

/// Finds the name of the session.
fn named(flags: &Common, from: &Sources, file: Option<&str>) -> Result<Setting<Option<String>>> {
    let flag = flags.session.as_deref().map(session).transpose()?;
    from.optional(flag, "SESSION", session, file.map(session).transpose()?)
}

impl Embedding {
    fn find(from: &Sources, address: Option<String>, model: Option<String>) -> Result<Self> {
        let text = |text: &str| Ok(text.to_owned());
        Ok(Self {
            address: from.optional(None, "EMBEDDING", text, address)?,
            model: from.optional(None, "EMBEDDING_MODEL", text, model)?,
        })
    }
}

impl Narrowing {
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

    /// Says whether no tool may write.
    fn denies_writes(&self) -> bool {
        self.read_only.value == OnOff::On || self.deny.value.contains(&Deny::Write)
    }
}

impl Hearing {
    fn find(flags: &Common, from: &Sources, file: (Option<PathBuf>, Option<EventsDetail>)) -> Result<Self> {
        let names = EventsDetail::Names;
        Ok(Self {
            file: from.optional(flags.events.clone(), "EVENTS", path, file.0)?,
            detail: from.choose(flags.events_detail, "EVENTS_DETAIL", one_of, file.1, names)?,
        })
    }
}

impl Sharing {
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

impl Kept {
    fn find(from: &Sources, megabytes: Option<u64>, days: Option<u64>) -> Result<Self> {
        let limits = HistoryLimits::default();
        let number = |text: &str| Ok(text.parse()?);
        Ok(Self {
            megabytes: from.choose(None, "HISTORY_MB", number, megabytes, limits.bytes / MB)?,
            days: from.choose(None, "HISTORY_DAYS", number, days, limits.age.as_secs() / DAY)?,
        })
    }

    /// Gives the limits that the settings mean.
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
    toml::from_str(&text)
        .with_context(|| format!("{} is not a configuration that can be used", path.display()))
}
