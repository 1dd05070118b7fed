//! Effects, guarantees and refusals of commits.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use toolpost_test_rows::{each, skip};

use common::{World, commit, is_root_user, tree_of, write};
use toolpost_workspace::{
    Action, ChangeReport, CommitKind, Draft, Expect, Note, Options, Outcome, Overwrite, Workspace,
    WorkspacePath, hash,
};

fn draft(path: &WorkspacePath, action: Action) -> Draft {
    Draft { path: path.clone(), action }
}

fn mode_of(world: &World, name: &str) -> u32 {
    fs::symlink_metadata(world.at(name)).unwrap().mode() & 0o7777
}

fn set_mode(world: &World, name: &str, mode: u32) {
    fs::set_permissions(world.at(name), PermissionsExt::from_mode(mode)).unwrap();
}

/// Commits one action at the path `said`, and compares the outcome and the tree, or the error, with `wanted`. The
/// tree has the files `a=A`, `b=B` and `d/x=X` (`name=content`), the empty directory `e/`, and the link `l->a`.
fn check(
    said: &str,
    action: impl FnOnce(&Workspace) -> Action,
    wanted: Result<(Outcome, &[&str]), CommitKind>,
) {
    let world = World::new();
    for (name, content) in [("a", "A"), ("b", "B"), ("d/x", "X")] {
        world.write(name, content);
    }
    fs::create_dir(world.at("e")).unwrap();
    symlink("a", world.at("l")).unwrap();
    let workspace = world.open();
    let path = workspace.resolve_entry(said).unwrap();
    let before = world.tree();
    let found = commit(&workspace, vec![draft(&path, action(&workspace))]);
    match wanted {
        Ok((outcome, tree)) => {
            let committed = found.unwrap_or_else(|error| panic!("{said}: {error}"));
            assert_eq!((&committed.changes[0].outcome, committed.changes.len()), (&outcome, 1), "{said}");
            assert_eq!(
                (world.tree().as_slice(), committed.notes.as_slice()),
                (&tree.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()[..], &[][..]),
                "{said}"
            );
        }
        Err(why) => {
            let error = found.unwrap_err();
            assert_eq!((error.why, error.aftermath), (why, vec![]), "{said}");
            assert_eq!(world.tree(), before, "{said}");
        }
    }
    drop(workspace);
    assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"]);
}

#[test]
fn write_creates_or_replaces_and_checks_expectations() {
    let put = |text: &str, expect| {
        let bytes = text.as_bytes().to_vec();
        move |_: &Workspace| Action::Write { bytes, expect }
    };
    let (a, other) = (hash(b"A"), hash(b"other"));
    let rest = ["b=B", "d/", "d/x=X", "e/", "l->a"];
    let with = |lines: &[&'static str]| {
        let mut all: Vec<&str> = rest.iter().chain(lines).copied().collect();
        all.sort_unstable();
        all
    };
    check("a", put("new", Expect::Hash(a)), Ok((Outcome::Replaced, &with(&["a=new"]))));
    check("a", put("new", Expect::Any), Ok((Outcome::Replaced, &with(&["a=new"]))));
    check("a", put("", Expect::Any), Ok((Outcome::Replaced, &with(&["a="]))));
    check("a", put("A", Expect::Hash(a)), Ok((Outcome::NoChange, &with(&["a=A"]))));
    check("a", put("new", Expect::Hash(other)), Err(CommitKind::Changed { found: a }));
    check("a", put("A", Expect::Hash(other)), Err(CommitKind::Changed { found: a }));
    check("a", put("new", Expect::Absent), Err(CommitKind::Exists));
    check("n", put("new", Expect::Absent), Ok((Outcome::Created, &with(&["a=A", "n=new"]))));
    check("n", put("", Expect::Any), Ok((Outcome::Created, &with(&["a=A", "n="]))));
    check("n", put("new", Expect::Hash(a)), Err(CommitKind::Missing));
    let deep = with(&["a=A", "x/", "x/y/", "x/y/z=new"]);
    check("x/y/z", put("new", Expect::Absent), Ok((Outcome::Created, &deep)));
    check("d", put("new", Expect::Any), Err(CommitKind::IsDirectory));
    check("l", put("new", Expect::Any), Err(CommitKind::NotRegular(toolpost_workspace::Kind::Link)));
    check(".", put("new", Expect::Any), Err(CommitKind::Root));
}

