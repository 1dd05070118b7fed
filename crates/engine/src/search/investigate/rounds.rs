//! Rounds of an investigation, which answers a question about the code.
//!
//! The first round runs every kind of search; later rounds follow links of the symbol index until nothing
//! new appears or a limit is reached.

use super::{
    ledger::{GRAPH, Ledger, MatchSources},
    limits::{Consumption, EndReason, Limits, ReportFormat},
};
use crate::{
    call::CallCtx,
    code::{
        relations::{self, Certainty, Relation, Relations, SymbolRef},
        symbols::{self, Symbols},
    },
    failure::{Failure, Hint, Kind},
    find::{
        glob::{self, Glob},
        walk::WalkReport,
    },
    operation::RunsOn,
    search::Searcher,
    search::{
        keyword::{self, From, Matching, Search, Tests},
        parse::terms::{self, Terms},
        semantic::{self, Semantic},
    },
};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use toolpost_ranked::is_test;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The maximum number of blocks of code that each search returns.
const BLOCKS: usize = 60;
/// The maximum size of the answer of each operation, in bytes.
const ROOM: usize = 512 * 1024;
/// The maximum size of one block of a semantic search, in bytes.
const EACH: usize = 2_000;
/// The maximum number of locations whose uses one round follows.
const FOLLOWED: usize = 6;
/// The number of best locations from which a round selects those to follow.
const SETTLED: usize = 10;
/// The maximum number of uses of one symbol that are read in each direction, and of results for one name,
/// quoted text or word beginning.
const USES: usize = 8;
/// The maximum number of terms that are searched again, one by one, because no result contains them.
const DOUBTED: usize = 8;
/// The maximum number of files that one glob adds to the scope; further matches are ignored.
const FILES: usize = 50_000;
/// The time that all operations of an investigation together may wait for indexes, as a multiple of the wait
/// that one call may take.
const WAITS: u32 = 2;

/// The question of an investigation, with its scope and its limits.
#[derive(Debug, Clone)]
pub struct Request {
    /// The question, in natural language.
    pub objective: String,
    /// The directory to search.
    pub base: WorkspacePath,
    /// Globs of the files that count; if there are none, all files count.
    pub scope: Vec<String>,
    /// The limits for the number of rounds and of operations.
    pub limits: Limits,
    /// The time limit; `None` for the time limit of the call.
    pub time: Option<Duration>,
    /// The format of the report.
    pub written: ReportFormat,
}

impl Request {
    /// Creates a question about all files below a directory, with the default limits.
    #[must_use]
    pub fn of(objective: String, base: WorkspacePath) -> Self {
        Self {
            objective,
            base,
            scope: Vec::new(),
            limits: Limits::default(),
            time: None,
            written: ReportFormat::Data,
        }
    }
}

/// The state and the result of an investigation.
pub(crate) struct Investigation {
    pub(crate) terms: Terms,
    pub(crate) ledger: Ledger,
    pub(crate) spent: Consumption,
    pub(crate) ended: EndReason,
    /// The terms of the question that no searched file contains.
    pub(crate) missing: Vec<String>,
    /// Descriptions of what was not found, not searched or not resolved.
    pub(crate) gaps: Vec<String>,
    pub(crate) searched: usize,
    /// The paths of the files in the scope; `None` if the question has no scope.
    pub(crate) only: Option<HashSet<String>>,
}

/// The reason why an operation of a round has no result.
enum Stop {
    Calls,
    Time,
    Failed(Failure),
}

struct Round<'a> {
    search: &'a Searcher,
    cx: &'a CallCtx,
    question: &'a Request,
    looked: Investigation,
}

