//! Kills and injected errors at each system call of a commit.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use toolpost_test_rows::each;

use common::{WAIT, World, example, has_strace};
use toolpost_workspace::{Action, Cause, Draft, Expect};

const GROUPS: &[&str] = &[
    "openat,openat2",
    "write,pwrite64",
    "fsync,fdatasync",
    "linkat,unlinkat,rename,renameat,renameat2,mkdirat",
    "fchmod,fchown,fsetxattr,fallocate,ftruncate",
    "flock",
];

/// A commit: the state before, the drafts, and the state after.
#[derive(Debug)]
struct Case {
    before: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    after: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case { before: &[("f", "old")], arguments: &["f", "new"], after: &["f=new"], environment: &[] },
    Case { before: &[], arguments: &["d/e/f", "new"], after: &["d/", "d/e/", "d/e/f=new"], environment: &[] },
    Case {
        before: &[("f", "old"), ("g", "keep")],
        arguments: &["f", "-"],
        after: &["g=keep"],
        environment: &[],
    },
    Case {
        before: &[("a", "old a"), ("d/b", "old b"), ("gone", "old gone")],
        arguments: &["a", "new a", "d/b", "new b", "made/c", "new c", "gone", "-"],
        after: &["a=new a", "d/", "d/b=new b", "made/", "made/c=new c"],
        environment: &[],
    },
    Case {
        before: &[("a", "old a"), ("b", "old b")],
        arguments: &["a", "new a", "b", "new b"],
        after: &["a=new a", "b=new b"],
        environment: &[("TOOLPOST_DURABLE", "1")],
    },
    Case {
        before: &[("f", "old")],
        arguments: &["f", "new"],
        after: &["f=new"],
        environment: &[("TOOLPOST_DURABLE", "1")],
    },
    Case {
        before: &[],
        arguments: &["d/e/f", "new"],
        after: &["d/", "d/e/", "d/e/f=new"],
        environment: &[("TOOLPOST_DURABLE", "1")],
    },
    Case {
        before: &[("a", "A"), ("d/x", "X"), ("d/e/y", "Y")],
        arguments: &["d", "--"],
        after: &["a=A"],
        environment: &[],
    },
    Case { before: &[], arguments: &["x/y", "/"], after: &["x/", "x/y/"], environment: &[] },
    Case { before: &[("a", "A"), ("b", "B")], arguments: &["a", ">b"], after: &["b=A"], environment: &[] },
    Case {
        before: &[("d/x", "X")],
        arguments: &["d", ">e/d"],
        after: &["e/", "e/d/", "e/d/x=X"],
        environment: &[],
    },
    Case {
        before: &[("a", "A"), ("b", "B"), ("d/x", "X")],
        arguments: &["a", "new", "b", ">c/b", "d", "--", "n", "/"],
        after: &["a=new", "c/", "c/b=B", "n/"],
        environment: &[],
    },
];

fn world(case: &Case) -> World {
    let world = World::new();
    for (name, content) in case.before {
        world.write(name, content);
    }
    world
}

fn run(world: &World, case: &Case, strace: &[String]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-o", "/dev/null"]).args(strace).arg(example());
    command.arg(world.root()).arg(world.state()).args(case.arguments);
    command.envs(case.environment.iter().copied()).output().unwrap()
}

fn commit(world: &World, case: &Case) -> Output {
    let mut command = Command::new(example());
    command.arg(world.root()).arg(world.state()).args(case.arguments);
    command.output().unwrap()
}

/// Certainty that the history contains the change: an injected error can also affect the history.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorded {
    Surely,
    Perhaps,
}

/// Opens the workspace again, and checks that all files are old or all are new, without leftovers, and that
/// the history agrees.
fn check_after(world: &World, case: &Case, before: &[String], recorded: Recorded, what: &str) {
    let (workspace, recovery) = world.open_and_recover();
    let now = world.tree();
    assert!(now == before || now == case.after, "{what}: {now:?}; recovery {recovery:?}");
    assert_eq!((&recovery.left_unchanged, &recovery.waiting), (&vec![], &vec![]), "{what}");
    let records: Vec<_> = workspace.history().unwrap().records().collect();
    let wanted = usize::from(now == case.after);
    let perhaps = recorded == Recorded::Perhaps && records.is_empty();
    assert!(records.len() == wanted || perhaps, "{what}: {now:?}, {records:?}");
    if let Some(record) = records.first() {
        // The record suffices to undo and redo the change.
        for wanted in [before, &now] {
            let last = workspace.history().unwrap().last().unwrap();
            workspace
                .history()
                .unwrap()
                .undo(&last, &Cause::default(), WAIT)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(world.tree(), wanted, "{what}: {record:?}");
        }
    }
    drop(workspace);
    let left: Vec<String> = world.state_tree();
    assert_eq!(left, ["journals/", "live/", "locks/"], "{what}");
    // If the commit was reverted, the same commit succeeds afterwards.
    if now == before {
        let output = commit(world, case);
        assert!(output.status.success(), "{what}: {output:?}");
        assert_eq!(world.tree(), case.after, "{what}");
    }
}

