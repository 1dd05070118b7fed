//! Agent definition files of the user and of trusted projects.

use crate::{
    error::{Error, Explain, Kind},
    settings::Settings,
    trust::TrustStore,
};
use std::path::PathBuf;
use toolpost_agent::Subagent;
use toolpost_workspace::{AccessKind, Root, Workspace, operator};

/// Directories of a project that hold agent definitions.
const OF_PROJECTS: [&str; 2] = [".toolpost/agents", ".claude/agents"];
/// Suffix of a definition file.
const ENDS: &str = ".md";
/// Maximum size of a definition file, in bytes.
const LONGEST: u64 = 256 * 1024;
/// Maximum number of definition files that are read from one directory.
const MOST: usize = 200;
/// Message for a project's directory of agent definitions that cannot be read.
const UNREADABLE: &str = "cannot read the project's agents";

/// Agents read from definition files, and notes about skipped files.
#[derive(Default)]
pub struct AgentDefinitions {
    /// The agents, each with a different name.
    pub agents: Vec<Subagent>,
    /// A note for each definition file that could be read but was skipped, with the reason.
    pub notes: Vec<String>,
}

/// Reads the agent definitions of the user and of trusted projects. If a project and the user define an agent
/// of the same name, the project's takes precedence.
///
/// # Errors
/// [`Error::Workspace`] if a project's directory of definitions cannot be read, and [`Error::Trust`] if the record
/// of trusted files cannot be read or is damaged.
pub fn find(settings: &Settings, workspace: &Workspace) -> Result<AgentDefinitions, Error> {
    let mut described = AgentDefinitions::default();
    let trusted = TrustStore::of(settings)?;
    for root in workspace.roots() {
        for (file, text) in of_project(workspace, root)? {
            if trusted.holds(&file, &text) {
                described.add(&file, &text);
            } else {
                described.notes.push(format!(
                    "{file} was skipped, because this project is not trusted; to trust it, run `toolpost \
                     policy trust`"
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

/// Reads a project's definition files through the workspace, so that the confinement rules apply. Files that cannot be
/// read are left out.
///
/// # Errors
/// [`Error::Workspace`] if a directory of definitions exists and cannot be read.
pub fn of_project(workspace: &Workspace, root: &Root) -> Result<Vec<(String, String)>, Error> {
    let mut found = Vec::new();
    for folder in OF_PROJECTS {
        let place = workspace.within(root, folder).explain(Error::Workspace, UNREADABLE)?;
        let names = match workspace.list(&place) {
            Ok(entries) => entries,
            Err(error) if matches!(error.why, AccessKind::Missing | AccessKind::NotADirectory) => continue,
            Err(error) => return Err(error).explain(Error::Workspace, UNREADABLE),
        };
        let names = names.iter().filter_map(|entry| entry.name.to_str()).filter(|name| name.ends_with(ENDS));
        for name in names.take(MOST) {
            let path = workspace.within(root, &format!("{folder}/{name}")).kind(Error::Workspace)?;
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

impl AgentDefinitions {
    fn add(&mut self, file: &str, text: &str) {
        match Subagent::read(file, text) {
            Ok(agent) if self.agents.iter().any(|known| known.name == agent.name) => {
                self.notes
                    .push(format!("{file} was skipped, because another agent has the name {}", agent.name));
            }
            Ok(agent) => self.agents.push(agent),
            Err(bad) => self.notes.push(bad.to_string()),
        }
    }
}
