//! Recovery of interrupted commits, whose journals and files the tests write by hand, in every phase.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use toolpost_test_rows::each;

use common::{World, example, has_strace, tree_of};
use serde_json::{Value, json};
use toolpost_workspace::{ContentHash, Recovery, hash};

const JOURNAL: &str = "1-dead.0.json";

fn dead() -> Value {
    json!({"pid": 999_999_999, "start": "1", "boot": "elsewhere"})
}

fn mark(path: &Path) -> Value {
    let stat = fs::symlink_metadata(path).unwrap();
    let hash = stat.is_file().then(|| hash(&fs::read(path).unwrap()));
    json!({"device": stat.dev(), "inode": stat.ino(), "hash": hash.map(ContentHash::to_hex)})
}

fn step(kind: &str, place: &Path, fields: &Value) -> Value {
    let mut step = json!({
        "kind": kind, "place": place, "to": null, "temp": null, "backup": null,
        "old": null, "new": null, "over": null, "copies": null,
    });
    for (key, value) in fields.as_object().unwrap() {
        step[key] = value.clone();
    }
    step
}

fn write_journal(world: &World, owner: &Value, phase: &str, made: &[&str], steps: &[Value]) {
    let made: Vec<_> = made.iter().map(|name| world.at(name)).collect();
    let journal = json!({"owner": owner, "phase": phase, "made": made, "steps": steps});
    fs::create_dir_all(world.state().join("journals")).unwrap();
    fs::write(world.state().join("journals").join(JOURNAL), world.sealed(&journal.to_string())).unwrap();
}

/// The files, the progress of the commit, and the expected state after opening.
#[derive(Debug)]
struct Row {
    phase: &'static str,
    files: &'static [(&'static str, &'static str)],
    made: &'static [&'static str],
    steps: fn(&World) -> Vec<Value>,
    /// Changes by another process after the crash.
    then: fn(&World),
    after: &'static [&'static str],
    undone: &'static [&'static str],
    finished: &'static [&'static str],
    left_unchanged: &'static [&'static str],
}

const ROW: Row = Row {
    phase: "Swapping",
    files: &[],
    made: &[],
    steps: |_| vec![],
    then: |_| {},
    after: &[],
    undone: &[],
    finished: &[],
    left_unchanged: &[],
};

fn check(number: usize, row: &Row) {
    let world = World::new();
    for (name, content) in row.files {
        world.write(name, content);
    }
    for name in row.made {
        fs::create_dir_all(world.at(name)).unwrap();
    }
    write_journal(&world, &dead(), row.phase, row.made, &(row.steps)(&world));
    (row.then)(&world);
    let (workspace, recovery) = world.open_and_recover();
    assert_eq!(world.tree(), row.after, "row {number}: {recovery:?}");
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let wanted = Recovery {
        undone: owned(row.undone),
        finished: owned(row.finished),
        left_unchanged: owned(row.left_unchanged),
        waiting: Vec::new(),
        recovered: 1,
    };
    assert_eq!(recovery, wanted, "row {number}");
    drop(workspace);
    let state = world.state_tree();
    assert!(!state.iter().any(|line| line.contains(JOURNAL)), "row {number}: {state:?}");
    assert_eq!(world.open_and_recover().1, Recovery::default(), "row {number}: second opening");
}

/// Returns the step of a file that is replaced: the new file is in place, the old one has its backup name.
fn swapped(world: &World, name: &str) -> Value {
    let (place, backup) = (world.at(name), format!(".{name}.b.toolpost-tmp"));
    let fields = json!({"old": mark(&world.at(&backup)), "new": mark(&place), "backup": backup, "temp": format!(".{name}.t.toolpost-tmp")});
    step("Put", &place, &fields)
}

/// Returns the step of a file that is not replaced yet: the old file is in place, the new one has its temporary
/// name.
fn staged(world: &World, name: &str) -> Value {
    let (place, temp) = (world.at(name), format!(".{name}.t.toolpost-tmp"));
    let fields = json!({"old": mark(&place), "new": mark(&world.at(&temp)), "temp": temp, "backup": format!(".{name}.b.toolpost-tmp")});
    step("Put", &place, &fields)
}

