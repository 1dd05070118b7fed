//! Checks that tool names appear only in their dialect: the engine, the layers and the protocols work for
//! every dialect.

use super::{Finding, rust};
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Path of the contract, which lists the tools of each dialect.
const CONTRACT: &str = "spec/dialects.json";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(names) = tree.file(CONTRACT).and_then(|contract| Names::read(&contract.text)) else {
        return vec![Finding {
            path: CONTRACT.to_owned(),
            line: 1,
            what: "the contract is missing or cannot be read".to_owned(),
            why: "the check needs it to know the names of tools",
            next: "restore spec/dialects.json",
        }];
    };
    // Examples are not checked, because they use the tool names of one dialect, as programs of users do.
    let files = tree.rust().filter(|file| {
        !file.is_test() && !file.path.starts_with("xtask/") && !file.path.contains("/examples/")
    });
    files.flat_map(|file| in_file(&file.path, &file.text, &names)).collect()
}

/// The names of all tools, each with the dialects that have it.
struct Names(BTreeMap<String, Vec<String>>);

impl Names {
    fn read(contract: &str) -> Option<Self> {
        let contract: Value = serde_json::from_str(contract).ok()?;
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (dialect, said) in contract.as_object()? {
            for tool in said.get("tools")?.as_object()?.keys().filter(|tool| !tool.contains('{')) {
                names.entry(tool.clone()).or_default().push(dialect.clone());
            }
        }
        Some(Self(names))
    }

    /// Finds the name of a tool in another dialect than `own`: a distinctive name anywhere in the string, a
    /// plain capitalised word only as the whole string.
    fn foreign(&self, literal: &str, own: Option<&str>) -> Option<&str> {
        let names = self
            .0
            .iter()
            .filter(|(_, dialects)| !own.is_some_and(|own| dialects.iter().any(|name| name == own)));
        let mut names = names.map(|(name, _)| name.as_str());
        names.find(|name| {
            if is_distinctive(name) { rust::word(literal, name).is_some() } else { is_whole(name, literal) }
        })
    }
}

/// Returns whether a name is unlikely to be an ordinary word.
fn is_distinctive(name: &str) -> bool {
    name.contains('_') || name.chars().skip(1).any(char::is_uppercase)
}

/// Returns whether a capitalised name is the whole string; inside a sentence it may be an ordinary word.
fn is_whole(name: &str, literal: &str) -> bool {
    name.starts_with(char::is_uppercase) && name == literal
}

/// Returns the lines of `const ALIASES`, which may contain tool names of other dialects.
fn aliases(text: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        open |= line.trim_start().starts_with("const ALIASES");
        if open {
            lines.insert(number + 1);
            open = !line.trim_end().ends_with(';');
        }
    }
    lines
}

fn in_file(path: &str, text: &str, names: &Names) -> Vec<Finding> {
    let own = path
        .strip_prefix("crates/dialects/src/")
        .and_then(|rest| rest.split_once('/'))
        .map(|(dialect, _)| dialect);
    let scanned = rust::scan(rust::shipped(text));
    let answered = aliases(text);
    let literals = scanned.literals.iter().filter(|(line, _)| !answered.contains(line));
    let named = literals.filter_map(|(line, literal)| Some((*line, names.foreign(literal, own)?)));
    let finding = |(line, name): (usize, &str)| Finding {
        path: path.to_owned(),
        line,
        what: format!("the tool name `{name}` outside its dialect"),
        why: "a tool name belongs to one dialect; shared texts must be valid for all of them",
        next: "use a `Hint`, or move the text into the directory of the dialect",
    };
    named.map(finding).collect()
}
