//! Map-reduce over code with a model: one prompt for each chunk, several at the same time, then one summary.

use super::Mapped;
use super::structure::Depth;
use crate::{
    agents::{
        Agents, Prompt,
        guide::{self, CitationRules, CitedClaim, DroppedClaim, Quotes},
    },
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    overview::Overview,
    search::{
        investigate::guided,
        keyword::{self, Block, From, Matching, Search, Tests},
        parse::terms,
    },
    session::Session,
};
use std::{fmt::Write, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The maximum size of a chunk of code in bytes: about 15,000 tokens.
const CHUNK: usize = 60_000;
/// The maximum number of prompts in progress at the same time.
const AT_ONCE: usize = 4;
/// The time limit for the answers to all chunks together. If the call has a deadline, the limit is `SHARE`
/// times the smaller of this limit and the time left.
const PATIENCE: Duration = Duration::from_secs(240);
const SHARE: f64 = 0.75;
/// The maximum size of the claims in the prompt of the summary, in bytes.
const CLAIMS: usize = 60_000;
/// The maximum number of claims with a missing or wrong citation in the reply.
const TOLD: usize = 10;

/// Asks a model the question about each chunk of code, compares the citations in its claims with the files, and asks
/// for a summary of the claims.
pub(crate) async fn mapped(
    overview: &Overview,
    agents: &Arc<dyn Agents>,
    (question, base, depth): (&str, &WorkspacePath, Depth),
    cx: &CallCtx,
) -> Result<Mapped, Failure> {
    let (chunks, blocks, left_out) = chunks(overview, (question, base, depth), cx).await?;
    let mut mapped = Mapped { chunks: chunks.len(), blocks, left_out, ..Mapped::default() };
    // Cancels open prompts when this function returns or its future is dropped.
    let stop = cx.cancel.child_token();
    let _ends = stop.clone().drop_guard();
    let answers = answers(agents, question, &chunks, &stop, cx).await;
    cancelled(cx)?;
    let (mut kept, mut dropped): (Vec<CitedClaim>, Vec<DroppedClaim>) = (Vec::new(), Vec::new());
    for (at, answer) in answers.into_iter().enumerate() {
        match answer.and_then(|words| understood(&words)) {
            Ok(claims) => {
                let citing = CitationRules { evidence: Vec::new(), only: None, quotes: Quotes::Wanted };
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
    /// The locations of the code, for messages.
    what: String,
}

/// Searches for blocks of code that contain a term of the question, and packs them into chunks, the best
/// match first. Also returns the number of blocks in the chunks, and the number of blocks left out.
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

/// Describes where the code of a chunk is: file and lines.
fn what(blocks: &[&Block]) -> String {
    let count = counted(blocks.len() as u64, "block");
    let place = |block: &&Block| format!("{}:{}-{}", block.path, block.first_line, block.last_line);
    match blocks {
        [] => count,
        [one] => place(one),
        [first, .., last] => format!("{count}, from {} to {}", place(first), place(last)),
    }
}

/// Asks the model about each chunk of code, several at the same time; the answers are in the order of the chunks.
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
    let (mut done, progress) = (0, cx.progress.stage());
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
        progress.tell(done, &format!("{done} of {} chunks", chunks.len()));
    }
    answers
}

/// Sends one prompt to a model, and waits for the answer until the time `due`.
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
        () = stop.cancelled() => return Err("the call was cancelled".to_owned()),
        () = tokio::time::sleep_until(due) => return Err("the time limit was reached".to_owned()),
    };
    answered.map_err(|failure| failure.what.trim_end_matches('.').to_owned())
}

/// The instruction in the prompt about one chunk of code.
const MAP: &str = "The data is a part of the code; each line follows its number. Report what this part shows of the \
                   answer, in lines of this form and nothing else:\n\
    CLAIM one sentence\n\
    CITE path/of/file.py:12-14 | words of these lines, copied exactly without their numbers\n\nPut at least one \
    CITE below each CLAIM. Every citation is compared with the files; a claim is dropped if one of its citations is \
    wrong. If this part shows nothing of the answer, say NOTHING.";

/// Parses the claims in a model's answer about a chunk of code; fails if the answer has neither a claim nor the word
/// NOTHING.
fn understood(words: &str) -> Result<Vec<guide::Claim>, String> {
    let said = guide::read(words);
    if said.claims.is_empty() && !said.nothing {
        return Err(
            "the model's answer has no claim in the required form, and is not the word NOTHING".to_owned()
        );
    }
    Ok(said.claims)
}

/// The instruction in the prompt that asks for the summary of all claims.
const REDUCE: &str = "The data are numbered claims about the code, each with the locations that show it, from parts \
                      that were read one by one. Answer the question from these claims alone: combine related \
                      claims, count, list or group them if the question asks for it, and say where they contradict \
                      one another or are not enough. After each sentence name the claims that support it, as [C1].";

/// Asks the model for one answer to the question, from the claims about all chunks of code.
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
            let _ = writeln!(
                data,
                "and {}, for which this prompt had no room",
                counted((mapped.claims.len() - at) as u64, "more claim")
            );
            break;
        }
        data.push_str(&line);
    }
    let instruction = format!("Question about code: {}\n\n{REDUCE}", question.trim());
    let due = tokio::time::Instant::now() + cx.time_left(PATIENCE);
    let words = ask(agents, Prompt { instruction, data, schema: None }, &cx.session, stop, due).await?;
    let words = words.trim().to_owned();
    if words.is_empty() { Err("the model's answer was empty".to_owned()) } else { Ok(words) }
}

fn cancelled(cx: &CallCtx) -> Result<(), Failure> {
    if cx.cancel.is_cancelled() { Err(guide::cancelled()) } else { Ok(()) }
}
