//! Weights of blocks by their location: examples and documents count more than internals.

use std::path::Path;
use toolpost_index::ranked::Block;
use toolpost_packages::Direct;

/// Directories of examples and documents.
const SHOWING: [&str; 8] = ["examples", "example", "samples", "demo", "demos", "docs", "doc", "cookbook"];
/// Directories of tests, which also show use, but not the intended one.
const TESTS: [&str; 6] = ["tests", "test", "__tests__", "spec", "testing", "ui"];
/// Directories of copies of other packages.
const OTHERS: [&str; 5] = ["_vendor", "_vendored", "vendor", "third_party", "node_modules"];
/// File name endings of data, and of texts.
const DATA: [&str; 9] = [".json", ".toml", ".yaml", ".yml", ".lock", ".map", ".csv", ".svg", ".xml"];
const TEXTS: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];
/// File name endings of code that a package uses internally.
const FOREIGN: [&str; 6] = [".c", ".h", ".cc", ".cpp", ".s", ".js"];
/// File name endings of variants of the same file.
const FORMS: [&str; 6] = [".d.ts", ".d.cts", ".d.mts", ".js", ".cjs", ".mjs"];
/// The maximum number of lines of a block that only holds a name.
const BARE: u32 = 3;
/// Tools that build and install packages, present in every environment.
const TOOLING: [&str; 4] = ["py:pip@", "py:setuptools@", "py:wheel@", "py:uv@"];
/// Directories of code that is not meant for use from outside.
const INSIDE: [&str; 4] = ["internal", "internals", "private", "benches"];
/// The beginnings of names of files that do not show use.
const BESIDE: [&str; 7] =
    ["changelog", "changes", "history", "license", "licence", "copying", "contributing"];

/// The relation of a package to the project and to the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Standing {
    /// The question names it.
    Named,
    /// The project names it.
    Direct,
    /// Another package names it.
    Indirect,
    /// None of them names it: it is only installed.
    Tooling,
    /// It is the project itself.
    Own,
}

impl Standing {
    /// Returns the relation of a package to the project and to the question.
    pub(super) fn of(label: &str, direct: Direct, question: &str) -> Self {
        if is_named(label, question) {
            return Self::Named;
        }
        match direct {
            Direct::Yes => Self::Direct,
            Direct::No if TOOLING.iter().any(|begin| label.starts_with(begin)) => Self::Tooling,
            Direct::No => Self::Indirect,
        }
    }

    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Named => 1.3,
            Self::Direct => 1.0,
            Self::Indirect => 0.85,
            Self::Tooling => 0.6,
            Self::Own => 0.8,
        }
    }
}

/// Returns the name of a package, for example `serde` for `rust:serde@1.0.228`.
pub(super) fn bare(label: &str) -> &str {
    let name = label.split_once(':').map_or(label, |(_, name)| name);
    match name.rsplit_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name,
    }
}

/// Returns true if a question contains the name of a package, for example `serde` for `rust:serde@1.0.228`.
pub(super) fn is_named(label: &str, question: &str) -> bool {
    let name = bare(label);
    let alike = |word: &str| word.to_lowercase().replace('_', "-");
    let last = alike(name.rsplit(['/', ':']).next().unwrap_or(name));
    let words =
        question.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')));
    last.len() > 1 && words.map(alike).any(|word| word == last)
}

/// Removes the name of the package from a question about it, since the name occurs everywhere in the package;
/// returns the whole question if nothing else is left.
pub(super) fn inside(label: Option<&str>, question: &str) -> String {
    let Some(label) = label else { return question.to_owned() };
    let rest: Vec<&str> = question.split_whitespace().filter(|word| !is_named(label, word)).collect();
    if rest.is_empty() { question.to_owned() } else { rest.join(" ") }
}

