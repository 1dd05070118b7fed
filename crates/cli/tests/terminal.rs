//! Commands at a terminal: readers that stop early, and next steps that a user can follow.

use crate::common;
use toolpost_test_rows::each;

use common::World;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::process::Stdio;

/// A workspace with code, a change in its history, and a link.
fn world() -> World {
    let world =
        World::with(&[("a.py", b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"), ("'q'", b"x\n")]);
    let written = world.run(&["call", "Write", r#"{"file_path": "new", "content": "x\n"}"#]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    world
}

/// Commands with results, with errors and with warnings.
const COMMANDS: &[&[&str]] = &[
    &["grep", ""],
    &["grep", "f("],
    &["grep", "f", "none"],
    &["search", "returns"],
    &["search", "returns", "none"],
    &["symbols", "outline", "a.py"],
    &["symbols", "outline", "none.py"],
    &["symbols", "outline", "'q'"],
    &["symbols", "find", "f"],
    &["symbols", "callers", "f"],
    &["symbols", "callers", "none"],
    &["symbols", "callees", "none.py#f"],
    &["symbols", "rename", "none", "other"],
    &["history"],
    &["history", "--limit", "0"],
    &["diff"],
    &["diff", "none"],
    &["undo", "none"],
    &["policy", "explain", "make; git push"],
    &["policy", "trust"],
    &["skills"],
    &["doctor"],
    &["tools"],
    &["tools", "--dialect", "none"],
    &["help"],
    &["man"],
    &["completions", "bash"],
    &["agent", "list"],
    &["call", "Read", "{}"],
    &["call", "Read", r#"{"file_path": "a.py"}"#],
    &["none"],
];

#[test]
fn closed_output_pipes_do_not_change_the_exit_status() {
    let world = world();
    each(COMMANDS, |arguments| {
        let usual = world.run(arguments).code;
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = world.program(arguments);
        let closed = command.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
        assert_eq!(closed.code(), usual, "{arguments:?}");
        assert!(closed.code().is_some_and(|code| code <= 2), "{arguments:?}: {closed}");
    });
}

/// Runs a command with its output at a terminal, and returns the output.
fn at_terminal(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let side =
        ioctl_tiocgptpeer(&terminal, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    let mut command = world.program(arguments);
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(side.try_clone().unwrap()).stderr(side);
    let mut child = command.spawn().unwrap();
    // The dropped command held the last copies of the other side of the terminal in this process. So reading ends with
    // an error when the child exits.
    drop(command);
    let (mut output, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count) = rustix::io::read(&terminal, &mut buffer)
        && count > 0
    {
        output.extend_from_slice(&buffer[..count]);
    }
    child.wait().unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn only_a_terminal_without_no_color_gets_colours() {
    let world = world();
    let commands: [&[&str]; 5] =
        [&["history"], &["diff"], &["doctor"], &["grep", "f"], &["search", "--exact", "def g"]];
    each(commands, |arguments| {
        // On a slow machine, the output contains progress lines, which are erased.
        let output =
            |variable: (&str, &str)| at_terminal(&world, arguments, &[variable]).replace("\u{1b}[K", "");
        for variable in [("TERM", "xterm"), ("NO_COLOR", "")] {
            let coloured = output(variable);
            assert!(coloured.contains("\u{1b}["), "{arguments:?}, {variable:?}: {coloured}");
        }
        for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let plain = output(variable);
            assert!(!plain.is_empty() && !plain.contains('\u{1b}'), "{arguments:?}, {variable:?}: {plain}");
        }
        let piped = world.run(arguments).out;
        assert!(!piped.is_empty() && !piped.contains('\u{1b}'), "{arguments:?}: {piped}");
    });
}

/// These commands call tools of the dialects, but their errors must not name the tools or show JSON.
#[test]
fn command_errors_show_no_tool_names_or_json() {
    let world = world();
    let searches = COMMANDS.iter().filter(|arguments| ["grep", "search", "symbols"].contains(&arguments[0]));
    each(searches, |arguments| {
        let error_output = world.run(arguments).err;
        for dialect in toolpost_dialects::ALL {
            for tool in dialect.tools.iter().filter(|tool| tool.name.len() > 6) {
                assert!(
                    !error_output.contains(tool.name),
                    "{arguments:?} names {}: {error_output}",
                    tool.name
                );
            }
        }
        assert!(!error_output.contains("{\""), "{arguments:?}: {error_output}");
    });
    let error_output = |arguments: &[&str]| world.run(arguments).err;
    assert!(
        error_output(&["grep", "f("]).contains("As literal text: 'f\\('"),
        "{}",
        error_output(&["grep", "f("])
    );
    let missing = error_output(&["symbols", "outline", "none.py"]);
    assert!(missing.contains("Find it with `find . -name 'none.py'`."), "{missing}");
}

/// Overloads with one implementation are one symbol; two implementations are not.
#[test]
fn overloads_are_one_symbol() {
    let world = World::with(&[
        (
            "ask.py",
            b"from typing import overload\n\n\n@overload\ndef ask(text: str) -> str: ...\n@overload\ndef ask(text: int) -> int:\n    \
              ...\ndef ask(text):\n    return clean(text)\n\n\ndef clean(text):\n    return text\n",
        ),
        ("use.py", b"from ask import ask\n\n\ndef use():\n    return ask(1)\n"),
        ("twice.ts", b"function pick(a: string): string;\nfunction pick(a: number): number;\nfunction pick(a: any) { return a }\npick(1);\n"),
        ("if.py", b"import sys\n\nif sys.platform == 'x':\n    def run():\n        return 1\nelse:\n    def run():\n        return 2\n"),
    ]);
    let callers = world.run(&["symbols", "callers", "ask"]);
    assert!(
        callers.code == Some(0) && callers.out.contains("use.py:5  use"),
        "{} {}",
        callers.out,
        callers.err
    );
    let callees = world.run(&["symbols", "callees", "ask"]);
    assert!(
        callees.code == Some(0) && callees.out.contains("ask.py:10  clean"),
        "{} {}",
        callees.out,
        callees.err
    );
    let overloads = world.run(&["symbols", "callers", "pick"]);
    assert!(
        overloads.code == Some(0) && overloads.out.contains("twice.ts:4"),
        "{} {}",
        overloads.out,
        overloads.err
    );
    let both = world.run(&["symbols", "callees", "run"]);
    let headed = both.out.lines().filter(|line| line.starts_with("python:if.py#run(function)")).count();
    assert_eq!((both.code, headed), (Some(0), 2), "{} {}", both.out, both.err);
    let callers = world.run(&["symbols", "callers", "run"]).out;
    assert!(callers.starts_with("No callers are known."), "{callers}");
}
