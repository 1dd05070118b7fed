//! Finds the agents that are described in files: the user's own, and those of projects, as far as the user trusts them.

use crate::{settings::Settings, trust::Trusted};
use anyhow::{Context, Result};
use std::path::PathBuf;
use toolpost_agent::Subagent;
use toolpost_workspace::{AccessKind, Root, Workspace, operator};

/// Where projects describe agents.
const OF_PROJECTS: [&str; 2] = [".toolpost/agents", ".claude/agents"];
/// How such a file's name ends.
const ENDS: &str = ".md";
/// The most that such a file may have.
const LONGEST: u64 = 256 * 1024;
/// How many there may be in one folder.
const MOST: usize = 200;

/// The agents that are described, and what is to be said of the rest.
#[derive(Default)]
pub(crate) struct Described {
    pub(crate) agents: Vec<Subagent>,
    pub(crate) notes: Vec<String>,
}

/// Finds the agents: those of projects go before the user's own of the same name.
pub(crate) fn find(settings: &Settings, workspace: &Workspace) -> Result<Described> {
    let mut described = Described::default();
    let trusted = settings.state.value.as_deref().map(Trusted::read).transpose()?.unwrap_or_default();
    for root in workspace.roots() {
        for (file, text) in of_project(workspace, root)? {
            if trusted.holds(&file, &text) {
                described.add(&file, &text);
            } else {
                described.notes.push(format!(
                    "{file} is passed over: agents of a project are used once it is trusted (toolpost policy trust)"
                ));
            }
        }
    }
    for folder in of_user() {
        for (file, text) in operator::texts(&folder, ENDS, LONGEST, MOST).unwrap_or_default() {
            described.add(&file.display().to_string(), &text);
        }
    }
    Ok(described)
}

/// Reads the files in which a project describes agents, as carefully as any other file of the project.
pub(crate) fn of_project(workspace: &Workspace, root: &Root) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for folder in OF_PROJECTS {
        let place = workspace.within(root, folder).context("the project's agents cannot be looked for")?;
        let names = match workspace.list(&place) {
            Ok(entries) => entries,
            Err(error) if matches!(error.why, AccessKind::Missing | AccessKind::NotADirectory) => continue,
            Err(error) => return Err(error).context("the project's agents cannot be looked for"),
        };
        let names = names.iter().filter_map(|entry| entry.name.to_str()).filter(|name| name.ends_with(ENDS));
        for name in names.take(MOST) {
            let path = workspace.within(root, &format!("{folder}/{name}"))?;
            if let Ok(read) = workspace.read(&path, LONGEST) {
                found.push((path.absolute(), String::from_utf8_lossy(&read.bytes).into_owned()));
            }
        }
    }
    Ok(found)
}

fn of_user() -> Vec<PathBuf> {
    let own = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("agents"));
    let others = operator::home().map(|home| home.join(".claude/agents"));
    own.into_iter().chain(others).collect()
}

impl Described {
    fn add(&mut self, file: &str, text: &str) {
        match Subagent::read(file, text) {
            Ok(agent) if self.agents.iter().any(|known| known.name == agent.name) => {
                self.notes.push(format!("{file} is passed over: another agent is called {}", agent.name));
            }
            Ok(agent) => self.agents.push(agent),
            Err(bad) => self.notes.push(bad.to_string()),
        }
    }
}
