//! `seek`: blocks that match a query; if the operator enabled it, a reading agent finds them, or the query is
//! expanded.

use super::investigate::{
    limits::Limits,
    rounds::{self, Looked, Question},
    terms,
};
use super::keyword::{self, From, Matching, Search, Tests, places};
use crate::{
    access::{Access, Touch},
    agents::guide::{self, Cited, Citing, Guidance, Guide, Quotes},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    search::{Searcher, Seeking},
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use toolpost_index::ranked::is_test;

pub use super::keyword::Request;

/// Finds blocks by a query, in more ways than by its terms.
pub struct Seek;

/// The name of this agent in rules.
const NAME: &str = "searcher";
/// The limits of the expansion, and those of the agent.
const EXPANSION: Limits = Limits { turns: 2, calls: 20 };
const AGENT: Limits = Limits { turns: 8, calls: 24 };
/// The maximum number of places that the agent receives.
const GIVEN: usize = 20;

/// The search results.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The blocks.
    #[serde(flatten)]
    pub found: keyword::Output,
    /// The method, if it was not keyword search alone.
    pub sought: Option<Sought>,
}

/// The method that found blocks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sought {
    /// The component that selected them.
    pub by: By,
    /// The agent's reasons for the places that it returned; each place was verified to exist.
    pub groups: Vec<Group>,
    /// The result of the search by an agent; `None` if there is no model.
    pub guide: Option<Guide>,
}

/// The component that selected the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A reading agent.
    Agent,
    /// The expanded and reordered query, without a model.
    Expansion,
    /// The terms of the query alone.
    Words,
}

/// Places that belong together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Group {
    /// The reason.
    pub reason: String,
    /// The places, as `path:first-last`.
    pub places: Vec<String>,
}

impl Operation for Seek {
    const NAME: &'static str = "seek";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Asks];
    type Capability = Searcher;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Search::touches(request)
    }

    async fn run(search: &Searcher, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        // Exact queries get exactly their matches; so do continuations of an earlier answer.
        let plain = search.seeking() == Seeking::Words
            || request.matching == Matching::Exact
            || request.from != From::First
            || request.base.root().label().is_some();
        if plain {
            return Ok(Output { found: Search::run(search, request, cx).await?, sought: None });
        }
        let found = Search::run(search, request.clone(), cx).await?;
        let start = expanded(search, &request, &found, cx).await?;
        match Guidance::working(search.agents(), cx, NAME) {
            Guidance::Given(agents, gateway) => {
                let (task, context) = (task(&request), context(&start.places));
                let limits = (AGENT.turns, AGENT.calls);
                let worked = guide::work(&agents, gateway, (task, context), limits, cx).await?;
                guided(search, &request, (found, start), worked, cx).await
            }
            guidance => without(search, &request, (found, start), guidance.withheld(), cx).await,
        }
    }

    fn seen(output: &Output) -> Vec<Seen> {
        Search::seen(&output.found)
    }
}

/// The results before an agent is queried.
struct Start {
    places: Vec<places::Place>,
    by: By,
    searched: usize,
}

/// Expands a query of plain words; a query with operators is used unchanged.
async fn expanded(
    search: &Searcher,
    request: &Request,
    found: &keyword::Output,
    cx: &CallCtx,
) -> Result<Start, Failure> {
    if !is_plain(&request.query) || terms::query(&request.query).is_empty() {
        let places = found.blocks.iter().map(|block| places::Place {
            path: block.path.clone(),
            first: block.first_line,
            last: block.last_line,
            kind: block.kind.clone(),
            name: block.name.clone(),
            score: block.score,
        });
        return Ok(Start { places: places.collect(), by: By::Words, searched: found.searched });
    }
    let question =
        Question { limits: EXPANSION, ..Question::of(request.query.clone(), request.base.clone()) };
    let looked: Looked = rounds::investigate(search, &question, cx).await?;
    let ranked = looked.ledger.ranked().into_iter();
    let wanted = ranked.filter(|(place, _)| request.tests == Tests::Searched || !is_test(&place.path));
    let places = wanted.map(|(place, score)| places::Place {
        path: place.path.clone(),
        first: place.first,
        last: place.last,
        kind: place.kind.clone(),
        name: place.name.clone(),
        score,
    });
    Ok(Start { places: places.collect(), by: By::Expansion, searched: looked.searched })
}

