//! The dialect `opencode`, which has no tool to read files, so refusals show the content.

use crate::common;
use toolpost_test_rows::each_async;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::{World, words};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt};
use toolpost_dialects::opencode::DIALECT;
use toolpost_engine::{AmbiguityTreatment, Kind};
use toolpost_runtime::Outcome;

/// Writes a whole file; returns the kind and the text of the failure.
async fn write(world: &World, path: &str, content: &str) -> (Option<Kind>, String) {
    let answer = world.call("write", json!({ "filePath": path, "content": content })).await;
    let kind = if let Outcome::Failed(kind, _) = &answer { Some(*kind) } else { None };
    (kind, words(&answer))
}

fn file(world: &World, name: &str) -> Vec<u8> {
    fs::read(world.root().join(name)).unwrap()
}

#[tokio::test]
async fn files_shown_whole_in_a_refusal_count_as_seen() {
    let wide = format!("{}\n", "x".repeat(7_000));
    let rows: [(&str, &[u8], bool); 8] = [
        ("a line", b"one\n", true),
        ("no break at its end", b"one\ntwo", true),
        ("two hundred lines less one", &b"x\n".repeat(198), true),
        ("two hundred lines", &b"x\n".repeat(200), false),
        ("one long line", wide.as_bytes(), true),
        (
            "more bytes than a refusal shows",
            &b"0123456789abcdef 0123456789abcdef 0123456789abcdef\n".repeat(190),
            false,
        ),
        ("windows-1252", b"caf\xe9\n", true),
        ("CRLF and a byte order mark", b"\xef\xbb\xbfone\r\ntwo\r\n", true),
    ];
    each_async(rows, async |(what, before, shown)| {
        let world = World::new(&DIALECT);
        world.put("f", before);
        let (kind, reply) = write(&world, "f", "new\n").await;
        assert_eq!(
            (kind, reply.contains("This session has now seen the content")),
            (Some(Kind::Unread), shown),
            "{what}: {reply}"
        );
        assert_eq!(file(&world, "f"), before, "{what}");
        let (kind, reply) = write(&world, "f", "new\n").await;
        assert_eq!(kind.is_none(), shown, "{what}: {reply}");
        assert_eq!(file(&world, "f") != before, shown, "{what}");
    })
    .await;
}

#[tokio::test]
async fn stale_writes_are_refused_with_the_diff() {
    let world = World::new(&DIALECT);
    write(&world, "f", "one\ntwo\nthree\n").await;
    world.put("f", b"one\ntwo\nTHEIRS\n");
    let (kind, reply) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert_eq!(
        reply,
        "f has changed since it was last seen in this session; nothing was written.\n\n\
         What changed:\n@@ -1,3 +1,3 @@\n one\n two\n-three\n+THEIRS\n\n\
         This session has now seen the content: if the same call is still right, repeat it. To keep the current content, \
         change only a part of it."
    );
    world.put("f", b"one\ntwo\nTHEIRS\nAGAIN\n");
    assert_eq!(write(&world, "f", "mine\n").await.0, Some(Kind::Stale));
    assert_eq!(file(&world, "f"), b"one\ntwo\nTHEIRS\nAGAIN\n");
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
    assert_eq!(file(&world, "f"), b"mine\n");
}

#[tokio::test]
async fn stale_writes_name_changed_line_endings() {
    let world = World::new(&DIALECT);
    write(&world, "f", "one\ntwo\n").await;
    world.put("f", b"one\r\ntwo\r\n");
    let (kind, reply) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert!(reply.contains("The text is the same; its line endings,"), "{reply}");
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
    assert_eq!(file(&world, "f"), b"mine\r\n");
}

