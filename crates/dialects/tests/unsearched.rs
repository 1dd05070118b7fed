//! Every reply names the unsearched roots, and every reply without results the skipped files.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_tool::Dialect;

/// A tool that searches, and arguments with which it looks for a word.
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
async fn every_reply_names_the_roots_that_were_not_searched() {
    for (dialect, tool, arguments) in CONTENT.into_iter().chain(NAMES).chain(OVERVIEWS) {
        let (world, other) = World::with_second_root(dialect);
        world.put("here_word.py", "def here_word():\n    return 1\n");
        std::fs::write(other.join("there_word.py"), "def there_word():\n    return 2\n").unwrap();
        std::fs::write(other.join("picture.bin"), b"\0\x01\x02").unwrap();
        let other = other.display().to_string();
        // The second reply of a session must say it, too.
        for word in ["there_word", "there_word", "here_word"] {
            let reply = words(&world.allowed(tool, arguments(word)).await);
            assert!(!reply.contains("return 2"), "{tool} {word}: the other root was searched: {reply}");
            let named = reply.matches(other.as_str()).count();
            assert_eq!(named, 1, "{} {tool} {word}: {reply}", dialect.name);
            assert!(!reply.contains("picture.bin"), "{tool} {word}: a file of the other root: {reply}");
        }
    }
}

/// Tools that search content and may find nothing; a search by meaning always finds something.
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