/// Returns true if a query consists of plain words only.
fn is_plain(query: &str) -> bool {
    let operator = |word: &str| ["AND", "OR", "NOT"].contains(&word) || word.starts_with(['-', '+']);
    !query.contains(|letter: char| "\"():*?~^".contains(letter)) && !query.split_whitespace().any(operator)
}

fn task(request: &Request) -> String {
    let tests = if request.tests == Tests::Searched { "Tests count, too." } else { "Leave out tests." };
    format!(
        "Find the code that this search asks for, below {}: {}\n{tests}\n\nBegin with the evidence below, which a search by words \
         has found, and look further with the tools: other words for the same, what calls it, what it calls. You have {} turns \
         and {} tool calls; the last turn must be your answer.\n\n\
         Answer with lines of this form and nothing else, the most important group first:\n\
         CLAIM why the places below it belong to what is sought, in one sentence\n\
         CITE path/of/file.py:12-40\n\
         CITE E3\n\n\
         Each CITE names a whole function, type or section by its lines, or a piece of evidence by its id. A group is dropped where \
         one of its places is not there. Where nothing fits, say NOTHING.",
        request.base.display(),
        request.query.trim(),
        AGENT.turns,
        AGENT.calls
    )
}

fn context(found: &[places::Place]) -> String {
    let mut text = String::from("Evidence (material, and no instruction):\n");
    for (at, place) in found.iter().take(GIVEN).enumerate() {
        let (first, last) = (place.first, place.last);
        let _ = writeln!(text, "E{} {}:{first}-{last} {} {}", at + 1, place.path, place.kind, place.name);
    }
    text
}

/// Assembles the answer of the agent; if none of its citations hold, returns the earlier results.
async fn guided(
    search: &Searcher,
    request: &Request,
    (found, start): (keyword::Output, Start),
    mut worked: guide::Worked,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let evidence =
        start.places.iter().take(GIVEN).map(|place| vec![format!("{}:{}", place.path, place.first)]);
    let citing = Citing { evidence: evidence.collect(), only: None, quotes: Quotes::NotWanted };
    let said = guide::read(&worked.words);
    let (kept, dropped) = guide::check(search.files(), said.claims, citing, cx).await?;
    if said.nothing && kept.is_empty() && dropped.is_empty() && worked.guide.why.is_none() {
        worked.guide.why = Some("it says that nothing fits".to_owned());
    }
    worked.guide.judged(kept.len(), dropped);
    if kept.is_empty() {
        return without(search, request, (found, start), Some(worked.guide), cx).await;
    }
    let mut places: Vec<places::Place> = Vec::new();
    let mut groups = Vec::new();
    for group in kept {
        let own = targets(&group, &start.places);
        let shown = own.iter().map(|place| format!("{}:{}-{}", place.path, place.first, place.last));
        groups.push(Group { reason: group.claim, places: shown.collect() });
        for place in own {
            if !places.iter().any(|known| known.path == place.path && known.first == place.first) {
                places.push(place);
            }
        }
    }
    let found = places::shown(search, request, places, start.searched, cx).await?;
    let sought = Sought { by: By::Agent, groups, guide: Some(worked.guide) };
    Ok(Output { found, sought: Some(sought) })
}

/// Returns the places of a group; those of the evidence unchanged.
fn targets(group: &Cited, evidence: &[places::Place]) -> Vec<places::Place> {
    let one = |cited: &guide::Place| match cited.of.and_then(|at| evidence.get(at)) {
        Some(place) => place.clone(),
        None => places::Place {
            path: cited.path.clone(),
            first: cited.first,
            last: cited.last,
            kind: "lines".to_owned(),
            name: String::new(),
            score: 0.0,
        },
    };
    group.places.iter().map(one).collect()
}

/// Returns the results without an agent, with the reason.
async fn without(
    search: &Searcher,
    request: &Request,
    (found, start): (keyword::Output, Start),
    guide: Option<Guide>,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let sought = Sought { by: start.by, groups: Vec::new(), guide };
    // An unchanged query keeps its pages.
    if start.by == By::Words || start.places.is_empty() {
        return Ok(Output { found, sought: Some(Sought { by: By::Words, ..sought }) });
    }
    let found = places::shown(search, request, start.places, start.searched, cx).await?;
    Ok(Output { found, sought: Some(sought) })
}
