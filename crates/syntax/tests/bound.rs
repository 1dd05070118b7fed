//! Tests that a destructuring pattern defines each name that it binds, and that the pattern itself is not a
//! symbol.

use std::path::Path;
use toolpost_test_rows::each;

use toolpost_syntax::{Kind, Language, SymbolError, change};
use toolpost_text::line_edit::EditPosition;

#[test]
fn each_name_bound_by_a_destructuring_pattern_is_a_symbol() {
    let rows = [
        ("a.js", "const { a, b: c, d = 3, ...e } = require('./x')", "a c d e"),
        ("a.js", "const [f, , g = 2, [h, { i }]] = foo()", "f g h i"),
        ("a.js", "let { j } = x, { k } = y, l = 3", "j k l"),
        ("a.js", "export const { get, set } = z", "get set"),
        ("a.js", "var { nested: { deep /* why */ } } = y", "deep"),
        ("a.js", "const {} = x, [] = y", ""),
        ("a.js", "[t, u.v] = w", "t u.v"),
        ("a.js", "const { run } = { run() {} }", "run run"),
        ("a.js", "const { f } = function () {}", "f"),
        ("a.ts", "export const { a, b: [c], ...d }: T = x", "a c d"),
        ("a.tsx", "const [state, setState] = useState(0)", "state setState"),
        ("a.py", "a, b = 1, 2\n(c, [d, *e]) = f()\n[g, h] = i", "a b c d e g h"),
        ("a.rb", "a, b = 1, 2\nC, (D, *e) = f", "a b C D e"),
    ];
    each(rows, |(name, text, wanted)| {
        let tree = Language::of_path(Path::new(name)).unwrap().parse(text).unwrap();
        let symbols = tree.symbols();
        let found: Vec<&str> = symbols.iter().map(|symbol| symbol.qualified.as_str()).collect();
        assert_eq!(found.join(" "), wanted, "{text}");
        for symbol in symbols.iter().filter(|symbol| symbol.kind == Kind::Variable) {
            let at = symbol.at.clone().unwrap();
            assert_eq!(text[at].rsplit('.').next(), Some(symbol.name.as_str()), "{text}");
            assert!(!symbol.modifiers.contains(&"get"), "{text}: {}", symbol.name);
        }
    });
}

#[test]
fn a_destructured_require_is_a_top_level_import() {
    let text = "const { a, b: c } = require('./x')\nvar d = require('./y')\nconst e = require('./z').f\n\
                function g() { const { h } = require('./i'); require('./j')(import('./k')) }\n";
    let facts = Language::of_path(Path::new("a.js")).unwrap().parse(text).unwrap().facts();
    let within = |at: Option<usize>| at.map(|at| facts.symbols[at].name.as_str());
    let found: Vec<_> = facts
        .imports
        .iter()
        .map(|import| (import.module.as_str(), import.alias.as_deref(), within(import.within)))
        .collect();
    let wanted = [
        ("./x", None, None),
        ("./x", Some("c"), None),
        ("./y", Some("d"), None),
        ("./z", Some("e"), None),
        ("./i", None, Some("g")),
        ("./j", None, Some("g")),
        ("./k", None, Some("g")),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn one_of_several_names_in_a_pattern_cannot_be_replaced() {
    let language = Language::of_path(Path::new("a.js")).unwrap();
    for (text, shared) in [("const { a, b } = f()\n", true), ("const { a } = f()\n", false)] {
        let edited = change(language, text, "a", EditPosition::Replace, "const a = 1");
        assert_eq!(matches!(edited, Err(SymbolError::Shared { .. })), shared, "{text}: {edited:?}");
    }
}
