//! What was searched for an answer, so that "nothing" can be believed.

use super::Asked;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// What was searched, as it was when the question came.
#[derive(Debug, Clone, Default, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Searched {
    /// How many files of each language.
    pub languages: BTreeMap<String, usize>,
    /// How many of them have parts that the parser does not understand.
    pub imperfect: usize,
    /// What was not searched, in words.
    pub left_out: Vec<String>,
}

/// How many files of a sort are named.
const NAMED: usize = 3;

impl Searched {
    /// Counts what is searched at and below a place, or everywhere.
    pub(crate) fn of(asked: &Asked<'_>, base: Option<&WorkspacePath>) -> Self {
        let mut out = Self::default();
        let mut withheld = 0;
        for id in asked.index.files() {
            let file = asked.index.file(id);
            if base.is_some_and(|base| !asked.lies_in(&file.path, base)) {
                continue;
            }
            if !asked.may(&file.path) {
                withheld += 1;
                continue;
            }
            *out.languages.entry(file.record.language.clone()).or_default() += 1;
            out.imperfect += usize::from(file.record.errors > 0);
        }
        let left = asked.index.left_out();
        let known = |names: &[String], what: fn(&str) -> &str| -> Vec<String> {
            let seen = |line: &&String| asked.may_name(what(line), base);
            names.iter().filter(seen).cloned().collect()
        };
        out.name(&known(&left.large, |line| line), "too large");
        out.name(&known(&left.unparsed, |line| line), "that cannot be parsed");
        out.name(
            &known(&left.unreadable, |line| line.split(": ").next().unwrap_or(line)),
            "that cannot be read",
        );
        if withheld > 0 {
            out.left_out.push(format!("{} withheld by the rules", counted(withheld, "file")));
        }
        out
    }

    /// Says it in words.
    #[must_use]
    pub fn words(&self) -> String {
        let languages = self.languages.iter().map(|(name, count)| format!("{name} {count}"));
        let languages: Vec<String> = languages.collect();
        let files: usize = self.languages.values().sum();
        let mut words = counted(files as u64, "file");
        if !languages.is_empty() {
            words.push_str(&format!(" ({})", languages.join(", ")));
        }
        words.push_str(", looked at just now");
        if self.imperfect > 0 {
            words.push_str(&format!("; {} understood in part", self.imperfect));
        }
        if !self.left_out.is_empty() {
            words.push_str(&format!("; not searched: {}", self.left_out.join(", ")));
        }
        words
    }

    fn name(&mut self, files: &[String], why: &str) {
        if files.is_empty() {
            return;
        }
        let more = if files.len() > NAMED { ", …" } else { "" };
        let named = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        self.left_out.push(format!("{} {why} ({named}{more})", counted(files.len() as u64, "file")));
    }
}
