//! The runtime, which every call passes through.

use crate::{
    Answer, Call, Catalogue, Described, Events, Narrow, NarrowError, Outcome, Policy, Published,
    door::Door,
    instructions, judged,
    layers::{Stop, Trip, Turns},
    wording,
};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use std::time::Duration;
use tokio::sync::watch;
use toolpost_engine::{CallCtx, Engine, MayRead};
use toolpost_tool::Dialect;
use toolpost_workspace::{Cause, unique};

/// The configuration of a runtime.
pub struct Config {
    /// The active dialects.
    pub dialects: Vec<&'static Dialect>,
    /// The selection of published tools.
    pub narrow: Narrow,
    /// The rules over touches.
    pub policy: Policy,
    /// The deadline of a call, if not the dialect's own.
    pub deadline: Option<Duration>,
    /// The limit of a reply in bytes, if not the dialect's own.
    pub reply_bytes: Option<usize>,
    /// The structured output of replies.
    pub structured: Structured,
}

/// The setting for structured output: the operation's output as data, in addition to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// Replies carry structured output.
    On,
    /// Text only: most clients show the model only one of the two.
    Off,
}

/// The runtime, which every call passes through.
pub struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    /// The tools of the dialects.
    own: Catalogue,
    /// The currently published tools.
    catalogue: watch::Sender<Arc<Catalogue>>,
    /// The number of upstream servers that are being connected.
    connecting: watch::Sender<usize>,
    pub(crate) turns: Turns,
    /// The files that may be read without a prompt; shared by all calls, so that results that depend on it can be
    /// cached.
    pub(crate) may_read: MayRead,
    /// The bus on which calls are announced.
    pub events: Events,
    calls: AtomicU64,
    /// A random name that distinguishes this process's calls from those of others.
    name: String,
}

impl Runtime {
    /// Creates a runtime over an engine.
    ///
    /// # Errors
    /// When the configured selection of tools is invalid.
    pub fn new(engine: Engine, config: Config) -> Result<Self, NarrowError> {
        let own = Catalogue::of(&config.dialects).narrowed(&config.narrow)?;
        let policy = config.policy.denying(&config.narrow.deny);
        Ok(Self {
            engine,
            may_read: judged::may_read(policy.clone()),
            config: Config { policy, ..config },
            catalogue: watch::Sender::new(Arc::new(own.clone())),
            own,
            connecting: watch::Sender::new(0),
            turns: Turns::default(),
            events: Events::default(),
            calls: AtomicU64::new(1),
            name: unique(),
        })
    }

