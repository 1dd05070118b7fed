//! Build time and size of a program that embeds Toolpost, with the tools for files and with all features.

use crate::{Repository, Verdict, disk, docs::generated_parts, output, programs};
use anyhow::{Context, Result};
use std::{collections::BTreeSet, fmt::Write, path::Path, thread, time::Instant};

/// The page with the table.
const PAGE: &str = "docs/embed.md";
/// The program: an example that uses only the tools for files.
const EXAMPLE: &str = "crates/toolpost/examples/code_search.rs";
/// The directory of the program, below the root of the repository.
const FOLDER: &str = "target/figures";

/// The measured programs: the name in the table, and the keys of the dependency.
const PROGRAMS: &[(&str, &str)] =
    &[("`files`", r#", default-features = false, features = ["files"]"#), ("default", "")];

/// The figures of one program.
struct Figures {
    name: &'static str,
    /// The number of crates that cargo compiles for the program.
    crates: usize,
    seconds: u64,
    /// The size of the stripped program.
    bytes: u64,
}

/// Builds each program from nothing, and writes the table into the page.
pub(super) fn run(house: &Repository) -> Result<Verdict> {
    let mut all = Vec::new();
    for (name, keys) in PROGRAMS {
        let figures = measure(house, name, keys)?;
        output::line(&format!(
            "{name}: {} crates, {} s, {} bytes",
            figures.crates, figures.seconds, figures.bytes
        ));
        all.push(figures);
    }
    disk::remove_folder(&house.path(FOLDER))?;
    let text = format!("\n{}\n", table(&all)?);
    house.write(PAGE, &generated_parts::put(&house.read(PAGE)?, "features", &text)?)?;
    Ok(Verdict::Good)
}

/// Builds a program outside the workspace, as a user of the crate does, without the artifacts of other builds.
fn measure(house: &Repository, name: &'static str, keys: &str) -> Result<Figures> {
    let folder = house.path(FOLDER);
    disk::remove_folder(&folder)?;
    disk::write(&folder.join("Cargo.toml"), manifest(house.root(), keys).as_bytes())?;
    disk::write(&folder.join("src/main.rs"), house.read(EXAMPLE)?.as_bytes())?;
    // The versions of the dependencies are those of the repository.
    disk::write(&folder.join("Cargo.lock"), house.read("Cargo.lock")?.as_bytes())?;
    let cargo = |arguments: &[&str]| {
        let mut cargo = programs::cargo();
        cargo.args(arguments).current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
        programs::output(&mut cargo)
    };
    let tree = cargo(&["tree", "--prefix", "none", "--format", "{p}", "--edges", "normal,build"])?;
    // The program itself is a line of the tree, too.
    let crates = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len() - 1;
    let start = Instant::now();
    cargo(&["build", "--quiet", "--release"])?;
    let seconds = start.elapsed().as_secs();
    let program = folder.join("target/release/program");
    let bytes = disk::bytes(&program).with_context(|| format!("{} was not built", program.display()))?;
    Ok(Figures { name, crates, seconds, bytes: bytes.len() as u64 })
}

/// Returns the manifest of a program. The empty `[workspace]` keeps it out of the workspace of the repository.
fn manifest(root: &Path, keys: &str) -> String {
    let crate_path = root.join("crates/toolpost");
    format!(
        "[package]\nname = \"program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[profile.release]\nstrip = true\n\n\
         [dependencies]\nserde_json = \"1\"\ntokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\
         toolpost = {{ path = {crate_path:?}{keys} }}\n"
    )
}

fn table(all: &[Figures]) -> Result<String> {
    let processors = thread::available_parallelism()?;
    let mut text = format!(
        "A release build of the example `code_search` without cached artifacts, on {processors} processors:\n\n\
         | features | crates | build time | stripped program |\n|---|---|---|---|\n"
    );
    for Figures { name, crates, seconds, bytes } in all {
        let size = (*bytes as f64) / 1e6;
        writeln!(text, "| {name} | {crates} | {seconds} s | {size:.1} MB |")?;
    }
    Ok(text)
}
