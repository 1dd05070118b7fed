//! `toolpost skills`: what is listed, and what trust does.

use crate::common;

use common::{World, call, is_ok, words};
use serde_json::json;

const FILE: &str = ".claude/skills/a/SKILL.md";

fn world() -> World {
    let world = World::with(&[(FILE, b"---\nname: a\ndescription: Does A.\n---\nDo it.\n")]);
    let own = world.base().join("home/.agents/skills/own");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("SKILL.md"), "---\nname: own\ndescription: Mine.\n---\nMine.\n").unwrap();
    world
}

/// What the program says, with the places of this machine taken out.
fn said(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = world.run(arguments);
    (ended.code, (ended.out + &ended.err).replace(&format!("{}/", world.base().display()), ""))
}

fn used(world: &World) -> bool {
    let reply = world.script_with(&["--dialect", "probe"], &[call("useSkill", json!({ "skillName": "a" }))]);
    let said = words(&reply[0]);
    assert!(said.contains("Do it.") == is_ok(&reply[0]), "{said}");
    is_ok(&reply[0])
}

#[test]
fn trust_holds_until_a_file_changes() {
    let world = world();
    let own = "own  (the user's) home/.agents/skills/own/SKILL.md\n    Mine.\n";
    let untrusted = format!("{own}a  (the project's, not trusted) ws/{FILE}\n    Does A.\n");
    let trusted = format!("a  (the project's, trusted) ws/{FILE}\n    Does A.\n{own}");
    assert_eq!(said(&world, &["skills"]), (Some(0), untrusted.clone()));
    assert!(!used(&world));
    let (code, words) = said(&world, &["skills", "trust", "b"]);
    assert_eq!((code, words.as_str()), (Some(2), "toolpost: the project has no skill `b`; it has a\n"));
    let (code, words) = said(&world, &["skills", "trust", "a"]);
    assert_eq!(code, Some(0));
    assert!(
        words.starts_with(&format!("trusted until it changes, with all files in its directory: ws/{FILE} (")),
        "{words}"
    );
    assert_eq!(said(&world, &["skills"]), (Some(0), trusted));
    assert!(used(&world));
    world.write(".claude/skills/a/run.sh", b"echo\n");
    assert_eq!(said(&world, &["skills"]), (Some(0), untrusted.clone()));
    assert!(!used(&world));
    said(&world, &["skills", "trust"]);
    assert!(used(&world));
    said(&world, &["skills", "trust", "--revoke"]);
    assert_eq!(said(&world, &["skills"]), (Some(0), untrusted));
}
