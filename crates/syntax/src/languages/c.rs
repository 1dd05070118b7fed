//! C.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, Rule, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "c",
    aliases: &[],
    extensions: &["c", "h"],
    load: || tree_sitter_c::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &[],
    wrappers: &[],
    flat: &[],
    rules: RULES,
    callables: &[],
    shells: &[("struct Shell {\n", "\n};\n"), ("enum Shell {\n", "\n};\n")],
    filler: "",
    overloads: Overloads::None,
};

const RULES: &[Rule] = &[
    item("preproc_include", Kind::Import).named(Name::Field("path")),
    item("preproc_def", Kind::Macro),
    item("preproc_function_def", Kind::Macro),
    item("preproc_ifdef", Kind::Group).body(&["self"]),
    item("preproc_if", Kind::Group).named(Name::Field("condition")).body(&["self"]),
    item("linkage_specification", Kind::Group).named(Name::Field("value")),
    item("struct_specifier", Kind::Struct),
    item("union_specifier", Kind::Union),
    item("enum_specifier", Kind::Enum),
    item("enumerator", Kind::Variant),
    item("type_definition", Kind::Type)
        .named(Name::Declarator)
        .body(&["field_declaration_list", "enumerator_list"]),
    item("function_definition", Kind::Function).named(Name::Declarator),
    item("declaration", Kind::Variable).named(Name::Declarator).body(&[]),
    item("field_declaration", Kind::Field).named(Name::Declarator).body(&[]),
];
