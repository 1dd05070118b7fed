//! The help of every command, completions and the manual page.

use crate::common;

use common::{Ended, World};
use std::process::Command;

/// The last line of a short help.
const MORE: &str = "`--help` also lists the options that all commands share, such as --root and --dialect.";

/// Finds all commands, each with its names one below the other, by what the helps list.
fn commands(world: &World) -> Vec<Vec<String>> {
    let mut found = vec![vec![]];
    let mut at = 0;
    while at < found.len() {
        let names: Vec<String> = found[at].clone();
        let help = help(world, &names, "-h");
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed
            .take_while(|line| line.starts_with("  "))
            .filter_map(|line| line.split_whitespace().next());
        found.extend(listed.map(|name| [&names[..], &[name.to_owned()]].concat()));
        at += 1;
    }
    found
}

fn help(world: &World, names: &[String], flag: &str) -> String {
    let arguments: Vec<&str> = names.iter().map(String::as_str).chain([flag]).collect();
    let ended = world.run(&arguments);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{names:?} {flag}");
    ended.out
}

#[test]
fn a_help_shows_the_own_options_first_and_a_short_one_no_others() {
    let world = World::new();
    let commands = commands(&world);
    assert!(commands.len() > 30, "{commands:?}");
    for names in commands {
        let (short, long) = (help(&world, &names, "-h"), help(&world, &names, "--help"));
        assert!(!short.contains("Shared options") && !short.contains("--root <"), "{names:?}:\n{short}");
        assert_eq!(short.trim_end().lines().last(), Some(MORE), "{names:?}");
        assert!(short.lines().count() <= 45, "{names:?}:\n{short}");
        let (own, shared) =
            long.split_once("\nShared options:\n").unwrap_or_else(|| panic!("{names:?}:\n{long}"));
        assert!(shared.contains("--root <DIR>") && shared.contains("--model <NAME>"), "{names:?}:\n{shared}");
        assert!(!own.contains("--root <DIR>") && !shared.contains("--help"), "{names:?}:\n{long}");
        if !names.is_empty() {
            let words: Vec<&str> = ["help"].into_iter().chain(names.iter().map(String::as_str)).collect();
            assert_eq!(world.run(&words).out, long, "{names:?}");
        }
    }
}

#[test]
fn completions_are_scripts_that_name_the_commands() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = world.run(&["completions", shell]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{shell}");
        for name in ["serve", "call", "agent", "completions", "read-only"] {
            assert!(ended.out.contains(name), "{shell}: {name}");
        }
    }
    let script = world.run(&["completions", "bash"]).out;
    let file = world.base().join("out/completions.bash");
    std::fs::write(&file, script).unwrap();
    let asked =
        "COMP_WORDS=(toolpost sk); COMP_CWORD=1; _toolpost toolpost sk toolpost; echo ${COMPREPLY[@]}";
    let line = format!("source {}; {asked}", file.display());
    let said = Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
    assert_eq!(
        String::from_utf8(said.stdout).unwrap(),
        "skills\n",
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
}

#[test]
fn the_manual_page_names_all_commands() {
    let world = World::new();
    let page = world.run(&["man"]);
    assert!(page.code == Some(0) && page.out.contains(".SH SUBCOMMANDS"), "{page:?}");
    let call = world.run(&["man", "call"]);
    assert!(call.code == Some(0) && call.out.contains("expect"), "{call:?}");
    assert_eq!(world.run(&["man", "nope"]).err, "toolpost: unknown command `nope`\n");
}

#[test]
fn skills_can_be_listed_by_name() {
    let world = World::new();
    let plain = world.run(&["skills"]);
    assert_eq!((plain.code, plain.out.as_str()), (Some(0), "no skills\n"));
    assert_eq!(world.run(&["skills", "list"]), plain);
    assert_eq!(world.run(&["skills", "list", "--json"]), world.run(&["skills", "--json"]));
}

/// A pipe whose reader is gone, as after `| head -n 0`.
fn closed_pipe() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn a_closed_pipe_is_no_crash() {
    let world = World::with(&[("a.py", b"def add(a, b):\n    return a + b\n")]);
    let rows: [&[&str]; 16] = [
        &["tools"],
        &["tools", "--format", "markdown"],
        &["tools", "Grep"],
        &["policy", "explain", "ls"],
        &["policy", "explain", "--json", "ls"],
        &["call", "Read", r#"{"file_path":"a.py"}"#],
        &["call", "--json", "Read", r#"{"file_path":"a.py"}"#],
        &["grep", "add"],
        &["search", "add"],
        &["symbols", "find", "add"],
        &["history"],
        &["doctor"],
        &["skills"],
        &["completions", "bash"],
        &["man"],
        &["help", "Grep"],
    ];
    for row in rows {
        let ended = Ended::of(&world.program(row).stdout(closed_pipe()).output().unwrap());
        assert!(!ended.err.contains("panicked"), "{row:?}: {}", ended.err);
        assert!(ended.code.is_some_and(|code| code < 101), "{row:?}: {ended:?}");
    }
}
