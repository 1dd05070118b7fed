//! The tools of the dialect `probe` that read directory trees, call by call.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use std::time::Duration;
use toolpost_runtime::Outcome;
use toolpost_workspace::{Cause, Options, Workspace};

fn world(files: &[(&str, &str)]) -> World {
    let world = World::new(&toolpost_dialects::probe::DIALECT);
    files.iter().for_each(|(name, text)| world.put(name, text));
    world
}

/// Calls a tool; returns the reply, or the message of the failure.
async fn call(world: &World, tool: &str, arguments: Value) -> Result<String, String> {
    let outcome = world.call(tool, arguments).await;
    if let Outcome::Done(_) = outcome { Ok(words(&outcome)) } else { Err(words(&outcome)) }
}

/// Returns the locations in a reply.
fn places(reply: &str) -> Vec<&str> {
    reply.lines().filter(|line| line.contains(".") && !line.contains(['|', '[', '…'])).collect()
}

#[tokio::test]
async fn query_searches_the_selected_language_and_path() {
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
    let mut all = String::new();
    each_async(rows, async |(arguments, wanted)| {
        let reply = call(&world, "query", arguments.clone()).await;
        all.extend(reply.clone());
        let found = reply.as_deref().map(|reply| places(reply).join(", "));
        assert_eq!(found, Ok(wanted.to_owned()), "{arguments}: {reply:?}");
    })
    .await;
    let reply = call(&world, "query", json!({"pattern": "f($A)", "language": "javascript"})).await.unwrap();
    for expected in [
        "[toolpost: 2 matches in 2 files]",
        "[toolpost: 1 file with parts that could not be parsed; matches there may be missing]",
    ] {
        assert!(reply.contains(expected), "{expected} is not in {reply}");
    }
    assert!(
        all.contains("1 file larger than 8 MiB (large.js)") && !reply.contains("large.js"),
        "{all}\n{reply}"
    );
}

#[tokio::test]
async fn query_reports_skipped_files_and_omitted_matches() {
    let large = format!("f(0);\n{}", "// much\n".repeat(1_100_000));
    let many = format!("f({});\n", "x".repeat(200)).repeat(9_000);
    let rows = [
        (
            vec![("large.js", large.as_str())],
            json!({"pattern": "f($A)"}),
            "No file was searched, so there may be matches. The skipped files are listed below.\n[toolpost: skipped 1 \
             file larger than 8 MiB (large.js)",
        ),
        (
            vec![("a.js", many.as_str())],
            json!({"pattern": "f($A)", "limit": 10_000}),
            " of 9000 matches in 1 file; the reply is full: pass a narrower pattern or path]",
        ),
    ];
    for (files, arguments, wanted) in rows {
        let world = world(&files);
        let reply = call(&world, "query", arguments.clone()).await;
        let tail = reply.as_ref().map(|reply| &reply[reply.len().saturating_sub(300)..]);
        assert!(reply.as_ref().is_ok_and(|words| words.contains(wanted)), "{arguments}: {tail:?}");
    }
}

#[tokio::test]
async fn query_without_files_to_search_says_so() {
    let wanted = "No file was searched: no file here is in a programming language, or in the requested one. Pass another path or language.";
    let rows = [
        (vec![], json!({"pattern": "f($A)"})),
        (vec![("a.txt", "f(0)\n")], json!({"pattern": "f($A)"})),
        (vec![("a.js", "f(0)\n")], json!({"pattern": "f($A)", "language": "python"})),
    ];
    each_async(rows, async |(files, arguments)| {
        let reply = call(&world(&files), "query", arguments.clone()).await;
        assert_eq!(reply.as_deref(), Ok(wanted), "{arguments}");
    })
    .await;
}

