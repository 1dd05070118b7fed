//! Keyword queries: parsing, and repeated searches until the index matches the files on disk.

use super::{
    From, Matching, Output, Request,
    cursor::{Cursor, Place},
    left_out, lend, page,
};
use crate::{
    call::CallCtx,
    code::symbol_index::ready::Wait,
    failure::{Failure, Hint, Kind},
    search::Searcher,
};
use std::time::Instant;
use toolpost_index::ranked::{
    Ask, BadFilter, Found, Lent, Trouble, Unanswered, What,
    grammar::{self, Fault, Query},
};
use toolpost_workspace::AccessKind;

/// The maximum number of searches, if a file changes during one.
const AGAIN: usize = 4;

/// A parsed query.
pub(super) enum Question {
    Query(Query),
    Exact(String),
}

/// Parses the query.
pub(super) fn read(request: &Request) -> Result<Question, Failure> {
    match request.matching {
        Matching::Query => {
            grammar::parse(&request.query).map(Question::Query).map_err(|fault| faulty(request, &fault))
        }
        Matching::Exact if request.query.trim().is_empty() => {
            Err(Failure::invalid("The query is empty: give the text to look for."))
        }
        Matching::Exact => Ok(Question::Exact(request.query.clone())),
    }
}

/// The refusal of an invalid query: position, reason, and a suggestion.
fn faulty(request: &Request, fault: &Fault) -> Failure {
    let query = toolpost_text::cut::line(&request.query, 200).0;
    let what = format!("The query cannot be understood at character {}: {}.", fault.column, fault.what);
    let pointer = format!("{}^", " ".repeat(fault.column.saturating_sub(1).min(200)));
    let failure = Failure::invalid(what);
    let failure = if query.is_empty() || query.contains('\n') {
        failure
    } else {
        failure.found(format!("{query}\n{pointer}"))
    };
    let advice = match &fault.instead {
        Some(instead) => format!("Write it so: {instead}"),
        None => "Give at least one word, such as login; join words with AND, OR, NOT, and narrow with ext:, lang:, dir:, \
                 file: or type:."
            .to_owned(),
    };
    failure.hint(Hint::Advice(advice))
}

/// Searches, and assembles the answer.
pub(super) fn answer(
    search: &Searcher,
    request: &Request,
    question: &Question,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    exists(search, request)?;
    let wait = Wait::start(search.code().index_wait(), cx);
    let deadline = cx.deadline;
    let stop = || cx.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let asked = cursor_of(request, cx)?;
    let index = match search.package(&request.base) {
        Some(package) => package.index,
        None => search.words().covering(&request.base, &stop).map_err(|trouble| failed(cx, &trouble))?,
    };
    let shown = lend::shown(question);
    for _ in 0..AGAIN {
        let wanted = || lend::words(question);
        let (lent, look) = lend::lend(search, &index, &request.base, &wanted, (wait, cx), &stop)
            .map_err(|trouble| failed(cx, &trouble))?;
        let found = match hits(&lent, request, question, asked.as_ref(), cx) {
            Ok(found) => found,
            Err(Unanswered::Filter(bad)) => return Err(bad_filter(&bad)),
            Err(Unanswered::Wide(most)) => return Err(too_wide(question, most)),
            Err(Unanswered::Stale) => {
                index.doubt();
                continue;
            }
        };
        let Some(page) = page::make(search.files(), &room(request, &shown), &found.hits, cx)? else {
            index.doubt();
            continue;
        };
        let print = lent.print();
        let walk = left_out::words(&lent, (&request.base, look), found.withheld, search.files(), cx);
        drop(lent);
        return Ok(output(request, question, (found, page), asked, (print, walk), cx));
    }
    let what = format!("Files below {} changed each time they were read.", request.base.display());
    Err(Failure::new(Kind::Io, what).hint(Hint::TryAgain))
}

fn room<'w>(request: &Request, words: &'w [String]) -> page::Room<'w> {
    let Request { limit, tokens, max_bytes: bytes, .. } = *request;
    page::Room { limit, tokens, each: usize::MAX, bytes, words }
}

fn hits(
    lent: &Lent<'_>,
    request: &Request,
    question: &Question,
    asked: Option<&Cursor>,
    cx: &CallCtx,
) -> Result<Found, Unanswered> {
    let what = match question {
        Question::Query(query) => What::Query(&query.node),
        Question::Exact(text) => What::Exactly(text),
    };
    let after = match asked.map(|cursor| &cursor.place) {
        Some(Place::Behind(key)) => Some(key),
        Some(Place::End) | None => None,
    };
    let mut found = lent.search(&Ask {
        what,
        base: &request.base,
        tests: request.tests,
        may: &|path| cx.may_read(path),
        after,
    })?;
    if matches!(asked, Some(Cursor { place: Place::End, .. })) {
        found.hits.clear();
        found.before = found.total;
    }
    Ok(found)
}

