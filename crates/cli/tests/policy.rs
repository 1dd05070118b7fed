//! `toolpost policy`: what is explained, and how long a project's rules are trusted.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use common::World;
use serde_json::Value;

const RULES: &str = "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"cargo test\"]\ndecide = \"allow\"\nwhy = \"Ours.\"\n\n\
                     [examples]\nallow = [\"cargo test -q\"]\n";

/// What the program says, its place taken out, and whether it went well.
fn said(world: &World, arguments: &[&str]) -> (String, bool) {
    let output = world.program(&[&["policy"], arguments].concat()).output().unwrap();
    let words = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let words = String::from_utf8(words).unwrap().replace(&world.root().display().to_string(), "{root}");
    (words, output.status.success())
}

fn verdict(world: &World, command: &str) -> String {
    let (words, fine) = said(world, &["explain", "--json", command]);
    assert!(fine, "{words}");
    let explained: Value = serde_json::from_str(&words).unwrap();
    explained["decision"].as_str().unwrap().to_owned()
}

#[test]
fn each_part_is_explained_with_its_rule() {
    let world = World::with(&[(
        ".toolpost/policy.toml",
        b"\n[[rule]]\ntouch = [\"execute\"]\ncommands = [\"git push\"]\n\
        decide = \"deny\"\nwhy = \"Not from here.\"\n",
    )]);
    let (words, fine) = said(&world, &["explain", "make > log; env git -C x push"]);
    assert_eq!(
        words,
        "make > log\n  ask    no rule allows it\n  ask    write log: no rule allows it; what a command writes is not kept in the \
         history\nenv git -C x push\n  allow  it does nothing but run the command behind it\ngit -C x push  (in env)\n  deny   Not \
         from here. [`git push`, {root}/.toolpost/policy.toml, line 2]\nverdict: deny\n"
    );
    assert!(fine);
    assert_eq!(said(&world, &["explain", "echo", "a; b"]).0.lines().last(), Some("verdict: allow"));
    assert_eq!(said(&world, &["explain", "echo a; b"]).0.lines().last(), Some("verdict: ask"));
    assert!(!said(&world, &["explain"]).1);
}

#[test]
fn trust_ends_with_any_change_of_the_file() {
    let world = World::new();
    let nothing = "toolpost: no root has a file .toolpost/policy.toml, so there is nothing to trust\n";
    assert_eq!(said(&world, &["trust"]), (nothing.to_owned(), false));
    world.write(".toolpost/policy.toml", RULES.as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "ask");
    assert!(said(&world, &["trust"]).1);
    assert_eq!(verdict(&world, "cargo test"), "allow");
    world.write(".toolpost/policy.toml", format!("{RULES}# more\n").as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "ask");
    world.write(".toolpost/policy.toml", RULES.as_bytes());
    assert_eq!(verdict(&world, "cargo test"), "allow");
    assert_eq!(
        said(&world, &["trust", "--revoke"]),
        ("no longer trusted: {root}/.toolpost/policy.toml\n".to_owned(), true)
    );
    assert_eq!(verdict(&world, "cargo test"), "ask");
    world.write(".toolpost/policy.toml", b"[examples]\nallow = [\"make\"]\n");
    assert!(!said(&world, &["trust"]).1);
}
