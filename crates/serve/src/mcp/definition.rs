//! A published tool in the words of the protocol.

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;
use toolpost_engine::Access;
use toolpost_runtime::{Config, Published, Structured};

/// What no work on code goes without: clients that load tools late have these from the start.
const CORE: [&str; 4] = ["read", "change", "glob", "grep"];
/// What asks a service elsewhere, where the operator has named one.
const CONSULTING: &str = "usage";
/// The most that a client takes as one result.
const LARGEST: usize = 500_000;

/// Whether a service elsewhere is asked for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// One is.
    Service,
    /// None is.
    Nobody,
}

/// Defines a tool for clients.
pub(super) fn definition(published: &Published, config: &Config, reach: Reach) -> Tool {
    let mut tool =
        Tool::new(published.name.clone(), published.description.clone(), object(&published.schema));
    // What can ask a service elsewhere is open only where one is named.
    let consults = reach == Reach::Service && published.operation() == CONSULTING;
    let further: &[Access] = if consults { &[Access::Fetches] } else { &[] };
    tool.annotations = Some(annotations(&[published.access(), further].concat()));
    tool.meta = Some(meta(published, config));
    if config.structured == Structured::On {
        let schema = published.output_schema();
        // Before 2026-07-28 the output is an object or it is not described.
        tool.output_schema = (schema["type"] == "object").then(|| object(&schema));
    }
    tool
}

/// Derives all four hints from what the tool can touch at most: a command may do anything. The model that the operator has named is
/// no open world.
fn annotations(access: &[Access]) -> ToolAnnotations {
    let writes = access.iter().any(|access| match access {
        Access::Reads | Access::Calls | Access::Asks | Access::Editor | Access::Fetches => false,
        Access::Writes | Access::Executes | Access::Bridges | Access::Delegates => true,
    });
    let open = access.iter().any(|access| match access {
        Access::Reads | Access::Calls | Access::Asks | Access::Editor | Access::Writes => false,
        Access::Executes | Access::Fetches | Access::Bridges | Access::Delegates => true,
    });
    ToolAnnotations::from_raw(None, Some(!writes), Some(writes), Some(!writes), Some(open))
}

fn meta(published: &Published, config: &Config) -> MetaObject {
    let largest = config.reply_bytes.unwrap_or(published.dialect.budget.bytes).min(LARGEST);
    let mut meta = MetaObject::new();
    if CORE.contains(&published.operation()) {
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
    }
    meta.insert("anthropic/maxResultSizeChars".to_owned(), json!(largest));
    meta
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
