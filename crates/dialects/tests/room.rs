//! Replies use their size limit: parts that fit are complete, and longer parts share the remaining room.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};

async fn reply_text(world: &World, tool: &str, arguments: Value) -> String {
    words(&world.allowed(tool, arguments).await)
}

/// A reply of at most 50 KB and 2000 lines shows all lines of a file that fits, and only the beginning and
/// the end of any other file.
#[tokio::test]
async fn files_within_reply_limits_are_shown_whole() {
    let rows = [
        (1_900, 20, true),
        (1_450, 29, true),
        (1_000, 49, true),
        (2_000, 2, true),
        (2_001, 2, false),
        (1_050, 49, false),
    ];
    let world = World::new(&zblade::DIALECT);
    each_async(rows, async |(lines, width, is_whole)| {
        let text = format!("{}\n", "x".repeat(width)).repeat(lines);
        world.put("f.txt", &text);
        let whole = reply_text(&world, "read_file", json!({"path": "f.txt"})).await;
        assert_eq!(whole.contains("[TRUNCATED: "), !is_whole, "{lines} lines of {width} bytes");
        assert_eq!(whole.contains(text.trim_end()), is_whole, "{lines} lines of {width} bytes");
    })
    .await;
    let text: String = (0..1_900).map(|line| format!("line {line}\n")).collect();
    world.put("f.txt", &text);
    let numbered = reply_text(&world, "read_file_range", json!({"path": "f.txt"})).await;
    assert!(numbered.ends_with("1900: line 1899"), "{}", &numbered[numbered.len() - 100..]);
}

/// Follows the next step of each reply about a long file until all lines were shown: each reply but the last is
/// nearly full, and no line is shown twice.
#[tokio::test]
async fn paging_a_long_file_fills_replies_and_repeats_no_line() {
    let world = World::new(&zblade::DIALECT);
    for (lines, width) in [(3_799_usize, 38), (9_000, 5), (700, 300)] {
        world.put("f.txt", format!("{}\n", "x".repeat(width)).repeat(lines));
        let (mut seen, mut arguments) = (vec![0; lines + 1], json!({"path": "f.txt"}));
        for step in 0.. {
            assert!(step < 30, "{lines} lines of {width} bytes");
            let reply = reply_text(&world, "read_file_range", arguments).await;
            let numbers = reply.lines().filter_map(|line| line.split_once(": x")?.0.parse::<usize>().ok());
            numbers.for_each(|number| seen[number] += 1);
            let Some((_, next)) = reply.split_once("continue with read_file_range, start_line ") else {
                break;
            };
            let is_full = reply.len() > 40_000 || reply.lines().count() > 1_900;
            assert!(is_full || !reply.contains("[TRUNCATED: "), "{} bytes: {next}", reply.len());
            let (start, end) = next.trim_end_matches(']').split_once(", end_line ").unwrap();
            let (start, end): (u64, u64) = (start.parse().unwrap(), end.parse().unwrap());
            arguments = json!({"path": "f.txt", "start_line": start, "end_line": end});
            let rest = seen.iter().skip(1).position(|count| *count == 0);
            assert_eq!(rest.map(|rest| rest as u64 + 1), Some(start));
        }
        let twice = seen.iter().skip(1).filter(|count| **count > 1).count();
        assert_eq!(twice, 0, "{lines} lines of {width} bytes");
    }
}

#[tokio::test]
async fn grep_search_shows_as_many_lines_as_fit() {
    let world = World::new(&zblade::DIALECT);
    world.put("f.txt", "row\n".repeat(5_000));
    let found = reply_text(&world, "grep_search", json!({"pattern": "row"})).await;
    assert_eq!(found.lines().filter(|line| line.starts_with("f.txt:")).count(), 2_000, "{}", found.len());
    assert!(found.contains("the first 2000 of 5000 matching lines in 1 file"), "{found}");
    world.put("f.txt", format!("row {}\n", "x".repeat(45)).repeat(5_000));
    let found = reply_text(&world, "grep_search", json!({"pattern": "row"})).await;
    assert!((48_000..=51_200).contains(&found.len()), "{}", found.len());
}

