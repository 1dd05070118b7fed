//! Tests that no answer silently drops an occurrence of a symbol's name: an answer without unresolved
//! occurrences is complete.

use crate::expected;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use expected::{Outside, traps};
use toolpost_symbols::{At, Direction, FileId, Graph, GraphGuard, Index, Relation, Usage};
use toolpost_syntax::Language;
use toolpost_workspace::{Options, Workspace};

/// The languages of the corpus of traps (small programs that are hard to resolve).
const LANGUAGES: [&str; 11] =
    ["python", "typescript", "javascript", "rust", "go", "c", "cpp", "java", "php", "ruby", "csharp"];

/// A position in a file.
type FilePosition = (String, usize);

fn index(folder: &Path) -> Index {
    let options = Options { roots: vec![folder.to_owned()], ..Options::default() };
    Index::new(Workspace::open(options).unwrap().0, None)
}

fn corpus() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traps")
}

/// Returns all symbols of a graph.
fn symbols(graph: &Graph) -> impl Iterator<Item = At> {
    graph.files().flat_map(|file| {
        let count = u32::try_from(graph.file(file).record.symbols.len()).unwrap();
        (0..count).map(move |symbol| At { file, symbol })
    })
}

/// Returns the positions that an answer lists, and true if it claims that these are all.
fn listed(graph: &Graph, at: At, direction: Direction, relation: Relation) -> (BTreeSet<FilePosition>, bool) {
    let edges = graph.edges(at, direction, relation, &|_| true);
    let place = |file: FileId, place: u32| (graph.file(file).path.to_string(), place as usize);
    let uses = edges.edges.iter().map(|edge| place(edge.file, edge.place));
    let open = edges.unresolved.iter().map(|one| place(one.file, one.place));
    (uses.chain(open).collect(), edges.counts.unresolved == 0)
}

