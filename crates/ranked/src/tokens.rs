//! Division of a text into words, and of identifiers into parts; both are the tokens of the keyword index.
//!
//! `getUserData`, `get_user_data` and `GetUserData` have the same parts. A position counts the parts before it, so that
//! consecutive words match in any spelling. The whole identifier, in lower case without underscores, is also a token
//! and has the position of its first part.

use std::cell::OnceCell;

use rust_stemmers::{Algorithm, Stemmer};

/// The first character of the stem of a word in the index, which distinguishes it from a word.
pub(crate) const STEM: char = '\u{1}';

/// The first characters of defined names in the index: for the name as written, and for the folded name (lower case, no
/// underscores) if it differs.
pub(crate) const DEFINED: [char; 2] = ['\u{2}', '\u{3}'];

/// Returns whether a token is a stem or a defined name, which patterns such as `word*` must not match.
pub(crate) fn is_marked(term: &str) -> bool {
    term.starts_with(STEM) || term.starts_with(DEFINED)
}

/// The maximum length of a token in bytes; longer ones are truncated.
pub(crate) const LONGEST: usize = 64;
/// The maximum number of parts of an identifier; a word with more parts is probably generated data and is not split.
const PARTS: usize = 12;
/// Words with upper-case letters inside that are not split into parts.
const WHOLE: [&str; 26] = [
    "OAuth",
    "IPv4",
    "IPv6",
    "GraphQL",
    "GitHub",
    "GitLab",
    "MySQL",
    "NoSQL",
    "PostgreSQL",
    "JavaScript",
    "TypeScript",
    "CoffeeScript",
    "WebSocket",
    "WebAssembly",
    "YouTube",
    "LinkedIn",
    "PayPal",
    "DevOps",
    "WiFi",
    "macOS",
    "iOS",
    "iPhone",
    "LaTeX",
    "OpenAI",
    "OpenAPI",
    "VSCode",
];

/// A word: letters, digits and underscores that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    /// The word as written in the text.
    pub(crate) text: &'t str,
    /// The byte offset of the word in the text.
    pub(crate) at: usize,
}

/// The index tokens of a word.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// The parts of the word, folded (in lower case, without underscores).
    pub(crate) parts: Vec<String>,
    /// The whole word, folded; `None` if it has only one part.
    pub(crate) whole: Option<String>,
    /// Set if a token was truncated to the maximum length.
    pub(crate) cut: bool,
}

/// Lists the words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        loop {
            let letter = letter_at(text, at)?;
            if is_word(letter) {
                break;
            }
            at += letter.len_utf8();
        }
        let from = at;
        while let Some(letter) = if at < bytes.len() { letter_at(text, at) } else { None } {
            if !is_word(letter) {
                break;
            }
            at += letter.len_utf8();
        }
        Some(Word { text: &text[from..at], at: from })
    })
}

fn letter_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(*byte as char),
        Some(_) => text[at..].chars().next(),
        None => None,
    }
}

/// Returns whether a character is part of a word.
pub(crate) fn is_word(letter: char) -> bool {
    letter == '_' || if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() }
}

/// Splits a word into its index tokens.
pub(crate) fn tokens(word: &str) -> Tokens {
    let mut out = Tokens::default();
    let whole = folded(word);
    if whole.is_empty() {
        return out;
    }
    let pieces = if word.starts_with(|first: char| first.is_ascii_digit()) || whole.len() > 2 * LONGEST {
        Vec::new()
    } else {
        pieces(word)
    };
    if pieces.len() > PARTS || pieces.len() <= 1 {
        out.cut = whole.len() > LONGEST;
        out.parts.push(shortened(whole));
        return out;
    }
    out.cut = whole.len() > LONGEST;
    out.parts.extend(pieces.into_iter().map(|piece| shortened(folded(piece))));
    out.whole = Some(shortened(whole));
    out
}

/// Folds a word: converts it to lower case and removes underscores.
pub(crate) fn folded(word: &str) -> String {
    if word.is_ascii() {
        let mut out = String::with_capacity(word.len());
        out.extend(word.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase() as char));
        return out;
    }
    let lower = word.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase);
    // The long s is the only letter that folds to s although it is already lower case.
    lower.map(|letter| if letter == 'ſ' { 's' } else { letter }).collect()
}

/// Returns the index tokens of a defined name: as written, and folded if that differs.
pub(crate) fn definition_terms(name: &str) -> impl Iterator<Item = String> + use<> {
    let [exact, alike] = DEFINED;
    let folded = shortened(folded(name));
    let written = shortened(name.to_owned());
    let further = (folded != written && !folded.is_empty()).then(|| format!("{alike}{folded}"));
    std::iter::once(format!("{exact}{written}")).chain(further)
}

/// Truncates a token to the maximum length of index tokens.
pub(crate) fn shortened(mut token: String) -> String {
    if token.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| token.is_char_boundary(*at)).unwrap_or(0);
        token.truncate(end);
    }
    token
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A character of a script without spaces between words, such as Chinese: each is a separate part.
    Sign,
    Under,
}

fn class(letter: char) -> Class {
    match letter {
        '_' => Class::Under,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => Class::Sign,
        other if other.is_uppercase() => Class::Upper,
        other if other.is_numeric() => Class::Digit,
        _ => Class::Lower,
    }
}

/// Splits an identifier into its parts, such as `getUserData` into `get`, `User` and `Data`.
fn pieces(word: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    while from < word.len() {
        let end = from + length(&word[from..]);
        let piece = &word[from..end];
        if piece != "_" {
            out.push(piece);
        }
        from = end;
    }
    out
}

