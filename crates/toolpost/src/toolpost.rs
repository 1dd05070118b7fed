//! An opened Toolpost: tools, sessions and events.

use crate::{
    Error, Session,
    agents::Companions,
    command_sandbox,
    error::{Cause, Explain, Kind},
    event_log, parts,
    settings::{Settings, values::OnOff},
};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use toolpost_engine::{
    Access, AmbiguityTreatment, CodeService, Commands, Dependencies, Embedder, EmbeddingService, Embeddings,
    Engine, Environment, Failure, LocalModel, PackageStores, Sandbox, SearchBackend, ServerSettings, Servers,
    TrigramIndex, operations::grep::Rules,
};
use toolpost_runtime::{
    Asker, Catalogue, Config, Detail, Event, Policy, Published, Runtime, StructuredOutput,
};
use toolpost_tool::Dialect;
use toolpost_workspace::{Recovery, Workspace, WorkspacePath, operator, walk};

/// Maximum time that a short-lived process waits for an index.
const PATIENT: Duration = Duration::from_secs(50);

/// Expected number of calls in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Many calls: work that speeds up later calls pays off, such as building an index in the background.
    ManyCalls,
    /// One call: nothing is prepared for later calls.
    OneCall,
}

/// The tools of coding agents, opened on directories. Several can be open in one process.
pub struct Toolpost {
    runtime: Arc<Runtime>,
    recovery: Recovery,
    warnings: Vec<String>,
    companions: Companions,
    asker: Arc<dyn Asker>,
}

/// Definition of a tool for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Name under which a model calls the tool.
    pub name: String,
    /// Description of the tool, in one paragraph.
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
}

impl From<&Published> for Tool {
    fn from(tool: &Published) -> Self {
        Self {
            name: tool.name.clone(),
            description: tool.description().to_owned(),
            schema: tool.schema().clone(),
        }
    }
}

/// The conversion with which `toolpost_mcp_server` takes an open Toolpost.
impl From<&Toolpost> for Arc<Runtime> {
    fn from(post: &Toolpost) -> Self {
        post.runtime.clone()
    }
}

impl Toolpost {
    /// Lists the tools.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.catalogue().listed().map(Tool::from).collect()
    }

    /// Returns the instructions for the model, which belong in its system prompt.
    #[must_use]
    pub fn instructions(&self) -> String {
        self.runtime.instructions()
    }

    /// Starts a session. Each client of the tools gets its own.
    #[must_use]
    pub fn session(&self) -> Session {
        self.session_of(toolpost_engine::Session::new())
    }

    /// Starts a session that continues the task list of earlier sessions with this name.
    #[must_use]
    pub fn named_session(&self, name: impl Into<String>) -> Session {
        self.session_of(toolpost_engine::Session::named(Some(name.into())))
    }

    /// Starts a session with a state that the caller created.
    #[must_use]
    pub fn session_of(&self, state: Arc<toolpost_engine::Session>) -> Session {
        Session::new(self.runtime.clone(), state, self.asker.clone())
    }

    /// Resolves a path in the roots, for the request of an operation ([`Session::run`]). Relative paths start from the
    /// first root. The policy decides about the access only when the operation runs.
    ///
    /// # Errors
    /// `Outside` if the path leads out of every root, `Invalid` if the text is not a path.
    pub fn path(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.runtime.engine().resolve(path)
    }

    /// Adds a listener for the start and the end of every call. It runs in the call's task and must be quick.
    ///
    /// ```
    /// use serde_json::json;
    /// use std::sync::mpsc;
    /// use toolpost::{Detail, Status, Toolpost};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), toolpost::Error> {
    /// let post = Toolpost::builder(".").read_only().state(None).open().await?;
    /// let (sender, events) = mpsc::channel();
    /// post.on_event(Detail::Names, move |event| {
    ///     sender.send((event.name.clone(), event.status)).ok();
    /// });
    /// post.session().call("Glob", json!({ "pattern": "*.toml" })).await;
    /// let statuses = [Status::Started, Status::Completed];
    /// assert!(events.try_iter().eq(statuses.map(|status| ("Glob".to_owned(), status))));
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_event(&self, detail: Detail, listener: impl Fn(&Event) + Send + Sync + 'static) {
        self.runtime.events().listen(detail, listener);
    }

    /// Reports the unfinished changes of an earlier process that this one has finished or undone; empty if
    /// there were none.
    #[must_use]
    pub fn recovery(&self) -> Vec<String> {
        self.recovery.lines()
    }

    /// Reports configured parts that do not work, such as a shared index that does not answer; empty if all
    /// work.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Stops the commands, language servers, upstream servers and external agent that still run, within about
    /// two seconds.
    pub async fn close(&self) {
        tokio::join!(self.runtime.shut_down(), self.companions.end());
    }

    /// Connects the upstream servers, and waits until each is connected or given up.
    pub async fn connect(&self) {
        if self.companions.connect(&self.runtime) {
            self.runtime.settled().await;
        }
    }

    /// Begins to connect the upstream servers; their tools are published when they are connected.
    pub fn begin_to_connect(&self) {
        self.companions.connect(&self.runtime);
    }

    /// Returns the published tools with their details.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.runtime.catalogue()
    }

    /// Returns the runtime, which every call passes through.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Returns the asker, which obtains approvals from the user. Pass it to a server that serves these tools.
    #[must_use]
    pub fn asker(&self) -> Arc<dyn Asker> {
        self.asker.clone()
    }

    /// Returns the models, agents and upstream servers.
    #[cfg(feature = "agent")]
    #[must_use]
    pub fn companions(&self) -> &Companions {
        &self.companions
    }

    /// Opens the workspace and everything that the settings name.
    pub(crate) fn assemble(
        settings: &Settings,
        dialects: Vec<&'static Dialect>,
        asker: Arc<dyn Asker>,
        structured: StructuredOutput,
        lifetime: Lifetime,
    ) -> Result<Self, Error> {
        let (workspace, recovery) = parts::workspace(settings)?;
        let mut warnings = Vec::new();
        let trigrams = indexed(settings, &workspace, lifetime, &mut warnings)?;
        let policy = parts::policy(settings, &workspace)?;
        let companions = Companions::find(settings, &workspace)?;
        let engine = engine(settings, workspace, &policy, &companions, trigrams, lifetime)?;
        companions.reach(&engine, &policy, settings)?;
        let config = Config {
            dialects,
            narrow: parts::selection(settings)?,
            policy,
            deadline: settings.deadline.value,
            reply_bytes: settings.reply_bytes.value,
            structured,
        };
        let runtime = Runtime::new(engine, config).kind(Error::Tools)?;
        event_log::write(&runtime, settings)?;
        companions.tell(&runtime);
        Ok(Self { runtime: Arc::new(runtime), recovery, warnings, companions, asker })
    }
}

