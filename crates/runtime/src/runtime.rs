//! The runtime: every call goes in here, whoever makes it.

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

/// How a runtime is made.
pub struct Config {
    /// The dialects that are spoken.
    pub dialects: Vec<&'static Dialect>,
    /// Which of their tools are published.
    pub narrow: Narrow,
    /// The rules over touches.
    pub policy: Policy,
    /// How long a call may take, where that is not the dialect's own time.
    pub deadline: Option<Duration>,
    /// How many bytes a reply may have, where that is not the dialect's own budget.
    pub reply_bytes: Option<usize>,
    /// Whether replies carry the operation's output as data beside the words.
    pub structured: Structured,
}

/// Whether replies carry the operation's output as data beside the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// They do.
    On,
    /// Words alone: most clients show the model only one of the two.
    Off,
}

/// The one way a call goes.
pub struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    /// The tools of the dialects.
    own: Catalogue,
    /// All tools that are published now.
    catalogue: watch::Sender<Arc<Catalogue>>,
    /// How many other servers are being connected.
    connecting: watch::Sender<usize>,
    pub(crate) turns: Turns,
    /// Which files may be read without asking; it is the same one for all calls, so that what follows from it can be kept.
    pub(crate) may_read: MayRead,
    /// Where calls are announced.
    pub events: Events,
    calls: AtomicU64,
    /// What tells its calls from those of other processes.
    name: String,
}

impl Runtime {
    /// Makes a runtime over an engine.
    ///
    /// # Errors
    /// When the tools cannot be narrowed as the configuration says.
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

    /// Gives the tools that are published now.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.borrow().clone()
    }

    /// Tells of each change of the tools that are published.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.catalogue.subscribe()
    }

    /// Notes that so many other servers are being connected; each is counted off when it is, or is given up.
    pub fn connecting(&self, servers: usize) {
        self.connecting.send_modify(|open| *open += servers);
    }

    /// Notes that a server is connected, or is given up.
    pub fn connected(&self) {
        self.connecting.send_modify(|open| *open = open.saturating_sub(1));
    }

    /// Waits until no other server is being connected.
    pub async fn settled(&self) {
        // It cannot fail: the sender lives as long as the runtime.
        self.connecting.subscribe().wait_for(|open| *open == 0).await.ok();
    }

    /// Publishes the tools of other servers, instead of those that were published of them before.
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

    /// Gives how the runtime was made.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Gives the engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Gives what a client tells its model before any tool is used.
    #[must_use]
    pub fn instructions(&self) -> String {
        let is_left = |dialect: &&&Dialect| {
            let mut tools = self.own.listed();
            dialect.tools.is_empty() || tools.any(|tool| tool.dialect.name == dialect.name)
        };
        let left = self.config.dialects.iter().filter(is_left);
        let words: Vec<&str> = left.map(|dialect| dialect.instructions).collect();
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
                // Nothing can be done about one that does not end: it is killed with this process.
                bridges.end().await.ok();
            }
        };
        tokio::join!(servers, commands, bridges);
    }

    /// Makes a call: through every layer, in and out.
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

    /// Starts a call on its way, under the next number.
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

    /// Says for the history who makes a change.
    fn cause(&self, id: u64, published: Option<&Published>, call: &Call) -> Cause {
        Cause {
            call: format!("{}-{id}", &self.name[..NAME]),
            tool: published.map_or_else(|| call.tool.clone(), |published| published.name.clone()),
            session: call.session.id().to_owned(),
            undoes: None,
        }
    }
}

/// So many digits tell the processes of one history apart.
const NAME: usize = 6;

/// A number that two calls share only if they say the same.
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
