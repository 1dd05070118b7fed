//! Lookup of a name at a location: from the innermost scope outwards, then imports, then names of the
//! language.

use toolpost_syntax::Kind;

use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::At;
use crate::record::{Base, BindingKind, ImportRecord, ImportTarget, Local};
use crate::rules::{self, Family};
use crate::target::ResolutionMethod;

/// Possible meanings of a name, each with the method that found it.
pub(super) type Meanings = Vec<(Value, ResolutionMethod)>;

/// The names among which a lookup searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namespace {
    /// All names.
    All,
    /// The names of types and modules. A value does not hide them.
    Types,
}

impl Namespace {
    /// Checks whether the namespace has symbols of a kind.
    fn has(self, kind: Kind) -> bool {
        match self {
            Self::All => true,
            // A macro of C may stand for a type.
            Self::Types => is_class(kind) || matches!(kind, Kind::Type | Kind::Module | Kind::Macro),
        }
    }
}

/// An enclosing scope or symbol.
#[derive(Clone, Copy)]
enum Layer {
    Scope(u32),
    Symbol(u32),
}

impl Resolver<'_> {
    /// Returns the meanings of a name at a location. They are empty if no scope, no import and no rule of the language
    /// gives the name a meaning there.
    pub(crate) fn lookup(&self, spot: Location, name: Word) -> Meanings {
        self.lookup_among(spot, name, Namespace::All)
    }

    /// Returns the meanings of a name in the position of a type. A variant, a field or a variable of the same name is
    /// not one, even if it is nearer: `enum Command { Find(Find) }`, `func f(node node)`.
    pub(crate) fn lookup_in_types(&self, spot: Location, name: Word) -> Meanings {
        let apart = rules::keeps_types_apart(self.file(spot.file).language());
        let found = if apart { self.lookup_only_types(spot, name) } else { Vec::new() };
        if found.is_empty() { self.lookup(spot, name) } else { found }
    }

    /// Returns the types, the modules and the imported meanings of a name at a location.
    pub(crate) fn lookup_only_types(&self, spot: Location, name: Word) -> Meanings {
        self.lookup_among(spot, name, Namespace::Types)
    }

    fn lookup_among(&self, spot: Location, name: Word, among: Namespace) -> Meanings {
        self.deeper(Vec::new(), || {
            let found = self.inside(spot, name, among);
            match found {
                Some(found) => found,
                None => self.of_file_among(spot, name, among),
            }
        })
    }

    /// Searches the enclosing scopes and symbols.
    fn inside(&self, spot: Location, name: Word, among: Namespace) -> Option<Meanings> {
        let file = self.file(spot.file);
        let rules = self.rules(spot.file);
        let mut scope = file.scope(spot.place);
        let mut symbol = file.around(spot.place);
        let mut in_function = false;
        loop {
            let layer = match (scope, symbol) {
                (None, None) => return None,
                (Some(scope), None) => Layer::Scope(scope),
                (None, Some(symbol)) => Layer::Symbol(symbol),
                (Some(scope), Some(symbol)) => {
                    let inner = file.record.scopes[scope as usize].0;
                    let outer = file.record.symbols[symbol as usize].span;
                    // If a scope and a symbol have the same extent, the scope is searched first, because parameters
                    // hide members.
                    if inner.1 - inner.0 <= outer.1 - outer.0 {
                        Layer::Scope(scope)
                    } else {
                        Layer::Symbol(symbol)
                    }
                }
            };
            match layer {
                Layer::Scope(number) => {
                    let class = self.is_class_scope(spot, number);
                    let seen = (!class || !in_function || rules.bare_members) && among == Namespace::All;
                    let locals = if seen { file.locals(Some(number), name) } else { &[] };
                    if !locals.is_empty() {
                        return Some(vec![
                            self.named_class(spot, name, locals)
                                .unwrap_or_else(|| (self.of_locals(spot, locals), ResolutionMethod::Local)),
                        ]);
                    }
                    scope = file.record.scopes[number as usize].1;
                }
                Layer::Symbol(number) => {
                    let found = self.in_symbol(spot, number, name, (in_function, among));
                    if !found.is_empty() {
                        return Some(found);
                    }
                    let kind = file.record.symbols[number as usize].kind.kind();
                    in_function |= kind == Kind::Function;
                    // Names around a Rust module are not visible inside the module.
                    if kind == Kind::Module && rules.family == Family::Rust {
                        let found = self.imported_in_any_way(spot, Some(number), name);
                        return Some(if found.is_empty() { self.added(spot, name) } else { found });
                    }
                    symbol = file.record.symbols[number as usize].parent;
                }
            }
        }
    }

    /// Finds the binding of a local name that applies at a position: in the innermost scope that has the name, the
    /// last one before the position, or else the first one after it.
    pub(super) fn nearest_local(&self, spot: Location, name: Word) -> Option<&Local> {
        let file = self.file(spot.file);
        let mut scope = file.scope(spot.place);
        loop {
            let locals = file.locals(scope, name).iter().map(|local| &file.record.locals[*local as usize]);
            let last = locals.clone().rev().find(|local| local.at < spot.place).or(locals.clone().next());
            if last.is_some() {
                return last;
            }
            scope = file.record.scopes[scope? as usize].1;
        }
    }

    /// Returns the class if the name is the parameter `cls` of a Python method.
    fn named_class(&self, spot: Location, name: Word, locals: &[u32]) -> Option<(Value, ResolutionMethod)> {
        let file = self.file(spot.file);
        let parameter =
            locals.iter().all(|local| file.record.locals[*local as usize].sort == BindingKind::Parameter);
        let python = self.rules(spot.file).family == Family::Python;
        let named = parameter && python && self.graph.text(name) == "cls";
        let class = self.own_class(spot).filter(|_| named)?;
        Some((Value::Thing(class), ResolutionMethod::Member))
    }

    /// Returns whether a scope is the body of a class.
    fn is_class_scope(&self, spot: Location, scope: u32) -> bool {
        let file = self.file(spot.file);
        let span = file.record.scopes[scope as usize].0;
        file.outwards(file.around(spot.place)).any(|number| {
            let symbol = &file.record.symbols[number as usize];
            is_class(symbol.kind.kind())
                && symbol.span.0 <= span.0
                && symbol.body.is_some_and(|body| body.1 <= span.1)
                && span.1 <= symbol.span.1
        })
    }

    /// Searches the members of a symbol, and the imports in it.
    fn in_symbol(
        &self,
        spot: Location,
        number: u32,
        name: Word,
        (in_function, among): (bool, Namespace),
    ) -> Meanings {
        let file = self.file(spot.file);
        let rules = self.rules(spot.file);
        let symbol = &file.record.symbols[number as usize];
        let at = At { file: spot.file, symbol: number };
        let class = is_class(symbol.kind.kind());
        if class && self.graph.text(name) == "Self" && rules.family == Family::Rust {
            return self
                .whole(at)
                .map(|class| (Value::Thing(class), ResolutionMethod::Scope))
                .into_iter()
                .collect();
        }
        // Members of a class or function are not in scope in its head.
        let body = symbol.body.is_none_or(|body| body.0 <= spot.place);
        if class && rules.bare_members && body {
            let members = self.members_of(at, name);
            // A constructor has the name of its class. The name means the class.
            if members.iter().any(|member| self.graph.constructed(*member) == Some(at)) {
                return vec![(Value::Thing(at), ResolutionMethod::Scope)];
            }
            return members
                .into_iter()
                .filter(|at| among.has(self.graph.symbol(*at).kind.kind()))
                .map(|at| (Value::Thing(at), ResolutionMethod::Member))
                .collect();
        }
        if class && in_function {
            return Vec::new();
        }
        let found: Meanings = match symbol.kind.kind() {
            _ if !body => Vec::new(),
            Kind::Impl | Kind::Trait => Vec::new(),
            _ if class && needs_qualifier(symbol.kind.kind(), rules.family) => Vec::new(),
            _ => file
                .members(number, name)
                .map(|symbol| At { file: spot.file, symbol })
                .filter(|at| among.has(self.graph.symbol(*at).kind.kind()))
                .filter(|at| !self.is_elsewhere(*at) && !self.is_method_of_object(*at))
                .map(|at| (Value::Thing(at), ResolutionMethod::Scope))
                .collect(),
        };
        if found.is_empty() { self.imported_in_any_way(spot, Some(number), name) } else { found }
    }

    /// Searches the names of the whole file, its imports, and the names of the language.
    pub(super) fn of_file(&self, spot: Location, name: Word) -> Meanings {
        self.of_file_among(spot, name, Namespace::All)
    }

    fn of_file_among(&self, spot: Location, name: Word, among: Namespace) -> Meanings {
        let file = self.file(spot.file);
        let own: Meanings = file
            .top(name)
            .iter()
            .map(|symbol| At { file: spot.file, symbol: *symbol })
            .filter(|at| self.is_meant_bare(*at) && among.has(self.graph.symbol(*at).kind.kind()))
            .map(|at| (Value::Thing(at), ResolutionMethod::Scope))
            .collect();
        let mut found = self.nearest(spot, own);
        found.extend(self.imported(spot, None, name));
        if found.is_empty() && among == Namespace::All {
            let locals = file.locals(None, name);
            let locals: Vec<u32> = locals
                .iter()
                .copied()
                .filter(|at| file.record.locals[*at as usize].sort != BindingKind::Parameter)
                .collect();
            if !locals.is_empty() {
                found.push((self.of_locals(spot, &locals), ResolutionMethod::Local));
            }
        }
        if found.is_empty() {
            found = self.among_all(spot, None, name);
        }
        if found.is_empty() { self.added(spot, name) } else { self.bodies_first(found) }
    }

    /// If a macro and another symbol of a C or C++ file have the same name, keeps the one that was defined last before
    /// the position, if there is one.
    fn nearest(&self, spot: Location, found: Meanings) -> Meanings {
        let place = |value: &Value| match value {
            Value::Thing(at) => Some((self.graph.symbol(*at).at.0, self.graph.symbol(*at).kind.kind())),
            _ => None,
        };
        let is_macro = |(value, _): &(Value, ResolutionMethod)| {
            place(value).is_some_and(|(_, kind)| kind == Kind::Macro)
        };
        let macros = found.iter().filter(|one| is_macro(one)).count();
        if macros == 0 || macros == found.len() || self.rules(spot.file).family != Family::C {
            return found;
        }
        let before =
            |(value, _): &&(Value, ResolutionMethod)| place(value).is_some_and(|(at, _)| at <= spot.place);
        let nearest = found.iter().filter(before).max_by_key(|(value, _)| place(value).map(|(at, _)| at));
        nearest.cloned().map_or(found, |nearest| vec![nearest])
    }

    /// Returns whether a plain name can refer to a top-level symbol. It cannot refer to an `impl` block, to a method
    /// that is defined outside its class, nor to a declaration such as `mod name;`.
    pub(crate) fn is_meant_bare(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        symbol.kind.kind() != Kind::Impl && symbol.name == symbol.qualified && !self.is_elsewhere(at)
    }

    /// Returns whether a symbol only declares that another file is a module.
    pub(crate) fn is_elsewhere(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        symbol.kind.kind() == Kind::Module && symbol.body.is_none()
    }

    /// Removes declarations, if a definition is also in the list.
    pub(super) fn bodies_first(&self, found: Meanings) -> Meanings {
        let has_body = |value: &Value| match value {
            Value::Thing(at) => {
                let symbol = self.graph.symbol(*at);
                symbol.body.is_some() || symbol.kind.kind() != Kind::Function
            }
            _ => true,
        };
        if found.len() > 1 && found.iter().any(|(value, _)| has_body(value)) {
            return found.into_iter().filter(|(value, _)| has_body(value)).collect();
        }
        found
    }

    /// Returns the value that a local name has at a location, from its declarations `locals` in one scope: the
    /// nearest declaration before the location counts, or else the first one after it.
    fn of_locals(&self, spot: Location, locals: &[u32]) -> Value {
        let file = self.file(spot.file);
        let local = |number: &u32| &file.record.locals[*number as usize];
        let before = locals.iter().map(local).rev().filter(|local| local.at < spot.place);
        let behind = locals.iter().map(local).filter(|local| local.at >= spot.place);
        let mut outside = false;
        // In its own initializer, a name has its previous meaning.
        let own = |local: &&Local| {
            let base = local.value.as_ref().map(|value| value.base);
            matches!(base, Some(Base::Name(_, at) | Base::New(_, at)) if at == spot.place)
        };
        for local in before.chain(behind).filter(|local| !own(local)) {
            match self.local(spot, local) {
                Value::Unknown if local.hint.is_none() && !self.is_nothing(local) => return Value::Unknown,
                Value::Unknown => {}
                // A literal at the beginning, such as a zero, is weaker evidence than later values.
                Value::Outside => outside = true,
                value => return value,
            }
        }
        if outside { Value::Outside } else { Value::Unknown }
    }

    /// Returns whether a local name is assigned an empty value, as in `x = None`.
    fn is_nothing(&self, local: &Local) -> bool {
        let base = local.value.as_ref().map(|value| value.base);
        match base {
            Some(Base::Literal(name) | Base::Name(name, _)) => {
                matches!(self.graph.text(name), "None" | "null" | "nil" | "undefined" | "nullptr" | "NULL")
            }
            _ => false,
        }
    }

    /// Returns the meanings of a name that is imported at the top of a file, or in one of its symbols.
    pub(super) fn imported(&self, spot: Location, within: Option<u32>, name: Word) -> Meanings {
        self.imports.get((spot.file, within, name), || self.bring(spot, within, name))
    }

    fn bring(&self, spot: Location, within: Option<u32>, name: Word) -> Meanings {
        let file = self.file(spot.file);
        let imports = file.record.imports.iter().filter(|import| import.within == within);
        let named = imports
            .filter(|import| import.what != ImportTarget::All && self.bound_name(spot, import) == Some(name));
        let mut out = Meanings::new();
        for import in named {
            let found = self.import(spot, import);
            let found = if found.is_empty() { vec![self.not_here(spot, import)] } else { found };
            out.extend(found.into_iter().map(|value| (value, ResolutionMethod::Import)));
        }
        out
    }

    /// Returns the meanings of a name among the wildcard imports of a file, or of one of its symbols.
    fn among_all(&self, spot: Location, within: Option<u32>, name: Word) -> Meanings {
        self.stars.get((spot.file, within, name), || {
            let imports = self.file(spot.file).record.imports.iter();
            let all = imports.filter(|import| import.what == ImportTarget::All && import.within == within);
            let found = |import: &ImportRecord| -> Meanings {
                let spot = Location { place: import.at, ..spot };
                let modules = self.module(spot, self.graph.text(import.module));
                let found = modules.iter().flat_map(|module| self.exported(module, name, spot));
                found.map(|value| (value, ResolutionMethod::Import)).collect()
            };
            all.map(found).find(|found| !found.is_empty()).unwrap_or_default()
        })
    }

    /// Returns the meanings of a name that is imported explicitly or by a wildcard.
    pub(super) fn imported_in_any_way(&self, spot: Location, within: Option<u32>, name: Word) -> Meanings {
        let named = self.imported(spot, within, name);
        if named.is_empty() { self.among_all(spot, within, name) } else { named }
    }

    /// Returns the local name of an import; `None` if it binds no name, like a wildcard import.
    pub(super) fn bound_name(&self, spot: Location, import: &ImportRecord) -> Option<Word> {
        if import.alias.is_some() {
            return import.alias;
        }
        let text = self.graph.text(import.module);
        let family = self.rules(spot.file).family;
        match import.what {
            ImportTarget::Name(name) if self.graph.text(name) == "self" && family == Family::Rust => {
                self.graph.word(text.rsplit("::").next().unwrap_or(text))
            }
            ImportTarget::Name(name) | ImportTarget::Default(name) => Some(name),
            ImportTarget::All => None,
            ImportTarget::Module => match family {
                Family::Python => self.graph.word(text.split('.').next().unwrap_or(text)),
                Family::Rust => self.graph.word(text),
                Family::Go => {
                    let modules = self.module(spot, text);
                    let package = modules.first().and_then(|module| self.go_name(module));
                    if package.is_some() {
                        return package;
                    }
                    let last = text.rsplit('/').find(|part| !is_version(part)).unwrap_or(text);
                    self.graph.word(last)
                }
                Family::Ecma | Family::C | Family::Java | Family::None => None,
            },
        }
    }

    /// Finds the target of an import.
    pub(crate) fn import(&self, spot: Location, import: &ImportRecord) -> Vec<Value> {
        // An import is resolved at its own location.
        let spot = Location { place: import.at, ..spot };
        let text = self.graph.text(import.module);
        let family = self.rules(spot.file).family;
        let modules = || self.module(spot, text);
        self.deeper(Vec::new(), || match import.what {
            ImportTarget::Module if family == Family::Python && import.alias.is_none() => {
                self.module(spot, text.split('.').next().unwrap_or(text))
            }
            ImportTarget::Module | ImportTarget::All => modules(),
            ImportTarget::Name(name) if family == Family::Rust && self.graph.text(name) == "self" => {
                modules()
            }
            ImportTarget::Name(name) if text.is_empty() && family == Family::Ecma => {
                self.own_name(Location { file: spot.file, place: import.at }, name)
            }
            ImportTarget::Name(name) if text.is_empty() => self.bare_module(spot, name),
            ImportTarget::Name(name) => {
                modules().iter().flat_map(|module| self.exported(module, name, spot)).collect()
            }
            ImportTarget::Default(name) if import.exported => self.own_name(spot, name),
            ImportTarget::Default(_) => modules().iter().flat_map(|module| self.default_of(module)).collect(),
        })
    }

    /// Returns the meanings that the import at a location binds.
    pub(super) fn brought(&self, spot: Location) -> Meanings {
        let imports = &self.file(spot.file).record.imports;
        let here = imports.iter().filter(|import| import.at == spot.place);
        let found: Vec<Value> = here.clone().flat_map(|import| self.import(spot, import)).collect();
        let found = if found.is_empty() {
            vec![Value::either(here.map(|import| self.not_here(spot, import)))]
        } else {
            found
        };
        found.into_iter().map(|value| (value, ResolutionMethod::Import)).collect()
    }

    /// Evaluates an import that could not be resolved. It is outside the workspace only if its module is not part of
    /// the workspace.
    pub(super) fn not_here(&self, spot: Location, import: &ImportRecord) -> Value {
        let text = self.graph.text(import.module);
        let here = Location { place: import.at, ..spot };
        let first = |separator: &str| {
            text.trim_start_matches("::").split(separator).next().unwrap_or(text).to_owned()
        };
        let known = |name: &str| !self.module(here, name).is_empty();
        let own = match self.rules(spot.file).family {
            Family::Ecma => {
                text.is_empty()
                    || text.starts_with(['.', '/', '~', '#'])
                    || text.starts_with("@/")
                    || known(text)
            }
            Family::Python => text.starts_with('.') || known(&first(".")),
            Family::Rust => {
                let first = first("::");
                matches!(first.as_str(), "" | "crate" | "$crate" | "self" | "super") || known(&first)
            }
            Family::Go | Family::C | Family::Java => known(text),
            Family::None => true,
        };
        if own { Value::Absent } else { Value::Outside }
    }

    /// Returns the meanings of a name that a file exports: a definition of the file, an import, or a local
    /// name.
    fn own_name(&self, spot: Location, name: Word) -> Vec<Value> {
        let file = self.file(spot.file);
        let own: Vec<Value> = file
            .top(name)
            .iter()
            .map(|symbol| Value::Thing(At { file: spot.file, symbol: *symbol }))
            .collect();
        if !own.is_empty() {
            return own;
        }
        let bound = |import: &&ImportRecord| !import.exported && self.bound_name(spot, import) == Some(name);
        let imports = file.record.imports.iter().filter(bound);
        let found: Vec<Value> = imports.flat_map(|import| self.import(spot, import)).collect();
        if !found.is_empty() {
            return found;
        }
        let locals = file.locals(None, name);
        if locals.is_empty() { Vec::new() } else { vec![self.of_locals(spot, locals)] }
    }
}

/// Checks whether the members of a class of this kind have no plain name, not even in the body of the class:
/// the variants of a Rust enumeration, the fields of a Go struct. The members of a TypeScript enumeration have one.
fn needs_qualifier(kind: Kind, family: Family) -> bool {
    match family {
        Family::Rust | Family::Go => true,
        Family::Ecma => kind != Kind::Enum,
        Family::Python | Family::C | Family::Java | Family::None => false,
    }
}

/// Returns whether a part of a path is only a version, such as `v2` in Go.
fn is_version(part: &&str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|digit| digit.is_ascii_digit()))
}
