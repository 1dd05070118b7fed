//! Execution of a script on its own thread, while its caller's async task answers its calls of host functions.

use crate::{
    Host, Lines, Reply, ScriptError, ScriptErrorKind,
    gate::{self, Thread},
    lines::LineBuffer,
    machine,
    task::{Request, Script, Shared},
    watch::Watch,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Time for which a script is awaited after it was asked to stop; then its thread is abandoned.
const GRACE: Duration = Duration::from_secs(1);
/// Stack size of a script's thread, in bytes, in addition to the limit for the script.
const STACK: usize = 1024 * 1024;

/// The result of running a script, successful or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The return value, or the failure of the script.
    pub value: Result<Reply, ScriptError>,
    /// The lines that the script logged.
    pub logs: Lines,
    /// The lines that the script wrote with the function `output`.
    pub outputs: Lines,
    /// The resources that the script used.
    pub used: ResourceUsage,
}

/// The resources that a script used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// The number of calls of host functions.
    pub calls: usize,
    /// The number of calls of host functions that failed.
    pub failed: usize,
    /// The CPU time of the script.
    pub compute: Duration,
    /// The elapsed time, including the time for which the script waited.
    pub wall: Duration,
}

/// A guard that stops the script when the caller drops the future of [`run`].
struct Stops(Arc<Shared>);

impl Drop for Stops {
    fn drop(&mut self) {
        self.0.watch.stop(ScriptErrorKind::Cancelled);
        self.0.watch.cancel.cancel();
    }
}

/// Runs a script to its end, until it exceeds a limit, or until `cancel` is cancelled.
pub async fn run(script: Script, host: Arc<dyn Host>, cancel: CancellationToken) -> Outcome {
    let begin = Instant::now();
    let limits = script.limits.clone();
    let shared = Arc::new(Shared {
        watch: Watch::new(&limits, cancel.child_token()),
        logs: LineBuffer::new(limits.log),
        outputs: LineBuffer::new(limits.output),
        limits,
    });
    let stops = Stops(shared.clone());
    let mut used = ResourceUsage::default();
    let turn = tokio::select! {
        biased;
        turn = gate::turn() => Some(turn),
        () = shared.watch.over() => None,
    };
    let value = match turn {
        Some(Some(_turn)) => drive(script, &host, &shared, &mut used).await,
        Some(None) => Err(ScriptError::new(
            ScriptErrorKind::Busy,
            "the script was not started: earlier scripts did not stop and are still running; try again later",
        )),
        None => Err(shared.watch.fault(&shared.limits).unwrap_or_else(gave_up)),
    };
    let (logs, outputs) = (shared.logs.take(), shared.outputs.take());
    used.compute = shared.watch.used();
    used.wall = begin.elapsed();
    drop(stops);
    Outcome { value, logs, outputs, used }
}

/// Starts the thread of a script, and answers its calls of host functions until the script ends or must stop.
async fn drive(
    script: Script,
    host: &Arc<dyn Host>,
    shared: &Arc<Shared>,
    used: &mut ResourceUsage,
) -> Result<Reply, ScriptError> {
    let (ask, mut asked) = mpsc::unbounded_channel();
    let (end, mut ended) = oneshot::channel();
    let thread = Thread::default();
    let (own, inside) = (shared.clone(), thread.clone());
    let started = std::thread::Builder::new()
        .name("script".to_owned())
        .stack_size(shared.limits.stack + STACK)
        .spawn(move || {
            let value = machine::run(&script, &own, ask);
            let _ = end.send(value);
            inside.end();
        });
    if let Err(error) = started {
        return Err(ScriptError::new(
            ScriptErrorKind::Busy,
            format!("cannot start a thread for the script: {error}"),
        ));
    }
    loop {
        tokio::select! {
            biased;
            value = &mut ended => return value.unwrap_or_else(|_| Err(gave_up())),
            Some(request) = asked.recv() => answer(request, host, shared, used).await,
            () = shared.watch.over() => break,
        }
    }
    match tokio::time::timeout(GRACE, ended).await {
        Ok(Ok(value)) => value,
        Ok(Err(_)) => Err(gave_up()),
        Err(_) => {
            thread.leave();
            Err(shared.watch.fault(&shared.limits).unwrap_or_else(gave_up))
        }
    }
}

fn gave_up() -> ScriptError {
    ScriptError::new(ScriptErrorKind::Cancelled, "the script ended without a result")
}

/// Answers a batch of calls of host functions; the script chooses how many of them run at the same time. If it has made
/// too many calls, stops the script instead.
async fn answer(request: Request, host: &Arc<dyn Host>, shared: &Shared, used: &mut ResourceUsage) {
    let Request { calls, at_once, answers } = request;
    used.calls += calls.len();
    if used.calls > shared.limits.calls {
        used.calls = shared.limits.calls;
        shared.watch.stop(ScriptErrorKind::Calls);
        return;
    }
    let mut replies: Vec<Option<Result<Reply, String>>> = calls.iter().map(|_| None).collect();
    let mut waiting = calls.into_iter().enumerate();
    let cancel = shared.watch.cancel.child_token();
    let mut tasks = JoinSet::new();
    let settled = async {
        loop {
            while tasks.len() < at_once.max(1) {
                let Some((index, asked)) = waiting.next() else { break };
                let answering = host.answer(asked, cancel.clone());
                tasks.spawn(async move { (index, answering.await) });
            }
            match tasks.join_next().await {
                Some(Ok((index, reply))) => replies[index] = Some(reply),
                Some(Err(_)) => {}
                None => break,
            }
        }
    };
    let over = async {
        shared.watch.over().await;
        cancel.cancel();
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        biased;
        () = settled => {}
        () = over => {}
    }
    let lost = || Err("The call was cancelled.".to_owned());
    let replies: Vec<_> = replies.into_iter().map(|reply| reply.unwrap_or_else(lost)).collect();
    used.failed += replies.iter().filter(|reply| reply.is_err()).count();
    let _ = answers.send(replies);
}
