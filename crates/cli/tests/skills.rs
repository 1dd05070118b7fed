//! `toolpost skills`: the list, and the effect of trust.

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

/// Runs the program; returns the exit status, and the output without absolute paths.
fn output(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = world.run(arguments);
    (ended.code, (ended.out + &ended.err).replace(&format!("{}/", world.base().display()), ""))
}

fn used(world: &World) -> bool {
    let reply = world.script_with(&["--dialect", "probe"], &[call("useSkill", json!({ "skillName": "a" }))]);
    let output = words(&reply[0]);
    assert!(output.contains("Do it.") == is_ok(&reply[0]), "{output}");
    is_ok(&reply[0])
}

#[test]
fn skill_trust_ends_when_a_file_changes() {
    let world = world();
    let own = "own  (the user's) home/.agents/skills/own/SKILL.md\n    Mine.\n";
    let untrusted = format!("{own}a  (the project's, not trusted) ws/{FILE}\n    Does A.\n");
    let trusted = format!("a  (the project's, trusted) ws/{FILE}\n    Does A.\n{own}");
    assert_eq!(output(&world, &["skills"]), (Some(0), untrusted.clone()));
    assert!(!used(&world));
    let (code, words) = output(&world, &["skills", "trust", "b"]);
    assert_eq!(
        (code, words.as_str()),
        (Some(2), "toolpost: the project has no skill `b`; the project's skills are: a\n")
    );
    let (code, words) = output(&world, &["skills", "trust", "a"]);
    assert_eq!(code, Some(0));
    assert!(
        words.starts_with(&format!("trusted until it changes, with all files in its directory: ws/{FILE} (")),
        "{words}"
    );
    assert_eq!(output(&world, &["skills"]), (Some(0), trusted));
    assert!(used(&world));
    world.write(".claude/skills/a/run.sh", b"echo\n");
    assert_eq!(output(&world, &["skills"]), (Some(0), untrusted.clone()));
    assert!(!used(&world));
    output(&world, &["skills", "trust"]);
    assert!(used(&world));
    output(&world, &["skills", "trust", "--revoke"]);
    assert_eq!(output(&world, &["skills"]), (Some(0), untrusted));
    // The target of the link can change without a change of the skill's directory.
    let link = world.base().join("ws/.claude/skills/a/link.sh");
    std::os::unix::fs::symlink("../../../run.sh", link).unwrap();
    let why = format!(
        "ws/{FILE} cannot be trusted, because link.sh is a link to a target outside the skill's directory; correct \
         that, or pass the names of the other skills"
    );
    assert_eq!(output(&world, &["skills", "trust"]), (Some(2), format!("toolpost: {why}\n")));
    assert!(!used(&world));
}
