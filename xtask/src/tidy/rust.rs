//! A minimal Rust scanner that separates code from comments and strings.

/// A Rust text with its comments blanked and its strings masked; line numbers do not change.
pub(super) struct MaskedSource {
    /// The code: comments are spaces, and each character of a string is a quotation mark.
    pub(super) code: String,
    /// The strings: the line on which each begins, and its content.
    pub(super) literals: Vec<(usize, String)>,
}

/// A function: its name, the line of its `fn`, and the number of code lines in its body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

/// Returns a Rust text without the test module at its end.
pub(super) fn shipped(text: &str) -> &str {
    let mut from = 0;
    while let Some(found) = text[from..].find("#[cfg(test)]") {
        let at = from + found;
        let starts_line = at == 0 || text[..at].ends_with('\n');
        let mut after = text[at + "#[cfg(test)]".len()..].lines().map(str::trim);
        let item = after.find(|line| !line.is_empty() && !line.starts_with("#["));
        if starts_line && item.is_some_and(|item| item.starts_with("mod ")) {
            return &text[..at];
        }
        from = at + 1;
    }
    text
}

/// Separates code from comments and strings.
pub(super) fn scan(text: &str) -> MaskedSource {
    let mut scan =
        Scan { rest: text, line: 1, done: MaskedSource { code: String::new(), literals: Vec::new() } };
    while !scan.rest.is_empty() {
        scan.step();
    }
    scan.done
}

/// Finds the functions that have a body.
pub(super) fn functions(code: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut from = 0;
    while let Some(at) = word(&code[from..], "fn").map(|at| from + at) {
        from = at + 2;
        let name: String = code[from..].trim_start().chars().take_while(|letter| is_name(*letter)).collect();
        if name.is_empty() {
            continue;
        }
        if let Some((_, body)) = split_body(&code[from..]) {
            let lines = body.lines().filter(|line| !line.trim().is_empty()).count();
            let line = code[..at].matches('\n').count() + 1;
            functions.push(Function { name, line, lines });
        }
    }
    functions
}

/// Finds a whole word; returns its byte position.
pub(super) fn word(text: &str, word: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find(word).map(|at| from + at) {
        let before = text[..at].chars().next_back().is_some_and(is_name);
        let after = text[at + word.len()..].chars().next().is_some_and(is_name);
        if !before && !after {
            return Some(at);
        }
        from = at + word.len();
    }
    None
}

/// Finds all occurrences of a whole word.
pub(super) fn words<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + word(&text[from..], wanted)?;
        from = at + wanted.len();
        Some(at)
    })
}

pub(super) fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the text before the next body and the text between its braces; `None` if a `;` comes first.
pub(super) fn split_body(code: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut open = None;
    for (at, letter) in code.char_indices() {
        match (letter, open) {
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth = depth.saturating_sub(1),
            (';', None) if depth == 0 => return None,
            ('{', None) if depth == 0 => (open, depth) = (Some(at + 1), 1),
            ('{', Some(_)) => depth += 1,
            ('}', Some(start)) if depth == 1 => return Some((&code[..start - 1], &code[start..at])),
            ('}', Some(_)) => depth -= 1,
            _ => {}
        }
    }
    None
}

struct Scan<'a> {
    rest: &'a str,
    line: usize,
    done: MaskedSource,
}

impl<'a> Scan<'a> {
    fn step(&mut self) {
        let previous = self.done.code.chars().next_back();
        let starts_word = !previous.is_some_and(is_name);
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.blank(end, ' ');
        } else if self.rest.starts_with("/*") {
            let end = comment_end(self.rest);
            self.blank(end, ' ');
        } else if let Some((open, close)) = raw_string(self.rest).filter(|_| starts_word) {
            let end = self.rest[open..].find(&close).map_or(self.rest.len(), |at| open + at);
            self.literal(open, end, close.len());
        } else if self.rest.starts_with('"') {
            self.literal(1, string_end(self.rest), 1);
        } else if let Some(end) = letter_end(self.rest) {
            self.blank(end, '\'');
        } else {
            let end = self.rest.chars().next().map_or(1, char::len_utf8);
            let letter = self.take(end);
            self.done.code.push_str(letter);
        }
    }

    fn literal(&mut self, open: usize, end: usize, close: usize) {
        self.done.literals.push((self.line, self.rest[open..end].to_owned()));
        self.blank((end + close).min(self.rest.len()), '"');
    }

    fn blank(&mut self, end: usize, mask: char) {
        let text = self.take(end);
        self.done.code.extend(text.chars().map(|letter| if letter == '\n' { '\n' } else { mask }));
    }

    fn take(&mut self, end: usize) -> &'a str {
        let (text, rest) = self.rest.split_at(end);
        self.line += text.matches('\n').count();
        self.rest = rest;
        text
    }
}

fn comment_end(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Returns the start of the content of a raw string, and the end marker; `None` if the text does not begin
/// with a raw string.
fn raw_string(text: &str) -> Option<(usize, String)> {
    let after =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let marks = after.len() - after.trim_start_matches('#').len();
    after[marks..]
        .starts_with('"')
        .then(|| (text.len() - after.len() + marks + 1, format!("\"{}", "#".repeat(marks))))
}

fn string_end(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the end of a character literal; `None` for a lifetime.
fn letter_end(text: &str) -> Option<usize> {
    let after = text.strip_prefix('\'')?;
    let mut letters = after.char_indices();
    let (_, first) = letters.next()?;
    if first == '\\' {
        let (escaped, _) = letters.next()?;
        return after[escaped + 1..].find('\'').map(|at| escaped + at + 3);
    }
    let (at, next) = letters.next()?;
    (next == '\'').then_some(at + 2)
}
