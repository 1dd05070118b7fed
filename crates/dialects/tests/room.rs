//! Replies use the room that they have: what fits is whole, what shares gets what the others leave.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{opencode, zblade};

async fn said(world: &World, tool: &str, arguments: Value) -> String {
    words(&world.allowed(tool, arguments).await)
}

/// Number of lines of a form: a reply of 50 KB and 2000 lines holds all of them, or both ends only.
#[tokio::test]
async fn a_file_is_whole_up_to_the_limits_of_a_reply() {
    let rows = [
        (1_900, 20, true),
        (1_450, 29, true),
        (1_000, 49, true),
        (2_000, 2, true),
        (2_001, 2, false),
        (1_050, 49, false),
    ];
    let world = World::new(&zblade::DIALECT);
    for (lines, width, is_whole) in rows {
        let text = format!("{}\n", "x".repeat(width)).repeat(lines);
        world.put("f.txt", &text);
        let whole = said(&world, "read_file", json!({"path": "f.txt"})).await;
        assert_eq!(whole.contains("[TRUNCATED: "), !is_whole, "{lines} lines of {width} bytes");
        assert_eq!(whole.contains(text.trim_end()), is_whole, "{lines} lines of {width} bytes");
    }
    let text: String = (0..1_900).map(|line| format!("line {line}\n")).collect();
    world.put("f.txt", &text);
    let numbered = said(&world, "read_file_range", json!({"path": "f.txt"})).await;
    assert!(numbered.ends_with("1900: line 1899"), "{}", &numbered[numbered.len() - 100..]);
}

#[tokio::test]
async fn a_search_shows_as_many_lines_as_fit() {
    let world = World::new(&zblade::DIALECT);
    world.put("f.txt", "row\n".repeat(5_000));
    let found = said(&world, "grep_search", json!({"pattern": "row"})).await;
    assert_eq!(found.lines().filter(|line| line.starts_with("f.txt:")).count(), 2_000, "{}", found.len());
    assert!(found.contains("the first 2000 of 5000 matching lines in 1 file"), "{found}");
    world.put("f.txt", format!("row {}\n", "x".repeat(45)).repeat(5_000));
    let found = said(&world, "grep_search", json!({"pattern": "row"})).await;
    assert!((48_000..=51_200).contains(&found.len()), "{}", found.len());
}

#[tokio::test]
async fn a_broad_search_is_short_and_a_file_that_is_named_is_read() {
    let world = World::new(&opencode::DIALECT);
    world.put("d/f.txt", "row\n".repeat(700));
    world.put("d/long.txt", format!("{}row", "x".repeat(1_900)));
    let broad = said(&world, "grep", json!({"pattern": "row", "include": "f.txt"})).await;
    assert_eq!(broad.lines().filter(|line| line.starts_with("d/f.txt:")).count(), 100);
    assert!(broad.contains("700 matching lines in 1 file"), "{broad}");
    let file = said(&world, "grep", json!({"pattern": "^", "path": "d/f.txt"})).await;
    assert_eq!(file.lines().filter(|line| line.starts_with("d/f.txt:")).count(), 700);
    let long = said(&world, "grep", json!({"pattern": "^", "path": "d/long.txt"})).await;
    assert!(long.contains("xrow") && !long.contains("more bytes"), "{long}");
}

#[tokio::test]
async fn many_small_files_come_in_one_reply() {
    let world = World::new(&zblade::DIALECT);
    (0..400).for_each(|number| world.put(&format!("mm/{number}"), ""));
    let empty = said(&world, "read_many_files", json!({"paths": ["mm/*"], "max_files": 500})).await;
    assert!(
        empty.contains("\"matched\":400") && !empty.contains("left out"),
        "{}",
        &empty[empty.len() - 400..]
    );
    (0..400).for_each(|number| world.put(&format!("mm/{number}"), "x".repeat(2_000)));
    let large = said(&world, "read_many_files", json!({"paths": ["mm/*"], "max_files": 500})).await;
    assert!((40_000..=51_200).contains(&large.len()), "{}", large.len());
}

