//! Large commits with a low limit on open files.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use common::{World, example};

/// Runs the example with at most 256 descriptors.
fn run(world: &World, environment: &[(&str, &str)], arguments: &[String]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 256 && exec \"$@\"", "sh"]).arg(example());
    command.arg(world.root()).arg(world.state()).args(arguments);
    command.envs(environment.iter().copied()).output().unwrap()
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all(count: usize, content: &str) -> Vec<String> {
    (0..count).flat_map(|name| [format!("f{name}"), content.to_owned()]).collect()
}

#[test]
fn commit_beyond_the_descriptor_limit_changes_no_file() {
    let refused = "400 files cannot be changed in one call: too many files are open (EMFILE: Too many open files). \
                   Change fewer at a time, or raise the limit on open files\n";
    for (count, wanted) in [(1, ""), (150, ""), (400, refused)] {
        let world = World::new();
        for name in 0..count {
            world.write(&format!("f{name}"), "old");
        }
        let before = world.tree();
        let output = run(&world, &[], &all(count, "new"));
        assert_eq!(text_of(&output.stderr), wanted, "{count} files");
        let content = if wanted.is_empty() { "new" } else { "old" };
        let after: Vec<String> = before.iter().map(|line| line.replace("old", content)).collect();
        assert_eq!(world.tree(), after, "{count} files");
        assert!(!text_of(&output.stdout).contains("locks are not available"), "{count} files");
        assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"], "{count} files");
    }
}

#[test]
fn large_directory_is_deleted_and_restored() {
    let world = World::new();
    world.write("mine", "mine");
    // Nearly as many entries as the history stores of a directory. Most are links, because links need no sync.
    for name in 0..900 {
        world.write(&format!("d/{}/{name}", name % 49), name.to_string());
    }
    for name in 900..9_900 {
        symlink("nowhere", world.at(&format!("d/{}/{name}", name % 49))).unwrap();
    }
    let before = world.tree();
    let output = run(&world, &[], &["d".to_owned(), "--".to_owned()]);
    assert_eq!((text_of(&output.stdout), text_of(&output.stderr)), ("d: Deleted\n".into(), String::new()));
    assert_eq!(world.tree(), ["mine=mine"]);
    let output = run(&world, &[("TOOLPOST_UNDO", "1")], &[]);
    assert_eq!((text_of(&output.stdout), text_of(&output.stderr)), ("\n".into(), String::new()));
    assert_eq!(world.tree(), before);
    assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"]);
}
