//! Tests that a program with other threads is not the helper of a sandbox, and that the error gives the reason.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests start programs")]

mod common;

use std::path::PathBuf;
use std::process::Command;

use toolpost_process::{Available, Means, inner_step_of};

/// Returns the program that calls `inner_step` while it has two threads.
fn late() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples/late")
}

/// Returns whether `bwrap` can create a sandbox on this machine.
fn has_bwrap() -> bool {
    let arguments = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "/bin/true"];
    let ended = Command::new("/usr/bin/bwrap").args(arguments).output();
    let works = ended.as_ref().is_ok_and(|out| out.status.success());
    if !works {
        toolpost_test_rows::skip(&format!("bubblewrap is not available: {ended:?}"));
    }
    works
}

#[test]
fn program_with_threads_does_not_become_the_helper() {
    if !has_bwrap() {
        return;
    }
    let out = Command::new(late()).output().unwrap();
    let printed = String::from_utf8(out.stdout).unwrap();
    let wanted =
        "called `toolpost::sandbox::init` while other threads ran: call it first in a plain `fn main`";
    let is_reason = |line: &str| line.starts_with("bubblewrap: ") && line.contains(wanted);
    assert!(printed.lines().any(is_reason), "{printed}");
}

/// A program that calls `inner_step` too late does not go on with its own `main` outside the sandbox.
#[test]
fn program_with_threads_does_not_become_the_launcher() {
    let out = Command::new(late()).args(["toolpost-launcher", "3", "4"]).output().unwrap();
    assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(1), &b""[..]));
}

#[test]
fn helper_with_threads_exits_and_reports_the_reason() {
    if !has_bwrap() {
        return;
    }
    inner_step_of(&late());
    let found = Available::up_to(Means::Bubblewrap);
    let (_, why) = found.failed.iter().find(|(means, _)| *means == Means::Bubblewrap).unwrap();
    let wanted =
        "the sandbox's helper program calls `toolpost::sandbox::init` while other threads run: it must";
    assert!(why.starts_with(wanted), "{why}");
}
