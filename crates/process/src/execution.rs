//! A launch as it will be executed.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use crate::environment::Environment;
use crate::sandbox::Confinement;

/// A launch as it will be executed.
pub(crate) struct Execution {
    /// The program, as a path.
    pub(crate) program: PathBuf,
    /// Its arguments, without its name.
    pub(crate) arguments: Vec<OsString>,
    /// Working directory.
    pub(crate) directory: PathBuf,
    /// All that it finds in its environment.
    pub(crate) environment: Environment,
    /// Confinement, if any.
    pub(crate) confinement: Option<Confinement>,
    /// Descriptors that it gets under the numbers that they have here.
    pub(crate) kept: Vec<OwnedFd>,
}
