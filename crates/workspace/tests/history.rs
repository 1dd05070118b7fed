//! History and undo.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;
use toolpost_test_rows::each;

use common::{WAIT, World, commit, write};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use toolpost_workspace::{
    Action, Cause, ChangeKind, Draft, Expect, FileDiff, HistoryLimits, HistoryRecord, Note, Options,
    Overwrite, UndoError, Workspace, hash,
};

/// Returns a tree with the permissions of its entries.
fn shown(root: &Path) -> Vec<String> {
    common::tree_of(root)
        .into_iter()
        .map(|line| {
            let name = line.split(['=']).next().unwrap().trim_end_matches('/');
            let name = name.split("->").next().unwrap();
            let mode = fs::symlink_metadata(root.join(name)).unwrap().permissions().mode() & 0o7777;
            format!("{line} {mode:o}")
        })
        .collect()
}

fn draft(workspace: &Workspace, name: &str, action: Action) -> Draft {
    Draft { path: workspace.resolve_entry(name).unwrap(), action }
}

fn write_to(workspace: &Workspace, name: &str, content: &str) -> Draft {
    write(&workspace.resolve_entry(name).unwrap(), content, Expect::Any)
}

fn move_to(workspace: &Workspace, name: &str, to: &str) -> Draft {
    let to = workspace.resolve_entry(to).unwrap();
    draft(workspace, name, Action::Move { to, overwrite: Overwrite::Replace })
}

fn undo(workspace: &Workspace, record: &HistoryRecord) -> Result<Vec<Note>, UndoError> {
    let history = workspace.history().unwrap();
    history.undo(record, &Cause::default(), WAIT).map(|undone| undone.committed.notes)
}

fn last(workspace: &Workspace) -> HistoryRecord {
    workspace.history().unwrap().last().unwrap()
}

