//! Checks of launchers that need a separate process.
//!
//! Tests start it: `launchers mount` in a new mount namespace, and `launchers helper`, which replaces the helper of the
//! process. A check that fails panics.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use common::launchers::{Host, example, launched_by};
use toolpost_process::{Plan, Sandbox, inner_step_of};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("mount") => a_new_mount_shows_in_the_next_command(),
        Some("helper") => a_helper_in_a_root_is_no_launcher(),
        other => panic!("{other:?}: use `launchers mount` or `launchers helper`"),
    }
}

/// A file system that is mounted in a root while a launcher exists is visible in the next command.
fn a_new_mount_shows_in_the_next_command() {
    inner_step_of(&example());
    let host = Host::new();
    host.warm_up();
    assert_eq!(host.run("ls sub | wc -l"), "0\n");
    let place = host.at("work/sub");
    assert!(Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&place).status().unwrap().success());
    fs::write(place.join("file"), "").unwrap();
    let seen: Vec<String> = (0..4).map(|_| host.run("ls sub")).collect();
    assert!(Command::new("umount").arg(&place).status().unwrap().success());
    assert_eq!(seen, ["file\n"; 4]);
    assert_eq!(host.run("ls sub | wc -l"), "0\n");
}

/// A helper that commands can replace is not executed outside a sandbox, by no session.
fn a_helper_in_a_root_is_no_launcher() {
    let host = Host::new();
    let helper = host.at("outside/helper");
    fs::copy(example(), &helper).unwrap();
    // The path of the root leads to the helper through a link.
    symlink(host.at("outside"), host.at("link")).unwrap();
    inner_step_of(&helper);
    let launch = host.launch("sleep 46106");
    assert_eq!(launched_by(&host, &launch), [false, false, true, true]);
    let mut exposed = launch.clone();
    exposed.sandbox = Sandbox::On(Plan::new([host.at("link")]));
    exposed.directory = host.at("outside");
    assert_eq!(launched_by(&host, &exposed), [false; 4]);
    // The helper may be another file by now.
    assert_eq!(launched_by(&host, &launch), [false; 4]);
}
