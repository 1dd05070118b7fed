//! Parts that can be opened separately: the workspace, the policy, the selection of tools, the indexes.

use crate::{
    command_sandbox,
    error::{Cause, Error, Explain, Kind},
    settings::{
        Origin, Settings,
        values::{CodeMode, OnOff},
    },
    trust::TrustStore,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_engine::{
    Operation as _, SkillPlaces, TrigramIndex,
    operations::{fetch::Fetch, plan::Plan, semantic::Semantic},
};
use toolpost_runtime::{Catalogue, Policy, RuleSource, ToolSelection};
use toolpost_text::names::suggest;
use toolpost_tool::Dialect;
use toolpost_workspace::{
    AccessKind, Durability, OpenError, Options, Recovery, Root, Scope, Workspace, operator,
};

/// State of an optional part, such as an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// The part is set up; if it can be asked, it has answered.
    Works,
    /// No setting names such a part.
    Unset,
    /// The part is set up, and cannot be used.
    Fails,
}

/// Maximum size of a project's policy file, in bytes.
const PROJECT_RULES: u64 = 1024 * 1024;

/// Opens the workspace, and finishes or undoes the unfinished changes of an earlier process. Continues
/// without a state directory if the default one is unusable; an explicit one must work.
///
/// # Errors
/// [`Error::Workspace`] if a root or the state directory cannot be opened.
pub fn workspace(settings: &Settings) -> Result<(Workspace, Recovery), Error> {
    let options = Options {
        roots: roots(settings),
        state: settings.state.value.clone(),
        home: operator::home(),
        durability: if settings.durable.value == OnOff::On { Durability::Power } else { Durability::Kill },
        scope: if settings.any_root.value == OnOff::On { Scope::Any } else { Scope::Careful },
        history: settings.history_limits(),
    };
    match Workspace::open(options.clone()) {
        Err(error @ (OpenError::State { .. } | OpenError::Key { .. }))
            if settings.state.origin == Origin::Default =>
        {
            tracing::warn!(%error, "continuing without a state directory");
            Workspace::open(Options { state: None, ..options }).kind(Error::Workspace)
        }
        opened => opened.kind(Error::Workspace),
    }
}

/// Returns the configured roots. If none are configured, the root is the project directory of the client
/// (`CLAUDE_PROJECT_DIR`, if it is an absolute path), otherwise the current directory.
fn roots(settings: &Settings) -> Vec<PathBuf> {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    match (&settings.roots.origin, project) {
        (Origin::Default, Some(project)) if project.is_absolute() => vec![project],
        _ => settings.roots.value.clone(),
    }
}

/// Returns the active dialects: the named ones, and that of code mode if it is on.
///
/// # Errors
/// [`Error::Tools`] if a dialect does not exist, or code mode is on and this build lacks the feature `script`.
pub fn dialects(settings: &Settings) -> Result<Vec<&'static Dialect>, Error> {
    let mut dialects: Vec<&'static Dialect> = Vec::new();
    for name in &settings.dialects.value {
        let Some(dialect) = toolpost_dialects::named(name) else {
            let known: Vec<&str> = toolpost_dialects::ALL.iter().map(|dialect| dialect.name).collect();
            let near = suggest(name, &known, 1);
            let near = near.first().map_or(String::new(), |near| format!(". Did you mean `{near}`?"));
            let what = format!("unknown dialect `{name}`; the dialects are {}{near}", known.join(", "));
            return Err(Error::Tools(Cause::text(what)));
        };
        if !dialects.iter().any(|chosen| chosen.name == dialect.name) {
            dialects.push(dialect);
        }
    }
    if settings.code_mode.value != CodeMode::Off {
        if !cfg!(feature = "script") {
            let what = "`code_mode` is set, and this program was built without the feature `script`: rebuild it with \
                        that feature, or remove the setting";
            return Err(Error::Tools(Cause::text(what)));
        }
        dialects.extend(toolpost_dialects::EXTRA);
    }
    Ok(dialects)
}

