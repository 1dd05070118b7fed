//! The settings of the user's own agent: which program it is, what it may do, and how our tools are started for it.

use crate::{
    args::{Ask, CodeMode, EventsDetail, OnOff},
    settings::{Setting, Settings, Sources},
};
use anyhow::{Context, Result, bail};
use std::{collections::BTreeMap, env, fmt::Write as _, path::Path, time::Duration};
use toolpost_agent::acp::{Handed, May, Setup};
use toolpost_workspace::Workspace;

/// The word for nobody.
const NOBODY: &str = "none";
/// How our settings begin in the environment.
const OURS: &str = "TOOLPOST_";

/// What the command line says of the user's own agent.
#[derive(clap::Args, Default)]
pub(crate) struct OwnFlags {
    /// External agent to use instead of a model (ACP), such as "opencode acp" [default: none]
    #[arg(long, global = true, value_name = "COMMAND")]
    acp: Option<String>,
    /// Permissions of the external agent: read, write (with our tools) or all [default: read]
    #[arg(long, global = true, value_name = "WHAT")]
    acp_may: Option<String>,
}

/// What the configuration file says of it in `[agent]`: the command, what it may do, which variables it gets.
type File = (Option<Vec<String>>, Option<String>, Option<Vec<String>>);

/// The settings.
pub(crate) struct Own {
    /// The program and its arguments.
    pub(crate) command: Setting<Option<Vec<String>>>,
    may: Setting<May>,
    /// The names of the variables that it gets of our environment.
    variables: Setting<Vec<String>>,
}

impl Own {
    /// Finds the settings; the workspace has no part in them, since they start a program.
    pub(crate) fn find(flags: &OwnFlags, from: &Sources, file: File) -> Result<Self> {
        let (filed, filed_may, variables) = file;
        let flag = flags.acp.as_deref().map(words).transpose().context("--acp")?;
        let mut command = from.optional(flag, "ACP", words, filed)?;
        command.value = command.value.filter(|words| !words.is_empty() && words != &[NOBODY]);
        let said = flags.acp_may.as_deref().map(may).transpose()?;
        let filed_may = filed_may.as_deref().map(may).transpose()?;
        let names = |text: &str| Ok(text.split(',').map(|name| name.trim().to_owned()).collect());
        Ok(Self {
            command,
            may: from.choose(said, "ACP_MAY", may, filed_may, May::Read)?,
            variables: from.choose(None, "ACP_ENV", names, variables, Vec::new())?,
        })
    }

    /// Says what the agent is and gets; none where nobody is named.
    pub(crate) fn setup(
        &self,
        settings: &Settings,
        workspace: &Workspace,
        idle: f64,
    ) -> Result<Option<Setup>> {
        let Some(command) = self.command.value.clone() else { return Ok(None) };
        let set = |name: &String| Some((name.clone(), env::var(name).ok()?));
        let environment = self.variables.value.iter().filter_map(set).collect();
        Ok(Some(Setup {
            command,
            environment,
            roots: workspace.roots().iter().map(|root| root.path().to_path_buf()).collect(),
            handed: handed(settings, workspace, self.may.value)?,
            may: self.may.value,
            idle: Duration::from_secs_f64(idle),
        }))
    }

    /// Takes the agent of earlier work.
    pub(crate) fn resume(&mut self, command: Vec<String>, allowed: Option<&str>) -> Result<()> {
        self.command.resume(Some(command));
        if let Some(word) = allowed {
            self.may.resume(may(word)?);
        }
        Ok(())
    }

    /// Says what it may do.
    pub(crate) fn may(&self) -> May {
        self.may.value
    }

    /// Lists the settings, each with its value and where it came from.
    pub(crate) fn in_force(&self) -> Vec<String> {
        let command = self.command.value.as_ref().map_or(NOBODY.to_owned(), |words| words.join(" "));
        let variables = &self.variables.value;
        let variables = if variables.is_empty() { NOBODY.to_owned() } else { variables.join(", ") };
        vec![
            format!("agent.acp = {} ({})", toolpost_text::redact::redact(&command), self.command.origin),
            format!("agent.acp_may = {} ({})", self.may.value.word(), self.may.origin),
            format!("agent.acp_env = {variables} ({})", self.variables.origin),
        ]
    }
}

