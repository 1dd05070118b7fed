//! Checks of a shell text: for text that the grammar (tree-sitter) and a shell may read differently, and for
//! text that runs the content of variables.

use std::{borrow::Cow, ops::Range};
use tree_sitter::Node;

/// Maximum size of a shell text that is parsed, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Finds a reason why a whole shell text is ambiguous, such as an invisible character.
pub(crate) fn text(text: &str) -> Option<&'static str> {
    if text.len() > LONGEST {
        return Some("the command is longer than 1 MiB");
    }
    let joined = |(at, _): (usize, &str)| !text[..at].ends_with([' ', '\t']);
    if text.match_indices("\\\n").any(joined) {
        return Some("a word or an operator that continues on the next line is ambiguous");
    }
    text.chars().find_map(odd)
}

fn odd(found: char) -> Option<&'static str> {
    match found {
        '\n' | '\t' => None,
        '\r' => Some("a carriage return looks like a line end, but is part of a word for a shell"),
        _ if found.is_control() => Some("a command must not contain control characters"),
        ' ' => None,
        _ if found.is_whitespace() => {
            Some("this white space looks like the end of a word, but is not a separator for a shell")
        }
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{ad}' => Some("the command contains an invisible character, which may disguise what it does"),
        _ => None,
    }
}

/// Returns a text for the grammar, with a word character in place of each byte outside ASCII.
///
/// For a shell, that character and the replaced one are parts of words. For characters beyond ASCII, the
/// grammar's scanner would read out of bounds of its tables.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { '%' }).collect()
}

/// Finds text that is not blank and that no leaf of the syntax tree covers, or a character that the end of a
/// leaf splits.
pub(crate) fn gap(root: Node<'_>, text: &str) -> Option<String> {
    let mut cursor = root.walk();
    let mut end = 0;
    loop {
        let node = cursor.node();
        if node.child_count() > 0 && !kept_whole(node.kind()) && cursor.goto_first_child() {
            continue;
        }
        let Some(between) = text.get(end.min(node.start_byte())..node.start_byte()) else {
            return Some(text.to_owned());
        };
        if !between.replace("\\\n", "").trim().is_empty() && !is_dash(node, end, between) {
            return Some(between.to_owned());
        }
        end = end.max(node.end_byte());
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let Some(rest) = text.get(end..) else { return Some(text.to_owned()) };
                return (!rest.replace("\\\n", "").trim().is_empty()).then(|| rest.to_owned());
            }
        }
    }
}

/// Returns whether two adjacent children of a command are parts of one word. The grammar splits words such as `'a'\b`.
pub(crate) fn is_one_word(one: Node<'_>, next: Node<'_>) -> bool {
    let is_part = |node: Node<'_>| {
        let is_other = node.kind() == "variable_assignment" || node.kind().ends_with("_redirect");
        node.is_named() && !node.is_error() && !is_other
    };
    one.end_byte() == next.start_byte() && is_part(one) && is_part(next)
}

/// The characters that end a word if they are not quoted.
const BREAKS: [char; 10] = [' ', '\t', '\n', ';', '|', '&', '<', '>', '(', ')'];

/// Finds a text that the grammar splits into words, although a shell reads it as one word, because no character
/// between the parts ends a word.
pub(crate) fn split<'t>(root: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut found = None;
    each(root, &mut |node| {
        let splits = match node.kind() {
            "program"
            | "list"
            | "pipeline"
            | "command"
            | "redirected_statement"
            | "file_redirect"
            | "herestring_redirect"
            | "declaration_command"
            | "unset_command"
            | "for_statement"
            | "variable_assignments"
            | "array"
            | "case_statement"
            | "case_item"
            | "do_group" => "",
            "test_command" | "unary_expression" | "binary_expression" => "\\",
            _ => return,
        };
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for pair in children.windows(2) {
            let [one, next] = pair else { continue };
            let (Some(before), Some(after)) = (text.get(one.byte_range()), text.get(next.byte_range()))
            else {
                continue;
            };
            // A named part that ends with a parenthesis is a substitution, which does not end a word.
            let is_ended = before.is_empty()
                || before.ends_with(BREAKS) && !(one.is_named() && before.ends_with(')'))
                || after.is_empty()
                || after.starts_with(BREAKS);
            let is_joined = node.kind() == "command" && is_one_word(*one, *next);
            if one.end_byte() == next.start_byte() && !is_ended && !is_joined && after.starts_with(splits) {
                found = found.or(text.get(one.start_byte()..next.end_byte()));
            }
        }
    });
    found
}

