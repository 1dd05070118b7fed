//! Tests of the results of ranked queries over a small tree, in order.

use std::fs;
use std::path::Path;
use toolpost_test_rows::each;

use tempfile::TempDir;
use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, SearchCriterion, SearchError, SearchRequest, SearchResult, Tests};
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
    what: SearchCriterion<'_>,
    base: &str,
    tests: Tests,
) -> Result<SearchResult, SearchError> {
    let base = workspace.resolve(base).unwrap();
    let covering = index.covering(&base, &|| false).unwrap();
    let lent = covering.lend(&|| false).unwrap();
    lent.search(&SearchRequest { what, base: &base, tests, may: &|_| true, after: None })
}

/// Returns the results of a query: the file name, and the name of the block or its lines.
fn found(index: &Index, workspace: &Workspace, query: &str) -> Vec<String> {
    let node = parse(query).unwrap_or_else(|fault| panic!("{query}: {fault:?}")).node;
    shown(&search(index, workspace, SearchCriterion::Query(&node), ".", Tests::LeftOut).unwrap())
}

fn shown(found: &SearchResult) -> Vec<String> {
    let name = |hit: &toolpost_ranked::Hit| {
        let file = hit.key.path.rsplit('/').next().unwrap();
        match hit.block.name.as_str() {
            "" => format!("{file}:{}", hit.block.first),
            name => format!("{file} {name}"),
        }
    };
    found.hits.iter().map(name).collect()
}