/// Creates a tree with entries of every type.
fn world() -> World {
    let world = World::new();
    for (name, content) in [
        ("a", "A\n"),
        ("b", "B\n"),
        ("run", "#!\n"),
        ("empty", ""),
        ("d/one", "1\n"),
        ("d/deep/two", "2\n"),
        ("d/deep/run", "#!\n"),
        ("bytes", "\0\u{1}"),
    ] {
        world.write(name, content);
    }
    fs::write(world.at("latin"), b"caf\xe9\r\n").unwrap();
    fs::create_dir_all(world.at("d/hollow")).unwrap();
    fs::create_dir(world.at("hollow")).unwrap();
    symlink("a", world.at("link")).unwrap();
    symlink("../a", world.at("d/link")).unwrap();
    for (name, mode) in [
        ("run", 0o750),
        ("d/deep/run", 0o555),
        ("d/deep", 0o700),
        ("hollow", 0o711),
        ("a", 0o640),
        ("d/hollow", 0o500),
    ] {
        fs::set_permissions(world.at(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    world
}

type Drafts = fn(&Workspace) -> Vec<Draft>;

/// Every kind of change, alone and combined: a name, and a function that returns the drafts.
const CHANGES: &[(&str, Drafts)] = &[
    ("write", |w| vec![write_to(w, "a", "new\n")]),
    ("write bytes", |w| vec![write_to(w, "bytes", "text"), write_to(w, "latin", "text")]),
    ("write an executable", |w| vec![write_to(w, "run", "#!/bin/sh\n")]),
    ("empty a file", |w| vec![write_to(w, "a", "")]),
    ("fill an empty file", |w| vec![write_to(w, "empty", "full")]),
    ("create", |w| vec![write_to(w, "new", "N")]),
    ("create an empty file", |w| vec![write_to(w, "new", "")]),
    ("create deep", |w| vec![write_to(w, "x/y/new", "N"), write_to(w, "x/z", "Z")]),
    ("change permissions", |w| {
        let action = Action::Restore { bytes: b"A\n".into(), expect: Expect::Any, mode: 0o444 };
        vec![draft(w, "a", action)]
    }),
    ("write read-only", |w| {
        vec![draft(w, "new", Action::Restore { bytes: b"N".into(), expect: Expect::Absent, mode: 0o400 })]
    }),
    ("write like another", |w| {
        let like = w.resolve("run").unwrap();
        vec![draft(w, "new", Action::WriteLike { bytes: b"N".into(), expect: Expect::Absent, like })]
    }),
    ("delete", |w| vec![draft(w, "run", Action::Delete { expect: Expect::Any })]),
    ("delete a link", |w| vec![draft(w, "link", Action::Delete { expect: Expect::Any })]),
    ("delete an empty directory", |w| vec![draft(w, "hollow", Action::Delete { expect: Expect::Any })]),
    ("delete an empty directory, if it is", |w| {
        vec![draft(w, "hollow", Action::DeleteEmpty), draft(w, "d", Action::DeleteEmpty)]
    }),
    ("delete a tree", |w| vec![draft(w, "d", Action::DeleteTree)]),
    ("delete an empty tree", |w| vec![draft(w, "hollow", Action::DeleteTree)]),
    ("delete two trees and a file", |w| {
        ["d", "hollow", "b"].map(|name| draft(w, name, Action::DeleteTree)).into()
    }),
    ("make a directory", |w| vec![draft(w, "x/y/z", Action::MakeDirectory)]),
    ("make a directory again", |w| {
        vec![draft(w, "x", Action::RestoreDirectory { mode: 0o500 }), write_to(w, "x/f", "F")]
    }),
    ("make a link", |w| vec![draft(w, "x/to", Action::RestoreLink { target: "nowhere".into() })]),
    ("move", |w| vec![move_to(w, "a", "x/moved")]),
    ("move over", |w| vec![move_to(w, "run", "b")]),
    ("move a link over a file", |w| vec![move_to(w, "link", "b")]),
    ("move a directory", |w| vec![move_to(w, "d", "x/d")]),
    ("move and fill", |w| {
        let bytes = b"again".into();
        vec![
            move_to(w, "a", "x/a"),
            draft(w, "a", Action::Restore { bytes, expect: Expect::Absent, mode: 0o600 }),
        ]
    }),
    ("copy", |w| vec![draft(w, "x/copy", Action::Copy { from: w.resolve("run").unwrap() })]),
    ("copy a link", |w| vec![draft(w, "copy", Action::Copy { from: w.resolve_entry("link").unwrap() })]),
    ("copy a tree", |w| vec![draft(w, "x/copy", Action::Copy { from: w.resolve("d").unwrap() })]),
    ("all at once", |w| {
        vec![
            write_to(w, "a", "new\n"),
            write_to(w, "x/new", "N"),
            draft(w, "run", Action::Delete { expect: Expect::Any }),
            move_to(w, "b", "y/b"),
            draft(w, "d/deep", Action::DeleteTree),
            draft(w, "hollow", Action::DeleteEmpty),
            draft(w, "z", Action::MakeDirectory),
        ]
    }),
    ("a long file", |w| vec![write_to(w, "long", &"0123456789\n".repeat(200_000))]),
];

#[test]
fn every_change_can_be_undone_and_redone() {
    each(CHANGES, |(name, drafts)| {
        let world = world();
        let workspace = world.open();
        let before = shown(&world.root());
        commit(&workspace, drafts(&workspace)).unwrap();
        let after = shown(&world.root());
        assert_ne!(before, after, "{name}");
        let made = last(&workspace);
        for round in 0..2 {
            let record = last(&workspace);
            assert_eq!(undo(&workspace, &record).unwrap(), [], "{name}, round {round}");
            assert_eq!(shown(&world.root()), before, "{name}, undone, round {round}");
            let redo = last(&workspace);
            assert_eq!(redo.cause.undoes.as_deref(), Some(record.id.as_str()), "{name}");
            assert_eq!(undo(&workspace, &redo).unwrap(), [], "{name}, again, round {round}");
            assert_eq!(shown(&world.root()), after, "{name}, made again, round {round}");
        }
        assert_eq!(last(&workspace).lost(), None, "{name}");
        assert_eq!(workspace.history().unwrap().last_in_force().unwrap(), made, "{name}");
    });
}

#[test]
fn long_files_are_restored_from_shared_pieces() {
    let world = World::new();
    let text = |seed: u64| -> String {
        (0..150_000_u64).map(|line| format!("{}\n", (line * line) ^ seed)).collect()
    };
    let old = text(1);
    world.write("f", &old);
    let workspace = world.open();
    let mut contents = vec![old.clone()];
    for round in 0..20 {
        let new = contents.last().unwrap().replacen("\n4", &format!("\nx{round}"), 1);
        commit(&workspace, vec![write_to(&workspace, "f", &new)]).unwrap();
        contents.push(new);
    }
    let kept: u64 = fs::read_dir(world.state().join("history/objects"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    let whole = old.len() as u64;
    assert!(whole > 1_000_000 && kept < 8 * whole, "{kept} bytes kept of 21 contents of {whole}");
    for wanted in contents.iter().rev().skip(1) {
        let record = workspace.history().unwrap().last_in_force().unwrap();
        undo(&workspace, &record).unwrap();
        assert_eq!(hash(&fs::read(world.at("f")).unwrap()), hash(wanted.as_bytes()));
    }
}

type LaterChange = fn(&World);

/// A name, the drafts of a change, a later change by another process, and the expected obstacles of an undo.
const SINCE: &[(&str, Drafts, LaterChange, &[&str])] = &[
    ("content", |w| vec![write_to(w, "a", "new")], |w| w.write("a", "mine"), &["a has other content now"]),
    ("gone", |w| vec![write_to(w, "a", "new")], |w| fs::remove_file(w.at("a")).unwrap(), &["a is gone"]),
    (
        "another thing",
        |w| vec![write_to(w, "a", "new")],
        |w| {
            fs::remove_file(w.at("a")).unwrap();
            fs::create_dir(w.at("a")).unwrap();
        },
        &["a is a directory now"],
    ),
    (
        "read-only",
        |w| vec![write_to(w, "a", "new")],
        |w| fs::set_permissions(w.at("a"), PermissionsExt::from_mode(0o444)).unwrap(),
        &["a has become read-only since"],
    ),
    (
        "created",
        |w| vec![write_to(w, "new", "new")],
        |w| w.write("new", "mine"),
        &["new has other content now"],
    ),
    (
        "there again",
        |w| vec![draft(w, "a", Action::Delete { expect: Expect::Any })],
        |w| w.write("a", "mine"),
        &["a exists again, as a file"],
    ),
    (
        "tree there again",
        |w| vec![draft(w, "d", Action::DeleteTree)],
        |w| w.write("d/mine", "mine"),
        &["d exists again, as a directory"],
    ),
    ("moved", |w| vec![move_to(w, "a", "z")], |w| w.write("z", "mine"), &["z has other content now"]),
    (
        "moved, taken",
        |w| vec![move_to(w, "a", "z")],
        |w| w.write("a", "mine"),
        &["a exists again, as a file"],
    ),
    (
        "copied tree",
        |w| vec![draft(w, "c", Action::Copy { from: w.resolve("d").unwrap() })],
        |w| w.write("c/one", "mine"),
        &["c has other entries now"],
    ),
    (
        "one of many",
        |w| vec![write_to(w, "a", "new"), write_to(w, "b", "new"), write_to(w, "n", "new")],
        |w| {
            w.write("a", "mine");
            w.write("n", "mine");
        },
        &["n has other content now", "a has other content now"],
    ),
];

#[test]
fn undo_is_refused_if_a_file_changed_since() {
    each(SINCE, |(name, drafts, then, wanted)| {
        let world = world();
        let workspace = world.open();
        commit(&workspace, drafts(&workspace)).unwrap();
        then(&world);
        let before = shown(&world.root());
        let record = last(&workspace);
        let error = undo(&workspace, &record).unwrap_err();
        let UndoError::Changed { obstacles, later, .. } = &error else { panic!("{name}: {error}") };
        let reasons: Vec<String> = obstacles.iter().map(|it| format!("{} {}", it.path, it.why)).collect();
        assert_eq!(
            (reasons.iter().map(String::as_str).collect::<Vec<_>>(), later.len()),
            (wanted.to_vec(), 0),
            "{name}"
        );
        assert_eq!(shown(&world.root()), before, "{name}");
        assert_eq!(last(&workspace), record, "{name}: a refusal is no change");
    });
}

/// A refusal names later changes only if undoing them is possible.
#[test]
fn later_change_listed_by_a_refusal_can_be_undone() {
    let (mut named, mut unnamed) = (0, 0);
    each(SINCE, |(name, drafts, then, _)| {
        for changed_since in [false, true] {
            let world = world();
            let workspace = world.open();
            commit(&workspace, vec![write_to(&workspace, "a", "first")]).unwrap();
            let first = last(&workspace);
            commit(&workspace, drafts(&workspace)).unwrap();
            if changed_since {
                then(&world);
            }
            let Err(UndoError::Changed { later, .. }) = undo(&workspace, &first) else { continue };
            let Some(newest) = later.first() else {
                unnamed += 1;
                continue;
            };
            let newest = workspace.history().unwrap().find(newest).unwrap();
            undo(&workspace, &newest).unwrap_or_else(|error| panic!("{name}: {error}"));
            named += 1;
        }
    });
    assert!(named > 4 && unnamed > 4, "{named}, {unnamed}");
}

#[test]
fn undo_refusal_lists_later_changes() {
    let world = world();
    let workspace = world.open();
    for content in ["1", "2", "3"] {
        commit(&workspace, vec![write_to(&workspace, "a", content)]).unwrap();
    }
    let history = workspace.history().unwrap();
    let ids: Vec<String> = history.records().map(|record| record.id).collect();
    let first = history.find(&ids[2]).unwrap();
    let error = undo(&workspace, &first).unwrap_err();
    let wanted = format!(
        "the change {} was not undone, because a has other content now. First undo these later changes to the same files: {}, {}",
        ids[2], ids[0], ids[1]
    );
    assert_eq!(error.to_string(), wanted);
    for wanted in ["2", "1", "A\n"] {
        let record = history.last_in_force().unwrap();
        undo(&workspace, &record).unwrap();
        assert_eq!(world.read("a"), wanted);
    }
    assert_eq!(
        history.last_in_force().unwrap_err().to_string(),
        "the history of this workspace is empty, or all its changes are undone"
    );
    let again = undo(&workspace, &first).unwrap_err();
    assert!(matches!(&again, UndoError::Already { id, .. } if *id == ids[2]), "{again}");
}

#[test]
fn undo_keeps_permissions_that_the_change_did_not_set() {
    let world = world();
    let workspace = world.open();
    commit(&workspace, vec![write_to(&workspace, "a", "new")]).unwrap();
    fs::set_permissions(world.at("a"), PermissionsExt::from_mode(0o755)).unwrap();
    undo(&workspace, &last(&workspace)).unwrap();
    assert_eq!(
        (world.read("a").as_str(), fs::metadata(world.at("a")).unwrap().permissions().mode() & 0o777),
        ("A\n", 0o755)
    );
}

#[test]
fn undo_leaves_unrelated_files_unchanged() {
    let world = world();
    let workspace = world.open();
    commit(&workspace, vec![write_to(&workspace, "x/new", "N"), write_to(&workspace, "a", "new")]).unwrap();
    world.write("x/mine", "mine");
    world.write("other/mine", "mine");
    undo(&workspace, &last(&workspace)).unwrap();
    let kept = ["x/", "x/mine=mine", "other/", "other/mine=mine", "a=A\n"];
    let tree = world.tree();
    assert!(kept.iter().all(|line| tree.contains(&(*line).to_owned())), "{tree:?}");
    assert!(!world.at("x/new").exists());
}

#[test]
fn history_record_lists_changes_and_their_cause() {
    let world = world();
    let workspace = world.open();
    let cause = Cause { call: "c0ffee-1".into(), tool: "Edit".into(), session: "s1".into(), undoes: None };
    let drafts = vec![
        write_to(&workspace, "a", "new\n"),
        write_to(&workspace, "x/new", "N\n"),
        move_to(&workspace, "b", "moved"),
        draft(&workspace, "d/deep", Action::DeleteTree),
        draft(&workspace, "link", Action::Delete { expect: Expect::Any }),
    ];
    let mut paths: Vec<_> = drafts.iter().map(|draft| draft.path.clone()).collect();
    paths.push(workspace.resolve("moved").unwrap());
    workspace.hold(&paths, WAIT).unwrap().commit(drafts, &cause).unwrap();
    let record = last(&workspace);
    assert_eq!(record.cause, cause);
    let recorded: Vec<_> = record
        .changes
        .iter()
        .map(|change| {
            let content = |content: &Option<toolpost_workspace::Content>| {
                content.as_ref().map(|content| (content.bytes, content.mode.unwrap_or(0)))
            };
            let (path, to) = (change.path(&workspace), change.to(&workspace));
            (change.what, path, to, content(&change.before), content(&change.after))
        })
        .collect();
    let of = |name: &str| name.to_owned();
    let wanted = [
        (ChangeKind::MadeDirectory, of("x"), None, None, Some((0, 0))),
        (ChangeKind::Written, of("a"), None, Some((2, 0o640)), Some((4, 0o640))),
        (ChangeKind::Created, of("x/new"), None, None, Some((2, 0o644))),
        (ChangeKind::Moved, of("b"), Some(of("moved")), None, Some((2, 0o644))),
        (ChangeKind::DeletedTree, of("d/deep"), None, Some((5, 0o700)), None),
        (ChangeKind::Deleted, of("link"), None, Some((0, 0o777)), None),
    ];
    assert_eq!(recorded, wanted);
    assert_eq!(record.changes[1].before.as_ref().unwrap().hash, Some(hash(b"A\n")));
    assert_eq!(record.changes[1].after.as_ref().unwrap().hash, Some(hash(b"new\n")));
    let history = workspace.history().unwrap();
    assert_eq!(history.find("c0ffee-1").unwrap(), record);
    assert_eq!(history.find(&record.id[..6]).unwrap(), record);
    assert!(history.find("").is_err() && history.find("zz").is_err());
    let all = history.diff(&record);
    each([0, 1, 5, all.len(), 100], |most| {
        let shown = most.min(all.len());
        assert_eq!(history.diff_first(&record, most), (all[..shown].to_vec(), all.len() - shown), "{most}");
    });
    let text: String = all.iter().map(FileDiff::unified).collect();
    let diff = "# x: directory created\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-A\n+new\n--- /dev/null\n+++ b/x/new\n@@ -0,0 +1 @@\n+N\n\
        # b -> moved: moved, content unchanged\n\
        --- a/d/deep/run\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!\n--- a/d/deep/two\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n\
        # link: symbolic link removed\n";
    assert_eq!(text, diff);
}

#[test]
fn history_lists_only_changes_below_the_open_roots() {
    let world = World::new();
    let (one, two) = (world.at("one"), world.at("two"));
    for root in [&one, &two] {
        fs::create_dir(root).unwrap();
    }
    let open = |roots: &[&Path]| {
        let roots = roots.iter().map(|root| root.to_path_buf()).collect();
        Workspace::open(Options { roots, ..world.options() }).unwrap().0
    };
    let ids = |workspace: &Workspace| -> Vec<String> {
        workspace.history().unwrap().records().map(|record| record.id).collect()
    };
    let (first, second, both) = (open(&[&one]), open(&[&two]), open(&[&one, &two]));
    commit(&first, vec![write_to(&first, "f", "1")]).unwrap();
    let of_one = ids(&first);
    commit(&second, vec![write_to(&second, "f", "2")]).unwrap();
    let of_two = ids(&second);
    let in_two = two.join("g").display().to_string();
    commit(&both, vec![write_to(&both, "g", "1"), write_to(&both, &in_two, "2")]).unwrap();
    let shared = vec![ids(&both)[0].clone()];
    let all = [shared.clone(), of_two.clone(), of_one.clone()].concat();
    assert_eq!((of_one.len(), of_two.len(), ids(&both)), (1, 1, all.clone()));
    assert_eq!(
        (ids(&first), ids(&second)),
        ([shared.clone(), of_one].concat(), [shared.clone(), of_two].concat())
    );
    // A workspace lists all changes below its root, also those that were made through a root above or inside it.
    assert_eq!(ids(&world.open()), all);
    fs::create_dir(one.join("sub")).unwrap();
    assert_eq!(ids(&open(&[&one.join("sub")])), Vec::<String>::new());
    commit(&first, vec![write_to(&first, "sub/f", "1")]).unwrap();
    assert_eq!(ids(&open(&[&one.join("sub")])), ids(&first)[..1]);
    // A change of both roots can be undone only if both are open.
    let record = first.history().unwrap().find(&shared[0]).unwrap();
    let error = undo(&first, &record).unwrap_err();
    assert!(matches!(&error, UndoError::Outside { place, .. } if *place == in_two), "{error}");
    undo(&both, &record).unwrap();
    assert!(!one.join("g").exists() && !two.join("g").exists());
}

#[test]
fn history_files_are_private_and_outside_the_root() {
    let world = world();
    let workspace = world.open();
    commit(&workspace, CHANGES.last().unwrap().1(&workspace)).unwrap();
    commit(&workspace, vec![draft(&workspace, "d", Action::DeleteTree)]).unwrap();
    fn check(place: &Path) {
        let mode = fs::metadata(place).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, if place.is_dir() { 0o700 } else { 0o600 }, "{}", place.display());
        if place.is_dir() {
            fs::read_dir(place).unwrap().for_each(|entry| check(&entry.unwrap().path()));
        }
    }
    check(&world.state().join("history"));
    let own = ["a", "b", "bytes", "empty", "hollow/", "latin", "link", "long", "run"];
    let names: Vec<String> =
        world.tree().iter().map(|line| line.split(['=', '-']).next().unwrap().to_owned()).collect();
    assert_eq!(names, own);
}

#[test]
fn content_beyond_the_history_limit_is_changed_with_a_note() {
    let world = World::new();
    let file = fs::File::create(world.at("big")).unwrap();
    file.set_len(65 * 1024 * 1024).unwrap();
    let workspace = world.open();
    let committed = commit(&workspace, vec![write_to(&workspace, "big", "small")]).unwrap();
    let why = "this change cannot be undone: big has 68157440 bytes, more than the history stores per file (67108864 bytes), \
               so its former content was not stored";
    assert_eq!(committed.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), [why]);
    let record = last(&workspace);
    let error = undo(&workspace, &record).unwrap_err().to_string();
    let wanted = format!(
        "the change {} cannot be undone: the former content of big is not available (it has 68157440 bytes, more than the history stores per file (67108864 bytes))",
        record.id
    );
    assert_eq!((error, world.read("big").as_str()), (wanted, "small"));
    let names: usize = 10_001;
    for name in 0..names {
        world.write(&format!("many/{name}"), "");
    }
    // The list of a copied directory that is not stored prevents the undo, too.
    let from = workspace.resolve("many").unwrap();
    commit(&workspace, vec![draft(&workspace, "copy", Action::Copy { from })]).unwrap();
    let why = "contains more than 10000 entries, the limit of the history for one directory";
    let record = last(&workspace);
    let error = undo(&workspace, &record).unwrap_err();
    assert!(matches!(error, UndoError::Changed { .. }) && error.to_string().contains(why), "{error}");
    assert_eq!(record.lost(), Some(why));
    let committed = commit(&workspace, vec![draft(&workspace, "many", Action::DeleteTree)]).unwrap();
    assert!(matches!(&committed.notes[..], [Note::NoWayBack { .. }]), "{:?}", committed.notes);
    assert!(matches!(undo(&workspace, &last(&workspace)).unwrap_err(), UndoError::NotKept { .. }));
    assert_eq!(last(&workspace).lost(), Some(why));
    fs::create_dir(world.at("deep")).unwrap();
    fs::File::create(world.at("deep/big")).unwrap().set_len(65 * 1024 * 1024).unwrap();
    let committed = commit(&workspace, vec![draft(&workspace, "deep", Action::DeleteTree)]).unwrap();
    let why = "this change cannot be undone: deep contains big, which has 68157440 bytes, more than the history stores per \
               file (67108864 bytes), so its former content was not stored";
    assert_eq!(committed.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), [why]);
}

fn with_limits(world: &World, bytes: u64, age: Duration) -> Workspace {
    let history = HistoryLimits { bytes, age };
    Workspace::open(Options { history, ..world.options() }).unwrap().0
}

fn bytes_below(directory: &Path) -> u64 {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() { bytes_below(&entry.path()) } else { metadata.len() }
        })
        .sum()
}

