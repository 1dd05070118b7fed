//! Measures glob and grep over a directory: `measure DIRECTORY REGEX [GLOB [ONLY]]` prints microseconds.
#![expect(clippy::print_stdout, reason = "an example reports on stdout")]

use std::time::Instant;

use toolpost_search::{
    Case, Control, EntryKinds, GlobRequest, GrepRequest, HiddenFiles, Mode, Prune, Rules, glob, grep,
};
use toolpost_workspace::{Options, Workspace};

/// The number of runs of each search; the fastest counts.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: measure DIRECTORY REGEX [GLOB [ONLY]]")?;
    let pattern = arguments.next().ok_or("usage: measure DIRECTORY REGEX [GLOB [ONLY]]")?;
    let names = arguments.next().unwrap_or_else(|| "**/*.rs".to_owned());
    let only = arguments.next().unwrap_or_default();
    let options = Options { roots: vec![directory.into()], ..Options::default() };
    let (workspace, _) = Workspace::open(options)?;
    let base = workspace.resolve(".")?;
    let control = Control::default();
    for (name, mode, limit) in [
        ("grep lines, first 250", Mode::Content, Some(250)),
        ("grep lines, all", Mode::Content, None),
        ("grep files", Mode::Files, Some(250)),
    ] {
        if !name.contains(&only) {
            continue;
        }
        let mut request = GrepRequest::of(base.clone(), pattern.clone());
        (request.mode, request.limit, request.hidden) = (mode, limit, HiddenFiles::Skip);
        measure(name, || {
            let output = grep(&workspace, &request, &control, None)?;
            Ok(format!(
                "{} lines in {} of {} files",
                output.totals.matching_lines, output.totals.files, output.totals.searched
            ))
        })?;
    }
    if !"glob".contains(&only) {
        return Ok(());
    }
    let request = GlobRequest {
        base,
        pattern: names,
        rules: Rules::Git,
        prune: Prune::Nothing,
        hidden: HiddenFiles::Skip,
        case: Case::Sensitive,
        only: EntryKinds::Files,
        limit: Some(100),
        depth: None,
    };
    measure("glob", || Ok(format!("{} files", glob(&workspace, &request, &control, None)?.total)))
}

fn measure(
    name: &str,
    mut run: impl FnMut() -> Result<String, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut best = u128::MAX;
    let mut said = String::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        said = run()?;
        best = best.min(begun.elapsed().as_micros());
    }
    println!("{name}: {best} µs ({said})");
    Ok(())
}
