//! Replies name only published parameters as the next step.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::World;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_engine::Hint;
use toolpost_runtime::Outcome;
use toolpost_tool::{Dialect, Example, Manual, ToolDef, published};

/// Words that can precede a parameter name in advice.
const BEFORE: [&str; 7] = ["with", "raise", "narrower", "increase", "from", "set", "give"];

/// Collects the names of all properties in a schema.
fn names(schema: &Value, into: &mut BTreeSet<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        into.extend(properties.keys().cloned());
        properties.values().for_each(|property| names(property, into));
    }
    if schema.get("items").is_some() {
        names(&schema["items"], into);
    }
}

fn listed(tool: &ToolDef) -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    names(&published(&(tool.schema)()), &mut listed);
    listed
}

fn all(dialect: &Dialect) -> BTreeSet<String> {
    dialect.tools.iter().flat_map(listed).collect()
}

/// Returns the parameter names of a dialect that are accepted but not published.
fn unlisted(dialect: &Dialect) -> BTreeSet<String> {
    let mut full = BTreeSet::new();
    dialect.tools.iter().for_each(|tool| names(&(tool.schema)(), &mut full));
    &full - &all(dialect)
}

/// Returns the lines of a reply that may contain a hint: notes, and lines in brackets.
fn advice(reply: &str) -> Vec<&str> {
    reply.lines().filter(|line| line.starts_with("[toolpost: ") || line.starts_with('(')).collect()
}

/// Finds parameter names in advice: `with offset 3`, `session: "a"`, `{"path":"a"}`, `raise limit`.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let words: Vec<&str> = text.split(' ').collect();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|letter: char| !is_name(letter));
        let next = words.get(at + 1).copied().unwrap_or("");
        let value = |word: &str| {
            let word = word.trim_end_matches([',', '.', ';', ']', ')']);
            word.starts_with('"') || word.parse::<f64>().is_ok() || word == "true" || word == "false"
        };
        let assigns =
            word.strip_suffix(':').is_some_and(|name| !name.is_empty() && name.chars().all(is_name));
        if assigns && value(next) && !next.starts_with("\"{") {
            found.insert(bare.to_owned());
        }
        let before = at.checked_sub(1).map_or("", |before| words[before]).to_ascii_lowercase();
        if BEFORE.contains(&before.as_str()) && *word == bare && value(next) && bare.parse::<f64>().is_err() {
            found.insert(bare.to_owned());
        }
    }
    for (at, _) in text.match_indices("\":") {
        let name = text[..at].rsplit('"').next().unwrap_or("");
        let quoted = text[..at - name.len()].trim_end_matches('"').ends_with(['{', ',']);
        if quoted && !name.is_empty() && name.chars().all(is_name) {
            found.insert(name.to_owned());
        }
    }
    found
}

fn words(text: &str) -> BTreeSet<&str> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    text.split(|letter: char| !is_name(letter)).collect()
}

#[test]
fn parameter_names_are_extracted_from_reply_text() {
    let rows = [
        ("[toolpost: 9 lines, continue with offset 250]", vec!["offset"]),
        ("to continue, make the same call with session: \"next-1\"", vec!["session"]),
        ("See it with view {\"file_path\":\"a\",\"x-y\":1}.", vec!["file_path", "x-y"]),
        ("Lines from start_line 7 on; allowTests: true shows tests", vec!["allowTests", "start_line"]),
        ("with 3 lines: four of 5", vec![]),
    ];
    each(rows, |(text, wanted)| {
        assert_eq!(named(text), wanted.into_iter().map(str::to_owned).collect(), "{text}");
    });
}

/// Checks that every parameter in the advice of a reply is published by the tool, or by a tool that the advice names.
/// Returns the number of parameter names found.
fn check(dialect: &Dialect, tool: &ToolDef, text: &str) -> usize {
    let spoken = words(text);
    let others = dialect.tools.iter().filter(|other| other.name != tool.name && spoken.contains(other.name));
    let known: BTreeSet<String> = others.chain([tool]).flat_map(listed).collect();
    let hidden = unlisted(dialect);
    let found = named(text);
    for name in &found {
        // Quoted file content and quoted rules are not arguments.
        let quoted = text.contains("touch = [") || !(hidden.contains(name) || all(dialect).contains(name));
        assert!(
            quoted || known.contains(name),
            "{} {}: {name} is not published: {text}",
            dialect.name,
            tool.name
        );
    }
    found.len()
}

