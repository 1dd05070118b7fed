//! Coverage, exclusions and robustness of walks.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use toolpost_test_rows::each;

use rustix::fs::{Mode, OFlags, RenameFlags, mkdirat, openat, renameat_with, unlinkat};
use tempfile::TempDir;
use toolpost_workspace::walk::{
    Candidate, Claim, Entry, HiddenFiles, Kind, Next, Options, Prune, Rules, Visitor, WalkEnd, WalkResult,
    found_below, in_order, walk,
};
use toolpost_workspace::{Workspace, WorkspacePath};

/// Records all entries.
#[derive(Default)]
struct RecordedEntries(Vec<String>);

impl Visitor for RecordedEntries {
    type Place = ();

    fn judge(&mut self, (): &(), _: &Candidate<'_>) -> Claim {
        Claim::Wanted
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(());
        }
        self.0.push(entry.candidate().relative().to_string_lossy().into_owned());
        Next::On
    }
}

struct World {
    directory: TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { directory: tempfile::tempdir().unwrap() };
        for (name, content) in files {
            let path = world.directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        world
    }

    fn open(&self, root: &str) -> WorkspacePath {
        let root = self.directory.path().join(root);
        let options =
            toolpost_workspace::Options { roots: vec![root], ..toolpost_workspace::Options::default() };
        Workspace::open(options).unwrap().0.resolve(".").unwrap()
    }
}

fn all(base: &WorkspacePath, options: &Options) -> WalkResult<RecordedEntries> {
    walk(base, (), options, &|| false, &RecordedEntries::default).unwrap()
}

fn names(walked: &WalkResult<RecordedEntries>) -> BTreeSet<String> {
    walked.visitors.iter().flat_map(|seen| seen.0.iter().cloned()).collect()
}

fn on(threads: usize) -> Options {
    Options { threads: NonZeroUsize::new(threads), ..Options::default() }
}

/// Nested ignore files of every kind, with rules that contradict each other.
const RULES: &[(&str, &str)] = &[
    (".gitignore", "*.log\n/only-top\nbuild/\n!keep.log\n\\#literal\nspaced \nsub/*.tmp\n**/gen/**\n"),
    (".ignore", "from-ignore\n!rescued.log\n"),
    (".rgignore", "!from-ignore-too\nfrom-rgignore\n"),
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/info/exclude", "excluded\n*.swp\n"),
    ("a.log", ""),
    ("keep.log", ""),
    ("rescued.log", ""),
    ("only-top", ""),
    ("deep/only-top", ""),
    ("build/x", ""),
    ("deep/build", ""),
    ("#literal", ""),
    ("spaced", ""),
    ("sub/a.tmp", ""),
    ("deep/sub/a.tmp", ""),
    ("deep/gen/x", ""),
    ("from-ignore", ""),
    ("from-rgignore", ""),
    ("excluded", ""),
    ("deep/x.swp", ""),
    ("deep/.gitignore", "!a.log\n*.txt\n"),
    ("deep/a.log", ""),
    ("deep/b.log", ""),
    ("deep/c.txt", ""),
    ("c.txt", ""),
    ("other/.gitignore", "*\n!*.md\n"),
    ("other/read.md", ""),
    ("other/read.rs", ""),
    ("nested/.git/HEAD", "ref: refs/heads/main\n"),
    ("nested/a.log", ""),
    ("nested/from-ignore", ""),
    ("nested/.gitignore", "inner\n"),
    ("nested/inner", ""),
];

#[test]
fn walk_follows_the_same_ignore_rules_as_ripgrep() {
    let world = World::new(RULES);
    let walked = all(&world.open(""), &Options::default());
    let expected = [
        ".gitignore",
        ".ignore",
        ".rgignore",
        "c.txt",
        "deep/.gitignore",
        "deep/a.log",
        "deep/build",
        "deep/only-top",
        "deep/sub/a.tmp",
        "keep.log",
        "nested/.gitignore",
        "nested/a.log",
        "other/read.md",
        "rescued.log",
    ];
    assert_eq!(names(&walked), expected.map(str::to_owned).into());
    let ripgrep = std::process::Command::new("rg")
        .args(["--files", "--hidden", "--no-require-git", "--no-ignore-global", "--glob", "!.git"])
        .current_dir(world.directory.path())
        .output();
    match ripgrep {
        Ok(output) => {
            let listed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(names(&walked), listed.lines().map(str::to_owned).collect());
        }
        Err(_) => toolpost_test_rows::skip("rg is not installed, so nothing was compared with it"),
    }
}