#[tokio::test]
async fn stale_writes_show_files_that_were_never_seen_whole() {
    let world = World::new(&DIALECT);
    world.put("f", b"one\ntwo\n");
    let edit = json!({ "filePath": "f", "oldString": "one", "newString": "1" });
    assert!(
        matches!(world.call("edit", edit).await, Outcome::Done(_)),
        "a partial edit needs no earlier read"
    );
    world.put("f", b"1\ntwo\nTHEIRS\n");
    let (kind, reply) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert!(
        reply.contains("     1\t1\n     2\ttwo\n     3\tTHEIRS\n"),
        "the diff alone does not show the rest: {reply}"
    );
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
}

#[tokio::test]
async fn refusals_do_not_show_files_denied_for_reading() {
    let world = World::new(&DIALECT);
    world.put(".env", b"SECRET=1\n");
    for _ in 0..2 {
        let (kind, reply) = write(&world, ".env", "SECRET=2\n").await;
        assert_eq!((kind, reply.contains("SECRET")), (Some(Kind::Denied), false), "{reply}");
    }
    assert_eq!(file(&world, ".env"), b"SECRET=1\n");
}

#[tokio::test]
async fn empty_files_can_be_written_without_a_read() {
    let world = World::new(&DIALECT);
    world.put("f", b"");
    assert_eq!(write(&world, "f", "new\n").await.0, None);
}

#[tokio::test]
async fn a_failed_edit_of_multiedit_changes_no_file() {
    let files =
        BTreeMap::from([("a".to_owned(), b"one\n".to_vec()), ("b".to_owned(), b"two two\n".to_vec())]);
    let first = json!({ "filePath": "a", "oldString": "one", "newString": "1" });
    let rows = [
        (
            json!({ "filePath": "b", "oldString": "two", "newString": "2" }),
            Kind::Ambiguous,
            "Edit 2: oldString found 2 times in b",
        ),
        (
            json!({ "filePath": "b", "oldString": "six", "newString": "6" }),
            Kind::NoMatch,
            "Edit 2: oldString not found in file content: b",
        ),
        (
            json!({ "filePath": "c", "oldString": "two", "newString": "2" }),
            Kind::NotFound,
            "Edit 2: File not found: c",
        ),
        (
            json!({ "filePath": "a", "oldString": "one", "newString": "I" }),
            Kind::NoMatch,
            "Edit 2: oldString not found in file content: a",
        ),
        (json!({ "filePath": "../c", "oldString": "", "newString": "2" }), Kind::Outside, ""),
        (json!({ "filePath": "b/", "oldString": "", "newString": "2" }), Kind::Invalid, ""),
        (json!({ "oldString": "two", "newString": "2" }), Kind::Invalid, "Edit 2: filePath is missing"),
    ];
    each_async(rows, async |(second, wanted, begins)| {
        let world = World::new(&DIALECT);
        files.iter().for_each(|(name, bytes)| world.put(name, bytes));
        let answer = world.call("multiedit", json!({ "edits": [first, second] })).await;
        let reply = words(&answer);
        let Outcome::Failed(kind, _) = answer else { panic!("{second}: {reply}") };
        assert_eq!((kind, reply.starts_with(begins)), (wanted, true), "{second}: {reply}");
        assert_eq!(world.files(), files, "{second}");
    })
    .await;
}

#[tokio::test]
async fn multiedit_accepts_single_edits_and_a_shared_file_path() {
    let one = json!({ "oldString": "one", "newString": "1" });
    let full = json!({ "filePath": "f", "oldString": "one", "newString": "1" });
    let rows = [
        json!({ "edits": full }),
        json!({ "edits": full.to_string() }),
        json!({ "filePath": "f", "edits": [one] }),
        json!({ "filePath": "other", "edits": [full] }),
    ];
    each_async(rows, async |arguments| {
        let world = World::new(&DIALECT);
        world.put("f", b"one\n");
        let answer = world.call("multiedit", arguments.clone()).await;
        assert!(matches!(answer, Outcome::Done(_)), "{arguments}: {}", words(&answer));
        assert_eq!(file(&world, "f"), b"1\n", "{arguments}");
    })
    .await;
}

