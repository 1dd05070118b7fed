//! Finds the items in the nodes of a tree.

mod macro_items;

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::{Grammar, Overloads, Rule};
use crate::{Item, Kind, headings};

/// Maximum depth at which bodies are parsed.
pub(crate) const DEEPEST: usize = 64;

/// Lists the parts of a file.
pub(crate) fn blocks(grammar: &Grammar, root: Node<'_>, text: &str) -> Vec<Item> {
    match &grammar.headings {
        Some(headings) => headings::read(headings, root, text),
        None => Reader { grammar, text, macros: macro_items::LEVELS }.block(root, 0),
    }
}

/// Removes statements and comments, but keeps the items in them.
pub(crate) fn named(items: Vec<Item>) -> Vec<Item> {
    let mut out = Vec::new();
    for mut item in items {
        let children = named(std::mem::take(&mut item.children));
        if matches!(item.kind, Kind::Statement | Kind::Comment) {
            out.extend(children);
        } else {
            item.children = children;
            out.push(item);
        }
    }
    out
}

pub(crate) struct Reader<'a> {
    pub(crate) grammar: &'a Grammar,
    pub(crate) text: &'a str,
    /// Number of nested macro calls in which items are still found.
    pub(crate) macros: usize,
}

/// Comments and attributes that may belong to the next item.
#[derive(Default)]
struct LeadingTrivia {
    comments: Vec<Range<usize>>,
    attributes: Vec<Range<usize>>,
}

