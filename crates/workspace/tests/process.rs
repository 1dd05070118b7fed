//! Effects of the environment of a process: umask, file size limit, unwritable directories.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};
use toolpost_test_rows::{each, public::PublicCopies, skip};

use common::{World, example, is_root_user};

/// User id of an unprivileged user.
const NOBODY: u32 = 65_534;

fn shell(world: &World, before: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{before}; exec \"$@\"")).arg("sh").arg(example());
    command.arg(world.root()).arg(world.state()).args(arguments).output().unwrap()
}

#[test]
fn new_files_respect_the_umask() {
    for (mask, file, directory) in [("022", 0o644, 0o755), ("027", 0o640, 0o750), ("077", 0o600, 0o700)] {
        let world = World::new();
        let output = shell(&world, &format!("umask {mask}"), &["d/f", "new", "g", "new"]);
        assert!(output.status.success(), "{output:?}");
        let mode = |name: &str| fs::metadata(world.at(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("d/f"), mode("g"), mode("d")), (file, file, directory), "{mask}");
    }
}

#[test]
fn file_size_limit_is_an_error_and_does_not_end_the_process() {
    let world = World::new();
    world.write("f", "old");
    let before = world.tree();
    for arguments in [&["f", "new*50000"][..], &["g", "new", "f", "new*900000"]] {
        let output = shell(&world, "ulimit -f 64", arguments);
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), printed.contains("EFBIG"), world.tree()),
            (Some(1), true, before.clone()),
            "{printed}"
        );
    }
}

