//! Targets of a use of a name.

use toolpost_syntax::Kind;

use super::lookup::Meanings;
use super::{Location, Resolver, Value};
use crate::graph::is_class;
use crate::ids::{At, FileId};
use crate::record::{Base, BindingKind, Expression, ReferenceRecord, Step, Usage};
use crate::rules::{self, Family, together};
use crate::target::{Certainty, Resolution, ResolutionMethod, Target};

/// Methods of the Rust standard library, each with the trait method that it calls.
const CALLS_BACK: [(&str, &str); 6] = [
    ("into", "from"),
    ("try_into", "try_from"),
    ("to_string", "fmt"),
    ("parse", "from_str"),
    ("collect", "from_iter"),
    ("unwrap_or_default", "default"),
];

/// The maximum number of candidates for a use of which only the name is known. With more candidates, the use counts as
/// unresolved.
const CANDIDATES: usize = 8;

impl Resolver<'_> {
    /// Returns the targets of a use of a name.
    pub(crate) fn found(&self, file: FileId, used: &ReferenceRecord) -> Resolution {
        self.cut.set(false);
        match self.followed(file, used) {
            // If the resolution was cut off, it is unknown whether the target is outside.
            Resolution::Outside if self.cut.get() || self.comes_back(file, used) => Resolution::Unresolved,
            found => found,
        }
    }

    /// Checks whether a method of the Rust standard library calls back into a trait implementation of the
    /// workspace, as `into` calls `from`.
    fn comes_back(&self, file: FileId, used: &ReferenceRecord) -> bool {
        if self.rules(file).family != Family::Rust || used.usage != Usage::Call || used.receiver.is_none() {
            return false;
        }
        let name = self.graph.text(used.name);
        let back = CALLS_BACK.iter().find(|(method, _)| *method == name);
        let back = back.and_then(|(_, implemented)| self.graph.word(implemented));
        back.is_some_and(|implemented| {
            let mut all = self.graph.definitions(implemented).iter();
            all.any(|at| self.rules(at.file).family == Family::Rust && self.is_member(*at))
        })
    }

    fn followed(&self, file: FileId, used: &ReferenceRecord) -> Resolution {
        if matches!(used.usage, Usage::Mention | Usage::Apparent) {
            return Resolution::Unresolved;
        }
        if let Some((symbols, by)) = self.graph.told(file, used) {
            return match symbols.as_slice() {
                [] => Resolution::Outside,
                _ => self.targets(symbols.into_iter().map(|at| (at, by)).collect()),
            };
        }
        let spot = Location { file, place: used.at };
        let meanings = match used.usage {
            Usage::Import if self.is_segment(spot) => return self.of_segment(spot, used),
            Usage::Import => self.brought(spot),
            _ => self.meant(spot, used),
        };
        let meanings = if used.usage == Usage::Call { self.callable(meanings) } else { meanings };
        let things = Self::things(&meanings);
        if !things.is_empty() {
            let rules = self.rules(file);
            // If two functions of a Go package have the same name, the build configuration decides between them, so
            // neither is certain.
            let several = rules.bare_members || rules.family == Family::Go;
            return self.overloaded(self.targets(things), several);
        }
        if meanings.is_empty() && used.receiver.is_none() {
            // In a language whose modules are resolved, a name that the file does not import is unlikely to refer
            // to a symbol of another file, so each target is at most possible.
            let lacks = self.rules(file).family != Family::None;
            if lacks && used.usage != Usage::Call && !self.takes_all(file) {
                return Resolution::Outside;
            }
            return self.by_name(file, used, lacks);
        }
        self.otherwise(file, used, &meanings)
    }

    /// Checks whether the use at a location is not an imported name but a part of the path before one.
    fn is_segment(&self, spot: Location) -> bool {
        self.rules(spot.file).family == Family::Rust
            && !self.file(spot.file).record.imports.iter().any(|import| import.at == spot.place)
    }

    /// Returns the target of a name in the path of an import, such as `When` in `use options::When::{self, Always}`.
    fn of_segment(&self, spot: Location, used: &ReferenceRecord) -> Resolution {
        let before = used.receiver.as_ref().map_or(Some(Vec::new()), |receiver| self.segments(receiver));
        let Some(mut parts) = before else { return Resolution::Unresolved };
        parts.push(self.graph.text(used.name));
        let type_or_module =
            |at: &At| is_class(self.kind_of(*at)) || matches!(self.kind_of(*at), Kind::Module | Kind::Type);
        let found = self.module(spot, &parts.join("::"));
        let mut things = Vec::new();
        let mut modules = Vec::new();
        for value in found.iter().flat_map(Value::each) {
            match value {
                Value::Thing(at) if type_or_module(at) => things.push((*at, ResolutionMethod::Import)),
                Value::File(_) => modules.push(value),
                _ => {}
            }
        }
        things.extend(modules.iter().flat_map(|module| self.declarations(module, used)));
        if !things.is_empty() {
            return self.targets(things);
        }
        let own = matches!(parts[0], "crate" | "self" | "super") || !self.module(spot, parts[0]).is_empty();
        let named = || {
            let mut all = self.graph.definitions(used.name).iter();
            all.any(|at| self.rules(at.file).family == Family::Rust && type_or_module(at))
        };
        // A crate of the workspace is not a symbol, so its name does not refer to one either.
        if modules.is_empty() && own && named() { Resolution::Unresolved } else { Resolution::Outside }
    }

    /// Returns the names of a Rust path; `None` if the expression is not a path of plain names.
    pub(super) fn segments(&self, path: &Expression) -> Option<Vec<&str>> {
        let mut parts = vec![match path.base {
            Base::Name(name, _) => self.graph.text(name),
            Base::Own => "self",
            Base::Above => "super",
            Base::New(..) | Base::Literal(_) | Base::Macros | Base::Global | Base::Other => return None,
        }];
        for step in &path.steps {
            let Step::Member(name) = step else { return None };
            parts.push(self.graph.text(*name));
        }
        Some(parts)
    }

    /// Finds the declarations `mod name;` of a module that is a file.
    fn declarations(&self, module: &Value, used: &ReferenceRecord) -> Vec<(At, ResolutionMethod)> {
        let all = self.graph.definitions(used.name).iter().copied();
        let path = format!("self::{}", self.graph.text(used.name));
        let declares = |at: &At| {
            let spot = self.spot_of(*at);
            self.rules(at.file).family == Family::Rust
                && self.is_elsewhere(*at)
                && self.module(spot, &path).contains(module)
        };
        all.filter(declares).map(|at| (at, ResolutionMethod::Import)).collect()
    }

    /// Checks whether a file can use names that it does not import by name: from a wildcard import, or from a
    /// header.
    fn takes_all(&self, file: FileId) -> bool {
        let family = self.rules(file).family;
        let all = |import: &crate::record::ImportRecord| import.what == crate::record::ImportTarget::All;
        family == Family::C || self.file(file).record.imports.iter().any(all)
    }

    /// Lists the symbols that a name denotes, without following the values of variables.
    pub(crate) fn named_by(&self, file: FileId, used: &ReferenceRecord) -> Vec<(At, ResolutionMethod)> {
        match used.usage {
            Usage::Mention | Usage::Apparent | Usage::Import => Vec::new(),
            _ => Self::things(&self.meant(Location { file, place: used.at }, used)),
        }
    }

    /// Replaces a variable by the function that it holds, and an object by its call method.
    fn callable(&self, meanings: Meanings) -> Meanings {
        let call = self.graph.word("__call__");
        let called = |(value, how): (Value, ResolutionMethod)| -> Meanings {
            let holds = how == ResolutionMethod::Local || matches!(value, Value::Thing(_));
            let (held, how) = match &value {
                Value::Thing(at)
                    if matches!(self.kind_of(*at), Kind::Variable | Kind::Constant | Kind::Field) =>
                {
                    let held = match self.of_symbol(*at) {
                        Value::Thing(same) if same == *at => self.given_value(*at),
                        held => held,
                    };
                    match held {
                        // The value of the variable is unknown, so the call counts as a call of a local name.
                        Value::Unknown | Value::Absent => (Value::Unknown, ResolutionMethod::Local),
                        held => (held, how),
                    }
                }
                _ => (value, how),
            };
            let of_each = |value: &Value| match (value, call) {
                (Value::One(class, _), Some(call)) => {
                    let methods = self.members_of(*class, call).into_iter();
                    let methods: Meanings =
                        methods.map(|at| (Value::Thing(at), ResolutionMethod::Typed)).collect();
                    if methods.is_empty() { vec![(Value::Unknown, ResolutionMethod::Local)] } else { methods }
                }
                (Value::Unknown, _) => vec![(Value::Unknown, how)],
                // Only the type of a function in a variable is known, so the target of the call is unknown.
                (Value::Gives(_), _) if holds => vec![(Value::Unknown, how)],
                (value, _) => vec![(value.clone(), how)],
            };
            held.each().iter().flat_map(of_each).collect()
        };
        meanings.into_iter().flat_map(called).collect()
    }

    fn kind_of(&self, at: At) -> Kind {
        self.graph.symbol(at).kind.kind()
    }

    /// If a use has several targets, and the arguments or the build select one of them (`by_arguments`), lowers
    /// proved targets to inferred.
    fn overloaded(&self, found: Resolution, by_arguments: bool) -> Resolution {
        match found {
            Resolution::Targets(mut targets) if by_arguments && targets.len() > 1 => {
                for target in targets.iter_mut().filter(|target| target.sure == Certainty::Proved) {
                    target.sure = Certainty::Inferred;
                }
                Resolution::Targets(targets)
            }
            other => other,
        }
    }

    fn targets(&self, things: Vec<(At, ResolutionMethod)>) -> Resolution {
        let mut out: Vec<Target> = Vec::new();
        for (at, how) in things {
            if !out.iter().any(|known| known.at == at) {
                out.push(Target { at, how, sure: how.sure() });
            }
        }
        Resolution::Targets(out)
    }

    /// Returns the outcome for a use whose `meanings` contain no symbol.
    fn otherwise(&self, file: FileId, used: &ReferenceRecord, meanings: &Meanings) -> Resolution {
        let outside = |value: &Value| {
            matches!(value, Value::Outside | Value::Held(_) | Value::Gives(_) | Value::Wrap(_))
        };
        if !meanings.is_empty() && meanings.iter().all(|(value, _)| outside(value)) {
            return Resolution::Outside;
        }
        let local = meanings.iter().any(|(_, how)| *how == ResolutionMethod::Local);
        if used.receiver.is_none() && local {
            return self.taken(file, used).unwrap_or(Resolution::Local);
        }
        if local {
            return Resolution::Local;
        }
        let lacks = used.receiver.is_none() || meanings.iter().any(|(value, _)| *value == Value::Absent);
        let import = |(value, how): &(Value, ResolutionMethod)| {
            *value == Value::Absent && *how == ResolutionMethod::Import
        };
        match self.by_name(file, used, lacks) {
            // The import may rename a symbol of the workspace, which the search by name then does not find.
            Resolution::Outside if used.receiver.is_none() && meanings.iter().any(import) => {
                Resolution::Unresolved
            }
            found => found,
        }
    }

    /// If a called variable holds a member of an unknown value, as in `f = a.b`, returns the symbols with the
    /// member's name as possible targets.
    fn taken(&self, file: FileId, used: &ReferenceRecord) -> Option<Resolution> {
        let local = self.nearest_local(Location { file, place: used.at }, used.name)?;
        let value =
            local.value.as_ref().filter(|_| local.sort == BindingKind::Local && local.hint.is_none())?;
        let (Step::Member(name), steps) = value.steps.split_last()? else { return None };
        let receiver = Expression { base: value.base, steps: steps.to_vec() };
        let member = ReferenceRecord { name: *name, receiver: Some(receiver), ..used.clone() };
        Some(self.by_name(file, &member, true))
    }

    /// Finds the targets of a use only by their name. `lacks` is set if something is known that speaks against each
    /// of them, such as a missing import. Each is then at most possible.
    ///
    /// If no symbol of the workspace with the name can be meant, the name is outside the workspace. If too many can, it
    /// is unresolved.
    fn by_name(&self, file: FileId, used: &ReferenceRecord, lacks: bool) -> Resolution {
        let language = self.file(file).language();
        let none = self.rules(file).family == Family::None;
        let named = self.graph.definitions(used.name).iter().copied();
        let named = named.filter(|at| together(self.file(at.file).language(), language));
        let mut all: Vec<At> = named.clone().filter(|at| self.could_be(*at, file, used)).collect();
        if none && !lacks {
            let here: Vec<At> = all.iter().copied().filter(|at| at.file == file).collect();
            if !here.is_empty() {
                all = here;
            }
        }
        let text = self.graph.text(used.name);
        // For a name that standard libraries also define, a list of candidates is not useful.
        let common = lacks
            && used.receiver.is_some()
            && (rules::lists(self.rules(file).common, text) || rules::lists(self.rules(file).core, text));
        if all.is_empty() || all.len() > CANDIDATES || common {
            let known = all.is_empty() && !named.clone().any(|at| self.could_hold(at, file, used));
            return if known { Resolution::Outside } else { Resolution::Unresolved };
        }
        let group = |at: &At| (at.file, self.graph.symbol(*at).qualified);
        let alone = all.first().is_some_and(|first| all.iter().all(|at| group(at) == group(first)));
        let unique = alone
            && !lacks
            && !self.may_be_function(file, used)
            && all.first().is_some_and(|at| self.is_telling(*at, file, used));
        let how = if unique { ResolutionMethod::Unique } else { ResolutionMethod::SameName };
        self.targets(all.into_iter().map(|at| (at, how)).collect())
    }

    /// Checks whether a member access may mean something else than the only method with that name: a function, if the
    /// value may be a module; or a member of the base class, if the receiver is the superclass.
    fn may_be_function(&self, file: FileId, used: &ReferenceRecord) -> bool {
        let Some(receiver) = &used.receiver else { return false };
        let modules = matches!(self.rules(file).family, Family::Python | Family::Ecma);
        let language = self.file(file).language();
        let function = |at: &At| {
            self.kind_of(*at) == Kind::Function
                && !self.is_member(*at)
                && !self.is_in_object(*at)
                && together(self.file(at.file).language(), language)
        };
        receiver.base == Base::Above || (modules && self.graph.definitions(used.name).iter().any(function))
    }

    /// Checks whether a use of a name may mean a symbol of that name.
    fn could_be(&self, at: At, file: FileId, used: &ReferenceRecord) -> bool {
        let kind = self.kind_of(at);
        let (rules, member) = (self.rules(file), used.receiver.is_some());
        let callable =
            matches!(kind, Kind::Function | Kind::Macro) || (!member && is_class(kind) && kind != Kind::Impl);
        let fits = match used.usage {
            Usage::Call => callable,
            Usage::Type | Usage::Inherit | Usage::Construct => is_class(kind) && kind != Kind::Impl,
            _ => kind != Kind::Impl,
        };
        fits && self.could_hold(at, file, used)
            && (!member || rules.family == Family::None || self.is_member(at) || self.is_in_object(at))
    }

    /// Checks whether a name may mean a symbol in its syntactic position: an unqualified name does not mean a
    /// member.
    fn could_hold(&self, at: At, file: FileId, used: &ReferenceRecord) -> bool {
        let php = self.file(file).language() == "php";
        let base = used.receiver.as_ref().map(|receiver| (receiver.base, receiver.steps.is_empty()));
        // In PHP, a leading `\` means the global namespace.
        if php && base == Some((Base::Global, true)) {
            return self.file(at.file).record.package.is_none() && !self.is_member(at);
        }
        let bare = self.rules(file).bare_members && !php;
        used.receiver.is_some() || bare || !self.is_member(at) || self.kind_of(at) == Kind::Variant
    }

    /// Checks whether it is likely that a use refers to `at`, the only symbol of its name: the symbol is in the same
    /// file or has no class, or the file also names its class; and no standard library has a member of this name. The
    /// latter does not matter if the use has no receiver and the modules of the language are resolved.
    fn is_telling(&self, at: At, file: FileId, used: &ReferenceRecord) -> bool {
        let (rules, text) = (self.rules(file), self.graph.text(used.name));
        let free = used.receiver.is_none() && rules.family != Family::None;
        if !free && (rules::lists(rules.common, text) || rules::lists(rules.core, text)) {
            return false;
        }
        if at.file == file {
            return true;
        }
        let symbol = self.graph.symbol(at);
        let owner = match symbol.parent {
            Some(parent) => Some(self.graph.symbol(At { file: at.file, symbol: parent }).name),
            None if symbol.name == symbol.qualified => None,
            None => {
                let qualified = self.graph.text(symbol.qualified);
                let owner = qualified.rsplit_once('.').map_or("", |(owner, _)| owner);
                self.graph.word(owner.rsplit('.').next().unwrap_or(owner))
            }
        };
        owner.is_none_or(|owner| self.file(file).uses_of(owner).next().is_some())
    }

    /// Checks whether a symbol is a member of an object literal or of an object type.
    fn is_in_object(&self, at: At) -> bool {
        let parent = self.graph.symbol(at).parent;
        parent.is_some_and(|parent| {
            matches!(
                self.kind_of(At { file: at.file, symbol: parent }),
                Kind::Variable | Kind::Constant | Kind::Field | Kind::Type
            )
        })
    }

    /// Returns whether a symbol belongs to a class.
    pub(crate) fn is_member(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        match symbol.parent {
            Some(parent) => is_class(self.graph.symbol(At { file: at.file, symbol: parent }).kind.kind()),
            None => symbol.name != symbol.qualified,
        }
    }
}
