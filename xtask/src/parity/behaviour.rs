//! Intended differences of behaviour, which no schema shows, and the tests that enforce them.

use crate::{published_dialect::PublishedDialect, tree::Tree};
use anyhow::{Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;

/// An intended difference between the behaviour of a dialect and that of the project that it imitates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviourDifference {
    /// The difference and the reason for it.
    pub reason: String,
    /// The test that fails if the behaviour changes, as `crate::file::test`.
    pub test: String,
}

/// The parsed list of intended differences, `docs/parity-exceptions.json`.
#[derive(Debug, Clone, Default)]
pub(super) struct Exceptions {
    /// Differences of schemas: `dialect.tool.param`, and the reason.
    pub(super) schemas: BTreeMap<String, String>,
    /// Differences of behaviour: `dialect.tool#subject`, or `dialect#subject` if several tools differ.
    pub(super) behaviours: BTreeMap<String, BehaviourDifference>,
}

impl Exceptions {
    /// Parses the list of intended differences: each difference of schemas has a reason, and each difference of behaviour
    /// has a reason and a test.
    pub(super) fn read(list: &Value) -> Result<Self> {
        let Some(list) = list.as_object() else { bail!("it is not an object of exceptions") };
        let mut exceptions = Self::default();
        for (key, entry) in list {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
            match (key.contains('#'), entry.as_str(), text("reason"), text("test")) {
                (false, Some(reason), ..) => {
                    exceptions.schemas.insert(key.clone(), reason.to_owned());
                }
                (true, _, Some(reason), Some(test)) => {
                    exceptions.behaviours.insert(key.clone(), BehaviourDifference { reason, test });
                }
                (false, ..) => bail!("{key} needs its reason as a string"),
                (true, ..) => bail!("{key} needs an object with `reason` and `test`"),
            }
        }
        Ok(exceptions)
    }
}

/// Splits the key of a difference of behaviour into its dialect, its tool and its subject.
#[must_use]
pub fn parts(key: &str) -> (&str, Option<&str>, &str) {
    let (of, subject) = key.split_once('#').unwrap_or((key, ""));
    match of.split_once('.') {
        Some((dialect, tool)) => (dialect, Some(tool), subject),
        None => (of, None, subject),
    }
}

/// Lists the differences of behaviour whose dialect, tool or test does not exist.
#[must_use]
pub fn faults(
    behaviours: &BTreeMap<String, BehaviourDifference>,
    said: &[PublishedDialect],
    tree: &Tree,
) -> Vec<String> {
    let fault = |key: &str, difference: &BehaviourDifference| {
        let (name, tool, subject) = parts(key);
        let Some(dialect) = said.iter().find(|dialect| dialect.dialect == name) else {
            return Some(format!("{key}: no dialect is called {name}"));
        };
        if let Some(tool) = tool.filter(|tool| dialect.tool(tool).is_none()) {
            return Some(format!("{key}: {name} has no tool {tool}"));
        }
        if subject.is_empty() {
            return Some(format!("{key}: write the subject of the difference after `#`"));
        }
        let test = &difference.test;
        (!is_test(test, tree)).then(|| format!("{key}: no test {test}; write `crate::file::test`"))
    };
    behaviours.iter().filter_map(|(key, difference)| fault(key, difference)).collect()
}

/// Checks whether `crate::file::test` names a test function in a file of that crate.
fn is_test(path: &str, tree: &Tree) -> bool {
    let [name, file, test] = path.split("::").collect::<Vec<_>>()[..] else { return false };
    let (folder, file) = (format!("crates/{name}/"), format!("/{file}.rs"));
    let mut sources =
        tree.rust().filter(|source| source.path.starts_with(&folder) && source.path.ends_with(&file));
    sources.any(|source| has_test(&source.text, test))
}

/// Checks whether a function of this name has a test attribute, or returns a table of tests.
fn has_test(text: &str, test: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let head = format!("fn {test}(");
    lines.iter().enumerate().any(|(at, line)| {
        let table = line.strip_prefix("pub(crate) ").and_then(|line| line.strip_prefix(&head));
        if table.is_some_and(|rest| rest.starts_with(") -> Table {")) {
            return true;
        }
        let is_head = line.strip_prefix("async ").unwrap_or(line).starts_with(&head);
        let mut above =
            lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        is_head && above.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    })
}
