//! C++.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, Rule, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "cpp",
    aliases: &["c++"],
    extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h", "ipp", "inl", "cu", "cuh"],
    load: || tree_sitter_cpp::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &["attribute_declaration"],
    wrappers: &["template_declaration"],
    flat: &[],
    rules: RULES,
    callables: &[],
    shells: &[("class Shell {\n", "\n};\n"), ("enum Shell {\n", "\n};\n")],
    filler: "",
    overloads: Overloads::ByType("parameter_list"),
};

const RULES: &[Rule] = &[
    item("preproc_include", Kind::Import).named(Name::Field("path")),
    item("using_declaration", Kind::Import).named(Name::Text),
    item("preproc_def", Kind::Macro),
    item("preproc_function_def", Kind::Macro),
    item("preproc_ifdef", Kind::Group).body(&["self"]),
    item("preproc_if", Kind::Group).named(Name::Field("condition")).body(&["self"]),
    item("linkage_specification", Kind::Group).named(Name::Field("value")),
    item("namespace_definition", Kind::Module),
    item("class_specifier", Kind::Class),
    item("struct_specifier", Kind::Struct),
    item("union_specifier", Kind::Union),
    item("enum_specifier", Kind::Enum),
    item("enumerator", Kind::Variant),
    item("concept_definition", Kind::Type).body(&[]),
    item("alias_declaration", Kind::Type).body(&[]),
    item("type_definition", Kind::Type)
        .named(Name::Declarator)
        .body(&["field_declaration_list", "enumerator_list"]),
    item("function_definition", Kind::Function).named(Name::Declarator),
    item("declaration", Kind::Variable).named(Name::Declarator).body(&[]),
    item("field_declaration", Kind::Field).named(Name::Declarator).body(&[]),
];
