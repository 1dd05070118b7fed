//! Tests that a search returns the same with an index as without one, even if another process changes files
//! in between.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod example;
mod support;

use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use toolpost_test_rows::{each, seed};

use support::World;
use support::dice::Dice;
use toolpost_search::grep::{CountCompleteness, FileHits, Show, Span, Totals, UnsearchedFiles};
use toolpost_search::{
    Case, Complete, Control, EntryKinds, GlobRequest, GrepOutput, GrepRequest, HiddenFiles, Mode, Prune,
    Rules, SkippedEntries, glob, grep, with_terms,
};
use toolpost_trigrams::{Letters, MayRead, Pattern, Reach, Sieve, TrigramIndex};
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::Options;

/// The number of rounds of changes and queries.
const ROUNDS: usize = 10_000;

struct Other {
    child: Child,
    told: ChildStdin,
    tells: BufReader<std::process::ChildStderr>,
    _out: ChildStdout,
}

impl Other {
    fn start(root: &Path) -> Self {
        let mut child = Command::new(example::path("search_changes"))
            .arg("change")
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (told, tells) = (child.stdin.take().unwrap(), BufReader::new(child.stderr.take().unwrap()));
        let out = child.stdout.take().unwrap();
        Self { child, told, tells, _out: out }
    }

