//! Tests of answers about names from a SCIP index or a language server, which are valid while the files are
//! unchanged.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

use crate::common;
use toolpost_test_rows::each;

use common::{calls, go_on, index, write};
use prost::Message;
use std::path::Path;
use toolpost_symbols::{Direction, ExternalAnswer, FilePosition, IdLookup, Relation, ResolutionMethod};

/// The parts of the SCIP format that are used, with their field numbers.
#[derive(Clone, PartialEq, Message)]
struct ScipIndex {
    #[prost(message, repeated, tag = "2")]
    documents: Vec<Document>,
}

#[derive(Clone, PartialEq, Message)]
struct Document {
    #[prost(string, tag = "1")]
    path: String,
    #[prost(message, repeated, tag = "2")]
    occurrences: Vec<Occurrence>,
    #[prost(string, tag = "5")]
    text: String,
    #[prost(int32, tag = "6")]
    columns: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Occurrence {
    #[prost(int32, repeated, tag = "1")]
    range: Vec<i32>,
    #[prost(string, tag = "2")]
    symbol: String,
    #[prost(int32, tag = "3")]
    roles: i32,
}

fn occurrence(range: &[i32], symbol: &str, roles: i32) -> Occurrence {
    Occurrence { range: range.to_vec(), symbol: symbol.to_owned(), roles }
}

const A: &str = "class Cat:\n    def run(self): ...\nclass Dog:\n    def run(self): ...\n";
const B: &str = "def f(é, x):\n    é; x.run()\n";

fn write_scip(root: &Path, run: &str, text: &str) {
    let documents = vec![
        Document {
            path: "a.py".into(),
            occurrences: vec![
                occurrence(&[1, 8, 11], "p a/Cat#run().", 1),
                occurrence(&[3, 8, 11], "p a/Dog#run().", 1),
            ],
            text: String::new(),
            columns: 1,
        },
        Document {
            path: "b.py".into(),
            occurrences: vec![occurrence(&[1, 9, 12], run, 0)],
            text: text.into(),
            columns: 2,
        },
    ];
    std::fs::write(root.join("index.scip"), ScipIndex { documents }.encode_to_vec()).unwrap();
}

#[test]
fn a_scip_index_resolves_calls_of_unchanged_files() {
    let rows = [("p a/Dog#run().", "b.py:run -> a.py:Dog.run"), ("p else/where().", "b.py:run -> outside")];
    for (symbol, wanted) in rows {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "a.py", A);
        write(root, "b.py", B);
        write_scip(root, symbol, "");
        let index = index(root, None);
        assert_eq!(calls(&index), [wanted], "{symbol}");
        // The SCIP index has no answers for a file that has changed.
        write(root, "b.py", &format!("\n{B}"));
        assert_eq!(calls(&index), ["b.py:run -> a.py:Cat.run a.py:Dog.run"], "{symbol}");
        write(root, "b.py", B);
        assert_eq!(calls(&index), [wanted], "{symbol}");
    }
}

#[test]
fn a_scip_index_applies_only_to_the_text_it_was_built_from() {
    let told = ["b.py:run -> a.py:Dog.run"];
    let untold = ["b.py:run -> a.py:Cat.run a.py:Dog.run"];
    let other = format!("{B}# More.\n");
    for (text, changed, wanted) in [(B, B, told), (B, other.as_str(), untold), (&other, B, untold)] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "a.py", A);
        write_scip(root, "p a/Dog#run().", text);
        // The file is always newer than the index, so only the content decides.
        write(root, "b.py", changed);
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().write(true).open(root.join("b.py")).unwrap().set_modified(later).unwrap();
        assert_eq!(calls(&index(root, None)), wanted, "{text:?} {changed:?}");
    }
}

#[test]
fn implementations_from_a_language_server_enter_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let one = "export interface One { go(): void }\nexport function use(one: One) { one.go(); }\n";
    let two = "export class Two { go(): void {} }\n";
    write(root, "one.ts", one);
    write(root, "two.ts", two);
    let index = index(root, None);
    let edges = |id: &str, direction: Direction, relation: Relation| -> Vec<String> {
        let graph = index.graph(&go_on).unwrap();
        let IdLookup::Here(at) = graph.by_id(id, &|_| true) else { panic!("{id}") };
        let found = graph.edges(at, direction, relation, &|_| true).edges;
        found.iter().map(|edge| format!("{} {}", edge.sure.name(), edge.how.name())).collect()
    };
    let rows = [
        ("typescript:one.ts#One", Direction::In, Relation::Inherit, vec!["proved server"]),
        ("typescript:two.ts#Two", Direction::Out, Relation::Inherit, vec!["proved server"]),
        ("typescript:two.ts#Two.go", Direction::In, Relation::Call, vec!["inferred dispatch"]),
        ("typescript:one.ts#use", Direction::Out, Relation::Call, vec!["proved typed", "inferred dispatch"]),
    ];
    let (own, other) = {
        let graph = index.graph(&go_on).unwrap();
        (graph.hash("one.ts").unwrap(), graph.hash("two.ts").unwrap())
    };
    let answer = |name: &str, of: &str| {
        let byte = u32::try_from(two.find(of).unwrap()).unwrap();
        let place = FilePosition { path: "two.ts".into(), hash: other, byte };
        (
            u32::try_from(one.find(name).unwrap()).unwrap(),
            ExternalAnswer { by: ResolutionMethod::Server, places: vec![place] },
        )
    };
    index.tell_implementations("one.ts", own, vec![answer("One", "Two"), answer("go", "go")]);
    each(&rows, |(id, direction, relation, wanted)| {
        assert_eq!(edges(id, *direction, *relation), *wanted, "{id}");
    });
    // Answers about another version of the file do not apply.
    write(root, "two.ts", &format!("\n{two}"));
    assert_eq!(edges(rows[0].0, rows[0].1, rows[0].2), Vec::<String>::new());
}

#[test]
fn language_server_answers_apply_until_either_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.py", A);
    write(root, "b.py", B);
    let index = index(root, None);
    let unsure = ["b.py:run -> a.py:Cat.run a.py:Dog.run"];
    assert_eq!(calls(&index), unsure);
    let (own, other) = {
        let graph = index.graph(&go_on).unwrap();
        (graph.hash("b.py").unwrap(), graph.hash("a.py").unwrap())
    };
    let byte = u32::try_from(A.rfind("run").unwrap()).unwrap();
    let place = u32::try_from(B.find("run").unwrap()).unwrap();
    let answer = ExternalAnswer {
        by: ResolutionMethod::Server,
        places: vec![FilePosition { path: "a.py".into(), hash: other, byte }],
    };
    index.tell("b.py", own, vec![(place, answer)]);
    assert_eq!(calls(&index), ["b.py:run -> a.py:Dog.run"]);
    write(root, "a.py", &format!("\n{A}"));
    assert_eq!(calls(&index), unsure);
    write(root, "a.py", A);
    assert_eq!(calls(&index), ["b.py:run -> a.py:Dog.run"]);
    write(root, "b.py", &B.replace("x.run", "x. run"));
    assert_eq!(calls(&index), unsure);
}