/// Returns whether text between two leaves is the word `-` of a command, which the grammar drops before a
/// here-document.
fn is_dash(next: Node<'_>, end: usize, between: &str) -> bool {
    if between.trim_matches([' ', '\t']) != "-"
        || !between.starts_with([' ', '\t'])
        || !between.ends_with([' ', '\t'])
    {
        return false;
    }
    let around = std::iter::successors(Some(next), Node::parent).find(|node| node.start_byte() < end);
    around.is_some_and(|around| {
        let body = around.child_by_field_name("body");
        around.kind() == "redirected_statement"
            && body.is_some_and(|body| body.kind() == "command" && body.end_byte() == end)
    })
}

/// Finds the substitutions that no node of the tree covers, because the grammar parses some values as plain words.
/// Returns their positions.
pub(crate) fn hidden(root: Node<'_>, text: &str, judged: &[Range<usize>]) -> Vec<usize> {
    let (literal, quoted) = (literal(root, text), quoted(root, text));
    let within = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
    let bytes = text.as_bytes();
    let (mut escaped, mut found) = (false, Vec::new());
    for (at, byte) in bytes.iter().enumerate() {
        if within(&literal, at) {
            escaped = false;
            continue;
        }
        let opens = match byte {
            b'`' => !judged.iter().any(|range| range.start == at || range.end == at + 1),
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'[')) => begins_nowhere(judged, at),
            b'<' | b'>' if bytes.get(at + 1) == Some(&b'(') => {
                !within(&quoted, at) && begins_nowhere(judged, at)
            }
            _ => false,
        };
        if opens && !escaped {
            found.push(at);
        }
        escaped = *byte == b'\\' && !escaped;
    }
    found
}

/// Returns the commands of hidden substitutions. The positions of backquotes do not show which of them open a
/// substitution, so each text between two of them counts as one.
pub(crate) fn substituted<'t>(text: &'t str, hidden: &[usize]) -> Vec<Cow<'t, str>> {
    let (mut found, mut end) = (Vec::new(), 0);
    for at in hidden.iter().copied() {
        let Some(rest) = text.get(at..) else { continue };
        if let Some(rest) = rest.strip_prefix('`') {
            // A shell removes a backslash before a backquote, and then reads the commands.
            let inner = &rest[..backquoted(rest)];
            found.push(if inner.contains('\\') { inner.replace("\\`", "`").into() } else { inner.into() });
        } else if at >= end
            && let Some(rest) = rest.get(2..)
        {
            // Substitutions inside this one are skipped here, because they are found when its text is read.
            let length = parenthesised(rest);
            end = at + 2 + length;
            found.push(rest[..length].into());
        }
    }
    found
}

/// Returns the length of a text up to the next backquote that has no backslash before it; the whole length if there
/// is none.
fn backquoted(text: &str) -> usize {
    let mut quotes = text.match_indices('`').map(|(at, _)| at);
    quotes.find(|at| !text[..*at].ends_with('\\')).unwrap_or(text.len())
}

/// Returns the length of a text, which follows an opening parenthesis, up to the parenthesis that closes it; the
/// whole length if none does.
fn parenthesised(text: &str) -> usize {
    let mut open = 1_usize;
    let closes = |byte: u8| {
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        open == 0
    };
    text.bytes().position(closes).unwrap_or(text.len())
}

fn begins_nowhere(judged: &[Range<usize>], at: usize) -> bool {
    !judged.iter().any(|range| range.start == at)
}

/// Returns the byte ranges of a text in which a shell expands nothing.
fn literal(root: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    each(root, &mut |node| {
        let plain = match node.kind() {
            "raw_string" | "ansi_c_string" => !is_within(node, &["string", "heredoc_body", "expansion"]),
            "comment" => is_comment(node, text),
            "heredoc_body" => node.parent().is_some_and(|parent| has_quoted_end(parent, text)),
            _ => false,
        };
        if plain {
            ranges.push(node.byte_range());
        }
    });
    ranges
}