#[test]
fn walk_in_order_visits_the_same_files_sorted_by_path() {
    let mut files = RULES.to_vec();
    let odd =
        ["a/x", "a.b/x", "a-b", "a0", "ab/x/y/z", "ab/x.y", "A", "node_modules/p/i.js", "é/x", "deep/deep/x"];
    files.extend(odd.map(|name| (name, "")));
    let world = World::new(&files);
    let judge = |candidate: &Candidate<'_>| match candidate.relative_bytes() {
        b"deep/c.txt" => Claim::Named,
        b"c.txt" => Claim::Pass,
        _ => Claim::Wanted,
    };
    each(["", "deep", "ab"], |base| {
        let top = world.open("");
        let base = if base.is_empty() { top } else { found_below(&top, base.as_bytes()).unwrap() };
        each([Rules::Git, Rules::None], |rules| {
            each([HiddenFiles::Show, HiddenFiles::Skip], |hidden| {
                let options = Options { rules, hidden, prune: Prune::Dependencies, ..Options::default() };
                let walked = all(&base, &options);
                let anything = |_: &Candidate<'_>| Claim::Wanted;
                let ordered = in_order(&base, &options, &|| false, &anything, |files| {
                    files.map(|path| String::from_utf8(path.into_vec()).unwrap()).collect::<Vec<_>>()
                });
                let ordered = ordered.unwrap();
                let mut expected: Vec<String> = names(&walked).into_iter().collect();
                expected.sort_by(|one, other| one.split('/').cmp(other.split('/')));
                assert_eq!(ordered.value, expected);
                assert_eq!(ordered.skipped, walked.skipped);
                assert_eq!(ordered.ended, WalkEnd::Complete);
            });
        });
    });
    let options = Options::default();
    let judged = in_order(&world.open(""), &options, &|| false, &judge, |files| files.collect::<Vec<_>>());
    let judged = judged.unwrap().value;
    assert!(
        judged.iter().any(|path| **path == *b"deep/c.txt") && !judged.iter().any(|path| **path == *b"c.txt")
    );
    // Directories after the last file that the caller takes are not listed.
    let first = in_order(&world.open(""), &options, &|| false, &judge, |files| files.next()).unwrap();
    assert_eq!(first.value.as_deref(), Some(&b".gitignore"[..]));
    let whole = all(&world.open(""), &options).skipped;
    assert!(first.skipped.ignored_files < whole.ignored_files, "{:?}", first.skipped);
    let stopped = in_order(&world.open(""), &options, &|| true, &judge, |files| files.count()).unwrap();
    assert_eq!((stopped.value, stopped.ended), (0, WalkEnd::Stopped));
}

#[test]
fn walk_follows_the_same_ignore_rules_as_git() {
    let world = World::new(
        &RULES
            .iter()
            .filter(|(name, _)| !name.contains("ignore") || name.ends_with(".gitignore"))
            .copied()
            .collect::<Vec<_>>(),
    );
    std::fs::remove_dir_all(world.directory.path().join(".git")).unwrap();
    std::fs::remove_dir_all(world.directory.path().join("nested")).unwrap();
    let git = |arguments: &[&str]| {
        std::process::Command::new("git").args(arguments).current_dir(world.directory.path()).output()
    };
    if git(&["init", "-q"]).is_err() {
        return toolpost_test_rows::skip("git is not installed, so nothing was compared with it");
    }
    let output = git(&["ls-files", "--others", "--exclude-standard"]).unwrap();
    let listed: BTreeSet<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(listed.len() > 5, "{listed:?}");
    assert_eq!(names(&all(&world.open(""), &Options::default())), listed);
}

