//! Weights of blocks by location and name: examples and documents count more than code that a package uses only
//! internally.

use std::path::Path;
use toolpost_packages::Directness;
use toolpost_ranked::{Block, BlockKind};
use toolpost_syntax::Kind;

/// Directories of examples and documents, whose blocks get a higher weight.
const SHOWING: [&str; 8] = ["examples", "example", "samples", "demo", "demos", "docs", "doc", "cookbook"];
/// Directories of tests. They use the package's API, but not as an application does, so their blocks get a lower
/// weight.
const TESTS: [&str; 6] = ["tests", "test", "__tests__", "spec", "testing", "ui"];
/// Directories of copies of other packages, whose blocks get a lower weight.
const OTHERS: [&str; 5] = ["_vendor", "_vendored", "vendor", "third_party", "node_modules"];
/// File extensions of data, which gets a lower weight.
const DATA: [&str; 9] = [".json", ".toml", ".yaml", ".yml", ".lock", ".map", ".csv", ".svg", ".xml"];
/// File extensions of documents, which get a higher weight.
const TEXTS: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];
/// File extensions of C, assembly and JavaScript code. Most packages in other languages use such code only internally,
/// so it gets a lower weight there.
const FOREIGN: [&str; 6] = [".c", ".h", ".cc", ".cpp", ".s", ".js"];
/// File extensions of the variants in which a package contains the same code, such as type declarations.
const FORMS: [&str; 6] = [".d.ts", ".d.cts", ".d.mts", ".js", ".cjs", ".mjs"];
/// The maximum number of lines of a block that counts as an import or a bare declaration.
const BARE: u32 = 3;
/// Tools that build and install packages, present in every environment.
const TOOLING: [&str; 4] = ["py:pip@", "py:setuptools@", "py:wheel@", "py:uv@"];
/// Directories of internal code, which gets a lower weight.
const INSIDE: [&str; 4] = ["internal", "internals", "private", "benches"];
/// The beginnings of the names of files and sections that do not show how to use a package, and so get a lower
/// weight.
const BESIDE: [&str; 7] =
    ["changelog", "changes", "history", "license", "licence", "copying", "contributing"];

/// The relation of a package to the project and to the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) enum PackageRelation {
    /// A package that the question names.
    Named,
    /// A direct dependency of the project.
    Direct,
    /// A dependency of another dependency.
    Indirect,
    /// A tool that is installed in every environment, such as `pip`.
    Tooling,
    /// The project itself.
    Own,
}

impl PackageRelation {
    /// Returns the relation of a package to the project and to the question.
    pub(in crate::search) fn of(label: &str, direct: Directness, question: &str) -> Self {
        if is_named(label, question) {
            return Self::Named;
        }
        match direct {
            Directness::Yes => Self::Direct,
            Directness::No if TOOLING.iter().any(|begin| label.starts_with(begin)) => Self::Tooling,
            Directness::No => Self::Indirect,
        }
    }

    pub(in crate::search) fn weight(self) -> f64 {
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
pub(in crate::search) fn bare(label: &str) -> &str {
    let name = label.split_once(':').map_or(label, |(_, name)| name);
    match name.rsplit_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name,
    }
}

/// Returns true if a question contains the last part of a package's name, for example `gin` for
/// `go:github.com/gin-gonic/gin@v1`. Names of one letter never count.
pub(in crate::search) fn is_named(label: &str, question: &str) -> bool {
    let name = bare(label);
    let alike = |word: &str| word.to_lowercase().replace('_', "-");
    let last = alike(name.rsplit(['/', ':']).next().unwrap_or(name));
    let words =
        question.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')));
    last.len() > 1 && words.map(alike).any(|word| word == last)
}

/// Removes the name of the package from a question, because the name occurs everywhere in the package.
/// Returns the whole question if no other words are left, or if there is no package.
pub(in crate::search) fn inside(label: Option<&str>, question: &str) -> String {
    let Some(label) = label else { return question.to_owned() };
    let rest: Vec<&str> = question.split_whitespace().filter(|word| !is_named(label, word)).collect();
    if rest.is_empty() { question.to_owned() } else { rest.join(" ") }
}

/// Returns the factor for a block's score by its file path in the package, and by its kind, name and size.
pub(in crate::search) fn place(label: Option<&str>, path: &Path, block: &Block) -> f64 {
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
    let what = match block.kind {
        BlockKind::Symbol(Kind::Section) if BESIDE.iter().any(|begin| last.starts_with(begin)) => 0.5,
        // Imports, and declarations whose bodies are elsewhere, contain the terms but show little, so they get a
        // lower factor.
        BlockKind::Lines if lines <= BARE => 0.5,
        BlockKind::Lines => 0.9,
        BlockKind::Symbol(Kind::Impl | Kind::Module) if lines <= BARE && !declared => 0.5,
        BlockKind::Symbol(_) => 1.0,
    };
    file * what
}

/// Returns true for C, assembly and JavaScript files of a package that is neither a JavaScript nor a Java
/// package.
fn is_foreign(label: &str, name: &str) -> bool {
    let own = !label.starts_with("js:") && !label.starts_with("java:");
    own && FOREIGN.iter().any(|end| name.ends_with(end))
}

/// Returns the factor by which a block's score is multiplied if the question contains its name: 1 if it does
/// not, at most 1.6.
pub(in crate::search) fn naming(label: Option<&str>, block: &Block, question: &str) -> f64 {
    if matches!(block.kind, BlockKind::Symbol(Kind::Section | Kind::Key) | BlockKind::Lines)
        || block.name.is_empty()
    {
        return 1.0;
    }
    let package = label.map(bare).map(|name| pieces(name.rsplit(['/', ':']).next().unwrap_or(name)));
    let all = question
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty());
    let (own, mut words): (Vec<&str>, Vec<&str>) =
        all.partition(|word| package.as_ref() == Some(&pieces(word)));
    // If the question consists only of the package's name, a symbol with exactly this name still counts as named.
    if words.is_empty() {
        words.extend(own.into_iter().filter(|word| block.name == *word).take(1));
    }
    let mut names = block.name.split('.').rev();
    let last = names.next().unwrap_or_default();
    let own = pieces(last);
    let said = words.iter().any(|word| word.eq_ignore_ascii_case(last));
    let of_question: Vec<String> = words.iter().flat_map(|word| pieces(word)).collect();
    let wrote = own.len() > 1 && own.iter().all(|piece| of_question.contains(piece));
    let above = names.any(|name| words.iter().any(|word| word.eq_ignore_ascii_case(name)));
    match (said, wrote) {
        // The question contains the exact name, and the name is compound or the only word of the question.
        (true, _) if own.len() > 1 || words.len() == 1 => 1.6,
        (true, _) | (_, true) if above => 1.4,
        (_, true) => 1.25,
        (true, _) => 1.12,
        (false, false) => 1.0,
    }
}

