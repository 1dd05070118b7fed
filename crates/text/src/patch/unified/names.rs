//! Parser for the file names in a unified diff.

/// Prefixes that Git puts before the names of the old and the new file.
const PREFIXES: [(&str, &str); 6] =
    [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/")];

/// Parses the file names after `---` and `+++`; `None` for `/dev/null`.
pub(super) fn pair(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let (old, new) = (name(old), name(new));
    for (before, after) in PREFIXES {
        let is = |name: &str, prefix: &str| name == NOTHING || name.starts_with(prefix);
        if is(&old, before) && is(&new, after) {
            return (bare(old, before), bare(new, after));
        }
    }
    (bare(old, ""), bare(new, ""))
}

/// Parses the file names after `diff --git`, if they are the same apart from their prefixes.
///
/// All prefixes have the same length, so the space between the names is in the middle.
pub(super) fn git(both: &str) -> (Option<String>, Option<String>) {
    let both = both.trim();
    let (old, middle) = both.split_at_checked(both.len() / 2).unwrap_or_default();
    match middle.strip_prefix(' ').map(|new| pair(old, new)) {
        Some((old, new)) if old.is_some() && old == new => (old, new),
        _ => (None, None),
    }
}

/// Parses a file name that may be quoted.
pub(super) fn unquoted(raw: &str) -> String {
    let Some(inside) = raw.trim_end().strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) else {
        return raw.trim_end().to_owned();
    };
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (byte, used) = match rest {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), 3)
            }
            [b'n', ..] => (b'\n', 1),
            [b't', ..] => (b'\t', 1),
            [b'r', ..] => (b'\r', 1),
            [other, ..] => (*other, 1),
            [] => (b'\\', 0),
        };
        bytes.push(byte);
        rest = &rest[used..];
    }
    String::from_utf8(bytes).unwrap_or_else(|_| inside.to_owned())
}

const NOTHING: &str = "/dev/null";

/// Parses a file name, and removes the time or revision that diff programs append to it.
fn name(raw: &str) -> String {
    let raw = raw.trim_end();
    if raw.starts_with('"') {
        return unquoted(raw);
    }
    let raw = raw.split('\t').next().unwrap_or(raw);
    let raw = raw.strip_suffix(" (working copy)").unwrap_or(raw);
    let revision = raw.rfind(" (revision ").filter(|_| raw.ends_with(')'));
    raw[..revision.unwrap_or(raw.len())].trim().to_owned()
}

fn bare(name: String, prefix: &str) -> Option<String> {
    if name == NOTHING {
        return None;
    }
    Some(name.strip_prefix(prefix).map_or(name.clone(), str::to_owned))
}