/// A patch of `f.txt` that replaces the line `a` with `A`.
const CHANGE: &str = "*** Begin Patch\n*** Update File: f.txt\n@@\n-a\n+A\n*** End Patch";

#[tokio::test]
async fn patches_keep_bytes_and_are_accepted_in_every_wrapping() {
    let cases = common::rows("text/tests/fixtures/issue-derived/bytes_cases.json");
    let patches: Vec<&Value> = cases.iter().filter(|row| row["tool"] == "apply_patch").collect();
    assert_eq!(patches.len(), 5, "a row was added or lost");
    for row in patches {
        let world = World::new(&DIALECT);
        world.put("f.txt", STANDARD.decode(row["before"].as_str().unwrap()).unwrap());
        let answer = world.call("patch", json!({ "patch_text": row["patch"] })).await;
        assert!(matches!(answer, Outcome::Done(_)), "{}: {}", row["id"], words(&answer));
        let after = STANDARD.decode(row["after"].as_str().unwrap()).unwrap();
        assert_eq!(file(&world, "f.txt"), after, "{}", row["id"]);
    }
    let forms = [
        json!({ "patchText": CHANGE }),
        json!({ "input": format!("apply_patch <<'EOF'\n{CHANGE}\nEOF\n") }),
        json!({ "command": ["apply_patch", CHANGE] }),
        json!({ "command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{CHANGE}\nEOF\n")] }),
        json!({ "command": format!("apply_patch <<'EOF'\n{CHANGE}\nEOF\n") }),
        json!({ "patch_text": "--- a/f.txt\n+++ b/f.txt\n@@ -7,1 +7,1 @@\n-a\n+A\n" }),
        json!({ "filePath": "f.txt", "patch_text": "@@ -1 +1 @@\n-a\n+A\n" }),
    ];
    each_async(forms, async |arguments| {
        let world = World::new(&DIALECT);
        world.put("f.txt", b"a\r\nb\r\n");
        let reply = words(&world.call("apply_patch", arguments.clone()).await);
        assert!(
            reply.starts_with(
                "1 file(s) modified, 0 added, 0 deleted (+1 -1)\nUpdated: f.txt (+1 -1 lines)\n"
            ),
            "{arguments}: {reply}"
        );
        assert_eq!(file(&world, "f.txt"), b"A\r\nb\r\n", "{arguments}");
    })
    .await;
}

#[tokio::test]
async fn failed_patches_change_no_file() {
    let before =
        BTreeMap::from([("a.txt".to_owned(), b"a\n".to_vec()), ("b.txt".to_owned(), b"b\n".to_vec())]);
    let patch = |end: &str| {
        format!("*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: a.txt\n{end}\n*** End Patch")
    };
    let rows = [
        (
            patch("*** Update File: b.txt\n@@\n-x\n+y"),
            Kind::NoMatch,
            "Failed to find expected lines in b.txt:\nx\n",
        ),
        (
            patch("*** Update File: none.txt\n@@\n-x\n+y"),
            Kind::NotFound,
            "Failed to read file to update none.txt: ",
        ),
        (patch("*** Delete File: none.txt"), Kind::NotFound, "Failed to delete file none.txt: "),
        (patch("*** Add File: ../out.txt\n+x"), Kind::Outside, ""),
        (
            "no patch".to_owned(),
            Kind::Invalid,
            "Invalid patch: The first line of the patch must be '*** Begin Patch'",
        ),
        ("*** Begin Patch\n*** End Patch".to_owned(), Kind::Invalid, "No files were modified."),
        (String::new(), Kind::Invalid, ""),
    ];
    each_async(rows, async |(patch, wanted, begins)| {
        let world = World::new(&DIALECT);
        before.iter().for_each(|(name, bytes)| world.put(name, bytes));
        let answer = world.call("patch", json!({ "patch_text": patch })).await;
        let reply = words(&answer);
        let Outcome::Failed(kind, _) = answer else { panic!("{patch}: {reply}") };
        let begins = format!("patch verification failed: {begins}");
        assert_eq!((kind, reply.starts_with(&begins)), (wanted, true), "{patch}: {reply}");
        assert_eq!(world.files(), before, "{patch}");
    })
    .await;
}