#[test]
fn kill_at_any_system_call_leaves_all_old_or_all_new() {
    if !has_strace() {
        return;
    }
    let mut kills = 0;
    each(CASES.iter().enumerate(), |(number, case)| {
        each(GROUPS, |group| {
            for when in 1.. {
                let world = world(case);
                let before = world.tree();
                let inject = format!("inject={group}:signal=SIGKILL:when={when}");
                let output =
                    run(&world, case, &["-e".into(), format!("trace={group}"), "-e".into(), inject.clone()]);
                let survived = output.status.success();
                assert!(survived || output.status.signal().is_some(), "{inject}: {output:?}");
                kills += usize::from(!survived);
                check_after(&world, case, &before, Recorded::Surely, &format!("case {number} {inject}"));
                if survived {
                    break;
                }
            }
        });
    });
    assert!(kills > 100, "only {kills} kills");
}

/// Checks that a commit with an error at any call of a group either fails and leaves the old files, or succeeds
/// and leaves the new ones.
fn check_error(case: &Case, calls: &str, errno: &str) {
    for when in 1.. {
        let world = world(case);
        let before = world.tree();
        let inject = format!("inject={calls}:error={errno}:when={when}");
        let strace = ["-e".into(), format!("trace={calls}"), "-e".into(), inject.clone()];
        let output = run(&world, case, &strace);
        let now = world.tree();
        if output.status.success() {
            assert_eq!(now, case.after, "{inject}: the commit succeeded");
            let plain = world.state_tree() == ["journals/", "live/", "locks/"];
            if plain && commit_made_no_such_call(case, calls, when) {
                break;
            }
        } else {
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            // strace counts each system call of the group separately, so the revert can fail, too. If the
            // error message does not report that, nothing may have changed.
            let not_all = ["could not be restored", "could not be removed"];
            let is_reported = not_all.iter().any(|words| printed.contains(words));
            assert!(now == before || is_reported, "{inject}: {output:?}");
            assert!(printed.contains(errno) || printed.contains("permission denied"), "{inject}: {printed}");
        }
        check_after(&world, case, &before, Recorded::Perhaps, &inject);
        assert!(when < 400, "{inject}: too many calls");
    }
}

/// Returns whether a whole commit without injected errors makes fewer than `when` calls of these kinds.
fn commit_made_no_such_call(case: &Case, calls: &str, when: usize) -> bool {
    let world = world(case);
    let log = world.base().join("log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-e", &format!("trace={calls}"), "-o"]).arg(&log).arg(example());
    command.arg(world.root()).arg(world.state()).args(case.arguments);
    command.envs(case.environment.iter().copied()).output().unwrap();
    std::fs::read_to_string(log).unwrap().lines().count() < when
}

#[test]
fn failed_system_call_leaves_the_original_and_is_reported() {
    if !has_strace() {
        return;
    }
    let errors = [
        ("write,pwrite64", "ENOSPC"),
        ("write,pwrite64", "EIO"),
        ("fsync,fdatasync", "EIO"),
        ("linkat,renameat,renameat2,mkdirat", "ENOSPC"),
        ("linkat,renameat,renameat2,mkdirat", "EROFS"),
    ];
    each([&CASES[0], &CASES[1], &CASES[3], &CASES[4], &CASES[5], &CASES[6]], |case| {
        each(errors, |(calls, errno)| {
            check_error(case, calls, errno);
        });
    });
}

#[test]
fn persistent_system_call_error_leaves_old_or_new() {
    if !has_strace() {
        return;
    }
    use Answer::{Fails, Works};
    let errors = [
        ("write,pwrite64", "ENOSPC", Fails),
        ("fdatasync", "EIO", Fails),
        ("fallocate", "ENOSPC", Works),
        ("fchmod", "EPERM", Works),
        ("linkat", "EPERM", Works),
        ("renameat2", "EINVAL", Works),
        ("flock", "ENOLCK", Works),
        ("openat2", "ENOSYS", Works),
        ("openat2", "EPERM", Works),
        ("unlinkat", "EACCES", Works),
        ("flistxattr", "EOPNOTSUPP", Works),
    ];
    for case in [&CASES[0], &CASES[1], &CASES[4]] {
        each(errors, |(calls, errno, answer)| {
            let world = world(case);
            let before = world.tree();
            let inject = format!("inject={calls}:error={errno}");
            let strace = ["-e".into(), format!("trace={calls}"), "-e".into(), inject.clone()];
            let output = run(&world, case, &strace);
            let now = world.tree();
            let is_new = case.after.iter().all(|line| now.contains(&(*line).to_owned()));
            assert_eq!(output.status.success(), answer == Works, "{inject}: {output:?}");
            assert!(if answer == Works { is_new } else { now == before }, "{inject}: {now:?}");
        });
    }
}

