//! `cargo xtask new`: creates a tool, a dialect or an operation as a scaffold that compiles.

mod dialect;
mod operation;
mod shape;
mod text;
mod tool;

use crate::{Repository, Verdict, output, programs};
use anyhow::{Result, bail, ensure};

/// The arguments that `cargo xtask new` accepts, for error messages.
const USAGE: &str =
    "new accepts `tool DIALECT NAME OPERATION`, `dialect NAME` or `operation CAPABILITY NAME`";

/// Writes the scaffold of a tool, a dialect or an operation, and prints the next steps.
///
/// # Errors
/// If the name is taken or invalid, or a file that must be edited has an unexpected shape.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let next = match words.as_slice() {
        ["tool", dialect, name, operation] => tool::write(house, dialect, name, operation)?,
        ["dialect", name] => dialect::write(house, name)?,
        ["operation", capability, name] => operation::write(house, capability, name)?,
        _ => bail!("{USAGE}"),
    };
    next.iter().for_each(|line| output::line(line));
    Ok(Verdict::Good)
}

/// Writes a new Rust file, formatted by rustfmt.
fn create(house: &Repository, path: &str, text: &str) -> Result<()> {
    ensure!(house.read(path).is_err(), "{path} already exists; choose another name, or change that file");
    house.write(path, text)?;
    programs::output(programs::program("rustfmt").args(["--edition", "2024"]).arg(house.path(path)))?;
    Ok(())
}

/// Checks that a name consists of lower-case letters, digits and `_`, and begins with a letter.
fn is_small_name(name: &str) -> Result<()> {
    let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let fits = name.starts_with(|letter: char| letter.is_ascii_lowercase()) && name.chars().all(letters);
    ensure!(fits, "`{name}` is not a lower-case name such as `stat` or `move_file`");
    Ok(())
}
