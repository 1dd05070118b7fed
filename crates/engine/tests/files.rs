//! Tests of operations on whole files: view, delete, rename and copy, and of creating directories.

use crate::common;
use toolpost_test_rows::each_async;

use common::{Permissive, World};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    sync::Arc,
};
use toolpost_engine::{
    CallCtx, Engine, Failure, Fresh, Kind,
    operations::{
        copy::{self, Copy},
        delete::{self, Delete, Directories, Target},
        make_directory::{self, MakeDirectory},
        rename::{self, Rename},
        stat::FileKind,
        view::{self, ExcerptResult, View},
    },
};
use toolpost_workspace::{Options, Workspace};

const FREE: Fresh = Fresh::NOT_ASKED;
const WITH: Directories = Directories::WithAllInside;
const WITHOUT: Directories = Directories::Refused("a flag is needed");

/// Creates an environment: `name/` is a directory, `name->target` a symlink, any other name a file that
/// contains its name.
fn world(entries: &[&str]) -> World {
    let world = World::new(&[]);
    entries.iter().for_each(|entry| put(&world, entry));
    world
}

impl World {
    /// Returns a context that forbids reads of paths that end with `read`, and writes of paths that end with
    /// `write`.
    fn keeping(&self, read: &'static str, write: &'static str) -> CallCtx {
        let free = |name: &'static str| {
            move |path: &toolpost_workspace::WorkspacePath| name.is_empty() || !path.raw().ends_with(name)
        };
        let (read, write) = (Arc::new(free(read)), Arc::new(free(write)));
        let permissions = Arc::new(Permissive { read, write, ..Permissive::default() });
        CallCtx { permissions, ..self.cx(FREE) }
    }

    async fn see(&self, name: &str) {
        self.read(name, 1, u64::MAX).await;
    }

    async fn delete(
        &self,
        names: &[&str],
        directories: Directories,
        cx: CallCtx,
    ) -> Result<delete::Output, Failure> {
        let target =
            |name: &&str| Ok(Target { path: self.engine.resolve_entry(name)?, raw_path: (*name).to_owned() });
        let targets = names.iter().map(target).collect::<Result<_, Failure>>()?;
        self.run::<Delete>(delete::Request { targets, directories }, cx).await
    }

    async fn rename(&self, from: &str, to: &str, cx: CallCtx) -> Result<rename::Output, Failure> {
        let (place, to) = (self.engine.resolve_entry(from)?, self.engine.resolve_entry(to)?);
        self.run::<Rename>(rename::Request { from: place, raw_path: from.to_owned(), to }, cx).await
    }

    async fn copy(&self, from: &str, to: &str, cx: CallCtx) -> Result<copy::Output, Failure> {
        let (place, to) = (self.engine.resolve_entry(from)?, self.engine.resolve_entry(to)?);
        self.run::<Copy>(copy::Request { from: place, raw_path: from.to_owned(), to }, cx).await
    }

    async fn view(
        &self,
        parts: &[(&str, u64, Option<u64>)],
        max_bytes: usize,
    ) -> Result<view::Output, Failure> {
        let part = |(name, from, to): &(&str, u64, Option<u64>)| view::ExcerptRequest {
            path: self.engine.resolve(name).unwrap(),
            raw_path: (*name).to_owned(),
            from: *from,
            to: *to,
            of: view::LineSelector::Lines,
            before: 0,
            after: 0,
        };
        let parts = parts.iter().map(part).collect();
        self.run::<View>(view::Request { parts, max_bytes }, self.cx(FREE)).await
    }

    fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        collect(&self.at(""), "", &mut lines);
        lines.sort();
        lines
    }
}

fn put(world: &World, entry: &str) {
    match entry.split_once("->") {
        Some((name, target)) => world.put(name, format!("-> {target}")),
        None => world.put(entry, entry),
    }
}

