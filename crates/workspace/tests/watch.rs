//! Detection of changes by other processes.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

use std::path::Path;
use std::process::Command;
use toolpost_test_rows::each;

use tempfile::TempDir;
use toolpost_workspace::walk::{Options, Prune};
use toolpost_workspace::{Watch, WatchChanges as Changed, WatchError, Workspace};

struct World {
    directory: TempDir,
    watch: Watch,
}

impl World {
    /// Runs a script, opens roots, and starts a watch.
    fn new(before: &str, roots: &[&str], options: Options) -> Self {
        let directory = tempfile::tempdir().unwrap();
        sh(directory.path(), before);
        let roots = roots.iter().map(|root| directory.path().join(root)).collect();
        let open = toolpost_workspace::Options { roots, ..toolpost_workspace::Options::default() };
        let workspace = Workspace::open(open).unwrap().0;
        let watch = Watch::start(&workspace, &options);
        Self { directory, watch }
    }

    /// Runs a script in another process, then queries the watch.
    fn after(&mut self, script: &str) -> String {
        sh(self.directory.path(), script);
        self.reported_changes()
    }

    fn reported_changes(&mut self) -> String {
        let base = self.directory.path().canonicalize().unwrap();
        match self.watch.changed() {
            Changed::Nothing => "nothing".to_owned(),
            Changed::Unknown(why) => format!("unknown: {why}"),
            Changed::Paths(paths) => {
                let shown = |path: &toolpost_workspace::WorkspacePath| {
                    path.raw().strip_prefix(&base).unwrap().display().to_string()
                };
                paths.iter().map(shown).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

fn sh(at: &Path, script: &str) {
    let status = Command::new("sh").arg("-ec").arg(script).current_dir(at).status().unwrap();
    assert!(status.success(), "{script}");
}

const TREE: &str = "mkdir -p ws/src/deep ws/.hidden ws/build ws/other; echo build/ > ws/.gitignore; \
    echo 1 > ws/src/a.rs; echo 1 > ws/src/deep/b.rs; echo 1 > ws/top.rs; mkdir -p out/full/in; echo 1 > out/full/in/c.rs";

/// A name, and steps: a shell script, and the expected answer of the watch after it.
const STEPS: [(&str, &[(&str, &str)]); 14] = [
    (
        "nothing happens",
        &[("true", "nothing"), ("cat ws/src/a.rs >/dev/null; ls -R ws >/dev/null", "nothing")],
    ),
    ("files are written", &[("echo 2 > ws/src/a.rs", "ws/src/a.rs"), ("true", "nothing")]),
    (
        "several at once",
        &[("echo 2 >> ws/src/deep/b.rs; touch ws/n.rs; rm ws/top.rs", "ws/n.rs ws/src/deep/b.rs ws/top.rs")],
    ),
    ("hidden directories", &[("echo > ws/.hidden/x", "ws/.hidden/x")]),
    ("ignored directories", &[("echo > ws/build/x; mkdir ws/build/y", "nothing")]),
    ("a file is renamed", &[("mv ws/src/a.rs ws/other/z.rs", "ws/other/z.rs ws/src/a.rs")]),
    (
        "an editor replaces a file",
        &[("echo 2 > ws/src/.tmp; mv ws/src/.tmp ws/src/a.rs", "ws/src/.tmp ws/src/a.rs")],
    ),
    (
        "a new tree is one place, then watched itself",
        &[
            ("mkdir -p ws/new/in/it; echo > ws/new/in/it/f", "ws/new"),
            ("echo 2 > ws/new/in/it/f", "ws/new/in/it/f"),
            ("mkdir ws/new/in/it/more", "ws/new/in/it/more"),
            ("echo > ws/new/in/it/more/g", "ws/new/in/it/more/g"),
        ],
    ),
    (
        "a directory is moved, with what lies in it",
        &[
            ("mv ws/src ws/moved", "ws/moved ws/src"),
            ("echo 3 > ws/moved/deep/b.rs", "ws/moved/deep/b.rs"),
            ("mkdir -p ws/src/deep; echo > ws/src/deep/b.rs", "ws/src"),
            ("echo 2 > ws/src/deep/b.rs; echo 4 > ws/moved/a.rs", "ws/moved/a.rs ws/src/deep/b.rs"),
        ],
    ),
    (
        "a directory goes and comes from outside",
        &[
            ("mv ws/src out/src", "ws/src"),
            ("echo 3 > out/src/a.rs; mkdir out/src/x", "nothing"),
            ("mv out/full ws/full", "ws/full"),
            ("echo 2 > ws/full/in/c.rs", "ws/full/in/c.rs"),
        ],
    ),
    (
        "a directory is deleted and made again",
        &[
            ("rm -r ws/src", "ws/src"),
            ("mkdir -p ws/src/deep", "ws/src"),
            ("echo > ws/src/deep/b.rs", "ws/src/deep/b.rs"),
            ("rm -r ws/src; mkdir -p ws/src/deep; rm -r ws/src; mkdir -p ws/src/deep", "ws/src"),
            ("echo 2 > ws/src/deep/b.rs", "ws/src/deep/b.rs"),
        ],
    ),
    (
        "two directories swap their names",
        &[
            ("mv ws/src ws/t; mv ws/other ws/src; mv ws/t ws/other", "ws/other ws/src ws/t"),
            ("echo > ws/other/deep/b.rs; echo > ws/src/n", "ws/other/deep/b.rs ws/src/n"),
        ],
    ),
    (
        "a new directory that the rules leave out",
        &[
            ("mkdir -p ws/src/build; echo > ws/src/build/x", "ws/src/build"),
            ("echo > ws/src/build/y", "nothing"),
        ],
    ),
    ("permissions", &[("chmod 600 ws/top.rs; chmod 700 ws/src", "ws/src ws/top.rs")]),
];

#[test]
fn watch_reports_changes_by_other_processes() {
    each(STEPS, |(what, steps)| {
        let mut world = World::new(TREE, &["ws"], Options::default());
        for (script, wanted) in steps {
            assert_eq!(world.after(script), *wanted, "{what}: {script}");
        }
    });
}

#[test]
fn changed_ignore_rules_make_the_changes_unknown() {
    let rows = [
        ("echo src/ > ws/.gitignore", "unknown: the ignore rules changed at .gitignore"),
        ("echo x > ws/src/.ignore", "unknown: the ignore rules changed at src/.ignore"),
        ("mkdir ws/src/.git", "unknown: the ignore rules changed at src/.git"),
        ("echo src > ws/.git/info/exclude", "unknown: the ignore rules changed at .git/info/exclude"),
        ("echo > ws/.git/index", "nothing"),
    ];
    each(rows, |(script, wanted)| {
        let before = format!("{TREE}; mkdir -p ws/.git/info");
        let mut world = World::new(&before, &["ws"], Options::default());
        assert_eq!(world.after(script), wanted, "{script}");
        // Rule files that were just written may change again with the same times, so the watch first reports
        // them as changed.
        std::thread::sleep(std::time::Duration::from_millis(60));
        world.reported_changes();
        assert_eq!(world.after("true"), "nothing", "{script}");
    });
    // Directories that the changed rules include are watched from then on; excluded ones no longer are.
    let mut world = World::new(TREE, &["ws"], Options::default());
    world.after("echo src/ > ws/.gitignore");
    assert_eq!(world.after("echo > ws/src/a.rs; echo > ws/build/x"), "ws/build/x");
    let options = Options { prune: Prune::Dependencies, ..Options::default() };
    let mut world = World::new(TREE, &["ws"], options);
    let wanted = "unknown: the ignore rules changed at other/CACHEDIR.TAG";
    assert_eq!(world.after("mkdir ws/node_modules; echo > ws/other/CACHEDIR.TAG"), wanted);
    assert_eq!(world.after("echo > ws/node_modules/x; mkdir ws/node_modules/y"), "nothing");
    let changed = |path: &str| format!("unknown: the ignore rules changed at {path}");
    let rows = [
        ("other/CACHEDIR.TAG", changed("other/CACHEDIR.TAG")),
        ("other/pyvenv.cfg", changed("other/pyvenv.cfg")),
        ("other/Cargo.toml", changed("other/Cargo.toml")),
        ("vendor/modules.txt", changed("vendor/modules.txt")),
        ("vendor/autoload.php", changed("vendor/autoload.php")),
        ("vendor/bundle", changed("vendor/bundle")),
        // These names mark only a directory named `vendor`.
        ("other/bundle", "ws/other/bundle".to_owned()),
        ("other/modules.txt", "ws/other/modules.txt".to_owned()),
    ];
    each(rows, |(path, wanted)| {
        for (before, script) in [("true", "mkdir ws/"), ("mkdir ws/", "rmdir ws/")] {
            let made = |command: &str| {
                if command == "true" { "true".to_owned() } else { format!("{command}{path}") }
            };
            let before = format!("{TREE}; mkdir ws/vendor; {}", made(before));
            let mut world = World::new(&before, &["ws"], options);
            assert_eq!(world.after(&made(script)), wanted, "{script}{path}");
        }
    });
}

/// Rules outside the watched directories: a name, a shell script that prepares the files, and steps. Each step is a
/// script and the expected answer of the watch after it, separated by `|`; `{}` is the test directory.
const OUTSIDE: [(&str, &str, &str); 6] = [
    (
        "rules above the root",
        "mkdir -p .git/info; echo x > .gitignore",
        "echo y > .gitignore|unknown: the ignore rules changed at {}/.gitignore",
    ),
    (
        "excludes above the root",
        "mkdir -p .git/info",
        "echo y > .git/info/exclude|unknown: the ignore rules changed at {}/.git/info/exclude",
    ),
    (
        "a repository comes to be above the root",
        "echo x > .gitignore",
        "mkdir .git|unknown: the ignore rules changed at {}/.gitignore",
    ),
    (
        "excludes of a nested repository, whose directory is made later",
        "mkdir -p ws/src/.git",
        "mkdir ws/src/.git/info|nothing|echo y > ws/src/.git/info/exclude|\
         unknown: the ignore rules changed at src/.git/info/exclude",
    ),
    (
        "excludes of a submodule",
        "mkdir -p out/mod/info; echo 'gitdir: ../../out/mod' > ws/src/.git",
        "echo y > out/mod/info/exclude|unknown: the ignore rules changed at src/.git/info/exclude",
    ),
    (
        "excludes of a moved repository",
        "mkdir -p ws/src/.git/info",
        "mv ws/src ws/moved|ws/moved ws/src|echo y > ws/moved/.git/info/exclude|\
         unknown: the ignore rules changed at moved/.git/info/exclude",
    ),
];

#[test]
fn changes_of_ignore_rules_outside_the_watched_tree_are_found() {
    each(OUTSIDE, |(what, before, steps)| {
        let mut world = World::new(&format!("{TREE}; {before}"), &["ws"], Options::default());
        let base = world.directory.path().canonicalize().unwrap().display().to_string();
        // Rule files that were just written may change again with the same times, so the watch first reports
        // them as changed.
        std::thread::sleep(std::time::Duration::from_millis(60));
        world.reported_changes();
        let steps: Vec<String> = steps.split('|').map(|step| step.replace("{}", &base)).collect();
        for pair in steps.chunks(2) {
            assert_eq!(world.after(&pair[0]), pair[1].trim_start(), "{what}: {}", pair[0]);
        }
    });
}

#[test]
fn changes_through_other_hard_links_are_reported() {
    use std::os::unix::fs::MetadataExt;
    let mut world = World::new(TREE, &["ws"], Options::default());
    assert_eq!(world.after("ln ws/src/a.rs out/other"), "nothing");
    // A write through another hard link causes no event. The watch finds it only by the metadata that the caller reports
    // with `seen` after reading the file.
    let workspace = {
        let roots = vec![world.directory.path().join("ws")];
        Workspace::open(toolpost_workspace::Options { roots, ..Default::default() }).unwrap().0
    };
    let path = workspace.resolve("src/a.rs").unwrap();
    let metadata = std::fs::metadata(path.raw()).unwrap();
    let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
    let stat = toolpost_workspace::walk::FileStat {
        kind: toolpost_workspace::walk::Kind::File,
        len: metadata.len(),
        modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        touched: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
        links: metadata.nlink(),
    };
    world.watch.seen(&path, stat);
    each(
        [
            ("true", "nothing"),
            ("echo more >> out/other", "ws/src/a.rs"),
            ("true", "nothing"),
            ("echo more >> out/other; echo > ws/top.rs", "ws/src/a.rs ws/top.rs"),
            ("rm ws/src/a.rs", "ws/src/a.rs"),
            ("echo more >> out/other", "nothing"),
        ],
        |(script, wanted)| {
            assert_eq!(world.after(script), wanted, "{script}");
        },
    );
}

#[test]
fn changes_below_nested_roots_are_reported_once() {
    let before = "mkdir -p one/sub/in two";
    let mut world = World::new(before, &["one", "two", "one/sub"], Options::default());
    assert_eq!(world.after("echo > one/a; echo > two/b; echo > one/sub/c"), "one/a one/sub/c two/b");
    assert_eq!(world.after("echo > one/sub/in/d"), "one/sub/in/d");
    assert_eq!(world.after("mv two three"), format!("unknown: {}", WatchError::Moved));
}

#[test]
fn inotify_queue_overflow_is_reported_as_unknown() {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    if limit > 200_000 {
        toolpost_test_rows::skip(&format!("filling a queue of {limit} events takes too long"));
        return;
    }
    let mut world = World::new(TREE, &["ws"], Options::default());
    let file = |number: usize| world.directory.path().join(format!("ws/src/{}", number % 2));
    let files = [std::fs::File::create(file(0)).unwrap(), std::fs::File::create(file(1)).unwrap()];
    for turn in 0..limit + 10 {
        // The files alternate, because the kernel merges equal consecutive events.
        files[turn % 2].set_len(turn as u64 / 2 % 2).unwrap();
    }
    drop(files);
    assert_eq!(world.reported_changes(), format!("unknown: {}", WatchError::Overflow));
    assert_eq!(world.after("echo 5 > ws/src/a.rs"), "ws/src/a.rs");
}

#[test]
fn changes_are_not_lost_while_directories_are_moved() {
    let mut world = World::new(TREE, &["ws"], Options::default());
    let script = "for i in 1 2 3 4 5 6 7 8 9; do mkdir -p ws/g$i/x/y; echo > ws/g$i/x/y/f; mv ws/g$i ws/h$i; \
        echo 2 > ws/h$i/x/y/f; done; echo done > ws/last";
    let mut writer =
        Command::new("sh").arg("-ec").arg(script).current_dir(world.directory.path()).spawn().unwrap();
    while writer.try_wait().unwrap().is_none() {
        assert!(!world.reported_changes().starts_with("unknown"));
    }
    world.reported_changes();
    for number in 1..10 {
        let changed = format!("ws/h{number}/x/y/f");
        assert_eq!(world.after(&format!("echo 3 > {changed}")), changed);
    }
}
