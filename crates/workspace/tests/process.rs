//! Effects of the environment of a process: umask, file size limit, unwritable directories.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use common::{World, example, is_root_user, skipped};

/// An unprivileged user.
const NOBODY: u32 = 65_534;

fn shell(world: &World, before: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{before}; exec \"$@\"")).arg("sh").arg(example());
    command.arg(world.root()).arg(world.state()).args(arguments).output().unwrap()
}

#[test]
fn new_files_get_what_the_mask_leaves() {
    for (mask, file, directory) in [("022", 0o644, 0o755), ("027", 0o640, 0o750), ("077", 0o600, 0o700)] {
        let world = World::new();
        let output = shell(&world, &format!("umask {mask}"), &["d/f", "new", "g", "new"]);
        assert!(output.status.success(), "{output:?}");
        let mode = |name: &str| fs::metadata(world.at(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("d/f"), mode("g"), mode("d")), (file, file, directory), "{mask}");
    }
}

#[test]
fn a_size_limit_is_an_error_and_not_the_end() {
    let world = World::new();
    world.write("f", "old");
    let before = world.tree();
    for arguments in [&["f", "new*50000"][..], &["g", "new", "f", "new*900000"]] {
        let output = shell(&world, "ulimit -f 64", arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), said.contains("EFBIG"), world.tree()),
            (Some(1), true, before.clone()),
            "{said}"
        );
    }
}

/// Runs the example as an unprivileged user.
fn unprivileged(world: &World, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(example());
    command.arg(world.root()).arg(world.state()).args(arguments);
    if is_root_user() {
        for entry in ["", "ws", "state", "ws/a", "ws/ro/f"] {
            chown(world.base().join(entry), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    } else {
        fs::set_permissions(world.at("ro"), PermissionsExt::from_mode(0o555)).unwrap();
    }
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            skipped(&format!("nobody may not run the example ({error})"));
            None
        }
    }
}

fn world_with_a_read_only_directory() -> World {
    let world = World::new();
    world.write("a", "A");
    world.write("ro/f", "F");
    world
}

#[test]
fn an_unwritable_directory_undoes_all() {
    let world = world_with_a_read_only_directory();
    let before = world.tree();
    let Some(output) = unprivileged(&world, &["a", "new", "ro/new", "new", "z", "new"]) else { return };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let wanted = "ro/new: permission denied (EACCES: Permission denied) creating the new file\n";
    assert_eq!((said.as_str(), world.tree()), (wanted, before));
}

#[test]
fn a_file_in_an_unwritable_directory_is_rewritten() {
    let world = world_with_a_read_only_directory();
    let inode = fs::metadata(world.at("ro/f")).unwrap().ino();
    let Some(output) = unprivileged(&world, &["a", "new", "ro/f", "a longer text than before"]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wanted = "a: Replaced\nro/f: Replaced\nro/f was rewritten in place, because it could not be replaced \
                  (EACCES: Permission denied)\n";
    assert_eq!(said, wanted, "{output:?}");
    assert_eq!(world.tree(), ["a=new", "ro/", "ro/f=a longer text than before"]);
    assert_eq!(fs::metadata(world.at("ro/f")).unwrap().ino(), inode);
}

/// Runs a script in a mount namespace: `$WS` is the root, `$X` the example with its root and state directory.
fn mounted(world: &World, script: &str) -> Option<Output> {
    let flags: &[&str] = if is_root_user() { &["-m"] } else { &["-Urm"] };
    let probe = Command::new("unshare").args(flags).args(["mount", "-t", "tmpfs", "t", "/mnt"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        skipped("nothing can be mounted here");
        return None;
    }
    let run = format!(
        "x() {{ '{}' '{}' '{}' \"$@\"; }}",
        example().display(),
        world.root().display(),
        world.state().display()
    );
    let mut command = Command::new("unshare");
    command.args(flags).args([
        "sh",
        "-c",
        &format!("set -e; cd '{}'; {run}; {script}", world.root().display()),
    ]);
    Some(command.output().unwrap())
}

#[test]
fn a_full_disk_leaves_the_original_and_nothing_else() {
    let world = World::new();
    let script = r"
        mount -t tmpfs -o size=1m t .; cd .
        head -c 600000 /dev/zero | tr '\0' a > f; cp f ../orig
        x f 'bbbbbbbbbbbbbbb*93750' 2>err && exit 3; grep -q ENOSPC err || cat err
        rm err; cmp ../orig f; ls -A
        x f small new 'bbbbbbbbbbbbbbb*40000' 2>../err && exit 4; grep -q ENOSPC ../err || cat ../err
        cmp ../orig f; ls -A
    ";
    let script = script.replace(
        "cd .
",
        &format!(
            "cd '{}'
",
            world.root().display()
        ),
    );
    let Some(output) = mounted(&world, &script) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "f\nf\n", "{output:?}");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_change_is_made_where_the_history_finds_no_room() {
    let world = World::new();
    world.write("f", "old");
    let state = world.state().display().to_string();
    let script = format!(
        "mount -t tmpfs -o size=256k,mode=700 t '{state}'; x f 'bbbbbbbbbbbbbbb*40000'; head -c 8 f; x f 'now it fits'; ls '{state}/journals'"
    );
    let Some(output) = mounted(&world, &script) else { return };
    let wanted = "f: Replaced\nthis change cannot be undone: the history could not be written (ENOSPC: No space left on \
                  device)\nbbbbbbbbf: Replaced\n";
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with(wanted), "{output:?}");
    assert_eq!((world.read("f").as_str(), output.status.code()), ("now it fits", Some(0)), "{output:?}");
}

#[test]
fn mount_points_are_written_through() {
    let world = World::new();
    world.write("bound", "old");
    world.write("mnt/keep", "k");
    fs::write(world.out("source"), "old").unwrap();
    let source = world.out("source").display().to_string();
    let script = format!(
        "mount --bind '{source}' bound; mount -t tmpfs t mnt; x bound new mnt/f new; cat bound mnt/f; ls -A . mnt"
    );
    let Some(output) = mounted(&world, &script) else { return };
    let wanted =
        "bound: Replaced\nmnt/f: Created\nbound was rewritten in place, because it could not be replaced (";
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with(wanted) && said.ends_with(")\nnewnew.:\nbound\nmnt\n\nmnt:\nf\n"), "{output:?}");
    assert_eq!(fs::read_to_string(world.out("source")).unwrap(), "new");
}

#[test]
fn a_state_directory_that_others_may_change_is_refused() {
    let world = World::new();
    let run = || shell(&world, "true", &["f", "new"]);
    fs::create_dir_all(world.state()).unwrap();
    for (mode, is_refused) in [(0o700, false), (0o755, false), (0o775, true), (0o777, true), (0o1777, true)] {
        fs::set_permissions(world.state(), fs::Permissions::from_mode(mode)).unwrap();
        let output = run();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(!output.status.success(), is_refused, "{mode:o}: {said}");
        assert_eq!(said.contains("others may write to it"), is_refused, "{mode:o}: {said}");
    }
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o700)).unwrap();
    if is_root_user() {
        chown(world.state(), Some(NOBODY), None).unwrap();
        let output = run();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("it belongs to user 65534"), "{said}");
        chown(world.state(), Some(0), None).unwrap();
    }
}
