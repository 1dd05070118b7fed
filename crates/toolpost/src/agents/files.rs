//! Agent definition files of the user and of trusted projects.

use crate::{
    error::{Error, Explain, Kind},
    settings::Settings,
    trust::TrustStore,
};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};
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
    /// Notes about definition files that were skipped, with the reasons.
    pub notes: Vec<String>,
}

/// Definition files that could be read, and notes about skipped ones.
#[derive(Default)]
pub struct DefinitionFiles {
    /// Absolute paths of the files, with their texts.
    pub files: Vec<(String, String)>,
    /// Notes about the files that could not be read, with the reasons.
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
        let found = of_project(workspace, root)?;
        described.notes.extend(found.notes);
        for (file, text) in found.files {
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
    for folder in user_directories() {
        let found = of_user_directory(&folder);
        described.notes.extend(found.notes);
        for (file, text) in found.files {
            described.add(&file, &text);
        }
    }
    Ok(described)
}

/// Reads a project's definition files through the workspace, so that the confinement rules apply. Notes name the files
/// that cannot be read.
///
/// # Errors
/// [`Error::Workspace`] if a directory of definitions exists and cannot be read.
pub fn of_project(workspace: &Workspace, root: &Root) -> Result<DefinitionFiles, Error> {
    let mut found = DefinitionFiles::default();
    for folder in OF_PROJECTS {
        let place = workspace.within(root, folder).explain(Error::Workspace, UNREADABLE)?;
        let entries = match workspace.list(&place) {
            Ok(entries) => entries,
            Err(error) if matches!(error.why, AccessKind::Missing | AccessKind::NotADirectory) => continue,
            Err(error) => return Err(error).explain(Error::Workspace, UNREADABLE),
        };
        let names = entries.iter().map(|entry| entry.name.as_os_str());
        let names: Vec<&OsStr> =
            names.filter(|name| name.as_encoded_bytes().ends_with(ENDS.as_bytes())).collect();
        for name in names.iter().take(MOST) {
            let Some(name) = name.to_str() else {
                let file = format!("{}/{}", place.absolute(), name.display());
                found.skipped(&file, "its name is not UTF-8; rename it");
                continue;
            };
            let path = workspace.within(root, &format!("{folder}/{name}")).kind(Error::Workspace)?;
            match workspace.read(&path, LONGEST) {
                Ok(read) => {
                    found.files.push((path.absolute(), String::from_utf8_lossy(&read.bytes).into_owned()));
                }
                Err(error) => found.skipped(&path.absolute(), &unreadable(&error.why)),
            }
        }
        found.count(&place.absolute(), names.len());
    }
    Ok(found)
}

/// Reads the definition files in a directory of the user. Notes name the files that cannot be read, or the directory if
/// it exists and cannot be read.
fn of_user_directory(folder: &Path) -> DefinitionFiles {
    let mut found = DefinitionFiles::default();
    let shown = folder.display().to_string();
    let paths = match operator::paths(folder, ENDS) {
        Ok(paths) => paths,
        Err(error) => {
            let why = "because the directory cannot be read";
            found.notes.push(format!("the agents in {shown} were skipped, {why}: {error}"));
            return found;
        }
    };
    for path in paths.iter().take(MOST) {
        let file = path.display().to_string();
        match operator::read_at_most(path, LONGEST) {
            Ok(Some(text)) => found.files.push((file, text)),
            Ok(None) => found.skipped(&file, "it does not exist"),
            Err(error) => found.skipped(&file, &format!("it cannot be read: {error}")),
        }
    }
    found.count(&shown, paths.len());
    found
}

/// Returns the reason for a skipped file, as a clause.
fn unreadable(why: &AccessKind) -> String {
    match why {
        AccessKind::TooLarge { len, limit } => {
            format!("it has {len} bytes, more than the limit of {limit}; shorten it")
        }
        other => format!("it {other}"),
    }
}

fn user_directories() -> Vec<PathBuf> {
    let own = operator::folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("agents"));
    let others = operator::home().map(|home| home.join(".claude/agents"));
    own.into_iter().chain(others).collect()
}

impl DefinitionFiles {
    fn skipped(&mut self, file: &str, why: &str) {
        self.notes.push(format!("{file} was skipped, because {why}"));
    }

    /// Adds a note if a directory has more definition files than are read.
    fn count(&mut self, folder: &str, files: usize) {
        if files > MOST {
            self.notes.push(format!(
                "{} of the {files} agents in {folder} were skipped, because Toolpost reads at most {MOST} in a \
                 directory",
                files - MOST
            ));
        }
    }
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
