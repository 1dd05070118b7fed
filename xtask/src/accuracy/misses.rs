//! Call targets that the index misses or gets wrong, grouped by error and by the form of the call, for
//! debugging.

use super::code::{Code, Id, Site};
use super::corpora::Corpus;
use super::oracle::Truth;
use super::ours::{ToolpostAnswers, Verdict};
use super::score::{claiming, found};
use std::{collections::BTreeMap, fmt::Write};
use toolpost_symbols::Certainty;

/// Maximum number of call sites shown per category of errors.
const SHOWN: usize = 25;

/// Formats the errors of the index in one corpus by category, the largest category first.
pub(super) fn page(corpus: Corpus, code: &Code, truths: &[Truth], ours: &ToolpostAnswers) -> String {
    let mut categories: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let claiming = claiming(code, truths, ours);
    for (number, (site, truth)) in code.sites.iter().zip(truths).enumerate() {
        let claims = site.within.is_some_and(|within| claiming.contains(&within));
        let lacks = matches!(truth, Truth::Defined(right) if !found(ours.of(number), right));
        if let Some((category, what)) = describe_error(code, site, truth, ours.of(number)) {
            let file = &code.files[&site.path];
            let line = file.line(site.at.start);
            let row = file.row(line).map_or("", |(_, row)| row).trim();
            let row: String = row.chars().take(140).collect();
            let entry = format!("{}:{} `{}`: `{row}`; {what}", site.path, line + 1, site.name);
            if claims && lacks {
                let category = "CLAIMED TO BE COMPLETE".to_owned();
                categories.entry(category).or_default().push(entry.clone());
            }
            categories.entry(category).or_default().push(entry);
        }
    }
    let mut categories: Vec<_> = categories.into_iter().collect();
    categories.sort_by_key(|(_, entries)| std::cmp::Reverse(entries.len()));
    let mut out = format!("# {} {}\n\n", corpus.name, corpus.version);
    for (category, entries) in &categories {
        let _ = writeln!(out, "- {}: {category}", entries.len());
    }
    for (category, entries) in categories {
        let _ = writeln!(out, "\n## {category}: {}\n", entries.len());
        // The shown call sites are evenly spaced, so that one file does not fill the list.
        let step = entries.len().div_ceil(SHOWN);
        entries.iter().step_by(step).for_each(|entry| out.push_str(&format!("- {entry}\n")));
    }
    out
}

/// Returns the category and the description of an error of the index at a call site; `None` without an error.
fn describe_error(code: &Code, site: &Site, truth: &Truth, verdict: &Verdict) -> Option<(String, String)> {
    let shown = |id: &Id| format!("{}:{}", code.definitions[*id].path, code.definitions[*id].qualified);
    let right: &[Id] = match truth {
        Truth::Defined(ids) => ids,
        Truth::External => &[],
        Truth::Variable | Truth::Unknown => return None,
    };
    let wanted = if right.is_empty() {
        "goes outside".to_owned()
    } else {
        format!("is {}", right.iter().map(shown).collect::<Vec<_>>().join(", "))
    };
    let shape = format!("{:?}", site.shape).to_lowercase();
    let Verdict::Targets(targets) = verdict else {
        let kind = code.definitions[*right.first()?].kind.name();
        let category = format!("MISSED ({verdict:?}), {shape} name, a {kind}").to_lowercase();
        return Some((category, wanted));
    };
    let wrong: Vec<_> = targets.iter().filter(|(id, ..)| !id.is_some_and(|id| right.contains(&id))).collect();
    let Some((_, how, sure)) = wrong.iter().min_by_key(|(.., sure)| *sure) else {
        let proved = targets.iter().any(|(.., sure)| *sure == Certainty::Proved);
        return (!proved).then(|| (format!("target found but not proved, {shape} name"), wanted));
    };
    let hit = wrong.len() < targets.len();
    if hit && *sure == Certainty::Possible {
        let proved = targets.iter().any(|(.., sure)| *sure == Certainty::Proved);
        return (!proved).then(|| (format!("target found but not proved, {shape} name"), wanted));
    }
    let said = |(id, ..): &&(Option<Id>, _, _)| id.as_ref().map_or("no definition".to_owned(), shown);
    let said: Vec<String> = wrong.iter().take(4).map(said).collect();
    let also = if hit { ", in addition to the right one" } else { "" };
    let outside = if right.is_empty() { ", goes outside" } else { "" };
    let category = format!("WRONG {sure:?} by {how:?}{also}{outside}, {shape} name").to_lowercase();
    Some((category, format!("{wanted}; said {}", said.join(", "))))
}