/// Queries, each with its results: names of files and blocks, best first.
const ROWS: &[(&str, &[&str])] = &[
    ("foo", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("bar", &["a.rs bar", "b.py bar", "a.rs both"]),
    ("foo bar", &["a.rs bar", "b.py bar", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo AND bar", &["a.rs both"]),
    ("foo OR bar", &["a.rs bar", "b.py bar", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo and bar", &["a.rs both"]),
    ("foo or baz", &["c.js baz", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo && bar", &["a.rs both"]),
    ("foo || baz", &["c.js baz", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo|baz", &["c.js baz", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo NOT bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("foo -bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("-bar foo", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("foo AND NOT bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("foo AND -bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("foo AND !bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("!bar AND foo", &["a.rs foo", "c.js foo", "b.py foo"]),
    (
        "!bar",
        &[
            "login.go:1",
            "login.go Login",
            "guide.md Guide",
            "guide.md Guide.Setup",
            "c.js foo",
            "c.js baz",
            "client.ts HttpClient",
            "client.ts HttpClient.sendRequest",
            "a.rs foo",
            "b.py foo",
        ],
    ),
    (
        "-bar",
        &[
            "login.go:1",
            "login.go Login",
            "guide.md Guide",
            "guide.md Guide.Setup",
            "c.js foo",
            "c.js baz",
            "client.ts HttpClient",
            "client.ts HttpClient.sendRequest",
            "a.rs foo",
            "b.py foo",
        ],
    ),
    (
        "NOT bar",
        &[
            "login.go:1",
            "login.go Login",
            "guide.md Guide",
            "guide.md Guide.Setup",
            "c.js foo",
            "c.js baz",
            "client.ts HttpClient",
            "client.ts HttpClient.sendRequest",
            "a.rs foo",
            "b.py foo",
        ],
    ),
    ("NOT NOT bar", &["a.rs bar", "b.py bar", "a.rs both"]),
    (
        "NOT (foo OR bar)",
        &[
            "login.go:1",
            "login.go Login",
            "guide.md Guide",
            "guide.md Guide.Setup",
            "c.js baz",
            "client.ts HttpClient",
            "client.ts HttpClient.sendRequest",
        ],
    ),
    ("+foo bar", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("+foo +bar", &["a.rs both"]),
    ("+foo -bar", &["a.rs foo", "c.js foo", "b.py foo"]),
    ("+foo bar -helper", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    (
        "foo OR NOT bar",
        &[
            "a.rs foo",
            "c.js foo",
            "b.py foo",
            "a.rs both",
            "login.go:1",
            "login.go Login",
            "guide.md Guide",
            "guide.md Guide.Setup",
            "c.js baz",
            "client.ts HttpClient",
            "client.ts HttpClient.sendRequest",
        ],
    ),
    ("foo AND bar OR baz", &["c.js baz", "a.rs both"]),
    ("foo AND (bar OR baz)", &["a.rs both"]),
    ("(foo OR bar) AND return", &["a.rs foo", "b.py foo", "c.js foo"]),
    ("(foo OR bar) AND NOT ext:py", &["a.rs bar", "a.rs foo", "c.js foo", "a.rs both"]),
    ("foo bar AND helper", &["a.rs bar", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("return", &["a.rs foo", "b.py foo", "login.go Login", "c.js foo", "client.ts HttpClient.sendRequest"]),
    ("function", &["c.js foo", "c.js baz"]),
    ("let", &["c.js baz"]),
    ("this", &["client.ts HttpClient.sendRequest"]),
    ("is", &[]),
    ("a", &["a.rs foo", "client.ts HttpClient.sendRequest"]),
    ("foo AND ext:py", &["b.py foo"]),
    ("foo AND -ext:py", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("foo AND NOT ext:py", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("foo AND ext:rs,js", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("foo ext:rs,js", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("foo ext:rs ext:js", &["a.rs foo", "c.js foo", "a.rs both"]),
    (
        "foo OR ext:md",
        &["a.rs foo", "c.js foo", "b.py foo", "a.rs both", "guide.md Guide", "guide.md Guide.Setup"],
    ),
    ("ext:md", &["guide.md Guide", "guide.md Guide.Setup"]),
    ("ext:*s foo", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("-ext:py -ext:rs foo", &["c.js foo"]),
    ("ext:(rs OR py) foo", &["a.rs foo", "b.py foo", "a.rs both"]),
    ("foo AND file:\"src/**/*.py\"", &["b.py foo"]),
    ("foo AND file:src/**/*.py", &["b.py foo"]),
    ("foo AND file:src", &["a.rs foo", "b.py foo", "a.rs both"]),
    ("foo AND file:c.js", &["c.js foo"]),
    ("foo AND path:SRC", &["a.rs foo", "b.py foo", "a.rs both"]),
    ("file:*.py foo", &["b.py foo"]),
    ("foo AND filename:b.py", &["b.py foo"]),
    ("filename:?.py foo", &["b.py foo"]),
    ("filename:b.py", &["b.py foo", "b.py bar"]),
    ("dir:src foo", &["a.rs foo", "b.py foo", "a.rs both"]),
    ("dir:src", &["a.rs foo", "a.rs bar", "a.rs both", "b.py foo", "b.py bar"]),
    ("-dir:src foo", &["c.js foo"]),
    ("dir:lib,auth", &["login.go:1", "login.go Login", "c.js foo", "c.js baz"]),
    ("dir:s*c foo", &["a.rs foo", "b.py foo", "a.rs both"]),
    ("lang:python", &["b.py foo", "b.py bar"]),
    ("lang:py foo", &["b.py foo"]),
    ("lang:rust,javascript foo", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("-lang:python foo", &["a.rs foo", "c.js foo", "a.rs both"]),
    ("language:typescript", &["client.ts HttpClient", "client.ts HttpClient.sendRequest"]),
    ("type:function foo", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("type:class", &["client.ts HttpClient"]),
    ("kind:section", &["guide.md Guide", "guide.md Guide.Setup"]),
    ("type:python foo", &["b.py foo"]),
    (
        "type:fn AND NOT foo",
        &["login.go Login", "c.js baz", "client.ts HttpClient.sendRequest", "a.rs bar", "b.py bar"],
    ),
    ("NOT type:function AND NOT ext:md", &["login.go:1", "client.ts HttpClient"]),
    ("name:foo", &["c.js foo", "a.rs foo", "b.py foo"]),
    ("name:(foo OR bar)", &["a.rs bar", "b.py bar", "c.js foo", "a.rs foo", "b.py foo"]),
    ("name:foo AND NOT ext:py", &["c.js foo", "a.rs foo"]),
    ("signature:u8", &["a.rs foo"]),
    ("comment:foo", &["a.rs foo"]),
    ("comment:takes", &["client.ts HttpClient.sendRequest"]),
    ("body:foo", &["a.rs both"]),
    ("body:\"foo bar\"", &["a.rs both"]),
    ("user", &["c.js foo", "client.ts HttpClient.sendRequest"]),
    ("user data", &["c.js foo", "client.ts HttpClient.sendRequest"]),
    ("user_data", &["c.js foo"]),
    ("userData", &["c.js foo"]),
    ("UserData", &["c.js foo"]),
    ("getUserData", &["c.js foo"]),
    ("get_user_data", &["c.js foo"]),
    ("getuserdata", &["c.js foo"]),
    ("GETUSERDATA", &["c.js foo"]),
    ("\"get user data\"", &["c.js foo"]),
    ("user_name", &["client.ts HttpClient.sendRequest"]),
    ("userName", &["client.ts HttpClient.sendRequest"]),
    ("username", &["client.ts HttpClient.sendRequest"]),
    ("allowedIPs", &["client.ts HttpClient.sendRequest"]),
    ("allowed_ips", &["client.ts HttpClient.sendRequest"]),
    ("AllowedIPs", &["client.ts HttpClient.sendRequest"]),
    ("ips", &["client.ts HttpClient.sendRequest"]),
    ("http", &["client.ts HttpClient"]),
    ("HTTPClient", &["client.ts HttpClient"]),
    ("httpclient", &["client.ts HttpClient"]),
    ("http_client", &["client.ts HttpClient"]),
    ("timeout", &["client.ts HttpClient"]),
    ("timeoutMs", &["client.ts HttpClient"]),
    ("connect", &["guide.md Guide", "client.ts HttpClient.sendRequest"]),
    ("connecting", &["guide.md Guide", "client.ts HttpClient.sendRequest"]),
    ("connections", &["guide.md Guide", "client.ts HttpClient.sendRequest"]),
    ("connected", &["guide.md Guide", "client.ts HttpClient.sendRequest"]),
    ("requests", &[]),
    ("err", &["login.go Login"]),
    ("not found", &["login.go Login", "guide.md Guide.Setup"]),
    ("\"not found\"", &["login.go Login", "guide.md Guide.Setup"]),
    ("\"found not\"", &[]),
    ("\"session was not found\"", &["guide.md Guide.Setup"]),
    ("notfound", &["login.go Login", "guide.md Guide.Setup"]),
    ("errNotFound", &["login.go Login"]),
    ("\"error\"", &["login.go Login"]),
    ("foo*", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("fo?", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("f*o", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("*oo", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("func*", &["c.js foo", "c.js baz", "login.go Login"]),
    ("get*Data", &["c.js foo"]),
    ("*Data", &["c.js foo"]),
    ("time*", &["client.ts HttpClient"]),
    ("t?meout", &["client.ts HttpClient"]),
    ("fooo~", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("fooo~1", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("helper^5 foo", &["a.rs bar", "a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("foo^5 helper", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both", "a.rs bar"]),
    ("HttpClient.sendRequest", &["client.ts HttpClient.sendRequest"]),
    ("HttpClient::sendRequest", &["client.ts HttpClient.sendRequest"]),
    ("sendRequest(allowedIPs)", &["client.ts HttpClient.sendRequest"]),
    ("foo()", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("src/a.rs", &["a.rs foo"]),
    ("b.py", &["b.py foo"]),
    ("login", &["login.go Login", "login.go:1"]),
    ("auth login", &["login.go Login", "login.go:1"]),
    ("auth", &["login.go:1"]),
    ("guide", &["guide.md Guide"]),
    ("setup", &["guide.md Guide.Setup"]),
    ("session not found", &["guide.md Guide.Setup", "login.go Login"]),
    (
        "how do the sessions connect?",
        &["guide.md Guide.Setup", "guide.md Guide", "client.ts HttpClient.sendRequest"],
    ),
    ("package auth", &["login.go:1"]),
    ("zzz", &[]),
    ("foo AND zzz", &[]),
    ("foo zzz", &["a.rs foo", "c.js foo", "b.py foo", "a.rs both"]),
    ("NOT zzz AND baz", &["c.js baz"]),
    ("\"return 2\"", &["b.py foo"]),
    ("2", &["b.py foo"]),
    ("assert", &[]),
];

#[test]
fn queries_find_the_expected_blocks() {
    let (_folder, workspace) = world(FILES);
    let index = Index::new(workspace.clone());
    let differs = |(query, wanted): &&(&str, &[&str])| found(&index, &workspace, query) != *wanted;
    let wrong: Vec<String> = ROWS
        .iter()
        .filter(differs)
        .map(|(query, _)| format!("(\"{query}\", &{:?}),", found(&index, &workspace, query)))
        .collect();
    assert!(wrong.is_empty(), "these rows differ:\n{}", wrong.join("\n"));
}

#[test]
fn test_code_is_left_out_and_counted() {
    let (_folder, workspace) = world(FILES);
    let index = Index::new(workspace.clone());
    let node = parse("foo AND py").unwrap().node;
    let ask = |base: &str, tests| {
        let found = search(&index, &workspace, SearchCriterion::Query(&node), base, tests).unwrap();
        (shown(&found), found.total, found.tests)
    };
    let without = ask(".", Tests::LeftOut);
    assert_eq!(without, (vec!["b.py foo".to_owned()], 1, 1));
    let with = ask(".", Tests::Searched);
    assert_eq!(with, (vec!["b.py foo".to_owned(), "foo_test.py test_foo".to_owned()], 2, 0));
    // A search in the directory of the tests includes them.
    assert_eq!(ask("tests", Tests::LeftOut), (vec!["foo_test.py test_foo".to_owned()], 1, 0));
}

#[test]
fn exact_search_finds_literal_text_ignoring_case() {
    let (folder, workspace) = world(FILES);
    let long = format!("const x = '{}needleInAHaystack';\n", "a".repeat(5_000));
    put(folder.path(), "big.js", &long);
    put(folder.path(), "word.txt", &format!("{}NEEDLEx\n", "a".repeat(500)));
    fs::write(folder.path().join("latin.txt"), b"caf\xe9 Needle\n").unwrap();
    let index = Index::new(workspace.clone());
    let rows: &[(&str, &[&str])] = &[
        ("needle", &["big.js:1", "latin.txt:1", "word.txt:1"]),
        ("return 1;", &["a.rs foo"]),
        ("RETURN 1", &["a.rs foo"]),
        ("r_name;", &["client.ts HttpClient.sendRequest"]),
        ("serData(", &["c.js foo"]),
        ("foo();\n    bar", &["a.rs both"]),
        ("();", &["a.rs both", "c.js foo", "a.rs bar"]),
        ("not foundx", &[]),
        ("foo OR bar", &[]),
    ];
    each(rows, |(text, wanted)| {
        let found = search(&index, &workspace, SearchCriterion::Exactly(text), ".", Tests::LeftOut).unwrap();
        assert_eq!(shown(&found), *wanted, "{text}");
    });
}

#[test]
fn skipped_files_are_listed_and_named_paths_are_searched() {
    let (folder, workspace) = world(FILES);
    put(folder.path(), "huge.txt", &"foo\n".repeat(1_100_000));
    put(folder.path(), ".hidden/y.rs", "fn foo() {}\n");
    put(folder.path(), "node_modules/p/index.js", "function foo() {}\n");
    let index = Index::new(workspace.clone());
    let node = parse("name:foo").unwrap().node;
    let ask = |base: &str| {
        shown(&search(&index, &workspace, SearchCriterion::Query(&node), base, Tests::LeftOut).unwrap())
    };
    assert_eq!(ask("."), ["c.js foo", "a.rs foo", "b.py foo"]);
    assert_eq!(ask("ignored"), ["x.rs foo"]);
    assert_eq!(ask("ignored/x.rs"), ["x.rs foo"]);
    assert_eq!(ask(".hidden"), ["y.rs foo"]);
    assert_eq!(ask("node_modules/p"), ["index.js foo"]);
    assert_eq!(ask("src/b.py"), ["b.py foo"]);
    put(folder.path(), "ignored/x.rs", "fn fool() {}\n");
    assert_eq!(ask("ignored"), [""; 0]);
    let lent = index.lend(&|| false).unwrap();
    let left = lent.left_out();
    assert_eq!(left.large.iter().collect::<Vec<_>>(), ["huge.txt"]);
    assert_eq!(left.binary.iter().collect::<Vec<_>>(), ["data.bin"]);
    let skipped = &left.skipped;
    assert_eq!(
        (skipped.ignored_directories, skipped.dependencies, skipped.hidden_directories, skipped.hidden_files),
        (1, 1, 1, 1)
    );
}

#[test]
fn search_continues_after_the_given_hit() {
    let (_folder, workspace) = world(FILES);
    let index = Index::new(workspace.clone());
    let node = parse("foo OR bar").unwrap().node;
    let base = workspace.resolve(".").unwrap();
    let whole = search(&index, &workspace, SearchCriterion::Query(&node), ".", Tests::LeftOut).unwrap();
    assert!(whole.hits.len() > 4, "{whole:?}");
    for at in 0..whole.hits.len() {
        let lent = index.lend(&|| false).unwrap();
        let after = Some(&whole.hits[at].key);
        let ask = SearchRequest {
            what: SearchCriterion::Query(&node),
            base: &base,
            tests: Tests::LeftOut,
            may: &|_| true,
            after,
        };
        let rest = lent.search(&ask).unwrap();
        assert_eq!((rest.hits.as_slice(), rest.total), (&whole.hits[at + 1..], whole.total));
    }
}

#[test]
fn files_that_may_not_be_read_are_withheld_and_counted() {
    let (_folder, workspace) = world(FILES);
    let index = Index::new(workspace.clone());
    let base = workspace.resolve(".").unwrap();
    let node = parse("foo").unwrap().node;
    let lent = index.lend(&|| false).unwrap();
    let may = |path: &toolpost_workspace::WorkspacePath| !path.display().starts_with("src/");
    let ask = SearchRequest {
        what: SearchCriterion::Query(&node),
        base: &base,
        tests: Tests::LeftOut,
        may: &may,
        after: None,
    };
    let found = lent.search(&ask).unwrap();
    assert_eq!((shown(&found), found.total, found.withheld), (vec!["c.js foo".to_owned()], 1, 2));
}

#[test]
fn function_split_into_several_blocks_is_matched_as_a_whole() {
    let lines = |count: usize| "    step(1);\n".repeat(count);
    let long = format!("fn long() {{\n    alpha();\n{}    beta();\n{}}}\n", lines(580), lines(5));
    let other = format!("fn other() {{\n    alpha();\n{}}}\n", lines(290));
    let (_folder, workspace) =
        world(&[("a.rs", &long), ("b.rs", &other), ("c.rs", "fn short() {\n    alpha();\n    beta();\n}\n")]);
    let index = Index::new(workspace.clone());
    let rows: &[(&str, &[&str])] = &[
        ("alpha AND beta", &["c.rs short", "a.rs long", "a.rs long"]),
        ("+alpha +beta", &["c.rs short", "a.rs long", "a.rs long"]),
        ("alpha NOT beta", &["b.rs other"]),
        ("+alpha -beta", &["b.rs other"]),
        ("beta NOT alpha", &[]),
        ("alpha AND beta AND gamma", &[]),
        ("name:long AND beta", &["a.rs long", "a.rs long"]),
    ];
    each(rows, |(query, wanted)| {
        assert_eq!(found(&index, &workspace, query), *wanted, "{query}");
    });
    let node = parse("alpha AND beta").unwrap().node;
    let all = search(&index, &workspace, SearchCriterion::Query(&node), ".", Tests::Searched).unwrap();
    let mut parts: Vec<_> = all.hits[1..].iter().map(|hit| (hit.block.first, hit.block.last)).collect();
    parts.sort_unstable();
    // Only the two parts that contain one of the words are shown.
    assert_eq!(parts, [(1, 120), (361, 589)]);
    // The excluded word appears in several parts.
    let often = format!(
        "fn often() {{\n    beta();\n    alpha();\n{}    beta();\n{}    beta();\n}}\n",
        lines(200),
        lines(200)
    );
    let (_folder, workspace) = world(&[("a.rs", &often)]);
    let index = Index::new(workspace.clone());
    assert_eq!(found(&index, &workspace, "alpha NOT beta"), [""; 0]);
    assert_eq!(found(&index, &workspace, "step NOT alpha"), [""; 0]);
    assert_eq!(found(&index, &workspace, "alpha AND beta").len(), 3);
}

#[test]
fn symbols_too_short_for_a_separate_block_are_found_by_type() {
    let (_folder, workspace) = world(&[
        ("a.rs", "use x;\n\nconst MOST: u8 = 1;\n\nfn f() {\n    const INNER: u8 = 2;\n}\n"),
        ("b.rs", "type Name = String;\n"),
        ("c.rs", "impl S { fn one(&self) {} }\n"),
        ("d.ts", "export type Id = string;\nexport const limit = 3;\n"),
    ]);
    let index = Index::new(workspace.clone());
    let rows: &[(&str, &[&str])] = &[
        ("type:constant ext:rs", &["a.rs:1"]),
        ("type:constant AND most", &["a.rs:1"]),
        ("type:constant AND inner", &[]),
        ("type:type", &["b.rs:1", "d.ts:1"]),
        ("type:impl", &["c.rs S.one"]),
        ("type:function", &["a.rs f", "c.rs S.one"]),
        ("type:struct", &[]),
    ];
    each(rows, |(query, wanted)| {
        assert_eq!(found(&index, &workspace, query), *wanted, "{query}");
    });
}

#[test]
fn wildcards_that_match_too_many_words_are_refused() {
    let words: String = (0..21_000).map(|number| format!("ba{number}c\n")).collect();
    let (_folder, workspace) = world(&[("a.txt", &words), ("b.txt", "alphabet\n")]);
    let index = Index::new(workspace.clone());
    each([("*a*", None), ("ba*", None), ("*lpha*", Some(1)), ("ba1*7c", Some(20))], |(query, wanted)| {
        let node = parse(query).unwrap().node;
        let found = search(&index, &workspace, SearchCriterion::Query(&node), ".", Tests::Searched);
        match wanted {
            Some(least) => assert!(found.unwrap().total >= least, "{query}"),
            None => assert_eq!(found, Err(SearchError::Wide(20_000)), "{query}"),
        }
    });
}

/// Words for the files, and queries about them.
const WORDS: [&str; 8] =
    ["alpha", "betaGamma", "gamma_delta", "delta", "fn alpha() {", "}", "// words on betas", ""];
const QUERIES: [&str; 6] =
    ["alpha", "beta gamma", "NOT delta", "gam*", "\"gamma delta\"", "name:alpha OR word"];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 24,
        failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::Direct("proptest-regressions/ranked_rows.txt"))),
        ..proptest::prelude::ProptestConfig::default()
    })]

    /// After any changes, an index that was updated after each change returns the same results as a new
    /// index; so does an index that is loaded from disk.
    #[test]
    fn updated_and_reloaded_index_agrees_with_a_new_one(
        steps in proptest::collection::vec((0_usize..5, proptest::collection::vec(0_usize..8, 0..12), 0_usize..4), 1..12)
    ) {
        let (folder, workspace) = world(&[]);
        let cache = tempfile::tempdir().unwrap();
        let index = Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
        for (file, words, sort) in steps {
            let name = format!("d{}/f{file}.rs", file % 2);
            let path = folder.path().join(&name);
            match sort {
                0 => drop(fs::remove_file(&path)),
                1 => drop(fs::rename(&path, folder.path().join(format!("moved{file}.rs")))),
                _ => put(folder.path(), &name, &words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join("\n")),
            }
            let fresh = Index::new(workspace.clone());
            each(QUERIES, |query| {
                assert_eq!(found(&index, &workspace, query), found(&fresh, &workspace, query), "{query}");
            });
        }
        let wanted: Vec<Vec<String>> = QUERIES.iter().map(|query| found(&index, &workspace, query)).collect();
        drop(index);
        let again = Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
        let remembered: Vec<Vec<String>> = QUERIES.iter().map(|query| found(&again, &workspace, query)).collect();
        proptest::prop_assert_eq!(remembered, wanted);
    }
}
