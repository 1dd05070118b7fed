//! The example `approvals`, run as a program.

use crate::example_program;
use std::{
    io::Write,
    path::Path,
    process::{Output, Stdio},
};
use toolpost_test_rows::skip;

/// Runs the example in a directory, with a line of input that answers the prompt.
fn run(root: &Path, command: &str, answer: &str) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut program = example_program::command("approvals", home.path());
    program.arg(root).arg(command);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = program.spawn().unwrap();
    program.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    program.wait_with_output().unwrap()
}

#[test]
fn a_command_runs_only_after_the_answer_y() {
    if toolpost::sandbox::available().means == toolpost::sandbox::Means::Nothing {
        skip("no sandbox is available on this machine");
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let created = root.path().join("created");
    // The prompt shows the command; an empty line, and the end of input, deny it.
    for answer in ["\n", "n\n", ""] {
        let denied = run(root.path(), "python3 -c 'open(\"created\", \"w\")'", answer);
        let (out, prompt) =
            (String::from_utf8_lossy(&denied.stdout), String::from_utf8_lossy(&denied.stderr));
        assert_eq!(denied.status.code(), Some(1), "{answer:?}: {out}\n{prompt}");
        assert!(prompt.contains("python3"), "{prompt}");
        assert!(out.contains("The user at the terminal denied it."), "{out}");
        assert!(!created.exists());
    }
    let allowed = run(root.path(), "python3 -c 'open(\"created\", \"w\")'", "y\n");
    let out = String::from_utf8_lossy(&allowed.stdout);
    assert_eq!(allowed.status.code(), Some(0), "{out}\n{}", String::from_utf8_lossy(&allowed.stderr));
    assert!(created.exists(), "{out}");
}