/// Investigates a question; if a limit is reached, returns the results so far.
pub(crate) async fn investigate(
    search: &Searcher,
    question: &Request,
    cx: &CallCtx,
) -> Result<Investigation, Failure> {
    let terms = terms::read(&question.objective);
    if terms.is_empty() {
        return Err(Failure::invalid("The objective has no word to search for.").hint(Hint::Advice(
            "Ask the question in a sentence, with names or words that may appear in the code.".to_owned(),
        )));
    }
    let spent = Consumption { limits: question.limits, turns: 0, calls: 0, began: Instant::now() };
    let looked = Investigation {
        terms,
        ledger: Ledger::default(),
        spent,
        ended: EndReason::Turns,
        missing: Vec::new(),
        gaps: Vec::new(),
        searched: 0,
        only: None,
    };
    let index_wait_end = Instant::now().checked_add(search.code().index_wait() * WAITS);
    let cx = &CallCtx { index_wait_end: cx.index_wait_end.or(index_wait_end), ..cx.clone() };
    let mut round = Round { search, cx, question, looked };
    while round.looked.spent.turns < question.limits.turns {
        round.looked.spent.turns += 1;
        let done = if round.looked.spent.turns == 1 { round.search().await } else { round.follow().await };
        round.narrow();
        match done {
            Ok(true) => {}
            Ok(false) => {
                round.looked.ended = EndReason::Settled;
                break;
            }
            Err(Stop::Calls) => {
                round.looked.ended = EndReason::Calls;
                break;
            }
            Err(Stop::Time) => {
                round.looked.ended = EndReason::Time;
                break;
            }
            Err(Stop::Failed(failure)) => return Err(failure),
        }
    }
    if cx.cancel.is_cancelled() {
        cx.check()?;
    }
    Ok(round.looked)
}

