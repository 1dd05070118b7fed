//! `useSkill`: the instructions of a skill.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolpost_engine::{
    Failure,
    operations::skill::{Output, Request, Skill},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct UseSkill;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Name of the skill.
    #[schemars(extend("x-aliases" = ["name", "skill", "skill_name"], "examples" = ["generate-tests"]))]
    skill_name: String,
    /// What is given to the skill.
    #[schemars(extend("x-aliases" = ["arguments", "args"], "examples" = [{ "file": "src/auth.ts" }]))]
    input: Option<Map<String, Value>>,
}

impl Tool for UseSkill {
    const NAME: &'static str = "useSkill";
    const ALIASES: &'static [&'static str] = &["use_skill"];
    type Op = Skill;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let input = args.input.filter(|input| !input.is_empty());
        let parts = input.iter().flatten().map(|(name, value)| (name.clone(), plain(value))).collect();
        Ok(Request {
            name: args.skill_name,
            input: input.map(|input| Value::Object(input).to_string()),
            parts,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let name = &output.skill.name;
        let Some(instructions) = &output.instructions else {
            page.line(&format!(
                "The skill {name} is active already: its instructions were given in this session, and hold."
            ));
            return;
        };
        page.line(&format!("<skill name=\"{name}\" directory=\"{}\">", output.folder));
        page.line(instructions);
        page.line("</skill>");
        if !output.resources.is_empty() {
            let more = if output.more > 0 { format!(", and {} more", output.more) } else { String::new() };
            page.line(&format!(
                "Files in its directory, to be read where the skill asks for them: {}{more}",
                output.resources.join(", ")
            ));
        }
    }
}

/// Writes a value as it stands in a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
