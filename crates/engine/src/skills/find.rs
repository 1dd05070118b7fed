//! Finds skills: first those of the project, in a fixed order of conventional directories, then the user's.

use super::{FoundSkills, Skill, Source, content, folder, read};
use crate::{call::permissions::MayRead, skills::SkillLibrary};
use std::collections::HashSet;
use toolpost_workspace::{OpenError, Options, Scope, Workspace};

/// The conventional skill directories of a project. If several contain a skill of the same name, the first one that
/// the user trusts is used.
const CUSTOMARY: [&str; 7] = [
    ".toolpost/skills",
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".gemini/skills",
    "skills",
    ".skills",
];

/// Finds all skills; `may` decides which files of the project may be read.
///
/// # Errors
/// The error of `check`, which runs for each file in the directories of the project's skills.
pub(crate) fn find<E>(
    library: &SkillLibrary,
    may: &MayRead,
    check: impl Fn() -> Result<(), E>,
) -> Result<FoundSkills, E> {
    let places = library.places();
    let mut found = FoundSkills::default();
    let mut budget = content::Budget::default();
    let workspace = library.files().workspace();
    for root in workspace.roots() {
        for place in CUSTOMARY {
            for raw in folder::walk(workspace, root, place, &**may, &mut found.problems) {
                // The same file can be reachable by two paths.
                if found.has(&raw.file.absolute()) {
                    continue;
                }
                let content = content::of(workspace, root, &raw, &mut budget, &check)?;
                let Some(mut skill) = read::skill(raw, Source::Project, &mut found.problems) else {
                    continue;
                };
                if let Err(why) = &content {
                    let problem = format!("{}: the skill cannot be trusted, because {why}", skill.location);
                    found.problems.push(problem);
                }
                skill.content = content;
                if skill.content().is_ok_and(|content| (places.trusted)(&skill.location, content)) {
                    found.take(skill);
                } else {
                    found.untrusted.push(skill);
                }
            }
        }
    }
    for place in &places.user {
        let options = Options { roots: vec![place.clone()], scope: Scope::Any, ..Options::default() };
        let workspace = match Workspace::open(options) {
            Ok((workspace, _)) => workspace,
            Err(OpenError::Root { fault, .. }) if fault.is_missing() => continue,
            Err(error) => {
                found.problems.push(error.to_string());
                continue;
            }
        };
        for root in workspace.roots() {
            for raw in folder::walk(&workspace, root, ".", &|_| true, &mut found.problems) {
                if let Some(skill) = read::skill(raw, Source::User, &mut found.problems) {
                    found.take(skill);
                }
            }
        }
    }
    found.skills.sort_by(|one, other| one.name.cmp(&other.name));
    found.untrusted.sort_by(|one, other| one.name.cmp(&other.name));
    let mut said = HashSet::new();
    found.problems.retain(|problem| said.insert(problem.clone()));
    Ok(found)
}

impl FoundSkills {
    /// Adds a skill. If a skill with the same name was found before, records this one as shadowed (hidden) instead.
    fn take(&mut self, skill: Skill) {
        match self.skills.iter().find(|known| known.name == skill.name) {
            // The same file can be reachable by two paths. It is not a second skill, so it is skipped.
            Some(known) if known.location == skill.location => {}
            Some(known) => {
                let shadow = (skill.name, skill.location, known.location.clone());
                self.shadowed.push(shadow);
            }
            None => self.skills.push(skill),
        }
    }

    /// Returns whether a skill with this location was found before.
    fn has(&self, location: &str) -> bool {
        self.skills.iter().chain(&self.untrusted).any(|known| known.location == location)
    }
}
