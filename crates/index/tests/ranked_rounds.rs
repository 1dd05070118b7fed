//! Tests of ranked search while another process changes files: each answer is that of a new index.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use toolpost_index::ranked::grammar::parse;
use toolpost_index::ranked::{Ask, Found, Index, Tests, What};
use toolpost_workspace::{Options, Scope, Workspace};

/// The variable with the directory for the other process; set only for that process.
const CHANGED: &str = "TOOLPOST_TEST_RANKED_CHANGED";
/// The default number of rounds.
const ROUNDS: u64 = 300;
const MORE: &str = "TOOLPOST_TEST_RANKED_ROUNDS";

const LINES: [&str; 16] = [
    "fn alphaBeta(x: u8) -> Gamma {",
    "}",
    "struct Gamma { alpha: u8 }",
    "// words on the betas of alpha",
    "let user_name = username;",
    "",
    "impl Gamma { fn beta(&self) {} }",
    "const LIMIT: usize = 3;",
    "mod tests { fn check() { alpha(); } }",
    "def second(alpha):",
    "    return not_found",
    "# Heading of gamma",
    "HTTPServer2 of_many_parts",
    "délta Éclair",
    "alpha alpha alpha beta",
    "0x1f 42 v2beta",
];
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

    fn text(&mut self) -> String {
        // Sometimes a function that is too long for one block.
        if self.next(12) == 0 {
            let mut text = "fn alpha_long() {\n".to_owned();
            for _ in 0..260 + self.next(80) {
                text.push_str(if self.next(60) == 0 { "    beta();\n" } else { "    step();\n" });
            }
            return text + "}\n";
        }
        let count = self.next(14);
        (0..count).map(|_| format!("{}\n", LINES[self.next(LINES.len())])).collect()
    }

    fn path(&mut self, root: &Path) -> PathBuf {
        let ends = ["rs", "py", "md", "txt"];
        let (folder, file) = (self.next(4), self.next(12));
        let deep = if self.next(3) == 0 { "deep/" } else { "" };
        root.join(format!("d{folder}/{deep}f{file}.{}", ends[file % ends.len()]))
    }

    /// Changes something; a missing file stays unchanged.
    fn change(&mut self, root: &Path) {
        let path = self.path(root);
        match self.next(10) {
            0 => drop(fs::remove_file(&path)),
            1 => {
                let other = self.path(root);
                fs::create_dir_all(other.parent().unwrap()).unwrap();
                drop(fs::rename(&path, other));
            }
            2 => {
                let (one, other) = (root.join("d0/deep"), root.join("d1/moved"));
                drop(if other.exists() { fs::rename(other, one) } else { fs::rename(one, other) });
            }
            3 => drop(fs::remove_dir_all(root.join(format!("d{}/deep", self.next(4))))),
            4 => {
                let rules = ["", "d2/\n", "*.md\n", "deep/\n"];
                fs::write(root.join(".gitignore"), rules[self.next(rules.len())]).unwrap();
            }
            5 => same_size_and_times(&path),
            6 => drop(fs::OpenOptions::new().append(true).open(&path).map(|mut file| {
                let text = self.text();
                file.write_all(text.as_bytes()).unwrap();
            })),
            7 => {
                // As editors write: to a temporary file, then over the original.
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let beside = path.with_extension("tmp");
                fs::write(&beside, self.text()).unwrap();
                fs::rename(beside, &path).unwrap();
            }
            _ => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, self.text()).unwrap();
            }
        }
    }
}

/// Changes the content of a file but neither its size nor its modification time.
fn same_size_and_times(path: &Path) {
    let (Ok(bytes), Ok(stat)) = (fs::read(path), fs::metadata(path)) else { return };
    let other = bytes.iter().map(|byte| if *byte == b'a' { b'e' } else { *byte }).collect::<Vec<_>>();
    fs::write(path, other).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(stat.modified().unwrap()).unwrap();
}

/// Changes files: for each line that it reads, as often as that line says.
#[test]
fn changing_process() {
    let Some(root) = std::env::var_os(CHANGED).map(PathBuf::from) else { return };
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for line in std::io::stdin().lock().lines() {
        let count: usize = line.unwrap().parse().unwrap();
        (0..count).for_each(|_| dice.change(&root));
        std::io::stdout().write_all(b"\ndone\n").unwrap();
        std::io::stdout().flush().unwrap();
    }
}

/// The process that changes files.
struct Other {
    child: Child,
    said: ChildStdin,
    says: BufReader<ChildStdout>,
}

impl Other {
    fn start(root: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ranked_rounds::changing_process", "--nocapture"])
            .env(CHANGED, root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (said, says) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, said, says }
    }

    fn change(&mut self, count: usize) {
        writeln!(self.said, "{count}").unwrap();
        let done = |line: std::io::Result<String>| line.unwrap() == "done";
        assert!(self.says.by_ref().lines().any(done), "the other process has ended");
    }
}

fn open(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], scope: Scope::Any, ..Options::default() };
    Workspace::open(options).unwrap().0
}

fn ask(index: &Index, workspace: &Workspace, what: What<'_>) -> Found {
    let base = workspace.resolve(".").unwrap();
    let lent = index.lend(&|| false).unwrap();
    lent.search(&Ask { what, base: &base, tests: Tests::Searched, may: &|_| true, after: None }).unwrap()
}

#[test]
fn an_index_says_what_one_made_anew_says_whatever_another_process_changes() {
    let rounds = std::env::var(MORE).ok().and_then(|said| said.parse().ok()).unwrap_or(ROUNDS);
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = open(root.path());
    let kept = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    let (mut index, beside) = (kept(), kept());
    let mut other = Other::start(root.path());
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    other.change(120);
    let mut blocks = 0;
    for round in 0..rounds {
        let most = if dice.next(20) == 0 { 60 } else { 4 };
        other.change(1 + dice.next(most));
        // Closed and reopened occasionally; another one reads and writes the same directory.
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
            let wanted = ask(&fresh, &workspace, What::Query(&node));
            assert_eq!(ask(&index, &workspace, What::Query(&node)), wanted, "round {round}: {query}");
            blocks += wanted.total;
        }
        let text = TEXTS[dice.next(TEXTS.len())];
        let (found, wanted) =
            (ask(&index, &workspace, What::Exactly(text)), ask(&fresh, &workspace, What::Exactly(text)));
        assert_eq!(found, wanted, "round {round}: {text} as it stands");
    }
    assert!(blocks as u64 > 20 * rounds, "only {blocks} blocks were compared");
    drop(other.said);
    assert!(other.child.wait().unwrap().success());
}
