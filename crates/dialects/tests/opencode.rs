//! The opencode dialect: it has no tool to read files, so refusals show the content.

use crate::common;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::{World, words};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt};
use toolpost_dialects::opencode::DIALECT;
use toolpost_engine::Kind;
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
async fn what_a_refusal_shows_whole_counts_as_seen() {
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
    for (what, before, shown) in rows {
        let world = World::new(&DIALECT);
        world.put("f", before);
        let (kind, said) = write(&world, "f", "new\n").await;
        assert_eq!(
            (kind, said.contains("This counts as seen now")),
            (Some(Kind::Unread), shown),
            "{what}: {said}"
        );
        assert_eq!(file(&world, "f"), before, "{what}");
        let (kind, said) = write(&world, "f", "new\n").await;
        assert_eq!(kind.is_none(), shown, "{what}: {said}");
        assert_eq!(file(&world, "f") != before, shown, "{what}");
    }
}

#[tokio::test]
async fn what_changed_since_it_was_shown_is_shown_again() {
    let world = World::new(&DIALECT);
    write(&world, "f", "one\ntwo\nthree\n").await;
    world.put("f", b"one\ntwo\nTHEIRS\n");
    let (kind, said) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert_eq!(
        said,
        "f has changed since it was last seen in this session; nothing was written.\n\n\
         What changed:\n@@ -1,3 +1,3 @@\n one\n two\n-three\n+THEIRS\n\n\
         This counts as seen now: if the same call is still right for it, make it again. To keep what stands there, \
         change only a part of it."
    );
    world.put("f", b"one\ntwo\nTHEIRS\nAGAIN\n");
    assert_eq!(write(&world, "f", "mine\n").await.0, Some(Kind::Stale));
    assert_eq!(file(&world, "f"), b"one\ntwo\nTHEIRS\nAGAIN\n");
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
    assert_eq!(file(&world, "f"), b"mine\n");
}

#[tokio::test]
async fn a_change_that_no_line_shows_is_said() {
    let world = World::new(&DIALECT);
    write(&world, "f", "one\ntwo\n").await;
    world.put("f", b"one\r\ntwo\r\n");
    let (kind, said) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert!(said.contains("The text is the same; its line ends,"), "{said}");
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
    assert_eq!(file(&world, "f"), b"mine\r\n");
}

#[tokio::test]
async fn a_change_of_what_was_never_seen_whole_shows_all_of_it() {
    let world = World::new(&DIALECT);
    world.put("f", b"one\ntwo\n");
    let edit = json!({ "filePath": "f", "oldString": "one", "newString": "1" });
    assert!(matches!(world.call("edit", edit).await, Outcome::Done(_)), "a part needs no look before");
    world.put("f", b"1\ntwo\nTHEIRS\n");
    let (kind, said) = write(&world, "f", "mine\n").await;
    assert_eq!(kind, Some(Kind::Stale));
    assert!(
        said.contains("     1\t1\n     2\ttwo\n     3\tTHEIRS\n"),
        "the diff alone does not show the rest: {said}"
    );
    assert_eq!(write(&world, "f", "mine\n").await.0, None);
}

#[tokio::test]
async fn what_may_not_be_read_is_not_shown() {
    let world = World::new(&DIALECT);
    world.put(".env", b"SECRET=1\n");
    for _ in 0..2 {
        let (kind, said) = write(&world, ".env", "SECRET=2\n").await;
        assert_eq!((kind, said.contains("SECRET")), (Some(Kind::Denied), false), "{said}");
    }
    assert_eq!(file(&world, ".env"), b"SECRET=1\n");
}

#[tokio::test]
async fn nothing_is_lost_of_an_empty_file() {
    let world = World::new(&DIALECT);
    world.put("f", b"");
    assert_eq!(write(&world, "f", "new\n").await.0, None);
}

