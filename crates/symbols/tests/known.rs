//! Tests that symbols are recognised by their ids, and that answers about missing ones are true.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

use crate::common;
use toolpost_test_rows::each;

use common::{go_on, index, write};
use std::fs;
use std::path::Path;
use toolpost_symbols::{Direction, Edge, IdHistory, IdLookup, Relation, SuccessorEvidence, SymbolQuery};

const RUN: &str = "def run(x):\n    y = x + 1\n    return y * 2\n";
const ID: &str = "python:a.py#run(function)";

/// Describes the symbol that an id refers to now.
fn describe_id(index: &toolpost_symbols::Index, id: &str, may: &dyn Fn(&str) -> bool) -> String {
    let graph = index.graph(&go_on).unwrap();
    match graph.by_id(id, may) {
        IdLookup::Here(at) => graph.id(at),
        IdLookup::Moved(at, by) => {
            let by = match by {
                SuccessorEvidence::Content => "content",
                SuccessorEvidence::Qualified => "qualified",
                SuccessorEvidence::Name => "name",
            };
            format!("{by} {}", graph.id(at))
        }
        IdLookup::Gone(near, once) => {
            let near: Vec<String> = near.into_iter().map(|at| graph.id(at)).collect();
            let word = if once == IdHistory::There { "gone" } else { "never" };
            format!("{word} {}", near.join(" ")).trim().to_owned()
        }
        IdLookup::NoId => "no id".to_owned(),
    }
}

/// A macro such as `cfg_rt! { … }` may contain the declarations of modules, which the parser sees as tokens.
#[test]
fn modules_that_a_macro_call_declares_are_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| write(folder.path(), path, text);
    file("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n");
    file(
        "src/lib.rs",
        "cfg_rt! {\n    pub mod oneshot;\n    pub(crate) mod batch;\n    cfg_fs! { mod deep; }\n    mod inline { mod lost; }\n}\n\n\
         cfg_if! {\n    if #[cfg(unix)] { mod unix; } else { mod other; }\n}\n\nmacro_rules! no { () => { mod template; } }\n\n\
         fn oneshot_test() {}\n\nfn start() {\n    oneshot::channel();\n    deep::dive();\n}\n",
    );
    file("src/oneshot.rs", "pub fn channel() {}\n");
    file("src/deep.rs", "pub fn dive() {}\n");
    let index = index(folder.path(), None);
    let graph = index.graph(&go_on).unwrap();
    let first = |query: &str| {
        let hits = graph.find(&SymbolQuery { query, kinds: &[], limit: 5 }, &|_| true).hits;
        hits.first().map(|hit| graph.id(hit.at)).unwrap_or_default()
    };
    let rows = [
        ("oneshot", "rust:src/lib.rs#oneshot(module)"),
        ("batch", "rust:src/lib.rs#batch(module)"),
        ("deep", "rust:src/lib.rs#deep(module)"),
        ("unix", "rust:src/lib.rs#unix(module)"),
        ("other", "rust:src/lib.rs#other(module)"),
        ("lost", "rust:src/lib.rs#inline.lost(module)"),
        ("template", ""),
    ];
    each(rows, |(query, wanted)| {
        assert_eq!(first(query), wanted, "{query}");
    });
    // The declared files are modules of the crate.
    each(["rust:src/oneshot.rs#channel(function)", "rust:src/deep.rs#dive(function)"], |id| {
        let IdLookup::Here(at) = graph.by_id(id, &|_| true) else { panic!("{id} is not found") };
        let edges = graph.edges(at, Direction::In, Relation::Call, &|_| true);
        assert_eq!((edges.counts.proved, edges.counts.unresolved), (1, 0), "{id}: {edges:?}");
    });
}

/// A function in a macro call is a symbol, with the calls in it and the calls of it.
#[test]
fn functions_in_macro_calls_are_callers_and_have_callers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n");
    write(
        folder.path(),
        "src/lib.rs",
        "fn helper() {}\n\ncfg_rt! {\n    pub fn spawn() {\n        helper();\n    }\n}\n\n\
         cfg_if! {\n    if #[cfg(unix)] {\n        fn start() { helper(); spawn(); }\n    }\n}\n\nfn outside() { spawn(); }\n",
    );
    let index = index(folder.path(), None);
    let callers_of = |name: &str| {
        let mut names = callers(&index, &format!("rust:src/lib.rs#{name}(function)")).0;
        names.sort();
        names
    };
    assert_eq!(callers_of("helper"), ["spawn", "start"]);
    assert_eq!(callers_of("spawn"), ["outside", "start"]);
}

