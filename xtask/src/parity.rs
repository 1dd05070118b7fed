//! `cargo xtask parity`: every dialect compared with the contract of its reference.

mod compare;

use crate::{House, Verdict, said::Said, say};
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

pub use compare::Difference;

/// The contract: the tools that the references publish.
const CONTRACT: &str = "spec/dialects.json";
/// Intended differences, each with its reason.
const EXCEPTIONS: &str = "docs/parity-exceptions.json";
/// Dialects that must be complete.
const COMPLETE: &str = "docs/parity-complete.json";

/// Inputs of the comparison.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// Content of the contract file.
    pub contract: Value,
    /// Intended differences: `dialect.tool.param`, and the reason.
    pub exceptions: BTreeMap<String, String>,
    /// Dialects that must be complete.
    pub complete: BTreeSet<String>,
}

/// Result for one dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The dialect.
    pub dialect: String,
    /// Number of the contract's tools that exist.
    pub tools: usize,
    /// Number of tools in the contract.
    pub of: usize,
    /// Tools of the contract that do not exist yet.
    pub not_yet: Vec<String>,
    /// Unintended differences.
    pub wrong: Vec<Difference>,
    /// Intended differences.
    pub meant: Vec<Difference>,
}

/// Result for all dialects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// A row for each dialect of the contract, in its order.
    pub rows: Vec<Row>,
    /// Exceptions without a difference.
    pub stale: Vec<String>,
}

impl Report {
    /// Returns whether there are no unintended differences.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stale.is_empty() && self.rows.iter().all(|row| row.wrong.is_empty())
    }
}

/// Compares the dialects with the contract, and prints the result.
///
/// # Errors
/// If the contract or one of the lists cannot be read.
pub fn run(house: &House, _arguments: &[String]) -> Result<Verdict> {
    let report = check(&Said::all(), &Against::read(house)?);
    say::line(&format!("{:<10} {:>7}  {:>9}  {:>5}  state", "dialect", "tools", "different", "meant"));
    for row in &report.rows {
        let state = if row.tools == 0 && row.wrong.is_empty() { "not yet" } else { state(row) };
        let tools = format!("{}/{}", row.tools, row.of);
        say::line(&format!(
            "{:<10} {tools:>7}  {:>9}  {:>5}  {state}",
            row.dialect,
            row.wrong.len(),
            row.meant.len()
        ));
    }
    for difference in report.rows.iter().flat_map(|row| &row.wrong) {
        say::line(&format!("{}: {}", difference.key, difference.what));
    }
    for key in &report.stale {
        say::line(&format!("{key}: nothing differs here any more; remove it from {EXCEPTIONS}"));
    }
    if !report.holds() {
        say::line(&format!(
            "parity: correct the dialect, or say in {EXCEPTIONS} why the difference is meant"
        ));
    }
    Ok(if report.holds() { Verdict::Good } else { Verdict::Bad })
}

fn state(row: &Row) -> &'static str {
    match (row.wrong.is_empty(), row.not_yet.is_empty()) {
        (false, _) => "differs",
        (true, true) => "equal",
        (true, false) => "equal so far",
    }
}

impl Against {
    /// Reads the contract and the lists.
    ///
    /// # Errors
    /// If one of them is missing or has a wrong shape.
    pub fn read(house: &House) -> Result<Self> {
        Ok(Self {
            contract: parse(house, CONTRACT)?,
            exceptions: serde_json::from_value(parse(house, EXCEPTIONS)?)
                .with_context(|| format!("{EXCEPTIONS} is not an object of reasons"))?,
            complete: serde_json::from_value(parse(house, COMPLETE)?)
                .with_context(|| format!("{COMPLETE} is not a list of dialects"))?,
        })
    }

    /// Returns the contract's dialects, in its order.
    pub fn dialects(&self) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
        let dialects = self.contract.as_object().into_iter().flatten();
        dialects.filter_map(|(name, said)| Some((name.as_str(), said.get("tools")?.as_object()?)))
    }
}

fn parse(house: &House, path: &str) -> Result<Value> {
    serde_json::from_str(&house.read(path)?).with_context(|| format!("{path} is not JSON"))
}

/// Compares dialects with the contract.
#[must_use]
pub fn check(said: &[Said], against: &Against) -> Report {
    let mut used = BTreeSet::new();
    let mut rows: Vec<Row> = against
        .dialects()
        .map(|(name, tools)| {
            let said = said.iter().find(|said| said.dialect == name);
            row(name, tools, said, against, &mut used)
        })
        .collect();
    let known = |said: &&Said| against.dialects().any(|(name, _)| name == said.dialect);
    rows.extend(said.iter().filter(|said| !known(said)).map(|said| unknown(&said.dialect)));
    let stale = against.exceptions.keys().filter(|key| !used.contains(*key)).cloned().collect();
    Report { rows, stale }
}

fn row(
    dialect: &str,
    contract: &Map<String, Value>,
    said: Option<&Said>,
    against: &Against,
    used: &mut BTreeSet<String>,
) -> Row {
    let empty = Said { dialect: dialect.to_owned(), tools: Vec::new() };
    let compared = compare::dialect(contract, said.unwrap_or(&empty));
    let mut differences = compared.differences;
    if against.complete.contains(dialect) {
        let missing = compared.not_yet.iter().map(|tool| Difference {
            key: format!("{dialect}.{tool}"),
            what: format!("the tool is missing, and {COMPLETE} says that the dialect is complete"),
        });
        differences.extend(missing);
    }
    let (meant, wrong): (Vec<_>, Vec<_>) =
        differences.into_iter().partition(|difference| against.exceptions.contains_key(&difference.key));
    used.extend(meant.iter().map(|difference| difference.key.clone()));
    Row {
        dialect: dialect.to_owned(),
        tools: contract.len() - compared.not_yet.len(),
        of: contract.len(),
        not_yet: compared.not_yet,
        wrong,
        meant,
    }
}

fn unknown(dialect: &str) -> Row {
    let wrong = Difference { key: dialect.to_owned(), what: "the contract has no such dialect".to_owned() };
    Row {
        dialect: dialect.to_owned(),
        tools: 0,
        of: 0,
        not_yet: Vec::new(),
        wrong: vec![wrong],
        meant: Vec::new(),
    }
}