/// Returns the parts of a text in which a shell does no process substitution.
fn quoted(root: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    each(root, &mut |node| {
        match node.kind() {
            "string_content" if !is_within(node, &["expansion"]) => ranges.push(node.byte_range()),
            // The grammar does not find every expansion in a here-document, and a shell does process substitution
            // inside expansions. So only the text before the first `${` counts.
            "heredoc_body" => {
                let body = node.byte_range();
                let plain = text.get(body.clone()).and_then(|text| text.find("${"));
                ranges.push(body.start..plain.map_or(body.end, |length| body.start + length));
            }
            _ => {}
        }
    });
    ranges
}

fn has_quoted_end(redirect: Node<'_>, text: &str) -> bool {
    let mut cursor = redirect.walk();
    let start = redirect.children(&mut cursor).find(|child| child.kind() == "heredoc_start");
    let written = start.and_then(|start| text.get(start.byte_range()));
    written.is_some_and(|written| written.contains(['\'', '"', '\\']))
}

fn is_within(node: Node<'_>, kinds: &[&str]) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|above| kinds.contains(&above.kind()))
}

fn each<'t>(root: Node<'t>, look: &mut impl FnMut(Node<'t>)) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        look(node);
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
}

/// Returns the commands and operators of a list in order. The syntax tree nests the parts of a long list; the
/// returned parts are on one level, so that a long list does not count as deep nesting.
pub(crate) fn parts(list: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let mut open = Some(list);
    while let Some(list) = open.take() {
        let mut cursor = list.walk();
        let mut children: Vec<Node<'_>> = list.children(&mut cursor).collect();
        if children.first().is_some_and(|first| first.kind() == "list") {
            open = Some(children.remove(0));
        }
        parts.extend(children.into_iter().rev());
    }
    parts.reverse();
    parts
}

/// Returns whether syntax nodes of a kind have text between their children, so that they count as one leaf.
fn kept_whole(kind: &str) -> bool {
    matches!(kind, "string" | "heredoc_body" | "expansion" | "arithmetic_expansion" | "translated_string")
}

/// Returns whether a shell begins a comment at the position where the grammar does.
pub(crate) fn is_comment(node: Node<'_>, text: &str) -> bool {
    let before = text.get(..node.start_byte()).unwrap_or_default();
    let mut back = before.chars().rev();
    let (last, earlier) = (back.next(), back.next());
    let begins = last.is_none_or(|last| " \t\n;&|()".contains(last));
    begins && earlier != Some('\\')
}