const EXCHANGING: &[Row] = &[
    Row {
        phase: "Staging",
        files: &[("a", "old"), (".a.t.toolpost-tmp", "half"), ("other", "x")],
        made: &["d", "d/e"],
        steps: |world| {
            vec![step(
                "Put",
                &world.at("a"),
                &json!({"temp": ".a.t.toolpost-tmp", "old": mark(&world.at("a"))}),
            )]
        },
        after: &["a=old", "other=x"],
        ..ROW
    },
    Row {
        files: &[
            ("a", "old a"),
            (".a.t.toolpost-tmp", "new a"),
            ("b", "old b"),
            (".b.t.toolpost-tmp", "new b"),
        ],
        steps: |world| vec![staged(world, "a"), staged(world, "b")],
        after: &["a=old a", "b=old b"],
        ..ROW
    },
    Row {
        files: &[
            ("a", "new a"),
            (".a.b.toolpost-tmp", "old a"),
            ("b", "old b"),
            (".b.t.toolpost-tmp", "new b"),
        ],
        steps: |world| vec![swapped(world, "a"), staged(world, "b")],
        after: &["a=old a", "b=old b"],
        undone: &["a"],
        ..ROW
    },
    Row {
        files: &[
            ("a", "new a"),
            (".a.b.toolpost-tmp", "old a"),
            ("b", "new b"),
            (".b.b.toolpost-tmp", "old b"),
        ],
        steps: |world| vec![swapped(world, "a"), swapped(world, "b")],
        after: &["a=old a", "b=old b"],
        undone: &["b", "a"],
        ..ROW
    },
    Row {
        phase: "Done",
        files: &[("a", "new a"), (".a.b.toolpost-tmp", "old a"), ("b", "new b")],
        steps: |world| {
            let b = step("Put", &world.at("b"), &json!({"new": mark(&world.at("b"))}));
            vec![swapped(world, "a"), b]
        },
        after: &["a=new a", "b=new b"],
        finished: &["a", "b"],
        ..ROW
    },
    // After an exchange, the old file has the temporary name.
    Row {
        files: &[("a", "new"), (".a.t.toolpost-tmp", "old")],
        steps: |world| {
            let temp = ".a.t.toolpost-tmp";
            let fields = json!({"old": mark(&world.at(temp)), "new": mark(&world.at("a")), "temp": temp, "backup": ".a.b.toolpost-tmp"});
            vec![step("Put", &world.at("a"), &fields)]
        },
        after: &["a=old"],
        undone: &["a"],
        ..ROW
    },
    // The old file is linked to its backup name, and the new file is not renamed yet.
    Row {
        files: &[("a", "old"), (".a.t.toolpost-tmp", "new")],
        steps: |world| {
            fs::hard_link(world.at("a"), world.at(".a.b.toolpost-tmp")).unwrap();
            vec![staged(world, "a")]
        },
        after: &["a=old"],
        ..ROW
    },
    Row {
        files: &[("d/new", "new")],
        made: &["d"],
        steps: |world| vec![step("Put", &world.at("d/new"), &json!({"new": mark(&world.at("d/new"))}))],
        undone: &["d/new"],
        ..ROW
    },
];

#[test]
fn recovery_undoes_or_finishes_every_stage_of_a_replacement() {
    EXCHANGING.iter().enumerate().for_each(|(number, row)| check(number, row));
}

