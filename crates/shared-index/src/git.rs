//! Reading of commits with the program git, which runs no program of the repository and fetches nothing.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use toolpost_process::{Environment, Exit, Launch, Program, Service, programs};

use crate::SharedIndexError;

/// Options for every call of git: no hooks, no file system monitor, no fetching.
const CALM: &[&str] =
    &["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];

/// Maximum length of git's output if it is a name or an id, in bytes.
const SHORT: u64 = 1 << 20;

/// Maximum length of git's list of a commit's files, in bytes.
const LISTING: u64 = 4 << 30;

/// A repository on disk, which the program git reads.
pub(crate) struct Git {
    program: PathBuf,
    folder: PathBuf,
    environment: Environment,
}

/// A function that receives the id of a git blob and its content.
pub(crate) type BlobVisitor<'t> = dyn FnMut(&[u8], Vec<u8>) -> Result<(), SharedIndexError> + 't;

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackedFile {
    /// The path, relative to the top of the repository.
    pub(crate) path: Vec<u8>,
    /// The id of the git blob with the file's content, as hexadecimal digits.
    pub(crate) id: Vec<u8>,
    /// The file mode in git, such as 0o100644.
    pub(crate) mode: i32,
}

impl Git {
    /// Finds the program git in the `PATH`; one inside the repository is not used.
    pub(crate) fn of(folder: &Path) -> Result<Self, SharedIndexError> {
        let not_in = [folder.to_owned()];
        let environment = Environment::of_this_process()
            .without_places(&not_in)
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("GIT_NO_LAZY_FETCH", "1")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("LC_ALL", "C.UTF-8");
        let found = programs("git", &environment, &not_in).program;
        let program = found.ok_or_else(|| failed("be started", "the program git is not in the PATH"))?;
        Ok(Self { program, folder: folder.to_owned(), environment })
    }

    /// Returns the id of the commit that a name such as `HEAD` refers to.
    pub(crate) fn commit(&self, name: &str) -> Result<String, SharedIndexError> {
        let what = format!("find the commit {name}");
        let output =
            self.ask(&what, &["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")])?;
        Ok(output.trim().to_owned())
    }

    /// Checks that the directory is the top of the repository, to which paths of commits and rules are relative.
    pub(crate) fn be_at_top(&self) -> Result<(), SharedIndexError> {
        let what = "run at the top of the repository";
        let top = self.ask(what, &["rev-parse", "--show-toplevel"])?;
        let top = Path::new(top.trim_end_matches('\n'));
        if top == self.folder {
            return Ok(());
        }
        Err(failed(what, &format!("the root is {}; pass --root {}", self.folder.display(), top.display())))
    }

    /// Returns the name of the checked-out branch, if a branch is checked out.
    pub(crate) fn branch(&self) -> Option<String> {
        let output = self.ask("name the branch", &["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?;
        Some(output.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Returns the URL of the remote `origin`, if there is one.
    pub(crate) fn origin(&self) -> Option<String> {
        let output = self.ask("name the origin", &["config", "--get", "remote.origin.url"]).ok()?;
        Some(output.trim().to_owned()).filter(|url| !url.is_empty())
    }

    /// Lists the files in a commit, without symlinks and submodules.
    pub(crate) fn files(&self, commit: &str) -> Result<Vec<TrackedFile>, SharedIndexError> {
        let what = format!("list the files of {commit}");
        let bytes = self.output(&what, &["ls-tree", "-r", "-z", "--full-tree", commit], LISTING)?;
        let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        let read = |entry: &[u8]| {
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            let mut head = entry.get(..tab)?.split(|byte| *byte == b' ');
            let (mode, kind, id) = (head.next()?, head.next()?, head.next()?);
            let mode = i32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
            let path = entry.get(tab + 1..)?.to_vec();
            Some((
                kind == b"blob" && mode & 0o170_000 == 0o100_000,
                TrackedFile { path, id: id.to_vec(), mode },
            ))
        };
        let mut files = Vec::new();
        for entry in entries {
            let (is_file, tracked) =
                read(entry).ok_or_else(|| failed(&what, "the list in the output of git is invalid"))?;
            if is_file {
                files.push(tracked);
            }
        }
        Ok(files)
    }

    /// Reads the contents of git blobs, and calls `take` with each.
    pub(crate) fn contents(
        &self,
        ids: &HashSet<Vec<u8>>,
        take: &mut BlobVisitor<'_>,
    ) -> Result<(), SharedIndexError> {
        let what = "read the contents of the commit";
        let (served, wires) = self.start(what, &["cat-file", "--batch"])?;
        let mut sorted: Vec<&Vec<u8>> = ids.iter().collect();
        sorted.sort_unstable();
        let (mut input, mut output) = (wires.input, BufReader::new(wires.output));
        let done = std::thread::scope(|scope| {
            let asked = sorted.clone();
            // The ids are written on another thread while the replies of git are read.
            scope.spawn(move || {
                for id in asked {
                    if input.write_all(id).and_then(|()| input.write_all(b"\n")).is_err() {
                        return;
                    }
                }
            });
            let done = sorted.iter().try_for_each(|id| take(id, one(what, id, &mut output)?));
            // If an error stopped the loop, the writing thread still waits for git to read. Killing git breaks the pipe
            // and so ends that thread.
            served.kill();
            done
        });
        drop(wires.errors);
        done
    }

    fn ask(&self, what: &str, arguments: &[&str]) -> Result<String, SharedIndexError> {
        Ok(String::from_utf8_lossy(&self.output(what, arguments, SHORT)?).into_owned())
    }

    /// Runs git and returns its output, which may be empty.
    fn output(&self, what: &str, arguments: &[&str], limit: u64) -> Result<Vec<u8>, SharedIndexError> {
        let (served, wires) = self.start(what, arguments)?;
        drop(wires.input);
        let errors = wires.errors;
        let (read, stderr) = std::thread::scope(|scope| {
            let stderr = scope.spawn(move || {
                let mut stderr = String::new();
                let _ = errors.take(SHORT).read_to_string(&mut stderr);
                stderr
            });
            let mut bytes = Vec::new();
            let read = wires.output.take(limit + 1).read_to_end(&mut bytes).map(|_| bytes);
            (read, stderr.join().unwrap_or_default())
        });
        let bytes = read.map_err(|error| failed(what, &error.to_string()))?;
        if bytes.len() as u64 > limit {
            return Err(failed(what, &format!("the output of git has more than {limit} bytes")));
        }
        match exit(&served).map_err(|error| failed(what, &error.to_string()))? {
            Exit::Code(0) => Ok(bytes),
            // Without the exit status, output that ends early would count as complete.
            Exit::Code(_) | Exit::Signal(_) | Exit::Unknown => {
                let stderr = stderr.trim();
                Err(failed(what, if stderr.is_empty() { "git printed no error" } else { stderr }))
            }
        }
    }

    fn start(
        &self,
        what: &str,
        arguments: &[&str],
    ) -> Result<(Service, toolpost_process::ServicePipes), SharedIndexError> {
        let all = CALM.iter().chain(arguments).copied();
        let mut launch = Launch::new(Program::direct(&self.program, all), &self.folder);
        launch.environment = self.environment.clone();
        Service::start(&launch).map_err(|error| failed(what, &error.to_string()))
    }
}

/// Waits for the exit of a program that has closed its output.
fn exit(served: &Service) -> std::io::Result<Exit> {
    // The thread of the caller may belong to a runtime, and must then not block on another one.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| -> std::io::Result<Exit> {
            Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(served.wait()))
        });
        waiting.join().unwrap_or(Ok(Exit::Unknown))
    })
}

