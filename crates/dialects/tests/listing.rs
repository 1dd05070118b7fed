//! The size of the tool list, which is part of every conversation, and the descriptions of parameters.

use serde_json::{Value, json};
use toolpost_test_rows::each;
use toolpost_tool::{Dialect, Manual, ToolDef};

/// Dialect, maximum o200k tokens of the names, descriptions and input schemas of its tools, and bytes per 100
/// tokens.
/// `tests/clients/tokens.mjs` counts the tokens, and prints the bytes.
const BUDGETS: [(&str, usize, usize); 5] = [
    ("claude", 650, 407),
    ("trae", 1_400, 450),
    ("opencode", 1_300, 436),
    ("probe", 1_900, 429),
    ("zblade", 3_300, 437),
];
/// Maximum number of tokens of all five dialects together.
const TOGETHER: usize = 8_000;

/// Parameters without a description, because name and tool description suffice.
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
    let entry = |tool: &ToolDef| {
        let description = Manual::description(dialect.pages, tool.name).unwrap();
        json!({ "name": tool.name, "description": description, "inputSchema": tool.published(&(tool.schema)()) })
    };
    dialect.tools.iter().map(entry).collect()
}

#[test]
fn tool_lists_fit_their_token_budgets() {
    let mut together = 0;
    each(BUDGETS, |(name, budget, ratio)| {
        let tools = listing(toolpost_dialects::named(name).unwrap());
        let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
        let tokens = bytes * 100 / ratio;
        assert!(tokens <= budget, "{name}: {bytes} bytes, or {tokens} tokens");
        together += tokens;
    });
    assert!(together <= TOGETHER, "{together} tokens");
    assert!(together > TOGETHER * 9 / 10, "{together} tokens; lower the budgets");
}

/// Collects the parameters of a schema that have no description.
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
fn every_parameter_with_an_unclear_name_has_a_description() {
    let mut bare = Vec::new();
    for dialect in toolpost_dialects::ALL {
        let twins = dialect.tools.iter().map(|tool| tool.same_as.is_some());
        for (tool, _) in listing(dialect).into_iter().zip(twins).filter(|(_, is_twin)| !is_twin) {
            without_text(&tool["inputSchema"], tool["name"].as_str().unwrap(), &mut bare);
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}