#[test]
fn history_stays_within_its_size_and_drops_the_oldest_records() {
    let world = World::new();
    let limit = 4 * 1024 * 1024;
    let workspace = with_limits(&world, limit, HistoryLimits::default().age);
    let mut ids = Vec::new();
    for round in 0..300 {
        let content: String = (0..2_000).map(|line| format!("{round} {line}\n")).collect();
        let committed = commit(&workspace, vec![write_to(&workspace, "f", &content)]).unwrap();
        assert_eq!(committed.notes, []);
        ids.push(last(&workspace).id);
        let used = bytes_below(&world.state().join("history"));
        assert!(used <= limit, "{used} bytes after {round} changes");
    }
    let history = workspace.history().unwrap();
    let kept: Vec<String> = history.records().map(|record| record.id).collect();
    let newest: Vec<String> = ids.iter().rev().take(kept.len()).cloned().collect();
    assert!(kept.len() > 100 && kept.len() < 300, "{} kept", kept.len());
    assert_eq!(kept, newest);
    for _ in 0..kept.len() {
        undo(&workspace, &history.last_in_force().unwrap()).unwrap();
        if history.last_in_force().is_err() {
            break;
        }
    }
}

#[test]
fn expired_records_are_removed_by_the_next_sweep() {
    let world = World::new();
    let workspace = with_limits(&world, 1024 * 1024, Duration::from_secs(60 * 60));
    commit(&workspace, vec![write_to(&workspace, "f", "old")]).unwrap();
    let old = last(&workspace);
    // The time of a change is part of the name of its record. The time in the sealed record cannot be changed.
    let folder = fs::read_dir(world.state().join("history/records")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let record = files.into_iter().find(|file| file != "root").unwrap();
    let (time, id) = record.split_once('-').unwrap();
    let older = time.parse::<u64>().unwrap() - 2 * 60 * 60 * 1_000_000;
    fs::rename(folder.join(&record), folder.join(format!("{older:016}-{id}"))).unwrap();
    // A sweep starts when an eighth of the size limit has been added to the history.
    for round in 0..40 {
        commit(&workspace, vec![write_to(&workspace, "f", &round.to_string())]).unwrap();
    }
    let history = workspace.history().unwrap();
    let error = history.find(&old.id).unwrap_err().to_string();
    assert!(error.starts_with("no change in the history of this workspace"), "{error}");
    assert!(history.records().count() > 1);
}

#[test]
fn commit_succeeds_without_history_storage() {
    let world = world();
    let workspace = with_limits(&world, 0, Duration::from_secs(1));
    let committed = commit(&workspace, vec![write_to(&workspace, "a", "new")]).unwrap();
    assert_eq!((committed.notes, workspace.history().is_none()), (vec![], true));
    assert!(!world.state().join("history").exists());
    drop(workspace);
    // With a file at the path of the history directory, the history cannot be written.
    fs::write(world.state().join("history"), "").unwrap();
    let workspace = world.open();
    let committed = commit(&workspace, vec![write_to(&workspace, "a", "newer")]).unwrap();
    let notes: Vec<String> = committed.notes.iter().map(ToString::to_string).collect();
    let wanted = "this change cannot be undone: the history could not be written (ENOTDIR: Not a directory)"
        .to_owned();
    assert_eq!((notes, world.read("a").as_str()), (vec![wanted], "newer"));
}

#[test]
fn concurrent_processes_lose_no_history_record() {
    let world = World::new();
    for name in 0..4 {
        world.write(&format!("f{name}"), "begin");
    }
    let start = |name: usize, bytes: &str| {
        let mut command = Command::new(common::example());
        command.arg(world.root()).arg(world.state()).args([&format!("f{name}"), "the same line*900"]);
        command.env("TOOLPOST_TIMES", "60").env("TOOLPOST_HISTORY", bytes).spawn().unwrap()
    };
    let ended = |mut child: Child| assert!(child.wait().unwrap().success());
    (0..4).map(|name| start(name, "536870912")).collect::<Vec<_>>().into_iter().for_each(ended);
    let workspace = world.open();
    let history = workspace.history().unwrap();
    assert_eq!(history.records().count(), 4 * 60);
    for _ in 0..4 * 60 {
        undo(&workspace, &history.last_in_force().unwrap()).unwrap();
    }
    assert_eq!(world.tree(), ["f0=begin", "f1=begin", "f2=begin", "f3=begin"]);
    // Despite constant sweeps, the remaining history is complete.
    (0..4).map(|name| start(name, "400000")).collect::<Vec<_>>().into_iter().for_each(ended);
    let left: Vec<HistoryRecord> = history.records().collect();
    assert!(left.len() > 3 && left.len() < 4 * 60, "{} left", left.len());
    for record in left {
        let text: String = history.diff(&record).iter().map(FileDiff::unified).collect();
        assert!(!text.contains("cannot be shown"), "{text}");
    }
}

#[test]
fn a_list_of_entries_that_does_not_parse_is_reported() {
    let world = world();
    let workspace = world.open();
    commit(&workspace, vec![write_to(&workspace, "a", "new")]).unwrap();
    commit(&workspace, vec![draft(&workspace, "d", Action::DeleteTree)]).unwrap();
    let mut record = last(&workspace);
    // The hash leads to a stored content that is not a list.
    record.changes[0].before.as_mut().unwrap().hash = Some(hash(b"A\n"));
    let diff = workspace.history().unwrap().diff(&record);
    let shown: Vec<String> = diff.iter().map(FileDiff::unified).collect();
    let why = "the stored list of its entries is damaged (EIO: Input/output error)";
    assert_eq!(shown, [format!("# d: the directory cannot be listed: {why}\n")]);
    let error = undo(&workspace, &record).unwrap_err().to_string();
    assert!(error.ends_with(&format!("the former content of d is not available ({why})")), "{error}");
}

#[test]
fn damaged_history_contents_are_not_restored() {
    let world = world();
    let workspace = world.open();
    commit(&workspace, vec![write_to(&workspace, "a", "new")]).unwrap();
    let object = world.state().join("history/objects").join(hash(b"A\n").to_hex());
    type Damage = fn(&Path);
    let rows: [(Damage, &str); 3] = [
        (|object| fs::write(object, "B\n").unwrap(), "the copy in the history is damaged"),
        (|object| fs::remove_file(object).unwrap(), "the history no longer has a copy of it"),
        (
            |object| fs::create_dir(object).unwrap(),
            "the copy in the history cannot be read (EISDIR: Is a directory)",
        ),
    ];
    for (damage, wanted) in rows {
        damage(&object);
        let record = last(&workspace);
        let error = undo(&workspace, &record).unwrap_err().to_string();
        let id = &record.id;
        let message =
            format!("the change {id} cannot be undone: the former content of a is not available ({wanted})");
        assert_eq!((error, world.read("a").as_str()), (message, "new"));
    }
    fs::remove_dir(&object).unwrap();
    // A stored content that is incomplete is replaced when the same content is stored again.
    fs::write(&object, "A").unwrap();
    world.write("other", "A\n");
    commit(&workspace, vec![write_to(&workspace, "other", "x")]).unwrap();
    assert_eq!(fs::read(&object).unwrap(), b"A\n");
}

/// Collects the JSON pointers of all values that are neither lists nor objects.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{pointer}/{name}"), found));
        }
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(number, value)| leaves(value, &format!("{pointer}/{number}"), found));
        }
        _ => found.push(pointer.to_owned()),
    }
}

