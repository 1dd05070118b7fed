//! Names of items, read from the location that the language's table defines.

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::{Name, Rule};
use crate::read::{DEEPEST, Reader, at};

/// The name of an item, and its range.
type ItemName = (String, Option<Range<usize>>);

impl Reader<'_> {
    /// Finds the name of an item, and its range if it is contiguous.
    pub(crate) fn name(&self, node: Node<'_>, rule: &Rule) -> ItemName {
        let field = |field| node.child_by_field_name(field);
        match rule.name {
            Name::Field(named) => self.standing(field(named)),
            Name::Joined(first, word, second) => match (field(first), field(second)) {
                (Some(first), Some(second)) => {
                    let (name, _) = self.standing(Some(first));
                    let (of, at) = self.standing(Some(second));
                    (format!("{} {word} {}", base(&name), base(&of)), at)
                }
                (one, other) => {
                    let (name, at) = self.standing(one.or(other));
                    (base(&name).to_owned(), at)
                }
            },
            Name::Path(named) => {
                let (path, at) = self.standing(field(named));
                let path = path.split('{').next().unwrap_or_default();
                let path = path.rsplit_once("::").map_or(path, |(path, _)| path).trim_end_matches("::");
                (path.to_owned(), at)
            }
            Name::Declarator => self.standing(declarator(node)),
            Name::Within(kind) => {
                let found = self.first(node, kind, 3);
                self.standing(
                    found.and_then(|found| found.child_by_field_name("name").or(found.named_child(0))),
                )
            }
            Name::At(path) => self.standing(at(node, path)),
            Name::Child(kind, default) => {
                let mut cursor = node.walk();
                match node.children(&mut cursor).find(|child| child.kind() == kind) {
                    Some(found) => self.standing(Some(found)),
                    None => (default.to_owned(), None),
                }
            }
            Name::First => self.standing(node.named_child(0)),
            Name::Head => {
                let end = self.body(node, rule).map_or(node.end_byte(), |body| body.start_byte());
                let head = self.text.get(node.start_byte()..end).unwrap_or_default();
                (words(head), Some(node.start_byte()..node.start_byte() + head.trim_end().len()))
            }
            Name::Tag => self.tag(node),
            Name::Receiver => {
                let receiver = field("receiver").map(|found| self.plain(found)).unwrap_or_default();
                let owner = receiver.split('[').next().unwrap_or_default();
                let owner =
                    owner.split(|c: char| !(c.is_alphanumeric() || c == '_')).rfind(|word| !word.is_empty());
                let (name, at) = self.standing(field("name"));
                (format!("{}.{name}", owner.unwrap_or_default()), at)
            }
            Name::Text => self.standing(Some(node)),
            Name::None => (String::new(), None),
        }
    }

    /// Finds the further names of a declaration, as in `int a, b;`.
    pub(crate) fn further(
        &self,
        outer: Node<'_>,
        node: Node<'_>,
        rule: &Rule,
    ) -> Vec<(String, Range<usize>)> {
        let mut cursor = node.walk();
        let mut found: Vec<Node<'_>> = match rule.name {
            Name::Field(field) => node.children_by_field_name(field, &mut cursor).skip(1).collect(),
            Name::Declarator => {
                let all = node.children_by_field_name("declarator", &mut cursor).skip(1);
                all.filter_map(|found| declarator(found).or(Some(found))).collect()
            }
            Name::Within(kind) => {
                let Some(first) = self.first(node, kind, 3) else { return Vec::new() };
                let Some(list) = first.parent().filter(|parent| parent.kind() != "source_file") else {
                    return Vec::new();
                };
                let others = list.children(&mut cursor).filter(|child| child.kind() == kind).skip(1);
                others
                    .filter_map(|child| child.child_by_field_name("name").or(child.named_child(0)))
                    .collect()
            }
            _ => Vec::new(),
        };
        found.retain(Node::is_named);
        let mut out = Vec::new();
        found.into_iter().for_each(|node| self.bind(node, &mut out));
        if outer != node
            && let Some(list) = node.parent()
        {
            let mut cursor = list.walk();
            let others =
                list.children(&mut cursor).filter(|other| other.kind() == node.kind() && *other != node);
            for other in others {
                match (self.bound(other, rule), self.name(other, rule)) {
                    (Some(bound), _) => out.extend(bound),
                    (None, (name, Some(at))) => out.push((name, at)),
                    (None, (_, None)) => {}
                }
            }
        }
        out
    }

    /// Lists the names that a pattern binds, each with its range; `None` if the name is not a pattern.
    pub(crate) fn bound(&self, node: Node<'_>, rule: &Rule) -> Option<Vec<(String, Range<usize>)>> {
        let Name::Field(field) = rule.name else { return None };
        let pattern = node.child_by_field_name(field).filter(|found| self.pattern(*found).is_some())?;
        let mut out = Vec::new();
        self.bind(pattern, &mut out);
        Some(out)
    }

    /// Adds the names in a node: the names that a pattern binds, or else the text of the node.
    fn bind(&self, node: Node<'_>, out: &mut Vec<(String, Range<usize>)>) {
        // Patterns that are nested deeper than `DEEPEST` occur only in generated or broken code, and are ignored.
        let mut open = vec![(node, 0)];
        while let Some((node, depth)) = open.pop() {
            let mut cursor = node.walk();
            match self.pattern(node) {
                _ if self.grammar.is_comment(node.kind()) || node.is_missing() || depth > DEEPEST => {}
                None => out.push((self.plain(node), node.byte_range())),
                Some("") => {
                    let parts: Vec<_> =
                        node.named_children(&mut cursor).map(|part| (part, depth + 1)).collect();
                    open.extend(parts.into_iter().rev());
                }
                Some(field) => open.extend(node.child_by_field_name(field).map(|part| (part, depth + 1))),
            }
        }
    }

    /// Returns the field with the bound part of a pattern, empty if all children are bound; `None` if the
    /// node is not a pattern.
    fn pattern(&self, node: Node<'_>) -> Option<&'static str> {
        let found = self.grammar.patterns.iter().find(|(kind, _)| *kind == node.kind());
        found.map(|(_, field)| *field)
    }

    fn standing(&self, node: Option<Node<'_>>) -> ItemName {
        node.map_or((String::new(), None), |node| (self.plain(node), Some(node.byte_range())))
    }

    /// Finds the name of the tag that opens an element, and the element's id after it.
    fn tag(&self, node: Node<'_>) -> ItemName {
        let (name, at) = self.standing(self.first(node, "tag_name", 2));
        let opening = self.first(node, "start_tag", 1).or_else(|| self.first(node, "self_closing_tag", 1));
        let id = opening.and_then(|opening| {
            let mut cursor = opening.walk();
            let is_id = |found: &Node<'_>| {
                self.first(*found, "attribute_name", 1).is_some_and(|name| self.plain(name) == "id")
            };
            let attribute = opening.children(&mut cursor).find(is_id)?;
            self.first(attribute, "attribute_value", 2).map(|value| self.plain(value))
        });
        (id.map_or(name.clone(), |id| format!("{name}#{id}")), at)
    }
}

/// Follows declarators to the name that is declared; `None` if there is no declarator.
fn declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..16 {
        let next = at.child_by_field_name("declarator");
        let Some(next) =
            next.or_else(|| (at.kind() == "reference_declarator").then(|| at.named_child(0)).flatten())
        else {
            break;
        };
        at = next;
    }
    Some(at).filter(|at| *at != node)
}

/// Removes the type parameters from a name.
fn base(name: &str) -> &str {
    name.split('<').next().unwrap_or_default().trim()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
