//! Execution of a script on its own thread, with its calls answered by the caller.

use crate::{
    Fault, Host, Lines, Reply, Why,
    gate::{self, Thread},
    lines::Keeper,
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

/// Time limit for a script, or one of its calls, to stop on request.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of a script's thread in addition to the script's own limit.
const STACK: usize = 1024 * 1024;

/// The outcome of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The return value, or the reason for its failure.
    pub value: Result<Reply, Fault>,
    /// The log.
    pub logs: Lines,
    /// The output.
    pub outputs: Lines,
    /// The used resources.
    pub used: ResourceUsage,
}

/// The resources that a script used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Calls to the host.
    pub calls: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// CPU time.
    pub compute: Duration,
    /// Total time.
    pub wall: Duration,
}

/// Stops the script when the caller drops the future.
struct Stops(Arc<Shared>);

impl Drop for Stops {
    fn drop(&mut self) {
        self.0.watch.stop(Why::Cancelled);
        self.0.watch.cancel.cancel();
    }
}

/// Runs a script to its end, or until a limit is exceeded.
pub async fn run(script: Script, host: Arc<dyn Host>, cancel: CancellationToken) -> Outcome {
    let begin = Instant::now();
    let limits = script.limits.clone();
    let shared = Arc::new(Shared {
        watch: Watch::new(&limits, cancel.child_token()),
        logs: Keeper::new(limits.log),
        outputs: Keeper::new(limits.output),
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
        Some(None) => Err(Fault::new(
            Why::Busy,
            "it was not started: earlier scripts cannot be stopped and still run; try again later",
        )),
        None => Err(shared.watch.fault(&shared.limits).unwrap_or_else(gave_up)),
    };
    let (logs, outputs) = (shared.logs.take(), shared.outputs.take());
    used.compute = shared.watch.used();
    used.wall = begin.elapsed();
    drop(stops);
    Outcome { value, logs, outputs, used }
}

/// Starts the thread, and answers until it ends.
async fn drive(
    script: Script,
    host: &Arc<dyn Host>,
    shared: &Arc<Shared>,
    used: &mut ResourceUsage,
) -> Result<Reply, Fault> {
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
        return Err(Fault::new(Why::Busy, format!("no thread could be started for it: {error}")));
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

fn gave_up() -> Fault {
    Fault::new(Why::Cancelled, "it ended without a result")
}

/// Answers a batch of calls, with the requested concurrency.
async fn answer(request: Request, host: &Arc<dyn Host>, shared: &Shared, used: &mut ResourceUsage) {
    let Request { calls, at_once, answers } = request;
    used.calls += calls.len();
    if used.calls > shared.limits.calls {
        used.calls = shared.limits.calls;
        shared.watch.stop(Why::Calls);
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
    let lost = || Err("The call was given up.".to_owned());
    let replies: Vec<_> = replies.into_iter().map(|reply| reply.unwrap_or_else(lost)).collect();
    used.failed += replies.iter().filter(|reply| reply.is_err()).count();
    let _ = answers.send(replies);
}