#[tokio::test]
async fn invalid_queries_fail_with_a_reason() {
    let world = world(&[("a.js", "f(1);\n"), ("b.txt", "f(1)\n")]);
    let rows = [
        (
            json!({"pattern": "f(", "language": "js"}),
            "The pattern is not valid javascript: the parser does not understand \"f(\".",
        ),
        (json!({"pattern": " "}), "The pattern is empty."),
        (
            json!({"pattern": "a; b;", "language": "js"}),
            "The pattern has 2 separate pieces of javascript code;",
        ),
        (json!({"pattern": "$$$A"}), "`$$$A` matches any number of nodes;"),
        (
            json!({"pattern": ") ("}),
            // Data and markup formats, such as css and json, are not in the list.
            "The pattern is not code in any supported programming language: bash, c, cpp, csharp, go, java, javascript, \
             kotlin, lua, php, python, ruby, rust, scala, swift, tsx, typescript, zig.",
        ),
        (
            json!({"pattern": "f($A)", "language": "rst"}),
            "There is no parser for the language \"rst\". Supported languages: bash, c,",
        ),
        (json!({"pattern": "f($A)", "language": "rst"}), "Did you mean `css`, or `rust`"),
        (json!({"pattern": "f($A)", "path": "b.js"}), "b.js does not exist"),
        (json!({"pattern": "f($A)", "path": "b.txt"}), "There is no parser for b.txt:"),
        (json!({"pattern": "f($A)", "path": "a.js", "language": "go"}), "a.js is javascript, not go."),
        (json!({"pattern": "f($A)", "limit": 0}), "limit"),
    ];
    each_async(rows, async |(arguments, wanted)| {
        let reply = call(&world, "query", arguments.clone()).await;
        assert!(matches!(&reply, Err(words) if words.contains(wanted)), "{arguments}: {reply:?}");
    })
    .await;
}

#[tokio::test]
async fn lines_found_by_query_can_be_edited() {
    let world = world(&[("a.js", "f(1);\ng(2);\n")]);
    let reply = call(&world, "query", json!({"pattern": "g($A)"})).await.unwrap();
    let line = reply.lines().find(|line| line.ends_with("| g(2);")).unwrap();
    let start = line.split(" |").next().unwrap();
    let arguments = json!({"file_path": "a.js", "start_line": start, "new_string": "g(3);"});
    assert!(call(&world, "edit", arguments).await.is_ok());
    assert_eq!(world.files()["a.js"], b"f(1);\ng(3);\n");
}

const CART: &str =
    "class Cart {\n  // Adds.\n  add(a) {\n    return a;\n  }\n}\n\nclass Shop {\n  add(a) {}\n}\n";

#[tokio::test]
async fn edits_replace_symbols_by_name() {
    let world = world(&[("a.js", CART), ("b.txt", "x\n"), ("crlf.js", "function a() {\r\n  1;\r\n}\r\n")]);
    let edit =
        |name: &str, symbol: &str, new: &str| json!({"file_path": name, "symbol": symbol, "new_string": new});
    let refused = call(&world, "edit", edit("a.js", "Cart.add", "add() {}")).await;
    assert!(matches!(&refused, Err(words) if words.contains("has not seen its content")), "{refused:?}");
    for name in ["a.js", "b.txt", "crlf.js"] {
        call(&world, "extract", json!({"file": name})).await.unwrap();
    }
    let rows = [
        (
            "a.js",
            "add",
            "2 symbols have the name add.\n\n  function Cart.add (lines 2-5)\n  function Shop.add (line 9)",
        ),
        ("a.js", "ad", "the file has no symbol ad."),
        ("b.txt", "x", "There is no parser for b.txt"),
        ("c.js", "x", "File not found: c.js"),
    ];
    each_async(rows, async |(name, symbol, wanted)| {
        let refused = call(&world, "edit", edit(name, symbol, "x")).await;
        assert!(matches!(&refused, Err(words) if words.contains(wanted)), "{symbol}: {refused:?}");
    })
    .await;
    call(&world, "edit", edit("a.js", "Cart.add", "add() {\n  return 1;\n}")).await.unwrap();
    call(&world, "edit", edit("a.js", "Shop.add", "add(b) {}")).await.unwrap();
    call(&world, "edit", edit("crlf.js", "a", "function a() {\n  2;\n}")).await.unwrap();
    let files = world.files();
    let after =
        CART.replace("add(a) {\n    return a;", "add() {\n    return 1;").replace("add(a) {}", "add(b) {}");
    assert_eq!(String::from_utf8_lossy(&files["a.js"]), after);
    assert_eq!(files["crlf.js"], b"function a() {\r\n  2;\r\n}\r\n");
    world.put("a.js", CART);
    let stale = call(&world, "edit", edit("a.js", "Cart.add", "add() {}")).await;
    assert!(
        matches!(&stale, Err(words) if words.contains("has changed since it was last seen")),
        "{stale:?}"
    );
}