#[tokio::test]
async fn an_unwritable_file_reverts_the_whole_change() {
    for tool in ["patch", "multiedit"] {
        let world = World::new(&DIALECT);
        world.put("a", b"a\n");
        world.put("locked/b", b"a\n");
        let locked = world.root().join("locked/b");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).unwrap();
        let edit = |path: &str| json!({ "filePath": path, "oldString": "a", "newString": "A" });
        let arguments = if tool == "patch" {
            json!({ "patch_text": "*** Begin Patch\n*** Update File: a\n@@\n-a\n+A\n*** Update File: locked/b\n@@\n-a\n+A\n*** End Patch" })
        } else {
            json!({ "edits": [edit("a"), edit("locked/b")] })
        };
        let answer = world.call(tool, arguments).await;
        let reply = words(&answer);
        assert!(
            matches!(answer, Outcome::Failed(Kind::Denied, _)) && reply.contains("locked/b"),
            "{tool}: {reply}"
        );
        assert_eq!(
            (file(&world, "a"), file(&world, "locked/b")),
            (b"a\n".to_vec(), b"a\n".to_vec()),
            "{tool}"
        );
    }
}

/// A patch that adds a file, or moves one, over an existing file is refused until the file was shown, with what to do.
/// Then it replaces the file, and the reply reports that instead of an added file.
#[tokio::test]
async fn patch_add_over_an_existing_file_is_refused_until_it_was_shown() {
    let add = "*** Add File: f\n+mine";
    let forms = [add, "*** Update File: g\n*** Move to: f"];
    let overwrote = "1 file(s) modified, 0 added, 0 deleted (+1 -1)\nOverwrote: f (+1 -1 lines)\n";
    each_async(forms, async |sections| {
        let world = World::new(&DIALECT);
        world.put("f", b"theirs\n");
        world.put("g", b"mine\n");
        let patch = json!({ "patch_text": format!("*** Begin Patch\n{sections}\n*** End Patch") });
        let first = world.call("patch", patch.clone()).await;
        let reply = words(&first);
        assert!(matches!(first, Outcome::Failed(Kind::Unread, _)), "{reply}");
        let parts = [
            "f exists, and this session has not seen its content.",
            "     1\ttheirs",
            "if the same call is still right, repeat it. To keep the current content, change only a part of it.",
            "To change a part of an existing file, use `*** Update File`.",
        ];
        assert!(parts.iter().all(|part| reply.contains(part)), "{reply}");
        assert_eq!(file(&world, "f"), b"theirs\n");
        let second = words(&world.call("patch", patch).await);
        if sections == add {
            assert!(second.starts_with(overwrote), "{second}");
        } else {
            assert!(second.contains("Moved: g -> f") && second.contains("f existed and was overwritten"), "{second}");
        }
        assert_eq!(file(&world, "f"), b"mine\n");
    })
    .await;
    let world = World::new(&DIALECT);
    world.put("f", b"theirs\n");
    world.call("grep", json!({ "pattern": "^", "path": "f" })).await;
    let patch = json!({ "patch_text": format!("*** Begin Patch\n{add}\n*** End Patch") });
    let seen = words(&world.call("patch", patch).await);
    assert!(seen.starts_with(overwrote), "{seen}");
    // A file that is too long for a refusal is not shown, and repeating the patch does not replace it.
    let long = "theirs\n".repeat(500);
    world.put("f", &long);
    let patch = json!({ "patch_text": format!("*** Begin Patch\n{add}\n*** End Patch") });
    for _ in 0..2 {
        let world = World::new(&DIALECT);
        world.put("f", &long);
        for _ in 0..2 {
            let reply = words(&world.call("patch", patch.clone()).await);
            assert!(reply.starts_with("f exists, and this session has not seen its content."), "{reply}");
            assert_eq!(file(&world, "f"), long.as_bytes());
        }
    }
}

