//! `listSkills`: the available skills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure,
    operations::skills::{Output, Request, Skill, Skills},
};
use toolpost_text::plural::counted;
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct ListSkills;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Text in the name or description.
    #[schemars(extend("x-unlisted" = true, "x-aliases" = ["query"], "examples" = ["test"]))]
    filter: Option<String>,
}

#[derive(Serialize)]
struct Reply {
    skills: Vec<SkillEntry>,
}

#[derive(Serialize)]
struct SkillEntry {
    name: String,
    description: String,
    location: String,
}

/// Maximum number of skipped skills that a reply reports.
const PROBLEMS: usize = 20;

impl Tool for ListSkills {
    const NAME: &'static str = "listSkills";
    const ALIASES: &'static [&'static str] = &["list_skills"];
    type Op = Skills;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { filter: args.filter.filter(|filter| !filter.trim().is_empty()) })
    }

    fn render(output: &Output, page: &mut Page) {
        let one = |skill: &Skill| SkillEntry {
            name: skill.name.clone(),
            description: skill.description.clone(),
            location: skill.location.clone(),
        };
        let reply = Reply { skills: output.skills.iter().map(one).collect() };
        match serde_json::to_string(&reply) {
            Ok(text) => page.take(text),
            Err(error) => page.note(format!("the reply could not be written as JSON: {error}")),
        }
        page.remarks_apart();
        if output.skills.len() < output.all {
            page.note(format!("{} of {} skills match the filter", output.skills.len(), output.all));
        }
        if !output.untrusted.is_empty() {
            page.note(format!(
                "not listed until the user runs `toolpost skills trust`: {}",
                output.untrusted.join(", ")
            ));
        }
        for (name, hidden, used) in &output.shadowed {
            page.note(format!("skill {name}: {hidden} is ignored, because {used} has the same name"));
        }
        output.problems.iter().take(PROBLEMS).for_each(|problem| page.note(problem.clone()));
        if output.problems.len() > PROBLEMS {
            page.note(counted((output.problems.len() - PROBLEMS) as u64, "more problem"));
        }
    }
}