/// Returns changed copies of a record: with another value in one field, without one field, with one byte changed,
/// and truncated.
fn tampered(record: &str, target: &Path) -> Vec<Vec<u8>> {
    let value: Value = serde_json::from_str(record).unwrap();
    let mut pointers = Vec::new();
    leaves(&value, "", &mut pointers);
    assert!(pointers.len() > 15, "{record}");
    let mut all = Vec::new();
    for pointer in &pointers {
        let other = match value.pointer(pointer).unwrap() {
            Value::String(text) if text.starts_with('/') => vec![json!(target)],
            Value::String(text) => {
                vec![json!(format!("{text}0")), json!("created"), json!("../x"), json!(hash(b"A").to_hex())]
            }
            Value::Number(number) => vec![json!(number.as_u64().unwrap() ^ 1), json!(0)],
            Value::Bool(is_set) => vec![json!(!is_set)],
            _ => vec![json!(target), json!(1), json!(["x"])],
        };
        for other in other {
            let mut changed = value.clone();
            *changed.pointer_mut(pointer).unwrap() = other;
            all.push(changed.to_string().into_bytes());
        }
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let mut without = value.clone();
        if let Some(fields) = without.pointer_mut(parent).unwrap().as_object_mut() {
            fields.remove(name);
            all.push(without.to_string().into_bytes());
        }
    }
    let bytes = record.as_bytes();
    for position in 0..bytes.len() {
        let mut flipped = bytes.to_vec();
        flipped[position] ^= 1 << (position % 8);
        all.push(flipped);
    }
    all.extend([0, 1, 73, bytes.len() / 2, bytes.len() - 1].map(|length| bytes[..length].to_vec()));
    all.push([bytes, b"\n"].concat());
    all
}

