//! Checks that lines do not end with blanks, that Rust has no tabs, and that files end with one line break.

use super::{Finding, rust};
use crate::tree::{Source, Tree};

/// The extensions of the checked files.
const ENDINGS: [&str; 11] = ["rs", "toml", "md", "sh", "py", "js", "mjs", "ts", "yml", "yaml", "json"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let ours = |file: &&Source| ENDINGS.iter().any(|ending| file.path.ends_with(&format!(".{ending}")));
    tree.files().filter(ours).filter(|file| !file.is_data()).flat_map(in_file).collect()
}

fn in_file(file: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let text = if file.is_rust() { rust::scan(&file.text).code } else { file.text.clone() };
    // Trailing blanks are allowed in tool pages and in the generated reference, because these quote whole replies,
    // to which the blanks may belong.
    let folders = ["crates/dialects/", "docs/reference/"];
    let is_page = folders.iter().any(|folder| file.path.starts_with(folder)) && file.path.ends_with(".md");
    let mask_hides_comments = file.text.lines().zip(text.lines());
    for (at, (line, masked)) in mask_hides_comments.enumerate() {
        let blank = line.ends_with([' ', '\t', '\r']) && !masked.ends_with('"');
        if blank && !is_page {
            findings.push(finding(file, at + 1, "trailing blanks", "remove them"));
        }
        if file.is_rust() && masked.contains('\t') {
            findings.push(finding(file, at + 1, "a tab", "indent with spaces; in a string, write \\t"));
        }
    }
    if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
        let last = file.text.lines().count();
        findings.push(finding(
            file,
            last,
            "the file does not end with one line break",
            "end the file with exactly one line break",
        ));
    }
    findings
}

fn finding(file: &Source, line: usize, what: &str, next: &'static str) -> Finding {
    let why = "an invisible difference still causes conflicts when branches are merged";
    Finding { path: file.path.clone(), line, what: what.to_owned(), why, next }
}