#[tokio::test]
async fn one_edit_that_fails_keeps_every_file() {
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
    for (second, wanted, begins) in rows {
        let world = World::new(&DIALECT);
        files.iter().for_each(|(name, bytes)| world.put(name, bytes));
        let answer = world.call("multiedit", json!({ "edits": [first, second] })).await;
        let said = words(&answer);
        let Outcome::Failed(kind, _) = answer else { panic!("{second}: {said}") };
        assert_eq!((kind, said.starts_with(begins)), (wanted, true), "{second}: {said}");
        assert_eq!(world.files(), files, "{second}");
    }
}

#[tokio::test]
async fn edits_that_stand_alone_or_leave_out_the_file_are_understood() {
    let one = json!({ "oldString": "one", "newString": "1" });
    let full = json!({ "filePath": "f", "oldString": "one", "newString": "1" });
    let rows = [
        json!({ "edits": full }),
        json!({ "edits": full.to_string() }),
        json!({ "filePath": "f", "edits": [one] }),
        json!({ "filePath": "other", "edits": [full] }),
    ];
    for arguments in rows {
        let world = World::new(&DIALECT);
        world.put("f", b"one\n");
        let answer = world.call("multiedit", arguments.clone()).await;
        assert!(matches!(answer, Outcome::Done(_)), "{arguments}: {}", words(&answer));
        assert_eq!(file(&world, "f"), b"1\n", "{arguments}");
    }
}

/// A patch of one file that puts another line in the place of `a`.
const CHANGE: &str = "*** Begin Patch\n*** Update File: f.txt\n@@\n-a\n+A\n*** End Patch";

#[tokio::test]
async fn patches_of_bug_reports_keep_bytes_and_come_in_every_wrapping() {
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
    for arguments in forms {
        let world = World::new(&DIALECT);
        world.put("f.txt", b"a\r\nb\r\n");
        let said = words(&world.call("apply_patch", arguments.clone()).await);
        assert!(
            said.starts_with(
                "1 file(s) modified, 0 added, 0 deleted (+1 -1)\nUpdated: f.txt (+1 -1 lines)\n"
            ),
            "{arguments}: {said}"
        );
        assert_eq!(file(&world, "f.txt"), b"A\r\nb\r\n", "{arguments}");
    }
}