#[test]
fn undo_refuses_a_tampered_record() {
    let kinds = ["write", "create deep", "delete a tree", "move over", "copy a tree", "all at once"];
    let mut tried = 0;
    each(CHANGES.iter().filter(|(kind, _)| kinds.contains(kind)), |(kind, drafts)| {
        let world = world();
        world.write(".git/config", "[core]\n");
        let workspace = world.open();
        commit(&workspace, drafts(&workspace)).unwrap();
        let folder = fs::read_dir(world.state().join("history/records")).unwrap().next().unwrap();
        let folder = folder.unwrap().path();
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let file = files.into_iter().find(|file| !file.ends_with("root")).unwrap();
        let good = fs::read_to_string(&file).unwrap();
        let before = shown(&world.root());
        // A changed record may belong to no root of this workspace. Then `records` does not return it, and there is
        // nothing to refuse.
        let mut refused = |what: &str| {
            let history = workspace.history().unwrap();
            for record in history.records().chain(history.last_in_force()) {
                let error = undo(&workspace, &record).unwrap_err();
                assert!(matches!(error, UndoError::NotSealed { .. }), "{kind}: {error}: {what}");
                tried += 1;
            }
        };
        for bad in tampered(&good, &world.at(".git/config")) {
            if bad == good.as_bytes() {
                continue;
            }
            fs::write(&file, &bad).unwrap();
            refused(&String::from_utf8_lossy(&bad));
        }
        // A record without a seal, and one with a newer time in its file name.
        let bare = format!("{{{}", &good[75..]);
        serde_json::from_str::<Value>(&bare).unwrap();
        fs::write(&file, bare).unwrap();
        refused("no seal");
        fs::write(&file, &good).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let newer = folder.join(format!("9{}", &name[1..]));
        fs::rename(&file, &newer).unwrap();
        refused("another name");
        fs::rename(&newer, &file).unwrap();
        // A huge record is not read.
        fs::File::create(&file).unwrap().set_len(8 << 30).unwrap();
        refused("8 GiB");
        assert_eq!(shown(&world.root()), before, "{kind}");
        fs::write(&file, &good).unwrap();
        let other = World::new();
        let key = fs::read(world.state().join("seal.key")).unwrap();
        fs::copy(other.state().join("seal.key"), world.state().join("seal.key")).unwrap();
        let record = world.open().history().unwrap().last().unwrap();
        assert!(matches!(undo(&world.open(), &record).unwrap_err(), UndoError::NotSealed { .. }), "{kind}");
        fs::write(world.state().join("seal.key"), key).unwrap();
        let record = last(&world.open());
        undo(&world.open(), &record).unwrap();
    });
    assert!(tried > 5_000, "{tried} tried");
}

