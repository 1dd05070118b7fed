//! What another server says of its tools, as far as it is passed on.

use rmcp::model::Tool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolpost_engine::RemoteTool;
use toolpost_runtime::Described;
use toolpost_text::{cut, escape};

/// How many tools of one server are published.
const TOOLS: usize = 128;
/// How long a description may be, in bytes.
const DESCRIPTION: usize = 2 * 1024;
/// How large a schema may be, in bytes.
const SCHEMA: usize = 32 * 1024;
/// The longest name that the interfaces of models take.
const NAME: usize = 64;

/// Describes the tools of a server. What it says is passed on as its own words and believed in nothing: hints about
/// reading and writing are left out.
pub(super) fn tools(server: &str, listed: Vec<Tool>) -> (Vec<Described>, Vec<String>) {
    let mut names = BTreeSet::new();
    let (mut described, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed {
        let why = if described.len() >= TOOLS {
            Some(format!("only {TOOLS} tools of a server are published"))
        } else if serde_json::to_vec(&*tool.input_schema).map_or(true, |schema| schema.len() > SCHEMA) {
            Some(format!("its schema has more than {SCHEMA} bytes"))
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

/// Makes the published name: what the interfaces of models do not take becomes `_`, what is too long ends in a digest.
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
    let lines: Vec<String> = said.trim().lines().map(|line| escape::text(line).into_owned()).collect();
    let said = lines.join("\n");
    let limit = cut::Limit { bytes: DESCRIPTION, lines: usize::MAX };
    let said = cut::head(&said, limit).map_or_else(|| said.clone(), |cut| cut.to_string());
    format!("A tool of the server `{server}`, which says of it: {said}")
}

fn schema(tool: &Tool) -> Value {
    let mut schema = Value::Object((*tool.input_schema).clone());
    if schema["type"] != "object" {
        schema["type"] = json!("object");
    }
    schema
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
    fn a_description_is_the_servers_own_words() {
        assert_eq!(
            description("fs", "Reads.\u{1b}[2J\nAnd more."),
            "A tool of the server `fs`, which says of it: Reads.\\u{1b}[2J\nAnd more."
        );
        assert!(description("fs", &"x".repeat(10_000)).len() < DESCRIPTION + 200);
    }
}
