//! Puts the parts together: workspace, engine, dialects, policy, runtime.

use crate::{
    args::{CodeMode, EventsDetail, OnOff},
    codesearch, described,
    settings::{Origin, Settings},
    shared,
    trust::Trusted,
    who::Who,
};
use anyhow::{Context, Result, anyhow, bail};
use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use toolpost_agent::bridge::{self, Bridge};
use toolpost_engine::{
    Access, Bridges, Commands, Confinement, Embedder, EmbeddingService, Embeddings, Engine, Environment,
    Grams, LocalModel, Plan, Sandbox, Seeking, ServerSettings, Servers, Several, SkillPlaces,
    operations::grep::Rules,
};
use toolpost_runtime::{Catalogue, Config, Detail, Narrow, Policy, RuleSource, Runtime, Structured};
use toolpost_text::names::suggest;
use toolpost_tool::Dialect;
use toolpost_workspace::{
    AccessKind, Durability, OpenError, Options, Recovery, Root, Scope, Workspace, operator, walk,
};

/// The most that a project's rules may have.
const PROJECT_RULES: u64 = 1024 * 1024;

/// The time that a process for one question waits for an index.
const PATIENT: Duration = Duration::from_secs(50);

/// How long a process lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// For many calls: what makes later ones quicker is worth while.
    Long,
    /// For one question.
    Short,
}

/// A runtime, and what its workspace found left over from an earlier process.
pub(crate) struct Wired {
    pub(crate) runtime: Arc<Runtime>,
    /// Who is asked where a model is needed.
    pub(crate) who: Who,
    pub(crate) recovery: Recovery,
    /// The servers that are bridged, where some are.
    pub(crate) bridge: Option<Arc<Bridge>>,
}

/// Puts the parts together.
pub(crate) fn wire(settings: &Settings, structured: Structured, life: Life) -> Result<Wired> {
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
    let who = Who::find(settings, &workspace, described::find(settings, &workspace)?.agents)?;
    let dependencies = codesearch::dependencies(settings, &workspace);
    let editing = settings.editing.editing(&workspace);
    let engine = match life {
        Life::Long => Engine::new(workspace),
        // No later call has more: the index is waited for.
        Life::Short => Engine::new(workspace).with_index_wait(PATIENT),
    };
    let engine = engine
        .with_agents(who.agents())
        .with_encoding(encoding(settings)?)
        .with_rules(rules)
        .with_several(several)
        .with_seeking(seeking)
        .with_cache(settings.cache.value.as_ref().map(|cache| cache.join("symbols")))
        .with_grams(grams)
        .with_embedder(embedder(settings)?)
        .with_dependencies(dependencies)
        .with_service(codesearch::service(settings)?)
        .with_commands(commands)
        .with_servers(servers)
        .with_bridges(bridges)
        .with_skills(skills(settings))
        .with_editing(editing);
    who.reach(&engine, &policy, settings)?;
    let config = Config {
        dialects: spoken(settings)?,
        narrow: narrow(settings)?,
        policy,
        deadline: settings.deadline.value,
        reply_bytes: settings.reply_bytes.value,
        structured,
    };
    let runtime = Runtime::new(engine, config)?;
    write_events(&runtime, settings)?;
    who.tell(&runtime);
    Ok(Wired { runtime: Arc::new(runtime), who, recovery, bridge })
}

/// Reads which servers are bridged; none is started here. What a project says of servers is not read by itself: it would
/// start programs that the project names.
fn bridge(settings: &Settings, workspace: &Workspace) -> Result<Option<Arc<Bridge>>> {
    let Some(path) = &settings.mcp_config.value else { return Ok(None) };
    let name = path.display().to_string();
    let text =
        operator::read(path)?.with_context(|| format!("mcp_config names {name}, which does not exist"))?;
    let entries = bridge::read(&name, &text, |variable| std::env::var(variable).ok())?;
    let home = workspace.roots().first().map_or_else(|| PathBuf::from("."), |root| root.path().to_path_buf());
    Ok(Some(Bridge::new(entries, &home)))
}