#[test]
fn damaged_seal_key_is_reported_with_its_path() {
    let world = World::new();
    drop(world.open());
    let key = world.state().join("seal.key");
    each([0, 31, 33, 8 << 30], |bytes| {
        fs::File::create(&key).unwrap().set_len(bytes).unwrap();
        let error = Workspace::open(world.options()).unwrap_err();
        let wanted = format!(
            "the key file {} is damaged: restore it, or delete it (changes recorded so far can then no longer be undone)",
            key.display()
        );
        assert_eq!(error.to_string(), wanted);
    });
}

#[test]
fn history_contents_longer_than_recorded_are_not_read() {
    let world = World::new();
    let long: String = (0..60_000).map(|number| format!("{number}\n")).collect();
    world.write("long", &long);
    world.write("short", "S");
    world.write("d/f", "F");
    let workspace = world.open();
    let objects = world.state().join("history/objects");
    for (name, action) in [
        ("long", Action::Write { bytes: b"new".into(), expect: Expect::Any }),
        ("short", Action::Write { bytes: b"new".into(), expect: Expect::Any }),
        ("d", Action::DeleteTree),
    ] {
        commit(&workspace, vec![draft(&workspace, name, action)]).unwrap();
        let record = last(&workspace);
        let after = world.tree();
        let mut refused = 0;
        for object in fs::read_dir(&objects).unwrap().map(|object| object.unwrap().path()) {
            let kept = fs::read(&object).unwrap();
            fs::File::create(&object).unwrap().set_len(8 << 30).unwrap();
            if let Err(error) = undo(&workspace, &record) {
                assert!(matches!(error, UndoError::NotKept { .. }), "{error}");
                assert_eq!(world.tree(), after);
                refused += 1;
            } else {
                // The undo succeeded, because it did not need the damaged content.
                let redo = last(&workspace);
                undo(&workspace, &redo).unwrap();
                assert_eq!(world.tree(), after);
            }
            fs::write(&object, kept).unwrap();
        }
        assert!(refused >= if name == "long" { 3 } else { 1 }, "{name}: {refused}");
        undo(&workspace, &last(&workspace)).unwrap();
    }
}