/// Says how our own tools are started for the agent: this program, with what is in force here. The agent there leaves no work to
/// others, and what writes is not served where it may only read.
fn handed(settings: &Settings, workspace: &Workspace, may: May) -> Result<Handed> {
    let program = env::current_exe().context("it is not known where this program lies")?;
    let mut arguments = vec!["serve".to_owned()];
    let mut push = |flag: &str, value: &str| arguments.extend([flag.to_owned(), value.to_owned()]);
    for root in workspace.roots() {
        push("--root", text(root.path())?);
    }
    for dialect in &settings.dialects.value {
        push("--dialect", dialect);
    }
    let narrow = &settings.narrow;
    narrow.deny.value.iter().for_each(|deny| push("--deny", deny.word()));
    push("--deny", "delegate");
    let paths = [
        ("--policy", &settings.policy.value),
        ("--mcp-config", &settings.mcp_config.value),
        ("--events", &settings.events.file.value),
        ("--state", &settings.state.value),
        ("--cache", &settings.cache.value),
    ];
    for (flag, path) in paths {
        if let Some(path) = path {
            push(flag, text(&std::path::absolute(path)?)?);
        }
    }
    push("--sandbox", on(settings.sandbox.value));
    push("--first-match", on(settings.first_match.value));
    push("--dependencies", on(settings.dependencies.value));
    push("--ask", if settings.ask.value == Ask::Allow { "allow" } else { "deny" });
    push(
        "--code-mode",
        match settings.code_mode.value {
            CodeMode::On => "on",
            CodeMode::Off => "off",
            CodeMode::Only => "only",
        },
    );
    push("--events-detail", if settings.events.detail.value == EventsDetail::All { "all" } else { "names" });
    if may == May::Read || narrow.read_only.value == OnOff::On {
        arguments.push("--read-only".to_owned());
    }
    let tools = narrow.tools.value.clone().unwrap_or_default();
    Ok(Handed { program, arguments, tools, environment: environment() })
}

/// Gives what is in force and has no flag. Where the shared index lies is left out: its address may hold a password.
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
        let name = format!("{OURS}{name}");
        env::var(&name).ok().map(|value| (name, value))
    };
    let mut environment: BTreeMap<String, String> = handed.into_iter().filter_map(set).collect();
    // It would start an agent of its own.
    environment.insert(format!("{OURS}ACP"), NOBODY.to_owned());
    environment
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8, and cannot be named to an agent", path.display()))
}

fn on(switch: OnOff) -> &'static str {
    if switch == OnOff::On { "on" } else { "off" }
}

fn may(text: &str) -> Result<May> {
    let words: Vec<&str> = May::ALL.iter().map(|may| may.word()).collect();
    let found = May::ALL.into_iter().find(|may| may.word() == text);
    found.with_context(|| format!("`{text}` is nothing that an agent may do; there are {}", words.join(", ")))
}

/// Parts a command at its blanks; quotes and backslashes keep words together, as in a shell, and nothing is expanded.
fn words(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => bail!("a {letter} is not closed"),
                        Some(other) if other == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(other) => write!(word, "{other}")?,
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_parted_as_a_shell_does() {
        let rows: [(&str, &[&str]); 6] = [
            ("opencode acp", &["opencode", "acp"]),
            ("  a  'b c' \"d \\\" e\" ", &["a", "b c", "d \" e"]),
            ("a\\ b ''", &["a b", ""]),
            ("x'y'z", &["xyz"]),
            ("echo $HOME *", &["echo", "$HOME", "*"]),
            ("", &[]),
        ];
        for (text, wanted) in rows {
            assert_eq!(words(text).unwrap(), wanted, "{text}");
        }
        assert_eq!(words("a 'b").unwrap_err().to_string(), "a ' is not closed");
    }
}
