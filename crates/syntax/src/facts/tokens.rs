//! Code tokens of one name, without comments and strings.

use std::ops::Range;

use crate::Tree;

/// A token of the code with a given name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameToken {
    /// The range of the name.
    pub at: Range<usize>,
    /// Further facts about the token.
    pub form: TokenForm,
}

/// The form of a name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// The name alone.
    Plain,
    /// A field and a variable of one name, written once: `{ total }` for `{ total: total }`.
    Shorthand,
}

/// The kinds of nodes, and of their parents, that write a field and a variable once.
const SHORTHANDS: [&str; 4] = [
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "shorthand_field_identifier",
    "shorthand_field_initializer",
];

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
        let shorthand = node.is_some_and(|node| {
            SHORTHANDS.contains(&node.kind())
                || node.parent().is_some_and(|parent| SHORTHANDS.contains(&parent.kind()))
        });
        if shorthand { TokenForm::Shorthand } else { TokenForm::Plain }
    }
}
