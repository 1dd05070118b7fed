//! The engine: all capabilities of one workspace, such as files, search and commands.

use crate::{
    access::{Touch, command::Host},
    agents::{AgentAccess, Agents},
    call::{CallCtx, permissions::MayRead},
    code::{self, Code},
    commands::{CommandAccess, Commands},
    editors::{
        EditorSetup, Editors,
        buffers::{self, BufferNotes},
    },
    edits::{AmbiguityTreatment, Edits, freshness},
    failure::Failure,
    files::{self, Files},
    find::Find,
    operation::RunsOn,
    overview::Overview,
    plans::Plans,
    search::{self, SearchBackend, Searcher},
    session::freshness::ExpectedHashes,
    skills::{self, SkillLibrary, SkillPlaces},
    tasks::{TaskBoards, store::TaskLists},
    upstream::{Bridges, UpstreamAccess},
    web::{Web, fetch::page},
    workers::blocking,
};
use encoding_rs::Encoding;
use std::{convert::Infallible, path::PathBuf, sync::Arc, time::Duration};
use toolpost_lsp::Servers;
use toolpost_net::{Resolver, System, code::Service};
use toolpost_packages::{Dependencies, ResolvedPath};
use toolpost_ranked::embed::Embedder;
use toolpost_search::Rules;
use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::{Workspace, WorkspacePath};

/// The capabilities of one workspace. Clones share their state.
#[derive(Clone)]
pub struct Engine(Arc<Capabilities>);

#[derive(Clone)]
struct Capabilities {
    files: Files,
    edits: Edits,
    find: Find,
    code: Code,
    search: Searcher,
    overview: Overview,
    commands: CommandAccess,
    web: Web,
    tasks: TaskBoards,
    skills: SkillLibrary,
    editors: Editors,
    agents: AgentAccess,
    plans: Plans,
    upstream: UpstreamAccess,
}

/// Options of an engine. They can be set in any order.
#[derive(Clone)]
pub struct EngineBuilder {
    workspace: Workspace,
    encoding: Option<&'static Encoding>,
    rules: Rules,
    several: AmbiguityTreatment,
    backend: SearchBackend,
    cache: Option<PathBuf>,
    embedder: Option<Arc<dyn Embedder>>,
    dependencies: Option<Dependencies>,
    trigrams: Option<TrigramIndex>,
    commands: Option<Commands>,
    agents: Option<Arc<dyn Agents>>,
    bridges: Option<Arc<dyn Bridges>>,
    skills: SkillPlaces,
    editing: EditorSetup,
    servers: Option<Servers>,
    service: Option<Arc<Service>>,
    resolver: Arc<dyn Resolver>,
    index_wait: Duration,
}

/// Default maximum time that a call waits for an index that is still being built.
const INDEX_WAIT: Duration = Duration::from_millis(1_500);

impl EngineBuilder {
    /// Sets the backend of natural-language search.
    #[must_use]
    pub fn with_search_backend(self, backend: SearchBackend) -> Self {
        Self { backend, ..self }
    }

    /// Sets the encoding of files that are neither UTF-8 nor marked by a byte order mark. With `None`, their encoding
    /// is unknown.
    #[must_use]
    pub fn with_encoding(self, encoding: Option<&'static Encoding>) -> Self {
        Self { encoding, ..self }
    }

    /// Sets the ignore rules for dialects that follow the setting `ignore_files`.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Sets the policy for a change that replaces the next match of a text (`ChangeTarget::Next`), if the text
    /// matches more than once.
    #[must_use]
    pub fn with_several(self, several: AmbiguityTreatment) -> Self {
        Self { several, ..self }
    }

    /// Stores the indexes in a directory; with `None`, they are only in memory.
    #[must_use]
    pub fn with_cache(self, cache: Option<PathBuf>) -> Self {
        Self { cache, ..self }
    }

