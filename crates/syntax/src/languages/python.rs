//! Python.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "python",
    aliases: &["python3", "py3"],
    extensions: &["py", "pyi", "pyw"],
    load: || tree_sitter_python::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &["decorator"],
    wrappers: &["decorated_definition", "expression_statement"],
    flat: &[],
    rules: &[
        item("class_definition", Kind::Class),
        item("function_definition", Kind::Function),
        item("assignment", Kind::Variable).named(Name::Field("left")).body(&[]),
        item("type_alias_statement", Kind::Type).named(Name::Field("left")),
        item("string", Kind::Documentation).named(Name::None),
        item("import_statement", Kind::Import).named(Name::Field("name")),
        item("import_from_statement", Kind::Import).named(Name::Field("module_name")),
        item("future_import_statement", Kind::Import),
    ],
    callables: &[],
    shells: &[("class Shell:\n", "\n")],
    filler: "...",
    overloads: Overloads::None,
};
