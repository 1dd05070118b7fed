//! A published tool in the words of the protocol.

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};
use toolpost_engine::{Access, Effect};
use toolpost_runtime::{Catalogue, Config, Published, Structured};

/// What no work on code goes without. Of each group, clients that load tools late get a dialect's first tool from the start.
const CORE: [&[&str]; 6] = [
    &["read", "read_many", "view"],
    &["change"],
    &["write"],
    &["glob", "list"],
    &["grep", "seek"],
    &["exec"],
];
/// What asks a service elsewhere, where the operator has named one.
const CONSULTING: &str = "usage";
/// The most that a client takes as one result.
const LARGEST: usize = 500_000;

/// Finds the tools that clients always load.
pub(super) fn core(catalogue: &Catalogue) -> HashSet<&str> {
    let mut taken = HashSet::new();
    let first = |tool: &&Published| {
        let group = CORE.iter().position(|group| group.contains(&tool.operation()));
        group.is_some_and(|group| taken.insert((tool.dialect.name, group)))
    };
    catalogue.listed().filter(first).map(|tool| tool.name.as_str()).collect()
}

/// Whether a service elsewhere is asked for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// One is.
    Service,
    /// None is.
    Nobody,
}

/// Whether clients load a tool from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// They do.
    Always,
    /// They may load it later.
    Later,
}

/// Defines a tool for clients.
pub(super) fn definition(published: &Published, config: &Config, reach: Reach, load: Load) -> Tool {
    let mut tool =
        Tool::new(published.name.clone(), published.description.clone(), object(&published.schema));
    // What can ask a service elsewhere is open only where one is named.
    let consults = reach == Reach::Service && published.operation() == CONSULTING;
    let further: &[Access] = if consults { &[Access::Fetches] } else { &[] };
    tool.annotations = Some(annotations(&[published.access(), further].concat(), published.effect()));
    tool.meta = Some(meta(published, config, load));
    if config.structured == Structured::On {
        let schema = published.output_schema();
        // Before 2026-07-28 the output is an object or it is not described.
        tool.output_schema = (schema["type"] == "object").then(|| object(&schema));
    }
    tool
}

/// Derives all four hints from what the tool can touch at most, and what its writes do: a command may do anything. The model that the
/// operator has named is no open world.
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