/// Returns the length in bytes of the first part of an identifier.
fn length(word: &str) -> usize {
    let begins = |known: &&&str| word.starts_with(**known) && !word[known.len()..].starts_with(is_small);
    if let Some(known) = WHOLE.iter().find(begins) {
        return known.len();
    }
    let letters: Vec<(usize, char)> = word.char_indices().take(2 * LONGEST + 2).collect();
    let kind = |at: usize| letters.get(at).map(|(_, letter)| class(*letter));
    let end = |at: usize| letters.get(at).map_or(word.len(), |(byte, _)| *byte);
    let run = |from: usize, wanted: Class| (from..).find(|at| kind(*at) != Some(wanted)).unwrap_or(from);
    match kind(0) {
        None => 0,
        Some(Class::Sign | Class::Under) => end(1),
        Some(Class::Digit) => end(run(0, Class::Digit)),
        Some(Class::Lower) => end(run(0, Class::Lower)),
        Some(Class::Upper) => {
            let upper = run(0, Class::Upper);
            let lower = run(upper, Class::Lower);
            let plural = upper >= 2 && lower == upper + 1 && letters[upper].1 == 's';
            if upper == 1 || plural || lower == upper {
                end(lower)
            } else {
                // The last capital of `HTTPServer` begins the next part.
                end(upper - 1)
            }
        }
    }
}

fn is_small(letter: char) -> bool {
    class(letter) == Class::Lower
}

thread_local! {
    static ENGLISH: OnceCell<Stemmer> = const { OnceCell::new() };
}

/// Returns the English stem of a lower-case word; `None` if it equals the word, or if the word has fewer than 3 letters
/// or characters other than a-z.
pub(crate) fn stem(word: &str) -> Option<String> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let stem = ENGLISH
        .with(|english| english.get_or_init(|| Stemmer::create(Algorithm::English)).stem(word).into_owned());
    (stem != word).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::{stem, tokens, words};
    use toolpost_test_rows::each;

    #[test]
    fn identifiers_are_split_at_case_underscores_and_digits() {
        let rows: &[(&str, &[&str], Option<&str>)] = &[
            ("getUserData", &["get", "user", "data"], Some("getuserdata")),
            ("get_user_data", &["get", "user", "data"], Some("getuserdata")),
            ("GetUserData", &["get", "user", "data"], Some("getuserdata")),
            ("GET_USER_DATA", &["get", "user", "data"], Some("getuserdata")),
            ("__init__", &["init"], None),
            ("_private", &["private"], None),
            ("HTTPServer", &["http", "server"], Some("httpserver")),
            ("parseJSON", &["parse", "json"], Some("parsejson")),
            ("parseJSON2", &["parse", "json", "2"], Some("parsejson2")),
            ("XMLHttpRequest", &["xml", "http", "request"], Some("xmlhttprequest")),
            ("allowedIPs", &["allowed", "ips"], Some("allowedips")),
            ("AllowedIPs", &["allowed", "ips"], Some("allowedips")),
            ("allowed_ips", &["allowed", "ips"], Some("allowedips")),
            ("userIDsByName", &["user", "ids", "by", "name"], Some("useridsbyname")),
            ("getIPv4Address", &["get", "ipv4", "address"], Some("getipv4address")),
            ("IPv6", &["ipv6"], None),
            ("OAuth2Token", &["oauth", "2", "token"], Some("oauth2token")),
            ("newGraphQLClient", &["new", "graphql", "client"], Some("newgraphqlclient")),
            ("utf8", &["utf", "8"], Some("utf8")),
            ("base64Encode", &["base", "64", "encode"], Some("base64encode")),
            ("sha256", &["sha", "256"], Some("sha256")),
            ("1024", &["1024"], None),
            ("1_000", &["1000"], None),
            ("0xFF", &["0xff"], None),
            ("2fa", &["2fa"], None),
            ("x", &["x"], None),
            ("A", &["a"], None),
            ("ABC", &["abc"], None),
            ("aB", &["a", "b"], Some("ab")),
            ("größeÄndern", &["größe", "ändern"], Some("größeändern")),
            ("用户登录", &["用", "户", "登", "录"], Some("用户登录")),
            ("a1b2c3d4e5f6a7b8", &["a1b2c3d4e5f6a7b8"], None),
            ("___", &[], None),
        ];
        each(rows, |(word, parts, whole)| {
            let found = tokens(word);
            assert_eq!(
                (found.parts.iter().map(String::as_str).collect::<Vec<_>>(), found.whole.as_deref()),
                (parts.to_vec(), *whole),
                "{word}"
            );
        });
        let long = tokens(&"a".repeat(300));
        assert_eq!((long.parts[0].len(), long.cut), (64, true));
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let found: Vec<(&str, usize)> = words("a.b_c->d(\"é f\")").map(|word| (word.text, word.at)).collect();
        assert_eq!(found, [("a", 0), ("b_c", 2), ("d", 7), ("é", 10), ("f", 13)]);
    }

    #[test]
    fn words_are_reduced_to_their_stems() {
        let rows = [
            ("parsing", Some("pars")),
            ("parse", Some("pars")),
            ("connections", Some("connect")),
            ("connect", None),
            ("is", None),
            ("größen", None),
            ("utf8", None),
        ];
        each(rows, |(word, wanted)| {
            assert_eq!(stem(word).as_deref(), wanted, "{word}");
        });
    }
}