#[test]
fn no_call_of_a_symbol_is_silently_dropped() {
    let mut lost = Vec::new();
    let mut looked = 0;
    for language in LANGUAGES {
        for trap in traps(&corpus(), language) {
            let index = index(&corpus().join(&trap.name));
            let graph: GraphGuard<'_> = index.graph(&|| false).unwrap();
            let by_place: BTreeMap<FilePosition, At> = symbols(&graph)
                .map(|at| ((graph.file(at.file).path.to_string(), graph.symbol(at).at.0 as usize), at))
                .collect();
            for (place, call) in trap.calls.iter().filter(|(_, call)| call.outside == Outside::No) {
                // A call through an alias does not contain the name of the symbol.
                let word = call.label.split([' ', '~']).nth(1).unwrap();
                let targets = call.right.iter().filter_map(|target| by_place.get(target));
                let targets = targets.filter(|at| graph.text(graph.symbol(**at).name) == word);
                let callers = targets.map(|at| listed(&graph, *at, Direction::In, Relation::Call));
                let told: Vec<bool> = callers.map(|(places, _)| places.contains(place)).collect();
                looked += told.len();
                if !told.is_empty() && !told.contains(&true) {
                    lost.push(format!("{}/{}: not among its callers", trap.name, call.label));
                }
                let file = graph.by_path(&place.0).unwrap();
                let around = graph.file(file).around(u32::try_from(place.1).unwrap());
                if let Some(symbol) = around.filter(|_| !call.right.is_empty()) {
                    let at = At { file, symbol };
                    let edges = graph.edges(at, Direction::Out, Relation::Call, &|_| true);
                    let told = listed(&graph, at, Direction::Out, Relation::Call).0.contains(place);
                    if !told && edges.counts.local == 0 {
                        lost.push(format!("{}/{}: not among what calls", trap.name, call.label));
                    }
                }
            }
        }
    }
    assert!(looked > 800, "{looked} calls were looked at");
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn each_occurrence_of_a_symbol_name_is_accounted_for() {
    let mut lost = Vec::new();
    let mut looked = 0;
    for language in LANGUAGES {
        for trap in traps(&corpus(), language) {
            let folder = corpus().join(&trap.name);
            let index = index(&folder);
            let graph: GraphGuard<'_> = index.graph(&|| false).unwrap();
            let names: BTreeSet<String> =
                symbols(&graph).map(|at| graph.text(graph.symbol(at).name).to_owned()).collect();
            for file in graph.files() {
                let own = graph.file(file);
                let text = fs::read_to_string(folder.join(&*own.path)).unwrap();
                for at in words(&text, own.language()) {
                    let word = &text[at.clone()];
                    if !names.contains(word) || is_known(&graph, file, &text, at.start, word) {
                        continue;
                    }
                    lost.push(format!(
                        "{}/{}: {word} at {}: {}",
                        trap.name,
                        own.path,
                        at.start,
                        line(&text, at.start)
                    ));
                }
                looked += 1;
            }
        }
    }
    assert!(looked > 200, "{looked} files were looked at");
    assert_eq!(lost, Vec::<String>::new());
}

/// Checks that a record has an entry for a position: a definition, a use, an import, or a local name.
fn is_known(graph: &Graph, file: FileId, text: &str, place: usize, word: &str) -> bool {
    let record = &graph.file(file).record;
    let at = u32::try_from(place).unwrap();
    let within = |span: (u32, u32)| span.0 <= at && at < span.1;
    let local = |scope: Option<u32>| scope.is_none_or(|scope| within(record.scopes[scope as usize].0));
    let long = |start: u32, name: &str| start <= at && (at - start) as usize + word.len() <= name.len();
    let line = line(text, place);
    let begins = [
        "import ",
        "from ",
        "use ",
        "pub use",
        "pub mod",
        "mod ",
        "#include",
        "package ",
        "using ",
        "namespace ",
        "export ",
        "require",
        "extern ",
    ];
    record.symbols.iter().any(|symbol| within(symbol.at))
        || record.uses.iter().any(|used| long(used.at, graph.text(used.name)))
        || record
            .locals
            .iter()
            .any(|one| one.at == at || (graph.text(one.name).ends_with(word) && local(one.scope)))
        || record.imports.iter().any(|import| import.at == at)
        || begins.iter().any(|begin| line.trim_start().starts_with(begin))
}

fn line(text: &str, place: usize) -> &str {
    let from = text[..place].rfind('\n').map_or(0, |end| end + 1);
    text[from..].lines().next().unwrap_or_default()
}

/// Lists the words of a text outside comments and single-line strings, without a syntax tree.
fn words(text: &str, language: &str) -> Vec<std::ops::Range<usize>> {
    let known = Language::of_name(language).unwrap();
    let tree = known.parse(text).unwrap();
    let comments = tree.comments();
    let quoted = |at: usize| {
        let line = line(text, at);
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &line[..at - start];
        before.matches(['"', '\'', '`']).count() % 2 == 1 || before.contains("\"\"\"")
    };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(is_word).map(|at| from + at) {
        let length = text[start..].find(|letter| !is_word(letter)).unwrap_or(text.len() - start);
        from = start + length;
        let commented = comments.iter().any(|comment| comment.contains(&start));
        if !commented && !quoted(start) {
            out.push(start..from);
        }
    }
    out
}

#[test]
fn other_uses_are_counted_and_unresolved_ones_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("a.py", "class Cart:\n    def total(self): pass\n\ndef total(): pass\n");
    file(
        "b.py",
        "from a import Cart\n\ndef use(thing, cart: Cart):\n    thing.total()\n    cart.total()\n    f = cart.total\n    go(total=1)\n",
    );
    let index = index(folder.path());
    let graph = index.graph(&|| false).unwrap();
    let member = symbols(&graph).find(|at| graph.text(graph.symbol(*at).qualified) == "Cart.total").unwrap();
    let calls = graph.edges(member, Direction::In, Relation::Call, &|_| true);
    let uses = graph.edges(member, Direction::In, Relation::Usage, &|_| true);
    assert_eq!((calls.counts.proved, calls.counts.possible + calls.counts.inferred), (1, 1));
    assert_eq!((calls.counts.unresolved, calls.counts.other), (0, 2));
    let open: Vec<Usage> = uses.unresolved.iter().map(|one| one.usage).collect();
    assert_eq!(open, [Usage::Mention]);
    assert_eq!((calls.counts.namesakes, uses.counts.namesakes), (0, 0));
}

#[test]
fn calls_of_namesakes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for (class, name) in [("Cart", "a.py"), ("Till", "b.py")] {
        file(
            name,
            &format!("class {class}:\n    def total(self): pass\n\ndef use(it: {class}):\n    it.total()\n"),
        );
    }
    file("c.py", "from b import Till\n\ndef sum(till: Till):\n    till.total()\n    till.total()\n");
    let index = index(folder.path());
    let graph = index.graph(&|| false).unwrap();
    let counts = |name: &str, may: &dyn Fn(&str) -> bool| {
        let at = symbols(&graph).find(|at| graph.text(graph.symbol(*at).qualified) == name).unwrap();
        let counts = graph.edges(at, Direction::In, Relation::Call, may).counts;
        (counts.proved, counts.inferred + counts.possible + counts.unresolved, counts.namesakes)
    };
    assert_eq!((counts("Cart.total", &|_| true), counts("Till.total", &|_| true)), ((1, 0, 3), (3, 0, 1)));
    // Files that the rules hide are not counted.
    assert_eq!(counts("Cart.total", &|path| path != "c.py"), (1, 0, 1));
}