fn collect(directory: &Path, prefix: &str, lines: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            lines.push(format!("{name}/"));
            collect(&entry.path(), &format!("{name}/"), lines);
        } else if kind.is_symlink() {
            lines.push(format!("{name}->{}", fs::read_link(entry.path()).unwrap().display()));
        } else {
            lines.push(format!("{name}={}", fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

const KNOWN: [&str; 6] = ["a", "b", "d/in/x", "d/y", "e/", "l->d"];

/// Lists the files of `KNOWN` as `World::tree` shows them, with some lines replaced or removed.
fn known(changed: &[(&str, &str)]) -> Vec<String> {
    let lines = ["a=a", "b=b", "d/", "d/in/", "d/in/x=d/in/x", "d/y=d/y", "e/", "l->d"];
    let gone = |line: &&&str| !changed.iter().any(|(old, _)| old == *line);
    let mut left: Vec<String> = lines.iter().filter(gone).map(|line| (*line).to_owned()).collect();
    left.extend(changed.iter().filter(|(_, new)| !new.is_empty()).map(|(_, new)| (*new).to_owned()));
    left.sort();
    left
}

#[track_caller]
fn refused<T>(answer: Result<T, Failure>, kind: Kind, what: &str, world: &World, before: &[String]) {
    let Err(failure) = answer else { panic!("the call succeeded, but should have failed: {what}") };
    assert_eq!(world.said(&failure), (kind, what.to_owned()));
    assert_eq!(world.tree(), before, "{what}");
    assert_eq!(fs::read_to_string(world.base.path().join("out/secret")).unwrap(), "secret");
}

#[tokio::test]
async fn delete_removes_and_reports_each_path() {
    /// The names to delete, the treatment of directories, the reported deletions, and the lines of the tree that
    /// disappear, each with an empty replacement.
    type Row<'a> =
        (&'a [&'a str], Directories, &'a [(&'a str, FileKind, u64, u64)], &'a [(&'a str, &'a str)]);
    let rows: [Row<'_>; 7] = [
        (&["a"], WITHOUT, &[("a", FileKind::File, 1, 0)], &[("a=a", "")]),
        (
            &["b", "a"],
            WITHOUT,
            &[("b", FileKind::File, 1, 0), ("a", FileKind::File, 1, 0)],
            &[("a=a", ""), ("b=b", "")],
        ),
        (&["a", "a", "./a"], WITHOUT, &[("a", FileKind::File, 1, 0)], &[("a=a", "")]),
        (&["l"], WITHOUT, &[("l", FileKind::Link, 0, 0)], &[("l->d", "")]),
        (&["l/"], WITH, &[("l", FileKind::Link, 0, 0)], &[("l->d", "")]),
        (&["e"], WITH, &[("e", FileKind::Directory, 0, 0)], &[("e/", "")]),
        (
            &["d/in/x", "d"],
            WITH,
            &[("d", FileKind::Directory, 0, 3)],
            &[("d/", ""), ("d/in/", ""), ("d/in/x=d/in/x", ""), ("d/y=d/y", "")],
        ),
    ];
    each_async(rows, async |(names, directories, wanted, left)| {
        let world = world(&KNOWN);
        let output = world.delete(names, directories, world.cx(FREE)).await.unwrap();
        let deleted: Vec<_> = output
            .deleted
            .iter()
            .map(|deleted| (deleted.path.as_str(), deleted.kind, deleted.bytes, deleted.entries))
            .collect();
        assert_eq!((deleted.as_slice(), output.notes.len()), (wanted, 0), "{names:?}");
        assert_eq!(world.tree(), known(left), "{names:?}");
    })
    .await;
}

#[tokio::test]
async fn delete_refuses_missing_paths_roots_and_outside_paths() {
    let rows: [(&[&str], Directories, Kind, &str); 8] = [
        (&["gone"], WITHOUT, Kind::NotFound, "File not found: gone (the workspace is ROOT)."),
        (&["d"], WITHOUT, Kind::WrongKind, "d is a directory: a flag is needed."),
        (&["."], WITH, Kind::WrongKind, ". is a root of the workspace, which is never deleted."),
        (&["d/.."], WITH, Kind::WrongKind, ". is a root of the workspace, which is never deleted."),
        (
            &["../out/secret"],
            WITH,
            Kind::Outside,
            "../out/secret is outside the workspace: only paths in ROOT may be used.",
        ),
        (
            &["outside/secret"],
            WITH,
            Kind::Outside,
            "outside/secret is outside the workspace (a symbolic link leads to ../out): only paths in ROOT may be used.",
        ),
        (&["a/"], WITH, Kind::WrongKind, "a is not a directory, so a/ cannot exist."),
        (
            &["a", "gone", "d"],
            WITHOUT,
            Kind::NotFound,
            "Nothing was deleted: 2 of 3 paths cannot be deleted.\nFile not found: gone (the workspace is ROOT).\nd is a \
             directory: a \
             flag is needed.",
        ),
    ];
    each_async(rows, async |(names, directories, kind, what)| {
        let world = world(&KNOWN);
        put(&world, "outside->../out");
        let before = world.tree();
        refused(world.delete(names, directories, world.cx(FREE)).await, kind, what, &world, &before);
    })
    .await;
}

#[tokio::test]
async fn link_to_outside_is_moved_copied_and_deleted_itself() {
    let world = world(&["out->../out", "file->../out/secret"]);
    world.rename("out", "new/out", world.cx(FREE)).await.unwrap();
    world.copy("file", "new/file", world.cx(FREE)).await.unwrap();
    world.copy("new", "again", world.cx(FREE)).await.unwrap();
    let both = ["file->../out/secret", "out->../out"];
    let lines =
        ["again", "new"].iter().flat_map(|place| both.iter().map(move |link| format!("{place}/{link}")));
    let mut wanted: Vec<String> =
        lines.chain(["again/", "new/", "file->../out/secret"].map(str::to_owned)).collect();
    wanted.sort();
    assert_eq!(world.tree(), wanted);
    world.delete(&["again", "new/out", "new/file", "file"], WITH, world.cx(FREE)).await.unwrap();
    assert_eq!(world.tree(), ["new/"]);
    assert_eq!(fs::read_to_string(world.base.path().join("out/secret")).unwrap(), "secret");
}

#[tokio::test]
async fn rename_moves_files_links_and_directories() {
    /// The old name, the new name, the reported kind, bytes and entries, and the changed lines of the tree, each
    /// before and after.
    type Row<'a> = (&'a str, &'a str, (FileKind, u64, u64), &'a [(&'a str, &'a str)]);
    let rows: [Row<'_>; 6] = [
        ("a", "c", (FileKind::File, 1, 0), &[("a=a", "c=a")]),
        ("a", "A", (FileKind::File, 1, 0), &[("a=a", "A=a")]),
        ("a", "x/y/c", (FileKind::File, 1, 0), &[("a=a", "x/y/c=a"), ("", "x/"), ("", "x/y/")]),
        ("l", "e/l", (FileKind::Link, 0, 0), &[("l->d", "e/l->d")]),
        (
            "d",
            "e/d",
            (FileKind::Directory, 0, 3),
            &[
                ("d/", "e/d/"),
                ("d/in/", "e/d/in/"),
                ("d/in/x=d/in/x", "e/d/in/x=d/in/x"),
                ("d/y=d/y", "e/d/y=d/y"),
            ],
        ),
        ("d/in/x", "d/z", (FileKind::File, 6, 0), &[("d/in/x=d/in/x", "d/z=d/in/x")]),
    ];
    each_async(rows, async |(from, to, wanted, changed)| {
        let world = world(&KNOWN);
        let output = world.rename(from, to, world.cx(FREE)).await.unwrap();
        assert_eq!((output.kind, output.bytes, output.entries), wanted, "{from} {to}");
        assert_eq!((output.from.as_str(), output.to.as_str(), output.notes.len()), (from, to, 0));
        assert_eq!(world.tree(), known(changed), "{from} {to}");
    })
    .await;
}

