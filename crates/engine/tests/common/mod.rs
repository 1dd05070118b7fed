//! The test environment: a root, a secret file outside it, and an engine with one session.

use std::{fs, os::unix::fs::symlink, path::PathBuf, sync::Arc};
use tempfile::TempDir;
use toolpost_engine::{
    AllowedAddresses, CallCtx, Engine, Failure, Fresh, Host, Kind, MayRead, Permissions, RunsOn, Session,
    operations::{
        change::{Change, ChangeFiles, Output, Request},
        read::{self, Read},
    },
};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// A root with files, and one session in it.
pub(crate) struct World {
    pub(crate) base: TempDir,
    pub(crate) engine: Engine,
    pub(crate) session: Arc<Session>,
}

impl World {
    /// Creates an environment with these files. The content `-> target` makes a symlink, and a name with
    /// a slash at its end makes a directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let base = TempDir::new().unwrap();
        for directory in ["ws", "state", "out"] {
            fs::create_dir(base.path().join(directory)).unwrap();
        }
        fs::write(base.path().join("out/secret"), "secret").unwrap();
        let (roots, state) = (vec![base.path().join("ws")], Some(base.path().join("state")));
        let (workspace, _) = Workspace::open(Options { roots, state, ..Options::default() }).unwrap();
        let world = Self { base, engine: Engine::new(workspace), session: Session::new() };
        files.iter().for_each(|(name, text)| world.put(name, text));
        world
    }

    /// Creates a file in the root, and its missing parent directories.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let (path, bytes) = (self.at(name), bytes.as_ref());
        if name.ends_with('/') {
            return fs::create_dir_all(path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match bytes.strip_prefix(b"-> ") {
            Some(target) => symlink(str::from_utf8(target).unwrap(), path).unwrap(),
            None => fs::write(path, bytes).unwrap(),
        }
    }

    /// Returns the path of a name in the root.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.base.path().join("ws").join(name)
    }

    pub(crate) fn cx(&self, fresh: Fresh) -> CallCtx {
        CallCtx { fresh, ..permissive(self.session.clone()) }
    }

    /// Runs an operation like the `fresh` layer of the runtime: checks freshness, runs, records the seen
    /// content.
    pub(crate) async fn run<O: RunsOn<Engine>>(
        &self,
        request: O::Request,
        mut cx: CallCtx,
    ) -> Result<O::Output, Failure> {
        cx.expected = self.engine.freshness(&cx, O::touches(&request)).await?;
        let output = self.engine.run::<O>(request, &cx).await?;
        O::seen(&output).into_iter().for_each(|seen| self.session.record(seen));
        Ok(output)
    }

    pub(crate) async fn change(&self, changes: Vec<Change>, fresh: Fresh) -> Result<Output, Failure> {
        self.run::<ChangeFiles>(Request { changes }, self.cx(fresh)).await
    }

    pub(crate) async fn read(&self, name: &str, offset: u64, limit: u64) {
        let path = self.engine.resolve(name).unwrap();
        let request = read::Request { offset, limit, ..read::Request::of(path, name.to_owned(), 100_000) };
        self.run::<Read>(request, self.cx(Fresh::REQUIRED)).await.unwrap();
    }

    /// Lists every file with its content and every symlink with its target, sorted by name.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut open = vec![self.at("")];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.at("")).unwrap().display().to_string();
                if let Ok(target) = fs::read_link(&path) {
                    files.push((name, format!("-> {}", target.display())));
                } else if path.is_dir() {
                    open.push(path);
                } else {
                    files.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }

    /// Returns the kind of a failure, and its text: number of the failed change, problem, message.
    pub(crate) fn said(&self, failure: &Failure) -> (Kind, String) {
        let root = self.at("").canonicalize().unwrap().display().to_string();
        let change = failure.facts.change.map_or(String::new(), |number| format!("#{number} "));
        let trouble = failure.facts.trouble.map_or(String::new(), |trouble| format!("{trouble:?}: "));
        (failure.kind, format!("{change}{trouble}{}", failure.what.replace(&root, "ROOT")))
    }
}

/// Permissions that allow everything except what a test withholds. Only tests use them.
pub(crate) struct Permissive {
    pub(crate) read: MayRead,
    pub(crate) write: MayRead,
    pub(crate) delegate: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Default for Permissive {
    fn default() -> Self {
        Self { read: Arc::new(|_| true), write: Arc::new(|_| true), delegate: Box::new(|_| true) }
    }
}

impl Permissions for Permissive {
    fn read_filter(&self) -> MayRead {
        self.read.clone()
    }

    fn may_write(&self, path: &WorkspacePath) -> bool {
        (self.write)(path)
    }

    fn reach(&self, _: &Host) -> Result<AllowedAddresses, String> {
        Ok(AllowedAddresses::Public)
    }

    fn may_delegate(&self, agent: &str) -> bool {
        (self.delegate)(agent)
    }

    fn may_consult(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Returns a call context that allows everything. Only tests use it.
pub(crate) fn permissive(session: Arc<Session>) -> CallCtx {
    CallCtx {
        permissions: Arc::new(Permissive::default()),
        fresh: Fresh::NOT_ASKED,
        ..CallCtx::denied(session)
    }
}

pub(crate) fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Runs a task to its end, for the rows of a table, which are not asynchronous.
pub(crate) fn block_on<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}
