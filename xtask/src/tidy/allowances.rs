//! Checks that silenced lints state a reason.

use super::{Finding, rust};
use crate::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|file| in_file(&file.path, &file.text)).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Finding> {
    let code = rust::scan(text).code;
    let mut findings = Vec::new();
    for (word, is_allow) in [("allow", true), ("expect", false)] {
        for open in [format!("#[{word}("), format!("#![{word}(")] {
            for (at, _) in code.match_indices(&open) {
                let attribute = &code[at..code[at..].find(']').map_or(code.len(), |end| at + end)];
                let has_reason = rust::word(attribute, "reason").is_some();
                let Some((what, next)) = wrong(is_allow, has_reason) else { continue };
                findings.push(Finding {
                    path: path.to_owned(),
                    line: code[..at].matches('\n').count() + 1,
                    what: what.to_owned(),
                    why: "an exception whose reason is not written down stays after the reason is gone",
                    next,
                });
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn wrong(is_allow: bool, has_reason: bool) -> Option<(&'static str, &'static str)> {
    match (is_allow, has_reason) {
        (true, false) => {
            Some(("a lint is allowed without a reason", "write #[expect(lint, reason = \"…\")]"))
        }
        (false, false) => Some(("a lint is expected without a reason", "add reason = \"…\"")),
        (_, true) => None,
    }
}
