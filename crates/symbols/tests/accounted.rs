//! Tests on real programs that the index drops no occurrence of a function's name that a plain tokenizer
//! finds.
//!
//! The tokenizer knows only comments, strings and identifiers of each language; it shares no code with the
//! index.

use crate::common::{go_on, index, write};
use toolpost_test_rows::each;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolpost_symbols::{
    At, Direction, FileId, Graph, Occurrence, Outcome, Relation, Resolution, ResolutionMethod, Usage,
};
use toolpost_syntax::Kind;

/// Maximum number of functions of one name whose callers are listed.
const OF_ONE_NAME: usize = 3;
/// Maximum number of crates from Cargo's local registry that are tested.
const CRATES: usize = 12;
/// Maximum number of files of a tested crate.
const FILES: usize = 400;

/// The lexical rules of a language.
struct Lexis {
    comment: &'static str,
    block: Option<(&'static str, &'static str)>,
    /// Quotes of strings that may span lines; longer ones first.
    quotes: &'static [&'static str],
    /// Quotes without escapes.
    raw: &'static [&'static str],
    rust: bool,
    regex: bool,
}

const C: Lexis = Lexis {
    comment: "//",
    block: Some(("/*", "*/")),
    quotes: &["\"", "'"],
    raw: &[],
    rust: false,
    regex: false,
};

fn lexis(language: &str) -> Option<Lexis> {
    Some(match language {
        "python" => Lexis { comment: "#", block: None, quotes: &["\"\"\"", "'''", "\"", "'"], ..C },
        "rust" => Lexis { quotes: &["\""], rust: true, ..C },
        "javascript" | "typescript" => Lexis { quotes: &["\"", "'", "`"], regex: true, ..C },
        "go" => Lexis { raw: &["`"], ..C },
        "java" => Lexis { quotes: &["\"\"\"", "\"", "'"], ..C },
        "c" | "cpp" => C,
        _ => return None,
    })
}

/// Lists the ranges of the identifiers in a text, without comments and strings.
fn identifiers(text: &str, lexis: &Lexis) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let letter = rest.chars().next().unwrap();
        if rest.starts_with(lexis.comment) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some((open, close)) = lexis.block.filter(|(open, _)| rest.starts_with(open)) {
            at += block(rest, open, close, lexis.rust);
        } else if lexis.rust && letter == '\'' {
            at += quoted_letter(rest);
        } else if let Some(length) = raw_rust(rest).filter(|_| lexis.rust) {
            at += length;
        } else if let Some(quote) = lexis.quotes.iter().find(|quote| rest.starts_with(**quote)) {
            at += quoted(rest, quote, b'\\');
        } else if let Some(quote) = lexis.raw.iter().find(|quote| rest.starts_with(**quote)) {
            at += quoted(rest, quote, 0);
        } else if lexis.regex && letter == '/' && begins_regex(&text[..at]) {
            at += regex(rest);
        } else if letter.is_alphabetic() || matches!(letter, '_' | '$') || (lexis.regex && letter == '#') {
            let goes_on = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
            let first = letter.len_utf8();
            let length = first + rest[first..].find(|letter| !goes_on(letter)).unwrap_or(rest.len() - first);
            if !is_word_of_language(&text[..at], &rest[..length], &rest[length..], lexis) {
                out.push(at..at + length);
            }
            at += length;
        } else if letter.is_ascii_digit() {
            // The suffix of a number is not a name.
            at += rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        } else {
            at += letter.len_utf8();
        }
    }
    out
}

/// Words that are names only if they are called or follow a dot.
const SOFT: [&str; 14] = [
    "char", "bool", "str", "default", "union", "literal", "get", "set", "delete", "in", "new", "type",
    "match", "print",
];

/// Checks whether a word belongs to the language: a prefix of a string, or a keyword that is not called.
fn is_word_of_language(before: &str, word: &str, behind: &str, lexis: &Lexis) -> bool {
    let prefixed = lexis.quotes.iter().any(|quote| behind.starts_with(quote)) || behind.starts_with('\'');
    let prefix = word.len() <= 2 && word.chars().all(|letter| "rbfucRBFUL".contains(letter));
    let called = behind.trim_start().starts_with('(') && !behind.starts_with([' ', '\n']);
    let taken = before.ends_with('.') || before.ends_with("::");
    (prefixed && prefix) || (SOFT.contains(&word) && !called && !taken) || (lexis.rust && is_fragment(before))
}