/// Returns the weight of a block by its file, below the package, and by its kind.
pub(super) fn place(label: Option<&str>, path: &Path, block: &Block) -> f64 {
    let path = path.to_string_lossy().to_lowercase();
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let above = |names: &[&str]| directory.split('/').any(|part| names.contains(&part));
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let declared = ends(&[".d.ts", ".d.cts", ".d.mts", ".pyi"]);
    let file = match () {
        () if above(&OTHERS) => 0.5,
        () if BESIDE.iter().any(|begin| name.starts_with(begin)) => 0.4,
        () if name.contains(".min.") || name.contains(".bundle.") || name.ends_with(".map") => 0.3,
        () if name.starts_with("readme") => 1.2,
        () if ends(&DATA) => 0.5,
        () if above(&SHOWING) => 1.25,
        () if ends(&TEXTS) => 1.1,
        () if declared => 1.2,
        () if block.test || above(&TESTS) => 0.8,
        () if label.is_some_and(|label| is_foreign(label, name)) => 0.7,
        () if above(&INSIDE) || name.starts_with('_') && !name.starts_with("__init__") => 0.85,
        () => 1.0,
    };
    let lines = block.last.saturating_sub(block.first) + 1;
    let last = block.name.rsplit('.').next().unwrap_or_default().trim().to_lowercase();
    let what = match block.kind.as_str() {
        "section" if BESIDE.iter().any(|begin| last.starts_with(begin)) => 0.5,
        // Imports, and declarations with the body elsewhere: they contain the terms without information.
        "lines" if lines <= BARE => 0.5,
        "lines" => 0.9,
        "impl" | "module" if lines <= BARE && !declared => 0.5,
        _ => 1.0,
    };
    file * what
}

/// Returns true if a file is in a language other than those from which the packages of its ecosystem are
/// used.
fn is_foreign(label: &str, name: &str) -> bool {
    let own = !label.starts_with("js:") && !label.starts_with("java:");
    own && FOREIGN.iter().any(|end| name.ends_with(end))
}

/// Returns the factor for a block whose name occurs in the question.
pub(super) fn naming(label: Option<&str>, block: &Block, question: &str) -> f64 {
    if matches!(block.kind.as_str(), "section" | "lines" | "key") || block.name.is_empty() {
        return 1.0;
    }
    let package = label.map(bare).map(|name| pieces(name.rsplit(['/', ':']).next().unwrap_or(name)));
    let all = question
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty());
    let (own, mut words): (Vec<&str>, Vec<&str>) =
        all.partition(|word| package.as_ref() == Some(&pieces(word)));
    // If the question names only the package, the symbol with exactly that name is meant.
    if words.is_empty() {
        words.extend(own.into_iter().filter(|word| block.name == *word).take(1));
    }
    let mut names = block.name.split('.').rev();
    let last = names.next().unwrap_or_default();
    let own = pieces(last);
    let said = words.iter().any(|word| word.eq_ignore_ascii_case(last));
    let asked: Vec<String> = words.iter().flat_map(|word| pieces(word)).collect();
    let wrote = own.len() > 1 && own.iter().all(|piece| asked.contains(piece));
    let above = names.any(|name| words.iter().any(|word| word.eq_ignore_ascii_case(name)));
    match (said, wrote) {
        // A word that can only be a name, or the only word.
        (true, _) if own.len() > 1 || words.len() == 1 => 1.6,
        (true, _) | (_, true) if above => 1.4,
        (_, true) => 1.25,
        (true, _) => 1.12,
        (false, false) => 1.0,
    }
}

/// Splits a name into its words: `into_inner` and `intoInner` give the same two.
fn pieces(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut before, mut begun) = ('_', false);
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            begun = false;
        } else {
            if !begun || letter.is_uppercase() && before.is_lowercase() {
                out.push(String::new());
            }
            begun = true;
            if let Some(last) = out.last_mut() {
                last.extend(letter.to_lowercase());
            }
        }
        before = letter;
    }
    out
}

/// Returns the key that a block shares with its twins: the same symbol in another variant of the file, such
/// as `.d.ts` and `.d.cts`.
pub(super) fn twin(path: &Path, block: &Block) -> Option<(String, String)> {
    let path = path.to_str()?;
    let stem = FORMS.iter().find_map(|end| path.strip_suffix(end))?;
    (!block.name.is_empty()).then(|| (stem.to_owned(), format!("{} {}", block.kind, block.name)))
}

#[cfg(test)]
mod tests {
    use super::{Block, Standing, inside, naming, place, twin};
    use std::path::Path;
    use toolpost_packages::Direct;