#[test]
fn copy_creates_entries_and_refuses_existing_targets() {
    let from = |name: &'static str| {
        move |workspace: &Workspace| Action::Copy { from: workspace.resolve_entry(name).unwrap() }
    };
    let rest = ["a=A", "b=B", "d/", "d/x=X", "e/", "l->a"];
    let with = |lines: &[&'static str]| {
        let mut all: Vec<&str> = rest.iter().chain(lines).copied().collect();
        all.sort_unstable();
        all
    };
    check("n", from("a"), Ok((Outcome::Created, &with(&["n=A"]))));
    check("x/y/n", from("a"), Ok((Outcome::Created, &with(&["x/", "x/y/", "x/y/n=A"]))));
    check("n", from("l"), Ok((Outcome::Created, &with(&["n->a"]))));
    check("n", from("d"), Ok((Outcome::Created, &with(&["n/", "n/x=X"]))));
    check("n", from("e"), Ok((Outcome::Created, &with(&["n/"]))));
    check("e/n", from("d"), Ok((Outcome::Created, &with(&["e/n/", "e/n/x=X"]))));
    check("b", from("a"), Err(CommitKind::Exists));
    check("l", from("a"), Err(CommitKind::Exists));
    check("e", from("d"), Err(CommitKind::Exists));
    check(".", from("a"), Err(CommitKind::Root));
}

#[test]
fn copied_tree_keeps_symlinks_and_permissions() {
    let world = World::new();
    for (name, content) in [("d/in/deep/x", "X"), ("d/run", "#!"), ("d/in/y", "")] {
        world.write(name, content);
    }
    symlink("../../outside", world.at("d/in/out")).unwrap();
    for (name, mode) in [("d/run", 0o4755), ("d/in/y", 0o400), ("d/in/deep", 0o555), ("d/in", 0o700)] {
        set_mode(&world, name, mode);
    }
    let workspace = world.open();
    let (from, to) = (workspace.resolve("d").unwrap(), workspace.resolve("new/c").unwrap());
    commit(&workspace, vec![draft(&to, Action::Copy { from })]).unwrap();
    let mut copied: Vec<String> =
        world.tree().iter().filter_map(|line| line.strip_prefix("new/c/").map(str::to_owned)).collect();
    copied.retain(|line| !line.is_empty());
    assert_eq!(copied, ["in/", "in/deep/", "in/deep/x=X", "in/out->../../outside", "in/y=", "run=#!"]);
    let modes = ["run", "in/y", "in/deep", "in"].map(|name| mode_of(&world, &format!("new/c/{name}")));
    assert_eq!(modes, [0o755, 0o400, 0o555, 0o700]);
    set_mode(&world, "d/in/deep", 0o755);
    set_mode(&world, "new/c/in/deep", 0o755);
}

