//! The environment of a program: built from a list, never inherited.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variable by which every process of a job is known.
pub(crate) const COOKIE: &str = "TOOLPOST_RUN_ID";

/// Variables of the server that programs inherit, besides the directories of toolchains: locations, and no credentials.
const TAKEN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "CARGO_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOCACHE",
    "DENO_DIR",
    "CONDA_DEFAULT_ENV",
    "GEM_PATH",
    "NIX_PATH",
    "NIX_PROFILES",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
];

/// The variables that name directories of toolchains.
pub(crate) const TOOLCHAIN_VARIABLES: &[&str] = &[
    "RUSTUP_HOME",
    "GOROOT",
    "GOMODCACHE",
    "JAVA_HOME",
    "ANDROID_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "PNPM_HOME",
    "BUN_INSTALL",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
];

/// Variables that turn off prompts, pagers and colours.
const FIXED: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("LC_CTYPE", "C.UTF-8"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("GIT_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// The `PATH` if the environment has none.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Environment of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Builds an environment from that of this process, by the house's list.
    pub fn of_this_process() -> Self {
        Self::from(std::env::vars_os())
    }

    /// Builds an environment from other variables, by the house's list.
    pub fn from(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let taken = variables
            .into_iter()
            .filter(|(name, _)| TAKEN.iter().chain(TOOLCHAIN_VARIABLES).any(|taken| name == taken));
        let mut environment = Self { variables: taken.collect() };
        environment.variables.entry("PATH".into()).or_insert_with(|| PATH.into());
        for (name, value) in FIXED {
            environment = environment.with(name, value);
        }
        environment
    }

    /// Builds one with nothing in it.
    pub(crate) fn none() -> Self {
        Self { variables: BTreeMap::new() }
    }

    /// Sets a variable, whatever was there.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Returns a variable's value.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns all variables, sorted by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Sets a variable unless it is set.
    pub(crate) fn or(&mut self, name: &str, value: &str) {
        self.variables.entry(name.into()).or_insert_with(|| value.into());
    }
}
