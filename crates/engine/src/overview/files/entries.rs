//! Entry points of programs: main functions, scripts, and entry points that manifests name.

use super::record::{Line, short};
use std::borrow::Cow;
use toolpost_syntax::{Kind, Symbol, Tree};
use toolpost_text::lines::LineIndex;

/// Returns true if a file of this name is a manifest that describes how to build or run a project.
pub(super) fn is_manifest(name: &str) -> bool {
    matches!(name, "Cargo.toml" | "package.json" | "pyproject.toml" | "composer.json" | "deno.json")
}

/// Lists the entry points in a file; for a manifest, the entry points that it names.
pub(super) fn of(name: &str, tree: &Tree<'_>, symbols: &[Symbol]) -> Vec<Line> {
    let found: Vec<(usize, String)> = match name {
        "Cargo.toml" => binaries(tree, symbols),
        "package.json" | "composer.json" | "deno.json" => keys(tree, symbols, |path| {
            let (above, _) = path.split_once('.').unwrap_or((path, ""));
            matches!(above, "main" | "bin" | "scripts" | "tasks")
        }),
        "pyproject.toml" => keys(tree, symbols, |path| {
            ["project.scripts.", "project.gui-scripts.", "tool.poetry.scripts."]
                .iter()
                .any(|above| path.starts_with(above))
        }),
        "lib.rs" => vec![(0, "library".to_owned())],
        _ => mains(tree, symbols),
    };
    let index = LineIndex::new(tree.text());
    found.into_iter().map(|(at, words)| Line { depth: 0, number: index.line(at) as u64, words }).collect()
}

/// Lists the binaries that a Rust manifest (`Cargo.toml`) names.
fn binaries(tree: &Tree<'_>, symbols: &[Symbol]) -> Vec<(usize, String)> {
    let of = |parent: usize, key: &str| {
        let own = symbols.iter().find(|symbol| symbol.parent == Some(parent) && symbol.name == key);
        own.and_then(|symbol| value(tree, symbol))
    };
    let tables = symbols.iter().enumerate().filter(|(_, symbol)| symbol.qualified == "bin");
    tables
        .filter_map(|(at, table)| {
            let name = of(at, "name")?;
            let path = of(at, "path").map(|path| format!(" ({path})")).unwrap_or_default();
            Some((table.signature.start, format!("binary {name}{path}")))
        })
        .collect()
}

/// Lists the keys of a manifest whose qualified names `wanted` accepts, with their values.
fn keys(tree: &Tree<'_>, symbols: &[Symbol], wanted: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let is_leaf = |at: usize| !symbols.iter().any(|other| other.parent == Some(at));
    let leaves = symbols
        .iter()
        .enumerate()
        .filter(|(at, symbol)| symbol.kind == Kind::Key && wanted(&symbol.qualified) && is_leaf(*at));
    leaves
        .filter_map(|(_, symbol)| {
            let words = format!("{} = {}", symbol.qualified, value(tree, symbol)?);
            Some((symbol.signature.start, short(&words)))
        })
        .collect()
}

/// Returns the value of a key in a manifest, without quotes.
fn value(tree: &Tree<'_>, symbol: &Symbol) -> Option<String> {
    let text = tree.text();
    let whole = match &symbol.value {
        Some(value) => text.get(value.clone())?,
        None => text.get(symbol.signature.start..symbol.end)?.split_once('=')?.1,
    };
    Some(short(&unquoted(whole.trim())))
}

/// Returns the content of a quoted string, with its escapes resolved; other text unchanged.
fn unquoted(text: &str) -> Cow<'_, str> {
    if let Some(content) = toolpost_net::json_string(text) {
        return content.into();
    }
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text).into()
}

