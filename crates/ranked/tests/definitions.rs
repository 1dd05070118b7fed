//! Tests that the definition of a name ranks before everything else that contains the name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toolpost_test_rows::each;

use toolpost_ranked::grammar::parse;
use toolpost_ranked::{Index, SearchCriterion, SearchRequest, SearchResult, Tests};
use toolpost_workspace::{Options, Workspace};

/// A small generator of pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

const STEMS: [&str; 16] = [
    "cart",
    "user",
    "order",
    "token",
    "parse",
    "render",
    "session",
    "serialize",
    "redirect",
    "view",
    "index",
    "cache",
    "stream",
    "header",
    "limit",
    "worker",
];
const LANGUAGES: [&str; 5] = ["rs", "py", "ts", "go", "java"];

/// The names of one project, and the file and line of each definition.
type Definitions = BTreeMap<String, (String, u32)>;

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Returns a name of one to three parts, in the form of a type or of a function.
fn name(numbers: &mut Numbers, of_type: bool, language: &str) -> String {
    let count = 1 + numbers.below(3);
    let parts: Vec<&str> = (0..count).map(|_| STEMS[numbers.below(STEMS.len())]).collect();
    let camel = |parts: &[&str]| parts.iter().map(|part| capital(part)).collect::<String>();
    match (of_type, language) {
        (true, _) => camel(&parts),
        (false, "rs" | "py") => parts.join("_"),
        (false, "go") => camel(&parts),
        (false, _) => parts[0].to_owned() + &camel(&parts[1..]),
    }
}

/// Returns a definition of `name` with a body that contains the name `uses`.
fn definition(language: &str, of_type: bool, name: &str, uses: &str) -> String {
    match (language, of_type) {
        ("rs", true) => format!("pub struct {name} {{\n    {}: u8,\n}}\n\n", uses.to_lowercase()),
        ("rs", false) => format!("pub fn {name}(x: u8) -> u8 {{\n    {uses}(x);\n    {uses}(x)\n}}\n\n"),
        ("py", true) => format!(
            "class {name}:\n    \"\"\"Holds {uses}.\"\"\"\n\n    def load(self):\n        return {uses}\n\n\n"
        ),
        ("py", false) => format!("def {name}(x):\n    # {uses} and {uses}\n    return {uses}(x)\n\n\n"),
        ("ts", true) => format!("export class {name} {{\n  held = {uses};\n}}\n\n"),
        ("ts", false) => format!("export function {name}(x) {{\n  return {uses}(x);\n}}\n\n"),
        ("go", true) => format!("type {name} struct {{\n\tHeld int // {uses}\n}}\n\n"),
        ("go", false) => format!("func {name}(x int) int {{\n\treturn {uses}(x)\n}}\n\n"),
        (_, true) => format!("class {name} {{\n  Object held = {uses};\n}}\n\n"),
        (_, false) => format!("class Of{name} {{\n  int {name}(int x) {{ return {uses}(x); }}\n}}\n\n"),
    }
}

