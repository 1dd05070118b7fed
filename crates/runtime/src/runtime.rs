//! The runtime: the published tools, and the entry for every call.

use crate::{
    answer::{Outcome, ToolReply},
    call::{Call, OperationCall},
    catalogue::Catalogue,
    config::Config,
    dispatcher::{Dispatch, Dispatcher},
    events::Events,
    instructions, known_tools,
    layers::CallError,
    narrow::NarrowError,
    nested_calls::NestedCalls,
    operation_call,
    published::{Published, UpstreamToolDefinition},
    read_cache,
    services::Services,
    wording,
    write_queue::WriteQueues,
};
use serde_json::Value;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};
use tokio::sync::watch;
use toolpost_engine::{Engine, Failure, RunsOn};
use toolpost_tool::Dialect;

/// The runtime of a server: publishes the tools, and runs every call through the layers.
pub struct Runtime {
    dispatcher: Arc<Dispatcher>,
    /// The tools of the dialects, without those of upstream servers.
    own: Catalogue,
    /// The number of upstream servers that are being connected.
    connecting: watch::Sender<usize>,
}

impl Runtime {
    /// Creates a runtime that runs calls in `engine`.
    ///
    /// # Errors
    ///
    /// If the configured selection of tools is invalid.
    pub fn new(engine: Engine, config: Config) -> Result<Self, NarrowError> {
        let own = Catalogue::of(&config.dialects).narrowed(&config.narrow)?;
        let policy = config.policy.denying(&config.narrow.deny);
        let services = Services {
            engine,
            may_read: read_cache::may_read(policy.clone()),
            config: Config { policy, ..config },
            events: Events::default(),
            queues: WriteQueues::default(),
        };
        let dispatcher = Arc::new(Dispatcher::new(services, own.clone()));
        Ok(Self { dispatcher, own, connecting: watch::Sender::new(0) })
    }

    /// Returns the event bus, which reports the start and the end of each call.
    #[must_use]
    pub fn events(&self) -> &Events {
        &self.dispatcher.services.events
    }

    /// Returns the currently published tools.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.dispatcher.catalogue()
    }

    /// Returns a receiver of changes to the published tools.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Catalogue>> {
        self.dispatcher.catalogue.subscribe()
    }

    /// Records that this number of upstream servers are being connected. The caller must call `connected`
    /// once for each of them, when it is connected or given up.
    pub fn connecting(&self, servers: usize) {
        self.connecting.send_modify(|open| *open += servers);
    }

    /// Records that one upstream server is connected, or that connecting it was given up.
    pub fn connected(&self) {
        self.connecting.send_modify(|open| *open = open.saturating_sub(1));
    }

    /// Waits until each upstream server is connected or given up.
    pub async fn settled(&self) {
        // The wait cannot fail, because the sender lives as long as the runtime.
        self.connecting.subscribe().wait_for(|open| *open == 0).await.ok();
    }

    /// Publishes the tools of upstream servers, and removes those that were published by an earlier call.
    pub fn publish(&self, remote: Vec<UpstreamToolDefinition>) {
        let Some(dialect) = self.dispatcher.services.config.dialects.first() else { return };
        let state = self.engine().workspace().state_folder();
        let changed = state.map(|state| known_tools::changed(state, &remote)).unwrap_or_default();
        let all = self
            .own
            .clone()
            .joined(remote, dialect, &self.dispatcher.services.config.narrow)
            .compared_with(&self.catalogue())
            .marked(&changed);
        let names = |catalogue: &Catalogue| {
            let said = |tool: &Arc<Published>| {
                (tool.name.clone(), tool.description().to_owned(), tool.schema().clone())
            };
            catalogue.tools().iter().map(said).collect::<Vec<_>>()
        };
        self.dispatcher.catalogue.send_if_modified(|published| {
            let changes = names(published) != names(&all);
            *published = Arc::new(all);
            changes
        });
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.dispatcher.services.config
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.dispatcher.services.engine
    }

    /// Returns the server's instructions, which a client passes to its model before any tool is used.
    #[must_use]
    pub fn instructions(&self) -> String {
        let is_left = |dialect: &&&Dialect| {
            let mut tools = self.own.listed();
            dialect.tools.is_empty() || tools.any(|tool| tool.dialect.name == dialect.name)
        };
        let left = self.config().dialects.iter().filter(is_left);
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
        instructions::joined(&words, &self.engine().roots())
    }

    /// Stops the commands, language servers and upstream servers that still run, within about two seconds.
    /// Starts no further ones.
    pub async fn shut_down(&self) {
        let (servers, commands) =
            (self.dispatcher.services.engine.servers(), self.dispatcher.services.engine.commands().ok());
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
            if let Ok(bridges) = self.dispatcher.services.engine.bridges() {
                // An upstream server that does not exit is killed with this process.
                bridges.end().await.ok();
            }
        };
        tokio::join!(servers, commands, bridges);
    }

    /// Runs a call of a client through every layer, and returns its outcome.
    pub async fn call(&self, call: Call) -> Outcome {
        let catalogue = self.catalogue();
        let published = catalogue.find(&call.tool).filter(|tool| catalogue.is_listed(tool));
        let same = fingerprint(&call);
        let session = call.session.clone();
        let id = self.dispatcher.next_id();
        let gateway =
            published.map(|published| NestedCalls::of(&self.dispatcher, published.dialect, id, &call));
        let requested = published.into();
        let dispatch = Dispatch { id, call, requested, nested: None, gateway, deadline: None };
        match self.dispatcher.run(dispatch).await {
            Ok(mut done) => {
                session.succeeded();
                done.page.retain_new(|note| session.says_first(note));
                let result = done.page.result();
                Outcome::Done(ToolReply { parts: done.page.finish(), structured: done.structured, result })
            }
            Err(CallError::Ask(question)) => Outcome::Ask(*question),
            Err(CallError::NoSuchTool(name)) => Outcome::NoSuchTool(wording::no_such_tool(&name, &catalogue)),
            Err(CallError::Failed(failure) | CallError::Refused(failure)) => {
                let times = session.failed_again(same);
                let dialect = published.map(|published| published.dialect);
                Outcome::Failed(failure.kind, wording::failure(&failure, dialect, times))
            }
        }
    }

    /// Runs an operation with a typed request through every layer, and returns its output. The time limit and the
    /// required reads are those of the first dialect.
    ///
    /// # Errors
    /// `Denied` if the settings or the policy deny an access, or nobody approves it; `Outside` if a path of the request
    /// belongs to the roots of another runtime; otherwise the failures of the layers and of the operation.
    pub async fn run<O: RunsOn<Engine>>(&self, call: OperationCall<O>) -> Result<O::Output, Failure> {
        operation_call::run(&self.dispatcher, call).await
    }
}

/// Returns a hash of the tool and the arguments of a call, by which repeated failures of the same call are
/// counted.
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
