//! Thousands of calls in a chain are all seen, in their order.

use std::path::Path;

use toolpost_syntax::Language;

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
