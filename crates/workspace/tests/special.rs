//! Special files never block and are never read.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use toolpost_test_rows::each;

use common::{World, obeying_modes};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use toolpost_workspace::{AccessKind, Kind, Options, OwnerWritable, Scope, Workspace, hash};

fn world() -> World {
    let world = World::new();
    world.write("file", "content");
    world.write("dir/inner", "inner");
    mknodat(CWD, world.at("fifo"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    drop(UnixListener::bind(world.at("socket")).unwrap());
    symlink("/dev/zero", world.at("zero")).unwrap();
    symlink("file", world.at("link")).unwrap();
    File::create(world.at("huge")).unwrap().set_len(10 << 30).unwrap();
    world
}

#[test]
fn only_regular_files_are_opened() {
    let world = world();
    let workspace = world.open();
    let rows = [
        ("file", Ok(7)),
        ("link", Ok(7)),
        ("fifo", Err(AccessKind::NotRegular(Kind::Fifo))),
        ("socket", Err(AccessKind::NotRegular(Kind::Socket))),
        ("dir", Err(AccessKind::IsDirectory)),
        (".", Err(AccessKind::IsDirectory)),
        ("missing", Err(AccessKind::Missing)),
        ("dir/missing/deep", Err(AccessKind::Missing)),
        ("huge", Ok(10 << 30)),
    ];
    each(rows, |(requested, wanted)| {
        let path = workspace.resolve(requested).unwrap();
        let opened = workspace.open_file(&path).map(|file| file.stat().len).map_err(|error| error.why);
        assert_eq!(opened, wanted, "{requested}");
    });
}

#[test]
fn devices_inside_a_root_are_refused_too() {
    let world = world();
    let options = Options { roots: vec!["/dev".into()], scope: Scope::Any, ..world.options() };
    let (workspace, _) = Workspace::open(options).unwrap();
    each(["zero", "full", "random", "tty", "ptmx"], |name| {
        let path = workspace.resolve(name).unwrap();
        let why = workspace.read(&path, 100).map(|snapshot| snapshot.bytes).map_err(|error| error.why);
        assert_eq!(why, Err(AccessKind::NotRegular(Kind::Device)), "{name}");
    });
}

#[test]
fn read_has_a_size_limit_and_open_files_can_seek() {
    let world = world();
    let workspace = world.open();
    let huge = workspace.resolve("huge").unwrap();
    let why = workspace.read(&huge, 1 << 20).unwrap_err().why;
    assert_eq!(why, AccessKind::TooLarge { len: 10 << 30, limit: 1 << 20 });
    let mut opened = workspace.open_file(&huge).unwrap();
    opened.seek(SeekFrom::Start((10 << 30) - 2)).unwrap();
    let mut end = Vec::new();
    opened.read_to_end(&mut end).unwrap();
    assert_eq!(end, [0, 0]);

    let file = workspace.resolve("file").unwrap();
    let snapshot = workspace.read(&file, 7).unwrap();
    assert_eq!((snapshot.bytes.as_slice(), snapshot.hash), (b"content".as_slice(), hash(b"content")));
    assert_eq!(workspace.read(&file, 6).unwrap_err().why, AccessKind::TooLarge { len: 7, limit: 6 });
    // Files in /proc report zero bytes, but have content.
    let options = Options { roots: vec!["/proc/self".into()], scope: Scope::Any, ..world.options() };
    let (process, _) = Workspace::open(options).unwrap();
    let status = process.read(&process.resolve("status").unwrap(), 1 << 16).unwrap();
    assert!(status.bytes.starts_with(b"Name:"));
}

#[test]
fn stat_reports_kind_size_mode_links_and_time() {
    let world = world();
    let workspace = world.open();
    fs::set_permissions(world.at("file"), std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    fs::hard_link(world.at("file"), world.at("second")).unwrap();
    let stat = workspace.stat(&workspace.resolve("file").unwrap()).unwrap();
    let found = (stat.kind, stat.len, stat.mode, stat.links, stat.owner_writable);
    assert_eq!(found, (Kind::File, 7, 0o444, 2, OwnerWritable::No));
    let modified = fs::metadata(world.at("file")).unwrap().modified().unwrap();
    let modified = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    assert_eq!(stat.modified, i128::try_from(modified).unwrap());
    let link = workspace.stat(&workspace.resolve_entry("link").unwrap()).unwrap();
    assert_eq!(link.kind, Kind::Link);
}

#[test]
fn listing_is_sorted_and_does_not_follow_links() {
    let world = world();
    let workspace = world.open();
    let entries = workspace.list(&workspace.resolve(".").unwrap()).unwrap();
    let found: Vec<(&str, Kind)> =
        entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
    let wanted = [
        ("dir", Kind::Directory),
        ("fifo", Kind::Fifo),
        ("file", Kind::File),
        ("huge", Kind::File),
        ("link", Kind::Link),
        ("socket", Kind::Socket),
        ("zero", Kind::Link),
    ];
    assert_eq!(found, wanted);
    let why = |requested: &str| workspace.list(&workspace.resolve(requested).unwrap()).unwrap_err().why;
    assert_eq!((why("file"), why("missing")), (AccessKind::NotADirectory, AccessKind::Missing));
}

#[test]
fn unreadable_files_and_directories_are_reported_as_denied() {
    let world = world();
    let workspace = world.open();
    for name in ["file", "dir"] {
        fs::set_permissions(world.at(name), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    }
    obeying_modes(|| {
        let why = workspace.read(&workspace.resolve("file").unwrap(), 10).unwrap_err().why;
        assert_eq!(why, AccessKind::Denied);
        assert!(matches!(workspace.resolve("dir/inner"), Err(toolpost_workspace::PathError::Denied { .. })));
    });
    fs::set_permissions(world.at("dir"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}