#[test]
fn a_copy_that_fails_leaves_nothing_behind() {
    let world = World::new();
    world.write("d/a", "A");
    let pipe = world.at("d/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let workspace = world.open();
    let (from, to) = (workspace.resolve("d").unwrap(), workspace.resolve("new/c").unwrap());
    let error = commit(&workspace, vec![draft(&to, Action::Copy { from: from.clone() })]).unwrap_err();
    assert_eq!(
        (error.why, error.aftermath),
        (CommitKind::NotRegular(toolpost_workspace::Kind::Fifo), Vec::new())
    );
    let names: Vec<_> = fs::read_dir(world.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["d"]);
    fs::remove_file(pipe).unwrap();
    let both = vec![
        draft(&to, Action::Copy { from }),
        write(&workspace.resolve("other").unwrap(), "x", Expect::Absent),
    ];
    assert_eq!(commit(&workspace, both).unwrap_err().why, CommitKind::Clash);
    assert_eq!(world.tree(), ["d/", "d/a=A"]);
}

#[test]
fn delete_make_directory_and_move_have_the_expected_outcome() {
    let to = |name: &'static str, overwrite| {
        move |workspace: &Workspace| Action::Move { to: workspace.resolve_entry(name).unwrap(), overwrite }
    };
    let delete = |expect| move |_: &Workspace| Action::Delete { expect };
    check("a", delete(Expect::Any), Ok((Outcome::Deleted, &["b=B", "d/", "d/x=X", "e/", "l->a"])));
    check(
        "a",
        delete(Expect::Hash(hash(b"A"))),
        Ok((Outcome::Deleted, &["b=B", "d/", "d/x=X", "e/", "l->a"])),
    );
    check("a", delete(Expect::Hash(hash(b"B"))), Err(CommitKind::Changed { found: hash(b"A") }));
    check("l", delete(Expect::Any), Ok((Outcome::Deleted, &["a=A", "b=B", "d/", "d/x=X", "e/"])));
    check("e", delete(Expect::Any), Ok((Outcome::Deleted, &["a=A", "b=B", "d/", "d/x=X", "l->a"])));
    check("d", delete(Expect::Any), Err(CommitKind::NotEmpty));
    check("n", delete(Expect::Any), Err(CommitKind::Missing));
    check(".", |_| Action::DeleteTree, Err(CommitKind::Root));
    check("d", |_| Action::DeleteTree, Ok((Outcome::Deleted, &["a=A", "b=B", "e/", "l->a"])));
    check(
        "e",
        |_| Action::MakeDirectory,
        Ok((Outcome::NoChange, &["a=A", "b=B", "d/", "d/x=X", "e/", "l->a"])),
    );
    check("a", |_| Action::MakeDirectory, Err(CommitKind::Exists));
    let made = ["a=A", "b=B", "d/", "d/x=X", "e/", "e/f/", "e/f/g/", "l->a"];
    check("e/f/g", |_| Action::MakeDirectory, Ok((Outcome::MadeDirectory, &made)));
    check("a", to("b", Overwrite::Refuse), Err(CommitKind::Exists));
    check("a", to("d", Overwrite::Replace), Err(CommitKind::IsDirectory));
    check("d", to("b", Overwrite::Replace), Err(CommitKind::Exists));
    check("d", to("d/in", Overwrite::Refuse), Err(CommitKind::Clash));
    check("n", to("m", Overwrite::Refuse), Err(CommitKind::Missing));
}

#[test]
fn a_directory_is_not_copied_into_itself() {
    let copy = |name: &'static str| {
        move |workspace: &Workspace| Action::Copy { from: workspace.resolve_entry(name).unwrap() }
    };
    check("d/in", copy("d"), Err(CommitKind::IntoItself));
    check("d/new/in", copy("d"), Err(CommitKind::IntoItself));
    check("d", copy("d"), Err(CommitKind::Exists));
}

#[test]
fn move_keeps_content_and_inode() {
    let rows: &[(&str, &str, Overwrite, &[&str])] = &[
        ("a", "c", Overwrite::Refuse, &["b=B", "c=A", "d/", "d/x=X", "l->a"]),
        ("a", "b", Overwrite::Replace, &["b=A", "d/", "d/x=X", "l->a"]),
        ("a", "n/m/c", Overwrite::Refuse, &["b=B", "d/", "d/x=X", "l->a", "n/", "n/m/", "n/m/c=A"]),
        ("d", "e", Overwrite::Refuse, &["a=A", "b=B", "e/", "e/x=X", "l->a"]),
        ("l", "m", Overwrite::Refuse, &["a=A", "b=B", "d/", "d/x=X", "m->a"]),
        ("a", "a", Overwrite::Refuse, &["a=A", "b=B", "d/", "d/x=X", "l->a"]),
    ];
    each(rows, |(from, to, overwrite, tree)| {
        let world = World::new();
        for (name, content) in [("a", "A"), ("b", "B"), ("d/x", "X")] {
            world.write(name, content);
        }
        symlink("a", world.at("l")).unwrap();
        set_mode(&world, "a", 0o754);
        let inode = fs::symlink_metadata(world.at(from)).unwrap().ino();
        let workspace = world.open();
        let (from, to) = (workspace.resolve_entry(from).unwrap(), workspace.resolve_entry(to).unwrap());
        let action = Action::Move { to: to.clone(), overwrite: *overwrite };
        let committed = commit(&workspace, vec![draft(&from, action)]).unwrap();
        let outcome = if from == to { Outcome::NoChange } else { Outcome::Moved { to: to.clone() } };
        assert_eq!(committed.changes[0].outcome, outcome);
        assert_eq!(world.tree(), *tree, "{from} {to}");
        assert_eq!(fs::symlink_metadata(to.raw()).unwrap().ino(), inode);
    });
}

