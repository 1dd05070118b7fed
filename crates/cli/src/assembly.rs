//! Assembly of a runtime from the settings: workspace, engine, dialects, policy and upstream servers.

use crate::{
    agent_files,
    args::{CodeMode, OnOff},
    event_log,
    model_source::ModelSource,
    settings::{Origin, Settings},
    trust::Trusted,
};
use anyhow::{Context, Result, anyhow, bail};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use toolpost_agent::bridge::{self, Bridge};
use toolpost_engine::{
    Access, Bridges, CodeService, Commands, Confinement, Dependencies, Embedder, EmbeddingService,
    Embeddings, Engine, Environment, Grams, LocalModel, PackageStores, Plan, Sandbox, Seeking,
    ServerSettings, Servers, Several, SkillPlaces, operations::grep::Rules,
};
use toolpost_runtime::{Catalogue, Config, Narrow, Policy, RuleSource, Runtime, Structured};
use toolpost_shared::{Asking, Server, name_in};
use toolpost_text::names::suggest;
use toolpost_tool::Dialect;
use toolpost_workspace::{
    AccessKind, Durability, OpenError, Options, Recovery, Root, Scope, Workspace, operator, walk,
};

/// Maximum size of a project's policy file, in bytes.
const PROJECT_RULES: u64 = 1024 * 1024;

/// Maximum time that a short-lived process waits for an index.
const PATIENT: Duration = Duration::from_secs(50);

/// Expected lifetime of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Many calls: work that speeds up later calls pays off.
    Long,
    /// A single call.
    Short,
}

/// An assembled runtime with its companions.
pub(crate) struct Assembly {
    pub(crate) runtime: Arc<Runtime>,
    /// Source of model answers.
    pub(crate) models: ModelSource,
    pub(crate) recovery: Recovery,
    /// Upstream servers, if any are configured.
    pub(crate) bridge: Option<Arc<Bridge>>,
}

/// Assembles a runtime.
pub(crate) fn assemble(settings: &Settings, structured: Structured, life: Life) -> Result<Assembly> {
    let (workspace, recovery) = open(settings)?;
    let grams = indexed(settings, &workspace, life)?;
    let policy = judging(settings, &workspace)?;
    let sandbox = sandbox(settings, &workspace, &policy);
    let servers = servers(&workspace, sandbox.clone());
    let commands = commands(settings, &workspace, sandbox, &policy)?;
    let rules = if settings.ignore_files.value == OnOff::On { Rules::Git } else { Rules::None };
    let several = if settings.first_match.value == OnOff::On { Several::First } else { Several::Refused };
    let seeking = if settings.search_agent.value == OnOff::On { Seeking::Agent } else { Seeking::Words };
    let bridge = bridge(settings, &workspace)?;
    let bridges = bridge.clone().map(|bridge| bridge as Arc<dyn Bridges>);
    let models = ModelSource::find(settings, &workspace, agent_files::find(settings, &workspace)?.agents)?;
    let dependencies = dependencies(settings, &workspace);
    let editing = settings.editor.editing(&workspace);
    let engine = match life {
        Life::Long => Engine::builder(workspace),
        // No later call profits from a partial index, so this one waits.
        Life::Short => Engine::builder(workspace).with_index_wait(PATIENT),
    };
    let engine = engine
        .with_agents(models.agents())
        .with_encoding(encoding(settings)?)
        .with_rules(rules)
        .with_several(several)
        .with_seeking(seeking)
        .with_cache(settings.cache.value.as_ref().map(|cache| cache.join("symbols")))
        .with_grams(grams)
        .with_embedder(embedder(settings)?)
        .with_dependencies(dependencies)
        .with_service(code_service(settings)?)
        .with_commands(commands)
        .with_servers(servers)
        .with_bridges(bridges)
        .with_skills(skills(settings))
        .with_editing(editing)
        .build();
    models.reach(&engine, &policy, settings)?;
    let config = Config {
        dialects: spoken(settings)?,
        narrow: narrow(settings)?,
        policy,
        deadline: settings.deadline.value,
        reply_bytes: settings.reply_bytes.value,
        structured,
    };
    let runtime = Runtime::new(engine, config)?;
    event_log::write(&runtime, settings)?;
    models.tell(&runtime);
    Ok(Assembly { runtime: Arc::new(runtime), models, recovery, bridge })
}

/// Reads the configuration of the upstream servers without starting them. A project's own configuration is
/// ignored: it would start programs that the project chose.
fn bridge(settings: &Settings, workspace: &Workspace) -> Result<Option<Arc<Bridge>>> {
    let Some(path) = &settings.mcp_config.value else { return Ok(None) };
    let name = path.display().to_string();
    let text =
        operator::read(path)?.with_context(|| format!("mcp_config names {name}, which does not exist"))?;
    let entries = bridge::read(&name, &text, |variable| std::env::var(variable).ok())?;
    let home = workspace.roots().first().map_or_else(|| PathBuf::from("."), |root| root.path().to_path_buf());
    Ok(Some(Bridge::new(entries, &home)))
}

