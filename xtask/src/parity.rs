//! `cargo xtask parity`: every dialect against the contract that was read from its reference.

mod compare;

use crate::{House, Verdict, said::Said, say};
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

pub use compare::Difference;

/// The contract: what the references publish.
const CONTRACT: &str = "spec/dialects.json";
/// The differences that are meant, each with its reason.
const EXCEPTIONS: &str = "docs/parity-exceptions.json";
/// The dialects that must be complete.
const COMPLETE: &str = "docs/parity-complete.json";

/// What the comparison is made against.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// The contract, as it stands in its file.
    pub contract: Value,
    /// The differences that are meant: `dialect.tool.param`, and why.
    pub exceptions: BTreeMap<String, String>,
    /// The dialects that must be complete.
    pub complete: BTreeSet<String>,
}

/// How one dialect compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The dialect.
    pub dialect: String,
    /// How many of the contract's tools there are.
    pub tools: usize,
    /// How many tools the contract names.
    pub of: usize,
    /// The contract's tools that do not exist yet.
    pub not_yet: Vec<String>,
    /// What differs and is not meant to.
    pub wrong: Vec<Difference>,
    /// What differs and is meant to.
    pub meant: Vec<Difference>,
}

/// The whole comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// A row for each dialect of the contract, in its order.
    pub rows: Vec<Row>,
    /// Exceptions for which nothing differs any more.
    pub stale: Vec<String>,
}

impl Report {
    /// Tells whether nothing differs that is not meant to.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stale.is_empty() && self.rows.iter().all(|row| row.wrong.is_empty())
    }
}

/// Compares the dialects that exist with the contract, and prints how they stand.
///
/// # Errors
/// When the contract or the lists beside it cannot be read.
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
    /// Reads the contract and the lists beside it.
    ///
    /// # Errors
    /// When one of them is missing or not of its shape.
    pub fn read(house: &House) -> Result<Self> {
        Ok(Self {
            contract: parse(house, CONTRACT)?,
            exceptions: serde_json::from_value(parse(house, EXCEPTIONS)?)
                .with_context(|| format!("{EXCEPTIONS} is not an object of reasons"))?,
            complete: serde_json::from_value(parse(house, COMPLETE)?)
                .with_context(|| format!("{COMPLETE} is not a list of dialects"))?,
        })
    }

    /// Gives the contract's dialects, in its order.
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