#[test]
fn commit_reports_hashes_and_mode_of_a_replaced_file() {
    let world = World::new();
    world.write("f", "old");
    set_mode(&world, "f", 0o640);
    let workspace = world.open();
    let path = workspace.resolve("f").unwrap();
    let committed = commit(&workspace, vec![write(&path, "new", Expect::Any)]).unwrap();
    let changed = ChangeReport {
        path: path.clone(),
        outcome: Outcome::Replaced,
        before: Some(hash(b"old")),
        after: Some(hash(b"new")),
        mode: Some(0o640),
    };
    assert_eq!((committed.changes, committed.notes), (vec![changed], vec![]));
}

#[test]
fn write_keeps_the_file_mode() {
    each([0o755, 0o600, 0o644, 0o664, 0o4755, 0o2755, 0o200 | 0o444], |mode| {
        let world = World::new();
        world.write("f", "old");
        set_mode(&world, "f", mode);
        let workspace = world.open();
        commit(&workspace, vec![write(&workspace.resolve("f").unwrap(), "new", Expect::Any)]).unwrap();
        assert_eq!((world.read("f").as_str(), mode_of(&world, "f")), ("new", mode), "{mode:o}");
    });
}

#[test]
fn write_through_a_symlink_changes_its_target() {
    let world = World::new();
    world.write("t", "old");
    symlink("t", world.at("l")).unwrap();
    symlink("d/new", world.at("dangling")).unwrap();
    let workspace = world.open();
    for name in ["l", "dangling"] {
        commit(&workspace, vec![write(&workspace.resolve(name).unwrap(), "new", Expect::Any)]).unwrap();
    }
    assert_eq!(world.tree(), ["d/", "d/new=new", "dangling->d/new", "l->t", "t=new"]);
}

#[test]
fn write_of_equal_content_does_not_touch_the_file() {
    let world = World::new();
    world.write("f", "same");
    let before = fs::metadata(world.at("f")).unwrap();
    let workspace = world.open();
    commit(&workspace, vec![write(&workspace.resolve("f").unwrap(), "same", Expect::Any)]).unwrap();
    let after = fs::metadata(world.at("f")).unwrap();
    let times = |meta: &fs::Metadata| (meta.ino(), meta.mtime(), meta.mtime_nsec(), meta.ctime_nsec());
    assert_eq!(times(&before), times(&after));
}

#[test]
fn write_breaks_a_hard_link_and_adds_a_note() {
    let world = World::new();
    fs::write(world.out("store"), "shared").unwrap();
    fs::hard_link(world.out("store"), world.at("f")).unwrap();
    let workspace = world.open();
    let path = workspace.resolve("f").unwrap();
    let committed = commit(&workspace, vec![write(&path, "mine", Expect::Any)]).unwrap();
    assert_eq!(fs::read_to_string(world.out("store")).unwrap(), "shared");
    assert_eq!(
        (world.read("f"), committed.notes),
        ("mine".into(), vec![Note::LinkBroken { path, others: 1 }])
    );
}

#[test]
fn a_read_only_file_is_refused() {
    let world = World::new();
    world.write("f", "old");
    world.write("g", "G");
    set_mode(&world, "f", 0o444);
    let workspace = world.open();
    let (f, g) = (workspace.resolve("f").unwrap(), workspace.resolve("g").unwrap());
    let over = Action::Move { to: f.clone(), overwrite: Overwrite::Replace };
    let drafts = [
        write(&f, "new", Expect::Any),
        draft(&f, Action::Delete { expect: Expect::Any }),
        draft(&f, Action::Restore { bytes: b"new".to_vec(), expect: Expect::Any, mode: 0o644 }),
        draft(&g, over),
    ];
    each(drafts, |refused| {
        let error = commit(&workspace, vec![refused]).unwrap_err();
        assert_eq!((error.path, error.why), (f.clone(), CommitKind::ReadOnly));
    });
    assert_eq!(world.tree(), ["f=old", "g=G"]);
}

#[test]
fn restore_sets_the_mode() {
    let world = World::new();
    world.write("f", "old");
    let workspace = world.open();
    for (name, mode) in [("f", 0o750), ("gone", 0o4711)] {
        let path = workspace.resolve(name).unwrap();
        let action = Action::Restore { bytes: b"old".to_vec(), expect: Expect::Any, mode };
        let committed = commit(&workspace, vec![draft(&path, action)]).unwrap();
        assert_eq!((mode_of(&world, name), committed.changes[0].mode), (mode, Some(mode)));
    }
}

