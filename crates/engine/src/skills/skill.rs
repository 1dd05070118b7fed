//! The `skill` operation: returns the instructions of a skill, unless the session has already received them.

use super::find::find;
use super::{FoundSkills, Skill as OneSkill};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    operation::Operation,
    skills::SkillLibrary,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use toolpost_text::names;
use toolpost_workspace::{ContentHash, hash};

/// The `skill` operation, which returns the instructions of a skill.
pub struct Skill;

/// A request to start a skill with an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The name of the skill.
    pub name: String,
    /// The whole input of the skill, as one text.
    pub input: Option<String>,
    /// The parts of the input, each with its name or number first and its value second.
    pub parts: Vec<(String, String)>,
}

/// A skill with instructions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The started skill.
    pub skill: OneSkill,
    /// The absolute path of the skill's directory, to which paths in the instructions are relative.
    pub folder: String,
    /// The instructions; `None` if the last call for this skill in the session returned the same text.
    pub instructions: Option<String>,
    /// The other files in the skill's directory tree, relative to the skill's directory.
    pub resources: Vec<String>,
    /// Number of files that `resources` leaves out.
    pub more: usize,
}

/// The placeholder for the whole input in the instructions of a skill.
const WHOLE: &str = "$ARGUMENTS";
/// Maximum number of skills that the failure for an unknown skill lists.
const NAMED: usize = 50;

impl Operation for Skill {
    const NAME: &'static str = "skill";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = SkillLibrary;
    type Request = Request;
    type Output = Output;

    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(library: &SkillLibrary, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (library, cx) = (library.clone(), cx.clone());
        blocking(move || {
            let found = find(&library, &cx.read_filter(), || cx.check())?;
            let skill = choose(found, request.name.trim())?;
            let text = filled(&skill.body, &request);
            let is_new = cx.session.state::<ActiveSkills>().add(&skill.location, hash(text.as_bytes()));
            let (resources, more) = skill.resources.clone();
            let folder = skill.folder.clone();
            Ok(Output { folder, instructions: is_new.then_some(text), resources, more, skill })
        })
        .await
    }
}

/// The location of each skill that was started in a session, with the hash of the text that was last sent.
#[derive(Debug, Default)]
struct ActiveSkills(Mutex<HashMap<String, ContentHash>>);

impl ActiveSkills {
    /// Records the text of a skill; returns true unless the same text was the last one sent.
    fn add(&self, skill: &str, text: ContentHash) -> bool {
        let mut active = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        active.insert(skill.to_owned(), text) != Some(text)
    }
}

fn choose(found: FoundSkills, name: &str) -> Result<OneSkill, Failure> {
    let FoundSkills { skills, untrusted, .. } = found;
    let (users, skills): (Vec<OneSkill>, Vec<OneSkill>) =
        skills.into_iter().partition(|skill| skill.is_users);
    let all: Vec<String> = skills.iter().map(|skill| skill.name.clone()).collect();
    if let Some(skill) = skills.into_iter().find(|skill| skill.name == name) {
        return Ok(skill);
    }
    if let Some(skill) = untrusted.iter().find(|skill| skill.name == name) {
        let place = &skill.location;
        if let Err(why) = skill.content() {
            let what = format!("The skill {name} of the project cannot be trusted, because {why}: {place}.");
            let advice = Hint::Advice("Continue without the skill.".to_owned());
            return Err(Failure::new(Kind::Denied, what).hint(advice));
        }
        let what =
            format!("The skill {name} comes with the project, and the user has not trusted it: {place}.");
        let advice = "Continue without the skill, or ask the user to review it and trust it with `toolpost skills trust`.";
        return Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(advice.to_owned())));
    }
    if users.iter().any(|skill| skill.name == name) {
        let what = format!("Only the user can start the skill {name} (disable-model-invocation).");
        return Err(
            Failure::new(Kind::Denied, what).hint(Hint::Advice("Continue without the skill.".to_owned()))
        );
    }
    let failure = Failure::new(Kind::NotFound, format!("There is no skill {name:?}."));
    if all.is_empty() {
        return Err(failure.found("No skills are available."));
    }
    let known: Vec<&str> = all.iter().map(String::as_str).collect();
    let near: Vec<String> = names::suggest(name, &known, 3).into_iter().map(str::to_owned).collect();
    let more = if known.len() > NAMED { ", …" } else { "" };
    let named = known.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let failure = failure.found(format!("Available skills: {named}{more}."));
    Err(if near.is_empty() { failure } else { failure.hint(Hint::DidYouMean(near)) })
}

/// Inserts the input at the placeholders of a skill's instructions, or appends the whole input if no placeholder used
/// it.
fn filled(body: &str, request: &Request) -> String {
    let mut text = String::with_capacity(body.len());
    let (mut rest, mut used) = (body, false);
    while let Some(at) = rest.find(WHOLE) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let behind = &from[WHOLE.len()..];
        let part = behind.strip_prefix('[').and_then(|behind| behind.split_once(']'));
        (used, rest) = match part {
            Some((name, after)) => {
                let own = request.parts.iter().find(|(own, _)| own == name.trim_matches(['"', '\'']));
                text.push_str(own.map_or("", |(_, value)| value));
                // A placeholder for a missing part becomes empty and does not count as a use of the input, so
                // the whole input is appended if no other placeholder uses it.
                (used || own.is_some(), after)
            }
            None => {
                text.push_str(request.input.as_deref().unwrap_or_default());
                (true, behind)
            }
        };
    }
    text.push_str(rest);
    if let Some(input) = request.input.as_ref().filter(|_| !used) {
        text.push_str(&format!("\n\nARGUMENTS: {input}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn skill_arguments_replace_placeholders_or_are_appended() {
        let parts = vec![("file".to_owned(), "a.ts".to_owned()), ("0".to_owned(), "x".to_owned())];
        let request = Request { name: String::new(), input: Some("IN".to_owned()), parts };
        let rows = [
            ("Do $ARGUMENTS.", "Do IN."),
            ("$ARGUMENTS[file] $ARGUMENTS[0] $ARGUMENTS[none]$ARGUMENTS", "a.ts x IN"),
            ("Do [it].", "Do [it].\n\nARGUMENTS: IN"),
            ("Do $ARGUMENTS[none].", "Do .\n\nARGUMENTS: IN"),
            ("$ARGUMENTS[open", "IN[open"),
        ];
        each(rows, |(body, wanted)| {
            assert_eq!(filled(body, &request), wanted, "{body}");
        });
        assert_eq!(filled("Do $ARGUMENTS.", &Request::default()), "Do .");
    }
}