/// Makes the index by which searches read only the files that can match, where it is worth while.
fn indexed(settings: &Settings, workspace: &Workspace, life: Life) -> Result<Option<Grams>> {
    let shared = shared::asking(settings, workspace)?;
    let grams = match (life, shared) {
        (Life::Short, None) => return Ok(None),
        (_, None) => grams(settings, workspace),
        (_, Some(shared)) => grams(settings, workspace).sharing(shared),
    };
    match life {
        // Beside all else, so that it is there when the first one searches.
        Life::Long => grams.begin(&walk::Options::default()),
        Life::Short => {
            grams.ready(&walk::Options::default());
            if let Some(lost) = grams.status(&walk::Options::default()).lost {
                eprintln!("toolpost: {lost}; this is done without the shared index");
            }
        }
    }
    Ok(Some(grams))
}

/// Makes the index by which searches read only the files that can match.
pub(crate) fn grams(settings: &Settings, workspace: &Workspace) -> Grams {
    let folder = settings.cache.value.as_ref().map(|cache| cache.join("grams"));
    Grams::new(workspace.clone(), folder)
}

/// Makes what makes vectors in place of the embedded model, where that was named: a service, whose key comes from the environment alone, or a
/// model in a folder.
fn embedder(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>> {
    let Some(address) = &settings.embedding.address.value else {
        if settings.embedding.model.value.is_some() {
            bail!(
                "embedding_model names a model, and embedding no service that has it: give its address, such as http://127.0.0.1:11434/v1"
            );
        }
        return Ok(None);
    };
    if !address.contains("://") {
        if settings.embedding.model.value.is_some() {
            bail!(
                "embedding names a folder, and embedding_model a model of a service: leave one of them out"
            );
        }
        let place = Path::new(address);
        if !place.is_absolute() {
            bail!(
                "embedding names neither a service nor a folder: begin with http:// or https://, or with / for a folder that holds a model"
            );
        }
        return Ok(Some(Arc::new(LocalModel::open(place).context("embedding")?)));
    }
    let Some(model) = &settings.embedding.model.value else {
        bail!(
            "embedding names a service, and embedding_model none of its models: give one, such as nomic-embed-text"
        );
    };
    let key = std::env::var("TOOLPOST_EMBEDDING_KEY").ok().filter(|key| !key.is_empty());
    let embeddings = Embeddings::new(address, model, key).context("embedding")?;
    Ok(Some(Arc::new(EmbeddingService::new(embeddings))))
}

/// Makes what commands are run with; output that is too long for memory lies in the state folder, without a name.
fn commands(
    settings: &Settings,
    workspace: &Workspace,
    sandbox: Sandbox,
    policy: &Policy,
) -> Result<Commands> {
    let spool = workspace.state_folder().map_or_else(std::env::temp_dir, Path::to_path_buf);
    let commands = Commands::new(spool, sandbox, policy.hosts()?);
    let commands = commands.map_err(|failure| anyhow!(failure.what))?;
    Ok(commands.with_resources(settings.resources.resources()))
}

/// Makes the language servers, confined as commands are; none that lies in a root is started.
fn servers(workspace: &Workspace, sandbox: Sandbox) -> Servers {
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
    Servers::new(ServerSettings::new(sandbox, Environment::of_this_process(), roots))
}

/// Says where the user's skills lie, and which of a project's are trusted; trust that is given while this runs counts.
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

/// Makes the plan by which commands are confined: the roots can be changed, unless nothing may be written; what others
/// run without asking stays as it is.
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

/// Opens the workspace for a command, and tells what it found left over.
pub(crate) fn open_and_tell(settings: &Settings) -> Result<Workspace> {
    let (workspace, recovery) = open(settings)?;
    recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
    Ok(workspace)
}

/// Opens the workspace; a customary state folder that cannot be used is done without, one that was named is not.
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
            tracing::warn!(%error, "going on without a state folder");
            Ok(Workspace::open(Options { state: None, ..options })?)
        }
        opened => Ok(opened?),
    }
}

