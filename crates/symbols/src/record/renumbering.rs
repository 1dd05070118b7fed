//! Renumbering of the names in a record.

use super::{
    Base, Expression, Hint, ImportRecord, ImportTarget, Local, Record, ReferenceRecord, Step, SymbolRecord,
};
use crate::Word;

impl Record {
    /// Replaces the number `n` of each name with `number(n)`, the number of the same name in another table.
    pub fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        if let Some(package) = &mut self.package {
            *package = number(*package);
        }
        self.symbols.iter_mut().for_each(|defined| defined.renumber(number));
        self.uses.iter_mut().for_each(|used| used.renumber(number));
        self.imports.iter_mut().for_each(|imported| imported.renumber(number));
        self.locals.iter_mut().for_each(|local| local.renumber(number));
    }
}

impl SymbolRecord {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.name = number(self.name);
        self.qualified = number(self.qualified);
        self.modifiers.iter_mut().for_each(|word| *word = number(*word));
        typed(&mut self.hint, &mut self.value, number);
    }
}

impl ReferenceRecord {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.name = number(self.name);
        if let Some(receiver) = &mut self.receiver {
            receiver.renumber(number);
        }
    }
}

impl ImportRecord {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.module = number(self.module);
        self.alias = self.alias.map(number);
        self.what = match self.what {
            ImportTarget::Name(name) => ImportTarget::Name(number(name)),
            ImportTarget::Default(name) => ImportTarget::Default(number(name)),
            other @ (ImportTarget::Module | ImportTarget::All) => other,
        };
    }
}

impl Local {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.name = number(self.name);
        typed(&mut self.hint, &mut self.value, number);
    }
}

impl Expression {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.base = match self.base {
            Base::Name(name, at) => Base::Name(number(name), at),
            Base::New(name, at) => Base::New(number(name), at),
            Base::Literal(name) => Base::Literal(number(name)),
            other @ (Base::Own | Base::Above | Base::Macros | Base::Global | Base::Other) => other,
        };
        for step in &mut self.steps {
            if let Step::Member(name) = step {
                *name = number(*name);
            }
        }
    }
}

impl Hint {
    fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.path.iter_mut().for_each(|word| *word = number(*word));
        self.inner.iter_mut().chain(&mut self.or).for_each(|hint| hint.renumber(number));
    }
}

fn typed(hint: &mut Option<Hint>, value: &mut Option<Expression>, number: &impl Fn(Word) -> Word) {
    if let Some(hint) = hint {
        hint.renumber(number);
    }
    if let Some(value) = value {
        value.renumber(number);
    }
}
