//! The definitions in a file as a flat list, each with its name, its parts and its parent.

use std::ops::Range;

use crate::{Item, Kind, Tree};

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The kind of the definition, such as function or class.
    pub kind: Kind,
    /// The unqualified name of the symbol.
    pub name: String,
    /// The qualified name, with dots.
    pub qualified: String,
    /// The enclosing symbol, as an index in the list of symbols.
    pub parent: Option<usize>,
    /// The whole range, with the comments, decorators and keywords such as `export` before the definition.
    pub span: Range<usize>,
    /// End of the code; `span` also includes a comment after it on the same line.
    pub end: usize,
    /// The documentation: the comments before the definition, or the string at the beginning of its body.
    pub docs: Option<Range<usize>>,
    /// The attributes or decorators before the definition.
    pub decorators: Option<Range<usize>>,
    /// The range from the start of the definition to its body.
    pub signature: Range<usize>,
    /// The body, with the brackets around it.
    pub body: Option<Range<usize>>,
    /// The range of the name, if that is contiguous.
    pub at: Option<Range<usize>>,
    /// The range of the type annotation: the return type, or the type of a variable.
    pub hint: Option<Range<usize>>,
    /// The byte range of the value that the definition assigns.
    pub value: Option<Range<usize>>,
    /// The modifiers before the name, such as `pub` and `async`.
    pub modifiers: Vec<&'static str>,
}

impl Symbol {
    /// Returns whether the span contains a byte offset.
    #[must_use]
    pub fn holds(&self, place: usize) -> bool {
        self.span.contains(&place)
    }
}

impl Tree<'_> {
    /// Lists the definitions in the file, each before the nested ones.
    #[must_use]
    pub fn symbols(&self) -> Vec<Symbol> {
        self.symbols_in(&self.items())
    }

    /// Lists the definitions of items, as [`Tree::symbols`] does for those of the file.
    pub(crate) fn symbols_in(&self, items: &[Item]) -> Vec<Symbol> {
        let mut out = Vec::new();
        let mut lister = Lister { tree: self, out: &mut out };
        lister.list(items, None, "");
        out
    }
}

/// Returns the index of the innermost symbol that contains a range completely.
#[must_use]
pub fn enclosing(symbols: &[Symbol], range: &Range<usize>) -> Option<usize> {
    let holds = |symbol: &Symbol| symbol.span.start <= range.start && range.end <= symbol.span.end;
    let found = symbols.iter().enumerate().filter(|(_, symbol)| holds(symbol));
    found.min_by_key(|(_, symbol)| symbol.span.len()).map(|(at, _)| at)
}

