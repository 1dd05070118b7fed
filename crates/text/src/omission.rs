//! Placeholder lines for omitted code, such as `// ... existing code ...`.

/// The form of a placeholder line for omitted code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// Dots in a comment, or a phrase for omitted code: `// ... existing code ...`, `# …`.
    Said,
    /// Only dots. In some languages, three dots are an expression, so the line may be code.
    Bare,
}

/// Maximum size of the text of a placeholder line, in bytes.
const LONGEST: usize = 100;

/// Returns the form of a placeholder line for omitted code: dots or a phrase, also in a comment of any language; `None`
/// for any other line.
#[must_use]
pub fn marker(line: &str) -> Option<Marker> {
    let bare = line.trim();
    if is_dots(bare) {
        return Some(Marker::Bare);
    }
    let (body, marked) = comment(bare);
    let body = body.strip_prefix('\'').filter(|_| !marked).map_or(body, str::trim);
    let marked = marked || bare.starts_with('\'');
    let body = body.trim_matches(['[', ']', '(', ')', '<', '>', '{', '}']).trim();
    if body.is_empty() || body.len() > LONGEST {
        return None;
    }
    let (begins, ends) = (begins(body), ends(body));
    let said = if !marked {
        // In several languages, three dots directly before a word are the spread operator.
        let apart = begins && (ends || body.trim_start_matches(is_dot).starts_with(char::is_whitespace));
        apart && is_omission(body)
    } else {
        let core = body.trim_matches(|c: char| is_dot(c) || c.is_whitespace());
        is_dots(body) || begins && (ends || is_same(core)) || is_omission(bare) || is_omission(body)
    };
    said.then_some(Marker::Said)
}

/// Returns whether a line is a placeholder for omitted code, and so must not be written into a file.
///
/// This check is stricter than [`marker`]: it does not accept dots alone, which may be genuine.
pub(crate) fn is_omission(line: &str) -> bool {
    let (body, marked) = comment(line);
    let core = body.trim_matches(|c: char| is_dot(c) || c.is_whitespace());
    let (begins, ends) = (begins(body), ends(body));
    if core.len() > LONGEST || !(marked || begins) {
        return false;
    }
    let words: Vec<String> = core
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (begins, ends) {
        // Between dots in a comment, words such as "other methods" or "rest" can only mean omitted code.
        (true, true) if marked && !words.is_empty() && words.iter().all(is_known) => true,
        (false, false) => is_plain_reference(&words),
        _ => is_reference(&words),
    }
}

/// Returns whether words after dots only repeat that the code is unchanged.
fn is_same(core: &str) -> bool {
    matches!(core.to_lowercase().as_str(), "same" | "rest" | "the rest" | "the same" | "code" | "other code")
}

fn is_dot(c: char) -> bool {
    c == '.' || c == '\u{2026}'
}

fn is_dots(text: &str) -> bool {
    let dots = text.trim_matches(char::is_whitespace);
    dots == "\u{2026}" || dots.len() >= 3 && dots.len() <= 6 && dots.bytes().all(|byte| byte == b'.')
}

fn begins(body: &str) -> bool {
    body.starts_with("...") || body.starts_with('\u{2026}')
}

fn ends(body: &str) -> bool {
    body.ends_with("...") || body.ends_with('\u{2026}')
}

/// Returns whether words next to dots mean only that code is omitted.
fn is_reference(words: &[&str]) -> bool {
    let has = |word: &str| words.contains(&word);
    let key = KEYS.iter().any(|key| has(key))
        || words.windows(2).any(|two| matches!(two, ["rest", "of"] | ["same", "as"]));
    key && words.iter().all(is_known)
}

/// Returns whether a word occurs in phrases for omitted code.
fn is_known(word: &&str) -> bool {
    KEYS.contains(word) || FILL.contains(word)
}

/// Returns whether words without dots mean that code is omitted; longer text may be a genuine comment.
fn is_plain_reference(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["the"]).unwrap_or(words);
    let rest = match words {
        ["existing", "code", rest @ ..] => rest,
        ["rest", "of", "the" | "your", "code" | "file" | "implementation", rest @ ..] => rest,
        ["rest", "of", "code" | "file" | "implementation", rest @ ..] => rest,
        _ => return false,
    };
    matches!(
        rest,
        [] | ["here"]
            | ["unchanged"]
            | ["remains" | "stays", "the", "same"]
            | ["remains" | "stays", "unchanged"]
    )
}

/// Words that mark omitted code. [`is_reference`] requires one of them, or `rest of` or `same as`.
const KEYS: &[&str] = &["existing", "unchanged", "remaining", "omitted", "truncated", "elided", "snipped"];

/// Words that may accompany those of [`KEYS`] in a phrase for omitted code.
const FILL: &[&str] = &[
    "a",
    "above",
    "all",
    "and",
    "are",
    "as",
    "before",
    "below",
    "body",
    "brevity",
    "class",
    "classes",
    "code",
    "component",
    "components",
    "content",
    "contents",
    "fields",
    "file",
    "for",
    "from",
    "function",
    "functions",
    "here",
    "implementation",
    "imports",
    "is",
    "keep",
    "kept",
    "lines",
    "logic",
    "method",
    "methods",
    "of",
    "original",
    "other",
    "previous",
    "remain",
    "remains",
    "rest",
    "same",
    "section",
    "sections",
    "stay",
    "stays",
    "tests",
    "the",
    "this",
    "your",
];

/// Removes comment signs or brackets from a line. Also returns whether the line had any.
pub(crate) fn comment(line: &str) -> (&str, bool) {
    let opens = ["//", "/*", "<!--", "{/*", "--", "#", "*", ";", "%", "(", "\"\"\""];
    let mut body = line;
    let mut marked = false;
    while let Some(inner) = opens.into_iter().find_map(|mark| body.strip_prefix(mark)) {
        body = inner.trim_start_matches('/').trim_start();
        marked = true;
    }
    let closes = ["*/}", "*/", "-->", ")", "\"\"\""];
    while let Some(inner) = closes.into_iter().find_map(|mark| body.strip_suffix(mark)).filter(|_| marked) {
        body = inner.trim_end();
    }
    (body, marked)
}
