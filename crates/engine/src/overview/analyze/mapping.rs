//! Map and reduce over code with a model: one prompt for each chunk, several at once, then one summary.

use super::Mapped;
use super::depth::Depth;
use crate::{
    agents::{
        Agents, Prompt,
        guide::{self, Cited, Citing, Dropped, Quotes},
    },
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    overview::Overview,
    search::{
        investigate::{guided, terms},
        keyword::{self, Block, From, Matching, Search, Tests},
    },
    session::Session,
};
use std::{fmt::Write, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// The size of a chunk of code in bytes: about fifteen thousand tokens.
const CHUNK: usize = 60_000;
/// The maximum number of chunks in progress at once.
const AT_ONCE: usize = 4;
/// The time limit for the answers to all chunks together. If the call has a deadline, they get only the share
/// `SHARE` of the time left, capped at this limit before the share is taken.
const PATIENCE: Duration = Duration::from_secs(240);
const SHARE: f64 = 0.75;
/// The maximum size of the claims in the prompt of the summary, in bytes.
const CLAIMS: usize = 60_000;
/// The maximum number of dropped claims in the reply.
const TOLD: usize = 10;

/// Queries a model about the code, chunk by chunk.
pub(crate) async fn mapped(
    overview: &Overview,
    agents: &Arc<dyn Agents>,
    (question, base, depth): (&str, &WorkspacePath, Depth),
    cx: &CallCtx,
) -> Result<Mapped, Failure> {
    let (chunks, blocks, left_out) = chunks(overview, (question, base, depth), cx).await?;
    let mut mapped = Mapped { chunks: chunks.len(), blocks, left_out, ..Mapped::default() };
    // Dropped with this call, however it ends, so that no query stays open.
    let stop = cx.cancel.child_token();
    let _ends = stop.clone().drop_guard();
    let answers = answers(agents, question, &chunks, &stop, cx).await;
    cancelled(cx)?;
    let (mut kept, mut dropped): (Vec<Cited>, Vec<Dropped>) = (Vec::new(), Vec::new());
    for (at, answer) in answers.into_iter().enumerate() {
        match answer.and_then(|words| understood(&words)) {
            Ok(claims) => {
                let citing = Citing { evidence: Vec::new(), only: None, quotes: Quotes::Wanted };
                let (own, wrong) = guide::check(overview.files(), claims, citing, cx).await?;
                kept.extend(own);
                dropped.extend(wrong);
            }
            Err(why) => {
                mapped.failed.push(format!(
                    "chunk {} of {} ({}): {why}",
                    at + 1,
                    chunks.len(),
                    chunks[at].what
                ));
            }
        }
    }
    mapped.dropped = dropped.len();
    dropped.truncate(TOLD);
    mapped.dropped_claims = dropped;
    mapped.claims = kept.iter().map(guided::finding).collect();
    if !mapped.claims.is_empty() {
        match summary(agents, question, &mapped, &stop, cx).await {
            Ok(words) => mapped.summary = Some(words),
            Err(why) => mapped.unsummed = Some(why),
        }
        cancelled(cx)?;
    }
    Ok(mapped)
}

/// A chunk of code for one prompt.
struct Chunk {
    text: String,
    /// Its origin.
    what: String,
}

/// Searches for everything that contains a term of the question, and fills chunks with whole blocks, the best
/// first; also returns the number of blocks in them, and the number left out.
async fn chunks(
    overview: &Overview,
    (question, base, depth): (&str, &WorkspacePath, Depth),
    cx: &CallCtx,
) -> Result<(Vec<Chunk>, usize, usize), Failure> {
    let request = keyword::Request {
        base: base.clone(),
        query: terms::query(question),
        matching: Matching::Query,
        tests: Tests::Searched,
        limit: usize::MAX,
        tokens: None,
        from: From::First,
        max_bytes: depth.chunks() * CHUNK,
    };
    let found = Search::run(overview.search(), request, cx).await?;
    let mut packed: Vec<(Vec<&Block>, String)> = Vec::new();
    let mut left_out = found.total.saturating_sub(found.blocks.len());
    for block in &found.blocks {
        let text = written(block);
        let open = packed.len() < depth.chunks();
        match packed.last_mut() {
            Some((blocks, own)) if own.len() + text.len() <= CHUNK => {
                blocks.push(block);
                own.push_str(&text);
            }
            _ if open => packed.push((vec![block], text)),
            _ => left_out += 1,
        }
    }
    let blocks = packed.iter().map(|(blocks, _)| blocks.len()).sum();
    let chunk = |(blocks, text): (Vec<&Block>, String)| Chunk { what: what(&blocks), text };
    Ok((packed.into_iter().map(chunk).collect(), blocks, left_out))
}

fn written(block: &Block) -> String {
    let mut text = format!(
        "\n== {}:{}-{} {} {}\n",
        block.path, block.first_line, block.last_line, block.kind, block.name
    );
    for line in block.lines.iter() {
        let _ = writeln!(text, "{}| {}", line.number, line.text);
    }
    text
}

/// Describes the origin of a chunk.
fn what(blocks: &[&Block]) -> String {
    let count = counted(blocks.len() as u64, "block");
    let place = |block: &&Block| format!("{}:{}-{}", block.path, block.first_line, block.last_line);
    match blocks {
        [] => count,
        [one] => place(one),
        [first, .., last] => format!("{count}, from {} to {}", place(first), place(last)),
    }
}

/// Queries the model about each chunk, several at once; the answers are in the order of the chunks.
async fn answers(
    agents: &Arc<dyn Agents>,
    question: &str,
    chunks: &[Chunk],
    stop: &CancellationToken,
    cx: &CallCtx,
) -> Vec<Result<String, String>> {
    let time = cx.deadline.map_or(PATIENCE, |_| cx.time_left(PATIENCE).mul_f64(SHARE));
    let (permits, due) = (Arc::new(Semaphore::new(AT_ONCE)), tokio::time::Instant::now() + time);
    let mut running = JoinSet::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let prompt = Prompt {
            instruction: format!("Question about code: {}\n\n{MAP}", question.trim()),
            data: chunk.text.clone(),
            schema: None,
        };
        let (agents, stop, permits) = (agents.clone(), stop.child_token(), permits.clone());
        let session = cx.session.clone();
        running.spawn(async move {
            let _turn = permits.acquire_owned().await;
            (at, ask(&agents, prompt, &session, &stop, due).await)
        });
    }
    let mut answers: Vec<Result<String, String>> =
        chunks.iter().map(|_| Err("the model was not asked".to_owned())).collect();
    let mut done = 0;
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok((at, answer)) => answers[at] = answer,
            Err(error) => {
                if let Ok(payload) = error.try_into_panic() {
                    std::panic::resume_unwind(payload);
                }
            }
        }
        done += 1;
        cx.progress.tell(done, &format!("of {} chunks", chunks.len()));
    }
    answers
}