/// Builds the engine over a workspace.
fn engine(
    settings: &Settings,
    workspace: Workspace,
    policy: &Policy,
    companions: &Companions,
    trigrams: Option<TrigramIndex>,
    lifetime: Lifetime,
) -> Result<Engine, Error> {
    let hidden = parts::state_in_roots(settings, &workspace);
    let sandbox = command_sandbox::sandbox(settings, &workspace, policy, hidden);
    let servers = servers(&workspace, sandbox.clone());
    let commands = commands(settings, &workspace, sandbox, policy)?;
    let dependencies = dependencies(settings, &workspace);
    let editing = companions.editing(settings, &workspace);
    let rules = if settings.ignore_files.value == OnOff::On { Rules::Git } else { Rules::None };
    let several = if settings.first_match.value == OnOff::On {
        AmbiguityTreatment::First
    } else {
        AmbiguityTreatment::Refused
    };
    let backend =
        if settings.search_agent.value == OnOff::On { SearchBackend::Agent } else { SearchBackend::Words };
    let engine = match lifetime {
        Lifetime::ManyCalls => Engine::builder(workspace),
        // No later call can use an index that is built in the background, so this call waits for the index.
        Lifetime::OneCall => Engine::builder(workspace).with_index_wait(PATIENT),
    };
    let engine = engine
        .with_agents(companions.agents())
        .with_encoding(encoding(settings)?)
        .with_rules(rules)
        .with_several(several)
        .with_search_backend(backend)
        .with_cache(settings.cache.value.as_ref().map(|cache| cache.join("symbols")))
        .with_trigrams(trigrams)
        .with_embedder(embedder(settings)?)
        .with_dependencies(dependencies)
        .with_service(code_service(settings)?)
        .with_commands(commands)
        .with_servers(servers)
        .with_bridges(companions.bridges())
        .with_skills(parts::skills(settings))
        .with_editing(editing);
    Ok(engine.build())
}

/// Creates the trigram index, if it speeds up this process.
fn indexed(
    settings: &Settings,
    workspace: &Workspace,
    lifetime: Lifetime,
    warnings: &mut Vec<String>,
) -> Result<Option<TrigramIndex>, Error> {
    let shared = shared(settings, workspace).map_err(|error| error.about("index"))?;
    let trigrams = match (lifetime, shared) {
        (Lifetime::OneCall, Shared::None) => return Ok(None),
        (Lifetime::ManyCalls, Shared::None) => parts::trigrams(settings, workspace),
        #[cfg(feature = "shared")]
        (_, Shared::Index(shared)) => parts::trigrams(settings, workspace).sharing(shared),
    };
    match lifetime {
        // The index is built in the background, so that it is ready for the first search.
        Lifetime::ManyCalls => trigrams.begin(&walk::Options::default()),
        Lifetime::OneCall => {
            trigrams.ready(&walk::Options::default());
            if let Some(lost) = trigrams.status(&walk::Options::default()).lost {
                warnings.push(format!("{lost}; continuing without the shared index"));
            }
        }
    }
    Ok(Some(trigrams))
}

