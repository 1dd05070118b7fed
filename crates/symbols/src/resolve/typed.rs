//! Resolution of type annotations.

use std::sync::Arc;

use toolpost_syntax::Kind;

use super::{Location, Resolver, Value};
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{FUNCTION, Hint};
use crate::rules::{self, Family, together};

impl Resolver<'_> {
    /// Returns the value that an object of an annotated type has, such as `One(class)` for an object of a class.
    pub(super) fn typed(&self, spot: Location, hint: &Hint) -> Value {
        self.deeper(Value::Unknown, || {
            let first = self.one_type(spot, hint);
            if hint.or.is_empty() {
                return first;
            }
            let others = hint.or.iter().map(|or| self.one_type(spot, or));
            Value::either(std::iter::once(first).chain(others))
        })
    }

    /// Returns whether a type annotation gives no type, such as `auto` or `any`.
    pub(super) fn says_nothing(&self, hint: &Hint) -> bool {
        let [only] = hint.path.as_slice() else { return false };
        matches!(self.graph.text(*only), "auto" | "var" | "val" | "let" | "const" | "Any" | "any" | "_")
    }

    fn one_type(&self, spot: Location, hint: &Hint) -> Value {
        let inner: Vec<Value> = hint.inner.iter().map(|inner| self.typed(spot, inner)).collect();
        let rules = self.rules(spot.file);
        let Some((first, rest)) = hint.path.split_first() else {
            // Only the first of several results in Go is followed.
            return match inner.len() {
                2.. if rules.family == Family::Go => inner.into_iter().next().unwrap_or(Value::Unknown),
                _ => Value::Held(inner.into()),
            };
        };
        let name = self.graph.text(*hint.path.last().unwrap_or(first));
        if name == FUNCTION {
            return Value::Gives(Arc::new(inner.into_iter().next().unwrap_or(Value::Unknown)));
        }
        let typing =
            |word: &crate::Word| matches!(self.graph.text(*word), "typing" | "typing_extensions" | "t");
        let dotted = name == "Self" && rest.len() == 1 && rules.family == Family::Python && typing(first);
        if (matches!(name, "Self" | "this") && rest.is_empty()) || dotted {
            return self.own_class(spot).map_or(Value::Unknown, Value::one);
        }
        if matches!(name, "type" | "Type") && rules.family == Family::Python {
            return match inner.first() {
                Some(Value::One(class, _)) => Value::Thing(*class),
                _ => Value::Unknown,
            };
        }
        let found = self.type_named(spot, hint);
        let things: Vec<Value> = found.iter().filter_map(|value| self.of_type(spot, value, &inner)).collect();
        if !things.is_empty() {
            return Value::either(things);
        }
        let wrapper = rules.wrappers.iter().find(|(wrapper, _)| *wrapper == name);
        if let Some((_, held)) = wrapper {
            let held = inner.get(*held).or(inner.last()).cloned();
            return held.map_or(Value::Outside, |held| Value::Wrap(Arc::new(held)));
        }
        let known = |value: &Value| !matches!(value, Value::Outside);
        if found.iter().any(known)
            || (found.is_empty() && (is_parameter(name) || !self.is_foreign(spot, hint)))
        {
            return Value::Unknown;
        }
        let plain = found.is_empty() && rest.is_empty() && inner.is_empty();
        if plain && !rules::is_global_type(name) {
            // The name may be a type parameter of a generic declaration, so it does not count as outside the
            // workspace.
            return Value::Absent;
        }
        if inner.is_empty() { Value::Outside } else { Value::Held(inner.into()) }
    }

    /// Checks whether a type that could not be resolved is outside the workspace: an import proves it, or no type of
    /// the workspace has this name.
    fn is_foreign(&self, spot: Location, hint: &Hint) -> bool {
        let Some((first, last)) = hint.path.first().zip(hint.path.last()) else { return false };
        let found = self.lookup_type(spot, *first);
        let outside = !found.is_empty() && found.iter().all(|value| *value == Value::Outside);
        let is_type = |at: &At| {
            let kind = self.graph.symbol(*at).kind.kind();
            let typed = is_class(kind) || matches!(kind, Kind::Type | Kind::Variable | Kind::Constant);
            typed && together(self.file(at.file).language(), self.file(spot.file).language())
        };
        outside || !self.graph.definitions(*last).iter().any(is_type)
    }

    /// Returns the meanings of the path of a type annotation.
    pub(super) fn type_named(&self, spot: Location, hint: &Hint) -> Vec<Value> {
        let Some((first, rest)) = hint.path.split_first() else { return Vec::new() };
        let rust = self.rules(spot.file).family == Family::Rust;
        let begin = self.graph.text(*first);
        let mut found: Vec<Value> = if rust && !rest.is_empty() && matches!(begin, "crate" | "self" | "super")
        {
            self.module(spot, begin)
        } else {
            self.lookup_type(spot, *first)
        };
        if found.is_empty() && rust && !rest.is_empty() {
            found = self.bare_module(spot, *first);
        }
        for word in rest {
            found = found.iter().flat_map(|value| self.exported(value, *word, spot)).collect();
        }
        found
    }

    /// Returns the meanings of a type name, without parameters and variables.
    fn lookup_type(&self, spot: Location, name: crate::Word) -> Vec<Value> {
        let found = self.lookup_in_types(spot, name);
        let found: Vec<Value> = found.into_iter().map(|(value, _)| value).collect();
        let local = |value: &Value| matches!(value, Value::One(..) | Value::Held(_) | Value::Wrap(_));
        if !found.is_empty() && found.iter().all(local) {
            let of_file = self.of_file(spot, name);
            return of_file.into_iter().map(|(value, _)| value).collect();
        }
        found
    }

    /// Returns an object of the type that `value` denotes, with the type arguments `inner`; `None` if `value` is not
    /// a type of the workspace.
    fn of_type(&self, spot: Location, value: &Value, inner: &[Value]) -> Option<Value> {
        let Value::Thing(at) = value else { return None };
        let symbol = self.graph.symbol(*at);
        match symbol.kind.kind() {
            kind if is_class(kind) => {
                let class = self.whole(*at)?;
                Some(Value::One(class, inner.into()))
            }
            Kind::Type if self.is_named_type(*at) => Some(Value::One(*at, inner.into())),
            Kind::Type => self.aliased(*at),
            Kind::Variable | Kind::Constant if self.rules(spot.file).family == Family::Python => {
                match self.of_symbol(*at) {
                    Value::Thing(class) if is_class(self.graph.symbol(class).kind.kind()) => {
                        Some(Value::one(class))
                    }
                    // The variable is an annotated type alias, as in `Name: TypeAlias = Other`. Its value stands for
                    // an object of the type.
                    value @ (Value::One(..) | Value::Either(_) | Value::Held(_) | Value::Wrap(_)) => {
                        Some(value)
                    }
                    _ => symbol.hint.is_some().then_some(Value::Unknown),
                }
            }
            Kind::Variant => symbol.parent.map(|parent| Value::one(At { file: at.file, symbol: parent })),
            _ => None,
        }
    }

    /// Checks whether a symbol is a named type that has members: a Go type with methods that is
    /// neither a struct nor an interface, or a TypeScript alias of an object type.
    pub(super) fn is_named_type(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        symbol.kind.kind() == Kind::Type
            && match self.rules(at.file).family {
                Family::Go => !self.graph.owned(symbol.name).is_empty(),
                Family::Ecma => symbol.body.is_some() && self.is_object_type(symbol.hint.as_ref()),
                _ => false,
            }
    }

    /// Checks whether the type of an alias has the members that are written in its braces: `{ … }` or
    /// `Readonly<{ … }>`.
    fn is_object_type(&self, hint: Option<&Hint>) -> bool {
        hint.is_none_or(|hint| match hint.path.as_slice() {
            [only] => hint.or.is_empty() && rules::lists("Readonly Partial Required", self.graph.text(*only)),
            _ => false,
        })
    }

    /// Evaluates the underlying type of a named type.
    pub(super) fn beneath(&self, at: At) -> Value {
        self.deeper(Value::Unknown, || self.aliased(at).unwrap_or(Value::Unknown))
    }

    /// Returns an object of the type that the alias `at` refers to; `None` if the alias has no type or refers to its
    /// own name.
    fn aliased(&self, at: At) -> Option<Value> {
        let symbol = self.graph.symbol(at);
        let spot = self.spot_of(at);
        if let Some(hint) = &symbol.hint
            && hint.path.as_slice() != [symbol.name]
        {
            return Some(self.typed(spot, hint));
        }
        None
    }
}

/// Returns whether a name looks like a type parameter, about which nothing is known.
fn is_parameter(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next();
    match (first, letters.next()) {
        (Some(first), None) => first.is_uppercase(),
        (Some('T'), Some(second)) => second.is_uppercase(),
        _ => false,
    }
}
