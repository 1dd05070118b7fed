//! Parses skill files.
//!
//! Problems are reported; a file is skipped only if it has no description or invalid front matter.

use super::{Skill, Source, folder::Raw};
use toolpost_text::{cut, frontmatter};

/// Maximum length of the name of a skill, in characters.
const NAME: usize = 64;
/// Maximum length of the description of a skill, in characters.
const DESCRIPTION: usize = 1_024;

/// Parses a skill, and adds deviations from the format to `problems`; `None` if the skill is skipped.
pub(super) fn skill(raw: Raw, source: Source, problems: &mut Vec<String>) -> Option<Skill> {
    let location = raw.file.absolute();
    let mut problem = |what: &str| problems.push(format!("{location}: {what}"));
    let front = match frontmatter::read(&raw.text) {
        Ok(front) => front,
        Err(why) => {
            problem(&format!("the skill was skipped, because {why}"));
            return None;
        }
    };
    front.notes.iter().for_each(|note| problem(note));
    let Some(description) = front.text("description") else {
        problem("the skill was skipped, because it has no description by which a model could choose it");
        return None;
    };
    let own = raw.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = front.text("name").map_or_else(|| own.clone(), one_line);
    if front.text("name").is_none() {
        problem("the skill has no name; the name of its directory is used");
    } else if !is_name(&name) {
        problem(&format!(
            "the name {name:?} should have 1 to {NAME} letters a-z, digits and single hyphens between them"
        ));
    } else if name != own {
        problem(&format!("the name {name} differs from the name of its directory, {own}"));
    }
    let description = one_line(description);
    let (kept, more) = cut::line(&description, DESCRIPTION);
    if more > 0 {
        problem(&format!("the description has more than {DESCRIPTION} characters; the rest is not shown"));
    }
    Some(Skill {
        name: cut::line(&name, NAME).0.to_owned(),
        description: kept.to_owned(),
        location: location.clone(),
        source,
        body: front.body.trim().to_owned(),
        folder: raw.folder.absolute(),
        resources: raw.resources,
        is_users: front.says_yes("disable-model-invocation"),
        content: Ok(String::new()),
    })
}

fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if a skill's name follows the format: lower-case letters, digits, and single hyphens between them.
fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !name.is_empty()
        && name.len() <= NAME
        && name.chars().all(fits)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}