/// Sends one prompt, and waits until the time limit.
async fn ask(
    agents: &Arc<dyn Agents>,
    prompt: Prompt,
    session: &Session,
    stop: &CancellationToken,
    due: tokio::time::Instant,
) -> Result<String, String> {
    let answered = tokio::select! {
        biased;
        answered = agents.ask(prompt, session, stop.clone()) => answered,
        () = stop.cancelled() => return Err("it was given up".to_owned()),
        () = tokio::time::sleep_until(due) => return Err("no answer came in time".to_owned()),
    };
    answered.map_err(|failure| failure.what.trim_end_matches('.').to_owned())
}

/// The prompt for a chunk.
const MAP: &str = "The data is a part of the code, each line behind its number. Say what this part shows of the answer, in lines of \
    this form and nothing else:\n\
    CLAIM one sentence\n\
    CITE path/of/file.py:12-14 | words of these lines, copied exactly without their numbers\n\n\
    Below each CLAIM stands at least one CITE. Every citation is compared with the files; a claim is dropped where one of its \
    citations does not hold. Where this part shows nothing of the answer, say NOTHING.";

/// Parses the claims of an answer.
fn understood(words: &str) -> Result<Vec<guide::Claim>, String> {
    let said = guide::read(words);
    if said.claims.is_empty() && !said.nothing {
        return Err(
            "the answer has no claim in the form that was asked for, and does not say that there is none"
                .to_owned(),
        );
    }
    Ok(said.claims)
}

/// The prompt for the summary.
const REDUCE: &str = "The data are numbered claims about the code, each with the places that show it, from parts that were read one by \
    one. Answer the question from these claims alone: join what belongs together, count or list or group where the question asks \
    for that, and say where they contradict one another or do not reach. Behind each sentence name the claims that it stands on, \
    as [C1].";

/// Requests one answer from the claims of all chunks.
async fn summary(
    agents: &Arc<dyn Agents>,
    question: &str,
    mapped: &Mapped,
    stop: &CancellationToken,
    cx: &CallCtx,
) -> Result<String, String> {
    let mut data = String::new();
    for (at, claim) in mapped.claims.iter().enumerate() {
        let line = format!("C{} {} [{}]\n", at + 1, claim.claim, claim.evidence.join(", "));
        if data.len() + line.len() > CLAIMS {
            let _ = writeln!(data, "and {} more claims that there was no room for", mapped.claims.len() - at);
            break;
        }
        data.push_str(&line);
    }
    let instruction = format!("Question about code: {}\n\n{REDUCE}", question.trim());
    let due = tokio::time::Instant::now() + cx.time_left(PATIENCE);
    let words = ask(agents, Prompt { instruction, data, schema: None }, &cx.session, stop, due).await?;
    let words = words.trim().to_owned();
    if words.is_empty() { Err("its answer was empty".to_owned()) } else { Ok(words) }
}

fn cancelled(cx: &CallCtx) -> Result<(), Failure> {
    if cx.cancel.is_cancelled() { Err(guide::cancelled()) } else { Ok(()) }
}