    fn act(&mut self, what: &str, seed: u64) {
        writeln!(self.told, "{what},{seed}").unwrap();
        let mut line = String::new();
        self.tells.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n", "{what} with {seed}");
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PATTERNS: [&str; 17] = [
    "needle",
    "Need",
    r"\bhay\b",
    "(?i)größe",
    "größe",
    "fn main|return",
    "needle.*stack",
    "TODO [a-z]+",
    "a\\.b",
    "xyz$",
    "^end",
    "nowhere at all",
    "hay\\s+stack",
    r"fn\smain\s+\w",
    r"needle\s*end",
    r"\S+[\s;]+fix",
    "[nN]eedle",
];

/// Withholds some files, by one rule for all queries, as in a session.
fn rule() -> MayRead {
    static RULE: LazyLock<MayRead> = LazyLock::new(|| {
        Arc::new(|path: &WorkspacePath| {
            let shown = path.display();
            !shown.ends_with(".md") && !shown.contains("f3.") && !shown.starts_with("lib/a b")
        })
    });
    Arc::clone(&RULE)
}

fn question(world: &World, dice: &mut Dice) -> GrepRequest {
    let directories: Vec<&str> = ["."; 4].into_iter().chain(["src", "lib", "build", "src/deep"]).collect();
    let base = world.workspace.resolve(directories[dice.roll(directories.len())]);
    let base = base.unwrap_or_else(|_| world.workspace.resolve(".").unwrap());
    let globs: &[&str] = [
        &[][..],
        &[],
        &[],
        &["*.rs"],
        &["!*.rs"],
        &["*.log"],
        &["!src/deep"],
        &["docs/**"],
        &["**/*.{py,md}"],
    ][dice.roll(9)];
    let span = if dice.roll(5) == 0 { Span::Lines } else { Span::Line };
    GrepRequest {
        globs: globs.iter().map(|glob| (*glob).to_owned()).collect(),
        types: if dice.roll(8) == 0 { vec!["py".to_owned()] } else { Vec::new() },
        case: [Case::Sensitive, Case::Sensitive, Case::Insensitive, Case::Smart][dice.roll(4)],
        before: dice.roll(2),
        after: dice.roll(2),
        span,
        show: if dice.roll(6) == 0 { Show::Matches } else { Show::Line },
        mode: [Mode::Content, Mode::Content, Mode::Files, Mode::Count][dice.roll(4)],
        limit: [None, Some(3), Some(100)][dice.roll(3)],
        offset: [0, 0, 2][dice.roll(3)],
        hidden: [HiddenFiles::Show, HiddenFiles::Show, HiddenFiles::Show, HiddenFiles::Skip][dice.roll(4)],
        rules: Rules::Git,
        prune: Prune::Nothing,
        may_read: (dice.roll(3) == 0).then(rule),
        ..GrepRequest::of(base, PATTERNS[dice.roll(PATTERNS.len())])
    }
}

fn ask(world: &World, request: &GrepRequest, index: Option<&TrigramIndex>) -> Result<GrepOutput, String> {
    grep(&world.workspace, request, &Control::default(), index).map_err(|error| error.to_string())
}

/// Describes the difference between two answers. If a search ended early, its counts are only lower bounds.
fn difference(with: &Result<GrepOutput, String>, without: &Result<GrepOutput, String>) -> Option<String> {
    let (Ok(one), Ok(other)) = (with, without) else {
        return (with != without).then(|| format!("{with:?} and {without:?}"));
    };
    let (mut one, mut other) = (one.clone(), other.clone());
    let (early, whole) = (CountCompleteness::AtLeast, CountCompleteness::All);
    match (one.counted, other.counted) {
        (counted, same) if counted == same && counted == whole => {}
        (_, counted) => {
            assert!(one.counted == whole || one.entries > one.offset + one.shown);
            assert!(counted == whole || other.entries > other.offset + other.shown);
            let counts = |output: &GrepOutput| {
                [output.entries, output.unsearched.binary, output.unsearched.only_ascii]
            };
            let (some, all) = if counted == whole { (&one, &other) } else { (&other, &one) };
            if counted == whole || one.counted == whole {
                assert!(counts(some).iter().zip(counts(all)).all(|(some, all)| *some <= all));
            }
            for output in [&mut one, &mut other] {
                (output.entries, output.totals, output.counted) = (0, Totals::default(), early);
                (output.unsearched, output.skipped) = (UnsearchedFiles::default(), SkippedEntries::default());
            }
        }
    }
    if one == other {
        return None;
    }
    let (left, right) = (format!("{one:#?}"), format!("{other:#?}"));
    let lines = left.lines().zip(right.lines()).filter(|(left, right)| left != right);
    Some(lines.take(12).map(|(left, right)| format!("{left} | {right}\n")).collect())
}

const NAMES: [&str; 12] = [
    "*.rs",
    "**/*.{py,md}",
    "src/**/*.rs",
    "src/*",
    "**/f1*",
    "**/build/*.log",
    "**/[a-f]1.*",
    "lib/**",
    "./*",
    "**",
    "*/deep/*",
    "src/deep/link*",
];

/// Lists names with the index and without it, and compares them. Returns true if the index answered.
fn same_names(world: &World, index: &TrigramIndex, dice: &mut Dice) -> bool {
    let bases = ["."; 3].into_iter().chain(["src", "lib", "src/deep", "build"]);
    let bases: Vec<_> = bases.filter_map(|base| world.workspace.resolve(base).ok()).collect();
    let request = GlobRequest {
        base: bases[dice.roll(bases.len())].clone(),
        case: [Case::Sensitive, Case::Insensitive][dice.roll(2)],
        rules: [Rules::None, Rules::None, Rules::Git][dice.roll(3)],
        hidden: [HiddenFiles::Show, HiddenFiles::Show, HiddenFiles::Skip][dice.roll(3)],
        prune: Prune::Nothing,
        only: [EntryKinds::Files, EntryKinds::Files, EntryKinds::Files, EntryKinds::Any][dice.roll(4)],
        limit: None,
        depth: [None, None, Some(1), Some(2)][dice.roll(4)],
        ..world.glob(NAMES[dice.roll(NAMES.len())])
    };
    let said =
        |index: Option<&TrigramIndex>| match glob(&world.workspace, &request, &Control::default(), index) {
            Ok(found) => format!("{found:#?}"),
            Err(error) => error.to_string(),
        };
    assert_eq!(said(Some(index)), said(None), "{request:?}");
    let options =
        Options { rules: request.rules, hidden: request.hidden, prune: request.prune, ..Options::default() };
    let sieve = Sieve { base: request.base, judge: None, may_read: None, name: String::new() };
    index.names(&options, sieve, &|| false).is_ok()
}

/// Returns true if the index would be used now.
fn answers(world: &World, index: &TrigramIndex) -> bool {
    let pattern = Pattern::read("needle", Letters::AsWritten, Reach::Line).unwrap();
    let base = world.workspace.resolve(".").unwrap();
    let sieve = Sieve { base, judge: None, may_read: None, name: String::new() };
    index.shortlist(&pattern, &Options::default(), sieve, &|| false).is_ok()
}

#[test]
fn search_results_are_equal_with_and_without_an_index() {
    let world = World::new(&[(".git/", ""), ("src/f1.rs", "needle\n")]);
    let cache = tempfile::tempdir().unwrap();
    let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    let mut other = Other::start(&world.root());
    let mut dice = Dice(seed(0x5EED));
    let (mut answered, mut built, mut named) = (0, 0, 0);
    for round in 0..ROUNDS {
        for _ in 0..dice.roll(3) {
            let what = [
                "write", "write", "write", "append", "append", "map", "map", "remove", "rename", "odd",
                "write", "rename", "long",
            ][dice.roll(13)];
            other.act(what, u64::try_from(dice.roll(1 << 30) + 1).unwrap());
        }
        if round % 40 == 39 {
            let what = dice.one_of(&["move directory", "remove directory", "rules", "switch", "link"]);
            other.act(what, u64::try_from(dice.roll(1 << 30) + 1).unwrap());
        }
        let request = question(&world, &mut dice);
        let with = ask(&world, &request, Some(&index));
        let without = ask(&world, &request, None);
        let difference = difference(&with, &without);
        assert_eq!(difference, None, "round {round}: {request:?} {:?}", request.globs);
        named += usize::from(same_names(&world, &index, &mut dice));
        answered += usize::from(answers(&world, &index));
        built += usize::from(index.status(&Options::default()).segments > 0);
        if round % 500 == 0 {
            // Sometimes wait until the index is built.
            settle();
            let _ = index.settle(&Options::default(), Duration::from_secs(10));
        }
    }
    assert!(answered > ROUNDS * 8 / 10, "the index answered {answered} times");
    assert!(named > ROUNDS / 2, "the index listed the names {named} times");
    assert!(built > ROUNDS / 2, "there were segments in {built} rounds");
}

/// Waits until the index trusts the times of all files. It does not trust the times of a file that changed in
/// the last 50 ms, and a test cannot set the change time (ctime) of a file.
fn settle() {
    std::thread::sleep(Duration::from_millis(60));
}

/// A workspace with many matching files, and an index of them.
fn many(cache: &Path) -> (World, TrigramIndex) {
    let world = World::new(&[(".git/", "")]);
    for number in 0..700 {
        let name = format!("d{}/f{number}.txt", number % 7);
        world.add(name.as_bytes(), format!("needle {number}\nhay\nneedle again\n").as_bytes());
        world.changed(&name, 1_000_000 + (number * 7919) % 700);
    }
    let index = TrigramIndex::new(world.workspace.clone(), Some(cache.to_owned()));
    settle();
    assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
    (world, index)
}

/// An index covers no external root: it would find no file there, although there are some.
#[test]
fn index_refuses_searches_in_external_roots() {
    let world = World::new(&[(".git/", ""), ("kit/a.txt", "needle\n"), ("kit/lib/a.txt", "needle\n")]);
    let index = TrigramIndex::new(world.workspace.clone(), None);
    let options = Options::default();
    let sieve = |base: &WorkspacePath, name: &str| Sieve {
        base: base.clone(),
        judge: None,
        may_read: None,
        name: name.to_owned(),
    };
    let names = |base: &WorkspacePath| index.names(&options, sieve(base, "names"), &|| false).is_ok();
    let parents = world.workspace.allowed_parents();
    let kit = world.workspace.open_external(&world.root().join("kit"), &parents, "js:kit@1.0.0").unwrap();
    let lib = world.workspace.resolve_external(&kit, "js:kit/lib", "lib").unwrap();
    let own = world.workspace.resolve("kit").unwrap();
    settle();
    // The index lists the names after the first request for them.
    let until = Instant::now() + Duration::from_secs(30);
    while !names(&own) && Instant::now() < until {
        let _ = index.settle(&options, Duration::from_secs(10));
    }
    let pattern = Pattern::read("needle", Letters::AsWritten, Reach::Line).unwrap();
    let rows = [("the workspace", own, true), ("the top", kit, false), ("below it", lib, false)];
    each(rows, |(_, base, covered)| {
        assert_eq!(names(&base), covered);
        let lines = index.shortlist(&pattern, &options, sieve(&base, "lines"), &|| false);
        assert_eq!(lines.is_ok(), covered);
    });
}

/// Compares searches of long files with the index, which searches parts of them, and without it.
#[test]
fn long_files_searched_in_parts_give_the_same_results() {
    let filler = |lines: usize, end: &str| format!("filler of a long file{end}").repeat(lines);
    let long = |end: &str| {
        let pieces = ["needle first", "a needle and a needle", "needle", "Needle", "needle last"];
        let text = pieces.map(|piece| format!("{piece}{end}{}", filler(2_500, end)));
        text.concat() + "needle without an end"
    };
    let world = World::new(&[(".git/", ""), ("src/short.rs", "needle\n")]);
    world.add(b"lf.txt", long("\n").as_bytes());
    world.add(b"crlf.txt", long("\r\n").as_bytes());
    world.add(b"larger.txt", (long("\n") + &filler(60_000, "\n") + "\nneedle far down\n").as_bytes());
    let mark =
        format!("{}\u{feff}needle behind a mark\nneedle\n{}", filler(4_000, "\n"), filler(4_000, "\n"));
    world.add(b"mark.txt", mark.as_bytes());
    world.add(b"grows.txt", long("\n").as_bytes());
    let cache = tempfile::tempdir().unwrap();
    let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    settle();
    assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
    world.add(b"grows.txt", (filler(3, "\n") + &long("\n")).as_bytes());
    let patterns =
        ["needle", "(?i)needle", "^needle$", r"\Aneedle", r"an end\z", r"needle\b.*needle", "mark"];
    each(patterns, |pattern| {
        each(
            [
                (Mode::Content, Show::Line),
                (Mode::Content, Show::Matches),
                (Mode::Files, Show::Line),
                (Mode::Count, Show::Line),
            ],
            |(mode, show)| {
                each(
                    [(0, None, 0), (0, Some(4), 3), (2, None, 0), (0, Some(1), 6)],
                    |(around, limit, offset)| {
                        let plain = world.grep(pattern);
                        let request =
                            GrepRequest { mode, show, limit, offset, before: around, after: around, ..plain };
                        let (with, without) =
                            (ask(&world, &request, Some(&index)), ask(&world, &request, None));
                        assert!(
                            without.as_ref().is_ok_and(|found| found.totals.files > 0),
                            "{pattern}: {without:?}"
                        );
                        assert_eq!(
                            difference(&with, &without),
                            None,
                            "{pattern} {mode:?} {show:?} {around} {offset}"
                        );
                    },
                );
            },
        );
    });
}

#[test]
fn indexed_search_that_ends_early_returns_the_same_window() {
    let cache = tempfile::tempdir().unwrap();
    let (world, index) = many(cache.path());
    each(
        [
            (Mode::Content, Some(10), 0, CountCompleteness::AtLeast),
            (Mode::Content, Some(10), 333, CountCompleteness::AtLeast),
            (Mode::Content, Some(1_400), 0, CountCompleteness::All),
            (Mode::Content, None, 0, CountCompleteness::All),
            (Mode::Files, Some(25), 0, CountCompleteness::AtLeast),
            (Mode::Files, Some(25), 500, CountCompleteness::AtLeast),
            (Mode::Files, Some(700), 0, CountCompleteness::All),
            (Mode::Count, Some(10), 0, CountCompleteness::All),
        ],
        |(mode, limit, offset, counted)| {
            let request = GrepRequest { mode, limit, offset, ..world.grep("needle") };
            let (with, without) = (ask(&world, &request, Some(&index)), ask(&world, &request, None));
            assert_eq!(with.as_ref().map(|output| output.counted), Ok(counted), "{mode:?} {limit:?}");
            let at_end = if mode == Mode::Content { counted } else { CountCompleteness::All };
            assert_eq!(without.as_ref().map(|output| output.counted), Ok(at_end), "{mode:?} {limit:?}");
            assert_eq!(difference(&with, &without), None, "{mode:?} {limit:?} {offset}");
            // The counts do not depend on thread timing.
            for _ in 0..5 {
                assert_eq!(ask(&world, &request, Some(&index)), with);
            }
        },
    );
}

#[test]
fn files_with_terms_are_found_with_the_index_and_without_it() {
    let cache = tempfile::tempdir().unwrap();
    let (world, _) = many(cache.path());
    world.add(b"use.py", b"wanted_name(1)\n");
    world.add(b"define.py", b"x = 1\n\ndef wanted_name(x):\n    return x\n");
    world.add(b"both.py", b"other(wantedName)\n");
    settle();
    let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    assert_eq!(
        index
            .settle(
                &Options { hidden: HiddenFiles::Skip, prune: Prune::Dependencies, ..Options::default() },
                Duration::from_secs(30)
            )
            .waiting,
        0
    );
    let path = |name: &str| world.workspace.resolve(name).unwrap();
    let mut listed: Vec<WorkspacePath> = ["use.py", "define.py", "both.py", "gone.py"].map(path).to_vec();
    listed.extend((0..50).map(|number| path(&format!("d{}/f{number}.txt", number % 7))));
    let terms = ["wanted_name", "other", "ab"].map(str::to_owned);
    for index in [None, Some(&index)] {
        let found = with_terms(&world.workspace, &listed, &terms, &Control::default(), index);
        // The file with the most terms comes first, then the definition.
        let files: Vec<String> = found.files.iter().map(WorkspacePath::display).collect();
        assert_eq!(files, ["both.py", "define.py", "use.py"]);
        assert_eq!((found.searched, found.listed), (54, 54));
    }
    let stopped = Control::default().cancelled_by(|| true);
    let found = with_terms(&world.workspace, &listed, &terms, &stopped, None);
    assert_eq!((found.files.len(), found.searched, found.listed), (0, 0, 54));
}

/// Compares searches that can end early, without an index, with the beginning of a search of all files.
#[test]
fn unindexed_search_that_ends_early_returns_the_first_lines_in_path_order() {
    let mut dice = Dice(seed(0x5eed_0001));
    let world = World::new(&[(".git/", ""), (".gitignore", "*.log\n")]);
    let words = ["a", "a.b", "a-b", "b", "ab", "B", "z"];
    for number in 0..900 {
        let depth = dice.roll(4);
        let folders: String = (0..depth).map(|_| format!("{}/", dice.one_of(&words))).collect();
        let end = dice.one_of(&["txt", "log", "rs", "bin"]);
        let matching = ["needle\nhay\n", "hay\n", "needle\nneedle\nhay\nneedle\n"][dice.roll(3)];
        let content = if end == "bin" { "needle\0" } else { matching };
        world.add(format!("{folders}{number}.{end}").as_bytes(), content.as_bytes());
    }
    let lines = |output: &GrepOutput| -> Vec<(String, u64)> {
        let line = |file: &FileHits| {
            let path = file.path.display();
            file.lines.iter().map(move |line| (path.clone(), line.number)).collect::<Vec<_>>()
        };
        output.files.iter().flat_map(line).collect()
    };
    let may_read: MayRead = Arc::new(|path: &WorkspacePath| !path.display().contains("B/"));
    let mut early = 0;
    each([false, true], |restricted| {
        let may_read = restricted.then(|| Arc::clone(&may_read));
        let whole = GrepRequest { may_read, ..world.grep("needle") };
        let all = lines(&ask(&world, &whole, None).unwrap());
        each([(1, 0), (10, 0), (10, 150), (200, 0), (5_000, 0), (10, 5_000)], |(limit, offset)| {
            let request = GrepRequest { limit: Some(limit), offset, ..whole.clone() };
            let mut answers = [1, 2, 5].into_iter().map(|threads| {
                let mut control = Control::default();
                control.threads = NonZeroUsize::new(threads);
                grep(&world.workspace, &request, &control, None).unwrap()
            });
            let first = answers.next().unwrap();
            let expected: Vec<_> = all.iter().skip(offset).take(limit).cloned().collect();
            assert_eq!(lines(&first), expected, "{limit} {offset}");
            assert_eq!(first.complete, Complete::Yes);
            match first.counted {
                CountCompleteness::All => assert_eq!(first.entries, all.len() as u64),
                CountCompleteness::AtLeast => {
                    early += 1;
                    assert!(first.entries > (offset + limit) as u64 && first.entries < all.len() as u64);
                }
            }
            let counts = |output: &GrepOutput| (output.entries, output.totals, output.counted);
            answers.for_each(|other| {
                assert_eq!((lines(&other), counts(&other)), (lines(&first), counts(&first)));
            });
        });
    });
    assert!(early >= 6, "{early} searches ended early");
}

/// A search that is stopped never claims to be complete, wherever it was stopped, and with or without a stored index.
#[test]
fn stopped_searches_do_not_claim_to_be_complete() {
    const FILES: usize = 2_400;
    let cache = tempfile::tempdir().unwrap();
    let world = World::new(&[(".git/", "")]);
    for number in 0..FILES {
        let content = if number == FILES - 1 { "needle\n" } else { "hay\n" };
        world.add(format!("flat/{number:04}").as_bytes(), content.as_bytes());
    }
    let fresh = || TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    settle();
    assert_eq!(fresh().settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
    let request = GrepRequest { limit: Some(20), ..world.grep("needle") };
    let checks = |index: Option<&TrigramIndex>, most: usize| {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let control =
            Control::default().cancelled_by(move || counted.fetch_add(1, Ordering::Relaxed) >= most);
        let found = grep(&world.workspace, &request, &control, index).unwrap();
        (found, count.load(Ordering::Relaxed))
    };
    each([false, true], |is_indexed| {
        let stored = is_indexed.then(fresh);
        let (whole, count) = checks(stored.as_ref(), usize::MAX);
        assert_eq!((whole.complete, whole.entries), (Complete::Yes, 1));
        // Also each of the checks after the directory was listed.
        let stops = (0..=count).step_by(1 + count / 30).chain(FILES - 5..FILES + 30);
        each(stops, |most| {
            let stored = is_indexed.then(fresh);
            let (found, _) = checks(stored.as_ref(), most);
            assert!(found.complete == Complete::Cancelled || found.entries == 1, "{most}: {found:?}");
        });
    });
    // Without an index, each file is a chance to stop.
    let (found, _) = checks(None, FILES + 200);
    assert!(found.complete == Complete::Cancelled && found.totals.searched < 400, "{found:?}");
}

/// A new process has answers before it has loaded the stored index, and the same ones.
#[test]
fn first_search_of_a_process_returns_the_same_lines_as_the_loaded_index() {
    let cache = tempfile::tempdir().unwrap();
    let (world, index) = many(cache.path());
    each(["needle", "needle 6", "needle 699", "absent"], |pattern| {
        let request = GrepRequest { limit: Some(20), ..world.grep(pattern) };
        let loaded = ask(&world, &request, Some(&index));
        let fresh = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
        let first = ask(&world, &request, Some(&fresh));
        assert_eq!(difference(&first, &loaded), None, "{pattern}");
        assert!(
            !fresh.begin_loading(&Options::default())
                || fresh.settle(&Options::default(), Duration::from_secs(30)).waiting == 0
        );
        assert_eq!(difference(&ask(&world, &request, Some(&fresh)), &loaded), None, "{pattern}");
    });
}

#[test]
fn indexed_search_ends_after_the_text_limit_of_the_caller() {
    let cache = tempfile::tempdir().unwrap();
    let (world, index) = many(cache.path());
    for (room, counted) in [(600, CountCompleteness::AtLeast), (1 << 20, CountCompleteness::All)] {
        let request = GrepRequest { limit: Some(1_400), room: Some(room), ..world.grep("needle") };
        let with = ask(&world, &request, Some(&index)).unwrap();
        let whole = ask(&world, &GrepRequest { room: None, ..request.clone() }, Some(&index)).unwrap();
        assert_eq!((with.counted, with.shown), (counted, with.entries));
        let lines = |output: &GrepOutput| -> Vec<String> {
            let all = output.files.iter().flat_map(|file| &file.lines);
            all.map(|line| line.text.clone()).collect()
        };
        let (some, all) = (lines(&with), lines(&whole));
        assert!(all.starts_with(&some) && some.len() as u64 == with.entries);
        assert!(
            counted == CountCompleteness::All || some.concat().len() > room && some.len() < 100,
            "{}",
            some.len()
        );
        // The result does not depend on thread timing.
        for _ in 0..5 {
            assert_eq!(ask(&world, &request, Some(&index)), Ok(with.clone()));
        }
    }
}

#[test]
fn stored_segments_are_reused_and_damaged_ones_are_rebuilt() {
    let cache = tempfile::tempdir().unwrap();
    let (world, _index) = many(cache.path());
    let folder = std::fs::read_dir(cache.path()).unwrap().next().unwrap().unwrap().path();
    let segments = || -> Vec<PathBuf> {
        let all = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("grams-")).collect()
    };
    let before = segments();
    let open = || TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    let status = open().compare(&Options::default());
    assert_eq!((status.waiting, status.segments), (0, before.len()));
    // The first search of a process uses the stored segments: only an indexed search stops after its window.
    let limited = GrepRequest { limit: Some(10), ..world.grep("needle") };
    assert_eq!(
        ask(&world, &limited, Some(&open())).map(|output| output.counted),
        Ok(CountCompleteness::AtLeast)
    );
    let mut bytes = std::fs::read(&before[0]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&before[0], bytes).unwrap();
    let index = open();
    assert_eq!(index.compare(&Options::default()).waiting, 700);
    let request = GrepRequest { mode: Mode::Count, ..world.grep("needle 69") };
    assert_eq!(difference(&ask(&world, &request, Some(&index)), &ask(&world, &request, None)), None);
    assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
    assert!(segments().iter().all(|path| *path != before[0]));
    assert!(index.forget().unwrap() > 0);
    assert_eq!(segments(), [] as [PathBuf; 0]);
    assert_eq!(difference(&ask(&world, &request, Some(&index)), &ask(&world, &request, None)), None);
}

/// Damages segments in place while they are open: no answer may be wrong, and damaged segments are rebuilt.
#[test]
fn damage_of_open_segments_is_detected_and_repaired() {
    let cache = tempfile::tempdir().unwrap();
    let (world, _) = many(cache.path());
    let folder = std::fs::read_dir(cache.path()).unwrap().next().unwrap().unwrap().path();
    let mut dice = Dice(seed(0xBAD));
    for round in 0..24 {
        let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
        assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
        assert!(answers(&world, &index));
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if !path.file_name().unwrap().to_str().unwrap().starts_with("grams-") {
                continue;
            }
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            let len = usize::try_from(file.metadata().unwrap().len()).unwrap();
            use std::os::unix::fs::FileExt;
            match round % 4 {
                0 => file.write_all_at(&vec![0; len], 0).unwrap(),
                1 => file.set_len(u64::try_from(dice.roll(len)).unwrap()).unwrap(),
                2 => file
                    .write_all_at(&vec![0xFF; 64.min(len)], u64::try_from(dice.roll(len / 2)).unwrap())
                    .unwrap(),
                _ => {
                    for _ in 0..40 {
                        file.write_all_at(&[0], u64::try_from(dice.roll(len)).unwrap()).unwrap();
                    }
                }
            }
        }
        each(["needle 69", "hay", "needle again", "nowhere", "n.*le 4", "HAY", "zzz|needle 1"], |pattern| {
            let request = GrepRequest { mode: Mode::Count, limit: None, ..world.grep(pattern) };
            let (with, without) = (ask(&world, &request, Some(&index)), ask(&world, &request, None));
            assert_eq!(difference(&with, &without), None, "round {round}: {pattern}");
        });
        // The index recovers without a restart.
        assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0, "round {round}");
        assert!(answers(&world, &index));
    }
}

