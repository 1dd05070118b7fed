//! `useSkill`: the instructions of a skill.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_engine::{
    Failure,
    operations::skill::{Output, Request, Skill},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct UseSkill;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["name", "skill", "skill_name"], "examples" = ["generate-tests"]))]
    skill_name: String,
    /// Arguments of the skill; any JSON value.
    #[schemars(extend("x-any" = true, "x-aliases" = ["arguments", "args"], "examples" = [{ "file": "src/auth.ts" }]))]
    input: Option<Value>,
}

impl Tool for UseSkill {
    const NAME: &'static str = "useSkill";
    const ALIASES: &'static [&'static str] = &["use_skill"];
    type Op = Skill;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let input = args.input.map(meant).filter(|input| *input != json!({}) && *input != json!(""));
        let named = input.iter().filter_map(Value::as_object).flatten();
        let parts = named.map(|(name, value)| (name.clone(), plain(value))).collect();
        Ok(Request { name: args.skill_name, input: input.as_ref().map(plain), parts })
    }

    fn render(output: &Output, page: &mut Page) {
        let name = &output.skill.name;
        let Some(instructions) = &output.instructions else {
            page.line(&format!(
                "The skill {name} is already active: follow the instructions that this session has returned."
            ));
            return;
        };
        page.line(&format!("<skill name=\"{name}\" directory=\"{}\">", output.folder));
        page.line(instructions);
        page.line("</skill>");
        if !output.resources.is_empty() {
            let more = if output.more > 0 { format!(", and {} more", output.more) } else { String::new() };
            page.line(&format!(
                "Files in its directory, to read when the skill asks for them: {}{more}",
                output.resources.join(", ")
            ));
        }
    }
}

/// Parses an object that was sent as text; returns any other value unchanged.
fn meant(input: Value) -> Value {
    let object = input.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    object.unwrap_or(input)
}

/// Formats a value: a string without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
