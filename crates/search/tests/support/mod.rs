//! Small trees for searches.
#![allow(dead_code, unreachable_pub, reason = "each test file uses what it needs")]
#![allow(clippy::print_stderr, reason = "a skipped comparison is reported")]

pub mod dice;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use toolpost_search::{GlobRequest, GrepOutput, GrepRequest, HiddenFiles, Rules, SearchError};
use toolpost_workspace::{Options, Workspace};

/// A directory with files, open as a workspace.
pub struct World {
    pub workspace: Workspace,
    pub directory: TempDir,
}

impl World {
    /// Creates files: a name that ends with `/` is a directory, content that begins with `->` a symlink.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir(&root).unwrap();
        let options = Options { roots: vec![root], ..Options::default() };
        let world = Self { workspace: Workspace::open(options).unwrap().0, directory };
        for (name, content) in files {
            world.add(name.as_bytes(), content.as_bytes());
        }
        world
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub fn add(&self, name: &[u8], content: &[u8]) {
        let path = self.root().join(OsStr::from_bytes(name));
        if name.ends_with(b"/") {
            std::fs::create_dir_all(path).unwrap();
            return;
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content.strip_prefix(b"->") {
            Some(target) => symlink(OsStr::from_bytes(target), path).unwrap(),
            None => std::fs::write(path, content).unwrap(),
        }
    }

    /// Sets the modification time of a file, in seconds since 1970.
    pub fn changed(&self, name: &str, seconds: u64) {
        let file = std::fs::File::options().write(true).open(self.root().join(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    pub fn glob(&self, pattern: &str) -> GlobRequest {
        GlobRequest {
            rules: Rules::Git,
            hidden: HiddenFiles::Skip,
            ..GlobRequest::of(self.workspace.resolve(".").unwrap(), pattern)
        }
    }

    pub fn grep(&self, pattern: &str) -> GrepRequest {
        GrepRequest::of(self.workspace.resolve(".").unwrap(), pattern)
    }
}

/// Runs work as a user without root's privileges, even if the tests run as root: each thread has its own
/// credentials.
pub fn bound<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let bound = || {
        if rustix::process::geteuid().is_root() {
            rustix::thread::set_thread_uid(rustix::fs::Uid::from_raw(65534)).unwrap();
        }
        work()
    };
    std::thread::scope(|scope| scope.spawn(bound).join().unwrap())
}

/// Removes all permissions of a directory.
pub fn lock(directory: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o000)).unwrap();
}

/// Restores the permissions, so that the directory can be removed.
pub fn unlock(directory: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// Formats lines as `path:number:text`, context with `-`, gaps as `--`.
pub fn lines(output: &Result<GrepOutput, SearchError>) -> Vec<String> {
    let output = match output {
        Ok(output) => output,
        Err(error) => return vec![format!("error: {error}")],
    };
    let mut shown = Vec::new();
    for file in &output.files {
        for line in &file.lines {
            if line.after_gap {
                shown.push("--".to_owned());
            }
            let sign = if line.role == toolpost_search::grep::Role::Match { ':' } else { '-' };
            shown.push(format!("{}{sign}{}{sign}{}", file.path.display(), line.number, line.text));
        }
    }
    shown
}

/// Runs a program in a directory and returns its sorted lines; `None`, with a message, if it is not
/// installed.
pub fn program(directory: &std::path::Path, command: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let output = std::process::Command::new(command).args(arguments).current_dir(directory).output();
    let Ok(output) = output else {
        toolpost_test_rows::skip(&format!("{command} is not installed, so nothing was compared with it"));
        return None;
    };
    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    Some(lines)
}
