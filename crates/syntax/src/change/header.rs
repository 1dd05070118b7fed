//! Separation of file-level comments from those of the first symbol.

use std::ops::Range;

use crate::Language;

/// Beginnings of lines that address a tool or the reader of the whole file.
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
/// The signs with which the lines of comments begin.
const SIGNS: &[char] = &['#', '/', '*', ';', '%', '<'];
/// Licence phrases in comments.
const NOTICES: &[&str] = &["copyright", "spdx-", "licensed under", "@license"];

/// Extent of a comment with a line about the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest<'a> {
    None,
    /// Up to its closing sign.
    Block,
    /// As long as lines begin with the same sign.
    Lines(&'a str),
}

/// Returns the start of a symbol's own comments, behind those about the file.
pub(super) fn end(language: Language, text: &str, comments: Range<usize>) -> usize {
    let inner = matches!(language.name(), "rust" | "zig");
    let top = text[..comments.start]
        .lines()
        .all(|line| line.trim().is_empty() || !sign(line.trim()).is_empty() || line.starts_with("<?"));
    let (mut end, mut at) = (comments.start, comments.start);
    let (mut block, mut rest) = (false, Rest::None);
    for line in text[comments.clone()].split_inclusive('\n') {
        at += line.len();
        let line = line.trim();
        block |= line.starts_with("/*");
        let goes_on = match rest {
            Rest::None => false,
            Rest::Block => block,
            Rest::Lines(known) => sign(line) == known,
        };
        let said = line.trim_start_matches(|c: char| SIGNS.contains(&c) || c == ' ').to_lowercase();
        let on_file = top && is_on_file(line);
        let notice = top && NOTICES.iter().any(|word| said.contains(word));
        if notice {
            rest = if block { Rest::Block } else { Rest::Lines(sign(line)) };
        } else if on_file && block {
            rest = Rest::Block;
        } else if !goes_on {
            rest = Rest::None;
        }
        if goes_on || notice || on_file || inner && line.starts_with("//!") {
            end = at;
        }
        if line.ends_with("*/") {
            block = false;
            rest = if rest == Rest::Block { Rest::None } else { rest };
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
    let said = line.trim_start_matches(|c: char| SIGNS.contains(&c) || c == ' ').to_lowercase();
    line.starts_with("#!") || WORDS.iter().any(|word| said.starts_with(word))
}