/// The shared index, if one is named.
enum Shared {
    None,
    #[cfg(feature = "shared")]
    Index(Arc<toolpost_shared_index::IndexClient>),
}

#[cfg(feature = "shared")]
fn shared(settings: &Settings, workspace: &Workspace) -> Result<Shared, Error> {
    Ok(parts::shared_index(settings, workspace)?.map_or(Shared::None, Shared::Index))
}

#[cfg(not(feature = "shared"))]
fn shared(settings: &Settings, _workspace: &Workspace) -> Result<Shared, Error> {
    match settings.index.value {
        None => Ok(Shared::None),
        Some(_) => Err(Error::Service(Cause::text(
            "`index` is set, but this program was built without the feature `shared`: rebuild it with that feature, or remove \
             the setting",
        ))),
    }
}

/// Creates the configured embedder: a service, whose key comes only from the environment, or a model in a local
/// directory. Returns `None` for the built-in model.
fn embedder(settings: &Settings) -> Result<Option<Arc<dyn Embedder>>, Error> {
    let refused = |key, what: &str| Err(Error::Setting(Cause::text(what)).about(key));
    let Some(address) = &settings.embedding.value else {
        if settings.embedding_model.value.is_some() {
            return refused(
                "embedding_model",
                "`embedding_model` is set, but `embedding` is not: set `embedding` to the URL of the \
                 embedding service, such as http://127.0.0.1:11434/v1",
            );
        }
        return Ok(None);
    };
    if !address.contains("://") {
        if settings.embedding_model.value.is_some() {
            return refused(
                "embedding_model",
                "`embedding` is a directory, so `embedding_model` must not be set: it is only for an \
                 embedding service",
            );
        }
        let place = Path::new(address);
        if !place.is_absolute() {
            return refused(
                "embedding",
                "invalid `embedding`: use the URL of a service (http:// or https://), or the absolute path of a model directory",
            );
        }
        let model = LocalModel::open(place)
            .explain(Error::Service, "embedding")
            .map_err(|error| error.about("embedding"))?;
        return Ok(Some(Arc::new(model)));
    }
    let Some(model) = &settings.embedding_model.value else {
        return refused(
            "embedding_model",
            "`embedding` is the URL of a service, so `embedding_model` must be one of the service's models, \
             such as nomic-embed-text",
        );
    };
    let key = std::env::var("TOOLPOST_EMBEDDING_KEY").ok().filter(|key| !key.is_empty());
    let embeddings = Embeddings::new(address, model, key)
        .explain(Error::Service, "embedding")
        .map_err(|error| error.about("embedding"))?;
    Ok(Some(Arc::new(EmbeddingService::new(embeddings))))
}

/// Creates the command runner. Output too large for memory goes to unnamed files in the state directory, or without
/// one in the temporary directory.
fn commands(
    settings: &Settings,
    workspace: &Workspace,
    sandbox: Sandbox,
    policy: &Policy,
) -> Result<Commands, Error> {
    let hosts = policy.hosts().kind(Error::Policy)?;
    let commands = Commands::new(parts::spool(workspace), sandbox, hosts);
    let commands = commands.kind(Error::Commands)?;
    let commands = commands.with_resources(settings.command_resources());
    Ok(commands.with_published(settings.publish.value.clone()))
}

/// Creates the language servers, sandboxed like commands. A server installed inside a root is never started.
fn servers(workspace: &Workspace, sandbox: Sandbox) -> Servers {
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf()).collect();
    Servers::new(ServerSettings::new(sandbox, Environment::of_this_process(), roots))
}

fn encoding(settings: &Settings) -> Result<Option<&'static encoding_rs::Encoding>, Error> {
    let Some(label) = &settings.encoding.value else { return Ok(None) };
    let found = encoding_rs::Encoding::for_label(label.as_bytes());
    let unknown =
        || format!("unknown encoding `{label}`; use a label such as gbk, shift_jis or windows-1252");
    found.map(Some).explain_with(Error::Setting, unknown).map_err(|error| error.about("encoding"))
}

/// Creates the client of the code search service, if one is named and fetching is allowed.
fn code_service(settings: &Settings) -> Result<Option<Arc<CodeService>>, Error> {
    let service = crate::code_search::service(settings)?;
    Ok(service.filter(|_| !settings.denied().contains(&Access::Fetches)).map(Arc::new))
}

/// Creates the access to the dependencies of the project, unless the setting `dependencies` is off.
fn dependencies(settings: &Settings, workspace: &Workspace) -> Option<Dependencies> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let unpacked = settings.cache.value.as_ref().map(|cache| cache.join("sources"));
    let places = PackageStores { unpacked, ..PackageStores::default_locations(operator::home(), variable) };
    (settings.dependencies.value == OnOff::On).then(|| Dependencies::new(workspace.clone(), places))
}