#[test]
fn a_symbol_id_resolves_after_moves_and_renames() {
    type Act = fn(&Path);
    let rows: [(&str, Act, &str); 9] = [
        ("nothing", |_| {}, ID),
        ("it gets other lines", |root| write(root, "a.py", &format!("import os\n\n{RUN}")), ID),
        (
            "it is renamed",
            |root| write(root, "a.py", &RUN.replace("run", "go")),
            "content python:a.py#go(function)",
        ),
        (
            "its file is renamed",
            |root| fs::rename(root.join("a.py"), root.join("b.py")).unwrap(),
            "content python:b.py#run(function)",
        ),
        (
            "it becomes a method",
            |root| {
                let lines: String = RUN.lines().map(|line| format!("    {line}\n")).collect();
                write(root, "a.py", &format!("class A:\n{lines}"));
            },
            "content python:a.py#A.run(function)",
        ),
        (
            "it goes elsewhere and is changed",
            |root| {
                fs::remove_file(root.join("a.py")).unwrap();
                write(root, "c.py", "def run(x, z):\n    return z\n");
            },
            "qualified python:c.py#run(function)",
        ),
        ("it goes", |root| write(root, "a.py", "x = 1\n"), "gone"),
        // `same` has the same body, and existed before.
        ("it goes beside another", |root| write(root, "a.py", "def same():\n    return 1\n"), "gone"),
        ("a short one takes its place", |root| write(root, "a.py", "def other(): ...\n"), "gone"),
    ];
    each(rows, |(what, act, wanted)| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a.py", RUN);
        write(folder.path(), "twin.py", &RUN.replace("run", "twin"));
        let index = index(folder.path(), None);
        assert_eq!(describe_id(&index, ID, &|_| true), ID, "{what}");
        act(folder.path());
        assert_eq!(describe_id(&index, ID, &|_| true), wanted, "{what}");
    });
}

#[test]
fn hidden_files_are_not_revealed_by_ids_or_searches() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.py", RUN);
    write(folder.path(), "secret.py", "def only():\n    return 'a long enough body'\n");
    let index = index(folder.path(), None);
    let may = |path: &str| path != "secret.py";
    let made_up = "python:elsewhere.py#only(function)";
    assert_eq!(describe_id(&index, made_up, &|_| true), "qualified python:secret.py#only(function)");
    assert_eq!(describe_id(&index, made_up, &may), "never");
    assert_eq!(describe_id(&index, "python:elsewhere.py#never(function)", &may), "never");
    let graph = index.graph(&go_on).unwrap();
    let wanted = SymbolQuery { query: "only", limit: 5, ..SymbolQuery::default() };
    assert_eq!(graph.find(&wanted, &may).total, 0);
    assert_eq!(graph.find(&wanted, &|_| true).total, 1);
}

#[test]
fn ids_are_accepted_in_common_spellings() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.rs", "impl A { fn run(&self) {} }\nstruct A;\nfn f() {}\nmod f {}\n");
    let index = index(folder.path(), None);
    let rows = [
        ("rust:a.rs#A.run(function)", "rust:a.rs#A.run(function)"),
        ("rust:a.rs#A.run(method)", "rust:a.rs#A.run(function)"),
        ("rust:a.rs#A.run", "rust:a.rs#A.run(function)"),
        ("a.rs#A.run", "rust:a.rs#A.run(function)"),
        ("rust:a.rs#A", "rust:a.rs#A(struct)"),
        ("rust:a.rs#A(implementation)", "rust:a.rs#A(impl)"),
        ("rust:a.rs#f", "rust:a.rs#f(function)"),
        ("rust:a.rs#f(namespace)", "rust:a.rs#f(module)"),
        ("rust:a.rs#A.run(field)", "never rust:a.rs#A.run(function)"),
        ("rust:a.rs#walk", "never"),
        ("A.run", "no id"),
    ];
    each(rows, |(id, wanted)| {
        assert_eq!(describe_id(&index, id, &|_| true), wanted, "{id}");
    });
}

#[test]
fn names_are_found_by_inheritance_and_module_path() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "src/flask/__init__.py", "from .app import Flask\n");
    write(
        root,
        "src/flask/sansio/scaffold.py",
        "class Scaffold:\n    def route(self): ...\n    def own(self): ...\n",
    );
    write(
        root,
        "src/flask/app.py",
        "from .sansio.scaffold import Scaffold\nclass App(Scaffold): ...\nclass Flask(App):\n    def own(self): ...\n",
    );
    write(root, "src/other/app.py", "class Flask: ...\ndef route(): ...\n");
    let index = index(root, None);
    let graph = index.graph(&go_on).unwrap();
    let rows: [(&str, &[&str]); 8] = [
        ("Flask.route", &["inherited scaffold.py Scaffold.route"]),
        ("flask.app.Flask.route", &["inherited scaffold.py Scaffold.route"]),
        ("Flask.own", &["exact app.py Flask.own"]),
        ("flask.app.Flask", &["exact app.py Flask"]),
        ("flask.Flask", &["exact app.py Flask"]),
        ("other.app.Flask", &["exact app.py Flask"]),
        ("app.route", &["exact app.py route"]),
        ("nowhere.Flask", &[]),
    ];
    each(rows, |(query, wanted)| {
        let hits = graph.find(&SymbolQuery { query, limit: 9, ..SymbolQuery::default() }, &|_| true);
        let found = hits.hits.iter().map(|hit| {
            let path = &graph.file(hit.at.file).path;
            let name = graph.text(graph.symbol(hit.at).qualified);
            format!("{} {} {name}", hit.fit.name(), path.rsplit('/').next().unwrap())
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted, "{query}");
    });
}

