//! Preparation of a launch: resolves the program, its arguments and variables, and its sandbox.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolpost_sandbox::{
    COOKIE, Confinement, Environment, Means, Plan, Sandbox, SandboxError, SessionNetwork,
};

use crate::available::Available;
use crate::error::StartError;
use crate::execution::Execution;
use crate::launch::{Channel, Launch, Program, Shell};
use crate::login::Changes;

/// Maximum length of an argument with shell code, in bytes: safely below Linux's limit of 128 KiB, which
/// includes the NUL.
const LONGEST_ARGUMENT: usize = 100 * 1024;

/// Prepares a launch. `run` is the run id, which the environment of all its processes contains.
///
/// `profile` contains the changes that a login shell's profile would make, if they are known; if so, the shell does
/// not read the profile. A program in namespaces that Toolpost creates joins the network that `network` returns.
pub(crate) fn prepare(
    launch: &Launch,
    run: &str,
    profile: Option<&Changes>,
    network: impl FnOnce() -> Result<Option<Arc<SessionNetwork>>, StartError>,
) -> Result<Execution, StartError> {
    let mut environment = launch.environment.clone();
    let terminal = match launch.channel {
        Channel::Pipe => "dumb",
        Channel::Terminal(_) => "xterm-256color",
    };
    environment.or("TERM", terminal);
    let environment = environment.with(COOKIE, run);
    let (program, arguments) = match &launch.program {
        Program::Direct { program, arguments } => {
            (find(program, &environment, &launch.directory)?, arguments.clone())
        }
        Program::Line { line, shell } => {
            let shell = if profile.is_some() { Shell::Plain } else { *shell };
            (find_shell(&environment, &launch.directory)?, read_by(shell, line))
        }
    };
    let words =
        arguments.iter().map(OsString::as_os_str).chain([program.as_os_str(), launch.directory.as_os_str()]);
    let variables = environment.variables().flat_map(|(name, value)| [name, value]);
    if words.chain(variables).any(|word| word.as_bytes().contains(&0)) {
        return Err(StartError::Nul);
    }
    let directory = launch.directory.clone();
    let confinement = match &launch.sandbox {
        Sandbox::Off => None,
        Sandbox::On(plan) => Some(confine(plan, &environment, &directory, network)?),
    };
    // The sandbox depends on the environment without the profile, as if the shell had read it.
    let environment = match profile {
        Some(profile) => profile.applied_to(environment),
        None => environment,
    };
    let variables = confinement.iter().flat_map(|confinement| confinement.variables.clone());
    let environment = variables.fold(environment, |environment, (name, value)| environment.with(name, value));
    Ok(Execution { program, arguments, directory, environment, confinement, kept: Vec::new() })
}

/// Builds the sandbox for a program that starts in a directory, with the strongest available mechanism that the
/// plan allows.
///
/// The program joins the session's network if Toolpost creates the namespaces; `bwrap` creates a separate
/// network for each program.
fn confine(
    plan: &Plan,
    environment: &Environment,
    directory: &Path,
    network: impl FnOnce() -> Result<Option<Arc<SessionNetwork>>, StartError>,
) -> Result<Confinement, StartError> {
    let available = Available::for_roots(plan.means, &plan.roots);
    let (means, landlock) = (available.means, available.landlock);
    match means {
        Means::Namespaces | Means::Bubblewrap => {
            let joined = if means == Means::Namespaces { network()? } else { None };
            Ok(Confinement::in_namespaces(means, plan, environment, directory, landlock, joined)?)
        }
        Means::Landlock => match landlock {
            Some(version) => {
                Ok(Confinement::by_landlock(plan, environment, version, &available.why(plan.means))?)
            }
            None => Err(SandboxError::NoSandbox { tried: available.why(plan.means) }.into()),
        },
        Means::Nothing => Err(SandboxError::NoSandbox { tried: available.why(plan.means) }.into()),
    }
}

/// Returns the arguments with which a shell runs a command.
///
/// A command that is too long for one argument is split into several, which the shell joins again.
fn read_by(shell: Shell, line: &str) -> Vec<OsString> {
    let option = match shell {
        Shell::Plain => "-c",
        Shell::Login => "-lc",
    };
    if line.len() <= LONGEST_ARGUMENT {
        return vec![option.into(), line.into()];
    }
    let pieces = line.as_bytes().chunks(LONGEST_ARGUMENT);
    let names: String = (1..=pieces.len()).map(|number| format!("${{{number}}}")).collect();
    let join = format!("toolpost_line=\"{names}\"; shift $#; eval \"$toolpost_line\"");
    let mut arguments = vec![option.into(), join.into(), "bash".into()];
    arguments.extend(pieces.map(|piece| OsString::from_vec(piece.to_vec())));
    arguments
}

fn find_shell(environment: &Environment, directory: &Path) -> Result<PathBuf, StartError> {
    let names = ["bash", "/bin/bash", "/usr/bin/bash", "sh"];
    let found = names.iter().find_map(|name| find(OsStr::new(name), environment, directory).ok());
    found.map_or_else(|| find(OsStr::new("/bin/sh"), environment, directory), Ok)
}

/// Finds a program as a shell would: a name with a slash is a path, and a name without one is searched for in
/// `PATH`, but empty entries of `PATH` are skipped.
fn find(program: &OsStr, environment: &Environment, directory: &Path) -> Result<PathBuf, StartError> {
    let path = environment.get("PATH").unwrap_or_default();
    let missing = || StartError::NoProgram {
        program: program.to_string_lossy().into_owned(),
        path: path.to_string_lossy().into_owned(),
    };
    if program.is_empty() {
        return Err(missing());
    }
    if program.as_bytes().contains(&b'/') {
        return Ok(program.into());
    }
    let places = std::env::split_paths(path).filter(|place| !place.as_os_str().is_empty());
    let mut candidates = places.map(|place| directory.join(place).join(program));
    candidates.find(|candidate| can_be_executed(candidate)).ok_or_else(missing)
}

pub(crate) fn can_be_executed(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, statat};
    let is_file = statat(CWD, path, AtFlags::empty())
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    is_file && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
