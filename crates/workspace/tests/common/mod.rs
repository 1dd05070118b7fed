//! Temporary test directory with a root, a directory outside the root, and a state directory.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use toolpost_workspace::{
    Action, CommitError, CommitReport, Draft, Durability, Expect, HistoryLimits, Options, Recovery, Scope,
    Workspace, WorkspacePath, hash,
};

pub(crate) const WAIT: Duration = Duration::from_secs(20);

pub(crate) struct World {
    base: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        for directory in ["ws", "out", "state", "home"] {
            fs::create_dir(base.path().join(directory)).unwrap();
        }
        // Creates the key now, because tests of system calls count only the calls of a commit.
        let key = *hash(base.path().as_os_str().as_encoded_bytes()).as_bytes();
        fs::write(base.path().join("state/seal.key"), key).unwrap();
        Self { base }
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.base.path().canonicalize().unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("ws")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.base().join("out").join(name)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base().join("state")
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            roots: vec![self.root()],
            state: Some(self.state()),
            home: Some(self.base().join("home")),
            durability: Durability::Kill,
            scope: Scope::Careful,
            history: HistoryLimits::default(),
        }
    }

    /// Returns the tree of the state directory without the history and the key. After a finished commit, it has
    /// only empty directories.
    pub(crate) fn state_tree(&self) -> Vec<String> {
        let mut tree = tree_of(&self.state());
        tree.retain(|line| !line.starts_with("history/") && !line.starts_with("seal.key="));
        tree
    }

    /// Returns a journal with its seal, as Toolpost writes it.
    pub(crate) fn sealed(&self, journal: &str) -> String {
        let key: [u8; 32] = fs::read(self.state().join("seal.key")).unwrap().try_into().unwrap();
        let rest = journal.strip_prefix('{').unwrap();
        format!("{{\"seal\":\"{}\",{rest}", blake3::keyed_hash(&key, rest.as_bytes()).to_hex())
    }

    pub(crate) fn open(&self) -> Workspace {
        self.open_and_recover().0
    }

    pub(crate) fn open_and_recover(&self) -> (Workspace, Recovery) {
        Workspace::open(self.options()).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.at(name)).unwrap()).unwrap()
    }

    /// Returns the whole tree, sorted: `name=content`, `name/`.
    pub(crate) fn tree(&self) -> Vec<String> {
        tree_of(&self.root())
    }
}

pub(crate) fn tree_of(root: &Path) -> Vec<String> {
    let mut shown = Vec::new();
    collect(root, "", &mut shown);
    shown.sort();
    shown
}

fn collect(directory: &Path, prefix: &str, shown: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            shown.push(format!("{name}/"));
            collect(&entry.path(), &format!("{name}/"), shown);
        } else if kind.is_symlink() {
            shown.push(format!("{name}->{}", fs::read_link(entry.path()).unwrap().display()));
        } else {
            shown.push(format!("{name}={}", String::from_utf8_lossy(&fs::read(entry.path()).unwrap())));
        }
    }
}

pub(crate) fn write(path: &WorkspacePath, content: &str, expect: Expect) -> Draft {
    Draft { path: path.clone(), action: Action::Write { bytes: content.into(), expect } }
}

/// Locks all paths of the drafts, and commits the drafts.
pub(crate) fn commit(workspace: &Workspace, drafts: Vec<Draft>) -> Result<CommitReport, CommitError> {
    let mut paths: Vec<WorkspacePath> = drafts.iter().map(|draft| draft.path.clone()).collect();
    paths.extend(drafts.iter().filter_map(|draft| match &draft.action {
        Action::Move { to, .. } => Some(to.clone()),
        _ => None,
    }));
    workspace.hold(&paths, WAIT).unwrap().commit(drafts, &toolpost_workspace::Cause::default())
}

/// Returns the path of the `commit` example, which commits in another process.
pub(crate) fn example() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.join("examples").join("commit")
}

pub(crate) fn is_root_user() -> bool {
    rustix::process::geteuid().is_root()
}

/// Calls a function on a thread that the modes of files apply to, also if the user is root.
pub(crate) fn obeying_modes<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut own = capabilities(None).unwrap();
            own.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, own).unwrap();
            call()
        });
        thread.join().unwrap()
    })
}

/// Returns whether system calls can be made to fail on this machine.
pub(crate) fn has_strace() -> bool {
    let found = Command::new("strace").args(["-e", "trace=none", "true"]).output();
    let works = found.is_ok_and(|output| output.status.success());
    if !works {
        toolpost_test_rows::skip("strace does not work on this machine, so no system call was made to fail");
    }
    works
}
