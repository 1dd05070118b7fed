//! Published ports: ports of commands that the host can reach.
//!
//! This module contains the setting, the forwarders and the state of these ports.

use std::{
    collections::{BTreeMap, HashMap},
    fmt, io,
    ops::RangeInclusive,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use toolpost_net::UnconnectedSockets;
use toolpost_process::{Job, LoopbackSockets, SessionNetwork, WaitCondition};

/// The ports that are opened on the host when a command listens on them. By default, there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedPorts(Vec<RangeInclusive<u16>>);

/// A part of a list of ports that is neither a port nor a range of ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortError(String);

impl fmt::Display for PortError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(
            out,
            "`{text}` is not a port: use numbers from 1 to 65535 and ranges, such as `3000,8000-8099`"
        )
    }
}

impl std::error::Error for PortError {}

impl PublishedPorts {
    /// Returns true if this port is published.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        self.0.iter().any(|range| range.contains(&port))
    }

    /// Returns true if no port is published.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for PublishedPorts {
    type Err = PortError;

    /// Parses numbers and ranges that are separated by commas; an empty text means none.
    fn from_str(text: &str) -> Result<Self, PortError> {
        let range = |part: &str| {
            let bad = || PortError(part.to_owned());
            let number = |text: &str| text.trim().parse().ok().filter(|port| *port > 0).ok_or_else(bad);
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range: RangeInclusive<u16> = number(first)?..=number(last)?;
            if range.is_empty() { Err(bad()) } else { Ok(range) }
        };
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Ok(Self(parts.map(range).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for PublishedPorts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &RangeInclusive<u16>| match (range.start(), range.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        let ranges: Vec<String> = self.0.iter().map(range).collect();
        out.write_str(if ranges.is_empty() { "none" } else { "" })?;
        out.write_str(&ranges.join(", "))
    }
}

/// State of a port on which a command listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Publication {
    /// The setting `publish` does not name the port, or the command does not share the network of its session.
    NotAllowed,
    /// The host reaches the port at `127.0.0.1`.
    Open,
    /// The port of the host could not be opened, for this reason.
    Failed(String),
}

/// The tasks that forward published ports from the host to commands. Clones share their state.
#[derive(Debug, Clone, Default)]
pub(super) struct Publisher {
    ports: Arc<PublishedPorts>,
    forwarders: Arc<Mutex<Forwarders>>,
    /// Held while ports are closed, so that each concurrent call of `close` returns only after the ports are
    /// closed.
    closing: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug, Default)]
struct Forwarders {
    open: HashMap<u16, Forwarder>,
    /// Forwarders that were cancelled, but whose tasks may still be running.
    cancelled: Vec<Forwarder>,
}

#[derive(Debug)]
struct Forwarder {
    job: String,
    /// Cancelled when the job, its session or the server ends.
    ending: CancellationToken,
    task: JoinHandle<()>,
}

/// Interval between two checks of a job's ports while the job is starting.
const SOON: Duration = Duration::from_millis(200);
/// Interval between two checks of a job's ports after its start phase (`STARTING`).
const LATER: Duration = Duration::from_secs(1);
/// Time after the start of a job during which its ports are checked more often.
const STARTING: Duration = Duration::from_secs(20);

/// Number of socket pairs that are created together, because each batch needs a new process.
const PAIRS: usize = 16;

impl Publisher {
    pub(super) fn new(ports: PublishedPorts) -> Self {
        Self { ports: Arc::new(ports), ..Self::default() }
    }

    /// Opens published ports when a job begins to listen on them, until the job ends or `ending` is cancelled.
    pub(super) fn watch(&self, job: &Job, ending: CancellationToken) {
        if self.ports.is_empty() || job.session_network().is_none() {
            return;
        }
        let (publisher, job, start) = (self.clone(), job.clone(), Instant::now());
        tokio::spawn(async move {
            loop {
                let interval = if start.elapsed() < STARTING { SOON } else { LATER };
                let woke = tokio::select! {
                    () = ending.cancelled() => break,
                    woke = job.wait(WaitCondition::Gone, interval) => woke,
                };
                if woke == toolpost_process::WaitResult::Come {
                    break;
                }
                let (publisher, job, ending) = (publisher.clone(), job.clone(), ending.clone());
                // If `update` panics, the runtime reports the panic and the job continues without the port.
                let _ = tokio::task::spawn_blocking(move || publisher.update(&job, &ending)).await;
            }
            publisher.close(&job).await;
        });
    }

