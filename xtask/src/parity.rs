//! `cargo xtask parity`: compares every dialect with the tools of the program that it imitates.

pub mod behaviour;
mod compare;

use crate::{Repository, Verdict, output, published_dialect::PublishedDialect, tree::Tree};
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

pub use behaviour::BehaviourDifference;
pub use compare::Difference;

/// The contract: the tools and parameters that each dialect must have.
const CONTRACT: &str = "spec/dialects.json";
/// Intended differences from the contract, each with its reason.
const EXCEPTIONS: &str = "docs/parity-exceptions.json";
/// Dialects that must have all tools of the contract.
const COMPLETE: &str = "docs/parity-complete.json";

/// The contract, and the lists of exceptions and of complete dialects.
#[derive(Debug, Clone, Default)]
pub struct ParityInputs {
    /// Content of the contract file.
    pub contract: Value,
    /// Intended differences of schemas: `dialect.tool.param`, and the reason.
    pub exceptions: BTreeMap<String, String>,
    /// Intended differences of behaviour: `dialect.tool#subject`, with the reason and a test.
    pub behaviours: BTreeMap<String, BehaviourDifference>,
    /// Dialects that must be complete.
    pub complete: BTreeSet<String>,
}

/// Comparison of one dialect with the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name of the dialect.
    pub dialect: String,
    /// Number of tools in the contract that the dialect has.
    pub tools: usize,
    /// Number of tools in the contract, for this dialect.
    pub of: usize,
    /// Tools in the contract that the dialect does not have yet.
    pub not_yet: Vec<String>,
    /// Unintended differences.
    pub wrong: Vec<Difference>,
    /// Intended differences.
    pub meant: Vec<Difference>,
}

/// Comparison of all dialects with the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// A row for each dialect of the contract, in the contract's order, then for each dialect that the
    /// contract lacks.
    pub rows: Vec<Row>,
    /// Keys of intended differences that no longer exist.
    pub stale: Vec<String>,
}

impl Report {
    /// Returns whether all differences are intended, and all intended differences exist.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stale.is_empty() && self.rows.iter().all(|row| row.wrong.is_empty())
    }
}

/// Compares the dialects with the contract, and prints the result.
///
/// # Errors
/// If the contract or one of the lists cannot be read.
pub fn run(house: &Repository, _arguments: &[String]) -> Result<Verdict> {
    let (said, against) = (PublishedDialect::all(), ParityInputs::read(house)?);
    let report = check(&said, &against);
    let faults = behaviour::faults(&against.behaviours, &said, &Tree::of_house(house)?);
    output::line(&format!("{:<10} {:>7}  {:>9}  {:>5}  state", "dialect", "tools", "different", "meant"));
    for row in &report.rows {
        let state = if row.tools == 0 && row.wrong.is_empty() { "not yet" } else { state(row) };
        let tools = format!("{}/{}", row.tools, row.of);
        output::line(&format!(
            "{:<10} {tools:>7}  {:>9}  {:>5}  {state}",
            row.dialect,
            row.wrong.len(),
            row.meant.len()
        ));
    }
    for difference in report.rows.iter().flat_map(|row| &row.wrong) {
        output::line(&format!("{}: {}", difference.key, difference.what));
    }
    for key in &report.stale {
        output::line(&format!("{key}: nothing differs any more; remove the entry from {EXCEPTIONS}"));
    }
    for fault in &faults {
        output::line(&format!("{fault} (in {EXCEPTIONS})"));
    }
    output::line(&format!("{} differences of behaviour are intended", against.behaviours.len()));
    if !report.holds() {
        output::line(&format!(
            "parity: correct the dialect, or add each intended difference with its reason to {EXCEPTIONS}"
        ));
    }
    Ok(if report.holds() && faults.is_empty() { Verdict::Good } else { Verdict::Bad })
}

fn state(row: &Row) -> &'static str {
    match (row.wrong.is_empty(), row.not_yet.is_empty()) {
        (false, _) => "differs",
        (true, true) => "equal",
        (true, false) => "equal so far",
    }
}

impl ParityInputs {
    /// Reads the contract, the exceptions and the list of complete dialects.
    ///
    /// # Errors
    /// If one of them is missing or has a wrong shape.
    pub fn read(house: &Repository) -> Result<Self> {
        let exceptions = behaviour::Exceptions::read(&parse(house, EXCEPTIONS)?).context(EXCEPTIONS)?;
        Ok(Self {
            contract: parse(house, CONTRACT)?,
            exceptions: exceptions.schemas,
            behaviours: exceptions.behaviours,
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

fn parse(house: &Repository, path: &str) -> Result<Value> {
    serde_json::from_str(&house.read(path)?).with_context(|| format!("{path} is not JSON"))
}

/// Compares dialects with the contract.
#[must_use]
pub fn check(said: &[PublishedDialect], against: &ParityInputs) -> Report {
    let mut used = BTreeSet::new();
    let mut rows: Vec<Row> = against
        .dialects()
        .map(|(name, tools)| {
            let said = said.iter().find(|said| said.dialect == name);
            row(name, tools, said, against, &mut used)
        })
        .collect();
    let known = |said: &&PublishedDialect| against.dialects().any(|(name, _)| name == said.dialect);
    rows.extend(said.iter().filter(|said| !known(said)).map(|said| unknown(&said.dialect)));
    let stale = against.exceptions.keys().filter(|key| !used.contains(*key)).cloned().collect();
    Report { rows, stale }
}

fn row(
    dialect: &str,
    contract: &Map<String, Value>,
    said: Option<&PublishedDialect>,
    against: &ParityInputs,
    used: &mut BTreeSet<String>,
) -> Row {
    let empty = PublishedDialect { dialect: dialect.to_owned(), tools: Vec::new() };
    let compared = compare::dialect(contract, said.unwrap_or(&empty));
    let mut differences = compared.differences;
    if against.complete.contains(dialect) {
        let missing = compared.not_yet.iter().map(|tool| Difference {
            key: format!("{dialect}.{tool}"),
            what: format!("the tool is missing, but {COMPLETE} lists the dialect as complete"),
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
