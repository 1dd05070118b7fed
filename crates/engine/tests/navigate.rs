//! Tests of navigation without a language server: results from the syntax tree, and their limits.

use crate::common::permissive;
use std::fs;
use tempfile::TempDir;
use toolpost_engine::{
    Engine, EngineBuilder, Environment, Failure, Kind, Sandbox, ServerSettings, Servers, Session,
    operations::navigate::{
        Base, Complete, CursorPosition, Navigate, NavigationQuery, Output, Request, Source,
    },
};
use toolpost_test_rows::each_async;
use toolpost_workspace::{Options, Workspace};

/// The files of the project, with local names, names that several files share, and names in a class.
const FILES: [(&str, &[u8]); 6] = [
    ("a.py", b"import os\n\n\ndef run(run_all):\n    value = run_all\n    return value\n\n\nclass A:\n    def stop(self):\n        run(1)\n"),
    ("b.py", b"from a import run\n\n\ndef stop(a):\n    a.stop()\n    r\xc3\xa4n = run(2); return r\xc3\xa4n\n"),
    ("broken.py", b"def ok():\n    pass\n\ndef (:\n"),
    ("c.js", b"function run() { return run; }\n"),
    ("latin.py", b"# \xe9\n"),
    ("notes.xyz", b"run\n"),
];

async fn ask(file: &str, want: NavigationQuery) -> Result<Output, Failure> {
    ask_with(file, want, |engine| engine).await
}

async fn ask_with(
    file: &str,
    want: NavigationQuery,
    with: impl FnOnce(EngineBuilder) -> EngineBuilder,
) -> Result<Output, Failure> {
    let base = TempDir::new().unwrap();
    for (name, text) in FILES {
        fs::write(base.path().join(name), text).unwrap();
    }
    let (workspace, _) =
        Workspace::open(Options { roots: vec![base.path().to_owned()], ..Options::default() }).unwrap();
    let engine = with(Engine::builder(workspace)).build();
    let path = engine.resolve(file).unwrap();
    engine.run::<Navigate>(Request { path, query: want }, &permissive(Session::new())).await
}

fn at(line: u32, column: u32) -> CursorPosition {
    CursorPosition { line, column, base: Base::Zero }
}

fn places(output: &Output) -> Vec<String> {
    let shown = |place: &toolpost_engine::operations::navigate::Place| {
        format!("{}:{}:{} {}", place.path, place.line, place.column, place.what.clone().unwrap_or_default())
    };
    output.places.iter().map(shown).collect()
}

#[tokio::test]
async fn definitions_are_found_by_name_and_locals_by_position() {
    let rows: [(&str, CursorPosition, &[&str]); 5] = [
        ("a.py", at(5, 11), &["a.py:5:5 local name"]),
        ("a.py", at(4, 12), &["a.py:4:9 local name"]),
        ("b.py", at(5, 11), &["a.py:4:5 function"]),
        ("b.py", at(4, 6), &["a.py:10:9 function", "b.py:4:5 function"]),
        ("c.js", at(0, 24), &["c.js:1:10 function"]),
    ];
    each_async(rows, async |(file, spot, wanted)| {
        let output = ask(file, NavigationQuery::Definition(spot)).await.unwrap();
        assert_eq!(places(&output), wanted, "{file} {spot:?}");
        assert_eq!((output.source, output.complete), (Source::Tree, Complete::Unknown));
        assert_eq!(
            output.session_notes,
            ["No language server is used: the program that embeds Toolpost has not enabled language servers."]
        );
    })
    .await;
}

#[tokio::test]
async fn references_are_found_in_all_files_of_the_language() {
    let output = ask("a.py", NavigationQuery::References(at(3, 4))).await.unwrap();
    let wanted = ["a.py:4:5 function", "a.py:11:9 call", "b.py:1:15 import", "b.py:6:11 call"];
    assert_eq!((places(&output), output.total), (wanted.map(str::to_owned).to_vec(), 4));
}

#[tokio::test]
async fn symbol_list_is_complete_only_if_the_whole_file_parses() {
    let output = ask("a.py", NavigationQuery::Symbols).await.unwrap();
    let symbols: Vec<String> = output
        .symbols
        .iter()
        .map(|symbol| {
            format!("{} {} {} {}-{}", symbol.depth, symbol.kind, symbol.name, symbol.line, symbol.last_line)
        })
        .collect();
    assert_eq!(symbols, ["0 function run 4-6", "0 class A 9-11", "1 function stop 10-11"]);
    assert_eq!(output.complete, Complete::Yes);
    let broken = ask("broken.py", NavigationQuery::Symbols).await.unwrap();
    assert_eq!((broken.symbols.len(), broken.complete), (1, Complete::Unknown));
}

#[tokio::test]
async fn hover_uses_and_reports_the_nearest_name() {
    let output = ask("b.py", NavigationQuery::Hover(at(5, 0))).await.unwrap();
    let asked = output.asked.unwrap();
    assert_eq!((asked.name.as_str(), asked.line, asked.column, asked.moved), ("rän", 6, 5, true));
    let inside = ask("b.py", NavigationQuery::Hover(at(5, 12))).await.unwrap();
    assert_eq!(inside.asked.map(|asked| (asked.name, asked.moved)), Some(("run".to_owned(), false)));
    assert_eq!(inside.text.unwrap(), "a.py:4\ndef run(run_all):");
}

#[tokio::test]
async fn invalid_navigation_requests_are_explained() {
    let rows = [
        (
            "a.py",
            at(99, 0),
            Kind::Invalid,
            "a.py has 11 lines, so there is no line 99; this call counts lines from 0.",
        ),
        ("a.py", at(1, 0), Kind::NoMatch, "Line 1 of a.py contains no name."),
        (
            "latin.py",
            at(0, 0),
            Kind::WrongKind,
            "latin.py is not UTF-8 text, and only UTF-8 files are parsed as code.",
        ),
        (
            "notes.xyz",
            at(0, 0),
            Kind::WrongKind,
            "The language of notes.xyz is not supported, and no language server answered.",
        ),
    ];
    each_async(rows, async |(file, spot, kind, what)| {
        let failure = ask(file, NavigationQuery::Hover(spot)).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (kind, what), "{file}");
    })
    .await;
}

#[tokio::test]
async fn language_server_is_not_started_without_a_sandbox() {
    let settings = ServerSettings::new(Sandbox::Off, Environment::of_this_process(), Vec::new());
    let servers = Servers::new(settings);
    let output = ask_with("a.py", NavigationQuery::References(at(3, 4)), |engine| {
        engine.with_servers(servers.clone())
    });
    let output = output.await.unwrap();
    let note = "No language server is started: it needs the sandbox, which restricts it to reading, and the sandbox is off. To \
                use one, the user starts Toolpost without --sandbox off.";
    assert_eq!((output.source, output.places.len()), (Source::Tree, 4));
    assert_eq!((output.notes, output.session_notes), (Vec::<String>::new(), vec![note.to_owned()]));
    assert_eq!(servers.running(), 0);
}
