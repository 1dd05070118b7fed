//! The dialect `probe` call by call: names and aliases, refusals, and the content of files after edits.

use crate::common;
use toolpost_test_rows::each_async;

use common::words;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, Instant},
};
use toolpost_engine::Engine;
use toolpost_runtime::Outcome;

/// A test workspace with the dialect `probe`.
struct World(common::World);

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = common::World::new(&toolpost_dialects::probe::DIALECT);
        files.iter().for_each(|(name, text)| world.put(name, text));
        Self(world)
    }

    /// Creates a workspace with paused indexing. Returns the engine, which can resume it.
    fn paused(files: &[(&str, &str)]) -> (Self, Engine) {
        let (world, engine) = common::World::paused(&toolpost_dialects::probe::DIALECT);
        files.iter().for_each(|(name, text)| world.put(name, text));
        (Self(world), engine)
    }

    /// Calls a tool; returns the reply, or the message of the failure.
    async fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let outcome = self.0.call(tool, arguments).await;
        if let Outcome::Done(_) = outcome { Ok(words(&outcome)) } else { Err(words(&outcome)) }
    }

    async fn see(&self, name: &str) {
        self.call("extract", json!({"file": format!("\"{name}\"")})).await.unwrap();
    }

    fn content(&self, name: &str) -> String {
        fs::read_to_string(self.0.root().join(name)).unwrap()
    }
}

const TEXT: &str = "fn main() {\n    first(1);\n    second(2);\n}\n";

/// Reads and edits `src/a.rs`; returns its content and the result of the edit.
async fn edited(text: &str, arguments: Value) -> (String, Result<String, String>) {
    let world = World::new(&[("src/a.rs", text)]);
    world.see("src/a.rs").await;
    let reply = world.call("edit", arguments).await;
    (world.content("src/a.rs"), reply)
}

/// Edits by text, and the content of the file afterwards.
fn by_text() -> Vec<(Value, String)> {
    vec![
        (
            json!({"file_path": "src/a.rs", "old_string": "first(1)", "new_string": "1"}),
            TEXT.replace("first(1)", "1"),
        ),
        (json!({"path": "src/a.rs", "old_str": "first(1)", "new_str": "1"}), TEXT.replace("first(1)", "1")),
        (json!({"file": "src/a.rs", "old_text": "first(1)", "new_text": "1"}), TEXT.replace("first(1)", "1")),
        (
            json!({"filename": "src/a.rs", "oldString": "first(1)", "content": "1"}),
            TEXT.replace("first(1)", "1"),
        ),
        (
            json!({"filepath": "src/a.rs", "old_string": "(", "new_string": "[", "replaceAll": "true"}),
            TEXT.replace('(', "["),
        ),
        (
            json!({"file_path": "src/a.rs", "old_string": "first(1)", "new_string": "$& $1 \\1 $$"}),
            TEXT.replace("first(1)", "$& $1 \\1 $$"),
        ),
    ]
}

/// Edits by lines, and the content of the file afterwards.
fn by_lines() -> Vec<(Value, String)> {
    let (first, second) = ("    first(1);\n", "    second(2);\n");
    vec![
        (
            json!({"file_path": "src/a.rs", "start_line": 2, "new_string": "    x();"}),
            TEXT.replace(first, "    x();\n"),
        ),
        (
            json!({"file_path": "src/a.rs", "line": "2:2a |     first(1);", "new_string": "    x();"}),
            TEXT.replace(first, "    x();\n"),
        ),
        (
            json!({"file_path": "src/a.rs", "startLine": "2:2a", "endLine": "3", "new_string": ""}),
            TEXT.replace(first, "").replace(second, ""),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "2-3", "new_string": "    x();"}),
            "fn main() {\n    x();\n}\n".to_owned(),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "2:2a-3", "new_string": "    x();"}),
            "fn main() {\n    x();\n}\n".to_owned(),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "2", "position": "before", "new_string": "    x();"}),
            TEXT.replace(first, "    x();\n    first(1);\n"),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "2", "position": "AFTER", "new_string": "    x();\n"}),
            TEXT.replace(second, "    x();\n    second(2);\n"),
        ),
        // Empty arguments are ignored. Lines have priority over `old_string`, which they must contain.
        (
            json!({"file_path": "src/a.rs", "symbol": "", "start_line": " ", "old_string": "first(1)", "new_string": "1"}),
            TEXT.replace("first(1)", "1"),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "3", "end_line": null, "old_string": "second(2);", "new_string": "    x();"}),
            TEXT.replace(second, "    x();\n"),
        ),
        (
            json!({"file_path": "src/a.rs", "start_line": "2", "position": "before", "old_string": "first(1);\n", "new_string": "    x();"}),
            TEXT.replace(first, "    x();\n    first(1);\n"),
        ),
    ]
}

