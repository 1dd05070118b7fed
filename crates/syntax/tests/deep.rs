//! Thousands of calls in a chain are all seen, in their order.

use std::path::Path;

use toolpost_syntax::{Language, ParseError};

#[test]
fn long_chains_are_seen_to_their_ends() {
    let rows = [
        ("a.js", "a", ";\n"),
        ("a.py", "a", "\n"),
        ("a.rs", "fn f() { a", "; }\n"),
        ("a.go", "package p\nfunc f() { a", " }\n"),
    ];
    for (name, head, tail) in rows {
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
    }
}

/// Texts that are nested very deeply, or that make no sense over very many tokens: what opens, how often, what stands inside, what closes.
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

/// What is nested too deeply is refused before anything walks it; what is not is read as any other text.
#[test]
fn tangled_texts_are_refused_whatever_they_are_made_of() {
    for (name, open, inside, close) in TANGLED {
        let Some(language) = Language::of_path(Path::new(name)) else { panic!("{name}") };
        for levels in [300, 100_000] {
            let text = format!("{}{inside}{}\n", open.repeat(levels), close.repeat(levels));
            let whole = match language.parse(&text) {
                // The same look at each node that all tools make.
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
    }
    let refused = TANGLED.iter().filter(|(name, open, inside, close)| {
        let text = format!("{}{inside}{}\n", open.repeat(100_000), close.repeat(100_000));
        Language::of_path(Path::new(name)).unwrap().parse(&text).is_err()
    });
    assert!(refused.count() > TANGLED.len() / 2);
}

/// Long files that people and programs write are not taken for tangled ones.
#[test]
fn long_honest_texts_are_read() {
    let rows = [
        ("a.js", format!("x = [{}];\n", "{\"k\": [1, 2, {\"a\": null}]},\n".repeat(30_000))),
        ("a.js", format!("x = {}1;\n", "a + ".repeat(4_000))),
        ("a.js", "function f(a) { return g(a, [1, 2]) }".repeat(20_000)),
        ("a.py", "def f(a):\n    return g(a)[1]\n".repeat(30_000)),
        ("a.rs", "fn f(a: u8) -> u8 { g(a, [1, 2]) }\n".repeat(20_000)),
        ("a.c", "int f(int a) { return g(a) + (1); }\n".repeat(20_000)),
        ("a.json", format!("[{}1]", "[[[[[[1]]]]]],\n".repeat(40_000))),
    ];
    for (name, text) in rows {
        assert!(Language::of_path(Path::new(name)).unwrap().parse(&text).is_ok(), "{name}: {text:.40}");
    }
}
