//! The table of a language: the meaning of its grammar's nodes.

use std::sync::OnceLock;

use crate::Kind;
use crate::captures::Queries;

/// A grammar, and what its nodes are.
pub(crate) struct Grammar {
    /// The language's name.
    pub(crate) name: &'static str,
    /// Other names, as in the fences of code blocks.
    pub(crate) aliases: &'static [&'static str],
    /// The extensions of its files.
    pub(crate) extensions: &'static [&'static str],
    /// The names of files of it that have no such extension.
    pub(crate) files: &'static [&'static str],
    /// Loads the grammar.
    pub(crate) load: fn() -> tree_sitter::Language,
    /// Nodes that are comments.
    pub(crate) comments: &'static [&'static str],
    /// Nodes that are attributes, annotations or decorators.
    pub(crate) attributes: &'static [&'static str],
    /// Nodes that only wrap an item.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes whose children belong to the block around them.
    pub(crate) flat: &'static [&'static str],
    /// Nodes that are items, by the names of the nodes.
    pub(crate) rules: &'static [Rule],
    /// Nodes that are functions when they are the value of a variable.
    pub(crate) callables: &'static [&'static str],
    /// Fields, or nodes with such fields, that hold the value of a variable.
    pub(crate) values: &'static [&'static str],
    /// Fields, or children after `@`, that hold a type: a function's return type, a variable's type.
    pub(crate) hints: &'static [&'static str],
    /// Nodes that bind several names in place of one, each with the field of its bound part; empty for all children.
    pub(crate) patterns: &'static [(&'static str, &'static str)],
    /// Modifiers before the name of an item.
    pub(crate) modifiers: &'static [&'static str],
    /// Code put around a snippet that is not valid alone.
    pub(crate) shells: &'static [(&'static str, &'static str)],
    /// The content of an empty body.
    pub(crate) filler: &'static str,
    /// Overloading of functions of one name.
    pub(crate) overloads: Overloads,
    /// Strategy for merging partial code.
    pub(crate) merges: Merges,
    /// The sort of the language.
    pub(crate) sort: Sort,
    /// Code put around a pattern; each frame that makes it valid counts.
    pub(crate) frames: &'static [(&'static str, &'static str)],
    /// Code put around a hole of a pattern so that it parses; one of them.
    pub(crate) holes: &'static [(&'static str, &'static str)],
    /// Code put around a hole for any number of nodes that ends a block.
    pub(crate) many: (&'static str, &'static str),
    /// Replacement for `$` in a pattern, if names cannot contain it.
    pub(crate) meta: char,
    /// Rules for headings that hold the text below them.
    pub(crate) headings: Option<Headings>,
    /// Nodes of expressions.
    pub(crate) shapes: Shapes,
    /// The queries, with the names of their files.
    pub(crate) queries: &'static [(&'static str, &'static str)],
    /// The queries made ready, once they were needed.
    pub(crate) compiled: OnceLock<Option<Queries>>,
}

/// Overloading of functions of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overloads {
    None,
    /// By the types of the nodes of this kind.
    ByType(&'static str),
}

/// Strategy for merging partial code into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    ByTree,
    ByLines,
}

/// The sort of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Programs.
    Code,
    /// Texts and how they look.
    Markup,
    /// Keys and values.
    Data,
}

/// A node that is an item.
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// The field or the kind of the node that is the body; the first that is there.
    pub(crate) body: &'static [&'static str],
    /// Other kinds, if a field or any child (`@child`) has some node kind.
    pub(crate) refine: &'static [(&'static str, &'static str, Kind)],
    /// The kind without a body.
    pub(crate) without_body: Option<Kind>,
}

/// The place of an item's name.
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
    /// At the end of this path of fields and kinds of children.
    At(&'static str),
    /// In the first child of this kind; else it is the word behind it.
    Child(&'static str, &'static str),
    /// In the first child.
    First,
    /// It is all up to the body.
    Head,
    /// In the tag that opens an element, with the element's id.
    Tag,
    /// In a method's receiver and its name.
    Receiver,
    /// It is all of the node.
    Text,
    /// There is none.
    None,
}

/// Rules for headings.
pub(crate) struct Headings {
    /// Nodes that are headings.
    pub(crate) nodes: &'static [&'static str],
    /// The field that holds the text.
    pub(crate) text: &'static str,
    /// Children that tell the level.
    pub(crate) levels: &'static [(&'static str, usize)],
}

/// Nodes of expressions: members, calls, and so on.
pub(crate) struct Shapes {
    /// Nodes with the fields of the object and of the member's name.
    pub(crate) member: &'static [(&'static str, &'static str, &'static str)],
    /// Nodes that call something.
    pub(crate) call: &'static [(&'static str, Callee)],
    /// Nodes that make something, with the field of its type.
    pub(crate) new: &'static [(&'static str, &'static str)],
    /// Functions of the language that make something of the type that is their first argument.
    pub(crate) makers: &'static [&'static str],
    /// Nodes that take one of many, with the field of the many.
    pub(crate) index: &'static [(&'static str, &'static str)],
    /// Nodes without a meaning of their own, such as parentheses.
    pub(crate) through: &'static [&'static str],
    /// Keywords for the object itself.
    pub(crate) own: &'static [&'static str],
    /// Keywords for the parent class.
    pub(crate) above: &'static [&'static str],
    /// Nodes of literals, with what type they have.
    pub(crate) literals: &'static [(&'static str, &'static str)],
    /// Nodes around an imported name whose field is a part of its path.
    pub(crate) prefixes: &'static [(&'static str, &'static str)],
}

/// The callee of a call.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    /// The node in this field.
    Function(&'static str),
    /// The member in the second field, of the receiver in the first.
    Method(&'static str, &'static str),
}

impl Grammar {
    pub(crate) fn rule(&self, node: &str) -> Option<&Rule> {
        self.rules.binary_search_by(|rule| rule.node.cmp(node)).ok().map(|at| &self.rules[at])
    }

    pub(crate) fn is_comment(&self, node: &str) -> bool {
        self.comments.contains(&node)
    }

    pub(crate) fn is_attribute(&self, node: &str) -> bool {
        self.attributes.contains(&node)
    }
}

// The table `ALL`, which the build script generates from the folders in `languages/`.
include!(concat!(env!("OUT_DIR"), "/languages.rs"));