/// A random change, which may be impossible.
#[derive(Debug, Clone)]
enum RandomChange {
    Write(usize, Vec<u8>),
    Restore(usize, Vec<u8>, u32),
    Delete(usize),
    DeleteTree(usize),
    DeleteEmpty(usize),
    MakeDirectory(usize),
    Link(usize),
    Copy(usize, usize),
    Move(usize, usize),
}

const NAMES: &[&str] = &["a", "b", "d", "d/x", "d/y", "d/e", "d/e/z", "f/g", "f"];

fn wish() -> impl Strategy<Value = RandomChange> {
    let name = || 0..NAMES.len();
    let bytes = || prop::collection::vec(prop::sample::select(b"ab\n\0".to_vec()), 0..6);
    prop_oneof![
        4 => (name(), bytes()).prop_map(|(name, bytes)| RandomChange::Write(name, bytes)),
        1 => (name(), bytes(), prop::sample::select(vec![0o600, 0o444, 0o755]))
            .prop_map(|(name, bytes, mode)| RandomChange::Restore(name, bytes, mode)),
        2 => name().prop_map(RandomChange::Delete),
        1 => name().prop_map(RandomChange::DeleteTree),
        1 => name().prop_map(RandomChange::DeleteEmpty),
        2 => name().prop_map(RandomChange::MakeDirectory),
        1 => name().prop_map(RandomChange::Link),
        1 => (name(), name()).prop_map(|(from, to)| RandomChange::Copy(from, to)),
        3 => (name(), name()).prop_map(|(from, to)| RandomChange::Move(from, to)),
    ]
}