/// Splits a name into words in lower case: `into_inner` and `intoInner` become `into` and `inner`.
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
/// as `.d.ts` and `.d.cts`. `None` if the file has no variants or the block has no name.
pub(in crate::search) fn twin(path: &Path, block: &Block) -> Option<(String, String)> {
    let path = path.to_str()?;
    let stem = FORMS.iter().find_map(|end| path.strip_suffix(end))?;
    (!block.name.is_empty()).then(|| (stem.to_owned(), format!("{} {}", block.kind, block.name)))
}

#[cfg(test)]
mod tests {
    use super::{Block, BlockKind, Kind, PackageRelation, inside, naming, place, twin};
    use std::path::Path;
    use toolpost_packages::Directness;
    use toolpost_test_rows::each;

    #[test]
    fn usage_examples_rank_above_package_internals() {
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
        let kind = Kind::of_name(kind).map_or(BlockKind::Lines, BlockKind::Symbol);
        Block { first: 1, last: lines, kind, name: name.to_owned(), test: false }
    }

    #[test]
    fn symbols_named_in_the_question_rank_higher() {
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
        each(rows, |(label, name, question, wanted)| {
            let found = naming(Some(label), &block("function", name, 9), question);
            assert!((found - wanted).abs() < 1e-9, "{name}, {question}: {found}");
        });
        assert!((naming(None, &block("section", "x.jsonify", 9), "jsonify") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn package_name_is_dropped_from_the_query_inside_the_package() {
        let rows = [
            ("py:werkzeug@3", "werkzeug Accept", "Accept"),
            ("rust:serde_json@1", "parse with serde-json", "parse with"),
            ("py:flask@3", "flask Flask", "flask Flask"),
            ("py:flask@3", "werkzeug Accept", "werkzeug Accept"),
        ];
        each(rows, |(label, question, wanted)| {
            assert_eq!(inside(Some(label), question), wanted, "{label}");
        });
    }

    #[test]
    fn variants_of_a_declaration_file_share_a_twin_key() {
        let of = |path: &str| twin(Path::new(path), &block("function", "A.b", 1));
        assert!(of("v3/types.d.ts").is_some() && of("v3/types.d.ts") == of("v3/types.d.cts"));
        assert_ne!(of("v3/types.d.ts"), of("v4/types.d.ts"));
        assert_eq!(of("src/types.rs"), None);
    }

    #[test]
    fn package_is_matched_by_the_last_part_of_its_name() {
        let rows = [
            ("rust:serde_json@1.0.0", "parse with serde-json", PackageRelation::Named),
            ("js:@ai-sdk/anthropic@1.0.0", "how does anthropic stream", PackageRelation::Named),
            ("go:github.com/gin-gonic/gin@v1", "gin middleware", PackageRelation::Named),
            ("java:com.google.guava:guava@33", "Guava cache", PackageRelation::Named),
            ("rust:serde@1.0.0", "serde_json value", PackageRelation::Direct),
        ];
        each(rows, |(label, question, wanted)| {
            assert_eq!(PackageRelation::of(label, Directness::Yes, question), wanted, "{label}");
        });
        assert_eq!(PackageRelation::of("rust:log@0.4", Directness::No, "catalog"), PackageRelation::Indirect);
    }
}
