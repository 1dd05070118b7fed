//! Names by which symbols are known again, from one reading of a file to the next.

use std::collections::HashMap;

use crate::{Kind, Language, Symbol};

/// Names the symbols of a file: `rust:src/a.rs#Cart.total(function)`; those of one name and kind are counted, `~2` the second.
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

/// Names the symbol that is the `count`-th of its name and kind in a file.
#[must_use]
pub fn id(language: &str, path: &str, qualified: &str, kind: Kind, count: usize) -> String {
    let name = format!("{language}:{path}#{qualified}({})", kind.name());
    if count == 1 { name } else { format!("{name}~{count}") }
}

/// The parts of a symbol's name by which it is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id<'i> {
    /// The language.
    pub language: &'i str,
    /// The file.
    pub path: &'i str,
    /// The symbol's name behind the names of what it stands in.
    pub qualified: &'i str,
    /// The name of its kind.
    pub kind: &'i str,
    /// Which of those of its name and kind it is, counted from 1.
    pub count: usize,
}

impl<'i> Id<'i> {
    /// Takes such a name apart; none if it is no such name.
    #[must_use]
    pub fn read(text: &'i str) -> Option<Self> {
        let (language, rest) = text.split_once(':')?;
        let (path, rest) = rest.split_once('#')?;
        let end = rest.rfind(')')?;
        let (symbol, count) = (&rest[..end], &rest[end + 1..]);
        let count = if count.is_empty() { 1 } else { count.strip_prefix('~')?.parse().ok()? };
        let (qualified, kind) = symbol.rsplit_once('(')?;
        let whole = [language, path, qualified, kind].iter().all(|part| !part.is_empty());
        (whole && count > 0).then_some(Self { language, path, qualified, kind, count })
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, ids};
    use crate::Language;

    #[test]
    fn a_name_is_taken_apart_again() {
        let id = |language, path, qualified, kind, count| Some(Id { language, path, qualified, kind, count });
        let rows = [
            ("rust:src/a.rs#A.b(function)", id("rust", "src/a.rs", "A.b", "function", 1)),
            ("cpp:a b.cc#operator()(function)~12", id("cpp", "a b.cc", "operator()", "function", 12)),
            ("rust:src/a.rs#A.b", None),
            ("rust:src/a.rs#A.b(function)~0", None),
            ("rust:src/a.rs#A.b(function)x", None),
            ("src/a.rs", None),
            ("", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(Id::read(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_name_says_where_a_symbol_is_and_what() {
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
