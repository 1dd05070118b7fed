//! The tools of the `probe` dialect that read trees, call by call.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_runtime::Outcome;

fn world(files: &[(&str, &str)]) -> World {
    let world = World::new(&toolpost_dialects::probe::DIALECT);
    files.iter().for_each(|(name, text)| world.put(name, text));
    world
}

/// Calls a tool: what was done, or why not.
async fn call(world: &World, tool: &str, arguments: Value) -> Result<String, String> {
    let outcome = world.call(tool, arguments).await;
    if let Outcome::Done(_) = outcome { Ok(words(&outcome)) } else { Err(words(&outcome)) }
}

/// Gives the places that a reply names.
fn places(reply: &str) -> Vec<&str> {
    reply.lines().filter(|line| line.contains(".") && !line.contains(['|', '[', '…'])).collect()
}

#[tokio::test]
async fn code_is_found_in_the_files_that_are_meant() {
    let large = format!("f(0);\n{}", "// much\n".repeat(1_100_000));
    let world = world(&[
        ("b.ts", "f(1);\nf(2);\n"),
        ("a/c.tsx", "const x = <A b={f(3)} />;\n"),
        ("a/b.py", "f(4)\n"),
        ("z.js", "f(5);\n"),
        ("broken.js", "f(6); function (\n"),
        ("large.js", &large),
        ("text.txt", "f(7)\n"),
        (".gitignore", "hidden\n"),
        ("hidden/d.ts", "f(8);\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
    ]);
    let rows = [
        (
            json!({"pattern": "f($A)", "language": "typescript"}),
            "a/c.tsx:1:17  $A = 3, b.ts:1:1  $A = 1, b.ts:2:1  $A = 2",
        ),
        (json!({"pattern": "f($A)", "language": "ts", "path": "b.ts", "limit": 1}), "b.ts:1:1  $A = 1"),
        (json!({"pattern": "f($A)", "path": "a"}), "a/b.py:1:1  $A = 4, a/c.tsx:1:17  $A = 3"),
        (json!({"pattern": "f($A)", "lang": "js"}), "broken.js:1:1  $A = 6, z.js:1:1  $A = 5"),
        (json!({"query": "f($A)", "file": "z.js"}), "z.js:1:1  $A = 5"),
    ];
    for (arguments, wanted) in rows {
        let reply = call(&world, "query", arguments.clone()).await;
        let found = reply.as_deref().map(|reply| places(reply).join(", "));
        assert_eq!(found, Ok(wanted.to_owned()), "{arguments}: {reply:?}");
    }
    let reply = call(&world, "query", json!({"pattern": "f($A)", "language": "javascript"})).await.unwrap();
    for said in [
        "[toolpost: 2 places in 2 files]",
        "[toolpost: 1 file with parts that the parser does not understand; code there may not have been found]",
        "1 file larger than 8 MiB (large.js)",
    ] {
        assert!(reply.contains(said), "{said} is not in {reply}");
    }
}

#[tokio::test]
async fn what_cannot_be_searched_is_a_failure() {
    let world = world(&[("a.js", "f(1);\n"), ("b.txt", "f(1)\n")]);
    let rows = [
        (
            json!({"pattern": "f(", "language": "js"}),
            "The pattern is no code of javascript: its parser does not understand \"f(\".",
        ),
        (json!({"pattern": " "}), "The pattern is empty."),
        (json!({"pattern": "a; b;", "language": "js"}), "The pattern is 2 pieces of javascript and not one;"),
        (json!({"pattern": "$$$A"}), "`$$$A` alone stands for any number of nodes;"),
        (
            json!({"pattern": ") ("}),
            "The pattern is no code of any language of programs that is known here: bash, c,",
        ),
        (
            json!({"pattern": "f($A)", "language": "rst"}),
            "There is no parser for the language \"rst\". Known are: bash, c,",
        ),
        (json!({"pattern": "f($A)", "language": "rst"}), "Did you mean css, or rust"),
        (json!({"pattern": "f($A)", "path": "b.js"}), "b.js does not exist"),
        (json!({"pattern": "f($A)", "path": "b.txt"}), "There is no parser for b.txt:"),
        (json!({"pattern": "f($A)", "path": "a.js", "language": "go"}), "a.js is javascript, not go."),
        (json!({"pattern": "f($A)", "limit": 0}), "limit"),
    ];
    for (arguments, wanted) in rows {
        let reply = call(&world, "query", arguments.clone()).await;
        assert!(matches!(&reply, Err(words) if words.contains(wanted)), "{arguments}: {reply:?}");
    }
}

#[tokio::test]
async fn lines_that_a_pattern_found_can_be_edited() {
    let world = world(&[("a.js", "f(1);\ng(2);\n")]);
    let reply = call(&world, "query", json!({"pattern": "g($A)"})).await.unwrap();
    let line = reply.lines().find(|line| line.ends_with("| g(2);")).unwrap();
    let start = line.split(" |").next().unwrap();
    let arguments = json!({"file_path": "a.js", "start_line": start, "new_string": "g(3);"});
    assert!(call(&world, "edit", arguments).await.is_ok());
    assert_eq!(world.files()["a.js"], b"f(1);\ng(3);\n");
}
