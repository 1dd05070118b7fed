//! Queries over a small tree: what each finds, in order.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use toolpost_index::ranked::grammar::parse;
use toolpost_index::ranked::{Ask, Found, Index, Tests, Unanswered, What};
use toolpost_workspace::{Durability, Options, Scope, Workspace};

const FILES: &[(&str, &str)] = &[
    (
        "src/a.rs",
        "/// Says foo.\nfn foo() -> u8 {\n    return 1;\n}\n\nfn bar() {\n    helper();\n}\n\nfn both() {\n    foo();\n    bar();\n}\n",
    ),
    ("src/b.py", "def foo():\n    return 2\n\n\ndef bar():\n    pass\n"),
    ("lib/c.js", "function foo() {\n  return getUserData();\n}\n\nfunction baz() {\n  let url = 'x';\n}\n"),
    ("docs/guide.md", "# Guide\n\nWords on connections.\n\n## Setup\n\nRun it; the session was not found.\n"),
    (
        "net/client.ts",
        "export class HttpClient {\n  timeoutMs = 10;\n\n  sendRequest(allowedIPs) {\n    // Connecting takes a while.\n    return this.user_name;\n  }\n}\n",
    ),
    ("tests/foo_test.py", "def test_foo():\n    assert foo() == 2\n"),
    ("auth/login.go", "package auth\n\nfunc Login() error {\n\treturn errNotFound\n}\n"),
    (".gitignore", "ignored/\n"),
    ("ignored/x.rs", "fn foo() {}\n"),
    ("data.bin", "\0\0foo"),
];

fn world(files: &[(&str, &str)]) -> (TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        put(folder.path(), name, text);
    }
    let options = Options {
        roots: vec![folder.path().to_owned()],
        scope: Scope::Any,
        durability: Durability::default(),
        ..Options::default()
    };
    let (workspace, _) = Workspace::open(options).unwrap();
    (folder, workspace)
}

fn put(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn search(
    index: &Index,
    workspace: &Workspace,
    what: What<'_>,
    base: &str,
    tests: Tests,
) -> Result<Found, Unanswered> {
    let base = workspace.resolve(base).unwrap();
    let covering = index.covering(&base, &|| false).unwrap();
    let lent = covering.lend(&|| false).unwrap();
    lent.search(&Ask { what, base: &base, tests, may: &|_| true, after: None })
}

/// What a query finds: the last name of the file, and the name of the block or its lines.
fn found(index: &Index, workspace: &Workspace, query: &str) -> Vec<String> {
    let node = parse(query).unwrap_or_else(|fault| panic!("{query}: {fault:?}")).node;
    shown(&search(index, workspace, What::Query(&node), ".", Tests::LeftOut).unwrap())
}

fn shown(found: &Found) -> Vec<String> {
    let name = |hit: &toolpost_index::ranked::Hit| {
        let file = hit.key.path.rsplit('/').next().unwrap();
        match hit.block.name.as_str() {
            "" => format!("{file}:{}", hit.block.first),
            name => format!("{file} {name}"),
        }
    };
    found.hits.iter().map(name).collect()
}

#[test]
fn each_query_finds_what_it_asks_for() {
    let (_folder, workspace) = world(FILES);
    let index = Index::new(workspace.clone());
    let rows: &[(&str, &[&str])] = &[("foo", &[])];
    for (query, wanted) in rows {
        println!("{query:?} {:?}", found(&index, &workspace, query));
        let _ = wanted;
    }
    for query in [
        "foo NOT bar",
        "foo AND NOT bar",
        "!bar",
        "foo AND -ext:py",
        "func*",
        "foo*",
        "(foo OR bar) AND return",
        "foo AND ext:rs,js",
        "foo AND file:\"src/**/*.py\"",
        "foo AND filename:b.py",
        "foo bar",
        "foo AND bar",
        "user_name",
        "userName",
        "username",
        "allowed_ips",
        "connect",
        "connections",
        "http client",
        "HttpClient.sendRequest",
        "login",
        "auth",
        "\"not found\"",
        "notfound",
        "get*Data",
        "fo?",
        "getUzerData~1",
        "type:class",
        "kind:function foo",
        "lang:python",
        "name:foo",
        "comment:foo",
        "dir:src foo",
        "-dir:src foo",
        "foo OR ext:md",
        "session not found",
    ] {
        println!("{query:?} {:?}", found(&index, &workspace, query));
    }
}