impl Round<'_> {
    async fn step<O: RunsOn<Searcher>>(&mut self, request: O::Request) -> Result<O::Output, Stop> {
        if self.cx.check().is_err() {
            return Err(Stop::Time);
        }
        if !self.looked.spent.take() {
            return Err(Stop::Calls);
        }
        O::run(O::capability(self.search), request, self.cx).await.map_err(|failure| match failure.kind {
            Kind::Timeout | Kind::Cancelled => Stop::Time,
            _ => Stop::Failed(failure),
        })
    }

    /// Runs the first round: searches by terms, meaning, names and quoted texts, then for terms that no result
    /// contains.
    async fn search(&mut self) -> Result<bool, Stop> {
        self.scope().await?;
        let walk = WalkReport::default().of_one_root(self.search.files(), &self.question.base);
        let roots = walk.unsearched_roots(None);
        self.looked.gaps.extend(roots.map(|roots| format!("not searched: {roots}")));
        let terms = self.looked.terms.clone();
        let query = terms.query();
        if !query.is_empty() {
            let found = self.step::<Search>(self.by_words(query, Matching::Query, BLOCKS)).await?;
            self.looked.searched = found.searched;
            let skipped = found.walk.skipped.iter().map(|line| format!("not searched: {line}"));
            self.looked.gaps.extend(skipped);
            self.looked.gaps.extend(found.walk.unfinished.clone());
            self.looked.ledger.words(&found, &terms.words, 1.0);
        }
        let request = semantic::Request {
            bases: vec![self.question.base.clone()],
            query: self.question.objective.clone(),
            limit: BLOCKS,
            tokens: ROOM as u64,
            each: EACH,
            max_bytes: ROOM,
        };
        let found = self.step::<Semantic>(request).await?;
        if found.without > 0 {
            let verb = if found.without == 1 { "has" } else { "have" };
            let what = format!(
                "{} {verb} no embeddings yet, so only the keyword search covers {}",
                counted(found.without as u64, "file"),
                if found.without == 1 { "it" } else { "them" }
            );
            self.looked.gaps.push(what);
        }
        self.looked.ledger.meaning(&found);
        for name in &terms.names {
            let request = symbols::Request {
                query: name.clone(),
                base: Some(self.question.base.clone()),
                kind: None,
                limit: USES,
                max_bytes: ROOM,
            };
            let found = self.step::<Symbols>(request).await?;
            self.looked.ledger.symbols(&found, name);
        }
        for phrase in &terms.phrases {
            let found = self.step::<Search>(self.by_words(phrase.clone(), Matching::Exact, USES)).await?;
            if found.total == 0 {
                self.looked.missing.push(phrase.clone());
            }
            self.looked.ledger.words(&found, std::slice::from_ref(&phrase.to_lowercase()), 1.0);
        }
        self.looked.ledger.paths(&terms.paths);
        self.doubts(&terms).await?;
        Ok(true)
    }

    /// Searches for each term that no result contains. If no file contains the term, searches for words with
    /// the same beginning.
    async fn doubts(&mut self, terms: &Terms) -> Result<(), Stop> {
        let held: HashSet<&String> =
            self.looked.ledger.places.iter().flat_map(|place| &place.holds).collect();
        let doubted: Vec<String> = terms.words.iter().filter(|word| !held.contains(word)).cloned().collect();
        for word in doubted.into_iter().take(DOUBTED) {
            let found = self.step::<Search>(self.by_words(word.clone(), Matching::Query, 1)).await?;
            if found.total > 0 {
                continue;
            }
            self.looked.missing.push(word.clone());
            // `authentication` is often shortened to `auth`, and `configuration` to `config`, so the first half of
            // the word is searched, but at least four letters.
            let begins: String = word.chars().take((word.chars().count() / 2).max(4)).collect();
            if begins.chars().count() < 4 || !begins.chars().all(char::is_alphanumeric) {
                continue;
            }
            let found =
                self.step::<Search>(self.by_words(format!("{begins}*"), Matching::Query, USES)).await?;
            if found.total > 0 {
                self.looked.gaps.push(format!(
                    "no file contains {word}; words that begin with {begins} were searched instead"
                ));
                self.looked.ledger.words(&found, &[format!("{begins}*")], 0.3);
            }
        }
        Ok(())
    }

    /// Runs a later round: finds the users of the best locations, and the symbols that these locations use. Returns
    /// false if no named location among the best is left to follow.
    async fn follow(&mut self) -> Result<bool, Stop> {
        let best: Vec<(String, String, f64)> = {
            let ranked = self.looked.ledger.ranked();
            let open =
                ranked.iter().take(SETTLED).filter(|(place, _)| !place.followed && !place.name.is_empty());
            open.take(FOLLOWED)
                .map(|(place, _)| (place.path.clone(), place.name.clone(), place.score))
                .collect()
        };
        for (path, name, score) in &best {
            let at =
                self.looked.ledger.places.iter().position(|place| place.path == *path && place.name == *name);
            if let Some(at) = at {
                self.looked.ledger.places[at].followed = true;
            }
            let Ok(place) = self.search.files().resolve_entry(path) else { continue };
            let request = relations::Request {
                which: SymbolRef::Named { path: place, raw_path: path.clone(), name: name.clone() },
                relation: Relation::Usage,
                limit: USES,
                offset: 0,
                max_bytes: ROOM,
            };
            match self.step::<Relations>(request).await {
                Ok(found) => self.take(name, score.min(2.0), &found),
                Err(Stop::Failed(failure)) => self.looked.gaps.extend(not_followed(name, &failure)),
                Err(stop) => return Err(stop),
            }
        }
        Ok(!best.is_empty())
    }

    /// Adds the users of a symbol, and the symbols that it uses, to the ledger of locations.
    fn take(&mut self, name: &str, score: f64, found: &relations::Output) {
        let weight = |sure: Certainty| match sure {
            Certainty::Proved => 1.0,
            Certainty::Inferred => 0.6,
            Certainty::Possible => 0.3,
        };
        let sides = [(&found.incoming, true), (&found.outgoing, false)];
        for (side, incoming) in sides {
            for uses in by_symbol(&side.uses, name) {
                let Some(symbol) = &uses[0].symbol else { continue };
                let place = self.looked.ledger.symbol(symbol);
                if !place.by.graph {
                    place.score += GRAPH * score * weight(uses[0].sure);
                }
                place.by = MatchSources { graph: true, ..place.by };
                place.because(reason(name, &uses, incoming));
                let own = u64::from(symbol.line);
                let lines = uses.iter().map(|one| one.line.unwrap_or(own));
                place.show(&if incoming { lines.collect() } else { vec![own] });
            }
        }
        let unresolved = found.incoming.unresolved;
        if unresolved > 0 {
            self.looked.gaps.push(format!(
                "{} may use {name} ({}:{})",
                counted(unresolved as u64, "more location"),
                found.symbol.path,
                found.symbol.line
            ));
        }
        let tests: Vec<String> =
            found.incoming.uses.iter().filter(|one| is_test(&one.path)).filter_map(at).collect();
        let users: Vec<String> =
            found.incoming.uses.iter().filter(|one| !is_test(&one.path)).filter_map(at).collect();
        let place = self
            .looked
            .ledger
            .symbol(&symbols::Symbol { qualified: name.to_owned(), ..found.symbol.clone() });
        (place.tests, place.users) = (tests, users);
        place.symbol = Some(found.symbol.id.clone());
    }

    /// Finds the files that the globs of the scope match, if the question has a scope.
    async fn scope(&mut self) -> Result<(), Stop> {
        let all = |pattern: &&String| ["**/*", "**", "*", "."].contains(&pattern.trim());
        if self.question.scope.is_empty() || self.question.scope.iter().any(|pattern| all(&pattern)) {
            return Ok(());
        }
        let mut only = HashSet::new();
        for pattern in &self.question.scope {
            let request = glob::Request {
                limit: Some(FILES),
                ..glob::Request::of(self.question.base.clone(), pattern.trim())
            };
            let found = self.step::<Glob>(request).await?;
            if found.total == 0 {
                self.looked.gaps.push(format!("no file matches the scope {pattern}"));
            }
            only.extend(found.matches.into_iter().map(|found| found.path));
        }
        self.looked.only = Some(only);
        Ok(())
    }

    fn narrow(&mut self) {
        if let Some(only) = &self.looked.only {
            self.looked.ledger.keep(|path| only.contains(path));
        }
    }

    fn by_words(&self, query: String, matching: Matching, limit: usize) -> keyword::Request {
        keyword::Request {
            base: self.question.base.clone(),
            query,
            matching,
            tests: Tests::Searched,
            limit,
            tokens: None,
            from: From::First,
            max_bytes: ROOM,
        }
    }
}

