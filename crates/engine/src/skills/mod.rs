//! Skills: folders with instructions that are read when they are needed.

pub(crate) mod find;
mod folder;
pub mod list;
mod read;
pub mod skill;

use schemars::JsonSchema;
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

use crate::files::Files;

/// Where a user's skills lie, and which of a project's are trusted.
#[derive(Clone)]
pub struct SkillPlaces {
    /// The user's folders of skills; those that do not exist are passed over.
    pub user: Vec<PathBuf>,
    /// Tells whether the user trusts a skill of a project: by the place of its file, and by what is in its folder.
    pub trusted: Trusts,
}

/// Tells whether a file of this place and content is trusted.
pub type Trusts = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;

impl Default for SkillPlaces {
    fn default() -> Self {
        Self { user: Vec::new(), trusted: Arc::new(|_, _| false) }
    }
}

/// Skills of the user and of the project. Clones share their state.
#[derive(Clone)]
pub struct SkillLibrary {
    files: Files,
    places: SkillPlaces,
}

impl SkillLibrary {
    /// Opens the capability.
    pub(crate) fn new(files: Files, places: SkillPlaces) -> Self {
        Self { files, places }
    }

    /// Files of the workspace.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Directories that are searched, and the skills that are trusted.
    pub(crate) fn places(&self) -> &SkillPlaces {
        &self.places
    }
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skill {
    /// By what it is known.
    pub name: String,
    /// What it is good for.
    pub description: String,
    /// The file that holds it.
    pub location: String,
    /// Whose it is.
    pub source: Source,
    /// What it says.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) body: String,
    /// The folder in which it lies.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) folder: String,
    /// The files beside it, relative to the folder, and how many more there are.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) resources: (Vec<String>, usize),
    /// Whether only the user may begin with it.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) is_users: bool,
    /// What is in its folder, as the user trusts it.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) content: String,
}

/// Whose a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The project brings it.
    Project,
    /// The user has it.
    User,
}

/// All skills that were found.
#[derive(Debug, Default)]
pub struct Found {
    /// Those that can be used, by their names.
    pub skills: Vec<Skill>,
    /// Those of the project that nobody has trusted.
    pub untrusted: Vec<Skill>,
    /// Those that another of the same name hides: the name, the one that is hidden, the one that is used.
    pub shadowed: Vec<(String, String, String)>,
    /// What is wrong with which, in words.
    pub problems: Vec<String>,
}

impl Skill {
    /// Gives what is in its folder, as the user trusts it.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }
}