/// Checks whether a word is the kind of a macro parameter, as in `$name:ident`.
fn is_fragment(before: &str) -> bool {
    let name = before
        .strip_suffix(':')
        .map(|before| before.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_'));
    name.is_some_and(|before| before.ends_with('$'))
}

fn block(rest: &str, open: &str, close: &str, nested: bool) -> usize {
    let (mut depth, mut at) = (1, open.len());
    while depth > 0 && at < rest.len() {
        if rest[at..].starts_with(close) {
            (depth, at) = (depth - 1, at + close.len());
        } else if nested && rest[at..].starts_with(open) {
            (depth, at) = (depth + 1, at + open.len());
        } else {
            at += rest[at..].chars().next().unwrap().len_utf8();
        }
    }
    at
}

/// Returns the length of a string; one with a short quote ends at the end of its line at the latest.
fn quoted(rest: &str, quote: &str, escape: u8) -> usize {
    let bytes = rest.as_bytes();
    let spans = quote.len() > 1 || matches!(quote, "`") || escape == 0;
    let mut at = quote.len();
    while at < bytes.len() {
        if escape != 0 && bytes[at] == escape {
            at += 2;
        } else if bytes[at..].starts_with(quote.as_bytes()) {
            return at + quote.len();
        } else if bytes[at] == b'\n' && !spans && quote != "\"" {
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len().min(rest.len())
}

/// Returns the length of a character in quotes, or of the quote of a lifetime.
fn quoted_letter(rest: &str) -> usize {
    let mut letters = rest[1..].char_indices();
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), _) => 3 + rest[3..].find('\'').map_or(0, |at| at + 1),
        (Some(_), Some((at, '\''))) => 1 + at + 1,
        _ => 1,
    }
}

fn raw_rust(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let body = inner[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some(rest.len() - body.len() + end + close.len())
}

fn begins_regex(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty()
        || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';', '\n', '+', '>'])
        || before.ends_with("return")
}

fn regex(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut class) = (1, false);
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    // The slash was a division.
    1
}

/// The classes of occurrences, with the number of occurrences in each.
type Classes = BTreeMap<&'static str, usize>;

/// A program with its index.
struct Program<'a> {
    root: &'a Path,
    graph: &'a Graph,
    /// The targets of calls, by file and position.
    sites: HashMap<(String, usize), Resolution>,
    classes: Classes,
    lost: Vec<String>,
}

