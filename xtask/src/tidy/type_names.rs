//! Counts types whose name is a verb, an adjective, a pronoun, a metaphor or another word that does not name the
//! thing; the count of a file may only fall.

use super::{Finding, counts, rust};
use crate::tree::{Source, Tree};

/// The file with the allowed number of such types in each file: `COUNT PATH` per line, sorted by path.
pub const BASELINE: &str = "xtask/type-names.txt";

/// Words that are not names of types, sorted. A name that only contains one of them is allowed.
const WORDS: &str = "\
    Accepted Across Alike Among Answered Around Ask Asked Asking Asks At Been Before Begins Beneath Best \
    Both Breaks Broken Built Came Changed Changing Chosen Closes Closing Come Confined Covers Described \
    Do Does Done Doubts Elsewhere Ended Ends Expected Explored Failed Few Finished Found From Gave Given \
    Gives Gone Good Got Ground Had Has Hear Heard Hearsay Held Here Holds Hope Hoped House How Keep \
    Keeps Kept Knew Knows Left Lent Look Looked Looks Lost Made Makes Many Mapped May Meant More Most \
    Named Near Now Obey Odd Of Once Only Opened Opens Otherwise Ours Own Passed Perhaps Place Put Puts \
    Ranked Refused Reported Resolved Running Said Sat Say Says Searched Seat Seen Sees Sent Separates \
    Several Show Shown Shows Since Some Sought Staged Stand Stands Stood Sure Take Taken Takes Tell \
    Tells That Their Theirs Then There These This Those Told Tongue Took Trusted Trusts Unclear \
    Uncompiled Unfinished Unreachable Unserved Until Used Waiting Walked Want Wanted Wants Was Went Were \
    What When Where Which Who Whole Whose Why Wish Would Wrong Yet";

/// The declaration of a type: its line, counted from 1, and its name.
struct Declaration {
    line: usize,
    name: String,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let allowed = tree.file(BASELINE).map(|file| counts::parse(&file.text)).unwrap_or_default();
    let mut findings = Vec::new();
    for file in tree.rust() {
        let declarations = declarations(file);
        let limit = allowed.get(file.path.as_str()).copied().unwrap_or(0);
        if declarations.len() > limit {
            findings.extend(declarations.last().map(|last| finding(file, last, declarations.len(), limit)));
        }
    }
    findings
}

/// Returns new content for `BASELINE`: the current count of each file, but not more than the allowed count.
#[must_use]
pub fn ratchet(tree: &Tree) -> String {
    counts::lowered(
        tree.file(BASELINE),
        tree.rust().map(|file| (file.path.as_str(), declarations(file).len())),
    )
}

/// Returns the declarations in a file with one of the `WORDS` as the name. Associated types are not counted: the
/// trait that declares them can be a foreign one.
fn declarations(file: &Source) -> Vec<Declaration> {
    let code = rust::scan(&file.text).code;
    let named = code.lines().enumerate().filter_map(|(at, line)| {
        let name = declared(line)?;
        WORDS.split(' ').any(|word| word == name).then(|| Declaration { line: at + 1, name: name.to_owned() })
    });
    named.collect()
}

/// Returns the name of the type that a line of code declares.
fn declared(line: &str) -> Option<&str> {
    let words = line.trim_start();
    let words = match words.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1,
        Some(rest) if rest.starts_with(' ') => rest,
        _ => words,
    };
    let (keyword, rest) = words.trim_start().split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let end = rest.find(|letter| !rust::is_name(letter)).unwrap_or(rest.len());
    is_type.then_some(&rest[..end])
}

fn finding(file: &Source, last: &Declaration, count: usize, limit: usize) -> Finding {
    Finding {
        path: file.path.clone(),
        line: last.line,
        what: format!(
            "types whose name is not a noun: {count} (allowed here: {limit}); the last one is `{}`",
            last.name
        ),
        why: "a reader searches for the thing that a type holds; docs/style.md has the rule",
        next: "name the thing, such as `SandboxPlan`; after you renamed some, run `cargo xtask tidy --ratchet`",
    }
}