/// Runs the example as an unprivileged user.
fn unprivileged(world: &World, arguments: &[&str]) -> Output {
    let programs = PublicCopies::new(&world.base().join("programs"), &["commit"]);
    let mut command = Command::new(programs.example("commit"));
    command.arg(world.root()).arg(world.state()).args(arguments);
    if is_root_user() {
        for entry in ["", "ws", "state", "state/seal.key", "ws/a", "ws/ro/f"] {
            chown(world.base().join(entry), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    } else {
        fs::set_permissions(world.at("ro"), PermissionsExt::from_mode(0o555)).unwrap();
    }
    command.output().unwrap()
}

fn world_with_a_read_only_directory() -> World {
    let world = World::new();
    world.write("a", "A");
    world.write("ro/f", "F");
    world
}

#[test]
fn unwritable_directory_reverts_the_whole_commit() {
    let world = world_with_a_read_only_directory();
    let before = world.tree();
    let output = unprivileged(&world, &["a", "new", "ro/new", "new", "z", "new"]);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let wanted = "ro/new could not be changed: permission denied while creating the new file (EACCES: Permission denied)\n";
    assert_eq!((printed.as_str(), world.tree()), (wanted, before));
}

#[test]
fn file_in_an_unwritable_directory_is_rewritten_in_place() {
    let world = world_with_a_read_only_directory();
    let inode = fs::metadata(world.at("ro/f")).unwrap().ino();
    let output = unprivileged(&world, &["a", "new", "ro/f", "a longer text than before"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let wanted = "a: Replaced\nro/f: Replaced\nro/f was rewritten in place, because it could not be replaced \
                  (EACCES: Permission denied)\n";
    assert_eq!(printed, wanted, "{output:?}");
    assert_eq!(world.tree(), ["a=new", "ro/", "ro/f=a longer text than before"]);
    assert_eq!(fs::metadata(world.at("ro/f")).unwrap().ino(), inode);
}

/// Runs a shell script in a mount namespace, in the root. The command `x` runs the example; its first two
/// arguments, the root and the state directory, are added.
fn mounted(world: &World, script: &str) -> Option<Output> {
    let flags: &[&str] = if is_root_user() { &["-m"] } else { &["-Urm"] };
    let probe = Command::new("unshare").args(flags).args(["mount", "-t", "tmpfs", "t", "/mnt"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        skip("nothing can be mounted here");
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

/// On a read-only file system the commit creates no temporary file, so it must not report a leftover.
#[test]
fn read_only_file_system_is_reported_without_leftovers() {
    let world = World::new();
    world.write("f", "old");
    world.write("d/x", "X");
    let before = world.tree();
    each(["f new", "f new d/x new", "d/new new", "new/deep/file new"], |changes| {
        let script = format!(
            "mount --bind . .; mount -o remount,ro,bind . .; cd '{}'; x {changes}",
            world.root().display()
        );
        let Some(output) = mounted(&world, &script) else { return };
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            printed.contains("EROFS") && printed.trim_end().lines().count() == 1,
            "{changes}: {output:?}"
        );
        assert!(
            !printed.contains("could not be removed") && !output.status.success(),
            "{changes}: {printed}"
        );
        assert_eq!(world.tree(), before, "{changes}");
    });
}

#[test]
fn change_succeeds_if_the_history_has_no_disk_space() {
    let world = World::new();
    world.write("f", "old");
    let state = world.state().display().to_string();
    let script = format!(
        "mount -t tmpfs -o size=256k,mode=700 t '{state}'; x f 'bbbbbbbbbbbbbbb*40000'; head -c 8 f; x f 'now it fits'; ls '{state}/journals'"
    );
    let Some(output) = mounted(&world, &script) else { return };
    let wanted = "f: Replaced\nthis change cannot be undone: the history could not be written (ENOSPC: No space left on \
                  device)\nbbbbbbbbf: Replaced\n";
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with(wanted), "{output:?}");
    assert_eq!((world.read("f").as_str(), output.status.code()), ("now it fits", Some(0)), "{output:?}");
}

#[test]
fn mounted_file_is_rewritten_in_place() {
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
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        printed.starts_with(wanted) && printed.ends_with(")\nnewnew.:\nbound\nmnt\n\nmnt:\nf\n"),
        "{output:?}"
    );
    assert_eq!(fs::read_to_string(world.out("source")).unwrap(), "new");
}

#[test]
fn state_directory_that_others_can_write_is_refused() {
    let world = World::new();
    let run = || shell(&world, "true", &["f", "new"]);
    fs::create_dir_all(world.state()).unwrap();
    each(
        [(0o700, false), (0o755, false), (0o775, true), (0o777, true), (0o1777, true)],
        |(mode, is_refused)| {
            fs::set_permissions(world.state(), fs::Permissions::from_mode(mode)).unwrap();
            let output = run();
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(!output.status.success(), is_refused, "{mode:o}: {printed}");
            assert_eq!(printed.contains("other users can write to it"), is_refused, "{mode:o}: {printed}");
        },
    );
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o700)).unwrap();
    if is_root_user() {
        chown(world.state(), Some(NOBODY), None).unwrap();
        let output = run();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && printed.contains("it belongs to user 65534"), "{printed}");
        chown(world.state(), Some(0), None).unwrap();
    }
}

/// Two users with a group in common, each with a state directory, and a root that the group may write to.
struct Users {
    world: World,
    programs: PublicCopies,
}

impl Users {
    const GROUP: u32 = 65_533;

    fn new() -> Self {
        let world = World::new();
        let base = world.base();
        fs::set_permissions(&base, PermissionsExt::from_mode(0o755)).unwrap();
        chown(world.root(), Some(NOBODY), Some(Self::GROUP)).unwrap();
        fs::set_permissions(world.root(), PermissionsExt::from_mode(0o2775)).unwrap();
        for user in 0..2 {
            let state = base.join(format!("state-{user}"));
            fs::create_dir(&state).unwrap();
            fs::set_permissions(&state, PermissionsExt::from_mode(0o700)).unwrap();
            chown(&state, Some(Self::id(user)), Some(Self::GROUP)).unwrap();
        }
        let programs = PublicCopies::new(&base.join("programs"), &["commit"]);
        Self { world, programs }
    }

    fn id(user: u32) -> u32 {
        NOBODY - user
    }

    /// Returns a command that runs the example as `user`, with the state directory of the user `state`.
    fn command(&self, user: u32, state: u32) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "umask 002; exec \"$@\"", "sh"]);
        command.arg(self.programs.example("commit")).arg(self.world.root());
        command.arg(self.world.base().join(format!("state-{state}"))).current_dir("/");
        command.uid(Self::id(user)).gid(Self::GROUP);
        command
    }

    /// Runs the example as a user, with this user's state directory. Returns the standard output or the error
    /// output.
    fn run(&self, user: u32, arguments: &[&str]) -> String {
        output_text(&self.command(user, user).args(arguments).output().unwrap())
    }

    fn undo(&self, user: u32) -> String {
        output_text(&self.command(user, user).env("TOOLPOST_UNDO", "1").output().unwrap())
    }

    fn owner(&self, name: &str) -> (u32, u32, u32) {
        let stat = fs::metadata(self.world.at(name)).unwrap();
        (stat.uid(), stat.gid(), stat.mode() & 0o777)
    }
}

