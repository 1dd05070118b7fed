//! The help of every command, completions and the manual page.

use crate::common;
use toolpost_test_rows::each;

use common::{RunResult, World};
use std::process::Command;

/// The last line of a short help.
const MORE: &str = "`--help` also lists the options that all commands share, such as --root and --dialect.";

/// Finds all commands and subcommands in the help texts; each is a list of names, such as `index`, `push`.
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
fn help_shows_own_options_before_shared_options() {
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
fn completion_scripts_name_the_commands() {
    let world = World::new();
    each(["bash", "zsh", "fish", "elvish", "powershell"], |shell| {
        let ended = world.run(&["completions", shell]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{shell}");
        each(["serve", "call", "agent", "completions", "read-only"], |name| {
            assert!(ended.out.contains(name), "{shell}: {name}");
        });
    });
    let script = world.run(&["completions", "bash"]).out;
    let file = world.base().join("out/completions.bash");
    std::fs::write(&file, script).unwrap();
    let asked =
        "COMP_WORDS=(toolpost sk); COMP_CWORD=1; _toolpost toolpost sk toolpost; echo ${COMPREPLY[@]}";
    let line = format!("source {}; {asked}", file.display());
    let printed = Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
    assert_eq!(
        String::from_utf8(printed.stdout).unwrap(),
        "skills\n",
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );
}

#[test]
fn manual_pages_list_commands_and_describe_options() {
    let world = World::new();
    let page = world.run(&["man"]);
    assert!(page.code == Some(0) && page.out.contains(".SH SUBCOMMANDS"), "{page:?}");
    let call = world.run(&["man", "call"]);
    assert!(call.code == Some(0) && call.out.contains("expect"), "{call:?}");
    assert_eq!(world.run(&["man", "nope"]).err, "toolpost: unknown command `nope`\n");
    // Each option has a description, that is, a line after its name.
    for page in [page.out, call.out, world.run(&["man", "serve"]).out] {
        let (_, options) = page.split_once(".SH OPTIONS").unwrap();
        let (options, _) = options.split_once("\n.SH ").unwrap_or((options, ""));
        for option in options.split("\n.TP\n").skip(1) {
            let description = option.lines().nth(1).unwrap_or_default();
            assert!(description.len() > 10 && !description.starts_with('.'), "{option}");
        }
    }
}

#[test]
fn skills_list_prints_the_same_as_skills() {
    let world = World::new();
    let plain = world.run(&["skills"]);
    assert_eq!((plain.code, plain.out.as_str()), (Some(0), "no skills\n"));
    assert_eq!(world.run(&["skills", "list"]), plain);
    assert_eq!(world.run(&["skills", "list", "--json"]), world.run(&["skills", "--json"]));
}

/// Returns a pipe whose reader is closed, as after `| head -n 0`.
fn closed_pipe() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn closed_pipes_cause_no_panic() {
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
    each(rows, |row| {
        let ended = RunResult::of(&world.program(row).stdout(closed_pipe()).output().unwrap());
        assert!(!ended.err.contains("panicked"), "{row:?}: {}", ended.err);
        assert!(ended.code.is_some_and(|code| code < 101), "{row:?}: {ended:?}");
    });
}
