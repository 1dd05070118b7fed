//! The engine: a workspace, and what the operations need to know beside it.

use crate::{
    Agents, Bridges, BufferNotes, CallCtx, Commands, Editing, Expected, Failure, Hint, Kind, MayRead,
    Seeking, Several, Touch, agents, bridges, editors, failures,
    fetching::Cache,
    fresh,
    indexed::Withheld,
    navigating::Upgrades,
    packages::{self, Package, Packages},
    projects::Projects,
    skills::{self, SkillPlaces},
    tasks::{TaskLists, Tasks},
};
use encoding_rs::Encoding;
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};
use tokio::sync::Semaphore;
use toolpost_grams::Grams;
use toolpost_index::Index;
use toolpost_index::embed::{BadModel, Embedder, Static};
use toolpost_index::ranked::{Index as Words, Meaning};
use toolpost_lsp::Servers;
use toolpost_packages::{Dependencies, ResolvedPath};
use toolpost_search::Rules;
use toolpost_workspace::{Workspace, WorkspacePath};

/// The engine: what the operations work on.
#[derive(Clone)]
pub struct Engine {
    workspace: Workspace,
    encoding: Option<&'static Encoding>,
    rules: Rules,
    several: Several,
    seeking: Seeking,
    commands: Option<Commands>,
    servers: Option<Servers>,
    projects: Arc<Projects>,
    index: Index,
    grams: Option<Grams>,
    withheld: Arc<Withheld>,
    words: Words,
    dependencies: Option<Dependencies>,
    packages: Arc<Packages>,
    embedder: Option<Arc<dyn Embedder>>,
    meaning: Arc<OnceLock<Result<Meaning, BadModel>>>,
    upgrades: Arc<Upgrades>,
    index_wait: Duration,
    /// True while vectors are made in the background.
    pub(crate) filling: Arc<AtomicBool>,
    agents: Option<Arc<dyn Agents>>,
    fetched: Arc<Cache>,
    pub(crate) service: Option<Arc<crate::CodeService>>,
    bridges: Option<Arc<dyn Bridges>>,
    skills: SkillPlaces,
    editing: Editing,
    tasks: Arc<OnceLock<Result<Tasks, Failure>>>,
}

