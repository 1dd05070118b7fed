//! `cargo xtask features`: every cargo feature of the crate `toolpost` compiles, alone and in pairs that meet in the code.

use crate::{House, Verdict, programs, say};
use anyhow::{Result, bail};

/// Sets of features that are checked, each without the default ones.
const SETS: &[&str] = &[
    "files",
    "files,agent",
    "files,grammars",
    "files,meaning",
    "files,script",
    "files,shared",
    "agent,shared",
    "grammars,meaning",
];

/// Checks each set of features.
///
/// # Errors
/// If cargo cannot be started.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    if let Some(unknown) = arguments.first() {
        bail!("features takes no argument, got `{unknown}`");
    }
    let mut verdict = Verdict::Good;
    for set in SETS {
        let mut cargo = programs::cargo();
        cargo.args(["check", "--quiet", "--locked", "--package", "toolpost", "--no-default-features"]);
        cargo.args(["--features", set]).current_dir(house.root());
        match programs::output(&mut cargo) {
            Ok(_) => say::line(&format!("{set}: compiles")),
            Err(error) => {
                say::line(&format!("{set}: {error}"));
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}