/// A hunk without line numbers that fits several places is refused with these places. With the setting `first_match`,
/// the first one is used, and the reply reports the others.
#[tokio::test]
async fn ambiguous_hunks_are_refused_with_their_places() {
    let text = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\n";
    let patch = |hunk: &str| json!({ "patch_text": format!("*** Begin Patch\n*** Update File: f\n{hunk}\n*** End Patch") });
    let hunk = "@@\n-    go();\n+    stop();";
    let world = World::new(&DIALECT);
    world.put("f", text);
    let answer = world.call("patch", patch(hunk)).await;
    assert!(matches!(answer, Outcome::Failed(Kind::Ambiguous, _)), "{}", words(&answer));
    assert_eq!(
        words(&answer),
        "patch verification failed: The lines of the hunk at line 3 of the patch occur 2 times in f, and the patch does not \
         show which of them it means.\n\nThey begin on these lines:\n     2\t    go();\n     5\t    \
         go();\n\nAdd unchanged lines before or after the change until only one place matches, or put an earlier line of \
         the file that occurs once, such as the head of the function, after `@@`."
    );
    assert_eq!(file(&world, "f"), text.as_bytes());
    let after = "fn a() {\n    go();\n}\nfn b() {\n    stop();\n}\n";
    let decided = [
        "@@ fn b() {\n-    go();\n+    stop();",
        "@@\n fn b() {\n-    go();\n+    stop();",
        "@@ -5 +5 @@\n-    go();\n+    stop();",
    ];
    each_async(decided, async |hunk| {
        let world = World::new(&DIALECT);
        world.put("f", text);
        let reply = words(&world.call("patch", patch(hunk)).await);
        assert_eq!(file(&world, "f"), after.as_bytes(), "{hunk}: {reply}");
    })
    .await;
    let world = World::several(&DIALECT, AmbiguityTreatment::First);
    world.put("f", text);
    let reply = words(&world.call("patch", patch(hunk)).await);
    assert!(
        reply.ends_with(
            "[toolpost: the lines of the hunk occur 2 times, at lines 2 and 5; used line 2, the first]"
        ),
        "{reply}"
    );
    assert_eq!(file(&world, "f"), text.replacen("go", "stop", 1).as_bytes());
}

/// A write with a placeholder for omitted code never replaces a file, even if it is repeated as the refusal of a write
/// over unseen content permits. A line that may be one is written, and the reply names it.
#[tokio::test]
async fn writes_with_placeholders_do_not_replace_files() {
    let code = "fn a() {\n    1\n}\n\nfn b() {\n    2\n}\n";
    let placeholders = [
        "// ... existing code ...",
        "// ...existing code...",
        "    // ... rest of the file ...",
        "// (rest of file unchanged)",
        "// rest of the code remains the same",
        "/* ... unchanged ... */",
        "# ... other methods ...",
        "// ... rest ...",
        "// \u{2026} remaining functions \u{2026}",
        "... rest of code unchanged ...",
    ];
    each_async(placeholders, async |line| {
        let content = format!("fn a() {{\n    3\n}}\n{line}\n");
        let world = World::new(&DIALECT);
        world.put("f.rs", code);
        assert_eq!(write(&world, "f.rs", &content).await.0, Some(Kind::Unread), "{line}");
        let (kind, reply) = write(&world, "f.rs", &content).await;
        assert_eq!(
            (kind, reply.contains("is a placeholder for code that is not there")),
            (Some(Kind::Invalid), true),
            "{line}: {reply}"
        );
        assert_eq!(file(&world, "f.rs"), code.as_bytes(), "{line}");
        // A new file has nothing that the placeholder could stand for.
        assert_eq!(write(&world, "new.rs", &content).await.0, Some(Kind::Invalid), "{line}");
    })
    .await;
    let possible = [
        ("f.rs", "// ..."),
        ("f.rs", "# \u{2026}"),
        ("f.rs", "// ... existing props ..."),
        ("f.md", "// ... existing code ..."),
    ];
    each_async(possible, async |(name, line)| {
        let world = World::new(&DIALECT);
        world.put(name, code);
        let content = format!("fn a() {{}}\n{line}\n");
        write(&world, name, &content).await;
        let (kind, reply) = write(&world, name, &content).await;
        assert_eq!(kind, None, "{line}: {reply}");
        let note = format!(
            "[toolpost: line 2 of the new content, `{line}`, may be a placeholder for omitted code; it was written unchanged]"
        );
        assert!(reply.ends_with(&note), "{line}: {reply}");
    })
    .await;
    let world = World::new(&DIALECT);
    world.put("f.md", "# Title\n");
    let quoted = "# Title\n\n```rust\n// ...\n```\n";
    write(&world, "f.md", quoted).await;
    let (kind, reply) = write(&world, "f.md", quoted).await;
    assert_eq!((kind, reply.contains("placeholder")), (None, false), "{reply}");
}

