//! Parsing of skill files: reports problems, and skips only files without a description or with invalid
//! front matter.

use super::{Skill, Source, folder::Raw};
use toolpost_text::{cut, frontmatter};

/// Maximum lengths of names and descriptions, in characters.
const NAME: usize = 64;
const DESCRIPTION: usize = 1_024;

/// Parses a skill; adds irregularities to `problems`.
pub(super) fn skill(raw: Raw, source: Source, problems: &mut Vec<String>) -> Option<Skill> {
    let location = raw.file.absolute();
    let mut problem = |what: &str| problems.push(format!("{location}: {what}"));
    let front = match frontmatter::read(&raw.text) {
        Ok(front) => front,
        Err(why) => {
            problem(&format!("passed over, since {why}"));
            return None;
        }
    };
    front.notes.iter().for_each(|note| problem(note));
    let Some(description) = front.text("description") else {
        problem("passed over, since it has no description, by which it could be chosen");
        return None;
    };
    let own = raw.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = front.text("name").map_or_else(|| own.clone(), one_line);
    if front.text("name").is_none() {
        problem("it has no name; its folder's is taken");
    } else if !is_name(&name) {
        problem(&format!(
            "the name {name:?} should have 1 to {NAME} letters a-z, digits and single hyphens between them"
        ));
    } else if name != own {
        problem(&format!("the name {name} is not that of its folder, {own}"));
    }
    let description = one_line(description);
    let (kept, more) = cut::line(&description, DESCRIPTION);
    if more > 0 {
        problem(&format!("its description has more than {DESCRIPTION} characters; the rest is not shown"));
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
        content: raw.content,
    })
}

fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a name follows the format: lower-case letters, digits, and single hyphens between them.
fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !name.is_empty()
        && name.len() <= NAME
        && name.chars().all(fits)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}
