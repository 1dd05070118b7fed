//! The example `code_search`, run as a program.

use crate::example_program;
use std::{io::Write, process::Stdio};

#[test]
fn each_line_of_input_gets_the_lines_that_match() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("src")).unwrap();
    std::fs::write(root.path().join("src/main.rs"), "//! A program.\nfn main() {}\n").unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut search = example_program::command("code_search", home.path());
    search.arg(root.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut search = search.spawn().unwrap();
    search.stdin.take().unwrap().write_all(b"fn main\n(\nA program\n").unwrap();
    let done = search.wait_with_output().unwrap();
    let (out, errors) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
    assert!(done.status.success(), "{errors}");
    let lines: Vec<&str> = out.lines().filter(|line| !line.starts_with("[toolpost: ")).collect();
    assert_eq!(lines, ["src/main.rs:2:fn main() {}", "src/main.rs:1://! A program."]);
    // A pattern that is not valid gets a message, and the program goes on.
    assert!(errors.starts_with("(: "), "{errors}");
}

#[test]
fn a_missing_argument_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let done = example_program::command("code_search", home.path()).output().unwrap();
    assert!(!done.status.success());
    assert!(String::from_utf8_lossy(&done.stderr).contains("usage: code_search DIRECTORY"));
}
