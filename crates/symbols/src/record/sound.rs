//! Validation of records from disk.

use super::{Base, Expression, Hint, ImportTarget, Record, Span, Step};
use crate::Word;

/// The maximum nesting depth of types.
const DEEPEST: usize = 64;

impl Record {
    /// Returns whether all indices and spans in the record are valid and its types are not nested too deeply, so that
    /// lookups cannot fail.
    #[must_use]
    pub fn is_sound(&self, words: usize) -> bool {
        let word = |word: Word| (word.0 as usize) < words;
        let symbol = |number: Option<u32>| number.is_none_or(|number| (number as usize) < self.symbols.len());
        let expression =
            |one: &Option<Expression>| one.as_ref().is_none_or(|one| is_sound_expression(one, &word));
        let hint = |one: &Option<Hint>| one.as_ref().is_none_or(|one| is_sound_hint(one, &word, 0));
        let symbols = self.symbols.iter().enumerate().all(|(at, defined)| {
            defined.parent.is_none_or(|parent| (parent as usize) < at)
                && [defined.span, defined.at, defined.signature]
                    .into_iter()
                    .chain(defined.body)
                    .all(is_sound_span)
                && word(defined.name)
                && word(defined.qualified)
                && defined.modifiers.iter().copied().all(word)
                && hint(&defined.hint)
                && expression(&defined.value)
        });
        let scopes = self.scopes.iter().enumerate().all(|(at, (span, parent))| {
            is_sound_span(*span) && parent.is_none_or(|parent| (parent as usize) < at)
        });
        let uses =
            self.uses.iter().all(|used| word(used.name) && symbol(used.within) && expression(&used.receiver));
        let imports = self.imports.iter().all(|import| {
            let what = match import.what {
                ImportTarget::Name(name) | ImportTarget::Default(name) => word(name),
                ImportTarget::Module | ImportTarget::All => true,
            };
            what && word(import.module) && import.alias.is_none_or(word) && symbol(import.within)
        });
        let locals = self.locals.iter().all(|local| {
            let scope = local.scope.is_none_or(|scope| (scope as usize) < self.scopes.len());
            scope && word(local.name) && hint(&local.hint) && expression(&local.value)
        });
        symbols && scopes && uses && imports && locals && self.package.is_none_or(word)
    }
}

fn is_sound_span(span: Span) -> bool {
    span.0 <= span.1
}

fn is_sound_expression(expression: &Expression, word: &impl Fn(Word) -> bool) -> bool {
    let base = match expression.base {
        Base::Name(name, _) | Base::New(name, _) | Base::Literal(name) => word(name),
        Base::Own | Base::Above | Base::Macros | Base::Global | Base::Other => true,
    };
    base && expression.steps.iter().all(|step| match step {
        Step::Member(name) => word(*name),
        Step::Call | Step::Index | Step::Handed(..) => true,
    })
}

fn is_sound_hint(hint: &Hint, word: &impl Fn(Word) -> bool, depth: usize) -> bool {
    let inner = || hint.inner.iter().chain(&hint.or).all(|inner| is_sound_hint(inner, word, depth + 1));
    depth < DEEPEST && hint.path.iter().copied().all(word) && inner()
}

#[cfg(test)]
mod tests {
    use crate::{Record, Word, make};
    use toolpost_syntax::Language;
    use toolpost_test_rows::each;

    #[test]
    fn a_record_with_invalid_references_is_rejected() {
        let text = "import a\nclass A(B):\n    x: C[D] = e.f()\n    def g(self, h=1): i.j(h)\n";
        let (words, record) = make(Language::of_name("python").unwrap(), text).unwrap();
        assert!(record.is_sound(words.len()));
        assert!(!record.is_sound(words.len() - 1));
        type Damage = fn(&mut Record);
        let rows: [(&str, Damage); 7] = [
            ("a symbol that encloses itself", |record| record.symbols[1].parent = Some(1)),
            ("a symbol in a missing symbol", |record| record.symbols[1].parent = Some(9)),
            ("a use in a missing symbol", |record| record.uses[0].within = Some(9)),
            ("an import in a missing symbol", |record| record.imports[0].within = Some(9)),
            ("a scope in a later scope", |record| record.scopes[0].1 = Some(1)),
            ("a local name in a missing scope", |record| record.locals[0].scope = Some(99)),
            ("a use of a missing name", |record| record.uses[0].name = Word(9_999)),
        ];
        each(rows, |(what, damage)| {
            let mut damaged = record.clone();
            damage(&mut damaged);
            assert!(!damaged.is_sound(words.len()), "{what}");
        });
    }
}
