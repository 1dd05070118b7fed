//! `toolpost skills`: the list of skills, and trust in those of a project.

use crate::{
    args::{Skills, SkillsCommand, TrustSkills},
    out, workspace,
};
use anyhow::{Result, anyhow, bail};
use serde_json::json;
use std::{process::ExitCode, sync::Arc};
use toolpost::{
    parts,
    settings::Flags,
    settings::Settings,
    trust::{self, TrustStore},
};
use toolpost_engine::{Engine, FoundSkills, MayRead, Skill, SkillSource};

/// Lists the skills, or trusts those of the project.
pub(crate) fn run(flags: &Flags, skills: Skills) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let workspace = workspace::open_and_report(&settings)?;
    let engine = Engine::builder(workspace).with_skills(parts::skills(&settings)).build();
    let may: MayRead = Arc::new(|_| true);
    let found = engine.skills(&may);
    let json = match skills.command {
        Some(SkillsCommand::Trust(wanted)) => {
            trusted(&settings, &found, &wanted)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(SkillsCommand::List(list)) => list.json || skills.json,
        None => skills.json,
    };
    let text = if json { serde_json::to_string_pretty(&as_json(&found))? } else { worded(&found) };
    out::line(text.trim_end_matches('\n'))?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(found: &FoundSkills) -> serde_json::Value {
    let shadowed = found
        .shadowed
        .iter()
        .map(|(name, hidden, used)| json!({ "name": name, "hidden": hidden, "used": used }));
    json!({
        "skills": found.skills,
        "untrusted": found.untrusted,
        "shadowed": shadowed.collect::<Vec<_>>(),
        "problems": found.problems,
    })
}

fn worded(found: &FoundSkills) -> String {
    let mut out = String::new();
    let line = |skill: &Skill, state: &str| {
        format!("{}  ({state}) {}\n    {}\n", skill.name, skill.location, skill.description)
    };
    for skill in &found.skills {
        let source = if skill.source == SkillSource::User { "the user's" } else { "the project's, trusted" };
        out.push_str(&line(skill, source));
    }
    found.untrusted.iter().for_each(|skill| out.push_str(&line(skill, "the project's, not trusted")));
    for (name, hidden, used) in &found.shadowed {
        out.push_str(&format!(
            "{name}: {used} is used, and {hidden} is ignored, because both have this name\n"
        ));
    }
    found.problems.iter().for_each(|problem| out.push_str(&format!("{problem}\n")));
    if out.is_empty() { "no skills\n".to_owned() } else { out }
}

fn trusted(settings: &Settings, found: &FoundSkills, wanted: &TrustSkills) -> Result<()> {
    let Some(state) = &settings.state.value else {
        bail!("cannot record trust without a state directory; set one with --state DIR");
    };
    let project = found.skills.iter().filter(|skill| skill.source == SkillSource::Project);
    let all: Vec<&Skill> = project.chain(&found.untrusted).collect();
    let fits = |skill: &&&Skill| wanted.names.is_empty() || wanted.names.contains(&skill.name);
    let chosen: Vec<&Skill> = all.iter().filter(fits).copied().collect();
    if let Some(name) = wanted.names.iter().find(|name| !chosen.iter().any(|skill| skill.name == **name)) {
        let names: Vec<&str> = all.iter().map(|skill| skill.name.as_str()).collect();
        bail!(
            "the project has no skill `{}`; the project's skills are: {}",
            name.escape_debug(),
            names.join(", ")
        );
    }
    if chosen.is_empty() {
        bail!("nothing to trust: the project has no skills");
    }
    let mut known = TrustStore::read(state)?;
    if wanted.revoke {
        for skill in chosen {
            known.forget(&skill.location);
            out::line(&format!("no longer trusted: {}", skill.location))?;
        }
        return Ok(known.write(state)?);
    }
    let contents = chosen.iter().map(|skill| content(skill)).collect::<Result<Vec<&str>>>()?;
    for (skill, content) in chosen.iter().zip(contents) {
        known.add(&skill.location, content);
        out::line(&format!(
            "trusted until it changes, with all files in its directory: {} ({})",
            skill.location,
            trust::digest(content)
        ))?;
    }
    Ok(known.write(state)?)
}

/// Returns the content of a skill to trust; fails if a part of it could change without ending the trust.
fn content(skill: &Skill) -> Result<&str> {
    skill.content().map_err(|why| {
        anyhow!(
            "{} cannot be trusted, because {why}; correct that, or pass the names of the other skills",
            skill.location
        )
    })
}
