//! Separation of file-level comments from those of the first symbol.

use std::ops::Range;

use crate::Language;

/// Beginnings of comment lines that apply to the whole file, such as directives for tools.
const WORDS: &[&str] = &[
    "-*-",
    "frozen_string_literal:",
    "encoding:",
    "coding:",
    "coding=",
    "typed:",
    "warn_indent:",
    "vim:",
    "go:build ",
    "+build ",
    "code generated",
    "@generated",
    "@file",
    "@flow",
    "@ts-check",
    "@ts-nocheck",
    "eslint-disable ",
    "mypy:",
    "pylint:",
    "flake8:",
];
/// The characters with which comment lines begin.
const SIGNS: &[char] = &['#', '/', '*', ';', '%', '<'];
/// Licence phrases in comments.
const NOTICES: &[&str] = &["copyright", "spdx-", "licensed under", "@license"];

/// The extent of a comment about the file, from the current line on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderExtent<'a> {
    None,
    /// Up to the end of the block comment.
    Block,
    /// As long as lines begin with the same comment sign.
    Lines(&'a str),
}

/// Returns the byte offset at which the comments about the whole file end. The symbol, with its own comments,
/// begins there.
pub(super) fn end(language: Language, text: &str, comments: Range<usize>) -> usize {
    let inner = matches!(language.name(), "rust" | "zig");
    let top = text[..comments.start]
        .lines()
        .all(|line| line.trim().is_empty() || !sign(line.trim()).is_empty() || line.starts_with("<?"));
    let (mut end, mut at) = (comments.start, comments.start);
    let (mut block, mut rest) = (false, HeaderExtent::None);
    for line in text[comments.clone()].split_inclusive('\n') {
        at += line.len();
        let line = line.trim();
        block |= line.starts_with("/*");
        let goes_on = match rest {
            HeaderExtent::None => false,
            HeaderExtent::Block => block,
            HeaderExtent::Lines(known) => sign(line) == known,
        };
        let comment = line.trim_start_matches(|c: char| SIGNS.contains(&c) || c == ' ').to_lowercase();
        let on_file = top && is_on_file(line);
        let notice = top && NOTICES.iter().any(|word| comment.contains(word));
        if notice {
            rest = if block { HeaderExtent::Block } else { HeaderExtent::Lines(sign(line)) };
        } else if on_file && block {
            rest = HeaderExtent::Block;
        } else if !goes_on {
            rest = HeaderExtent::None;
        }
        if goes_on || notice || on_file || inner && line.starts_with("//!") {
            end = at;
        }
        if line.ends_with("*/") {
            block = false;
            rest = if rest == HeaderExtent::Block { HeaderExtent::None } else { rest };
        }
    }
    let behind = &text[end..comments.end];
    end + behind.len() - behind.trim_start().len()
}

/// Returns the comment signs at the beginning of a line.
fn sign(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(SIGNS).len()]
}

fn is_on_file(line: &str) -> bool {
    let comment = line.trim_start_matches(|c: char| SIGNS.contains(&c) || c == ' ').to_lowercase();
    line.starts_with("#!") || WORDS.iter().any(|word| comment.starts_with(word))
}
