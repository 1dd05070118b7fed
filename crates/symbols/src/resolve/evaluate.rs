//! Evaluation of an expression: its base, then each step.

use std::sync::Arc;

use toolpost_syntax::Kind;

use super::lookup::Meanings;
use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{Base, BindingKind, Expression, Local, ReferenceRecord, Step, Usage};
use crate::rules::{self, Family, together};
use crate::target::ResolutionMethod;

impl Resolver<'_> {
    /// Returns the meanings of a use of a name.
    pub(super) fn meant(&self, spot: Location, used: &ReferenceRecord) -> Meanings {
        match &used.receiver {
            // A Ruby call with arguments ignores a local variable of the same name.
            None if used.usage == Usage::Call && self.file(spot.file).language() == "ruby" => {
                let mut found = self.lookup(spot, used.name);
                if found.iter().all(|(_, how)| *how == ResolutionMethod::Local) {
                    let file = self.file(spot.file);
                    let class = file.class_around(spot.place).map(|symbol| At { file: spot.file, symbol });
                    let members = class.map(|class| self.members_of(class, used.name)).unwrap_or_default();
                    found =
                        members.into_iter().map(|at| (Value::Thing(at), ResolutionMethod::Member)).collect();
                }
                found
            }
            None => {
                let mut found = match used.usage {
                    Usage::Type => self.lookup_in_types(spot, used.name),
                    _ => self.lookup(spot, used.name),
                };
                if self.rules(spot.file).family == Family::Rust {
                    found.retain(|(value, _)| !self.is_macro(value));
                }
                found
            }
            Some(Expression { base: Base::Macros, .. }) => {
                let mut found = self.lookup(spot, used.name);
                found.retain(|(value, _)| self.is_macro(value));
                let added = if found.is_empty() { self.added(spot, used.name) } else { found };
                if added.is_empty() {
                    vec![(self.unfound(spot, used.name), ResolutionMethod::Scope)]
                } else {
                    added
                }
            }
            Some(Expression { base: Base::Global, steps }) if steps.is_empty() => {
                let own = self.file(spot.file);
                // A leading `\` of PHP leaves the namespace of the file.
                let leaves = own.language() == "php" && own.record.package.is_some();
                let spot_of_file = Location { place: u32::MAX, ..spot };
                let found = if leaves { Vec::new() } else { self.of_file(spot_of_file, used.name) };
                if found.is_empty() {
                    vec![(self.unfound(spot, used.name), ResolutionMethod::Scope)]
                } else {
                    found
                }
            }
            Some(receiver) => {
                let in_type = matches!(used.usage, Usage::Type | Usage::Construct);
                let module = if in_type { self.module_of_type(spot, receiver) } else { None };
                let value = module.unwrap_or_else(|| self.value(spot, receiver));
                self.member(&value, used.name, spot)
            }
        }
    }

    /// Returns the module or the type that the path before the name of a Rust type denotes. A variable of the same name
    /// does not hide it.
    fn module_of_type(&self, spot: Location, path: &Expression) -> Option<Value> {
        let rust = self.rules(spot.file).family == Family::Rust;
        let parts = self.segments(path).filter(|_| rust)?;
        let found = self.module(spot, &parts.join("::"));
        (!found.is_empty()).then(|| Value::either(found))
    }

    /// Evaluates a name that no scope or import defines. It is outside the workspace only if no symbol of the
    /// workspace that could be meant has this name.
    pub(super) fn unfound(&self, spot: Location, name: Word) -> Value {
        let (own, rules) = (self.file(spot.file), self.rules(spot.file));
        let could = |at: &At| {
            together(self.file(at.file).language(), own.language())
                && (rules.bare_members || !self.is_member(*at))
        };
        if self.graph.definitions(name).iter().any(could) {
            Value::Unknown
        } else if rules::is_global(self.graph.text(name)) {
            Value::Outside
        } else {
            // The name may be a local variable whose binding the resolver does not recognise, so it does not count as
            // outside the workspace.
            Value::Absent
        }
    }

    fn is_macro(&self, value: &Value) -> bool {
        matches!(value, Value::Thing(at) if self.graph.symbol(*at).kind.kind() == Kind::Macro)
    }

    /// Returns the value of an expression.
    pub(super) fn value(&self, spot: Location, expression: &Expression) -> Value {
        self.deeper(Value::Unknown, || {
            let mut value = self.base(spot, expression);
            let mut steps = expression.steps.as_slice();
            // In Python, `cls()` creates an object of the class, and `super()` is the superclass. `base` has already
            // returned that value, so the call is skipped.
            if matches!(expression.base, Base::Own | Base::Above) && steps.first() == Some(&Step::Call) {
                steps = &steps[1..];
            }
            if value == Value::Outside
                && !steps.is_empty()
                && !matches!(expression.base, Base::Own | Base::Above)
            {
                return self.of_foreign(expression, 0);
            }
            let mut object = None;
            for (number, step) in steps.iter().enumerate() {
                let next = steps.get(number + 1);
                if let (Step::Member(name), Some(Step::Handed(argument, parameter))) = (step, next)
                    && let Some(held) = self.handed_by_holder(&value, *name, (*argument, *parameter), spot)
                {
                    return held;
                }
                let taken = std::mem::take(&mut object);
                value = match step {
                    Step::Member(name) => {
                        let found = self.settled(self.member(&value, *name, spot));
                        object = Some(value);
                        found
                    }
                    Step::Call => self.called_on(taken.as_ref(), &value),
                    Step::Index => self.indexed(&value),
                    Step::Handed(argument, parameter) => self.handed(&value, *argument, *parameter),
                };
                match value {
                    Value::Absent | Value::Unknown => return value,
                    // The result of a function outside the workspace is unknown, unless the function's name looks
                    // like that of a class.
                    Value::Outside => return self.of_foreign(expression, number),
                    _ => {}
                }
            }
            value
        })
    }

    /// Evaluates an expression whose value is external after step `number`. Its members, and the objects that it
    /// constructs, are external too; the result of any other call or element access is `Absent`.
    fn of_foreign(&self, expression: &Expression, number: usize) -> Value {
        let class = |name: Word| self.graph.text(name).starts_with(char::is_uppercase);
        let mut last = match expression.base {
            Base::Name(name, _) | Base::New(name, _) => Some(name),
            _ => None,
        };
        for (at, step) in expression.steps.iter().enumerate() {
            match step {
                Step::Member(name) => last = Some(*name),
                Step::Call if last.take().is_some_and(class) => {}
                _ if at < number => last = None,
                _ => return Value::Absent,
            }
        }
        Value::Outside
    }

    fn base(&self, spot: Location, expression: &Expression) -> Value {
        let rust = self.rules(spot.file).family == Family::Rust;
        let path = rust && matches!(expression.steps.first(), Some(Step::Member(_)));
        match expression.base {
            Base::Name(name, place) => {
                let here = Location { file: spot.file, place };
                let found = self.lookup(here, name);
                if !found.is_empty() {
                    return self.settled(found);
                }
                let modules = if rust { self.bare_module(here, name) } else { Vec::new() };
                if modules.is_empty() { self.unfound(here, name) } else { Value::either(modules) }
            }
            Base::Own => match self.own_class(spot) {
                _ if let Some(said) = self.own_by_hint(spot) => said,
                Some(class) => Value::one(class),
                None if rust => Value::either(self.module(spot, "self")),
                None => self.own_object(spot).unwrap_or(Value::Unknown),
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
                let here = Location { file: spot.file, place };
                let found = self.lookup(here, name);
                if found.is_empty() {
                    return self.unfound(here, name);
                }
                let class = self.settled(found);
                self.called(&class)
            }
            // The members of object literals are not examined here, so the value counts as unknown.
            Base::Literal(name) if self.graph.text(name) == "object" => Value::Unknown,
            Base::Literal(_) => Value::Outside,
            Base::Macros | Base::Global | Base::Other => Value::Unknown,
        }
    }

    /// Converts the meanings of a name into a value.
    pub(super) fn settled(&self, meanings: Meanings) -> Value {
        Value::either(meanings.into_iter().map(|(value, _)| match value {
            Value::Thing(at) => self.of_symbol(at),
            other => other,
        }))
    }

    /// Returns the value of a symbol's name in an expression.
    pub(super) fn of_symbol(&self, at: At) -> Value {
        let symbol = self.graph.symbol(at);
        match symbol.kind.kind() {
            Kind::Function if self.is_property(at) => self.returned(at),
            Kind::Variable | Kind::Constant | Kind::Field => self.deeper(Value::Unknown, || {
                let spot = self.spot_of(at);
                match &symbol.hint {
                    Some(hint) if !self.says_nothing(hint) => self.typed(spot, hint),
                    // An object literal is represented by its symbol, which has the members.
                    _ if self.is_object(at) => Value::Thing(at),
                    _ => self.given_value(at),
                }
            }),
            Kind::Variant => match symbol.parent {
                Some(parent) => Value::one(At { file: at.file, symbol: parent }),
                None => Value::Unknown,
            },
            _ => Value::Thing(at),
        }
    }

    /// Evaluates the value that is assigned to a symbol.
    pub(super) fn given_value(&self, at: At) -> Value {
        let symbol = self.graph.symbol(at);
        let spot = Location { file: at.file, place: symbol.span.0 };
        symbol.value.as_ref().map_or(Value::Unknown, |value| self.value(spot, value))
    }

    /// Checks whether a symbol is a JavaScript or TypeScript variable or field that holds an object literal with
    /// methods.
    pub(super) fn is_object(&self, at: At) -> bool {
        let kind = self.graph.symbol(at).kind.kind();
        self.rules(at.file).family == Family::Ecma
            && matches!(kind, Kind::Variable | Kind::Constant | Kind::Field)
            && !self.file(at.file).children(at.symbol).is_empty()
    }

    /// Checks whether a symbol is a method of an object literal, which is not in scope by its plain name:
    /// `create() { … }` and `create: () => …`, but not `function create() { … }`.
    pub(super) fn is_method_of_object(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        let object = symbol.parent.map(|symbol| At { file: at.file, symbol });
        let words: Vec<&str> = symbol.modifiers.iter().map(|word| self.graph.text(*word)).collect();
        let declared = words.iter().any(|word| matches!(*word, "const" | "let" | "var"));
        let modifiers: usize = words.iter().map(|word| word.len() + 1).sum();
        let first = symbol.signature.0 as usize + modifiers >= symbol.at.0 as usize;
        first && !declared && object.is_some_and(|object| self.is_object(object))
    }

    /// Returns the object literal around a position: `this` in its methods.
    fn own_object(&self, spot: Location) -> Option<Value> {
        let file = self.file(spot.file);
        let around = file.outwards(file.around(spot.place));
        around.map(|symbol| At { file: spot.file, symbol }).find(|at| self.is_object(*at)).map(Value::Thing)
    }

    /// Returns whether a function is used without a call, as a property.
    fn is_property(&self, at: At) -> bool {
        let modifiers = &self.graph.symbol(at).modifiers;
        modifiers.iter().any(|word| {
            matches!(
                self.graph.text(*word),
                "get" | "@property" | "@cached_property" | "@functools.cached_property"
            )
        })
    }

    /// Returns the declared result of a function.
    fn returned(&self, at: At) -> Value {
        match &self.graph.symbol(at).hint {
            Some(hint) => self.typed(self.spot_of(at), hint),
            None => Value::Unknown,
        }
    }

    /// Evaluates a call of a method of `object`: a method that returns `Self` returns another object of the same
    /// class.
    fn called_on(&self, object: Option<&Value>, method: &Value) -> Value {
        match (object, method) {
            (Some(Value::One(..)), Value::Thing(at)) if self.gives_itself(*at) => {
                object.cloned().unwrap_or(Value::Unknown)
            }
            _ => self.called(method),
        }
    }

    /// Checks whether the declared result of a method is the class of its receiver.
    fn gives_itself(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        let Some(hint) = symbol.hint.as_ref().filter(|hint| hint.or.is_empty()) else { return false };
        match (self.rules(at.file).family, hint.path.as_slice()) {
            (Family::Python, [module, name]) => {
                let module = self.graph.text(*module);
                matches!(module, "typing" | "typing_extensions" | "t") && self.graph.text(*name) == "Self"
            }
            (Family::Python, [name]) => {
                self.graph.text(*name) == "Self" || self.own_hint(at).is_some_and(|own| own == hint)
            }
            (Family::Ecma, [name]) => self.graph.text(*name) == "this",
            _ => false,
        }
    }

    /// Finds the annotation of `self` or `cls` in a Python method.
    fn own_hint(&self, at: At) -> Option<&crate::record::Hint> {
        let (file, symbol) = (self.file(at.file), self.graph.symbol(at));
        symbol.parent?;
        let first = file.record.locals.partition_point(|local| local.at < symbol.at.1);
        let own = file.record.locals.get(first).filter(|local| local.at < symbol.span.1)?;
        let is_own =
            own.sort == BindingKind::Parameter && matches!(self.graph.text(own.name), "self" | "cls");
        own.hint.as_ref().filter(|_| is_own)
    }

    /// Returns the result of calling a value.
    fn called(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.called(value))),
            Value::Gives(value) => value.as_ref().clone(),
            Value::Thing(at) => match self.graph.symbol(*at).kind.kind() {
                Kind::Function => self.deeper(Value::Unknown, || self.returned(*at)),
                kind if is_class(kind) => Value::one(*at),
                Kind::Type if self.is_named_type(*at) => Value::one(*at),
                _ if self.is_object(*at) => {
                    self.deeper(Value::Unknown, || self.called(&self.given_value(*at)))
                }
                _ => Value::Unknown,
            },
            Value::One(class, inner) => {
                let call =
                    self.graph.word("__call__").map(|name| self.members_of(*class, name)).unwrap_or_default();
                match call.first() {
                    None if self.is_named_type(*class) => {
                        self.deeper(Value::Unknown, || self.called(&self.beneath(*class)))
                    }
                    Some(call) => self.returned(*call),
                    // An enumeration value is created with the syntax of a call.
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
            | Value::Absent
            | Value::Unknown => Value::Unknown,
            Value::Outside => Value::Outside,
        }
    }

    /// Evaluates an element access: `value[0]` is an element of the value, and `Class[int]` is the class itself.
    fn indexed(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.indexed(value))),
            Value::Held(inner) => inner.last().cloned().unwrap_or(Value::Outside),
            Value::Wrap(held) => self.indexed(held),
            Value::One(class, _) if self.is_named_type(*class) => {
                self.deeper(Value::Unknown, || self.indexed(&self.beneath(*class)))
            }
            Value::One(class, _) => {
                let name = self.graph.word("__getitem__");
                let found = name.map(|name| self.members_of(*class, name)).unwrap_or_default();
                found.first().map_or(Value::Unknown, |at| self.returned(*at))
            }
            // A generic class with its types in brackets is still that class.
            Value::Thing(at) if is_class(self.graph.symbol(*at).kind.kind()) => value.clone(),
            Value::Outside | Value::Absent => Value::Absent,
            _ => Value::Unknown,
        }
    }

    /// Returns an element of the iteration over a value.
    fn each_of(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.each_of(value))),
            Value::Held(inner) => inner.first().cloned().unwrap_or(Value::Outside),
            Value::Wrap(held) => self.each_of(held),
            Value::One(class, _) if self.is_named_type(*class) => {
                self.deeper(Value::Unknown, || self.each_of(&self.beneath(*class)))
            }
            Value::One(class, _) => self.each_of_object(value, *class),
            Value::Outside | Value::Absent => Value::Absent,
            _ => Value::Unknown,
        }
    }

    /// Returns an element of the iteration over an object of a class. An iterator usually returns itself from
    /// `__iter__`, and its elements from `__next__`.
    fn each_of_object(&self, object: &Value, class: At) -> Value {
        let method = |class: At, name: &str| {
            let name = self.graph.word(name)?;
            self.members_of(class, name).first().copied()
        };
        let Some(iter) = method(class, "__iter__") else { return Value::Unknown };
        let iterator = if self.gives_itself(iter) { object.clone() } else { self.returned(iter) };
        match iterator {
            Value::One(of, _) => match method(of, "__next__") {
                Some(next) => self.returned(next),
                None if of == class => Value::Unknown,
                None => self.deeper(Value::Unknown, || self.each_of(&iterator)),
            },
            other => self.deeper(Value::Unknown, || self.each_of(&other)),
        }
    }

    /// Returns the result of entering a value as a context manager.
    fn entered(&self, value: &Value) -> Value {
        match value {
            Value::Either(all) => Value::either(all.iter().map(|value| self.entered(value))),
            Value::Held(inner) => inner.first().cloned().unwrap_or(Value::Outside),
            Value::One(class, _) => {
                let names = ["__enter__", "__aenter__"].into_iter().filter_map(|name| self.graph.word(name));
                let found: Vec<At> = names.flat_map(|name| self.members_of(*class, name)).collect();
                match found.first() {
                    Some(at) if self.gives_itself(*at) => value.clone(),
                    Some(at) if self.graph.symbol(*at).hint.is_some() => match self.returned(*at) {
                        // If the declared return type of `__enter__` is the object's class or a base class of it, the
                        // method returns the object itself.
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

    pub(crate) fn inherits_from(&self, class: At, base: At) -> bool {
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

    /// Returns the method `name` of a container or wrapper, as a function that returns an element or a container.
    /// `Outside` for any other method of it, `Unknown` for any other value.
    pub(super) fn given(&self, value: &Value, name: Word, spot: Location) -> Value {
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

    /// Returns the value of a local name.
    pub(super) fn local(&self, spot: Location, local: &Local) -> Value {
        self.deeper(Value::Unknown, || {
            let here = Location { file: spot.file, place: local.at };
            let whole = match (&local.hint, &local.value) {
                (Some(hint), _) if !self.says_nothing(hint) => return self.typed(here, hint),
                (_, Some(value)) => self.value(here, value),
                _ => Value::Unknown,
            };
            match local.sort {
                BindingKind::Each => self.each_of(&whole),
                BindingKind::Context => self.entered(&whole),
                // If the default value of a parameter comes from outside the workspace, that does not show which type
                // the arguments have.
                BindingKind::Parameter if whole == Value::Outside => Value::Unknown,
                BindingKind::Parameter | BindingKind::Local | BindingKind::Field => match whole {
                    Value::Gives(_) => Value::Unknown,
                    other => other,
                },
            }
        })
    }

    /// Returns the symbols among the meanings, each with the method that found it.
    pub(super) fn things(meanings: &Meanings) -> Vec<(At, ResolutionMethod)> {
        let thing = |(value, how): &(Value, ResolutionMethod)| match value {
            Value::Thing(at) => Some((*at, *how)),
            _ => None,
        };
        meanings.iter().filter_map(thing).collect()
    }
}