#[test]
fn failed_directory_sync_completes_the_change_with_a_note() {
    if !has_strace() {
        return;
    }
    // Each row selects a call that syncs a directory with changed files, or the final journal. Earlier calls
    // sync the first journal, before any change.
    each([(&CASES[5], 1), (&CASES[4], 3), (&CASES[4], 4), (&CASES[6], 2), (&CASES[6], 3)], |(case, when)| {
        let world = world(case);
        let inject = format!("inject=fsync:error=EIO:when={when}");
        let output = run(&world, case, &["-e".into(), "trace=fsync".into(), "-e".into(), inject.clone()]);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{inject}: {output:?}");
        assert_eq!(world.tree(), case.after, "{inject}");
        assert!(
            printed.contains("the change is complete, but may not survive a power loss (EIO"),
            "{printed}"
        );
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Works,
    Fails,
}

#[test]
fn file_that_cannot_be_replaced_is_rewritten_in_place() {
    if !has_strace() {
        return;
    }
    // The first rename is that of the journal. The second one, of the file itself, fails.
    for errno in ["EXDEV", "EBUSY", "EACCES"] {
        let case = &CASES[0];
        let world = world(case);
        let inject = format!("inject=renameat:error={errno}:when=2");
        let output = run(&world, case, &["-e".into(), "trace=renameat".into(), "-e".into(), inject.clone()]);
        assert!(output.status.success(), "{inject}: {output:?}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("rewritten in place") && printed.contains(errno), "{printed}");
        check_after(&world, case, &["f=old".to_owned()], Recorded::Surely, &inject);
        assert_eq!(world.tree(), case.after);
    }
}

#[test]
fn rewrite_in_place_restores_permissions_or_notes_a_failure() {
    if !has_strace() {
        return;
    }
    let rows = [
        ("renameat:error=EBUSY:when=2", 0o640, false),
        // If permissions cannot be set, the file keeps the old ones, and the history must match.
        ("fchmod:error=EPERM", 0o755, true),
    ];
    for (inject, mode, is_reported) in rows {
        let world = World::new();
        world.write("f", "old");
        let mode_of = || std::fs::metadata(world.at("f")).unwrap().permissions().mode() & 0o7777;
        std::fs::set_permissions(world.at("f"), PermissionsExt::from_mode(0o640)).unwrap();
        let workspace = world.open();
        let path = workspace.resolve("f").unwrap();
        let action = Action::Restore { bytes: b"new".into(), expect: Expect::Any, mode: 0o755 };
        common::commit(&workspace, vec![Draft { path, action }]).unwrap();
        let undo = Case { arguments: &[], environment: &[("TOOLPOST_UNDO", "1")], ..CASES[0] };
        let calls = format!("trace={}", inject.split(':').next().unwrap());
        let output = run(&world, &undo, &["-e".into(), calls, "-e".into(), format!("inject={inject}")]);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("rewritten in place"), "{inject}: {output:?}");
        assert_eq!(
            printed.contains("the permissions of f could not be preserved"),
            is_reported,
            "{inject}: {printed}"
        );
        assert_eq!((world.read("f").as_str(), mode_of()), ("old", mode), "{inject}");
        let undone = workspace.history().unwrap().last().unwrap();
        let known = undone.changes[0].after.as_ref().and_then(|after| after.mode);
        assert_eq!((undone.cause.undoes.is_some(), known), (true, Some(mode)), "{inject}");
        drop(workspace);
        assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"], "{inject}");
    }
}

#[test]
fn kill_without_hard_links_leaves_all_old_or_all_new() {
    if !has_strace() {
        return;
    }
    // Without hard links, a commit exchanges the names of the old and the new file.
    for case in [&CASES[0], &CASES[4]] {
        for when in 1.. {
            let world = world(case);
            let before = world.tree();
            let kill = format!("inject=renameat,renameat2,unlinkat:signal=SIGKILL:when={when}");
            let flags = [
                "-e",
                "trace=renameat,renameat2,unlinkat,linkat",
                "-e",
                "inject=linkat:error=EPERM",
                "-e",
                &kill,
            ];
            let output = run(&world, case, &flags.map(str::to_owned));
            check_after(&world, case, &before, Recorded::Surely, &kill);
            if output.status.success() {
                break;
            }
        }
    }
}

#[test]
fn kill_during_a_rewrite_in_place_leaves_all_old_or_all_new() {
    if !has_strace() {
        return;
    }
    // The new content has the same length, is shorter, is empty, is longer.
    let rows: [(&[&str], &[&str]); 4] = [
        (&["f", "new"], &["f=new"]),
        (&["f", "n"], &["f=n"]),
        (&["f", ""], &["f="]),
        (&["f", "much longer"], &["f=much longer"]),
    ];
    each(rows, |(arguments, after)| {
        let case = &Case { arguments, after, ..CASES[0] };
        each(
            ["write,pwrite64", "fsync,fdatasync", "ftruncate", "renameat,unlinkat", "openat,openat2"],
            |group| {
                kill_during_a_rewrite(case, group);
            },
        );
    });
}

fn kill_during_a_rewrite(case: &Case, group: &str) {
    for when in 1.. {
        let world = world(case);
        let before = world.tree();
        // If `fchmod` fails, the file is rewritten in place, because a new file must not appear with wrong
        // permissions.
        let refuse = "inject=linkat:error=EPERM".to_owned();
        let busy = "inject=fchmod:error=EPERM".to_owned();
        let kill = format!("inject={group}:signal=SIGKILL:when={when}");
        let calls = format!("trace={group},linkat,fchmod");
        let flags = ["-e", &calls, "-e", &refuse, "-e", &busy, "-e", &kill];
        let output = run(&world, case, &flags.map(str::to_owned));
        check_after(&world, case, &before, Recorded::Surely, &kill);
        if output.status.success() {
            break;
        }
    }
}

#[test]
fn kill_during_an_undo_leaves_it_complete_or_not_begun() {
    if !has_strace() {
        return;
    }
    let mut kills = 0;
    each([0, 1, 2, 7, 9, 11], |number| {
        let case = &CASES[number];
        for group in ["write,pwrite64", "linkat,unlinkat,rename,renameat,renameat2,mkdirat"] {
            for when in 1.. {
                let world = world(case);
                let before = world.tree();
                assert!(commit(&world, case).status.success());
                let undo = Case { environment: &[("TOOLPOST_UNDO", "1")], ..*case };
                let kill = format!("inject={group}:signal=SIGKILL:when={when}");
                let output =
                    run(&world, &undo, &["-e".into(), format!("trace={group}"), "-e".into(), kill.clone()]);
                kills += usize::from(!output.status.success());
                let (workspace, recovery) = world.open_and_recover();
                let (now, what) = (world.tree(), format!("case {number} {kill}: {output:?}"));
                assert_eq!(recovery.left_unchanged, Vec::<String>::new(), "{what}");
                // The history matches the files.
                let left = workspace.history().unwrap().last_in_force();
                match left {
                    Err(_) => assert_eq!(now, before, "{what}"),
                    Ok(record) => {
                        assert_eq!(now, case.after, "{what}");
                        workspace.history().unwrap().undo(&record, &Cause::default(), WAIT).unwrap();
                        assert_eq!(world.tree(), before, "{what}");
                    }
                }
                if output.status.success() {
                    break;
                }
            }
        }
    });
    assert!(kills > 50, "only {kills} kills");
}

/// Returns the durable operations of a commit in order: `sync` for bytes, `name` for a rename in the root,
/// `names` for the sync of a directory, `written down` for a synced journal.
fn order(case: &Case) -> Vec<&'static str> {
    let world = world(case);
    let log = world.base().join("log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-y", "-e", "trace=fdatasync,fsync,renameat,renameat2", "-o"]).arg(&log);
    command.arg(example()).arg(world.root()).arg(world.state()).args(case.arguments);
    command.envs(case.environment.iter().copied()).output().unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    let root = world.root().to_str().unwrap().to_owned();
    log.lines()
        .filter_map(|line| match line {
            line if line.contains("fdatasync(") && line.contains(".json.new>") => Some("written down"),
            line if !line.contains(&root) => None,
            line if line.contains("fdatasync(") => Some("sync"),
            line if line.contains("fsync(") => Some("names"),
            _ => Some("name"),
        })
        .collect()
}

#[test]
fn file_content_is_synced_before_it_gets_its_name() {
    if !has_strace() {
        return;
    }
    let durable = Case { environment: &[("TOOLPOST_DURABLE", "1")], ..CASES[0] };
    assert_eq!(order(&CASES[0]), ["sync", "name"]);
    assert_eq!(order(&durable), ["sync", "name", "names"]);
    assert_eq!(
        order(&CASES[4]),
        ["written down", "sync", "sync", "written down", "name", "name", "names", "written down"]
    );
}
