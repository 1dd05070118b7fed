//! Launch parameters of an external agent: its command, and the `toolpost serve` command that gives it
//! Toolpost's tools.

use crate::{
    error::{Error, Explain, Kind},
    settings::{
        NO_AGENT, Settings,
        values::{AgentMay, AskFallback, Choice, OnOff},
    },
};
use std::{collections::BTreeMap, env, path::Path, time::Duration};
use toolpost_acp::{AgentPermissions, ServerCommand, Setup};
use toolpost_workspace::Workspace;

/// Prefix of Toolpost's environment variables.
const PREFIX: &str = "TOOLPOST_";

/// Returns the launch parameters of the external agent, or `None` if the settings name none.
pub(super) fn setup(settings: &Settings, workspace: &Workspace) -> Result<Option<Setup>, Error> {
    let Some(command) = settings.external_agent.value.clone() else { return Ok(None) };
    let set = |name: &String| Some((name.clone(), env::var(name).ok()?));
    let environment = settings.external_agent_variables.value.iter().filter_map(set).collect();
    Ok(Some(Setup {
        command,
        environment,
        roots: workspace.roots().iter().map(|root| root.path().to_path_buf()).collect(),
        handed: handed(settings, workspace, may(settings))?,
        may: may(settings),
        idle: Duration::from_secs_f64(settings.idle.value),
    }))
}

/// Returns the permissions of the external agent.
pub(super) fn may(settings: &Settings) -> AgentPermissions {
    match settings.external_agent_may.value {
        AgentMay::Read => AgentPermissions::Read,
        AgentMay::Write => AgentPermissions::Write,
        AgentMay::All => AgentPermissions::All,
    }
}

/// Returns the command that starts Toolpost's tools for the agent: this program with the active settings. The
/// command denies delegation, and gives a read-only agent no tools that write.
fn handed(settings: &Settings, workspace: &Workspace, may: AgentPermissions) -> Result<ServerCommand, Error> {
    let program = env::current_exe().explain(Error::Model, "cannot find this program's own path")?;
    let mut arguments = vec!["serve".to_owned()];
    let mut push = |flag: &str, value: &str| arguments.extend([flag.to_owned(), value.to_owned()]);
    for root in workspace.roots() {
        push("--root", text(root.path())?);
    }
    for dialect in &settings.dialects.value {
        push("--dialect", dialect);
    }
    settings.deny.value.iter().for_each(|deny| push("--deny", deny.word()));
    push("--deny", "delegate");
    let paths = [
        ("--policy", &settings.policy.value),
        ("--mcp-config", &settings.mcp_config.value),
        ("--events", &settings.events.value),
        ("--state", &settings.state.value),
        ("--cache", &settings.cache.value),
    ];
    for (flag, path) in paths {
        if let Some(path) = path {
            push(flag, text(&std::path::absolute(path).kind(Error::Model)?)?);
        }
    }
    push("--sandbox", settings.sandbox.value.word());
    push("--first-match", settings.first_match.value.word());
    push("--dependencies", settings.dependencies.value.word());
    push("--ask", if settings.ask.value == AskFallback::Allow { "allow" } else { "deny" });
    push("--code-mode", settings.code_mode.value.word());
    push("--events-detail", settings.events_detail.value.word());
    if may == AgentPermissions::Read || settings.read_only.value == OnOff::On {
        arguments.push("--read-only".to_owned());
    }
    let tools = settings.tools.value.clone().unwrap_or_default();
    Ok(ServerCommand { program, arguments, tools, environment: environment() })
}

/// Returns this process's environment variables for the settings listed here, which have no flag, and one that turns
/// off external agents. The URL of the shared index is left out, because it may hold a password.
fn environment() -> BTreeMap<String, String> {
    let handed = [
        "DEADLINE_SECONDS",
        "REPLY_BYTES",
        "ENCODING",
        "IGNORE_FILES",
        "DURABLE",
        "ANY_ROOT",
        "COMMAND_MEMORY_MB",
        "COMMAND_PROCESSES",
        "COMMAND_FILE_MB",
        "DISK_RESERVE_MB",
        "HISTORY_MB",
        "HISTORY_DAYS",
    ];
    let set = |name: &str| {
        let name = format!("{PREFIX}{name}");
        env::var(&name).ok().map(|value| (name, value))
    };
    let mut environment: BTreeMap<String, String> = handed.into_iter().filter_map(set).collect();
    // Otherwise the agent's Toolpost server would start another external agent.
    environment.insert(format!("{PREFIX}ACP"), NO_AGENT.to_owned());
    environment
}

fn text(path: &Path) -> Result<&str, Error> {
    path.to_str().explain_with(Error::Model, || {
        format!("{} is not UTF-8, so it cannot be passed to an agent", path.display())
    })
}
