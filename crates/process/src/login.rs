//! The effect of a login shell's profile, captured for a session so that later commands need not run the profile.
//!
//! Most profiles only set variables. To find out, two shells are compared, one with the profile and one without. A
//! profile that does more, or prints something, runs for each command.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, statat};
use toolpost_sandbox::{COOKIE, Environment, Sandbox, added_variables};

use crate::error::StartError;
use crate::job::{Job, Presence};
use crate::launch::{Channel, Launch, Program, Shell, Survivors};
use crate::output::{OutputRange, OutputSide};
use crate::session::SessionKey;
use crate::state::StopReason;

/// Compares a shell without the profile and one with it: options, file mode mask, limits, disabled commands, traps,
/// aliases, functions, directory and variables that are not exported, then the environment in hexadecimal. What always differs is left out.
const PROBE: &str = r#"
changing='login_shell|^declare -[a-z]*x|^declare -[-a-zA-Z]* (BASH(OPTS|PID|_ARG[CV]0?|_COMMAND|_EXECUTION_STRING|_LINENO|_SOURCE|_SUBSHELL)|EPOCH(REALTIME|SECONDS)|FUNCNAME|LINENO|PIPESTATUS|PPID|S?RANDOM|SECONDS|_)($|=)'
dump='{ set +o; shopt -p; umask; ulimit -Sa; ulimit -Ha; enable -n; trap; alias; declare -F; pwd; declare -p; } | grep -vE "$0"; echo =; env -0 | od -An -v -tx1; echo =='
bash -c "$dump" "$changing"; bash -lc "$dump" "$changing""#;

/// Time limit of the comparison.
const LIMIT: Duration = Duration::from_secs(20);

/// Maximum size of the comparison's output, in characters.
const OUTPUT: u64 = 4 * 1024 * 1024;

/// Files that bash reads as a login shell, or that profiles usually read: those of the system, and those in the home
/// directory.
const OF_SYSTEM: &[&str] = &["/etc/profile", "/etc/bash.bashrc", "/etc/bashrc", "/etc/profile.d"];
const OF_HOME: &[&str] = &[".bash_profile", ".bash_login", ".profile", ".bashrc"];

/// A line that a complete comparison contains among a shell's options. It is missing if a tool of the comparison is.
const OPTIONS: &str = "set +o posix";

/// Variables that differ between any two shells.
const OWN: &[&str] = &["_", "SHLVL", "PWD", "OLDPWD", COOKIE];

/// A variable that the server sets for each command, in addition to those that a sandbox adds.
const OF_COMMAND: &str = "TERM";

/// Prefixes of variables that affect a shell when it starts. A profile sets them too late for that, so they would only
/// affect the programs that the shell starts.
const OF_START: &[&str] = &["LD_", "BASH_", "GLIBC_"];

/// The table of what is known about the profile of each session.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    sessions: Mutex<HashMap<SessionKey, Login>>,
}

#[derive(Debug)]
struct Login {
    /// The known inputs of the profile.
    of: Basis,
    state: State,
}

