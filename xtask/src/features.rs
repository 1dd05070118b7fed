//! `cargo xtask features`: compiles the crates for other programs without their default features, with each
//! feature alone, and with the pairs that share code.

mod figures;

use crate::{Repository, Verdict, output, programs};
use anyhow::{Result, bail};
use std::time::Instant;

/// A crate, and the features that it is compiled with in place of the default ones.
const SETS: &[(&str, &str)] = &[
    ("toolpost", "files"),
    ("toolpost", "files,agent"),
    ("toolpost", "files,documents"),
    ("toolpost", "files,grammars"),
    ("toolpost", "files,meaning"),
    ("toolpost", "files,script"),
    ("toolpost", "files,shared"),
    ("toolpost", "files,web"),
    ("toolpost", "agent,shared"),
    ("toolpost", "grammars,script"),
    ("toolpost-mcp-server", ""),
    ("toolpost-tool", ""),
];

/// Checks each set of features. With `--figures`, measures the smallest and the largest build instead.
///
/// # Errors
/// If cargo cannot be started, or a measured program cannot be built.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    match arguments {
        [] => {}
        [flag] if flag == "--figures" => return figures::run(house),
        _ => bail!("features accepts only --figures"),
    }
    let mut verdict = Verdict::Good;
    for (package, features) in SETS {
        let start = Instant::now();
        let mut cargo = programs::cargo();
        cargo.args(["check", "--quiet", "--locked", "--package", package, "--no-default-features"]);
        cargo.args(["--features", features]).current_dir(house.root());
        let name = if features.is_empty() { "no features" } else { features };
        match programs::output(&mut cargo) {
            Ok(_) => output::line(&format!("{package}, {name}: compiles, {} s", start.elapsed().as_secs())),
            Err(error) => {
                output::line(&format!("{package}, {name}: {error}"));
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}
