//! Reports on investigations: claims with their locations, gaps, and the grounds for the claims.

use super::{Finding, FindingKind, Meta, Output, Whose};
use super::{
    ledger::Place,
    limits::EndReason,
    rounds::{Investigation, Request},
};
use std::{collections::HashMap, time::Instant};
use toolpost_text::{duplicates::remove_duplicates, plural::counted};

/// The maximum number of findings in a report.
const FINDINGS: usize = 20;
/// The maximum number of findings in one file.
const OF_ONE: usize = 2;
/// The number of best findings that the grounds are about.
const BEST: usize = 5;
/// The maximum number of gaps that a report lists, without the reached limit and the gaps of a model.
const GAPS: usize = 20;
/// The maximum number of recommendations in a report.
const RECOMMENDED: usize = 3;

pub(crate) fn report(question: &Request, looked: Investigation) -> Output {
    let ranked = looked.ledger.ranked();
    let mut chosen: Vec<(&Place, f64)> = Vec::new();
    let mut of_file: HashMap<&str, usize> = HashMap::new();
    for (place, score) in &ranked {
        let own = of_file.entry(&place.path).or_default();
        if *own < OF_ONE && chosen.len() < FINDINGS {
            *own += 1;
            chosen.push((place, *score));
        }
    }
    let grounds = grounds(&looked, &chosen);
    let findings = chosen.iter().map(|(place, score)| finding(place, *score)).collect();
    let recommended = chosen.iter().filter_map(|(place, score)| recommended(place, *score)).take(RECOMMENDED);
    Output {
        objective: question.objective.clone(),
        written: question.written,
        recommended: recommended.collect(),
        findings,
        gaps: gaps(question, &looked),
        grounds,
        meta: Meta {
            turns: looked.spent.turns,
            max_turns: question.limits.turns,
            calls: looked.spent.calls,
            max_calls: question.limits.calls,
            elapsed_ms: milliseconds(looked.spent.began),
            keywords: keywords(&looked.terms.names, &looked.terms.words),
            ended: looked.ended,
            searched: looked.searched,
            began: looked.spent.began,
        },
        guide: None,
    }
}

/// Lists the names in the objective, then its other words. The words include the names in lower case, which are left
/// out.
fn keywords(names: &[String], words: &[String]) -> Vec<String> {
    let is_name = |word: &&String| names.iter().any(|name| name.to_lowercase() == **word);
    names.iter().chain(words.iter().filter(|word| !is_name(word))).cloned().collect()
}

fn finding(place: &Place, score: f64) -> Finding {
    let (first_line, last_line) = place.lines();
    let mut lines = if place.evidence.is_empty() { vec![first_line] } else { place.evidence.clone() };
    lines.sort_unstable();
    Finding {
        claim: format!("{} {}.", place.shown(), place.reasons()),
        evidence: lines.into_iter().map(|line| format!("{}:{line}", place.path)).collect(),
        path: place.path.clone(),
        first_line,
        last_line,
        name: place.name.clone(),
        kind: FindingKind::Block(place.kind),
        score: rounded(score),
        by: Whose::Search,
    }
}

/// Creates the recommendation for a symbol with known uses: the locations to check if the symbol changes.
fn recommended(place: &Place, score: f64) -> Option<Finding> {
    let mut parts = Vec::new();
    if !place.users.is_empty() {
        parts.push(counted(place.users.len() as u64, "use"));
    }
    if !place.tests.is_empty() {
        parts.push(counted(place.tests.len() as u64, "use") + " in tests");
    }
    if parts.is_empty() {
        return None;
    }
    let first = place.named.unwrap_or(place.first);
    let evidence = std::iter::once(format!("{}:{first}", place.path));
    let claim = format!("If you change {}, check its {}.", place.shown(), parts.join(" and "));
    let evidence = evidence.chain(place.users.iter().chain(&place.tests).cloned()).collect();
    Some(Finding { claim, evidence, ..finding(place, score) })
}

fn gaps(question: &Request, looked: &Investigation) -> Vec<String> {
    let ledger = &looked.ledger;
    let mut gaps: Vec<String> = Vec::new();
    for word in &looked.missing {
        gaps.push(format!("no searched file contains {word}"));
    }
    if ledger.places.is_empty() {
        gaps.push(format!("nothing was found in {}", counted(looked.searched as u64, "file")));
    }
    let mut rest = looked.gaps.clone();
    remove_duplicates(&mut rest);
    gaps.append(&mut rest);
    let (turns, calls) = (looked.spent.limits.turns, looked.spent.limits.calls);
    // If a model guides the investigation, the limits of the search are only a share of the requested limits, so the
    // gap says which limits it means.
    let whose = if looked.spent.limits == question.limits { "" } else { " of the search" };
    let limit = match looked.ended {
        EndReason::Settled => None,
        EndReason::Turns => Some(format!("all {turns} turns{whose} were used")),
        EndReason::Calls => Some(format!("all {calls} tool calls{whose} were used")),
        EndReason::Time => Some("the time limit was reached".to_owned()),
    };
    let more = gaps.len().saturating_sub(GAPS);
    gaps.truncate(GAPS);
    if more > 0 {
        gaps.push(counted(more as u64, "more gap"));
    }
    if let Some(limit) = limit {
        let open = ledger.ranked().into_iter().take(10).filter(|(place, _)| !place.followed).count();
        gaps.push(match open {
            0 => limit,
            open => {
                let places = counted(open as u64, "good location");
                format!("{limit}, so the uses of {places} were not followed")
            }
        });
    }
    gaps
}

/// Returns the evidence for the findings as a whole, one clause each. It has no confidence score, because nothing
/// measures how many such findings are right.
fn grounds(looked: &Investigation, chosen: &[(&Place, f64)]) -> Vec<String> {
    let best: Vec<&Place> = chosen.iter().take(BEST).map(|(place, _)| *place).collect();
    if best.is_empty() {
        return vec!["nothing was found".to_owned()];
    }
    let words = &looked.terms.words;
    let held = words.iter().filter(|word| best.iter().any(|place| place.holds.contains(word))).count();
    let agreed = best.iter().filter(|place| place.by.name || (place.by.words && place.by.meaning)).count();
    let linked = best.iter().filter(|place| place.by.graph).count();
    let mut grounds = vec![
        format!(
            "words of the objective that occur in the best {}: {held} of {}",
            counted(best.len() as u64, "location"),
            words.len()
        ),
        format!("locations found by name, or by both keywords and meaning: {agreed}"),
        format!("locations found by following uses: {linked}"),
    ];
    if !best.iter().any(|place| place.by.name || place.is_named(words)) {
        grounds.push(
            "no location has a name from the objective, so the right one may be further down the list"
                .to_owned(),
        );
    }
    if looked.spent.turns <= 1 && looked.ended != EndReason::Settled {
        grounds.push("no uses were followed, because a limit was reached first".to_owned());
    }
    grounds
}

/// Returns the time since `began` in milliseconds.
pub(super) fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
