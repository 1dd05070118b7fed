//! Tests of navigation without a language server: the answers of the syntax tree, and its limits.

use crate::common::permissive;
use std::fs;
use tempfile::TempDir;
use toolpost_engine::{
    Engine, EngineBuilder, Environment, Failure, Kind, Sandbox, ServerSettings, Servers, Session,
    operations::navigate::{Base, Complete, Navigate, Output, Request, Source, Spot, Want},
};
use toolpost_workspace::{Options, Workspace};

/// The files of the project: names that are local, that several files share, and that belong to a class.
const FILES: [(&str, &[u8]); 6] = [
    ("a.py", b"import os\n\n\ndef run(run_all):\n    value = run_all\n    return value\n\n\nclass A:\n    def stop(self):\n        run(1)\n"),
    ("b.py", b"from a import run\n\n\ndef stop(a):\n    a.stop()\n    r\xc3\xa4n = run(2); return r\xc3\xa4n\n"),
    ("broken.py", b"def ok():\n    pass\n\ndef (:\n"),
    ("c.js", b"function run() { return run; }\n"),
    ("latin.py", b"# \xe9\n"),
    ("notes.xyz", b"run\n"),
];

async fn ask(file: &str, want: Want) -> Result<Output, Failure> {
    asked(file, want, |engine| engine).await
}

async fn asked(
    file: &str,
    want: Want,
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
    engine.run::<Navigate>(Request { path, want }, &permissive(Session::new())).await
}

fn at(line: u32, column: u32) -> Spot {
    Spot { line, column, base: Base::Zero }
}

fn places(output: &Output) -> Vec<String> {
    let shown = |place: &toolpost_engine::operations::navigate::Place| {
        format!("{}:{}:{} {}", place.path, place.line, place.column, place.what.clone().unwrap_or_default())
    };
    output.places.iter().map(shown).collect()
}

#[tokio::test]
async fn definitions_are_found_by_name_and_local_names_by_their_place() {
    let rows: [(&str, Spot, &[&str]); 5] = [
        ("a.py", at(5, 11), &["a.py:5:5 local name"]),
        ("a.py", at(4, 12), &["a.py:4:9 local name"]),
        ("b.py", at(5, 11), &["a.py:4:5 function"]),
        ("b.py", at(4, 6), &["a.py:10:9 function", "b.py:4:5 function"]),
        ("c.js", at(0, 24), &["c.js:1:10 function"]),
    ];
    for (file, spot, wanted) in rows {
        let output = ask(file, Want::Definition(spot)).await.unwrap();
        assert_eq!(places(&output), wanted, "{file} {spot:?}");
        assert_eq!((output.source, output.complete), (Source::Tree, Complete::Unknown));
        assert_eq!(output.notes, ["No language server is asked: this runtime was made without them."]);
    }
}

#[tokio::test]
async fn uses_are_found_in_all_files_of_the_language() {
    let output = ask("a.py", Want::References(at(3, 4))).await.unwrap();
    let wanted = ["a.py:4:5 function", "a.py:11:9 call", "b.py:1:15 import", "b.py:6:11 call"];
    assert_eq!((places(&output), output.total), (wanted.map(str::to_owned).to_vec(), 4));
}

#[tokio::test]
async fn what_a_file_defines_is_whole_only_where_all_of_it_is_understood() {
    let output = ask("a.py", Want::Symbols).await.unwrap();
    let symbols: Vec<String> = output
        .symbols
        .iter()
        .map(|symbol| {
            format!("{} {} {} {}-{}", symbol.depth, symbol.kind, symbol.name, symbol.line, symbol.last_line)
        })
        .collect();
    assert_eq!(symbols, ["0 function run 4-6", "0 class A 9-11", "1 function stop 10-11"]);
    assert_eq!(output.complete, Complete::Yes);
    let broken = ask("broken.py", Want::Symbols).await.unwrap();
    assert_eq!((broken.symbols.len(), broken.complete), (1, Complete::Unknown));
}

#[tokio::test]
async fn the_nearest_name_is_meant_and_said() {
    let output = ask("b.py", Want::Hover(at(5, 0))).await.unwrap();
    let asked = output.asked.unwrap();
    assert_eq!((asked.name.as_str(), asked.line, asked.column, asked.moved), ("rän", 6, 5, true));
    let inside = ask("b.py", Want::Hover(at(5, 12))).await.unwrap();
    assert_eq!(inside.asked.map(|asked| (asked.name, asked.moved)), Some(("run".to_owned(), false)));
    assert_eq!(inside.text.unwrap(), "a.py:4\ndef run(run_all):");
}

#[tokio::test]
async fn what_cannot_be_asked_says_why() {
    let rows = [
        (
            "a.py",
            at(99, 0),
            Kind::Invalid,
            "a.py has 11 lines, and line 99 was asked for; this call counts lines from 0.",
        ),
        ("a.py", at(1, 0), Kind::NoMatch, "No name is in line 1 of a.py."),
        (
            "latin.py",
            at(0, 0),
            Kind::WrongKind,
            "latin.py is no text in UTF-8, and only such files are understood as code.",
        ),
        (
            "notes.xyz",
            at(0, 0),
            Kind::WrongKind,
            "notes.xyz is of no language that is understood here, and no language server answers for it.",
        ),
    ];
    for (file, spot, kind, what) in rows {
        let failure = ask(file, Want::Hover(spot)).await.unwrap_err();
        assert_eq!((failure.kind, failure.what.as_str()), (kind, what), "{file}");
    }
}

#[tokio::test]
async fn without_a_sandbox_no_server_is_started() {
    let settings = ServerSettings::new(Sandbox::Off, Environment::of_this_process(), Vec::new());
    let servers = Servers::new(settings);
    let output = asked("a.py", Want::References(at(3, 4)), |engine| engine.with_servers(servers.clone()));
    let output = output.await.unwrap();
    let note = "No language server is started, since the sandbox is off and nothing would hold it to reading: the user can leave \
                --sandbox off away.";
    assert_eq!((output.source, output.places.len(), output.notes), (Source::Tree, 4, vec![note.to_owned()]));
    assert_eq!(servers.running(), 0);
}
