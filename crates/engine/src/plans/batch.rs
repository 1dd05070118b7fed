//! `batch`: several calls at once, each settled by itself.

use crate::{
    access::{Access, Touch},
    call::{
        CallCtx,
        nested::{Ended, FrontDoor, InnerAnswer, InnerCall, May, Pictures},
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

/// How long calls that were told to stop are waited for.
const GRACE: Duration = Duration::from_secs(1);

/// Makes several calls at once.
pub struct Batch;

/// Which calls, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The calls, in order.
    pub calls: Vec<Asked>,
    /// How many may run at the same time; at least one does.
    pub max_parallel: usize,
    /// What a failure means for those that have not begun.
    pub on_failure: OnFailure,
    /// In which order the results stand.
    pub order: Order,
    /// How long all of it may take, where that is less than the call's own time.
    pub time: Option<Duration>,
    /// How many bytes all replies together may have.
    pub reply_bytes: usize,
    /// How many bytes the replies have together at first: less, where they become longer as parts of the answer.
    pub first_share: usize,
    /// Tells how many bytes a reply takes in the answer.
    pub weigh: fn(&str) -> usize,
    /// Tells whether a reply may have been cut for want of room.
    pub is_cut: fn(&str) -> bool,
}

/// One call of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The name of the tool.
    pub tool: String,
    /// The arguments as they were sent, as text.
    pub arguments: String,
}

/// What a failure means for the calls that have not begun; those that run go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Nothing.
    GoOn,
    /// They are skipped.
    Stop,
}

/// In which order results stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As the calls were asked for.
    Asked,
    /// As they were settled.
    Settled,
}

/// What came of the calls.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What came of each call; there is one for every call.
    pub results: Vec<Settled>,
    /// Why calls were skipped or given up, if any were.
    pub stopped: Option<Stopped>,
    /// How long all of it took, in milliseconds.
    pub elapsed_ms: u64,
    /// How many calls were allowed to run at the same time.
    pub max_parallel: usize,
    /// What a failure meant for those that had not begun.
    pub on_failure: OnFailure,
    /// In which order the results stand.
    pub order: Order,
    /// How many bytes all replies together may have.
    #[serde(skip)]
    #[schemars(skip)]
    pub reply_bytes: usize,
}

/// What came of one call.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Settled {
    /// Which call of the batch, counted from 0.
    pub index: usize,
    /// The name of the tool, as it was said.
    pub tool: String,
    /// How it ended.
    pub ended: Ended,
    /// The words of its reply, or why there is none.
    pub words: String,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Why the rest of a batch was not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// A call failed, and that was to be the end.
    Failure,
    /// The time was up.
    Time,
    /// The caller gave up.
    Caller,
}

impl Operation for Batch {
    const NAME: &'static str = "batch";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Calls];
    type Capability = Plans;
    type Request = Request;
    type Output = Output;

    /// Touches nothing itself: each call is judged by what it touches.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_plans: &Plans, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let door = Arc::clone(cx.door()?);
        let start = Instant::now();
        let cx = cx.within(request.time);
        let total = request.calls.len();
        let each = request.first_share / total.max(1);
        let queue = request.calls.iter().cloned().enumerate().map(|(at, asked)| (at, asked, each)).collect();
        let mut running = Running::new(Arc::clone(&door), &request, &cx, queue);
        while running.fill() {
            running.settle(&cx).await;
            cx.progress.tell(running.settled.len() as u64, &format!("of {total} calls"));
        }
        let stopped = running.stopped;
        let mut results = running.results(request.order);
        if stopped.is_none() {
            widened(&mut results, &request, &cx, &door).await;
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

/// A call that took no longer is made again where its reply was cut and there is room for more.
const QUICK: u64 = 2_000;
/// How often calls are made again at most.
const ROUNDS: usize = 3;
/// What is left of the room is shared once more if it is at least such a part of it.
const WORTH: usize = 8;

/// Makes the calls again whose replies were cut, with a part each of the room that the others left. No reply is ever cut here: it
/// says itself how to get the rest, and counts as seen what it shows.
async fn widened(results: &mut [Settled], request: &Request, cx: &CallCtx, door: &Arc<dyn FrontDoor>) {
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
            // What is added when the words become a part of the answer takes the same part of the room.
            let room = (weight + more) as u128 * settled.words.len() as u128 / weight as u128;
            Some((settled.index, request.calls.get(settled.index)?.clone(), usize::try_from(room).ok()?))
        });
        let mut running = Running::new(Arc::clone(door), request, cx, queue.collect());
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

/// What is said of a call that was still running when the time of all calls was up.
const OVER: &str = "The time of all calls was up while this one ran, so it may not have found all.";

/// The calls that run, those that wait, and those that are settled.
struct Running {
    door: Arc<dyn FrontDoor>,
    /// Which call, and how many bytes its reply may have.
    queue: VecDeque<(usize, Asked, usize)>,
    /// Those that run: which, under what name, since when.
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
        door: Arc<dyn FrontDoor>,
        request: &Request,
        cx: &CallCtx,
        queue: Vec<(usize, Asked, usize)>,
    ) -> Self {
        Self {
            door,
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

    /// Begins as many calls as may run; tells whether any does.
    fn fill(&mut self) -> bool {
        while self.stopped.is_none() && self.open.len() < self.max_parallel {
            let Some((index, asked, reply_bytes)) = self.queue.pop_front() else { break };
            let (door, cancel) = (Arc::clone(&self.door), self.cancel.clone());
            self.open.push((index, asked.tool.clone(), Instant::now()));
            let due = self.due;
            let (tool, arguments) = (asked.tool, asked.arguments);
            let call =
                InnerCall { tool, arguments, reply_bytes, due, may: May::Read, pictures: Pictures::Named };
            self.tasks.spawn(async move { (index, door.call(call, cancel).await) });
        }
        !self.open.is_empty()
    }

    /// Waits for the next call to settle; when the time is up, those that run are told to stop with what they have.
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
                // The calls know the time themselves, and may end by it before it is noticed here.
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
            // The layers catch what a call does; this would be a mistake of the door itself.
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

    /// Says whether the time of all calls is up.
    fn is_over(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// Says of the calls that did not stop in time that nothing came of them.
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
