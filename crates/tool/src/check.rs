//! Checks of a dialect: mistakes that the compiler does not find.

use crate::{Dialect, Manual, ToolDef, names::aliases};
use serde_json::{Map, Value};
use toolpost_engine::Hint;

/// Maximum size of the instructions, in bytes, because some clients truncate the rest without notice.
const INSTRUCTIONS: usize = 2_048;
/// Maximum length of a tool's name that the APIs of models accept.
const NAME: usize = 64;

impl Dialect {
    /// Lists the mistakes in this dialect, one sentence for each; empty if there are none.
    ///
    /// The check covers the names and aliases of tools and arguments; aliases of `serde`, which decoding ignores;
    /// that the pages describe each tool, and that each section describes a tool; the length of the instructions;
    /// and that `say` returns a text for each hint that names no path.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        self.check_names(&mut mistakes);
        self.check_pages(&mut mistakes);
        for tool in self.tools {
            let mut object = ObjectCheck { tool, path: Vec::new(), mistakes: &mut mistakes };
            object.check(&(tool.schema)());
        }
        if self.instructions.len() > INSTRUCTIONS {
            mistakes.push(format!(
                "the instructions have {} bytes: shorten them to {INSTRUCTIONS} bytes",
                self.instructions.len()
            ));
        }
        let silent: Vec<&str> = hints()
            .iter()
            .filter(|(_, hint)| (self.say)(hint).trim().is_empty())
            .map(|(name, _)| *name)
            .collect();
        if !silent.is_empty() {
            mistakes
                .push(format!("`say` returns an empty text for {}: return a next step", silent.join(", ")));
        }
        mistakes
    }

    fn check_names(&self, mistakes: &mut Vec<String>) {
        let is_valid = |name: &str| {
            let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
            (1..=NAME).contains(&name.len()) && name.chars().all(is_allowed)
        };
        for tool in self.tools.iter().filter(|tool| !is_valid(tool.name)) {
            mistakes.push(format!(
                "the tool name `{}` is invalid: use 1 to {NAME} letters, digits, `_` and `-`",
                tool.name.escape_debug()
            ));
        }
        let names: Vec<&str> =
            self.tools.iter().flat_map(|tool| [&[tool.name][..], tool.aliases].concat()).collect();
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) && !names[at + 1..].contains(name) {
                mistakes.push(format!("the tool name or alias `{name}` occurs more than once: remove one"));
            }
        }
    }

    fn check_pages(&self, mistakes: &mut Vec<String>) {
        let described = |name: &str| {
            Manual::description(self.pages, name).is_some_and(|description| !description.is_empty())
        };
        for tool in self.tools {
            if !described(tool.name) && !tool.same_as.is_some_and(described) {
                mistakes.push(format!(
                    "the tool `{0}` has no description: add `## {0}` and a paragraph to `pages`",
                    tool.name
                ));
            }
        }
        for section in self.pages.iter().flat_map(|page| Manual::of_page(page)) {
            if !self.tools.iter().any(|tool| tool.name == section.tool) {
                mistakes.push(format!(
                    "the section `## {}` of `pages` describes no tool: its heading must be the name of a tool",
                    section.tool.escape_debug()
                ));
            }
        }
    }
}

/// The check of the argument names of one tool, object by object.
struct ObjectCheck<'a> {
    tool: &'a ToolDef,
    /// The properties that lead to the current object.
    path: Vec<String>,
    mistakes: &'a mut Vec<String>,
}

impl ObjectCheck<'_> {
    fn check(&mut self, object: &Value) {
        let empty = Map::new();
        let properties = object.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let place = [&[self.tool.name.to_owned()][..], &self.path].concat().join(".");
        let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
        for alias in properties.values().flat_map(aliases) {
            if known.contains(&alias) {
                self.mistakes
                    .push(format!("the argument name `{alias}` of {place} has two meanings: remove one"));
            }
            known.push(alias);
        }
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        for name in self.tool.accepted_names(&path) {
            if !known.contains(&name) {
                self.mistakes.push(format!(
                    "the argument name `{name}` of {place} is not in its schema, so decoding ignores it: instead of \
                     `#[serde(alias = …)]`, write `#[schemars(extend(\"x-aliases\" = [\"{name}\"]))]`"
                ));
            }
        }
        for (name, property) in properties {
            if let Some(inner) = object_in(property) {
                self.path.push(name.clone());
                self.check(inner);
                self.path.pop();
            }
        }
    }
}

/// Returns the schema of the object that a value is or contains as an array element; `None` if the value has no
/// object.
fn object_in(schema: &Value) -> Option<&Value> {
    if schema.get("properties").is_some() {
        return Some(schema);
    }
    let choices = || schema.get("anyOf")?.as_array()?.iter().find_map(object_in);
    schema.get("items").and_then(object_in).or_else(choices)
}

/// The hints that name no path, with the names of their variants.
fn hints() -> [(&'static str, Hint); 11] {
    let text = || "a.rs".to_owned();
    [
        ("Hint::GiveMoreContext", Hint::GiveMoreContext),
        ("Hint::ReplaceAll", Hint::ReplaceAll),
        ("Hint::DidYouMean", Hint::DidYouMean(vec![text()])),
        ("Hint::FindByName", Hint::FindByName(text())),
        ("Hint::Narrow", Hint::Narrow),
        ("Hint::Page", Hint::Page(1)),
        ("Hint::Literal", Hint::Literal(text())),
        ("Hint::TryAgain", Hint::TryAgain),
        ("Hint::AddRoot", Hint::AddRoot),
        ("Hint::Operator", Hint::Operator(text())),
        ("Hint::Advice", Hint::Advice(text())),
    ]
}
