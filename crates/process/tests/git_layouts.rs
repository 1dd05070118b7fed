//! Test of git's own files: a sandboxed command tries to write every one of them, in every kind of repository.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test looks at the machine")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{World, text};
use toolpost_process::{Available, Launch, Means, Plan, Program, Sandbox, WaitCondition, inner_step_of};

/// Creates the layouts in `work`, from repositories in `out`: a submodule whose name has several components, a
/// submodule of it, worktrees of the repository and of the submodule, a submodule of a worktree, nested repositories
/// with their own submodule and worktree, one without `info` and `hooks`, a bare one, and one whose directory is
/// elsewhere in the root.
const LAYOUTS: &str = r#"
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
g() { git -c protocol.file.allow=always -c init.defaultBranch=main -c user.name=a -c user.email=a@b "$@"; }
repository() { g init -q "$1"; echo x > "$1/f"; g -C "$1" add f; g -C "$1" commit -qm one; }
repository out/leaf
repository out/middle
g -C out/middle submodule --quiet add "$PWD/out/leaf" deep/leaf
g -C out/middle commit -qm two
repository work
g -C work submodule --quiet add "$PWD/out/middle" libs/middle
g -C work commit -qm two
g -C work submodule --quiet update --init --recursive
g -C work worktree add -q ../elsewhere
g -C work worktree add -q linked
g -C work/linked submodule --quiet update --init
g -C work/libs/middle worktree add -q "$PWD/of-submodule"
repository work/nested/repository
g -C work/nested/repository submodule --quiet add "$PWD/out/leaf" leaf
g -C work/nested/repository worktree add -q "$PWD/of-nested"
g init -q --template= work/nested/plain
g clone -q --bare out/leaf work/store/bare.git
g -C work/store/bare.git worktree add -q "$PWD/of-bare"
g init -q --separate-git-dir work/store/separate work/separate
"#;

/// Paths in each of git's own directories that the command tries to write, in addition to the existing files.
const PATHS: &[&str] = &[
    // Files that contain commands, or name the files that do.
    "config",
    "config.worktree",
    "commondir",
    "hooks/post-checkout",
    "info/attributes",
    "modules/new/HEAD",
    "modules/new/config",
    "modules/deep/new/config",
    "modules/libs/new/config",
    "worktrees/new/commondir",
    "worktrees/new/config.worktree",
    // Files of an interrupted operation, which may contain commands.
    "rebase-merge/git-rebase-todo",
    "rebase-apply/patch",
    "sequencer/todo",
    // Files that git reads only as data.
    "HEAD",
    "FETCH_HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "COMMIT_EDITMSG",
    "BISECT_LOG",
    "index",
    "packed-refs",
    "shallow",
    "description",
    "refs/heads/new",
    "logs/HEAD",
    "objects/info/alternates",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "branches/new",
    "remotes/new",
    "rr-cache/a/preimage",
    "gitdir",
    "locked",
];

/// A command that tries to write each file whose path is in the file `list`: it appends a line or, if that fails,
/// moves another file to the path.
const WRITER: &str = r#"exec perl -MFile::Path -MFile::Basename -e '
    while (my $path = <STDIN>) {
        chomp $path;
        eval { File::Path::make_path(dirname($path)) };
        if (open(my $file, ">>", $path)) { print $file "planted\n"; next }
        if (open(my $file, ">", "free")) { print $file "planted\n"; close $file; rename("free", $path) or unlink "free" }
    }' < list"#;

/// Result of a command's attempt to write a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The file was not written.
    Held,
    /// The file was written, and the job reports it.
    Reported,
    /// The file was written, and the job does not report it.
    Silent,
}