#[tokio::test]
async fn symbol_edits_can_be_undone() {
    let world = world(&[("a.js", CART)]);
    call(&world, "extract", json!({"file": "a.js"})).await.unwrap();
    let arguments = json!({"file_path": "a.js", "symbol": "Cart", "new_string": "class Cart {}"});
    call(&world, "edit", arguments).await.unwrap();
    assert!(world.files()["a.js"].starts_with(b"class Cart {}\n\nclass Shop"));
    let state = world.root().parent().map(|base| base.join("state"));
    let options = Options { roots: vec![world.root().to_owned()], state, ..Options::default() };
    let (workspace, _) = Workspace::open(options).unwrap();
    let history = workspace.history().unwrap();
    history.undo(&history.last_in_force().unwrap(), &Cause::default(), Duration::from_secs(5)).unwrap();
    assert_eq!(world.files()["a.js"], CART.as_bytes());
}

#[tokio::test]
async fn extract_shows_blocks_and_symbols() {
    let long = format!("fn long() {{\n{}}}\n", "    x();\n".repeat(200));
    let many: String = (0..41).map(|number| format!("def step{number}():\n    pass\n\n\n")).collect();
    let world = world(&[
        ("a.js", CART),
        ("long.rs", &long),
        ("many.py", &many),
        ("b.py", "import a\n\nfor x in y:\n    a(x)\n\n@tag\ndef f():\n    pass\n"),
        ("c.md", "# A\n\n## B c\n\nx\n\n## D\n"),
        ("d.txt", "one\ntwo\nthree\n"),
        ("large.rs", &"// much\n".repeat(9 * 1024 * 1024)),
    ]);
    let rows = [
        ("large.rs:20", "large.rs (lines 10-30 of 9437184)"),
        ("a.js:4", "a.js (lines 2-5 of 10; function Cart.add)"),
        ("a.js:1", "a.js (lines 1-6 of 10; class Cart)"),
        ("a.js#Cart", "a.js (lines 1-6 of 10; class Cart)"),
        ("a.js#add", "a.js (lines 2-5 of 10; function Cart.add), a.js (lines 9-9 of 10; function Shop.add)"),
        ("a.js#Shop.add", "a.js (lines 9-9 of 10; function Shop.add)"),
        ("b.py:8", "b.py (lines 6-8 of 8; function f)"),
        ("b.py:4", "b.py (lines 3-4 of 8; statement)"),
        ("b.py:1", "b.py (lines 1-8 of 8)"),
        ("c.md#B c", "c.md (lines 3-5 of 7; section A.B c)"),
        ("c.md#A.D", "c.md (lines 7-7 of 7; section A.D)"),
        ("long.rs:100", "long.rs (lines 90-110 of 202)"),
        ("d.txt:2", "d.txt (lines 1-3 of 3)"),
    ];
    each_async(rows, async |(file, wanted)| {
        let output = call(&world, "extract", json!({"file": format!("\"{file}\"")})).await.unwrap();
        let heads: Vec<&str> = output.lines().filter(|line| line.contains(" (lines ")).collect();
        assert_eq!(heads.join(", "), wanted, "{file}");
    })
    .await;
    let edit = json!({"file_path": "c.md", "symbol": "B c", "new_string": "## B c\n\ny"});
    call(&world, "edit", edit).await.unwrap();
    assert_eq!(world.files()["c.md"], b"# A\n\n## B c\n\ny\n\n## D\n");
    each_async(
        [
            ("a.js#sub", "Nothing in a.js is called sub.\n\nSymbols in the file:\n  class Cart (lines 1-6)"),
            ("many.py#zz", "Nothing in many.py is called zz.\n\nThe first 40 of 41 symbols in the file:\n"),
            ("d.txt#x", "There is no parser for d.txt"),
            ("e.js#x", "File not found: e.js"),
            ("a.js:11", "a.js has 10 lines; line 11 is after its end."),
        ],
        async |(file, wanted)| {
            let output = call(&world, "extract", json!({"file": file})).await;
            assert!(matches!(&output, Err(words) if words.starts_with(wanted)), "{file}: {output:?}");
        },
    )
    .await;
}