    /// Opens the published ports on which the job listens now, and closes those on which it no longer
    /// listens. Returns the state of each port on which the job listens. Blocks.
    pub(super) fn update(&self, job: &Job, ending: &CancellationToken) -> BTreeMap<u16, Publication> {
        let mut forwarders = self.lock();
        // The ports are read while the lock is held. Otherwise, a port could open again after `close` has closed it.
        let listening = job.listening();
        forwarders.cancel_if(|port, forwarder| forwarder.job == job.id() && !listening.contains(&port));
        let open = &mut forwarders.open;
        open.retain(|_, forwarder| !forwarder.task.is_finished());
        let mut state = |port: u16| {
            let network = job.session_network().filter(|_| self.ports.contains(port));
            let Some(network) = network else { return Publication::NotAllowed };
            if open.get(&port).is_some_and(|forwarder| forwarder.job == job.id()) {
                return Publication::Open;
            }
            match Forwarder::start(job, port, network, ending.child_token()) {
                Ok(forwarder) => {
                    open.insert(port, forwarder);
                    Publication::Open
                }
                Err(fault) => Publication::Failed(reason(&fault)),
            }
        };
        listening.into_iter().map(|port| (port, state(port))).collect()
    }

    /// Closes the ports of a job, and waits until they are closed.
    pub(super) async fn close(&self, job: &Job) {
        let _closing = self.closing.lock().await;
        let cancelled = {
            let mut forwarders = self.lock();
            forwarders.cancel_if(|_, forwarder| forwarder.job == job.id());
            std::mem::take(&mut forwarders.cancelled)
        };
        for forwarder in cancelled {
            // The forwarder is cancelled, so the task ends soon. An error of the task does not matter.
            let _ = forwarder.task.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Forwarders> {
        self.forwarders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forwarders {
    fn cancel_if(&mut self, mut ends: impl FnMut(u16, &Forwarder) -> bool) {
        self.cancelled.retain(|forwarder| !forwarder.task.is_finished());
        for (_, forwarder) in self.open.extract_if(|port, forwarder| ends(*port, forwarder)) {
            forwarder.ending.cancel();
            self.cancelled.push(forwarder);
        }
    }
}

impl Forwarder {
    fn start(
        job: &Job,
        port: u16,
        network: Arc<SessionNetwork>,
        ending: CancellationToken,
    ) -> io::Result<Self> {
        let listener = toolpost_net::listen_on_loopback(port)?;
        let ended = ending.clone();
        let pool: Mutex<Vec<LoopbackSockets>> = Mutex::default();
        let sockets = move || {
            let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
            if pool.is_empty() {
                *pool = network.sockets(PAIRS)?;
            }
            let LoopbackSockets { v4, v6 } = pool.pop().ok_or(io::ErrorKind::NotConnected)?;
            Ok(UnconnectedSockets { v4, v6 })
        };
        let task = Handle::current().spawn(async move {
            tokio::select! {
                // If the forwarder ends, the next check of the job opens the port again.
                _ = toolpost_net::forward(listener, sockets) => {}
                () = ended.cancelled() => {}
            }
        });
        Ok(Self { job: job.id().to_owned(), ending, task })
    }
}

fn reason(fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::AddrInUse => "it is already in use on the host".to_owned(),
        io::ErrorKind::PermissionDenied => "the host reserves that port".to_owned(),
        _ => fault.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn lists_of_ports_are_parsed() {
        let rows = [
            ("", Ok("none"), (80, false)),
            ("5173", Ok("5173"), (5173, true)),
            (" 3000 , 8000 - 8099,", Ok("3000, 8000-8099"), (8099, true)),
            ("3000,8000-8099", Ok("3000, 8000-8099"), (8100, false)),
            ("0", Err("0"), (0, false)),
            ("65536", Err("65536"), (0, false)),
            ("9-8", Err("9-8"), (0, false)),
            ("web", Err("web"), (0, false)),
        ];
        each(rows, |(text, wanted, (port, is_published))| match (text.parse::<PublishedPorts>(), wanted) {
            (Ok(ports), Ok(shown)) => {
                assert_eq!((ports.to_string().as_str(), ports.contains(port)), (shown, is_published));
                assert_eq!(ports.is_empty(), shown == "none", "{text}");
            }
            (found, wanted) => assert_eq!(found.err(), wanted.err().map(|bad| PortError(bad.to_owned()))),
        });
    }
}