/// A cut reply has 50 KB or 2000 lines, as the reference allows, whatever the sizes of paths and lines are.
#[tokio::test]
async fn a_cut_search_fills_the_reply_in_any_shape() {
    // Files, the length of their paths, their lines, and the length of a line.
    let rows = [
        (1, 5, 9_000, 4),
        (1, 5, 3_000, 60),
        (1, 5, 400, 390),
        (1, 5, 300, 2_500),
        (40, 180, 80, 30),
        (700, 30, 3, 40),
        (2_600, 12, 1, 10),
        (2_600, 12, 1, 300),
        (150, 200, 6, 700),
    ];
    each_async(rows, async |(files, path, lines, width)| {
        let world = World::new(&zblade::DIALECT);
        let line = format!("row {}\n", "x".repeat(width));
        for number in 0..files {
            let name = format!("{number:05}");
            let folder = "d".repeat(path - name.len());
            let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            world.put(&name, line.repeat(lines));
        }
        for tool in ["grep_search", "rg"] {
            let found = reply_text(&world, tool, json!({"pattern": "row"})).await;
            let shown = found.lines().filter(|line| line.contains(":row ") || line.contains(":1:")).count();
            let at = format!("{tool} {files} {path} {lines} {width}: {} bytes, {shown} lines", found.len());
            assert!(found.contains("matching lines in"), "{at}");
            assert!(found.len() >= 48_000 || shown >= 1_990, "{at}");
            assert!(found.len() <= 51_200 && found.lines().count() <= 2_001, "{at}");
        }
    })
    .await;
}

#[tokio::test]
async fn grep_cuts_broad_searches_but_not_a_named_file() {
    let world = World::new(&opencode::DIALECT);
    world.put("d/f.txt", "row\n".repeat(700));
    world.put("d/long.txt", format!("{}row", "x".repeat(1_900)));
    let broad = reply_text(&world, "grep", json!({"pattern": "row", "include": "f.txt"})).await;
    assert_eq!(broad.lines().filter(|line| line.starts_with("d/f.txt:")).count(), 100);
    assert!(broad.contains("700 matching lines in 1 file"), "{broad}");
    let file = reply_text(&world, "grep", json!({"pattern": "^", "path": "d/f.txt"})).await;
    assert_eq!(file.lines().filter(|line| line.starts_with("d/f.txt:")).count(), 700);
    let long = reply_text(&world, "grep", json!({"pattern": "^", "path": "d/long.txt"})).await;
    assert!(long.contains("xrow") && !long.contains("more bytes"), "{long}");
}

#[tokio::test]
async fn read_many_files_fits_400_small_files_in_one_reply() {
    let world = World::new(&zblade::DIALECT);
    (0..400).for_each(|number| world.put(&format!("mm/{number}"), ""));
    let empty = reply_text(&world, "read_many_files", json!({"paths": ["mm/*"], "max_files": 500})).await;
    assert!(
        empty.contains("\"matched\":400") && !empty.contains("left out"),
        "{}",
        &empty[empty.len() - 400..]
    );
    (400..600).for_each(|number| world.put(&format!("mm/{number}"), ""));
    let many = reply_text(&world, "read_many_files", json!({"paths": ["mm/*"], "max_files": 500})).await;
    let entries = many.matches("{\"path\":").count();
    assert!(entries >= 460 && (48_000..=51_200).contains(&many.len()), "{entries} in {}", many.len());
    assert!(
        many.contains("are left out, because a reply has a limited size"),
        "{}",
        &many[many.len() - 400..]
    );
    (0..400).for_each(|number| world.put(&format!("mm/{number}"), "x".repeat(2_000)));
    let large = reply_text(&world, "read_many_files", json!({"paths": ["mm/*"], "max_files": 500})).await;
    assert!((40_000..=51_200).contains(&large.len()), "{}", large.len());
}

#[tokio::test]
async fn symbol_graph_shows_as_many_uses_as_the_limit() {
    let world = World::new(&zblade::DIALECT);
    let callers: String =
        (0..130).map(|number| format!("def caller_{number}():\n    return tgt()\n\n\n")).collect();
    world.put("src/g.py", format!("def tgt():\n    return 1\n\n\n{callers}"));
    let graph =
        reply_text(&world, "symbol_graph", json!({"path": "src/g.py", "name": "tgt", "limit": 100})).await;
    assert_eq!(graph.matches("\"usage\":\"call\"").count(), 100, "{graph}");
    assert!(graph.contains("incoming uses 1 to 100 of 130 are shown"), "{graph}");
}

