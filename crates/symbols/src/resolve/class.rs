//! Members of a class: its own, those of its `impl` blocks, and inherited ones.

use std::rc::Rc;
use std::sync::Arc;

use toolpost_syntax::Kind;

use super::lookup::Meanings;
use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{Local, Usage};
use crate::rules::{self, Family, together};
use crate::target::ResolutionMethod;

/// The maximum number of ancestors to search.
const ANCESTORS: usize = 64;

/// Something that belongs to a class.
pub(super) enum Member {
    /// A symbol that the class defines, such as a method.
    Symbol(At),
    /// A field that a method assigns: its location, and its index among the local names of the file.
    Field(Location, u32),
}

/// The class at which a member search begins: the class itself, or its base classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchStart {
    Itself,
    Above,
}

impl Resolver<'_> {
    /// Returns the type that an `impl` block extends, `None` if it is not a class of the workspace. Returns any other
    /// symbol unchanged.
    pub(super) fn whole(&self, at: At) -> Option<At> {
        let symbol = self.graph.symbol(at);
        if symbol.kind.kind() != Kind::Impl {
            return Some(at);
        }
        let name = symbol.hint.as_ref().and_then(|hint| hint.path.last().copied()).unwrap_or(symbol.name);
        let spot = Location { file: at.file, place: symbol.span.0 };
        let outer = symbol.parent.map_or(spot, |_| self.spot_of(at));
        let class = |value: Value| match value {
            Value::Thing(found) if found != at => {
                let kind = self.graph.symbol(found).kind.kind();
                (is_class(kind) && kind != Kind::Impl).then_some(found)
            }
            _ => None,
        };
        let hint = symbol.hint.as_ref();
        let path = hint.map(|hint| hint.path.as_slice()).filter(|path| path.len() > 1);
        match path {
            Some(path) => {
                let mut found: Vec<Value> =
                    self.lookup(outer, path[0]).into_iter().map(|(value, _)| value).collect();
                for word in &path[1..] {
                    found = found.iter().flat_map(|value| self.exported(value, *word, outer)).collect();
                }
                found.into_iter().find_map(class)
            }
            None => self.lookup(outer, name).into_iter().find_map(|(value, _)| class(value)),
        }
    }

    /// Finds the class of `self` at a position.
    pub(super) fn own_class(&self, spot: Location) -> Option<At> {
        let file = self.file(spot.file);
        if let Some(class) = file.class_around(spot.place) {
            return self.whole(At { file: spot.file, symbol: class });
        }
        // A method may be written outside its class, under the class's name.
        file.outwards(file.around(spot.place))
            .find_map(|number| self.owner(At { file: spot.file, symbol: number }))
    }

    /// Returns the class of a method or a field, even if it is written outside the class.
    pub(crate) fn class_of(&self, at: At) -> Option<At> {
        let parent = self.graph.symbol(at).parent.map(|symbol| At { file: at.file, symbol });
        let part = parent.filter(|parent| is_class(self.graph.symbol(*parent).kind.kind()));
        part.map_or_else(|| self.owner(at), |part| self.whole(part))
    }

    /// Finds the class of a method that is written outside the class, by the qualified name.
    pub(super) fn owner(&self, at: At) -> Option<At> {
        let symbol = self.graph.symbol(at);
        let qualified = self.graph.text(symbol.qualified);
        let (owner, _) = qualified.rsplit_once('.').filter(|_| symbol.parent.is_none())?;
        let name = self.graph.word(owner.rsplit('.').next()?)?;
        let spot = Location { file: at.file, place: 0 };
        self.of_file(spot, name).into_iter().find_map(|(value, _)| match value {
            Value::Thing(found) if is_class(self.graph.symbol(found).kind.kind()) => Some(found),
            Value::Thing(found) if self.is_named_type(found) => Some(found),
            _ => None,
        })
    }

    /// Lists a class and its `impl` blocks.
    pub(crate) fn parts(&self, class: At) -> Vec<At> {
        let mut parts = vec![class];
        if self.rules(class.file).family == Family::Rust {
            parts.extend(self.blocks.get(class, || Rc::new(self.find_blocks(class))).iter());
        }
        parts
    }

    fn find_blocks(&self, class: At) -> Vec<At> {
        let all = self.graph.definitions(self.graph.symbol(class).name).iter().copied();
        let blocks = all.filter(|at| self.graph.symbol(*at).kind.kind() == Kind::Impl);
        blocks.filter(|block| self.whole(*block) == Some(class)).collect()
    }

    /// Returns the declared base types of a symbol.
    pub(crate) fn inherits(&self, class: At) -> Rc<Vec<Value>> {
        self.bases.get(class, || Rc::new(self.said_to_inherit(class)))
    }

    fn said_to_inherit(&self, class: At) -> Vec<Value> {
        let file = self.file(class.file);
        let span = self.graph.symbol(class).span;
        let uses = &file.record.uses;
        let first = uses.partition_point(|used| used.at < span.0);
        uses[first..]
            .iter()
            .take_while(|used| used.at < span.1)
            .filter(|used| used.usage == Usage::Inherit && used.within == Some(class.symbol))
            .map(|used| {
                let spot = Location { file: class.file, place: used.at };
                Value::either(self.meant(spot, used).into_iter().map(|(value, _)| value))
            })
            .collect()
    }

    /// Returns the members named `name` that a class defines itself; `parts` are the class and its `impl` blocks.
    fn own_members(&self, parts: &[At], name: Word) -> Vec<Member> {
        let mut out = Vec::new();
        for part in parts {
            let file = self.file(part.file);
            let symbols = file.members(part.symbol, name);
            out.extend(symbols.map(|symbol| Member::Symbol(At { file: part.file, symbol })));
            if out.is_empty() {
                let fields = file.fields(part.symbol, name).iter();
                out.extend(fields.map(|field| {
                    let place = file.record.locals[*field as usize].at;
                    Member::Field(Location { file: part.file, place }, *field)
                }));
            }
        }
        let class = parts[0];
        if matches!(self.rules(class.file).family, Family::Go | Family::C) {
            let owner = self.graph.symbol(class).name;
            let owned = self.graph.owned(owner).iter().filter(|at| self.graph.symbol(**at).name == name);
            let apart: Vec<Member> =
                owned.filter(|at| self.belongs(**at, class)).map(|at| Member::Symbol(*at)).collect();
            // A definition outside the class has priority over the declaration inside.
            if !apart.is_empty() {
                return apart;
            }
        }
        out
    }

    /// Returns whether a method outside a class body belongs to the class.
    fn belongs(&self, method: At, class: At) -> bool {
        let (one, other) = (self.file(method.file), self.file(class.file));
        if !together(&one.record.language, &other.record.language) {
            return false;
        }
        match self.rules(class.file).family {
            Family::Go => crate::path::split(&one.path).0 == crate::path::split(&other.path).0,
            _ => {
                let whole = self.graph.text(self.graph.symbol(class).qualified);
                let of_method = self.graph.text(self.graph.symbol(method).qualified);
                let owner = of_method.rsplit_once('.').map_or("", |(owner, _)| owner);
                whole == owner
                    || whole.ends_with(&format!(".{owner}"))
                    || owner.ends_with(&format!(".{whole}"))
            }
        }
    }

    /// Returns the direct or inherited members of a class with a name. The second value is `Unknown` if one of the
    /// ancestors searched before is not known, otherwise `Outside`.
    pub(super) fn find_member(&self, class: At, name: Word) -> (Vec<Member>, Value) {
        self.find_from(class, name, SearchStart::Itself)
    }

    /// Searches like [`Self::find_member`]; with [`SearchStart::Above`], only the ancestors of the class.
    fn find_from(&self, class: At, name: Word, from: SearchStart) -> (Vec<Member>, Value) {
        let mut seen: Vec<At> = Vec::new();
        let mut waiting = vec![class];
        let first = class;
        let mut above = Value::Outside;
        while let Some(class) = waiting.pop() {
            if seen.contains(&class) || seen.len() >= ANCESTORS {
                continue;
            }
            seen.push(class);
            let parts = self.parts(class);
            let found = if from == SearchStart::Above && class == first {
                Vec::new()
            } else {
                self.own_members(&parts, name)
            };
            if !found.is_empty() {
                return (found, above);
            }
            let mut bases = Vec::new();
            for value in parts.iter().flat_map(|part| self.inherits(*part).to_vec()) {
                for value in value.each() {
                    match value {
                        Value::Thing(base) if is_class(self.graph.symbol(*base).kind.kind()) => {
                            bases.push(*base);
                        }
                        Value::Unknown => above = Value::Unknown,
                        _ => {}
                    }
                }
            }
            waiting.extend(bases.into_iter().rev());
        }
        (Vec::new(), above)
    }

    /// Lists the direct or inherited members of a class with a name, except fields that only a method assigns.
    pub(crate) fn members_of(&self, class: At, name: Word) -> Vec<At> {
        let Some(class) = self.whole(class) else { return Vec::new() };
        let (found, _) = self.deeper((Vec::new(), Value::Unknown), || self.find_member(class, name));
        found
            .into_iter()
            .filter_map(|member| match member {
                Member::Symbol(at) => Some(at),
                Member::Field(..) => None,
            })
            .collect()
    }

    /// Returns `found`, the meanings of a member. If none of them is known and the file is Rust, returns instead a
    /// function that returns `made`, as the derived methods `clone` and `default` do.
    fn or_derived(&self, spot: Location, found: Meanings, made: Option<Value>) -> Meanings {
        let rust = self.rules(spot.file).family == Family::Rust;
        let nothing =
            found.iter().all(|(value, _)| matches!(value, Value::Outside | Value::Absent | Value::Unknown));
        match made.filter(|_| rust && nothing) {
            Some(made) => vec![(Value::Gives(Arc::new(made)), ResolutionMethod::Typed)],
            None => found,
        }
    }

    /// Returns the meaning of a member of a value.
    pub(super) fn member(&self, value: &Value, name: Word, spot: Location) -> Meanings {
        let rules = self.rules(spot.file);
        let text = self.graph.text(name);
        match value {
            Value::Either(all) => self.member_of_each(all, name, spot),
            Value::One(class, _) if text == "__class__" => {
                vec![(Value::Thing(*class), ResolutionMethod::Member)]
            }
            Value::One(class, _) if self.is_named_type(*class) => {
                let own = self.member_of_class(*class, name, ResolutionMethod::Typed);
                let known = own.iter().any(|(value, _)| *value != Value::Absent);
                if known { own } else { self.member(&self.beneath(*class), name, spot) }
            }
            Value::One(class, _) => {
                let found = self.member_of_class(*class, name, ResolutionMethod::Typed);
                let made = (text == "clone").then(|| value.clone());
                self.or_derived(spot, found, made)
            }
            Value::Above(class) => {
                let (found, above) = self.deeper((Vec::new(), Value::Unknown), || {
                    self.find_from(*class, name, SearchStart::Above)
                });
                if found.is_empty() {
                    vec![(above, ResolutionMethod::Member)]
                } else {
                    self.as_meanings(found, above, ResolutionMethod::Member)
                }
            }
            // All functions have the built-in members of the language. Other members may exist, because a decorator
            // may add them, so they are `Absent`.
            Value::Thing(at) if self.graph.symbol(*at).kind.kind() == Kind::Function => {
                let given = rules::lists(rules.universal, text);
                vec![(if given { Value::Outside } else { Value::Absent }, ResolutionMethod::Typed)]
            }
            Value::Thing(at) if is_class(self.graph.symbol(*at).kind.kind()) => {
                let found = self.member_of_class(*at, name, ResolutionMethod::Member);
                let made = (text == "default").then(|| Value::one(*at));
                self.or_derived(spot, found, made)
            }
            Value::Thing(at) if self.is_object(*at) => self.member_of_object(*at, name, spot),
            Value::Thing(_) | Value::File(_) | Value::Folder(_) => {
                let found = self.exported(value, name, spot);
                let found = if found.is_empty() { vec![Value::Absent] } else { found };
                self.bodies_first(found.into_iter().map(|value| (value, ResolutionMethod::Import)).collect())
            }
            Value::Wrap(_) if rules::lists(rules.of_wrapper, text) => {
                vec![(self.given(value, name, spot), ResolutionMethod::Typed)]
            }
            Value::Wrap(held) => self.member(held, name, spot),
            Value::Held(inner) => {
                vec![(self.member_of_holder(value, inner, name, spot), ResolutionMethod::Typed)]
            }
            Value::Absent => vec![(Value::Absent, ResolutionMethod::Typed)],
            Value::Gives(_) | Value::Unknown => vec![(Value::Unknown, ResolutionMethod::Typed)],
            Value::Outside => vec![(self.extension(name, spot), ResolutionMethod::Typed)],
        }
    }

    /// Evaluates a member of each part of a union, without duplicates.
    fn member_of_each(&self, all: &[Value], name: Word, spot: Location) -> Meanings {
        let mut out: Meanings = all.iter().flat_map(|value| self.member(value, name, spot)).collect();
        let mut seen = Vec::new();
        out.retain(|(value, _)| {
            !seen.contains(value) && {
                seen.push(value.clone());
                true
            }
        });
        if out.iter().any(|(value, _)| matches!(value, Value::Thing(_))) {
            out.retain(|(value, _)| !matches!(value, Value::Outside | Value::Absent | Value::Unknown));
        }
        out
    }

    /// Evaluates a member of an object literal, or else of the result of the whole initializer.
    fn member_of_object(&self, at: At, name: Word, spot: Location) -> Meanings {
        let members = self.file(at.file).members(at.symbol, name);
        let found: Meanings = members
            .map(|symbol| (Value::Thing(At { file: at.file, symbol }), ResolutionMethod::Member))
            .collect();
        if !found.is_empty() {
            return found;
        }
        match self.deeper(Value::Unknown, || self.given_value(at)) {
            Value::Thing(same) if same == at => vec![(Value::Unknown, ResolutionMethod::Member)],
            value => self
                .deeper(vec![(Value::Unknown, ResolutionMethod::Member)], || self.member(&value, name, spot)),
        }
    }

    /// Evaluates the member `name` of a container from outside the workspace; a number selects an element of a tuple.
    fn member_of_holder(&self, value: &Value, inner: &[Value], name: Word, spot: Location) -> Value {
        let place = self.graph.text(name).parse::<usize>();
        if let Some(part) = place.ok().and_then(|place| inner.get(place)) {
            return part.clone();
        }
        match self.given(value, name, spot) {
            Value::Outside => self.extension(name, spot),
            given => given,
        }
    }

    /// Evaluates a member of a type from outside the workspace, to which traits or extensions of the workspace may
    /// add members.
    fn extension(&self, name: Word, spot: Location) -> Value {
        let language = self.file(spot.file).language();
        let adds = |at: &At| {
            let symbol = self.graph.symbol(*at);
            let parent = symbol.parent.map(|parent| self.graph.symbol(At { file: at.file, symbol: parent }));
            symbol.kind.kind() == Kind::Function
                && together(self.file(at.file).language(), language)
                && match self.rules(spot.file).family {
                    Family::Rust => parent.is_some_and(|parent| parent.kind.kind() == Kind::Trait),
                    Family::None => matches!(language, "csharp" | "kotlin" | "swift" | "scala" | "ruby"),
                    _ => false,
                }
        };
        if self.graph.definitions(name).iter().any(adds) { Value::Absent } else { Value::Outside }
    }

    fn member_of_class(&self, class: At, name: Word, how: ResolutionMethod) -> Meanings {
        let Some(class) = self.whole(class) else { return vec![(Value::Unknown, how)] };
        let (found, above) = self.deeper((Vec::new(), Value::Unknown), || self.find_member(class, name));
        if found.is_empty() && self.rules(class.file).family == Family::Go {
            // In Go, a struct that is embedded in another is a field with the name of the embedded type.
            let bases = self.inherits(class);
            let embedded = bases.iter().find(|value| match value {
                Value::Thing(base) => self.graph.symbol(*base).name == name,
                _ => false,
            });
            if let Some(Value::Thing(base)) = embedded {
                return vec![(Value::one(*base), how)];
            }
        }
        let rules = self.rules(class.file);
        if found.is_empty() && above == Value::Outside && rules::lists(rules.universal, self.graph.text(name))
        {
            return vec![(Value::Outside, how)];
        }
        self.as_meanings(found, above, how)
    }

    /// Converts the members that a search found into meanings. If it found none, the result is `Absent` if all
    /// ancestors are known (`above` is `Outside`), otherwise `above`.
    fn as_meanings(&self, found: Vec<Member>, above: Value, how: ResolutionMethod) -> Meanings {
        if found.is_empty() {
            // If a base class could not be resolved, `above` is `Unknown`: the base class may have the member.
            return vec![(if above == Value::Outside { Value::Absent } else { above }, how)];
        }
        let all = found.into_iter().map(|member| match member {
            Member::Symbol(at) => (Value::Thing(at), how),
            Member::Field(spot, number) => {
                let local: &Local = &self.file(spot.file).record.locals[number as usize];
                (self.local(spot, local), ResolutionMethod::Local)
            }
        });
        self.bodies_first(all.collect())
    }
}
