//! Tests of ranked search after its process was killed: the stored index is whole, or rebuilt.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use toolpost_index::ranked::grammar::parse;
use toolpost_index::ranked::{Ask, Found, Index, Tests, What};
use toolpost_workspace::{Options, Scope, Workspace};

/// The variable with the killed process's directories for files and index; set only for that process.
const KILLED: &str = "TOOLPOST_TEST_RANKED_KILLED";
/// The number of files: some segments are written while the files are read.
const FILES: usize = 1_200;

fn open(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], scope: Scope::Any, ..Options::default() };
    Workspace::open(options).unwrap().0
}

fn put(root: &Path, number: usize, word: &str) {
    let text = format!("/// Counts {word}.\nfn alpha{number}() {{\n    {word}{};\n}}\n", number % 7);
    std::fs::write(root.join(format!("f{number}.rs")), text).unwrap();
}

fn ask(index: &Index, workspace: &Workspace, query: &str) -> Found {
    let node = parse(query).unwrap().node;
    let base = workspace.resolve(".").unwrap();
    let lent = index.lend(&|| false).unwrap();
    let ask =
        Ask { what: What::Query(&node), base: &base, tests: Tests::Searched, may: &|_| true, after: None };
    lent.search(&ask).unwrap()
}

/// Counts the files with the word that all have: those that were being written when a process was killed are empty.
fn holding(root: &Path) -> usize {
    let files = root.read_dir().unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let count = files.filter(|text| text.contains("alpha")).count();
    assert!(count + 25 > FILES, "{count}");
    count
}

/// Builds the index, and changes files for it, until it is killed.
#[test]
fn killed_process() {
    let Some(said) = std::env::var_os(KILLED).map(|said| said.into_string().unwrap()) else { return };
    let (root, cache) = said.split_once('|').unwrap();
    let workspace = open(Path::new(root));
    for round in 0.. {
        let index = Index::new(workspace.clone()).kept_in(Some(cache.into()));
        ask(&index, &workspace, "beta3");
        for number in 0..300 {
            put(Path::new(root), number, if round % 2 == 0 { "gamma" } else { "beta" });
        }
    }
}

#[test]
fn a_process_that_is_killed_while_it_reads_and_writes_costs_no_answer() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..FILES {
        put(root.path(), number, "beta");
    }
    let workspace = open(root.path());
    for round in 0_u64..20 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ranked_killed::killed_process"])
            .env(KILLED, format!("{}|{}", root.path().display(), cache.path().display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the whole of its work, without a shared clock.
        std::thread::sleep(Duration::from_millis(40 + round * 97 % 900));
        child.kill().unwrap();
        child.wait().unwrap();
        put(root.path(), 1_000, if round % 2 == 0 { "delta" } else { "beta" });
        let kept = Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
        let fresh = Index::new(workspace.clone());
        for query in ["beta3", "gamma", "delta", "alpha100*", "counts AND NOT beta1", "alpha*"] {
            let (found, wanted) = (ask(&kept, &workspace, query), ask(&fresh, &workspace, query));
            assert_eq!(found, wanted, "round {round}: {query}");
            assert!(
                query != "alpha*" || found.files == holding(root.path()),
                "round {round}: {}",
                found.files
            );
        }
    }
}