/// Where no root was named, a client that starts the server elsewhere may say where its project is.
fn roots(settings: &Settings) -> Vec<PathBuf> {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    match (&settings.roots.origin, project) {
        (Origin::Default, Some(project)) if project.is_absolute() => vec![project],
        _ => settings.roots.value.clone(),
    }
}

/// Gives the dialects that are spoken: those that were named, and what is spoken beside them.
pub(crate) fn spoken(settings: &Settings) -> Result<Vec<&'static Dialect>> {
    let mut spoken = dialects(&settings.dialects.value)?;
    if settings.code_mode.value != CodeMode::Off {
        spoken.extend(toolpost_dialects::BESIDE);
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
            bail!("no dialect is called `{name}`; there are {}{near}", known.join(", "));
        };
        if !dialects.iter().any(|chosen| chosen.name == dialect.name) {
            dialects.push(dialect);
        }
    }
    Ok(dialects)
}

/// Makes the narrowing of the tools, and refuses names that no tool of the dialects has.
pub(crate) fn narrow(settings: &Settings) -> Result<Narrow> {
    let beside: Vec<String> =
        toolpost_dialects::code::DIALECT.tools.iter().map(|tool| tool.name.to_owned()).collect();
    let code = settings.code_mode.value;
    // Who names tools means those of the dialect; the others were asked for by their own setting.
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
        format!("no encoding is called `{label}`; for example gbk, shift_jis or windows-1252")
    })
}

/// Makes the rules that are in force in a workspace.
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

/// Refuses rules of a project that could not be used.
pub(crate) fn check_project(name: &str, text: &str) -> Result<()> {
    Policy::built_in()?.with(text, &RuleSource::Trusted(name.to_owned()))?;
    Ok(())
}

/// The operator's file if one is named; else the user's, then those of the roots, which can only tighten until they are trusted.
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
            let holds = trusted.holds(&name, &text);
            let source = if holds { RuleSource::Trusted(name) } else { RuleSource::Project(name) };
            policy = policy.with(&text, &source)?;
        }
    }
    Ok(policy)
}

/// Finds the user's file of rules, which is also where answers are written that hold for always.
fn users_file(settings: &Settings) -> Option<PathBuf> {
    let customary = || Some(operator::folder("XDG_CONFIG_HOME", ".config")?.join("policy.toml"));
    settings.policy.value.clone().or_else(customary)
}

/// Reads the rules that a project brings, as carefully as any other file of the project.
pub(crate) fn project_rules(workspace: &Workspace, root: &Root) -> Result<Option<(String, String)>> {
    let path = workspace.within(root, ".toolpost/policy.toml");
    let path = path.context("the project's rules cannot be looked for")?;
    match workspace.read(&path, PROJECT_RULES) {
        Ok(found) => Ok(Some((path.absolute(), String::from_utf8_lossy(&found.bytes).into_owned()))),
        Err(error) if error.why == AccessKind::Missing => Ok(None),
        Err(error) => Err(error).context("the project's rules cannot be read"),
    }
}

/// Lists the files and folders that Toolpost itself works with, as far as they lie inside of a root.
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

/// Picks those of some paths that lie inside of a root.
fn inside<'p>(workspace: &Workspace, paths: impl Iterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let place = |path: &PathBuf| {
        let absolute = std::path::absolute(path).ok()?;
        workspace.resolve(absolute.to_str()?).ok().map(|path| path.raw().to_path_buf())
    };
    paths.filter_map(place).collect()
}

/// Writes the calls of a runtime to the file of events, where one is named.
pub(crate) fn write_events(runtime: &Runtime, settings: &Settings) -> Result<()> {
    let Some(path) = &settings.events.file.value else { return Ok(()) };
    let file =
        operator::append(path).with_context(|| format!("events cannot be written to {}", path.display()))?;
    let file = Mutex::new(file);
    let detail = match settings.events.detail.value {
        EventsDetail::Names => Detail::Names,
        EventsDetail::All => Detail::All,
    };
    runtime.events.listen(detail, move |event| {
        let Ok(mut line) = serde_json::to_vec(event) else { return };
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(&line) {
            tracing::warn!(%error, "an event could not be written");
        }
    });
    Ok(())
}