/// Writes a project of many files in five languages, in which each name is defined once and used in many places.
fn project(root: &Path, seed: u64) -> Definitions {
    let mut numbers = Numbers(seed);
    let mut all: Definitions = BTreeMap::new();
    let mut folded: BTreeMap<String, ()> = BTreeMap::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    while all.len() < 260 {
        let language = LANGUAGES[numbers.below(LANGUAGES.len())];
        let of_type = numbers.below(2) == 0;
        let own = name(&mut numbers, of_type, language);
        let known: Vec<&String> = all.keys().collect();
        let uses = known
            .get(numbers.below(known.len().max(1)))
            .map_or_else(|| "other".to_owned(), |name| (*name).clone());
        if folded.insert(own.to_lowercase().replace('_', ""), ()).is_some() {
            continue;
        }
        let path = format!("src/m{}/f{}.{language}", numbers.below(6), numbers.below(8));
        let text = texts.entry(path.clone()).or_default();
        let inside = u32::from(language == "java" && !of_type);
        let line = text.lines().count() as u32 + 1 + inside;
        text.push_str(&definition(language, of_type, &own, &uses));
        all.insert(own, (path, line));
    }
    let names: Vec<&String> = all.keys().collect();
    for file in 0..40 {
        let mut text = String::new();
        for _ in 0..30 {
            let (one, other) = (names[numbers.below(names.len())], names[numbers.below(names.len())]);
            text.push_str(&format!("    {one}({other}, {one});  // {one} of {other}\n"));
        }
        texts.insert(format!("src/uses/u{file}.c"), format!("void uses{file}(void) {{\n{text}}}\n"));
        texts.insert(
            format!("docs/d{file}.md"),
            format!("# {}\n\n{text}\n", names[numbers.below(names.len())]),
        );
    }
    for (path, text) in texts {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    all
}

fn open(root: &Path) -> (Workspace, Index) {
    let options = Options { roots: vec![root.to_owned()], ..Options::default() };
    let workspace = Workspace::open(options).unwrap().0;
    (workspace.clone(), Index::new(workspace))
}

fn search(index: &Index, workspace: &Workspace, query: &str) -> SearchResult {
    let (node, base) = (parse(query).unwrap().node, workspace.resolve(".").unwrap());
    let lent = index.lend(&|| false).unwrap();
    let ask = SearchRequest {
        what: SearchCriterion::Query(&node),
        base: &base,
        tests: Tests::LeftOut,
        may: &|_| true,
        after: None,
    };
    lent.search(&ask).unwrap()
}

fn shown(hit: &toolpost_ranked::Hit) -> String {
    format!("{}:{}-{} {} {:.2}", hit.key.path, hit.block.first, hit.block.last, hit.block.name, hit.key.score)
}

/// Returns the rank of a definition among the results of a query, counted from 0.
fn place(found: &SearchResult, (path, line): &(String, u32)) -> Option<usize> {
    let holds = |block: &toolpost_ranked::Block| block.first <= *line && *line <= block.last;
    found.hits.iter().position(|hit| hit.key.path == *path && holds(&hit.block))
}

#[test]
fn query_for_a_name_ranks_its_definition_first() {
    for seed in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let all = project(folder.path(), seed);
        let (workspace, index) = open(folder.path());
        for (name, wanted) in &all {
            let spellings =
                [name.clone(), name.to_lowercase(), format!("name:{name}"), format!("\"{name}\"")];
            each(spellings, |query| {
                let found = search(&index, &workspace, &query);
                let best = found.hits.first().map(shown);
                assert_eq!(place(&found, wanted), Some(0), "{query} of {wanted:?}: {best:?}");
            });
        }
    }
}

#[test]
fn query_for_the_parts_of_a_name_ranks_its_definition_first() {
    let folder = tempfile::tempdir().unwrap();
    let all = project(folder.path(), 3);
    let (workspace, index) = open(folder.path());
    let mut asked = 0;
    for (name, wanted) in &all {
        let mut words = String::new();
        for letter in name.chars() {
            match letter {
                '_' => words.push(' '),
                letter if letter.is_uppercase() && !words.is_empty() => words.extend([' ', letter]),
                letter => words.push(letter),
            }
        }
        let words = words.to_lowercase();
        if words.contains(' ') {
            asked += 1;
            let found = search(&index, &workspace, &words);
            let best: Vec<String> = found.hits.iter().take(3).map(shown).collect();
            assert_eq!(place(&found, wanted), Some(0), "{words} of {wanted:?}: {best:?}");
            let question = format!("where is {name} used by others");
            assert!(
                place(&search(&index, &workspace, &question), wanted).is_some_and(|at| at < 3),
                "{question}"
            );
        }
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn definition_ranks_above_uses_and_implementations() {
    let folder = tempfile::tempdir().unwrap();
    let uses = "import { Cart } from './cart';\nconst cart = new Cart();\ncart.total(); // Cart, Cart\n";
    let mut files = vec![
        ("cart.ts".to_owned(), "export class Cart {\n  total() {\n    return 2;\n  }\n}\n".to_owned()),
        ("ser.rs".to_owned(), "pub trait Serializer {\n    fn serialize_map(self);\n}\n\n/// A Serialize.\npub trait Serialize {\n    /// Serialize.\n    fn serialize<S: Serializer>(&self, s: S);\n}\n".to_owned()),
        ("tests/cart.ts".to_owned(), "class Cart {}\n".to_owned()),
    ];
    for number in 0..12 {
        files.push((format!("a/use{number}.ts"), uses.repeat(3)));
        files.push((
            format!("impls/i{number}.rs"),
            format!("impl Serialize for T{number} {{\n    fn serialize<S: Serializer>(&self, s: S) {{\n        Serialize::serialize(self, s)\n    }}\n}}\n"),
        ));
    }
    for (path, text) in &files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let (workspace, index) = open(folder.path());
    let rows = [
        ("Cart", "cart.ts Cart"),
        ("cart", "cart.ts Cart"),
        ("Serialize", "ser.rs Serialize"),
        ("Serialize trait", "ser.rs Serialize"),
        ("Find the Serialize trait definition", "ser.rs Serialize"),
        ("Serialize AND type:trait", "ser.rs Serialize"),
        ("Serializer", "ser.rs Serializer"),
    ];
    each(rows, |(query, wanted)| {
        let found = search(&index, &workspace, query);
        let first = found.hits.first().map(|hit| format!("{} {}", hit.key.path, hit.block.name));
        assert_eq!(first.as_deref(), Some(wanted), "{query}");
    });
}
