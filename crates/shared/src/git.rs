//! Reading of commits through git: no program of a repository runs, and nothing is fetched.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use toolpost_process::{Environment, Launch, Program, Service, programs};

use crate::Fault;

/// Options for every call of git: no hooks, no monitors, no fetching.
const CALM: &[&str] =
    &["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];

/// Maximum length of a short answer.
const SHORT: u64 = 1 << 20;

/// Maximum length of a commit's listing.
const LISTING: u64 = 4 << 30;

/// A git repository.
pub(crate) struct Git {
    program: PathBuf,
    folder: PathBuf,
    environment: Environment,
}

/// Receives a content with its id.
pub(crate) type Take<'t> = dyn FnMut(&[u8], Vec<u8>) -> Result<(), Fault> + 't;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tracked {
    /// The path, relative to the top of the repository.
    pub(crate) path: Vec<u8>,
    /// Git's id of the content.
    pub(crate) id: Vec<u8>,
    /// The mode.
    pub(crate) mode: i32,
}

impl Git {
    /// Finds git; a program inside the repository is not used.
    pub(crate) fn of(folder: &Path) -> Result<Self, Fault> {
        let not_in = [folder.to_owned()];
        let environment = Environment::of_this_process()
            .without_places(&not_in)
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("GIT_NO_LAZY_FETCH", "1")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("LC_ALL", "C.UTF-8");
        let found = programs("git", &environment, &not_in).program;
        let program = found.ok_or_else(|| failed("be started", "there is no git in the PATH"))?;
        Ok(Self { program, folder: folder.to_owned(), environment })
    }

    /// Returns the id of the commit that a name refers to.
    pub(crate) fn commit(&self, name: &str) -> Result<String, Fault> {
        let what = format!("find the commit {name}");
        let said =
            self.ask(&what, &["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")])?;
        Ok(said.trim().to_owned())
    }

    /// Checks that the directory is the top of the repository, to which paths of commits and rules are relative.
    pub(crate) fn be_at_top(&self) -> Result<(), Fault> {
        let what = "be asked at the top of the repository";
        let top = self.ask(what, &["rev-parse", "--show-toplevel"])?;
        let top = Path::new(top.trim_end_matches('\n'));
        if top == self.folder {
            return Ok(());
        }
        Err(failed(what, &format!("the root is {}; give --root {}", self.folder.display(), top.display())))
    }

    /// Returns the checked-out branch, if any.
    pub(crate) fn branch(&self) -> Option<String> {
        let said = self.ask("name the branch", &["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?;
        Some(said.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// Returns the clone URL, if any.
    pub(crate) fn origin(&self) -> Option<String> {
        let said = self.ask("name the origin", &["config", "--get", "remote.origin.url"]).ok()?;
        Some(said.trim().to_owned()).filter(|url| !url.is_empty())
    }

    /// Lists the files of a commit, without links and submodules.
    pub(crate) fn files(&self, commit: &str) -> Result<Vec<Tracked>, Fault> {
        let what = format!("list the files of {commit}");
        let bytes = self.output(&what, &["ls-tree", "-r", "-z", "--full-tree", commit], LISTING)?;
        let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        let read = |entry: &[u8]| {
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            let mut head = entry.get(..tab)?.split(|byte| *byte == b' ');
            let (mode, kind, id) = (head.next()?, head.next()?, head.next()?);
            let mode = i32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
            let path = entry.get(tab + 1..)?.to_vec();
            Some((kind == b"blob" && mode & 0o170_000 == 0o100_000, Tracked { path, id: id.to_vec(), mode }))
        };
        let mut files = Vec::new();
        for entry in entries {
            let (is_file, tracked) =
                read(entry).ok_or_else(|| failed(&what, "its list is not understood"))?;
            if is_file {
                files.push(tracked);
            }
        }
        Ok(files)
    }

    /// Reads contents by id, in order.
    pub(crate) fn contents(&self, ids: &HashSet<Vec<u8>>, take: &mut Take<'_>) -> Result<(), Fault> {
        let what = "read the contents of the commit";
        let (served, wires) = self.start(what, &["cat-file", "--batch"])?;
        let mut sorted: Vec<&Vec<u8>> = ids.iter().collect();
        sorted.sort_unstable();
        let (mut input, mut output) = (wires.input, BufReader::new(wires.output));
        let done = std::thread::scope(|scope| {
            let asked = sorted.clone();
            // Requests are written while answers are read.
            scope.spawn(move || {
                for id in asked {
                    if input.write_all(id).and_then(|()| input.write_all(b"\n")).is_err() {
                        return;
                    }
                }
            });
            let done = sorted.iter().try_for_each(|id| take(id, one(what, id, &mut output)?));
            // Dropping the pipe ends the writer.
            served.kill();
            done
        });
        drop(wires.errors);
        done
    }

    fn ask(&self, what: &str, arguments: &[&str]) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.output(what, arguments, SHORT)?).into_owned())
    }

    fn output(&self, what: &str, arguments: &[&str], limit: u64) -> Result<Vec<u8>, Fault> {
        let (served, wires) = self.start(what, arguments)?;
        drop(wires.input);
        let errors = wires.errors;
        let (read, said) = std::thread::scope(|scope| {
            let said = scope.spawn(move || {
                let mut said = String::new();
                let _ = errors.take(SHORT).read_to_string(&mut said);
                said
            });
            let mut bytes = Vec::new();
            let read = wires.output.take(limit + 1).read_to_end(&mut bytes).map(|_| bytes);
            (read, said.join().unwrap_or_default())
        });
        let bytes = read.map_err(|error| failed(what, &error.to_string()))?;
        if bytes.len() as u64 > limit {
            return Err(failed(what, "its answer is too long"));
        }
        if bytes.is_empty() {
            let said = said.trim();
            return Err(failed(what, if said.is_empty() { "it said nothing" } else { said }));
        }
        drop(served);
        Ok(bytes)
    }

    fn start(
        &self,
        what: &str,
        arguments: &[&str],
    ) -> Result<(Service, toolpost_process::ServicePipes), Fault> {
        let all = CALM.iter().chain(arguments).copied();
        let mut launch = Launch::new(Program::direct(&self.program, all), &self.folder);
        launch.environment = self.environment.clone();
        Service::start(&launch).map_err(|error| failed(what, &error.to_string()))
    }
}

/// Reads one answer: the id, the kind and the length in a line, then the content.
fn one(what: &str, id: &[u8], output: &mut impl BufRead) -> Result<Vec<u8>, Fault> {
    let broken = |why: &str| failed(what, why);
    let mut head = String::new();
    output.read_line(&mut head).map_err(|error| broken(&error.to_string()))?;
    let mut words = head.split_whitespace();
    let (same, kind, len) =
        (words.next(), words.next(), words.next().and_then(|len| len.parse::<u64>().ok()));
    let (Some("blob"), Some(len)) = (kind, len.filter(|_| same.map(str::as_bytes) == Some(id))) else {
        let id = String::from_utf8_lossy(id);
        return Err(broken(&format!(
            "{id} is not in the repository; a clone without all contents cannot be pushed"
        )));
    };
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    output.by_ref().take(len).read_to_end(&mut bytes).map_err(|error| broken(&error.to_string()))?;
    let mut end = [0];
    if bytes.len() as u64 != len || output.read_exact(&mut end).is_err() {
        return Err(broken("git ended in the middle of a content"));
    }
    Ok(bytes)
}

fn failed(what: &str, why: &str) -> Fault {
    Fault::Git { what: what.to_owned(), why: why.to_owned() }
}

/// Builds a repository's name from its clone URL: host and path, in one spelling.
pub(crate) fn name_of(origin: &str) -> Option<String> {
    let rest = match origin.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // The form of ssh: user@host:path.
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
    use super::name_of;

    #[test]
    fn clones_of_one_repository_have_one_name() {
        for origin in [
            "https://github.com/rust-lang/regex.git",
            "https://me:token@GitHub.com/rust-lang/regex",
            "git@github.com:rust-lang/regex.git",
            "ssh://git@github.com:22/rust-lang/regex.git/",
        ] {
            assert_eq!(name_of(origin).as_deref(), Some("github.com/rust-lang/regex"), "{origin}");
        }
        for origin in ["/home/me/regex", "../regex", "file:///home/me/regex", "https://host"] {
            assert_eq!(name_of(origin), None, "{origin}");
        }
    }
}
