//! The definitions of a dialect's tools as clients receive them, without the code behind them.

use serde_json::{Value, json};
use toolpost_engine::RemoteTool;
use toolpost_tool::{Dialect, Manual};

/// A dialect, as the contract and the reference pages describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedDialect {
    /// Name of the dialect.
    pub dialect: String,
    /// The dialect's tools, in the order of its table.
    pub tools: Vec<PublishedTool>,
}

/// A tool of a dialect, as the contract and the reference pages describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTool {
    /// Name under which clients call the tool.
    pub name: String,
    /// Other names that the tool accepts.
    pub aliases: Vec<String>,
    /// Name of the operation that the tool runs.
    pub operation: String,
    /// Description of the tool, which models see.
    pub description: String,
    /// Rest of the tool's page: behaviour and examples, in Markdown.
    pub page: String,
    /// JSON schema of all arguments that the tool accepts.
    pub full: Value,
    /// JSON schema that clients receive: the part of `full` without aliases and hidden arguments.
    pub published: Value,
}

impl PublishedDialect {
    /// Reads the definitions of a dialect's tools.
    #[must_use]
    pub fn of(dialect: &Dialect) -> Self {
        let tools = dialect.tools.iter().map(|tool| {
            let full = (tool.schema)();
            PublishedTool {
                name: tool.name.to_owned(),
                aliases: tool.aliases.iter().map(|name| (*name).to_owned()).collect(),
                operation: tool.operation.to_owned(),
                description: Manual::of_tool(dialect.pages, tool.name)
                    .map_or(String::new(), |page| page.description),
                page: page(dialect.pages, tool.name),
                published: tool.published(&full),
                full,
            }
        });
        Self { dialect: dialect.name.to_owned(), tools: tools.collect() }
    }

    /// Reads the definitions of all dialects.
    #[must_use]
    pub fn all() -> Vec<Self> {
        toolpost_dialects::ALL.into_iter().map(Self::of).collect()
    }

    /// Reads the dialect of code mode, which is served in addition to others.
    #[must_use]
    pub fn beside() -> Vec<Self> {
        toolpost_dialects::EXTRA.into_iter().map(Self::of).collect()
    }

    /// Finds a tool of the dialect by its name or an alias.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&PublishedTool> {
        self.tools.iter().find(|tool| tool.name == name || tool.aliases.iter().any(|alias| alias == name))
    }
}

/// Returns whether a name of the contract is the name pattern of upstream tools, which exists in every
/// dialect.
#[must_use]
pub fn is_bridged(name: &str) -> bool {
    let form = RemoteTool { server: "{server}".to_owned(), tool: "{tool}".to_owned() };
    form.shown() == name
}

/// Returns the section of a tool in its dialect's pages, without the heading and the first paragraph.
fn page(pages: &[&str], tool: &str) -> String {
    let sections = pages.iter().flat_map(|page| page.split("\n## ").skip(1));
    let own =
        sections.filter_map(|section| section.split_once('\n')).find(|(heading, _)| heading.trim() == tool);
    let body = own.map_or("", |(_, body)| body.trim());
    body.split_once("\n\n").map_or(String::new(), |(_, rest)| rest.trim().to_owned())
}

/// Returns the type that a JSON schema allows, without null; several types are joined with `|`.
#[must_use]
pub fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> =
                names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
            names.join("|")
        }
        _ => {
            let mut names: Vec<String> = choices(schema).map(kind).filter(|name| name != "null").collect();
            names.dedup();
            if names.is_empty() && schema.get("const").is_some_and(Value::is_string) {
                return "string".to_owned();
            }
            names.join("|")
        }
    }
}

/// Lists the values that a JSON schema enumerates, leaving `null` out of an `enum`; empty if it enumerates none.
#[must_use]
pub fn values(schema: &Value) -> Vec<Value> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().filter(|value| !value.is_null()).cloned().collect();
    }
    if let Some(value) = schema.get("const") {
        return vec![value.clone()];
    }
    choices(schema).flat_map(values).collect()
}

/// Returns the JSON schema of an array's items, or `{}` if there is none.
#[must_use]
pub fn items(schema: &Value) -> Value {
    let inner = || choices(schema).find_map(|choice| choice.get("items"));
    schema.get("items").or_else(inner).cloned().unwrap_or_else(|| json!({}))
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    let choices = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    choices.into_iter().flatten()
}
