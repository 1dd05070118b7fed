//! Rounds of an investigation: first every kind of search, then links of the symbol index, until nothing new
//! appears or a limit is reached.

use super::{
    ledger::{By, GRAPH, Ledger},
    limits::{Ended, Limits, Spent, Written},
    terms::{self, Terms},
};
use crate::{
    call::CallCtx,
    code::{
        relations::{self, Relations, Which},
        symbols::{self, Symbols},
    },
    failure::{Failure, Hint, Kind},
    find::{
        glob::{self, Glob},
        walk::Walked,
    },
    operation::RunsOn,
    search::Searcher,
    search::{
        keyword::{self, From, Matching, Search, Tests},
        semantic::{self, Semantic},
    },
};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use toolpost_index::ranked::is_test;
use toolpost_workspace::WorkspacePath;

/// The maximum number of blocks of each search, their total size and the size of each, in bytes.
const BLOCKS: usize = 60;
const ROOM: usize = 512 * 1024;
const EACH: usize = 2_000;
/// The number of places that one round follows, and the number of best places among which open ones are
/// sought.
const FOLLOWED: usize = 6;
const SETTLED: usize = 10;
/// The maximum number of uses of one symbol that are read in each direction.
const USES: usize = 8;
/// The maximum number of terms that are searched one by one because no result contains them.
const DOUBTED: usize = 8;
/// The maximum number of files in a scope.
const FILES: usize = 50_000;

/// The question of an investigation.
#[derive(Debug, Clone)]
pub struct Question {
    /// The objective.
    pub objective: String,
    /// The directory to search.
    pub base: WorkspacePath,
    /// Patterns of the files that count; all files if it is empty.
    pub scope: Vec<String>,
    /// The limits.
    pub limits: Limits,
    /// The time limit; that of the call if not given.
    pub time: Option<Duration>,
    /// The audience of the report.
    pub written: Written,
}

impl Question {
    /// Asks about all files below a directory, with the default limits.
    #[must_use]
    pub fn of(objective: String, base: WorkspacePath) -> Self {
        Self {
            objective,
            base,
            scope: Vec::new(),
            limits: Limits::default(),
            time: None,
            written: Written::Data,
        }
    }
}

/// The state and the result of an investigation.
pub(crate) struct Looked {
    pub(crate) terms: Terms,
    pub(crate) ledger: Ledger,
    pub(crate) spent: Spent,
    pub(crate) ended: Ended,
    /// The terms that occur nowhere.
    pub(crate) missing: Vec<String>,
    /// Descriptions of unresolved leads and of parts that were not searched.
    pub(crate) gaps: Vec<String>,
    pub(crate) searched: usize,
    /// The only files that count, if a scope is given.
    pub(crate) only: Option<HashSet<String>>,
}

/// The reason why a step was not taken.
enum Stop {
    Calls,
    Time,
    Failed(Failure),
}

struct Round<'a> {
    search: &'a Searcher,
    cx: &'a CallCtx,
    question: &'a Question,
    looked: Looked,
}

