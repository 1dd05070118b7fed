//! Definitions of the published tools, in the types of the MCP library.

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};
use toolpost_engine::{Access, Effect};
use toolpost_runtime::{Catalogue, Config, Published, StructuredOutput};

/// Groups of operations that every task on code needs. Clients that load tools on demand get the first tool of each
/// group in each dialect from the start.
const CORE: [&[&str]; 6] = [
    &["read", "read_many", "view"],
    &["change"],
    &["write"],
    &["glob", "list"],
    &["grep", "seek"],
    &["exec"],
];
/// The operation that queries an external service, if the operator has configured one.
const CONSULTING: &str = "usage";
/// The largest result size that a client accepts, in characters.
const LARGEST: usize = 500_000;

/// Returns the tools that clients always load.
pub(super) fn core(catalogue: &Catalogue) -> HashSet<&str> {
    let mut taken = HashSet::new();
    let first = |tool: &&Published| {
        let group = CORE.iter().position(|group| group.contains(&tool.operation()));
        group.is_some_and(|group| taken.insert((tool.dialect.name, group)))
    };
    catalogue.listed().filter(first).map(|tool| tool.name.as_str()).collect()
}

/// Presence of an external code search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeSearchPresence {
    /// A service is configured.
    Service,
    /// No service is configured.
    Nobody,
}

/// The time at which clients load a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// Clients load the tool at the start of the session.
    Always,
    /// Clients may load the tool only when it is needed.
    Later,
}

/// Defines a tool for clients.
pub(super) fn definition(
    published: &Published,
    config: &Config,
    reach: CodeSearchPresence,
    load: Load,
) -> Tool {
    let mut tool =
        Tool::new(published.name.clone(), published.description().to_owned(), object(published.schema()));
    // The operation that can query an external service is open-world only if such a service is configured.
    let consults = reach == CodeSearchPresence::Service && published.operation() == CONSULTING;
    let further: &[Access] = if consults { &[Access::Fetches] } else { &[] };
    tool.annotations = Some(annotations(&[published.access(), further].concat(), published.effect()));
    tool.meta = Some(meta(published, config, load));
    if config.structured == StructuredOutput::On {
        let schema = published.output_schema();
        // Before 2026-07-28, an output schema must be an object; any other is omitted.
        tool.output_schema = (schema["type"] == "object").then(|| object(&schema));
    }
    tool
}

/// Derives the four MCP hints (read-only, destructive, idempotent, open world) from the kinds of access that a
/// tool can make at most, and from the effect of its writes. A command may do anything. A query to the model
/// that the operator configured does not count as open world.
fn annotations(access: &[Access], effect: Effect) -> ToolAnnotations {
    let writes = access.iter().any(|access| match access {
        Access::Reads | Access::Calls | Access::Asks | Access::Editor | Access::Fetches => false,
        Access::Writes | Access::Executes | Access::Bridges | Access::Delegates => true,
    });
    let open = access.iter().any(|access| match access {
        Access::Reads | Access::Calls | Access::Asks | Access::Editor | Access::Writes => false,
        Access::Executes | Access::Fetches | Access::Bridges | Access::Delegates => true,
    });
    let destroys = writes && effect != Effect::Adds;
    let is_idempotent = !writes || effect != Effect::Changes;
    ToolAnnotations::from_raw(None, Some(!writes), Some(destroys), Some(is_idempotent), Some(open))
}

fn meta(published: &Published, config: &Config, load: Load) -> MetaObject {
    let largest = config.reply_bytes.unwrap_or(published.dialect.budget.bytes).min(LARGEST);
    let mut meta = MetaObject::new();
    if load == Load::Always {
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
    }
    meta.insert("anthropic/maxResultSizeChars".to_owned(), json!(largest));
    meta
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
