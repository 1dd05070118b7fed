//! Names that a line defines or sets, recognised by the form of the line in any language.

/// Returns the name that a line defines: of a definition, of a section, or of a key with nested lines.
pub(super) fn name(line: &str) -> Option<&str> {
    let bare = line.trim();
    if let Some(title) = bare.strip_prefix("##") {
        let title = title.trim_start_matches('#');
        return title.starts_with(' ').then(|| title.trim()).filter(|title| !title.is_empty());
    }
    if let Some(section) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return Some(section.trim_matches(['[', ']'])).filter(|section| words(section).next().is_some());
    }
    if let Some(key) = bare.strip_suffix(':') {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | '/');
        return (!key.is_empty() && key.chars().all(plain) && !is_flow(key)).then_some(key);
    }
    let mut rest = bare;
    loop {
        let word = words(rest).next().filter(|word| rest.starts_with(word))?;
        let after = rest[word.len()..].trim_start_matches([' ', '\t']);
        if is_flow(word) {
            return None;
        }
        if DEFINES.contains(&word.to_lowercase().as_str()) {
            return words(after).find(|word| !DEFINES.contains(&word.to_lowercase().as_str()));
        }
        if !MODIFIES.contains(&word) {
            break;
        }
        rest = after;
    }
    let head = bare.strip_suffix('{')?;
    let head = head.split_once('(').map_or(head, |(before, _)| before);
    words(head).last().filter(|word| !is_flow(word))
}

/// Returns the name that a line of a configuration file sets: `key: value` at any indentation, `key = value`
/// without indentation.
pub(super) fn setting(line: &str) -> Option<&str> {
    let bare = line.trim();
    let at = bare.find([':', '='])?;
    let (key, rest) = (bare[..at].trim_end(), &bare[at..]);
    let sets = rest.starts_with(": ")
        || !line.starts_with([' ', '\t']) && rest.starts_with('=') && !rest.starts_with("==");
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
    (sets && !key.is_empty() && key.chars().all(plain) && !is_flow(key)).then_some(key)
}

/// Splits a text into its words.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn is_flow(word: &str) -> bool {
    FLOW.contains(&word)
}

/// Keywords that are followed by the name of a definition.
const DEFINES: &[&str] = &[
    "actor",
    "class",
    "contract",
    "def",
    "defmodule",
    "defp",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "macro",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "package",
    "proc",
    "procedure",
    "protocol",
    "record",
    "resource",
    "rpc",
    "service",
    "struct",
    "sub",
    "table",
    "trait",
    "type",
    "union",
    "view",
];

/// Modifiers that may precede the keywords of [`DEFINES`].
const MODIFIES: &[&str] = &[
    "abstract",
    "async",
    "case",
    "companion",
    "const",
    "create",
    "CREATE",
    "data",
    "default",
    "export",
    "external",
    "final",
    "fileprivate",
    "global",
    "implicit",
    "inline",
    "internal",
    "lazy",
    "local",
    "mutating",
    "open",
    "operator",
    "or",
    "OR",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "replace",
    "REPLACE",
    "sealed",
    "static",
    "suspend",
    "unsafe",
    "virtual",
];

/// Keywords that begin a block or statement without a name.
const FLOW: &[&str] = &[
    "begin", "case", "catch", "default", "defer", "do", "else", "elif", "elsif", "except", "finally", "for",
    "foreach", "guard", "if", "loop", "match", "repeat", "rescue", "return", "select", "switch", "then",
    "try", "unless", "until", "when", "while", "with",
];