const REMOVING: &[Row] = &[
    Row {
        files: &[(".a.b.toolpost-tmp", "A")],
        steps: |world| {
            let backup = ".a.b.toolpost-tmp";
            vec![step("Remove", &world.at("a"), &json!({"old": mark(&world.at(backup)), "backup": backup}))]
        },
        after: &["a=A"],
        undone: &["a"],
        ..ROW
    },
    Row {
        phase: "Done",
        files: &[(".d.b.toolpost-tmp/deep/x", "X"), (".d.b.toolpost-tmp/y", "Y"), ("z", "Z")],
        steps: |world| {
            let backup = ".d.b.toolpost-tmp";
            vec![step("Remove", &world.at("d"), &json!({"old": mark(&world.at(backup)), "backup": backup}))]
        },
        after: &["z=Z"],
        finished: &["d"],
        ..ROW
    },
    Row {
        files: &[(".d.b.toolpost-tmp/x", "X")],
        steps: |world| {
            let backup = ".d.b.toolpost-tmp";
            vec![step("Remove", &world.at("d"), &json!({"old": mark(&world.at(backup)), "backup": backup}))]
        },
        after: &["d/", "d/x=X"],
        undone: &["d"],
        ..ROW
    },
    // A directory that was empty when it got its backup name, but now has an entry, is restored.
    Row {
        phase: "Done",
        files: &[(".d.b.toolpost-tmp/mine", "mine")],
        steps: |world| {
            let backup = ".d.b.toolpost-tmp";
            fs::create_dir(world.at(".e.b.toolpost-tmp")).unwrap();
            let empty = |name: &str, backup: &str| {
                let fields = json!({"old": mark(&world.at(backup)), "backup": backup});
                step("RemoveEmpty", &world.at(name), &fields)
            };
            vec![empty("d", backup), empty("e", ".e.b.toolpost-tmp")]
        },
        after: &["d/", "d/mine=mine"],
        finished: &["d", "e"],
        ..ROW
    },
    Row {
        files: &[(".d.b.toolpost-tmp/mine", "mine")],
        steps: |world| {
            let backup = ".d.b.toolpost-tmp";
            let fields = json!({"old": mark(&world.at(backup)), "backup": backup});
            vec![step("RemoveEmpty", &world.at("d"), &fields)]
        },
        after: &["d/", "d/mine=mine"],
        undone: &["d"],
        ..ROW
    },
    Row {
        files: &[("to", "A"), (".to.b.toolpost-tmp", "B")],
        steps: |world| {
            let (to, backup) = (world.at("to"), ".to.b.toolpost-tmp");
            let fields =
                json!({"to": to, "old": mark(&to), "over": mark(&world.at(backup)), "backup": backup});
            vec![step("Move", &world.at("from"), &fields)]
        },
        after: &["from=A", "to=B"],
        undone: &["from"],
        ..ROW
    },
    Row {
        files: &[("from", "A"), (".to.b.toolpost-tmp", "B")],
        steps: |world| {
            let backup = ".to.b.toolpost-tmp";
            let fields = json!({"to": world.at("to"), "old": mark(&world.at("from")), "over": mark(&world.at(backup)), "backup": backup});
            vec![step("Move", &world.at("from"), &fields)]
        },
        after: &["from=A", "to=B"],
        undone: &["from"],
        ..ROW
    },
    Row {
        files: &[("from", "A"), ("to", "B")],
        steps: |world| {
            let fields = json!({"to": world.at("to"), "old": mark(&world.at("from")), "over": mark(&world.at("to")), "backup": ".to.b.toolpost-tmp"});
            vec![step("Move", &world.at("from"), &fields)]
        },
        after: &["from=A", "to=B"],
        ..ROW
    },
];

#[test]
fn recovery_undoes_or_finishes_removals_and_moves() {
    REMOVING.iter().enumerate().for_each(|(number, row)| check(number, row));
}