impl Program<'_> {
    fn check(&mut self) {
        let functions = self.functions();
        let listed: HashMap<&str, Vec<(At, Listed)>> = functions
            .iter()
            .map(|(name, all)| {
                let all = all.iter().take(OF_ONE_NAME).map(|at| (*at, self.listed(*at))).collect();
                (name.as_str(), all)
            })
            .collect();
        let mut files: Vec<FileId> = self.graph.files().collect();
        files.sort_by_key(|file| self.graph.file(*file).path.clone());
        for file in files {
            let path = self.graph.file(file).path.to_string();
            let language = self.graph.file(file).language().to_owned();
            let Some(lexis) = lexis(&language) else { continue };
            let text = fs::read_to_string(self.root.join(&path)).unwrap();
            for token in identifiers(&text, &lexis) {
                let name = &text[token.clone()];
                let Some(all) = listed.get(name) else { continue };
                let class = self.class(file, &token, all);
                *self.classes.entry(class).or_default() += 1;
                if class == "LOST" {
                    self.lost.push(format!("{path}: {name}: {}", line(&text, token.start)));
                }
            }
        }
    }

    /// Returns the functions by name.
    fn functions(&self) -> BTreeMap<String, Vec<At>> {
        let mut out: BTreeMap<String, Vec<At>> = BTreeMap::new();
        for file in self.graph.files() {
            for (symbol, defined) in (0..).zip(&self.graph.file(file).record.symbols) {
                if defined.kind.kind() == Kind::Function {
                    let name = self.graph.text(defined.name).to_owned();
                    out.entry(name).or_default().push(At { file, symbol });
                }
            }
        }
        out
    }

    fn listed(&self, at: At) -> Listed {
        let edges = self.graph.edges(at, Direction::In, Relation::Usage, &|_| true);
        let uses = edges.edges.iter().map(|edge| (edge.file, edge.place));
        Listed {
            places: uses.chain(edges.unresolved.iter().map(|one| (one.file, one.place))).collect(),
            family: family(self.graph.file(at.file).language()),
        }
    }

    /// Returns the class of an occurrence of a function's name.
    fn class(&self, file: FileId, token: &Range<usize>, all: &[(At, Listed)]) -> &'static str {
        let own = self.graph.file(file);
        let record = &own.record;
        let place = u32::try_from(token.start).unwrap();
        let same = family(own.language());
        let of_family: Vec<&(At, Listed)> = all.iter().filter(|(_, listed)| listed.family == same).collect();
        if of_family.is_empty() {
            return "of another language";
        }
        if of_family.iter().any(|(_, listed)| listed.places.contains(&(file, place))) {
            return "listed";
        }
        if record.symbols.iter().any(|symbol| symbol.at.0 <= place && place < symbol.at.1) {
            return "a definition";
        }
        let used = record.uses.iter().find(|used| used.at == place);
        match (used, self.sites.get(&(own.path.to_string(), token.start))) {
            (Some(used), Some(found)) if used.usage == Usage::Call => self.resolved(found, &of_family),
            (Some(used), _) if matches!(used.usage, Usage::Mention | Usage::Apparent) => "LOST",
            (Some(_), _) => "another use",
            (None, _) => self.without_use(file, token),
        }
    }

    /// Classifies a call that the answers do not list: it must be resolved to something else.
    fn resolved(&self, found: &Resolution, all: &[&(At, Listed)]) -> &'static str {
        match found {
            Resolution::Unresolved => "LOST",
            Resolution::Targets(targets)
                if targets.iter().all(|target| target.how == ResolutionMethod::SameName) =>
            {
                "LOST"
            }
            Resolution::Targets(targets)
                if targets.iter().any(|one| all.iter().any(|(at, _)| *at == one.at)) =>
            {
                "LOST"
            }
            Resolution::Targets(_) => "a call of another",
            Resolution::Outside => "a call out of the program",
            Resolution::Local => "a call of a local name",
        }
    }

    /// Classifies an occurrence that is not a use: a local name, an import, or a plain read of a local name.
    fn without_use(&self, file: FileId, token: &Range<usize>) -> &'static str {
        let record = &self.graph.file(file).record;
        let place = u32::try_from(token.start).unwrap();
        let text = fs::read_to_string(self.root.join(&*self.graph.file(file).path)).unwrap();
        let name = &text[token.clone()];
        let within = |scope: Option<u32>| {
            scope.is_none_or(|scope| {
                let span = record.scopes[scope as usize].0;
                span.0 <= place && place < span.1
            })
        };
        let local = record
            .locals
            .iter()
            .any(|local| local.at == place || (self.graph.text(local.name) == name && within(local.scope)));
        let import = record.imports.iter().any(|import| import.at == place);
        let begins = [
            "import ", "from ", "use ", "pub use ", "pub(", "mod ", "pub mod ", "package ", "#include",
            "export ",
        ];
        let start = line(&text, token.start).trim_start();
        let header = begins.iter().any(|begin| start.starts_with(begin));
        match (local, import || header || in_statement(&text, token.start)) {
            (true, _) => "a local name",
            (_, true) => "an import",
            _ => "LOST",
        }
    }
}

/// The positions that an answer lists.
struct Listed {
    places: BTreeSet<(FileId, u32)>,
    family: &'static str,
}

/// Returns the languages that can use one another's names.
fn family(language: &str) -> &'static str {
    match language {
        "typescript" | "tsx" | "javascript" => "javascript",
        "c" | "cpp" => "c",
        "python" => "python",
        "rust" => "rust",
        "go" => "go",
        "java" => "java",
        _ => "other",
    }
}

/// Checks whether a position is in a `use` or `import` statement that spans several lines.
fn in_statement(text: &str, place: usize) -> bool {
    let start = text[..place].rfind(';').map_or(0, |at| at + 1);
    let begins = ["use ", "pub use ", "pub(crate) use ", "pub(super) use ", "import ", "from ", "export "];
    text[start..place].lines().map(str::trim).any(|line| begins.iter().any(|begin| line.starts_with(begin)))
}

fn line(text: &str, place: usize) -> &str {
    let from = text[..place].rfind('\n').map_or(0, |end| end + 1);
    text[from..].lines().next().unwrap_or_default()
}

/// Checks one program; returns the number of occurrences in each class, and those that are lost.
fn account(root: &Path) -> (Classes, Vec<String>) {
    let index = index(root, None);
    let graph = index.graph(&go_on).unwrap();
    let sites = graph.sites().into_iter().map(|site| ((site.path, site.at.start), site.found)).collect();
    let mut program = Program { root, graph: &graph, sites, classes: Classes::new(), lost: Vec::new() };
    program.check();
    (program.classes, program.lost)
}

