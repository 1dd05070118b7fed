//! Tests of ranked search after its process was killed: the stored index is intact, or rebuilt.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use toolpost_test_rows::each;

use crate::example;
use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, SearchCriterion, SearchRequest, SearchResult, Tests};
use toolpost_workspace::{Options, Scope, Workspace};

/// The number of files; it is large enough that some segments are written while other files are read.
const FILES: usize = 1_200;
/// The number of output lines after which the process is killed: after 1 and 13, it is in a search, after the
/// others, it is writing files.
const STEPS: [usize; 7] = [1, 13, 1, 7, 13, 1, 12];

fn open(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], scope: Scope::Any, ..Options::default() };
    Workspace::open(options).unwrap().0
}

fn put(root: &Path, number: usize, word: &str) {
    let text = format!("/// Counts {word}.\nfn alpha{number}() {{\n    {word}{};\n}}\n", number % 7);
    std::fs::write(root.join(format!("f{number}.rs")), text).unwrap();
}

fn ask(index: &Index, workspace: &Workspace, query: &str) -> SearchResult {
    let node = parse(query).unwrap().node;
    let base = workspace.resolve(".").unwrap();
    let lent = index.lend(&|| false).unwrap();
    let ask = SearchRequest {
        what: SearchCriterion::Query(&node),
        base: &base,
        tests: Tests::Searched,
        may: &|_| true,
        after: None,
    };
    lent.search(&ask).unwrap()
}

/// Counts the files that contain `alpha`, as every complete file does. Files that were being written when a
/// process was killed are empty.
fn holding(root: &Path) -> usize {
    let files = root.read_dir().unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let count = files.filter(|text| text.contains("alpha")).count();
    assert!(count + 25 > FILES, "{count}");
    count
}

#[test]
fn killed_indexing_process_leaves_search_results_correct() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..FILES {
        put(root.path(), number, "beta");
    }
    let workspace = open(root.path());
    for round in 0_u64..20 {
        let mut child = Command::new(example::path("ranked_changes"))
            .arg("index")
            .args([root.path(), cache.path()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The process prints a line before and after each search, and after every 30 files.
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let step = STEPS[usize::try_from(round).unwrap() % STEPS.len()];
        assert_eq!(lines.take(step).count(), step, "round {round}: the process has exited");
        // The kill comes at another moment after the step in each round.
        std::thread::sleep(Duration::from_millis(round * 37 % 90));
        child.kill().unwrap();
        child.wait().unwrap();
        put(root.path(), 1_000, if round % 2 == 0 { "delta" } else { "beta" });
        let kept = Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
        let fresh = Index::new(workspace.clone());
        each(["beta3", "gamma", "delta", "alpha100*", "counts AND NOT beta1", "alpha*"], |query| {
            let (found, wanted) = (ask(&kept, &workspace, query), ask(&fresh, &workspace, query));
            assert_eq!(found, wanted, "round {round}: {query}");
            assert!(
                query != "alpha*" || found.files == holding(root.path()),
                "round {round}: {}",
                found.files
            );
        });
    }
}
