//! `cargo xtask features`: compiles the crate `toolpost` with each of its features, alone and in pairs that
//! share code.

use crate::{Repository, Verdict, output, programs};
use anyhow::{Result, bail};

/// Sets of features that are checked, each without the default ones.
const SETS: &[&str] = &[
    "files",
    "files,agent",
    "files,documents",
    "files,grammars",
    "files,meaning",
    "files,script",
    "files,shared",
    "files,web",
    "agent,shared",
    "grammars,meaning",
];

/// Sets that CI checks: no optional feature, and the feature that the most code depends on.
const QUICK: &[&str] = &["files", "files,agent"];

/// Checks each set of features; with `--quick`, only two of them.
///
/// # Errors
/// If cargo cannot be started.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let sets = match arguments {
        [] => SETS,
        [flag] if flag == "--quick" => QUICK,
        _ => bail!("features accepts only --quick"),
    };
    let mut verdict = Verdict::Good;
    for set in sets {
        let mut cargo = programs::cargo();
        cargo.args(["check", "--quiet", "--locked", "--package", "toolpost", "--no-default-features"]);
        cargo.args(["--features", set]).current_dir(house.root());
        match programs::output(&mut cargo) {
            Ok(_) => output::line(&format!("{set}: compiles")),
            Err(error) => {
                output::line(&format!("{set}: {error}"));
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}
