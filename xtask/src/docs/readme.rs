//! Table of the dialects in the README: purpose, and number of implemented tools.

use crate::{
    parity::ParityInputs,
    published_dialect::{PublishedDialect, is_bridged},
};
use std::fmt::Write;

/// The dialects, each with its purpose and whether it runs commands.
const CHOICE: [(&str, &str, &str); 5] = [
    ("trae", "Codex, and models without a preference", "yes"),
    ("zblade", "symbols, project maps, editors", "yes"),
    ("opencode", "a shell, language servers, the web", "yes"),
    ("probe", "searching large projects, plans, subagents", "yes"),
    ("claude", "Claude models (the default)", "no"),
];

/// Generates the table of the dialects.
#[must_use]
pub fn table(said: &[PublishedDialect], against: &ParityInputs) -> String {
    let mut text = String::from(
        "| dialect | choose it for | runs commands | tools | not implemented |\n|---|---|---|---|---|\n",
    );
    for (dialect, tools) in against.dialects() {
        let said = said.iter().find(|said| said.dialect == dialect);
        let own: Vec<&String> = tools.keys().filter(|name| !is_bridged(name)).collect();
        let is_here = |name: &&String| said.is_some_and(|said| said.tool(name).is_some());
        let (here, not_yet): (Vec<&String>, Vec<&String>) = own.iter().partition(|name| is_here(name));
        let (_, purpose, shell) =
            CHOICE.iter().find(|(name, ..)| dialect == *name).unwrap_or(&("", "–", "–"));
        let _ = writeln!(
            text,
            "| `{dialect}` | {purpose} | {shell} | {} of {} | {} |",
            here.len(),
            own.len(),
            list(&not_yet)
        );
    }
    text
}

fn list(names: &[&String]) -> String {
    match names {
        [] => "–".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
