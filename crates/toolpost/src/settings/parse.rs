//! Parsers of setting values, with their errors.

use std::{error, fmt::Write as _, time::Duration};

/// Result of parsing a value; the error is a phrase such as "the value must be more than 0", shown after the name of
/// the setting.
pub type ParseResult<T> = Result<T, Box<dyn error::Error + Send + Sync>>;

/// Value that disables the external agent.
pub const NO_AGENT: &str = "none";

/// Smallest reply limit, in bytes; a shorter reply would have no room for the note that it was truncated.
const LEAST_REPLY: usize = 2_048;

/// Maximum length of a session name, in characters.
const LONGEST_NAME: usize = 64;

/// Checks a session name, which becomes part of a file name.
pub(super) fn session(name: &str) -> ParseResult<String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.len() > LONGEST_NAME
        || !name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        || !name.chars().all(fits)
    {
        return Err(format!(
            "invalid session name `{}`: use 1 to {LONGEST_NAME} letters, digits and . _ -, and begin with a letter or digit",
            name.escape_debug()
        )
        .into());
    }
    Ok(name.to_owned())
}

/// Names of the providers of models.
pub(crate) const PROVIDERS: [&str; 5] = ["openai", "responses", "anthropic", "gemini", "ollama"];

/// Checks the name of a provider.
pub(super) fn provider(name: &str) -> ParseResult<String> {
    if !PROVIDERS.contains(&name) {
        return Err(format!("unknown provider `{name}`; the providers are {}", PROVIDERS.join(", ")).into());
    }
    Ok(name.to_owned())
}

/// Checks the limit of a reply, in bytes.
pub(super) fn reply_bytes(bytes: usize) -> ParseResult<usize> {
    if bytes < LEAST_REPLY {
        return Err(format!("the reply limit must be at least {LEAST_REPLY} bytes").into());
    }
    Ok(bytes)
}

/// Checks the deadline of a call, in seconds.
pub(super) fn deadline(seconds: f64) -> ParseResult<Duration> {
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err("a deadline must be more than 0 and at most 86400 seconds".into());
    }
    Ok(Duration::try_from_secs_f64(seconds)?)
}

/// Checks the maximum time without any data from a model, in seconds.
pub(super) fn idle(seconds: f64) -> ParseResult<f64> {
    if !(seconds > 0.0 && seconds <= 3_600.0) {
        return Err("the value must be more than 0 and at most 3600 seconds".into());
    }
    Ok(seconds)
}

/// Checks a limit that cannot be zero.
pub(super) fn positive(number: u64) -> ParseResult<u64> {
    if number == 0 {
        return Err("the value must be more than 0".into());
    }
    Ok(number)
}

/// Splits a command at blanks outside quotes. A backslash outside single quotes makes the next character literal;
/// nothing is expanded.
pub(super) fn words(text: &str) -> ParseResult<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => return Err(format!("unclosed {letter}").into()),
                        Some(other) if other == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(other) => write!(word, "{other}")?,
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn command_settings_are_split_like_a_shell_does() {
        let rows: [(&str, &[&str]); 6] = [
            ("opencode acp", &["opencode", "acp"]),
            ("  a  'b c' \"d \\\" e\" ", &["a", "b c", "d \" e"]),
            ("a\\ b ''", &["a b", ""]),
            ("x'y'z", &["xyz"]),
            ("echo $HOME *", &["echo", "$HOME", "*"]),
            ("", &[]),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(words(text).unwrap(), wanted, "{text}");
        });
        assert_eq!(words("a 'b").unwrap_err().to_string(), "unclosed '");
    }
}