#[test]
fn write_keeps_extended_attributes_and_acls() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let world = World::new();
    world.write("f", "old");
    let file = world.at("f");
    // An ACL that grants user 65534 read and write: version, then tag, permissions and id of each entry.
    let entry = |tag: u16, permissions: u16, id: u32| {
        [tag.to_le_bytes().as_slice(), &permissions.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let none = u32::MAX;
    let list = [
        2_u32.to_le_bytes().to_vec(),
        entry(1, 6, none),
        entry(2, 6, 65_534),
        entry(4, 4, none),
        entry(16, 6, none),
        entry(32, 4, none),
    ]
    .concat();
    let attributes = [("user.origin", b"somewhere".to_vec()), ("system.posix_acl_access", list)];
    for (name, value) in &attributes {
        if setxattr(&file, *name, value, XattrFlags::empty()).is_err() {
            skip(&format!("this file system has no attribute {name}"));
            return;
        }
    }
    let mode = mode_of(&world, "f");
    let workspace = world.open();
    let committed =
        commit(&workspace, vec![write(&workspace.resolve("f").unwrap(), "new", Expect::Any)]).unwrap();
    assert_eq!((world.read("f").as_str(), committed.notes), ("new", vec![]));
    for (name, value) in &attributes {
        let mut buffer = [0_u8; 1024];
        let length = getxattr(&file, *name, &mut buffer[..]).unwrap();
        assert_eq!(&buffer[..length], value.as_slice(), "{name}");
    }
    assert_eq!(mode_of(&world, "f"), mode);
}

#[test]
fn write_keeps_owner_and_group() {
    if !is_root_user() {
        skip("only the superuser can give files to another user");
        return;
    }
    let world = World::new();
    world.write("f", "old");
    std::os::unix::fs::chown(world.at("f"), Some(1234), Some(2345)).unwrap();
    set_mode(&world, "f", 0o6755);
    fs::create_dir(world.at("shared")).unwrap();
    std::os::unix::fs::chown(world.at("shared"), None, Some(3456)).unwrap();
    set_mode(&world, "shared", 0o2775);
    let workspace = world.open();
    for name in ["f", "shared/new"] {
        commit(&workspace, vec![write(&workspace.resolve(name).unwrap(), "new", Expect::Any)]).unwrap();
    }
    let of = |name: &str| {
        let stat = fs::metadata(world.at(name)).unwrap();
        (stat.uid(), stat.gid(), stat.mode() & 0o7777)
    };
    assert_eq!(of("f"), (1234, 2345, 0o6755));
    let (_, group, _) = of("shared/new");
    assert_eq!(group, 3456);
}

#[test]
fn paths_without_a_hold_and_clashing_drafts_are_refused() {
    let world = World::new();
    world.write("d/f", "F");
    let workspace = world.open();
    let at = |name: &str| workspace.resolve(name).unwrap();
    let hold = workspace.hold(&[at("d/f")], common::WAIT).unwrap();
    let why = |drafts| hold.commit(drafts, &toolpost_workspace::Cause::default()).unwrap_err().why;
    assert_eq!(why(vec![write(&at("g"), "G", Expect::Any)]), CommitKind::NotHeld);
    drop(hold);
    let rows = [
        vec![write(&at("g"), "1", Expect::Any), write(&at("g"), "2", Expect::Any)],
        vec![write(&at("d/f"), "1", Expect::Any), draft(&at("d"), Action::DeleteTree)],
        vec![
            write(&at("g"), "1", Expect::Any),
            draft(&at("d/f"), Action::Move { to: at("g"), overwrite: Overwrite::Replace }),
        ],
    ];
    for drafts in rows {
        assert_eq!(commit(&workspace, drafts).unwrap_err().why, CommitKind::Clash);
    }
    assert_eq!(world.tree(), ["d/", "d/f=F"]);
}

#[test]
fn one_invalid_draft_fails_the_whole_commit() {
    let world = World::new();
    for (name, content) in [("a", "A"), ("b", "B"), ("c", "C"), ("d/x", "X")] {
        world.write(name, content);
    }
    let workspace = world.open();
    let at = |name: &str| workspace.resolve(name).unwrap();
    let good = || {
        vec![
            write(&at("a"), "new", Expect::Any),
            write(&at("n/e/w"), "new", Expect::Absent),
            draft(&at("b"), Action::Delete { expect: Expect::Any }),
            draft(&at("c"), Action::Move { to: at("m/c"), overwrite: Overwrite::Refuse }),
        ]
    };
    let before = world.tree();
    let bad = [
        write(&at("d/x"), "new", Expect::Absent),
        write(&at("d/x"), "new", Expect::Hash(hash(b"other"))),
        write(&at("d"), "new", Expect::Any),
        draft(&at("gone"), Action::Delete { expect: Expect::Any }),
    ];
    each(bad, |one| {
        let drafts = good().into_iter().chain([one]).collect();
        commit(&workspace, drafts).unwrap_err();
        assert_eq!(world.tree(), before);
    });
    let committed = commit(&workspace, good()).unwrap();
    assert_eq!((committed.changes.len(), committed.notes), (4, vec![]));
    assert_eq!(world.tree(), ["a=new", "d/", "d/x=X", "m/", "m/c=C", "n/", "n/e/", "n/e/w=new"]);
}

#[test]
fn commit_is_atomic_without_a_state_directory() {
    let world = World::new();
    world.write("a", "A");
    let (workspace, _) = Workspace::open(Options { state: None, ..world.options() }).unwrap();
    let at = |name: &str| workspace.resolve(name).unwrap();
    let hold = workspace.hold(&[at("a"), at("b")], common::WAIT).unwrap();
    assert_eq!(hold.notes(), [Note::NoState]);
    hold.commit(
        vec![write(&at("a"), "new", Expect::Any), write(&at("b"), "new", Expect::Any)],
        &toolpost_workspace::Cause::default(),
    )
    .unwrap();
    hold.commit(
        vec![write(&at("a"), "x", Expect::Any), write(&at("b"), "x", Expect::Absent)],
        &toolpost_workspace::Cause::default(),
    )
    .unwrap_err();
    assert_eq!(world.tree(), ["a=new", "b=new"]);
}

#[test]
fn deep_trees_and_long_names_can_be_written_and_deleted() {
    let world = World::new();
    let deep = "d/".repeat(1_000);
    let long = "n".repeat(255);
    let wide = "é".repeat(127);
    let workspace = world.open();
    for name in [format!("{deep}f"), long.clone(), wide.clone()] {
        let path = workspace.resolve(&name).unwrap();
        for content in ["one", "two"] {
            commit(&workspace, vec![write(&path, content, Expect::Any)]).unwrap();
        }
        assert_eq!(workspace.read(&path, 10).unwrap().bytes, b"two");
    }
    commit(&workspace, vec![draft(&workspace.resolve("d").unwrap(), Action::DeleteTree)]).unwrap();
    assert_eq!(world.tree(), [format!("{long}=two"), format!("{wide}=two")]);
}

#[test]
fn move_to_another_file_system_copies_and_removes() {
    let world = World::new();
    world.write("f", "F");
    set_mode(&world, "f", 0o751);
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return skip("there is no second disk") };
    if fs::metadata(other.path()).unwrap().dev() == fs::metadata(world.root()).unwrap().dev() {
        return skip("there is no second disk");
    }
    fs::write(other.path().join("there"), "T").unwrap();
    let roots = vec![world.root(), other.path().to_path_buf()];
    let (workspace, _) = Workspace::open(Options { roots, ..world.options() }).unwrap();
    let from = workspace.resolve("f").unwrap();
    let to = |name: &str| workspace.resolve(other.path().join(name).to_str().unwrap()).unwrap();
    let move_to = |name: &str, overwrite| {
        commit(&workspace, vec![draft(&from, Action::Move { to: to(name), overwrite })])
    };

    assert_eq!(move_to("there", Overwrite::Refuse).unwrap_err().why, CommitKind::Exists);
    let committed = move_to("d/g", Overwrite::Refuse).unwrap();
    let note = Note::NotKept { path: to("d/g"), what: "owner, times and attributes".into() };
    assert_eq!(
        (&committed.changes[0].outcome, committed.changes.len()),
        (&Outcome::Moved { to: to("d/g") }, 1)
    );
    assert_eq!(committed.notes, [note]);
    assert_eq!(
        (world.tree(), tree_of(other.path())),
        (vec![], vec!["d/".into(), "d/g=F".into(), "there=T".into()])
    );
    assert_eq!(fs::metadata(other.path().join("d/g")).unwrap().mode() & 0o7777, 0o751);

    world.write("f", "again");
    move_to("there", Overwrite::Replace).unwrap();
    assert_eq!(
        (world.tree(), fs::read_to_string(other.path().join("there")).unwrap()),
        (vec![], "again".into())
    );
}
