//! `batch`: several concurrent calls, each with a separate result.

use crate::{
    access::{Access, Touch},
    call::{
        CallCtx,
        nested::{CallGateway, Ended, InnerAnswer, InnerCall, May, Pictures},
    },
    failure::Failure,
    operation::Operation,
    plans::Plans,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// Maximum wait for calls that were asked to stop.
const GRACE: Duration = Duration::from_secs(1);

/// The `batch` operation.
pub struct Batch;

/// Calls, and the way to run them.
#[derive(Debug, Clone)]
pub struct Request {
    /// The calls, in order.
    pub calls: Vec<Asked>,
    /// Maximum number of calls that run at the same time; at least one does.
    pub max_parallel: usize,
    /// The effect of a failure on calls that have not started.
    pub on_failure: OnFailure,
    /// The order of the results.
    pub order: Order,
    /// Time limit for all calls, if it is less than the time limit of the batch call.
    pub time: Option<Duration>,
    /// Maximum size of all replies together, in bytes.
    pub reply_bytes: usize,
    /// Initial size of all replies together, in bytes: lower if replies become longer as parts of the
    /// answer.
    pub first_share: usize,
    /// Returns the number of bytes that a reply takes in the answer.
    pub weigh: fn(&str) -> usize,
    /// Returns whether a reply may have been truncated for lack of room.
    pub is_cut: fn(&str) -> bool,
}

/// One call of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the caller sent them, as text.
    pub arguments: String,
}

/// The effect of a failure on calls that have not started; running calls continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// No effect.
    GoOn,
    /// They are skipped.
    Stop,
}

/// The order of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The order of the request.
    Asked,
    /// The order of completion.
    Settled,
}

/// The results of the calls.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result of each call; there is one for every call.
    pub results: Vec<Settled>,
    /// The reason why calls were skipped or abandoned, if any were.
    pub stopped: Option<Stopped>,
    /// Total run time, in milliseconds.
    pub elapsed_ms: u64,
    /// Maximum number of calls that ran at the same time.
    pub max_parallel: usize,
    /// The effect of a failure on calls that had not started.
    pub on_failure: OnFailure,
    /// The order of the results.
    pub order: Order,
    /// Maximum size of all replies together, in bytes.
    #[serde(skip)]
    #[schemars(skip)]
    pub reply_bytes: usize,
}

/// The result of one call.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Settled {
    /// The index of the call in the batch, counted from 0.
    pub index: usize,
    /// The name of the tool, as the caller wrote it.
    pub tool: String,
    /// Its outcome.
    pub ended: Ended,
    /// The text of its reply, or the reason why there is none.
    pub words: String,
    /// Its run time, in milliseconds.
    pub elapsed_ms: u64,
}

/// The reason why the rest of a batch was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// A call failed, and the batch stops on failure.
    Failure,
    /// The time limit was reached.
    Time,
    /// The caller cancelled the batch.
    Caller,
}

impl Operation for Batch {
    const NAME: &'static str = "batch";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Calls];
    type Capability = Plans;
    type Request = Request;
    type Output = Output;

    /// Needs no permission itself: the rules judge each call by its accesses.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_plans: &Plans, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let gateway = Arc::clone(cx.gateway()?);
        let start = Instant::now();
        let cx = cx.within(request.time);
        let total = request.calls.len();
        let each = request.first_share / total.max(1);
        let queue = request.calls.iter().cloned().enumerate().map(|(at, asked)| (at, asked, each)).collect();
        let mut running = Running::new(Arc::clone(&gateway), &request, &cx, queue);
        while running.fill() {
            running.settle(&cx).await;
            cx.progress.tell(running.settled.len() as u64, &format!("of {total} calls"));
        }
        let stopped = running.stopped;
        let mut results = running.results(request.order);
        if stopped.is_none() {
            widened(&mut results, &request, &cx, &gateway).await;
        }
        Ok(Output {
            results,
            stopped,
            elapsed_ms: milliseconds(start),
            max_parallel: request.max_parallel.max(1),
            on_failure: request.on_failure,
            order: request.order,
            reply_bytes: request.reply_bytes,
        })
    }
}

