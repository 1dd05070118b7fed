//! Every reply names the unsearched roots, and every reply without results the skipped files.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::{World, words};
use serde_json::{Value, json};
use std::sync::Arc;
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_runtime::{Call, Span, Verdict};
use toolpost_tool::Dialect;

/// A search tool, and the arguments to search for a word.
type Row = (&'static Dialect, &'static str, fn(&str) -> Value);

/// Tools that search the content of files.
const CONTENT: [Row; 9] = [
    (&claude::DIALECT, "Grep", |word| json!({"pattern": word})),
    (&opencode::DIALECT, "grep", |word| json!({"pattern": word})),
    (&probe::DIALECT, "search", |word| json!({"query": word})),
    (&probe::DIALECT, "searchAll", |word| json!({"query": word})),
    (&probe::DIALECT, "query", |word| json!({"pattern": format!("{word}($$$ARGS)"), "language": "python"})),
    (&trae::DIALECT, "search_by_regex", |word| json!({"query": word})),
    (&trae::DIALECT, "search_codebase", |word| json!({"query": word})),
    (&zblade::DIALECT, "grep_search", |word| json!({"pattern": word})),
    (&zblade::DIALECT, "codebase_search", |word| json!({"query": word})),
];

/// Tools that search the names of files.
const NAMES: [Row; 4] = [
    (&claude::DIALECT, "Glob", |word| json!({"pattern": format!("**/{word}*")})),
    (&opencode::DIALECT, "glob", |word| json!({"pattern": format!("**/{word}*")})),
    (&probe::DIALECT, "searchFiles", |word| json!({"pattern": format!("**/{word}*")})),
    (&zblade::DIALECT, "find_files_glob", |word| json!({"pattern": format!("**/{word}*")})),
];

