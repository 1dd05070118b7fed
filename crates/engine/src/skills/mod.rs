//! Skills: directories with instructions that are loaded on demand.

mod content;
pub(crate) mod find;
mod folder;
pub mod list;
mod read;
pub mod skill;

use schemars::JsonSchema;
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

use crate::files::Files;

/// The user's skill directories, and the check for project skills that the user trusts.
#[derive(Clone)]
pub struct SkillPlaces {
    /// The user's skill directories; missing ones are skipped.
    pub user: Vec<PathBuf>,
    /// Checks whether the user trusts a project's skill, by the location of its file and the content of its
    /// directory.
    pub trusted: SkillTrustCheck,
}

/// Checks whether the user trusts a skill. The arguments are the skill's `location` and `content`.
pub type SkillTrustCheck = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;

impl Default for SkillPlaces {
    fn default() -> Self {
        Self { user: Vec::new(), trusted: Arc::new(|_, _| false) }
    }
}

/// The capability to load skills of the user and of the project. Clones share their state.
#[derive(Clone)]
pub struct SkillLibrary {
    files: Files,
    places: SkillPlaces,
}

impl SkillLibrary {
    pub(crate) fn new(files: Files, places: SkillPlaces) -> Self {
        Self { files, places }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the user's skill directories, and the check for trusted project skills.
    pub(crate) fn places(&self) -> &SkillPlaces {
        &self.places
    }
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skill {
    /// The name of the skill.
    pub name: String,
    /// The purpose of the skill, from its front matter.
    pub description: String,
    /// The absolute path of the file `SKILL.md`.
    pub location: String,
    /// The origin of the skill.
    pub source: Source,
    /// The instructions: the text after the front matter.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) body: String,
    /// The absolute path of the skill's directory.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) folder: String,
    /// The other files in the skill's directory and its subdirectories, relative to the skill's directory,
    /// and the number of files that this list leaves out.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) resources: (Vec<String>, usize),
    /// True if only the user, and not a model, may start the skill.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) is_users: bool,
    /// The content that the user trusts, or the reason why a project's skill cannot be trusted; empty for a skill of the
    /// user, which needs no trust.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) content: Result<String, String>,
}

/// Origin of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A directory of the project.
    Project,
    /// A directory of the user.
    User,
}

/// The results of a search for skills.
#[derive(Debug, Default)]
pub struct FoundSkills {
    /// The usable skills, sorted by name.
    pub skills: Vec<Skill>,
    /// The project's skills that the user has not trusted, and those that cannot be trusted.
    pub untrusted: Vec<Skill>,
    /// Skills that another skill of the same name hides: name, location of the hidden skill, location of the
    /// used skill.
    pub shadowed: Vec<(String, String, String)>,
    /// The problems of skill files, one line each.
    pub problems: Vec<String>,
}

impl Skill {
    /// Returns the content of the directory of a project's skill, in the form that the user trusts: the text of
    /// `SKILL.md`, and the names and hashes of all other files, at any depth.
    ///
    /// # Errors
    /// If the content cannot cover all files of the directory, so that the skill cannot be trusted. The error is the
    /// reason, as a clause.
    pub fn content(&self) -> Result<&str, &str> {
        self.content.as_deref().map_err(String::as_str)
    }
}
