//! The language interface of the pattern matcher.

use ast_grep_core::matcher::PatternBuilder;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{Language as Known, Pattern, PatternError};

use super::holes;
use crate::Language;
use crate::bounded::parse_bounded;

impl Known for Language {
    fn expando_char(&self) -> char {
        self.meta()
    }

    fn extract_meta_var(&self, text: &str) -> Option<MetaVariable> {
        holes::hole(*self, text)
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.get_ts_language().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.get_ts_language().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| document(*self, text))
    }
}

impl LanguageExt for Language {
    fn get_ts_language(&self) -> TSLanguage {
        (self.0.load)()
    }
}

/// Parses a text for the matcher, with the same limit on steps as for files.
pub(super) fn document(language: Language, text: &str) -> Result<StrDoc<Language>, String> {
    let tree = parse_bounded(&language.get_ts_language(), text).map_err(|error| error.to_string())?;
    Ok(StrDoc { src: text.to_owned(), lang: language, tree })
}
