//! The tools of the dialect `trae`: effects and failures.

use crate::common;
use toolpost_test_rows::each;

use common::{SECRET, World, words};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink, path::Path};
use toolpost_dialects::trae::DIALECT;
use toolpost_engine::AmbiguityTreatment;
use toolpost_runtime::Outcome;

/// Creates a workspace from entries: `name=content`, `name/` (directory) and `name->target` (link).
fn world(entries: &[&str], several: AmbiguityTreatment) -> World {
    let world = World::several(&DIALECT, several);
    entries.iter().for_each(|entry| put(world.root(), entry));
    world
}

impl World {
    /// Makes a call; returns its text without the workspace path, with `! ` before a failure.
    async fn say(&self, tool: &str, arguments: Value) -> String {
        let outcome = self.call(tool, arguments).await;
        let root = self.root().canonicalize().unwrap().display().to_string();
        let mark = match &outcome {
            Outcome::Done(_) => "",
            Outcome::Failed(..) => "! ",
            other => panic!("{other:?}"),
        };
        format!("{mark}{}", words(&outcome).replace(&root, "ROOT"))
    }

    fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        collect(self.root(), "", &mut lines);
        lines.sort();
        lines
    }
}

fn put(root: &Path, entry: &str) {
    if let Some((name, target)) = entry.split_once("->") {
        symlink(target, root.join(name)).unwrap();
    } else if let Some((name, content)) = entry.split_once('=') {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    } else {
        fs::create_dir_all(root.join(entry)).unwrap();
    }
}

