//! `cargo xtask licences`: licence and origin of every dependency, compared with deny.toml.

use crate::{Repository, Verdict, output, programs};
use anyhow::{Context, Result};
use serde_json::Value;
use toml::Table;

/// Rules of deny.toml.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LicenceRules {
    /// Licences allowed for all dependencies.
    pub licences: Vec<String>,
    /// Names of dependencies, each with the licences that are allowed for it in addition.
    pub exceptions: Vec<(String, Vec<String>)>,
    /// URLs of the registries from which dependencies may come.
    pub registries: Vec<String>,
}

/// Checks the licences and the registries of all dependencies.
///
/// # Errors
/// If cargo fails, or deny.toml cannot be read.
pub fn run(house: &Repository, _arguments: &[String]) -> Result<Verdict> {
    let allowed = LicenceRules::read(&house.read("deny.toml")?)?;
    let mut cargo = programs::cargo();
    cargo.args(["metadata", "--format-version", "1", "--locked"]).current_dir(house.root());
    let metadata: Value =
        serde_json::from_str(&programs::output(&mut cargo)?).context("cargo metadata is not JSON")?;
    let packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();
    let wrong: Vec<String> = packages.iter().flat_map(|package| judge(package, &allowed)).collect();
    wrong.iter().for_each(|line| output::line(line));
    output::line(&format!("licences: {} packages, {} findings", packages.len(), wrong.len()));
    Ok(if wrong.is_empty() { Verdict::Good } else { Verdict::Bad })
}

impl LicenceRules {
    /// Parses deny.toml.
    ///
    /// # Errors
    /// If the text is not TOML, or has no `[licenses]` table.
    pub fn read(text: &str) -> Result<Self> {
        let table: Table = toml::from_str(text).context("deny.toml is not TOML")?;
        let licences =
            table.get("licenses").and_then(|part| part.as_table()).context("deny.toml has no [licenses]")?;
        let exceptions = licences.get("exceptions").and_then(|list| list.as_array()).into_iter().flatten();
        let exceptions = exceptions.filter_map(|row| {
            let row = row.as_table()?;
            Some((row.get("crate")?.as_str()?.to_owned(), strings(row.get("allow"))))
        });
        let sources = table.get("sources").and_then(|part| part.as_table());
        Ok(Self {
            licences: strings(licences.get("allow")),
            exceptions: exceptions.collect(),
            registries: strings(sources.and_then(|sources| sources.get("allow-registry"))),
        })
    }

    fn has(&self, package: &str, licence: &str) -> bool {
        let own =
            self.exceptions.iter().filter(|(name, _)| name == package).flat_map(|(_, licences)| licences);
        self.licences.iter().chain(own).any(|allowed| allowed == licence)
    }
}

fn strings(list: Option<&toml::Value>) -> Vec<String> {
    let values = list.and_then(|list| list.as_array()).into_iter().flatten();
    values.filter_map(|value| value.as_str()).map(str::to_owned).collect()
}

/// Returns the licence and registry problems of a package in cargo's metadata.
#[must_use]
pub fn judge(package: &Value, allowed: &LicenceRules) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let shown = format!("{name} {}", package["version"].as_str().unwrap_or_default());
    let mut wrong = Vec::new();
    match package["license"].as_str() {
        None => wrong.push(format!(
            "{shown}: it states no licence; remove the dependency, or find its licence and add an exception"
        )),
        Some(licence) if !satisfied(licence, &|one| allowed.has(name, one)) => {
            wrong.push(format!("{shown}: its licence `{licence}` is not allowed; use another crate"));
        }
        Some(_) => {}
    }
    let source = package["source"].as_str();
    let known = |source: &str| {
        allowed.registries.iter().any(|registry| source.strip_prefix("registry+") == Some(registry))
    };
    if let Some(source) = source.filter(|source| !known(source)) {
        wrong
            .push(format!("{shown}: it comes from `{source}`; only the registries of deny.toml are allowed"));
    }
    wrong
}

/// Returns whether the allowed licences satisfy a licence expression.
#[must_use]
pub fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let holds = any(&mut rest, allowed);
    holds && rest.is_empty()
}

fn any(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut holds = all(rest, allowed);
    while let ["OR", others @ ..] = *rest {
        *rest = others;
        holds |= all(rest, allowed);
    }
    holds
}

fn all(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut holds = one(rest, allowed);
    while let ["AND", others @ ..] = *rest {
        *rest = others;
        holds &= one(rest, allowed);
    }
    holds
}

fn one(rest: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    match *rest {
        ["(", others @ ..] => {
            *rest = others;
            let holds = any(rest, allowed);
            let closed = rest.first() == Some(&")");
            *rest = rest.get(1..).unwrap_or_default();
            holds && closed
        }
        [licence, "WITH", exception, others @ ..] => {
            *rest = others;
            allowed(licence) || allowed(&format!("{licence} WITH {exception}"))
        }
        [licence, others @ ..] => {
            *rest = others;
            allowed(licence)
        }
        [] => false,
    }
}
