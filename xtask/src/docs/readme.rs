//! The README's table: every dialect of the contract, its tools, and how far they are.

use crate::{
    parity::Against,
    said::{Said, is_bridged},
};
use std::fmt::Write;

/// Makes the table.
#[must_use]
pub fn table(said: &[Said], against: &Against) -> String {
    let mut text = String::from("| dialect | tools | here | not yet |\n|---|---|---|---|\n");
    for (dialect, tools) in against.dialects() {
        let said = said.iter().find(|said| said.dialect == dialect);
        let is_here = |name: &&String| said.is_some_and(|said| said.tool(name).is_some() || is_bridged(name));
        let (here, not_yet): (Vec<&String>, Vec<&String>) = tools.keys().partition(is_here);
        let _ = writeln!(
            text,
            "| `{dialect}` | {} of {} | {} | {} |",
            here.len(),
            tools.len(),
            list(&here),
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
