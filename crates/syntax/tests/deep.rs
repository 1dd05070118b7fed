//! Tests of long call chains, of deeply nested texts and of long files.

use std::path::Path;
use toolpost_test_rows::each;

use toolpost_syntax::{Language, ParseError};

#[test]
fn all_calls_of_a_long_chain_are_found() {
    let rows = [
        ("a.js", "a", ";\n"),
        ("a.py", "a", "\n"),
        ("a.rs", "fn f() { a", "; }\n"),
        ("a.go", "package p\nfunc f() { a", " }\n"),
    ];
    each(rows, |(name, head, tail)| {
        for links in [90, 110, 5_000] {
            let calls: String = (0..links).map(|link| format!(".m{link}(1)")).collect();
            let text = format!("{head}{calls}{tail}");
            let tree = Language::of_path(Path::new(name)).unwrap().parse(&text).unwrap();
            let facts = tree.facts();
            let seen: Vec<&str> = facts
                .references
                .iter()
                .map(|reference| &text[reference.at.clone()])
                .filter(|name| name.starts_with('m'))
                .collect();
            let wanted: Vec<String> = (0..links).map(|link| format!("m{link}")).collect();
            assert_eq!(seen, wanted, "{name} with {links}");
        }
    });
}

/// Deeply nested or nonsensical texts: the file name, the opening text, which is repeated, the innermost
/// text, and the closing text, which is repeated too.
const TANGLED: [(&str, &str, &str, &str); 22] = [
    ("a.js", "[", "", ""),
    ("a.js", "`${", "", ""),
    ("a.js", "[[[[\"]]]]\"/*]]]]*/", "", ""),
    ("a.js", "x(", "1", ")"),
    ("a.js", "!", "1", ""),
    ("a.js", "a?b:", "c", ""),
    ("a.ts", "a<", "b", ">"),
    ("a.py", "(", "", ""),
    ("a.py", "(", "1", ")"),
    ("a.py", "not ", "1", ""),
    ("a.rs", "{", "", ""),
    ("a.rs", "fn f() {", "", "}"),
    ("a.go", "func(){", "", "}"),
    ("a.c", "{", "", ""),
    ("a.c", "((", "1", "))"),
    ("a.java", "{", "", ""),
    ("a.rb", "begin\n", "", ""),
    ("a.rb", "[", "", "]"),
    ("a.sh", "if a; then ", "", ""),
    ("a.sh", "$(", "a", ")"),
    ("a.json", "[", "", "]"),
    ("a.json", "{\"a\":", "1", "}"),
];

/// Texts that are nested too deeply are refused before any code walks the tree; other texts are parsed as
/// usual.
#[test]
fn deeply_nested_texts_are_refused() {
    each(TANGLED, |(name, open, inside, close)| {
        let Some(language) = Language::of_path(Path::new(name)) else { panic!("{name}") };
        for levels in [300, 100_000] {
            let text = format!("{}{inside}{}\n", open.repeat(levels), close.repeat(levels));
            let whole = match language.parse(&text) {
                // The same passes over the tree that the tools make.
                Ok(tree) => {
                    let facts = tree.facts();
                    let symbols = tree.symbols();
                    assert!(facts.references.len() + symbols.len() <= text.len());
                    true
                }
                Err(unread) => {
                    assert_eq!(unread, ParseError::TooTangled, "{name}: {open}");
                    false
                }
            };
            assert!(whole || levels > 300, "{name}: {open} is refused with {levels} levels");
        }
    });
    let refused = TANGLED.iter().filter(|(name, open, inside, close)| {
        let text = format!("{}{inside}{}\n", open.repeat(100_000), close.repeat(100_000));
        Language::of_path(Path::new(name)).unwrap().parse(&text).is_err()
    });
    assert!(refused.count() > TANGLED.len() / 2);
}

/// Long files as people and programs write them are not refused as too complex.
#[test]
fn long_ordinary_texts_are_parsed() {
    let rows = [
        ("a.js", format!("x = [{}];\n", "{\"k\": [1, 2, {\"a\": null}]},\n".repeat(30_000))),
        ("a.js", format!("x = {}1;\n", "a + ".repeat(4_000))),
        ("a.js", "function f(a) { return g(a, [1, 2]) }".repeat(20_000)),
        ("a.py", "def f(a):\n    return g(a)[1]\n".repeat(30_000)),
        ("a.rs", "fn f(a: u8) -> u8 { g(a, [1, 2]) }\n".repeat(20_000)),
        ("a.c", "int f(int a) { return g(a) + (1); }\n".repeat(20_000)),
        ("a.json", format!("[{}1]", "[[[[[[1]]]]]],\n".repeat(40_000))),
    ];
    each(rows, |(name, text)| {
        assert!(Language::of_path(Path::new(name)).unwrap().parse(&text).is_ok(), "{name}: {text:.40}");
    });
}
