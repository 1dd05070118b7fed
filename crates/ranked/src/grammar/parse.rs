//! Recursive descent parser of keyword queries, which continues after an error to suggest a correction.

use super::lex::{LexError, Name, QueryToken, TokenKind, pieces};
use super::{BooleanQuery, Field, Node, Query, QueryError, Word};
use crate::tokens;

/// The maximum nesting depth of brackets and operators.
const DEEPEST: usize = 64;
/// The maximum length of a query, in bytes.
const LONGEST: usize = 10_000;

/// Parses a keyword query.
///
/// # Errors
///
/// If the query is invalid: the first error, with a corrected query if there is one.
pub fn parse(query: &str) -> Result<Query, QueryError> {
    if query.len() > LONGEST {
        let what = format!("the query has {} bytes; the maximum is {LONGEST}", query.len());
        return Err(QueryError { column: 1, what, instead: None });
    }
    let mut notes = Vec::new();
    let text = without_question(query, &mut notes);
    let (mut pieces, wrong) = pieces(text);
    small_words(&mut pieces, &mut notes);
    let end = text.trim_end().len();
    let mut parser = Parser { pieces, at: 0, depth: 0, deep: None, wrong, end };
    let node = parser.whole();
    let first = parser.deep.or_else(|| parser.wrong.into_iter().min_by_key(|wrong| wrong.at));
    match (first, node) {
        (Some(wrong), node) => Err(QueryError {
            column: text[..wrong.at.min(text.len())].chars().count() + 1,
            what: wrong.what,
            instead: node.map(|node| node.to_string()),
        }),
        (None, Some(node)) => Ok(Query { node, notes }),
        (None, None) => Err(QueryError {
            column: 1,
            what: "the query has no word to search for".to_owned(),
            instead: None,
        }),
    }
}

/// Removes the question mark at the end of a question in prose, because it is not a wildcard there. Adds a note about
/// that.
fn without_question<'q>(query: &'q str, notes: &mut Vec<String>) -> &'q str {
    let text = query.trim_end();
    let Some(before) = text.strip_suffix('?') else { return query };
    let words = before.split_whitespace().count();
    let plain = !before.contains(['"', '(', ':', '*', '?', '+', '!']);
    if words < 3 || !plain || [" AND ", " OR ", "NOT "].iter().any(|word| before.contains(word)) {
        return query;
    }
    notes.push("the ? at the end was ignored as punctuation, not used as a wildcard".to_owned());
    before
}

/// Treats `and` and `or` in lower case as operators if the query consists of words and phrases with one of them between
/// every two. Otherwise adds a note that they were searched for.
fn small_words(pieces: &mut [QueryToken], notes: &mut Vec<String>) {
    let small = |piece: &QueryToken| match &piece.sort {
        TokenKind::Word(word) if word == "and" => Some(TokenKind::And),
        TokenKind::Word(word) if word == "or" => Some(TokenKind::Or),
        _ => None,
    };
    let alternates = pieces.len() % 2 == 1
        && pieces.iter().enumerate().all(|(at, piece)| {
            let one =
                matches!(piece.sort, TokenKind::Word(_) | TokenKind::Phrase(_)) && small(piece).is_none();
            if at % 2 == 0 { one } else { small(piece).is_some() }
        });
    if alternates {
        for piece in pieces {
            if let Some(sort) = small(piece) {
                piece.sort = sort;
            }
        }
    } else if pieces
        .iter()
        .any(|piece| small(piece).is_some() || piece.sort == TokenKind::Word("not".to_owned()))
    {
        notes.push(
            "and, or and not in lower case were searched for as words; AND, OR and NOT are operators"
                .to_owned(),
        );
    }
}

struct Parser {
    pieces: Vec<QueryToken>,
    at: usize,
    depth: usize,
    /// The error for nesting that is too deep; the rest of the query is not parsed.
    deep: Option<LexError>,
    wrong: Vec<LexError>,
    end: usize,
}

/// The role of one of several adjacent operands: required, optional or excluded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandRole {
    Must,
    Should,
    Never,
}

impl Parser {
    fn peek(&self) -> Option<&TokenKind> {
        self.pieces.get(self.at).map(|piece| &piece.sort)
    }

    fn place(&self) -> usize {
        self.pieces.get(self.at).map_or(self.end, |piece| piece.at)
    }

    fn wrong(&mut self, at: usize, what: impl Into<String>) {
        self.wrong.push(LexError { at, what: what.into() });
    }

    /// Records an error and skips the rest of the query if the nesting is too deep. Returns whether it is.
    fn too_deep(&mut self, at: usize) -> bool {
        if self.depth < DEEPEST {
            return false;
        }
        let what = format!("more than {DEEPEST} brackets and operators are nested here");
        self.deep.get_or_insert(LexError { at, what });
        self.at = self.pieces.len();
        true
    }

