//! What an expression comes to: its base, and step by step what is done with that.

use std::sync::Arc;

use toolpost_syntax::Kind;

use super::lookup::Meanings;
use super::{How, Resolver, Spot, Value};
use crate::Word;
use crate::graph::{At, is_class};
use crate::record::{Base, Bound, Expression, Local, Step, Used};
use crate::rules::{self, Family};

impl Resolver<'_> {
    /// Finds what a use of a name means.
    pub(super) fn meant(&self, spot: Spot, used: &Used) -> Meanings {
        match &used.receiver {
            None => {
                let mut found = self.lookup(spot, used.name);
                if self.rules(spot.file).family == Family::Rust {
                    found.retain(|(value, _)| !self.is_macro(value));
                }
                found
            }
            Some(Expression { base: Base::Macros, .. }) => {
                let mut found = self.lookup(spot, used.name);
                found.retain(|(value, _)| self.is_macro(value));
                let added = if found.is_empty() { self.added(spot, used.name) } else { found };
                if added.is_empty() { vec![(Value::Outside, How::Scope)] } else { added }
            }
            Some(Expression { base: Base::Global, steps }) if steps.is_empty() => {
                let found = self.of_file(Spot { place: u32::MAX, ..spot }, used.name);
                if found.is_empty() { vec![(Value::Outside, How::Scope)] } else { found }
            }
            Some(receiver) => {
                let value = self.value(spot, receiver);
                self.member(&value, used.name, spot)
            }
        }
    }

    fn is_macro(&self, value: &Value) -> bool {
        matches!(value, Value::Thing(at) if self.graph.symbol(*at).kind.kind() == Kind::Macro)
    }

    /// Gives what an expression comes to.
    pub(super) fn value(&self, spot: Spot, expression: &Expression) -> Value {
        self.deeper(Value::Unknown, || {
            let mut value = self.base(spot, expression);
            let mut steps = expression.steps.as_slice();
            // `cls()` makes an object as the class itself does, and `super()` is what is above it.
            if matches!(expression.base, Base::Own | Base::Above) && steps.first() == Some(&Step::Call) {
                steps = &steps[1..];
            }
            for (number, step) in steps.iter().enumerate() {
                let next = steps.get(number + 1);
                if let (Step::Member(name), Some(Step::Handed(argument, parameter))) = (step, next)
                    && let Some(held) = self.handed_by_holder(&value, *name, (*argument, *parameter), spot)
                {
                    return held;
                }
                value = match step {
                    Step::Member(name) => self.settled(self.member(&value, *name, spot)),
                    Step::Call => self.called(&value),
                    Step::Index => self.indexed(&value),
                    Step::Handed(argument, parameter) => self.handed(&value, *argument, *parameter),
                };
                if matches!(value, Value::Unknown | Value::Outside) {
                    return value;
                }
            }
            value
        })
    }

    fn base(&self, spot: Spot, expression: &Expression) -> Value {
        let rust = self.rules(spot.file).family == Family::Rust;
        let path = rust && matches!(expression.steps.first(), Some(Step::Member(_)));
        match expression.base {
            Base::Name(name, place) => {
                let here = Spot { file: spot.file, place };
                let found = self.lookup(here, name);
                if !found.is_empty() {
                    return self.settled(found);
                }
                let modules = if rust { self.bare_module(here, name) } else { Vec::new() };
                if modules.is_empty() { Value::Outside } else { Value::either(modules) }
            }
            Base::Own => match self.own_class(spot) {
                _ if let Some(said) = self.own_by_hint(spot) => said,
                Some(class) => Value::one(class),
                None if rust => Value::either(self.module(spot, "self")),
                None => Value::Unknown,
            },
            Base::Above if rust => {
                if path || expression.steps.is_empty() {
                    Value::either(self.module(spot, "super"))
                } else {
                    Value::Unknown
                }
            }
            Base::Above => self.own_class(spot).map_or(Value::Unknown, Value::Above),
            Base::New(name, place) => {
                let here = Spot { file: spot.file, place };
                let found = self.lookup(here, name);
                if found.is_empty() {
                    return Value::Outside;
                }
                let class = self.settled(found);
                self.called(&class)
            }
            // What an object that is written out holds is not looked at.
            Base::Literal(name) if self.graph.text(name) == "object" => Value::Unknown,
            Base::Literal(_) => Value::Outside,
            Base::Macros | Base::Global | Base::Other => Value::Unknown,
        }
    }

    /// Turns what names mean into what they come to.
    pub(super) fn settled(&self, meanings: Meanings) -> Value {
        Value::either(meanings.into_iter().map(|(value, _)| match value {
            Value::Thing(at) => self.of_symbol(at),
            other => other,
        }))
    }

    /// Gives what the name of a symbol comes to in an expression.
    pub(super) fn of_symbol(&self, at: At) -> Value {
        let symbol = self.graph.symbol(at);
        match symbol.kind.kind() {
            Kind::Function if self.is_property(at) => self.returned(at),
            Kind::Variable | Kind::Constant | Kind::Field => self.deeper(Value::Unknown, || {
                let spot = self.spot_of(at);
                match (&symbol.hint, &symbol.value) {
                    (Some(hint), _) if !self.says_nothing(hint) => self.typed(spot, hint),
                    (_, Some(value)) => self.value(Spot { place: symbol.span.0, ..spot }, value),
                    _ => Value::Unknown,
                }
            }),
            Kind::Variant => match symbol.parent {
                Some(parent) => Value::one(At { file: at.file, symbol: parent }),
                None => Value::Unknown,
            },
            _ => Value::Thing(at),
        }
    }

    /// Tells whether a function is used without being called, as a property is.
    fn is_property(&self, at: At) -> bool {
        let modifiers = &self.graph.symbol(at).modifiers;
        modifiers.iter().any(|word| {
            matches!(
                self.graph.text(*word),
                "get" | "@property" | "@cached_property" | "@functools.cached_property"
            )
        })
    }

    /// Gives what a function gives back, as far as that is written.
    fn returned(&self, at: At) -> Value {
        match &self.graph.symbol(at).hint {
            Some(hint) => self.typed(self.spot_of(at), hint),
            None => Value::Unknown,
        }
    }

    /// Gives what calling a value comes to.
    fn called(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.called(value))),
            Value::Gives(value) => value.as_ref().clone(),
            Value::Thing(at) => match self.graph.symbol(*at).kind.kind() {
                Kind::Function => self.deeper(Value::Unknown, || self.returned(*at)),
                kind if is_class(kind) => Value::one(*at),
                _ => Value::Unknown,
            },
            Value::One(class, inner) => {
                let call =
                    self.graph.word("__call__").map(|name| self.members_of(*class, name)).unwrap_or_default();
                match call.first() {
                    Some(call) => self.returned(*call),
                    // A value of an enumeration is made by what looks like a call.
                    None if self.graph.symbol(*class).kind.kind() == Kind::Enum => {
                        Value::One(*class, inner.clone())
                    }
                    None => Value::Unknown,
                }
            }
            Value::Above(_)
            | Value::Wrap(_)
            | Value::Held(_)
            | Value::File(_)
            | Value::Folder(_)
            | Value::Unknown => Value::Unknown,
            Value::Outside => Value::Outside,
        }
    }

    /// Gives one of what a value holds.
    fn indexed(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.indexed(value))),
            Value::Held(inner) => inner.last().cloned().unwrap_or(Value::Outside),
            Value::Wrap(held) => self.indexed(held),
            Value::One(class, _) => {
                let name = self.graph.word("__getitem__");
                let found = name.map(|name| self.members_of(*class, name)).unwrap_or_default();
                found.first().map_or(Value::Unknown, |at| self.returned(*at))
            }
            // A generic class with its types in brackets is still that class.
            Value::Thing(at) if is_class(self.graph.symbol(*at).kind.kind()) => value.clone(),
            Value::Outside => Value::Outside,
            _ => Value::Unknown,
        }
    }

    /// Gives what comes one after the other from a value.
    fn each_of(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.each_of(value))),
            Value::Held(inner) => inner.first().cloned().unwrap_or(Value::Outside),
            Value::Wrap(held) => self.each_of(held),
            Value::One(class, _) => {
                let name = self.graph.word("__iter__");
                let found = name.map(|name| self.members_of(*class, name)).unwrap_or_default();
                found.first().map_or(Value::Unknown, |at| self.each_of(&self.returned(*at)))
            }
            Value::Outside => Value::Outside,
            _ => Value::Unknown,
        }
    }

    /// Gives what a value gives while a block runs.
    fn entered(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.entered(value))),
            Value::Held(inner) => inner.first().cloned().unwrap_or(Value::Outside),
            Value::One(class, _) => {
                let names = ["__enter__", "__aenter__"].into_iter().filter_map(|name| self.graph.word(name));
                let found: Vec<At> = names.flat_map(|name| self.members_of(*class, name)).collect();
                match found.first() {
                    Some(at) if self.graph.symbol(*at).hint.is_some() => match self.returned(*at) {
                        // What is written to be the class of the object is that of the one it was called on.
                        Value::One(base, _) if self.inherits_from(*class, base) => value.clone(),
                        other => other,
                    },
                    _ => value.clone(),
                }
            }
            Value::Wrap(held) => self.entered(held),
            other => other.clone(),
        }
    }

    pub(super) fn inherits_from(&self, class: At, base: At) -> bool {
        let mut waiting = vec![class];
        let mut seen = Vec::new();
        while let Some(class) = waiting.pop() {
            if class == base {
                return true;
            }
            if seen.contains(&class) {
                continue;
            }
            seen.push(class);
            for value in self.inherits(class).iter() {
                waiting.extend(value.each().iter().filter_map(|value| match value {
                    Value::Thing(at) => Some(*at),
                    _ => None,
                }));
            }
        }
        false
    }

    /// Gives what a method of a type that holds others gives.
    pub(super) fn given(&self, value: &Value, name: Word, spot: Spot) -> Value {
        let rules = self.rules(spot.file);
        let text = self.graph.text(name);
        let held = match value {
            Value::Wrap(held) => held.as_ref().clone(),
            Value::Held(inner) => inner.last().cloned().unwrap_or(Value::Outside),
            _ => return Value::Unknown,
        };
        if rules::lists(rules.gives_held, text) {
            return Value::Gives(Arc::new(held));
        }
        if text == "values" {
            return Value::Gives(Arc::new(Value::Held(Arc::from([held]))));
        }
        if rules::lists(rules.gives_same, text) {
            return Value::Gives(Arc::new(value.clone()));
        }
        Value::Outside
    }

    /// Gives what a local name comes to.
    pub(super) fn local(&self, spot: Spot, local: &Local) -> Value {
        self.deeper(Value::Unknown, || {
            let here = Spot { file: spot.file, place: local.at };
            let whole = match (&local.hint, &local.value) {
                (Some(hint), _) if !self.says_nothing(hint) => return self.typed(here, hint),
                (_, Some(value)) => self.value(here, value),
                _ => Value::Unknown,
            };
            match local.sort {
                Bound::Each => self.each_of(&whole),
                Bound::Context => self.entered(&whole),
                // What a parameter is if nothing is given says little of what is given.
                Bound::Parameter if whole == Value::Outside => Value::Unknown,
                Bound::Parameter | Bound::Local | Bound::Field => match whole {
                    Value::Gives(_) => Value::Unknown,
                    other => other,
                },
            }
        })
    }

    /// Gives what something means that stands for how it was found, for those who only want the symbols.
    pub(super) fn things(meanings: &Meanings) -> Vec<(At, How)> {
        let thing = |(value, how): &(Value, How)| match value {
            Value::Thing(at) => Some((*at, *how)),
            _ => None,
        };
        meanings.iter().filter_map(thing).collect()
    }
}
