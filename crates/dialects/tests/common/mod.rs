//! Test workspaces: a root, a secret file outside it, and a runtime that serves a dialect.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, Agents, AmbiguityTreatment, CodeService, Commands, Dependencies, EditorSetup, Engine,
    EngineBuilder, Environment, Hosts, PackageStores, Plan, Progress, Sandbox, ServerSettings, Servers,
    Session, SkillPlaces, operations::grep::Rules,
};
use toolpost_runtime::{Call, Config, Outcome, Policy, Runtime, StructuredOutput, ToolSelection, Verdict};
use toolpost_tool::Dialect;
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// Content of the file outside the root.
pub(crate) const SECRET: &str = "secret";

/// A test workspace: an empty root, a runtime and a session.
pub(crate) struct World {
    base: tempfile::TempDir,
    root: PathBuf,
    runtime: Arc<Runtime>,
    session: Arc<Session>,
}

impl World {
    pub(crate) fn new(dialect: &'static Dialect) -> Self {
        Self::built(dialect, |engine| engine, |config| config)
    }

    /// Creates a workspace with structured replies.
    pub(crate) fn structured(dialect: &'static Dialect) -> Self {
        Self::built(dialect, |engine| engine, |config| Config { structured: StructuredOutput::On, ..config })
    }

    /// Creates a workspace with a configured encoding for files that are not UTF-8.
    pub(crate) fn encoded(dialect: &'static Dialect, label: Option<&str>) -> Self {
        let encoding = label.map(|label| encoding_rs::Encoding::for_label(label.as_bytes()).unwrap());
        Self::built(dialect, |engine| engine.with_encoding(encoding), |config| config)
    }

    /// Creates a workspace with the setting `ignore_files`.
    pub(crate) fn ruled(dialect: &'static Dialect, rules: Rules) -> Self {
        Self::built(dialect, |engine| engine.with_rules(rules), |config| config)
    }

    /// Creates a workspace with the setting `first_match`.
    pub(crate) fn several(dialect: &'static Dialect, several: AmbiguityTreatment) -> Self {
        Self::built(dialect, |engine| engine.with_several(several), |config| config)
    }

    /// Creates a workspace without access to dependencies.
    pub(crate) fn without_dependencies(dialect: &'static Dialect) -> Self {
        Self::built(dialect, |engine| engine.with_dependencies(None), |config| config)
    }

    /// Creates a workspace with a remote code search service.
    pub(crate) fn consulting(
        dialect: &'static Dialect,
        service: CodeService,
        policy: Policy,
        deny: &[Access],
    ) -> Self {
        let service = Some(Arc::new(service));
        let narrow = ToolSelection { deny: deny.to_vec(), ..ToolSelection::default() };
        Self::built(
            dialect,
            |engine| engine.with_service(service),
            |config| Config { policy, narrow, ..config },
        )
    }

    /// Creates a workspace with two dialects and a remote code search service.
    pub(crate) fn beside_consulting(
        first: &'static Dialect,
        second: &'static Dialect,
        service: CodeService,
    ) -> Self {
        let service = Some(Arc::new(service));
        Self::built(
            first,
            |engine| engine.with_service(service),
            |config| Config { dialects: vec![first, second], ..config },
        )
    }

    /// Creates a workspace with a time limit for calls.
    pub(crate) fn hurried(dialect: &'static Dialect, time: Duration) -> Self {
        Self::built(dialect, |engine| engine, |config| Config { deadline: Some(time), ..config })
    }

    /// Creates a workspace with model clients and subagents.
    pub(crate) fn answering(dialect: &'static Dialect, agents: Arc<dyn Agents>) -> Self {
        Self::built(dialect, |engine| engine.with_agents(Some(agents)), |config| config)
    }

    /// Creates a workspace with an attached editor, or with editor tools that write to disk.
    pub(crate) fn edited(dialect: &'static Dialect, editing: EditorSetup) -> Self {
        Self::built(dialect, |engine| engine.with_editing(editing), |config| config)
    }

    /// Creates a workspace with two dialects.
    pub(crate) fn beside(first: &'static Dialect, second: &'static Dialect) -> Self {
        Self::built(first, |engine| engine, |config| Config { dialects: vec![first, second], ..config })
    }

    /// Creates a workspace with two dialects; only the second one lists its tools.
    pub(crate) fn only(first: &'static Dialect, second: &'static Dialect) -> Self {
        let narrow = ToolSelection { shown: Some(second.name), ..ToolSelection::default() };
        Self::built(
            first,
            |engine| engine,
            |config| Config { dialects: vec![first, second], narrow, ..config },
        )
    }

    /// Creates a workspace with paused indexing. Returns the engine, which can resume it.
    pub(crate) fn paused(dialect: &'static Dialect) -> (Self, Engine) {
        Self::paused_for(dialect, Duration::from_millis(1_500))
    }

    /// Creates a workspace with paused indexing, whose calls wait for an incomplete index for at most `wait`. Returns the
    /// engine, which can resume it.
    pub(crate) fn paused_for(dialect: &'static Dialect, wait: Duration) -> (Self, Engine) {
        let world = Self::built(dialect, |engine| engine.with_index_wait(wait), |config| config);
        let engine = world.runtime.engine().clone();
        engine.pause_indexes();
        (world, engine)
    }

    /// Creates a workspace whose calls do not wait for an incomplete index.
    pub(crate) fn impatient(dialect: &'static Dialect) -> Self {
        Self::built(dialect, |engine| engine.with_index_wait(Duration::ZERO), |config| config)
    }

