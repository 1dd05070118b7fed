//! Java.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "java",
    aliases: &[],
    extensions: &["java"],
    load: || tree_sitter_java::LANGUAGE.into(),
    comments: &["line_comment", "block_comment"],
    attributes: &["marker_annotation", "annotation"],
    wrappers: &[],
    flat: &["enum_body_declarations"],
    rules: &[
        item("package_declaration", Kind::Package).named(Name::None),
        item("import_declaration", Kind::Import).named(Name::Text),
        item("class_declaration", Kind::Class),
        item("interface_declaration", Kind::Interface),
        item("annotation_type_declaration", Kind::Interface),
        item("enum_declaration", Kind::Enum),
        item("record_declaration", Kind::Struct),
        item("enum_constant", Kind::Variant),
        item("method_declaration", Kind::Function),
        item("constructor_declaration", Kind::Function),
        item("compact_constructor_declaration", Kind::Function),
        item("annotation_type_element_declaration", Kind::Function),
        item("field_declaration", Kind::Field).named(Name::Within("variable_declarator")).body(&[]),
        item("constant_declaration", Kind::Constant).named(Name::Within("variable_declarator")).body(&[]),
    ],
    callables: &[],
    shells: &[("class Shell {\n", "\n}\n"), ("enum Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::ByType("formal_parameters"),
};