#[test]
fn ignore_rules_of_parents_apply_and_can_be_disabled() {
    let world = World::new(&[
        ("repo/.git/HEAD", ""),
        ("repo/.git/info/exclude", "excluded\n"),
        ("repo/.gitignore", "*.log\n/root/top\n/top\n"),
        ("repo/root/a.log", ""),
        ("repo/root/top", ""),
        ("repo/root/excluded", ""),
        ("repo/root/sub/.gitignore", "here\n"),
        ("repo/root/sub/here", ""),
        ("repo/root/sub/top", ""),
        ("repo/root/sub/.x/y", ""),
        ("repo/root/sub/.git-not/y", ""),
    ]);
    let check = |base: &WorkspacePath, options: Options, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(names(&all(base, &options)), expected);
    };
    let root = world.open("repo/root");
    check(&root, Options::default(), &["sub/.gitignore", "sub/.git-not/y", "sub/.x/y", "sub/top"]);
    check(&root, Options { hidden: HiddenFiles::Skip, ..Options::default() }, &["sub/top"]);
    let everything = ["a.log", "excluded", "top", "sub/here", "sub/top"];
    check(
        &root,
        Options { rules: Rules::None, hidden: HiddenFiles::Skip, ..Options::default() },
        &everything,
    );
    let sub = found_below(&root, b"sub").unwrap();
    check(&sub, Options { hidden: HiddenFiles::Skip, ..Options::default() }, &["top"]);
}

#[test]
fn dependency_directories_are_skipped_and_counted() {
    let world = World::new(&[
        ("node_modules/a/x", ""),
        ("crate/Cargo.toml", ""),
        ("crate/target/x", ""),
        ("target/kept", ""),
        ("cache/CACHEDIR.TAG", ""),
        ("cache/x", ""),
        ("env/pyvenv.cfg", ""),
        ("go/vendor/modules.txt", ""),
        ("php/vendor/autoload.php", ""),
        ("ruby/vendor/bundle/x", ""),
        ("own/vendor/kept", ""),
        ("src/__pycache__/x", ""),
    ]);
    let walked = all(&world.open(""), &Options { prune: Prune::Dependencies, ..Options::default() });
    assert_eq!(
        names(&walked),
        ["crate/Cargo.toml", "own/vendor/kept", "target/kept"].map(str::to_owned).into()
    );
    assert_eq!(walked.skipped.dependencies, 7);
    let base = found_below(&world.open(""), b"node_modules").unwrap();
    let walked = all(&base, &Options { prune: Prune::Dependencies, ..Options::default() });
    assert_eq!(names(&walked), ["a/x".to_owned()].into());
}

