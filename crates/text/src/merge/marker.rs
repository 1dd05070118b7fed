//! Lines that stand for code that stays as it is.

use crate::guard;

/// How a marker is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// Words that say so, or dots in a comment: `// ... existing code ...`, `# …`.
    Said,
    /// Nothing but dots, which may be code where three dots are an expression.
    Bare,
}

/// The longest text of a marker.
const LONGEST: usize = 100;

/// Tells whether a line stands for code that is not written out, in any language's comment.
#[must_use]
pub fn marker(line: &str) -> Option<Marker> {
    let bare = line.trim();
    if is_dots(bare) {
        return Some(Marker::Bare);
    }
    let (body, marked) = guard::comment(bare);
    let body = body.strip_prefix('\'').filter(|_| !marked).map_or(body, str::trim);
    let marked = marked || bare.starts_with('\'');
    let body = body.trim_matches(['[', ']', '(', ')', '<', '>', '{', '}']).trim();
    if body.is_empty() || body.len() > LONGEST {
        return None;
    }
    let (begins, ends) = (begins(body), ends(body));
    let said = if !marked {
        // Three dots straight before a word spread a value in several languages.
        let apart = begins && (ends || body.trim_start_matches(is_dot).starts_with(char::is_whitespace));
        apart && guard::is_omission(body)
    } else {
        let core = body.trim_matches(|c: char| is_dot(c) || c.is_whitespace());
        is_dots(body)
            || begins && (ends || is_same(core))
            || guard::is_omission(bare)
            || guard::is_omission(body)
    };
    said.then_some(Marker::Said)
}

/// Tells whether words in front of which dots stand say that nothing changes.
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