/// Lists the programs: this repository, and the directories in `TOOLPOST_PROGRAMS`. If that variable is
/// `all`, also crates and Python's standard library, whose versions differ between machines.
fn programs() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all: Vec<PathBuf> =
        ["symbols", "syntax", "text", "lsp"].iter().map(|name| own.join(name)).collect();
    match std::env::var_os("TOOLPOST_PROGRAMS") {
        None => return all,
        Some(named) if named != "all" => return std::env::split_paths(&named).collect(),
        Some(_) => {}
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let registry = list(&home.join(".cargo/registry/src")).into_iter().flat_map(|host| list(&host));
    let mut crates: Vec<PathBuf> = registry.filter(|path| count(path) <= FILES).collect();
    crates.sort();
    // Spread evenly over the sorted list, so that the crates have several authors.
    let step = crates.len().div_ceil(CRATES).max(1);
    all.extend(crates.into_iter().step_by(step));
    all.extend(library_of_python().into_iter().flat_map(|library| {
        ["json", "http", "logging", "asyncio", "unittest"].map(|package| library.join(package))
    }));
    all.retain(|path| path.is_dir());
    all
}

/// Finds the directory of Python's standard library.
fn library_of_python() -> Option<PathBuf> {
    let program = "import os; print(os.path.dirname(os.__file__))";
    let output = std::process::Command::new("python3").args(["-c", program]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect()
}

/// Counts the files in a directory and below it.
fn count(folder: &Path) -> usize {
    let here = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    here.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
}

#[test]
fn every_occurrence_of_a_function_in_real_programs_is_accounted_for() {
    let mut lost = Vec::new();
    let mut sum = Classes::new();
    for root in programs() {
        let (classes, own) = account(&root);
        eprintln!("{}: {classes:?}", root.display());
        classes.iter().for_each(|(class, count)| *sum.entry(class).or_default() += count);
        lost.extend(own.into_iter().map(|one| format!("{}/{one}", root.display())));
    }
    assert!(sum.values().sum::<usize>() > 10_000, "{sum:?}");
    assert_eq!(lost, Vec::<String>::new(), "{sum:?}");
}

/// A project in which types, variants and modules share names, and in which each of these names has one meaning.
const SHARED_NAMES: [(&str, &str); 6] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "pub mod options;\nmod parts;\n\nuse parts::Piece as P;\n\npub struct Find(u32);\npub struct Walked<T>(T);\n\n\
         pub enum Command<'a> {\n    Find(Find),\n    Piece(&'a crate::parts::Piece),\n    \
         Walked(std::sync::Mutex<Walked<u8>>),\n    Named { find: Find },\n}\n\n\
         impl Find {\n    pub fn all(pieces: Vec<P>) -> Vec<Find> {\n        drop(pieces);\n        Vec::from([Find(1)])\n    }\n}\n\n\
         pub fn run(command: Command<'_>) -> u32 {\n    match command {\n        Command::Find(Find(number)) => number,\n        \
         Command::Piece(_) => 1,\n        _ => 2,\n    }\n}\n",
    ),
    (
        "src/parts.rs",
        "pub struct Piece;\npub enum Act { Add, Drop }\n\npub fn run(act: Act) -> u8 {\n    use Act::{Add, Drop};\n    \
         match act {\n        Add => 1,\n        Drop => 2,\n    }\n}\n\n\
         pub mod inner {\n    use super::{Act::{self, Add}, Piece};\n    use super::super::parts::Act::Drop;\n    \
         pub fn all() -> Vec<(Act, Piece)> {\n        Vec::from([(Add, Piece), (Drop, Piece)])\n    }\n}\n",
    ),
    ("src/options.rs", "pub enum When { Always, Never }\n"),
    (
        "src/main.rs",
        "use shop::options::When::{self, Always};\nuse shop::options::{self, self as choices, When::Never};\n\n\
         fn main() {\n    let when: Option<choices::When> = Some(Always);\n    drop((when, Never));\n    \
         let options: Vec<options::When> = vec![];\n    drop(options);\n    use shop::options::When::*;\n}\n",
    ),
    (
        "tests/suite.rs",
        "mod common;\nmod first;\nuse common::{Ended};\n\nfn end() -> Ended {\n    Ended\n}\n",
    ),
];

/// The modules of the integration test of that project.
const MODULES_OF_TEST: [(&str, &str); 2] = [
    ("tests/common/mod.rs", "pub struct Ended;\n"),
    ("tests/first.rs", "use crate::common::{Ended};\n\nfn all() -> Vec<Ended> {\n    Vec::new()\n}\n"),
];