/// Returns the selection of tools that the settings make.
///
/// # Errors
/// [`Error::Tools`] if a dialect does not exist, a selected name belongs to no tool and cannot belong to an upstream
/// tool, or no tool would be left.
pub fn selection(settings: &Settings) -> Result<ToolSelection, Error> {
    let beside: Vec<String> =
        toolpost_dialects::code::DIALECT.tools.iter().map(|tool| tool.name.to_owned()).collect();
    let code = settings.code_mode.value;
    // A tool list selects among the tools of the dialects; those of code mode have their own setting.
    let tools = settings.tools.value.clone().map(|mut tools| {
        let only_out = tools.iter().all(|name| name.starts_with('!'));
        tools.extend(beside.into_iter().filter(|_| code != CodeMode::Off && !only_out));
        tools
    });
    let tools = buildable(settings, tools)?;
    let shown = (code == CodeMode::Only).then_some(toolpost_dialects::code::DIALECT.name);
    let narrow = ToolSelection { tools, deny: settings.denied(), shown };
    Catalogue::of(&dialects(settings)?).narrowed(&narrow).kind(Error::Tools)?;
    Ok(narrow)
}

/// Excludes the tools that this build cannot run from the selection of tools; `None` selects all tools.
fn buildable(settings: &Settings, tools: Option<Vec<String>>) -> Result<Option<Vec<String>>, Error> {
    let is_missing = |operation: &str| {
        (!cfg!(feature = "script") && operation == Plan::NAME)
            || (!cfg!(feature = "web") && operation == Fetch::NAME)
            || (!cfg!(feature = "meaning")
                && settings.embedding.value.is_none()
                && operation == Semantic::NAME)
    };
    let dialects = dialects(settings)?;
    let known = dialects.iter().flat_map(|dialect| dialect.tools.iter());
    let missing = known.filter(|tool| is_missing(tool.operation)).map(|tool| format!("!{}", tool.name));
    let missing: Vec<String> = missing.collect();
    Ok(if missing.is_empty() { tools } else { Some([tools.unwrap_or_default(), missing].concat()) })
}

/// Builds the policy that applies in a workspace.
///
/// # Errors
/// [`Error::Policy`] if a policy file cannot be read or has an invalid rule, and [`Error::Trust`] if the
/// record of trusted files cannot be read or is damaged.
pub fn policy(settings: &Settings, workspace: &Workspace) -> Result<Policy, Error> {
    let policy = rules(settings, workspace)?;
    let policy = match users_policy(settings) {
        Some(file) => policy.learning(file),
        None => policy,
    };
    let policy = policy
        .protecting(own_files(settings, workspace))
        .hiding(state_in_roots(settings, workspace))
        .denying(&settings.denied())
        .with_search(workspace.clone())
        .within(workspace.roots().iter().map(|root| root.path().to_path_buf()).collect());
    Ok(command_sandbox::confining(settings, workspace, policy, state_in_roots(settings, workspace)))
}

/// Returns the state directory if it is inside a root; tools and commands cannot access it there.
pub(crate) fn state_in_roots(settings: &Settings, workspace: &Workspace) -> Vec<PathBuf> {
    inside(workspace, settings.state.value.iter())
}

/// Checks that a project's rules are valid.
///
/// # Errors
/// [`Error::Policy`] if they are not.
pub fn check_project_rules(name: &str, text: &str) -> Result<(), Error> {
    let policy = Policy::built_in().kind(Error::Policy)?;
    policy.with(text, &RuleSource::Trusted(name.to_owned())).kind(Error::Policy)?;
    Ok(())
}

/// Combines the built-in rules with the policy file that the settings name. If they name none, combines them with the
/// user's rules and those of the roots, which can only tighten until they are trusted.
fn rules(settings: &Settings, workspace: &Workspace) -> Result<Policy, Error> {
    let mut policy = Policy::built_in().kind(Error::Policy)?;
    if let Some(path) = &settings.policy.value {
        let text = operator::read(path).kind(Error::Policy)?;
        let text =
            text.explain_with(Error::Policy, || format!("the policy {} does not exist", path.display()))?;
        let source = RuleSource::Operator(path.display().to_string());
        return policy.with(&text, &source).kind(Error::Policy);
    }
    if let Some(path) = users_policy(settings)
        && let Some(text) = operator::read(&path)
            .explain_with(Error::Policy, || format!("{} cannot be read", path.display()))?
    {
        let source = RuleSource::Operator(path.display().to_string());
        policy = policy.with(&text, &source).kind(Error::Policy)?;
    }
    let trusted = TrustStore::of(settings)?;
    for root in workspace.roots() {
        if let Some((name, text)) = project_rules(workspace, root)? {
            let source = match (trusted.holds(&name, &text), trusted.has_changed(&name, &text)) {
                (true, _) => RuleSource::Trusted(name),
                (false, true) => RuleSource::Lapsed(name),
                (false, false) => RuleSource::Project(name),
            };
            policy = policy.with(&text, &source).kind(Error::Policy)?;
        }
    }
    Ok(policy)
}