/// Maximum run time, in milliseconds, of a call that is repeated if its reply was truncated and there is
/// room for more.
const QUICK: u64 = 2_000;
/// Maximum number of repetitions.
const ROUNDS: usize = 3;
/// The unused room is redistributed if it is at least the total divided by this number.
const WORTH: usize = 8;

/// Repeats the calls whose replies were truncated, each with a share of the room that the others left. This
/// function never truncates a reply: each reply explains how to get its rest, and counts as seen only what
/// it shows.
async fn widened(results: &mut [Settled], request: &Request, cx: &CallCtx, gateway: &Arc<dyn CallGateway>) {
    let is_cut = |settled: &Settled| {
        settled.ended == Ended::Done && settled.elapsed_ms <= QUICK && (request.is_cut)(&settled.words)
    };
    let mut cut: Vec<usize> =
        results.iter().filter(|settled| is_cut(settled)).map(|settled| settled.index).collect();
    for _ in 0..ROUNDS {
        let used: usize = results.iter().map(|settled| (request.weigh)(&settled.words)).sum();
        let spare = request.reply_bytes.saturating_sub(used);
        if cut.is_empty() || spare < request.reply_bytes / WORTH {
            return;
        }
        let more = spare / cut.len();
        let wanted = results.iter().filter(|settled| cut.contains(&settled.index));
        let queue = wanted.filter_map(|settled| {
            let weight = (request.weigh)(&settled.words).max(1);
            // The overhead of embedding the text in the answer takes the same share of the room.
            let room = (weight + more) as u128 * settled.words.len() as u128 / weight as u128;
            Some((settled.index, request.calls.get(settled.index)?.clone(), usize::try_from(room).ok()?))
        });
        let mut running = Running::new(Arc::clone(gateway), request, cx, queue.collect());
        running.on_failure = OnFailure::GoOn;
        while running.fill() {
            running.settle(cx).await;
        }
        let stopped = running.stopped.is_some();
        cut.clear();
        for again in running.settled {
            let Some(before) = results.iter_mut().find(|before| before.index == again.index) else {
                continue;
            };
            let has_grown = again.words.len() > before.words.len();
            if again.ended == Ended::Done && has_grown && !stopped {
                if is_cut(&again) {
                    cut.push(again.index);
                }
                *before = Settled { elapsed_ms: before.elapsed_ms + again.elapsed_ms, ..again };
            }
        }
    }
}

/// The note on a call that was still running when the time limit of all calls was reached.
const OVER: &str = "The time of all calls was up while this one ran, so it may not have found all.";

/// The running, waiting and finished calls.
struct Running {
    gateway: Arc<dyn CallGateway>,
    /// The index of each call, and the maximum size of its reply in bytes.
    queue: VecDeque<(usize, Asked, usize)>,
    /// The running calls: index, tool name and start time.
    open: Vec<(usize, String, Instant)>,
    tasks: JoinSet<(usize, InnerAnswer)>,
    settled: Vec<Settled>,
    max_parallel: usize,
    on_failure: OnFailure,
    due: Option<Instant>,
    cancel: CancellationToken,
    stopped: Option<Stopped>,
}

impl Running {
    fn new(
        gateway: Arc<dyn CallGateway>,
        request: &Request,
        cx: &CallCtx,
        queue: Vec<(usize, Asked, usize)>,
    ) -> Self {
        Self {
            gateway,
            queue: queue.into(),
            open: Vec::new(),
            tasks: JoinSet::new(),
            settled: Vec::new(),
            max_parallel: request.max_parallel.max(1),
            on_failure: request.on_failure,
            due: cx.deadline,
            cancel: cx.cancel.child_token(),
            stopped: None,
        }
    }