    /// Sets the embedding model; the default is the model that is compiled into Toolpost.
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { embedder, ..self }
    }

    /// Allows reading these dependencies of the project; with `None`, no dependency can be read.
    #[must_use]
    pub fn with_dependencies(self, dependencies: Option<Dependencies>) -> Self {
        Self { dependencies, ..self }
    }

    /// Sets the trigram index, which selects the files that searches must read. With `None`, searches read all files.
    #[must_use]
    pub fn with_trigrams(self, trigrams: Option<TrigramIndex>) -> Self {
        Self { trigrams, ..self }
    }

    /// Allows running commands; `commands` starts and tracks them.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands: Some(commands), ..self }
    }

    /// Sets the backend that runs models and agents. With `None`, no model is configured.
    #[must_use]
    pub fn with_agents(self, agents: Option<Arc<dyn Agents>>) -> Self {
        Self { agents, ..self }
    }

    /// Sets the connections to upstream MCP servers.
    #[must_use]
    pub fn with_bridges(self, bridges: Option<Arc<dyn Bridges>>) -> Self {
        Self { bridges, ..self }
    }

    /// Sets the directories of the user's skills, and the check for trusted skills of the project.
    #[must_use]
    pub fn with_skills(self, skills: SkillPlaces) -> Self {
        Self { skills, ..self }
    }

    /// Sets the attached editor, and the fallback for text to insert at the cursor if no editor is attached.
    #[must_use]
    pub fn with_editing(self, editing: EditorSetup) -> Self {
        Self { editing, ..self }
    }

    /// Sets the language servers.
    #[must_use]
    pub fn with_servers(self, servers: Servers) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// Sets the code search service that usage searches also query.
    #[must_use]
    pub fn with_service(self, service: Option<Arc<Service>>) -> Self {
        Self { service, ..self }
    }

    /// Sets the resolver of the names of web hosts; the default is that of the operating system.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Sets the maximum time that a call waits for an index that is still being built.
    #[must_use]
    pub fn with_index_wait(self, index_wait: Duration) -> Self {
        Self { index_wait, ..self }
    }

    /// Creates the engine with all capabilities.
    #[must_use]
    pub fn build(self) -> Engine {
        let tasks = TaskBoards::new(self.workspace.clone());
        let files = Files::new(files::Deps {
            workspace: self.workspace,
            encoding: self.encoding,
            rules: self.rules,
            dependencies: self.dependencies,
        });
        let edits = Edits::new(files.clone(), self.several);
        let find = Find::new(files.clone(), self.trigrams);
        let code = Code::new(code::Deps {
            find: find.clone(),
            cache: self.cache.clone(),
            servers: self.servers,
            index_wait: self.index_wait,
        });
        let agents = AgentAccess::new(self.agents);
        let deps = search::Deps {
            code: code.clone(),
            cache: self.cache,
            embedder: self.embedder,
            backend: self.backend,
            service: self.service,
        };
        let search = Searcher::new(deps, agents.clone());
        Engine(Arc::new(Capabilities {
            overview: Overview::new(search.clone()),
            commands: CommandAccess::new(self.commands),
            web: Web::new(self.resolver),
            skills: SkillLibrary::new(files.clone(), self.skills),
            editors: Editors::new(edits.clone(), self.editing),
            plans: Plans::new(agents.clone()),
            upstream: UpstreamAccess::new(self.bridges),
            files,
            edits,
            find,
            code,
            search,
            tasks,
            agents,
        }))
    }
}