#[tokio::test]
async fn rename_and_copy_refuse_invalid_sources_and_targets() {
    const OUT: &str = "../out/new is outside the workspace: only paths in ROOT may be used.";
    const STAYS: &str = ". is a root of the workspace, which cannot be moved or copied.";
    const GONE: &str = "File not found: gone (the workspace is ROOT).";
    const FILE: &str = "b already exists. Nothing was changed.";
    const LINK: &str = "l already exists. Nothing was changed.";
    const DIRECTORY: &str = "e already exists. Nothing was changed.";
    let rows: [(&str, &str, Kind, &str, &str); 9] = [
        ("a", "b", Kind::Conflict, FILE, FILE),
        ("a", "l", Kind::Conflict, LINK, LINK),
        ("a", "e", Kind::Conflict, DIRECTORY, DIRECTORY),
        ("d", "e", Kind::Conflict, DIRECTORY, DIRECTORY),
        ("a", "../out/new", Kind::Outside, OUT, OUT),
        (
            "d",
            "d/in/d",
            Kind::Invalid,
            "d cannot be moved into itself, to d/in/d.",
            "d cannot be copied into itself, to d/in/d.",
        ),
        (".", "f", Kind::WrongKind, STAYS, STAYS),
        (
            "d",
            ".",
            Kind::WrongKind,
            ". is a root of the workspace, which is never replaced, moved or deleted. Nothing was changed.",
            "d could not be copied: . is a root of the workspace, which is never replaced, moved or deleted. Nothing was \
             changed.",
        ),
        ("gone", "f", Kind::NotFound, GONE, GONE),
    ];
    each_async(rows, async |(from, to, kind, moving, copying)| {
        let world = world(&KNOWN);
        let before = world.tree();
        refused(world.rename(from, to, world.cx(FREE)).await, kind, moving, &world, &before);
        refused(world.copy(from, to, world.cx(FREE)).await, kind, copying, &world, &before);
    })
    .await;
    let world = world(&KNOWN);
    let same = world.rename("a", "./a", world.cx(FREE)).await;
    refused(same, Kind::Invalid, "a already has this name; nothing was moved.", &world, &known(&[]));
    let same = world.copy("a", "./a", world.cx(FREE)).await;
    refused(same, Kind::Invalid, "a cannot be copied into itself, to a.", &world, &known(&[]));
}