/// Lists the main functions of a file; in Python, the checks of `__name__`.
fn mains(tree: &Tree<'_>, symbols: &[Symbol]) -> Vec<(usize, String)> {
    let language = tree.language().name();
    let text = tree.text();
    if language == "python" {
        let guard =
            |line: &str| line.strip_prefix("if __name__ ==").is_some_and(|rest| rest.contains("__main__"));
        let lines = text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        });
        let found = lines.filter(|(_, line)| guard(line));
        return found.map(|(at, _)| (at, "if __name__ == \"__main__\"".to_owned())).collect();
    }
    let is_main = |symbol: &Symbol| {
        let function = symbol.kind == Kind::Function;
        let signature = || text.get(symbol.signature.clone()).unwrap_or_default();
        match language {
            "rust" | "go" | "c" | "cpp" | "kotlin" | "zig" => {
                function && symbol.name == "main" && symbol.parent.is_none()
            }
            "java" => function && symbol.name == "main" && signature().contains("static"),
            "csharp" => function && symbol.name == "Main" && signature().contains("static"),
            "scala" => function && symbol.name == "main",
            _ => false,
        }
    };
    symbols
        .iter()
        .filter(|symbol| is_main(symbol))
        .map(|symbol| (symbol.signature.start, short(text.get(symbol.signature.clone()).unwrap_or_default())))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use toolpost_syntax::Language;
    use toolpost_test_rows::each;

    #[test]
    fn entry_points_are_found_in_manifests_and_sources() {
        let rows: [(&str, &str, &[&str]); 18] = [
            (
                "Cargo.toml",
                "[package]\nname = \"x\"\n[[bin]]\nname = \"tool\"\npath = \"src/tool.rs\"\n[[bin]]\nname = \"b\"\n",
                &["3 binary tool (src/tool.rs)", "6 binary b"],
            ),
            (
                "package.json",
                "{\"name\": \"x\", \"main\": \"lib/i.js\",\n\"bin\": {\"t\": \"./t.js\"},\n\"scripts\": {\"build\": \"vite build\"}}",
                &["1 main = lib/i.js", "2 bin.t = ./t.js", "3 scripts.build = vite build"],
            ),
            (
                "package.json",
                "{\"scripts\": {\"bench\": \"branchcmp -r 2 -s \\\"npm run benchmark\\\"\"}}",
                &["1 scripts.bench = branchcmp -r 2 -s \"npm run benchmark\""],
            ),
            (
                "pyproject.toml",
                "[project.scripts]\nf = 'f.cli:main'\n",
                &["2 project.scripts.f = f.cli:main"],
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"f\"\n[project.scripts]\nf = \"f.cli:main\"\n[tool.other]\nscripts = 1\n",
                &["4 project.scripts.f = f.cli:main"],
            ),
            ("m.rs", "mod a { fn main() {} }\nfn main() -> u8 { 0 }\n", &["2 fn main() -> u8"]),
            ("m.go", "package main\n\nfunc main() {}\n", &["3 func main()"]),
            ("m.c", "int main(void) { return 0; }\n", &["1 int main(void)"]),
            (
                "M.java",
                "class M {\n  public static void main(String[] a) {}\n}\n",
                &["2 public static void main(String[] a)"],
            ),
            ("M.cs", "class M {\n  static void Main() {}\n}\n", &["2 static void Main()"]),
            (
                "m.py",
                "def main(): ...\n\nif __name__ == '__main__':\n    main()\n",
                &["3 if __name__ == \"__main__\""],
            ),
            ("m.rs", "#![cfg_attr(docsrs, feature(doc))]\nfn f() {}\n", &[]),
            ("main.rs", "#! [allow(dead_code)]\nfn main() {}\n", &["2 fn main()"]),
            (
                "m.rs",
                "#!/usr/bin/env run-cargo-script\nfn f() {}\n",
                &["1 script (#!/usr/bin/env run-cargo-script)"],
            ),
            ("lib.rs", "#![no_std]\npub mod a;\n", &["1 library"]),
            ("lib.rs", "", &["1 library"]),
            ("run.sh", "#!/bin/sh\nmain() { :; }\n", &["1 script (#!/bin/sh)"]),
            ("m.ts", "function main() {}\n", &[]),
        ];
        each(rows, |(name, text, wanted)| {
            let record =
                crate::overview::files::Record::of(name, Language::of_path(Path::new(name)).unwrap(), text);
            let found: Vec<String> =
                record.entries.iter().map(|line| format!("{} {}", line.number, line.words)).collect();
            assert_eq!(found, wanted, "{name}");
        });
    }
}