fn output_text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

#[test]
fn two_users_of_one_repository_have_separate_histories() {
    if !is_root_user() {
        skip("only root can act as two users");
        return;
    }
    let users = Users::new();
    let (world, [one, two]) = (&users.world, [0, 1].map(Users::id));
    let first = users.run(0, &["f", "of one"]);
    assert_eq!((first.as_str(), users.owner("f")), ("f: Created\n", (one, Users::GROUP, 0o664)));
    // The history of a user has the changes of this user only.
    let none = "the history of this workspace is empty, or all its changes are undone\n";
    assert_eq!((users.undo(1).as_str(), world.read("f").as_str()), (none, "of one"));
    // Replacing a file of the other user changes its owner, and the reply reports that.
    let kept = "f: Replaced\nthe owner of f could not be preserved\n";
    assert_eq!(
        (users.run(1, &["f", "of two"]).as_str(), users.owner("f")),
        (kept, (two, Users::GROUP, 0o664))
    );
    let refused = users.undo(0);
    assert!(refused.contains("was not undone, because f has other content now"), "{refused}");
    assert_eq!(world.read("f"), "of two");
    let undone = users.undo(1);
    assert_eq!((undone.as_str(), world.read("f").as_str()), ("\n", "of one"));
    assert_eq!((users.undo(0).as_str(), world.tree()), ("\n", vec![]));
    // A file that the other user may not read is left alone.
    users.run(0, &["secret", "S"]);
    fs::set_permissions(world.at("secret"), PermissionsExt::from_mode(0o600)).unwrap();
    let denied = users.run(1, &["secret", "mine"]);
    assert!(denied.contains("permission denied"), "{denied}");
    assert_eq!((world.read("secret").as_str(), users.owner("secret").0), ("S", one));
    // In a sticky directory, a user cannot replace files of another user, so the file is rewritten in place.
    users.run(0, &["sticky/f", "of one"]);
    fs::set_permissions(world.at("sticky"), PermissionsExt::from_mode(0o3775)).unwrap();
    let rewritten = users.run(1, &["sticky/f", "of two"]);
    assert!(rewritten.contains("was rewritten in place"), "{rewritten}");
    assert_eq!((world.read("sticky/f").as_str(), users.owner("sticky/f").0), ("of two", one));
    // The state directory of another user is not used.
    let foreign = output_text(&users.command(1, 0).args(["f", "x"]).output().unwrap());
    let wanted = format!("it belongs to user {one}, and this process runs as user {two}");
    assert!(foreign.contains(&wanted), "{foreign}");
}

/// Two processes with different state directories, such as those of two users, increment one number. No
/// increment is lost.
#[test]
fn concurrent_increments_of_two_users_are_not_lost() {
    let (world, users) = (World::new(), is_root_user().then(Users::new));
    let command = |user: u32| match &users {
        Some(users) => users.command(user, user),
        None => {
            let mut command = Command::new(example());
            command.arg(world.root()).arg(world.base().join(format!("state-{user}")));
            command
        }
    };
    let root = users.as_ref().map_or(&world, |users| &users.world);
    root.write("number", "0");
    fs::set_permissions(root.at("number"), PermissionsExt::from_mode(0o664)).unwrap();
    let count = |user: u32| {
        let mut command = command(user);
        command.arg("number").env("TOOLPOST_INCREMENTS", "200");
        std::thread::spawn(move || command.output().unwrap())
    };
    let counts = [count(0), count(1)].map(|counting| counting.join().unwrap());
    let sum = counts.iter().map(|output| output_text(output).trim().parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!((root.read("number"), sum >= 200), (sum.to_string(), true), "{counts:?}");
}
