//! Replies about a workspace with 105,000 symbols stay within the size limit, and report omissions.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{opencode, probe, zblade};
use toolpost_tool::Dialect;

/// Number of symbols in each file.
const SYMBOLS: usize = 5_000;
/// Number of files in each language.
const FILES: usize = 7;

/// Writes 105,000 definitions in three languages; every tenth Python function calls the same function.
fn fill(world: &World) {
    type Line = fn(usize, usize) -> String;
    let python: Line = |file, number| match number % 10 {
        0 => format!("def item_{file}_{number}(): shared()\n"),
        _ => format!("def item_{file}_{number}(): ...\n"),
    };
    let script: Line = |file, number| format!("function item{file}x{number}() {{}}\n");
    let c: Line = |file, number| format!("int item_c{file}_{number};\n");
    for (ending, head, line) in
        [("py", "from shared import shared\n", python), ("js", "", script), ("c", "", c)]
    {
        for file in 0..FILES {
            let text: String = (0..SYMBOLS).map(|number| line(file, number)).collect();
            world.put(&format!("{ending}/file{file}.{ending}"), format!("{head}{text}"));
        }
    }
    let methods: String = (0..SYMBOLS).map(|number| format!("    def m{number}(self): ...\n")).collect();
    world.put("py/shared.py", format!("def shared(): ...\n\nclass Great:\n{methods}"));
}

/// Makes each call, and checks that the reply contains every text and, not counting its notes, fits the size limit.
async fn check(dialect: &'static Dialect, rows: &[(&str, Value, &[&str])]) {
    let world = World::new(dialect);
    fill(&world);
    for (tool, arguments, wanted) in rows {
        let reply = words(&world.call(tool, arguments.clone()).await);
        let (notes, content): (Vec<&str>, Vec<&str>) =
            reply.lines().partition(|line| line.starts_with("[toolpost:"));
        let (bytes, lines) = (content.join("\n").len(), content.len());
        let end = &reply[reply.floor_char_boundary(reply.len().saturating_sub(600))..];
        assert!(bytes <= dialect.budget.bytes, "{tool} {arguments}: {bytes} bytes, {end}");
        assert!(lines <= dialect.budget.lines, "{tool} {arguments}: {lines} lines, {end}");
        assert!(notes.join("\n").len() <= 1_000, "{tool} {arguments}: {notes:?}");
        for text in *wanted {
            assert!(reply.contains(text), "{tool} {arguments} does not say {text}: {end}");
        }
    }
}

#[tokio::test]
async fn zblade_symbol_replies_fit_for_a_large_workspace() {
    let great = "python:py/shared.py#Great(class)";
    let shared = "python:py/shared.py#shared(function)";
    check(
        &zblade::DIALECT,
        &[
            (
                "symbol_search",
                json!({"query": "item", "limit": 100}),
                &["\"total\":105000,\"truncated\":true", "[toolpost: 100 of 105000 symbols are shown;"],
            ),
            (
                "symbol_search",
                json!({"query": "nothing_has_this_name"}),
                &["\"total\":0,\"truncated\":false,\"searched\":\"22 files (c 7, javascript 7, python 8), \
                   up to date\"}"],
            ),
            (
                "symbol_resolve",
                json!({"symbol_id": great}),
                &["\"child_count\":5000}", " of 5000 children are shown]"],
            ),
            (
                "symbol_graph",
                json!({"symbol_id": shared, "limit": 100}),
                &["\"incoming_counts\":{\"proved\":3500,", " of 3500 are shown,"],
            ),
            (
                "symbol_outline",
                json!({"path": "py/shared.py"}),
                &["\"omitted_children\":5000}],\"omitted\":5000}"],
            ),
            ("symbol_outline", json!({"path": "c/file1.c"}), &["\"symbol_count\":5000,", "\"omitted\":4"]),
            (
                "get_project_index_overview",
                json!({"max_chars": 12_000}),
                &["\"total_chars\":28768,", "\"has_more\":true,\"next_offset\":11"],
            ),
            (
                "get_project_index_chunk",
                json!({"offset": 20_000, "max_chars": 8_000}),
                &["\"total_chars\":28768,\"offset\":20000,", "\"has_more\":true,"],
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn probe_query_and_extract_replies_fit_for_a_large_workspace() {
    check(
        &probe::DIALECT,
        &[
            (
                "query",
                json!({"pattern": "def $NAME(): $$$BODY", "language": "python", "limit": 10_000}),
                &[" of 35001 matches in 8 files; the reply is full:"],
            ),
            (
                "extract",
                json!({"file": "py/shared.py#Great"}),
                &["continue with {\"file\":\"py/shared.py:1617-5003\"}"],
            ),
            ("extract", json!({"file": "py/file1.py js/file1.js c/file1.c"}), &["-5000\"}]"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn opencode_symbol_replies_fit_for_a_large_workspace() {
    check(
        &opencode::DIALECT,
        &[("lsp", json!({"operation": "symbols", "file": "py/shared.py"}), &["Great"])],
    )
    .await;
}