impl Engine {
    /// Creates an engine for a workspace with the default options.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self::builder(workspace).build()
    }

    /// Returns the default options for a workspace.
    #[must_use]
    pub fn builder(workspace: Workspace) -> EngineBuilder {
        EngineBuilder {
            workspace,
            encoding: None,
            rules: Rules::Git,
            several: AmbiguityTreatment::default(),
            backend: SearchBackend::default(),
            cache: None,
            embedder: None,
            dependencies: None,
            trigrams: None,
            commands: None,
            agents: None,
            bridges: None,
            skills: SkillPlaces::default(),
            editing: EditorSetup::default(),
            servers: None,
            service: None,
            resolver: Arc::new(System),
            index_wait: INDEX_WAIT,
        }
    }

    /// Returns an engine that shares all state but uses no models or agents.
    #[must_use]
    pub fn without_agents(&self) -> Self {
        let agents = AgentAccess::new(None);
        let search = self.0.search.with_agents(agents.clone());
        Self(Arc::new(Capabilities {
            overview: self.0.overview.with_search(search.clone()),
            plans: Plans::new(agents.clone()),
            search,
            agents,
            ..Capabilities::clone(&self.0)
        }))
    }

    /// Runs an operation.
    ///
    /// # Errors
    /// The errors of the operation.
    pub async fn run<O: RunsOn<Self>>(
        &self,
        request: O::Request,
        cx: &CallCtx,
    ) -> Result<O::Output, Failure> {
        O::run(O::capability(self), request, cx).await
    }

    /// Returns the workspace: the directories that tools may use.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        self.0.files.workspace()
    }

    /// Returns the ignore rules for dialects that follow the setting `ignore_files`.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.0.files.rules()
    }

    /// Returns the encoding of files that are neither UTF-8 nor marked by a byte order mark.
    #[must_use]
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.0.files.encoding()
    }

    /// Resolves a path; a link at its end is followed.
    ///
    /// # Errors
    /// `Outside` if the path leads out of every root, `Invalid` if the text is not a path.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.files.resolve(path)
    }

    /// Resolves the path of a directory entry; a link at its end is not followed.
    ///
    /// # Errors
    /// The same as for `resolve`.
    pub fn resolve_entry(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.files.resolve_entry(path)
    }

    /// Returns true if a file, a directory or a link exists at a path.
    #[must_use]
    pub fn exists(&self, path: &WorkspacePath) -> bool {
        self.0.files.workspace().stat(path).is_ok()
    }

    /// Resolves the name of a dependency.
    ///
    /// # Errors
    /// `Invalid` if the name is malformed, `NotFound` if the project does not have the dependency or this
    /// machine does not have its files, `Ambiguous` if several versions match, `Outside` if a path leads out
    /// of the package, `Denied` if dependencies must not be read.
    pub fn dependency(&self, name: &str) -> Result<ResolvedPath, Failure> {
        self.0.files.dependency(name)
    }

    /// Returns the paths of the roots, in the form that replies show.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        self.0.files.roots()
    }

    /// Returns the part of the engine that starts and tracks commands.
    ///
    /// # Errors
    /// `Denied` if running commands is disabled.
    pub fn commands(&self) -> Result<Commands, Failure> {
        self.0.commands.commands()
    }

    /// Returns the backend for models and agents.
    ///
    /// # Errors
    /// `Denied` if no model is configured; the hint names the command that explains how to configure one.
    pub fn agents(&self) -> Result<Arc<dyn Agents>, Failure> {
        self.0.agents.backend()
    }

    /// Returns the connections to upstream MCP servers.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub fn bridges(&self) -> Result<Arc<dyn Bridges>, Failure> {
        self.0.upstream.bridges()
    }

    /// Returns the attached editor, and the fallback for text to insert at the cursor if no editor is attached.
    #[must_use]
    pub fn editing(&self) -> &EditorSetup {
        self.0.editors.editing()
    }

    /// Returns the language servers; `None` if the engine was created without them.
    #[must_use]
    pub fn servers(&self) -> Option<Servers> {
        self.0.code.servers()
    }

    /// Returns the code search service that usage searches also query; `None` if none is configured.
    #[must_use]
    pub fn service(&self) -> Option<Arc<Service>> {
        self.0.search.service()
    }

    /// Lists the user's skills, and the project's skills whose files `may` allows reading.
    #[must_use]
    pub fn skills(&self, may: &MayRead) -> skills::FoundSkills {
        let Ok(found) = skills::find::find(&self.0.skills, may, || Ok::<(), Infallible>(()));
        found
    }

    /// Lists the stored task lists of this workspace.
    ///
    /// # Errors
    /// `Io` if the lists cannot be read.
    pub fn task_lists(&self) -> Result<TaskLists, Failure> {
        self.0.tasks.tasks()?.lists()
    }

    /// Pauses the construction of the indexes, until [`Self::resume_indexes`].
    ///
    /// While the construction is paused, a call reads only the files that are likely to contain the answer.
    /// Tests use this to get answers from an incomplete index without a large workspace.
    pub fn pause_indexes(&self) {
        self.0.code.index().pause();
        self.0.search.words().pause();
    }

    /// Resumes the construction of the indexes.
    pub fn resume_indexes(&self) {
        self.0.code.index().resume();
        self.0.search.words().resume();
    }

    /// Checks that the caller has seen the content that a call overwrites. Returns, for each overwritten
    /// file, the hash of the content that the caller has seen.
    ///
    /// # Errors
    /// `Unread` if the caller must read a file first, `Stale` if a file changed after the caller read it or does not
    /// have the pinned content, `Invalid` if a content pin does not fit the files that the call writes.
    pub async fn freshness(&self, cx: &CallCtx, touches: Vec<Touch>) -> Result<Arc<ExpectedHashes>, Failure> {
        let (files, cx) = (self.0.files.clone(), cx.clone());
        blocking(move || freshness::judge(&files, &cx, &touches).map(Arc::new)).await
    }

    /// Checks that a host which needs approval can be fetched from, so that the user is not asked about a host that
    /// would be refused afterwards. Looks up its name.
    ///
    /// # Errors
    /// `NotFound` if the name does not resolve, `Denied` if it resolves to a private address.
    pub async fn check_host(&self, host: &Host) -> Result<(), Failure> {
        page::check_host(&self.0.web, host).await
    }

    /// Checks the files that a call names for unsaved changes in the attached editor; returns notes for the
    /// reply.
    ///
    /// # Errors
    /// `Conflict` if the call would write a file that has unsaved changes in the editor.
    pub async fn check_buffers(&self, cx: &CallCtx, touches: Vec<Touch>) -> Result<BufferNotes, Failure> {
        buffers::check(&self.0.editors, cx, touches).await
    }
}

