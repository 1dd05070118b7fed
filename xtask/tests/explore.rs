//! `cargo xtask explore` with scripts in place of test binaries.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use xtask::explore::{ExplorationResult, PropertyTest, binaries, explore, properties};

/// Creates a test binary that runs a script.
fn binary(folder: &Path, name: &str, script: &str) -> PropertyTest {
    let binary = folder.join(name);
    fs::write(&binary, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    PropertyTest { binary, folder: folder.to_owned(), name: name.to_owned() }
}

#[test]
fn property_tests_run_with_the_seed_until_the_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let tests = [
        binary(place, "passes", "test \"$1 $2 $PROPTEST_RNG_SEED\" = '--exact passes 7'"),
        binary(place, "fails", "echo counterexample; echo here >&2; exit 1"),
        binary(place, "also_passes", "test -x passes"),
        binary(place, "hangs", ": > begun; exec sleep 7000"),
        binary(place, "hangs_too", ": > begun_too; exec sleep 7000"),
        binary(place, "hangs_again", "exec sleep 7000"),
    ];
    // The time is over when both processors run a test that hangs; a machine with more of them starts all.
    let is_over = || place.join("begun").exists() && (place.join("begun_too").exists() || is_single());
    let mut explored = explore(&tests, 7, &place.join("logs"), &is_over).unwrap();
    explored.passed.sort();
    assert_eq!(explored.passed, ["also_passes", "passes"]);
    assert_eq!(explored.failed, [("fails".to_owned(), "counterexample\nhere\n".to_owned())]);
    let mut rest = [explored.stopped.clone(), explored.waiting.clone()].concat();
    rest.sort();
    assert_eq!(rest, ["hangs", "hangs_again", "hangs_too"]);
    assert!(!explored.stopped.is_empty());
}

/// Returns whether this machine has one processor.
fn is_single() -> bool {
    std::thread::available_parallelism().is_ok_and(|number| number.get() == 1)
}

#[test]
fn nothing_starts_after_the_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let tests = [binary(folder.path(), "one", ": > begun")];
    let explored = explore(&tests, 7, &folder.path().join("logs"), &|| true).unwrap();
    assert_eq!(
        explored,
        ExplorationResult { waiting: vec!["one".to_owned()], ..ExplorationResult::default() }
    );
    assert!(!folder.path().join("begun").exists());
}

#[test]
fn test_binaries_are_read_from_the_messages_of_cargo() {
    let messages = [
        r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/a/Cargo.toml","profile":{"test":true},"executable":"/r/target/a-1"}"#,
        r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/a/Cargo.toml","profile":{"test":false},"executable":"/r/target/a"}"#,
        r#"{"reason":"compiler-artifact","manifest_path":"/r/crates/b/Cargo.toml","profile":{"test":true},"executable":null}"#,
        r#"{"reason":"build-finished","success":true}"#,
        "not JSON",
    ];
    assert_eq!(
        binaries(&messages.join("\n")),
        [(PathBuf::from("/r/target/a-1"), PathBuf::from("/r/crates/a"))]
    );
}

#[test]
fn properties_and_tests_with_a_seed_are_found() {
    // In capitals, so that this test is not one of those that are found.
    let code = "proptest! {\n    #[test]\n    fn kept(text in \".*\") {\n    }\n}\n\n\
                fn helper() {\n    SEED(1);\n}\n\n\
                #[test]\nfn fixed() {\n    reSEED(1);\n    // SEED(1)\n    test.SEED(1);\n}\n\n\
                #[test]\n#[cfg(unix)]\nfn seeded() {\n    let mut dice = Dice(SEED(1));\n    let other = SEED(2);\n}\n\n\
                mod inner {\n    #[tokio::test]\n    async fn waiting() {\n        let dice = SEED(7);\n    }\n}\n";
    assert_eq!(properties(&code.replace("SEED", "seed")), ["seeded", "waiting", "kept"]);
}
