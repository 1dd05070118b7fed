//! Compares a package's description and keywords with a question.

use crate::{files::Files, search::parse::terms};
use toolpost_workspace::{WorkspacePath, walk::found_below};

/// The manifests that may describe a package.
const MANIFESTS: [&[u8]; 2] = [b"Cargo.toml", b"package.json"];
/// The keys of a manifest that describe the purpose of a package.
const KEYS: [&str; 3] = ["description", "keywords", "categories"];
/// The maximum size of a manifest that is read, in bytes.
const MOST: u64 = 256 << 10;
/// The maximum size of the value of a key in a manifest, in bytes; the rest is ignored.
const VALUE: usize = 600;
/// Terms of questions that do not describe the purpose of a package.
const PLAIN: [&str; 18] = [
    "rust",
    "python",
    "javascript",
    "typescript",
    "js",
    "ts",
    "go",
    "golang",
    "java",
    "node",
    "example",
    "examples",
    "sample",
    "usage",
    "library",
    "crate",
    "package",
    "module",
];

/// Lists the terms of a question that may describe the purpose of a package.
pub(in crate::search) fn words(question: &str) -> Vec<String> {
    let all = terms::words(question);
    all.into_iter().filter(|word| !PLAIN.contains(&word.as_str())).collect()
}

/// Returns the share of the terms, from 0 to 1, that occur in the description, keywords or categories of a
/// package; 0 if the package has no manifest.
pub(in crate::search) fn share(files: &Files, package: &WorkspacePath, words: &[String]) -> f64 {
    let text = MANIFESTS.iter().find_map(|name| {
        let path = found_below(package, name)?;
        let read = files.workspace().read(&path, MOST).ok()?;
        String::from_utf8(read.bytes).ok()
    });
    text.map_or(0.0, |text| held(&text, words))
}

fn held(manifest: &str, words: &[String]) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let purpose = KEYS.iter().filter_map(|key| value(manifest, key)).collect::<Vec<_>>().join(" ");
    let known: Vec<String> = purpose
        .split(|letter: char| !letter.is_alphanumeric())
        .map(|word| singular(&word.to_lowercase()).to_owned())
        .collect();
    let count = words.iter().filter(|word| known.iter().any(|own| own == singular(word))).count();
    count as f64 / words.len() as f64
}

/// Returns the text of a key's value in a manifest, up to the end of the list, the line, or the multi-line string, and
/// at most `VALUE` bytes.
fn value<'t>(manifest: &'t str, key: &str) -> Option<&'t str> {
    let mut at = 0;
    let line = manifest.split_inclusive('\n').find_map(|line| {
        let from = at;
        at += line.len();
        let rest = line.trim_start().trim_start_matches('"').strip_prefix(key)?;
        let rest = rest.trim_start_matches('"').trim_start();
        rest.starts_with(['=', ':']).then_some(from + line.len() - rest.len())
    })?;
    let rest = manifest[line..].trim_start_matches(['=', ':', ' ']);
    let end = if rest.starts_with('[') {
        rest.find(']')
    } else if let Some(inside) = rest.strip_prefix("\"\"\"") {
        inside.find("\"\"\"").map(|end| end + 3)
    } else {
        rest.find('\n')
    };
    let end = end.unwrap_or(rest.len()).min(VALUE);
    Some(&rest[..rest.floor_char_boundary(end)])
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::{held, words};
    use toolpost_test_rows::each;

    #[test]
    fn package_purpose_is_scored_from_its_manifest() {
        let query_words = words("example code for HTTP requests in Rust");
        assert_eq!(query_words, ["http", "requests"]);
        let rows = [
            (
                "[package]\ndescription = \"higher level HTTP client library\"\nkeywords = [\n    \"http\",\n    \"request\",\n]\n",
                1.0,
            ),
            (
                "[package]\nname = \"hyper\"\ndescription = \"A protective and efficient HTTP library for all.\"\n",
                0.5,
            ),
            ("[package]\ndescription = \"\"\"\nSends requests\nover http\n\"\"\"\nlicense = \"MIT\"\n", 1.0),
            (
                "{\n  \"name\": \"got\",\n  \"description\": \"Human-friendly HTTP request library\",\n  \"main\": \"x\"\n}",
                1.0,
            ),
            ("[package]\ndescription = \"Derives\"\n\n[dependencies]\nhttp = \"1\"\n", 0.0),
            ("", 0.0),
        ];
        each(rows, |(manifest, wanted)| {
            assert!(
                (held(manifest, &query_words) - wanted).abs() < 1e-9,
                "{manifest}: {}",
                held(manifest, &query_words)
            );
        });
        assert!(held("description = \"x\"", &[]).abs() < 1e-9);
    }
}