#[test]
fn deep_and_wide_trees_need_few_descriptors() {
    let world = World::new(&[]);
    let mut directory =
        rustix::fs::open(world.directory.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    for depth in 0..2_000 {
        for name in ["deep", "side"] {
            mkdirat(&directory, name, Mode::RWXU).unwrap();
        }
        let file = format!("f{depth}");
        openat(&directory, file, OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        directory = openat(&directory, "deep", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let wide = world.directory.path().join("wide");
    std::fs::create_dir(&wide).unwrap();
    for number in 0..100_000 {
        std::fs::File::create(wide.join(number.to_string())).unwrap();
    }
    let most = AtomicUsize::new(0);
    let polls = AtomicUsize::new(0);
    let count = || {
        if polls.fetch_add(1, Ordering::Relaxed).is_multiple_of(997) {
            most.fetch_max(std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count), Ordering::Relaxed);
        }
        false
    };
    let walked = walk(&world.open(""), (), &on(4), &count, &RecordedEntries::default).unwrap();
    assert_eq!(
        (names(&walked).len(), walked.unreadable.count, walked.ended),
        (102_000, 0, WalkEnd::Complete)
    );
    assert!(most.load(Ordering::Relaxed) < 100, "{most:?} descriptors were open at a time");
}

#[test]
fn a_directory_swapped_for_a_link_is_not_entered() {
    let world = World::new(&[("root/door/inside", ""), ("outside/secret", "")]);
    let root = world.directory.path().join("root");
    std::os::unix::fs::symlink("../outside", root.join("trap")).unwrap();
    let base = world.open("root");
    let done = AtomicBool::new(false);
    let swaps = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let directory =
                rustix::fs::open(&root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
            while !done.load(Ordering::Relaxed) {
                renameat_with(directory.as_fd(), "door", directory.as_fd(), "trap", RenameFlags::EXCHANGE)
                    .unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..3_000 {
            for name in names(&all(&base, &on(1))) {
                assert!(!name.contains("secret"), "{name}");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(swaps.load(Ordering::Relaxed) > 0);
}

#[test]
fn link_cycles_odd_names_and_special_files_are_listed_once() {
    let world = World::new(&[("a/f", "")]);
    let root = world.directory.path();
    std::os::unix::fs::symlink("../..", root.join("a/up")).unwrap();
    std::os::unix::fs::symlink("x", root.join("x")).unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"b\xff\n")).to_path_buf();
    std::fs::write(root.join(&odd), "").unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::RWXU).unwrap();
    let expected = ["a/f", "a/up", "x", "pipe", &odd.to_string_lossy()].map(str::to_owned);
    assert_eq!(names(&all(&world.open(""), &Options::default())), expected.into());
    let base = world.open("");
    each(["../x", "/etc", "a/../b", "a\0"], |refused| {
        assert_eq!(found_below(&base, refused.as_bytes()), None, "{refused:?}");
    });
}

/// Opens every file.
#[derive(Default)]
struct OpenedEntries(Vec<(PathBuf, Result<u64, String>)>);

impl Visitor for OpenedEntries {
    type Place = ();

    fn judge(&mut self, (): &(), _: &Candidate<'_>) -> Claim {
        Claim::Wanted
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        let opened = entry.open().map(|opened| opened.stat.len).map_err(|fault| fault.to_string());
        self.0.push((entry.candidate().relative().to_path_buf(), opened));
        Next::On
    }
}

#[test]
fn only_regular_files_are_opened() {
    let world = World::new(&[("file", "four")]);
    let root = world.directory.path();
    std::os::unix::fs::symlink("file", root.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    let walked = walk(&world.open(""), (), &on(1), &|| false, &OpenedEntries::default).unwrap();
    let mut opened: Vec<_> = walked.visitors.into_iter().flat_map(|opens| opens.0).collect();
    opened.sort();
    let gone = || Err("it was removed or replaced during the walk".to_owned());
    let odd = || Err("it is not a regular file".to_owned());
    let expected = [("file", Ok(4)), ("link", gone()), ("pipe", odd()), ("socket", odd())];
    assert_eq!(opened, expected.map(|(name, outcome)| (PathBuf::from(name), outcome)));
}

#[test]
fn walk_stops_when_its_callback_requests_it() {
    let files: Vec<String> = (0..50).flat_map(|d| (0..20).map(move |f| format!("d{d}/f{f}"))).collect();
    let world = World::new(&files.iter().map(|name| (name.as_str(), "")).collect::<Vec<_>>());
    let base = world.open("");
    for threads in [1, 4] {
        let polls = AtomicUsize::new(0);
        let stop = || polls.fetch_add(1, Ordering::Relaxed) > 200;
        let walked = walk(&base, (), &on(threads), &stop, &RecordedEntries::default).unwrap();
        assert_eq!(walked.ended, WalkEnd::Stopped);
        assert!(names(&walked).len() < 300, "{}", names(&walked).len());
        assert_eq!(names(&all(&base, &on(threads))), files.iter().cloned().collect());
    }
    unlinkat(rustix::fs::CWD, world.directory.path().join("d0/f0"), rustix::fs::AtFlags::empty()).unwrap();
    assert_eq!(names(&all(&base, &on(2))).len(), 999);
}

/// Keeps its walk running until all walks have acquired their threads.
struct Waits<'w> {
    own: std::thread::ThreadId,
    all: &'w std::sync::Barrier,
    passed: &'w AtomicBool,
    met: bool,
}

impl Visitor for Waits<'_> {
    type Place = ();

    fn judge(&mut self, (): &(), _: &Candidate<'_>) -> Claim {
        Claim::Wanted
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(());
        }
        if self.own != std::thread::current().id() {
            while !self.passed.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        } else if !std::mem::replace(&mut self.met, true) {
            self.all.wait();
            self.passed.store(true, Ordering::Relaxed);
        }
        Next::On
    }
}

#[test]
fn many_walks_at_once_share_a_limited_number_of_threads() {
    const WALKS: usize = 60;
    let files: Vec<String> = (0..64).map(|number| format!("d{number}/f")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "")).collect();
    let world = World::new(&files);
    let base = world.open(".");
    let all = std::sync::Barrier::new(WALKS);
    let workers: Vec<usize> = std::thread::scope(|scope| {
        let walks: Vec<_> = (0..WALKS)
            .map(|_| {
                scope.spawn(|| {
                    let (own, passed) = (std::thread::current().id(), AtomicBool::new(false));
                    let make = || Waits { own, all: &all, passed: &passed, met: false };
                    walk(&base, (), &on(8), &|| false, &make).unwrap().visitors.len()
                })
            })
            .collect();
        walks.into_iter().map(|walk| walk.join().unwrap()).collect()
    });
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let sum: usize = workers.iter().sum();
    assert!(sum <= WALKS + (2 * cores).max(8), "{workers:?}");
    assert!(workers.iter().all(|workers| *workers >= 1));
}
