//! All servers that run: one for each language and project, shared by all who ask.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use toolpost_process::{Environment, Sandbox, Sought, programs};

use crate::wire::locked;
use crate::{Fault, Home, KNOWN, Known, Server, Stamp};

/// How long a server must have run for its failures before to be forgotten.
const STEADY: Duration = Duration::from_secs(300);
/// How long a server is waited for that is asked to end.
const FAREWELL: Duration = Duration::from_millis(1900);

/// How servers are started.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What holds them: with a sandbox they change nothing and have no network, without one nothing holds them.
    pub sandbox: Sandbox,
    /// Their environment.
    pub environment: Environment,
    /// Where programs are never started from: the roots.
    pub not_in: Vec<PathBuf>,
    /// The servers that are known.
    pub known: &'static [Known],
    /// When they are ended.
    pub limits: Limits,
}

impl Settings {
    /// Makes settings with what is known, and with the house's limits.
    #[must_use]
    pub fn new(sandbox: Sandbox, environment: Environment, not_in: Vec<PathBuf>) -> Self {
        Self { sandbox, environment, not_in, known: KNOWN, limits: Limits::default() }
    }
}

/// When servers are ended, and when they are started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes one of their messages may have.
    pub message: usize,
    /// How many bytes of memory one may hold.
    pub memory: u64,
    /// How long one runs that nobody asks.
    pub idle: Duration,
    /// How long one rests after its first failure; twice as long after each further one.
    pub rest: Duration,
    /// How long one rests at most.
    pub rest_at_most: Duration,
    /// How often it is looked after them.
    pub look: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 64 * 1024 * 1024,
            memory: 4 * 1024 * 1024 * 1024,
            idle: Duration::from_secs(15 * 60),
            rest: Duration::from_secs(1),
            rest_at_most: Duration::from_secs(300),
            look: Duration::from_secs(10),
        }
    }
}

/// What was found of a server on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which.
    pub known: &'static Known,
    /// Where its program is, and which were passed over since a project brought them.
    pub sought: Sought,
}

/// All servers that run; copies share them.
#[derive(Clone)]
pub struct Servers(Arc<Shared>);

struct Shared {
    settings: Settings,
    places: Mutex<HashMap<Key, Place>>,
    /// Whether nothing is started any more; changed with the places held.
    closed: AtomicBool,
}

