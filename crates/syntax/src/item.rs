//! The parts of a block of code: named items, and the statements and comments between them.

use std::ops::Range;

use serde::{Serialize, Serializer};

/// A part of a file or of an item's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The kind of the item, such as function or comment.
    pub kind: Kind,
    /// The name; empty for statements and comments.
    pub name: String,
    /// The byte range, with the comments and attributes before the item.
    pub range: Range<usize>,
    /// End of the code; `range` also includes a trailing comment on the same line.
    pub end: usize,
    /// Start of the attributes or decorators, if there are any before the head.
    pub attributes: Option<usize>,
    /// Start of the item itself, after comments and attributes.
    pub head: usize,
    /// The byte range of the body, with the brackets around it.
    pub body: Option<Range<usize>>,
    /// The parts of the body.
    pub children: Vec<Item>,
    /// The types of the parameters, if they distinguish items of one name.
    pub parameters: Option<Vec<String>>,
    /// The range of the name, if that is contiguous.
    pub at: Option<Range<usize>>,
    /// The range of the type annotation: a function's return type, a variable's type.
    pub hint: Option<Range<usize>>,
    /// The byte range of the value that the item assigns to a variable or constant.
    pub value: Option<Range<usize>>,
    /// The bound names, if the item binds a pattern instead of one name, as in `const { a, b } = c`.
    pub bound: Vec<(String, Range<usize>)>,
    /// Further names of the same declaration, with their ranges, as in `int a, b;`.
    pub further: Vec<(String, Range<usize>)>,
}

impl Item {
    /// Returns whether the item is an import or a group that contains an import.
    pub(crate) fn imports(&self) -> bool {
        let single = |item: &Self| item.kind == Kind::Import;
        single(self) || self.kind == Kind::Group && self.children.iter().any(single)
    }

    /// Returns an item without a name, a body or children.
    pub(crate) fn bare(kind: Kind, range: Range<usize>) -> Self {
        Self {
            kind,
            name: String::new(),
            attributes: None,
            head: range.start,
            end: range.end,
            range,
            body: None,
            children: Vec::new(),
            parameters: None,
            at: None,
            hint: None,
            value: None,
            bound: Vec::new(),
            further: Vec::new(),
        }
    }
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A module or a namespace.
    Module,
    /// A class.
    Class,
    /// A structure or a record.
    Struct,
    /// A union.
    Union,
    /// An enumeration.
    Enum,
    /// A value of an enumeration.
    Variant,
    /// An interface or a protocol.
    Interface,
    /// A trait.
    Trait,
    /// The implementation of a type's functions.
    Impl,
    /// A function, a method or a constructor.
    Function,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A field or a property.
    Field,
    /// Another name for a type.
    Type,
    /// A macro.
    Macro,
    /// A heading with the text after it.
    Section,
    /// An element of a document.
    Element,
    /// A rule of a style sheet.
    Rule,
    /// A key with its value.
    Key,
    /// The name of the package that a file belongs to.
    Package,
    /// An import.
    Import,
    /// A documentation string.
    Documentation,
    /// Several items together, without a name or under a condition.
    Group,
    /// A statement without a name.
    Statement,
    /// A comment that belongs to no item.
    Comment,
}

/// All kinds.
const ALL: [Kind; 25] = [
    Kind::Module,
    Kind::Class,
    Kind::Struct,
    Kind::Union,
    Kind::Enum,
    Kind::Variant,
    Kind::Interface,
    Kind::Trait,
    Kind::Impl,
    Kind::Function,
    Kind::Constant,
    Kind::Variable,
    Kind::Field,
    Kind::Type,
    Kind::Macro,
    Kind::Section,
    Kind::Element,
    Kind::Rule,
    Kind::Key,
    Kind::Package,
    Kind::Import,
    Kind::Documentation,
    Kind::Group,
    Kind::Statement,
    Kind::Comment,
];

/// The kinds of definitions in code, each with synonyms.
const OF_CODE: [(Kind, &[&str]); 15] = [
    (Kind::Function, &["method", "constructor", "func", "def"]),
    (Kind::Class, &[]),
    (Kind::Struct, &["record"]),
    (Kind::Union, &[]),
    (Kind::Enum, &[]),
    (Kind::Variant, &["enum_member", "enum_variant"]),
    (Kind::Interface, &["protocol"]),
    (Kind::Trait, &[]),
    (Kind::Impl, &["implementation"]),
    (Kind::Constant, &["const"]),
    (Kind::Variable, &["static", "var"]),
    (Kind::Field, &["property"]),
    (Kind::Type, &["type_alias", "typedef"]),
    (Kind::Module, &["namespace"]),
    (Kind::Macro, &[]),
];

impl Kind {
    /// Returns whether definitions of this kind are called or constructed by their name.
    #[must_use]
    pub fn is_callable(self) -> bool {
        matches!(
            self,
            Self::Function | Self::Macro | Self::Class | Self::Struct | Self::Union | Self::Variant
        )
    }

    /// Returns whether definitions of this kind are types.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Union
                | Self::Enum
                | Self::Interface
                | Self::Trait
                | Self::Type
        )
    }

    /// Returns whether the bodies of items of this kind hold other items.
    #[must_use]
    pub fn holds_items(self) -> bool {
        matches!(
            self,
            Self::Module
                | Self::Class
                | Self::Struct
                | Self::Union
                | Self::Enum
                | Self::Interface
                | Self::Trait
                | Self::Impl
                | Self::Group
                | Self::Section
                | Self::Element
                | Self::Rule
                | Self::Key
        )
    }

    /// Returns whether items of this kind define a name that other code may use.
    #[must_use]
    pub fn defines(self) -> bool {
        !matches!(
            self,
            Self::Package
                | Self::Import
                | Self::Documentation
                | Self::Group
                | Self::Statement
                | Self::Comment
        )
    }

    /// Finds the kind of a definition in code by the kind's name, or by a synonym such as `method`.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase().replace([' ', '-'], "_");
        let meant =
            |(kind, others): &&(Self, &[&str])| kind.name() == word || others.contains(&word.as_str());
        OF_CODE.iter().find(meant).map(|(kind, _)| *kind)
    }

    /// Finds the kind with a name, such as `function`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Lists the names of the kinds of definitions in code.
    pub fn of_code() -> impl Iterator<Item = &'static str> {
        OF_CODE.iter().map(|(kind, _)| kind.name())
    }

    /// Returns the name of the kind, such as `function`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Union => "union",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Impl => "impl",
            Self::Function => "function",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Type => "type",
            Self::Macro => "macro",
            Self::Section => "section",
            Self::Element => "element",
            Self::Rule => "rule",
            Self::Key => "key",
            Self::Package => "package",
            Self::Import => "import",
            Self::Documentation => "documentation",
            Self::Group => "group",
            Self::Statement => "statement",
            Self::Comment => "comment",
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