/// Creates the trigram index, if this process profits from it.
fn indexed(settings: &Settings, workspace: &Workspace, life: Life) -> Result<Option<Grams>> {
    let shared = shared_index(settings, workspace)?;
    let grams = match (life, shared) {
        (Life::Short, None) => return Ok(None),
        (_, None) => grams(settings, workspace),
        (_, Some(shared)) => grams(settings, workspace).sharing(shared),
    };
    match life {
        // In the background, so that it is ready for the first search.
        Life::Long => grams.begin(&walk::Options::default()),
        Life::Short => {
            grams.ready(&walk::Options::default());
            if let Some(lost) = grams.status(&walk::Options::default()).lost {
                eprintln!("toolpost: {lost}; continuing without the shared index");
            }
        }
    }
    Ok(Some(grams))
}

/// Creates the trigram index of the workspace.
pub(crate) fn grams(settings: &Settings, workspace: &Workspace) -> Grams {
    let folder = settings.cache.value.as_ref().map(|cache| cache.join("grams"));
    Grams::new(workspace.clone(), folder)
}

/// Creates the configured embedder: a service, whose key comes only from the environment, or a local model
/// directory. Returns `None` for the embedded model.
fn embedder(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>> {
    let Some(address) = &settings.embedding.address.value else {
        if settings.embedding.model.value.is_some() {
            bail!(
                "`embedding_model` is set without a service: set `embedding` to its URL, such as http://127.0.0.1:11434/v1"
            );
        }
        return Ok(None);
    };
    if !address.contains("://") {
        if settings.embedding.model.value.is_some() {
            bail!(
                "`embedding` is a directory, so `embedding_model`, which names a model of a service, must not be set"
            );
        }
        let place = Path::new(address);
        if !place.is_absolute() {
            bail!(
                "invalid `embedding`: use the URL of a service (http:// or https://), or the absolute path of a model directory"
            );
        }
        return Ok(Some(Arc::new(LocalModel::open(place).context("embedding")?)));
    }
    let Some(model) = &settings.embedding.model.value else {
        bail!(
            "`embedding` is a service, so `embedding_model` must name one of its models, such as nomic-embed-text"
        );
    };
    let key = std::env::var("TOOLPOST_EMBEDDING_KEY").ok().filter(|key| !key.is_empty());
    let embeddings = Embeddings::new(address, model, key).context("embedding")?;
    Ok(Some(Arc::new(EmbeddingService::new(embeddings))))
}

/// Creates the command runner. Output too large for memory goes to unnamed files in the state directory.
fn commands(
    settings: &Settings,
    workspace: &Workspace,
    sandbox: Sandbox,
    policy: &Policy,
) -> Result<Commands> {
    let spool = workspace.state_folder().map_or_else(std::env::temp_dir, Path::to_path_buf);
    let commands = Commands::new(spool, sandbox, policy.hosts()?);
    let commands = commands.map_err(|failure| anyhow!(failure.what))?;
    let commands = commands.with_resources(settings.resources.resources());
    Ok(commands.with_published(settings.publish.value.clone()))
}

/// Creates the language servers, sandboxed like commands. A server installed inside a root is never started.
fn servers(workspace: &Workspace, sandbox: Sandbox) -> Servers {
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
    Servers::new(ServerSettings::new(sandbox, Environment::of_this_process(), roots))
}

/// Returns the skill directories and a trust check that reads the state directory on every use.
pub(crate) fn skills(settings: &Settings) -> SkillPlaces {
    let own = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("skills"));
    let home = operator::home();
    let customary = [".agents", ".claude", ".codex", ".gemini"];
    let customary = home.iter().flat_map(|home| customary.map(|name| home.join(name).join("skills")));
    let state = settings.state.value.clone();
    let trusted = move |file: &str, content: &str| {
        let known = state.as_deref().map(Trusted::read);
        known.is_some_and(|known| known.is_ok_and(|known| known.holds(file, content)))
    };
    SkillPlaces { user: own.into_iter().chain(customary).collect(), trusted: Arc::new(trusted) }
}

/// Creates the sandbox plan of commands: roots are writable unless writing is denied, and protected files are
/// read-only.
fn sandbox(settings: &Settings, workspace: &Workspace, policy: &Policy) -> Sandbox {
    if settings.sandbox.value == OnOff::Off {
        return Sandbox::Off;
    }
    let writes = !settings.denied().contains(&Access::Writes);
    let access = if writes { Confinement::Change } else { Confinement::Read };
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf());
    let (protected, reported) = (policy.kept_names(), policy.reported_names());
    Sandbox::On(Plan { access, protected, reported, ..Plan::new(roots) })
}