#[test]
fn names_are_found_by_parts_initials_and_subsequences() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "a.py",
        "class Cart:\n    def total_price(self): ...\ndef getPath(): ...\ndef total(): ...\nclass Ärger: ...\n",
    );
    let index = index(folder.path(), None);
    let rows: [(&str, &[&str]); 14] = [
        ("Ärger", &["Ärger"]),
        ("ärg", &["Ärger"]),
        ("total", &["total", "Cart.total_price"]),
        ("TOTAL", &["total", "Cart.total_price"]),
        ("total_price", &["Cart.total_price"]),
        ("price total", &["Cart.total_price"]),
        ("Cart.total_price", &["Cart.total_price"]),
        ("cart::total_price", &["Cart.total_price"]),
        ("gP", &["getPath"]),
        ("tp", &["Cart.total_price", "getPath"]),
        ("gtpth", &["getPath"]),
        ("a.py#Cart", &["Cart"]),
        ("python:a.py#Cart.total_price(function)", &["Cart.total_price"]),
        ("nothing", &[]),
    ];
    let graph = index.graph(&go_on).unwrap();
    each(rows, |(query, wanted)| {
        let hits = graph.find(&SymbolQuery { query, limit: 9, ..SymbolQuery::default() }, &|_| true);
        let found: Vec<&str> =
            hits.hits.iter().map(|hit| graph.text(graph.symbol(hit.at).qualified)).collect();
        assert_eq!(found, wanted, "{query}");
    });
}

/// Lists the callers of a symbol, and the number of unresolved occurrences.
fn callers(index: &toolpost_symbols::Index, id: &str) -> (Vec<String>, usize) {
    let graph = index.graph(&go_on).unwrap();
    let IdLookup::Here(at) = graph.by_id(id, &|_| true) else { panic!("{id}") };
    let edges = graph.edges(at, Direction::In, Relation::Call, &|_| true);
    let name = |edge: &Edge| {
        edge.from.map_or("-".to_owned(), |at| graph.text(graph.symbol(at).qualified).to_owned())
    };
    (edges.edges.iter().map(name).collect(), edges.counts.unresolved)
}

#[test]
fn callers_are_found_through_constructors_types_and_imports() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.py", "class A:\n    def __init__(self): ...\ndef make():\n    A()\n");
    write(root, "A.java", "class A {\n  A(int x) {}\n}\nclass B {\n  void make() { new A(1); }\n}\n");
    write(
        root,
        "a.ts",
        "export default function own() {}\nexport class A { am() {} }\ntype T = A;\nexport function f(x: T) { x.am(); }\n\
         const o = { k: new A() };\nexport function g() { o.k.am(); }\n",
    );
    write(
        root,
        "b.ts",
        "import named from './a';\nimport React from 'react';\nfunction h() { named(); React.x(); }\n",
    );
    let index = index(root, None);
    let rows: [(&str, &[&str], usize); 7] = [
        ("python:a.py#A(class)", &["make"], 0),
        ("python:a.py#A.__init__(function)", &["make"], 0),
        ("java:A.java#A(class)", &["B.make"], 0),
        ("java:A.java#A.A(function)", &["B.make"], 0),
        ("typescript:a.ts#own(function)", &["h"], 0),
        ("typescript:a.ts#A.am(function)", &["f", "g"], 0),
        ("typescript:a.ts#f(function)", &[], 0),
    ];
    each(rows, |(id, wanted, unresolved)| {
        let (names, open) = callers(&index, id);
        assert_eq!(
            (names.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), open),
            (wanted, unresolved),
            "{id}"
        );
    });
}

