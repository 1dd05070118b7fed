//! PHP.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "php",
    aliases: &[],
    extensions: &["php", "phtml"],
    load: || tree_sitter_php::LANGUAGE_PHP.into(),
    comments: &["comment"],
    attributes: &["attribute_list"],
    wrappers: &["expression_statement"],
    flat: &[],
    rules: &[
        item("namespace_definition", Kind::Module),
        item("namespace_use_declaration", Kind::Import).named(Name::Text),
        item("class_declaration", Kind::Class),
        item("interface_declaration", Kind::Interface),
        item("trait_declaration", Kind::Trait),
        item("enum_declaration", Kind::Enum),
        item("enum_case", Kind::Variant),
        item("function_definition", Kind::Function),
        item("method_declaration", Kind::Function),
        item("property_declaration", Kind::Field).named(Name::Within("property_element")).body(&[]),
        item("const_declaration", Kind::Constant).named(Name::Within("const_element")).body(&[]),
        item("assignment_expression", Kind::Variable).named(Name::Field("left")).body(&[]),
    ],
    callables: &[],
    shells: &[("<?php\n", "\n"), ("<?php class Shell {\n", "\n}\n"), ("<?php enum Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::None,
};