    fn whole(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        loop {
            parts.extend(self.beside());
            if self.peek() != Some(&TokenKind::Close) {
                break;
            }
            self.wrong(self.place(), "this closing bracket has no opening bracket");
            self.at += 1;
        }
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Node::Beside(BooleanQuery { should: parts, ..BooleanQuery::default() })),
        }
    }

    /// Parses adjacent operands without an operator between them.
    fn beside(&mut self) -> Option<Node> {
        let mut parts: Vec<(OperandRole, Node)> = Vec::new();
        while let Some(sort) = self.peek() {
            let stand = match sort {
                TokenKind::Close => break,
                TokenKind::Must => OperandRole::Must,
                TokenKind::Never | TokenKind::Not => OperandRole::Never,
                _ => OperandRole::Should,
            };
            let before = self.at;
            if let Some(node) = self.any() {
                parts.push((stand, node));
            }
            if self.at == before {
                self.at += 1;
            }
        }
        if let [(OperandRole::Should, _)] = parts.as_slice() {
            return parts.pop().map(|(_, node)| node);
        }
        let mut out = BooleanQuery::default();
        for (stand, node) in parts {
            match (stand, node) {
                (OperandRole::Should, node) if node.is_filter() => out.must.push(node),
                (OperandRole::Should, node) => out.should.push(node),
                // `+a` requires a; `-a` excludes a.
                (OperandRole::Must, node) => out.must.push(node),
                (OperandRole::Never, Node::Not(node)) => out.never.push(*node),
                (OperandRole::Never, node) => out.must.push(node),
            }
        }
        out.must = one_of_each(out.must);
        match (out.must.len(), out.should.len(), out.never.len()) {
            (0, 0, 0) => None,
            (0, 0, 1) => out.never.pop().map(|node| Node::Not(Box::new(node))),
            (1, 0, 0) => out.must.pop(),
            _ => Some(Node::Beside(out)),
        }
    }

    fn any(&mut self) -> Option<Node> {
        self.joined(&TokenKind::Or, Self::all, Node::Any)
    }

    fn all(&mut self) -> Option<Node> {
        self.joined(&TokenKind::And, Self::not, Node::All)
    }

    /// Parses operands that the operator `sign` separates; `part` parses one operand, and `make` creates the node.
    fn joined(
        &mut self,
        sign: &TokenKind,
        part: fn(&mut Self) -> Option<Node>,
        make: fn(Vec<Node>) -> Node,
    ) -> Option<Node> {
        let mut nodes: Vec<Node> = part(self).into_iter().collect();
        while self.peek() == Some(sign) {
            let at = self.place();
            let name = if *sign == TokenKind::And { "AND" } else { "OR" };
            if nodes.is_empty() {
                self.wrong(at, format!("{name} has nothing before it"));
            }
            self.at += 1;
            let before = self.wrong.len();
            match part(self) {
                Some(node) => nodes.push(node),
                None if self.wrong.len() == before => self.wrong(at, format!("{name} has nothing after it")),
                None => {}
            }
        }
        if nodes.len() > 1 { Some(make(nodes)) } else { nodes.pop() }
    }

    fn not(&mut self) -> Option<Node> {
        let at = self.place();
        let (name, negates) = match self.peek()? {
            TokenKind::Not => ("NOT", true),
            TokenKind::Never => ("-", true),
            TokenKind::Must => ("+", false),
            _ => return self.weighed(),
        };
        self.at += 1;
        if self.too_deep(at) {
            return None;
        }
        self.depth += 1;
        let before = self.wrong.len();
        let node = self.not();
        self.depth -= 1;
        match node {
            None if self.wrong.len() == before => {
                self.wrong(at, format!("{name} has nothing after it"));
                None
            }
            None => None,
            Some(Node::Not(inner)) if negates => Some(*inner),
            Some(node) if negates => Some(Node::Not(Box::new(node))),
            Some(node) => Some(node),
        }
    }

    fn weighed(&mut self) -> Option<Node> {
        let mut node = self.one()?;
        loop {
            let at = self.place();
            match self.peek() {
                Some(TokenKind::Weight(number)) => {
                    let weight = number.parse::<f64>().ok().filter(|weight| (0.0..=1_000.0).contains(weight));
                    self.at += 1;
                    match weight {
                        Some(weight) => node = Node::Weighed(Box::new(node), weight),
                        None => self.wrong(at, "^ takes a number from 0 to 1000, such as ^2"),
                    }
                }
                Some(TokenKind::Fuzzy(number)) => {
                    let letters = if number.is_empty() { Some(1) } else { number.parse().ok() };
                    self.at += 1;
                    match (&mut node, letters) {
                        (Node::Word(word), Some(letters @ 1..=2)) => word.fuzzy = letters,
                        (Node::Word(_), _) => {
                            self.wrong(at, "~ takes 1 or 2, the number of letters that may differ");
                        }
                        _ => self.wrong(at, "~ works only after a word: some of its letters may differ"),
                    }
                }
                _ => return Some(node),
            }
        }
    }

    fn one(&mut self) -> Option<Node> {
        let at = self.place();
        match self.peek()?.clone() {
            TokenKind::Word(text) => {
                self.at += 1;
                Some(Node::word(text))
            }
            TokenKind::Phrase(text) => {
                self.at += 1;
                if text.contains(tokens::is_word) {
                    return Some(Node::Phrase(text));
                }
                self.wrong(at, "the quotes contain no word to search for");
                None
            }
            TokenKind::Field(name, end) => {
                self.at += 1;
                self.field(name, at, end)
            }
            TokenKind::Open => {
                self.at += 1;
                self.group(at)
            }
            TokenKind::Weight(_) | TokenKind::Fuzzy(_) => {
                self.at += 1;
                self.wrong(at, "^ and ~ must follow a word without a space");
                None
            }
            TokenKind::Close
            | TokenKind::And
            | TokenKind::Or
            | TokenKind::Not
            | TokenKind::Must
            | TokenKind::Never => None,
        }
    }

    fn group(&mut self, at: usize) -> Option<Node> {
        if self.too_deep(at) {
            return None;
        }
        self.depth += 1;
        let before = self.wrong.len();
        let node = self.beside();
        self.depth -= 1;
        if self.peek() == Some(&TokenKind::Close) {
            self.at += 1;
            if node.is_none() && self.wrong.len() == before {
                self.wrong(at, "these brackets are empty");
            }
        } else {
            self.wrong(at, "this bracket is not closed");
        }
        node
    }

    /// Parses the value after `lang:` or another name; `at` and `end` are the byte offsets before the name and after
    /// the colon.
    fn field(&mut self, name: Name, at: usize, end: usize) -> Option<Node> {
        let own = match name {
            Name::Filter(field) => field.name(),
            Name::Part(part) => part.name(),
        };
        if self.place() != end {
            self.wrong(at, format!("{own}: has no value directly after it"));
        }
        let sign = self.place();
        if let (Some(TokenKind::Not | TokenKind::Never), true) = (self.peek(), sign == end) {
            self.wrong(sign, format!("put NOT or - before {own}:, not after it"));
            self.at += 1;
            if self.too_deep(sign) {
                return None;
            }
            self.depth += 1;
            let value = self.field(name, at, self.place());
            self.depth -= 1;
            return value.map(|node| Node::Not(Box::new(node)));
        }
        let value = match self.peek() {
            Some(TokenKind::Word(_) | TokenKind::Phrase(_) | TokenKind::Open) => self.one(),
            _ => None,
        };
        let Some(value) = value else {
            self.wrong(at, format!("{own}: has no value directly after it"));
            return None;
        };
        match name {
            Name::Part(part) => Some(Node::In(part, Box::new(value))),
            Name::Filter(field) => Some(filtered(field, value)),
        }
    }
}