#[test]
fn callers_in_many_files_are_updated_after_each_change() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "b.py", "def g(): ...\n");
    let calls = |name: &str| format!("from b import {name}\ndef f(y):\n    {name}()\n    y.{name}()\n");
    // Enough files that several threads read them.
    (0..400).for_each(|number| write(root, &format!("a{number:03}.py"), &calls("g")));
    let index = index(root, None);
    let query_counts = |may: &dyn Fn(&str) -> bool| {
        let graph = index.graph(&go_on).unwrap();
        let IdLookup::Here(at) = graph.by_id("python:b.py#g(function)", &|_| true) else { panic!() };
        let edges = graph.edges(at, Direction::In, Relation::Call, may);
        let paths: Vec<String> =
            edges.edges.iter().map(|edge| graph.file(edge.file).path.to_string()).collect();
        assert!(paths.is_sorted() && edges.counts.proved == paths.len(), "{paths:?}");
        (edges.counts.proved, edges.counts.unresolved)
    };
    let all = |_: &str| true;
    assert_eq!([query_counts(&all), query_counts(&all)], [(400, 400); 2]);
    // The permission is checked again at each query.
    assert_eq!(query_counts(&|path| path != "a007.py"), (399, 399));
    assert_eq!(query_counts(&all), (400, 400));
    write(root, "a007.py", "");
    write(root, "z.py", &calls("g"));
    write(root, "a399.py", &calls("h"));
    assert_eq!(query_counts(&all), (399, 399));
    write(root, "b.py", "def h(): ...\ndef g(): ...\n");
    assert_eq!(query_counts(&all), (399, 399));
}

/// Lists the edges of a symbol as text: the confidence, the kind, and the symbol at the other end.
fn edges(index: &toolpost_symbols::Index, id: &str, direction: Direction, relation: Relation) -> Vec<String> {
    let graph = index.graph(&go_on).unwrap();
    let IdLookup::Here(at) = graph.by_id(id, &|_| true) else { panic!("{id}") };
    let found = graph.edges(at, direction, relation, &|_| true);
    let word = |edge: &Edge| {
        let other = if direction == Direction::In { edge.from } else { Some(edge.to) };
        let name = other.map_or("-", |at| graph.text(graph.symbol(at).qualified));
        format!("{} {} {name}", edge.sure.name(), edge.how.name())
    };
    found.edges.iter().map(word).collect()
}

#[test]
fn implementing_and_overriding_methods_are_linked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "go.mod", "module m\n");
    write(
        root,
        "a.go",
        "package m\ntype Shape interface { Area() int }\ntype Named interface { Shape; Name() string }\n\
         type Base struct{}\nfunc (b Base) Area() int { return 1 }\n\
         type Disc struct{ Base }\nfunc (d Disc) Name() string { return \"d\" }\n\
         type Odd struct{}\nfunc (o Odd) Name() string { return \"\" }\nfunc (o Odd) Area() string { return \"\" }\n\
         func use(s Shape, n Named) { s.Area(); n.Name() }\n",
    );
    write(
        root,
        "a.py",
        "class A:\n    def __init__(self): ...\n    def run(self): ...\nclass B(A):\n    def __init__(self):\n        \
         super().__init__()\n    def run(self): ...\nclass C(B):\n    def run(self): ...\n\
         def use(a: A):\n    a.run()\n",
    );
    write(
        root,
        "a.ts",
        "interface One { go(): void }\nclass Only implements One { go(): void {} }\nfunction use(one: One) { one.go(); }\n",
    );
    let index = index(root, None);
    use Direction::{In, Out};
    use Relation::{Call, Inherit};
    let rows: [(&str, Direction, Relation, &[&str]); 13] = [
        (
            "go:a.go#Shape(interface)",
            In,
            Inherit,
            &["proved scope Named", "inferred methods Base", "inferred methods Disc"],
        ),
        ("go:a.go#Named(interface)", In, Inherit, &["inferred methods Disc"]),
        ("go:a.go#Base(struct)", Out, Inherit, &["inferred methods Shape"]),
        ("go:a.go#Odd(struct)", Out, Inherit, &[]),
        ("go:a.go#Base.Area(function)", In, Call, &["inferred dispatch use"]),
        ("go:a.go#Disc.Name(function)", In, Call, &["inferred dispatch use"]),
        ("go:a.go#Odd.Area(function)", In, Call, &[]),
        (
            "go:a.go#use(function)",
            Out,
            Call,
            &[
                "proved typed Shape.Area",
                "proved typed Named.Name",
                "inferred dispatch Base.Area",
                "inferred dispatch Disc.Name",
            ],
        ),
        ("python:a.py#B.__init__(function)", In, Call, &[]),
        ("python:a.py#A.__init__(function)", In, Call, &["proved member B.__init__"]),
        ("python:a.py#C.run(function)", In, Call, &["possible dispatch use"]),
        ("typescript:a.ts#Only.go(function)", In, Call, &["inferred dispatch use"]),
        ("typescript:a.ts#use(function)", Out, Call, &["proved typed One.go", "inferred dispatch Only.go"]),
    ];
    each(rows, |(id, direction, relation, wanted)| {
        assert_eq!(edges(&index, id, direction, relation), wanted, "{id} {direction:?} {relation:?}");
    });
}
