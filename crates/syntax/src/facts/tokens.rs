//! Code tokens of one name, without comments and strings.

use std::ops::Range;

use tree_sitter::Node;

use crate::Tree;

/// A token of the code with a given name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameToken {
    /// The range of the name.
    pub at: Range<usize>,
    /// The form of the token.
    pub form: TokenForm,
    /// True if the token names a field of the object that a CommonJS module exports, as in `exports.total = …` and
    /// `module.exports = { total }`.
    pub is_export: bool,
}

/// The form of a name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A token with one meaning.
    Plain,
    /// A shorthand for a field and a variable of the same name: `{ total }` for `{ total: total }`.
    Shorthand,
    /// A shorthand in a pattern, which reads a field and declares a variable of the same name: `const { total } = cart`.
    ShorthandPattern,
}

/// The kind of shorthand nodes in patterns.
const PATTERN: &str = "shorthand_property_identifier_pattern";

/// The kinds of other shorthand nodes, or of their parents.
const SHORTHANDS: [&str; 3] =
    ["shorthand_property_identifier", "shorthand_field_identifier", "shorthand_field_initializer"];

impl Tree<'_> {
    /// Lists the tokens of a name in the code, in order: definitions, uses, local names and mentions.
    #[must_use]
    pub fn name_tokens(&self, name: &str) -> Vec<NameToken> {
        let mut out: Vec<NameToken> = self
            .words()
            .into_iter()
            .filter(|at| self.text().get(at.clone()) == Some(name))
            .map(|at| NameToken { form: self.form(&at), is_export: self.is_export(&at), at })
            .collect();
        out.sort_by_key(|token| token.at.start);
        out.dedup();
        out
    }

    fn form(&self, at: &Range<usize>) -> TokenForm {
        let node = self.root().descendant_for_byte_range(at.start, at.end);
        let Some(node) = node else { return TokenForm::Plain };
        let kinds = [Some(node.kind()), node.parent().map(|parent| parent.kind())];
        if node.kind() == PATTERN {
            TokenForm::ShorthandPattern
        } else if kinds.into_iter().flatten().any(|kind| SHORTHANDS.contains(&kind)) {
            TokenForm::Shorthand
        } else {
            TokenForm::Plain
        }
    }

    fn is_export(&self, at: &Range<usize>) -> bool {
        let node = self.root().descendant_for_byte_range(at.start, at.end);
        let Some((node, parent)) = node.and_then(|node| Some((node, node.parent()?))) else { return false };
        let is_field = |name: &str| parent.child_by_field_name(name) == Some(node);
        match parent.kind() {
            "member_expression" => is_field("property") && self.is_exported_member(parent),
            "pair" => {
                is_field("key") && parent.parent().is_some_and(|object| self.is_exported_object(object))
            }
            "object" => self.is_exported_object(parent),
            _ => false,
        }
    }

    /// Checks whether a member access is the target in `exports.name = …`.
    fn is_exported_member(&self, access: Node<'_>) -> bool {
        let outer = access.parent().filter(|outer| outer.kind() == "assignment_expression");
        let target = outer.and_then(|outer| outer.child_by_field_name("left"));
        target == Some(access) && access.child_by_field_name("object").is_some_and(|of| self.is_exports(of))
    }

    /// Checks whether an object literal is the value in `module.exports = { … }`.
    fn is_exported_object(&self, object: Node<'_>) -> bool {
        let outer = object.parent().filter(|outer| outer.kind() == "assignment_expression");
        let target = outer.and_then(|outer| outer.child_by_field_name("left"));
        target.is_some_and(|target| self.is_exports(target))
    }

    fn is_exports(&self, node: Node<'_>) -> bool {
        matches!(self.text().get(node.byte_range()), Some("exports" | "module.exports"))
    }
}
