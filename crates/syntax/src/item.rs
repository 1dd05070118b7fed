//! What stands in a block of code: items with names, and the statements and comments between them.

use std::ops::Range;

/// Something that stands in a file or in the body of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its name; empty for statements and comments.
    pub name: String,
    /// Its bytes, with the comments and attributes before it.
    pub range: Range<usize>,
    /// Where its own code ends; a comment behind it on its line is in the range, too.
    pub end: usize,
    /// Where its attributes or decorators begin, if there are any before its head.
    pub attributes: Option<usize>,
    /// Where it begins itself, after comments and attributes.
    pub head: usize,
    /// The bytes of its body, with the brackets around it.
    pub body: Option<Range<usize>>,
    /// What stands in its body.
    pub children: Vec<Item>,
    /// The types of its parameters, where items of one name may differ by them.
    pub parameters: Option<Vec<String>>,
    /// Where its name stands, if it stands in one place.
    pub at: Option<Range<usize>>,
    /// Where a type is written beside it: what a function returns, what a variable is.
    pub hint: Option<Range<usize>>,
    /// Where the value stands that it is given.
    pub value: Option<Range<usize>>,
    /// The further names that it gives at once, with where they stand, as `int a, b;` does.
    pub further: Vec<(String, Range<usize>)>,
}

impl Item {
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
            further: Vec::new(),
        }
    }
}

/// What an item is.
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
    /// A heading with what follows it.
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
    /// A text that documents what it stands in.
    Documentation,
    /// Several items together, without a name of their own or under a condition.
    Group,
    /// A statement without a name.
    Statement,
    /// A comment that belongs to no item.
    Comment,
}

/// What code defines, each with other words for it.
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
    /// Tells whether items of this kind hold other items in their bodies.
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

    /// Tells whether it defines something that others may use by its name.
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

    /// Finds the kind that somebody means by a word: its name, or what a language calls it.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase().replace([' ', '-'], "_");
        let meant =
            |(kind, others): &&(Self, &[&str])| kind.name() == word || others.contains(&word.as_str());
        OF_CODE.iter().find(meant).map(|(kind, _)| *kind)
    }

    /// Names the kinds of what code defines.
    pub fn of_code() -> impl Iterator<Item = &'static str> {
        OF_CODE.iter().map(|(kind, _)| kind.name())
    }

    /// Names it.
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
