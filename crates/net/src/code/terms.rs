//! Extraction of keywords from a question, for search services that require every keyword in a file.

/// Stop words: words of a question that are not searched for.
const ASKING: [&str; 44] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "code", "do", "does", "example", "examples",
    "for", "from", "get", "how", "i", "in", "into", "is", "it", "library", "make", "my", "of", "on", "or",
    "show", "that", "the", "this", "to", "usage", "use", "used", "using", "way", "what", "when", "where",
    "which", "with",
];
/// Maximum number of keywords that are ordinary words and not identifiers. A file must contain every keyword, so each
/// further keyword excludes more files.
const PLAIN: usize = 3;
/// Maximum number of keywords.
const MOST: usize = 6;

/// Selects the keywords of a question, at most `longest` bytes. A question in the query syntax of the service, or
/// without keywords, is only truncated.
pub(super) fn terms(question: &str, longest: usize) -> String {
    let question = question.trim();
    let spoken = question.contains('"') || question.split_whitespace().any(is_filter);
    if spoken {
        return question[..question.floor_char_boundary(longest)].to_owned();
    }
    let edge = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '@' | '#' | '$'));
    let words =
        question.split_whitespace().map(|word| word.trim_matches(edge)).filter(|word| !word.is_empty());
    let (mut picked, mut plain): (Vec<&str>, usize) = (Vec::new(), 0);
    for word in words {
        let known = picked.iter().any(|known| known.eq_ignore_ascii_case(word));
        if known || picked.len() == MOST || ASKING.contains(&word.to_lowercase().as_str()) {
            continue;
        }
        if !is_name(word) {
            plain += 1;
        }
        if is_name(word) || plain <= PLAIN {
            picked.push(word);
        }
    }
    let words = if picked.is_empty() { question.to_owned() } else { picked.join(" ") };
    words[..words.floor_char_boundary(longest)].to_owned()
}

/// Returns whether a word is a search filter such as `lang:rust`; `std::fmt` is not one.
fn is_filter(word: &str) -> bool {
    let Some((name, rest)) = word.trim_start_matches('-').split_once(':') else { return false };
    !rest.is_empty()
        && !rest.starts_with([':', '/'])
        && name.len() > 1
        && name.chars().all(|letter| letter.is_ascii_lowercase())
}

/// Returns whether a word looks like an identifier in code.
fn is_name(word: &str) -> bool {
    let inner = word.chars().skip(1);
    word.contains(['_', '.', ':', '/', '@', '#', '$', '('])
        || inner.clone().any(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::terms;
    use toolpost_test_rows::each;

    #[test]
    fn questions_are_reduced_to_keywords() {
        let rows = [
            ("how to deserialize an enum with serde?", "deserialize enum serde"),
            ("How do I use tokio::select! with a CancellationToken", "tokio::select CancellationToken"),
            ("retry a failed http request in reqwest with backoff", "retry failed http"),
            ("lang:rust retry how", "lang:rust retry how"),
            ("\"how to\" do it", "\"how to\" do it"),
            ("how to", "how to"),
            ("a b_c d.e F2 gG h:i/j", "b_c d.e F2 gG h:i/j"),
            ("é é É", "é É"),
        ];
        each(rows, |(question, wanted)| {
            assert_eq!(terms(question, 200), wanted, "{question}");
        });
        assert_eq!(terms("ééé", 3), "é");
    }
}
