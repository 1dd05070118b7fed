//! The instructions of a server to the model: those of its dialects, within the length that clients show.

use toolpost_text::budget::ByteBudget;

/// Maximum size of a server's instructions, in bytes; some clients truncate longer ones without notice.
const MOST: usize = 2_048;
/// Maximum size of the list of roots in the instructions, in bytes.
const ROOTS: usize = 512;

/// Joins the instructions of the dialects, and lists the roots if there are several. If all this is too long,
/// each dialect contributes about the same number of sentences from its beginning.
pub(crate) fn joined(dialects: &[&str], roots: &[String]) -> String {
    let roots = rooted(roots);
    let mut budget = ByteBudget::reserving(MOST, roots.len());
    let mut parts: Vec<(Vec<&str>, usize)> = dialects.iter().map(|words| (sentences(words), 0)).collect();
    let most = parts.iter().map(|(sentences, _)| sentences.len()).max().unwrap_or(0);
    for turn in 0..most {
        for (sentences, kept) in &mut parts {
            // The space or the line break after each sentence takes one byte. A sentence that is too long ends only its
            // own dialect.
            let size = sentences.get(turn).map(|next| next.len() + 1);
            if *kept == turn && size.is_some_and(|size| size <= budget.left() && budget.takes(size)) {
                *kept += 1;
            }
        }
    }
    let words =
        parts.iter().filter(|(_, kept)| *kept > 0).map(|(sentences, kept)| sentences[..*kept].join(" "));
    words.collect::<Vec<_>>().join("\n") + &roots
}

/// Returns the instructions of a dialect, except the sentences that name a tool which is not published.
pub(crate) fn without(words: &str, missing: &[&str]) -> String {
    let is_of_a_word = |character: char| character.is_alphanumeric() || character == '_';
    let names_missing = |sentence: &str| {
        sentence.split(|character| !is_of_a_word(character)).any(|word| missing.contains(&word))
    };
    let kept: Vec<&str> = sentences(words).into_iter().filter(|sentence| !names_missing(sentence)).collect();
    kept.join(" ")
}

/// Splits a text into sentences.
fn sentences(words: &str) -> Vec<&str> {
    let mut rest = words;
    let mut sentences = Vec::new();
    while let Some(end) = rest.find(". ") {
        sentences.push(&rest[..=end]);
        rest = &rest[end + 2..];
    }
    if !rest.is_empty() {
        sentences.push(rest);
    }
    sentences
}

fn rooted(roots: &[String]) -> String {
    let [first, others @ ..] = roots else { return String::new() };
    if others.is_empty() {
        return String::new();
    }
    let with = |others: &str| {
        format!(
            "\nThe workspace has several roots: {first}, where relative paths begin, and {others}. A search \
             covers one root; to search another, pass its path."
        )
    };
    let named = with(&others.join(", "));
    if named.len() <= ROOTS { named } else { shortened(&with(&format!("{} more", others.len()))) }
}

/// Omits the middle of the list of roots if it is too long.
fn shortened(words: &str) -> String {
    if words.len() <= ROOTS {
        return words.to_owned();
    }
    let half = ROOTS / 2 - 2;
    let head = words.floor_char_boundary(half);
    let tail = words.ceil_char_boundary(words.len() - half);
    format!("{}…{}", &words[..head], &words[tail..])
}

#[cfg(test)]
mod tests {
    use super::{MOST, joined, without};

    #[test]
    fn sentences_about_tools_that_are_not_served_are_left_out() {
        let words =
            "Tools for files. grep finds lines. bash runs commands. Look at readme. An edit returns a diff.";
        assert_eq!(without(words, &[]), words);
        assert_eq!(
            without(words, &["grep", "read", "edit"]),
            "Tools for files. bash runs commands. Look at readme."
        );
        assert_eq!(without(words, &["grep", "bash", "edit"]), "Tools for files. Look at readme.");
    }

    #[test]
    fn short_instructions_are_complete() {
        let roots = ["/a".to_owned(), "/b".to_owned()];
        assert_eq!(joined(&["One. Two.", "Three."], &[]), "One. Two.\nThree.");
        assert_eq!(joined(&["One."], &roots[..1]), "One.");
        assert_eq!(
            joined(&["One."], &roots),
            "One.\nThe workspace has several roots: /a, where relative paths begin, and /b. A search covers \
             one root; to search another, pass its path."
        );
    }

    #[test]
    fn long_instructions_keep_the_first_sentences_of_each_dialect() {
        let long = format!("First. {}Last.", "Middle of it. ".repeat(200));
        let roots: Vec<String> = (0..100).map(|number| format!("/root-é-{number}")).collect();
        for roots in [&roots[..], &[], &["é".repeat(2_000), "/b".to_owned()]] {
            let text = joined(&[&long, &long, "Short."], roots);
            assert!(text.len() <= MOST, "{}", text.len());
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines[0].starts_with("First. Middle") && lines[0].ends_with("of it."), "{text}");
            assert!(lines[1].starts_with("First. Middle") && lines[1].ends_with("of it."), "{text}");
            assert_eq!(lines[2], "Short.", "{text}");
        }
    }
}