    #[test]
    fn what_shows_use_counts_more_than_what_is_inside() {
        let order = [
            ("examples/client.rs", "function"),
            ("README.md", "section"),
            ("docs.md", "section"),
            ("src/client.rs", "function"),
            ("src/client.rs", "lines"),
            ("internal/client.go", "function"),
            ("package.json", "key"),
            ("CHANGELOG.md", "section"),
            ("dist/all.min.js", "function"),
        ];
        let weight = |path: &str, kind: &str| place(Some("js:x@1"), Path::new(path), &block(kind, "x", 10));
        let weights: Vec<f64> = order.iter().map(|(path, kind)| weight(path, kind)).collect();
        assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
        assert!(weight("index.d.ts", "function") > weight("index.js", "function"));
        let short = |kind: &str, lines| place(None, Path::new("src/a.rs"), &block(kind, "", lines));
        assert!(short("lines", 3) < short("lines", 4) && short("impl", 1) < short("impl", 9));
        let foreign = |label: &str| place(Some(label), Path::new("src/parser.c"), &block("function", "x", 9));
        assert!(foreign("rust:tree-sitter@1") < foreign("java:x@1"));
    }

    fn block(kind: &str, name: &str, lines: u32) -> Block {
        Block { first: 1, last: lines, kind: kind.to_owned(), name: name.to_owned(), test: false }
    }

    #[test]
    fn what_the_question_names_counts_more() {
        let rows = [
            ("py:requests@2", "Response.raise_for_status", "raise_for_status", 1.6),
            ("py:requests@2", "Response.ok", "raise_for_status", 1.0),
            ("py:flask@3", "jsonify", "jsonify", 1.6),
            ("py:flask@3", "jsonify", "flask Jsonify", 1.6),
            ("py:flask@3", "Flask", "test client for flask app", 1.0),
            ("py:flask@3", "Flask.test_client", "test client for flask app", 1.25),
            ("py:flask@3", "Flask", "flask Flask", 1.6),
            ("py:flask@3", "flask", "Flask", 1.0),
            ("py:click@8", "option", "click option decorator", 1.12),
            ("rust:tempfile@3", "TempDir.keep", "tempfile TempDir keep", 1.4),
            ("rust:tempfile@3", "test_tempdir_keep", "tempfile TempDir keep", 1.0),
            ("rust:tokio@1", "spawn_blocking", "spawn blocking task tokio", 1.25),
            ("js:express@5", "res.sendFile", "express res.sendFile", 1.6),
            ("js:express@5", "sendfile", "express res.sendFile", 1.12),
        ];
        for (label, name, question, wanted) in rows {
            let found = naming(Some(label), &block("function", name, 9), question);
            assert!((found - wanted).abs() < 1e-9, "{name}, {question}: {found}");
        }
        assert!((naming(None, &block("section", "x.jsonify", 9), "jsonify") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_name_of_a_package_is_not_looked_for_in_it() {
        let rows = [
            ("py:werkzeug@3", "werkzeug Accept", "Accept"),
            ("rust:serde_json@1", "parse with serde-json", "parse with"),
            ("py:flask@3", "flask Flask", "flask Flask"),
            ("py:flask@3", "werkzeug Accept", "werkzeug Accept"),
        ];
        for (label, question, wanted) in rows {
            assert_eq!(inside(Some(label), question), wanted, "{label}");
        }
    }

    #[test]
    fn forms_of_one_file_are_twins() {
        let of = |path: &str| twin(Path::new(path), &block("function", "A.b", 1));
        assert!(of("v3/types.d.ts").is_some() && of("v3/types.d.ts") == of("v3/types.d.cts"));
        assert_ne!(of("v3/types.d.ts"), of("v4/types.d.ts"));
        assert_eq!(of("src/types.rs"), None);
    }

    #[test]
    fn a_package_is_named_by_its_last_name() {
        let rows = [
            ("rust:serde_json@1.0.0", "parse with serde-json", Standing::Named),
            ("js:@ai-sdk/anthropic@1.0.0", "how does anthropic stream", Standing::Named),
            ("go:github.com/gin-gonic/gin@v1", "gin middleware", Standing::Named),
            ("java:com.google.guava:guava@33", "Guava cache", Standing::Named),
            ("rust:serde@1.0.0", "serde_json value", Standing::Direct),
        ];
        for (label, question, wanted) in rows {
            assert_eq!(Standing::of(label, Direct::Yes, question), wanted, "{label}");
        }
        assert_eq!(Standing::of("rust:log@0.4", Direct::No, "catalog"), Standing::Indirect);
    }
}
