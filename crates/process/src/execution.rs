//! All inputs of the `execve` that starts a program: the launch with its paths, variables and sandbox
//! resolved.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use toolpost_sandbox::{Confinement, Environment};

/// The launch of a program with its path, variables and sandbox resolved.
pub(crate) struct Execution {
    /// The path of the program.
    pub(crate) program: PathBuf,
    /// The program's arguments, without its name.
    pub(crate) arguments: Vec<OsString>,
    /// The program's working directory.
    pub(crate) directory: PathBuf,
    /// The program's environment.
    pub(crate) environment: Environment,
    /// The sandbox of the program; `None` if it runs without a sandbox.
    pub(crate) confinement: Option<Confinement>,
    /// Descriptors that the program inherits, under the same numbers.
    pub(crate) kept: Vec<OwnedFd>,
}