/// Tools that describe a whole root.
const OVERVIEWS: [Row; 6] = [
    (&probe::DIALECT, "listFiles", |_| json!({})),
    (&probe::DIALECT, "analyze_all", |_| json!({})),
    (&trae::DIALECT, "list_dir", |_| json!({"dir_path": "."})),
    (&zblade::DIALECT, "list_dir", |_| json!({"path": "."})),
    (&zblade::DIALECT, "get_project_index_overview", |_| json!({})),
    (
        &zblade::DIALECT,
        "codebase_investigator",
        |word| json!({"objective": format!("Where is {word} defined?")}),
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_reply_names_the_unsearched_roots() {
    each_async(CONTENT.into_iter().chain(NAMES).chain(OVERVIEWS), async |(dialect, tool, arguments)| {
        let (world, other) = World::with_second_root(dialect);
        world.put("here_word.py", "def here_word():\n    return 1\n");
        std::fs::write(other.join("there_word.py"), "def there_word():\n    return 2\n").unwrap();
        std::fs::write(other.join("picture.bin"), b"\0\x01\x02").unwrap();
        let other = other.display().to_string();
        // Later replies of the session must name the root, too.
        for word in ["there_word", "there_word", "here_word"] {
            let reply = words(&world.allowed(tool, arguments(word)).await);
            assert!(!reply.contains("return 2"), "{tool} {word}: the other root was searched: {reply}");
            let named = reply.matches(other.as_str()).count();
            assert_eq!(named, 1, "{} {tool} {word}: {reply}", dialect.name);
            assert!(!reply.contains("picture.bin"), "{tool} {word}: a file of the other root: {reply}");
        }
    })
    .await;
}

/// Tools that search content and may find nothing; semantic search always finds something.
fn exact() -> impl Iterator<Item = Row> {
    CONTENT.into_iter().filter(|(_, tool, _)| *tool != "search_codebase")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_results_names_skipped_files_each_time() {
    for (dialect, tool, arguments) in exact().chain(NAMES) {
        let world = World::new(dialect);
        world.put(".gitignore", "node_modules/\n");
        world.put("node_modules/a/hidden_word.py", "hidden_word()\n");
        world.put("a.py", "shown_word()\n");
        let first = words(&world.allowed(tool, arguments("hidden_word")).await);
        assert!(first.contains("skipped "), "{} {tool}: {first}", dialect.name);
        assert_eq!(words(&world.allowed(tool, arguments("hidden_word")).await), first, "{tool}");
    }
}

/// Directories of compiled Python files contain no code of a dependency, so replies neither name nor count them.
#[tokio::test(flavor = "multi_thread")]
async fn directories_of_bytecode_are_not_named() {
    let rows = exact()
        .chain(NAMES)
        .flat_map(|row| ["", "__pycache__/\n", "*.pyc\n__pycache__\n"].map(|rule| (row, rule)));
    each_async(rows, async |((dialect, tool, arguments), rule)| {
        let world = World::new(dialect);
        world.put(".gitignore", rule);
        world.put("__pycache__/hidden_word.cpython-312.pyc", b"\x00hidden_word");
        world.put("sub/__pycache__/a.cpython-312.pyc", b"\x00hidden_word");
        world.put("shown_word.py", "shown_word()\n");
        world.put("node_modules/a/a.py", "hidden_word()\n");
        for word in ["hidden_word", "shown_word"] {
            let reply = words(&world.allowed(tool, arguments(word)).await);
            for note in reply.lines().filter(|line| line.starts_with("[toolpost: ")) {
                let is_named = note.contains("__pycache__") || note.contains("dependency directories");
                assert!(!is_named, "{} {tool} {word}: {reply}", dialect.name);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_withheld_file_is_noted_in_each_reply_without_results() {
    for (dialect, tool, arguments) in exact() {
        let world = World::new(dialect);
        world.put(".env", "hidden_word=1\n");
        world.put("a.py", "shown_word()\n");
        let first = words(&world.call(tool, arguments("hidden_word")).await);
        assert!(tool != "Grep" || first.contains(".env"), "{first}");
        let second = words(&world.call(tool, arguments("hidden_word")).await);
        assert_eq!(second, first, "{} {tool}", dialect.name);
    }
}

/// A file that the user allows for the session is then part of every search.
#[tokio::test]
async fn a_file_allowed_for_the_session_is_searched() {
    let rows = [
        (
            &claude::DIALECT,
            "Read",
            json!({"file_path": "u/.env"}),
            "Grep",
            json!({"pattern": "API_KEY", "output_mode": "content"}),
        ),
        (
            &zblade::DIALECT,
            "read_file",
            json!({"path": "u/.env"}),
            "grep_search",
            json!({"pattern": "API_KEY"}),
        ),
        (
            &trae::DIALECT,
            "view_files",
            json!({"files": [{"file_path": "u/.env", "start_line": 1, "end_line": 1}]}),
            "search_by_regex",
            json!({"query": "API_KEY"}),
        ),
    ];
    for (dialect, read, of_file, search, pattern) in rows {
        let world = World::new(dialect);
        world.put("u/.env", "API_KEY=1\n");
        let found = || async { words(&world.call(search, pattern.clone()).await) };
        let before = found().await;
        assert!(!before.contains("API_KEY=1") && before.contains("u/.env"), "{search}: {before}");
        let asker = Arc::new(Verdict::AllowFor(Span::Session));
        let outcome = world.made(Call { asker, ..world.saying(read, of_file) }).await;
        assert!(words(&outcome).contains("API_KEY=1"), "{read}: {}", words(&outcome));
        let after = found().await;
        assert!(after.contains("API_KEY=1"), "{search}: {after}");
    }
}

/// A search does not follow the links that it finds. No reply gives a concurrent change or a missing
/// permission as the reason.
#[tokio::test(flavor = "multi_thread")]
async fn skipped_links_are_reported_as_symbolic_links() {
    let reads: [Row; 1] =
        [(&zblade::DIALECT, "read_many_files", |word| json!({"paths": ["*", format!("*{word}*")]}))];
    let rows = CONTENT.into_iter().chain(NAMES).chain(OVERVIEWS).chain(reads);
    each_async(rows, async |(dialect, tool, arguments)| {
        let world = World::new(dialect);
        world.put("word.py", "def word():\n    return 1\n");
        for (name, target) in [("in.py", "word.py"), ("dangling.py", "none.py"), ("out.py", "/etc/passwd")] {
            std::os::unix::fs::symlink(target, world.root().join(name)).unwrap();
        }
        let reply = words(&world.allowed(tool, arguments("word")).await);
        each(["changed while", "try again", "cannot be read", "unreadable", "root:x:"], |wrong| {
            assert!(!reply.contains(wrong), "{} {tool}: {reply}", dialect.name);
        });
        if ["read_many_files", "get_project_index_overview"].contains(&tool) {
            assert!(reply.contains("symbolic link"), "{tool}: {reply}");
        }
    })
    .await;
}
