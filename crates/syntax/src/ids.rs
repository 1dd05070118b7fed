//! Names by which symbols are known again, from one reading of a file to the next.

use std::collections::HashMap;

use crate::{Language, Symbol};

/// Names the symbols of a file: `rust:src/a.rs#Cart.total(function)`; those of one name and kind are counted, `~2` the second.
#[must_use]
pub fn ids(language: Language, path: &str, symbols: &[Symbol]) -> Vec<String> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let name =
        |symbol: &Symbol| format!("{}:{path}#{}({})", language.name(), symbol.qualified, symbol.kind.name());
    symbols
        .iter()
        .map(|symbol| {
            let count = seen.entry((symbol.qualified.as_str(), symbol.kind.name())).or_default();
            *count += 1;
            if *count == 1 { name(symbol) } else { format!("{}~{count}", name(symbol)) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ids;
    use crate::Language;

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
