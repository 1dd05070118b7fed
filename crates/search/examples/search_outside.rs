//! Helper process of `tests/outside.rs`, with a separate home or separate mounts: checks the first answer
//! after each change.
//!
//! Usage: `search_outside home DIRECTORY` or `search_outside mounts`.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "this process is part of the tests")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use support::{World, dice::Dice};
use toolpost_search::{Control, GlobRequest, GrepRequest, Mode, Prune, glob, grep};
use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::walk::Options;

const ROUNDS: usize = 700;

const RULES: [&str; 6] =
    ["", "*.log\n", "f1.*\n", "sub/\n*.md\n", "*\n!*.rs\n!*/\n", "/sub/f2.rs\nroot/f3.txt\n"];
const DIRECTORIES: [&str; 5] = ["", "sub/", "sub/deep/", "nested/", "mod/"];
const ENDINGS: [&str; 4] = ["rs", "txt", "log", "md"];
const WORDS: [&str; 4] = ["needle", "hay", "stack", "thread"];

/// The changes that can happen between two queries.
const ACTS: [&str; 16] = [
    "write",
    "write",
    "append",
    "append",
    "remove",
    "rename",
    "link",
    "linked outside",
    "through outside",
    "above",
    "exclude above",
    "global",
    "configuration",
    "nested exclude",
    "module exclude",
    "map",
];

struct Acts<'w> {
    top: PathBuf,
    root: PathBuf,
    home: PathBuf,
    world: &'w World,
    index: &'w TrigramIndex,
    /// The number of hard links outside the root to files inside it.
    outside: usize,
    dice: Dice,
}

impl Acts<'_> {
    fn name(&mut self) -> PathBuf {
        let (directory, number) = (self.dice.one_of(&DIRECTORIES), self.dice.roll(6));
        self.root.join(format!("{directory}f{number}.{}", self.dice.one_of(&ENDINGS)))
    }

    fn text(&mut self) -> String {
        (0..1 + self.dice.roll(3)).map(|_| format!("{}\n", self.dice.one_of(&WORDS))).collect()
    }

    fn write(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn rules(&mut self, path: PathBuf) {
        match self.dice.roll(5) {
            0 => drop(std::fs::remove_file(path)),
            // An editor replaces the old file by a new one.
            1 => {
                let fresh = path.with_extension("new");
                let rules = self.dice.one_of(&RULES);
                self.write(&fresh, rules);
                std::fs::rename(fresh, path).unwrap();
            }
            _ => {
                let rules = self.dice.one_of(&RULES);
                self.write(&path, rules);
            }
        }
    }

    fn act(&mut self, what: &str) {
        let path = self.name();
        match what {
            "write" => {
                let text = self.text();
                self.write(&path, &text);
            }
            "append" => {
                let text = self.text();
                if let Ok(mut file) = std::fs::File::options().append(true).open(&path) {
                    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
                }
            }
            "remove" => drop(std::fs::remove_file(path)),
            "rename" => drop(std::fs::rename(self.name(), path)),
            "link" => drop(std::fs::hard_link(self.name(), path)),
            "linked outside" => {
                let _ = std::fs::remove_file(&path);
                let text = self.text();
                let outside = self.top.join(format!("outside{}", self.outside));
                self.write(&outside, &text);
                std::fs::hard_link(outside, path).unwrap();
                self.outside += 1;
            }
            "through outside" if self.outside > 0 => {
                let text = self.text();
                let number = self.dice.roll(self.outside);
                self.write(&self.top.join(format!("outside{number}")), &text);
            }
            "through outside" => {}
            "above" => {
                let name = self.dice.one_of(&[".gitignore", ".ignore", ".rgignore"]);
                self.rules(self.top.join(name));
            }
            "exclude above" => self.rules(self.top.join(".git/info/exclude")),
            "global" => self.rules(self.home.join("git/ignore")),
            "configuration" => {
                let other = self.home.join("other");
                self.rules(other.clone());
                let line = format!("[core]\n\texcludesFile = {}\n", other.display());
                let text = self.dice.one_of(&["", &line]);
                self.write(&self.home.join(".gitconfig"), text);
            }
            "nested exclude" => self.rules(self.root.join("nested/.git/info/exclude")),
            "module exclude" => self.rules(self.top.join(".git/modules/mod/info/exclude")),
            "map" => self.map(&path),
            other => panic!("{other}"),
        }
    }

    /// Writes through a memory mapping, queries, writes once more, and closes the mapping.
    fn map(&mut self, path: &Path) {
        let Ok(file) = std::fs::File::options().read(true).write(true).open(path) else { return };
        if file.metadata().unwrap().len() < 6 {
            return;
        }
        #[expect(unsafe_code, reason = "no other process changes the file while it is mapped")]
        let mut map = unsafe { memmap2::MmapMut::map_mut(&file).unwrap() };
        drop(file);
        map[..3].copy_from_slice(b"hay");
        let _ = self.answers();
        map[..6].copy_from_slice(b"needle");
    }

    fn answers(&self) -> [(String, String); 2] {
        let said = |index: Option<&TrigramIndex>| {
            let request = GrepRequest { mode: Mode::Count, limit: None, ..self.world.grep("needle") };
            let grep = grep(&self.world.workspace, &request, &Control::default(), index).unwrap();
            let request = GlobRequest { prune: Prune::Nothing, ..self.world.glob("**") };
            let glob = glob(&self.world.workspace, &request, &Control::default(), index).unwrap();
            (format!("{grep:#?}"), format!("{glob:#?}"))
        };
        [said(Some(self.index)), said(None)]
    }

    fn compare(&self, what: &str) {
        let [with, without] = self.answers();
        assert!(with.0 == without.0, "{what}: {}", difference(&with.0, &without.0));
        assert!(with.1 == without.1, "{what}: {}", difference(&with.1, &without.1));
    }
}