#[test]
fn recovery_leaves_files_that_others_changed_since() {
    let rows = [
        Row {
            files: &[
                ("a", "new a"),
                (".a.b.toolpost-tmp", "old a"),
                ("b", "new b"),
                (".b.b.toolpost-tmp", "old b"),
            ],
            steps: |world| vec![swapped(world, "a"), swapped(world, "b")],
            then: |world| fs::write(world.at("a"), "mine").unwrap(),
            after: &[".a.b.toolpost-tmp=old a", "a=mine", "b=old b"],
            undone: &["b"],
            left_unchanged: &[
                "a: an interrupted change was not completely undone, because another process has changed the new file; the former file is kept in the same directory, as .a.b.toolpost-tmp",
            ],
            ..ROW
        },
        Row {
            files: &[("a", "new a"), (".a.b.toolpost-tmp", "old a")],
            steps: |world| vec![swapped(world, "a")],
            then: |world| {
                world.write("fresh", "mine");
                fs::rename(world.at("fresh"), world.at("a")).unwrap();
            },
            after: &[".a.b.toolpost-tmp=old a", "a=mine"],
            left_unchanged: &[
                "a: an interrupted change was not completely undone, because another process has replaced or removed the file; the former file is kept in the same directory, as .a.b.toolpost-tmp",
            ],
            ..ROW
        },
        Row {
            files: &[("new", "new")],
            steps: |world| vec![step("Put", &world.at("new"), &json!({"new": mark(&world.at("new"))}))],
            then: |world| fs::write(world.at("new"), "mine").unwrap(),
            after: &["new=mine"],
            left_unchanged: &[
                "new: an interrupted change was not completely undone, because another process has changed the new file",
            ],
            ..ROW
        },
        Row {
            files: &[(".a.b.toolpost-tmp", "A")],
            steps: |world| {
                let backup = ".a.b.toolpost-tmp";
                vec![step(
                    "Remove",
                    &world.at("a"),
                    &json!({"old": mark(&world.at(backup)), "backup": backup}),
                )]
            },
            then: |world| world.write("a", "mine"),
            after: &[".a.b.toolpost-tmp=A", "a=mine"],
            left_unchanged: &[
                "a: an interrupted change was not completely undone, because the removed file or directory could not be put back (EEXIST: File exists) and is kept as .a.b.toolpost-tmp",
            ],
            ..ROW
        },
    ];
    rows.iter().enumerate().for_each(|(number, row)| check(number, row));
}

/// Returns every content that a file has while `to` overwrites `from`: bytes are written from the start, then the
/// file is truncated.
fn on_the_way(from: &str, to: &str) -> Vec<String> {
    let written = |length| to[..length].to_owned() + from.get(length..).unwrap_or_default();
    (0..=to.len()).map(written).chain([to.to_owned()]).collect()
}

/// Opens a workspace whose file was being rewritten at the crash. Returns the content of the file, the
/// failures, and the state directory.
fn after_a_torn_rewrite(old: &str, new: &str, now: &str) -> (String, Vec<String>, Vec<String>) {
    let world = World::new();
    world.write("a", old);
    let fields = json!({"old": mark(&world.at("a")), "copies": "1-dead.1"});
    write_journal(&world, &dead(), "Swapping", &[], &[step("InPlace", &world.at("a"), &fields)]);
    let journals = world.state().join("journals");
    fs::write(journals.join("1-dead.1.old"), old).unwrap();
    fs::write(journals.join("1-dead.1.bytes"), new).unwrap();
    fs::write(world.at("a"), now).unwrap();
    let (workspace, recovery) = world.open_and_recover();
    drop(workspace);
    (world.read("a"), recovery.left_unchanged, world.state_tree())
}

#[test]
fn a_torn_rewrite_is_restored_from_the_state_directory() {
    let old = "0123456789";
    let plain = ["journals/", "live/", "locks/"].map(str::to_owned).to_vec();
    each(["abcdefghijklmnop", "abc", "01a", "012", ""], |new| {
        // The restore can be interrupted, too.
        let back = |torn: String| on_the_way(&torn, old).into_iter().step_by(3).chain([torn]);
        let states: BTreeSet<String> = on_the_way(old, new).into_iter().flat_map(back).collect();
        for now in states {
            let wanted = (old.to_owned(), Vec::new(), plain.clone());
            assert_eq!(after_a_torn_rewrite(old, new, &now), wanted, "{new:?} over it: {now:?}");
        }
    });
}