/// Each token with the name of a type or a variant is a proved use of exactly one of the symbols with that name.
#[test]
fn each_occurrence_of_a_type_in_rust_is_in_exactly_one_class() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in SHARED_NAMES.into_iter().chain(MODULES_OF_TEST) {
        write(folder.path(), path, text);
    }
    let index = index(folder.path(), None);
    let graph = index.graph(&go_on).unwrap();
    let answers = answers_for_types(&graph);
    let (mut checked, mut wrong) = (0, Vec::new());
    for file in graph.files() {
        let path = graph.file(file).path.to_string();
        let text = fs::read_to_string(folder.path().join(&path)).unwrap();
        for token in identifiers(&text, &lexis("rust").unwrap()) {
            let Some(answers) = answers.get(&text[token.clone()]) else { continue };
            let here = |one: &&Occurrence| one.file == file && one.place as usize == token.start;
            let found: Vec<Option<Outcome>> =
                answers.iter().map(|all| all.iter().find(here).map(|one| one.outcome)).collect();
            let proved = found.iter().filter(|outcome| **outcome == Some(Outcome::Proved)).count();
            let other = found.iter().filter(|outcome| **outcome == Some(Outcome::Other)).count();
            checked += 1;
            if (proved, other) != (1, found.len() - 1) {
                let name = &text[token.clone()];
                wrong.push(format!("{path}: {name}: {}: {found:?}", line(&text, token.start)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked > 50, "{checked}");
}

/// Lists the occurrences of the name of each type and each variant, by name, for each symbol with that name.
fn answers_for_types(graph: &Graph) -> BTreeMap<String, Vec<Vec<Occurrence>>> {
    let mut groups: BTreeSet<Vec<At>> = BTreeSet::new();
    for file in graph.files() {
        for (symbol, defined) in (0..).zip(&graph.file(file).record.symbols) {
            if defined.kind.kind().is_type() || defined.kind.kind() == Kind::Variant {
                groups.insert(graph.namesakes(At { file, symbol }));
            }
        }
    }
    let mut out: BTreeMap<String, Vec<Vec<Occurrence>>> = BTreeMap::new();
    for group in groups {
        let name = graph.text(graph.symbol(group[0]).name).to_owned();
        out.entry(name).or_default().push(graph.occurrences(&group));
    }
    out
}

#[test]
fn names_that_equal_keywords_are_accounted_for() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "a.js",
            "class A {\n  #list() {}\n  get() { on(this.#list); this.#list(); this.get(); this.delete() }\n  delete() {}\n}\n",
        ),
        (
            "a.rs",
            "struct A;\nimpl A {\n    fn default() -> A { A }\n    fn char(&self) -> u8 { 1 }\n    fn union(&self) {}\n}\n\
             fn f(a: A) { assert_eq!(a.char(), map(A::default, A::default().char()), \"{:?}\", a.union()); }\n",
        ),
        ("a.py", "class A:\n    def match(self): self.match()\n    def print(self): f = self.print\n"),
    ];
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    let (classes, lost) = account(folder.path());
    assert_eq!((lost, classes["listed"]), (Vec::new(), 11));
}

#[test]
fn the_tokenizer_reads_identifiers_and_nothing_else() {
    let rows: [(&str, &str, &[&str]); 7] = [
        (
            "rust",
            "a(b\"c\", char, self.char(), b'd', X::default(), $e:ident)",
            &["a", "self", "char", "X", "default", "$e"],
        ),
        ("python", "a('b', \"\"\"c\nd\"\"\") # e\nr'\\'' + f", &["a", "f"]),
        ("rust", "a('b', \"c\", r#\"d\"e\"#, '\\'', &'f g) /* h /* i */ j */ k 1u8", &["a", "f", "g", "k"]),
        ("typescript", "a = /b'c/.test(d / e) + `f`", &["a", "test", "d", "e"]),
        ("go", "a(`b\n\\`, 'c', \"d\") // e", &["a"]),
        ("c", "a(\"b\\\"c\", 'd') /* e */ f", &["a", "f"]),
        ("java", "a(\"\"\"\nb \"c\" d\n\"\"\") + e", &["a", "e"]),
    ];
    each(rows, |(language, text, wanted)| {
        let found = identifiers(text, &lexis(language).unwrap());
        let found: Vec<&str> = found.into_iter().map(|token| &text[token]).collect();
        assert_eq!(found, wanted, "{language}");
    });
}