fn difference(one: &str, other: &str) -> String {
    let differs = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
    differs.take(6).map(|(one, other)| format!("{one} | {other}\n")).collect()
}

fn begin(world: &World) -> (PathBuf, PathBuf) {
    let top = world.directory.path().to_owned();
    for directory in [".git/info", ".git/modules/mod/info", "root/nested/.git/info", "root/sub/deep"] {
        std::fs::create_dir_all(top.join(directory)).unwrap();
    }
    world.add(b"mod/.git", b"gitdir: ../../.git/modules/mod\n");
    for number in 0..40 {
        world.add(format!("{}f{}.rs", DIRECTORIES[number % 5], number / 5).as_bytes(), b"needle\nhay\n");
    }
    std::thread::sleep(Duration::from_millis(60));
    (top, world.root())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["home", home] => own_home(home.into()),
        ["mounts"] => own_mounts(),
        other => panic!("{other:?}: use `home DIRECTORY` or `mounts`"),
    }
}

/// Compares the answers after random changes, with a separate home directory.
fn own_home(home: PathBuf) {
    let world = World::new(&[]);
    let (top, root) = begin(&world);
    let index = TrigramIndex::new(world.workspace.clone(), None);
    let _ = index.settle(&Options::default(), Duration::from_secs(30));
    let mut acts = Acts { top, root, home, world: &world, index: &index, outside: 0, dice: Dice(0x0DD5) };
    acts.compare("at first");
    for round in 0..ROUNDS {
        let mut what = Vec::new();
        for _ in 0..1 + acts.dice.roll(2) {
            what.push(acts.dice.one_of(&ACTS));
            acts.act(what[what.len() - 1]);
        }
        // Sometimes pause, so that the index reloads its rules or refreshes its list of files.
        std::thread::sleep(Duration::from_millis([0, 0, 0, 0, 3, 60, 0, 120][acts.dice.roll(8)]));
        acts.compare(&format!("round {round}: {what:?}"));
    }
}

/// Compares the answers after mounts and unmounts, in a private mount namespace.
fn own_mounts() {
    let world = World::new(&[]);
    let (top, root) = begin(&world);
    let index = TrigramIndex::new(world.workspace.clone(), None);
    let _ = index.settle(&Options::default(), Duration::from_secs(30));
    let acts = Acts {
        home: top.clone(),
        top: top.clone(),
        root,
        world: &world,
        index: &index,
        outside: 0,
        dice: Dice(7),
    };
    acts.compare("at first");
    let steps = [
        "mkdir away && echo needle > away/new.rs",
        "mount --bind away root/sub",
        "echo needle > root/sub/more.rs",
        "umount root/sub",
        "mount -t tmpfs none root/sub/deep",
        "echo needle > root/sub/deep/in.rs",
        "umount root/sub/deep && mount -t tmpfs none root/sub/deep",
        "mount --bind root/nested root/mod && echo needle > root/mod/twice.rs",
        "umount root/mod root/sub/deep",
    ];
    for step in steps {
        let status = Command::new("sh").args(["-ec", step]).current_dir(&top).status().unwrap();
        assert!(status.success(), "{step}");
        acts.compare(step);
    }
}