#[tokio::test]
async fn a_patch_that_fails_keeps_every_file() {
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
    for (patch, wanted, begins) in rows {
        let world = World::new(&DIALECT);
        before.iter().for_each(|(name, bytes)| world.put(name, bytes));
        let answer = world.call("patch", json!({ "patch_text": patch })).await;
        let said = words(&answer);
        let Outcome::Failed(kind, _) = answer else { panic!("{patch}: {said}") };
        let begins = format!("patch verification failed: {begins}");
        assert_eq!((kind, said.starts_with(&begins)), (wanted, true), "{patch}: {said}");
        assert_eq!(world.files(), before, "{patch}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_written_undoes_the_others() {
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
        let said = words(&answer);
        assert!(
            matches!(answer, Outcome::Failed(Kind::Denied, _)) && said.contains("locked/b"),
            "{tool}: {said}"
        );
        assert_eq!(
            (file(&world, "a"), file(&world, "locked/b")),
            (b"a\n".to_vec(), b"a\n".to_vec()),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn a_patch_that_adds_over_a_file_needs_it_to_be_seen() {
    let world = World::new(&DIALECT);
    world.put("f", b"theirs\n");
    let patch = json!({ "patch_text": "*** Begin Patch\n*** Add File: f\n+mine\n*** End Patch" });
    let first = world.call("patch", patch.clone()).await;
    assert!(matches!(first, Outcome::Failed(Kind::Unread, _)), "{}", words(&first));
    assert_eq!((file(&world, "f"), words(&first).contains("     1\ttheirs")), (b"theirs\n".to_vec(), true));
    let second = world.call("patch", patch).await;
    assert!(
        words(&second)
            .starts_with("1 file(s) modified, 0 added, 0 deleted (+1 -1)\nUpdated: f (+1 -1 lines)\n")
    );
    assert_eq!(file(&world, "f"), b"mine\n");
}

/// Builds what the words of a row's setup describe.
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

/// The rows that are not run here, each with its reason.
const ELSEWHERE: [(&str, &str); 10] = [
    ("unreadable_dir", "permissions are built in the program's tests, where the walk is the same"),
    (
        "timeout_partial",
        "a clock that runs out is tested where it can be set: the search library's own tests",
    ),
    ("offset_past_end", "its words are those of another dialect; the same window is tested below"),
    ("read_limit", "the dialect has no tool to read with"),
    ("read_small", "the dialect has no tool to read with"),
    ("read_long_line", "the dialect has no tool to read with"),
    ("read_fbs_is_text", "the dialect has no tool to read with"),
    ("read_png", "the dialect has no tool to read with"),
    ("read_outside", "the dialect has no tool to read with"),
    ("glob_path_is_file", "run below, with our own words for it"),
];

#[tokio::test]
async fn searches_behave_as_other_suites_and_bug_reports_ask() {
    let mut rows = common::rows("cli/tests/fixtures/issue-derived/search_cases.json");
    rows.extend(common::rows("cli/tests/fixtures/opencode-fs/behaviours.json"));
    let mut listed = 0;
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        if ELSEWHERE.iter().any(|(other, _)| *other == id) {
            listed += 1;
            continue;
        }
        let world = World::new(&DIALECT);
        tree(&world, row);
        let mut arguments = row["args"].clone();
        if let Some(object) = arguments.as_object_mut() {
            object.remove("output_mode");
        }
        let answer = world.call(row["tool"].as_str().unwrap(), arguments).await;
        let said = words(&answer);
        let wants_error = row["error"] == json!(true);
        assert_eq!(matches!(answer, Outcome::Done(_)), !wants_error, "{id}: {said}");
        for key in ["contains", "paths"] {
            for part in row[key].as_array().into_iter().flatten() {
                assert!(said.contains(part.as_str().unwrap()), "{id}: {part} is not in {said}");
            }
        }
        for part in row["not_contains"].as_array().into_iter().flatten() {
            assert!(!said.contains(part.as_str().unwrap()), "{id}: {part} is in {said}");
        }
        if row["matches"] == json!(0) || id == "no_match_word" {
            assert!(said.starts_with("No matches found in "), "{id}: {said}");
        }
    }
    assert_eq!((rows.len(), listed), (23, ELSEWHERE.len()), "a row was added or lost");
}

#[tokio::test]
async fn a_search_says_what_it_leaves_out() {
    let world = World::new(&DIALECT);
    world.put("many.txt", "needle\n".repeat(1_200).as_bytes());
    world.put("a.txt", b"needle\n");
    let answer = world.call("grep", json!({ "pattern": "needle" })).await;
    let said = words(&answer);
    assert!(said.starts_with("a.txt:1:needle\nmany.txt:1:needle\n"), "by path: {said}");
    let last = said.lines().last().unwrap();
    assert_eq!(
        last,
        "[toolpost: 1201 matching lines in 2 files; lines 1-100 of 1201 are shown, narrow pattern, include or path, \
         or continue with offset 100]"
    );
    let rest = words(&world.call("grep", json!({ "pattern": "needle", "offset": 1_000 })).await);
    assert_eq!((rest.lines().count(), rest.lines().next()), (101, Some("many.txt:1000:needle")));
    let past = words(&world.call("grep", json!({ "pattern": "needle", "offset": 5_000 })).await);
    assert_eq!(past, "No lines at this offset: there are 1201 (1201 matching lines in 2 files)");
    let file = world.call("glob", json!({ "pattern": "*", "path": "a.txt" })).await;
    let said = words(&file);
    assert!(matches!(file, Outcome::Failed(Kind::WrongKind, _)), "{said}");
    assert!(said.contains("a.txt"), "{said}");
}

#[tokio::test]
async fn lsp_takes_the_address_of_a_file() {
    let world = World::new(&DIALECT);
    world.put("a b%.py", "def f(): pass\n");
    let uri = format!("file://{}/a%20b%25.py", world.root().display());
    let said = words(&world.call("lsp", json!({ "operation": "symbols", "uri": uri })).await);
    assert!(said.starts_with("function f  1\n"), "{said}");
}
