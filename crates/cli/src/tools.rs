//! `toolpost tools`: tool definitions in the format of an API.

use crate::{
    args::{Format, Tools},
    out, tool_page,
};
use anyhow::Result;
use serde_json::{Value, json};
use std::{process::ExitCode, sync::Arc};
use toolpost::{Lifetime, Settings, Toolpost, parts, settings::Flags};
use toolpost_runtime::{Catalogue, Published};

/// Prints the definitions of all served tools, or of one tool.
pub(crate) fn run(flags: &Flags, tools: Tools) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    if let Some(name) = &tools.name {
        return one(&settings, name, tools.format);
    }
    let catalogue = published(&settings)?;
    match tools.format.unwrap_or(Format::Mcp) {
        Format::Markdown => {
            for tool in catalogue.listed() {
                out::line(&markdown(tool))?;
            }
        }
        format => {
            let list: Vec<Value> = catalogue.listed().map(|tool| definition(tool, format)).collect();
            let list = if format == Format::Gemini {
                json!([{ "functionDeclarations": list }])
            } else {
                json!(list)
            };
            out::line(&serde_json::to_string_pretty(&list)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints one tool: as text for a user, or in a format for a program.
fn one(settings: &Settings, name: &str, format: Option<Format>) -> Result<ExitCode> {
    let catalogue = published(settings)?;
    let Some(tool) = catalogue.find(name) else {
        if let (None, Some(page)) = (format, tool_page::explained(settings, name)?) {
            out::line(&page)?;
            return Ok(ExitCode::SUCCESS);
        }
        let unknown = tool_page::unknown(settings, &catalogue, name)?;
        let names = || catalogue.listed().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(", ");
        return Ok(out::failed(&unknown.unwrap_or_else(|| {
            format!("no tool is called `{}`; the tools are {}", name.escape_debug(), names())
        })));
    };
    let text = match format {
        None => tool_page::page(settings, tool),
        Some(Format::Markdown) => markdown(tool),
        Some(format) => serde_json::to_string_pretty(&definition(tool, format))?,
    };
    out::line(text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the tools that would be served. Starts the upstream servers to list their tools.
fn published(settings: &Settings) -> Result<Arc<Catalogue>> {
    if settings.mcp_config.value.is_none() {
        let all = Catalogue::of(&parts::dialects(settings)?);
        return Ok(Arc::new(all.narrowed(&parts::selection(settings)?)?));
    }
    let post = Toolpost::with_settings(settings.clone()).lifetime(Lifetime::OneCall).open_blocking()?;
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    threads.block_on(async {
        if let Some(bridge) = post.companions().bridge() {
            post.begin_to_connect();
            for (_, tools) in bridge.standing().await {
                if let Err(why) = tools {
                    eprintln!("toolpost: {why}");
                }
            }
        }
        post.runtime().settled().await;
        let catalogue = post.catalogue();
        post.runtime().shut_down().await;
        Ok(catalogue)
    })
}

fn definition(tool: &Published, format: Format) -> Value {
    let (name, description, schema) = (&tool.name, tool.description(), tool.schema());
    match format {
        Format::Openai => {
            json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
        }
        Format::Anthropic => json!({ "name": name, "description": description, "input_schema": schema }),
        Format::Gemini => json!({ "name": name, "description": description, "parametersJsonSchema": schema }),
        Format::Mcp | Format::Markdown => {
            json!({ "name": name, "description": description, "inputSchema": schema })
        }
    }
}

fn markdown(tool: &Published) -> String {
    let mut text = format!("## {}\n\n{}\n", tool.name, tool.description());
    let required: Vec<&str> = tool
        .schema()
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = tool.schema().get("properties").and_then(Value::as_object);
    if properties.is_some_and(|properties| !properties.is_empty()) {
        text.push_str("\n| parameter | type | required | default | meaning |\n|---|---|---|---|---|\n");
    }
    for (name, property) in properties.into_iter().flatten() {
        let word = |key: &str| {
            property.get(key).map_or(String::new(), |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            })
        };
        let needed = if required.contains(&name.as_str()) { "yes" } else { "" };
        text.push_str(&format!(
            "| `{name}` | {} | {needed} | {} | {} |\n",
            word("type"),
            word("default"),
            word("description")
        ));
    }
    text
}
