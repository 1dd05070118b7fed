//! Go.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "go",
    aliases: &["golang"],
    extensions: &["go"],
    load: || tree_sitter_go::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &[],
    wrappers: &[],
    flat: &["import_spec_list", "var_spec_list"],
    rules: &[
        item("package_clause", Kind::Package).named(Name::None),
        item("import_declaration", Kind::Group).named(Name::None).body(&["("]),
        item("const_declaration", Kind::Group).named(Name::None).body(&["("]),
        item("var_declaration", Kind::Group).named(Name::None).body(&["("]),
        item("type_declaration", Kind::Group).named(Name::None).body(&["("]),
        item("import_spec", Kind::Import).named(Name::Field("path")),
        item("const_spec", Kind::Constant),
        item("var_spec", Kind::Variable),
        item("type_spec", Kind::Type).body(&["field_declaration_list", "interface_type"]),
        item("type_alias", Kind::Type).body(&[]),
        item("field_declaration", Kind::Field).body(&[]),
        item("method_elem", Kind::Function),
        item("function_declaration", Kind::Function),
        item("method_declaration", Kind::Function).named(Name::Receiver),
    ],
    callables: &[],
    shells: &[("type Shell struct {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::None,
};
