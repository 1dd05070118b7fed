//! Redaction of secrets in log lines, for secrets that have a known form.
//!
//! Redaction applies only to log lines, never to files or replies, because recognising a secret is a guess.
//! Secrets without a known form are not found.

use std::borrow::Cow;
use std::ops::Range;

/// The text that replaces a secret.
const MASK: &str = "[redacted]";

/// Endings of names, such as `password`, whose values are secrets. `_` and `-` in a name are ignored.
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

/// Names of HTTP headers whose secret values may contain spaces, so the value extends to the end of the line.
const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie"];

/// Prefixes of access keys of well-known services.
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

/// Minimum length of an access key after one of [`PREFIXES`], in bytes.
const KEY: usize = 16;

/// Minimum length of a token after `Bearer`, in bytes.
const BEARER: usize = 8;

/// Replaces the parts of a URL that may be a secret: the user and password, the query and the fragment. Absolute paths
/// and other texts without such parts are unchanged.
///
/// Used to show the URLs in settings, because a key may be in any of these parts.
#[must_use]
pub fn url(text: &str) -> Cow<'_, str> {
    let scheme = text.find("://").map_or(0, |at| at + 3);
    if scheme == 0 && text.starts_with('/') {
        return Cow::Borrowed(text);
    }
    let end = text[scheme..].find(['?', '#']).map_or(text.len(), |at| scheme + at);
    let plain = &text[scheme..end];
    // A password may contain a slash or an `@`, although they should be escaped.
    let is_user = |at: &usize| plain[..*at].contains(':') || !plain[..*at].contains('/');
    let user = plain.rfind('@').filter(is_user);
    if user.is_none() && end == text.len() {
        return Cow::Borrowed(text);
    }
    let mut out = text[..scheme].to_owned();
    out.push_str(&user.map_or_else(|| plain.to_owned(), |at| format!("{MASK}{}", &plain[at..])));
    if end < text.len() {
        out.push_str(&text[end..=end]);
        out.push_str(MASK);
    }
    Cow::Owned(out)
}

/// Replaces secrets in a text, recognised by their form.
///
/// The forms are: values of names such as `password`, `token` and `API_KEY`, in the syntax of a command line,
/// a header, a query string or JSON; authentication headers; tokens after `Bearer`; passwords in URLs;
/// private keys; keys with the prefix of a well-known service.
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

/// Returns the secrets in a text that [`redact`] replaces.
#[must_use]
pub fn secrets(text: &str) -> Vec<&str> {
    let (mut secrets, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let (secret, next) = look(text, at);
        secrets.extend(secret.map(|secret| &text[secret]));
        at = next;
    }
    secrets
}

/// Returns the secret that begins at `at`, if there is one, and the offset at which to continue the search.
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
    // After a backslash, the first letter may belong to an escape such as `\n`; the word then begins with the
    // second letter.
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

/// Counts the bytes at the beginning of a text that satisfy a condition.
fn count(text: &str, kind: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| kind(*byte)).count()
}

/// Returns the range of the body of a private key, up to its `END` line or the end of the text.
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

/// Returns the range of the password in `://user:password@`.
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

/// Returns the range of a service's access key after its prefix.
fn known_key(rest: &str) -> Option<Range<usize>> {
    let prefix = PREFIXES.iter().find(|prefix| rest.starts_with(**prefix))?;
    let body = &rest[prefix.len()..];
    let length = count(body, |byte| is_word(byte) || byte == b'.');
    // The prefix may begin an ordinary word. Words contain no digits, so a text without digits is not a key.
    let is_key = length >= KEY && body[..length].bytes().any(|byte| byte.is_ascii_digit());
    is_key.then(|| prefix.len()..prefix.len() + length)
}

/// Returns the range of the token after the word `Bearer`.
fn bearer(rest: &str, word: usize) -> Option<Range<usize>> {
    if !rest[..word].eq_ignore_ascii_case("bearer") {
        return None;
    }
    let start = word + count(&rest[word..], |byte| byte == b' ');
    let length =
        count(&rest[start..], |byte| is_word(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'='));
    (start > word && length >= BEARER).then(|| start..start + length)
}

/// Returns the range of the value, if the name at the beginning of `rest` is one whose values are secrets.
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

/// Returns the length of the separator between a name and its value: an optional closing quote, then `=` or
/// `:`, with the spaces around it (but not after an `=` directly after the name). After a `--` option, spaces alone
/// also count. `None` if there is no separator.
fn sign(rest: &str, name: &str) -> Option<usize> {
    let blank = |at: usize| at + count(&rest[at..], |byte| matches!(byte, b' ' | b'\t'));
    let quoted = opening(rest).1;
    let at = blank(quoted);
    match rest.as_bytes().get(at) {
        // `a == b` is a comparison and `a::b` a path.
        Some(sign @ (b'=' | b':')) if rest.as_bytes().get(at + 1) == Some(sign) => None,
        // In a shell, `a= b` sets `a` to an empty value and runs `b`.
        Some(b'=') if at == quoted => Some(at + 1),
        Some(b'=' | b':') => Some(blank(at + 1)),
        Some(b'-') | None => None,
        Some(_) if name.starts_with("--") && quoted == 0 && at > 0 => Some(at),
        Some(_) => None,
    }
}

/// Parses an opening quote with the backslashes before it. Returns the quote, if there is one, and the length
/// of quote and backslashes.
fn opening(text: &str) -> (Option<u8>, usize) {
    let slashes = count(text, |byte| byte == b'\\');
    match text.as_bytes().get(slashes) {
        Some(quote @ (b'"' | b'\'')) => (Some(*quote), slashes + 1),
        _ => (None, 0),
    }
}

/// Returns the offset where a quoted value ends: at the same quote with as many backslashes, or at the end of
/// the text.
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
