//! The `batch` operation: runs several calls at the same time, each with its own result.

use crate::{
    access::{Access, Touch},
    call::{
        CallCtx,
        nested::{CallGateway, CallOutcome, InnerAnswer, InnerCall, NestedCallPermissions, Pictures},
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

/// Maximum wait for the calls of a batch to return after they were cancelled.
const GRACE: Duration = Duration::from_secs(1);

/// The `batch` operation, which runs several tool calls.
pub struct Batch;

/// The calls of a batch, and how to run them.
#[derive(Debug, Clone)]
pub struct Request {
    /// The calls to run, in the order in which they start.
    pub calls: Vec<BatchCall>,
    /// Maximum number of calls that run at the same time; 0 means 1.
    pub max_parallel: usize,
    /// The effect of a failed call on calls that have not started.
    pub on_failure: OnFailure,
    /// The order of the results in the reply.
    pub order: Order,
    /// Time limit for all calls together, if it is shorter than the time limit of the batch call.
    pub time: Option<Duration>,
    /// Maximum size of all replies together, in bytes.
    pub reply_bytes: usize,
    /// Maximum size of all replies together in the first run of the calls, in bytes; then calls whose replies were
    /// truncated are repeated. Lower than `reply_bytes` if replies become longer when they are embedded in the reply of
    /// the batch.
    pub first_share: usize,
    /// The function that returns how many bytes a call's reply takes in the reply of the batch.
    pub reply_size: fn(&str) -> usize,
    /// The function that returns true if a call's reply may have been truncated at its size limit.
    pub is_cut: fn(&str) -> bool,
}

/// One call of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the caller sent them, as text.
    pub arguments: String,
}

/// The effect of a failure on calls that have not started; running calls continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The remaining calls start as usual.
    GoOn,
    /// The remaining calls are skipped.
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

/// The results of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One result for every call of the batch.
    pub results: Vec<BatchCallResult>,
    /// The reason why calls were skipped or abandoned, or returned only after the time limit; `None` if there are no such
    /// calls.
    pub stopped: Option<BatchStopReason>,
    /// Run time of the batch, in milliseconds.
    pub elapsed_ms: u64,
    /// Maximum number of calls that could run at the same time.
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
pub struct BatchCallResult {
    /// The index of the call in the batch, counted from 0.
    pub index: usize,
    /// The name of the tool, as the caller wrote it.
    pub tool: String,
    /// The outcome of the call.
    pub ended: CallOutcome,
    /// The text of the reply, or the reason why there is none.
    pub words: String,
    /// Run time of the call, in milliseconds.
    pub elapsed_ms: u64,
}

/// The reason why a batch stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchStopReason {
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

    /// A batch itself needs no permission: the rules check the accesses of each of its calls.
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
        let mut running = BatchRun::new(Arc::clone(&gateway), &request, &cx, queue);
        while running.fill() {
            running.settle(&cx).await;
            cx.progress.tell(running.settled.len() as u64, &format!("running {total} calls"));
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

/// A call with a truncated reply is repeated only if it ran for at most this many milliseconds.
const QUICK: u64 = 2_000;
/// Maximum number of times that a call is repeated because its reply was truncated.
const ROUNDS: usize = 3;
/// Calls with truncated replies are repeated only if at least `1 / WORTH` of the size limit is unused.
const WORTH: usize = 8;

/// Repeats the calls whose replies were truncated, each with a share of the unused bytes. This function never
/// truncates a reply itself, because the tool's own truncation says how to get the rest, and records what was shown.
async fn widened(
    results: &mut [BatchCallResult],
    request: &Request,
    cx: &CallCtx,
    gateway: &Arc<dyn CallGateway>,
) {
    let is_cut = |settled: &BatchCallResult| {
        settled.ended == CallOutcome::Done && settled.elapsed_ms <= QUICK && (request.is_cut)(&settled.words)
    };
    let mut cut: Vec<usize> =
        results.iter().filter(|settled| is_cut(settled)).map(|settled| settled.index).collect();
    for _ in 0..ROUNDS {
        let used: usize = results.iter().map(|settled| (request.reply_size)(&settled.words)).sum();
        let spare = request.reply_bytes.saturating_sub(used);
        if cut.is_empty() || spare < request.reply_bytes / WORTH {
            return;
        }
        let more = spare / cut.len();
        let wanted = results.iter().filter(|settled| cut.contains(&settled.index));
        let queue = wanted.filter_map(|settled| {
            let weight = (request.reply_size)(&settled.words).max(1);
            // `weight` is the size of this reply once it is embedded in the reply of the batch. `room` limits the reply
            // before that, so the bytes are scaled down by the ratio of the two sizes.
            let room = (weight + more) as u128 * settled.words.len() as u128 / weight as u128;
            Some((settled.index, request.calls.get(settled.index)?.clone(), usize::try_from(room).ok()?))
        });
        let mut running = BatchRun::new(Arc::clone(gateway), request, cx, queue.collect());
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
            if again.ended == CallOutcome::Done && has_grown && !stopped {
                if is_cut(&again) {
                    cut.push(again.index);
                }
                *before = BatchCallResult { elapsed_ms: before.elapsed_ms + again.elapsed_ms, ..again };
            }
        }
    }
}

/// The note on a call that was still running when the time limit of the batch was reached.
const OVER: &str = "The time limit of the batch was reached during this call, so results may be missing.";

/// The waiting, running and finished calls of a batch.
struct BatchRun {
    gateway: Arc<dyn CallGateway>,
    /// The calls that have not started: index, call, and maximum size of the reply in bytes.
    queue: VecDeque<(usize, BatchCall, usize)>,
    /// The running calls: index, tool name and start time.
    open: Vec<(usize, String, Instant)>,
    tasks: JoinSet<(usize, InnerAnswer)>,
    settled: Vec<BatchCallResult>,
    max_parallel: usize,
    on_failure: OnFailure,
    due: Option<Instant>,
    cancel: CancellationToken,
    stopped: Option<BatchStopReason>,
}

impl BatchRun {
    fn new(
        gateway: Arc<dyn CallGateway>,
        request: &Request,
        cx: &CallCtx,
        queue: Vec<(usize, BatchCall, usize)>,
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

    /// Starts waiting calls up to the limit on parallel calls; returns true if any call is running.
    fn fill(&mut self) -> bool {
        while self.stopped.is_none() && self.open.len() < self.max_parallel {
            let Some((index, asked, reply_bytes)) = self.queue.pop_front() else { break };
            let (gateway, cancel) = (Arc::clone(&self.gateway), self.cancel.clone());
            self.open.push((index, asked.tool.clone(), Instant::now()));
            let due = self.due;
            let (tool, arguments) = (asked.tool, asked.arguments);
            let call = InnerCall {
                tool,
                arguments,
                reply_bytes,
                due,
                may: NestedCallPermissions::Read,
                pictures: Pictures::Named,
            };
            self.tasks.spawn(async move { (index, gateway.call(call, cancel).await) });
        }
        !self.open.is_empty()
    }

    /// Waits for the next call to finish. At the time limit, cancels the running calls and takes the partial
    /// results that they return within `GRACE`.
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
                // The calls have the same time limit as the batch, and can return before the timer of this function
                // fires, so the limit is checked here too.
                if self.is_over() {
                    self.stopped = self.stopped.or(Some(BatchStopReason::Time));
                    self.cancel.cancel();
                }
                return;
            }
            () = cx.cancel.cancelled() => BatchStopReason::Caller,
            () = time_up => BatchStopReason::Time,
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
            // The layers of the runtime catch panics of a call, so a panic here is a bug in the gateway itself.
            Err(error) => match error.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => return,
            },
        };
        let Some(at) = self.open.iter().position(|(open, ..)| *open == index) else { return };
        let (_, tool, began) = self.open.swap_remove(at);
        let InnerAnswer { ended, words, pictures: _ } = answer;
        let words = match ended {
            CallOutcome::Done if self.is_over() => format!("{OVER}\n{words}"),
            _ => words,
        };
        // A failure after the last call has started skips no call.
        let skips = self.on_failure == OnFailure::Stop && !self.queue.is_empty();
        if ended != CallOutcome::Done && skips && self.stopped.is_none() {
            self.stopped = Some(BatchStopReason::Failure);
        }
        self.settled.push(BatchCallResult { index, tool, ended, words, elapsed_ms: milliseconds(began) });
    }

    /// Returns true if the time limit of the batch is reached.
    fn is_over(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// Records calls that did not return within `GRACE` as calls without a result.
    fn give_up(&mut self) {
        for (index, tool, began) in std::mem::take(&mut self.open) {
            let elapsed_ms = milliseconds(began);
            let words = format!(
                "The call was stopped after {elapsed_ms} ms without a result. Narrow the call, or allow more time."
            );
            self.settled.push(BatchCallResult {
                index,
                tool,
                ended: CallOutcome::GivenUp,
                words,
                elapsed_ms,
            });
        }
    }

    fn results(self, order: Order) -> Vec<BatchCallResult> {
        let why = match self.stopped {
            Some(BatchStopReason::Failure) => "This call was not started, because an earlier call failed.",
            Some(BatchStopReason::Time) => "This call was not started, because the time limit was reached.",
            Some(BatchStopReason::Caller) | None => {
                "This call was not started, because the caller cancelled the batch."
            }
        };
        let mut results = self.settled;
        let skipped = self.queue.into_iter().map(|(index, asked, _)| BatchCallResult {
            index,
            tool: asked.tool,
            ended: CallOutcome::Skipped,
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
