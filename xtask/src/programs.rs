//! Starts processes for the tasks of `cargo xtask`: cargo, git and the programs that Toolpost is compared
//! with.
#![expect(clippy::disallowed_methods, reason = "the tasks of the repository never ship")]

use anyhow::{Context, Result, bail};
use std::{
    ffi::OsStr,
    path::Path,
    process::{Command, Stdio},
};

/// Creates a command that runs a program.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    Command::new(name)
}

/// Creates a command for the cargo that runs this task.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env_remove("CARGO_MANIFEST_DIR");
    command
}

/// Runs a program, and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{} cannot be started", shown(command)))?;
    if !done.status.success() {
        bail!("{} failed: {}", shown(command), done.status);
    }
    String::from_utf8(done.stdout).with_context(|| format!("{} printed invalid UTF-8", shown(command)))
}

/// Returns whether a program succeeds with `--version`.
pub(crate) fn is_there(name: &str) -> bool {
    let quiet = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// Formats a command line.
pub(crate) fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