/// Reads one reply of `git cat-file --batch`: a line with the id, the kind and the length, and then the content.
fn one(what: &str, id: &[u8], output: &mut impl BufRead) -> Result<Vec<u8>, SharedIndexError> {
    let broken = |why: &str| failed(what, why);
    let mut head = String::new();
    output.read_line(&mut head).map_err(|error| broken(&error.to_string()))?;
    let mut words = head.split_whitespace();
    let (same, kind, len) =
        (words.next(), words.next(), words.next().and_then(|len| len.parse::<u64>().ok()));
    let (Some("blob"), Some(len)) = (kind, len.filter(|_| same.map(str::as_bytes) == Some(id))) else {
        let id = String::from_utf8_lossy(id);
        return Err(broken(&format!(
            "{id} is not in the repository; a partial clone cannot be pushed, so fetch all objects first"
        )));
    };
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    output.by_ref().take(len).read_to_end(&mut bytes).map_err(|error| broken(&error.to_string()))?;
    let mut end = [0];
    if bytes.len() as u64 != len || output.read_exact(&mut end).is_err() {
        return Err(broken("git exited in the middle of a file"));
    }
    Ok(bytes)
}

fn failed(what: &str, why: &str) -> SharedIndexError {
    SharedIndexError::Git { what: what.to_owned(), why: why.to_owned() }
}

/// Derives a repository's name from its clone URL: the host in lower case, and the path without `.git`. `None` for a
/// local path or an incomplete URL.
pub(crate) fn name_of(origin: &str) -> Option<String> {
    let rest = match origin.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // A URL of ssh without a scheme has the form `user@host:path`.
        None => {
            let (host, path) = origin.split_once(':').filter(|(host, _)| !host.contains('/'))?;
            format!("{host}/{path}")
        }
    };
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::{Git, name_of};
    use toolpost_test_rows::{each, skip};

    #[test]
    fn output_is_judged_by_the_exit_status_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let Ok(git) = Git::of(folder.path()) else { return skip("git is not installed") };
        git.ask("create a repository", &["init", "-q"]).unwrap();
        let user = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
        let commit = [user.as_slice(), &["commit", "-q", "--allow-empty", "-m", "empty"]].concat();
        git.ask("commit", &commit).unwrap();
        let commit = git.commit("HEAD").unwrap();
        assert!(git.files(&commit).unwrap().is_empty(), "a commit without files");
        assert_eq!(git.origin(), None);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let within = runtime.block_on(async { git.commit("HEAD") });
        assert_eq!(within.unwrap(), commit, "in a thread of an async runtime");
        let error = git.commit("nowhere").unwrap_err().to_string();
        assert!(error.starts_with("git could not find the commit nowhere: fatal: "), "{error}");
        // This command prints something before it fails.
        let error = git.ask("name the commits", &["rev-parse", "HEAD", "nowhere"]).unwrap_err().to_string();
        assert!(error.starts_with("git could not name the commits: fatal: "), "{error}");
    }

    #[test]
    fn clones_of_one_repository_have_one_name() {
        each(
            [
                "https://github.com/rust-lang/regex.git",
                "https://me:token@GitHub.com/rust-lang/regex",
                "git@github.com:rust-lang/regex.git",
                "ssh://git@github.com:22/rust-lang/regex.git/",
            ],
            |origin| {
                assert_eq!(name_of(origin).as_deref(), Some("github.com/rust-lang/regex"), "{origin}");
            },
        );
        each(["/home/me/regex", "../regex", "file:///home/me/regex", "https://host"], |origin| {
            assert_eq!(name_of(origin), None, "{origin}");
        });
    }
}