    /// Creates a workspace with a modified configuration.
    pub(crate) fn configured(dialect: &'static Dialect, config: impl FnOnce(Config) -> Config) -> Self {
        Self::built(dialect, |engine| engine, config)
    }

    fn built(
        dialect: &'static Dialect,
        engine: impl FnOnce(EngineBuilder) -> EngineBuilder,
        config: impl FnOnce(Config) -> Config,
    ) -> Self {
        Self::rooted(&["ws"], dialect, engine, config)
    }

    /// Creates a workspace with a second root, the directory `other` next to the first root.
    pub(crate) fn with_second_root(dialect: &'static Dialect) -> (Self, PathBuf) {
        let world = Self::rooted(&["ws", "other"], dialect, |engine| engine, |config| config);
        let other = world.base.path().join("other");
        (world, other)
    }

    fn rooted(
        names: &[&str],
        dialect: &'static Dialect,
        engine: impl FnOnce(EngineBuilder) -> EngineBuilder,
        config: impl FnOnce(Config) -> Config,
    ) -> Self {
        let base = tempfile::tempdir().unwrap();
        let roots: Vec<PathBuf> = names.iter().map(|name| base.path().join(name)).collect();
        let (root, state) = (roots[0].clone(), base.path().join("state"));
        for directory in roots.iter().chain([&state, &base.path().join("out")]) {
            fs::create_dir(directory).unwrap();
        }
        fs::write(base.path().join("out/secret"), SECRET).unwrap();
        let options = Options { roots, state: Some(state), ..Options::default() };
        let (workspace, _) = Workspace::open(options).unwrap();
        let plain = Config {
            dialects: vec![dialect],
            narrow: ToolSelection::default(),
            policy: Policy::built_in().unwrap(),
            deadline: None,
            reply_bytes: None,
            structured: StructuredOutput::Off,
        };
        let commands = Commands::new(base.path().join("state"), Sandbox::Off, Hosts::default()).unwrap();
        // `PATH` names only a missing directory, so that replies are the same on every machine.
        let nowhere = Environment::of_this_process().with("PATH", "/nowhere");
        let servers = Servers::new(ServerSettings::new(
            Sandbox::On(Plan::new([root.clone()])),
            nowhere,
            vec![root.clone()],
        ));
        // The user trusts the skills of the project.
        let skills =
            SkillPlaces { user: vec![base.path().join("home/skills")], trusted: Arc::new(|_, _| true) };
        let home = base.path().join("home");
        let places = PackageStores {
            cargo: Some(home.join(".cargo")),
            go: Some(home.join("go/pkg/mod")),
            maven: Some(home.join(".m2/repository")),
            gradle: Some(home.join(".gradle/caches/modules-2/files-2.1")),
            unpacked: Some(base.path().join("cache/sources")),
            ..PackageStores::default()
        };
        let dependencies = Dependencies::new(workspace.clone(), places);
        // Tests compare whole replies, so calls must not time out on a busy machine.
        let whole = Engine::builder(workspace)
            .with_index_wait(Duration::from_secs(60))
            .with_commands(commands)
            .with_servers(servers)
            .with_dependencies(Some(dependencies))
            .with_skills(skills);
        let runtime = Runtime::new(engine(whole).build(), config(plain)).unwrap();
        Self { runtime: Arc::new(runtime), session: Session::new(), base, root }
    }

    /// Starts a new session, which has seen no files.
    pub(crate) fn begin_anew(&mut self) {
        self.session = Session::new();
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.runtime.call(self.saying(tool, arguments)).await
    }

    /// Makes a call whose prompts are all approved.
    pub(crate) async fn allowed(&self, tool: &str, arguments: Value) -> Outcome {
        self.made(Call { asker: Arc::new(Verdict::Allow), ..self.saying(tool, arguments) }).await
    }

    /// Makes a call that the test has built.
    pub(crate) async fn made(&self, call: Call) -> Outcome {
        self.runtime.call(call).await
    }

    /// Returns a call of this session that cannot prompt.
    pub(crate) fn saying(&self, tool: &str, arguments: Value) -> Call {
        Call {
            tool: tool.to_owned(),
            arguments,
            session: self.session.clone(),
            cancel: CancellationToken::new(),
            asker: Arc::new(Verdict::Deny("Nobody is here.".to_owned())),
            progress: Progress::silent(),
        }
    }

    /// Writes a file into the home directory, where package managers store packages.
    pub(crate) fn put_at_home(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.base.path().join("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the server instructions.
    pub(crate) fn instructions(&self) -> String {
        self.runtime.instructions()
    }

    /// Returns a path in the workspace.
    pub(crate) fn path(&self, said: &str) -> WorkspacePath {
        self.runtime.engine().resolve(said).unwrap()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the content of the file outside the root.
    pub(crate) fn secret(&self) -> String {
        fs::read_to_string(self.base.path().join("out/secret")).unwrap()
    }

    /// Returns the files in the root with their content.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.root, &self.root, &mut found);
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, found);
        } else if path.is_file() {
            found.insert(path.strip_prefix(root).unwrap().display().to_string(), fs::read(&path).unwrap());
        }
    }
}

/// Parses the rows of a JSON file; the path is relative to the directory `crates`.
pub(crate) fn rows(path: &str) -> Vec<Value> {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_slice(&bytes).unwrap()
}

/// Returns the text of an outcome.
pub(crate) fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done(answer) | Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => answer.words(),
        Outcome::Ask(question) => question.reason.clone(),
    }
}

/// Returns a runtime for the rows of a table, which are not asynchronous.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