#[derive(Debug)]
enum State {
    /// One command has run the profile.
    Seen,
    /// The comparison runs, or has finished.
    Asked(Job),
    /// The changes that the profile makes to the environment; `None` if it has other effects too, or if the comparison failed.
    Known(Option<Changes>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Basis {
    environment: Environment,
    directory: PathBuf,
    sandbox: Sandbox,
    files: Vec<Option<FileState>>,
}

/// Device, inode, size and time of the last change of a file.
type FileState = (u64, u64, i64, i64, u64);

/// The changes that a profile makes to the environment: `None` for a variable that it removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changes(Vec<(OsString, Option<OsString>)>);

impl Changes {
    /// Returns the environment that a shell has after the profile.
    pub(crate) fn applied_to(&self, environment: Environment) -> Environment {
        self.0.iter().fold(environment, |environment, (name, value)| match value {
            Some(value) => environment.with(name, value),
            None => environment.without(name),
        })
    }
}

impl Logins {
    /// Returns the changes that replace the profile of a launch; `None` if the shell must read it. The second consecutive
    /// command whose profile has the same inputs starts the comparison, with `start`, for later ones.
    pub(crate) fn of(
        &self,
        session: &SessionKey,
        launch: &Launch,
        start: impl FnOnce(&Launch) -> Result<Job, StartError>,
    ) -> Option<Changes> {
        let Program::Line { shell: Shell::Login, .. } = &launch.program else { return None };
        let of = Basis::new(launch);
        let mut sessions = self.lock();
        let login = sessions.remove(session).filter(|login| login.of == of);
        let state = match login.map(|login| login.state) {
            None => State::Seen,
            Some(State::Seen) => match start(&probe(launch)) {
                Ok(job) => State::Asked(job),
                Err(_) => State::Known(None),
            },
            Some(State::Asked(job)) if job.presence() == Presence::Here => State::Asked(job),
            Some(State::Asked(job)) => State::Known(changes(&job)),
            Some(known @ State::Known(_)) => known,
        };
        let changes = if let State::Known(changes) = &state { changes.clone() } else { None };
        sessions.insert(session.clone(), Login { of, state });
        changes
    }

    /// Lists the comparisons that run.
    pub(crate) fn running(&self) -> Vec<Job> {
        let is_here = |login: &Login| match &login.state {
            State::Asked(job) if job.presence() == Presence::Here => Some(job.clone()),
            _ => None,
        };
        self.lock().values().filter_map(is_here).collect()
    }

    /// Removes what is known about the profile of a session, and stops its comparison.
    pub(crate) fn forget(&self, session: &SessionKey) {
        end(self.lock().remove(session));
    }

    /// Removes what is known about the profiles of all sessions, and stops their comparisons.
    pub(crate) fn forget_all(&self) {
        self.lock().drain().for_each(|(_, login)| end(Some(login)));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Login>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(login: Option<Login>) {
    if let Some(Login { state: State::Asked(job), .. }) = login {
        job.ask_to_stop(StopReason::SessionEnded);
    }
}

impl Basis {
    fn new(launch: &Launch) -> Self {
        let home = launch.environment.get("HOME").map(PathBuf::from);
        let of_home = home.iter().flat_map(|home| OF_HOME.iter().map(|name| home.join(name)));
        let mut files: Vec<PathBuf> = OF_SYSTEM.iter().map(PathBuf::from).chain(of_home).collect();
        files.extend(scripts(Path::new("/etc/profile.d")));
        Self {
            environment: launch.environment.clone(),
            directory: launch.directory.clone(),
            sandbox: launch.sandbox.clone(),
            files: files.iter().map(|path| state(path)).collect(),
        }
    }
}

fn state(path: &Path) -> Option<FileState> {
    let stat = statat(CWD, path, AtFlags::empty()).ok()?;
    Some((stat.st_dev, stat.st_ino, stat.st_size, stat.st_ctime, stat.st_ctime_nsec))
}

/// Lists the files in a directory of scripts, in a fixed order.
fn scripts(directory: &Path) -> Vec<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let entries = openat(CWD, directory, flags, Mode::empty()).and_then(Dir::read_from);
    let names = entries.into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        names.map(|entry| directory.join(OsStr::from_bytes(entry.file_name().to_bytes()))).collect();
    paths.sort();
    paths
}

/// Returns the launch of the comparison for a launch.
fn probe(launch: &Launch) -> Launch {
    let mut probe = launch.clone();
    probe.program = Program::line(PROBE);
    probe.channel = Channel::Pipe;
    probe.limits.time = Some(LIMIT);
    probe.survivors = Survivors::End;
    probe
}

/// Reads the result of the comparison; `None` if it is incomplete, or if the profile has effects that cannot be applied
/// as changes to variables.
fn changes(job: &Job) -> Option<Changes> {
    let shown = job.show(OutputRange { from: OutputSide::Top, skip: 0, count: OUTPUT }).ok()?;
    let text: String = shown.pieces.into_iter().map(|piece| piece.text).collect();
    compared(&text)
}

fn compared(text: &str) -> Option<Changes> {
    let mut shells = text.split("==\n");
    let (before, after, rest) = (shells.next()?, shells.next()?, shells.next()?);
    let ((state, before), (state_after, after)) = (before.split_once("=\n")?, after.split_once("=\n")?);
    let is_complete = state.lines().any(|line| line == OPTIONS);
    if !is_complete || state != state_after || !rest.is_empty() {
        return None;
    }
    let (before, after) = (variables(before)?, variables(after)?);
    let mut changes = Vec::new();
    for name in before.keys().chain(after.keys()) {
        let is_known = changes.iter().any(|(known, _)| known == name);
        if is_known || before.get(name) == after.get(name) || OWN.iter().any(|own| name == own) {
            continue;
        }
        let is_of_command =
            added_variables().chain([OF_COMMAND]).any(|of_command| name.eq_ignore_ascii_case(of_command));
        let is_of_start = OF_START.iter().any(|start| name.as_bytes().starts_with(start.as_bytes()));
        if is_of_command || is_of_start {
            return None;
        }
        changes.push((name.clone(), after.get(name).cloned()));
    }
    Some(Changes(changes))
}

/// Parses an environment in hexadecimal.
fn variables(text: &str) -> Option<BTreeMap<OsString, OsString>> {
    let bytes: Option<Vec<u8>> =
        text.split_ascii_whitespace().map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    let bytes = bytes.filter(|bytes| bytes.ends_with(&[0]))?;
    let parse = |variable: &[u8]| {
        let at = variable.iter().position(|byte| *byte == b'=')?;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        Some((text(&variable[..at]), text(&variable[at + 1..])))
    };
    bytes[..bytes.len() - 1].split(|byte| *byte == 0).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(state: &str, environment: &str) -> String {
        let hexadecimal: String = environment.bytes().map(|byte| format!(" {byte:02x}")).collect();
        format!("set +o posix\n{state}=\n{hexadecimal}\n==\n")
    }

    #[test]
    fn only_changes_of_the_environment_are_captured() {
        let before = shell("umask 22\n", "A=1\0B=x=y\0SHLVL=1\0TERM=dumb\0");
        let set = |changes: &[(&str, Option<&str>)]| {
            let changes = changes.iter().map(|(name, value)| ((*name).into(), value.map(Into::into)));
            Some(Changes(changes.collect()))
        };
        let rows = [
            (shell("umask 22\n", "A=1\0B=x=y\0SHLVL=2\0TERM=dumb\0"), set(&[])),
            (
                shell("umask 22\n", "A=2\0C=\n\0TERM=dumb\0"),
                set(&[("A", Some("2")), ("B", None), ("C", Some("\n"))]),
            ),
            (shell("umask 77\n", "A=1\0B=x=y\0TERM=dumb\0"), None),
            (shell("umask 22\n", "A=1\0B=x=y\0TERM=other\0"), None),
            (format!("hello\n{}", shell("umask 22\n", "A=1\0B=x=y\0TERM=dumb\0")), None),
            (shell("umask 22\n", "A=1"), None),
            (shell("umask 22\n", "A=1\0B=x=y\0TERM=dumb\0ALL_PROXY=x\0"), None),
            (shell("umask 22\n", "A=1\0B=x=y\0TERM=dumb\0LD_PRELOAD=x\0"), None),
            (shell("umask 22\n", "A=1\0B=x=y\0TERM=dumb\0BASH_FUNC_f%%=() {  x\n}\0"), None),
            (String::new(), None),
        ];
        toolpost_test_rows::each(rows, |(after, wanted)| {
            assert_eq!(compared(&format!("{before}{after}")), wanted, "{after}");
        });
        // Without the tools that print the state, both states are empty.
        let nothing = before.replace("set +o posix\numask 22\n", "");
        assert_eq!(compared(&format!("{nothing}{nothing}")), None);
        let changes = compared(&format!("{before}{}", shell("umask 22\n", "B=z\0TERM=dumb\0"))).unwrap();
        let environment = changes.applied_to(Environment::none().with("A", "1").with("KEPT", "k"));
        let variables: Vec<_> = environment.variables().collect();
        assert_eq!(variables, [("B".as_ref(), "z".as_ref()), ("KEPT".as_ref(), OsStr::new("k"))]);
    }
}
