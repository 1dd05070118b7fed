//! Implementations of methods: overrides in classes, and methods that satisfy Go interfaces.

use std::rc::Rc;

use toolpost_syntax::Kind;

use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{Hint, Usage};
use crate::rules::{Family, together};

/// The maximum number of methods of one name to examine.
const METHODS: usize = 512;

/// The maximum number of types to examine when looking for those that embed a type.
const EMBEDDED: usize = 64;

impl Resolver<'_> {
    /// Returns the methods that a method implements or overrides, directly or indirectly.
    pub(crate) fn declared(&self, at: At) -> Vec<At> {
        let mut found: Vec<At> = Vec::new();
        let mut waiting = vec![at];
        while let Some(next) = waiting.pop() {
            for above in self.declared_next(next) {
                if above != at && !found.contains(&above) {
                    found.push(above);
                    waiting.push(above);
                }
            }
        }
        found
    }

    fn declared_next(&self, at: At) -> Vec<At> {
        if self.graph.symbol(at).kind.kind() != Kind::Function {
            return Vec::new();
        }
        let mut found = self.declared_by_text(at);
        found.extend(self.graph.told_to_be_implemented(at));
        found
    }

    fn declared_by_text(&self, at: At) -> Vec<At> {
        let symbol = self.graph.symbol(at);
        if self.rules(at.file).family == Family::Go {
            let interfaces = self.owner(at).map(|owner| self.implemented(owner, symbol.name));
            let interfaces = interfaces.unwrap_or_default().into_iter();
            return interfaces.flat_map(|interface| self.members_of(interface, symbol.name)).collect();
        }
        let Some(part) = symbol.parent.map(|parent| At { file: at.file, symbol: parent }) else {
            return Vec::new();
        };
        if !is_class(self.graph.symbol(part).kind.kind()) {
            return Vec::new();
        }
        let bases = self.inherits(part);
        let classes = bases.iter().flat_map(Value::each).filter_map(|value| match value {
            Value::Thing(base) => Some(*base),
            _ => None,
        });
        classes.flat_map(|base| self.members_of(base, symbol.name)).collect()
    }

    /// Returns whether a method belongs to the class at a location, or to a subclass of that class. A call through the
    /// superclass at that location never reaches such a method.
    pub(crate) fn goes_above(&self, spot: Location, method: At) -> bool {
        let own = self.own_class(spot);
        let class = self.own_class(self.spot_of(method));
        own.zip(class).is_some_and(|(own, class)| self.inherits_from(class, own))
    }

    /// Lists the possible targets of a call of an abstract method.
    pub(crate) fn implementations(&self, at: At) -> Rc<Vec<At>> {
        self.implementations.get(at, || {
            let mut found = self.find_implementations(at);
            let told = self.graph.told_to_implement(at).into_iter();
            let told = told.filter(|other| self.graph.symbol(*other).kind.kind() == Kind::Function);
            found.extend(told.filter(|other| !self.is_abstract(*other)));
            found.sort_unstable();
            found.dedup();
            Rc::new(found)
        })
    }

    fn find_implementations(&self, at: At) -> Vec<At> {
        let symbol = self.graph.symbol(at);
        let Some(parent) = symbol.parent.filter(|_| self.is_abstract(at)) else { return Vec::new() };
        let class = At { file: at.file, symbol: parent };
        if self.rules(at.file).family == Family::Go {
            let types = self.implementers(class);
            let methods = types.iter().flat_map(|own| self.members_of(*own, symbol.name));
            let mut methods: Vec<At> = methods.filter(|method| *method != at).collect();
            methods.sort_unstable();
            methods.dedup();
            return methods;
        }
        let language = &self.file(at.file).record.language;
        let all = self.graph.definitions(symbol.name).iter().copied().take(METHODS);
        let others = all.filter(|other| {
            *other != at
                && self.graph.symbol(*other).kind.kind() == Kind::Function
                && together(&self.file(other.file).record.language, language)
        });
        others.filter(|other| !self.is_abstract(*other) && self.declared(*other).contains(&at)).collect()
    }

    /// Returns whether a method has no body, or is marked as abstract in Python.
    pub(crate) fn is_abstract(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        let in_class = symbol.parent.is_some_and(|parent| {
            is_class(self.graph.symbol(At { file: at.file, symbol: parent }).kind.kind())
        });
        let said = |word: &Word| matches!(self.graph.text(*word), "@abstractmethod" | "@abc.abstractmethod");
        symbol.kind.kind() == Kind::Function
            && in_class
            && (symbol.body.is_none() || symbol.modifiers.iter().any(said))
    }

    /// Lists the Go types that have all methods of an interface.
    pub(crate) fn implementers(&self, interface: At) -> Rc<Vec<At>> {
        self.implementers.get(interface, || {
            if self.rules(interface.file).family != Family::Go {
                return Rc::default();
            }
            let asked = self.asked_for(interface);
            let rarest = asked.iter().map(|method| self.graph.symbol(*method).name);
            let rarest = rarest.min_by_key(|name| self.graph.definitions(*name).len());
            let Some(rarest) = rarest else { return Rc::default() };
            let all = self.graph.definitions(rarest).iter().take(METHODS);
            let owners = all.filter(|at| self.rules(at.file).family == Family::Go);
            let mut types: Vec<At> = owners.filter_map(|at| self.owner(*at)).collect();
            types.dedup();
            let mut found: Vec<At> = types.into_iter().flat_map(|own| self.embedding(own)).collect();
            found.sort_unstable();
            found.dedup();
            found.retain(|own| self.has_all(*own, &asked));
            Rc::new(found)
        })
    }

    /// Lists the Go interfaces that require a method called `name`, and that the type `own` or a type that embeds it
    /// implements.
    pub(crate) fn implemented(&self, own: At, name: Word) -> Vec<At> {
        let all = self.graph.definitions(name).iter().take(METHODS);
        let interfaces = all.filter_map(|at| {
            let parent = At { file: at.file, symbol: self.graph.symbol(*at).parent? };
            let asks = self.graph.symbol(parent).kind.kind() == Kind::Interface;
            (asks && self.rules(at.file).family == Family::Go).then_some(parent)
        });
        let types = self.embedding(own);
        interfaces
            .filter(|interface| {
                let asked = self.asked_for(*interface);
                types.iter().any(|own| self.has_all(*own, &asked))
            })
            .collect()
    }

    /// Lists the interfaces that a Go type implements and that require at least one of the type's own methods.
    pub(crate) fn implemented_by(&self, own: At) -> Vec<At> {
        let interface = self.graph.symbol(own).kind.kind() == Kind::Interface;
        if interface || self.rules(own.file).family != Family::Go {
            return Vec::new();
        }
        let methods = self.graph.owned(self.graph.symbol(own).name).iter();
        let mut names: Vec<Word> = methods.map(|method| self.graph.symbol(*method).name).collect();
        names.sort_unstable();
        names.dedup();
        let mut found: Vec<At> = names.into_iter().flat_map(|name| self.implemented(own, name)).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|interface| self.has_all(own, &self.asked_for(*interface)));
        found
    }

    /// Lists the methods of an interface, including those of embedded interfaces.
    fn asked_for(&self, interface: At) -> Vec<At> {
        let (mut methods, mut seen, mut waiting) = (Vec::new(), Vec::new(), vec![interface]);
        while let Some(next) = waiting.pop() {
            if seen.contains(&next) || self.graph.symbol(next).kind.kind() != Kind::Interface {
                continue;
            }
            seen.push(next);
            let children = self.file(next.file).children(next.symbol).iter();
            let own = children.map(|symbol| At { file: next.file, symbol: *symbol });
            methods.extend(own.filter(|at| self.graph.symbol(*at).kind.kind() == Kind::Function));
            waiting.extend(self.inherits(next).iter().flat_map(Value::each).filter_map(
                |value| match value {
                    Value::Thing(at) => Some(*at),
                    _ => None,
                },
            ));
        }
        methods
    }

    /// Returns whether a Go type has all methods in `asked`, each with the same declared result type; false if `asked`
    /// is empty.
    fn has_all(&self, own: At, asked: &[At]) -> bool {
        let has = |wanted: &At| {
            let wanted = self.graph.symbol(*wanted);
            self.members_of(own, wanted.name).into_iter().any(|at| {
                let symbol = self.graph.symbol(at);
                symbol.kind.kind() == Kind::Function && looks_same(symbol.hint.as_ref(), wanted.hint.as_ref())
            })
        };
        !asked.is_empty() && asked.iter().all(has)
    }

    /// Lists a Go type and the structs that embed it, directly or indirectly, and so have its methods.
    fn embedding(&self, own: At) -> Vec<At> {
        let mut found = vec![own];
        let mut next = 0;
        while next < found.len() && found.len() < EMBEDDED {
            let base = found[next];
            next += 1;
            let name = self.graph.symbol(base).name;
            for file in self.graph.users(name) {
                let uses = self.file(*file).uses_of(name).filter(|used| used.usage == Usage::Inherit);
                let outer = uses.filter_map(|used| Some(At { file: *file, symbol: used.within? }));
                for outer in outer.collect::<Vec<_>>() {
                    let embeds = self.graph.symbol(outer).kind.kind() == Kind::Struct
                        && self.inherits(outer).contains(&Value::Thing(base));
                    if embeds && !found.contains(&outer) {
                        found.push(outer);
                    }
                }
            }
        }
        found
    }
}

/// Returns whether two types are written the same way, ignoring package names.
fn looks_same(one: Option<&Hint>, other: Option<&Hint>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_none() && other.is_none() };
    one.path.last() == other.path.last()
        && one.inner.len() == other.inner.len()
        && one.inner.iter().zip(&other.inner).all(|(one, other)| looks_same(Some(one), Some(other)))
}
