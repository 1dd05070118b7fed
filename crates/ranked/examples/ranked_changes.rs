//! Helper process of the tests of ranked search: changes files on command, or builds an index until it is
//! killed.
//!
//! `ranked_changes change ROOT` makes as many changes as each line of stdin requests.
//! `ranked_changes index ROOT CACHE` builds indexes and changes files until it is killed.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "this process is part of the tests")]

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, SearchCriterion, SearchRequest, Tests};
use toolpost_workspace::{Options, Scope, Workspace};

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
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["change", root, seed] => change(Path::new(root), Dice(seed.parse().unwrap())),
        ["index", root, cache] => index(Path::new(root), Path::new(cache)),
        other => panic!("{other:?}: use `change ROOT SEED` or `index ROOT CACHE`"),
    }
}

/// Changes files: each line of stdin is a number of changes.
fn change(root: &Path, mut dice: Dice) {
    for line in std::io::stdin().lock().lines() {
        let count: usize = line.unwrap().parse().unwrap();
        (0..count).for_each(|_| dice.change(root));
        std::io::stdout().write_all(b"\ndone\n").unwrap();
        std::io::stdout().flush().unwrap();
    }
}

/// Prints a line about the progress, which the test waits for. If the test no longer reads, it is about to kill this
/// process; the process then exits, because a panic would only clutter the output of the test.
fn tell(what: &str) {
    let mut out = std::io::stdout();
    if writeln!(out, "{what}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Builds the index repeatedly, and changes files after each search.
fn index(root: &Path, cache: &Path) {
    let options = Options { roots: vec![root.to_owned()], scope: Scope::Any, ..Options::default() };
    let workspace = Workspace::open(options).unwrap().0;
    let node = parse("beta3").unwrap().node;
    let base = workspace.resolve(".").unwrap();
    for round in 0.. {
        let index = Index::new(workspace.clone()).kept_in(Some(cache.into()));
        let ask = SearchRequest {
            what: SearchCriterion::Query(&node),
            base: &base,
            tests: Tests::Searched,
            may: &|_| true,
            after: None,
        };
        tell("search");
        index.lend(&|| false).unwrap().search(&ask).unwrap();
        tell("found");
        for number in 0..300 {
            put(root, number, if round % 2 == 0 { "gamma" } else { "beta" });
            if number % 30 == 29 {
                tell("written");
            }
        }
    }
}

fn put(root: &Path, number: usize, word: &str) {
    let text = format!("/// Counts {word}.\nfn alpha{number}() {{\n    {word}{};\n}}\n", number % 7);
    fs::write(root.join(format!("f{number}.rs")), text).unwrap();
}

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
                // As editors do: write to a temporary file, then rename it over the original.
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
