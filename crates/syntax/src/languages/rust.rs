//! Rust.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "rust",
    aliases: &[],
    extensions: &["rs"],
    load: || tree_sitter_rust::LANGUAGE.into(),
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    wrappers: &[],
    flat: &[],
    rules: &[
        item("mod_item", Kind::Module),
        item("foreign_mod_item", Kind::Group).named(Name::None),
        item("struct_item", Kind::Struct),
        item("union_item", Kind::Union),
        item("enum_item", Kind::Enum),
        item("enum_variant", Kind::Variant),
        item("field_declaration", Kind::Field),
        item("trait_item", Kind::Trait),
        item("impl_item", Kind::Impl).named(Name::Joined("trait", "for", "type")),
        item("function_item", Kind::Function),
        item("function_signature_item", Kind::Function),
        item("const_item", Kind::Constant),
        item("static_item", Kind::Constant),
        item("type_item", Kind::Type),
        item("associated_type", Kind::Type),
        item("macro_definition", Kind::Macro),
        item("use_declaration", Kind::Import).named(Name::Path("argument")),
        item("extern_crate_declaration", Kind::Import),
    ],
    callables: &[],
    shells: &[("impl Shell {\n", "\n}\n"), ("enum Shell {\n", "\n}\n"), ("struct Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::None,
};