/// Creates the files that the setup of a row describes.
fn tree(world: &World, row: &Value) {
    for (path, text) in row["files"].as_object().into_iter().flatten() {
        world.put(path, text.as_str().unwrap().as_bytes());
    }
    match row["id"].as_str().unwrap() {
        "dot_glob" => world.put(".github/workflows/ci.yml", b""),
        "leading_dash" => world.put("f", b"--flag here\n"),
        "crlf_dollar" => world.put("f", b"foo\r\nbar\r\n"),
        "utf16_searched" => {
            let text: Vec<u8> = "\u{feff}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
            world.put("f", &text);
        }
        _ => {
            world.put(".gitignore", b"dist/\n");
            world.put("dist/app.js", b"needle\n");
            world.put("src/a.js", b"needle\n");
        }
    }
}

/// Rows that do not run here, each with the reason.
const ELSEWHERE: [(&str, &str); 10] = [
    ("unreadable_dir", "the tests of the program cover missing permissions"),
    (
        "timeout_partial",
        "the tests of the crate `search` cover the time limit, because they can set the clock",
    ),
    (
        "offset_past_end",
        "the row expects the wording of another dialect; a test below covers the same offset",
    ),
    ("read_limit", "the dialect has no tool to read files"),
    ("read_small", "the dialect has no tool to read files"),
    ("read_long_line", "the dialect has no tool to read files"),
    ("read_fbs_is_text", "the dialect has no tool to read files"),
    ("read_png", "the dialect has no tool to read files"),
    ("read_outside", "the dialect has no tool to read files"),
    ("glob_path_is_file", "a test below covers it, with the wording of this dialect"),
];

#[tokio::test]
async fn search_fixtures_of_other_tools_pass() {
    let mut rows = common::rows("cli/tests/fixtures/issue-derived/search_cases.json");
    rows.extend(common::rows("cli/tests/fixtures/opencode-fs/behaviours.json"));
    let mut listed = 0;
    each_async(&rows, async |row| {
        let id = row["id"].as_str().unwrap();
        if ELSEWHERE.iter().any(|(other, _)| *other == id) {
            listed += 1;
            return;
        }
        let world = World::new(&DIALECT);
        tree(&world, row);
        let mut arguments = row["args"].clone();
        if let Some(object) = arguments.as_object_mut() {
            object.remove("output_mode");
        }
        let answer = world.call(row["tool"].as_str().unwrap(), arguments).await;
        let reply = words(&answer);
        let wants_error = row["error"] == json!(true);
        assert_eq!(matches!(answer, Outcome::Done(_)), !wants_error, "{id}: {reply}");
        for key in ["contains", "paths"] {
            for part in row[key].as_array().into_iter().flatten() {
                assert!(reply.contains(part.as_str().unwrap()), "{id}: {part} is not in {reply}");
            }
        }
        for part in row["not_contains"].as_array().into_iter().flatten() {
            assert!(!reply.contains(part.as_str().unwrap()), "{id}: {part} is in {reply}");
        }
        if row["matches"] == json!(0) || id == "no_match_word" {
            assert!(reply.starts_with("No matches found in "), "{id}: {reply}");
        }
    })
    .await;
    assert_eq!((rows.len(), listed), (23, ELSEWHERE.len()), "a row was added or lost");
}

