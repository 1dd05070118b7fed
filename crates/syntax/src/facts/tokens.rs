//! Code tokens of one name, without comments and strings.

use std::ops::Range;

use crate::Tree;

/// A token of the code with a given name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameToken {
    /// The range of the name.
    pub at: Range<usize>,
    /// The form of the token.
    pub form: TokenForm,
}

/// The form of a name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A token with one meaning.
    Plain,
    /// A shorthand for a field and a variable of the same name: `{ total }` for `{ total: total }`.
    Shorthand,
    /// A shorthand in a pattern, which reads a field and declares a variable of the same name: `const { total } = cart`.
    ShorthandPattern,
}

/// The kind of shorthand nodes in patterns.
const PATTERN: &str = "shorthand_property_identifier_pattern";

/// The kinds of other shorthand nodes, or of their parents.
const SHORTHANDS: [&str; 3] =
    ["shorthand_property_identifier", "shorthand_field_identifier", "shorthand_field_initializer"];

impl Tree<'_> {
    /// Lists the tokens of a name in the code, in order: definitions, uses, local names and mentions.
    #[must_use]
    pub fn name_tokens(&self, name: &str) -> Vec<NameToken> {
        let mut out: Vec<NameToken> = self
            .words()
            .into_iter()
            .filter(|at| self.text().get(at.clone()) == Some(name))
            .map(|at| NameToken { form: self.form(&at), at })
            .collect();
        out.sort_by_key(|token| token.at.start);
        out.dedup();
        out
    }

    fn form(&self, at: &Range<usize>) -> TokenForm {
        let node = self.root().descendant_for_byte_range(at.start, at.end);
        let Some(node) = node else { return TokenForm::Plain };
        let kinds = [Some(node.kind()), node.parent().map(|parent| parent.kind())];
        if node.kind() == PATTERN {
            TokenForm::ShorthandPattern
        } else if kinds.into_iter().flatten().any(|kind| SHORTHANDS.contains(&kind)) {
            TokenForm::Shorthand
        } else {
            TokenForm::Plain
        }
    }
}
