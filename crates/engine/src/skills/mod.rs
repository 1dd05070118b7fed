//! Skills: directories with instructions that are loaded on demand.

pub(crate) mod find;
mod folder;
pub mod list;
mod read;
pub mod skill;

use schemars::JsonSchema;
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

use crate::files::Files;

/// The user's skill directories, and the project skills that the user trusts.
#[derive(Clone)]
pub struct SkillPlaces {
    /// The user's skill directories; missing ones are skipped.
    pub user: Vec<PathBuf>,
    /// Checks whether the user trusts a project's skill, by the location of its file and the content of its
    /// directory.
    pub trusted: Trusts,
}

/// Checks whether a file with this location and content is trusted.
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
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The path of its file.
    pub location: String,
    /// Its origin.
    pub source: Source,
    /// Its instructions.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) body: String,
    /// Its directory.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) folder: String,
    /// The files next to it, relative to the directory, and the number of further ones.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) resources: (Vec<String>, usize),
    /// True if only the user may start it.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) is_users: bool,
    /// The content of its directory, in the form that the user trusts.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) content: String,
}

/// Origin of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// It belongs to the project.
    Project,
    /// It belongs to the user.
    User,
}

/// The results of a search for skills.
#[derive(Debug, Default)]
pub struct Found {
    /// The usable skills, by their names.
    pub skills: Vec<Skill>,
    /// The project's skills that the user has not trusted.
    pub untrusted: Vec<Skill>,
    /// Skills that another one of the same name hides: the name, the hidden one, the used one.
    pub shadowed: Vec<(String, String, String)>,
    /// The problems of skill files, in a sentence each.
    pub problems: Vec<String>,
}

impl Skill {
    /// Returns the content of its directory, in the form that the user trusts.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }
}