/// Opens the workspace for a command, and prints the recovery report.
pub(crate) fn open_and_tell(settings: &Settings) -> Result<Workspace> {
    let (workspace, recovery) = open(settings)?;
    recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
    Ok(workspace)
}

/// Opens the workspace. Falls back to no state directory if the default one is unusable; an explicit one must
/// work.
fn open(settings: &Settings) -> Result<(Workspace, Recovery)> {
    let options = Options {
        roots: roots(settings),
        state: settings.state.value.clone(),
        home: operator::home(),
        durability: if settings.durable.value == OnOff::On { Durability::Power } else { Durability::Kill },
        scope: if settings.any_root.value == OnOff::On { Scope::Any } else { Scope::Careful },
        history: settings.history.limits(),
    };
    match Workspace::open(options.clone()) {
        Err(error @ OpenError::State { .. }) if settings.state.origin == Origin::Default => {
            tracing::warn!(%error, "continuing without a state directory");
            Ok(Workspace::open(Options { state: None, ..options })?)
        }
        Err(error @ (OpenError::WholeSystem { .. } | OpenError::Home { .. })) => {
            Err(anyhow!("{error}: set TOOLPOST_ANY_ROOT=on"))
        }
        opened => Ok(opened?),
    }
}

/// Without an explicit root, the client's project directory is used if it names one.
fn roots(settings: &Settings) -> Vec<PathBuf> {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    match (&settings.roots.origin, project) {
        (Origin::Default, Some(project)) if project.is_absolute() => vec![project],
        _ => settings.roots.value.clone(),
    }
}

/// Returns the active dialects: the named ones, and code mode.
pub(crate) fn spoken(settings: &Settings) -> Result<Vec<&'static Dialect>> {
    let mut spoken = dialects(&settings.dialects.value)?;
    if settings.code_mode.value != CodeMode::Off {
        spoken.extend(toolpost_dialects::EXTRA);
    }
    Ok(spoken)
}

fn dialects(names: &[String]) -> Result<Vec<&'static Dialect>> {
    let mut dialects: Vec<&'static Dialect> = Vec::new();
    for name in names {
        let Some(dialect) = toolpost_dialects::named(name) else {
            let known: Vec<&str> = toolpost_dialects::ALL.iter().map(|dialect| dialect.name).collect();
            let near = suggest(name, &known, 1);
            let near = near.first().map_or(String::new(), |near| format!(". Did you mean {near}?"));
            bail!("unknown dialect `{name}`; the dialects are {}{near}", known.join(", "));
        };
        if !dialects.iter().any(|chosen| chosen.name == dialect.name) {
            dialects.push(dialect);
        }
    }
    Ok(dialects)
}

/// Creates the tool filter, and refuses names that no tool of the dialects has.
pub(crate) fn narrow(settings: &Settings) -> Result<Narrow> {
    let beside: Vec<String> =
        toolpost_dialects::code::DIALECT.tools.iter().map(|tool| tool.name.to_owned()).collect();
    let code = settings.code_mode.value;
    // A tool list selects among the tools of the dialects; those of code mode have their own setting.
    let tools = settings.narrow.tools.value.clone().map(|mut tools| {
        let only_out = tools.iter().all(|name| name.starts_with('!'));
        tools.extend(beside.into_iter().filter(|_| code != CodeMode::Off && !only_out));
        tools
    });
    let shown = (code == CodeMode::Only).then_some(toolpost_dialects::code::DIALECT.name);
    let narrow = Narrow { tools, deny: settings.denied(), shown };
    Catalogue::of(&spoken(settings)?).narrowed(&narrow)?;
    Ok(narrow)
}

fn encoding(settings: &Settings) -> Result<Option<&'static encoding_rs::Encoding>> {
    let Some(label) = &settings.encoding.value else { return Ok(None) };
    let found = encoding_rs::Encoding::for_label(label.as_bytes());
    found.map(Some).with_context(|| {
        format!("unknown encoding `{label}`; use a label such as gbk, shift_jis or windows-1252")
    })
}

/// Builds the policy that applies in a workspace.
pub(crate) fn judging(settings: &Settings, workspace: &Workspace) -> Result<Policy> {
    let policy = policy(settings, workspace)?;
    let policy = match users_file(settings) {
        Some(file) => policy.learning(file),
        None => policy,
    };
    Ok(policy
        .keeping(own_files(settings, workspace))
        .hiding(inside(workspace, settings.state.value.iter()))
        .denying(&settings.denied())
        .looking(workspace.clone())
        .within(workspace.roots().iter().map(|root| root.path().to_path_buf()).collect()))
}