#[test]
fn recovery_preserves_content_that_no_rewrite_produces() {
    let old = "0123456789";
    let rows = [
        ("abcdefghijklmnop", ""),
        ("abcdefghijklmnop", "abcX456789"),
        ("abcdefghijklmnop", "mine"),
        ("abcdefghijklmnop", "012345678"),
        ("abc", "ab"),
        ("abc", "abcd"),
        ("abc", "abc345678"),
        ("abc", "mine"),
        ("", "mine"),
        ("", "0123456789 and mine"),
    ];
    each(rows, |(new, now)| {
        let kept = format!("journals/1-dead.1.kept={old}");
        let state = ["journals/", &kept, "live/", "locks/"].map(str::to_owned).to_vec();
        let (found, left, found_state) = after_a_torn_rewrite(old, new, now);
        assert_eq!((found.as_str(), left.len(), found_state), (now, 1, state), "{new:?} over it: {now:?}");
    });
}

/// System errors at the first opening, the report and the files after it, and the result of the second
/// opening.
#[derive(Debug)]
struct Refusal {
    row: Row,
    inject: &'static str,
    messages: &'static [&'static str],
    between: &'static [&'static str],
}

const AGAIN: &str = "; Toolpost tries again when it next opens the workspace";

const REFUSALS: &[Refusal] = &[
    // The second opening reverts only the remaining steps. Files that got the content `mine` in between stay.
    Refusal {
        row: Row {
            files: &[
                ("a", "new a"),
                (".a.b.toolpost-tmp", "old a"),
                ("b", "new b"),
                (".b.b.toolpost-tmp", "old b"),
            ],
            steps: |world| vec![swapped(world, "a"), swapped(world, "b")],
            then: |world| world.write("a", "mine"),
            after: &["a=mine", "b=old b"],
            undone: &["b"],
            ..ROW
        },
        inject: "renameat:error=EIO:when=1",
        messages: &[
            "a: an interrupted change was undone",
            "b: an interrupted change was not completely undone, because the former file could not be restored (EIO: Input/output \
             error); the former file is kept in the same directory, as .b.b.toolpost-tmp",
        ],
        between: &[".b.b.toolpost-tmp=old b", "a=old a", "b=new b"],
    },
    Refusal {
        row: Row {
            files: &[("d/a", "new"), ("d/.a.b.toolpost-tmp", "old"), ("e/n", "new")],
            made: &["e"],
            steps: |world| {
                let temp = ".a.t.toolpost-tmp";
                let backup = world.at("d/.a.b.toolpost-tmp");
                let fields = json!({"old": mark(&backup), "new": mark(&world.at("d/a")), "backup": ".a.b.toolpost-tmp", "temp": temp});
                let new = json!({"new": mark(&world.at("e/n"))});
                vec![step("Put", &world.at("d/a"), &fields), step("Put", &world.at("e/n"), &new)]
            },
            after: &["d/", "d/a=old"],
            undone: &["e/n", "d/a"],
            ..ROW
        },
        inject: "renameat,unlinkat:error=EIO",
        messages: &[
            "e/n: an interrupted change was not completely undone, because the new file could not be removed (EIO: Input/output error)",
            "d/a: an interrupted change was not completely undone, because the former file could not be restored (EIO: Input/output \
             error); the former file is kept in the same directory, as .a.b.toolpost-tmp; the temporary file .a.t.toolpost-tmp could not be removed (EIO: Input/output error)",
            "e: an interrupted change was not completely undone, because the directory was created for the change and could not be removed (EIO: Input/output error)",
        ],
        between: &["d/", "d/.a.b.toolpost-tmp=old", "d/a=new", "e/", "e/n=new"],
    },
    Refusal {
        row: Row {
            phase: "Staging",
            files: &[("a", "old"), (".a.t.toolpost-tmp", "half")],
            steps: |world| {
                vec![step(
                    "Put",
                    &world.at("a"),
                    &json!({"temp": ".a.t.toolpost-tmp", "old": mark(&world.at("a"))}),
                )]
            },
            after: &["a=old"],
            ..ROW
        },
        inject: "unlinkat:error=EIO",
        messages: &[
            "a: an interrupted change was not completely undone, because the temporary file .a.t.toolpost-tmp could not be removed (EIO: Input/output error)",
        ],
        between: &[".a.t.toolpost-tmp=half", "a=old"],
    },
    Refusal {
        row: Row {
            phase: "Done",
            files: &[("a", "new a"), (".a.b.toolpost-tmp", "old a")],
            steps: |world| vec![swapped(world, "a")],
            after: &["a=new a"],
            finished: &["a"],
            ..ROW
        },
        inject: "unlinkat:error=EIO",
        messages: &[
            ".a.b.toolpost-tmp: this temporary file could not be removed",
            ".a.t.toolpost-tmp: this temporary file could not be removed",
        ],
        between: &[".a.b.toolpost-tmp=old a", "a=new a"],
    },
    Refusal {
        row: Row {
            files: &[(".a.b.toolpost-tmp", "A"), ("to", "B"), (".to.b.toolpost-tmp", "C")],
            steps: |world| {
                let (backup, over) = (".a.b.toolpost-tmp", ".to.b.toolpost-tmp");
                let gone = json!({"old": mark(&world.at(backup)), "backup": backup});
                let moved = json!({"to": world.at("to"), "old": mark(&world.at("to")), "over": mark(&world.at(over)), "backup": over});
                vec![step("Remove", &world.at("a"), &gone), step("Move", &world.at("from"), &moved)]
            },
            after: &["a=A", "from=B", "to=C"],
            undone: &["from", "a"],
            ..ROW
        },
        inject: "renameat2:error=EIO",
        messages: &[
            "from: an interrupted change was not completely undone, because to could not be moved back (EIO: Input/output error)",
            "a: an interrupted change was not completely undone, because the removed file or directory could not be put back (EIO: Input/output error) and is kept as .a.b.toolpost-tmp",
        ],
        between: &[".a.b.toolpost-tmp=A", ".to.b.toolpost-tmp=C", "to=B"],
    },
];