#[tokio::test]
async fn cut_searches_report_the_omitted_lines() {
    let world = World::new(&DIALECT);
    world.put("many.txt", "needle\n".repeat(1_200).as_bytes());
    world.put("a.txt", b"needle\n");
    let answer = world.call("grep", json!({ "pattern": "needle" })).await;
    let reply = words(&answer);
    assert!(reply.starts_with("a.txt:1:needle\nmany.txt:1:needle\n"), "by path: {reply}");
    let last = reply.lines().last().unwrap();
    assert_eq!(
        last,
        "[toolpost: 1201 matching lines in 2 files; lines 1-100 of 1201 are shown; pass a narrower pattern, include or path, \
         or continue with offset 100]"
    );
    let rest = words(&world.call("grep", json!({ "pattern": "needle", "offset": 1_000 })).await);
    assert_eq!((rest.lines().count(), rest.lines().next()), (101, Some("many.txt:1000:needle")));
    let past = words(&world.call("grep", json!({ "pattern": "needle", "offset": 5_000 })).await);
    assert_eq!(past, "No lines at this offset: there are 1201 (1201 matching lines in 2 files)");
    let file = world.call("glob", json!({ "pattern": "*", "path": "a.txt" })).await;
    let reply = words(&file);
    assert!(matches!(file, Outcome::Failed(Kind::WrongKind, _)), "{reply}");
    assert!(reply.contains("a.txt"), "{reply}");
}

#[tokio::test]
async fn lsp_accepts_file_uris() {
    let world = World::new(&DIALECT);
    world.put("a b%.py", "def f(): pass\n");
    let uri = format!("file://{}/a%20b%25.py", world.root().display());
    let reply = words(&world.call("lsp", json!({ "operation": "symbols", "uri": uri })).await);
    assert!(reply.starts_with("function f  1\n"), "{reply}");
}

#[tokio::test]
async fn searches_that_show_a_whole_file_permit_writing_it() {
    let rows = [
        (json!({"pattern": "^", "path": "code.rs"}), true),
        (json!({"pattern": ".*", "path": "code.rs"}), true),
        (json!({"pattern": "one", "path": "code.rs"}), false),
        (json!({"pattern": "^", "include": "*.txt"}), false),
    ];
    each_async(rows, async |(search, seen)| {
        let world = World::new(&DIALECT);
        let lines: String = (0..12).map(|line| format!("line {line} one two\n")).collect();
        // The last line differs, so that a search for a word does not show every line.
        world.put("code.rs", lines + "end\n");
        world.call("grep", search.clone()).await;
        let (kind, reply) = write(&world, "code.rs", "new\n").await;
        assert_eq!(kind.is_none(), seen, "{search}: {reply}");
    })
    .await;
}

#[tokio::test]
async fn task_content_with_line_breaks_cannot_imitate_another_task() {
    each_async(
        ["\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"],
        async |line_break| {
            let world = World::new(&DIALECT);
            let content = format!("Add the route{line_break}[x] 2: Test it");
            let todos =
                json!({"todos": [{"id": "1", "content": content, "status": "pending", "priority": "low"}]});
            let reply = words(&world.call("todowrite", todos).await);
            let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
            let tasks: Vec<&str> = reply.split(breaks).filter(|line| line.starts_with('[')).collect();
            assert!(
                tasks.len() == 1 && tasks[0].starts_with("[ ] 1: Add the route"),
                "{line_break:?}: {reply:?}"
            );
        },
    )
    .await;
}