/// Returns the outcome that the contract of the sandbox promises for a path in git's own directory.
fn promised(directory: &Path, name: &str) -> Outcome {
    let is_worktree = directory.parent().is_some_and(|above| above.ends_with("worktrees"));
    let first = name.split('/').next().unwrap();
    match (first, name) {
        ("commondir" | "config.worktree" | "modules", _) => Outcome::Held,
        ("rebase-apply", _) | (_, "rebase-merge/git-rebase-todo" | "sequencer/todo") => Outcome::Reported,
        // Git reads these files from the repository of the worktree, never from the worktree's own directory, so
        // they need no protection here.
        ("config" | "hooks" | "worktrees", _) | (_, "info/attributes") if is_worktree => Outcome::Silent,
        ("config" | "hooks" | "worktrees", _) | (_, "info/attributes") => Outcome::Held,
        _ => Outcome::Silent,
    }
}

/// Lists git's own directories below a directory.
fn git_directories(directory: &Path, found: &mut Vec<PathBuf>) {
    let has = |name: &str| directory.join(name).exists();
    if has("HEAD") && (has("objects") || has("commondir")) {
        found.push(directory.to_owned());
    }
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() && entry.file_name() != "objects" {
            git_directories(&entry.path(), found);
        }
    }
}

/// Lists the files in one of git's own directories, without the objects and the repositories in it.
fn files(directory: &Path, top: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let is_other = ["objects", "modules", "worktrees"].iter().any(|other| entry.file_name() == *other);
        if entry.file_type().unwrap().is_file() {
            found.insert(entry.path().strip_prefix(top).unwrap().display().to_string());
        } else if !is_other {
            files(&entry.path(), top, found);
        }
    }
}

fn is_planted(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.ends_with(b"planted\n"))
}

fn check(means: Means) {
    let base = tempfile::Builder::new().prefix("layouts").tempdir_in("/var/tmp").unwrap();
    let made = Command::new("bash").args(["-c", LAYOUTS]).current_dir(base.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let root = base.path().join("work");
    let mut directories = Vec::new();
    git_directories(&root, &mut directories);
    // Five repositories, four submodules and five worktrees.
    assert_eq!(directories.len(), 14, "{directories:#?}");
    let mut all = Vec::new();
    for directory in &directories {
        let mut names: BTreeSet<String> = PATHS.iter().map(|path| (*path).to_owned()).collect();
        files(directory, directory, &mut names);
        all.extend(names.into_iter().map(|name| (directory.clone(), name)));
    }
    let list: Vec<String> =
        all.iter().map(|(directory, name)| format!("{}\n", directory.join(name).display())).collect();
    fs::write(root.join("list"), list.concat()).unwrap();
    let mut plan = Plan::new([root.clone()]);
    plan.means = means;
    let world = World::new();
    let mut launch = Launch::new(Program::line(common::own(WRITER)), root);
    launch.sandbox = Sandbox::On(plan);
    let job = world.start(&launch);
    world.wait(&job, WaitCondition::Ended);
    world.assert_gone(&job);
    let changed = job.changed();
    let outcome = |path: &Path| match is_planted(path) {
        false => Outcome::Held,
        true if changed.iter().any(|reported| path.starts_with(reported)) => Outcome::Reported,
        true => Outcome::Silent,
    };
    let wrong = all.iter().filter_map(|(directory, name)| {
        let (found, wanted) = (outcome(&directory.join(name)), promised(directory, name));
        let place = directory.strip_prefix(base.path()).unwrap().display();
        (found != wanted).then(|| format!("{place} {name}: {found:?}, not {wanted:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{means:?}\n{}\n{}", wrong.join("\n"), text(&job));
}

#[test]
fn files_of_every_git_layout_are_held_or_reported_if_they_hold_commands() {
    let own = std::env::current_exe().unwrap();
    inner_step_of(&own.parent().unwrap().parent().unwrap().join("examples/confined"));
    let mut checked = 0;
    for means in [Means::Landlock, Means::Bubblewrap, Means::Namespaces] {
        if Available::up_to(means).means == means {
            check(means);
            checked += 1;
        } else {
            toolpost_test_rows::skip(&format!("{} is not available", means.name()));
        }
    }
    assert_ne!(checked, 0);
}