#[test]
fn tool_pages_name_only_published_parameters() {
    let mut checked = 0;
    for dialect in
        toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA).chain(toolpost_dialects::INTERNAL)
    {
        for tool in dialect.tools {
            let manual = Manual::of_tool(dialect.pages, tool.name).unwrap();
            let mut caller = *tool;
            for step in &manual.steps {
                match step {
                    Example::File(..) => {}
                    Example::Call(call) => {
                        let name = call.split(' ').next().unwrap();
                        caller = dialect.tool(name).copied().unwrap_or(caller);
                    }
                    Example::Failure(words) => checked += check(dialect, &caller, words),
                    Example::Reply(words) => {
                        checked += advice(words)
                            .into_iter()
                            .map(|line| check(dialect, &caller, line))
                            .sum::<usize>();
                    }
                }
            }
        }
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn hints_name_only_published_parameters() {
    let world = World::new(&claude::DIALECT);
    let path = world.path("src/a.rs");
    let hints = [
        Hint::ReadFirst(path.clone()),
        Hint::ReadAgain(path.clone()),
        Hint::ReadLines(path.clone(), 3, 9),
        Hint::GiveMoreContext,
        Hint::ReplaceAll,
        Hint::FindByName("a.rs".to_owned()),
        Hint::LookInto(path),
        Hint::Narrow,
        Hint::Page(7),
        Hint::Pages("docs/report.pdf".to_owned(), 30),
        Hint::Literal("a\\.b".to_owned()),
        Hint::TryAgain,
        Hint::AddRoot,
    ];
    for dialect in toolpost_dialects::ALL {
        let (known, hidden) = (all(dialect), unlisted(dialect));
        each(&hints, |hint| {
            let rendered = (dialect.say)(hint);
            named(&rendered)
                .iter()
                .for_each(|name| assert!(known.contains(name), "{}: {name}: {rendered}", dialect.name));
            let spoken = words(&rendered);
            // Other names are not checked: without `_`, `-` or capitals, a name may be an ordinary English word.
            let odd = hidden
                .iter()
                .filter(|name| name.contains(['_', '-']) || name.chars().any(char::is_uppercase));
            odd.for_each(|name| {
                assert!(!spoken.contains(name.as_str()), "{}: {name}: {rendered}", dialect.name);
            });
        });
    }
}

#[tokio::test]
async fn cut_replies_name_only_published_parameters() {
    let rows: [(&'static Dialect, &str, Value); 19] = [
        (&claude::DIALECT, "Read", json!({ "file_path": "long.txt" })),
        (&claude::DIALECT, "Grep", json!({ "pattern": "line", "output_mode": "content" })),
        (&claude::DIALECT, "Grep", json!({ "pattern": "word" })),
        (&claude::DIALECT, "Glob", json!({ "pattern": "**/*.rs" })),
        (&trae::DIALECT, "view_files", json!({ "files": [{ "file_path": "long.txt" }] })),
        (&trae::DIALECT, "search_by_regex", json!({ "query": "line" })),
        (&trae::DIALECT, "search_codebase", json!({ "query": "word" })),
        (&zblade::DIALECT, "read_file", json!({ "path": "long.txt" })),
        (&zblade::DIALECT, "read_file_range", json!({ "path": "long.txt" })),
        (&zblade::DIALECT, "grep_search", json!({ "pattern": "line" })),
        (&zblade::DIALECT, "list_dir", json!({ "path": "many" })),
        (&zblade::DIALECT, "get_workspace_structure", json!({ "path": "many" })),
        (&zblade::DIALECT, "find_files", json!({ "pattern": "file" })),
        (&zblade::DIALECT, "symbol_search", json!({ "query": "word" })),
        (&opencode::DIALECT, "grep", json!({ "pattern": "line" })),
        (&opencode::DIALECT, "glob", json!({ "pattern": "**/*.rs" })),
        (&probe::DIALECT, "search", json!({ "query": "word", "limit": 1 })),
        (&probe::DIALECT, "searchAll", json!({ "query": "word", "maxPages": 1, "maxTokensPerPage": 60 })),
        (&probe::DIALECT, "searchFiles", json!({ "pattern": "*.rs" })),
    ];
    let mut named = 0;
    each_async(rows, async |(dialect, tool, arguments)| {
        let world = World::configured(dialect, |config| toolpost_runtime::Config {
            reply_bytes: Some(6_000),
            ..config
        });
        let lines: Vec<String> = (1..=3_000).map(|number| format!("line {number}")).collect();
        world.put("long.txt", lines.join("\n").as_bytes());
        (0..500).for_each(|number| world.put(&format!("many/file{number}.rs"), b"fn word() {}\n"));
        let outcome = world.call(tool, arguments.clone()).await;
        let Outcome::Done(answer) = &outcome else {
            panic!("{} {tool} {arguments}: {outcome:?}", dialect.name)
        };
        let reply = answer.words();
        let def = dialect.tool(tool).unwrap();
        let lines = advice(&reply);
        assert!(!lines.is_empty(), "{} {tool} {arguments} is not cut: {reply}", dialect.name);
        named += lines.into_iter().map(|line| check(dialect, def, line)).sum::<usize>();
    })
    .await;
    assert!(named >= 6, "{named}");
}

/// Builds arguments from a schema's examples, with `file` in place of every path; `None` without a path.
fn about(tool: &ToolDef, file: &str) -> Option<Value> {
    let schema = published(&(tool.schema)());
    let required: Vec<&str> = schema["required"].as_array()?.iter().filter_map(Value::as_str).collect();
    let mut replaced = 0;
    let mut arguments = serde_json::Map::new();
    let full = (tool.schema)();
    for name in required {
        let example = full["properties"][name]["examples"][0].clone();
        let value = if example.is_null() { placeholder(&full["properties"][name]) } else { example };
        arguments.insert(name.to_owned(), with_file(value, file, &mut replaced));
    }
    (replaced > 0).then_some(Value::Object(arguments))
}

/// Returns a value that fits a property without an example.
fn placeholder(property: &Value) -> Value {
    match property["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    }
}

fn with_file(value: Value, file: &str, replaced: &mut usize) -> Value {
    let endings = [".rs", ".ts", ".png", ".py", ".md", ".js", ".txt"];
    match value {
        Value::String(text)
            if endings.iter().any(|end| text.split(':').next().is_some_and(|path| path.ends_with(end)))
                && !text.contains(['*', ' ', '\n']) =>
        {
            *replaced += 1;
            json!(file)
        }
        Value::Array(values) => values.into_iter().map(|value| with_file(value, file, replaced)).collect(),
        Value::Object(values) => {
            values.into_iter().map(|(name, value)| (name, with_file(value, file, replaced))).collect()
        }
        other => other,
    }
}

/// Calls every tool that takes a file with documents that need more arguments, or that are not text.
#[tokio::test]
async fn document_replies_name_only_published_parameters() {
    let cells: Vec<Value> = (0..150)
        .map(|at| json!({"cell_type": "markdown", "metadata": {}, "source": format!("cell {at} {}", "x".repeat(900))}))
        .collect();
    let notebook = json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).to_string();
    let files: [(&str, &[u8]); 3] = [
        ("twelve.pdf", include_bytes!("fixtures/twelve.pdf")),
        ("broken.docx", b"PK\x03\x04"),
        ("long.ipynb", notebook.as_bytes()),
    ];
    let (mut tools, mut hinted) = (BTreeSet::new(), 0);
    for dialect in toolpost_dialects::ALL {
        let world = World::new(dialect);
        for tool in dialect.tools {
            for (name, bytes) in files {
                let Some(arguments) = about(tool, name) else { continue };
                // The file is written again, because the previous tool may have moved or deleted it.
                world.put(name, bytes);
                let reply = common::words(&world.allowed(tool.name, arguments.clone()).await);
                tools.insert((dialect.name, tool.name));
                // JSON lines are data, not advice.
                let lines = reply.lines().filter(|line| !line.starts_with("cell ") && !line.starts_with('{'));
                hinted += lines.map(|line| check(dialect, tool, line)).sum::<usize>();
            }
        }
    }
    each(
        [
            ("claude", "Read"),
            ("zblade", "read_file"),
            ("zblade", "read_file_range"),
            ("probe", "extract"),
            ("trae", "view_files"),
        ],
        |reader| {
            assert!(tools.contains(&reader), "{reader:?} was not called: {tools:?}");
        },
    );
    assert!(tools.len() >= 20 && hinted >= 8, "{} {hinted} {tools:?}", tools.len());
}

/// A server reads rules only when it starts, so adding a rule does not affect the next call.
#[test]
fn rule_hints_state_that_servers_read_rules_at_start() {
    for dialect in toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA) {
        let rendered = (dialect.say)(&Hint::Operator("touch = [\"fetch\"]".to_owned()));
        assert!(
            rendered.contains("with a rule in the policy file, which Toolpost reads when it starts: touch ="),
            "{}: {rendered}",
            dialect.name
        );
    }
}
