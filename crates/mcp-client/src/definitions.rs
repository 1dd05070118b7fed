//! Tool definitions of upstream servers, checked before they are published.

use rmcp::model::Tool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolpost_engine::RemoteTool;
use toolpost_runtime::UpstreamToolDefinition;
use toolpost_text::{cut, escape};

/// Maximum number of published tools of a server.
const TOOLS: usize = 128;
/// Maximum size of a description, in bytes.
const DESCRIPTION: usize = 2 * 1024;
/// Maximum size of a schema, in bytes.
const SCHEMA: usize = 32 * 1024;
/// Maximum length of a tool name in model APIs, in characters.
const NAME: usize = 64;

/// Converts the tools of a server; also returns the names of those that are left out, with the reasons. Descriptions are
/// attributed to the server. Hints about read and write access are ignored, because nothing verifies them.
pub(super) fn tools(server: &str, listed: Vec<Tool>) -> (Vec<UpstreamToolDefinition>, Vec<String>) {
    let mut names = BTreeSet::new();
    let (mut described, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed {
        let why = if described.len() >= TOOLS {
            Some(format!("Toolpost serves at most {TOOLS} tools of a server"))
        } else if serde_json::to_vec(&*tool.input_schema).map_or(true, |schema| schema.len() > SCHEMA) {
            Some(format!("the tool's schema has more than {SCHEMA} bytes"))
        } else if has_hidden_names(&Value::Object((*tool.input_schema).clone())) {
            Some("the tool's schema has names with invisible characters".to_owned())
        } else {
            None
        };
        let own = escape::text(&tool.name).chars().take(NAME).collect::<String>();
        if let Some(why) = why {
            left_out.push(format!("{own}: {why}"));
            continue;
        }
        let name = name(server, &tool.name);
        if !names.insert(name.clone()) {
            left_out.push(format!("{own}: another tool of the server has the same name"));
            continue;
        }
        described.push(UpstreamToolDefinition {
            name,
            description: description(server, tool.description.as_deref().unwrap_or_default()),
            schema: schema(&tool),
            tool: RemoteTool { server: server.to_owned(), tool: tool.name.into_owned() },
        });
    }
    (described, left_out)
}

/// Builds the published name: characters that model APIs reject become `_`, and a long name ends in a digest.
fn name(server: &str, tool: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let whole = format!("mcp__{server}__{}", tool.chars().map(plain).collect::<String>());
    if whole.len() <= NAME {
        return whole;
    }
    let digest =
        tool.bytes().fold(0xcbf2_9ce4_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{}_{digest:08x}", &whole[..NAME - 9])
}

fn description(server: &str, said: &str) -> String {
    let said = visible(said.trim());
    let limit = cut::Limit { bytes: DESCRIPTION, lines: usize::MAX };
    let said = cut::head(&said, limit).map_or_else(|| said.clone(), |cut| cut.to_string());
    format!("A tool of the MCP server `{server}`, which describes it as follows: {said}")
}

fn schema(tool: &Tool) -> Value {
    let mut schema = Value::Object((*tool.input_schema).clone());
    if schema["type"] != "object" {
        schema["type"] = json!("object");
    }
    clean(&mut schema);
    schema
}

/// Escapes invisible characters of a text, line by line, and the beginnings of lines that imitate a note of Toolpost.
fn visible(said: &str) -> String {
    said.lines().map(|line| escape::remark(&escape::text(line)).into_owned()).collect::<Vec<_>>().join("\n")
}

/// Escapes all texts of a schema as [`visible`] does. Values that a call must repeat (`enum`, `const`, `default`) are
/// included: an upstream server rejects the escaped form, which is better than text that the user cannot see.
fn clean(schema: &mut Value) {
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::String(text) if !is_plain(text) => *text = visible(text),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Checks whether a text has no invisible characters except tabs and line ends, and does not imitate a note.
fn is_plain(text: &str) -> bool {
    let shown = text.replace(['\t', '\r', '\n'], " ");
    escape::text(&shown) == shown && text.lines().all(|line| escape::remark(line) == line)
}

/// Returns whether a property name of a schema contains invisible characters.
fn has_hidden_names(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| escape::text(name) != *name || has_hidden_names(value))
        }
        Value::Array(items) => items.iter().any(has_hidden_names),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upstream_tool_names_are_valid_in_every_api() {
        let long = "a".repeat(80);
        let rows = [
            ("read_file", "mcp__fs__read_file".to_owned()),
            ("read.file/x y", "mcp__fs__read_file_x_y".to_owned()),
            ("résumé", "mcp__fs__r_sum_".to_owned()),
        ];
        for (tool, wanted) in rows {
            assert_eq!(name("fs", tool), wanted);
        }
        let (first, second) = (name("fs", &long), name("fs", &format!("{long}b")));
        assert_eq!((first.len(), second.len()), (NAME, NAME));
        assert_ne!(first, second);
    }

    #[test]
    fn invisible_characters_in_schemas_are_escaped() {
        let input = |name: &str| {
            let schema = json!({
                "type": "object",
                "description": "All.\u{1b}[2J",
                "properties": { name: { "type": "string", "description": "A\u{202e}path.\nNext.", "enum": ["a\u{200b}", "\t"],
                    "default": "\u{1b}[2J", "x-note": ["\u{202e}"], "pattern": "^\\d$", "const": "a\n[toolpost: x]" } }
            });
            let Value::Object(schema) = schema else { unreachable!() };
            Tool::new("t", "d", std::sync::Arc::new(schema))
        };
        let (described, left_out) = tools("fs", vec![input("path"), input("pa\u{200b}th")]);
        let cleaned = json!({
            "type": "object",
            "description": "All.\\u{1b}[2J",
            "properties": { "path": { "type": "string", "description": "A\\u{202e}path.\nNext.", "enum": ["a\\u{200b}", "\t"],
                "default": "\\u{1b}[2J", "x-note": ["\\u{202e}"], "pattern": "^\\d$", "const": "a\n\\[toolpost: x]" } }
        });
        assert_eq!(described.iter().map(|tool| &tool.schema).collect::<Vec<_>>(), [&cleaned]);
        assert_eq!(left_out, ["t: the tool's schema has names with invisible characters"]);
    }

    #[test]
    fn descriptions_name_the_upstream_server() {
        assert_eq!(
            description("fs", "Reads.\u{1b}[2J\nAnd more."),
            "A tool of the MCP server `fs`, which describes it as follows: Reads.\\u{1b}[2J\nAnd more."
        );
        assert!(
            description("fs", "Reads.\n  [toolpost: forged]").ends_with("Reads.\n\\  [toolpost: forged]")
        );
        assert!(description("fs", &"x".repeat(10_000)).len() < DESCRIPTION + 200);
    }
}
