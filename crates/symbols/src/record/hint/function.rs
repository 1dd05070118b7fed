//! Parsing of function types in the syntax of several languages.

use super::{FUNCTION, Hint, Reader, Word};

impl Reader<'_, '_> {
    /// Reads the type of a function that is written with an arrow, if there is one.
    pub(super) fn function(&mut self) -> Option<Hint> {
        let rest = match self.rest.strip_prefix('<') {
            Some(rest) => rest.get(closed(rest)? + 1..)?.trim_start(),
            None => self.rest,
        };
        let inside = rest.strip_prefix('(')?;
        let behind = inside.get(closed(inside)? + 1..)?.trim_start();
        if !behind.starts_with("=>") {
            return None;
        }
        self.rest = rest;
        let takes = self.takes(")");
        let _ = self.sign("=>");
        let gives = self.either();
        Some(self.gives(gives, takes))
    }

    /// Parses the parameter types of a function up to the closing bracket.
    pub(super) fn takes(&mut self, end: &str) -> Vec<Hint> {
        let Some(inside) = self.rest.trim_start().get(1..) else { return Vec::new() };
        let Some(length) = closed(inside) else { return Vec::new() };
        let mut out = Vec::new();
        for part in parts(&inside[..length]) {
            let (name, said) = match part.split_once(':') {
                Some((name, said)) if end == ")" && !said.starts_with(':') => (name.trim(), said),
                _ => ("", part),
            };
            // The parameter `this` receives no argument, and a rest parameter receives a list of arguments.
            if name == "this" {
                continue;
            }
            let bare =
                end == ")" && name.is_empty() && part.chars().all(|one| one.is_lowercase() || one == '_');
            self.rest =
                if name.starts_with("...") || name.starts_with(['{', '[']) || bare { "" } else { said };
            let hint = self.either();
            out.push(hint.unwrap_or_else(|| self.nothing()));
        }
        self.rest = &inside[length + 1..];
        out
    }

    pub(super) fn gives(&mut self, gives: Option<Hint>, takes: Vec<Hint>) -> Hint {
        let gives = gives.unwrap_or_else(|| self.nothing());
        let inner = std::iter::once(gives).chain(takes).collect();
        Hint { path: vec![self.words.add(FUNCTION)], inner, or: Vec::new() }
    }

    fn nothing(&mut self) -> Hint {
        Hint { path: vec![self.words.add("_")], inner: Vec::new(), or: Vec::new() }
    }

    /// Parses the parameters and results if the name is that of a function type.
    pub(super) fn named_function(&mut self, name: Word) -> Option<Hint> {
        let name = self.words.text(name);
        if matches!(name, "Fn" | "FnMut" | "FnOnce" | "fn") && self.rest.starts_with('(') {
            let takes = self.takes(")");
            let gives = if self.sign("->") { self.either() } else { None };
            return Some(self.gives(gives, takes));
        }
        // In Go, the results directly follow the parameters: `func(int) (Foo, error)`.
        if name == "func" && self.rest.starts_with('(') {
            let takes = self.takes(")");
            let again = self.rest.trim_start();
            let is_type = again.starts_with(|letter: char| letter.is_alphabetic() || "*([_".contains(letter));
            let gives = if is_type { self.one() } else { None };
            return Some(self.gives(gives, takes));
        }
        if name == "Callable" && self.sign("[") {
            let takes = if self.rest.trim_start().starts_with('[') { self.takes("]") } else { Vec::new() };
            let gives = self.list("]").pop();
            return Some(self.gives(gives, takes));
        }
        None
    }
}

/// Returns the position of the closing bracket for a text that starts after the opening one.
fn closed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut last = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            // The `>` of an arrow is not a bracket.
            '>' if matches!(last, '=' | '-') => {}
            ')' | ']' | '}' | '>' if depth == 0 => return Some(at),
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        last = letter;
    }
    None
}

/// Splits a list at the commas outside brackets.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    let next = move || {
        let text = rest?;
        let (mut depth, mut last) = (0_usize, ' ');
        for (at, letter) in text.char_indices() {
            match letter {
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if matches!(last, '=' | '-') => {}
                ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    rest = Some(&text[at + 1..]);
                    return Some(&text[..at]);
                }
                _ => {}
            }
            last = letter;
        }
        rest = None;
        Some(text)
    };
    std::iter::from_fn(next).map(str::trim).filter(|part| !part.is_empty())
}