impl AsRef<Files> for Engine {
    fn as_ref(&self) -> &Files {
        &self.0.files
    }
}

impl AsRef<Edits> for Engine {
    fn as_ref(&self) -> &Edits {
        &self.0.edits
    }
}

impl AsRef<Find> for Engine {
    fn as_ref(&self) -> &Find {
        &self.0.find
    }
}

impl AsRef<Code> for Engine {
    fn as_ref(&self) -> &Code {
        &self.0.code
    }
}

impl AsRef<Searcher> for Engine {
    fn as_ref(&self) -> &Searcher {
        &self.0.search
    }
}

impl AsRef<Overview> for Engine {
    fn as_ref(&self) -> &Overview {
        &self.0.overview
    }
}

impl AsRef<CommandAccess> for Engine {
    fn as_ref(&self) -> &CommandAccess {
        &self.0.commands
    }
}

impl AsRef<Web> for Engine {
    fn as_ref(&self) -> &Web {
        &self.0.web
    }
}

impl AsRef<TaskBoards> for Engine {
    fn as_ref(&self) -> &TaskBoards {
        &self.0.tasks
    }
}

impl AsRef<SkillLibrary> for Engine {
    fn as_ref(&self) -> &SkillLibrary {
        &self.0.skills
    }
}

impl AsRef<Editors> for Engine {
    fn as_ref(&self) -> &Editors {
        &self.0.editors
    }
}

impl AsRef<AgentAccess> for Engine {
    fn as_ref(&self) -> &AgentAccess {
        &self.0.agents
    }
}

impl AsRef<Plans> for Engine {
    fn as_ref(&self) -> &Plans {
        &self.0.plans
    }
}

impl AsRef<UpstreamAccess> for Engine {
    fn as_ref(&self) -> &UpstreamAccess {
        &self.0.upstream
    }
}