impl Engine {
    /// Makes an engine over a workspace.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        let index = Index::new(workspace.clone(), None);
        let words = Words::new(workspace.clone());
        Self {
            workspace,
            index,
            grams: None,
            withheld: Arc::default(),
            words,
            dependencies: None,
            packages: Arc::default(),
            embedder: None,
            meaning: Arc::default(),
            upgrades: Arc::default(),
            index_wait: INDEX_WAIT,
            filling: Arc::default(),
            agents: None,
            fetched: Arc::default(),
            service: None,
            bridges: None,
            skills: SkillPlaces::default(),
            editing: Editing::default(),
            tasks: Arc::default(),
            encoding: None,
            rules: Rules::Git,
            several: Several::default(),
            seeking: Seeking::default(),
            commands: None,
            servers: None,
            projects: Arc::default(),
        }
    }

    /// Says who finds what a search in words asks for.
    #[must_use]
    pub fn with_seeking(self, seeking: Seeking) -> Self {
        Self { seeking, ..self }
    }

    /// Gives who finds what a search in words asks for.
    pub(crate) fn seeking(&self) -> Seeking {
        self.seeking
    }

    /// Names the encoding of files that are neither UTF-8 nor marked by a BOM.
    #[must_use]
    pub fn with_encoding(self, encoding: Option<&'static Encoding>) -> Self {
        let (meaning, packages) = (Arc::default(), Arc::new(self.packages.anew()));
        Self { words: self.words.with_encoding(encoding), meaning, packages, encoding, ..self }
    }

    /// Says whose ignore rules count where a dialect leaves that to the project.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Gives whose ignore rules count where a dialect leaves that to the project.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Says what happens where a text that is looked for in order stands in several places.
    #[must_use]
    pub fn with_several(self, several: Several) -> Self {
        Self { several, ..self }
    }

    /// Gives what happens where a text that is looked for in order stands in several places.
    #[must_use]
    pub fn several(&self) -> Several {
        self.several
    }

    /// Lets what is known of code outlive the process, in a folder.
    #[must_use]
    pub fn with_cache(self, folder: Option<PathBuf>) -> Self {
        let words = self.words.kept_in(folder.clone());
        let packages = Arc::new(Packages::kept_in(folder.as_ref().map(|folder| folder.join("packages"))));
        let index = Index::new(self.workspace.clone(), folder);
        Self { index, withheld: Arc::default(), meaning: Arc::default(), words, packages, ..self }
    }

    /// Names the model that makes vectors of texts; without one the embedded model does.
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        let packages = Arc::new(self.packages.anew());
        Self { embedder, meaning: Arc::default(), packages, ..self }
    }

    /// Lets what the project depends on be read.
    #[must_use]
    pub fn with_dependencies(self, dependencies: Option<Dependencies>) -> Self {
        Self { dependencies, ..self }
    }

    /// Gives what the project depends on.
    ///
    /// # Errors
    /// `Denied` where it may not be read.
    pub(crate) fn dependencies(&self) -> Result<&Dependencies, Failure> {
        self.dependencies.as_ref().ok_or_else(packages::switched_off)
    }

    /// Finds what the name of a dependency leads to.
    ///
    /// # Errors
    /// `Invalid` when it is no name, `NotFound` when the project does not depend on it or it is not on this machine, `Ambiguous`
    /// when several versions could be meant, `Outside` when it leads out of the package, `Denied` when none may be read.
    pub fn dependency(&self, said: &str) -> Result<ResolvedPath, Failure> {
        self.dependencies()?.resolve(said).map_err(packages::unresolved)
    }

    /// Gives the package in which a place lies, if that is aside of the roots.
    pub(crate) fn package(&self, place: &WorkspacePath) -> Option<Package> {
        self.packages.of(self, place)
    }

    /// Gives the model that makes vectors.
    ///
    /// # Errors
    /// As `meaning`.
    pub(crate) fn model(&self) -> Result<Arc<dyn Embedder>, Failure> {
        self.meaning().map(|meaning| meaning.model().clone())
    }

    /// Gives the vectors of the workspace's blocks.
    ///
    /// # Errors
    /// `Internal` when the embedded model cannot be used.
    pub(crate) fn meaning(&self) -> Result<Meaning, Failure> {
        let made = self.meaning.get_or_init(|| {
            let model = match &self.embedder {
                Some(model) => model.clone(),
                None => Static::embedded()?,
            };
            Ok(Meaning::new(model, self.words.folder()))
        });
        made.clone().map_err(|bad| Failure::new(Kind::Internal, failures::sentence(&bad.to_string())))
    }

    /// Lets searches read only the files that can match, by an index that is kept as long as the engine lives.
    #[must_use]
    pub fn with_grams(self, grams: Option<Grams>) -> Self {
        Self { grams, ..self }
    }

    /// Gives the index by which searches read only the files that can match.
    pub(crate) fn grams(&self) -> Option<&Grams> {
        self.grams.as_ref()
    }

    /// Gives the same for searches at a place; none where it lies aside of the roots, of which the index knows nothing.
    pub(crate) fn grams_of(&self, place: &WorkspacePath) -> Option<&Grams> {
        self.grams().filter(|_| place.root().label().is_none())
    }

    /// Lets commands be run.
    #[must_use]
    pub fn with_commands(self, commands: Commands) -> Self {
        Self { commands: Some(commands), ..self }
    }

    /// Gives what commands are run with.
    ///
    /// # Errors
    /// `Denied` where none may be run.
    pub fn commands(&self) -> Result<Commands, Failure> {
        self.commands.clone().ok_or_else(|| {
            let advice = "Do it with the tools for files, or leave the command to the user.";
            Failure::new(Kind::Denied, "No commands can be run here: this runtime was made without them.")
                .hint(Hint::Advice(advice.to_owned()))
        })
    }

    /// Lets models and agents be asked.
    #[must_use]
    pub fn with_agents(self, agents: Option<Arc<dyn Agents>>) -> Self {
        Self { agents, ..self }
    }

    /// Gives who is asked where a model is needed.
    ///
    /// # Errors
    /// `Denied` where there is nobody, with how the user changes that.
    pub fn agents(&self) -> Result<Arc<dyn Agents>, Failure> {
        self.agents.clone().ok_or_else(agents::nobody)
    }

    /// Lets the tools of other servers be called.
    #[must_use]
    pub fn with_bridges(self, bridges: Option<Arc<dyn Bridges>>) -> Self {
        Self { bridges, ..self }
    }

    /// Gives the way to other servers.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn bridges(&self) -> Result<Arc<dyn Bridges>, Failure> {
        self.bridges.clone().ok_or_else(bridges::none)
    }

    /// Says where the user's skills lie, and which of a project's are trusted.
    #[must_use]
    pub fn with_skills(self, skills: SkillPlaces) -> Self {
        Self { skills, ..self }
    }

    /// Says which editor is used.
    #[must_use]
    pub fn with_editing(self, editing: Editing) -> Self {
        Self { editing, ..self }
    }

    /// Gives which editor is used.
    #[must_use]
    pub fn editing(&self) -> &Editing {
        &self.editing
    }

    /// Finds all skills, as they are now.
    #[must_use]
    pub fn skills(&self, may: &MayRead) -> skills::Found {
        skills::find(self, &self.skills, may)
    }

    /// Gives the lists of tasks.
    pub(crate) fn tasks(&self) -> Result<&Tasks, Failure> {
        self.tasks.get_or_init(|| Tasks::of(&self.workspace)).as_ref().map_err(Clone::clone)
    }

    /// Lists what is kept of the tasks of sessions in this workspace.
    ///
    /// # Errors
    /// `Io` when what is kept cannot be read.
    pub fn task_lists(&self) -> Result<TaskLists, Failure> {
        self.tasks()?.lists()
    }

    /// Lets language servers be asked.
    #[must_use]
    pub fn with_servers(self, servers: Servers) -> Self {
        Self { servers: Some(servers), ..self }
    }

    /// Gives the language servers; none where none is asked.
    #[must_use]
    pub fn servers(&self) -> Option<Servers> {
        self.servers.clone()
    }

    /// Gives what was fetched lately.
    pub(crate) fn fetched(&self) -> &Cache {
        &self.fetched
    }

    /// Gives what is known of the files of the workspace.
    pub(crate) fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }

    /// Sets how long a call waits for an index that is not complete, before it answers with what is known so far.
    #[must_use]
    pub fn with_index_wait(self, index_wait: Duration) -> Self {
        Self { index_wait, ..self }
    }

    /// The time that a call waits for an index that is not complete.
    pub(crate) fn index_wait(&self) -> Duration {
        self.index_wait
    }

    /// Stops building the indexes of symbols and words, or goes on: until then only the files are read that an answer needs first. With
    /// this a test sees answers from an incomplete index without a large workspace.
    pub fn pause_indexes(&self, paused: bool) {
        self.index.pause(paused);
        self.words.pause(paused);
    }

    /// Gives which servers are asked about calls beside all else.
    pub(crate) fn upgrades(&self) -> &Upgrades {
        &self.upgrades
    }

    /// Gives the index of the workspace's symbols.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Gives which files of the index may not be told of.
    pub(crate) fn withheld(&self) -> &Withheld {
        &self.withheld
    }

    /// Gives the index of the workspace's words.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Gives the workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Gives the encoding of files that are neither UTF-8 nor marked by a BOM.
    #[must_use]
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.encoding
    }

    /// Finds the place that was said.
    ///
    /// # Errors
    /// `Outside` when it leads out of every root, `Invalid` when it is no path.
    pub fn resolve(&self, said: &str) -> Result<WorkspacePath, Failure> {
        self.workspace.resolve(said).map_err(failures::path)
    }

    /// Finds the name that was said; a link at the end is the link itself.
    ///
    /// # Errors
    /// As `resolve`.
    pub fn resolve_entry(&self, said: &str) -> Result<WorkspacePath, Failure> {
        self.workspace.resolve_entry(said).map_err(failures::path)
    }

    /// Lists the roots, as they are shown.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        self.workspace.roots().iter().map(toolpost_workspace::Root::shown).collect()
    }

    /// Judges whether the caller knows what it is about to write over, and says what it has seen.
    ///
    /// # Errors
    /// `Unread` when it must read first, `Stale` when it would write over what it has not seen.
    pub async fn freshness(&self, cx: &CallCtx, touches: Vec<Touch>) -> Result<Expected, Failure> {
        let (engine, cx) = (self.clone(), cx.clone());
        blocking(move || fresh::judge(&engine, &cx, &touches)).await
    }

    /// Compares the files that a call names with the buffers of the attached editor; returns notes for the reply.
    ///
    /// # Errors
    /// `Conflict` if the call would write a file that has unsaved changes in the editor.
    pub async fn check_buffers(&self, cx: &CallCtx, touches: Vec<Touch>) -> Result<BufferNotes, Failure> {
        editors::check_buffers(self, cx, touches).await
    }
}

/// The default time that a call waits for an index that is not complete.
const INDEX_WAIT: Duration = Duration::from_millis(1_500);

/// How many threads work for calls at the same time. Whoever makes the threads makes some more: what listens to clients
/// needs one, too, and never waits for this work.
pub const WORKERS: usize = 32;

static AT_WORK: Semaphore = Semaphore::const_new(WORKERS);

/// Runs work that waits for the disk beside the others; a panic goes on to whoever waits.
///
/// # Errors
/// What the work fails with.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The semaphore is never closed: without a place the work is done all the same.
    let place = AT_WORK.acquire().await.ok();
    let work = move || {
        // Given back by the thread: a call that is given up may leave it at work.
        let _place = place;
        work()
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(_) => Err(Failure::new(Kind::Cancelled, "The server is ending.")),
        },
    }
}
