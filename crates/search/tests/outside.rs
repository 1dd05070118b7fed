//! Tests that the first answer after a change outside the root is right: ignore rules, hard links, mounts,
//! mappings.
//!
//! The example `search_outside` makes the changes and compares the answers, because it needs a separate home
//! and separate mounts.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod example;

use std::process::Command;

#[test]
fn first_search_sees_outside_ignore_rules_and_hard_links() {
    let home = tempfile::tempdir().unwrap();
    let status = Command::new(example::path("search_outside"))
        .arg("home")
        .arg(home.path())
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env_remove("GIT_CONFIG_GLOBAL")
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn first_search_sees_mounts_below_the_root() {
    let unshare = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--mount"]);
        unshare
    };
    let can = unshare().args(["sh", "-c", "mount -t tmpfs none /mnt"]).output();
    if !can.is_ok_and(|can| can.status.success()) {
        return toolpost_test_rows::skip("nothing can be mounted here");
    }
    let status = unshare().arg(example::path("search_outside")).arg("mounts").status().unwrap();
    assert!(status.success());
}
