//! Reads rules from TOML.

use super::{Decision, Policy, Rule, RuleSource};
use globset::{GlobBuilder, GlobSetBuilder};
use serde::Deserialize;
use thiserror::Error;
use toolpost_engine::Access;

/// Why a file of rules cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    /// The file is not TOML of the right shape.
    #[error("{file}: {problem}")]
    Shape {
        /// The file.
        file: String,
        /// What the parser said, with the place.
        problem: String,
    },
    /// A pattern is wrong.
    #[error("{file}: the pattern `{pattern}` is wrong: {problem}.")]
    Pattern {
        /// The file.
        file: String,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An example that a rule carries does not fit the rule.
    #[error(
        "{file}: rule {number} (`{why}`) does not match its own example `{example}`; correct the pattern or the example."
    )]
    Example {
        /// The file.
        file: String,
        /// Which rule.
        number: usize,
        /// Why the rule exists.
        why: String,
        /// The example.
        example: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    touch: Vec<WrittenAccess>,
    paths: Vec<String>,
    decide: Decision,
    #[serde(default = "unsaid")]
    why: String,
    #[serde(default)]
    examples: Vec<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrittenAccess {
    Read,
    Write,
}

fn unsaid() -> String {
    "a rule says so.".to_owned()
}

/// Reads the rules of a file.
pub(super) fn parse(text: &str, source: &RuleSource) -> Result<Vec<Rule>, PolicyError> {
    let file: File = toml::from_str(text).map_err(|error| PolicyError::Shape {
        file: name(source),
        problem: error.to_string().trim().to_owned(),
    })?;
    file.rule.into_iter().map(|written| rule(written, source)).collect()
}

/// Checks that each rule of a file matches the examples that it carries.
pub(super) fn check_examples(text: &str, source: &RuleSource, policy: &Policy) -> Result<(), PolicyError> {
    let file: File = toml::from_str(text)
        .map_err(|error| PolicyError::Shape { file: name(source), problem: error.to_string() })?;
    let own = policy.rules.iter().rev().take(file.rule.len()).rev();
    for (number, (written, rule)) in file.rule.into_iter().zip(own).enumerate() {
        let wrong = written.examples.into_iter().find(|example| !rule.matches(example, example));
        if let Some(example) = wrong {
            let why = written.why;
            return Err(PolicyError::Example { file: name(source), number: number + 1, why, example });
        }
    }
    Ok(())
}

fn rule(written: Written, source: &RuleSource) -> Result<Rule, PolicyError> {
    let (mut relative, mut absolute) = (GlobSetBuilder::new(), GlobSetBuilder::new());
    for pattern in &written.paths {
        let wrong = |error: globset::Error| PolicyError::Pattern {
            file: name(source),
            pattern: pattern.clone(),
            problem: error.kind().to_string(),
        };
        for pattern in anywhere(pattern) {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(true).build();
            let set = if pattern.starts_with('/') { &mut absolute } else { &mut relative };
            set.add(glob.map_err(wrong)?);
        }
    }
    let build = |set: &GlobSetBuilder| {
        set.build().map_err(|error| PolicyError::Shape { file: name(source), problem: error.to_string() })
    };
    let accesses = written.touch.into_iter().map(|access| match access {
        WrittenAccess::Read => Access::Reads,
        WrittenAccess::Write => Access::Writes,
    });
    Ok(Rule {
        accesses: accesses.collect(),
        relative: build(&relative)?,
        absolute: build(&absolute)?,
        decision: written.decide,
        why: written.why,
        source: source.clone(),
    })
}

/// A pattern without a slash means the name at any depth; a directory means itself and all that is in it.
fn anywhere(pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let rooted = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    match rooted.strip_suffix('/') {
        Some(directory) if directory.contains('/') => vec![directory.to_owned(), format!("{directory}/**")],
        Some(directory) => vec![format!("**/{directory}"), format!("**/{directory}/**")],
        None => vec![rooted],
    }
}

fn name(source: &RuleSource) -> String {
    match source {
        RuleSource::BuiltIn => "the built-in rules".to_owned(),
        RuleSource::Operator(file) | RuleSource::Project(file) => file.clone(),
    }
}