/// Merges filters of the same field into alternatives: `lang:rust lang:go` accepts both languages.
fn one_of_each(must: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    for node in must {
        let Node::Filter(field, values) = &node else {
            out.push(node);
            continue;
        };
        let same = out.iter_mut().find_map(|other| match other {
            Node::Filter(other, known) if other == field => Some(known),
            _ => None,
        });
        match same {
            Some(known) => known.extend(values.iter().cloned()),
            None => out.push(node),
        }
    }
    out
}

/// Creates filters from the value after a colon: a word is split at commas, and brackets into their operands.
pub(super) fn filtered(field: Field, value: Node) -> Node {
    let all = |nodes: Vec<Node>| nodes.into_iter().map(|node| filtered(field, node)).collect();
    match value {
        Node::Word(Word { text, .. }) => {
            let values = text.split(',').filter(|value| !value.is_empty());
            Node::Filter(field, values.map(str::to_owned).collect())
        }
        Node::Phrase(text) => Node::Filter(field, vec![text]),
        Node::All(nodes) => Node::All(all(nodes)),
        Node::Any(nodes) => Node::Any(all(nodes)),
        Node::Not(node) => Node::Not(Box::new(filtered(field, *node))),
        Node::Weighed(node, _) => filtered(field, *node),
        Node::Beside(beside) => one_of_sorts(field, beside),
        kept @ (Node::Filter(..) | Node::In(..)) => kept,
    }
}

/// Creates filters from adjacent operands in the brackets after a colon.
fn one_of_sorts(field: Field, beside: BooleanQuery) -> Node {
    let all =
        |nodes: Vec<Node>| -> Vec<Node> { nodes.into_iter().map(|node| filtered(field, node)).collect() };
    let mut parts = all(beside.must);
    let should = all(beside.should);
    if !should.is_empty() && parts.is_empty() {
        parts.push(if should.len() > 1 { Node::Any(should) } else { Node::All(should) });
    }
    parts.extend(all(beside.never).into_iter().map(|node| Node::Not(Box::new(node))));
    if parts.len() > 1 { Node::All(parts) } else { parts.pop().unwrap_or(Node::Filter(field, Vec::new())) }
}
