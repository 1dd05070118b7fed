//! Checks that no text joins a number with "more" and a plural noun, which is wrong for the number 1.

use super::Finding;
use crate::tree::{Source, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let ours = |file: &&Source| file.path.starts_with("crates/") && file.path.contains("/src/");
    tree.rust().filter(ours).filter(|file| !file.is_test()).flat_map(in_file).collect()
}

fn in_file(file: &Source) -> Vec<Finding> {
    let tests = file.text.find("#[cfg(test)]").unwrap_or(file.text.len());
    let lines = file.text[..tests].lines().enumerate();
    let wrong = lines.filter(|(_, line)| !line.trim_start().starts_with("//") && joins(line));
    wrong.map(|(at, _)| finding(&file.path, at + 1)).collect()
}

/// Returns whether a line holds a placeholder, "more" and a noun that ends in "s".
fn joins(line: &str) -> bool {
    line.match_indices("} more ").any(|(at, sign)| {
        let noun: String = line[at + sign.len()..].chars().take_while(char::is_ascii_alphabetic).collect();
        noun.len() > 1 && noun.ends_with('s')
    })
}

fn finding(path: &str, line: usize) -> Finding {
    Finding {
        path: path.to_owned(),
        line,
        what: "a number is joined with a plural noun".to_owned(),
        why: "a reply that says `1 more lines` looks careless, and tests rarely cover the case of one",
        next: "use `toolpost_text::plural::counted(count, \"more line\")`",
    }
}

#[cfg(test)]
mod tests {
    use super::joins;
    use toolpost_test_rows::each;

    #[test]
    fn interpolated_numbers_before_more_and_a_noun_are_reported() {
        each(
            [
                ("format!(\"{more} more lines\")", true),
                ("format!(\"({} more bytes)\", left)", true),
                ("format!(\"{more} more\")", false),
                ("format!(\"{} more of it\", left)", false),
                ("counted(left, \"more line\")", false),
            ],
            |(line, wanted)| {
                assert_eq!(joins(line), wanted, "{line}");
            },
        );
    }
}
