//! Types of untyped parameters of a callback, derived from the function that the callback is passed to.

use toolpost_syntax::Kind;

use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{BindingKind, FUNCTION, Hint, Local};
use crate::rules::{self, Family};

/// The names of constructors.
const MAKERS: [&str; 2] = ["constructor", "__init__"];

impl Resolver<'_> {
    /// Returns the value that a function passes to its callback, given the position of the callback among the
    /// arguments and of the parameter in the callback.
    pub(super) fn handed(&self, taker: &Value, argument: u16, parameter: u16) -> Value {
        self.deeper(Value::Unknown, || match taker {
            Value::Either(all) => {
                agreed(all.iter().map(|taker| self.handed(taker, argument, parameter)).collect())
            }
            Value::Thing(at) if is_class(self.graph.symbol(*at).kind.kind()) => {
                let names = MAKERS.iter().filter_map(|name| self.graph.word(name));
                let own = self.rules(at.file).family == Family::Java;
                let names = names.chain(own.then(|| self.graph.symbol(*at).name));
                let makers: Vec<At> = names.flat_map(|name| self.members_of(*at, name)).collect();
                self.handed_by(&makers, argument, parameter)
            }
            Value::Thing(at) => self.handed_by(&[*at], argument, parameter),
            _ => Value::Unknown,
        })
    }

    fn handed_by(&self, functions: &[At], argument: u16, parameter: u16) -> Value {
        let mut all = Vec::new();
        for at in functions.iter().flat_map(|at| self.signatures(*at)) {
            if let Some(hint) = self.parameter(at, argument) {
                all.push(self.taken_by(self.spot_of(at), hint, parameter));
            }
        }
        agreed(all)
    }

    /// Returns the visible signatures of a function: its overloads, its declaration, or else itself.
    fn signatures(&self, at: At) -> Vec<At> {
        let (file, own) = (self.file(at.file), self.graph.symbol(at));
        let same = (0..).zip(&file.record.symbols).filter(|(_, other)| other.qualified == own.qualified);
        let declared: Vec<At> = same
            .filter(|(_, other)| other.body.is_none() && other.kind == own.kind)
            .map(|(symbol, _)| At { file: at.file, symbol })
            .collect();
        if declared.is_empty() { vec![at] } else { declared }
    }

    /// Finds the declared type of the parameter that receives the argument at position `argument`; `at` is a function,
    /// or a member with a function type.
    fn parameter(&self, at: At, argument: u16) -> Option<&Hint> {
        let (file, symbol) = (self.file(at.file), self.graph.symbol(at));
        if symbol.kind.kind() != Kind::Function {
            let hint = symbol.hint.as_ref()?;
            return if self.is_function(hint) { hint.inner.get(usize::from(argument) + 1) } else { None };
        }
        let end = symbol.body.map_or(symbol.span.1, |body| body.0.max(symbol.at.1));
        let first = file.record.locals.partition_point(|local| local.at < symbol.span.0);
        let within = file.record.locals[first..].iter().take_while(|local| local.at < end);
        let mut own = within.filter(|local| local.sort == BindingKind::Parameter).peekable();
        let scope = own.peek()?.scope;
        let python = self.rules(at.file).family == Family::Python;
        let bound = |local: &&Local| python && matches!(self.graph.text(local.name), "self" | "cls");
        let shift = u16::from(own.peek().is_some_and(bound));
        let meant = |local: &&Local| local.scope == scope && local.place == Some(argument + shift);
        own.find(meant)?.hint.as_ref()
    }

    fn is_function(&self, hint: &Hint) -> bool {
        matches!(hint.path.as_slice(), [only] if self.graph.text(*only) == FUNCTION)
    }

    /// Returns the type of the parameter at position `parameter` of the function type `hint`.
    fn taken_by(&self, spot: Location, hint: &Hint, parameter: u16) -> Value {
        self.deeper(Value::Unknown, || {
            let all = std::iter::once(hint).chain(&hint.or);
            agreed(all.map(|hint| self.taken_by_one(spot, hint, parameter)).collect())
        })
    }

    fn taken_by_one(&self, spot: Location, hint: &Hint, parameter: u16) -> Value {
        let number = usize::from(parameter);
        let typed = |hint: Option<&Hint>| match hint {
            Some(hint) if !self.says_nothing(hint) => match self.typed(spot, hint) {
                // The name may be a type parameter of a generic function, which looks like the name of a type from
                // outside the workspace.
                Value::Outside => Value::Unknown,
                value => value,
            },
            _ => Value::Unknown,
        };
        if self.is_function(hint) {
            return typed(hint.inner.get(number + 1));
        }
        let Some(last) = hint.path.last() else { return Value::Unknown };
        let rules = self.rules(spot.file);
        let name = self.graph.text(*last);
        let found = self.type_named(spot, hint);
        let aliases = found.iter().filter_map(|value| match value {
            Value::Thing(at) if self.graph.symbol(*at).kind.kind() == Kind::Type => Some(*at),
            _ => None,
        });
        for alias in aliases {
            if let Some(hint) = &self.graph.symbol(alias).hint {
                return self.taken_by(self.spot_of(alias), hint, parameter);
            }
        }
        let outside = !found.iter().any(|value| matches!(value, Value::Thing(_)));
        if outside && rules::lists(rules.functions, name) {
            return typed(hint.inner.get(number));
        }
        let wraps = rules.wrappers.iter().any(|(wrapper, _)| *wrapper == name);
        match hint.inner.first().filter(|_| outside && wraps) {
            Some(inner) => self.taken_by(spot, inner, parameter),
            None => Value::Unknown,
        }
    }

    /// Returns the value that the method `name` of a container or wrapper passes to its callback: an element, or
    /// `Unknown` if the method does not pass one. `None` if `holder` is not a container or wrapper, or its element type
    /// is not known.
    pub(super) fn handed_by_holder(
        &self,
        holder: &Value,
        name: Word,
        (argument, parameter): (u16, u16),
        spot: Location,
    ) -> Option<Value> {
        let rules = self.rules(spot.file);
        let text = self.graph.text(name);
        let held = match holder {
            Value::Held(inner) => inner.last()?.clone(),
            Value::Wrap(held) => held.as_ref().clone(),
            _ => return None,
        };
        let last = rules::lists(rules.hands_second, text);
        let meant =
            if last { parameter == 1 } else { parameter == 0 && rules::lists(rules.hands_held, text) };
        Some(if meant && argument <= u16::from(rules.family == Family::Rust) { held } else { Value::Unknown })
    }

    /// Returns the type of an explicit `this` parameter in JavaScript or TypeScript; `None` inside a class within that
    /// function.
    pub(super) fn own_by_hint(&self, spot: Location) -> Option<Value> {
        if self.rules(spot.file).family != Family::Ecma {
            return None;
        }
        let file = self.file(spot.file);
        let this = self.graph.word("this")?;
        let mut scope = file.scope(spot.place);
        while let Some(number) = scope {
            let (span, outer) = file.record.scopes[number as usize];
            let hint =
                file.locals(scope, this).first().map(|local| &file.record.locals[*local as usize].hint);
            if let Some(Some(hint)) = hint {
                // A class inside the function has its own `this`.
                let class =
                    file.class_around(spot.place).map(|class| file.record.symbols[class as usize].span);
                let nearer = class.is_some_and(|class| span.0 < class.0 && class.1 <= span.1);
                return (!nearer).then(|| self.typed(spot, hint));
            }
            scope = outer;
        }
        None
    }
}

/// Returns the common value of all alternatives, ignoring unknown ones; unknown if they differ.
fn agreed(all: Vec<Value>) -> Value {
    let mut known = all.into_iter().filter(|value| *value != Value::Unknown);
    let Some(first) = known.next() else { return Value::Unknown };
    if known.all(|other| other == first) { first } else { Value::Unknown }
}
