//! Reads a query by recursive descent, and goes on where something is wrong, so that it can say what could be meant.

use super::filtered::filtered;
use super::lex::{Name, Piece, Sort, Wrong, pieces};
use super::{Beside, Fault, Node, Query};
use crate::ranked::tokens;

/// The maximum nesting depth of brackets.
const DEEPEST: usize = 64;
/// The longest query, in bytes.
const LONGEST: usize = 10_000;

/// Parses a query.
///
/// # Errors
///
/// The first error, with a suggested query.
pub fn parse(query: &str) -> Result<Query, Fault> {
    if query.len() > LONGEST {
        let what = format!("the query has {} bytes; at most {LONGEST} are read", query.len());
        return Err(Fault { column: 1, what, instead: None });
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
        (Some(wrong), node) => Err(Fault {
            column: text[..wrong.at.min(text.len())].chars().count() + 1,
            what: wrong.what,
            instead: node.map(|node| node.to_string()),
        }),
        (None, Some(node)) => Ok(Query { node, notes }),
        (None, None) => {
            Err(Fault { column: 1, what: "the query holds no word to look for".to_owned(), instead: None })
        }
    }
}

/// Removes the question mark at the end of a question, since it is not a wildcard there.
fn without_question<'q>(query: &'q str, notes: &mut Vec<String>) -> &'q str {
    let text = query.trim_end();
    let Some(before) = text.strip_suffix('?') else { return query };
    let words = before.split_whitespace().count();
    let plain = !before.contains(['"', '(', ':', '*', '?', '+', '!']);
    if words < 3 || !plain || [" AND ", " OR ", "NOT "].iter().any(|word| before.contains(word)) {
        return query;
    }
    notes.push("the mark at the end was read as that of a question, not as any letter".to_owned());
    before
}

/// Treats lower-case `and` and `or` as operators if they separate all other words.
fn small_words(pieces: &mut [Piece], notes: &mut Vec<String>) {
    let small = |piece: &Piece| match &piece.sort {
        Sort::Word(word) if word == "and" => Some(Sort::And),
        Sort::Word(word) if word == "or" => Some(Sort::Or),
        _ => None,
    };
    let alternates = pieces.len() % 2 == 1
        && pieces.iter().enumerate().all(|(at, piece)| {
            let one = matches!(piece.sort, Sort::Word(_) | Sort::Phrase(_)) && small(piece).is_none();
            if at % 2 == 0 { one } else { small(piece).is_some() }
        });
    if alternates {
        for piece in pieces {
            if let Some(sort) = small(piece) {
                piece.sort = sort;
            }
        }
    } else if pieces.iter().any(|piece| small(piece).is_some() || piece.sort == Sort::Word("not".to_owned()))
    {
        notes.push(
            "and, or and not in small letters were looked for as words; AND, OR and NOT join".to_owned(),
        );
    }
}

struct Parser {
    pieces: Vec<Piece>,
    at: usize,
    depth: usize,
    /// The position of excessive nesting; the rest of the query is not checked.
    deep: Option<Wrong>,
    wrong: Vec<Wrong>,
    end: usize,
}

/// The role of an operand among adjacent ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Must,
    Should,
    Never,
}

impl Parser {
    fn peek(&self) -> Option<&Sort> {
        self.pieces.get(self.at).map(|piece| &piece.sort)
    }

    fn place(&self) -> usize {
        self.pieces.get(self.at).map_or(self.end, |piece| piece.at)
    }

    fn wrong(&mut self, at: usize, what: impl Into<String>) {
        self.wrong.push(Wrong { at, what: what.into() });
    }

    /// Stops the parser if the nesting is too deep.
    fn too_deep(&mut self, at: usize) -> bool {
        if self.depth < DEEPEST {
            return false;
        }
        let what = format!("more than {DEEPEST} brackets and signs stand in one another here");
        self.deep.get_or_insert(Wrong { at, what });
        self.at = self.pieces.len();
        true
    }

