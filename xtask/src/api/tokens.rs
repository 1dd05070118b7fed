//! Tokens of Rust code as one line of text, spaced as rustfmt would.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Formats a piece of code in one line.
pub(super) fn line(code: &impl ToTokens) -> String {
    let mut text = String::new();
    write(code.to_token_stream(), &mut text);
    text.trim().trim_end_matches(',').replace(",)", ")").replace(",>", ">")
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut joint = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => (" { ", " }"),
                    Delimiter::None => ("", ""),
                };
                let apart = open == "[" && text.ends_with(char::is_alphanumeric);
                if apart || text.ends_with([',', ';', '=']) || text.ends_with("->") {
                    text.push(' ');
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
                joint = false;
            }
            TokenTree::Punct(mark) => {
                punct(mark.as_char(), joint, text);
                joint = mark.spacing() == Spacing::Joint;
            }
            word => {
                let word = word.to_string();
                if !joint && needs_space(text) {
                    text.push(' ');
                }
                text.push_str(&word);
                joint = false;
            }
        }
    }
}

/// Returns whether a word that follows `text` needs a space before it.
fn needs_space(text: &str) -> bool {
    let Some(last) = text.chars().next_back() else { return false };
    !matches!(last, '(' | '[' | '<' | '&' | '\'' | '.' | '#' | '!' | ' ' | '*' | '?') && !text.ends_with("::")
}

fn punct(mark: char, joint: bool, text: &mut String) {
    let apart = match mark {
        '=' | '+' | '|' => true,
        '-' => !joint,
        '&' | '\'' | '*' | '?' | '#' => needs_space(text),
        '>' if joint && text.ends_with('-') => false,
        '<' => text.ends_with("->") || text.ends_with([',', '=', '+', ':']) && !text.ends_with("::"),
        ':' if !joint && text.ends_with([',', '+']) => true,
        _ => false,
    };
    if apart && !joint && !text.ends_with(' ') {
        text.push(' ');
    }
    text.push(mark);
}