#[tokio::test]
async fn edits_accept_all_argument_forms() {
    for (arguments, wanted) in by_text().into_iter().chain(by_lines()) {
        let (content, reply) = edited(TEXT, arguments.clone()).await;
        assert!(reply.is_ok() && content == wanted, "{arguments}: {reply:?}\n{content}");
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of calls and refusals")]
async fn invalid_edits_are_refused_with_advice() {
    let half = "position and end_line need start_line;";
    let rows = [
        (
            json!({"new_string": "x"}),
            "The target is missing: none of old_string, symbol and start_line is given.\nGive old_string",
        ),
        (json!({"new_string": "x", "old_string": ""}), "The target is missing"),
        (json!({"old_string": "first"}), "new_string is missing"),
        (
            json!({"new_string": "x", "symbol": "mian", "start_line": "2"}),
            "src/a.rs was not changed: the file has no symbol mian.\n\nSimilar names:\n  function main (lines 1-4)",
        ),
        (
            json!({"new_string": "x", "old_string": "first", "position": "after", "start_line": "1"}),
            "Line 1 of src/a.rs does not contain the text to replace. Nothing was changed.\n\nCurrent lines:\n1:",
        ),
        (
            json!({"new_string": "x", "old_string": "first", "start_line": "3", "end_line": "4"}),
            "Lines 3-4 of src/a.rs do not contain the text to replace.",
        ),
        (
            json!({"new_string": "x", "old_string": "(", "start_line": "1", "replace_all": true}),
            "start_line and replace_all exclude each other:",
        ),
        (json!({"new_string": "x", "old_string": "first", "position": "after"}), half),
        (json!({"new_string": "x", "old_string": "first", "end_line": "3"}), half),
        (
            json!({"new_string": "x", "start_line": "two"}),
            "start_line: \"two\" is not a line; give a line number from 1",
        ),
        (json!({"new_string": "x", "start_line": "2", "end_line": "3:x"}), "end_line: \"3:x\" is not a line"),
        (json!({"new_string": "x", "start_line": "0"}), "start_line: \"0\" is not a line"),
        (
            json!({"new_string": "x", "start_line": "2", "position": "above"}),
            "position must be one of \"before\", \"after\", got \"above\"",
        ),
        (
            json!({"new_string": "x", "start_line": "3", "end_line": "2"}),
            "src/a.rs: the range ends at line 2, before it begins at 3.",
        ),
        (
            json!({"new_string": "x", "start_line": "9"}),
            "There is no line 9 in src/a.rs: it has 4 lines.\n\nIt ends with:\n1:",
        ),
        (json!({"new_string": "x", "start_line": "2:ff"}), "Line 2 of src/a.rs does not match '2:ff'"),
        (json!({"new_string": "first", "old_string": "first"}), "The old and the new text are the same"),
        (
            json!({"new_string": "x", "old_string": "third(3)"}),
            "The text to replace was not found in src/a.rs.",
        ),
        (
            json!({"new_string": "x", "old_string": "("}),
            "The text to replace was found 3 times in src/a.rs.\n\nIt begins on these lines:\n1:6a | fn main() {",
        ),
    ];
    each_async(rows, async |(mut arguments, wanted)| {
        arguments["file_path"] = json!("src/a.rs");
        let (content, reply) = edited(TEXT, arguments.clone()).await;
        assert!(reply.as_ref().is_err_and(|reply| reply.starts_with(wanted)), "{arguments}: {reply:?}");
        assert_eq!(content, TEXT, "{arguments}");
    })
    .await;
}

#[tokio::test]
async fn edits_use_four_match_steps_and_keep_line_endings() {
    let crlf = TEXT.replace('\n', "\r\n");
    let rows = [
        (TEXT, "first(1);\n    second", "x", TEXT.replace("first(1);\n    second", "x"), None),
        (
            crlf.as_str(),
            "    first(1);\n    second(2);\n",
            "    x();\n",
            crlf.replace("first(1);\r\n    second(2)", "x()"),
            None,
        ),
        (
            TEXT,
            "first(1);  \n    second",
            "x",
            TEXT.replace("first(1);\n    second", "x"),
            Some("matched although these differed from the file: white space at line ends"),
        ),
        (
            TEXT,
            "\tfirst(1);\n\tsecond(2);",
            "\tx();",
            TEXT.replace("    first(1);\n    second(2);", "    x();"),
            Some("matched although these differed from the file: indentation"),
        ),
        (
            crlf.as_str(),
            "first(1);\nsecond(2);",
            "x();\ny();",
            crlf.replace("first(1);\r\n    second(2);", "x();\r\n    y();"),
            Some("matched although these differed from the file: indentation"),
        ),
        (
            TEXT,
            "fn  main()  {",
            "fn x() {",
            TEXT.replace("main", "x"),
            Some("matched although these differed from the file: white space inside lines"),
        ),
        (
            TEXT,
            "2:2a |     first(1);\n3:1f |     second(2);",
            "    x();",
            TEXT.replace("    first(1);\n    second(2);", "    x();"),
            Some("removed the line numbers before the lines of the old text"),
        ),
    ];
    each_async(rows, async |(text, old, new, wanted, differed)| {
        let arguments = json!({"file_path": "src/a.rs", "old_string": old, "new_string": new});
        let (content, reply) = edited(text, arguments).await;
        let note = differed.map(|what| format!("[toolpost: {what}]"));
        let reply = reply.unwrap();
        assert_eq!(content, wanted, "{old:?}: {reply}");
        assert_eq!(reply.lines().find(|line| line.starts_with("[toolpost: ")), note.as_deref(), "{reply}");
    })
    .await;
}

#[tokio::test]
async fn line_references_in_edit_replies_work_in_the_next_edit() {
    let world = World::new(&[("src/a.rs", TEXT)]);
    world.see("src/a.rs").await;
    let mut reference = "2:2a".to_owned();
    for round in 0..4 {
        let new = format!("    zero({round});\n    round({round});");
        let reply = world
            .call("edit", json!({"file_path": "src/a.rs", "start_line": reference, "new_string": new}))
            .await
            .unwrap();
        let line = reply.lines().find(|line| line.starts_with('+') && line.contains("round(")).unwrap();
        reference = line.trim_start_matches('+').split(" |").next().unwrap().to_owned();
    }
    let zeros: String = (0..4).map(|round| format!("    zero({round});\n")).collect();
    assert_eq!(
        world.content("src/a.rs"),
        TEXT.replace("    first(1);\n", &format!("{zeros}    round(3);\n"))
    );
}

#[tokio::test]
async fn edits_of_unseen_or_changed_files_are_refused() {
    let world = World::new(&[("my file.rs", TEXT)]);
    let missing = world
        .call("edit", json!({"file_path": "my file.r", "old_string": "a", "new_string": "b"}))
        .await
        .unwrap_err();
    assert!(missing.ends_with("Did you mean `my file.rs`?\nTo create a new file, use create."), "{missing}");
    let by_line = json!({"file_path": "my file.rs", "start_line": "3:1f", "new_string": "    x();"});
    let by_text = json!({"file_path": "my file.rs", "old_string": "second(2)", "new_string": "x()"});
    for arguments in [&by_line, &by_text] {
        let reply = world.call("edit", arguments.clone()).await.unwrap_err();
        assert!(
            reply.ends_with("extract {\"file\":\"\\\"my file.rs\\\"\"}, then make the same call again."),
            "{reply}"
        );
    }
    world.see("my file.rs").await;
    for arguments in [by_line, by_text] {
        let now = format!("// new\n{TEXT}");
        fs::write(world.0.root().join("my file.rs"), &now).unwrap();
        let reply = world.call("edit", arguments.clone()).await.unwrap_err();
        assert!(reply.contains("| // new\n"), "{reply}");
        assert_eq!(
            reply.contains("The given line is now '4:1f'."),
            arguments.get("start_line").is_some(),
            "{reply}"
        );
        assert_eq!(world.content("my file.rs"), now);
        world.call("edit", arguments).await.unwrap();
        assert_eq!(world.content("my file.rs"), now.replace("second(2)", "x()"));
        fs::write(world.0.root().join("my file.rs"), TEXT).unwrap();
        world.see("my file.rs").await;
    }
}

#[tokio::test]
async fn create_creates_and_overwrites_files() {
    let world = World::new(&[("old.txt", "one\r\ntwo\r\n")]);
    let rows = [
        (json!({"file_path": "new/a.txt", "content": "x\n"}), "Created new/a.txt (1 line, 2 bytes)."),
        (json!({"path": "b.txt", "contents": "x\n", "overwrite": true}), "Created b.txt (1 line, 2 bytes)."),
        (json!({"file": "c.txt", "text": ""}), "Created c.txt (0 lines, 0 bytes)."),
        (json!({"filename": "d.txt", "file_text": "x"}), "Created d.txt (1 line, 1 byte)."),
        (json!({"filepath": "e.txt", "content": 7}), "Created e.txt (1 line, 1 byte)."),
        (
            json!({"file_path": "old.txt", "content": "1\n2\n", "overwrite": "true"}),
            "Overwrote old.txt: 2 lines -> 2 lines (6 bytes, +2 -2).",
        ),
    ];
    each_async(rows, async |(arguments, wanted)| {
        let reply = world.call("create", arguments).await;
        assert!(reply.as_ref().is_ok_and(|reply| reply.starts_with(wanted)), "{reply:?}");
    })
    .await;
    assert_eq!(world.content("old.txt"), "1\r\n2\r\n");
    let refused = world.call("create", json!({"file_path": "old.txt", "content": "x"})).await.unwrap_err();
    assert!(
        refused.starts_with("old.txt already exists") && refused.contains("set overwrite to true"),
        "{refused}"
    );
    fs::write(world.0.root().join("old.txt"), "other\n").unwrap();
    let stale = world
        .call("create", json!({"file_path": "old.txt", "content": "x", "overwrite": true}))
        .await
        .unwrap_err();
    assert!(stale.starts_with("old.txt has changed since it was last seen"), "{stale}");
    assert_eq!(world.content("old.txt"), "other\n");
    let directory = world.call("create", json!({"file_path": "new/", "content": "x"})).await.unwrap_err();
    assert!(directory.starts_with("new/ is the path of a directory"), "{directory}");
}

#[tokio::test]
async fn extract_accepts_all_forms_of_line_ranges() {
    let lines: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let world = World::new(&[("a.txt", &lines), ("empty", ""), ("tabs.go", "\tx\r\n")]);
    let shown = |reply: &str| -> Vec<String> {
        reply
            .lines()
            .filter(|line| line.contains(" | "))
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect()
    };
    let numbers =
        |from: usize, to: usize| -> Vec<String> { (from..=to).map(|line| line.to_string()).collect() };
    let rows = [
        (json!({"file": "a.txt"}), numbers(1, 40)),
        (json!({"targets": "a.txt:20"}), numbers(10, 30)),
        (json!({"target": "a.txt:20:ab", "context": 0}), numbers(20, 20)),
        (json!({"path": "a.txt:5-7"}), numbers(5, 7)),
        (json!({"file_path": "a.txt:5-7", "context_lines": "1"}), numbers(4, 8)),
        (json!({"files": "a.txt#L39-L45"}), numbers(39, 40)),
        (json!({"file": "a.txt:1", "context": 2.0}), numbers(1, 3)),
        (json!({"file": "a.txt:2-3,a.txt:9-9"}), vec!["2".to_owned(), "3".to_owned(), "9".to_owned()]),
    ];
    each_async(rows, async |(arguments, wanted)| {
        let reply = world.call("extract", arguments.clone()).await.unwrap();
        assert_eq!(shown(&reply), wanted, "{arguments}: {reply}");
    })
    .await;
    let facts = world.call("extract", json!({"file": "tabs.go, empty"})).await.unwrap();
    assert_eq!(
        facts,
        "tabs.go (lines 1-1 of 1; indent: tabs; eol: CRLF)\n1:1d | \tx\n\nempty is empty: the file exists and has no content."
    );
    let rows = [
        (json!({"file": "a.txt:41"}), "a.txt has 40 lines; line 41 is after its end."),
        (json!({"file": "a.txt:5", "context": 1.5}), "context must be a whole number"),
        (json!({"file": ""}), "file is empty"),
        (json!({"file": "no.txt, none.txt"}), "None of the files could be shown.\nFile not found: no.txt"),
        (
            json!({"file": "a.txt#B"}),
            "There is no parser for a.txt: its file name matches no supported language.\nUse line numbers",
        ),
    ];
    each_async(rows, async |(arguments, wanted)| {
        let reply = world.call("extract", arguments.clone()).await.unwrap_err();
        assert!(reply.starts_with(wanted), "{arguments}: {reply}");
    })
    .await;
}

#[tokio::test]
async fn cut_extract_replies_name_the_next_call() {
    let long: String = (1..=4000).map(|line| format!("this is line number {line}\n")).collect();
    let wide = format!("{}\nnext\n", "w".repeat(5000));
    let world =
        World::new(&[("long file.txt", &long), ("wide.txt", &wide), ("short.txt", &"x\n".repeat(200_000))]);
    let mut next = json!({"file": "\"long file.txt\""});
    let mut seen = Vec::new();
    for _ in 0..10 {
        let reply = world.call("extract", next).await.unwrap();
        assert!(!reply.contains("left out"), "nothing is cut out of the middle");
        seen.extend(
            reply
                .lines()
                .filter_map(|line| line.split_once(" | this is line number ")?.1.parse::<usize>().ok()),
        );
        let Some((_, call)) = reply.split_once("continue with ") else { break };
        next = serde_json::from_str(call.trim_end_matches(']')).unwrap();
    }
    assert!(seen.iter().copied().eq(1..=4000), "{} lines, the last {:?}", seen.len(), seen.last());
    let short = world.call("extract", json!({"file": "short.txt"})).await.unwrap();
    assert!(
        short.contains("continue with {\"file\":\"short.txt:") && !short.contains("left out"),
        "the reply has room"
    );
    let reply = world.call("extract", json!({"file": "wide.txt"})).await.unwrap();
    let cut = format!("1 | {} [toolpost: 3000 more characters of this line]", "w".repeat(2000));
    assert_eq!(reply.lines().nth(1), Some(cut.as_str()));
    let edit = json!({"file_path": "wide.txt", "start_line": "1", "new_string": "narrow"});
    world.call("edit", edit).await.unwrap();
    assert_eq!(world.content("wide.txt"), "narrow\nnext\n");
}

#[tokio::test]
async fn list_files_counts_omitted_entries() {
    let world = World::new(&[("src/z/only.rs", "x")]);
    for number in 0..1200 {
        fs::write(world.0.root().join(format!("src/{number:04}")), "").unwrap();
        fs::create_dir_all(world.0.root().join("many")).unwrap();
        fs::write(world.0.root().join(format!("many/{number:04}")), "").unwrap();
    }
    let tree = world.call("listFiles", json!({"maxDepth": 2})).await.unwrap();
    let missing = |name: &str| -> usize {
        let line = tree.lines().find(|line| line.starts_with(&format!("  {name}/  (… "))).unwrap();
        line.split_whitespace().nth(2).unwrap().parse().unwrap()
    };
    let shown = tree.lines().filter(|line| line.starts_with("    ")).count();
    assert_eq!(shown + missing("src") + missing("many"), 1200 + 1201);
    let alone = world.call("listFiles", json!({"directory": "many"})).await.unwrap();
    assert!(
        alone.ends_with(
            "[toolpost: 200 more entries are not shown; find files by a pattern with searchFiles]"
        ),
        "{}",
        alone.len()
    );
}

#[tokio::test]
async fn line_references_work_in_every_encoding() {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let rows: [(Vec<u8>, Vec<u8>); 4] = [
        (b"caf\xE9\r\nb\r\n".to_vec(), b"x\r\nb\r\n".to_vec()),
        (b"\xEF\xBB\xBFcaf\xC3\xA9\nb".to_vec(), b"\xEF\xBB\xBFx\nb".to_vec()),
        (utf16("caf\u{e9}\nb\n"), utf16("x\nb\n")),
        ("\u{1F600} \u{A0}\nb\n".as_bytes().to_vec(), b"x\nb\n".to_vec()),
    ];
    each_async(rows, async |(before, after)| {
        let world = World::new(&[("f", "")]);
        let file = world.0.root().join("f");
        fs::write(&file, &before).unwrap();
        let shown = world.call("extract", json!({"file": "f:1", "context": 0})).await.unwrap();
        let line = shown.lines().nth(1).unwrap();
        let edit = json!({"file_path": "f", "start_line": line, "new_string": "x"});
        world.call("edit", edit).await.unwrap();
        assert_eq!(fs::read(file).unwrap(), after, "{line}");
    })
    .await;
}

#[tokio::test]
async fn list_files_and_search_files_reply_as_expected() {
    let world = World::new(&[
        ("src/b.rs", "x"),
        ("src/deep/a.test.rs", ""),
        ("src/.hidden", ""),
        ("node_modules/m/i.js", ""),
    ]);
    let rows = [
        ("listFiles", json!({}), "./\n  src/"),
        ("listFiles", json!({"directory": "src"}), "src/\n  .hidden  0 B\n  b.rs  1 B\n  deep/"),
        (
            "listFiles",
            json!({"path": "src", "depth": 2}),
            "src/\n  .hidden  0 B\n  b.rs  1 B\n  deep/\n    a.test.rs  0 B",
        ),
        ("listFiles", json!({"dir": "src/deep", "max_depth": "9"}), "src/deep/\n  a.test.rs  0 B"),
        ("listFiles", json!({"folder": "src/deep"}), "src/deep/\n  a.test.rs  0 B"),
        ("listFiles", json!({"directory": "node_modules"}), "node_modules/\n  m/"),
        ("searchFiles", json!({"pattern": "*.test.rs"}), "src/deep/a.test.rs"),
        ("searchFiles", json!({"glob": "b.*", "path": "src"}), "src/b.rs"),
        ("searchFiles", json!({"name": "b.*", "dir": "src", "max_results": 5}), "src/b.rs"),
        ("searchFiles", json!({"query": "b.*", "folder": "src", "maxResults": 5}), "src/b.rs"),
        ("searchFiles", json!({"pattern": "*.rs", "directory": "src", "recursive": false}), "src/b.rs"),
        ("searchFiles", json!({"pattern": "*.py"}), "No files found."),
    ];
    each_async(rows, async |(tool, arguments, wanted)| {
        let reply = world.call(tool, arguments.clone()).await.unwrap();
        assert!(
            reply == wanted || reply.starts_with(&format!("{wanted}\n[toolpost: ")),
            "{arguments}: {reply}"
        );
    })
    .await;
    let some =
        world.call("searchFiles", json!({"pattern": "*", "directory": "src", "limit": 1})).await.unwrap();
    assert!(some.contains("[toolpost: the 1 newest of 3 files;"), "{some}");
    let rows = [
        ("searchFiles", json!({"pattern": "*", "limit": 0}), "limit must be"),
        ("searchFiles", json!({"pattern": "../*"}), ""),
        ("searchFiles", json!({"pattern": "*", "directory": "none"}), ""),
        ("listFiles", json!({"directory": "js:/../../etc"}), ""),
        ("listFiles", json!({"directory": "src/b.rs"}), ""),
        ("listFiles", json!({"maxDepth": 0.5}), "maxDepth must be"),
    ];
    each_async(rows, async |(tool, arguments, wanted)| {
        let reply = world.call(tool, arguments.clone()).await;
        assert!(reply.as_ref().is_err_and(|reply| reply.starts_with(wanted)), "{arguments}: {reply:?}");
    })
    .await;
}

/// Runs a search; returns whether it succeeded, and the text of the reply or failure.
async fn searched(world: &World, arguments: Value) -> (bool, String) {
    match world.call("search", arguments).await {
        Ok(words) => (true, words),
        Err(words) => (false, words),
    }
}

#[tokio::test]
async fn search_accepts_argument_aliases_and_finds_new_text() {
    let world = World::new(&[("src/a.rs", "fn first() {}\n"), ("b.py", "def second():\n    pass\n")]);
    let first =
        "File: src/a.rs\nLines: 1-1 (function first)\n\n1:4a | fn first() {}\n\nFound 1 result in 1 file;";
    each_async(
        [
            json!({"query": "first"}),
            json!({"pattern": "first", "max_tokens": "900", "allow_tests": "true", "limit": "3"}),
            json!({"query": "first", "directory": "src", "maxTokens": null}),
            json!({"query": "first OR second", "language": "rust"}),
            json!({"query": "FN FIRST()", "exact": true}),
            json!({"query": "first", "session": "new", "nextPage": false}),
        ],
        async |arguments| {
            let (done, words) = searched(&world, arguments.clone()).await;
            assert!(done && words.starts_with(first), "{arguments}: {words}");
        },
    )
    .await;
    // Lines that a search has shown can be edited.
    let edit = json!({"file_path": "src/a.rs", "old_string": "first", "new_string": "third"});
    world.call("edit", edit).await.unwrap();
    let (_, words) = searched(&world, json!({"query": "third"})).await;
    assert!(words.starts_with("File: src/a.rs\n"), "{words}");
    let (_, words) = searched(&world, json!({"query": "first"})).await;
    assert!(words.starts_with("No results found.\n"), "{words}");
}

#[tokio::test]
async fn invalid_searches_fail_with_a_reason() {
    let world = World::new(&[("a.rs", "fn first() {}\n")]);
    let rows = [
        (json!({"query": ""}), "The query has an error at character 1: the query has no word to search for."),
        (json!({"query": "  ", "exact": true}), "The query is empty: pass the text to search for."),
        (json!({"query": "a", "limit": 0}), "limit must be at least 1, got 0"),
        (json!({"query": "a", "maxTokens": 0.5}), "maxTokens must be at least 1, got 0.5"),
        (json!({"query": "a", "maxTokens": 1.5}), "maxTokens must be a whole number"),
        (json!({"query": "a", "session": "next-1"}), "next-1 is not the session of an earlier reply."),
        (
            json!({"query": "a", "session": "next-1-2-end"}),
            "The session belongs to a reply to another query.",
        ),
        (json!({"query": "a", "path": "js:../x"}), "js:../x leads out of the package"),
        (
            json!({"query": "a", "path": "go:a.b/c"}),
            "The dependencies of the project are unknown: there is no go.mod in the workspace.",
        ),
        (json!({"query": "a", "path": "../.."}), ""),
        (json!({"query": "foo", "path": "a.rs/b"}), ""),
    ];
    each_async(rows, async |(arguments, wanted)| {
        let (done, words) = searched(&world, arguments.clone()).await;
        assert!(!done && words.starts_with(wanted), "{arguments}: {words}");
    })
    .await;
}

#[tokio::test]
async fn search_shows_whole_blocks_up_to_max_tokens() {
    let long = |name: &str| format!("fn {name}() {{\n{}}}\n", "    call_something_else();\n".repeat(40));
    let text: String = ["one", "two", "three"].iter().map(|name| long(name) + "\n").collect();
    let world = World::new(&[("a.rs", &text)]);
    let shown = |words: &str| words.lines().filter(|line| line.starts_with("Lines: ")).count();
    let (_, words) = searched(&world, json!({"query": "something", "maxTokens": 900})).await;
    assert_eq!((shown(&words), words.contains("maxTokens is reached;")), (2, true), "{words}");
    let (_, words) = searched(&world, json!({"query": "something", "maxTokens": 100})).await;
    assert!(shown(&words) == 1 && words.contains("\n… (the block ends at line 42; "), "{words}");
    let (_, words) = searched(&world, json!({"query": "something", "maxTokens": null})).await;
    assert_eq!((shown(&words), words.contains("session")), (3, false), "{words}");
    // A session name that the caller chooses also pages through all results; scripts in plans use this.
    let mut pages = Vec::new();
    loop {
        let (_, words) = searched(&world, json!({"query": "something", "limit": 2, "session": "plan"})).await;
        if words.contains("All results retrieved") {
            break;
        }
        pages.push(shown(&words));
    }
    assert_eq!(pages, [2, 1]);
}

#[tokio::test]
async fn matches_deep_in_long_lines_are_shown() {
    let line = format!("const table = '{}needleInHaystack{}';\n", "x ".repeat(4_500), " y".repeat(4_500));
    let world = World::new(&[("a.js", &line)]);
    for arguments in [json!({"query": "needle"}), json!({"query": "eInHay", "exact": true})] {
        let (_, words) = searched(&world, arguments.clone()).await;
        // A cut line has no hash in its reference.
        let shown = words.lines().find(|line| line.starts_with("1 | ")).unwrap_or_else(|| panic!("{words}"));
        assert!(
            shown.contains("const table = 'x x") && shown.contains("x needleInHaystack y"),
            "{arguments}: {shown}"
        );
        assert!(shown.contains(" characters) … ") && shown.len() < 2_400, "{arguments}: {shown}");
    }
}

#[tokio::test]
async fn search_all_continues_over_several_replies() {
    let text: String =
        (0..900).map(|number| format!("fn f{number}() {{\n    {}\n}}\n", "call(); ".repeat(30))).collect();
    let world = World::new(&[("a.rs", &text)]);
    let (mut all, mut arguments, mut replies) = (BTreeSet::new(), json!({"query": "call"}), 0);
    loop {
        let words = world.call("searchAll", arguments.clone()).await.unwrap();
        replies += 1;
        let named = words.lines().filter(|line| line.starts_with("Lines: "));
        for line in named {
            assert!(all.insert(line.to_owned()), "{line} comes twice");
        }
        let Some((_, next)) = words.split_once("the same call with session: \"") else { break };
        arguments = json!({"query": "call", "session": next.split('"').next()});
    }
    assert_eq!((all.len(), replies > 2), (900, true), "{replies} replies");
    let few = json!({"query": "call", "maxTokensPerPage": 200, "maxPages": 2});
    let words = world.call("searchAll", few).await.unwrap();
    assert!(words.contains("[toolpost: maxPages is reached; 89"), "{words}");
    // In a plan, `searchAll` requests the pages itself, so its result can be longer than one reply.
    let plan = |pages: u32, tokens: u32| {
        let options = format!("{{query: 'call', maxTokensPerPage: {tokens}, maxPages: {pages}}}");
        json!({"code": format!("const all = searchAll({options}); return [all.split('\\nLines: ').length - 1, all.slice(-200)];")})
    };
    let words = world.call("execute_plan", plan(3, 200)).await.unwrap();
    assert!(words.contains("maxPages (3) is reached; some results are left out"), "{words}");
    let words = world.call("execute_plan", plan(50, 20_000)).await.unwrap();
    assert!(words.contains("900") && !words.contains("is reached"), "{words}");
}

#[tokio::test]
async fn search_reports_the_progress_of_an_incomplete_index() {
    let files: Vec<(String, String)> = (0..100)
        .map(|number| (format!("d{}/f{number}.rs", number % 30), format!("fn own{number}() {{}}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (world, engine) = World::paused(&files);
    let search_arguments = json!({"query": "own99 AND ext:rs"});
    let (_, words) = searched(&world, search_arguments.clone()).await;
    let reply =
        words.lines().find(|line| line.contains(" not read yet")).unwrap_or_else(|| panic!("{words}"));
    assert!(reply.contains("the index is ") && reply.contains(" of 100 files not read yet"), "{reply}");
    assert!(words.contains("(function own99)"), "the file was searched directly: {words}");
    assert!(
        reply.contains("the same call will later return all results") && !words.contains("narrower path"),
        "{words}"
    );
    // Each call waits for the index, but not always until it is complete; the index keeps its progress between calls.
    engine.resume_indexes();
    let until = Instant::now() + Duration::from_secs(120);
    let words = loop {
        let (done, words) = searched(&world, search_arguments.clone()).await;
        if done && !words.contains(" not read yet") {
            break words;
        }
        assert!(Instant::now() < until, "the index is not complete: {words}");
    };
    assert!(words.contains("(function own99)") && words.contains("Found 1 result"), "{words}");
}

#[tokio::test]
async fn calls_fail_if_the_root_was_removed_or_moved() {
    let calls = [
        ("search", json!({"query": "first"})),
        ("searchFiles", json!({"pattern": "*"})),
        ("listFiles", json!({})),
        ("extract", json!({"targets": "src/a.rs:1"})),
    ];
    type Go = fn(&std::path::Path);
    let remove: Go = |root| fs::remove_dir_all(root).unwrap();
    let again: Go = |root| {
        fs::remove_dir_all(root).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
    };
    let away: Go = |root| fs::rename(root, root.with_extension("moved")).unwrap();
    for (go, why) in [(remove, "it was removed"), (again, "it was removed"), (away, "it was moved away")] {
        let world = World::new(&[("src/a.rs", "fn first() {}\n")]);
        world.call("search", json!({"query": "first"})).await.unwrap();
        go(world.0.root());
        let root = world.0.root().display();
        let wanted = format!("The root {root} has changed since this server started: {why}.");
        each_async(&calls, async |(tool, arguments)| {
            let reply = world.call(tool, arguments.clone()).await.unwrap_err();
            assert!(reply.starts_with(&wanted) && reply.contains("restart the server"), "{tool}: {reply}");
        })
        .await;
    }
}