#[tokio::test]
async fn copy_includes_whole_directories_and_keeps_modes() {
    let world = world(&KNOWN);
    fs::set_permissions(world.at("a"), fs::Permissions::from_mode(0o640)).unwrap();
    let output = world.copy("a", "new/a", world.cx(FREE)).await.unwrap();
    assert_eq!((output.kind, output.bytes, output.entries), (FileKind::File, 1, 0));
    let output = world.copy("d", "new/d", world.cx(FREE)).await.unwrap();
    assert_eq!((output.kind, output.bytes, output.entries), (FileKind::Directory, 9, 3));
    let more = ["new/", "new/a=a", "new/d/", "new/d/in/", "new/d/in/x=d/in/x", "new/d/y=d/y"];
    assert_eq!(world.tree(), known(&more.map(|line| ("", line))));
    assert_eq!(fs::metadata(world.at("new/a")).unwrap().mode() & 0o777, 0o640);
}

#[tokio::test]
async fn protected_file_blocks_move_copy_and_delete_of_its_directory() {
    let world = world(&["d/in/.env", "d/in/keep", "d/x"]);
    let before = world.tree();
    let words = |top: &str, first: &str, verb: &str| {
        format!(
            "{top} cannot be moved, copied or deleted as a whole: under the rules, {first} cannot be {verb} without approval. Nothing \
             was changed."
        )
    };
    let write = "written, moved or deleted";
    let (kept, unread) = (world.keeping("", ".env"), world.keeping(".env", ""));
    let here = words("d", "d/in/.env", write);
    refused(world.delete(&["d"], WITH, kept.clone()).await, Kind::Denied, &here, &world, &before);
    refused(
        world.delete(&["d/in", "d/x"], WITH, kept.clone()).await,
        Kind::Denied,
        &format!(
            "Nothing was deleted: 1 of 2 paths cannot be deleted.\n{}",
            words("d/in", "d/in/.env", write)
        ),
        &world,
        &before,
    );
    refused(world.rename("d", "n", kept.clone()).await, Kind::Denied, &here, &world, &before);
    let there = words("n", "n/in/.env", write);
    refused(world.copy("d", "n", kept).await, Kind::Denied, &there, &world, &before);
    let read = words("d", "d/in/.env", "read");
    refused(world.rename("d", "n", unread.clone()).await, Kind::Denied, &read, &world, &before);
    refused(world.copy("d", "n", unread).await, Kind::Denied, &read, &world, &before);
    // The rules protect only the new path of a file: moving its directory must not bypass them.
    let hooks = world.keeping("", "hooks/keep");
    let there = words(".git/hooks", ".git/hooks/keep", write);
    refused(world.rename("d/in", ".git/hooks", hooks).await, Kind::Denied, &there, &world, &before);
}