/// Returns a reason why a shell may end a here-document at another position than the grammar; `None` if there is
/// none.
pub(crate) fn here_document(node: Node<'_>, text: &str) -> Option<&'static str> {
    let part = |kind: &str| {
        let mut cursor = node.walk();
        let found = node.children(&mut cursor).find(|child| child.kind() == kind);
        found.map(|child| (child.start_byte(), child.end_byte()))
    };
    const UNCLEAR: &str = "the end of the here-document is unclear";
    let Some(start) = part("heredoc_start") else { return Some(UNCLEAR) };
    let Some(end) = part("heredoc_end") else { return Some(UNCLEAR) };
    let body = part("heredoc_body").unwrap_or((end.0, end.0));
    let slice = |(from, to): (usize, usize)| text.get(from..to).unwrap_or_default();
    let written = slice(start);
    let bare = written.trim_matches(|found| found == '\'' || found == '"').trim_start_matches('\\');
    let plain = !bare.is_empty() && bare.chars().all(|found| found.is_ascii_alphanumeric() || found == '_');
    let quote = written.len() != bare.len();
    let forms = [bare.to_owned(), format!("'{bare}'"), format!("\"{bare}\""), format!("\\{bare}")];
    if !plain || !forms.iter().any(|form| form == written) || slice(end).trim() != bare {
        return Some(UNCLEAR);
    }
    let whole = slice((body.0, end.0));
    let ended = whole.lines().any(|line| line.trim() == bare);
    let joined = !quote && whole.contains("\\\n");
    let rest = text.get(end.1..).unwrap_or_default();
    let goes_on = !rest.is_empty() && !rest.starts_with('\n');
    // The commands in a here-document with backquotes, or with `<<-` and `$`, are not always found, so its
    // end counts as unclear.
    let dash = text.get(node.byte_range()).is_some_and(|all| all.contains("<<-"));
    let hidden = !quote && (whole.contains('`') || (dash && whole.contains('$')));
    (ended || joined || goes_on || hidden).then_some(UNCLEAR)
}

/// Returns the reason why an expansion such as `${x:=y}` may run a command, set a variable, or end at another
/// position for a shell than for the grammar; `None` if it is harmless.
pub(crate) fn expansion(node: Node<'_>, text: &str) -> Option<&'static str> {
    if text.contains('\'') && is_quoted(node) {
        return Some("a shell may read the single quote in this double-quoted expansion literally");
    }
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    if inner.match_indices('{').any(|(at, _)| !inner[..at].ends_with('$')) {
        return Some("this expansion contains a brace, so its end is unclear");
    }
    let inner = inner.strip_prefix('#').filter(|rest| !rest.is_empty()).unwrap_or(inner);
    let name = inner.trim_start_matches(|found: char| found.is_ascii_alphanumeric() || found == '_');
    let special = inner.len() == name.len();
    let name = if special { inner.get(1..).unwrap_or_default() } else { name };
    let known = [":-", "-", ":+", "+", ":?", "?", "%", "#", "/", "^", ","];
    let begins = |operator: &str| name.starts_with(operator);
    let colon =
        name.starts_with(':') && ![":-", ":+", ":?"].iter().any(|operator| name.starts_with(operator));
    let odd = special && !inner.starts_with(['@', '*', '?', '$', '-']);
    let harmless = !colon && !odd && (name.is_empty() || known.into_iter().any(begins));
    (!harmless).then_some("this expansion can run the content of a variable, or set the variable")
}

fn is_quoted(node: Node<'_>) -> bool {
    let above = std::iter::successors(node.parent(), Node::parent);
    above.into_iter().any(|above| matches!(above.kind(), "string" | "translated_string" | "heredoc_body"))
}

/// Returns whether a pattern, which the grammar does not parse further, may contain an expansion.
pub(crate) fn may_expand(pattern: &str) -> bool {
    ["`", "$(", "${", "$[", "$((", "<(", ">("].iter().any(|sign| pattern.contains(sign))
}

/// Returns whether a text in `[ ]` or `[[ ]]` is not a test for a shell, or evaluates a variable.
///
/// `-v` and `-R` evaluate an index. Numeric comparisons such as `[[ … -eq … ]]` evaluate the two operands,
/// where a bare word is a variable, too.
pub(crate) fn test_evaluates(text: &str) -> bool {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let blank = [' ', '\t', '\n'];
    if !bare.starts_with(blank) || !bare.ends_with(blank) {
        // Without a blank after the bracket, the bracket is part of a word, which a shell runs as a command.
        return true;
    }
    if !text.starts_with("[[") && text.contains(['\n', '<', '>', '&', '|', ';', '(']) {
        // `[` is an ordinary command, so operators and line ends in the text end it.
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let one_of = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if one_of(&["-v", "-R"]) {
        return true;
    }
    let compares = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    let number = |word: &&str| {
        let digits = word.trim_matches('"').trim_start_matches('-');
        matches!(digits, "$#" | "$?" | "${#}") || digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let sign =
        |word: &&str| compares.contains(word) || matches!(*word, "[[" | "]]" | "!" | "&&" | "||" | "(" | ")");
    text.starts_with("[[") && one_of(&compares) && !words.iter().all(|word| sign(word) || number(word))
}

/// Returns whether all operands of an arithmetic expression are numbers. A variable would be evaluated, and may contain
/// a command.
pub(crate) fn is_plain_arithmetic(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let named = node.is_named() && node.child_count() == 0;
        let number = node.kind() == "number" || node.kind() == "test_operator";
        if named && !number || node.kind() == "subscript" || node.kind() == "command_substitution" {
            return false;
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    true
}

/// Returns whether syntax nodes of a kind have no effect themselves, so that only their children are judged.
pub(crate) fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "program"
            | "pipeline"
            | "subshell"
            | "compound_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "do_group"
            | "case_statement"
            | "case_item"
            | "negated_command"
            | "word"
            | "number"
            | "concatenation"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "array"
            | "simple_expansion"
            | "brace_expression"
            | "extglob_pattern"
            | "regex"
            | "unary_expression"
            | "binary_expression"
            | "parenthesized_expression"
            | "postfix_expression"
            | "ternary_expression"
            | "test_operator"
            | "variable_name"
            | "special_variable_name"
            | "string_content"
            | "comment"
            | "file_descriptor"
            | "heredoc_body"
            | "heredoc_content"
            | "heredoc_start"
            | "heredoc_end"
            | "command_name"
    )
}
