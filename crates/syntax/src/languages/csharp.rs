//! C#.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, Rule, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "csharp",
    aliases: &["c#", "c_sharp"],
    extensions: &["cs", "csx"],
    load: || tree_sitter_c_sharp::LANGUAGE.into(),
    comments: &["comment"],
    attributes: &["attribute_list"],
    wrappers: &["global_statement"],
    flat: &[],
    rules: RULES,
    callables: &[],
    shells: &[("class Shell {\n", "\n}\n"), ("enum Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::ByType("parameter_list"),
};

const RULES: &[Rule] = &[
    item("using_directive", Kind::Import).named(Name::Text),
    item("namespace_declaration", Kind::Module),
    item("file_scoped_namespace_declaration", Kind::Package).body(&[]),
    item("class_declaration", Kind::Class),
    item("struct_declaration", Kind::Struct),
    item("record_declaration", Kind::Struct),
    item("interface_declaration", Kind::Interface),
    item("enum_declaration", Kind::Enum),
    item("enum_member_declaration", Kind::Variant),
    item("delegate_declaration", Kind::Type),
    item("method_declaration", Kind::Function),
    item("local_function_statement", Kind::Function),
    item("constructor_declaration", Kind::Function),
    item("destructor_declaration", Kind::Function),
    item("operator_declaration", Kind::Function).named(Name::Field("operator")),
    item("property_declaration", Kind::Field).body(&[]),
    item("event_declaration", Kind::Field).body(&[]),
    item("event_field_declaration", Kind::Field).named(Name::Within("variable_declarator")).body(&[]),
    item("field_declaration", Kind::Field).named(Name::Within("variable_declarator")).body(&[]),
];
