//! The environment of a program: built from a list of allowed variables, never inherited as a whole.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::host;

/// The variable that marks every process of a job with the job's run id.
pub const COOKIE: &str = "TOOLPOST_RUN_ID";

/// Variables of the server that programs inherit, in addition to those of `TOOLCHAIN_VARIABLES`. They contain
/// locations and names, never credentials.
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

/// Environment variables that name directories of toolchains.
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

/// Environment variables of every program, which set the locale, and turn off prompts, pagers and colours.
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

/// The value of `PATH` if the environment has none.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The environment variables of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Builds an environment from the variables of this process that are allowed, and fixed variables, which
    /// set the locale, and turn off prompts, pagers and colours.
    pub fn of_this_process() -> Self {
        Self::from(std::env::vars_os())
    }

    /// Builds an environment from those of the given variables that are allowed, and fixed variables, which
    /// set the locale, and turn off prompts, pagers and colours. `PATH` has a default value.
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

    /// Builds an empty environment.
    pub fn none() -> Self {
        Self { variables: BTreeMap::new() }
    }

    /// Sets a variable, and replaces its previous value.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.remove(name.as_ref());
        self
    }

    /// Returns the value of a variable; `None` if it is not set.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Replaces a `~` at the start of a path by the home directory (`HOME`).
    pub fn expanded(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), self.get("HOME")) {
            (Ok(rest), Some(home)) if rest.as_os_str().is_empty() => home.into(),
            (Ok(rest), Some(home)) => Path::new(home).join(rest),
            _ => path.to_owned(),
        }
    }

    /// Returns all variables, sorted by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Sets a variable if it is not set.
    pub fn or(&mut self, name: &str, value: &str) {
        self.variables.entry(name.into()).or_insert_with(|| value.into());
    }

    /// Removes from the `PATH` relative directories and directories that are inside `not_in`.
    #[must_use]
    pub fn without_places(self, not_in: &[PathBuf]) -> Self {
        let path = self.get("PATH").unwrap_or_default().to_owned();
        let kept =
            std::env::split_paths(&path).filter(|place| place.is_absolute() && !host::lies_in(place, not_in));
        // Joining cannot fail, because a part between colons contains no colon.
        let path = std::env::join_paths(kept).unwrap_or_else(|_| OsString::new());
        self.with("PATH", path)
    }
}
