//! Keyword search: the hits of a parsed query, from the position at which the answer begins.

use super::{
    From, Output, Request,
    cursor::{Cursor, Place},
};
use crate::{
    call::CallCtx,
    code::symbol_index::ready::Wait,
    failure::{Failure, Hint},
    search::{
        Searcher, page,
        parse::ParsedQuery,
        retrieve::{self, Attempt, omissions},
    },
};
use toolpost_ranked::{BadFilter, IndexGuard, SearchCriterion, SearchError, SearchRequest, SearchResult};

/// Runs a keyword search, and assembles the blocks that fit into the answer.
pub(super) fn answer(
    search: &Searcher,
    request: &Request,
    query: &ParsedQuery,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    retrieve::exists(search, &request.base)?;
    let wait = Wait::start(search.code().index_wait(), cx);
    let cursor = cursor_of(request, cx)?;
    let index = match search.package(&request.base) {
        Some(package) => package.index,
        None => search
            .words()
            .covering(&request.base, &|| cx.check().is_err())
            .map_err(|trouble| retrieve::failed(cx, &trouble))?,
    };
    let shown = query.display_terms();
    let files = || format!("Files below {}", request.base.display());
    retrieve::until_unchanged(&files, || {
        let (guard, look) = retrieve::lock(search, &index, &request.base, &|| query.terms(), (wait, cx))
            .map_err(|trouble| retrieve::failed(cx, &trouble))?;
        let found = match hits(&guard, request, query, cursor.as_ref(), cx) {
            Ok(found) => found,
            Err(SearchError::Filter(bad)) => return Err(bad_filter(&bad)),
            Err(SearchError::Wide(most)) => return Err(too_wide(query, most)),
            Err(SearchError::Stale) => {
                index.doubt();
                return Ok(Attempt::Changed);
            }
            Err(SearchError::Damaged) => {
                index.doubt();
                return Ok(Attempt::Damaged);
            }
        };
        let Some(page) = page::make(search.files(), &limits(request, &shown), &found.hits, cx)? else {
            index.doubt();
            return Ok(Attempt::Changed);
        };
        let print = guard.print();
        let mut walk = omissions::describe(&guard, (&request.base, look), search.files(), cx);
        omissions::add_withheld(&mut walk, found.withheld);
        drop(guard);
        Ok(Attempt::Found(output(request, query, (found, page), cursor.clone(), (print, walk), cx)))
    })
}

fn limits<'w>(request: &Request, words: &'w [String]) -> page::PageLimits<'w> {
    let Request { limit, tokens, max_bytes: bytes, .. } = *request;
    page::PageLimits { limit, tokens, each: usize::MAX, bytes, words }
}

fn hits(
    guard: &IndexGuard<'_>,
    request: &Request,
    query: &ParsedQuery,
    cursor: Option<&Cursor>,
    cx: &CallCtx,
) -> Result<SearchResult, SearchError> {
    let what = match query {
        ParsedQuery::Grammar(query) => SearchCriterion::Query(&query.node),
        ParsedQuery::Exact(text) => SearchCriterion::Exactly(text),
    };
    let after = match cursor.map(|cursor| &cursor.place) {
        Some(Place::Behind(key)) => Some(key),
        Some(Place::End) | None => None,
    };
    let mut found = guard.search(&SearchRequest {
        what,
        base: &request.base,
        tests: request.tests,
        may: &|path| cx.may_read(path),
        after,
    })?;
    if matches!(cursor, Some(Cursor { place: Place::End, .. })) {
        found.hits.clear();
        found.before = found.total;
    }
    Ok(found)
}

/// The prefix of the session names that Toolpost generates for scripts.
const PLAN: &str = "plan-";

fn output(
    request: &Request,
    query: &ParsedQuery,
    (found, page): (SearchResult, page::Page),
    cursor: Option<Cursor>,
    (print, walk): (u64, crate::find::walk::WalkReport),
    cx: &CallCtx,
) -> Output {
    let place =
        page.last.clone().filter(|_| page.cut != super::Truncation::No).map_or(Place::End, Place::Behind);
    let next = Cursor { question: Cursor::question(request), print, place };
    if let From::Named(name) = &request.from {
        cx.session.searched(&Cursor::key(name, request), next.to_string());
    }
    let (understood, mut notes) = match query {
        ParsedQuery::Grammar(query) => (query.node.to_string(), query.notes.clone()),
        ParsedQuery::Exact(text) => (text.clone(), Vec::new()),
    };
    if let From::Named(name) = &request.from
        && cursor.is_none()
        && !name.starts_with(PLAN)
    {
        let name = toolpost_text::cut::line(name, 80).0;
        notes.push(format!("no earlier reply has the session {name}, so these are the first results"));
    }
    Output {
        understood,
        total: found.total,
        before: found.before,
        files: found.files,
        tests: found.tests,
        tokens: page.tokens,
        cut: page.cut,
        next: (page.cut != super::Truncation::No).then(|| next.to_string()),
        over: matches!(cursor, Some(Cursor { place: Place::End, .. })),
        changed: cursor.is_some_and(|cursor| cursor.print != print),
        searched: found.searched,
        notes,
        walk,
        blocks: page.blocks,
        all: request.tokens.is_none(),
        seen: page.seen,
    }
}

/// Returns the cursor at which the answer begins; `None` if it begins at the best match. Fails if the cursor is invalid
/// or belongs to another query.
fn cursor_of(request: &Request, cx: &CallCtx) -> Result<Option<Cursor>, Failure> {
    let (said, own) = match &request.from {
        From::First => return Ok(None),
        From::Cursor(said) => (said.clone(), true),
        From::Named(name) => match cx.session.last_search(&Cursor::key(name, request)) {
            Some(said) => (said, false),
            None => return Ok(None),
        },
    };
    let cursor = Cursor::read(&said).ok_or_else(|| {
        Failure::invalid(format!(
            "{} is not the session of an earlier reply.",
            toolpost_text::cut::line(&said, 80).0
        ))
        .hint(Hint::Advice(
            "Leave out the argument session to start again, or copy its value completely from the last reply."
                .to_owned(),
        ))
    })?;
    if own && cursor.question != Cursor::question(request) {
        return Err(Failure::invalid("The session belongs to a reply to another query.").hint(Hint::Advice(
            "Pass query, path, exact and allowTests unchanged, or leave out the argument session to start again."
                .to_owned(),
        )));
    }
    Ok(Some(cursor))
}

/// Creates the failure for a query with a wildcard or fuzzy word that matches more than `most` different words.
fn too_wide(query: &ParsedQuery, most: usize) -> Failure {
    let words = query.terms();
    let wild = |word: &&String| word.contains(['*', '?', '~']);
    let named: Vec<&str> = words.iter().filter(wild).map(String::as_str).collect();
    let what = match named.as_slice() {
        [] => "A wildcard or fuzzy word of the query matches".to_owned(),
        [one] => format!("{one} matches"),
        all => format!("One of {} matches", all.join(", ")),
    };
    Failure::invalid(format!(
        "{what} more than {most} different words in the searched files, which is too many."
    ))
    .hint(Hint::Advice(
        "Use more letters, for example *alloc* instead of *a*, or search only for the other words."
            .to_owned(),
    ))
}

fn bad_filter(bad: &BadFilter) -> Failure {
    let failure = Failure::invalid(format!("A filter of the query cannot be used: {}.", bad.what));
    if bad.suggestions.is_empty() { failure } else { failure.hint(Hint::DidYouMean(bad.suggestions.clone())) }
}