#[test]
fn unusable_cache_folder_leaves_search_results_correct() {
    let cache = tempfile::tempdir().unwrap();
    let file = cache.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let (world, index) = many(&file);
    let request = GrepRequest { mode: Mode::Count, ..world.grep("needle 69") };
    assert_eq!(difference(&ask(&world, &request, Some(&index)), &ask(&world, &request, None)), None);
    assert_eq!(index.status(&Options::default()).segments, 1);
}

#[test]
fn killed_index_build_leaves_search_results_correct() {
    let cache = tempfile::tempdir().unwrap();
    let (world, _) = many(cache.path());
    let mut dice = Dice(seed(7));
    for round in 0..30 {
        let mut child = Command::new(example::path("search_changes"))
            .arg("index")
            .args([world.root().as_path(), cache.path()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Kill the process at a random moment, because every moment of the build must be safe.
        std::thread::sleep(Duration::from_millis(u64::try_from(dice.roll(120)).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        world.add(b"d1/f1.txt", format!("needle 69{round}\n").as_bytes());
        let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
        let _ = index.compare(&Options::default());
        let request = GrepRequest { mode: Mode::Count, ..world.grep("needle 69") };
        let (with, without) = (ask(&world, &request, Some(&index)), ask(&world, &request, None));
        assert_eq!(difference(&with, &without), None, "round {round}");
        assert!(answers(&world, &index));
    }
}

#[test]
fn empty_files_are_excluded_by_the_index() {
    let world = World::new(&[(".git/", "")]);
    for number in 0..300 {
        world.add(format!("d{}/f{number}.txt", number % 7).as_bytes(), b"");
    }
    world.add(b"one.txt", b"needle\n");
    let cache = tempfile::tempdir().unwrap();
    let index = TrigramIndex::new(world.workspace.clone(), Some(cache.path().to_owned()));
    settle();
    assert_eq!(index.settle(&Options::default(), Duration::from_secs(30)).waiting, 0);
    let pattern = Pattern::read("needle", Letters::AsWritten, Reach::Line).unwrap();
    let base = world.workspace.resolve(".").unwrap();
    let sieve = Sieve { base, judge: None, may_read: None, name: String::new() };
    let Ok(list) = index.shortlist(&pattern, &Options::default(), sieve, &|| false) else {
        panic!("the index returned no shortlist")
    };
    assert_eq!((list.files.len(), list.without), (1, 300));
}