fn granted(workspace: &Workspace, wish: RandomChange) -> Option<Draft> {
    let at = |name: usize| workspace.resolve_entry(NAMES[name]).ok();
    let (path, action) = match wish {
        RandomChange::Write(name, bytes) => (name, Action::Write { bytes, expect: Expect::Any }),
        RandomChange::Restore(name, bytes, mode) => {
            (name, Action::Restore { bytes, expect: Expect::Any, mode })
        }
        RandomChange::Delete(name) => (name, Action::Delete { expect: Expect::Any }),
        RandomChange::DeleteTree(name) => (name, Action::DeleteTree),
        RandomChange::DeleteEmpty(name) => (name, Action::DeleteEmpty),
        RandomChange::MakeDirectory(name) => (name, Action::MakeDirectory),
        RandomChange::Link(name) => (name, Action::RestoreLink { target: "a".into() }),
        RandomChange::Copy(from, to) => (to, Action::Copy { from: at(from)? }),
        RandomChange::Move(from, to) => (from, Action::Move { to: at(to)?, overwrite: Overwrite::Replace }),
    };
    Some(Draft { path: at(path)?, action })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/history.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_commit_can_be_undone_and_redone(commits in prop::collection::vec(prop::collection::vec(wish(), 1..5), 1..12)) {
        let world = World::new();
        world.write("a", "A");
        world.write("d/x", "X");
        let workspace = world.open();
        let begin = shown(&world.root());
        let mut made = 0;
        for wishes in commits {
            let before = shown(&world.root());
            let drafts: Vec<Draft> = wishes.into_iter().filter_map(|wish| granted(&workspace, wish)).collect();
            let known = workspace.history().unwrap().records().count();
            let committed = commit(&workspace, drafts);
            let after = shown(&world.root());
            let record = workspace.history().unwrap().records().count() - known;
            if committed.is_err() {
                prop_assert_eq!((&before, record), (&after, 0));
                continue;
            }
            prop_assert!(before == after || record == 1);
            if record == 0 {
                continue;
            }
            made += 1;
            undo(&workspace, &last(&workspace)).unwrap();
            prop_assert_eq!(&before, &shown(&world.root()));
            undo(&workspace, &last(&workspace)).unwrap();
            prop_assert_eq!(&after, &shown(&world.root()));
        }
        // Undo everything.
        for _ in 0..made {
            let record = workspace.history().unwrap().last_in_force().unwrap();
            undo(&workspace, &record).unwrap();
        }
        prop_assert!(workspace.history().unwrap().last_in_force().is_err());
        prop_assert_eq!(&begin, &shown(&world.root()));
    }
}
