//! How much a block counts by where it stands: what shows how something is used above what is inside of it.

use std::path::Path;
use toolpost_workspace::dependencies::Direct;

/// Directories of what shows how something is used.
const SHOWING: [&str; 8] = ["examples", "example", "samples", "demo", "demos", "docs", "doc", "cookbook"];
/// Directories of what nobody outside should use.
const INSIDE: [&str; 4] = ["internal", "internals", "private", "benches"];
/// The beginnings of names of files that tell nothing of use.
const BESIDE: [&str; 7] =
    ["changelog", "changes", "history", "license", "licence", "copying", "contributing"];

/// How the packages stand to the project and to the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Standing {
    /// The question names it.
    Named,
    /// The project names it.
    Direct,
    /// Another package does.
    Indirect,
    /// It is the project itself.
    Own,
}

impl Standing {
    /// Tells how a package stands to a question.
    pub(super) fn of(label: &str, direct: Direct, question: &str) -> Self {
        if is_named(label, question) {
            return Self::Named;
        }
        match direct {
            Direct::Yes => Self::Direct,
            Direct::No => Self::Indirect,
        }
    }

    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Named => 1.3,
            Self::Direct => 1.0,
            Self::Indirect => 0.85,
            Self::Own => 0.8,
        }
    }
}

/// Gives the name of a package, as `serde` of `rust:serde@1.0.228`.
pub(super) fn bare(label: &str) -> &str {
    let name = label.split_once(':').map_or(label, |(_, name)| name);
    match name.rsplit_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name,
    }
}

/// Tells whether a question holds the name of a package, as `serde` of `rust:serde@1.0.228`.
pub(super) fn is_named(label: &str, question: &str) -> bool {
    let name = bare(label);
    let alike = |word: &str| word.to_lowercase().replace('_', "-");
    let last = alike(name.rsplit(['/', ':']).next().unwrap_or(name));
    let words =
        question.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')));
    last.len() > 1 && words.map(alike).any(|word| word == last)
}

/// Tells how much a block counts by its file, below the package, and by what it is.
pub(super) fn place(path: &Path, kind: &str) -> f64 {
    let path = path.to_string_lossy().to_lowercase();
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let above = |names: &[&str]| directory.split('/').any(|part| names.contains(&part));
    let text = [".md", ".mdx", ".rst", ".txt", ".adoc"].iter().any(|end| name.ends_with(end));
    let data = [".json", ".toml", ".yaml", ".yml", ".lock", ".map", ".csv", ".svg"];
    match () {
        () if BESIDE.iter().any(|begin| name.starts_with(begin)) => 0.4,
        () if name.contains(".min.") || name.contains(".bundle.") || name.ends_with(".map") => 0.3,
        () if name.starts_with("readme") => 1.2,
        () if data.iter().any(|end| name.ends_with(end)) => 0.5,
        () if above(&SHOWING) => 1.25,
        () if text => 1.1,
        () if name.ends_with(".d.ts") || name.ends_with(".pyi") => 1.2,
        () if above(&INSIDE) || name.starts_with('_') && !name.starts_with("__init__") => 0.85,
        () if kind == "lines" => 0.9,
        () => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{Standing, place};
    use std::path::Path;
    use toolpost_workspace::dependencies::Direct;

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
        let weights: Vec<f64> = order.iter().map(|(path, kind)| place(Path::new(path), kind)).collect();
        assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
        assert!(place(Path::new("index.d.ts"), "function") > place(Path::new("index.js"), "function"));
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
