//! Search quality by commits: the query is the message of a commit, and the wanted results are the files that
//! it changed.

use super::baseline::BaselineSearch;
use super::report::{Commits, Figures};
use super::{IndexedTree, Way};
use crate::{disk, programs};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Number of the newest commits considered.
const COMMITS: usize = 400;
/// Maximum number of code files that a commit changed; a commit with more has no single topic.
const FILES: usize = 8;
/// Separator of the fields in the output of `git log`.
const MARK: char = '\u{1}';

/// Measures the search quality on the newest commits of one Git repository, in the files from before the oldest
/// of these commits. If `beside` is set, it limits the number of commits, and the investigator, BM25 over whole
/// files and `rg` are measured too.
pub(super) fn measure(place: &Path, target: &Path, ways: &[Way], beside: Option<usize>) -> Result<Commits> {
    let git = |arguments: &[&str]| {
        programs::output(programs::program("git").arg("--git-dir").arg(place).args(arguments))
    };
    let folder = place
        .parent()
        .and_then(Path::file_name)
        .context("the git directory must be in a directory with the name of its repository")?;
    let name = folder.to_string_lossy().replace('+', "/");
    let log = git(&[
        "log",
        "--no-merges",
        "--name-only",
        "--diff-filter=M",
        &format!("--max-count={COMMITS}"),
        "--format=%x01%H%x01%B%x01",
    ])?;
    let mut parts = log.split(MARK).skip(1);
    let (mut commits, mut last) = (Vec::new(), String::new());
    while let (Some(hash), Some(message), Some(files)) = (parts.next(), parts.next(), parts.next()) {
        last = hash.trim().to_owned();
        let files: Vec<String> = files.lines().filter(|line| is_code(line)).map(str::to_owned).collect();
        commits.push((said(message), files));
    }
    ensure!(!commits.is_empty(), "the history of {name} has no commits");
    let tree = target.join("histories").join(name.replace('/', "+"));
    disk::remove_folder(&tree)?;
    disk::make_folder(&tree)?;
    let archive = tree.join("tree.tar");
    git(&["archive", "--format=tar", "-o", &archive.to_string_lossy(), &format!("{last}^")])?;
    programs::output(programs::program("tar").arg("-xf").arg(&archive).arg("-C").arg(&tree))?;
    disk::remove_file(&archive)?;
    let searched = IndexedTree::open(&tree)?;
    let others = beside.map(|_| BaselineSearch::open(&disk::canonical(&tree)?)).transpose()?;
    let mut names: Vec<&'static str> = ways.iter().map(|(way, _)| *way).collect();
    names.extend(
        others.iter().flat_map(|_| ["investigator", "words (BM25 over whole files)", "rg, counting words"]),
    );
    let mut figures = vec![Figures::default(); names.len()];
    let asked = fitting(commits, &tree);
    let count = asked.len().min(beside.unwrap_or(usize::MAX));
    for (message, wanted) in (0..count).map(|at| &asked[at * asked.len() / count]) {
        let vector = searched.vector(message)?;
        let mut found: Vec<Vec<String>> = Vec::new();
        for (_, fusion) in ways {
            found.push(searched.ask(message, &vector, *fusion)?.0);
        }
        if let Some(others) = &others {
            found.push(others.investigate(message)?);
            found.push(others.whole_files(message));
            found.push(others.counted(message)?);
        }
        for (figures, found) in figures.iter_mut().zip(found) {
            let among = wanted.iter().filter(|file| found.iter().take(10).any(|own| own == *file)).count();
            figures.asked += 1;
            figures.found += among as f64 / wanted.len() as f64;
        }
    }
    let blocks = searched.ask("all", &searched.vector("all")?, None)?.1;
    let commits = figures.first().map_or(0, |figures| figures.asked);
    Ok(Commits { name, commits, blocks, ways: names.into_iter().zip(figures).collect() })
}

/// Selects the commits that can be queries: their messages, and the changed files that already existed.
fn fitting(commits: Vec<(String, Vec<String>)>, tree: &Path) -> Vec<(String, Vec<String>)> {
    let asked = commits.into_iter().filter_map(|(message, files)| {
        let wanted: Vec<String> = files.into_iter().filter(|file| disk::exists(&tree.join(file))).collect();
        let fits = !wanted.is_empty() && wanted.len() <= FILES && message.split_whitespace().count() >= 4;
        fits.then_some((message, wanted))
    });
    asked.collect()
}

/// Returns a commit message without trailers such as `Signed-off-by:`, and without lines that contain a URL.
fn said(message: &str) -> String {
    let lines = message.lines().filter(|line| !line.contains("-by: ") && !line.contains("://"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_code(path: &str) -> bool {
    [".py", ".rs"].iter().any(|ending| path.ends_with(ending))
}