/// Splits a qualified name: `A.b`, `a::B`, `A#b`, `t:m`.
#[must_use]
pub fn segments(name: &str) -> Vec<String> {
    let name = without_parameters(name);
    let mut out = vec![String::new()];
    let mut rest = name.as_str();
    while let Some(letter) = rest.chars().next() {
        let begins = out.last().is_some_and(String::is_empty);
        let separator = ["::", "->", ".", "#", ":", "\\"].iter().find(|sign| rest.starts_with(**sign));
        let operator = out.last().is_some_and(|last| last.starts_with("operator"));
        match separator.filter(|_| !operator) {
            Some(sign) => {
                if !begins {
                    out.push(String::new());
                }
                rest = &rest[sign.len()..];
            }
            None => {
                if let Some(last) = out.last_mut() {
                    last.push(letter);
                }
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    out.retain(|part| !part.trim().is_empty() && part != "prototype");
    out.into_iter().map(|part| part.trim().to_owned()).collect()
}

struct Lister<'a, 't> {
    tree: &'a Tree<'t>,
    out: &'a mut Vec<Symbol>,
}

impl Lister<'_, '_> {
    /// Adds items and the items nested in them.
    fn list(&mut self, items: &[Item], parent: Option<usize>, above: &str) {
        for item in items {
            if !item.kind.defines() {
                self.list(&item.children, parent, above);
                continue;
            }
            let path = names(item);
            let Some(name) = path.last().cloned() else {
                self.list(&item.children, parent, above);
                continue;
            };
            let whole = self.symbol(item, name, qualify(above, &path), parent);
            let (modifiers, qualified) = (whole.modifiers.clone(), whole.qualified.clone());
            if item.bound.is_empty() {
                self.out.push(whole);
                let at = self.out.len() - 1;
                self.list(&item.children, Some(at), &qualified);
            } else {
                self.list(&item.children, parent, above);
            }
            for (name, at) in item.bound.iter().chain(&item.further) {
                let other =
                    Item { name: name.clone(), at: Some(at.clone()), children: Vec::new(), ..item.clone() };
                let path = names(&other);
                let Some(name) = path.last().cloned() else { continue };
                let symbol = self.symbol(&other, name, qualify(above, &path), parent);
                self.out.push(Symbol { value: None, modifiers: modifiers.clone(), ..symbol });
            }
        }
    }

    fn symbol(&self, item: &Item, name: String, qualified: String, parent: Option<usize>) -> Symbol {
        let text = self.tree.text();
        let lead = item.attributes.unwrap_or(item.head).min(item.head);
        let before = trimmed(text, item.range.start..lead);
        let decorators = item.attributes.map(|from| trimmed(text, from..item.head));
        let mut end = item.body.as_ref().map_or(item.range.end, |body| body.start.max(item.head));
        if end == item.head {
            // The item is its own body, like an element or a table: its first line is the signature.
            let shown = text.get(item.head..item.range.end).unwrap_or_default();
            end = item.head + shown.lines().next().map_or(0, str::len);
        }
        let docs = if before.is_empty() { self.inner_docs(item) } else { Some(before) };
        let at = item.at.clone().map(|at| {
            // In a qualified name, only the last part is the name.
            let whole = text.get(at.clone()).unwrap_or_default();
            let own = whole.rfind(name.as_str()).map_or(0, |from| from);
            let end =
                own + if whole[own..].starts_with(name.as_str()) { name.len() } else { whole.len() - own };
            at.start + own..at.start + end
        });
        let head = text.get(item.head..at.as_ref().map_or(end, |at| at.start.clamp(item.head, end)));
        let words = head.unwrap_or_default().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
        let words: Vec<&str> = words.collect();
        let known = self.tree.language().0.modifiers.iter().copied();
        Symbol {
            kind: item.kind,
            name,
            qualified,
            parent,
            span: item.range.clone(),
            end: item.end,
            docs,
            decorators: decorators.filter(|range| !range.is_empty()),
            signature: trimmed(text, item.head..end),
            body: item.body.clone(),
            at,
            hint: item.hint.clone(),
            value: item.value.clone(),
            modifiers: known.filter(|known| words.contains(known)).collect(),
        }
    }

    /// Finds a documentation string at the beginning of an item's body.
    fn inner_docs(&self, item: &Item) -> Option<Range<usize>> {
        let body = item.body.clone()?;
        // In an empty body, the search finds the node around the body, and can return a string outside it.
        self.tree.documentation(body.clone()).filter(|docs| body.start <= docs.start && docs.end <= body.end)
    }
}

/// Joins the path of an item to the qualified name of its parent.
fn qualify(above: &str, path: &[String]) -> String {
    let own = path.join(".");
    if above.is_empty() { own } else { format!("{above}.{own}") }
}

/// Splits the name of an item into a path: `A::b` into `A` and `b`.
fn names(item: &Item) -> Vec<String> {
    let name = item.name.as_str();
    match item.kind {
        Kind::Impl => {
            let of = name.rsplit_once(" for ").map_or(name, |(_, of)| of);
            segments(of).pop().into_iter().collect()
        }
        Kind::Key => vec![name.trim_matches(['"', '\'']).to_owned()],
        _ if name.starts_with('#') => vec![name.to_owned()],
        Kind::Element | Kind::Rule | Kind::Section => vec![name.to_owned()],
        _ if name.contains([' ', '"', '\'', '[', '{', '(']) => {
            let own = name.rsplit_once(" responds to ").map_or(name, |(_, own)| own);
            vec![own.trim_matches('"').to_owned()]
        }
        _ => segments(name),
    }
}

/// Removes text in angle or square brackets, and a parameter list at the end.
fn without_parameters(name: &str) -> String {
    let name = name.trim();
    if name.contains("operator") {
        return name.to_owned();
    }
    // `(*T).M` is the method `M` of `T`.
    let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((inner, rest)) => format!("{}{rest}", inner.trim_start_matches(['*', '&', ' '])),
        None => name.to_owned(),
    };
    let mut depth = 0_usize;
    let mut out = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        match letter {
            '<' | '[' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            ']' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && !out.is_empty() => break,
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
        before = letter;
    }
    out
}

/// Shrinks a range by the white space at both ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let shown = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (shown.len() - shown.trim_start().len());
    start..start + shown.trim().len()
}