/// Returns the gap for a location whose uses cannot be listed; `None` if the location is not one symbol, because the
/// symbol index has no uses of other blocks.
fn not_followed(name: &str, failure: &Failure) -> Option<String> {
    if matches!(failure.kind, Kind::NoMatch | Kind::Ambiguous | Kind::WrongKind) {
        return None;
    }
    Some(format!("the uses of {name} were not followed: {}", failure.what.trim_end_matches('.')))
}

/// Groups uses by the other symbol, in order of first occurrence. Uses without one, and those of the symbol `name`
/// itself, are left out.
fn by_symbol<'u>(uses: &'u [relations::Use], name: &str) -> Vec<Vec<&'u relations::Use>> {
    let mut groups: Vec<Vec<&relations::Use>> = Vec::new();
    for one in uses {
        let Some(symbol) = one.symbol.as_ref().filter(|symbol| symbol.qualified != name) else { continue };
        let same = |group: &&mut Vec<&relations::Use>| {
            group[0].symbol.as_ref().is_some_and(|other| other.id == symbol.id)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Formats the uses of `name` by another symbol, or of another symbol by `name`, as the predicate of a sentence about
/// that symbol.
fn reason(name: &str, uses: &[&relations::Use], incoming: bool) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for one in uses {
        let kind = format!("{}, {}", one.usage.name(), one.sure.name());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let kinds = kinds.join("; ");
    if incoming {
        let times = if uses.len() == 1 { String::new() } else { format!(" {} times", uses.len()) };
        return format!("uses {name}{times} ({kinds})");
    }
    let first = at(uses[0]).unwrap_or_else(|| uses[0].path.clone());
    match uses.len() - 1 {
        0 => format!("is used by {name} at {first} ({kinds})"),
        more => {
            format!("is used by {name} at {first} and at {} ({kinds})", counted(more as u64, "more location"))
        }
    }
}

fn at(one: &relations::Use) -> Option<String> {
    Some(format!("{}:{}", one.path, one.line?))
}

#[cfg(test)]
mod tests {
    use super::not_followed;
    use crate::failure::{Failure, Kind};
    use toolpost_test_rows::each;

    #[test]
    fn only_blocks_that_are_not_symbols_leave_no_gap() {
        let gap = Some("the uses of Cart.total were not followed: It failed".to_owned());
        let rows = [
            (Kind::NoMatch, None),
            (Kind::Ambiguous, None),
            (Kind::WrongKind, None),
            (Kind::Io, gap.clone()),
            (Kind::Denied, gap.clone()),
            (Kind::NotFound, gap.clone()),
            (Kind::Internal, gap),
        ];
        each(rows, |(kind, wanted)| {
            assert_eq!(not_followed("Cart.total", &Failure::new(kind, "It failed.")), wanted, "{kind:?}");
        });
    }
}