/// Investigates a question; if a limit is reached, returns the results so far.
pub(crate) async fn investigate(
    search: &Searcher,
    question: &Question,
    cx: &CallCtx,
) -> Result<Looked, Failure> {
    let terms = terms::read(&question.objective);
    if terms.is_empty() {
        return Err(Failure::invalid("The objective has no word to look for.").hint(Hint::Advice(
            "Say in a sentence what is to be found out, with names or words that may stand in the code."
                .to_owned(),
        )));
    }
    let spent = Spent { limits: question.limits, turns: 0, calls: 0, began: Instant::now() };
    let looked = Looked {
        terms,
        ledger: Ledger::default(),
        spent,
        ended: Ended::Turns,
        missing: Vec::new(),
        gaps: Vec::new(),
        searched: 0,
        only: None,
    };
    let mut round = Round { search, cx, question, looked };
    while round.looked.spent.turns < question.limits.turns {
        round.looked.spent.turns += 1;
        let done = if round.looked.spent.turns == 1 { round.search().await } else { round.follow().await };
        round.narrow();
        match done {
            Ok(true) => {}
            Ok(false) => {
                round.looked.ended = Ended::Settled;
                break;
            }
            Err(Stop::Calls) => {
                round.looked.ended = Ended::Calls;
                break;
            }
            Err(Stop::Time) => {
                round.looked.ended = Ended::Time;
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

    /// The first round: by terms, by meaning, by names, by quoted texts; then the terms that none of them
    /// found.
    async fn search(&mut self) -> Result<bool, Stop> {
        self.scope().await?;
        let walk = Walked::default().of_one_root(self.search.files(), &self.question.base);
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
            let what =
                format!("{} files have no vectors yet; only their words were looked at", found.without);
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

    /// Searches for the terms that no result contains; if one occurs nowhere, for words with the same
    /// beginning.
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
            // `authentication` is often shortened to `auth`, and `configuration` to `config`.
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

    /// A later round: the users of the best places, and the symbols that they use; returns false if there was
    /// none to follow.
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
                which: Which::Named { path: place, said: path.clone(), name: name.clone() },
                relation: "usage".to_owned(),
                limit: USES,
                offset: 0,
                max_bytes: ROOM,
            };
            match self.step::<Relations>(request).await {
                Ok(found) => self.take(name, score.min(2.0), &found),
                // A block that is not a symbol of the index has no uses that the index knows.
                Err(Stop::Failed(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(!best.is_empty())
    }

    /// Adds the users of a symbol, and the symbols that it uses.
    fn take(&mut self, name: &str, score: f64, found: &relations::Output) {
        let weight = |sure: &str| match sure {
            "proved" => 1.0,
            "inferred" => 0.6,
            _ => 0.3,
        };
        let sides = [(&found.incoming, true), (&found.outgoing, false)];
        let uses =
            sides.iter().flat_map(|(side, incoming)| side.uses.iter().map(move |one| (one, *incoming)));
        for (one, incoming) in uses {
            let Some(symbol) = one.symbol.as_ref().filter(|symbol| symbol.qualified != name) else {
                continue;
            };
            let (first, last) = (u64::from(symbol.first_line), u64::from(symbol.last_line));
            let place = self.looked.ledger.place(&symbol.path, first, last, &symbol.kind, &symbol.qualified);
            place.extent.get_or_insert((first, last));
            if !place.by.graph {
                place.score += GRAPH * score * weight(&one.sure);
            }
            place.by = By { graph: true, ..place.by };
            let line = one.line.unwrap_or(first);
            if incoming {
                place.because(format!("uses {name} ({}, {})", one.usage, one.sure));
                place.show(&[line]);
            } else {
                place.because(format!(
                    "is used by {name} at {}:{line} ({}, {})",
                    one.path, one.usage, one.sure
                ));
                place.show(&[first]);
            }
        }
        let unresolved = found.incoming.unresolved;
        if unresolved > 0 {
            self.looked.gaps.push(format!(
                "{unresolved} places may or may not use {name} ({}:{})",
                found.symbol.path, found.symbol.line
            ));
        }
        let tests: Vec<String> =
            found.incoming.uses.iter().filter(|one| is_test(&one.path)).filter_map(at).collect();
        let users: Vec<String> =
            found.incoming.uses.iter().filter(|one| !is_test(&one.path)).filter_map(at).collect();
        let place = self.looked.ledger.place(
            &found.symbol.path,
            u64::from(found.symbol.first_line),
            u64::from(found.symbol.last_line),
            &found.symbol.kind,
            name,
        );
        (place.tests, place.users) = (tests, users);
        place.symbol = Some(found.symbol.id.clone());
        place.extent = Some((u64::from(found.symbol.first_line), u64::from(found.symbol.last_line)));
    }

    /// Finds the files in the scope.
    async fn scope(&mut self) -> Result<(), Stop> {
        let all = |pattern: &&String| ["**/*", "**", "*", "."].contains(&pattern.trim());
        if self.question.scope.is_empty() || self.question.scope.iter().any(|pattern| all(&pattern)) {
            return Ok(());
        }
        let mut only = HashSet::new();
        for pattern in &self.question.scope {
            let request = glob::Request {
                limit: FILES,
                ..glob::Request::of(self.question.base.clone(), pattern.trim().to_owned())
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

fn at(one: &relations::Use) -> Option<String> {
    Some(format!("{}:{}", one.path, one.line?))
}
