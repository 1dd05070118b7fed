//! Tool definitions of upstream servers, checked before they are published.

use rmcp::model::Tool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolpost_engine::RemoteTool;
use toolpost_runtime::Described;
use toolpost_text::{cut, escape};

/// Maximum number of published tools of a server.
const TOOLS: usize = 128;
/// Maximum size of a description, in bytes.
const DESCRIPTION: usize = 2 * 1024;
/// Maximum size of a schema, in bytes.
const SCHEMA: usize = 32 * 1024;
/// Keys of a schema that hold text.
const WORDS: [&str; 3] = ["description", "title", "$comment"];
/// Maximum length of a tool name in model APIs.
const NAME: usize = 64;

/// Converts the tools of a server. Texts are passed on as the server's own; hints about read and write access
/// are ignored, since nothing verifies them.
pub(super) fn tools(server: &str, listed: Vec<Tool>) -> (Vec<Described>, Vec<String>) {
    let mut names = BTreeSet::new();
    let (mut described, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed {
        let why = if described.len() >= TOOLS {
            Some(format!("only {TOOLS} tools of a server are published"))
        } else if serde_json::to_vec(&*tool.input_schema).map_or(true, |schema| schema.len() > SCHEMA) {
            Some(format!("its schema has more than {SCHEMA} bytes"))
        } else if has_hidden_names(&Value::Object((*tool.input_schema).clone())) {
            Some("its schema has names with invisible characters".to_owned())
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
        described.push(Described {
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
    format!("A tool of the server `{server}`, which says of it: {said}")
}

fn schema(tool: &Tool) -> Value {
    let mut schema = Value::Object((*tool.input_schema).clone());
    if schema["type"] != "object" {
        schema["type"] = json!("object");
    }
    clean(&mut schema);
    schema
}

/// Escapes invisible characters of a text, line by line.
fn visible(said: &str) -> String {
    said.lines().map(escape::text).collect::<Vec<_>>().join("\n")
}

/// Escapes invisible characters in the texts of a schema; values that a call must repeat stay unchanged.
fn clean(schema: &mut Value) {
    match schema {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value {
            Value::String(words) if WORDS.contains(&name.as_str()) => *words = visible(words),
            value => clean(value),
        }),
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
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
    fn names_are_what_every_interface_takes() {
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
    fn the_words_of_a_schema_hide_nothing() {
        let input = |name: &str| {
            let schema = json!({
                "type": "object",
                "description": "All.\u{1b}[2J",
                "properties": { name: { "type": "string", "description": "A\u{202e}path.\nNext.", "enum": ["a\u{200b}"] } }
            });
            let Value::Object(schema) = schema else { unreachable!() };
            Tool::new("t", "d", std::sync::Arc::new(schema))
        };
        let (described, left_out) = tools("fs", vec![input("path"), input("pa\u{200b}th")]);
        let cleaned = json!({
            "type": "object",
            "description": "All.\\u{1b}[2J",
            "properties": { "path": { "type": "string", "description": "A\\u{202e}path.\nNext.", "enum": ["a\u{200b}"] } }
        });
        assert_eq!(described.iter().map(|tool| &tool.schema).collect::<Vec<_>>(), [&cleaned]);
        assert_eq!(left_out, ["t: its schema has names with invisible characters"]);
    }

    #[test]
    fn a_description_is_the_servers_own_words() {
        assert_eq!(
            description("fs", "Reads.\u{1b}[2J\nAnd more."),
            "A tool of the server `fs`, which says of it: Reads.\\u{1b}[2J\nAnd more."
        );
        assert!(description("fs", &"x".repeat(10_000)).len() < DESCRIPTION + 200);
    }
}
