//! The instructions of a server: those of its dialects, within the length that clients show.

/// The most bytes of instructions that clients show; some truncate the rest without notice.
const MOST: usize = 2_048;
/// The most bytes for the list of roots.
const ROOTS: usize = 512;

/// Joins the instructions of the dialects, and the roots if there are several. If the total is too long, the dialects
/// take turns to keep one more of their first sentences while there is room.
pub(crate) fn joined(dialects: &[&str], roots: &[String]) -> String {
    let roots = rooted(roots);
    let mut room = MOST - roots.len();
    let mut parts: Vec<(Vec<&str>, usize)> = dialects.iter().map(|words| (sentences(words), 0)).collect();
    let most = parts.iter().map(|(sentences, _)| sentences.len()).max().unwrap_or(0);
    for turn in 0..most {
        for (sentences, kept) in &mut parts {
            // A space or a line break follows each sentence.
            if *kept == turn && sentences.get(turn).is_some_and(|next| next.len() < room) {
                room -= sentences[turn].len() + 1;
                *kept += 1;
            }
        }
    }
    let words =
        parts.iter().filter(|(_, kept)| *kept > 0).map(|(sentences, kept)| sentences[..*kept].join(" "));
    words.collect::<Vec<_>>().join("\n") + &roots
}

/// Returns the instructions of a dialect without the sentences that name a tool that is not served.
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
            "\nThe workspace has several roots: {first}, where relative paths begin, and {others}. A search covers one root; name \
             another by its path."
        )
    };
    let named = with(&others.join(", "));
    if named.len() <= ROOTS { named } else { shortened(&with(&format!("{} more", others.len()))) }
}

/// Omits the middle of a text that is too long.
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
    fn what_fits_is_whole() {
        let roots = ["/a".to_owned(), "/b".to_owned()];
        assert_eq!(joined(&["One. Two.", "Three."], &[]), "One. Two.\nThree.");
        assert_eq!(joined(&["One."], &roots[..1]), "One.");
        assert_eq!(
            joined(&["One."], &roots),
            "One.\nThe workspace has several roots: /a, where relative paths begin, and /b. A search covers one root; name \
             another by its path."
        );
    }

    #[test]
    fn each_keeps_its_first_sentences_when_there_is_no_room_for_all() {
        let long = format!("First. {}Last.", "Middle of it. ".repeat(200));
        let roots: Vec<String> = (0..100).map(|number| format!("/root-é-{number}")).collect();
        for roots in [&roots[..], &[], &["é".repeat(2_000), "/b".to_owned()]] {
            let said = joined(&[&long, &long, "Short."], roots);
            assert!(said.len() <= MOST, "{}", said.len());
            let lines: Vec<&str> = said.lines().collect();
            assert!(lines[0].starts_with("First. Middle") && lines[0].ends_with("of it."), "{said}");
            assert!(lines[1].starts_with("First. Middle") && lines[1].ends_with("of it."), "{said}");
            assert_eq!(lines[2], "Short.", "{said}");
        }
    }
}