    /// Starts as many calls as may run; returns whether any is running.
    fn fill(&mut self) -> bool {
        while self.stopped.is_none() && self.open.len() < self.max_parallel {
            let Some((index, asked, reply_bytes)) = self.queue.pop_front() else { break };
            let (gateway, cancel) = (Arc::clone(&self.gateway), self.cancel.clone());
            self.open.push((index, asked.tool.clone(), Instant::now()));
            let due = self.due;
            let (tool, arguments) = (asked.tool, asked.arguments);
            let call =
                InnerCall { tool, arguments, reply_bytes, due, may: May::Read, pictures: Pictures::Named };
            self.tasks.spawn(async move { (index, gateway.call(call, cancel).await) });
        }
        !self.open.is_empty()
    }

    /// Waits for the next call to finish; at the time limit, asks the running calls to stop with their
    /// partial results.
    async fn settle(&mut self, cx: &CallCtx) {
        let time_up = async {
            match self.due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            biased;
            Some(answer) = self.tasks.join_next() => {
                self.take(answer);
                // The calls know the time limit themselves, and can stop at it before this function notices.
                if self.is_over() {
                    self.stopped = self.stopped.or(Some(Stopped::Time));
                    self.cancel.cancel();
                }
                return;
            }
            () = cx.cancel.cancelled() => Stopped::Caller,
            () = time_up => Stopped::Time,
        };
        self.stopped = Some(why);
        self.cancel.cancel();
        let rest = async {
            while let Some(answer) = self.tasks.join_next().await {
                self.take(answer);
            }
        };
        if tokio::time::timeout(GRACE, rest).await.is_err() {
            self.tasks.abort_all();
        }
        self.give_up();
    }

    fn take(&mut self, answer: Result<(usize, InnerAnswer), JoinError>) {
        let (index, answer) = match answer {
            Ok(answer) => answer,
            // The layers catch panics of a call; this one would be a bug of the gateway itself.
            Err(error) => match error.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => return,
            },
        };
        let Some(at) = self.open.iter().position(|(open, ..)| *open == index) else { return };
        let (_, tool, began) = self.open.swap_remove(at);
        let InnerAnswer { ended, words, pictures: _ } = answer;
        let words = match ended {
            Ended::Done if self.is_over() => format!("{OVER}\n{words}"),
            _ => words,
        };
        if ended != Ended::Done && self.on_failure == OnFailure::Stop && self.stopped.is_none() {
            self.stopped = Some(Stopped::Failure);
        }
        self.settled.push(Settled { index, tool, ended, words, elapsed_ms: milliseconds(began) });
    }

    /// Returns whether the time limit of all calls is reached.
    fn is_over(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// Records that the calls that did not stop in time have no result.
    fn give_up(&mut self) {
        for (index, tool, began) in std::mem::take(&mut self.open) {
            let elapsed_ms = milliseconds(began);
            let words = format!(
                "It was given up after {elapsed_ms} ms; nothing came of it. Ask for less, or give it more time."
            );
            self.settled.push(Settled { index, tool, ended: Ended::GivenUp, words, elapsed_ms });
        }
    }

    fn results(self, order: Order) -> Vec<Settled> {
        let why = match self.stopped {
            Some(Stopped::Failure) => "Not begun: a call before it failed.",
            Some(Stopped::Time) => "Not begun: the time was up.",
            Some(Stopped::Caller) | None => "Not begun: the caller gave up.",
        };
        let mut results = self.settled;
        let skipped = self.queue.into_iter().map(|(index, asked, _)| Settled {
            index,
            tool: asked.tool,
            ended: Ended::Skipped,
            words: why.to_owned(),
            elapsed_ms: 0,
        });
        results.extend(skipped);
        if order == Order::Asked {
            results.sort_by_key(|settled| settled.index);
        }
        results
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
