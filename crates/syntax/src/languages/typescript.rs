//! TypeScript, without and with JSX.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, Rule, item};

pub(super) const PLAIN: Grammar = Grammar {
    name: "typescript",
    aliases: &[],
    extensions: &["ts", "mts", "cts"],
    load: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    ..TSX
};

pub(super) const TSX: Grammar = Grammar {
    name: "tsx",
    aliases: &["typescriptreact"],
    extensions: &["tsx"],
    load: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    comments: &["comment", "html_comment"],
    attributes: &["decorator"],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    flat: &[],
    rules: RULES,
    callables: &["arrow_function", "function_expression", "generator_function", "class"],
    shells: &[("class Shell {\n", "\n}\n"), ("interface Shell {\n", "\n}\n"), ("enum Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::None,
};

const RULES: &[Rule] = &[
    item("class_declaration", Kind::Class),
    item("abstract_class_declaration", Kind::Class),
    item("interface_declaration", Kind::Interface),
    item("enum_declaration", Kind::Enum),
    item("enum_assignment", Kind::Variant),
    item("property_identifier", Kind::Variant).named(Name::Text),
    item("type_alias_declaration", Kind::Type),
    item("internal_module", Kind::Module),
    item("module", Kind::Module),
    item("function_declaration", Kind::Function),
    item("function_signature", Kind::Function),
    item("generator_function_declaration", Kind::Function),
    item("method_definition", Kind::Function),
    item("method_signature", Kind::Function),
    item("abstract_method_signature", Kind::Function),
    item("public_field_definition", Kind::Field).body(&[]),
    item("property_signature", Kind::Field).body(&[]),
    item("variable_declarator", Kind::Variable).body(&[]),
    item("assignment_expression", Kind::Variable).named(Name::Field("left")).body(&[]),
    item("import_statement", Kind::Import).named(Name::Field("source")),
];
