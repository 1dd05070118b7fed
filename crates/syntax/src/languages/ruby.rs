//! Ruby.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "ruby",
    aliases: &[],
    extensions: &["rb", "rake", "gemspec"],
    load: || tree_sitter_ruby::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &[],
    wrappers: &[],
    flat: &[],
    rules: &[
        item("module", Kind::Module),
        item("class", Kind::Class),
        item("singleton_class", Kind::Group).named(Name::Field("value")),
        item("method", Kind::Function),
        item("singleton_method", Kind::Function).named(Name::Joined("object", "responds to", "name")),
        item("assignment", Kind::Variable).named(Name::Field("left")).body(&[]),
    ],
    callables: &[],
    shells: &[],
    filler: "",
    overloads: Overloads::None,
};