/// A server's name, and where it was started.
type Key = (&'static str, PathBuf);

#[derive(Default)]
struct Place {
    server: Option<Arc<Server>>,
    times: u32,
    last: Option<(Fault, Instant)>,
}

impl Place {
    /// Notes how a server was lost, which ran for a time and ended a time ago.
    fn failed(&mut self, fault: Fault, (ran, ago): (Duration, Duration)) {
        self.times = if ran >= STEADY { 1 } else { self.times.saturating_add(1) };
        let now = Instant::now();
        self.last = Some((fault, now.checked_sub(ago).unwrap_or(now)));
    }
}

impl Servers {
    /// Starts with none that runs.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Shared { settings, places: Mutex::default(), closed: AtomicBool::new(false) }))
    }

    /// Says which of the known servers are on this machine.
    #[must_use]
    pub fn found(&self) -> Vec<Found> {
        self.0.settings.known.iter().map(|known| self.seek(known)).collect()
    }

    /// Says which servers there are for files with an extension, the best first, found or not.
    #[must_use]
    pub fn found_for(&self, extension: &str) -> Vec<Found> {
        let known = self.0.settings.known.iter().filter(|known| known.language(extension).is_some());
        known.map(|known| self.seek(known)).collect()
    }

    /// Gives the server of a project, started if it does not run; `disk` is what the project holds at this time.
    ///
    /// # Errors
    /// When it cannot be started, or failed so lately that it rests.
    pub fn get(
        &self,
        found: &Found,
        home: &Home,
        disk: &HashMap<PathBuf, Stamp>,
    ) -> Result<Arc<Server>, Fault> {
        let known = found.known;
        let Some(program) = &found.sought.program else {
            let why = format!("there is no program `{}` outside of the workspace", known.program);
            return Err(Fault::NotStarted { server: known.name.to_owned(), why });
        };
        let mut places = locked(&self.0.places);
        if self.0.closed.load(Ordering::Relaxed) {
            let why = "this runtime is ending".to_owned();
            return Err(Fault::NotStarted { server: known.name.to_owned(), why });
        }
        if places.is_empty() {
            tokio::spawn(look_after(Arc::downgrade(&self.0), self.0.settings.limits.look));
        }
        let place = places.entry((known.name, home.directory.clone())).or_default();
        let limits = self.0.settings.limits;
        if let Some(server) = place.server.take() {
            match server.lost() {
                Some(fault) => place.failed(fault, server.life()),
                // What it read without is not what it would read now.
                None if server.lacks() != home.lacks.as_deref() => {}
                None => return Ok(Arc::clone(place.server.insert(server))),
            }
        }
        if let Some((last, when)) = &place.last {
            let rest =
                limits.rest.saturating_mul(1 << (place.times.clamp(1, 16) - 1)).min(limits.rest_at_most);
            let wait = rest.saturating_sub(when.elapsed());
            if !wait.is_zero() {
                return Err(Fault::Resting { last: Box::new(last.clone()), times: place.times, wait });
            }
        }
        match Server::start(known, program, home, &self.0.settings, disk.clone()) {
            Ok(server) => Ok(Arc::clone(place.server.insert(server))),
            Err(fault) => {
                place.times = place.times.saturating_add(1);
                place.last = Some((fault.clone(), Instant::now()));
                Err(fault)
            }
        }
    }

    /// Says whether servers are held to what they may do; where none is, none should be asked.
    #[must_use]
    pub fn confined(&self) -> bool {
        self.0.settings.sandbox != Sandbox::Off
    }

    /// Ends all that run within two seconds, and starts no more.
    pub async fn shut_down(&self) {
        let places: Vec<Place> = {
            let mut places = locked(&self.0.places);
            self.0.closed.store(true, Ordering::Relaxed);
            places.drain().map(|(_, place)| place).collect()
        };
        let servers: Vec<Arc<Server>> = places.into_iter().filter_map(|place| place.server).collect();
        let ends: Vec<_> = servers
            .into_iter()
            .map(|server| tokio::spawn(async move { server.shut_down(FAREWELL).await }))
            .collect();
        for end in ends {
            // One that panicked has dropped its server, which ends it, too.
            let _ = end.await;
        }
    }

    /// Counts those that run.
    #[must_use]
    pub fn running(&self) -> usize {
        let places = locked(&self.0.places);
        places
            .values()
            .filter_map(|place| place.server.as_ref())
            .filter(|server| server.lost().is_none())
            .count()
    }

    fn seek(&self, known: &'static Known) -> Found {
        let settings = &self.0.settings;
        Found { known, sought: programs(known.program, &settings.environment, &settings.not_in) }
    }
}

/// Ends what nobody needs and what takes too much, as long as anybody holds the servers.
async fn look_after(shared: Weak<Shared>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let Some(shared) = shared.upgrade() else { return };
        let limits = shared.settings.limits;
        let mut idle = Vec::new();
        for place in locked(&shared.places).values_mut() {
            let Some(server) = &place.server else { continue };
            let memory = server.memory();
            if memory > limits.memory {
                server.end(Fault::Ended {
                    server: server.known().name.to_owned(),
                    when: "by this client",
                    how: format!("it held {} MiB of memory", memory >> 20),
                });
            } else if server.idle() >= limits.idle {
                idle.extend(place.server.take());
            }
        }
        for server in idle {
            server.shut_down(FAREWELL).await;
        }
    }
}