#[tokio::test]
async fn directory_that_contains_a_root_is_not_moved_or_deleted() {
    let world = world(&["d/root/a", "d/b"]);
    let roots = vec![world.at(""), world.at("d/root")];
    let (workspace, _) = Workspace::open(Options { roots, ..Options::default() }).unwrap();
    let world = World { engine: Engine::new(workspace), ..world };
    let before = world.tree();
    let what = |top: &str| {
        format!("{top} cannot be moved, copied or deleted as a whole: it contains the root ROOT/d/root.")
    };
    refused(world.delete(&["d"], WITH, world.cx(FREE)).await, Kind::WrongKind, &what("d"), &world, &before);
    refused(world.rename("d", "e", world.cx(FREE)).await, Kind::WrongKind, &what("d"), &world, &before);
    let itself = "d/root is a root of the workspace, which is never deleted.";
    let failure = world.delete(&["d/root"], WITH, world.cx(FREE)).await.unwrap_err();
    assert!(failure.what.ends_with(itself), "{}", failure.what);
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_seen_is_neither_deleted_nor_moved() {
    let world = world(&["d/a", "d/b", "c"]);
    world.see("d/a").await;
    world.see("c").await;
    fs::write(world.at("d/a"), "by another hand").unwrap();
    let before = world.tree();
    let stale = "d/a has changed since it was last seen in this session; nothing was written.";
    each_async([&["d/a"][..], &["d"], &["d/b", "d/a"], &["d/b", "d"]], async |names| {
        let Err(failure) = world.delete(names, WITH, world.cx(FREE)).await else { panic!("{names:?}") };
        assert_eq!(failure.kind, Kind::Stale, "{names:?}");
        assert!(failure.what.ends_with(stale), "{}", failure.what);
        assert_eq!(world.tree(), before);
    })
    .await;
    refused(world.rename("d/a", "n", world.cx(FREE)).await, Kind::Stale, stale, &world, &before);
    refused(world.rename("d", "n", world.cx(FREE)).await, Kind::Stale, stale, &world, &before);
    world.see("d/a").await;
    world.rename("d", "n", world.cx(FREE)).await.unwrap();
    world.delete(&["n", "c"], WITH, world.cx(FREE)).await.unwrap();
    assert_eq!(world.tree(), Vec::<String>::new());
}

#[tokio::test]
async fn files_read_before_a_rename_or_copy_count_as_read_after_it() {
    let world = world(&["d/a", "b"]);
    world.see("d/a").await;
    world.see("b").await;
    world.rename("d", "n", world.cx(FREE)).await.unwrap();
    world.copy("n/a", "copy", world.cx(FREE)).await.unwrap();
    world.delete(&["b"], WITH, world.cx(FREE)).await.unwrap();
    let known = |name: &str| known_as(&world, name);
    assert_eq!(["n/a", "copy", "d/a", "b"].map(known), [true, true, false, false]);
}

fn known_as(world: &World, name: &str) -> bool {
    world.session.ledger.seen(&world.engine.resolve(name).unwrap()).is_some()
}

#[tokio::test]
async fn tree_of_ten_thousand_entries_is_moved_and_deleted() {
    let world = world(&[]);
    for directory in 0..100 {
        let place = world.at(&format!("d/{directory}"));
        fs::create_dir_all(&place).unwrap();
        (0..99).for_each(|file| fs::write(place.join(file.to_string()), "x").unwrap());
    }
    let moved = world.rename("d", "e/d", world.cx(FREE)).await.unwrap();
    assert_eq!(moved.entries, 10_000);
    let copied = world.copy("e/d/7", "e/c", world.cx(FREE)).await.unwrap();
    assert_eq!((copied.entries, copied.bytes, world.tree().len()), (99, 99, 10_102));
    let deleted = world.delete(&["e"], WITH, world.cx(FREE)).await.unwrap();
    assert_eq!(deleted.deleted.iter().map(|deleted| deleted.entries).collect::<Vec<_>>(), [10_101]);
    assert_eq!(world.tree(), Vec::<String>::new());
}

#[tokio::test]
async fn make_directory_creates_parents_and_reports_existing() {
    let world = world(&KNOWN);
    let make = async |name: &str| {
        let path = world.engine.resolve(name)?;
        world.run::<MakeDirectory>(make_directory::Request { path }, world.cx(FREE)).await
    };
    let rows = [("n/m", false), ("n", true), ("n/m", true), ("d", true), (".", true), ("l", true)];
    each_async(rows, async |(name, existed)| {
        assert_eq!(make(name).await.unwrap().existed, existed, "{name}");
    })
    .await;
    let before = known(&[("", "n/"), ("", "n/m/")]);
    refused(
        make("a").await,
        Kind::WrongKind,
        "a exists and is not a directory; nothing was changed.",
        &world,
        &before,
    );
    refused(
        make("a/b").await,
        Kind::WrongKind,
        "a is not a directory, so a/b cannot exist.",
        &world,
        &before,
    );
}

/// Formats each part in a line: its first and last line and the next line, or the kind of failure.
fn lines(output: &view::Output) -> Vec<String> {
    let line = |viewed: &view::FileExcerpt| match &viewed.answer {
        ExcerptResult::File(file) => {
            let text = file.text().unwrap();
            let numbers: Vec<u64> = text.lines.iter().map(|line| line.number).collect();
            format!("{} {:?}..{:?} {:?}", file.path, numbers.first(), numbers.last(), viewed.next)
        }
        ExcerptResult::Failed(failed) => format!("{} {:?} {:?}", viewed.path, failed.kind, failed.meant),
    };
    output.parts.iter().map(line).collect()
}

#[tokio::test]
async fn view_shows_line_ranges_and_reports_failures_per_file() {
    let world = world(&["empty", "dir/"]);
    fs::write(world.at("ten"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n").unwrap();
    fs::write(world.at("empty"), "").unwrap();
    fs::write(world.at("binary"), b"\0\0\0").unwrap();
    let parts = [
        ("ten", 2, Some(4)),
        ("tne", 1, None),
        ("ten", 9, Some(99)),
        ("empty", 1, Some(10)),
        ("ten", 11, Some(12)),
        ("dir", 1, None),
        ("binary", 1, None),
        ("ten", 10, None),
    ];
    let output = world.view(&parts, 100_000).await.unwrap();
    let wanted = [
        "ten Some(2)..Some(4) None",
        "tne NotFound [\"ten\"]",
        "ten Some(9)..Some(10) None",
        "empty None..None None",
        "ten Invalid []",
        "dir WrongKind []",
        "binary WrongKind []",
        "ten Some(10)..Some(10) None",
    ];
    assert_eq!(lines(&output), wanted);
    let seen = world.session.ledger.seen(&world.engine.resolve("ten").unwrap()).unwrap();
    assert_eq!(seen.coverage, toolpost_workspace::Coverage::Lines(vec![2..=4, 9..=10]));
    let failure = world.view(&[("tne", 1, None)], 100_000).await.unwrap_err();
    assert_eq!(failure.kind, Kind::NotFound);
    let failure = world.view(&[("tne", 1, None), ("ten", 11, None)], 100_000).await.unwrap_err();
    let shown = failure.what.lines().map(|line| line.split(" (the").next().unwrap()).collect::<Vec<_>>();
    let wanted = [
        "None of the files could be shown.",
        "File not found: tne",
        "ten has 10 lines; line 11 is after its end.",
    ];
    assert_eq!(shown, wanted);
}

#[tokio::test]
async fn view_shares_the_byte_limit_and_reports_truncation() {
    let world = world(&[]);
    let line = "x".repeat(92);
    fs::write(world.at("long"), format!("{line}\n").repeat(100)).unwrap();
    fs::write(world.at("longer"), format!("{line}\n").repeat(200)).unwrap();
    fs::write(world.at("short"), "one\ntwo\n").unwrap();
    let parts = [("long", 1, None), ("short", 1, None), ("longer", 11, Some(30)), ("longer", 51, None)];
    // A shown line takes 100 bytes; the limit fits 30 lines and the short file.
    let output = world.view(&parts, 512 + 4 * 160 + 22 + 3_000).await.unwrap();
    let wanted = [
        "long Some(1)..Some(10) Some(11)",
        "short Some(1)..Some(2) None",
        "longer Some(11)..Some(20) Some(21)",
        "longer Some(51)..Some(60) Some(61)",
    ];
    assert_eq!(lines(&output), wanted);
    let seen = world.session.ledger.seen(&world.engine.resolve("longer").unwrap()).unwrap();
    assert_eq!(seen.coverage, toolpost_workspace::Coverage::Lines(vec![11..=20, 51..=60]));
}