#[tokio::test]
async fn a_graph_shows_as_many_uses_as_were_asked_for() {
    let world = World::new(&zblade::DIALECT);
    let callers: String =
        (0..130).map(|number| format!("def caller_{number}():\n    return tgt()\n\n\n")).collect();
    world.put("src/g.py", format!("def tgt():\n    return 1\n\n\n{callers}"));
    let graph = said(&world, "symbol_graph", json!({"path": "src/g.py", "name": "tgt", "limit": 100})).await;
    assert_eq!(graph.matches("\"usage\":\"call\"").count(), 100, "{graph}");
    assert!(graph.contains("incoming 1 to 100 of 130 are shown"), "{graph}");
}

#[tokio::test]
async fn one_large_reply_of_a_batch_gets_the_room_of_the_small_ones() {
    let world = World::new(&zblade::DIALECT);
    let large: String = (0..1_200).map(|line| format!("large {line}\n")).collect();
    world.put("large.txt", &large);
    (0..9).for_each(|number| world.put(&format!("small{number}.txt"), "small\n"));
    for small in [9, 24] {
        let mut calls = vec![json!({"tool": "read_file", "arguments": {"path": "large.txt"}})];
        calls.extend((0..small).map(|number| {
            json!({"tool": "grep_search", "arguments": {"pattern": "small", "path": format!("small{}.txt", number % 9)}})
        }));
        let reply = said(&world, "batch", json!({"calls": calls})).await;
        assert!(reply.len() <= 51_200, "{}", reply.len());
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let output = reply["results"][0]["output"].as_str().unwrap();
        assert!(output.ends_with(large.trim_end()), "{small}: {} bytes", output.len());
    }
    let calls = vec![json!({"tool": "read_file", "arguments": {"path": "large.txt"}}); 20];
    let reply = said(&world, "batch", json!({"calls": calls})).await;
    assert!(reply.len() <= 51_200, "{}", reply.len());
}

#[tokio::test]
async fn lines_that_are_only_counted_are_marked_as_such() {
    let world = World::new(&zblade::DIALECT);
    world.put("zz.csv", format!("h\n{}1,1\n", "0,0\n".repeat(12)));
    let shown = said(&world, "run_command", json!({"program": "cat", "args": ["zz.csv"]})).await;
    assert_eq!(shown, "h\n0,0\n[toolpost: the line above comes 12 times in a row]\n1,1\nExit code: 0");
    let copied = json!({"path": "copy.csv", "content": shown});
    assert!(said(&world, "write_file", copied).await.contains("[toolpost: the line above"));
    assert!(!world.root().join("copy.csv").exists(), "a copy with the notice in it was written");
}

#[tokio::test]
async fn a_search_for_code_shows_as_many_matches_as_were_asked_for() {
    let world = World::new(&zblade::DIALECT);
    world.put("dense.txt", "row\n".repeat(3_000));
    world.put("sparse.txt", "x\nx\nx\nx\nx\nx\nrow\n".repeat(600));
    let rows = [
        ("dense.txt", 500, 500),
        ("dense.txt", 5_000, 1_988),
        ("sparse.txt", 280, 280),
        ("sparse.txt", 600, 284),
    ];
    for (pattern, most, shown) in rows {
        let arguments = json!({"query": "row", "file_pattern": pattern, "max_results": most});
        let found = said(&world, "codebase_search", arguments).await;
        let matches = found.lines().filter(|line| line.starts_with(">>> ")).count();
        assert_eq!(matches, shown, "{pattern} {most}");
        assert!(!found.contains("[TRUNCATED"), "{pattern} {most}");
        let says_why = if matches < most { "the reply is full" } else { "raise max_results" };
        assert!(found.contains(says_why), "{pattern} {most}: {}", &found[found.len() - 200..]);
    }
}
