//! Tests of the resolution of names in a file.

use toolpost_syntax::{Language, Resolution, enclosing, find, segments};
use toolpost_test_rows::{each, table::Table};

const RUST: &str = "struct A;\nimpl A {\n    fn run(&self) {}\n}\nimpl Show for A {\n    fn show(&self) {}\n}\nstruct B<T>(T);\nimpl<T> B<T> {\n    fn run(&self) {}\n}\nfn walk() {\n    fn inner() {}\n}\n";
const GO: &str =
    "package a\n\ntype T struct{}\n\nfunc (t *T) M() {}\n\nfunc (t T[K]) N() {}\n\nfunc M() {}\n";
const TYPESCRIPT: &str = "class A {\n  #x = 1;\n  get v() { return 1; }\n  set v(x) {}\n}\nfunction o(a: string): void;\nfunction o(a: any) {}\n";
const CPP: &str = "namespace n { class A { void m(); bool operator==(int a); }; }\nvoid n::A::m() {}\n";
const MARKDOWN: &str = "# Top\n\n## Use it\n\ntext\n\n## Use it not\n";
const JSON: &str = "{\"a\": {\"b.c\": 1}}";

/// Each row: a language, a text, a name, and the result: the line of the only match, `several` with the lines of all
/// matches, or `none:` with a similar name, if there is one.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("rust", RUST, "A", "1"),
    ("rust", RUST, "struct A", "1"),
    ("rust", RUST, "run", "several 3 10"),
    ("rust", RUST, "run~2", "10"),
    ("rust", RUST, "run~3", "several 3 10"),
    ("rust", RUST, "A.run", "3"),
    ("rust", RUST, "A::run", "3"),
    ("rust", RUST, "A#run", "3"),
    ("rust", RUST, "A::run()", "3"),
    ("rust", RUST, "B<T>::run", "10"),
    ("rust", RUST, "crate::x::A::show", "none: A.show"),
    ("rust", RUST, "fn show(&self)", "6"),
    ("rust", RUST, "SHOW", "6"),
    ("rust", RUST, "walk.inner", "13"),
    ("rust", RUST, "walks", "none: walk"),
    ("rust", RUST, "", "none:"),
    ("rust", RUST, "A.", "1"),
    ("go", GO, "M", "9"),
    ("go", GO, "T.M", "5"),
    ("go", GO, "(*T).M", "5"),
    ("go", GO, "(t *T) M", "none:"),
    ("go", GO, "T.N", "7"),
    ("typescript", TYPESCRIPT, "#x", "2"),
    ("typescript", TYPESCRIPT, "A.#x", "2"),
    ("typescript", TYPESCRIPT, "A.v", "several 3 4"),
    ("typescript", TYPESCRIPT, "o", "7"),
    ("cpp", CPP, "A::m", "2"),
    ("cpp", CPP, "n::A", "1"),
    ("cpp", CPP, "operator==", "1"),
    ("cpp", CPP, "A::operator==", "1"),
    ("markdown", MARKDOWN, "Use it", "3"),
    ("markdown", MARKDOWN, "use IT NOT", "7"),
    ("markdown", MARKDOWN, "Top.Use it", "3"),
    ("markdown", MARKDOWN, "Used it", "none: Top.Use it"),
    ("json", JSON, "b.c", "1"),
    ("json", JSON, "a", "1"),
];

pub(crate) fn names_resolve_to_the_expected_symbols() -> Table {
    let label = |(language, _, name, _): &&(&str, &str, &str, &str)| format!("{language}: {name}");
    Table::new(
        "find::names_resolve_to_the_expected_symbols",
        ROWS,
        label,
        |(language, text, name, wanted)| {
            let Some(Ok(tree)) = Language::of_name(language).map(|language| language.parse(text)) else {
                panic!("{language}")
            };
            let symbols = tree.symbols();
            let line = |at: usize| (text[..symbols[at].span.start].matches('\n').count() + 1).to_string();
            let got = match find(&symbols, name) {
                Resolution::One(at) => line(at),
                Resolution::Several(all) => {
                    all.into_iter().fold("several".to_owned(), |out, at| out + " " + &line(at))
                }
                Resolution::None(like) => like
                    .into_iter()
                    .take(1)
                    .fold("none:".to_owned(), |out, at| out + " " + &symbols[at].qualified),
            };
            assert_eq!(got, *wanted, "{language}: {name}");
        },
    )
}

#[test]
fn qualified_names_are_split_into_segments() {
    let rows = [
        ("A.b", "A b"),
        ("a::B<C::D>::e", "a B e"),
        ("A#b", "A b"),
        ("t:m", "t m"),
        ("(*T).M", "T M"),
        ("A\\B", "A B"),
        ("p->q", "p q"),
        ("A.prototype.b", "A b"),
        ("f(a.b)", "f"),
        ("A::operator->", "A operator->"),
        ("Map[K]", "Map"),
        ("..", ""),
    ];
    each(rows, |(name, wanted)| {
        assert_eq!(segments(name).join(" "), wanted, "{name}");
    });
}

#[test]
fn the_innermost_symbol_encloses_a_position() {
    let Some(Ok(tree)) = Language::of_name("rust").map(|language| language.parse(RUST)) else { panic!() };
    let symbols = tree.symbols();
    each(
        [("fn inner", "walk.inner"), ("fn walk", "walk"), ("fn show", "A.show"), ("struct A", "A")],
        |(needle, wanted)| {
            let at = RUST.find(needle).unwrap_or_default();
            let found = enclosing(&symbols, &(at..at + 1)).map(|at| symbols[at].qualified.as_str());
            assert_eq!(found, Some(wanted));
        },
    );
    assert_eq!(enclosing(&symbols, &(0..RUST.len())), None);
}