/// Returns the policy file that the settings name, or else the user's. Permanent approvals are added to this file.
#[must_use]
pub fn users_policy(settings: &Settings) -> Option<PathBuf> {
    let usual = || Some(operator::folder("XDG_CONFIG_HOME", ".config")?.join("policy.toml"));
    settings.policy.value.clone().or_else(usual)
}

/// Reads a project's rules through the workspace, so that the confinement rules apply. Returns the path and
/// the text; `None` if there is no file.
///
/// # Errors
/// [`Error::Policy`] if the file exists and cannot be read.
pub fn project_rules(workspace: &Workspace, root: &Root) -> Result<Option<(String, String)>, Error> {
    let path = workspace.within(root, ".toolpost/policy.toml");
    let path = path.explain(Error::Policy, "cannot find the project's rules")?;
    match workspace.read(&path, PROJECT_RULES) {
        Ok(found) => Ok(Some((path.absolute(), String::from_utf8_lossy(&found.bytes).into_owned()))),
        Err(error) if error.why == AccessKind::Missing => Ok(None),
        Err(error) => Err(error).explain(Error::Policy, "cannot read the project's rules"),
    }
}

/// Lists Toolpost's own files and directories that are inside a root.
fn own_files(settings: &Settings, workspace: &Workspace) -> Vec<PathBuf> {
    let configuration = operator::folder("XDG_CONFIG_HOME", ".config");
    let named = [
        &settings.policy.value,
        &settings.events.value,
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

/// Creates the trigram index of the workspace, without building it.
#[must_use]
pub fn trigrams(settings: &Settings, workspace: &Workspace) -> TrigramIndex {
    let folder = settings.cache.value.as_ref().map(|cache| cache.join("grams"));
    TrigramIndex::new(workspace.clone(), folder)
}

/// Returns the skill directories and a trust check that reads the state directory on every use.
#[must_use]
pub fn skills(settings: &Settings) -> SkillPlaces {
    let own = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("skills"));
    let home = operator::home();
    let usual = [".agents", ".claude", ".codex", ".gemini"];
    let usual = home.iter().flat_map(|home| usual.map(|name| home.join(name).join("skills")));
    let state = settings.state.value.clone();
    let trusted = move |file: &str, content: &str| {
        let known = state.as_deref().map(TrustStore::read);
        known.is_some_and(|known| known.is_ok_and(|known| known.holds(file, content)))
    };
    SkillPlaces { user: own.into_iter().chain(usual).collect(), trusted: Arc::new(trusted) }
}

/// Creates the client of the shared index, if one is named.
///
/// # Errors
/// [`Error::Service`] if the URL is invalid.
#[cfg(feature = "shared")]
pub fn shared_index(
    settings: &Settings,
    workspace: &Workspace,
) -> Result<Option<Arc<toolpost_shared_index::IndexClient>>, Error> {
    let Some(address) = &settings.index.value else { return Ok(None) };
    let server = toolpost_shared_index::Server::at(address).kind(Error::Service)?;
    let names = match &settings.repositories.value {
        Some(names) => names.clone(),
        None => workspace.roots().iter().map(|root| toolpost_shared_index::name_in(root.path())).collect(),
    };
    Ok(Some(Arc::new(toolpost_shared_index::IndexClient::new(server, names))))
}

/// Returns the directory for command output that is too large for memory.
pub(crate) fn spool(workspace: &Workspace) -> PathBuf {
    workspace.state_folder().map_or_else(std::env::temp_dir, Path::to_path_buf)
}
