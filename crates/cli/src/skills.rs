//! `toolpost skills`: which skills there are, and which of a project's are trusted.

use crate::{
    args::Common,
    settings::Settings,
    trust::{self, Trusted},
    wire,
};
use anyhow::{Result, bail};
use serde_json::json;
use std::{process::ExitCode, sync::Arc};
use toolpost_engine::{Engine, FoundSkills, MayRead, Skill, SkillSource};

#[derive(clap::Args)]
pub(crate) struct Skills {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<SkillsCommand>,
}

#[derive(clap::Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the skills
    List(ListSkills),
    /// Let the project's skills be used, until one of their files changes
    Trust(TrustSkills),
}

#[derive(clap::Args)]
pub(crate) struct ListSkills {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct TrustSkills {
    /// Names of the skills [default: all of the project's]
    pub(crate) names: Vec<String>,
    /// Revoke the trust
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// Lists the skills, or trusts those of the project.
pub(crate) fn run(common: &Common, skills: Skills) -> Result<ExitCode> {
    let settings = Settings::find(common)?;
    let workspace = wire::open_and_tell(&settings)?;
    let engine = Engine::builder(workspace).with_skills(wire::skills(&settings)).build();
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
    crate::out::line(text.trim_end_matches('\n'))?;
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
        out.push_str(&format!("{name}: {hidden} is hidden by {used}\n"));
    }
    found.problems.iter().for_each(|problem| out.push_str(&format!("{problem}\n")));
    if out.is_empty() { "no skills\n".to_owned() } else { out }
}

fn trusted(settings: &Settings, found: &FoundSkills, wanted: &TrustSkills) -> Result<()> {
    let Some(state) = &settings.state.value else {
        bail!("there is no state folder in which trust could be remembered; name one with --state");
    };
    let project = found.skills.iter().filter(|skill| skill.source == SkillSource::Project);
    let all: Vec<&Skill> = project.chain(&found.untrusted).collect();
    let fits = |skill: &&&Skill| wanted.names.is_empty() || wanted.names.contains(&skill.name);
    let chosen: Vec<&Skill> = all.iter().filter(fits).copied().collect();
    if let Some(name) = wanted.names.iter().find(|name| !chosen.iter().any(|skill| skill.name == **name)) {
        let names: Vec<&str> = all.iter().map(|skill| skill.name.as_str()).collect();
        bail!("the project has no skill `{}`; it has {}", name.escape_debug(), names.join(", "));
    }
    if chosen.is_empty() {
        bail!("the project has no skills, so there is nothing to trust");
    }
    let mut known = Trusted::read(state)?;
    for skill in chosen {
        if wanted.revoke {
            known.forget(&skill.location);
            println!("no longer trusted: {}", skill.location);
        } else {
            known.add(&skill.location, skill.content());
            println!(
                "trusted as it is now, with all files beside it: {} ({})",
                skill.location,
                trust::digest(skill.content())
            );
        }
    }
    known.write(state)
}