    fn whole(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        loop {
            parts.extend(self.beside());
            if self.peek() != Some(&Sort::Close) {
                break;
            }
            self.wrong(self.place(), "this bracket closes nothing");
            self.at += 1;
        }
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Node::Beside(Beside { should: parts, ..Beside::default() })),
        }
    }

    /// Parses adjacent operands.
    fn beside(&mut self) -> Option<Node> {
        let mut parts: Vec<(Stand, Node)> = Vec::new();
        while let Some(sort) = self.peek() {
            let stand = match sort {
                Sort::Close => break,
                Sort::Must => Stand::Must,
                Sort::Never | Sort::Not => Stand::Never,
                _ => Stand::Should,
            };
            let before = self.at;
            if let Some(node) = self.any() {
                parts.push((stand, node));
            }
            if self.at == before {
                self.at += 1;
            }
        }
        if let [(Stand::Should, _)] = parts.as_slice() {
            return parts.pop().map(|(_, node)| node);
        }
        let mut out = Beside::default();
        for (stand, node) in parts {
            match (stand, node) {
                (Stand::Should, node) if node.is_filter() => out.must.push(node),
                (Stand::Should, node) => out.should.push(node),
                // `+a` is a alone; `-a` is all but a.
                (Stand::Must, node) => out.must.push(node),
                (Stand::Never, Node::Not(node)) => out.never.push(*node),
                (Stand::Never, node) => out.must.push(node),
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
        self.joined(&Sort::Or, Self::all, Node::Any)
    }

    fn all(&mut self) -> Option<Node> {
        self.joined(&Sort::And, Self::not, Node::All)
    }

    /// Reads parts with a word between them.
    fn joined(
        &mut self,
        sign: &Sort,
        part: fn(&mut Self) -> Option<Node>,
        make: fn(Vec<Node>) -> Node,
    ) -> Option<Node> {
        let mut nodes: Vec<Node> = part(self).into_iter().collect();
        while self.peek() == Some(sign) {
            let at = self.place();
            let name = if *sign == Sort::And { "AND" } else { "OR" };
            if nodes.is_empty() {
                self.wrong(at, format!("{name} has nothing before it"));
            }
            self.at += 1;
            let before = self.wrong.len();
            match part(self) {
                Some(node) => nodes.push(node),
                None if self.wrong.len() == before => self.wrong(at, format!("{name} has nothing behind it")),
                None => {}
            }
        }
        if nodes.len() > 1 { Some(make(nodes)) } else { nodes.pop() }
    }

    fn not(&mut self) -> Option<Node> {
        let at = self.place();
        let (name, negates) = match self.peek()? {
            Sort::Not => ("NOT", true),
            Sort::Never => ("-", true),
            Sort::Must => ("+", false),
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
                self.wrong(at, format!("{name} has nothing behind it"));
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
                Some(Sort::Weight(number)) => {
                    let weight = number.parse::<f64>().ok().filter(|weight| (0.0..=1_000.0).contains(weight));
                    self.at += 1;
                    match weight {
                        Some(weight) => node = Node::Weighed(Box::new(node), weight),
                        None => self.wrong(at, "^ takes a number from 0 to 1000, such as ^2"),
                    }
                }
                Some(Sort::Fuzzy(number)) => {
                    let letters = if number.is_empty() { Some(1) } else { number.parse().ok() };
                    self.at += 1;
                    match (&mut node, letters) {
                        (Node::Word(word), Some(letters @ 1..=2)) => word.fuzzy = letters,
                        (Node::Word(_), _) => self.wrong(at, "~ takes 1 or 2: so many letters may differ"),
                        _ => self.wrong(at, "~ stands behind a word only: its letters may differ"),
                    }
                }
                _ => return Some(node),
            }
        }
    }

    fn one(&mut self) -> Option<Node> {
        let at = self.place();
        match self.peek()?.clone() {
            Sort::Word(text) => {
                self.at += 1;
                Some(Node::word(text))
            }
            Sort::Phrase(text) => {
                self.at += 1;
                if text.contains(tokens::is_word) {
                    return Some(Node::Phrase(text));
                }
                self.wrong(at, "the quotes hold no word to look for");
                None
            }
            Sort::Field(name, end) => {
                self.at += 1;
                self.field(name, at, end)
            }
            Sort::Open => {
                self.at += 1;
                self.group(at)
            }
            Sort::Weight(_) | Sort::Fuzzy(_) => {
                self.at += 1;
                self.wrong(at, "this sign stands behind a word");
                None
            }
            Sort::Close | Sort::And | Sort::Or | Sort::Not | Sort::Must | Sort::Never => None,
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
        if self.peek() == Some(&Sort::Close) {
            self.at += 1;
            if node.is_none() && self.wrong.len() == before {
                self.wrong(at, "these brackets hold nothing");
            }
        } else {
            self.wrong(at, "this bracket is not closed");
        }
        node
    }

    /// Parses the value of a filter.
    fn field(&mut self, name: Name, at: usize, end: usize) -> Option<Node> {
        let own = match name {
            Name::Filter(field) => field.name(),
            Name::Part(part) => part.name(),
        };
        if self.place() != end {
            self.wrong(at, format!("{own}: has no value right behind it"));
        }
        let sign = self.place();
        if let (Some(Sort::Not | Sort::Never), true) = (self.peek(), sign == end) {
            self.wrong(sign, format!("what excludes stands before {own}:, not behind it"));
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
            Some(Sort::Word(_) | Sort::Phrase(_) | Sort::Open) => self.one(),
            _ => None,
        };
        let Some(value) = value else {
            self.wrong(at, format!("{own}: has no value right behind it"));
            return None;
        };
        match name {
            Name::Part(part) => Some(Node::In(part, Box::new(value))),
            Name::Filter(field) => Some(filtered(field, value)),
        }
    }
}

/// Merges adjacent filters of the same field as alternatives: a file has only one language.
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
