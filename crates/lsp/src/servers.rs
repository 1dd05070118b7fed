//! All running servers: one per known server and project, shared by all callers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use toolpost_process::{ProgramSearch, Sandbox, programs};

use crate::wire::locked;
use crate::{Home, KnownServer, Server, ServerError, Settings, Stamp};

/// Run time after which a server's earlier failures are forgotten.
const STEADY: Duration = Duration::from_secs(300);
/// Time limit for a requested shutdown.
const FAREWELL: Duration = Duration::from_millis(1900);

/// A known server, and the result of the search for its program on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledServer {
    /// The entry of the server in the table of known servers.
    pub known: &'static KnownServer,
    /// The path of the program, and the programs that were skipped because a project contains them.
    pub search: ProgramSearch,
}

/// All running servers. Clones are cheap and share the servers.
#[derive(Clone)]
pub struct Servers(Arc<Shared>);

struct Shared {
    settings: Settings,
    places: Mutex<HashMap<Key, ServerSlot>>,
    /// Set at shutdown, after which no server starts. It is changed only while `places` is locked.
    closed: AtomicBool,
}

/// A server's name and project directory.
type Key = (&'static str, PathBuf);

#[derive(Default)]
struct ServerSlot {
    server: Option<Arc<Server>>,
    times: u32,
    last: Option<(ServerError, Instant)>,
}

impl ServerSlot {
    /// Records a failure. The times are the server's run time, and the time since its exit.
    fn failed(&mut self, fault: ServerError, (ran, ago): (Duration, Duration)) {
        self.times = if ran >= STEADY { 1 } else { self.times.saturating_add(1) };
        let now = Instant::now();
        self.last = Some((fault, now.checked_sub(ago).unwrap_or(now)));
    }
}

impl Servers {
    /// Creates an empty set of servers; `settings` apply to all that are started.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Shared { settings, places: Mutex::default(), closed: AtomicBool::new(false) }))
    }

    /// Returns all known servers, installed or not.
    #[must_use]
    pub fn found(&self) -> Vec<InstalledServer> {
        self.0.settings.known.iter().map(|known| self.seek(known)).collect()
    }

    /// Returns the servers for files with an extension, the best first, installed or not.
    #[must_use]
    pub fn found_for(&self, extension: &str) -> Vec<InstalledServer> {
        let known = self.0.settings.known.iter().filter(|known| known.language(extension).is_some());
        known.map(|known| self.seek(known)).collect()
    }

    /// Returns the server of a project, and starts it if needed. `disk` has the project's current files.
    ///
    /// # Errors
    /// If the server cannot be started, or the pause after its last failure is not over.
    pub fn get(
        &self,
        found: &InstalledServer,
        home: &Home,
        disk: &HashMap<PathBuf, Stamp>,
    ) -> Result<Arc<Server>, ServerError> {
        let known = found.known;
        let Some(program) = &found.search.program else {
            let why = format!("there is no program `{}` outside the workspace", known.program);
            return Err(ServerError::NotStarted { server: known.name.to_owned(), why });
        };
        let mut places = locked(&self.0.places);
        if self.0.closed.load(Ordering::Relaxed) {
            let why = "Toolpost is shutting down".to_owned();
            return Err(ServerError::NotStarted { server: known.name.to_owned(), why });
        }
        if places.is_empty() {
            tokio::spawn(look_after(Arc::downgrade(&self.0), self.0.settings.limits.check_interval));
        }
        let place = places.entry((known.name, home.directory.clone())).or_default();
        let limits = self.0.settings.limits;
        if let Some(server) = place.server.take() {
            match server.lost() {
                Some(fault) => place.failed(fault, server.life()),
                // A required project file has appeared or disappeared since the server started. The server is
                // replaced, because a new one reads the project differently.
                None if server.lacks() != home.lacks.as_deref() => {}
                None => return Ok(Arc::clone(place.server.insert(server))),
            }
        }
        if let Some((last, when)) = &place.last {
            let rest =
                limits.rest.saturating_mul(1 << (place.times.clamp(1, 16) - 1)).min(limits.rest_at_most);
            let wait = rest.saturating_sub(when.elapsed());
            if !wait.is_zero() {
                return Err(ServerError::Resting { last: Box::new(last.clone()), times: place.times, wait });
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

    /// Returns whether servers run in a sandbox; without one, no server should be used.
    #[must_use]
    pub fn confined(&self) -> bool {
        self.0.settings.sandbox != Sandbox::Off
    }

    /// Stops all running servers within two seconds, and starts no more.
    pub async fn shut_down(&self) {
        let places: Vec<ServerSlot> = {
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
            // A task that panicked has dropped its server, which also stops it.
            let _ = end.await;
        }
    }

    /// Returns the number of running servers.
    #[must_use]
    pub fn running(&self) -> usize {
        let places = locked(&self.0.places);
        places
            .values()
            .filter_map(|place| place.server.as_ref())
            .filter(|server| server.lost().is_none())
            .count()
    }

    fn seek(&self, known: &'static KnownServer) -> InstalledServer {
        let settings = &self.0.settings;
        InstalledServer { known, search: programs(known.program, &settings.environment, &settings.not_in) }
    }
}

/// Stops servers that are idle or use too much memory, until all clones of [`Servers`] are dropped.
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
                server.end(ServerError::Ended {
                    server: server.known().name.to_owned(),
                    when: "because Toolpost stopped it",
                    how: format!("the server used {} MiB of memory", memory >> 20),
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
