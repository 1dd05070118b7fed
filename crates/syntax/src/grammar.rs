//! What a language's table says: which nodes of its grammar are items, comments, attributes.

use crate::Kind;

/// A grammar, and what its nodes are.
pub(crate) struct Grammar {
    /// The language's name.
    pub(crate) name: &'static str,
    /// Other names, as in the fences of code blocks.
    pub(crate) aliases: &'static [&'static str],
    /// The extensions of its files.
    pub(crate) extensions: &'static [&'static str],
    /// Gives the grammar itself.
    pub(crate) load: fn() -> tree_sitter::Language,
    /// Nodes that are comments.
    pub(crate) comments: &'static [&'static str],
    /// Nodes that are attributes, annotations or decorators.
    pub(crate) attributes: &'static [&'static str],
    /// Nodes that only wrap an item.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes whose children stand in the block that they are in.
    pub(crate) flat: &'static [&'static str],
    /// Nodes that are items.
    pub(crate) rules: &'static [Rule],
    /// Nodes that are functions when they are the value of a variable.
    pub(crate) callables: &'static [&'static str],
    /// What can be put around a snippet that cannot stand alone.
    pub(crate) shells: &'static [(&'static str, &'static str)],
    /// What an empty body must have.
    pub(crate) filler: &'static str,
    /// Whether functions of one name may differ by their parameters.
    pub(crate) overloads: Overloads,
}

/// Whether functions of one name may differ by their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overloads {
    None,
    /// By the types of the nodes of this kind.
    ByType(&'static str),
}

/// A node that is an item.
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// The field or the kind of the node that is the body; the first that is there.
    pub(crate) body: &'static [&'static str],
}

/// Where the name of an item stands.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// In this field.
    Field(&'static str),
    /// In the first of these fields that is there, then the next, with words between them.
    Joined(&'static str, &'static str, &'static str),
    /// In this field, up to the last `::`.
    Path(&'static str),
    /// In the innermost declarator.
    Declarator,
    /// In the field `name` of the first node of this kind within.
    Within(&'static str),
    /// In a method's receiver and its name.
    Receiver,
    /// It is all of the node.
    Text,
    /// There is none.
    None,
}

/// Makes a rule with the usual fields `name` and `body`.
pub(crate) const fn item(node: &'static str, kind: Kind) -> Rule {
    Rule { node, kind, name: Name::Field("name"), body: &["body"] }
}

impl Rule {
    /// Sets where the name stands.
    pub(crate) const fn named(self, name: Name) -> Self {
        Self { name, ..self }
    }

    /// Sets where the body is.
    pub(crate) const fn body(self, body: &'static [&'static str]) -> Self {
        Self { body, ..self }
    }
}

impl Grammar {
    pub(crate) fn rule(&self, node: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.node == node)
    }

    pub(crate) fn is_comment(&self, node: &str) -> bool {
        self.comments.contains(&node)
    }

    pub(crate) fn is_attribute(&self, node: &str) -> bool {
        self.attributes.contains(&node)
    }
}
