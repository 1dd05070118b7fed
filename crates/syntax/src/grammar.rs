//! What a language's table says: which nodes of its grammar are items, comments, attributes.

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
    /// Nodes that are items, by the names of the nodes.
    pub(crate) rules: &'static [Rule],
    /// Nodes that are functions when they are the value of a variable.
    pub(crate) callables: &'static [&'static str],
    /// Fields, or nodes with such fields, in which the value of a variable stands.
    pub(crate) values: &'static [&'static str],
    /// Fields, or children after `@`, in which a type stands: what a function returns, what a variable is.
    pub(crate) hints: &'static [&'static str],
    /// Words before the name that say more of an item.
    pub(crate) modifiers: &'static [&'static str],
    /// What can be put around a snippet that cannot stand alone.
    pub(crate) shells: &'static [(&'static str, &'static str)],
    /// What an empty body must have.
    pub(crate) filler: &'static str,
    /// Whether functions of one name may differ by their parameters.
    pub(crate) overloads: Overloads,
    /// How partial code is merged.
    pub(crate) merges: Merges,
    /// What is written in it.
    pub(crate) sort: Sort,
    /// What a pattern is read in; each place where it can stand counts.
    pub(crate) frames: &'static [(&'static str, &'static str)],
    /// What is put around a hole of a pattern, so that it can stand where it does; one of them.
    pub(crate) holes: &'static [(&'static str, &'static str)],
    /// What is put around a hole for any number of nodes that ends a block.
    pub(crate) many: (&'static str, &'static str),
    /// What stands for `$` in a pattern, where that is no part of a name.
    pub(crate) meta: char,
    /// How headings are read, where they hold what follows them.
    pub(crate) headings: Option<Headings>,
    /// What expressions look like.
    pub(crate) shapes: Shapes,
    /// The queries, with the names of their files.
    pub(crate) queries: &'static [(&'static str, &'static str)],
    /// The queries made ready, once they were needed.
    pub(crate) compiled: OnceLock<Option<Queries>>,
}

/// Whether functions of one name may differ by their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overloads {
    None,
    /// By the types of the nodes of this kind.
    ByType(&'static str),
}

/// How partial code is merged into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    ByTree,
    ByLines,
}

/// What is written in a language.
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
    /// What else it is where a field, or any child (`@child`), is of some kind.
    pub(crate) refine: &'static [(&'static str, &'static str, Kind)],
    /// What it is without a body.
    pub(crate) without_body: Option<Kind>,
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

/// How headings are read.
pub(crate) struct Headings {
    /// Nodes that are headings.
    pub(crate) nodes: &'static [&'static str],
    /// The field in which the words stand.
    pub(crate) text: &'static str,
    /// Children that tell the level.
    pub(crate) levels: &'static [(&'static str, usize)],
}

/// What expressions look like: which nodes are members, calls, and so on.
pub(crate) struct Shapes {
    /// Nodes with the fields of the object and of the member's name.
    pub(crate) member: &'static [(&'static str, &'static str, &'static str)],
    /// Nodes that call something.
    pub(crate) call: &'static [(&'static str, Called)],
    /// Nodes that make something, with the field of its type.
    pub(crate) new: &'static [(&'static str, &'static str)],
    /// Functions of the language that make something of the type that is their first argument.
    pub(crate) makers: &'static [&'static str],
    /// Nodes that take one of many, with the field of the many.
    pub(crate) index: &'static [(&'static str, &'static str)],
    /// Nodes that change nothing of what is meant.
    pub(crate) through: &'static [&'static str],
    /// Words for the object itself.
    pub(crate) own: &'static [&'static str],
    /// Words for what the object inherits.
    pub(crate) above: &'static [&'static str],
    /// Nodes of literals, with what type they have.
    pub(crate) literals: &'static [(&'static str, &'static str)],
    /// Nodes around an imported name whose field is a part of its path.
    pub(crate) prefixes: &'static [(&'static str, &'static str)],
}

/// What a call calls.
#[derive(Clone, Copy)]
pub(crate) enum Called {
    /// What stands in this field.
    Function(&'static str),
    /// The member that the second field names, of what stands in the first.
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
