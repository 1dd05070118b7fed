//! The table of a language: the meaning of its grammar's nodes.

use std::sync::OnceLock;

use crate::Kind;
use crate::captures::Queries;

/// A grammar, with a description of its node kinds.
pub(crate) struct Grammar {
    /// The name of the language.
    pub(crate) name: &'static str,
    /// Other names, as in the fences of code blocks.
    pub(crate) aliases: &'static [&'static str],
    /// The extensions of the language's files.
    pub(crate) extensions: &'static [&'static str],
    /// The names of the language's files that have no such extension, such as `Gemfile`.
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
    /// Nodes that are items, sorted by the names of the nodes.
    pub(crate) rules: &'static [Rule],
    /// Nodes that are functions when they are the value of a variable.
    pub(crate) callables: &'static [&'static str],
    /// Paths of fields to the value of a variable.
    pub(crate) values: &'static [&'static str],
    /// Paths of fields, and of child kinds after `@`, to a type annotation: a function's return type, a
    /// variable's type.
    pub(crate) hints: &'static [&'static str],
    /// The kinds of nodes that define several names at once, as in `const { a, b } = c`. Each has the field in which
    /// the names are; an empty string means all children.
    pub(crate) patterns: &'static [(&'static str, &'static str)],
    /// Modifiers before the name of an item.
    pub(crate) modifiers: &'static [&'static str],
    /// Code put around a snippet that is not valid on its own.
    pub(crate) shells: &'static [(&'static str, &'static str)],
    /// The code that fills an empty body, such as `...` in Python; it may be empty.
    pub(crate) filler: &'static str,
    /// The rule for several functions with one name.
    pub(crate) overloads: Overloads,
    /// Strategy for merging partial code.
    pub(crate) merges: Merges,
    /// The purpose of the language: programs, documents or data.
    pub(crate) sort: LanguageKind,
    /// Code put around a pattern so that it parses. Each frame in which it is valid gives an alternative to
    /// match.
    pub(crate) frames: &'static [(&'static str, &'static str)],
    /// Code before and after a placeholder of a pattern so that it can be parsed; the first pair with which it is
    /// valid is used.
    pub(crate) holes: &'static [(&'static str, &'static str)],
    /// Code before and after a placeholder for any number of nodes (`$$$`) at the end of a block, so that it can be
    /// parsed.
    pub(crate) many: (&'static str, &'static str),
    /// The replacement for `$` in a pattern; `$` itself if names in the language can contain it.
    pub(crate) meta: char,
    /// Rules for headings that contain the text below them.
    pub(crate) headings: Option<Headings>,
    /// Nodes of expressions.
    pub(crate) shapes: Shapes,
    /// The queries, with the names of their files.
    pub(crate) queries: &'static [(&'static str, &'static str)],
    /// The queries, compiled on first use.
    pub(crate) compiled: OnceLock<Option<Queries>>,
}

/// The rule for several functions with one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overloads {
    None,
    /// Functions are distinguished by the types of their parameters, in a node of this kind.
    ByType(&'static str),
}

/// Strategy for merging partial code into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    ByTree,
    ByLines,
}

/// The purpose of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LanguageKind {
    /// A programming language.
    Code,
    /// Documents and their appearance.
    Markup,
    /// Keys and values.
    Data,
}

/// A node that is an item.
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// The fields or the kinds of the body node; the first one that exists counts.
    pub(crate) body: &'static [&'static str],
    /// Conditions under which the item has another kind. Each is a field (or `@child` for any child), the kind of
    /// node that it must contain, and the resulting kind of the item.
    pub(crate) refine: &'static [(&'static str, &'static str, Kind)],
    /// The kind of an item that has no body.
    pub(crate) without_body: Option<Kind>,
}

/// The location of an item's name.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// The name is in this field.
    Field(&'static str),
    /// The name consists of the texts of the first and the last of these fields, joined by the word between them. If
    /// only one field exists, the name is its text.
    Joined(&'static str, &'static str, &'static str),
    /// The name is in this field, up to the last `::`.
    Path(&'static str),
    /// The name is in the innermost declarator.
    Declarator,
    /// The name is in the field `name` of the first node of this kind inside the item.
    Within(&'static str),
    /// The name is at the end of this path of fields and kinds of children.
    At(&'static str),
    /// The name is in the first child of this kind; without such a child, the name is the second string.
    Child(&'static str, &'static str),
    /// The name is in the first child.
    First,
    /// The name is the whole text before the body.
    Head,
    /// The name is in the tag that opens an element, and includes the element's id.
    Tag,
    /// The name consists of the type of a method's receiver and the method's name.
    Receiver,
    /// The name is the text of the node.
    Text,
    /// The item has no name.
    None,
}

/// Rules for headings.
pub(crate) struct Headings {
    /// Nodes that are headings.
    pub(crate) nodes: &'static [&'static str],
    /// The field that holds the text of the heading.
    pub(crate) text: &'static str,
    /// Children that determine the level of the heading, each with the level.
    pub(crate) levels: &'static [(&'static str, usize)],
}

/// Nodes of expressions: members, calls, and so on.
pub(crate) struct Shapes {
    /// Member accesses: each kind of node, with the field of the object and the field of the member's name.
    pub(crate) member: &'static [(&'static str, &'static str, &'static str)],
    /// Calls: each kind of node, with the location of the callee.
    pub(crate) call: &'static [(&'static str, Callee)],
    /// Constructor expressions: each kind of node, with the field of the type.
    pub(crate) new: &'static [(&'static str, &'static str)],
    /// Functions of the language that create an instance of the type in their first argument.
    pub(crate) makers: &'static [&'static str],
    /// Element accesses: each kind of node, with the field of the collection.
    pub(crate) index: &'static [(&'static str, &'static str)],
    /// Nodes that only wrap an expression, such as parentheses.
    pub(crate) through: &'static [&'static str],
    /// Keywords for the object itself.
    pub(crate) own: &'static [&'static str],
    /// Keywords for the parent class.
    pub(crate) above: &'static [&'static str],
    /// Literals: each kind of node, with the name of its built-in type.
    pub(crate) literals: &'static [(&'static str, &'static str)],
    /// Nodes around an imported name, each with the field that holds a part of the module path.
    pub(crate) prefixes: &'static [(&'static str, &'static str)],
}

/// The callee of a call.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    /// The callee is the node in this field.
    Function(&'static str),
    /// The callee is the member in the second field, of the receiver in the first.
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

// The table `ALL`, which the build script generates from the directories in `languages/`.
include!(concat!(env!("OUT_DIR"), "/languages.rs"));
