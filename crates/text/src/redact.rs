//! Redaction of secrets with a known form in log lines.
//!
//! It applies to lines that a program logs about its work, not to contents: recognising a secret is a guess, so it never
//! changes a file or a reply. Secrets without a known form are not found.

use std::borrow::Cow;
use std::ops::Range;

/// The replacement for a secret.
const MASK: &str = "[redacted]";

/// Ends of names whose values are secrets, without `_` and `-`.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
];

/// Names whose values reach to the end of their line: headers with several words.
const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie"];

/// Key prefixes of well-known services.
const PREFIXES: &[&str] = &[
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
];

/// Minimum length of the rest after such a prefix.
const KEY: usize = 16;

/// Minimum length of a token after `Bearer`.
const BEARER: usize = 8;

/// Replaces secrets, which it recognises by their form.
///
/// These are known: values of names such as `password`, `token` and `API_KEY`, in any spelling of a command, a header, a query or
/// JSON; headers that prove who asks; `Bearer` with its token; passwords in addresses; private keys; keys that begin as those of
/// well-known services do.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut at, mut kept) = (0, 0);
    while at < text.len() {
        let (secret, next) = look(text, at);
        if let Some(secret) = secret {
            out.push_str(&text[kept..secret.start]);
            out.push_str(MASK);
            kept = secret.end;
        }
        at = next;
    }
    if kept == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// Returns the secret part of the text that begins here, if any, and the offset at which to continue.
fn look(text: &str, at: usize) -> (Option<Range<usize>>, usize) {
    let rest = &text[at..];
    if rest.starts_with("-----BEGIN ")
        && let Some(secret) = private_key(rest)
    {
        return found(at, secret);
    }
    if rest.starts_with("://") {
        return match password_of_address(rest) {
            Some(secret) => found(at, secret),
            None => (None, at + 3),
        };
    }
    let word = count(rest, is_word);
    if word == 0 {
        let character = rest.chars().next().map_or(1, char::len_utf8);
        return (None, at + character);
    }
    if let Some(secret) = word_of_secret(rest, word) {
        return found(at, secret);
    }
    // Behind a backslash, the first letter may be that of an escape such as `\n`, and the word begins behind it.
    let escape = text[..at].ends_with('\\') && matches!(rest.as_bytes()[0], b'n' | b'r' | b't');
    if escape {
        return (None, at + 1);
    }
    let title = rest[1..word].find("-----BEGIN").map(|title| title + 1);
    (None, at + title.unwrap_or(word))
}

fn word_of_secret(rest: &str, word: usize) -> Option<Range<usize>> {
    known_key(rest).or_else(|| bearer(rest, word)).or_else(|| value(rest, word))
}

fn found(at: usize, secret: Range<usize>) -> (Option<Range<usize>>, usize) {
    let (start, end) = (at + secret.start, at + secret.end);
    (Some(start..end), end)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Counts the bytes at the beginning that are of a kind.
fn count(text: &str, kind: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| kind(*byte)).count()
}

/// Finds the body of a private key, to its end or to that of the text.
fn private_key(rest: &str) -> Option<Range<usize>> {
    let title = rest.find("-----BEGIN ")? + "-----BEGIN ".len();
    let open = title + rest[title..].find("-----")?;
    if !rest[title..open].ends_with("PRIVATE KEY") && !rest[title..open].ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let body = open + "-----".len();
    let end = rest[body..].find("-----END ").map_or(rest.len(), |end| body + end);
    Some(body..end)
}

/// Finds the password in `://user:password@`.
fn password_of_address(rest: &str) -> Option<Range<usize>> {
    let start = "://".len();
    let length = count(&rest[start..], |byte| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>')
    });
    let authority = &rest[start..start + length];
    let user = &authority[..authority.rfind('@')?];
    let colon = user.find(':')?;
    (colon + 1 < user.len()).then(|| start + colon + 1..start + user.len())
}

/// Finds what follows the beginning of a service's key.
fn known_key(rest: &str) -> Option<Range<usize>> {
    let prefix = PREFIXES.iter().find(|prefix| rest.starts_with(**prefix))?;
    let body = &rest[prefix.len()..];
    let length = count(body, |byte| is_word(byte) || byte == b'.');
    // Natural-language words contain no digits.
    let is_key = length >= KEY && body[..length].bytes().any(|byte| byte.is_ascii_digit());
    is_key.then(|| prefix.len()..prefix.len() + length)
}

/// Finds the token behind the word `Bearer`.
fn bearer(rest: &str, word: usize) -> Option<Range<usize>> {
    if !rest[..word].eq_ignore_ascii_case("bearer") {
        return None;
    }
    let start = word + count(&rest[word..], |byte| byte == b' ');
    let length =
        count(&rest[start..], |byte| is_word(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'='));
    (start > word && length >= BEARER).then(|| start..start + length)
}

/// Finds the value of a name whose values are secrets.
fn value(rest: &str, word: usize) -> Option<Range<usize>> {
    let name = &rest[..word];
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let is_header = HEADERS.contains(&plain.as_str());
    if !is_header && !NAMES.iter().any(|end| plain.ends_with(end)) {
        return None;
    }
    let start = word + sign(&rest[word..], name)?;
    let (quote, length) = opening(&rest[start..]);
    let start = start + length;
    let value = &rest[start..];
    let length = match quote {
        Some(quote) => closing(value, quote, length - 1),
        None if is_header => count(value, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\')),
        None => count(value, |byte| {
            !byte.is_ascii_whitespace()
                && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'&' | b';' | b',' | b'|' | b')' | b'}')
        }),
    };
    (length > 0).then(|| start..start + length)
}

/// Returns the length of the separator between a name and its value: a closing quote, `=` or `:`, blanks; behind an option, blanks.
fn sign(rest: &str, name: &str) -> Option<usize> {
    let blank = |at: usize| at + count(&rest[at..], |byte| matches!(byte, b' ' | b'\t'));
    let quoted = opening(rest).1;
    let at = blank(quoted);
    match rest.as_bytes().get(at) {
        // `a == b` and `a::b` compare and lead on.
        Some(sign @ (b'=' | b':')) if rest.as_bytes().get(at + 1) == Some(sign) => None,
        // In a shell, `a= b` sets nothing for b.
        Some(b'=') if at == quoted => Some(at + 1),
        Some(b'=' | b':') => Some(blank(at + 1)),
        Some(b'-') | None => None,
        Some(_) if name.starts_with("--") && quoted == 0 && at > 0 => Some(at),
        Some(_) => None,
    }
}

/// Finds a quote, with the backslashes before it, and how long both are.
fn opening(text: &str) -> (Option<u8>, usize) {
    let slashes = count(text, |byte| byte == b'\\');
    match text.as_bytes().get(slashes) {
        Some(quote @ (b'"' | b'\'')) => (Some(*quote), slashes + 1),
        _ => (None, 0),
    }
}

/// Returns the end of a quoted value: the same quote with as many backslashes, or the end of the text.
fn closing(value: &str, quote: u8, slashes: usize) -> usize {
    let mut before = 0;
    for (at, byte) in value.bytes().enumerate() {
        if byte == quote && before == slashes {
            return at - slashes;
        }
        before = if byte == b'\\' { before + 1 } else { 0 };
    }
    value.len()
}