fn collect(directory: &Path, prefix: &str, lines: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            lines.push(format!("{name}/"));
            collect(&entry.path(), &format!("{name}/"), lines);
        } else if kind.is_symlink() {
            lines.push(format!("{name}->{}", fs::read_link(entry.path()).unwrap().display()));
        } else {
            lines.push(format!("{name}={}", fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// Makes a call in a new workspace, and checks its reply and the entries of the workspace afterwards. If `after` is
/// `None`, nothing must have changed.
#[track_caller]
fn check(entries: &[&str], tool: &str, arguments: Value, words: &str, after: Option<&[&str]>) {
    check_in_world(&world(entries, AmbiguityTreatment::Refused), tool, arguments, words, after);
}

#[track_caller]
fn check_in_world(world: &World, tool: &str, arguments: Value, words: &str, after: Option<&[&str]>) {
    let before = world.tree();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let reply = runtime.block_on(world.say(tool, arguments.clone()));
    assert_eq!(reply, words, "{tool} {arguments}");
    let wanted = after.map_or(before, |lines| lines.iter().map(|line| (*line).to_owned()).collect());
    assert_eq!(world.tree(), wanted, "{tool} {arguments}");
    assert_eq!(world.secret(), SECRET);
}

#[test]
fn search_by_regex_filters_files_and_limits_lines() {
    let many: String = (1..=60).map(|number| format!("hit {number}\n")).collect();
    let shown: String = (1..=50).map(|number| format!("a.txt:{number}:hit {number}\n")).collect();
    check(
        &[&format!("a.txt={many}"), "b.txt=hit\n"],
        "search_by_regex",
        json!({"query": "hit"}),
        &format!(
            "{shown}[toolpost: the first 50 of 61 matching lines in 2 files; pass a narrower query or search_directory to see the others]"
        ),
        None,
    );
    let files =
        ["src/a.rs=fn Hit() {}\n", "src/b.py=hit\n", ".hidden=hit\n", ".gitignore=*.log\n", "x.log=hit\n"];
    let rows = [
        (
            json!({"query": "hit"}),
            ".hidden:1:hit\nsrc/b.py:1:hit\n[toolpost: 2 matching lines in 2 files]\n[toolpost: skipped 1 ignored file]",
        ),
        (json!({"pattern": "hit", "path": "src"}), "src/b.py:1:hit\n[toolpost: 1 matching line in 1 file]"),
        (
            json!({"regex": "hit", "includes": ["*.rs", "*.py"], "case_insensitive": true}),
            "src/a.rs:1:fn Hit() {}\nsrc/b.py:1:hit\n[toolpost: 2 matching lines in 2 files]",
        ),
        (
            json!({"query": "hit", "glob": "*.rs,*.py"}),
            "src/b.py:1:hit\n[toolpost: 1 matching line in 1 file]",
        ),
        (
            json!({"query": "hit", "search_directory": "src/b.py"}),
            "src/b.py:1:hit\n[toolpost: 1 matching line in 1 file]",
        ),
        (json!({"query": "none such", "search_directory": "src/"}), "No matches found in 2 files"),
        (
            json!({"query": "hit", "search_directory": "sxc"}),
            "! sxc does not exist; check the path, or search its parent directory.\nDid you mean `src`?",
        ),
        (
            json!({"query": "hit", "search_directory": "../out"}),
            "! ../out is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.",
        ),
        (json!({}), "! query is missing: it takes a string, for example {\"query\":\"fn \\\\w+_timeout\"}."),
    ];
    each(rows, |(arguments, words)| {
        check(&files, "search_by_regex", arguments, words, None);
    });
}

#[test]
fn search_codebase_ranks_blocks_by_similarity_and_keywords() {
    let files = [
        "src/a.rs=/// Removes what is not needed.\nfn delete_unused(items: &mut Vec<Item>) {\n    items.retain(Item::is_used);\n}\n",
        "src/deep/b.py=def connect(host):\n    return socket(host)\n",
        "c.bin=\0\u{1}",
    ];
    let found = "src/a.rs:1-4 function delete_unused (score SCORE: similarity SCORE, matching words delete, \
                 unused)\n/// Removes what is not \
        needed.\nfn delete_unused(items: &mut Vec<Item>) {\n    items.retain(Item::is_used);\n}\n";
    let rows = [
        (
            json!({"query": "delete unused things", "target_directories": ["src/a.rs"]}),
            format!("{found}[toolpost: 1 block in 1 file, ranked by the built-in model and \
                     keywords]"),
        ),
        (
            json!({"question": "delete unused things", "directories": "src/a.rs"}),
            format!("{found}[toolpost: 1 block in 1 file, ranked by the built-in model and \
                     keywords]"),
        ),
        (
            json!({"query": "socket", "target_directories": ["src/deep", "c.bin"]}),
            "src/deep/b.py:1-2 function connect (score SCORE: similarity SCORE, matching words socket)\ndef \
             connect(host):\n    return \
             socket(host)\n[toolpost: 1 block in 1 file, ranked by the built-in model and keywords]\n[toolpost: skipped 1 \
             file without text (c.bin)]"
                .to_owned(),
        ),
        (
            json!({"query": "日本語", "target_directories": ["src"]}),
            "No code found in 2 files\n[toolpost: the embedding model knows none of the query's words, so this was a keyword search only; ask in English]"
                .to_owned(),
        ),
        (
            json!({"query": "x", "target_directories": ["sxc"]}),
            "! File not found: sxc (the workspace is ROOT).\nDid you mean `src`?".to_owned(),
        ),
        (
            json!({"query": "x", "target_directories": ["../out"]}),
            "! ../out is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR."
                .to_owned(),
        ),
        (json!({"query": " "}), "! The query is empty: describe in a few words what to search for.".to_owned()),
    ];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    each(rows, |(arguments, wanted)| {
        let world = world(&files, AmbiguityTreatment::Refused);
        let reply = runtime.block_on(world.say("search_codebase", arguments.clone()));
        assert_eq!(scoreless(&reply), wanted, "{arguments}");
    });
}

/// Replaces the scores in a reply, which depend on the embedding model, with a constant word.
fn scoreless(reply: &str) -> String {
    let mut out = String::new();
    let mut rest = reply;
    while let Some(at) =
        ["score ", "similarity "].iter().filter_map(|word| Some(rest.find(word)? + word.len())).min()
    {
        let number = rest[at..].find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(0);
        out.push_str(&rest[..at]);
        if number > 0 {
            out.push_str("SCORE");
        }
        rest = &rest[at + number..];
    }
    out + rest
}

#[test]
fn search_codebase_finds_just_written_code() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = world(&["a.py=def first():\n    return parse_json(text)\n"], AmbiguityTreatment::Refused);
    let ask =
        || runtime.block_on(world.say("search_codebase", json!({"query": "open a network connection"})));
    assert!(!ask().contains("b.py"));
    put(world.root(), "b.py=def dial(address):\n    return connect_socket(address)\n");
    assert!(ask().starts_with("b.py:1-2 function dial "), "{}", ask());
    put(world.root(), "b.py=def paint(colour):\n    return canvas.fill(colour)\n");
    put(world.root(), "a.py=def first():\n    return open_connection(network)\n");
    assert!(ask().starts_with("a.py:1-2 function first "), "{}", ask());
    fs::remove_file(world.root().join("a.py")).unwrap();
    assert!(!ask().contains("a.py"));
}

const TEN: &str = "ten=1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const VIEWED: [&str; 5] = [TEN, "empty=", "tabs=\tif\r\n\tfi\r\n", "d/x=x\n", "nul=\0"];

fn one(file: Value) -> Value {
    json!({"files": [file]})
}

#[test]
fn view_files_shows_lines() {
    let rows = [
        (
            one(json!({"file_path": "ten", "start_line": 9, "end_line": 9})),
            "--- ten: lines 9-9 of 10 ---\n     9\t9",
        ),
        (
            one(json!({"file_path": "ten", "start_line": 0, "end_line": 1})),
            "--- ten: lines 1-1 of 10 ---\n     1\t1",
        ),
        (
            one(json!({"path": "ten", "from": "9", "to": -1})),
            "--- ten: lines 9-10 of 10 ---\n     9\t9\n    10\t10",
        ),
        (
            one(json!({"file_path": "ten", "start_line": 9})),
            "--- ten: lines 9-10 of 10 ---\n     9\t9\n    10\t10",
        ),
        (
            one(json!({"file_path": "ten", "start_line": 10, "end_line": 30})),
            "--- ten: lines 10-10 of 10; the file ends there, before line 30 ---\n    10\t10",
        ),
        (
            json!({"files": {"file_path": "ten", "start_line": 1, "end_line": 1}}),
            "--- ten: lines 1-1 of 10 ---\n     1\t1",
        ),
        (one(json!({"file_path": "empty", "start_line": 1, "end_line": 5})), "--- empty: empty ---"),
        (
            one(json!({"file_path": "tabs", "start_line": 1, "end_line": 1})),
            "--- tabs: lines 1-1 of 2 (indent: tabs; eol: CRLF) ---\n     1\t\tif",
        ),
        (
            json!({"files": [
                {"file_path": "d/x", "start_line": 1, "end_line": 1},
                {"file_path": "tne", "start_line": 1, "end_line": 1},
                {"file_path": "d", "start_line": 1, "end_line": 1},
            ]}),
            "--- d/x: lines 1-1 of 1 ---\n     1\tx\n\n--- tne: not shown ---\nFile not found: tne (the workspace is ROOT).\n\
             Did you mean `ten`?\n\n--- d: not shown ---\nd is a directory, not a file.\nx\nList it with list_dir, for example \
             {\"dir_path\":\"d\"}.",
        ),
    ];
    each(rows, |(arguments, words)| {
        check(&VIEWED, "view_files", arguments, words, None);
    });
}

#[test]
fn view_files_reports_what_it_cannot_show() {
    let rows = [
        (
            one(json!({"file_path": "ten", "start_line": 11, "end_line": 12})),
            "! ten has 10 lines; line 11 is after its end.\nView existing lines, for example from start_line 9.",
        ),
        (
            one(json!({"file_path": "d", "start_line": 1, "end_line": 2})),
            "! d is a directory, not a file.\n\nx\n\nList it with list_dir, for example {\"dir_path\":\"d\"}.",
        ),
        (
            one(json!({"file_path": "nul", "start_line": 1, "end_line": 2})),
            "! nul is not text: it has NUL bytes, 1 byte. It cannot be shown.\nLook for the source from which it was made, or \
             for a text file next to it.",
        ),
        (
            one(json!({"file_path": "ten", "start_line": 3, "end_line": 2})),
            "! Lines 3 to 2 of ten are not a range: start_line counts from 1, and end_line must not be less than start_line (-1 is the end of the file).",
        ),
        (
            one(json!({"file_path": "ten", "start_line": -3, "end_line": -2})),
            "! Lines -3 to -2 of ten are not a range: start_line counts from 1, and end_line must not be less than start_line (-1 is the end of the file).",
        ),
        (json!({"files": []}), "! files is empty; pass at least one file and the lines to view."),
        (
            json!({"files": vec![json!({"file_path": "ten", "start_line": 1, "end_line": 1}); 11]}),
            "! files has 11 entries; one call shows at most 10. Nothing was shown. View the others in another call.",
        ),
        (
            one(json!({"file_path": "../out/secret", "start_line": 1, "end_line": 2})),
            "! ../out/secret is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.",
        ),
        (
            one(json!("ten")),
            "! files[0] must be an object, got \"ten\"; for example {\"files\":[{\"file_path\":\"src/main.rs\",\"start_line\":1,\"end_line\":200}]}.",
        ),
    ];
    each(rows, |(arguments, words)| {
        check(&VIEWED, "view_files", arguments, words, None);
    });
}

#[test]
fn view_files_cuts_long_files() {
    let line = "x".repeat(1_000);
    let long = format!("long={}", format!("{line}\n").repeat(300));
    let world = world(&[&long, TEN], AmbiguityTreatment::Refused);
    let both = json!({"files": [
        {"file_path": "long", "start_line": 1, "end_line": 200}, {"file_path": "ten", "start_line": 1, "end_line": 2}]});
    let reply = tokio::runtime::Runtime::new().unwrap().block_on(world.say("view_file", both));
    let notes: Vec<&str> = reply.lines().filter(|line| line.starts_with(['-', '['])).collect();
    let wanted = [
        "--- long: lines 1-100 of 300 ---",
        "[toolpost: cut after line 100; continue with start_line 101]",
        "--- ten: lines 1-2 of 10 ---",
    ];
    assert_eq!(notes, wanted);
    assert!(reply.len() <= DIALECT.budget.bytes && reply.ends_with("     2\t2"), "{}", reply.len());
}

#[test]
fn list_dir_shows_entries_up_to_max_depth() {
    let files = [
        "a/b/c/d/e/f=1",
        "a/x=1",
        ".env=1",
        ".gitignore=*.log",
        "l->a/x",
        "n.log=1",
        "node_modules/m/i.js=1",
        "none/",
    ];
    let top = ".env\n.gitignore\na/\na/b/\na/b/c/\na/x\nl -> a/x\nnone/\n[toolpost: skipped 1 dependency directory, 1 ignored file (node_modules)]";
    let rows = [
        (json!({"dir_path": "."}), top.to_owned()),
        (json!({"path": ".", "depth": "1"}), top.replace("a/b/\na/b/c/\na/x\n", "")),
        (
            json!({"dir_path": "./", "max_depth": 5}),
            top.replace("a/b/c/\n", "a/b/c/\na/b/c/d/\na/b/c/d/e/\n"),
        ),
        (json!({"dir_path": "a/b", "max_depth": 2}), "c/\nc/d/".to_owned()),
        (json!({"dir_path": "none"}), "none has no entries to list.".to_owned()),
        (json!({"dir_path": "node_modules", "max_depth": 1}), "m/".to_owned()),
        (
            json!({"dir_path": ".", "max_depth": 0}),
            "! max_depth must be 1 to 5, got 0; 1 lists the directory alone.".to_owned(),
        ),
        (
            json!({"dir_path": "nnoe"}),
            "! nnoe does not exist; check the path, or search its parent directory.\nDid you mean `none`?"
                .to_owned(),
        ),
        (
            json!({"dir_path": ".."}),
            "! .. is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR."
                .to_owned(),
        ),
        (
            json!({}),
            "! dir_path is missing: it takes a string, for example {\"dir_path\":\"src\"}.".to_owned(),
        ),
    ];
    each(rows, |(arguments, words)| {
        check(&files, "list_dir", arguments, &words, None);
    });
    let wide: Vec<String> = (0..1_200).map(|number| format!("wide/{number:04}=")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).chain(["thin/x="]).collect();
    let world = world(&wide, AmbiguityTreatment::Refused);
    let reply =
        tokio::runtime::Runtime::new().unwrap().block_on(world.say("list_dir", json!({"dir_path": "."})));
    let lines: Vec<&str> = reply.lines().collect();
    assert_eq!((lines.len(), &lines[..3]), (1_001, &["thin/", "thin/x", "wide/ (… 203 more)"][..]));
    assert_eq!(
        lines[1_000],
        "[toolpost: to see all entries of a directory marked with `…`, list that directory]"
    );
}

const WRITTEN: [&str; 4] = ["f=one\n", "d/", "crlf=a\r\nb\r\n", "out->../out/secret"];

#[test]
fn write_to_file_creates_and_rewrites_files() {
    let kept = |changed: &[&'static str]| {
        let names: Vec<&str> = changed.iter().map(|line| line.split('=').next().unwrap()).collect();
        let same = WRITTEN.iter().filter(|line| !names.contains(&line.split('=').next().unwrap()));
        let mut all: Vec<&str> = same.copied().chain(changed.iter().copied()).collect();
        all.sort_unstable();
        all
    };
    let done = [
        (
            json!({"file_path": "n/m", "content": "x", "rewrite": false}),
            "Created n/m: 1 line, 1 byte.",
            kept(&["n/", "n/m=x"]),
        ),
        (json!({"path": "m", "contents": "x\n"}), "Created m: 1 line, 2 bytes.", kept(&["m=x\n"])),
        (
            json!({"file_path": "f", "content": "1\n", "rewrite": "True"}),
            "Rewrote f: it had 1 line and now has 1 line (+1 -1).\n@@ -1 +1 @@\n-one\n+1",
            kept(&["f=1\n"]),
        ),
        (
            json!({"file_path": "f", "content": "one\n", "overwrite": true}),
            "f is unchanged: it already has this content.",
            kept(&[]),
        ),
        (
            json!({"file_path": "crlf", "content": "a\nc\n", "rewrite": true}),
            "Rewrote crlf: it had 2 lines and now has 2 lines (+1 -1).\n@@ -1,2 +1,2 @@\n \
             a\n-b\n+c\n[toolpost: kept CRLF: all line endings of the file were CRLF, the new text had none]",
            kept(&["crlf=a\r\nc\r\n"]),
        ),
    ];
    each(done, |(arguments, words, after)| {
        check(&WRITTEN, "write_to_file", arguments, words, Some(&after));
    });
}

#[test]
fn write_to_file_refuses_invalid_writes() {
    let refused = [
        (
            json!({"file_path": "f", "content": "1", "rewrite": false}),
            "! rewrite=false but file exists: f\nTo overwrite it, pass rewrite=true.",
        ),
        (
            json!({"file_path": "f", "content": "1"}),
            "! rewrite=false but file exists: f\nTo overwrite it, pass rewrite=true.",
        ),
        (
            json!({"file_path": "d/f", "content": "1", "rewrite": true}),
            "! rewrite=true but file does not exist: d/f\nDid you mean `f`?\nTo create it, pass rewrite=false.",
        ),
        (
            json!({"file_path": "d", "content": "1", "rewrite": false}),
            "! d is a directory, not a file.\n\nThe directory is empty.\n\nList it with list_dir, for example {\"dir_path\":\"d\"}.",
        ),
        (
            json!({"file_path": "new/", "content": "1", "rewrite": false}),
            "! new/ is the path of a directory; pass the path of a file, without a slash at the end.",
        ),
        (
            json!({"file_path": "f", "content": "// ... rest of the code unchanged ...\n", "rewrite": true}),
            "! f was not changed: line 1 of the new text is a placeholder for code that is not there: \"// ... rest \
             of the code unchanged ...\"; write the code out, or replace only the lines that change.",
        ),
        (
            json!({"file_path": "out", "content": "1", "rewrite": true}),
            "! out is outside the workspace (a symbolic link leads to ../out/secret): only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.",
        ),
        (
            json!({"file_path": "f", "rewrite": true}),
            "! content is missing: it takes a string, for example {\"content\":\"fn main() {}\\n\"}.",
        ),
    ];
    each(refused, |(arguments, words)| {
        check(&WRITTEN, "write_to_file", arguments, words, None);
    });
}

/// Builds `replace_blocks` from alternating old and new texts.
fn blocks(texts: &[&str]) -> Value {
    let block = |pair: &[&str]| json!({"old_str": pair[0], "new_str": pair[1]});
    json!({"file_path": "f", "replace_blocks": texts.chunks(2).map(block).collect::<Vec<_>>()})
}

const CODE: &str = "f=fn a() {\n    one();\n}\nfn b() {\n    one();\n}\n";

#[test]
fn update_file_replaces_blocks_in_order() {
    let done = [
        // The search for the second block starts after the first, so there is only one match.
        (
            blocks(&["fn b() {", "fn c() {", "    one();", "    two();"]),
            "Updated f: 2 replacements (+2 -2); the edited part is now lines 4-5 of 6.\n@@ -1,6 +1,6 @@\n \
             fn a() {\n     one();\n }\n-fn b() {\n-    one();\n+fn c() {\n+    two();\n }",
            "f=fn a() {\n    one();\n}\nfn c() {\n    two();\n}\n",
        ),
        // A block does not match text that an earlier block inserted.
        (
            blocks(&[
                "fn a() {\n    one();",
                "fn a() {\n    one();\n    one();",
                "one();\n}\n",
                "two();\n}\n",
            ]),
            "Updated f: 2 replacements (+2 -1); the edited part is now lines 3-6 of 7.\n@@ -1,6 +1,7 @@\n \
             fn a() {\n     one();\n+    one();\n }\n fn b() {\n-    one();\n+    two();\n }",
            "f=fn a() {\n    one();\n    one();\n}\nfn b() {\n    two();\n}\n",
        ),
        (
            blocks(&["fn b() {\n  one();\n}", "fn b() {\n  two();\n}"]),
            "Updated f: 1 replacement (+1 -1); the edited part is now line 5 of 6.\n@@ -2,5 +2,5 @@\n     \
             one();\n }\n fn b() {\n-    one();\n+    two();\n }\n[toolpost: matched although these \
             differed from the file: indentation]",
            "f=fn a() {\n    one();\n}\nfn b() {\n    two();\n}\n",
        ),
        (
            blocks(&["fn b() {  \n    one();", "fn b() {"]),
            "Updated f: 1 replacement (+0 -1); the edited part is now line 5 of 5.\n@@ -2,5 +2,4 @@\n     \
             one();\n }\n fn b() {\n-    one();\n }\n[toolpost: matched although these differed from the \
             file: white space at line ends]",
            "f=fn a() {\n    one();\n}\nfn b() {\n}\n",
        ),
        (
            blocks(&["     4\tfn b() {\n     5\t    one();", "     4\tfn b() {"]),
            "Updated f: 1 replacement (+0 -1); the edited part is now line 5 of 5.\n@@ -2,5 +2,4 @@\n     \
             one();\n }\n fn b() {\n-    one();\n }\n[toolpost: removed the line numbers before the lines \
             of the old and the new text]",
            "f=fn a() {\n    one();\n}\nfn b() {\n}\n",
        ),
        (
            blocks(&["fn b() {", "fn c() {", "fn a() {", "fn z() {"]),
            "Updated f: 2 replacements (+2 -2); the edited part is now lines 1-4 of 6.\n@@ -1,6 +1,6 \
             @@\n-fn a() {\n+fn z() {\n     one();\n }\n-fn b() {\n+fn c() {\n     one();\n }",
            "f=fn z() {\n    one();\n}\nfn c() {\n    one();\n}\n",
        ),
    ];
    each(done, |(arguments, words, after)| {
        check(&[CODE], "update_file", arguments, words, Some(&[after]));
    });
}

#[test]
fn update_file_refuses_invalid_blocks() {
    let refused = [
        (
            blocks(&["one();", "two();"]),
            "! The text to replace was found 2 times in f.\n\nIt begins on these lines:\n     2\t    one();\n     5\t    one();\n\nAdd surrounding lines to old_str until it is unique.\nTo replace every occurrence, give each its own block in replace_blocks.",
        ),
        (
            blocks(&["fn a() {", "fn z() {", "fn q() {", "fn r() {"]),
            "! Edit 2: The text to replace was not found in f. Nothing was changed.\n\nClosest match, line 1 (it differs; → is a tab, · a space):\nfn a() {\n\nThe difference, [-old text-] {+file+}:\n1: fn [-q-]{+a+}() {\n\nCopy the text exactly from f, with view_files: start_line 1, end_line 1.",
        ),
        (
            blocks(&["fn a() {", "fn a() {"]),
            "! The old and the new text are the same; nothing would change in f.",
        ),
        (
            blocks(&["", "x"]),
            "! The text to replace is empty, but f is not.\nAs the text to replace, pass existing text next \
             to the insertion point, and repeat that text in the new text.",
        ),
        (blocks(&[]), "! replace_blocks is empty; give at least one block with old_str and new_str."),
        (
            json!({"file_path": "g", "replace_blocks": [{"old_str": "a", "new_str": "b"}]}),
            "! File not found: g (the workspace is ROOT).\nList the existing files with list_dir.",
        ),
        (
            json!({"file_path": "f", "replace_blocks": [{"old_str": "a"}]}),
            "! In replace_blocks[0]: new_str is missing: it takes a string, for example {\"new_str\":\"let a = 2;\"}.",
        ),
    ];
    each(refused, |(arguments, words)| {
        check(&[CODE], "update_file", arguments, words, None);
    });
}

#[test]
fn update_file_honours_first_match_aliases_and_line_endings() {
    let first = world(&[CODE], AmbiguityTreatment::First);
    check_in_world(
        &first,
        "update_file",
        blocks(&["one();", "two();", "one();", "three();"]),
        "Updated f: 2 replacements (+2 -2); the edited part is now lines 2-5 of 6.\n@@ -1,6 +1,6 @@\n fn \
         a() {\n-    one();\n+    two();\n }\n fn b() {\n-    one();\n+    three();\n }\n[toolpost: the text to \
         replace occurs 2 times; replaced the one at line 2, the first (the others: line 5)]",
        Some(&["f=fn a() {\n    two();\n}\nfn b() {\n    three();\n}\n"]),
    );
    let aliases = json!({"path": "f", "edits": "[{\"search\": \"fn b\", \"replace\": \"fn c\"}]"});
    check(
        &["f=fn b"],
        "update_file",
        aliases,
        "Updated f: 1 replacement (+1 -1); the edited part is now line 1 of 1.\n@@ -1 +1 @@\n-fn b\n\\ No \
         newline at end of file\n+fn c\n\\ No newline at end of file",
        Some(&["f=fn c"]),
    );
    check(
        &["f=a\r\nb\r\nc\n"],
        "update_file",
        blocks(&["a\nb", "a\nx\nb"]),
        "Updated f: 1 replacement (+1 -0); the edited part is now line 2 of 4.\n@@ -1,3 +1,4 @@\n a\n+x\n \
         b\n c",
        Some(&["f=a\r\nx\r\nb\r\nc\n"]),
    );
}

#[test]
fn edit_file_fast_apply_merges_partial_code() {
    let long = format!("f.py={}def a():\n    return 1\n", "x = 1\n".repeat(998));
    check(
        &[&long],
        "edit_file_fast_apply",
        json!({"file_path": "f.py", "content": "def a():\n    return 2\n"}),
        "! f.py has 1000 lines; partial code is merged only into files with fewer than 1000.\nUse update_file \
         instead, with only the lines that change.",
        None,
    );
    check(
        &["f=def a():\r\n    return 1\r\n"],
        "edit_file_fast_apply",
        json!({"target_file": "f", "code_edit": "def a():\n    return 2\n\n\n# ...\n", "language": "python", "instructions": "two"}),
        "Updated f: 1 replacement (+1 -1); the edited part is now line 2 of 2.\n@@ -1,2 +1,2 @@\n def \
         a():\n-    return 1\n+    return 2",
        Some(&["f=def a():\r\n    return 2\r\n"]),
    );
    check(
        &["f.py=def a():\n    return 1\n"],
        "edit_file_fast_apply",
        json!({"file_path": "f.py", "content": "def a():\n    # ... existing code ...\n"}),
        "f.py is unchanged: it already has this content.",
        None,
    );
    check(
        &["f.py=def a():\n    return 1\n"],
        "edit_file_fast_apply",
        json!({"file_path": "f.py", "content": "\n  \n"}),
        "! content is empty; give the changed code and the lines around it. To empty the file, use write_to_file with rewrite: true.",
        None,
    );
}

/// Complete new content of a small file without definitions replaces the file, although most lines differ.
#[test]
fn fast_apply_replaces_files_without_definitions() {
    let rows = [
        (
            "pk.json",
            "{\n  \"name\": \"a\",\n  \"version\": \"1\",\n  \"main\": \"x\"\n}\n",
            "{\n  \"name\": \"b\",\n  \"version\": \"2\",\n  \"main\": \"x\"\n}\n",
        ),
        (
            "idx.html",
            "<html>\n<body>\n<p>one</p>\n<p>two</p>\n</body>\n</html>\n",
            "<html>\n<body>\n<p>1</p>\n<p>2</p>\n</body>\n</html>\n",
        ),
        ("k.css", "a {\n  color: red;\n  margin: 0;\n}\n", "a {\n  color: blue;\n  margin: 1px;\n}\n"),
        ("h.txt", "one\ntwo\nthree\nfour\n", "one\n2\n3\nfour\n"),
    ];
    each(rows, |(name, before, after)| {
        let world = world(&[&format!("{name}={before}")], AmbiguityTreatment::Refused);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let arguments = json!({"file_path": name, "content": after});
        let reply = runtime.block_on(world.say("edit_file_fast_apply", arguments));
        assert_eq!(world.tree(), [format!("{name}={after}")], "{reply}");
    });
}

#[test]
fn fast_apply_reports_unchanged_files() {
    let world = world(&["f.py=def a():\n    return 1\n"], AmbiguityTreatment::Refused);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let view = json!({"files": [{"file_path": "f.py", "start_line": 1, "end_line": 9}]});
    runtime.block_on(world.say("view_files", view));
    put(world.root(), "f.py=def a():\n    return 2\n");
    let same = json!({"file_path": "f.py", "content": "def a():\n    return 2\n"});
    check_in_world(
        &world,
        "edit_file_fast_apply",
        same,
        "f.py is unchanged: it already has this content.",
        None,
    );
}

#[test]
fn search_codebase_searches_a_named_ignored_directory() {
    let world = world(
        &[
            "src/a.py=def seen():\n    pass\n",
            ".gitignore=ign/\n",
            "ign/b.py=def ignored_thing():\n    return 1\n",
        ],
        AmbiguityTreatment::Refused,
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ask = json!({"query": "ignored_thing", "target_directories": ["ign"]});
    let reply = runtime.block_on(world.say("search_codebase", ask));
    assert!(reply.starts_with("ign/b.py:1-2 function ignored_thing"), "{reply}");
}

#[test]
fn rename_file_moves_entries_and_refuses_invalid_moves() {
    let files = ["a=A", "b=B", "d/x=X", "l->../out", "sub/.env=key"];
    let done: [(Value, &str, &[&str]); 4] = [
        (
            json!({"file_path": "a", "rename_file_path": "n/a"}),
            "Renamed a to n/a.",
            &["b=B", "d/", "d/x=X", "l->../out", "n/", "n/a=A", "sub/", "sub/.env=key"],
        ),
        (
            json!({"old_path": "d/", "new_path": "e/"}),
            "Renamed d to e with 1 entry in it.",
            &["a=A", "b=B", "e/", "e/x=X", "l->../out", "sub/", "sub/.env=key"],
        ),
        (
            json!({"source": "a", "destination": "A"}),
            "Renamed a to A.",
            &["A=A", "b=B", "d/", "d/x=X", "l->../out", "sub/", "sub/.env=key"],
        ),
        (
            json!({"from": "l", "to": "d/l"}),
            "Renamed l to d/l.",
            &["a=A", "b=B", "d/", "d/l->../out", "d/x=X", "sub/", "sub/.env=key"],
        ),
    ];
    each(done, |(arguments, words, after)| {
        check(&files, "rename_file", arguments, words, Some(after));
    });
    let taken = "Choose an unused name, or delete b first if it is not needed; for a destination inside a directory, \
                 include the file name.";
    let refused = [
        ("a", "b", format!("! b already exists. Nothing was changed.\n{taken}")),
        ("a", "d", format!("! d already exists. Nothing was changed.\n{}", taken.replace("delete b", "delete d"))),
        ("a", "d/", "! d/ ends with a slash, which means a directory; pass the whole new path, including \
                     the file name.".to_owned()),
        ("a", "./a", "! a already has this name; nothing was moved.".to_owned()),
        ("d", "d/in/d", "! d cannot be moved into itself, to d/in/d.\nChoose a destination outside it.".to_owned()),
        ("q", "n", "! File not found: q (the workspace is ROOT).\nList the existing files with list_dir.".to_owned()),
        (".", "n", "! . is a root of the workspace, which cannot be moved or copied.".to_owned()),
        ("a", "../out/a", "! ../out/a is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.".to_owned()),
        ("l/secret", "n", "! l/secret is outside the workspace (a symbolic link leads to ../out): only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.".to_owned()),
        ("a", "l/new", "! l/new is outside the workspace (a symbolic link leads to ../out): only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.".to_owned()),
        ("a", ".git/hooks/pre-commit", "! Not allowed to write .git/hooks/pre-commit: Version control keeps its own files, and some of them (hooks, config, attributes) run programs.\nOnly the operator can allow this, with a rule in the policy file, which Toolpost reads when it starts: touch = [\"write\"], paths = [\"ROOT/.git/hooks/pre-commit\"], decide = \"allow\".".to_owned()),
        ("sub/.env", "seen", "! Not allowed to write sub/.env: Such a file usually holds secrets. Nobody is here.\nOnly the operator can allow this, with a rule in the policy file, which Toolpost reads when it starts: touch = [\"read\", \"write\"], paths = [\"ROOT/sub/.env\"], decide = \"allow\".".to_owned()),
        ("sub", "seen", "! sub cannot be moved, copied or deleted as a whole: under the rules, sub/.env \
                         cannot be read without \
          approval. Nothing was changed.\nLeave that file out and pass the other paths, or pass that file in a separate call, which can ask the user.".to_owned()),
    ];
    each(refused, |(from, to, words)| {
        check(&files, "rename_file", json!({"file_path": from, "rename_file_path": to}), &words, None);
    });
    let hooks = ["d/tasks.json={}"];
    let words = "! .vscode cannot be moved, copied or deleted as a whole: under the rules, \
                 .vscode/tasks.json cannot be written, moved \
                 or deleted without approval. Nothing was changed.\nLeave that file out and pass the other paths, or pass that file in a separate call, which can ask the user.";
    check(&hooks, "rename_file", json!({"file_path": "d", "rename_file_path": ".vscode"}), words, None);
}

#[test]
fn delete_file_removes_files_and_refuses_invalid_paths() {
    let files = ["a=A", "b=BB", "d/x=X", "l->../out/secret", ".env=key"];
    let done: [(Value, &str, &[&str]); 4] = [
        (
            json!({"file_paths": ["a", "b"]}),
            "Deleted a (1 byte).\nDeleted b (2 bytes).",
            &[".env=key", "d/", "d/x=X", "l->../out/secret"],
        ),
        (
            json!({"file_path": "a"}),
            "Deleted a (1 byte).",
            &[".env=key", "b=BB", "d/", "d/x=X", "l->../out/secret"],
        ),
        (
            json!({"file_paths": "[\"d/x\"]"}),
            "Deleted d/x (1 byte).",
            &[".env=key", "a=A", "b=BB", "d/", "l->../out/secret"],
        ),
        (
            json!({"paths": ["l"]}),
            "Deleted the link l; its target still exists.",
            &[".env=key", "a=A", "b=BB", "d/", "d/x=X"],
        ),
    ];
    each(done, |(arguments, words, after)| {
        check(&files, "delete_file", arguments, words, Some(after));
    });
    let directory = "d is a directory: delete_file deletes only files; pass the files in the directory.";
    let refused = [
        (json!({"file_paths": []}), "! file_paths is empty; pass at least one file.".to_owned()),
        (json!({"file_paths": ["d"]}), format!("! {directory}")),
        (json!({"file_paths": ["d/"]}), format!("! {directory}")),
        (json!({"file_paths": ["a", "d", "zz"]}), format!("! Nothing was deleted: 2 of 3 paths cannot be \
                 deleted.\n{directory}\nFile not found: zz (the workspace is ROOT).\nList the existing files with \
                 list_dir.")),
        (json!({"file_paths": ["."]}), "! . is a root of the workspace, which is never deleted.".to_owned()),
        (json!({"file_paths": ["a", "../out/secret"]}), "! ../out/secret is outside the workspace: only paths in ROOT may be used. To allow this one, start Toolpost with another --root DIR.".to_owned()),
        (json!({"file_paths": ["a", ".env"]}), "! Not allowed to write .env: Such a file usually holds secrets. Nobody is here.\nOnly the operator can allow this, with a rule in the policy file, which Toolpost reads when it starts: touch = [\"write\"], paths = [\"ROOT/.env\"], decide = \"allow\".".to_owned()),
    ];
    each(refused, |(arguments, words)| {
        check(&files, "delete_file", arguments, &words, None);
    });
}

#[test]
fn stale_files_are_not_rewritten_renamed_or_deleted() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let changed = || {
        let world = world(&["f=one\n"], AmbiguityTreatment::Refused);
        let view = json!({"files": [{"file_path": "f", "start_line": 1, "end_line": 9}]});
        runtime.block_on(world.say("view_files", view));
        put(world.root(), "f=two\n");
        world
    };
    let rows = [
        ("write_to_file", json!({"file_path": "f", "content": "three\n", "rewrite": true})),
        ("rename_file", json!({"file_path": "f", "rename_file_path": "g"})),
        ("delete_file", json!({"file_paths": ["f"]})),
    ];
    let what = "! f has changed since it was last seen in this session; nothing was written.";
    for (tool, arguments) in rows {
        let world = changed();
        let reply = runtime.block_on(world.say(tool, arguments));
        assert_eq!((reply.lines().next(), world.tree()), (Some(what), vec!["f=two\n".to_owned()]), "{tool}");
    }
    let world = changed();
    // An edit of a part of a changed file succeeds if its position is certain.
    let edit = json!({"file_path": "f", "replace_blocks": [{"old_str": "two", "new_str": "2"}]});
    check_in_world(
        &world,
        "update_file",
        edit,
        "Updated f: 1 replacement (+1 -1); the edited part is now line 1 of 1.\n@@ -1 +1 \
         @@\n-two\n+2\n[toolpost: the file changed \
         since it was last seen (1 line differs: line 1); the change was made to its current version]",
        Some(&["f=2\n"]),
    );
    check_in_world(&world, "delete_file", json!({"file_paths": ["f"]}), "Deleted f (2 bytes).", Some(&[]));
}

#[test]
fn search_by_regex_advises_only_what_it_can_do_about_line_breaks() {
    let world = world(&["a.txt=one\ntwo\n"], AmbiguityTreatment::Refused);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    each(["one\\ntwo", "one\ntwo", "(?s)one.two\\n"], |query| {
        let reply = runtime.block_on(world.say("search_by_regex", json!({"query": query})));
        assert!(reply.contains("Each line is searched separately"), "{query}: {reply}");
        assert!(!reply.contains("multiline"), "{query}: {reply}");
    });
}

/// The note that a shell was not needed appears once in a session, and only if that is true.
#[tokio::test]
async fn the_note_about_a_needless_shell_appears_once() {
    let world = World::new(&DIALECT);
    let rows = [("echo a; echo b", false), ("echo a b", true), ("echo c d", false)];
    for (command, wanted) in rows {
        let arguments = json!({"command": command, "args": [], "blocking": true, "requires_approval": false});
        let reply = words(&world.allowed("run_command", arguments).await);
        assert_eq!(reply.contains("A shell ran the whole of command"), wanted, "{command}: {reply}");
    }
}
