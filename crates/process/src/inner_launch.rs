//! Launches `bwrap` around a program: `bwrap` executes the inner step (`inner.rs`), and that executes the
//! program.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use toolpost_sandbox::bubblewrap::{Bubblewrap, string};
use toolpost_sandbox::memfd::{file, number_of};
use toolpost_sandbox::{Environment, SandboxError, host};

use crate::command_setup::Setup;
use crate::error::StartError;
use crate::execution::Execution;
use crate::helper;
use crate::inner;
use crate::inner_plan::InnerPlan;

/// The error message, with the fix, for a launch through `bwrap` when no program with the inner step is
/// known.
const NO_HELPER: &str = "bwrap needs a helper program, and none is set: call \
     `toolpost::sandbox::init` first in `main`, or set the binary of Toolpost with \
     `toolpost::sandbox::helper`";

/// The message if the program called `inner_step` while it had other threads, with the fix.
const CALLED_LATE: &str = "bwrap needs a helper program, and this program is not one, because it called \
     `toolpost::sandbox::init` while other threads ran: call it first in a plain `fn main`, before an async \
     runtime starts (`#[tokio::main]` on `main` starts one before), or set the binary of Toolpost with \
     `toolpost::sandbox::helper`";

/// Wraps the launch of a program in a launch of `bwrap`, which executes the inner step, which executes the
/// program.
///
/// Adds the descriptors that `bwrap` and the inner step need to `setup`. With `must_guard` the program does not start
/// without the guard of missing names.
pub(crate) fn around(
    bubblewrap: &Bubblewrap,
    prepared: Execution,
    setup: &mut Setup,
    must_guard: bool,
) -> Result<Execution, StartError> {
    let missing = |what: &'static str| {
        move |errno: rustix::io::Errno| StartError::Missing { what, fault: errno.into() }
    };
    let step = helper::program().ok_or_else(|| {
        let tried = if helper::was_called_late() { CALLED_LATE } else { NO_HELPER };
        SandboxError::NoSandbox { tried: tried.to_owned() }
    })?;
    let step = openat(CWD, step, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(missing("the sandbox's helper program"))?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let processes = openat(CWD, c"/proc", flags, Mode::empty()).map_err(missing("`/proc`"))?;
    let options = file(&bubblewrap.options).map_err(missing("memory for bwrap's options"))?;
    let is_tried = prepared.program.as_os_str().is_empty();
    let words = std::iter::once(prepared.program.as_os_str())
        .chain(prepared.arguments.iter().map(OsString::as_os_str));
    let variables = prepared.environment.variables();
    let plan = InnerPlan {
        control: setup.control,
        processes: processes.as_raw_fd(),
        kept: setup.kept.clone(),
        terminal: setup.terminal,
        files: setup.files,
        resources: setup.resources,
        inside: bubblewrap.inside.clone(),
        must_guard,
        mounts: Vec::new(),
        directory: string(&host::real(&prepared.directory).unwrap_or_else(|_| prepared.directory.clone())),
        words: if is_tried { Vec::new() } else { words.map(|word| string(Path::new(word))).collect() },
        environment: variables
            .map(|(name, value)| string(Path::new(&[name, value].join("=".as_ref()))))
            .collect(),
    };
    let plan = plan.to_file().map_err(missing("a file for the sandbox's helper program"))?;
    let mut arguments: Vec<OsString> = vec!["--args".into(), number_of(&options).into(), "--".into()];
    arguments.extend(
        [format!("/proc/self/fd/{}", number_of(&step)), inner::NAME.to_owned(), number_of(&plan)]
            .map(Into::into),
    );
    let mut kept = prepared.kept;
    kept.extend([step, processes, options, plan]);
    setup.kept.push(setup.control);
    setup.kept.extend(kept.iter().chain(&bubblewrap.opened).map(AsRawFd::as_raw_fd));
    Ok(Execution {
        program: bubblewrap.program.clone(),
        arguments,
        directory: prepared.directory,
        environment: Environment::none(),
        confinement: None,
        kept,
    })
}