#[tokio::test]
async fn batch_gives_unused_room_to_the_large_reply() {
    let world = World::new(&zblade::DIALECT);
    let large: String = (0..1_200).map(|line| format!("large {line}\n")).collect();
    world.put("large.txt", &large);
    (0..9).for_each(|number| world.put(&format!("small{number}.txt"), "small\n"));
    for small in [9, 24] {
        let mut calls = vec![json!({"tool": "read_file", "arguments": {"path": "large.txt"}})];
        calls.extend((0..small).map(|number| {
            json!({"tool": "grep_search", "arguments": {"pattern": "small", "path": format!("small{}.txt", number % 9)}})
        }));
        let reply = reply_text(&world, "batch", json!({"calls": calls})).await;
        assert!(reply.len() <= 51_200, "{}", reply.len());
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let output = reply["results"][0]["output"].as_str().unwrap();
        assert!(output.ends_with(large.trim_end()), "{small}: {} bytes", output.len());
    }
    let calls = vec![json!({"tool": "read_file", "arguments": {"path": "large.txt"}}); 20];
    let reply = reply_text(&world, "batch", json!({"calls": calls})).await;
    assert!(reply.len() <= 51_200, "{}", reply.len());
}

#[tokio::test]
async fn collapsed_repeated_lines_are_marked() {
    let world = World::new(&zblade::DIALECT);
    world.put("zz.csv", format!("h\n{}1,1\n", "0,0\n".repeat(12)));
    let shown = reply_text(&world, "run_command", json!({"program": "cat", "args": ["zz.csv"]})).await;
    assert_eq!(shown, "h\n0,0\n[toolpost: the line above occurs 12 times in a row]\n1,1\nExit code: 0");
    let copied = json!({"path": "copy.csv", "content": shown});
    assert!(reply_text(&world, "write_file", copied).await.contains("[toolpost: the line above"));
    assert!(!world.root().join("copy.csv").exists(), "a file with the text of a notice was written");
}

#[tokio::test]
async fn codebase_search_shows_up_to_max_results() {
    let world = World::new(&zblade::DIALECT);
    world.put("dense.txt", "row\n".repeat(3_000));
    world.put("sparse.txt", "x\nx\nx\nx\nx\nx\nrow\n".repeat(600));
    let rows = [
        ("dense.txt", 500, 500),
        ("dense.txt", 5_000, 1_988),
        ("sparse.txt", 280, 280),
        ("sparse.txt", 600, 284),
    ];
    each_async(rows, async |(pattern, most, shown)| {
        let arguments = json!({"query": "row", "file_pattern": pattern, "max_results": most});
        let found = reply_text(&world, "codebase_search", arguments).await;
        let matches = found.lines().filter(|line| line.starts_with(">>> ")).count();
        assert_eq!(matches, shown, "{pattern} {most}");
        assert!(!found.contains("[TRUNCATED"), "{pattern} {most}");
        let says_why = if matches < most { "the reply is full" } else { "raise max_results" };
        assert!(found.contains(says_why), "{pattern} {most}: {}", &found[found.len() - 200..]);
    })
    .await;
}

#[tokio::test]
async fn the_reply_to_an_overwritten_file_is_short() {
    let world = World::new(&zblade::DIALECT);
    let text = |word: &str| (0..200).map(|line| format!("{word} {line}\n")).collect::<String>();
    world.put("f.txt", text("before"));
    let write =
        |content: String| reply_text(&world, "write_file", json!({"path": "f.txt", "content": content}));
    let all = write(text("after")).await;
    assert!(all.starts_with("wrote ") && all.contains("more lines of the diff"), "{all}");
    assert!(all.len() < 500, "{all}");
    let one = write(text("after").replace("after 7\n", "changed\n")).await;
    assert!(one.contains("+changed") && !one.contains("of the diff"), "{one}");
}

/// The shown and the omitted lines of a diff add up to all removed and added lines.
#[tokio::test]
async fn omitted_diff_lines_are_counted_at_any_length() {
    let mut counted = 0;
    let writes = [
        (&zblade::DIALECT, "write_file", "path"),
        (&trae::DIALECT, "write_to_file", "file_path"),
        (&probe::DIALECT, "create", "file_path"),
        (&opencode::DIALECT, "write", "filePath"),
        (&claude::DIALECT, "Write", "file_path"),
    ];
    each_async([20, 90, 110, 300, 3_000], async |lines| {
        each_async(writes, async |(dialect, name, path)| {
            let world = World::new(dialect);
            let text = |word: &str| (0..lines).map(|line| format!("{word} {line}\n")).collect::<String>();
            let mut found = String::new();
            for (word, again) in [("before", false), ("after", true)] {
                let arguments =
                    json!({path: "f.txt", "content": text(word), "overwrite": again, "rewrite": again});
                found = reply_text(&world, name, arguments).await;
            }
            let shown =
                found.lines().filter(|line| line.contains("before ") || line.contains("after ")).count();
            let Some((_, rest)) = found.split_once("… (") else { return };
            let more: usize = rest.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(shown + more, 2 * lines, "{name}: {found}");
            counted += 1;
        })
        .await;
    })
    .await;
    assert!(counted >= 10, "{counted}");
}
