//! JavaScript with JSX.

use crate::Kind;
use crate::grammar::{Grammar, Name, Overloads, item};

pub(super) const GRAMMAR: Grammar = Grammar {
    name: "javascript",
    aliases: &["node", "ecmascript"],
    extensions: &["js", "jsx", "mjs", "cjs"],
    load: || tree_sitter_javascript::LANGUAGE.into(),
    comments: &["comment", "html_comment"],
    attributes: &["decorator"],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    flat: &[],
    rules: &[
        item("class_declaration", Kind::Class),
        item("function_declaration", Kind::Function),
        item("generator_function_declaration", Kind::Function),
        item("method_definition", Kind::Function),
        item("field_definition", Kind::Field).named(Name::Field("property")).body(&[]),
        item("variable_declarator", Kind::Variable).body(&[]),
        item("assignment_expression", Kind::Variable).named(Name::Field("left")).body(&[]),
        item("import_statement", Kind::Import).named(Name::Field("source")),
    ],
    callables: &["arrow_function", "function_expression", "generator_function", "class"],
    shells: &[("class Shell {\n", "\n}\n")],
    filler: "",
    overloads: Overloads::None,
};
