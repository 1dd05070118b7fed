//! Tests of ranked search while another process changes files: each result equals that of a newly built
//! index.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::example;
use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, SearchCriterion, SearchRequest, SearchResult, Tests};
use toolpost_test_rows::seed;
use toolpost_workspace::{Options, Scope, Workspace};

/// The default number of rounds.
const ROUNDS: u64 = 300;
const MORE: &str = "TOOLPOST_TEST_RANKED_ROUNDS";

const QUERIES: [&str; 16] = [
    "alpha",
    "alphaBeta user",
    "alpha AND beta",
    "alpha NOT beta",
    "NOT alpha",
    "al*",
    "*eta",
    "alhpa~2",
    "\"alpha alpha\"",
    "name:gamma OR words",
    "type:function AND beta",
    "type:constant",
    "ext:py alpha",
    "dir:d1 gamma",
    "file:f3",
    "comment:beta éclair",
];
const TEXTS: [&str; 3] = ["alpha alpha", "(&self)", "not_found"];

/// Pseudo-random numbers, the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// The process that changes files.
struct Other {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Other {
    fn start(root: &Path, seed: u64) -> Self {
        let mut child = Command::new(example::path("ranked_changes"))
            .arg("change")
            .arg(root)
            .arg(seed.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    fn change(&mut self, count: usize) {
        writeln!(self.stdin, "{count}").unwrap();
        let done = |line: std::io::Result<String>| line.unwrap() == "done";
        assert!(self.stdout.by_ref().lines().any(done), "the other process has exited");
    }
}

fn open(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], scope: Scope::Any, ..Options::default() };
    Workspace::open(options).unwrap().0
}

fn ask(index: &Index, workspace: &Workspace, what: SearchCriterion<'_>) -> SearchResult {
    let base = workspace.resolve(".").unwrap();
    let lent = index.lend(&|| false).unwrap();
    lent.search(&SearchRequest { what, base: &base, tests: Tests::Searched, may: &|_| true, after: None })
        .unwrap()
}

#[test]
fn stored_index_agrees_with_a_new_one_after_random_changes() {
    let rounds = std::env::var(MORE).ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = open(root.path());
    let kept = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    let (mut index, beside) = (kept(), kept());
    let seed = seed(0x2545_f491_4f6c_dd1d);
    let mut other = Other::start(root.path(), seed.rotate_left(32));
    let mut dice = Dice(seed);
    other.change(120);
    let mut blocks = 0;
    for round in 0..rounds {
        let most = if dice.next(20) == 0 { 60 } else { 4 };
        other.change(1 + dice.next(most));
        // The index is occasionally closed and reopened; a second index uses the same directory.
        match dice.next(25) {
            0 => {
                drop(index);
                index = kept();
            }
            1 => drop(beside.lend(&|| false).unwrap()),
            _ => {}
        }
        let fresh = Index::new(workspace.clone());
        for query in [QUERIES[dice.next(QUERIES.len())], "alpha", "alpha AND beta"] {
            let node = parse(query).unwrap().node;
            let wanted = ask(&fresh, &workspace, SearchCriterion::Query(&node));
            assert_eq!(
                ask(&index, &workspace, SearchCriterion::Query(&node)),
                wanted,
                "round {round}: {query}"
            );
            blocks += wanted.total;
        }
        let text = TEXTS[dice.next(TEXTS.len())];
        let (found, wanted) = (
            ask(&index, &workspace, SearchCriterion::Exactly(text)),
            ask(&fresh, &workspace, SearchCriterion::Exactly(text)),
        );
        assert_eq!(found, wanted, "round {round}: {text} as literal text");
    }
    assert!(blocks as u64 > 20 * rounds, "only {blocks} blocks were compared");
    drop(other.stdin);
    assert!(other.child.wait().unwrap().success());
}