/// The prefix of the session names that plans choose.
const PLAN: &str = "plan-";

fn output(
    request: &Request,
    question: &Question,
    (found, page): (Found, page::Page),
    asked: Option<Cursor>,
    (print, walk): (u64, crate::find::walk::Walked),
    cx: &CallCtx,
) -> Output {
    let place = page.last.clone().filter(|_| page.cut != super::Cut::No).map_or(Place::End, Place::Behind);
    let next = Cursor { question: Cursor::question(request), print, place };
    if let From::Named(name) = &request.from {
        cx.session.searched(&Cursor::key(name, request), next.to_string());
    }
    let (understood, mut notes) = match question {
        Question::Query(query) => (query.node.to_string(), query.notes.clone()),
        Question::Exact(text) => (text.clone(), Vec::new()),
    };
    if let From::Named(name) = &request.from
        && asked.is_none()
        && !name.starts_with(PLAN)
    {
        let name = toolpost_text::cut::line(name, 80).0;
        notes.push(format!("no earlier reply has the session {name}: these are the first results"));
    }
    Output {
        understood,
        total: found.total,
        before: found.before,
        files: found.files,
        tests: found.tests,
        tokens: page.tokens,
        cut: page.cut,
        next: (page.cut != super::Cut::No).then(|| next.to_string()),
        over: matches!(asked, Some(Cursor { place: Place::End, .. })),
        changed: asked.is_some_and(|asked| asked.print != print),
        searched: found.searched,
        notes,
        walk,
        blocks: page.blocks,
        all: request.tokens.is_none(),
        seen: page.seen,
    }
}

/// Finds the position at which the answer begins.
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
        Failure::invalid(format!("{} is no place to go on from.", toolpost_text::cut::line(&said, 80).0))
            .hint(Hint::Advice(
                "Leave it out to begin anew, or copy it whole from the reply before.".to_owned(),
            ))
    })?;
    if own && cursor.question != Cursor::question(request) {
        return Err(Failure::invalid("This place to go on from belongs to another question.").hint(
            Hint::Advice(
                "Give query, path, exact and allowTests as they were, or leave the place out to begin anew."
                    .to_owned(),
            ),
        ));
    }
    Ok(Some(cursor))
}

/// Fails if nothing exists at the path to search.
fn exists(search: &Searcher, request: &Request) -> Result<(), Failure> {
    let Err(error) = search.files().workspace().stat(&request.base) else { return Ok(()) };
    Err(match &error.why {
        AccessKind::Missing => {
            crate::files::lookup::missing(search.files(), &request.base, &request.base.display())
        }
        _ => crate::failure::convert::access(&request.base, error),
    })
}

/// The refusal of a query whose wildcards match almost everything.
fn too_wide(question: &Question, most: usize) -> Failure {
    let words = lend::words(question);
    let wild = |word: &&String| word.contains(['*', '?', '~']);
    let named: Vec<&str> = words.iter().filter(wild).map(String::as_str).collect();
    let what = match named.as_slice() {
        [] => "A word of the query whose letters may differ stands for".to_owned(),
        [one] => format!("{one} stands for"),
        all => format!("One of {} stands for", all.join(", ")),
    };
    Failure::invalid(format!("{what} more than {most} different words here, which tells too little.")).hint(
        Hint::Advice(
            "Give more letters of the word, such as *alloc* for *a*; or leave it out and look for the other words."
                .to_owned(),
        ),
    )
}

fn bad_filter(bad: &BadFilter) -> Failure {
    let failure = Failure::invalid(format!("A filter of the query cannot be used: {}.", bad.what));
    if bad.meant.is_empty() { failure } else { failure.hint(Hint::DidYouMean(bad.meant.clone())) }
}

/// The failure for an index that cannot be queried.
pub(crate) fn failed(cx: &CallCtx, trouble: &Trouble) -> Failure {
    match (cx.check(), trouble) {
        (Err(failure), Trouble::Stopped) => failure.hint(Hint::Advice(
            "Ask again: what was read by then is kept, so it goes on from there.".to_owned(),
        )),
        _ => Failure::new(Kind::Io, crate::failure::convert::sentence(&trouble.to_string())),
    }
}