    /// Returns the currently published tools.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.borrow().clone()
    }

    /// Returns a receiver of changes to the published tools.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.catalogue.subscribe()
    }

    /// Records that this number of upstream servers are being connected; call `connected` once for each that is
    /// connected or given up.
    pub fn connecting(&self, servers: usize) {
        self.connecting.send_modify(|open| *open += servers);
    }

    /// Records that an upstream server is connected, or is given up.
    pub fn connected(&self) {
        self.connecting.send_modify(|open| *open = open.saturating_sub(1));
    }

    /// Waits until no upstream server is being connected.
    pub async fn settled(&self) {
        // It cannot fail: the sender lives as long as the runtime.
        self.connecting.subscribe().wait_for(|open| *open == 0).await.ok();
    }

    /// Publishes the tools of upstream servers, in place of those published before.
    pub fn publish(&self, remote: Vec<Described>) {
        let Some(dialect) = self.config.dialects.first() else { return };
        let all =
            self.own.clone().joined(remote, dialect, &self.config.narrow).compared_with(&self.catalogue());
        let names = |catalogue: &Catalogue| {
            let said =
                |tool: &Arc<Published>| (tool.name.clone(), tool.description.clone(), tool.schema.clone());
            catalogue.tools().iter().map(said).collect::<Vec<_>>()
        };
        self.catalogue.send_if_modified(|published| {
            let changes = names(published) != names(&all);
            *published = Arc::new(all);
            changes
        });
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the instructions that a client passes to its model before any tool is used.
    #[must_use]
    pub fn instructions(&self) -> String {
        let is_left = |dialect: &&&Dialect| {
            let mut tools = self.own.listed();
            dialect.tools.is_empty() || tools.any(|tool| tool.dialect.name == dialect.name)
        };
        let left = self.config.dialects.iter().filter(is_left);
        let words: Vec<String> = left
            .map(|dialect| {
                let is_served = |name: &str| {
                    self.own.listed().any(|tool| tool.dialect.name == dialect.name && tool.name == name)
                };
                let names = dialect.tools.iter().map(|tool| tool.name);
                let missing: Vec<&str> = names.filter(|name| !is_served(name)).collect();
                instructions::without(dialect.instructions, &missing)
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        instructions::joined(&words, &self.engine.roots())
    }

    /// Ends the commands and the language servers that still run, within two seconds, and starts no more.
    pub async fn shut_down(&self) {
        let (servers, commands) = (self.engine.servers(), self.engine.commands().ok());
        let servers = async {
            if let Some(servers) = servers {
                servers.shut_down().await;
            }
        };
        let commands = async {
            if let Some(commands) = commands {
                commands.shut_down().await;
            }
        };
        let bridges = async {
            if let Ok(bridges) = self.engine.bridges() {
                // If one does not end, it is killed with this process.
                bridges.end().await.ok();
            }
        };
        tokio::join!(servers, commands, bridges);
    }

    /// Runs a call through every layer, in and out.
    pub async fn call(self: &Arc<Self>, call: Call) -> Outcome {
        let catalogue = self.catalogue();
        let published = catalogue.find(&call.tool).filter(|tool| catalogue.is_listed(tool));
        let same = fingerprint(&call);
        let session = call.session.clone();
        let mut trip = self.trip(published, call);
        trip.cx.door = published.map(|published| Door::of(self, published.dialect, &trip));
        match self.go(trip).await {
            Ok(mut done) => {
                session.succeeded();
                done.page.retain_new(|note| session.says_first(note));
                let result = done.page.result();
                Outcome::Done(Answer { parts: done.page.finish(), structured: done.structured, result })
            }
            Err(Stop::Ask(question)) => Outcome::Ask(*question),
            Err(Stop::NoSuchTool(name)) => Outcome::NoSuchTool(wording::no_such_tool(&name, &catalogue)),
            Err(Stop::Failed(failure) | Stop::Refused(failure)) => {
                let times = session.failed_again(same);
                let dialect = published.map(|published| published.dialect);
                Outcome::Failed(failure.kind, wording::failure(&failure, dialect, times))
            }
        }
    }

    /// Creates the trip of a call, under the next number.
    pub(crate) fn trip<'a>(&self, published: Option<&'a Published>, call: Call) -> Trip<'a> {
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let cx = CallCtx {
            cancel: call.cancel.child_token(),
            progress: call.progress.clone(),
            cause: Arc::new(self.cause(id, published, &call)),
            ..CallCtx::denied(call.session.clone())
        };
        Trip { id, published, call, cx, prepared: None, within: None }
    }

    /// Returns the cause of a change, for the history.
    fn cause(&self, id: u64, published: Option<&Published>, call: &Call) -> Cause {
        Cause {
            call: format!("{}-{id}", &self.name[..NAME]),
            tool: published.map_or_else(|| call.tool.clone(), |published| published.name.clone()),
            session: call.session.id().to_owned(),
            undoes: None,
        }
    }
}

/// The number of digits that distinguish the processes in one history.
const NAME: usize = 6;

/// Returns a number that two calls share only if tool and arguments are the same.
fn fingerprint(call: &Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.tool.hash(&mut hasher);
    hash_value(&call.arguments, &mut hasher);
    hasher.finish()
}

fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            key.hash(hasher);
            hash_value(value, hasher);
        }),
        Value::Array(items) => items.iter().for_each(|item| hash_value(item, hasher)),
        other => other.hash(hasher),
    }
}
