//! The built examples of this crate, as programs.

use std::{path::Path, process::Command};

/// Returns a command that runs an example, which cargo builds with the tests, for a user with this home directory.
pub(crate) fn command(name: &str, home: &Path) -> Command {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(program.is_file(), "{} is missing: run `cargo build --examples -p toolpost`", program.display());
    let mut command = Command::new(program);
    command.env("HOME", home);
    for name in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    command
}