impl Reader<'_> {
    /// Lists the parts of an item's body.
    pub(crate) fn block(&self, body: Node<'_>, depth: usize) -> Vec<Item> {
        let mut out: Vec<Item> = Vec::new();
        let mut lead = LeadingTrivia::default();
        for node in self.members(body) {
            let range = node.byte_range();
            let kind = node.kind();
            if self.grammar.is_comment(kind) {
                let trails = lead.comments.is_empty() && lead.attributes.is_empty();
                match out.last_mut().filter(|last| trails && !self.breaks(last.range.end, range.start)) {
                    Some(last) => last.range.end = self.trimmed(&range).end,
                    None => lead.comments.push(self.trimmed(&range)),
                }
            } else if self.grammar.is_attribute(kind) {
                lead.attributes.push(range);
            } else {
                let taken = std::mem::take(&mut lead);
                self.entry(node, taken, depth, &mut out);
            }
        }
        for range in lead.comments.into_iter().chain(lead.attributes) {
            out.push(Item::bare(Kind::Comment, range));
        }
        out.sort_by_key(|item| item.range.start);
        out
    }

    /// Lists the nodes of a body, with the children of nodes that only group others.
    fn members<'t>(&self, body: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = body.walk();
        let mut out = Vec::new();
        let mut level: Vec<Node<'t>> = body.children(&mut cursor).collect();
        level.reverse();
        while let Some(node) = level.pop() {
            if self.grammar.flat.contains(&node.kind()) {
                let from = level.len();
                level.extend(node.children(&mut cursor));
                level[from..].reverse();
            } else if node.is_named() && !node.byte_range().is_empty() {
                out.push(node);
            }
        }
        out
    }

    /// Adds an item with the adjacent comments before it; other comments are separate.
    fn entry(&self, node: Node<'_>, lead: LeadingTrivia, depth: usize, out: &mut Vec<Item>) {
        let mut item = self.describe(node, depth);
        let mut start = item.range.start;
        if let Some(first) = lead.attributes.first() {
            item.attributes = Some(first.start);
            start = start.min(first.start);
        }
        let mut alone = Vec::new();
        for comment in lead.comments.into_iter().rev() {
            if comment.start > start || alone.is_empty() && self.touches(comment.end, start) {
                start = start.min(comment.start);
            } else {
                alone.push(Item::bare(Kind::Comment, comment));
            }
        }
        item.range.start = start;
        out.extend(alone.into_iter().rev());
        out.push(item);
    }

    /// Converts a node to an item.
    fn describe(&self, node: Node<'_>, depth: usize) -> Item {
        let range = self.trimmed(&node.byte_range());
        let inner = self.unwrap(node);
        let (attributes, head) = self.head(node, &range);
        let mut item = Item { attributes, head, ..Item::bare(Kind::Statement, range) };
        let Some(rule) = self.grammar.rule(inner.kind()) else {
            item.children = match inner.kind() {
                "macro_invocation" if self.grammar.name == "rust" && depth < DEEPEST => {
                    self.in_macro(inner, depth)
                }
                _ => self.local(node, depth),
            };
            return item;
        };
        item.kind = rule.kind;
        (item.name, item.at) = self.name(inner, rule);
        if item.name.is_empty() && item.kind.defines() {
            // A field without a name may still define a type: `class Inner { … };` in a C++ class.
            let unnamed_field = std::mem::replace(&mut item.kind, Kind::Statement) == Kind::Field;
            if unnamed_field {
                item.children = self.local(node, depth);
                return item;
            }
        }
        let mut body = self.body(inner, rule);
        let value = self.value(inner);
        item.value = value.map(|value| self.trimmed(&value.byte_range()));
        item.hint = self.hint(inner);
        if matches!(item.kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Variant) {
            let bound = self.bound(inner, rule);
            if bound.as_ref().is_some_and(Vec::is_empty) {
                // `const {} = x` defines nothing.
                item.kind = Kind::Statement;
            }
            item.bound = bound.unwrap_or_default();
            item.further = self.further(node, inner, rule);
        }
        if let Some(value) =
            value.filter(|value| item.bound.is_empty() && self.grammar.callables.contains(&value.kind()))
        {
            item.kind = if value.kind().contains("class") { Kind::Class } else { Kind::Function };
            body = value.child_by_field_name("body");
        }
        item.kind = self.refined(inner, rule, body, item.kind);
        if let Some(value) = value.filter(|_| body.is_none() && self.holds_members(item.kind)) {
            item.children = self.local(value, depth);
        }
        if item.kind == Kind::Function {
            item.parameters = self.parameters(inner, body);
        }
        if let Some(body) = body {
            item.body = Some(self.bounds(body));
            // The body of a type alias is an object type, whose members are items.
            let holds = item.kind.holds_items() || item.kind == Kind::Type;
            item.children =
                if holds && depth < DEEPEST { self.block(body, depth + 1) } else { self.local(body, depth) };
        }
        item
    }

    /// Unwraps nodes that only contain an item.
    fn unwrap<'t>(&self, node: Node<'t>) -> Node<'t> {
        let mut inner = node;
        for _ in 0..8 {
            let rule = self.grammar.rule(inner.kind());
            let group = rule.is_some_and(|rule| rule.kind == Kind::Group && self.body(inner, rule).is_none());
            if !self.grammar.wrappers.contains(&inner.kind()) && !group {
                break;
            }
            let known = |node: &Node<'t>| {
                self.grammar.rule(node.kind()).is_some() || self.grammar.wrappers.contains(&node.kind())
            };
            let mut cursor = inner.walk();
            let Some(next) = inner.children(&mut cursor).filter(Node::is_named).find(known) else { break };
            inner = next;
        }
        inner
    }

    /// Finds the start of attributes, if any, and the start of the item after them.
    fn head(&self, node: Node<'_>, range: &Range<usize>) -> (Option<usize>, usize) {
        let (mut first, mut head) = (None, range.start);
        let mut level = vec![node];
        while let Some(at) = level.pop() {
            let mut cursor = at.walk();
            for child in at.children(&mut cursor) {
                let between = self.text.get(head..child.start_byte()).unwrap_or_default();
                if self.grammar.is_attribute(child.kind()) && between.trim().is_empty() {
                    first = first.or(Some(child.start_byte()));
                    head = child.end_byte();
                } else if child.start_byte() <= range.start || child.kind() == "modifiers" {
                    level.push(child);
                    break;
                } else {
                    break;
                }
            }
        }
        let rest = &self.text[head..];
        // If an item consists only of attributes, as in broken code, its head is at its end.
        (first, (head + (rest.len() - rest.trim_start().len())).min(range.end))
    }

    /// Finds the body of an item: a field, or the first node of a kind inside the item.
    pub(crate) fn body<'t>(&self, node: Node<'t>, rule: &Rule) -> Option<Node<'t>> {
        rule.body.iter().find_map(|wanted| match *wanted {
            "self" => Some(node).filter(|node| node.child_by_field_name("alternative").is_none()),
            "(" => self.first(node, "(", 2).and_then(|bracket| bracket.parent()),
            wanted => node.child_by_field_name(wanted).or_else(|| self.first(node, wanted, 3)),
        })
    }

    /// Finds the value of an item.
    fn value<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.grammar.values.iter().find_map(|path| at(node, path))
    }

    /// Finds the type annotation of an item.
    fn hint(&self, node: Node<'_>) -> Option<Range<usize>> {
        let found = self.grammar.hints.iter().find_map(|path| at(node, path))?;
        // If the node begins with a colon, the type is the inner node.
        let signed = self.text.get(found.byte_range()).is_some_and(|text| text.starts_with(':'));
        let found = if signed { found.named_child(0).unwrap_or(found) } else { found };
        Some(self.trimmed(&found.byte_range()))
    }

    /// Finds the first node of a kind, at most `levels` levels below a node.
    pub(crate) fn first<'t>(&self, node: Node<'t>, kind: &str, levels: usize) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        let own = children.iter().find(|child| child.kind() == kind).copied();
        own.or_else(|| {
            let deeper = levels.checked_sub(1).filter(|levels| *levels > 0)?;
            children.into_iter().find_map(|child| self.first(child, kind, deeper))
        })
    }

    /// Returns the byte range of a body, from its opening bracket if it has one.
    fn bounds(&self, body: Node<'_>) -> Range<usize> {
        let mut cursor = body.walk();
        let opens = |node: &Node<'_>| matches!(node.kind(), "{" | "(");
        let open = body.children(&mut cursor).find(opens).map(|node| node.start_byte());
        let range = self.trimmed(&body.byte_range());
        open.unwrap_or(range.start)..range.end
    }

    /// Returns the kind of a node whose rule allows several kinds.
    fn refined(&self, node: Node<'_>, rule: &Rule, body: Option<Node<'_>>, kind: Kind) -> Kind {
        if let (Some(bare), None) = (rule.without_body, body) {
            return bare;
        }
        let is = |field: &str, wanted: &str| match field {
            "@child" => {
                let mut cursor = node.walk();
                node.children(&mut cursor).any(|child| child.kind() == wanted)
            }
            _ => declares(node, field, wanted),
        };
        let found = rule.refine.iter().find(|(field, wanted, _)| kind == rule.kind && is(field, wanted));
        found.map_or(kind, |(_, _, kind)| *kind)
    }

    /// Lists the types of a function's parameters, if they distinguish functions.
    fn parameters(&self, node: Node<'_>, body: Option<Node<'_>>) -> Option<Vec<String>> {
        let Overloads::ByType(kind) = self.grammar.overloads else { return None };
        let list = self
            .first(node, kind, 5)
            .filter(|list| body.is_none_or(|body| list.start_byte() < body.start_byte()))?;
        let mut cursor = list.walk();
        let types = list
            .children(&mut cursor)
            .filter(Node::is_named)
            .filter(|node| !self.grammar.is_comment(node.kind()));
        Some(
            types
                .map(|node| {
                    node.child_by_field_name("type")
                        .map_or_else(|| self.plain(node), |found| self.plain(found))
                })
                .collect(),
        )
    }

    /// Checks whether the value of items of this kind may be an object literal with methods.
    fn holds_members(&self, kind: Kind) -> bool {
        let value = matches!(kind, Kind::Variable | Kind::Constant | Kind::Field);
        value && self.grammar.rule("pair").is_some()
    }

    /// Checks whether a key of an object literal has a function as its value.
    fn is_method(&self, node: Node<'_>) -> bool {
        let key = node.child_by_field_name("key").is_some_and(|key| key.kind() == "property_identifier");
        let value = node.child_by_field_name("value");
        key && value.is_some_and(|value| self.grammar.callables.contains(&value.kind()))
    }

    /// Lists the definitions in code that is not a block of items.
    fn local(&self, code: Node<'_>, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        if depth >= DEEPEST {
            return out;
        }
        let mut cursor = code.walk();
        if !cursor.goto_first_child() {
            return out;
        }
        loop {
            let node = cursor.node();
            let rule = self.grammar.rule(self.unwrap(node).kind());
            let defines = rule.is_some_and(|rule| {
                matches!(rule.kind, Kind::Function | Kind::Macro)
                    || rule.kind.holds_items() && rule.kind != Kind::Group
                    || node.kind() == "pair" && self.is_method(node)
            });
            let item =
                (defines && !self.grammar.is_comment(node.kind())).then(|| self.describe(node, depth + 1));
            let item = item.filter(|item| item.body.is_some() && item.kind.defines());
            let found = item.is_some();
            out.extend(item);
            if !found && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || cursor.node() == code {
                    return out;
                }
            }
        }
    }

    /// Returns the text of a node with single spaces between its words.
    pub(crate) fn plain(&self, node: Node<'_>) -> String {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Shrinks a range by the white space at its end.
    fn trimmed(&self, range: &Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }

    fn breaks(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    /// Returns whether only white space, without a blank line, is between two locations.
    fn touches(&self, from: usize, to: usize) -> bool {
        self.text
            .get(from..to)
            .is_some_and(|between| between.matches('\n').count() < 2 && between.trim().is_empty())
    }
}

/// Returns whether a field contains a node of a kind, possibly inside pointer declarators, as in
/// `char *f(void);`.
fn declares(node: Node<'_>, field: &str, wanted: &str) -> bool {
    let mut found = node.child_by_field_name(field);
    while let Some(inner) = found {
        if inner.kind() == wanted {
            return true;
        }
        found = inner.child_by_field_name(field).filter(|_| inner.kind().ends_with("_declarator"));
    }
    false
}

/// Follows a path of fields, and of kinds of children after `@`.
pub(crate) fn at<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    path.split('/').try_fold(node, |node, part| match part.strip_prefix('@') {
        None => node.child_by_field_name(part),
        Some(kind) => {
            let mut cursor = node.walk();
            node.children(&mut cursor).find(|child| child.kind() == kind)
        }
    })
}