/// Checks that a project's rules are valid.
pub(crate) fn check_project(name: &str, text: &str) -> Result<()> {
    Policy::built_in()?.with(text, &RuleSource::Trusted(name.to_owned()))?;
    Ok(())
}

/// Reads the operator's policy if one is named; otherwise the user's, then those of the roots, which can only
/// tighten until they are trusted.
fn policy(settings: &Settings, workspace: &Workspace) -> Result<Policy> {
    let policy = Policy::built_in()?;
    if let Some(path) = &settings.policy.value {
        let text =
            operator::read(path)?.with_context(|| format!("the policy {} does not exist", path.display()))?;
        return Ok(policy.with(&text, &RuleSource::Operator(path.display().to_string()))?);
    }
    let mut policy = policy;
    if let Some(path) = users_file(settings)
        && let Some(text) =
            operator::read(&path).with_context(|| format!("{} cannot be read", path.display()))?
    {
        policy = policy.with(&text, &RuleSource::Operator(path.display().to_string()))?;
    }
    let trusted = settings.state.value.as_deref().map(Trusted::read).transpose()?.unwrap_or_default();
    for root in workspace.roots() {
        if let Some((name, text)) = project_rules(workspace, root)? {
            let source = match (trusted.holds(&name, &text), trusted.lapsed(&name, &text)) {
                (true, _) => RuleSource::Trusted(name),
                (false, true) => RuleSource::Lapsed(name),
                (false, false) => RuleSource::Project(name),
            };
            policy = policy.with(&text, &source)?;
        }
    }
    Ok(policy)
}

/// Returns the user's policy file, which also receives permanent approvals.
fn users_file(settings: &Settings) -> Option<PathBuf> {
    let customary = || Some(operator::folder("XDG_CONFIG_HOME", ".config")?.join("policy.toml"));
    settings.policy.value.clone().or_else(customary)
}

/// Reads a project's rules through the workspace, so that the confinement rules apply.
pub(crate) fn project_rules(workspace: &Workspace, root: &Root) -> Result<Option<(String, String)>> {
    let path = workspace.within(root, ".toolpost/policy.toml");
    let path = path.context("cannot find the project's rules")?;
    match workspace.read(&path, PROJECT_RULES) {
        Ok(found) => Ok(Some((path.absolute(), String::from_utf8_lossy(&found.bytes).into_owned()))),
        Err(error) if error.why == AccessKind::Missing => Ok(None),
        Err(error) => Err(error).context("cannot read the project's rules"),
    }
}

/// Lists Toolpost's own files and directories that are inside a root.
fn own_files(settings: &Settings, workspace: &Workspace) -> Vec<PathBuf> {
    let configuration = operator::folder("XDG_CONFIG_HOME", ".config");
    let (policy, events) = (&settings.policy.value, &settings.events.file.value);
    let named = [
        policy,
        events,
        &settings.mcp_config.value,
        &settings.state.value,
        &settings.cache.value,
        &configuration,
    ];
    inside(workspace, named.into_iter().flatten())
}

/// Returns the paths that are inside a root.
fn inside<'p>(workspace: &Workspace, paths: impl Iterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let place = |path: &PathBuf| {
        let absolute = std::path::absolute(path).ok()?;
        workspace.resolve(absolute.to_str()?).ok().map(|path| path.raw().to_path_buf())
    };
    paths.filter_map(place).collect()
}

/// Creates the client of the code search service, if one is named and fetching is allowed.
fn code_service(settings: &Settings) -> Result<Option<Arc<CodeService>>> {
    let service = settings.code_search.service()?;
    Ok(service.filter(|_| !settings.denied().contains(&Access::Fetches)).map(Arc::new))
}

/// Creates the access to the project's dependencies, unless it is switched off.
fn dependencies(settings: &Settings, workspace: &Workspace) -> Option<Dependencies> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let unpacked = settings.cache.value.as_ref().map(|cache| cache.join("sources"));
    let places = PackageStores { unpacked, ..PackageStores::default_locations(operator::home(), variable) };
    (settings.dependencies.value == OnOff::On).then(|| Dependencies::new(workspace.clone(), places))
}

/// Creates the client of the shared index, if one is named.
pub(crate) fn shared_index(settings: &Settings, workspace: &Workspace) -> Result<Option<Arc<Asking>>> {
    let Some(address) = &settings.shared.index.value else { return Ok(None) };
    let server = Server::at(address)?;
    let names = match &settings.shared.repositories.value {
        Some(names) => names.clone(),
        None => workspace.roots().iter().map(|root| name_in(root.path())).collect(),
    };
    Ok(Some(Arc::new(Asking::new(server, names))))
}
