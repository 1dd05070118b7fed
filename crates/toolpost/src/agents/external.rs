//! Launch parameters of an external agent: its command, and the `toolpost serve` command that gives it
//! Toolpost's tools.

use super::editor;
use crate::{
    error::{Error, Explain, Kind},
    settings::{
        NO_AGENT, Settings,
        table::{Row, TABLE},
        values::{AgentMay, AskFallback, Choice, EditorChoice, OnOff},
    },
};
use std::{collections::BTreeMap, env, path::Path, time::Duration};
use toolpost_acp::{AgentPermissions, ServerCommand, Setup};
use toolpost_workspace::Workspace;

/// Settings that the agent's server does not get, each with the reason. It gets none of the table `agent` either, because
/// it may not delegate.
const WITHHELD: [(&str, &str); 8] = [
    ("session", "the agent has a separate conversation and task list"),
    ("index", "its URL may hold a password"),
    ("repository", "it belongs to `index`"),
    ("codesearch.provider", "the agent does not get the key of the service"),
    ("codesearch.base_url", "it belongs to `codesearch.provider`"),
    ("codesearch.key_env", "it belongs to `codesearch.provider`"),
    ("embedding", "its URL may hold a password"),
    ("embedding_model", "it belongs to `embedding`"),
];

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
    // The server does not run in the terminal of the editor, so it gets the socket.
    let editor = editor::socket(&settings.editor.value).map_or(EditorChoice::Off, EditorChoice::Neovim);
    push("--editor", &editor.shown());
    push("--editor-apply", settings.editor_apply.value.word());
    if may == AgentPermissions::Read || settings.read_only.value == OnOff::On {
        arguments.push("--read-only".to_owned());
    }
    let tools = settings.tools.value.clone().unwrap_or_default();
    Ok(ServerCommand { program, arguments, tools, environment: environment(|name| env::var(name).ok()) })
}

/// Returns the environment variables for the settings without a flag, as far as `value` returns a value for them, and one
/// that turns off external agents.
fn environment(value: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let handed = TABLE.iter().filter(|row| row.flag.is_none() && !is_withheld(row.key));
    let set = |row: &Row| Some((row.variable.to_owned(), value(row.variable)?));
    let mut environment: BTreeMap<String, String> = handed.filter_map(set).collect();
    // Otherwise the agent's Toolpost server would start another external agent.
    environment.insert("TOOLPOST_ACP".to_owned(), NO_AGENT.to_owned());
    environment
}

/// Returns whether the agent's server does not get the setting with this key.
fn is_withheld(key: &str) -> bool {
    key.starts_with("agent.") || WITHHELD.iter().any(|(withheld, _)| *withheld == key)
}

fn text(path: &Path) -> Result<&str, Error> {
    path.to_str().explain_with(Error::Model, || {
        format!("{} is not UTF-8, so it cannot be passed to an agent", path.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::values::Deny;
    use toolpost_workspace::Options;

    /// A setting that is neither passed nor withheld for a reason would silently have its default in the server.
    #[test]
    fn every_setting_is_passed_to_the_server_or_withheld() {
        let root = tempfile::tempdir().unwrap();
        let options = Options { roots: vec![root.path().to_path_buf()], ..Options::default() };
        let (workspace, _) = Workspace::open(options).unwrap();
        let mut settings = Settings::defaults();
        let paths = [
            &mut settings.policy,
            &mut settings.mcp_config,
            &mut settings.events,
            &mut settings.state,
            &mut settings.cache,
        ];
        paths.into_iter().for_each(|path| path.value = Some("/x".into()));
        settings.deny.value = vec![Deny::Fetch];
        let server = handed(&settings, &workspace, AgentPermissions::Read).unwrap();
        let environment = environment(|name| Some(format!("value of {name}")));
        for row in TABLE {
            let passed = match row.flag {
                // The caller adds the names of the tools.
                Some(_) if row.key == "tools" => true,
                Some(flag) => server.arguments.contains(&format!("--{}", flag.name)),
                None => environment.get(row.variable) == Some(&format!("value of {}", row.variable)),
            };
            assert_ne!(passed, is_withheld(row.key), "{}", row.key);
        }
    }
}
