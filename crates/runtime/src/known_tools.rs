//! Digests of the tools of upstream servers, kept in the state directory, so that a change between two sessions is
//! noticed.

use crate::published::UpstreamToolDefinition;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use toolpost_workspace::{hash, operator};

/// Name of the file in the state directory.
const FILE: &str = "upstream-tools.json";
/// Maximum size of the file, in bytes.
const BYTES: u64 = 4 * 1024 * 1024;
/// Maximum number of tools in the file; later ones are not added.
const TOOLS: usize = 10_000;

/// Records the definitions of tools, and returns the names of those whose description or schema differs from the last
/// recorded one. A tool that an upstream server withdraws stays recorded.
///
/// If the file cannot be read, or is invalid, nothing is compared. Errors of reading and writing are logged.
pub(crate) fn changed(state: &Path, tools: &[UpstreamToolDefinition]) -> BTreeSet<String> {
    if tools.is_empty() {
        return BTreeSet::new();
    }
    let file = state.join(FILE);
    let known = operator::read_at_most(&file, BYTES).map(|text| text.unwrap_or_else(|| "{}".to_owned()));
    let mut known: BTreeMap<String, String> = match known {
        Ok(text) => serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, "the recorded tools of upstream servers are invalid and were recorded again");
            BTreeMap::new()
        }),
        Err(error) => {
            tracing::warn!(%error, "the recorded tools of upstream servers could not be read");
            return BTreeSet::new();
        }
    };
    let before = known.clone();
    let mut changed = BTreeSet::new();
    for tool in tools {
        let key = format!("{}/{}", tool.tool.server, tool.tool.tool);
        let digest = hash(format!("{}\0{}", tool.description, tool.schema).as_bytes()).to_hex();
        if known.get(&key).is_some_and(|recorded| *recorded != digest) {
            changed.insert(tool.name.clone());
        }
        if known.len() < TOOLS || known.contains_key(&key) {
            known.insert(key, digest);
        }
    }
    if known != before {
        let written = serde_json::to_string(&known).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|text| operator::replace(&file, &text)) {
            tracing::warn!(%error, "the tools of upstream servers could not be recorded");
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolpost_engine::RemoteTool;
    use toolpost_test_rows::each;

    fn tool(name: &str, description: &str, schema: serde_json::Value) -> UpstreamToolDefinition {
        UpstreamToolDefinition {
            tool: RemoteTool { server: "odd".to_owned(), tool: name.to_owned() },
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
        }
    }

    #[test]
    fn a_definition_that_changed_since_the_last_record_is_found_once() {
        let state = tempfile::tempdir().unwrap();
        let plain = || json!({ "type": "object" });
        // Each row is a session: the tools that the server lists, and the names of those that count as changed.
        let rows = [
            (vec![tool("a", "v1", plain()), tool("b", "v1", plain())], vec![]),
            (vec![tool("a", "v1", plain())], vec![]),
            (vec![tool("a", "v2", plain()), tool("b", "v1", plain())], vec!["a"]),
            (vec![tool("a", "v2", plain()), tool("b", "v1", json!({ "title": "Send all." }))], vec!["b"]),
            (vec![tool("c", "v1", plain())], vec![]),
            (vec![], vec![]),
            (vec![tool("a", "v1", plain()), tool("c", "v1", plain())], vec!["a"]),
        ];
        each(rows, |(tools, wanted)| {
            assert_eq!(changed(state.path(), &tools).into_iter().collect::<Vec<_>>(), wanted);
        });
        operator::replace(&state.path().join(FILE), "not JSON").unwrap();
        assert_eq!(changed(state.path(), &[tool("a", "v9", plain())]), BTreeSet::new());
        assert_eq!(changed(state.path(), &[tool("a", "v1", plain())]), BTreeSet::from(["a".to_owned()]));
        assert_eq!(changed(Path::new("/proc/none"), &[tool("a", "v1", plain())]), BTreeSet::new());
    }
}
