//! Stable ids of symbols, across versions of a file.

use std::collections::HashMap;

use crate::{Kind, Language, Symbol};

/// Returns the ids of the symbols of a file: `rust:src/a.rs#Cart.total(function)`. Symbols of one name and
/// kind are numbered, with `~2` for the second.
#[must_use]
pub fn ids(language: Language, path: &str, symbols: &[Symbol]) -> Vec<String> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    symbols
        .iter()
        .map(|symbol| {
            let count = seen.entry((symbol.qualified.as_str(), symbol.kind.name())).or_default();
            *count += 1;
            id(language.name(), path, &symbol.qualified, symbol.kind, *count)
        })
        .collect()
}

/// Returns the id of the symbol that is the `count`-th of its name and kind in a file.
#[must_use]
pub fn id(language: &str, path: &str, qualified: &str, kind: Kind, count: usize) -> String {
    let name = format!("{language}:{path}#{qualified}({})", kind.name());
    if count == 1 { name } else { format!("{name}~{count}") }
}

/// The parts of a symbol's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id<'i> {
    /// The language; empty if omitted.
    pub language: &'i str,
    /// The path of the file.
    pub path: &'i str,
    /// The symbol's qualified name.
    pub qualified: &'i str,
    /// The name of the symbol's kind; empty if omitted.
    pub kind: &'i str,
    /// The number among the symbols of the same name and kind, counted from 1.
    pub count: usize,
}

impl<'i> Id<'i> {
    /// Parses an id, with or without language and kind; `None` if it is not an id.
    #[must_use]
    pub fn read(text: &'i str) -> Option<Self> {
        let (file, symbol) = text.split_once('#')?;
        let (language, path) = file.split_once(':').unwrap_or(("", file));
        let counted = symbol.rsplit_once('~').and_then(|(symbol, count)| Some((symbol, count.parse().ok()?)));
        let (symbol, count) = counted.unwrap_or((symbol, 1));
        let kinded = symbol.strip_suffix(')').and_then(|symbol| symbol.rsplit_once('('));
        // The empty brackets of `operator()` are not a kind.
        let (qualified, kind) = kinded.filter(|(_, kind)| !kind.is_empty()).unwrap_or((symbol, ""));
        let whole = !path.is_empty() && !qualified.is_empty() && !path.contains(char::is_control);
        (whole && count > 0).then_some(Self { language, path, qualified, kind, count })
    }

    /// Returns whether the id has the given kind, by name or synonym; an id without a kind matches every kind.
    #[must_use]
    pub fn is_of(&self, kind: Kind) -> bool {
        self.kind.is_empty() || self.kind == kind.name() || Kind::of_word(self.kind) == Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, ids};
    use crate::Language;
    use toolpost_test_rows::each;

    #[test]
    fn symbol_ids_are_parsed() {
        let id = |language, path, qualified, kind, count| Some(Id { language, path, qualified, kind, count });
        let rows = [
            ("rust:src/a.rs#A.b(function)", id("rust", "src/a.rs", "A.b", "function", 1)),
            ("cpp:a b.cc#operator()(function)~12", id("cpp", "a b.cc", "operator()", "function", 12)),
            ("rust:src/a.rs#A.b", id("rust", "src/a.rs", "A.b", "", 1)),
            ("rust:src/a.rs#A.b~2", id("rust", "src/a.rs", "A.b", "", 2)),
            ("src/a.rs#A.b(method)", id("", "src/a.rs", "A.b", "method", 1)),
            ("cpp:a.cc#operator()", id("cpp", "a.cc", "operator()", "", 1)),
            ("cpp:a.cc#A.~A(function)", id("cpp", "a.cc", "A.~A", "function", 1)),
            ("rust:src/a.rs#A.b(function)~0", None),
            ("#A", None),
            ("a.rs#", None),
            ("src/a.rs", None),
            ("", None),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(Id::read(text), wanted, "{text}");
        });
    }

    #[test]
    fn symbol_ids_contain_path_qualified_name_and_kind() {
        let rows = [
            (
                "rust",
                "struct A;\nimpl A { fn a(&self) {} }\nfn a() {}\n",
                vec!["A(struct)", "A(impl)", "A.a(function)", "a(function)"],
            ),
            (
                "python",
                "def f(): ...\ndef f(x): ...\nf = 1\n",
                vec!["f(function)", "f(function)~2", "f(variable)"],
            ),
            (
                "java",
                "class A { void f() {} void f(int x) {} }",
                vec!["A(class)", "A.f(function)", "A.f(function)~2"],
            ),
        ];
        for (name, text, wanted) in rows {
            let language = Language::of_name(name).unwrap();
            let symbols = language.parse(text).unwrap().symbols();
            let wanted: Vec<String> = wanted.into_iter().map(|end| format!("{name}:src/x#{end}")).collect();
            assert_eq!(ids(language, "src/x", &symbols), wanted, "{name}");
        }
    }
}
