//! The launch of the inner step by `bwrap`, around the launch of a program.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::command_setup::Setup;
use crate::environment::Environment;
use crate::error::StartError;
use crate::execution::Execution;
use crate::inner;
use crate::sandbox::bubblewrap::{Bubblewrap, string};
use crate::sandbox::host;
use crate::sandbox::inner_plan::{InnerPlan, file, number_of};

/// Puts the launch of a program into that of `bwrap`, which executes the inner step, which executes the program.
///
/// `setup` is changed to what has to be open for that.
pub(crate) fn around(
    bubblewrap: &Bubblewrap,
    prepared: Execution,
    setup: &mut Setup,
) -> Result<Execution, StartError> {
    let missing = |what: &'static str| {
        move |errno: rustix::io::Errno| StartError::Missing { what, fault: errno.into() }
    };
    let step = inner::program()
        .ok_or(StartError::NoSandbox { tried: "this program has no inner step".to_owned() })?;
    let step = openat(CWD, step, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(missing("the inner step"))?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let processes = openat(CWD, c"/proc", flags, Mode::empty()).map_err(missing("the list of processes"))?;
    let options = file(&bubblewrap.options).map_err(missing("a file for options"))?;
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
        directory: string(&host::real(&prepared.directory).unwrap_or_else(|_| prepared.directory.clone())),
        words: if is_tried { Vec::new() } else { words.map(|word| string(Path::new(word))).collect() },
        environment: variables
            .map(|(name, value)| string(Path::new(&[name, value].join("=".as_ref()))))
            .collect(),
    };
    let plan = plan.to_file().map_err(missing("a file for the inner step"))?;
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