/// Opens the workspace in another process with failing system calls. Returns its report.
fn open_refused(world: &World, inject: &str) -> String {
    let calls = inject.split(':').next().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={inject}")]).arg(example()).arg(world.root()).arg(world.state());
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn recovery_retries_steps_that_the_system_refused() {
    if !has_strace() {
        return;
    }
    each(REFUSALS.iter().enumerate(), |(number, Refusal { row, inject, messages, between })| {
        let world = World::new();
        for (name, content) in row.files {
            world.write(name, content);
        }
        write_journal(&world, &dead(), row.phase, row.made, &(row.steps)(&world));
        let report = open_refused(&world, inject);
        let done = |line: &str| line.ends_with("was undone");
        let lines = messages
            .iter()
            .map(|line| if done(line) { (*line).to_owned() } else { format!("{line}{AGAIN}") });
        assert_eq!(report.lines().collect::<Vec<_>>(), lines.collect::<Vec<_>>(), "refusal {number}");
        assert_eq!(world.tree(), *between, "refusal {number}");
        (row.then)(&world);
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let wanted = Recovery {
            undone: owned(row.undone),
            finished: owned(row.finished),
            recovered: 1,
            ..Recovery::default()
        };
        assert_eq!(
            (world.open_and_recover().1, world.tree()),
            (wanted, owned(row.after)),
            "refusal {number}"
        );
        let state = world.state_tree();
        let journal = format!("journals/{JOURNAL}=");
        assert!(!state.iter().any(|line| line.starts_with(&journal)), "refusal {number}: {state:?}");
    });
}

#[test]
fn recovery_retries_a_failed_restore_of_a_rewritten_file() {
    if !has_strace() {
        return;
    }
    // The first injected error occurs before the bytes are restored, so the second opening restores them. The other
    // errors occur afterwards.
    for (inject, undone) in [
        ("pwrite64:error=EIO", &["a"][..]),
        ("ftruncate:error=EIO", &[]),
        ("fdatasync:error=EIO:when=1", &[]),
    ] {
        let world = World::new();
        world.write("a", "0123456789");
        let fields = json!({"old": mark(&world.at("a")), "copies": "1-dead.1"});
        write_journal(&world, &dead(), "Swapping", &[], &[step("InPlace", &world.at("a"), &fields)]);
        let journals = world.state().join("journals");
        fs::write(journals.join("1-dead.1.old"), "0123456789").unwrap();
        fs::write(journals.join("1-dead.1.bytes"), "abc").unwrap();
        fs::write(world.at("a"), "abc").unwrap();
        let copy = journals.join("1-dead.1.old").display().to_string();
        let why = "a: an interrupted change was not completely undone, because the file could not be restored (EIO: \
                   Input/output error); the former content is in";
        assert_eq!(open_refused(&world, inject), format!("{why} {copy}{AGAIN}"), "{inject}");
        let undone = undone.iter().map(|path| (*path).to_owned()).collect();
        let wanted = Recovery { undone, recovered: 1, ..Recovery::default() };
        assert_eq!(
            (world.open_and_recover().1, world.read("a").as_str()),
            (wanted, "0123456789"),
            "{inject}"
        );
        assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"], "{inject}");
    }
}

#[test]
fn journals_of_live_processes_and_other_roots_are_left_alone() {
    let fields = fs::read_to_string("/proc/self/stat").unwrap();
    let start = fields.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim().to_owned();
    let living = json!({"pid": std::process::id(), "start": start, "boot": boot});
    let reused = json!({"pid": std::process::id(), "start": "1", "boot": boot});
    let rebooted = json!({"pid": std::process::id(), "start": start, "boot": "before"});
    for (owner, remains) in [(living, true), (reused, false), (rebooted, false)] {
        let world = World::new();
        world.write("a", "old");
        world.write(".a.t.toolpost-tmp", "new");
        write_journal(&world, &owner, "Swapping", &[], &[staged(&world, "a")]);
        let (_workspace, recovery) = world.open_and_recover();
        let temp = if remains { vec![".a.t.toolpost-tmp=new", "a=old"] } else { vec!["a=old"] };
        assert_eq!(
            (world.tree(), recovery.recovered),
            (temp.iter().map(ToString::to_string).collect(), usize::from(!remains))
        );
    }
    // A journal of other roots stays until these are opened.
    let world = World::new();
    fs::write(world.out("f"), "F").unwrap();
    let foreign = step("Put", &world.out("f"), &json!({"new": mark(&world.out("f"))}));
    write_journal(&world, &dead(), "Swapping", &[], &[foreign]);
    assert_eq!(world.open_and_recover().1, Recovery::default());
    assert_eq!(tree_of(&world.out("")), ["f=F"]);
    assert!(world.state().join("journals").join(JOURNAL).exists());
}

#[test]
fn a_damaged_journal_is_reported_once() {
    let world = World::new();
    world.write("a", "A");
    fs::create_dir_all(world.state().join("journals")).unwrap();
    let journal = world.state().join("journals").join(JOURNAL);
    let unread = "the journal was damaged and was removed; its change was neither completed nor undone";
    let empty = "the journal was empty, as after a power loss, and was removed; its change was made completely or not at \
                 all, and is missing from the history";
    each(
        [("", empty), ("{", unread), ("[]", unread), ("{\"phase\":\"Swapping\"}", unread)],
        |(damaged, why)| {
            fs::write(&journal, damaged).unwrap();
            let recovery = world.open_and_recover().1;
            let wanted = format!("{}: {why}", journal.display());
            assert_eq!(
                (recovery.left_unchanged, journal.exists(), world.tree()),
                (vec![wanted], false, vec!["a=A".to_owned()])
            );
        },
    );
}

#[test]
fn journal_with_file_names_in_other_directories_is_refused() {
    let rows = [
        ("temp", json!("../out/f")),
        ("backup", json!("deep/f")),
        ("temp", json!("..")),
        ("backup", json!("/etc/f")),
        ("copies", json!("../../ws/a")),
        ("temp", json!("")),
    ];
    each(rows, |(field, name)| {
        let world = World::new();
        for file in ["a", "deep/f", "a.old", "a.bytes"] {
            world.write(file, "kept");
        }
        fs::write(world.out("f"), "kept").unwrap();
        let before = tree_of(&world.base());
        let kind = if field == "copies" { "InPlace" } else { "Put" };
        let steps = [step(kind, &world.at("a"), &json!({field: name, "old": mark(&world.at("a"))}))];
        for phase in ["Staging", "Swapping", "Done"] {
            write_journal(&world, &dead(), phase, &[], &steps);
            let journal = world.state().join("journals").join(JOURNAL);
            let recovery = world.open_and_recover().1;
            let shown = journal.display();
            let left = vec![format!(
                "{shown}: the journal contained file names that lead to other directories, and was removed; its change was \
                 neither completed nor undone"
            )];
            assert_eq!(
                recovery,
                Recovery { left_unchanged: left, ..Recovery::default() },
                "{field} {name} {phase}"
            );
            let lines = ["journals", "live", "locks"].map(|name| format!("state/{name}/"));
            let mut after = tree_of(&world.base());
            after.retain(|line| !lines.contains(line) && !line.starts_with("state/history/"));
            assert_eq!(after, before, "{field} {name} {phase}");
        }
    });
}

#[test]
fn journal_without_a_valid_seal_is_not_applied() {
    let rows = EXCHANGING.iter().filter(|row| row.phase == "Swapping" && !row.undone.is_empty());
    let mut tried = 0;
    each(rows, |row| {
        let world = World::new();
        row.files.iter().for_each(|(name, content)| world.write(name, content));
        write_journal(&world, &dead(), row.phase, row.made, &(row.steps)(&world));
        let before = world.tree();
        let journal = world.state().join("journals").join(JOURNAL);
        let good = fs::read_to_string(&journal).unwrap();
        let bare = format!("{{{}", &good[75..]);
        let config = world.at(".git/config").display().to_string();
        let elsewhere = good.replace(&world.at("a").display().to_string(), &config);
        let zero = good.replacen(&good[9..73], &"0".repeat(64), 1);
        each(
            [
                (
                    bare,
                    "it has no integrity seal (an earlier version of Toolpost or another program wrote it)",
                ),
                (
                    elsewhere,
                    "it has a wrong integrity seal (it changed after Toolpost wrote it, or the key was replaced)",
                ),
                (
                    zero,
                    "it has a wrong integrity seal (it changed after Toolpost wrote it, or the key was replaced)",
                ),
                (
                    good.replace("Swapping", "Done"),
                    "it has a wrong integrity seal (it changed after Toolpost wrote it, or the key was replaced)",
                ),
            ],
            |(bad, why)| {
                if bad == good {
                    return;
                }
                fs::write(&journal, &bad).unwrap();
                let recovery = world.open_and_recover().1;
                let message =
                    format!("{}: the journal was not used, because {why}; check ", journal.display());
                assert!(
                    matches!(&recovery.left_unchanged[..], [left] if left.starts_with(&message)),
                    "{recovery:?}"
                );
                assert_eq!((world.tree(), fs::read_to_string(&journal).unwrap()), (before.clone(), bad));
                tried += 1;
            },
        );
        fs::write(&journal, good).unwrap();
        assert_eq!((world.open_and_recover().1.recovered, world.tree().len()), (1, row.after.len()));
    });
    assert!(tried > 10, "{tried}");
}

#[test]
fn recovery_message_uses_singular_and_plural() {
    let rows = [
        (0, vec![]),
        (1, vec!["1 interrupted commit was recovered"]),
        (2, vec!["2 interrupted commits were recovered"]),
    ];
    for (recovered, lines) in rows {
        assert_eq!(Recovery { recovered, ..Recovery::default() }.lines(), lines);
    }
}
