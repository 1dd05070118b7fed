//! The size of the tool list, which every conversation pays for, and the parameters that it describes.

use serde_json::{Value, json};
use toolpost_tool::{Dialect, Manual, published};

/// Maximum bytes of name, description and input schema of all tools. A token has about 4.2 of these bytes.
const BUDGETS: [(&str, usize); 5] =
    [("claude", 2_720), ("trae", 5_900), ("opencode", 5_300), ("probe", 7_900), ("zblade", 14_000)];

/// Parameters that need no text: with the tool's description, their name says all.
const CLEAR: [&str; 51] = [
    "-A",
    "-B",
    "-i",
    "action",
    "arguments",
    "calls",
    "command",
    "command_id",
    "content",
    "description",
    "destination",
    "dir_path",
    "file",
    "file_path",
    "filePath",
    "file_paths",
    "files",
    "limit",
    "line",
    "maxPages",
    "maxTokensPerPage",
    "max_bytes_per_file",
    "max_chars",
    "max_files",
    "max_parallel",
    "max_results",
    "name",
    "newString",
    "new_content",
    "new_string",
    "new_text",
    "offset",
    "old_content",
    "old_text",
    "output_format",
    "overwrite",
    "path",
    "pattern",
    "priority",
    "query",
    "recursive",
    "replaceAll",
    "replace_all",
    "skillName",
    "source",
    "start_line",
    "status",
    "symbol_id",
    "task",
    "tool",
    "url",
];

fn listing(dialect: &Dialect) -> Vec<Value> {
    let entry = |name: &'static str, schema: fn() -> Value| {
        let manual = Manual::of_tool(dialect.pages, name).unwrap();
        json!({ "name": name, "description": manual.description, "inputSchema": published(&schema()) })
    };
    dialect.tools.iter().map(|tool| entry(tool.name, tool.schema)).collect()
}

#[test]
fn the_list_of_tools_stays_small() {
    for (dialect, (name, budget)) in BUDGETS.map(|row| (toolpost_dialects::named(row.0).unwrap(), row)) {
        let bytes: usize = listing(dialect).iter().map(|tool| tool.to_string().len()).sum();
        assert!(bytes <= budget, "{name}: {bytes} bytes");
        assert!(bytes > budget * 9 / 10, "{name}: {bytes} bytes; lower the budget");
    }
}

/// Collects the parameters of a schema that have no text.
fn without_text(schema: &Value, place: &str, bare: &mut Vec<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if property.get("description").is_none() && !CLEAR.contains(&name.as_str()) {
            bare.push(format!("{place}.{name}"));
        }
        without_text(property, &format!("{place}.{name}"), bare);
    }
    if let Some(items) = schema.get("items") {
        without_text(items, place, bare);
    }
}

#[test]
fn every_parameter_that_needs_a_text_has_one() {
    let mut bare = Vec::new();
    for dialect in toolpost_dialects::ALL {
        for tool in listing(dialect) {
            without_text(&tool["inputSchema"], tool["name"].as_str().unwrap(), &mut bare);
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}
